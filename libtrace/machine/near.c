#include <ctype.h>
#include <string.h>
#include "machine/machine.h"

enum { NEAR_MAX = 32 };

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static char
folded(char c, bool fold)
{
	return fold ? (char)tolower((unsigned char)c) : c;
}

/* Optimal string alignment: three rows of the table at a time. */
static unsigned
edits(const char *a, const char *b, bool fold)
{
	size_t na = strnlen(a, NEAR_MAX), nb = strnlen(b, NEAR_MAX);
	unsigned row[3][NEAR_MAX + 1];
	for (size_t j = 0; j <= nb; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		const unsigned *two = row[(i + 1) % 3], *one = row[(i - 1) % 3];
		unsigned *now = row[i % 3];
		char x = folded(a[i - 1], fold), before_x = folded(i > 1 ? a[i - 2] : 0, fold);
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			char y = folded(b[j - 1], fold);
			now[j] = least(one[j], now[j - 1]) + 1;
			now[j] = least(now[j], one[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == folded(b[j - 2], fold) && before_x == y)
				now[j] = least(now[j], two[j - 2] + 1);
		}
	}
	return row[na % 3][nb];
}

unsigned
near_distance(const char *a, const char *b)
{
	unsigned letters = edits(a, b, true);
	return 2 * letters + (edits(a, b, false) > letters);
}

void
near_offer(struct near *n, const char *name)
{
	unsigned distance = near_distance(n->word, name);
	if (!n->best || distance < n->distance) {
		n->best = name;
		n->distance = distance;
	}
}

const char *
near_found(const struct near *n)
{
	size_t length = n->best ? strlen(n->best) : 0;
	return n->best && n->distance / 2 <= length / 3 + 1 ? n->best : NULL;
}

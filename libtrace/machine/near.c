#include <ctype.h>
#include <string.h>
#include "machine/machine.h"

enum { NEAR_MAX = 32 };

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* A letter in the other case is half a change. */
static unsigned
change(char a, char b)
{
	return a == b ? 0 : tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

/* Optimal string alignment: three rows of the table at a time. */
unsigned
near_distance(const char *a, const char *b)
{
	size_t na = strnlen(a, NEAR_MAX), nb = strnlen(b, NEAR_MAX);
	unsigned row[3][NEAR_MAX + 1];
	for (size_t j = 0; j <= nb; j++)
		row[0][j] = 2 * (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		const unsigned *two = row[(i + 1) % 3], *one = row[(i - 1) % 3];
		unsigned *now = row[i % 3];
		now[0] = 2 * (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = least(one[j], now[j - 1]) + 2;
			now[j] = least(now[j], one[j - 1] + change(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], two[j - 2] + 2);
		}
	}
	return row[na % 3][nb];
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
	return n->best && n->distance <= 2 * (length / 3 + 1) ? n->best : NULL;
}

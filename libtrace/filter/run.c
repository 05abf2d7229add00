#include <string.h>
#include "filter/filter.h"

static void
combine_not(uint64_t *a)
{
	for (unsigned i = 0; i < FILTER_WORDS; i++)
		a[i] = ~a[i];
}

static void
combine_and(uint64_t *a, const uint64_t *b)
{
	for (unsigned i = 0; i < FILTER_WORDS; i++)
		a[i] &= b[i];
}

static void
combine_or(uint64_t *a, const uint64_t *b)
{
	for (unsigned i = 0; i < FILTER_WORDS; i++)
		a[i] |= b[i];
}

/* Are the first n bits all equal to those of word? */
static bool
all_are(const uint64_t *a, uint32_t n, uint64_t word)
{
	uint64_t differ = 0;
	for (uint32_t i = 0; i < n / 64; i++)
		differ |= a[i] ^ word;
	if (n % 64)
		differ |= (a[n / 64] ^ word) << (64 - n % 64);
	return differ == 0;
}

static void
clear_past(uint64_t *a, uint32_t n)
{
	uint32_t word = n / 64;
	if (n % 64)
		a[word++] &= UINT64_MAX >> (64 - n % 64);
	for (; word < FILTER_WORDS; word++)
		a[word] = 0;
}

void
filter_run(const struct wcp_filter *f, const struct filter_view *view, uint32_t at, uint32_t n,
    uint64_t result[FILTER_WORDS])
{
	uint64_t stack[FILTER_STACK][FILTER_WORDS];
	unsigned depth = 0;
	for (uint32_t pc = 0; pc < f->n_op; pc++) {
		const struct filter_op *op = &f->op[pc];
		if (op->code == FILTER_NOT)
			combine_not(stack[depth - 1]);
		else if (op->code == FILTER_AND) {
			depth--;
			combine_and(stack[depth - 1], stack[depth]);
		} else if (op->code == FILTER_OR) {
			depth--;
			combine_or(stack[depth - 1], stack[depth]);
		} else if (op->code == FILTER_SKIP_NONE || op->code == FILTER_SKIP_ALL) {
			if (all_are(
				stack[depth - 1], n, op->code == FILTER_SKIP_ALL ? UINT64_MAX : 0))
				pc = op->aux - 1;
		} else
			filter_leaf(f, op, view, at, n, stack[depth++]);
	}
	memcpy(result, stack[0], sizeof stack[0]);
	clear_past(result, n);
}

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "model/reuse_rank.h"

enum { HUGE_BYTES = 2 << 20 };

static size_t
round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

bool
reuse_rank_init(struct reuse_rank *r, uint32_t n_block)
{
	*r = (struct reuse_rank){.n_block = n_block};
	size_t groups[RANK_LEVELS] = {0}, first = round_up(n_block, RANK_FAN1);
	size_t bytes = n_block * sizeof *r->block + first * sizeof *r->first;
	for (size_t n = first / RANK_FAN1; n > 1; n = round_up(n, RANK_FAN) / RANK_FAN) {
		groups[r->n_level] = round_up(n, RANK_FAN);
		bytes += groups[r->n_level++] * sizeof *r->level[0];
	}
	size_t align = bytes < HUGE_BYTES ? 64 : HUGE_BYTES;
	char *p = aligned_alloc(align, round_up(bytes, align));
	if (!p)
		return false;
	if (align == HUGE_BYTES)
		madvise(p, bytes, MADV_HUGEPAGE);
	memset(p, 0, bytes);
	r->memory = p;
	r->bytes = bytes;
	r->block = (void *)p;
	p += n_block * sizeof *r->block;
	r->first = (void *)p;
	p += first * sizeof *r->first;
	for (unsigned l = 0; l < r->n_level; l++) {
		r->level[l] = (void *)p;
		p += groups[l] * sizeof *r->level[0];
	}
	return true;
}

void
reuse_rank_release(struct reuse_rank *r)
{
	free(r->memory);
	*r = (struct reuse_rank){0};
}

static void
fill_block(uint64_t block[8], uint32_t n)
{
	for (unsigned w = 0; w < 7; w++, n -= n < 64 ? n : 64) {
		block[w] = n >= 64 ? ~0ull : (1ull << n) - 1;
		uint64_t step = n < 64 ? n : 64;
		for (unsigned after = w + 1; after < 7; after++)
			block[7] += step << 9 * after;
	}
}

/* Marks before child n of its group, when all marks lie from block 1 on without a gap. */
static uint32_t
filled_before(uint64_t child, unsigned fan, unsigned blocks_each, uint32_t marks)
{
	uint64_t before[2];
	uint64_t at[2] = {child / fan * fan * blocks_each, child * blocks_each};
	for (int i = 0; i < 2; i++) {
		before[i] = at[i] ? (at[i] - 1) * RANK_BLOCK_MARKS : 0;
		before[i] = before[i] < marks ? before[i] : marks;
	}
	return (uint32_t)(before[1] - before[0]);
}

void
reuse_rank_fill(struct reuse_rank *r, uint32_t n)
{
	for (uint32_t b = 1, left = n; left; b++) {
		uint32_t here = left < RANK_BLOCK_MARKS ? left : RANK_BLOCK_MARKS;
		fill_block(r->block[b], here);
		left -= here;
	}
	uint64_t children = round_up(r->n_block, RANK_FAN1);
	for (uint64_t c = 0; c < children; c++)
		r->first[c] = (uint16_t)filled_before(c, RANK_FAN1, 1, n);
	unsigned each = RANK_FAN1;
	for (unsigned l = 0; l < r->n_level; l++, each *= RANK_FAN) {
		children = round_up(children / (l ? RANK_FAN : RANK_FAN1), RANK_FAN);
		for (uint64_t c = 0; c < children; c++)
			r->level[l][c] = filled_before(c, RANK_FAN, each, n);
	}
}

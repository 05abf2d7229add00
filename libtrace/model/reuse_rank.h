/*
 * Ranks over time positions: which positions are marked, how many marks lie at or before one.
 *
 * A block is one cache line: 448 positions in words 0..6, and in word 7 the marks before each word,
 * nine bits each. Position p is bit p % 64 of word p / 64 % 8 of block p / 512, so positions whose
 * word is 7 do not exist. Above the blocks each level holds, for every child, the marks before it
 * within its group; a group is one cache line, so a change touches one line a level and a rank
 * reads one number a level.
 */
#ifndef REUSE_RANK_H
#define REUSE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RANK_BLOCK_MARKS = 448,
	RANK_BLOCK_SHIFT = 9,
	RANK_FAN1 = 32, /* blocks in a group of level 1 */
	RANK_FAN_SHIFT1 = 5,
	RANK_FAN = 16, /* children in a group above */
	RANK_FAN_SHIFT = 4,
	RANK_LEVELS = 5, /* levels above level 1 for 2^31 positions */
};

struct reuse_rank {
	uint64_t (*block)[8]; /* [n_block] */
	uint16_t *first; /* [n_block] rounded up to groups: marks before the block in its group */
	uint32_t *level[RANK_LEVELS]; /* likewise for groups of groups; those below n_level exist */
	unsigned n_level;
	uint32_t n_block;
	size_t bytes;
	void *memory;
};

/* Room for n_block blocks, nothing marked; false when memory runs out. */
bool reuse_rank_init(struct reuse_rank *r, uint32_t n_block);
void reuse_rank_release(struct reuse_rank *r);
/* Marks the first n positions from block 1 on; nothing may be marked before. */
void reuse_rank_fill(struct reuse_rank *r, uint32_t n);

/* The position that has n - 1 existing ones between block 1's first and itself. */
static inline uint32_t
reuse_rank_position(uint32_t n)
{
	uint32_t i = n - 1;
	return (i / RANK_BLOCK_MARKS + 1) << RANK_BLOCK_SHIFT | i % RANK_BLOCK_MARKS;
}

static inline __attribute__((always_inline)) uint32_t
reuse_rank_of(const struct reuse_rank *r, uint32_t position)
{
	uint32_t b = position >> RANK_BLOCK_SHIFT;
	unsigned w = position >> 6 & 7;
	const uint64_t *block = r->block[b];
	uint32_t n = (uint32_t)__builtin_popcountll(block[w] & ((2ull << (position & 63)) - 1));
	n += (uint32_t)(block[7] >> 9 * w & 511) + r->first[b];
	uint32_t g = b >> RANK_FAN_SHIFT1;
	for (unsigned l = 0; l < r->n_level; l++, g >>= RANK_FAN_SHIFT)
		n += r->level[l][g];
	return n;
}

static inline __attribute__((always_inline)) void
reuse_rank_prefetch(const struct reuse_rank *r, uint32_t position)
{
	uint32_t b = position >> RANK_BLOCK_SHIFT;
	__builtin_prefetch(r->block[b], 1);
	__builtin_prefetch(&r->first[b], 1);
}

typedef uint16_t rank_u16x16 __attribute__((vector_size(32)));
typedef uint32_t rank_u32x8 __attribute__((vector_size(32)));

/* Tells everything above word w of block b that the word's marks changed by delta. */
static inline __attribute__((always_inline)) void
reuse_rank_shift(struct reuse_rank *r, uint32_t b, unsigned w, int delta)
{
	/* ones in the fields of words after w; the field of word 7 lies past the top */
	const uint64_t ones =
	    1ull << 9 | 1ull << 18 | 1ull << 27 | 1ull << 36 | 1ull << 45 | 1ull << 54;
	r->block[b][7] += (uint64_t)(int64_t)delta * (ones & ~((2ull << 9 * w) - 1));

	const rank_u16x16 lo16 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	uint16_t i16 = b & (RANK_FAN1 - 1);
	rank_u16x16 at16 = i16 - (rank_u16x16){0};
	rank_u16x16 d16 = (uint16_t)delta - (rank_u16x16){0};
	rank_u16x16 *v16 = (rank_u16x16 *)(r->first + (b & ~(RANK_FAN1 - 1u)));
	v16[0] += (rank_u16x16)(lo16 > at16) & d16;
	v16[1] += (rank_u16x16)(lo16 + 16 > at16) & d16;

	const rank_u32x8 lo32 = {0, 1, 2, 3, 4, 5, 6, 7};
	rank_u32x8 d32 = (uint32_t)delta - (rank_u32x8){0};
	uint32_t g = b >> RANK_FAN_SHIFT1;
	for (unsigned l = 0; l < r->n_level; l++, g >>= RANK_FAN_SHIFT) {
		rank_u32x8 at32 = (g & (RANK_FAN - 1)) - (rank_u32x8){0};
		rank_u32x8 *v32 = (rank_u32x8 *)(r->level[l] + (g & ~(RANK_FAN - 1u)));
		v32[0] += (rank_u32x8)(lo32 > at32) & d32;
		v32[1] += (rank_u32x8)(lo32 + 8 > at32) & d32;
	}
}

static inline __attribute__((always_inline)) void
reuse_rank_clear(struct reuse_rank *r, uint32_t position)
{
	uint32_t b = position >> RANK_BLOCK_SHIFT;
	unsigned w = position >> 6 & 7;
	r->block[b][w] &= ~(1ull << (position & 63));
	reuse_rank_shift(r, b, w, -1);
}

/* Sets the marks of bits in the word that holds position; none of them was set. */
static inline __attribute__((always_inline)) void
reuse_rank_set_word(struct reuse_rank *r, uint32_t position, uint64_t bits)
{
	uint32_t b = position >> RANK_BLOCK_SHIFT;
	unsigned w = position >> 6 & 7;
	r->block[b][w] |= bits;
	reuse_rank_shift(r, b, w, __builtin_popcountll(bits));
}

#endif

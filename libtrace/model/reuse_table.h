/*
 * Line to time position: open addressing over buckets of one cache line, doubled in place.
 * A line lives in the first bucket from its home on that had room when it came.
 */
#ifndef REUSE_TABLE_H
#define REUSE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_SLOTS = 5 };

struct reuse_bucket {
	uint64_t key[TABLE_SLOTS];
	uint32_t value[TABLE_SLOTS];
	uint32_t used;
};

struct reuse_table {
	struct reuse_bucket *bucket; /* [mask + 1] */
	uint64_t mask;
	uint64_t lines;
	bool mapped; /* by mmap, not malloc */
};

bool reuse_table_init(struct reuse_table *t);
void reuse_table_release(struct reuse_table *t);
/* Makes room for n more lines; false when memory runs out. */
bool reuse_table_reserve(struct reuse_table *t, uint64_t n);
size_t reuse_table_bytes(const struct reuse_table *t);

/* Two multiplications: the index bits depend on all bits of the line, so no stride meets few
 * buckets. */
static inline __attribute__((always_inline)) uint64_t
reuse_table_home(const struct reuse_table *t, uint64_t line)
{
	uint64_t h = line * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return h >> 32 & t->mask;
}

/* Where the line's position is kept; a new line gets one that holds 0. Room must have been
 * reserved. */
static inline __attribute__((always_inline)) uint32_t *
reuse_table_find(struct reuse_table *t, uint64_t line)
{
	for (uint64_t b = reuse_table_home(t, line);; b = (b + 1) & t->mask) {
		struct reuse_bucket *p = &t->bucket[b];
		unsigned hit = 0;
		for (unsigned i = 0; i < TABLE_SLOTS; i++)
			hit |= (unsigned)(p->key[i] == line) << i;
		hit &= (1u << p->used) - 1;
		if (hit)
			return &p->value[__builtin_ctz(hit)];
		if (p->used < TABLE_SLOTS) {
			p->key[p->used] = line;
			p->value[p->used] = 0;
			t->lines++;
			return &p->value[p->used++];
		}
	}
}

#endif

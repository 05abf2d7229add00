#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "model/reuse_table.h"

enum {
	FIRST_BUCKETS = 2,
	MAP_BYTES = 1 << 20, /* from here on memory is mapped, so that it grows without a copy */
};

bool
reuse_table_init(struct reuse_table *t)
{
	*t = (struct reuse_table){.mask = FIRST_BUCKETS - 1};
	t->bucket = aligned_alloc(64, FIRST_BUCKETS * sizeof *t->bucket);
	if (t->bucket)
		memset(t->bucket, 0, FIRST_BUCKETS * sizeof *t->bucket);
	return t->bucket;
}

size_t
reuse_table_bytes(const struct reuse_table *t)
{
	return t->bucket ? (t->mask + 1) * sizeof *t->bucket : 0;
}

void
reuse_table_release(struct reuse_table *t)
{
	if (t->mapped)
		munmap(t->bucket, reuse_table_bytes(t));
	else
		free(t->bucket);
	*t = (struct reuse_table){0};
}

/* Twice the memory, what was there at its start, the rest zero. */
static bool
extend(struct reuse_table *t)
{
	size_t old = reuse_table_bytes(t), bytes = 2 * old;
	void *p;
	if (t->mapped) {
		p = mremap(t->bucket, old, bytes, MREMAP_MAYMOVE);
		if (p == MAP_FAILED)
			return false;
	} else if (bytes >= MAP_BYTES) {
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return false;
	} else {
		p = aligned_alloc(64, bytes);
		if (!p)
			return false;
		memset((char *)p + old, 0, old);
	}
	if (!t->mapped) {
		memcpy(p, t->bucket, old);
		free(t->bucket);
		t->mapped = bytes >= MAP_BYTES;
	}
	if (t->mapped)
		madvise(p, bytes, MADV_HUGEPAGE);
	t->bucket = p;
	return true;
}

static void
insert(struct reuse_table *t, uint64_t line, uint32_t value)
{
	uint64_t b = reuse_table_home(t, line);
	while (t->bucket[b].used == TABLE_SLOTS)
		b = (b + 1) & t->mask;
	struct reuse_bucket *p = &t->bucket[b];
	p->key[p->used] = line;
	p->value[p->used++] = value;
}

static void
settle(struct reuse_table *t, uint64_t b)
{
	struct reuse_bucket *p = &t->bucket[b];
	for (unsigned i = p->used; i-- > 0;) {
		uint64_t line = p->key[i];
		uint32_t value = p->value[i];
		if (reuse_table_home(t, line) == b)
			continue;
		p->used--;
		p->key[i] = p->key[p->used];
		p->value[i] = p->value[p->used];
		insert(t, line, value);
	}
}

/*
 * A line of bucket b belongs to b or b + old now. Starting behind a bucket with room, which nobody
 * was pushed across, every bucket a line passes on its way is settled before the line is, or
 * settles it again.
 */
static bool
grow(struct reuse_table *t)
{
	uint64_t old = t->mask + 1, start = 0;
	if (!extend(t))
		return false;
	while (t->bucket[start].used == TABLE_SLOTS)
		start++;
	t->mask = 2 * old - 1;
	for (uint64_t i = 1; i <= old; i++)
		settle(t, (start + i) & (old - 1));
	return true;
}

bool
reuse_table_reserve(struct reuse_table *t, uint64_t n)
{
	/* at most three quarters full: 12.8 bytes a line are 17 then, and 34 after doubling */
	while ((t->lines + n) * 4 > (t->mask + 1) * TABLE_SLOTS * 3)
		if (!grow(t))
			return false;
	return true;
}

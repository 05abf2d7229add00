#include "zeroed.h"
#include <sys/mman.h>
#include "tool.h"

static void *
settle(void *p, size_t bytes)
{
	if (p == MAP_FAILED)
		out_of_memory();
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void *
zeroed_new(size_t bytes)
{
	return settle(
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
}

void
zeroed_free(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

void *
zeroed_grow(void *old, size_t item_bytes, uint64_t *had, uint64_t n)
{
	if (n <= *had)
		return old;
	uint64_t before = *had, items = before ? before : (1u << 20) / item_bytes;
	while (items < n)
		items *= 2;
	*had = items;
	if (!old)
		return zeroed_new(items * item_bytes);
	return settle(mremap(old, before * item_bytes, items * item_bytes, MREMAP_MAYMOVE),
	    items * item_bytes);
}

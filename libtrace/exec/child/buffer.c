/*
 * Parameter buffers: device memory in pieces of powers of two, handed out from large allocations.
 * The piece freed last is the next to be used, so that addresses repeat from run to run.
 */
#include <stdlib.h>
#include "base/buf.h"
#include "exec/child/child.h"

#define CHUNK_BYTES (128u << 10)
#define CHUNK_UNITS (CHUNK_BYTES / CHILD_UNIT_BYTES)
#define CLASSES	    11u /* 64 bytes to 64 KiB */

struct chunk {
	uint64_t base;
	struct child_buffer **unit; /* [CHUNK_UNITS] the buffer that begins there */
};

struct child_pool {
	struct chunk *chunk;
	uint32_t n_chunk, cap_chunk;
	uint32_t used; /* units of the last chunk */
	struct {
		uint64_t *address;
		uint32_t n, cap;
	} spare[CLASSES];
};

static bool
add_chunk(struct wcp_device *d, struct child_pool *p)
{
	struct chunk c = {0};
	if (base_grow(&p->chunk, &p->cap_chunk, p->n_chunk + 1ull, sizeof *p->chunk))
		return false;
	c.unit = calloc(CHUNK_UNITS, sizeof(struct child_buffer *));
	c.base =
	    c.unit ? exec_memory_alloc(&d->memory, CHUNK_BYTES, "parameters of child kernels", NULL)
		   : 0;
	if (!c.base) {
		free(c.unit);
		return false;
	}
	p->chunk[p->n_chunk++] = c;
	p->used = 0;
	return true;
}

/* 0: no memory */
static uint64_t
take(struct wcp_device *d, struct child_pool *p, unsigned class)
{
	const uint32_t units = 1u << class;
	if (p->spare[class].n)
		return p->spare[class].address[--p->spare[class].n];
	if ((!p->n_chunk || CHUNK_UNITS - p->used < units) && !add_chunk(d, p))
		return 0;
	const uint64_t at = p->chunk[p->n_chunk - 1].base + (uint64_t)p->used * CHILD_UNIT_BYTES;
	p->used += units;
	return at;
}

static struct child_buffer **
place(const struct child_pool *p, uint64_t address)
{
	for (uint32_t i = p ? p->n_chunk : 0; i-- > 0;) {
		const uint64_t offset = address - p->chunk[i].base;
		if (offset < CHUNK_BYTES)
			return offset % CHILD_UNIT_BYTES
				   ? NULL
				   : &p->chunk[i].unit[offset / CHILD_UNIT_BYTES];
	}
	return NULL;
}

struct child_buffer *
child_buffer_new(struct wcp_device *d, uint64_t bytes)
{
	unsigned class = 0;
	while (class < CLASSES && (uint64_t)CHILD_UNIT_BYTES << class < bytes)
		class ++;
	if (!d->pool && !(d->pool = calloc(1, sizeof *d->pool)))
		return NULL;
	struct child_buffer *b = class < CLASSES ? calloc(1, sizeof *b) : NULL;
	const uint64_t at = b ? take(d, d->pool, class) : 0;
	if (!at) {
		free(b);
		return NULL;
	}
	b->address = at;
	b->units = 1u << class;
	memset(exec_memory_at(&d->memory, at), 0, (size_t)b->units * CHILD_UNIT_BYTES);
	*place(d->pool, at) = b;
	return b;
}

struct child_buffer *
child_buffer_at(const struct wcp_device *d, uint64_t address)
{
	struct child_buffer **b = place(d->pool, address);
	return b ? *b : NULL;
}

static void
forget(struct child_buffer *b)
{
	if (b->alternative)
		wcp_warp_batch_release(b->alternative);
	free(b->alternative);
	free(b);
}

void
child_buffer_free(struct wcp_device *d, struct child_buffer *b)
{
	struct child_pool *p = d->pool;
	const unsigned class = (unsigned)__builtin_ctz(b->units);
	const uint64_t at = b->address;
	*place(p, at) = NULL;
	forget(b);
	if (!base_grow(&p->spare[class].address, &p->spare[class].cap, p->spare[class].n + 1ull,
		sizeof at))
		p->spare[class].address[p->spare[class].n++] = at;
}

void
exec_children_release(struct wcp_device *d)
{
	struct child_pool *p = d->pool;
	for (uint32_t i = 0; p && i < p->n_chunk; i++) {
		for (uint32_t k = 0; k < CHUNK_UNITS; k++)
			if (p->chunk[i].unit[k])
				forget(p->chunk[i].unit[k]);
		free(p->chunk[i].unit);
	}
	for (unsigned k = 0; p && k < CLASSES; k++)
		free(p->spare[k].address);
	free(p ? p->chunk : NULL);
	free(p);
	free(d->function);
	d->pool = NULL;
}

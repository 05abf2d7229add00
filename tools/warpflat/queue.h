/*
 * What a resident warp has still to do: its memory instructions and barriers, in program order, as
 * a queue of compact records. Queues share a pool of memory; what goes past the pool's budget waits
 * in an unlinked file under TMPDIR.
 */
#ifndef WARPFLAT_QUEUE_H
#define WARPFLAT_QUEUE_H

#include <stddef.h>
#include "warpcap/coalesce.h"

/* Shapes of records that are no memory instructions: base is the barrier, stride the warps that
 * take part, 0: all. */
enum {
	RECORD_BARRIER = WCP_MEM_SHAPE_COUNT,
	RECORD_ARRIVE, /* bar.arrive: counts, does not wait */
};

struct record {
	uint32_t pc;
	uint8_t space; /* enum wcp_space */
	uint8_t flags; /* enum wcp_mem_flags */
	struct wcp_mem mem;
	uint64_t addr[WCP_LANES]; /* where mem.addr points for a LIST */
};

struct chunk;

struct queue {
	struct chunk *head, *tail;
	const unsigned char
	    *at; /* next record to read, in head; NULL: head's first, and head may be in the file */
};

struct pool {
	size_t budget_bytes, used_bytes;
	struct chunk *spare; /* chunks with memory, for reuse */
	int fd;		     /* the file, -1: none yet */
	uint64_t file_bytes;
	uint64_t spilled_bytes; /* written there in all */
};

void pool_init(struct pool *p, size_t budget_bytes);
void pool_release(struct pool *p);

/* 0 or a negative enum wcp_status with e filled. mem.addr is borrowed. */
int queue_push(struct queue *q, struct pool *p, const struct record *r, struct wcp_error *e);
/* 1: r filled; 0: the queue is empty; negative: e filled. */
int queue_pop(struct queue *q, struct pool *p, struct record *r, struct wcp_error *e);
void queue_clear(struct queue *q, struct pool *p);

static inline bool
queue_empty(const struct queue *q)
{
	return !q->head;
}

#endif

#include "queue.h"
#include "spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 2048 };

struct chunk {
	struct chunk *next;
	uint32_t used;	     /* bytes */
	uint64_t offset;     /* in the file, where data is NULL */
	unsigned char *data; /* [CHUNK_BYTES] */
};

/* A record as it lies in a chunk, followed by words 8-byte words: pitch where the shape has one
 * (stride too if it does not fit), a list's addresses. */
struct packed {
	uint32_t pc, mask;
	uint64_t base;
	int32_t stride;
	uint8_t shape, space, flags, words;
};

enum { WIDE = 0x80 }; /* in packed.flags: stride and pitch follow */

void
pool_init(struct pool *p, size_t budget_bytes)
{
	*p = (struct pool){.budget_bytes = budget_bytes, .fd = -1};
}

void
pool_release(struct pool *p)
{
	while (p->spare) {
		struct chunk *next = p->spare->next;
		free(p->spare->data);
		free(p->spare);
		p->spare = next;
	}
	if (p->fd >= 0)
		close(p->fd);
}

static int
transfer(struct pool *p, bool write, struct chunk *c, struct wcp_error *e)
{
	for (size_t done = 0; done < CHUNK_BYTES;) {
		off_t at = (off_t)(c->offset + done);
		ssize_t n = write ? pwrite(p->fd, c->data + done, CHUNK_BYTES - done, at)
				  : pread(p->fd, c->data + done, CHUNK_BYTES - done, at);
		if (n <= 0)
			return n < 0 ? wcp_fail_errno(e, "temporary file")
				     : wcp_fail(e, WCP_ESYS, "temporary file: it became shorter");
		done += (size_t)n;
	}
	return 0;
}

/* A chunk that is full goes to the file when memory is past its budget. */
static int
spill(struct pool *p, struct chunk *c, struct wcp_error *e)
{
	int status;
	if (p->fd < 0 && (p->fd = spool_file(e)) < 0)
		return p->fd;
	c->offset = p->file_bytes;
	if ((status = transfer(p, true, c, e)))
		return status;
	p->file_bytes += CHUNK_BYTES;
	p->spilled_bytes += CHUNK_BYTES;
	p->used_bytes -= CHUNK_BYTES;
	free(c->data);
	c->data = NULL;
	return 0;
}

static struct chunk *
new_chunk(struct pool *p, struct wcp_error *e)
{
	struct chunk *c = p->spare;
	if (c) {
		p->spare = c->next;
	} else {
		c = malloc(sizeof *c);
		unsigned char *data = malloc(CHUNK_BYTES);
		if (!c || !data) {
			free(c);
			free(data);
			wcp_fail(e, WCP_ESYS, "out of memory");
			return NULL;
		}
		c->data = data;
	}
	c->next = NULL;
	c->used = 0;
	p->used_bytes += CHUNK_BYTES;
	return c;
}

static void
free_chunk(struct pool *p, struct chunk *c)
{
	if (!c->data) {
		free(c);
		return;
	}
	p->used_bytes -= CHUNK_BYTES;
	c->next = p->spare;
	p->spare = c;
}

/* Room for bytes at the queue's end. */
static unsigned char *
room(struct queue *q, struct pool *p, size_t bytes, struct wcp_error *e)
{
	if (!q->tail || q->tail->used + bytes > CHUNK_BYTES) {
		struct chunk *full = q->tail, *c = new_chunk(p, e);
		if (!c)
			return NULL;
		if (full)
			full->next = c;
		else
			q->head = c;
		q->tail = c;
		/* The chunk being read stays. */
		if (full && full != q->head && p->used_bytes > p->budget_bytes && spill(p, full, e))
			return NULL;
	}
	unsigned char *at = q->tail->data + q->tail->used;
	q->tail->used += (uint32_t)bytes;
	return at;
}

int
queue_push(struct queue *q, struct pool *p, const struct record *r, struct wcp_error *e)
{
	const struct wcp_mem *m = &r->mem;
	int64_t extra[2] = {m->stride, m->pitch};
	bool list = m->shape == WCP_MEM_LIST;
	bool wide = !list && (m->stride != (int32_t)m->stride || m->pitch);
	struct packed h = {
	    .pc = r->pc,
	    .mask = m->mask,
	    .base = m->base,
	    .stride = wide ? 0 : (int32_t)m->stride,
	    .shape = m->shape,
	    .space = r->space,
	    .flags = (uint8_t)(r->flags | (wide ? WIDE : 0)),
	    .words = (uint8_t)(list   ? __builtin_popcount(m->mask)
			       : wide ? 2
				      : 0),
	};
	unsigned char *at = room(q, p, sizeof h + 8u * h.words, e);
	if (!at)
		return e->status;
	memcpy(at, &h, sizeof h);
	if (h.words)
		memcpy(at + sizeof h, list ? (const void *)m->addr : extra, 8u * h.words);
	return 0;
}

/* Brings the head back from the file. */
static int
fetch(struct pool *p, struct chunk *c, struct wcp_error *e)
{
	c->data = malloc(CHUNK_BYTES);
	if (!c->data)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	p->used_bytes += CHUNK_BYTES;
	return transfer(p, false, c, e);
}

static void
next_chunk(struct queue *q, struct pool *p)
{
	struct chunk *done = q->head;
	q->head = done->next;
	q->at = NULL;
	if (!q->head)
		q->tail = NULL;
	free_chunk(p, done);
}

int
queue_pop(struct queue *q, struct pool *p, struct record *r, struct wcp_error *e)
{
	int status;
	if (!q->head)
		return 0;
	if (!q->at) {
		if (!q->head->data && (status = fetch(p, q->head, e)))
			return status;
		q->at = q->head->data;
	}
	struct packed h;
	int64_t extra[2] = {0, 0};
	const unsigned char *at = q->at;
	memcpy(&h, at, sizeof h);
	bool list = h.shape == WCP_MEM_LIST;
	if (h.words)
		memcpy(list ? (void *)r->addr : extra, at + sizeof h, 8u * h.words);
	r->pc = h.pc;
	r->space = h.space;
	r->flags = h.flags & (uint8_t)~WIDE;
	r->mem = (struct wcp_mem){
	    .mask = h.mask,
	    .shape = h.shape,
	    .base = h.base,
	    .stride = h.flags & WIDE ? extra[0] : h.stride,
	    .pitch = extra[1],
	    .addr = list ? r->addr : NULL,
	};
	q->at += sizeof h + 8u * h.words;
	if (q->at == q->head->data + q->head->used)
		next_chunk(q, p);
	return 1;
}

void
queue_clear(struct queue *q, struct pool *p)
{
	while (q->head) {
		struct chunk *next = q->head->next;
		free_chunk(p, q->head);
		q->head = next;
	}
	*q = (struct queue){0};
}

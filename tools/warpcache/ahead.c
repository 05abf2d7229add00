#include <stdlib.h>
#include <string.h>
#include "ahead.h"
#include "spool.h"

struct entry {
	struct wcp_item item; /* programs and kernels as they were; else what a block holds */
	struct wcp_kernel_end end;
	uint64_t block, next; /* of the batch and of its next uses */
	uint64_t first;	      /* number of its first record */
};

struct ahead {
	struct spool *spool;
	struct entry *entry;
	size_t n, cap;
	uint64_t records;
	unsigned char *bytes; /* [cap_bytes] a block being made */
	size_t cap_bytes;
	uint64_t *next; /* [cap_next] of the batch at hand */
	uint32_t cap_next;
};

/* A batch's columns in a block, each from a multiple of 8 on, behind its count and which there are.
 */
#define COLUMN(name)                                             \
	{                                                        \
		offsetof(struct wcp_access_batch, name),         \
		    sizeof *((struct wcp_access_batch *)0)->name \
	}
static const struct {
	size_t offset, bytes;
} column[] = {COLUMN(cycle), COLUMN(sm), COLUMN(kernel), COLUMN(cta), COLUMN(warp), COLUMN(slot),
    COLUMN(pc), COLUMN(line), COLUMN(sectors), COLUMN(lanes), COLUMN(kind), COLUMN(space),
    COLUMN(flags), COLUMN(id), COLUMN(outcome), COLUMN(tag), COLUMN(victim), COLUMN(victim_owner),
    COLUMN(bytes)};
#undef COLUMN
enum { COLUMNS = sizeof column / sizeof *column };
_Static_assert(COLUMNS == (int)WCP_ACCESS_COLS, "all columns of a batch");

static void **
column_of(struct wcp_access_batch *b, unsigned i)
{
	return (void **)(void *)((char *)b + column[i].offset);
}

static size_t
column_bytes(unsigned i, uint32_t n)
{
	return (n * column[i].bytes + 7) & ~(size_t)7;
}

struct ahead *
ahead_new(struct wcp_error *e)
{
	struct ahead *a = must_alloc(NULL, sizeof *a);
	memset(a, 0, sizeof *a);
	a->spool = spool_new(e);
	if (!a->spool) {
		free(a);
		return NULL;
	}
	return a;
}

void
ahead_free(struct ahead *a)
{
	if (!a)
		return;
	spool_free(a->spool);
	free(a->entry);
	free(a->bytes);
	free(a->next);
	free(a);
}

static unsigned char *
room(struct ahead *a, size_t bytes)
{
	if (bytes > a->cap_bytes) {
		a->cap_bytes = bytes + bytes / 2;
		a->bytes = must_alloc(a->bytes, a->cap_bytes);
	}
	return a->bytes;
}

static int
put_batch(struct ahead *a, struct wcp_access_batch *b, uint64_t *block, struct wcp_error *e)
{
	uint32_t head[2] = {b->n, 0};
	size_t at = sizeof head, bytes = at;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (*column_of(b, i)) {
			head[1] |= 1u << i;
			bytes += column_bytes(i, b->n);
		}
	unsigned char *to = room(a, bytes);
	memset(to, 0, bytes);
	memcpy(to, head, sizeof head);
	for (unsigned i = 0; i < COLUMNS; i++)
		if (head[1] >> i & 1) {
			memcpy(to + at, *column_of(b, i), b->n * column[i].bytes);
			at += column_bytes(i, b->n);
		}
	return spool_put(a->spool, to, bytes, block, e);
}

/* The batch's columns stay in the spool's memory until it is asked again. */
static int
get_batch(struct ahead *a, uint64_t block, struct wcp_access_batch *b, struct wcp_error *e)
{
	uint32_t head[2];
	size_t n, at = sizeof head;
	const unsigned char *from = spool_get(a->spool, block, &n, e);
	if (!from)
		return e->status;
	memcpy(head, from, sizeof head);
	memset(b, 0, sizeof *b);
	b->n = b->cap = head[0];
	for (unsigned i = 0; i < COLUMNS; i++)
		if (head[1] >> i & 1) {
			uintptr_t address = (uintptr_t)(from + at);
			*column_of(b, i) = (void *)address;
			at += column_bytes(i, b->n);
		}
	return 0;
}

static int
put_host(struct ahead *a, const struct wcp_host_op *op, uint64_t *block, struct wcp_error *e)
{
	size_t label = strlen(op->label) + 1;
	unsigned char *to = room(a, sizeof *op + label);
	memcpy(to, op, sizeof *op);
	memcpy(to + sizeof *op, op->label, label);
	return spool_put(a->spool, to, sizeof *op + label, block, e);
}

int
ahead_put(struct ahead *a, const struct wcp_item *item, struct wcp_error *e)
{
	if (a->n == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 256;
		a->entry = must_alloc(a->entry, a->cap * sizeof *a->entry);
	}
	struct entry *n = &a->entry[a->n];
	int status = 0;
	*n = (struct entry){.item = *item, .first = a->records};
	switch (item->type) {
	case WCP_ITEM_ACCESS:
		status = put_batch(a, item->access, &n->block, e);
		a->records += item->access->n;
		break;
	case WCP_ITEM_HOST: status = put_host(a, item->host, &n->block, e); break;
	case WCP_ITEM_STATE:
		status = spool_put(
		    a->spool, item->state, item->n_state * sizeof *item->state, &n->block, e);
		break;
	case WCP_ITEM_KERNEL_END: n->end = *item->kernel_end; break;
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_KERNEL:
	case WCP_ITEM_WARP:
	case WCP_ITEM_END: break;
	}
	a->n += !status;
	return status;
}

/* From the last to the first: each batch's next uses go to a block of their own. */
static int
look_back(struct ahead *a, struct level *l, struct wcp_error *e)
{
	struct wcp_access_batch b;
	int status = 0;
	for (size_t i = a->n; i-- > 0 && !status;) {
		struct entry *n = &a->entry[i];
		if (n->item.type == WCP_ITEM_KERNEL_END)
			l->type->foresee_kernel_end(l);
		if (n->item.type != WCP_ITEM_ACCESS)
			continue;
		if ((status = get_batch(a, n->block, &b, e)))
			break;
		if (b.n > a->cap_next) {
			a->cap_next = b.n + b.n / 2;
			a->next = must_alloc(a->next, a->cap_next * sizeof *a->next);
		}
		status = l->type->foresee(l, &b, n->first, a->next, e);
		if (!status)
			status = spool_put(a->spool, a->next, b.n * sizeof *a->next, &n->next, e);
	}
	return status;
}

/* Fills in the item's pointers. */
static int
restore(struct ahead *a, struct entry *n, struct wcp_access_batch *b, struct wcp_host_op *host,
    struct wcp_error *e)
{
	const void *bytes;
	size_t size;
	if (n->item.type == WCP_ITEM_ACCESS) {
		bytes = spool_get(a->spool, n->next, &size, e);
		if (!bytes)
			return e->status;
		memcpy(a->next, bytes, size);
		n->item.access = b;
		return get_batch(a, n->block, b, e);
	}
	if (n->item.type == WCP_ITEM_KERNEL_END)
		n->item.kernel_end = &n->end;
	if (n->item.type != WCP_ITEM_HOST && n->item.type != WCP_ITEM_STATE)
		return 0;
	bytes = spool_get(a->spool, n->block, &size, e);
	if (!bytes)
		return e->status;
	n->item.state = bytes;
	if (n->item.type == WCP_ITEM_HOST) {
		memcpy(host, bytes, sizeof *host);
		host->label = (const char *)bytes + sizeof *host;
		n->item.host = host;
	}
	return 0;
}

int
ahead_play(struct ahead *a, struct level *l, int (*send)(void *arg, const struct wcp_item *item),
    void *arg, struct wcp_error *e)
{
	struct wcp_access_batch b;
	struct wcp_host_op host;
	int status = look_back(a, l, e);
	for (size_t i = 0; i < a->n && !status; i++) {
		struct entry *n = &a->entry[i];
		status = restore(a, n, &b, &host, e);
		l->next = a->next;
		if (!status)
			status = send(arg, &n->item);
	}
	return status;
}

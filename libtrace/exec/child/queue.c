/* What waits behind a running grid, and its turn. */
#include <stdlib.h>
#include "exec/child/child.h"

void
child_append(struct child_list *l, struct child_work *w)
{
	w->next = NULL;
	if (l->last)
		l->last->next = w;
	else
		l->first = w;
	l->last = w;
}

static struct child_work *
take_first(struct child_list *l)
{
	struct child_work *w = l->first;
	if (w && !(l->first = w->next))
		l->last = NULL;
	return w;
}

/* The first of a CTA, with those before it left where they are. */
static struct child_work *
take_of(struct child_list *l, uint64_t cta)
{
	struct child_work *before = NULL;
	for (struct child_work *w = l->first; w; before = w, w = w->next) {
		if (w->cta != cta)
			continue;
		*(before ? &before->next : &l->first) = w->next;
		if (l->last == w)
			l->last = before;
		return w;
	}
	return NULL;
}

static void
free_work(struct wcp_device *d, struct child_work *w)
{
	struct child_buffer *b = w->kind == CHILD_KERNEL ? child_buffer_at(d, w->buffer) : NULL;
	if (b)
		child_buffer_free(d, b);
	free(w->start.param);
	free(w);
}

static void
drop(struct wcp_device *d, struct child_list *l)
{
	struct child_work *w;
	while ((w = take_first(l))) {
		d->n_pending -= w->kind == CHILD_KERNEL;
		free_work(d, w);
	}
}

static void
release(struct child_grid *g)
{
	drop(g->device, &g->work);
	drop(g->device, &g->tail);
	free(g->stream);
	free(g->event);
}

static bool
span_fits(const struct wcp_device *d, uint64_t address, uint64_t pitch, uint64_t slice,
    const struct child_box *b)
{
	unsigned __int128 last = (unsigned __int128)(b->depth - 1) * slice +
				 (unsigned __int128)(b->height - 1) * pitch + b->width;
	return last <= UINT64_MAX && exec_memory_find(&d->memory, address, (uint64_t)last);
}

bool
child_box_fits(const struct wcp_device *d, const struct child_box *b, bool copies)
{
	if (!b->width || !b->height || !b->depth)
		return true;
	return span_fits(d, b->to, b->to_pitch, b->to_slice, b) &&
	       (!copies || span_fits(d, b->from, b->from_pitch, b->from_slice, b));
}

static int
move_box(struct child_grid *g, const struct child_work *w, struct wcp_error *e)
{
	struct wcp_device *d = g->device;
	const struct child_box *b = &w->box;
	const bool copies = w->kind == CHILD_COPY;
	int r = 0;
	if (!child_box_fits(d, b, copies))
		return wcp_fail(e, WCP_ENO,
		    "a kernel's %s of %llu bytes at 0x%llx is not inside an allocation",
		    copies ? "copy" : "memset", (unsigned long long)b->width,
		    (unsigned long long)b->to);
	for (uint64_t z = 0; z < b->depth && b->width; z++)
		for (uint64_t y = 0; y < b->height && !r; y++) {
			const uint64_t to = b->to + z * b->to_slice + y * b->to_pitch;
			const uint64_t from = b->from + z * b->from_slice + y * b->from_pitch;
			char *at = exec_memory_at(&d->memory, to);
			if (copies)
				memmove(at, exec_memory_at(&d->memory, from), b->width);
			else
				memset(at, b->value, b->width);
			if (g->record)
				r = exec_host_op(d, copies ? WCP_HOST_COPY_DEVICE : WCP_HOST_MEMSET,
				    to, b->width, copies ? from : b->value, NULL, e);
		}
	return r;
}

/* w is done with afterwards; tail collects the tail launches of a kernel, NULL: they run. */
static int
run(struct child_grid *g, struct child_work *w, struct child_list *tail, struct wcp_error *e)
{
	struct wcp_device *d = g->device;
	int r;
	if (w->kind == CHILD_KERNEL) {
		struct child_buffer *b = child_buffer_at(d, w->buffer);
		d->n_pending--;
		if (b)
			child_buffer_free(d, b);
		w->buffer = 0;
		r = exec_start(d, &w->start, tail, e);
	} else {
		r = move_box(g, w, e);
	}
	free_work(d, w);
	return r;
}

/* A tail launch's own tail launches come before the next: the grid is not over before they are. */
static int
run_tails(struct child_grid *g, struct child_list *tail, struct wcp_error *e)
{
	struct child_work *w;
	int r = 0;
	while (!r && (w = take_first(tail))) {
		struct child_list own = {NULL, NULL};
		r = run(g, w, &own, e);
		if (own.last) {
			own.last->next = tail->first;
			tail->last = tail->last ? tail->last : own.last;
			tail->first = own.first;
		}
	}
	drop(g->device, tail);
	return r;
}

static int
run_all(struct child_grid *g, struct wcp_error *e)
{
	struct child_work *w;
	int r = 0;
	while (!r && (w = take_first(&g->work)))
		r = run(g, w, NULL, e);
	return r;
}

int
child_finish(struct child_grid *g, int r, struct child_list *tail, struct wcp_error *e)
{
	r = r ? r : run_all(g, e);
	if (!r && tail) {
		*tail = g->tail;
		g->tail = (struct child_list){NULL, NULL};
	} else if (!r) {
		r = run_tails(g, &g->tail, e);
	}
	release(g);
	if (!g->level) /* promises that were not kept */
		g->device->n_reserved = 0;
	return r;
}

int
exec_child_run_waiting(const struct exec_run *run)
{
	struct child_grid *g = run->child;
	if (!g->work.first)
		return 0;
	const int r = run_all(g, &g->error);
	return r ? r : 1;
}

const struct wcp_error *
exec_child_error(const struct exec_run *run)
{
	return &run->child->error;
}

int
child_run_cta(struct child_grid *g, uint64_t cta, struct wcp_error *e)
{
	struct child_work *w;
	int r = 0;
	while (!r && (w = take_of(&g->work, cta)))
		r = run(g, w, NULL, e);
	return r;
}

int
child_run_oldest(struct child_grid *g, struct wcp_error *e)
{
	struct child_work *w;
	int r = 0;
	/* copies that stand before it in its stream stand before it in the queue */
	while (!r && (w = take_first(&g->work))) {
		const bool kernel = w->kind == CHILD_KERNEL;
		r = run(g, w, NULL, e);
		if (kernel)
			break;
	}
	return r;
}

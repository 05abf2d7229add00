/* What the reader delivers, sorted into the queues of the warps that it belongs to. */
#include "flat.h"

#include <stdlib.h>
#include <string.h>
#include "warpcap/walk.h"

static struct launch *
find_launch(struct flat *f, uint32_t kernel)
{
	for (struct launch *l = f->first; l; l = l->next) {
		if (l->kernel->id == kernel)
			return l;
	}
	return NULL;
}

static bool
is_cta_barrier(const struct wcp_program *p, const struct wcp_insn *insn)
{
	return insn->op_class == WCP_OP_BARRIER &&
	       strncmp(p->strings + insn->opcode, "bar.warp", 8) != 0;
}

static bool
has_barriers(const struct wcp_program *p)
{
	for (uint32_t pc = 0; p && pc < p->n_insn; pc++) {
		if (is_cta_barrier(p, &p->insn[pc]))
			return true;
	}
	return false;
}

static int
take_kernel(struct flat *f, const struct wcp_kernel *k, struct wcp_error *e)
{
	const struct wcp_program *p = wcp_reader_program(f->reader, k->program);
	int status;
	if (f->filter && (status = wcp_filter_kernel(f->filter, k, p, e)))
		return status;
	struct launch *l = calloc(1, sizeof *l);
	if (!l)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	l->kernel = k;
	l->program = p;
	l->ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	l->warps_per_cta = (uint32_t)((threads + WCP_LANES - 1) / WCP_LANES);
	if (l->warps_per_cta == 0)
		l->warps_per_cta = 1;
	l->ctas_per_sm = f->set.ctas_per_sm ? f->set.ctas_per_sm : residency(k);
	l->barriers = f->set.order != ORDER_WARP && has_barriers(p);
	l->waiting_end = &l->waiting;
	l->end.kernel = k->id;
	*f->last = l;
	f->last = &l->next;
	return wcp_writer_kernel(f->writer, k, e);
}

static void
close_cta(struct cta *c)
{
	for (uint32_t w = 0; w < c->n_warp; w++)
		c->warp[w].closed = true;
}

static void
unlink_incomplete(struct cta *c)
{
	struct cta **p = c->reading ? &c->reading->incomplete : NULL;
	while (p && *p != c)
		p = &(*p)->incomplete;
	if (p)
		*p = c->incomplete;
	c->reading = NULL;
}

static void
close_launch(struct launch *l)
{
	l->complete = true;
	for (struct cta *c = l->incomplete; c; c = c->incomplete) {
		close_cta(c);
		c->reading = NULL;
	}
	l->incomplete = NULL;
}

/* However the input ends, what has come of it is all there will be. */
static void
end_input(struct flat *f)
{
	f->ended = true;
	for (struct launch *l = f->first; l; l = l->next)
		close_launch(l);
}

static struct cta *
new_cta(struct launch *l, uint32_t linear)
{
	struct cta *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->n_warp = l->warps_per_cta;
	c->warp = calloc(c->n_warp, sizeof c->warp[0]);
	if (!c->warp) {
		free(c);
		return NULL;
	}
	c->linear = linear;
	c->number = (uint32_t)l->ctas_read++;
	c->incomplete = l->incomplete;
	c->reading = l;
	l->incomplete = c;
	*l->waiting_end = c;
	l->waiting_end = &c->next;
	return c;
}

void
cta_free(struct flat *f, struct cta *c)
{
	for (uint32_t w = 0; w < c->n_warp; w++)
		queue_clear(&c->warp[w].queue, &f->pool);
	unlink_incomplete(c);
	free(c->warp);
	free(c);
}

static struct cta *
cta_of(struct launch *l, uint32_t linear)
{
	struct cta *c = l->incomplete;
	while (c && c->linear != linear)
		c = c->incomplete;
	return c ? c : new_cta(l, linear);
}

/* Is there a record after i that belongs to the same execution and is wanted? */
static bool
goes_on(const struct flat *f, const struct wcp_warp_batch *b, uint32_t i)
{
	while (b->mem_flags[i] & WCP_MEM_MORE && ++i < b->n_mem) {
		if (f->set.spaces >> b->mem_space[i] & 1 && b->mem_mask[i])
			return true;
	}
	return false;
}

static int
queue_memory(struct flat *f, struct queue *q, const struct wcp_warp_batch *b, uint32_t i,
    struct wcp_error *e)
{
	if (!(f->set.spaces >> b->mem_space[i] & 1) || !b->mem_mask[i])
		return 0;
	struct record r; /* its addr stays unset: a list lies in the batch */
	r.pc = b->mem_pc[i];
	r.space = b->mem_space[i];
	r.flags = goes_on(f, b, i) ? WCP_MEM_MORE : 0;
	r.mem = wcp_mem_of(b, i);
	return queue_push(q, &f->pool, &r, e);
}

static int
queue_barrier(struct flat *f, struct queue *q, const struct launch *l, const struct wcp_walk *w,
    struct wcp_error *e)
{
	const struct wcp_insn *insn = w->insn;
	struct record r = {.pc = w->pc};
	uint64_t id = insn->bar_id, threads = insn->bar_count;
	for (uint32_t i = w->event_first; i < w->event_first + w->n_event; i++) {
		if (w->batch->event_kind[i] == WCP_EVENT_BARRIER) {
			id = w->batch->event_arg[i] & UINT32_MAX;
			threads = w->batch->event_arg[i] >> 32;
		}
	}
	r.mem.shape =
	    strstr(l->program->strings + insn->opcode, ".arrive") ? RECORD_ARRIVE : RECORD_BARRIER;
	r.mem.base = id;
	r.mem.stride = (int64_t)((threads + WCP_LANES - 1) / WCP_LANES);
	return queue_push(q, &f->pool, &r, e);
}

/* Barriers stand among the memory instructions: the segment's program order has to be followed. */
static int
queue_walked(struct flat *f, const struct launch *l, struct queue *q,
    const struct wcp_warp_batch *b, uint32_t segment, struct wcp_error *e)
{
	struct wcp_walk w;
	int status;
	wcp_walk_start(&w, b, l->program, segment);
	while (wcp_walk_next(&w)) {
		for (uint32_t i = w.mem_first; i < w.mem_first + w.n_mem; i++) {
			if ((status = queue_memory(f, q, b, i, e)))
				return status;
		}
		if (w.insn && w.mask && is_cta_barrier(l->program, w.insn) &&
		    (status = queue_barrier(f, q, l, &w, e)))
			return status;
	}
	return 0;
}

static int
queue_segment(struct flat *f, struct launch *l, struct cta *c, const struct wcp_warp_batch *b,
    uint32_t segment, struct wcp_error *e)
{
	struct warp *w = &c->warp[b->seg_warp[segment]];
	int status = 0;
	if (l->barriers) {
		status = queue_walked(f, l, &w->queue, b, segment, e);
	} else {
		for (uint32_t i = b->seg_mem[segment]; i < b->seg_mem[segment + 1] && !status; i++)
			status = queue_memory(f, &w->queue, b, i, e);
	}
	if (b->seg_flags[segment] & WCP_SEG_WARP_END)
		w->closed = true;
	if (b->seg_flags[segment] & WCP_SEG_CTA_END) {
		close_cta(c);
		unlink_incomplete(c);
	}
	return status;
}

static int
take_warp(struct flat *f, struct wcp_warp_batch *b, struct wcp_error *e)
{
	struct launch *l = find_launch(f, b->kernel);
	int status;
	if (!l)
		return wcp_fail(
		    e, WCP_EDATA, "a block belongs to kernel %u, which is not open", b->kernel);
	if (f->filter) {
		wcp_warp_batch_clear(&f->filtered);
		f->filtered.kernel = b->kernel;
		if ((status = wcp_filter_warp(
			 f->filter, l->program, l->kernel, b, &f->filtered, e)) < 0)
			return status;
		b = &f->filtered;
	}
	for (uint32_t s = 0; s < b->n_seg; s++) {
		if (b->seg_alt[s])
			continue;
		if (b->seg_warp[s] >= l->warps_per_cta)
			return wcp_fail(e, WCP_EDATA,
			    "kernel %u has %u warps a CTA, but a segment is warp %u's", b->kernel,
			    l->warps_per_cta, b->seg_warp[s]);
		struct cta *c = cta_of(l, b->seg_cta[s]);
		if (!c)
			return wcp_fail(e, WCP_ESYS, "out of memory");
		if ((status = queue_segment(f, l, c, b, s, e)))
			return status;
	}
	return 0;
}

static int
take_item(struct flat *f, const struct wcp_item *item, struct wcp_error *e)
{
	struct launch *l;
	switch (item->type) {
	case WCP_ITEM_PROGRAM: return wcp_writer_program(f->writer, item->program, e);
	case WCP_ITEM_KERNEL: return take_kernel(f, item->kernel, e);
	case WCP_ITEM_HOST: return wcp_writer_host(f->writer, item->host, e);
	case WCP_ITEM_WARP: return take_warp(f, item->warp, e);
	case WCP_ITEM_KERNEL_END:
		l = find_launch(f, item->kernel_end->kernel);
		if (l) {
			l->end = *item->kernel_end;
			close_launch(l);
		}
		return 0;
	case WCP_ITEM_END: f->end_flags |= item->end->flags; return 0;
	case WCP_ITEM_ACCESS:
	case WCP_ITEM_STATE: return 0;
	}
	return 0;
}

int
input_next(struct flat *f, struct wcp_error *e)
{
	struct wcp_item item;
	int got = 0;
	if (!f->ended && !tool_interrupted())
		got = wcp_reader_next(f->reader, &item, &f->input_error);
	if (got < 0)
		f->input_status = got;
	if (got <= 0) {
		end_input(f);
		return 0;
	}
	/* What the input says wrongly is the input's error; the writer's is ours. */
	int status = take_item(f, &item, e);
	if (status == WCP_EDATA) {
		f->input_error = *e;
		f->input_status = status;
		end_input(f);
		return 0;
	}
	return status;
}

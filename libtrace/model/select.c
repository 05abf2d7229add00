/* Parts of WARP batches, with totals that stay true. */
#include <string.h>
#include "warpcap/walk.h"

static int
copy_records(
    struct wcp_warp_batch *out, const struct wcp_warp_batch *in, uint32_t first, uint32_t n)
{
	if (wcp_warp_batch_reserve_mem(out, n) < 0)
		return WCP_ESYS;
	for (uint32_t i = first; i < first + n; i++) {
		uint32_t to = out->n_mem++;
		out->mem_pc[to] = in->mem_pc[i];
		out->mem_mask[to] = in->mem_mask[i];
		out->mem_shape[to] = in->mem_shape[i];
		out->mem_space[to] = in->mem_space[i];
		out->mem_flags[to] = in->mem_flags[i];
		out->mem_base[to] = in->mem_base[i];
		out->mem_stride[to] = in->mem_stride[i];
		out->mem_pitch[to] = in->mem_pitch[i];
		out->mem_addr[to] = out->n_addr;
		if (in->mem_shape[i] != WCP_MEM_LIST)
			continue;
		uint32_t lanes = (uint32_t)__builtin_popcount(in->mem_mask[i]);
		if (wcp_warp_batch_reserve_addr(out, lanes) < 0)
			return WCP_ESYS;
		memcpy(
		    out->addr + out->n_addr, in->addr + in->mem_addr[i], lanes * sizeof *out->addr);
		out->n_addr += lanes;
	}
	return 0;
}

static int
copy_events(struct wcp_warp_batch *out, const struct wcp_warp_batch *in, const struct wcp_walk *w,
    uint32_t at)
{
	if (wcp_warp_batch_reserve_event(out, w->n_event) < 0)
		return WCP_ESYS;
	for (uint32_t i = w->event_first; i < w->event_first + w->n_event; i++) {
		uint32_t to = out->n_event++;
		out->event_kind[to] = in->event_kind[i];
		out->event_lane[to] = in->event_lane[i];
		out->event_at[to] = at;
		out->event_arg[to] = in->event_arg[i];
	}
	return 0;
}

/* Where the copy of a segment stands: the run under way takes what follows on without a gap. */
struct copy {
	struct wcp_warp_batch *out;
	uint32_t from_run, next_pc, at;
	bool open;
};

static int
copy_insn(struct copy *c, const struct wcp_walk *w)
{
	struct wcp_warp_batch *out = c->out;
	if (c->open && c->from_run == w->run && c->next_pc == w->pc) {
		out->run_len[out->n_run - 1]++;
	} else {
		if (wcp_warp_batch_reserve_run(out, 1) < 0)
			return WCP_ESYS;
		out->run_pc[out->n_run] = w->pc;
		out->run_len[out->n_run] = 1;
		out->run_mask[out->n_run++] = w->batch->run_mask[w->run];
	}
	c->open = true;
	c->from_run = w->run;
	c->next_pc = w->pc + 1;
	out->warp_insns++;
	out->thread_insns += (uint32_t)__builtin_popcount(w->mask);
	if (w->insn && w->insn->flags & WCP_INSN_GUARDED) {
		if (wcp_warp_batch_reserve_guard(out, 1) < 0)
			return WCP_ESYS;
		out->guard_mask[out->n_guard++] = w->mask;
	}
	if ((w->n_mem && copy_records(out, w->batch, w->mem_first, w->n_mem) < 0) ||
	    (w->n_event && copy_events(out, w->batch, w, c->at) < 0))
		return WCP_ESYS;
	c->at++;
	return 0;
}

/* A segment's lists end where the batch's do. */
static void
close_segment(struct wcp_warp_batch *b)
{
	b->seg_run[b->n_seg] = b->n_run;
	b->seg_guard[b->n_seg] = b->n_guard;
	b->seg_mem[b->n_seg] = b->n_mem;
	b->seg_event[b->n_seg] = b->n_event;
}

static int
copy_segment(const struct wcp_program *p, const struct wcp_warp_batch *in, uint32_t seg,
    struct wcp_warp_batch *out, const uint64_t *bits, uint64_t *bit)
{
	struct copy c = {.out = out};
	struct wcp_walk w;
	if (wcp_warp_batch_segment(
		out, in->seg_cta[seg], in->seg_warp[seg], in->seg_flags[seg], in->seg_alt[seg]) < 0)
		return WCP_ESYS;
	wcp_walk_start(&w, in, p, seg);
	for (; wcp_walk_next(&w); ++*bit)
		if ((bits[*bit / 64] >> (*bit % 64)) & 1 && copy_insn(&c, &w) < 0)
			return WCP_ESYS;
	if (c.at == 0 && in->seg_flags[seg] == 0)
		out->n_seg--;
	close_segment(out);
	return 0;
}

int
wcp_warp_batch_select(const struct wcp_program *p, const struct wcp_warp_batch *in,
    const uint64_t *bits, struct wcp_warp_batch *out)
{
	uint64_t bit = 0;
	int r = 0;
	for (uint32_t seg = 0; seg < in->n_seg && r == 0; seg++)
		r = copy_segment(p, in, seg, out, bits, &bit);
	return r;
}

static void
count_insns(struct wcp_warp_batch *out, const struct wcp_program *p,
    const struct wcp_warp_batch *in, uint32_t seg)
{
	struct wcp_walk w;
	wcp_walk_start(&w, in, p, seg);
	while (wcp_walk_next(&w)) {
		out->warp_insns++;
		out->thread_insns += (uint32_t)__builtin_popcount(w.mask);
	}
}

int
wcp_warp_batch_take(const struct wcp_program *p, const struct wcp_warp_batch *in, uint32_t first,
    uint32_t n, struct wcp_warp_batch *out)
{
	uint64_t warp_insns = out->warp_insns, thread_insns = out->thread_insns;
	if (wcp_warp_batch_append(out, in, first, n) < 0)
		return WCP_ESYS;
	out->warp_insns = warp_insns;
	out->thread_insns = thread_insns;
	for (uint32_t seg = first; seg < first + n; seg++)
		count_insns(out, p, in, seg);
	return 0;
}

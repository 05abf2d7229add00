/*
 * WARP batches: columns of instructions are laid out chunk by chunk for the code to run on, then
 * the segments are copied without the instructions that did not match.
 */
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"
#include "warpcap/walk.h"

struct columns {
	uint32_t n;
	uint32_t cta[FILTER_CHUNK], pc[FILTER_CHUNK], mask[FILTER_CHUNK], mem_first[FILTER_CHUNK];
	uint16_t warp[FILTER_CHUNK];
	uint8_t mem_count[FILTER_CHUNK];
};

static struct filter_view
view_of(const struct wcp_warp_batch *b, const struct wcp_program *p)
{
	struct filter_view v = {.batch = b, .program = p};
	v.constant[WCP_COL_KERNEL] = b->kernel;
	v.constant[WCP_COL_SM] = WCP_NONE16;
	v.constant[WCP_COL_SLOT] = WCP_NONE16;
	return v;
}

static void
run_chunk(const struct wcp_filter *f, struct filter_view *v, struct columns *c, uint64_t **next)
{
	v->column[WCP_COL_CTA] = c->cta;
	v->column[WCP_COL_WARP] = c->warp;
	v->column[WCP_COL_PC] = c->pc;
	v->column[WCP_COL_LANES] = c->mask;
	v->mem_first = c->mem_first;
	v->mem_count = c->mem_count;
	filter_run(f, v, 0, c->n, *next);
	*next += FILTER_WORDS;
	c->n = 0;
}

/* One bit an instruction of the batch, in order. */
static void
match_insns(const struct wcp_filter *f, const struct wcp_program *p, const struct wcp_warp_batch *b,
    uint64_t *bits)
{
	struct filter_view v = view_of(b, p);
	struct columns c;
	struct wcp_walk w;
	c.n = 0;
	for (uint32_t seg = 0; seg < b->n_seg; seg++) {
		wcp_walk_start(&w, b, p, seg);
		while (wcp_walk_next(&w)) {
			uint32_t i = c.n++;
			c.cta[i] = b->seg_cta[seg];
			c.warp[i] = b->seg_warp[seg];
			c.pc[i] = w.pc;
			c.mask[i] = w.mask;
			c.mem_first[i] = w.mem_first;
			c.mem_count[i] = w.n_mem < 255 ? (uint8_t)w.n_mem : 255;
			if (c.n == FILTER_CHUNK)
				run_chunk(f, &v, &c, &bits);
		}
	}
	if (c.n)
		run_chunk(f, &v, &c, &bits);
}

static int
filter_insns(const struct wcp_filter *f, const struct wcp_program *p,
    const struct wcp_warp_batch *in, struct wcp_warp_batch *out)
{
	uint64_t insns = 0;
	for (uint32_t r = 0; r < in->n_run; r++)
		insns += in->run_len[r];
	uint64_t *bits = calloc(insns / FILTER_CHUNK + 1, FILTER_WORDS * sizeof *bits);
	if (!bits)
		return WCP_ESYS;
	match_insns(f, p, in, bits);
	int r = wcp_warp_batch_select(p, in, bits, out);
	free(bits);
	return r;
}

/* Only segments were asked about: they stay or go as they are. */
static int
filter_segments(const struct wcp_filter *f, const struct wcp_program *p,
    const struct wcp_warp_batch *in, struct wcp_warp_batch *out)
{
	struct filter_view v = view_of(in, p);
	uint64_t bits[FILTER_WORDS];
	v.column[WCP_COL_CTA] = in->seg_cta;
	v.column[WCP_COL_WARP] = in->seg_warp;
	for (uint32_t seg = 0; seg < in->n_seg; seg++) {
		uint32_t i = seg % FILTER_CHUNK;
		if (i == 0)
			filter_run(f, &v, seg,
			    in->n_seg - seg < FILTER_CHUNK ? in->n_seg - seg : FILTER_CHUNK, bits);
		if ((bits[i / 64] >> (i % 64)) & 1 && wcp_warp_batch_take(p, in, seg, 1, out) < 0)
			return WCP_ESYS;
	}
	return 0;
}

int
wcp_filter_warp(const struct wcp_filter *f, const struct wcp_program *p, const struct wcp_kernel *k,
    const struct wcp_warp_batch *in, struct wcp_warp_batch *out, struct wcp_error *e)
{
	if (k->id != in->kernel)
		return wcp_fail(
		    e, WCP_EUSAGE, "filter: batch of kernel %u given as %u", in->kernel, k->id);
	out->kernel = in->kernel;
	int r = f->needs_insn ? filter_insns(f, p, in, out) : filter_segments(f, p, in, out);
	return r < 0 ? wcp_fail(e, WCP_ESYS, "filter: out of memory") : 0;
}

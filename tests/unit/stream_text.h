/* Streams as text, one line a record: what the writer was given, what the library reads and what
 * the decoder of tests/decoder reads must print the same. */
#ifndef STREAM_TEXT_H
#define STREAM_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include "warpcap/stream.h"

static bool text_known; /* events of kinds that nobody knows are left out */

static inline void
text_program(FILE *f, const struct wcp_program *p)
{
	fprintf(f, "program %u %s\n", p->id, p->name);
	for (uint32_t i = 0; i < p->n_insn; i++) {
		const struct wcp_insn *n = &p->insn[i];
		fprintf(f,
		    " insn %u %s class %u space %u kind %u flags %u bytes %u bar %u %u target %u "
		    "%u",
		    i, p->strings + n->opcode, n->op_class, n->space, n->kind, n->flags, n->bytes,
		    n->bar_id, n->bar_count, n->target, n->reconverge);
		fprintf(f, " loc %s %u ptx %u regs %u+%u",
		    n->file == WCP_NONE32 ? "-" : p->strings + n->file, n->line, n->ptx_line,
		    n->ndst, n->nsrc);
		for (unsigned r = 0; r < n->ndst + n->nsrc; r++)
			fprintf(f, " %u", p->reg[n->regs + r]);
		fprintf(f, "\n");
	}
}

static inline void
text_kernel(FILE *f, const struct wcp_kernel *k)
{
	fprintf(f,
	    "kernel %u program %u %s grid %u %u %u block %u %u %u regs %u shared %u %u local %u "
	    "param %u flags %u",
	    k->id, k->program, k->name, k->grid[0], k->grid[1], k->grid[2], k->block[0],
	    k->block[1], k->block[2], k->regs_per_thread, k->static_shared_bytes,
	    k->dynamic_shared_bytes, k->local_bytes, k->param_bytes, k->flags);
	fprintf(f,
	    " stream %" PRIu64
	    " depth %u parent %u %u %u %u pc %u order %u site %u workload %" PRIu64 "\n",
	    k->stream, k->depth, k->parent, k->parent_cta, k->parent_warp, k->parent_lane,
	    k->parent_pc, k->launch_order, k->site, k->workload);
}

static inline void
text_kernel_end(FILE *f, const struct wcp_kernel_end *k)
{
	fprintf(f, "kernel_end %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	    k->kernel, k->warp_insns, k->thread_insns, k->mem_insns, k->ctas, k->accesses);
}

static inline void
text_host(FILE *f, const struct wcp_host_op *h)
{
	fprintf(f, "host %d %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", (int)h->kind,
	    h->address, h->bytes, h->value, h->stream, h->label);
}

static inline uint32_t
text_end_of(const uint32_t *list, uint32_t i, uint32_t n, uint32_t total)
{
	return i + 1 == n ? total : list[i + 1];
}

static inline void
text_mem(FILE *f, const struct wcp_warp_batch *b, uint32_t i)
{
	fprintf(f, "  mem %u %08x shape %u space %u flags %u", b->mem_pc[i], b->mem_mask[i],
	    b->mem_shape[i], b->mem_space[i], b->mem_flags[i]);
	if (b->mem_shape[i] == WCP_MEM_LIST) {
		for (int a = 0; a < __builtin_popcount(b->mem_mask[i]); a++)
			fprintf(f, " %" PRIx64, b->addr[b->mem_addr[i] + (uint32_t)a]);
	} else {
		fprintf(f, " %" PRIx64 " %" PRId64, b->mem_base[i], b->mem_stride[i]);
		if (b->mem_shape[i] != WCP_MEM_AFFINE)
			fprintf(f, " %" PRId64, b->mem_pitch[i]);
	}
	fprintf(f, "\n");
}

static inline void
text_warp(FILE *f, const struct wcp_warp_batch *b)
{
	uint32_t n = b->n_seg;
	for (uint32_t s = 0; s < n; s++) {
		fprintf(f, "seg %u cta %u warp %u flags %u alt %u\n", b->kernel, b->seg_cta[s],
		    b->seg_warp[s], b->seg_flags[s], b->seg_alt[s]);
		for (uint32_t i = b->seg_run[s]; i < text_end_of(b->seg_run, s, n, b->n_run); i++)
			fprintf(
			    f, "  run %u %u %08x\n", b->run_pc[i], b->run_len[i], b->run_mask[i]);
		for (uint32_t i = b->seg_guard[s]; i < text_end_of(b->seg_guard, s, n, b->n_guard);
		     i++)
			fprintf(f, "  guard %08x\n", b->guard_mask[i]);
		for (uint32_t i = b->seg_mem[s]; i < text_end_of(b->seg_mem, s, n, b->n_mem); i++)
			text_mem(f, b, i);
		for (uint32_t i = b->seg_event[s]; i < text_end_of(b->seg_event, s, n, b->n_event);
		     i++)
			if (!text_known || b->event_kind[i] < WCP_EVENT_COUNT)
				fprintf(f, "  event %u lane %u at %u arg %" PRIx64 "\n",
				    b->event_kind[i], b->event_lane[i], b->event_at[i],
				    b->event_arg[i]);
	}
}

static inline void
text_access(FILE *f, const struct wcp_access_batch *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		fprintf(f, "access %" PRIu64 " %u %u %u %u %u %u %" PRIx64, a->cycle[i], a->sm[i],
		    a->kernel[i], a->cta[i], a->warp[i], a->slot[i], a->pc[i], a->line[i]);
		fprintf(f, " %x %08x %u %u %u %" PRIu64 " %x %u %" PRIx64 " %u %u\n", a->sectors[i],
		    a->lanes[i], a->kind[i], a->space[i], a->flags[i], a->id[i], a->outcome[i],
		    a->tag[i], a->victim[i], a->victim_owner[i], a->bytes[i]);
	}
}

static inline void
text_state(FILE *f, const struct wcp_state *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "state %" PRIu64 " %u %u %u %u %u %u\n", s[i].cycle, s[i].kernel,
		    s[i].cta, s[i].sm, s[i].warp, s[i].slot, s[i].kind);
}

static inline void
text_end(FILE *f, const struct wcp_totals *t)
{
	fprintf(f,
	    "end records %" PRIu64 " kernels %" PRIu64 " insns %" PRIu64 " %" PRIu64 " %" PRIu64,
	    t->records, t->kernels, t->warp_insns, t->thread_insns, t->mem_insns);
	fprintf(
	    f, " ctas %" PRIu64 " accesses %" PRIu64 " flags %u\n", t->ctas, t->accesses, t->flags);
}

/* Command lines that came since the last call. */
static inline void
text_provenance(FILE *f, const struct wcp_reader *r, size_t *printed)
{
	size_t n;
	const char *const *line = wcp_reader_provenance(r, &n);
	for (; *printed < n; ++*printed)
		fprintf(f, "by %s\n", line[*printed]);
}

static inline void
text_item(FILE *f, const struct wcp_item *i)
{
	switch (i->type) {
	case WCP_ITEM_PROGRAM: text_program(f, i->program); break;
	case WCP_ITEM_KERNEL: text_kernel(f, i->kernel); break;
	case WCP_ITEM_KERNEL_END: text_kernel_end(f, i->kernel_end); break;
	case WCP_ITEM_HOST: text_host(f, i->host); break;
	case WCP_ITEM_WARP: text_warp(f, i->warp); break;
	case WCP_ITEM_ACCESS: text_access(f, i->access); break;
	case WCP_ITEM_STATE: text_state(f, i->state, i->n_state); break;
	case WCP_ITEM_END: text_end(f, i->end); break;
	}
}

#endif

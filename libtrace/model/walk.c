#include "warpcap/walk.h"

void
wcp_walk_start(struct wcp_walk *w, const struct wcp_warp_batch *b,
    const struct wcp_program *program, uint32_t segment)
{
	*w = (struct wcp_walk){
	    .batch = b,
	    .program = program,
	    .next_run = b->seg_run[segment],
	    .next_guard = b->seg_guard[segment],
	    .next_mem = b->seg_mem[segment],
	    .next_event = b->seg_event[segment],
	    .end_run = b->seg_run[segment + 1],
	    .end_guard = b->seg_guard[segment + 1],
	    .end_mem = b->seg_mem[segment + 1],
	    .end_event = b->seg_event[segment + 1],
	};
}

static void
take_records(struct wcp_walk *w)
{
	const uint8_t *flags = w->batch->mem_flags;
	while (w->next_mem < w->end_mem) {
		w->n_mem++;
		if (!(flags[w->next_mem++] & WCP_MEM_MORE))
			return;
	}
}

uint32_t
wcp_walk_past(struct wcp_walk *w, uint32_t n)
{
	const struct wcp_warp_batch *b = w->batch;
	uint32_t rest = b->run_len[w->run] - w->next_in_run;
	n = n < rest ? n : rest;
	if (w->next_event < w->end_event) {
		/* One that should have come before never does. */
		uint32_t before = b->event_at[w->next_event] - w->next_at;
		n = n < before ? n : before;
	}
	w->next_in_run += n;
	w->next_at += n;
	return n;
}

bool
wcp_walk_next(struct wcp_walk *w)
{
	const struct wcp_warp_batch *b = w->batch;
	while (w->next_run < w->end_run && w->next_in_run == b->run_len[w->next_run]) {
		w->next_run++;
		w->next_in_run = 0;
	}
	if (w->next_run == w->end_run)
		return false;
	w->run = w->next_run;
	w->pc = b->run_pc[w->run] + w->next_in_run++;
	w->mask = b->run_mask[w->run];
	w->at = w->next_at++;
	w->insn = w->program && w->pc < w->program->n_insn ? &w->program->insn[w->pc] : NULL;
	w->mem_first = w->next_mem;
	w->n_mem = 0;
	if (w->insn && w->insn->flags & WCP_INSN_GUARDED && w->next_guard < w->end_guard)
		w->mask = b->guard_mask[w->next_guard++];
	if (w->insn && w->insn->flags & WCP_INSN_MEMORY && w->mask)
		take_records(w);
	w->event_first = w->next_event;
	while (w->next_event < w->end_event && b->event_at[w->next_event] == w->at)
		w->next_event++;
	w->n_event = w->next_event - w->event_first;
	return true;
}

/* One CTA: its warps take turns, a slice each, and what they do goes into a batch, warp after warp.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/access.h"
#include "exec/special.h"

/* A slice bounds how far warps drift apart, and with it what a reader must keep of a CTA. */
#define SLICE_INSNS 4096u
/* What a batch holds when it is handed on: little enough to stay in a core's cache. */
#define BATCH_RECORDS	2048u
#define BATCH_ADDRESSES 65536u
#define IDLE_ROUNDS	2u
#define IDLE_SLICES	32u
#define STILL_ROUNDS	8u

static void
free_warp(struct warp *w)
{
	if (!w)
		return;
	for (uint32_t i = 1; i < w->n_frame; i++) {
		free(w->frame[i].saved);
		free(w->frame[i].dynamic);
	}
	free(w->frame);
	free(w->snapshot);
	free(w->local);
	free(w);
}

static struct warp *
new_warp(struct cta *c, uint32_t index, struct window *cache)
{
	const struct exec_code *code = c->code;
	const size_t bytes = (sizeof(struct warp) + code->file_bytes + 127) & ~(size_t)63;
	struct warp *w = aligned_alloc(64, bytes);
	if (!w)
		return NULL;
	memset(w, 0, sizeof *w);
	w->cta = c;
	w->code = code;
	w->cache = cache;
	w->index = index;
	w->snapshot = malloc(code->snapshot_bytes + 1);
	w->local = calloc(WCP_LANES, exec_local_step(code) + 1ul);
	if (!w->snapshot || !w->local) {
		free_warp(w);
		return NULL;
	}
	return w;
}

void
exec_cta_free(struct cta *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->warp && i < c->n_warps; i++)
		free_warp(c->warp[i]);
	for (unsigned i = 0; i < EXEC_BARRIERS; i++)
		free(c->barrier[i].arrived);
	free(c->warp);
	free(c->shared);
	free(c->shared_written);
	exec_child_cta_free(c->child);
	free(c);
}

struct cta *
exec_cta_new(const struct exec_run *run, struct window *cache)
{
	struct cta *c = calloc(1, sizeof *c);
	bool ok = c != NULL;
	if (!ok)
		return NULL;
	c->code = run->code;
	c->run = run;
	c->n_warps = run->n_warps;
	c->shared_bytes = run->shared_bytes;
	c->warp = calloc(c->n_warps, sizeof *c->warp);
	c->shared = aligned_alloc(256, (run->shared_bytes + 511ul) & ~255ul);
	if (run->check_shared)
		c->shared_written = calloc(run->shared_bytes + 1ul, 1);
	ok = c->warp && c->shared && (c->shared_written || !run->check_shared);
	for (unsigned i = 0; ok && i < EXEC_BARRIERS; i++)
		ok = (c->barrier[i].arrived = calloc(c->n_warps, sizeof(uint32_t))) != NULL;
	for (uint32_t i = 0; ok && i < c->n_warps; i++)
		ok = (c->warp[i] = new_warp(c, i, cache)) != NULL;
	if (!ok) {
		exec_cta_free(c);
		return NULL;
	}
	return c;
}

static void
begin_warp(struct cta *c, struct warp *w)
{
	const struct exec_run *r = c->run;
	const uint32_t threads = r->block[0] * r->block[1] * r->block[2],
		       first = w->index * WCP_LANES;
	const uint32_t n = threads - first;
	w->live = n >= WCP_LANES ? WCP_FULL_MASK : (1u << n) - 1;
	if (!c->initialised || c->code->reset_registers)
		memcpy(w->file, c->code->image, c->code->file_bytes);
	exec_fill_specials(w, !c->initialised || c->code->reset_registers);
	for (unsigned l = 0; w->local_used && l < WCP_LANES; l++)
		memset(w->local + (size_t)l * exec_local_step(c->code), 0, w->local_used);
	w->local_used = 0;
	w->warp_insns = w->thread_insns = w->mem_insns = 0;
	w->progress = w->polls = w->polls_from = w->progress_from = 0;
	w->back = w->rotations = w->idle_slices = 0;
	w->slept = 0;
	for (unsigned l = 0; l < WCP_LANES; l++)
		w->dynamic[l] = c->code->local_bytes;
	w->check_at = 8;
	w->snapshot_at = NULL;
	w->ended = w->begun = false;
	w->fault.kind = FAULT_NONE;
	w->joins = 0;
	w->n_path = 1;
	w->path[0] = (struct path){.in = c->code->insn + c->code->func[0].first,
	    .mask = w->live,
	    .join = EXEC_NO_JOIN,
	    .state = PATH_READY};
}

void
exec_cta_begin(struct cta *c, uint64_t linear, bool recorded)
{
	const struct exec_run *r = c->run;
	c->linear = linear;
	c->id[0] = (uint32_t)(linear % r->grid[0]);
	c->id[1] = (uint32_t)(linear / r->grid[0] % r->grid[1]);
	c->id[2] = (uint32_t)(linear / r->grid[0] / r->grid[1]);
	c->n_ended = c->n_waiting = c->turn = c->idle_rounds = 0;
	c->round_ran = false;
	c->round_idle = true;
	c->recorded = recorded;
	c->begun = false;
	c->faulted = NULL;
	memset(c->shared, 0, r->shared_bytes);
	if (c->shared_written) { /* the system's part begins as zeros */
		const uint32_t own = r->code->static_shared_bytes + r->dynamic_shared_bytes;
		memset(c->shared_written, 0, own);
		memset(c->shared_written + own, 1, r->shared_bytes - own);
	}
	for (unsigned i = 0; c->code->has_barrier && i < EXEC_BARRIERS; i++) {
		memset(c->barrier[i].arrived, 0, c->n_warps * sizeof(uint32_t));
		c->barrier[i].threads = c->barrier[i].n_arrived = 0;
		c->barrier[i].red_count = c->barrier[i].red_total = 0;
	}
	for (uint32_t i = 0; i < c->n_warps; i++)
		begin_warp(c, c->warp[i]);
	c->still_limit = STILL_ROUNDS;
	c->still_rounds = 0;
	exec_child_cta_begin(c);
	c->initialised = true;
}

/* A slice ends at the first branch past its budget, so it may run over by one pass through the
 * code. */
static bool
make_room(struct cta *c, struct warp *w, struct wcp_warp_batch *b)
{
	const uint32_t n = SLICE_INSNS + 2 * c->code->n_insn + 64;
	if (wcp_warp_batch_reserve_run(b, n) || wcp_warp_batch_reserve_guard(b, n) ||
	    wcp_warp_batch_reserve_mem(b, 4 * n) || wcp_warp_batch_reserve_addr(b, 4 * WCP_LANES) ||
	    wcp_warp_batch_segment(b, (uint32_t)c->linear, (uint16_t)w->index, 0, 0)) {
		exec_fault(w, FAULT_MEMORY, c->code->insn, 0, 0, 0);
		return false;
	}
	return true;
}

static enum slice_end
run_slice(struct cta *c, struct warp *w, struct wcp_warp_batch *b)
{
	const uint64_t warp_insns = w->warp_insns, thread_insns = w->thread_insns;
	struct wcp_warp_batch *rec = c->recorded ? b : NULL;
	w->rec = rec;
	w->seg_insns = 0;
	if (rec && !make_room(c, w, rec))
		return SLICE_FAULT;
	const enum slice_end end = c->run->level->slice(w, SLICE_INSNS);
	if (!rec)
		return end;
	uint8_t *flags = &rec->seg_flags[rec->n_seg - 1];
	*flags |=
	    (uint8_t)((c->begun ? 0 : WCP_SEG_CTA_BEGIN) | (w->begun ? 0 : WCP_SEG_WARP_BEGIN));
	if (end == SLICE_ENDED)
		*flags |= (uint8_t)(WCP_SEG_WARP_END |
				    (c->n_ended + 1 == c->n_warps ? WCP_SEG_CTA_END : 0));
	c->begun = w->begun = true;
	rec->warp_insns += w->warp_insns - warp_insns;
	rec->thread_insns += w->thread_insns - thread_insns;
	wcp_warp_batch_end(rec);
	if (exec_child_alternatives(c, rec)) {
		exec_fault(w, FAULT_MEMORY, c->code->insn, 0, 0, 0);
		return SLICE_FAULT;
	}
	return end;
}

bool
exec_warp_over_limit(const struct cta *c, const struct warp *w)
{
	return c->run->max_warp_insns && w->warp_insns > c->run->max_warp_insns;
}

static bool
over_limit(struct cta *c, const struct warp *w)
{
	struct exec_counts sum = {0};
	if (exec_warp_over_limit(c, w))
		return true;
	if (!c->run->max_insns)
		return false;
	exec_cta_count(c, &sum);
	return sum.thread_insns > c->run->max_insns;
}

static enum cta_state
fault_of(struct cta *c, struct warp *w)
{
	c->faulted = w;
	return CTA_FAULT;
}

/* The others of its cluster may still come, whatever else its warps wait for. */
static bool
waits_for_cluster(const struct cta *c)
{
	for (uint32_t i = 0; c->cluster->n > 1 && i < c->n_warps; i++)
		for (uint32_t k = 0; !c->warp[i]->ended && k < c->warp[i]->n_path; k++) {
			const struct path *p = &c->warp[i]->path[k];
			if (p->state == PATH_BARRIER && p->barrier == EXEC_USER_BARRIERS)
				return true;
		}
	return false;
}

/* Everybody waits. Lanes that wait for lanes at a barrier may be let go; if there are none it is
 * for good. */
static enum cta_state
nobody_ran(struct cta *c)
{
	struct warp *waiting = NULL;
	bool released = false;
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = c->warp[i];
		if (w->ended)
			continue;
		waiting = waiting ? waiting : w;
		if (exec_barrier_parted(w))
			return fault_of(c, w);
		released |= exec_release(w);
	}
	if (released || !waiting)
		return CTA_GOES_ON;
	if (waits_for_cluster(c))
		return CTA_SPINS;
	const struct path *p = exec_top(waiting);
	exec_fault(waiting, FAULT_DEADLOCK, p->in, (uint32_t)__builtin_ctz(p->mask), p->barrier, 0);
	return fault_of(c, waiting);
}

/*
 * Loops within loops that wait look at much memory before a round of the outermost shows that
 * nothing changed: where nothing was stored for long the other CTAs get a turn; the next one soon.
 */
static bool
stands_still(struct cta *c)
{
	uint64_t progress = 0;
	for (uint32_t i = 0; i < c->n_warps; i++)
		progress += c->warp[i]->progress;
	if (progress != c->still_progress) {
		c->still_progress = progress;
		c->still_rounds = 0;
	}
	if (++c->still_rounds < c->still_limit)
		return false;
	c->still_rounds = 0;
	c->still_limit = 1;
	return true;
}

/* The end of a round: every warp that could run has had its slice. */
static enum cta_state
end_round(struct cta *c)
{
	const bool ran = c->round_ran, idle = c->round_idle;
	c->turn = 0;
	c->round_ran = false;
	c->round_idle = true;
	if (!ran)
		return nobody_ran(c);
	c->idle_rounds = idle ? c->idle_rounds + 1 : 0;
	c->counts = !idle && c->code->may_spin && stands_still(c);
	if (c->idle_rounds < IDLE_ROUNDS)
		return c->counts ? CTA_SPINS : CTA_GOES_ON;
	c->idle_rounds = 0;
	return CTA_SPINS;
}

/*
 * A slice brought nothing: its loop waits. A loop that waits with a barrier in it ends most slices
 * there, and shows only now and then that nothing changes: that holds until the warp stores, and
 * for so many slices.
 */
static bool
idles(struct warp *w, enum slice_end end)
{
	if (end == SLICE_SPIN) {
		w->idle_slices = IDLE_SLICES;
		w->idle_progress = w->progress;
		return true;
	}
	if (end != SLICE_BLOCKED || w->progress != w->idle_progress)
		w->idle_slices = 0;
	return w->idle_slices && w->idle_slices--;
}

static bool
is_full(const struct wcp_warp_batch *b)
{
	return b->n_mem >= BATCH_RECORDS || b->n_run >= BATCH_RECORDS ||
	       b->n_addr >= BATCH_ADDRESSES || b->n_guard >= BATCH_RECORDS;
}

/* What is recorded fills its batch sooner or later; what is not comes back now and then all the
 * same, to be stopped if somebody wants that. */
#define UNRECORDED_SLICES 1024

enum cta_state
exec_cta_run(struct cta *c, struct wcp_warp_batch *b)
{
	uint32_t left = c->recorded ? UINT32_MAX : UNRECORDED_SLICES;
	for (;;) {
		if (c->turn == c->n_warps) {
			const enum cta_state s = end_round(c);
			if (s != CTA_GOES_ON)
				return s;
		}
		struct warp *w = c->warp[c->turn++];
		if (w->ended || !exec_pick(w))
			continue;
		c->round_ran = true;
		const enum slice_end end = run_slice(c, w, b);
		c->round_idle &= idles(w, end);
		if (end == SLICE_FAULT)
			return fault_of(c, w);
		if (end == SLICE_ENDED) {
			w->ended = true;
			if (++c->n_ended == c->n_warps)
				return CTA_DONE;
		}
		if (over_limit(c, w)) {
			exec_fault(w, FAULT_LIMIT, c->code->insn, 0, 0, 0);
			return fault_of(c, w);
		}
		if (is_full(b) || --left == 0)
			return CTA_GOES_ON;
	}
}

void
exec_cta_count(const struct cta *c, struct exec_counts *sum)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		sum->warp_insns += c->warp[i]->warp_insns;
		sum->thread_insns += c->warp[i]->thread_insns;
		sum->mem_insns += c->warp[i]->mem_insns;
	}
}

/*
 * What a launching lane would have done had its launch been refused: two twins of the warp go on
 * behind the request for the parameters with that lane alone, one refused, one with its launch gone
 * through (and nothing launched). From where on both do the same, to the end, their paths have met
 * again: what the refused one did before is the alternative. Both run on the launching warp's
 * memory, whose shared and local parts they have copies of and whose other contents are put back
 * behind them; code that launches runs alone, so nobody sees it in between.
 *
 * A twin ends with its thread, at a barrier, at what cannot be taken back, at a fault, and after
 * INSNS_MAX instructions.
 */
#include <stddef.h>
#include <stdlib.h>
#include "base/buf.h"
#include "exec/access.h"
#include "exec/child/child.h"

#define INSNS_MAX   (1u << 20)
#define SLICE_INSNS 4096u

struct child_alternative {
	const struct exec_code *code; /* that the warp runs; its twin runs a copy */
	uint64_t buffer;	      /* the launch of which goes through, 0: none does */
	struct buf log;		      /* of struct old, each followed by its bytes */
	size_t last;		      /* offset of the last one + 1; 0: none */
};

struct old {
	size_t before; /* as last, for the one before it */
	char *at;
	uint32_t bytes;
};

/* ---- memory ---- */

void
child_log(struct child_alternative *a, char *at, uint32_t bytes)
{
	const struct old o = {a->last, at, bytes};
	const size_t place = a->log.n;
	buf_put(&a->log, &o, sizeof o);
	buf_put(&a->log, at, bytes);
	if (!a->log.failed)
		a->last = place + 1;
}

bool
child_goes_through(const struct child_alternative *a, uint64_t buffer)
{
	return a->buffer && a->buffer == buffer;
}

static void
put_back(struct child_alternative *a)
{
	while (a->last) {
		struct old o;
		memcpy(&o, a->log.data + a->last - 1, sizeof o);
		memcpy(o.at, a->log.data + a->last - 1 + sizeof o, o.bytes);
		a->last = o.before;
	}
	buf_clear(&a->log);
}

static struct warp *
warp_of(char *file)
{
	return (struct warp *)(void *)(file - offsetof(struct warp, file));
}

static bool
writes(const struct exec_level *l, const struct insn *in)
{
	lane_fn *const f = in->fn[0];
	return f == l->store[0][0] || f == l->store[1][0] || f == l->store_wide[0][0] ||
	       f == l->store_wide[1][0] || f == l->store_any[0] || f == l->atomic[0];
}

/* Keeps what the lanes are about to overwrite in device memory. */
static void
keep(struct warp *w, const struct insn *in, uint32_t mask)
{
	const struct mem_op *m = &w->code->mem[in->e];
	const struct exec_memory *memory = w->cta->run->memory;
	const uint32_t bytes = (uint32_t)m->size * (m->n ? m->n : 1);
	if (m->space != WCP_SPACE_GLOBAL && m->space != WCP_SPACE_GENERIC)
		return;
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		uint64_t address = 0;
		memcpy(&address, w->file + in->a + lane * m->addr_bytes, m->addr_bytes);
		address += (uint64_t)in->imm;
		const struct exec_alloc *a = exec_memory_find(memory, address, bytes);
		if (a)
			child_log(w->cta->alternative, exec_alloc_at(a, address), bytes);
	}
}

/* In place of every memory instruction of a twin's code. */
static void
access_memory(const struct insn *in, char *file, uint32_t mask)
{
	struct warp *w = warp_of(file);
	const struct insn *own = w->cta->alternative->code->insn + (in - w->code->insn);
	if (writes(w->cta->run->level, own))
		keep(w, own, mask);
	own->fn[mask == WCP_FULL_MASK](own, file, mask);
}

/* ---- the twins' code ---- */

static enum builtin_end
stop(struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	(void)call;
	exec_fault(w, FAULT_STOPPED, in, (uint32_t)__builtin_ctz(mask), 0, 0);
	return BUILTIN_FAULT;
}

static enum builtin_end
skip(struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask)
{
	(void)in;
	for (; mask; mask &= mask - 1)
		builtin_return(w, call, (unsigned)__builtin_ctz(mask), 0);
	return BUILTIN_DONE;
}

static void
change(const struct exec_code *c, struct insn *in)
{
	const struct wcp_program *p = &c->program;
	const bool tensor = in->pc < p->n_insn && p->insn[in->pc].op_class == WCP_OP_TENSOR;
	if (in->what == DO_MEMORY)
		in->fn[0] = in->fn[1] = access_memory;
	else if (in->what == DO_BARRIER || in->what == DO_BULK ||
		 (in->what == DO_BUILTIN && in->fn[0]) || tensor)
		in->what = DO_TRAP;
}

struct exec_twin {
	struct exec_code code;
	struct exec_builtin *row; /* [n_builtin] */
};

void
exec_twin_free(struct exec_twin *t)
{
	if (t) {
		free(t->code.insn);
		free(t->code.builtin);
		free(t->row);
	}
	free(t);
}

static struct exec_twin *
new_twin(const struct exec_code *c)
{
	struct exec_twin *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->code = *c;
	t->code.insn = malloc((c->n_insn + 1ul) * sizeof *c->insn);
	t->code.builtin = malloc((c->n_builtin + 1ul) * sizeof *c->builtin);
	t->row = calloc(c->n_builtin + 1ul, sizeof *t->row);
	if (!t->code.insn || !t->code.builtin || !t->row) {
		exec_twin_free(t);
		return NULL;
	}
	memcpy(t->code.insn, c->insn, c->n_insn * sizeof *c->insn);
	for (uint32_t i = 0; i < c->n_insn; i++)
		change(c, &t->code.insn[i]);
	for (uint32_t i = 0; i < c->n_builtin; i++) {
		t->code.builtin[i] = c->builtin[i];
		if (c->builtin[i].what->run == child_run_call)
			continue;
		t->row[i] = *c->builtin[i].what;
		t->row[i].run = strcmp(t->row[i].name, "vprintf") ? stop : skip;
		t->code.builtin[i].what = &t->row[i];
	}
	return t;
}

/* ---- a twin of the warp ---- */

struct twin {
	struct warp *w;
	struct cta cta;
	struct child_alternative alternative;
	struct wcp_warp_batch batch;
	bool cut; /* it had more to do */
};

static void
free_twin(struct twin *t)
{
	struct warp *w = t->w;
	for (uint32_t i = 1; w && i < w->n_frame; i++) {
		free(w->frame[i].saved);
		free(w->frame[i].dynamic);
	}
	if (w) {
		free(w->frame);
		free(w->snapshot);
		free(w->local);
		free(w->cache);
	}
	free(w);
	free(t->cta.shared);
	free(t->cta.shared_written);
	buf_release(&t->alternative.log);
}

static void *
copy_of(const void *from, size_t bytes)
{
	void *to = malloc(bytes + 1);
	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

/* The call stack of the running path, for one lane. */
static bool
copy_frames(struct warp *w, const struct warp *of, const struct insn *first)
{
	w->frame = NULL;
	if (!of->cap_frame)
		return true;
	if (!(w->frame = copy_of(of->frame, of->cap_frame * sizeof *w->frame)))
		return false;
	for (uint32_t i = 1; i < w->n_frame; i++) {
		w->frame[i].saved = NULL;
		w->frame[i].dynamic = NULL;
	}
	w->frame_bytes = 0;
	for (uint32_t i = w->path[0].frame; i; i = w->frame[i].parent) {
		struct frame *f = &w->frame[i];
		const struct frame *g = &of->frame[i];
		f->refs = 1;
		f->back = w->code->insn + (g->back - first);
		if (g->saved && !(f->saved = copy_of(g->saved, g->func->area_bytes)))
			return false;
		if (g->dynamic &&
		    !(f->dynamic = copy_of(g->dynamic, WCP_LANES * sizeof *g->dynamic)))
			return false;
		w->frame_bytes += f->saved ? f->func->area_bytes : 0;
	}
	return true;
}

static bool
copy_memory(struct twin *t, const struct warp *of, unsigned lane)
{
	const struct cta *c = of->cta;
	const struct exec_code *code = of->code;
	const size_t local = exec_local_step(code);
	struct warp *w = t->w;
	t->cta.shared = aligned_alloc(256, (c->shared_bytes + 511ul) & ~255ul);
	t->cta.shared_written =
	    c->shared_written ? copy_of(c->shared_written, c->shared_bytes) : NULL;
	w->snapshot = malloc(code->snapshot_bytes + 1ul);
	w->cache = calloc(code->n_mem + 1ul, sizeof *w->cache);
	w->local = malloc(WCP_LANES * local + 1);
	if (!t->cta.shared || (c->shared_written && !t->cta.shared_written) || !w->snapshot ||
	    !w->cache || !w->local)
		return false;
	memcpy(t->cta.shared, c->shared, c->shared_bytes);
	memcpy(w->local + lane * local, of->local + lane * local, local);
	return true;
}

static bool
make_twin(struct twin *t, const struct child_call *call, const struct exec_twin *code)
{
	const struct warp *of = call->w;
	const struct insn *first = of->code->insn;
	const size_t bytes = (sizeof *of + of->code->file_bytes + 127) & ~(size_t)63;
	t->cta = *of->cta;
	t->cta.shared = NULL;
	t->cta.shared_written = NULL;
	t->cta.alternative = &t->alternative;
	t->cta.n_waiting = 0;
	t->alternative.code = of->code;
	struct warp *w = t->w = aligned_alloc(64, bytes);
	if (!w)
		return false;
	memcpy(w, of, sizeof *of + of->code->file_bytes);
	w->frame = NULL;
	w->snapshot = w->local = NULL;
	w->cache = NULL;
	w->cta = &t->cta;
	w->code = &code->code;
	w->rec = &t->batch;
	w->warp_insns = w->seg_insns = 0;
	w->live = 1u << call->lane;
	w->n_path = 1;
	w->path[0] = (struct path){.in = code->code.insn + (call->in - first) + 1,
	    .mask = w->live,
	    .frame = of->path[of->n_path - 1].frame,
	    .join = EXEC_NO_JOIN,
	    .state = PATH_READY};
	w->joins = 0;
	w->back = w->rotations = 0;
	w->check_at = 8;
	w->snapshot_at = NULL;
	w->fault.kind = FAULT_NONE;
	w->ended = false;
	return copy_memory(t, of, call->lane) && copy_frames(w, of, first);
}

static bool
make_room(const struct twin *t, struct wcp_warp_batch *b)
{
	const uint32_t n = SLICE_INSNS + 2 * t->w->code->n_insn + 64;
	return !wcp_warp_batch_reserve_run(b, n) && !wcp_warp_batch_reserve_guard(b, n) &&
	       !wcp_warp_batch_reserve_mem(b, 4 * n) &&
	       !wcp_warp_batch_reserve_addr(b, 4 * WCP_LANES);
}

/* Runs it with value as what its request for parameters gave; false: no memory. */
static bool
run_twin(struct twin *t, const struct child_call *call, const struct child_buffer *b, bool refused)
{
	const struct exec_twin *code = call->w->code->twin;
	struct child_grid *g = call->grid;
	const uint32_t n_stream = g->n_stream, n_event = g->n_event;
	const uint32_t error = call->cta->error[call->thread];
	enum slice_end end = SLICE_BUDGET;
	wcp_warp_batch_init(&t->batch);
	bool ok = make_twin(t, call, code) &&
		  !wcp_warp_batch_segment(&t->batch, (uint32_t)call->w->cta->linear,
		      (uint16_t)call->w->index, 0, 1 + b->site);
	t->alternative.buffer = refused ? 0 : b->address;
	call->cta->error[call->thread] = refused ? CHILD_PENDING_COUNT : error;
	if (ok)
		builtin_return(t->w, call->call, call->lane, t->alternative.buffer);
	while (ok && end == SLICE_BUDGET && t->w->warp_insns < INSNS_MAX) {
		ok = make_room(t, &t->batch);
		if (ok)
			end = t->w->cta->run->level->slice(t->w, SLICE_INSNS);
	}
	t->cut = end == SLICE_BUDGET;
	put_back(&t->alternative);
	call->cta->error[call->thread] = error;
	g->n_stream = n_stream;
	g->n_event = n_event;
	if (ok)
		wcp_warp_batch_end(&t->batch);
	free_twin(t);
	return ok;
}

/* ---- where they meet ---- */

/* How many instructions at the ends of both are the same. */
static uint64_t
common_end(const struct wcp_warp_batch *a, const struct wcp_warp_batch *b)
{
	uint32_t i = a->n_run, k = b->n_run, left_a = 0, left_b = 0;
	uint64_t n = 0;
	for (;;) {
		while (!left_a && i)
			left_a = a->run_len[--i];
		while (!left_b && k)
			left_b = b->run_len[--k];
		if (!left_a || !left_b)
			return n;
		const uint32_t pc_a = a->run_pc[i] + left_a, pc_b = b->run_pc[k] + left_b;
		const uint32_t both = left_a < left_b ? left_a : left_b;
		if (pc_a != pc_b)
			return n;
		n += both;
		left_a -= both;
		left_b -= both;
	}
}

/* Only its first n instructions stay. */
static void
cut_short(struct wcp_warp_batch *b, const struct wcp_program *p, uint64_t n)
{
	uint32_t run = 0, guard = 0, mem = 0;
	for (uint64_t done = 0; run < b->n_run && done < n; run++) {
		if (b->run_len[run] > n - done)
			b->run_len[run] = (uint32_t)(n - done);
		for (uint32_t k = 0; k < b->run_len[run]; k++) {
			const struct wcp_insn *in = &p->insn[b->run_pc[run] + k];
			const bool guarded = in->flags & WCP_INSN_GUARDED;
			const uint32_t mask = guarded ? b->guard_mask[guard] : b->run_mask[run];
			guard += guarded;
			if (!(in->flags & WCP_INSN_MEMORY) || !mask)
				continue;
			while (mem < b->n_mem && b->mem_flags[mem] & WCP_MEM_MORE)
				mem++;
			mem++;
		}
		done += b->run_len[run];
	}
	b->n_run = run;
	b->n_guard = guard;
	b->n_addr = mem < b->n_mem ? b->mem_addr[mem] : b->n_addr;
	b->n_mem = mem < b->n_mem ? mem : b->n_mem;
	while (b->n_event && b->event_at[b->n_event - 1] >= n)
		b->n_event--;
	wcp_warp_batch_end(b);
}

static uint64_t
length(const struct wcp_warp_batch *b)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < b->n_run; i++)
		n += b->run_len[i];
	return n;
}

void
child_find_alternative(const struct child_call *call, struct child_buffer *b)
{
	struct exec_code *code = call->grid->code;
	struct twin refused = {0}, launched = {0};
	if (!code->twin)
		code->twin = new_twin(code);
	struct wcp_warp_batch *out = code->twin ? calloc(1, sizeof *out) : NULL;
	if (!out)
		return;
	if (run_twin(&refused, call, b, true) && run_twin(&launched, call, b, false)) {
		const uint64_t n = length(&refused.batch);
		const bool meet = !refused.cut && !launched.cut;
		cut_short(&refused.batch, &code->program,
		    meet ? n - common_end(&refused.batch, &launched.batch) : n);
		*out = refused.batch;
		b->alternative = out;
	} else {
		wcp_warp_batch_release(&refused.batch);
		free(out);
	}
	wcp_warp_batch_release(&launched.batch);
}

/* ---- into the stream ---- */

/* The launch took place: its alternative follows the segment it stands in. */
void
child_keep_alternative(struct cta *c, struct child_buffer *b)
{
	struct wcp_warp_batch *all = &c->child->alternatives;
	if (!b->alternative)
		return;
	wcp_warp_batch_append(all, b->alternative, 0, b->alternative->n_seg);
	wcp_warp_batch_release(b->alternative);
	free(b->alternative);
	b->alternative = NULL;
}

int
exec_child_alternatives(struct cta *c, struct wcp_warp_batch *to)
{
	struct wcp_warp_batch *all = c->child ? &c->child->alternatives : NULL;
	if (!all || !all->n_seg)
		return 0;
	all->kernel = to->kernel;
	const int r = wcp_warp_batch_append(to, all, 0, all->n_seg);
	wcp_warp_batch_clear(all);
	return r;
}

/* The interpreter's loop. */
#include "access.h"

enum slice_end LEVELED(run_slice)(struct warp *w, uint64_t budget);

/* Closes the open run before end_pc. */
static inline void
flush(struct warp *w, uint32_t end_pc, uint32_t mask)
{
	const uint32_t n = end_pc - w->run_pc;
	if (!n)
		return;
	w->warp_insns += n;
	w->seg_insns += n;
	w->thread_insns += (uint64_t)n * (unsigned)__builtin_popcount(mask);
	struct wcp_warp_batch *b = w->rec;
	if (b) {
		const uint32_t i = b->n_run++;
		b->run_pc[i] = w->run_pc;
		b->run_len[i] = n;
		b->run_mask[i] = mask;
	}
	w->run_pc = end_pc;
}

/* The lanes of mask that the guard lets pass; all of them where there is none. */
static inline uint32_t
passing(struct warp *w, const struct insn *in, uint32_t mask)
{
	if (!in->guard)
		return mask;
	const uint32_t p = *run_pred(w->file, in->guard);
	return mask & (in->guard_negated ? ~p : p);
}

/* The same, counted and recorded; called where there is a guard. */
static inline uint32_t
guarded(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t left = passing(w, in, mask);
	if (in->hidden)
		return left;
	w->thread_insns -= (unsigned)__builtin_popcount(mask & ~left);
	if (w->rec)
		w->rec->guard_mask[w->rec->n_guard++] = left;
	return left;
}

static void
event(struct warp *w, enum wcp_event_kind kind, uint32_t at, uint64_t arg)
{
	struct wcp_warp_batch *b = w->rec;
	if (!b || wcp_warp_batch_reserve_event(b, 1))
		return;
	const uint32_t i = b->n_event++;
	b->event_kind[i] = (uint8_t)kind;
	b->event_lane[i] = 0;
	b->event_at[i] = at;
	b->event_arg[i] = arg;
}

static uint64_t
barrier_operand(const struct warp *w, uint32_t offset, uint32_t mask)
{
	return run_get(w->file, offset, 4, (unsigned)__builtin_ctz(mask));
}

/* brx.idx: a path for each place the lanes go to. False: an index beyond the table. */
static bool
branch_table(struct warp *w, const struct insn *in)
{
	const struct exec_table *t = &w->code->table[in->imm];
	const struct insn *first = w->code->insn;
	const struct insn *meet = t->meet == WCP_NONE32 ? NULL : first + t->meet;
	const uint32_t *index = run_32(w->file, in->a);
	for (;;) {
		struct path *p = exec_top(w);
		uint32_t lane = (uint32_t)__builtin_ctz(p->mask), same = 0;
		if (index[lane] >= t->n) {
			w->fault = (struct fault){FAULT_BRANCH_INDEX, in, lane, index[lane], 0};
			return false;
		}
		const uint32_t target = t->target[index[lane]];
		EACH_SET(l, p->mask)
		same |= (uint32_t)(index[l] < t->n && t->target[index[l]] == target) << l;
		if (same == p->mask) {
			p->in = first + target;
			return true;
		}
		exec_split(w, same, first + target, in, meet);
	}
}

/*
 * call: lanes that the guard leaves out wait behind it; with an indirect call, lanes with another
 * target come back to this instruction. True: the running path is in the callee, or w->fault;
 * false: it is to be fetched again.
 */
static bool
call(struct warp *w, const struct insn *in, uint32_t mask)
{
	const struct exec_call *c = &w->code->call[in->imm];
	const struct insn *meet = in + 1;
	const uint32_t pass = passing(w, in, mask);
	const struct exec_func *f = c->target == WCP_NONE32 ? NULL : &w->code->func[c->target];
	if (!f && pass) {
		const uint64_t *a = run_64(w->file, in->a);
		const uint64_t target = a[__builtin_ctz(pass)];
		uint32_t same = 0;
		EACH_SET(l, pass) same |= (uint32_t)(a[l] == target) << l;
		if (same != mask) {
			flush(w, in->pc, mask);
			exec_top(w)->in = in;
			exec_split(w, same, in, pass == same ? meet : in, meet);
			return false;
		}
		f = exec_func_at(w->code, target);
		if (!f) {
			w->fault = (struct fault){
			    FAULT_BAD_CALL, in, (uint32_t)__builtin_ctz(pass), target, 0};
			return true;
		}
	}
	if (in->guard)
		guarded(w, in, mask);
	flush(w, in->pc + 1, mask);
	if (!pass) {
		exec_top(w)->in = meet;
		return true;
	}
	if (pass != mask)
		exec_split(w, pass, in, meet, meet);
	return exec_call(w, in, f), true;
}

/* What the loop does after an instruction that changes more than registers. */
enum next {
	NEXT,  /* the instruction behind it */
	LOAD,  /* the running path says where */
	PICK,  /* another path */
	FAULT, /* w->fault; the instruction has been recorded */
	WAIT,  /* the same again, after others */
};

static enum next
end_lanes(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t m = in->guard ? guarded(w, in, mask) : mask;
	if (!m)
		return NEXT;
	flush(w, in->hidden ? in->pc : in->pc + 1, mask);
	exec_top(w)->in = in + 1;
	exec_end_lanes(w, m);
	exec_barrier_lanes_ended(w);
	return PICK;
}

static enum next
return_if(struct warp *w, const struct insn *in, uint32_t mask)
{
	const struct insn *back = w->code->insn + in->imm;
	const uint32_t m = guarded(w, in, mask);
	if (!m)
		return NEXT;
	flush(w, in->pc + 1, mask);
	if (m == mask)
		exec_top(w)->in = back;
	else
		exec_split(w, m, back, in + 1, back);
	return LOAD;
}

/* With check_sync: is every lane among the lanes that it names? */
static bool
names_itself(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t *member = run_32(w->file, in->a);
	EACH_SET(l, mask)
	if (!(member[l] >> l & 1)) {
		w->fault = (struct fault){FAULT_MEMBERS, in, l, member[l], 0};
		return false;
	}
	return true;
}

static enum next
gather(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t away = w->live & ~mask;
	if (UNLIKELY(w->cta->run->check_sync) && !names_itself(w, in, mask))
		return FAULT;
	if (LIKELY(!away || !(exec_members(w->file, in, mask) & away)) && !exec_top(w)->released)
		return NEXT;
	flush(w, in->pc, mask);
	return exec_gather(w, in) ? LOAD : PICK;
}

static enum next
barrier(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t m = in->guard ? guarded(w, in, mask) : mask;
	if (!m)
		return NEXT;
	flush(w, in->pc + 1, mask);
	if (in->aux & BAR_DYNAMIC)
		event(w, WCP_EVENT_BARRIER, w->seg_insns - 1,
		    barrier_operand(w, in->a, m) | barrier_operand(w, in->b, m) << 32);
	if (m != mask)
		exec_split(w, mask & ~m, in + 1, in, NULL);
	exec_top(w)->in = in;
	if (!exec_barrier(w, in, m))
		return w->fault.kind == FAULT_NONE ? PICK : FAULT;
	exec_top(w)->in = in + 1;
	return LOAD;
}

static enum next
trap(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t m = passing(w, in, mask);
	if (!m) {
		guarded(w, in, mask);
		return NEXT;
	}
	flush(w, in->pc, mask);
	w->fault = (struct fault){FAULT_TRAP, in, (uint32_t)__builtin_ctz(m), 0, 0};
	return FAULT;
}

static enum next
builtin(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t m = passing(w, in, mask);
	flush(w, in->pc, mask);
	exec_top(w)->in = in;
	enum builtin_end end = BUILTIN_DONE;
	if (m && in->fn[0]) {
		in->fn[0](in, w->file, m);
		end = w->fault.kind == FAULT_NONE ? BUILTIN_DONE : BUILTIN_FAULT;
	} else if (m) {
		end = exec_builtin(w, in, m);
	}
	if (end != BUILTIN_DONE)
		return end == BUILTIN_WAIT ? WAIT : FAULT;
	if (in->guard)
		guarded(w, in, mask);
	flush(w, in->pc + 1, mask);
	exec_top(w)->in = in + 1;
	return LOAD;
}

/* Lines that a bulk copy touches, each recorded as an execution of its own by the lane alone. */
static bool
record_lines(struct warp *w, const struct insn *in, uint32_t lane, const struct bulk_lines *lines)
{
	struct wcp_warp_batch *b = w->rec;
	const uint32_t n = (uint32_t)lines->n + 1, mask = 1u << lane;
	if (b && (wcp_warp_batch_reserve_run(b, n) || wcp_warp_batch_reserve_mem(b, n) ||
		     wcp_warp_batch_reserve_guard(b, n))) {
		w->fault = (struct fault){FAULT_MEMORY, in, lane, 0, 0, 0};
		return false;
	}
	for (uint64_t i = 0; i < lines->n; i++) {
		const struct place p = {.shape = WCP_MEM_AFFINE,
		    .space = lines->space,
		    .base = lines->first + EXEC_BULK_LINE * i};
		if (b && in->guard)
			b->guard_mask[b->n_guard++] = mask;
		run_record(w, in, mask, &p, 0, 0);
		w->mem_insns++;
		w->run_pc = in->pc;
		flush(w, in->pc + 1, mask);
	}
	return true;
}

static enum next
bulk(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t m = passing(w, in, mask);
	if (!m) {
		guarded(w, in, mask);
		return NEXT;
	}
	flush(w, in->pc, mask);
	EACH_SET(l, m)
	{
		struct bulk_lines lines;
		if (w->code->bulk[in->imm].rank) {
			if (!LEVELED(run_tensor)(w, in, l, record_lines))
				return FAULT;
			continue;
		}
		if (!LEVELED(run_bulk)(w, in, l, &lines) || !record_lines(w, in, l, &lines))
			return FAULT;
	}
	exec_top(w)->in = in + 1;
	return LOAD;
}

/* Instructions that come seldom. */
static enum next
seldom(struct warp *w, const struct insn *in, uint32_t mask)
{
	switch ((enum insn_do)in->what) {
	case DO_BRANCH_TABLE: flush(w, in->pc + 1, mask); return branch_table(w, in) ? LOAD : FAULT;
	case DO_CALL: return call(w, in, mask) && w->fault.kind != FAULT_NONE ? FAULT : LOAD;
	case DO_RETURN_IF: return return_if(w, in, mask);
	case DO_RETURN:
		flush(w, in->pc, mask);
		exec_return(w);
		return w->fault.kind == FAULT_NONE ? LOAD : FAULT;
	case DO_EXIT: return end_lanes(w, in, mask);
	case DO_GATHER: return gather(w, in, mask);
	case DO_BARRIER: return barrier(w, in, mask);
	case DO_TRAP: return trap(w, in, mask);
	case DO_BUILTIN: return builtin(w, in, mask);
	case DO_BULK: return bulk(w, in, mask);
	case DO_LANES:
	case DO_GUARDED:
	case DO_MEMORY:
	case DO_JUMP:
	case DO_BRANCH:
	case DO_RECONVERGE:
	case DO_NOTHING: break;
	}
	return NEXT;
}

/* Takes back what a memory instruction recorded before it failed. */
static void
take_back(struct warp *w, const struct insn *in, uint32_t mask, uint32_t passed)
{
	if (in->guard) {
		w->thread_insns += (unsigned)__builtin_popcount(mask & ~passed);
		if (w->rec)
			w->rec->n_guard--;
	}
	flush(w, in->pc, mask);
	exec_top(w)->in = in;
}

enum slice_end
LEVELED(run_slice)(struct warp *w, uint64_t budget)
{
	char *const file = w->file;
	const struct insn *const first = w->code->insn;
	const uint64_t limit = w->warp_insns + budget;
	const struct insn *in;
	uint32_t mask, m;
	enum next next;

pick:
	if (!exec_pick(w))
		return w->live ? SLICE_BLOCKED : SLICE_ENDED;
load:
	/* Every way back leads here, so that a slice is over within the length of the code. */
	if (UNLIKELY(w->warp_insns >= limit))
		return SLICE_BUDGET;
	in = exec_top(w)->in;
	mask = exec_top(w)->mask;
	w->run_pc = in->pc;
	for (;;) {
		const bool full = mask == WCP_FULL_MASK;
		while (LIKELY(in->what == DO_LANES)) {
			in->fn[full](in, file, mask);
			in++;
		}
		if (in->what == DO_MEMORY) {
			m = in->guard ? guarded(w, in, mask) : mask;
			if (m) {
				in->fn[m == WCP_FULL_MASK](in, file, m);
				if (UNLIKELY(w->fault.kind != FAULT_NONE)) {
					take_back(w, in, mask, m);
					return SLICE_FAULT;
				}
				w->mem_insns++;
			}
		} else if (in->what == DO_BRANCH || in->what == DO_JUMP) {
			m = in->guard ? guarded(w, in, mask) : mask;
			if (m) {
				flush(w, in->pc + 1, mask);
				if (m == mask)
					exec_top(w)->in = first + in->imm;
				else
					exec_split(w, m, first + in->imm, in + 1,
					    in->b ? first + in->b : NULL);
				if (first + in->imm <= in && UNLIKELY(++w->back >= w->check_at) &&
				    exec_spins(w, in, m))
					break;
				goto load;
			}
		} else if (in->what == DO_GUARDED) {
			m = guarded(w, in, mask);
			if (m)
				in->fn[m == WCP_FULL_MASK](in, file, m);
		} else if (in->what == DO_RECONVERGE) {
			struct path *p = exec_top(w);
			if (UNLIKELY(p->join != EXEC_NO_JOIN && w->join[p->join].at == in)) {
				flush(w, in->pc, mask);
				p->in = in;
				if (!exec_meet(w))
					goto pick;
				goto load;
			}
		} else if (in->what == DO_NOTHING) {
			if (in->guard)
				guarded(w, in, mask);
		} else if ((next = seldom(w, in, mask)) == FAULT) {
			exec_top(w)->in = in;
			return SLICE_FAULT;
		} else if (next != NEXT) {
			if (next == PICK)
				goto pick;
			if (next == WAIT)
				goto rotate;
			goto load;
		}
		in++;
	}
	event(w, WCP_EVENT_SPIN, w->seg_insns - 1, 0);
rotate:
	if (exec_rotate(w))
		goto pick;
	return SLICE_SPIN;
}

/* The interpreter's loop. */
#include "run.h"

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

static inline uint32_t
guarded(struct warp *w, const struct insn *in, uint32_t mask)
{
	const uint32_t p = *run_pred(w->file, in->guard);
	const uint32_t left = mask & (in->guard_negated ? ~p : p);
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
	const uint32_t p = in->guard ? *run_pred(w->file, in->guard) : 0;
	const uint32_t pass = in->guard ? mask & (in->guard_negated ? ~p : p) : mask;
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

enum slice_end
LEVELED(run_slice)(struct warp *w, uint64_t budget)
{
	char *const file = w->file;
	const struct insn *const first = w->code->insn;
	const uint64_t limit = w->warp_insns + budget;
	const struct insn *in;
	uint32_t mask, m;

pick:
	if (!exec_pick(w))
		return w->live ? SLICE_BLOCKED : SLICE_ENDED;
load:
	in = exec_top(w)->in;
	mask = exec_top(w)->mask;
	w->run_pc = in->pc;
	for (;;) {
		const bool full = mask == WCP_FULL_MASK;
		while (LIKELY(in->what == DO_LANES)) {
			in->fn[full](in, file, mask);
			in++;
		}
		switch ((enum insn_do)in->what) {
		case DO_LANES: break;
		case DO_GUARDED:
			m = guarded(w, in, mask);
			if (m)
				in->fn[m == WCP_FULL_MASK](in, file, m);
			in++;
			break;
		case DO_MEMORY:
			m = in->guard ? guarded(w, in, mask) : mask;
			if (m) {
				in->fn[m == WCP_FULL_MASK](in, file, m);
				if (UNLIKELY(w->fault.kind != FAULT_NONE))
					goto fault;
				w->mem_insns++;
			}
			in++;
			break;
		case DO_JUMP: m = mask; goto jump;
		case DO_BRANCH:
			m = guarded(w, in, mask);
			if (m != mask) {
				if (!m) {
					in++;
					break;
				}
				flush(w, in->pc + 1, mask);
				exec_split(
				    w, m, first + in->imm, in + 1, in->b ? first + in->b : NULL);
				goto taken;
			}
		jump:
			flush(w, in->pc + 1, mask);
			exec_top(w)->in = first + in->imm;
		taken:
			if (first + in->imm <= in) {
				if (UNLIKELY(++w->back >= w->check_at) && exec_spins(w, in, m))
					goto spins;
			}
			if (UNLIKELY(w->warp_insns >= limit))
				return SLICE_BUDGET;
			goto load;
		case DO_BRANCH_TABLE:
			flush(w, in->pc + 1, mask);
			if (!branch_table(w, in))
				goto fault_after;
			goto load;
		case DO_CALL:
			if (call(w, in, mask) && w->fault.kind != FAULT_NONE)
				goto fault_after;
			goto load;
		case DO_RETURN_IF:
			m = guarded(w, in, mask);
			if (!m) {
				in++;
				break;
			}
			if (m == mask)
				goto jump;
			flush(w, in->pc + 1, mask);
			exec_split(w, m, first + in->imm, in + 1, first + in->imm);
			goto load;
		case DO_RETURN:
			flush(w, in->pc, mask);
			exec_return(w);
			if (w->fault.kind != FAULT_NONE)
				goto fault_after;
			goto load;
		case DO_EXIT:
			m = in->guard ? guarded(w, in, mask) : mask;
			if (!m) {
				in++;
				break;
			}
			flush(w, in->hidden ? in->pc : in->pc + 1, mask);
			exec_top(w)->in = in + 1;
			exec_end_lanes(w, m);
			exec_barrier_lanes_ended(w);
			goto pick;
		case DO_RECONVERGE: {
			struct path *p = exec_top(w);
			if (LIKELY(p->join == EXEC_NO_JOIN || w->join[p->join].at != in)) {
				in++;
				break;
			}
			flush(w, in->pc, mask);
			p->in = in;
			if (!exec_meet(w))
				goto pick;
			goto load;
		}
		case DO_GATHER: {
			const uint32_t want = run_32(file, in->a)[__builtin_ctz(mask)] & w->live;
			if (LIKELY((mask & want) == want) && !exec_top(w)->released) {
				in++;
				break;
			}
			flush(w, in->pc, mask);
			if (!exec_gather(w, in, want))
				goto pick;
			exec_top(w)->in = in + 1;
			goto load;
		}
		case DO_BARRIER:
			m = in->guard ? guarded(w, in, mask) : mask;
			if (!m) {
				in++;
				break;
			}
			flush(w, in->pc + 1, mask);
			if (in->aux & BAR_DYNAMIC)
				event(w, WCP_EVENT_BARRIER, w->seg_insns - 1,
				    barrier_operand(w, in->a, m) | barrier_operand(w, in->b, m)
								       << 32);
			if (m != mask) {
				exec_top(w)->in = in;
				exec_split(w, mask & ~m, in + 1, in, NULL);
			}
			exec_top(w)->in = in;
			if (!exec_barrier(w, in, m)) {
				if (w->fault.kind != FAULT_NONE)
					goto fault_after;
				goto pick;
			}
			exec_top(w)->in = in + 1;
			goto load;
		case DO_TRAP:
			m = in->guard ? guarded(w, in, mask) : mask;
			if (m) {
				w->fault = (struct fault){
				    FAULT_TRAP, in, (uint32_t)__builtin_ctz(m), 0, 0};
				goto fault;
			}
			in++;
			break;
		case DO_NOTHING:
			if (in->guard)
				guarded(w, in, mask);
			in++;
			break;
		}
	}
spins:
	event(w, WCP_EVENT_SPIN, w->seg_insns - 1, 0);
	if (exec_rotate(w))
		goto pick;
	return SLICE_SPIN;
fault:
	/* what the instruction recorded before it failed is taken back with its guard */
	if (in->guard) {
		w->thread_insns += (unsigned)__builtin_popcount(mask & ~m);
		if (w->rec)
			w->rec->n_guard--;
	}
	flush(w, in->pc, mask);
fault_after:
	exec_top(w)->in = in;
	return SLICE_FAULT;
}

/* cp.async, done at once, and mbarrier. Lanes one after the other, lowest first. */
#include "access.h"
#include "exec/access.h"

/* c: how many, or, with aux, a predicate that says whether to read none */
static uint32_t
bytes_to_read(const struct insn *in, const char *file, unsigned lane, uint32_t size)
{
	if (in->aux)
		return (*run_pred((char *)(uintptr_t)file, in->c) >> lane & 1) != in->negate ? 0
											     : size;
	const uint32_t n = in->c ? (uint32_t)run_get(file, in->c, 4, lane) : size;
	return n < size ? n : size;
}

/* Lanes that read nothing may name any address: they are told with the others at a place that is
 * read, or, if there is none, as they are. False: w->fault. */
static bool
find_sources(struct warp *w, const struct insn *in, uint32_t mask, uint32_t reading)
{
	const struct mem_op *op = &w->code->mem[in->e];
	const uint64_t *a = run_addresses(in, w->file, op->addr_bytes, w->addr);
	struct place p = {.space = WCP_SPACE_GLOBAL};
	if (!reading) {
		run_shape_some(a, mask, &p);
		run_record(w, in, mask, &p, 0, 0);
		return true;
	}
	const uint64_t some = a[__builtin_ctz(reading)];
	for (unsigned l = 0; l < WCP_LANES; l++)
		w->addr[l] = reading >> l & 1 ? a[l] : some;
	return LEVELED(run_reach)(in, w->file, mask, w->addr);
}

static char *
destination(struct warp *w, const struct insn *in, uint32_t lane, uint32_t size)
{
	const uint64_t at = run_64(w->file, in->b)[lane] + (uint64_t)(int64_t)(int32_t)in->d2;
	if (size && at % size) {
		exec_fault(w, FAULT_MISALIGNED, in, lane, at, WCP_SPACE_SHARED);
		return NULL;
	}
	char *to = exec_shared_at(w->cta, at, size);
	if (!to)
		exec_fault(w, FAULT_BOUNDS, in, lane, at, WCP_SPACE_SHARED);
	else
		exec_shared_wrote(w->cta, to, size);
	return to;
}

lane_fn LEVELED(run_async_copy), LEVELED(run_mbarrier), LEVELED(run_pending_count);

void
LEVELED(run_async_copy)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const uint32_t size = w->code->mem[in->e].size;
	uint32_t reading = 0;
	EACH_SET(l, mask) reading |= (uint32_t)(bytes_to_read(in, file, l, size) > 0) << l;
	if (!find_sources(w, in, mask, reading))
		return;
	w->progress++;
	EACH_SET(l, mask)
	{
		const uint32_t n = bytes_to_read(in, file, l, size);
		char *to = destination(w, in, l, size);
		if (!to)
			return;
		memset(to + n, 0, size - n);
		if (n)
			memcpy(to, w->at[l], n);
	}
}

/* ---- mbarrier ---- */

#define COUNT_BITS 20
#define COUNT_MASK ((1u << COUNT_BITS) - 1)
#define PHASE_MASK 7u

struct object {
	uint32_t pending, expected, phase;
	int32_t bytes;
};

static struct object
unpack(uint64_t v)
{
	return (struct object){(uint32_t)v & COUNT_MASK, (uint32_t)(v >> COUNT_BITS) & COUNT_MASK,
	    (uint32_t)(v >> 2 * COUNT_BITS) & PHASE_MASK, (int32_t)((int64_t)v >> 43)};
}

static uint64_t
pack(const struct object *o)
{
	return (uint64_t)(o->pending & COUNT_MASK) |
	       (uint64_t)(o->expected & COUNT_MASK) << COUNT_BITS |
	       (uint64_t)(o->phase & PHASE_MASK) << 2 * COUNT_BITS | (uint64_t)o->bytes << 43;
}

static void
arrive(struct object *o, uint32_t count)
{
	o->pending -= count;
	if (o->pending || o->bytes)
		return;
	o->phase = (o->phase + 1) & PHASE_MASK;
	o->pending = o->expected;
}

static void
change(struct object *o, enum mbarrier_what what, uint32_t n)
{
	switch (what) {
	case MBARRIER_INIT: *o = (struct object){n, n, 0, 0}; break;
	case MBARRIER_INVAL: break; /* others may not have seen yet that the phase is over */
	case MBARRIER_DROP:
		o->expected -= n;
		arrive(o, n);
		break;
	case MBARRIER_DROP_EXPECT:
		o->bytes += (int32_t)n;
		o->expected--;
		arrive(o, 1);
		break;
	case MBARRIER_ARRIVE: arrive(o, n); break;
	case MBARRIER_COPIES: arrive(o, 1); break;
	case MBARRIER_EXPECT: o->bytes += (int32_t)n; break;
	case MBARRIER_COMPLETE:
		o->bytes -= (int32_t)n;
		arrive(o, 0);
		break;
	case MBARRIER_ARRIVE_EXPECT:
		o->bytes += (int32_t)n;
		arrive(o, 1);
		break;
	case MBARRIER_TEST:
	case MBARRIER_PARITY:
	case MBARRIER_NOTHING: break;
	}
}

static void
test(struct warp *w, const struct insn *in, uint32_t lane, const struct object *o)
{
	uint32_t *d = run_pred(w->file, in->d);
	const bool parity = in->aux == MBARRIER_PARITY;
	const uint64_t want = run_get(w->file, in->b, parity ? 4 : 8, lane);
	const bool over = parity ? (o->phase & 1) != (want & 1) : o->phase != unpack(want).phase;
	if (in->d)
		*d = (*d & ~(1u << lane)) | (uint32_t)over << lane;
}

void
LEVELED(run_mbarrier)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const enum mbarrier_what what = (enum mbarrier_what)in->aux;
	const bool tests = what == MBARRIER_TEST || what == MBARRIER_PARITY;
	if (!LEVELED(run_spread)(in, file, mask) ||
	    (w->cta->shared_written && !exec_check_shared(w, in, mask, what == MBARRIER_INIT)))
		return;
	w->polls++;
	w->progress += !tests;
	EACH_SET(l, mask)
	{
		uint64_t v;
		memcpy(&v, w->at[l], 8);
		struct object o = unpack(v);
		if (tests) {
			test(w, in, l, &o);
			continue;
		}
		change(&o, what, in->b ? (uint32_t)run_get(file, in->b, 4, l) : 1);
		if (in->d)
			run_put(file, in->d, 8, l, v);
		v = pack(&o);
		memcpy(w->at[l], &v, 8);
	}
}

void
LEVELED(run_complete)(char *object, uint32_t bytes)
{
	uint64_t v;
	memcpy(&v, object, 8);
	struct object o = unpack(v);
	change(&o, MBARRIER_COMPLETE, bytes);
	v = pack(&o);
	memcpy(object, &v, 8);
}

void
LEVELED(run_pending_count)(RUN_ARGS)
{
	EACH_SET(l, mask)
	run_32(file, in->d)[l] = unpack(run_64(file, in->a)[l]).pending;
}

lane_fn LEVELED(run_map_rank), LEVELED(run_rank_of), LEVELED(run_is_explicit_cluster);

/* 64-bit d: address a, shared memory in a window that begins at imm, in the CTA of rank b */
void
LEVELED(run_map_rank)(RUN_ARGS)
{
	const uint64_t *a = run_64(file, in->a), window = (uint64_t)in->imm;
	const uint32_t *rank = run_32(file, in->b);
	EACH_SET(l, mask)
	run_64(file, in->d)[l] = window + exec_shared_in(a[l] - window, rank[l]);
}

void
LEVELED(run_rank_of)(RUN_ARGS)
{
	EACH_SET(l, mask)
	{
		const uint64_t at = run_64(file, in->a)[l] - (uint64_t)in->imm;
		const uint32_t rank = (uint32_t)(at >> EXEC_RANK_SHIFT);
		run_32(file, in->d)[l] = rank ? rank - 1 : run_warp(file)->cta->rank;
	}
}

void
LEVELED(run_is_explicit_cluster)(RUN_ARGS)
{
	uint32_t *d = run_pred(file, in->d);
	*d = (*d & ~mask) | (run_warp(file)->cta->run->explicit_cluster ? mask : 0);
}

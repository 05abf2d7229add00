/* Moves between registers: what the engine needs beside the lane operations. */
#include "run.h"

#define MOVE(name, type)                                                       \
	static void name##_all(RUN_ARGS)                                       \
	{                                                                      \
		(void)mask;                                                    \
		memmove(file + in->d, file + in->a, WCP_LANES * sizeof(type)); \
	}                                                                      \
	static void name##_some(RUN_ARGS)                                      \
	{                                                                      \
		type *d = (type *)(void *)(file + in->d);                      \
		const type *a = (const type *)(void *)(file + in->a);          \
		EACH_LANE d[l] = mask >> l & 1 ? a[l] : d[l];                  \
	}
MOVE(copy16, uint16_t)
MOVE(copy32, uint32_t)
MOVE(copy64, uint64_t)

static void
copy_pred(RUN_ARGS)
{
	uint32_t *d = run_pred(file, in->d);
	*d = (*d & ~mask) | (*run_pred(file, in->a) & mask);
}

static void
not_pred(RUN_ARGS)
{
	uint32_t *d = run_pred(file, in->d);
	*d = (*d & ~mask) | (~*run_pred(file, in->a) & mask);
}

static void
convert(RUN_ARGS)
{
	unsigned from = in->aux & 15, to = in->aux >> 4 & 15, value = in->aux >> 9 & 15;
	bool is_signed = in->aux >> 8 & 1;
	EACH_SET(l, mask)
	run_put(file, in->d, to, l, run_extend(run_get(file, in->a, from, l), value, is_signed));
}

/* Halves of registers of 32 and 64 bits, which is what nearly all vectors of mov are. */
#define HALVES(bits, wide, half)                                            \
	static void unpack##bits(RUN_ARGS, unsigned shift)                  \
	{                                                                   \
		const wide *a = (const wide *)(void *)(file + in->a);       \
		half *d = (half *)(void *)(file + in->d);                   \
		EACH_LANE                                                   \
		{                                                           \
			const half r = (half)(a[l] >> shift);               \
			d[l] = mask >> l & 1 ? r : d[l];                    \
		}                                                           \
	}                                                                   \
	static void pack##bits(RUN_ARGS, unsigned shift)                    \
	{                                                                   \
		const half *a = (const half *)(void *)(file + in->a);       \
		wide *d = (wide *)(void *)(file + in->d);                   \
		const wide keep = shift ? (wide) ~(wide)0 : 0;              \
		EACH_LANE                                                   \
		{                                                           \
			const wide r = (d[l] & keep) | (wide)a[l] << shift; \
			d[l] = mask >> l & 1 ? r : d[l];                    \
		}                                                           \
	}
HALVES(64, uint64_t, uint32_t)
HALVES(32, uint32_t, uint16_t)

/* aux: bit position in the source | source bytes << 8 | destination bytes << 12 */
static void
unpack(RUN_ARGS)
{
	unsigned shift = in->aux & 255, from = in->aux >> 8 & 15, to = in->aux >> 12;
	if (from == 8 && to == 4)
		unpack64(in, file, mask, shift);
	else if (from == 4 && to == 2)
		unpack32(in, file, mask, shift);
	else
		EACH_SET(l, mask)
	run_put(file, in->d, to, l, run_get(file, in->a, from, l) >> shift);
}

/* aux as above, the position is in the destination; imm: bytes of the part. Position 0 clears the
 * rest. */
static void
pack(RUN_ARGS)
{
	unsigned shift = in->aux & 255, from = in->aux >> 8 & 15, to = in->aux >> 12;
	if (from == 4 && to == 8 && in->imm == 4) {
		pack64(in, file, mask, shift);
		return;
	}
	if (from == 2 && to == 4 && in->imm == 2) {
		pack32(in, file, mask, shift);
		return;
	}
	EACH_SET(l, mask)
	{
		uint64_t part = run_extend(run_get(file, in->a, from, l), (unsigned)in->imm, false);
		uint64_t old = shift ? run_get(file, in->d, to, l) : 0;
		run_put(file, in->d, to, l, old | part << shift);
	}
}

static void
add_imm(RUN_ARGS)
{
	uint64_t *d = run_64(file, in->d);
	const uint64_t *a = run_64(file, in->a);
	uint64_t imm = (uint64_t)in->imm;
	EACH_LANE d[l] = mask >> l & 1 ? a[l] + imm : d[l];
}

static void
in_window(RUN_ARGS)
{
	const uint64_t *a = run_64(file, in->a);
	uint32_t *d = run_pred(file, in->d), r = 0;
	for (unsigned l = 0; l < WCP_LANES; l++)
		r |= (uint32_t)(a[l] - (uint64_t)in->imm < EXEC_WINDOW_BYTES) << l;
	*d = (*d & ~mask) | (r & mask);
}

static void
outside(RUN_ARGS)
{
	const uint64_t *a = run_64(file, in->a);
	uint32_t *d = run_pred(file, in->d), r = 0;
	for (unsigned l = 0; l < WCP_LANES; l++)
		r |= (uint32_t)(a[l] >= WCP_DEVICE_BASE) << l;
	*d = (*d & ~mask) | (r & mask);
}

/* A clock that repeats from run to run: instructions this warp has executed, and its sleep. */
static void
clock_fn(RUN_ARGS)
{
	const struct warp *w = run_warp(file);
	uint64_t now = w->cta->run->clock + w->slept +
		       CYCLES_PER_INSN * (w->warp_insns + (in->pc - w->run_pc));
	const bool wide = in->aux == SPECIAL_CLOCK64 || in->aux == SPECIAL_GLOBALTIMER;
	const bool high = in->aux == SPECIAL_CLOCK_HI || in->aux == SPECIAL_GLOBALTIMER_HI;
	EACH_SET(l, mask)
	run_put(file, in->d, wide ? 8 : 4, l, high ? now >> 32 : now);
}

/* The longest sleep counts: lanes sleep together. */
static void
sleep_fn(RUN_ARGS)
{
	uint32_t most = 0;
	EACH_SET(l, mask)
	most = run_32(file, in->a)[l] > most ? run_32(file, in->a)[l] : most;
	run_warp(file)->slept += most;
}

/* alloca: room of b bytes at the end of the lane's local memory, growing down. */
static void
alloca_fn(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct path *p = exec_top(w);
	const uint32_t top = (p->frame ? w->frame[p->frame].local_top : 0) + in->c;
	EACH_SET(l, mask)
	{
		const uint64_t bytes = run_get(file, in->b, 8, l), align = (uint64_t)in->imm;
		if (bytes > w->dynamic[l] || ((w->dynamic[l] - bytes) & ~(align - 1)) < top) {
			w->fault = (struct fault){FAULT_LOCAL_STACK, in, l, bytes, 0};
			return;
		}
		w->dynamic[l] = (uint32_t)((w->dynamic[l] - bytes) & ~(align - 1));
		run_put(file, in->d, 8, l, w->dynamic[l]);
	}
}

static void
stack_save(RUN_ARGS)
{
	EACH_SET(l, mask) run_put(file, in->d, 8, l, run_warp(file)->dynamic[l]);
}

static void
stack_restore(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	EACH_SET(l, mask)
	{
		const uint64_t to = run_get(file, in->a, 8, l);
		if (to <= w->code->local_bytes && to >= w->dynamic[l])
			w->dynamic[l] = (uint32_t)to;
	}
}

static void
local_address(RUN_ARGS)
{
	const struct warp *w = run_warp(file);
	const struct path *p = &w->path[w->n_path - 1];
	uint64_t base = p->frame ? w->frame[p->frame].local_top : 0;
	EACH_SET(l, mask)
	run_put(file, in->d, 8, l, base + (uint64_t)in->imm);
}

/* Call parameters: unit u of lane l is at d + 256 u + 8 l. */
static char *
unit(char *file, const struct insn *in, const struct mem_op *op, unsigned k, unsigned lane)
{
	uint64_t at = (uint64_t)in->imm + (uint64_t)k * op->size;
	return file + in->a + at / 8 * 256 + 8 * lane + at % 8;
}

/* Element k is one register, word for word: no bytes of others, no sign to extend. */
static bool
is_word(const struct mem_op *op, unsigned k)
{
	return op->size == op->reg_bytes[k] && (op->size == 8 || op->size == 4);
}

static void
word_load(RUN_ARGS, const struct mem_op *op, unsigned k)
{
	const uint64_t at = (uint64_t)in->imm + (uint64_t)k * op->size;
	const uint64_t *from = run_64(file, in->a + (uint32_t)(at / 8 * 256));
	uint64_t *d64 = run_64(file, op->reg[k]);
	uint32_t *d32 = run_32(file, op->reg[k]);
	const unsigned shift = at % 8 * 8;
	if (op->size == 8)
		EACH_LANE d64[l] = mask >> l & 1 ? from[l] : d64[l];
	else
		EACH_LANE d32[l] = mask >> l & 1 ? (uint32_t)(from[l] >> shift) : d32[l];
}

static void
word_store(RUN_ARGS, const struct mem_op *op, unsigned k)
{
	const uint64_t at = (uint64_t)in->imm + (uint64_t)k * op->size;
	uint64_t *to = run_64(file, in->a + (uint32_t)(at / 8 * 256));
	const uint64_t *a64 = run_64(file, op->reg[k]);
	const uint32_t *a32 = run_32(file, op->reg[k]);
	const unsigned shift = at % 8 * 8;
	const uint64_t keep = ~((uint64_t)0xffffffffu << shift);
	if (op->size == 8)
		EACH_LANE to[l] = mask >> l & 1 ? a64[l] : to[l];
	else
		EACH_LANE
		{
			const uint64_t r = (to[l] & keep) | (uint64_t)a32[l] << shift;
			to[l] = mask >> l & 1 ? r : to[l];
		}
}

static void
param_load(RUN_ARGS)
{
	const struct mem_op *op = &run_warp(file)->code->mem[in->e];
	for (unsigned k = 0; k < op->n; k++) {
		if (is_word(op, k)) {
			word_load(in, file, mask, op, k);
			continue;
		}
		EACH_SET(l, mask)
		{
			uint64_t v = 0;
			memcpy(&v, unit(file, in, op, k, l), op->size);
			if (op->reg_bytes[k])
				run_put(file, op->reg[k], op->reg_bytes[k], l,
				    run_extend(v, op->size, op->is_signed));
		}
	}
}

static void
param_store(RUN_ARGS)
{
	const struct mem_op *op = &run_warp(file)->code->mem[in->e];
	for (unsigned k = 0; k < op->n; k++) {
		if (is_word(op, k)) {
			word_store(in, file, mask, op, k);
			continue;
		}
		EACH_SET(l, mask)
		{
			uint64_t v = run_get(file, op->reg[k], op->reg_bytes[k], l);
			memcpy(unit(file, in, op, k, l), &v, op->size);
		}
	}
}

static void
param_spill(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct path *p = exec_top(w);
	const uint32_t at = (p->frame ? w->frame[p->frame].local_top : 0) + (uint32_t)in->imm;
	for (uint32_t u = 0; u < in->b; u++)
		EACH_SET(l, mask)
	memcpy(w->local + (size_t)l * exec_local_step(w->code) + at + 8 * u,
	    file + in->a + 256 * u + 8 * l, 8);
	if (at + 8 * in->b > w->local_used)
		w->local_used = at + 8 * in->b;
}

lane_fn LEVELED(run_prefetch), LEVELED(run_atomic), LEVELED(run_load_param);
lane_fn LEVELED(run_load32_global_some), LEVELED(run_load32_global_all),
    LEVELED(run_load32_shared_some), LEVELED(run_load32_shared_all),
    LEVELED(run_load64_global_some), LEVELED(run_load64_global_all),
    LEVELED(run_load64_shared_some), LEVELED(run_load64_shared_all),
    LEVELED(run_store32_global_some), LEVELED(run_store32_global_all),
    LEVELED(run_store32_shared_some), LEVELED(run_store32_shared_all),
    LEVELED(run_store64_global_some), LEVELED(run_store64_global_all),
    LEVELED(run_store64_shared_some), LEVELED(run_store64_shared_all);
enum slice_end LEVELED(run_slice)(struct warp *w, uint64_t budget);
extern lane_fn *const LEVELED(run_matrix)[MATRIX_COUNT];
extern lane_fn *const LEVELED(run_fetch)[FETCH_COUNT];
lane_fn LEVELED(run_async_copy), LEVELED(run_mbarrier), LEVELED(run_pending_count),
    LEVELED(run_map_rank), LEVELED(run_rank_of), LEVELED(run_is_explicit_cluster),
    LEVELED(run_store_async);

#define PAIR(name)                                                    \
	{                                                             \
		LEVELED(run_##name##_some), LEVELED(run_##name##_all) \
	}
const struct exec_level LEVELED(exec_level) = {
    .slice = LEVELED(run_slice),
    .copy = {{copy_pred, copy_pred}, {copy16_some, copy16_all}, {copy32_some, copy32_all},
	{copy64_some, copy64_all}},
    .convert = {convert, convert},
    .unpack = {unpack, unpack},
    .pack = {pack, pack},
    .add_imm = {add_imm, add_imm},
    .in_window = {in_window, in_window},
    .outside = {outside, outside},
    .not_pred = {not_pred, not_pred},
    .clock = {clock_fn, clock_fn},
    .local_address = {local_address, local_address},
    .param_load = {param_load, param_load},
    .param_store = {param_store, param_store},
    .param_spill = {param_spill, param_spill},
    .load_const_param = {LEVELED(run_load_param), LEVELED(run_load_param)},
    .load = {PAIR(load32_global), PAIR(load32_shared)},
    .load_wide = {PAIR(load64_global), PAIR(load64_shared)},
    .store = {PAIR(store32_global), PAIR(store32_shared)},
    .store_wide = {PAIR(store64_global), PAIR(store64_shared)},
    .load_any = PAIR(load),
    .store_any = PAIR(store),
    .atomic = {LEVELED(run_atomic), LEVELED(run_atomic)},
    .prefetch = {LEVELED(run_prefetch), LEVELED(run_prefetch)},
    .alloca = {alloca_fn, alloca_fn},
    .stack_save = {stack_save, stack_save},
    .stack_restore = {stack_restore, stack_restore},
    .sleep = {sleep_fn, sleep_fn},
    .matrix = LEVELED(run_matrix),
    .fetch = LEVELED(run_fetch),
    .async_copy = LEVELED(run_async_copy),
    .mbarrier = LEVELED(run_mbarrier),
    .pending_count = LEVELED(run_pending_count),
    .map_rank = LEVELED(run_map_rank),
    .rank_of = LEVELED(run_rank_of),
    .store_async = LEVELED(run_store_async),
    .is_explicit_cluster = LEVELED(run_is_explicit_cluster),
};

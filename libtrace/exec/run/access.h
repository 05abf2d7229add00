/*
 * Where the lanes of a memory instruction go: one test of the 32 addresses finds their shape, and
 * with it the bounds check and the record.
 */
#ifndef EXEC_RUN_ACCESS_H
#define EXEC_RUN_ACCESS_H

#include "run.h"

struct place {
	uint8_t shape; /* enum wcp_mem_shape */
	uint8_t space; /* enum wcp_space */
	uint64_t base; /* address of lane 0 by the shape */
	int64_t stride, pitch;
	const uint64_t *list; /* [32] addresses; only active lanes count */
	uint64_t host;	      /* host address of address 0 */
	uint64_t lo, hi;      /* window around it */
};

/* Strides beyond this could wrap around inside the 32 lanes and are listed instead. */
#define STRIDE_LIMIT (1ll << 40)

typedef uint64_t run_v8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint64_t run_v4 __attribute__((vector_size(32), aligned(8), may_alias));

static inline bool
run_affine_all(const uint64_t *a)
{
	const uint64_t d = a[1] - a[0];
	const run_v8 want = {d, d, d, d, d, d, d, d};
	run_v8 bad = {0};
	static const unsigned start[4] = {0, 8, 16, 23};
	for (unsigned i = 0; i < 4; i++) {
		const run_v8 x = *(const run_v8 *)(a + start[i]);
		const run_v8 y = *(const run_v8 *)(a + start[i] + 1);
		bad |= (y - x) ^ want;
	}
	return !(bad[0] | bad[1] | bad[2] | bad[3] | bad[4] | bad[5] | bad[6] | bad[7]);
}

/* Does address = a[0] + stride (l % tile) + pitch (l / tile) hold for every lane? It does where
 * each step in the first row is stride and each lane lies pitch beyond that of the row before. */
static inline bool
run_is_tile(const uint64_t *a, unsigned tile, uint64_t stride, uint64_t pitch)
{
	const run_v4 want = {pitch, pitch, pitch, pitch};
	run_v4 bad = {0};
	uint64_t row = 0;
	for (unsigned l = 0; l + 1 < tile; l++)
		row |= (a[l + 1] - a[l]) ^ stride;
	if (row)
		return false;
	/* of rows of two the last vector is there twice */
	for (unsigned l = 0; l < WCP_LANES - tile; l += 4) {
		const unsigned at = l + 4 + tile > WCP_LANES ? WCP_LANES - tile - 4 : l;
		bad |= (*(const run_v4 *)(a + at + tile) - *(const run_v4 *)(a + at)) ^ want;
	}
	return !(bad[0] | bad[1] | bad[2] | bad[3]);
}

static inline bool
run_small(uint64_t stride)
{
	return (int64_t)stride < STRIDE_LIMIT && (int64_t)stride > -STRIDE_LIMIT;
}

static inline void
run_shape_all(const uint64_t *a, struct place *p)
{
	const uint64_t d = a[1] - a[0];
	p->list = a;
	p->base = a[0];
	p->stride = (int64_t)d;
	p->pitch = 0;
	if (LIKELY(run_affine_all(a)) && run_small(d)) {
		p->shape = WCP_MEM_AFFINE;
		return;
	}
	p->shape = WCP_MEM_LIST;
	/* Every tile has equal steps from lanes 0, 2 and 4. */
	if (a[3] - a[2] != d || a[5] - a[4] != d || !run_small(d))
		return;
	for (unsigned k = 0; k < 4; k++) {
		unsigned tile = 16u >> k;
		uint64_t pitch = a[tile] - a[0];
		if (run_small(pitch) && run_is_tile(a, tile, d, pitch)) {
			p->shape = (uint8_t)(WCP_MEM_TILE16 + k);
			p->pitch = (int64_t)pitch;
			return;
		}
	}
}

/* The step between two lanes' addresses; false if it is no whole number. */
static inline bool
run_step(uint64_t from, uint64_t to, unsigned lanes, int64_t *step)
{
	int64_t d = (int64_t)(to - from);
	*step = lanes == 1 ? d : d / (int64_t)lanes;
	return *step * (int64_t)lanes == d && run_small((uint64_t)*step);
}

/* The same for some lanes of a tile: rows of 1 << shift lanes, steps taken from the first lanes
 * that show them. */
static inline bool
run_tile_some(const uint64_t *a, uint32_t mask, unsigned shift, struct place *p)
{
	const unsigned tile = 1u << shift;
	uint32_t row_mask = tile == 32 ? WCP_FULL_MASK : (1u << tile) - 1;
	int64_t stride = 0, pitch = 0;
	bool have_stride = false, have_pitch = false;
	for (unsigned r = 0; r < 32u >> shift && !have_stride; r++) {
		uint32_t row = mask & row_mask << (r << shift);
		if (!(row & (row - 1)))
			continue;
		unsigned f = (unsigned)__builtin_ctz(row),
			 n = (unsigned)__builtin_ctz(row & (row - 1));
		if (!run_step(a[f], a[n], n - f, &stride))
			return false;
		have_stride = true;
	}
	unsigned f = (unsigned)__builtin_ctz(mask);
	uint64_t first = a[f] - (uint64_t)stride * (f & (tile - 1));
	EACH_SET(l, mask)
	{
		uint64_t row_at = a[l] - (uint64_t)stride * (l & (tile - 1));
		unsigned rows = (l >> shift) - (f >> shift);
		if (rows && !have_pitch) {
			if (!run_step(first, row_at, rows, &pitch))
				return false;
			have_pitch = true;
		}
		if (row_at != first + (uint64_t)pitch * rows)
			return false;
	}
	p->base = first - (uint64_t)pitch * (f >> shift);
	p->stride = stride;
	p->pitch = pitch;
	return true;
}

static inline void
run_shape_some(const uint64_t *a, uint32_t mask, struct place *p)
{
	p->list = a;
	p->shape = WCP_MEM_AFFINE;
	if (run_tile_some(a, mask, 5, p))
		return;
	for (unsigned k = 0; k < 4; k++)
		if (run_tile_some(a, mask, 4 - k, p)) {
			p->shape = (uint8_t)(WCP_MEM_TILE16 + k);
			return;
		}
	p->shape = WCP_MEM_LIST;
	p->base = 0;
	p->stride = p->pitch = 0;
}

/* Lowest address of the active lanes and one past the highest byte; misaligned lanes show in *bits.
 */
static inline void
run_bounds(const struct place *p, uint32_t mask, unsigned bytes, uint64_t *lo, uint64_t *hi,
    uint64_t *bits)
{
	const uint64_t *a = p->list;
	if (p->shape == WCP_MEM_AFFINE) {
		unsigned f = (unsigned)__builtin_ctz(mask), n = 31 - (unsigned)__builtin_clz(mask);
		uint64_t x = p->base + (uint64_t)p->stride * f,
			 y = p->base + (uint64_t)p->stride * n;
		*lo = x < y ? x : y;
		*hi = (x < y ? y : x) + bytes;
		*bits = x | (f == n ? 0 : (uint64_t)p->stride * (mask & (mask >> 1) ? 1 : 0)) | y;
		if (!(mask & (mask >> 1)))
			EACH_SET(l, mask) *bits |= p->base + (uint64_t)p->stride * l;
		return;
	}
	uint64_t least = ~0ull, most = 0, or = 0;
	if (mask == WCP_FULL_MASK) {
		EACH_LANE least = a[l] < least ? a[l] : least;
		EACH_LANE most = a[l] > most ? a[l] : most;
		EACH_LANE or |= a[l];
	} else {
		EACH_SET(l, mask)
		{
			least = a[l] < least ? a[l] : least;
			most = a[l] > most ? a[l] : most;
			or |= a[l];
		}
	}
	*lo = least;
	*hi = most + bytes;
	*bits = or ;
}

static inline void
run_record_list(struct wcp_warp_batch *b, const uint64_t *list, uint64_t bias, uint32_t mask)
{
	uint64_t *to;
	if (UNLIKELY(b->n_addr + WCP_LANES > b->cap_addr) &&
	    wcp_warp_batch_reserve_addr(b, WCP_LANES))
		return;
	to = b->addr + b->n_addr;
	if (mask == WCP_FULL_MASK)
		EACH_LANE to[l] = list[l] - bias;
	else
		EACH_SET(l, mask) *to++ = list[l] - bias;
	b->n_addr += (uint32_t)__builtin_popcount(mask);
}

/* Room was made when the slice began. Addresses are recorded less bias. */
static inline void
run_record(struct warp *w, const struct insn *in, uint32_t mask, const struct place *p,
    uint64_t bias, unsigned flags)
{
	struct wcp_warp_batch *b = w->rec;
	if (!b)
		return;
	uint32_t i = b->n_mem++;
	b->mem_pc[i] = in->pc;
	b->mem_mask[i] = mask;
	b->mem_shape[i] = p->shape;
	b->mem_space[i] = p->space;
	b->mem_flags[i] = (uint8_t)flags;
	b->mem_addr[i] = b->n_addr;
	if (p->shape == WCP_MEM_LIST) {
		b->mem_base[i] = 0;
		b->mem_stride[i] = b->mem_pitch[i] = 0;
		run_record_list(b, p->list, bias, mask);
		return;
	}
	b->mem_base[i] = p->base - bias;
	b->mem_stride[i] = p->stride;
	b->mem_pitch[i] = p->pitch;
}

/* Addresses of the lanes; inactive lanes' are whatever their registers say. */
static inline const uint64_t *
run_addresses(const struct insn *in, char *file, unsigned addr_bytes, uint64_t *scratch)
{
	if (addr_bytes == 8) {
		const uint64_t *a = run_64(file, in->a);
		const uint64_t imm = (uint64_t)in->imm;
		if (!imm)
			return a;
		EACH_LANE scratch[l] = a[l] + imm;
	} else {
		const uint32_t *a = run_32(file, in->a);
		const uint32_t imm = (uint32_t)in->imm;
		EACH_LANE scratch[l] = (uint32_t)(a[l] + imm);
	}
	return scratch;
}

bool LEVELED(run_spread)(const struct insn *in, char *file, uint32_t mask);
/* What an atomic leaves in memory that held old; b is the operand, c what cas stores. */
uint64_t LEVELED(run_combine)(const struct mem_op *m, uint64_t old, uint64_t b, uint64_t c);
/* run_spread with addresses that the instruction's operand does not tell. */
bool LEVELED(run_reach)(const struct insn *in, char *file, uint32_t mask, const uint64_t *a);
/* The bulk copy of one lane, done; what there is to record of it. False: w->fault. */
bool LEVELED(run_bulk)(
    struct warp *w, const struct insn *in, uint32_t lane, struct bulk_lines *lines);
/* So many bytes came to the mbarrier object. */
void LEVELED(run_complete)(char *object, uint32_t bytes);

#endif

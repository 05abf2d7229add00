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

/* Four lanes' addresses. They are read in the pieces that they were written in: a load that spans
 * two stores under way waits for both. */
typedef uint64_t run_v4 __attribute__((vector_size(32), aligned(8), may_alias));

static inline void
run_splat(run_v4 *v, uint64_t x)
{
	*v = (run_v4){x, x, x, x};
}

/* first and the three that follow in steps */
static inline void
run_ramp(run_v4 *v, uint64_t first, uint64_t step)
{
	static const run_v4 odd = {0, ~0ull, 0, ~0ull}, upper = {0, 0, ~0ull, ~0ull};
	run_v4 one, two;
	run_splat(v, first);
	run_splat(&one, step);
	run_splat(&two, 2 * step);
	*v += (one & odd) + (two & upper);
}

static inline bool
run_is_zero(const run_v4 *v)
{
	return !((*v)[0] | (*v)[1] | (*v)[2] | (*v)[3]);
}

static inline bool
run_affine_all(const uint64_t *a)
{
	const uint64_t d = a[1] - a[0];
	const run_v4 *at = (const run_v4 *)a;
	run_v4 want, step, bad;
	run_ramp(&want, a[0], d);
	run_splat(&step, 4 * d);
	bad = at[0] ^ want;
	for (unsigned i = 1; i < WCP_LANES / 4; i++) {
		want += step;
		bad |= at[i] ^ want;
	}
	return run_is_zero(&bad);
}

/* The same for those of mask: is lane l's address first + step l? */
static inline bool
run_affine_some(const uint64_t *a, uint32_t mask, uint64_t first, uint64_t step)
{
	const run_v4 *at = (const run_v4 *)a;
	run_v4 want, four, lanes, bad = {0}, bit = {1, 2, 4, 8};
	run_ramp(&want, first, step);
	run_splat(&four, 4 * step);
	run_splat(&lanes, mask);
	for (unsigned i = 0; i < WCP_LANES / 4; i++) {
		bad |= (at[i] ^ want) & (run_v4)((lanes & bit) == bit);
		want += four;
		bit <<= 4;
	}
	return run_is_zero(&bad);
}

/* Does address = a[0] + stride (l % tile) + pitch (l / tile) hold for every lane? */
static inline __attribute__((always_inline)) bool
run_is_tile(const uint64_t *a, unsigned tile, uint64_t stride, uint64_t pitch)
{
	const run_v4 *at = (const run_v4 *)a;
	run_v4 row, step, down, bad = {0};
	run_ramp(&row, a[0], stride);
	run_splat(&step, 4 * stride);
	run_splat(&down, tile == 2 ? 2 * pitch : pitch);
	if (tile == 2)
		row = (run_v4){a[0], a[0] + stride, a[0] + pitch, a[0] + pitch + stride};
	for (unsigned i = 0; i < WCP_LANES / 4; row += down) {
		run_v4 want = row;
		for (unsigned k = 0; k < (tile + 3) / 4; k++, want += step)
			bad |= at[i++] ^ want;
	}
	return run_is_zero(&bad);
}

static inline bool
run_small(uint64_t stride)
{
	return (int64_t)stride < STRIDE_LIMIT && (int64_t)stride > -STRIDE_LIMIT;
}

/* Rows of a tile end where the addresses first leave the steps of lanes 0 and 1. */
static inline void
run_tile_all(const uint64_t *a, uint64_t d, struct place *p)
{
	const unsigned tile = a[2] != a[0] + 2 * d   ? 2
			      : a[4] != a[0] + 4 * d ? 4
			      : a[8] != a[0] + 8 * d ? 8
						     : 16;
	const uint64_t pitch = a[tile] - a[0];
	if (!run_small(pitch))
		return;
	if (tile == 16	? !run_is_tile(a, 16, d, pitch)
	    : tile == 8 ? !run_is_tile(a, 8, d, pitch)
	    : tile == 4 ? !run_is_tile(a, 4, d, pitch)
			: !run_is_tile(a, 2, d, pitch))
		return;
	p->shape = (uint8_t)(tile == 16	 ? WCP_MEM_TILE16
			     : tile == 8 ? WCP_MEM_TILE16 + 1
			     : tile == 4 ? WCP_MEM_TILE16 + 2
					 : WCP_MEM_TILE16 + 3);
	p->pitch = (int64_t)pitch;
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
	if (run_small(d))
		run_tile_all(a, d, p);
}

/* The step between two lanes' addresses; false if it is no whole number. */
static inline bool
run_step(uint64_t from, uint64_t to, unsigned lanes, int64_t *step)
{
	int64_t d = (int64_t)(to - from);
	*step = lanes == 1 || !d ? d : d / (int64_t)lanes;
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
	const unsigned f = (unsigned)__builtin_ctz(mask);
	const uint32_t others = mask & (mask - 1);
	int64_t step = 0;
	p->list = a;
	p->shape = WCP_MEM_AFFINE;
	if (!others ||
	    run_step(a[f], a[__builtin_ctz(others)], (unsigned)__builtin_ctz(others) - f, &step)) {
		const uint64_t first = a[f] - (uint64_t)step * f;
		if (run_affine_some(a, mask, first, (uint64_t)step)) {
			p->base = first;
			p->stride = step;
			p->pitch = 0;
			return;
		}
	}
	for (unsigned k = 0; k < 4; k++)
		if (run_tile_some(a, mask, 4 - k, p)) {
			p->shape = (uint8_t)(WCP_MEM_TILE16 + k);
			return;
		}
	p->shape = WCP_MEM_LIST;
	p->base = 0;
	p->stride = p->pitch = 0;
}

/* The corners of a tile are its ends. */
static inline void
run_tile_bounds(const struct place *p, uint64_t *least, uint64_t *most, uint64_t *bits)
{
	const unsigned tile = 16u >> (p->shape - WCP_MEM_TILE16);
	const uint64_t right = (uint64_t)p->stride * (tile - 1),
		       down = (uint64_t)p->pitch * (WCP_LANES / tile - 1);
	const uint64_t corner[4] = {
	    p->base, p->base + right, p->base + down, p->base + right + down};
	*least = *most = p->base;
	for (unsigned i = 1; i < 4; i++) {
		*least = corner[i] < *least ? corner[i] : *least;
		*most = corner[i] > *most ? corner[i] : *most;
	}
	*bits = p->base | (uint64_t)p->stride | (uint64_t)p->pitch;
}

/* Lowest address of the active lanes and one past the highest byte: not above the lowest where it
 * is past the end of all addresses. Misaligned lanes show in *bits. */
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
	if (p->shape != WCP_MEM_LIST && mask == WCP_FULL_MASK) {
		run_tile_bounds(p, lo, hi, bits);
		*hi += bytes;
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

/* Where the lanes' bytes are in the host: lane l's at host + step l, and where that is not
 * straight list[l] further. */
struct spot {
	uint64_t host;
	int64_t step;
	const uint64_t *list;
	bool straight;
};

static inline char *
run_at(const struct spot *s, unsigned lane)
{
	const uint64_t at = s->host + (uint64_t)s->step * lane;
	return run_host(s->straight ? at : at + s->list[lane]);
}

static inline void
run_list_spot(const struct spot *s, char **at)
{
	if (s->straight)
		EACH_LANE at[l] = run_host(s->host + (uint64_t)s->step * l);
	else if (s->list != (const uint64_t *)(const void *)at)
		EACH_LANE at[l] = run_host(s->host + (uint64_t)s->step * l + s->list[l]);
}

/* Finds and records the access of the lanes of mask at addresses a. False: w->fault. */
bool LEVELED(run_find)(
    const struct insn *in, char *file, uint32_t mask, const uint64_t *a, struct spot *s);
bool LEVELED(run_spread)(const struct insn *in, char *file, uint32_t mask);
/* What an atomic leaves in memory that held old; b is the operand, c what cas stores. */
uint64_t LEVELED(run_combine)(const struct mem_op *m, uint64_t old, uint64_t b, uint64_t c);
/* run_spread with addresses that the instruction's operand does not tell. */
bool LEVELED(run_reach)(const struct insn *in, char *file, uint32_t mask, const uint64_t *a);
/* The bulk copy of one lane, done; what there is to record of it. False: w->fault. */
bool LEVELED(run_bulk)(
    struct warp *w, const struct insn *in, uint32_t lane, struct bulk_lines *lines);
/* A box of a tensor, moved; record is called for each row's lines. False: w->fault. */
typedef bool record_lines_fn(
    struct warp *w, const struct insn *in, uint32_t lane, const struct bulk_lines *lines);
bool LEVELED(run_tensor)(
    struct warp *w, const struct insn *in, uint32_t lane, record_lines_fn *record);
/* The lines of bytes bytes of global memory. */
struct bulk_lines LEVELED(run_lines)(uint64_t address, uint64_t bytes, uint8_t space);
/* Bytes at to become what a bulk reduction makes of them and those at from. */
void LEVELED(run_combine_all)(const struct mem_op *m, char *to, const char *from, uint64_t bytes);
/* The barrier at that address is told of bytes that came; it lies where they do. */
bool LEVELED(run_signal)(
    struct warp *w, const struct insn *in, uint32_t lane, uint64_t at, uint32_t bytes);
/* So many bytes came to the mbarrier object. */
void LEVELED(run_complete)(char *object, uint32_t bytes);

#endif

/* Loads and stores of one 32- or 64-bit register through one window: nearly all there are. */
#include "access.h"
#include "exec/access.h"

#define INLINE static inline __attribute__((always_inline))

/* Where the access goes, if it goes through one window, aligned; false: let the general version see
 * to it. */
INLINE bool
locate(const struct insn *in, char *file, uint32_t mask, bool full, bool shared, unsigned size,
    struct place *p)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	uint64_t lo, hi, bits;
	const uint64_t *a = run_addresses(in, file, shared ? op->addr_bytes : 8, w->addr);
	if (full)
		run_shape_all(a, p);
	else
		run_shape_some(a, mask, p);
	run_bounds(p, full ? WCP_FULL_MASK : mask, size, &lo, &hi, &bits);
	if (UNLIKELY(bits & (size - 1)) || UNLIKELY(lo >= hi))
		return false;
	if (shared) {
		p->space = WCP_SPACE_SHARED;
		p->lo = 0;
		p->hi = w->cta->shared_bytes;
		p->host = (uint64_t)(uintptr_t)w->cta->shared;
		return hi <= p->hi && !w->cta->shared_written;
	}
	const struct window *c = &w->cache[in->e];
	p->space = op->space == WCP_SPACE_CONST ? WCP_SPACE_CONST : WCP_SPACE_GLOBAL;
	p->lo = c->lo;
	p->hi = c->hi;
	p->host = c->host;
	return lo >= c->lo && hi <= c->hi;
}

/* Words of a full warp with 32-bit addresses in equal steps, none beyond the end of shared memory:
 * no address need be widened. */
INLINE bool
straight_shared(const struct insn *in, char *file, unsigned size, struct place *p)
{
	struct warp *w = run_warp(file);
	const uint32_t *a = run_32(file, in->a);
	const uint32_t first = a[0] + (uint32_t)in->imm, step = a[1] - a[0], a0 = a[0];
	uint32_t bad = 0;
	if (w->code->mem[in->e].addr_bytes != 4 || UNLIKELY(w->cta->shared_written))
		return false;
	EACH_LANE bad |= a[l] ^ (a0 + l * step);
	const int64_t stride = (int32_t)step, last = (int64_t)first + (WCP_LANES - 1) * stride;
	const uint64_t end = (stride < 0 ? first : (uint64_t)last) + size;
	if (bad || last < 0 || end > w->cta->shared_bytes || (first | step) & (size - 1))
		return false;
	p->shape = WCP_MEM_AFFINE;
	p->space = WCP_SPACE_SHARED;
	p->base = first;
	p->stride = stride;
	p->pitch = 0;
	p->host = (uint64_t)(uintptr_t)w->cta->shared;
	return true;
}

/* The same of 64-bit addresses in global memory. */
INLINE bool
straight_global(const struct insn *in, char *file, unsigned size, struct place *p)
{
	struct warp *w = run_warp(file);
	const uint64_t *a = run_64(file, in->a);
	const uint64_t first = a[0] + (uint64_t)in->imm, stride = a[1] - a[0];
	const uint64_t last = first + (WCP_LANES - 1) * stride;
	const bool down = (int64_t)stride < 0;
	const uint64_t lo = down ? last : first, hi = (down ? first : last) + size;
	const struct window *c = &w->cache[in->e];
	if (!run_affine_all(a) || !run_small(stride) || lo < c->lo || hi > c->hi || lo >= hi ||
	    (first | stride) & (size - 1))
		return false;
	p->shape = WCP_MEM_AFFINE;
	p->space =
	    w->code->mem[in->e].space == WCP_SPACE_CONST ? WCP_SPACE_CONST : WCP_SPACE_GLOBAL;
	p->base = first;
	p->stride = (int64_t)stride;
	p->pitch = 0;
	p->host = c->host;
	return true;
}

INLINE bool
straight(const struct insn *in, char *file, bool shared, unsigned size, struct place *p)
{
	return shared ? straight_shared(in, file, size, p) : straight_global(in, file, size, p);
}

#define HOST(type, address) ((type *)run_host(address))

/* Lanes of a row of a tile; 0: it is no tile. */
INLINE unsigned
row_lanes(const struct place *p)
{
	const bool tile = p->shape >= WCP_MEM_TILE16 && p->shape <= WCP_MEM_TILE2;
	return tile ? 16u >> (p->shape - WCP_MEM_TILE16) : 0;
}

/* Are the lanes of mask all those from the first to the last? */
INLINE bool
is_one_run(uint32_t mask)
{
	const uint32_t run = mask >> __builtin_ctz(mask);
	return !(run & (run + 1));
}

#define SCALAR(bits, type)                                                                       \
	INLINE void load_straight##bits(const struct place *p, type *d)                          \
	{                                                                                        \
		const uint64_t at = p->host + p->base;                                           \
		if (LIKELY(p->stride == sizeof(type))) {                                         \
			memcpy(d, HOST(type, at), sizeof(type) * WCP_LANES);                     \
		} else if (!p->stride) {                                                         \
			const type v = *HOST(type, at);                                          \
			EACH_LANE d[l] = v;                                                      \
		} else {                                                                         \
			EACH_LANE d[l] = *HOST(type, at + (uint64_t)p->stride * l);              \
		}                                                                                \
	}                                                                                        \
	/* rows of 8 and 16 words in a row, or all one word; false: neither */                   \
	static bool load_tile##bits(const struct place *p, type *d)                              \
	{                                                                                        \
		const unsigned lanes = row_lanes(p);                                             \
		const uint64_t at = p->host + p->base;                                           \
		if (lanes < 8 || (p->stride && p->stride != sizeof(type)))                       \
			return false;                                                            \
		for (unsigned l = 0; l < WCP_LANES; l += 8, d += 8) {                            \
			const type *from = HOST(type, at + (uint64_t)p->pitch * (l / lanes) +    \
							  (uint64_t)p->stride * (l % lanes));    \
			if (p->stride)                                                           \
				memcpy(d, from, 8 * sizeof(type));                               \
			else                                                                     \
				for (unsigned i = 0; i < 8; i++)                                 \
					d[i] = *from;                                            \
		}                                                                                \
		return true;                                                                     \
	}                                                                                        \
	static __attribute__((noinline)) void load_all##bits(RUN_ARGS, bool shared)              \
	{                                                                                        \
		struct place p;                                                                  \
		type *d = (type *)(void *)(file + in->d);                                        \
		if (UNLIKELY(!locate(in, file, mask, true, shared, sizeof(type), &p))) {         \
			LEVELED(run_load_some)(in, file, mask);                                  \
			return;                                                                  \
		}                                                                                \
		run_record(run_warp(file), in, mask, &p, 0, 0);                                  \
		if (p.shape == WCP_MEM_AFFINE)                                                   \
			load_straight##bits(&p, d);                                              \
		else if (!load_tile##bits(&p, d))                                                \
			EACH_LANE d[l] = *HOST(type, p.host + p.list[l]);                        \
		run_warp(file)->polls += run_warp(file)->code->mem[in->e].flags & MEM_POLL;      \
	}                                                                                        \
	INLINE void load##bits(RUN_ARGS, bool full, bool shared)                                 \
	{                                                                                        \
		struct place p;                                                                  \
		struct warp *w = run_warp(file);                                                 \
		type *d = (type *)(void *)(file + in->d);                                        \
		if (full && LIKELY(straight(in, file, shared, sizeof(type), &p))) {              \
			run_record(w, in, mask, &p, 0, 0);                                       \
			w->polls += w->code->mem[in->e].flags & MEM_POLL;                        \
			load_straight##bits(&p, d);                                              \
			return;                                                                  \
		}                                                                                \
		if (full) {                                                                      \
			load_all##bits(in, file, mask, shared);                                  \
			return;                                                                  \
		}                                                                                \
		if (UNLIKELY(!locate(in, file, mask, false, shared, sizeof(type), &p))) {        \
			LEVELED(run_load_some)(in, file, mask);                                  \
			return;                                                                  \
		}                                                                                \
		run_record(w, in, mask, &p, 0, 0);                                               \
		w->polls += w->code->mem[in->e].flags & MEM_POLL;                                \
		if (p.shape == WCP_MEM_AFFINE && p.stride == sizeof(type) && p.base >= p.lo &&   \
		    p.base < p.hi && p.hi - p.base >= sizeof(type) * WCP_LANES) {                \
			const type *from = HOST(type, p.host + p.base);                          \
			EACH_LANE                                                                \
			{                                                                        \
				type v = from[l];                                                \
				d[l] = mask & 1u << l ? v : d[l];                                \
			}                                                                        \
		} else if (p.shape == WCP_MEM_AFFINE && p.stride == 0) {                         \
			const type v = *HOST(type, p.host + p.base);                             \
			EACH_LANE d[l] = mask & 1u << l ? v : d[l];                              \
		} else {                                                                         \
			EACH_SET(l, mask) d[l] = *HOST(type, p.host + p.list[l]);                \
		}                                                                                \
	}                                                                                        \
	static __attribute__((noinline)) void store_all##bits(RUN_ARGS, bool shared)             \
	{                                                                                        \
		struct place p;                                                                  \
		const type *d = (const type *)(const void *)(file + in->d);                      \
		if (UNLIKELY(!locate(in, file, mask, true, shared, sizeof(type), &p))) {         \
			LEVELED(run_store_some)(in, file, mask);                                 \
			return;                                                                  \
		}                                                                                \
		run_record(run_warp(file), in, mask, &p, 0, 0);                                  \
		run_warp(file)->progress++;                                                      \
		if (p.stride == sizeof(type) && row_lanes(&p) == 16) {                           \
			const uint64_t at = p.host + p.base;                                     \
			memcpy(HOST(type, at), d, sizeof(type) * 16);                            \
			memcpy(HOST(type, at + (uint64_t)p.pitch), d + 16, sizeof(type) * 16);   \
		} else {                                                                         \
			for (unsigned l = 0; l < WCP_LANES; l++)                                 \
				*HOST(type, p.host + p.list[l]) = d[l];                          \
		}                                                                                \
	}                                                                                        \
	INLINE void store##bits(RUN_ARGS, bool full, bool shared)                                \
	{                                                                                        \
		struct place p;                                                                  \
		struct warp *w = run_warp(file);                                                 \
		const type *d = (const type *)(const void *)(file + in->d);                      \
		if (full && LIKELY(straight(in, file, shared, sizeof(type), &p))) {              \
			const uint64_t at = p.host + p.base;                                     \
			run_record(w, in, mask, &p, 0, 0);                                       \
			w->progress++;                                                           \
			if (LIKELY(p.stride == sizeof(type)))                                    \
				memcpy(HOST(type, at), d, sizeof(type) * WCP_LANES);             \
			else                                                                     \
				for (unsigned l = 0; l < WCP_LANES; l++)                         \
					*HOST(type, at + (uint64_t)p.stride * l) = d[l];         \
			return;                                                                  \
		}                                                                                \
		if (full) {                                                                      \
			store_all##bits(in, file, mask, shared);                                 \
			return;                                                                  \
		}                                                                                \
		if (UNLIKELY(!locate(in, file, mask, false, shared, sizeof(type), &p))) {        \
			LEVELED(run_store_some)(in, file, mask);                                 \
			return;                                                                  \
		}                                                                                \
		run_record(w, in, mask, &p, 0, 0);                                               \
		w->progress++;                                                                   \
		if (p.shape == WCP_MEM_AFFINE && p.stride == sizeof(type) && is_one_run(mask)) { \
			const unsigned f = (unsigned)__builtin_ctz(mask);                        \
			memcpy(HOST(type, p.host + p.list[f]), d + f,                            \
			    sizeof(type) * (unsigned)__builtin_popcount(mask));                  \
		} else {                                                                         \
			EACH_SET(l, mask) * HOST(type, p.host + p.list[l]) = d[l];               \
		}                                                                                \
	}                                                                                        \
	BOTH(load##bits, global, false)                                                          \
	BOTH(load##bits, shared, true)                                                           \
	BOTH(store##bits, global, false) BOTH(store##bits, shared, true)

#define BOTH(name, space, shared)                                                          \
	lane_fn LEVELED(run_##name##_##space##_some), LEVELED(run_##name##_##space##_all); \
	void LEVELED(run_##name##_##space##_some)(RUN_ARGS)                                \
	{                                                                                  \
		name(in, file, mask, false, shared);                                       \
	}                                                                                  \
	void LEVELED(run_##name##_##space##_all)(RUN_ARGS)                                 \
	{                                                                                  \
		(void)mask;                                                                \
		name(in, file, WCP_FULL_MASK, true, shared);                               \
	}

SCALAR(32, uint32_t)
SCALAR(64, uint64_t)

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
	if (UNLIKELY(bits & (size - 1)) || UNLIKELY(lo > hi))
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

#define HOST(type, address) ((type *)run_host(address))

#define SCALAR(bits, type)                                                                \
	INLINE void load##bits(RUN_ARGS, bool full, bool shared)                          \
	{                                                                                 \
		struct place p;                                                           \
		if (UNLIKELY(!locate(in, file, mask, full, shared, sizeof(type), &p))) {  \
			LEVELED(run_load_some)(in, file, mask);                           \
			return;                                                           \
		}                                                                         \
		struct warp *w = run_warp(file);                                          \
		type *d = (type *)(void *)(file + in->d);                                 \
		run_record(w, in, mask, &p, 0, 0);                                        \
		w->polls += w->code->mem[in->e].flags & MEM_POLL;                         \
		if (p.shape == WCP_MEM_LIST) {                                            \
			if (full)                                                         \
				EACH_LANE d[l] = *HOST(type, p.host + p.list[l]);         \
			else                                                              \
				EACH_SET(l, mask) d[l] = *HOST(type, p.host + p.list[l]); \
			return;                                                           \
		}                                                                         \
		const uint64_t at = p.host + p.base;                                      \
		if (p.shape == WCP_MEM_AFFINE && p.stride == sizeof(type) && full) {      \
			memcpy(d, HOST(type, at), sizeof(type) * WCP_LANES);              \
		} else if (p.shape == WCP_MEM_AFFINE && p.stride == sizeof(type) &&       \
			   p.base >= p.lo && p.base < p.hi &&                             \
			   p.hi - p.base >= sizeof(type) * WCP_LANES) {                   \
			const type *from = HOST(type, at);                                \
			EACH_LANE                                                         \
			{                                                                 \
				type v = from[l];                                         \
				d[l] = mask & 1u << l ? v : d[l];                         \
			}                                                                 \
		} else if (p.shape == WCP_MEM_AFFINE && p.stride == 0) {                  \
			const type v = *HOST(type, at);                                   \
			EACH_LANE d[l] = full || mask & 1u << l ? v : d[l];               \
		} else if (full) {                                                        \
			EACH_LANE d[l] = *HOST(type, p.host + p.list[l]);                 \
		} else {                                                                  \
			EACH_SET(l, mask) d[l] = *HOST(type, p.host + p.list[l]);         \
		}                                                                         \
	}                                                                                 \
	INLINE void store##bits(RUN_ARGS, bool full, bool shared)                         \
	{                                                                                 \
		struct place p;                                                           \
		if (UNLIKELY(!locate(in, file, mask, full, shared, sizeof(type), &p))) {  \
			LEVELED(run_store_some)(in, file, mask);                          \
			return;                                                           \
		}                                                                         \
		struct warp *w = run_warp(file);                                          \
		const type *d = (const type *)(const void *)(file + in->d);               \
		run_record(w, in, mask, &p, 0, 0);                                        \
		w->progress++;                                                            \
		if (full && p.shape == WCP_MEM_AFFINE && p.stride == sizeof(type))        \
			memcpy(HOST(type, p.host + p.base), d, sizeof(type) * WCP_LANES); \
		else if (full)                                                            \
			for (unsigned l = 0; l < WCP_LANES; l++)                          \
				*HOST(type, p.host + p.list[l]) = d[l];                   \
		else                                                                      \
			EACH_SET(l, mask) * HOST(type, p.host + p.list[l]) = d[l];        \
	}                                                                                 \
	BOTH(load##bits, global, false)                                                   \
	BOTH(load##bits, shared, true)                                                    \
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

/* Random streams: every shape, encoding and extreme value, from a seed. */
#ifndef STREAM_GEN_H
#define STREAM_GEN_H

#include <stdlib.h>
#include <string.h>
#include "warpcap/stream.h"

static uint64_t gen_state = 1;

static inline uint64_t
gen_bits(void)
{
	gen_state += 0x9e3779b97f4a7c15u;
	uint64_t z = gen_state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 <= result < n */
static inline uint32_t
gen_below(uint32_t n)
{
	return n ? (uint32_t)(gen_bits() % n) : 0;
}

/* Any width, extremes often. */
static inline uint64_t
gen_any(void)
{
	switch (gen_below(6)) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return gen_bits();
	case 3: return gen_bits() >> gen_below(64);
	case 4: return (uint64_t)1 << gen_below(64);
	default: return gen_bits() & 0xff;
	}
}

static inline uint32_t
gen_mask(void)
{
	switch (gen_below(5)) {
	case 0:
	case 1: return WCP_FULL_MASK;
	case 2: return 1u << gen_below(32);
	case 3: return (uint32_t)gen_bits() | 1;
	default: return 0xffffu;
	}
}

/* ---- programs and kernels ------------------------------------------------------------------ */

enum { GEN_INSNS = 60 };

struct gen_program {
	struct wcp_program program;
	struct wcp_insn insn[GEN_INSNS];
	uint16_t reg[GEN_INSNS * 4];
	char strings[256];
};

static inline void
gen_insn(struct wcp_insn *i, uint32_t n_insn)
{
	bool memory = gen_below(2);
	*i = (struct wcp_insn){.opcode = 6 * gen_below(4),
	    .op_class = (uint8_t)gen_below(WCP_OP_COUNT),
	    .space = (uint8_t)(memory ? 1 + gen_below(WCP_SPACE_COUNT - 1) : 0),
	    .kind = (uint8_t)gen_below(WCP_KIND_COUNT),
	    .ndst = (uint8_t)gen_below(2),
	    .nsrc = (uint8_t)gen_below(3),
	    .bytes = (uint16_t)gen_below(17),
	    .bar_id = (uint16_t)gen_any(),
	    .bar_count = (uint16_t)gen_any(),
	    .regs = gen_below(GEN_INSNS * 3),
	    .line = (uint32_t)gen_any(),
	    .ptx_line = (uint32_t)gen_any()};
	i->flags =
	    (uint16_t)((memory ? WCP_INSN_MEMORY : 0) | (gen_below(4) ? 0 : WCP_INSN_GUARDED) |
		       (gen_below(4) ? 0 : WCP_INSN_END_RUN));
	i->target = gen_below(2) ? WCP_NONE32 : gen_below(n_insn);
	i->reconverge = gen_below(2) ? WCP_NONE32 : gen_below(n_insn);
	i->file = gen_below(2) ? WCP_NONE32 : 24;
}

static inline void
gen_program(struct gen_program *g, uint32_t id)
{
	static const char strings[] = "alpha\0bravo\0chars\0delta\0file.cu";
	memcpy(g->strings, strings, sizeof strings);
	uint32_t n = 1 + gen_below(GEN_INSNS);
	for (uint32_t i = 0; i < n; i++)
		gen_insn(&g->insn[i], n);
	for (uint32_t i = 0; i < GEN_INSNS * 4; i++)
		g->reg[i] = (uint16_t)gen_any();
	g->program = (struct wcp_program){.id = id,
	    .name = id % 2 ? "odd" : "even_kernel",
	    .n_insn = n,
	    .insn = g->insn,
	    .n_reg = GEN_INSNS * 4,
	    .reg = g->reg,
	    .n_string = sizeof strings,
	    .strings = g->strings};
}

static inline struct wcp_kernel
gen_kernel(uint32_t id, uint32_t program)
{
	struct wcp_kernel k = {.id = id,
	    .program = program,
	    .name = "kernel",
	    .grid = {1 + gen_below(100), 1 + gen_below(3), 1},
	    .block = {1 + gen_below(256), 1 + gen_below(4), 1},
	    .regs_per_thread = gen_below(256),
	    .static_shared_bytes = (uint32_t)gen_any(),
	    .dynamic_shared_bytes = (uint32_t)gen_any(),
	    .local_bytes = (uint32_t)gen_any(),
	    .param_bytes = gen_below(4096),
	    .flags = gen_below(32),
	    .stream = gen_any(),
	    .depth = gen_below(3),
	    .parent = id && gen_below(2) ? gen_below(id) : WCP_NONE32,
	    .parent_cta = (uint32_t)gen_any(),
	    .parent_warp = gen_below(64),
	    .parent_lane = gen_below(32),
	    .parent_pc = gen_below(100),
	    .launch_order = gen_below(10),
	    .site = gen_below(10),
	    .workload = gen_any()};
	return k;
}

/* ---- WARP ---------------------------------------------------------------------------------- */

/* How a site's addresses move on. */
struct gen_site {
	uint64_t base, step;
	int64_t stride, pitch;
	uint8_t shape, space;
	unsigned style;
	uint64_t lane[WCP_LANES];
};

static inline void
gen_site(struct gen_site *s)
{
	static const uint8_t space[] = {
	    WCP_SPACE_GLOBAL, WCP_SPACE_SHARED, WCP_SPACE_LOCAL, WCP_SPACE_CONST};
	s->base = gen_below(4) ? 0x200000000000u + gen_bits() % (1 << 24) : gen_any();
	s->step = gen_below(4) ? 4 * gen_below(64) : gen_any();
	s->stride = gen_below(4) ? 4 : (int64_t)gen_any();
	s->pitch = gen_below(4) ? 128 : (int64_t)gen_any();
	s->shape = (uint8_t)(gen_below(2) ? gen_below(WCP_MEM_SHAPE_COUNT) : WCP_MEM_AFFINE);
	s->space = space[gen_below(4)];
	s->style = gen_below(6);
	for (unsigned l = 0; l < WCP_LANES; l++)
		s->lane[l] = s->base + gen_bits() % (1 << 20);
}

static inline uint64_t
gen_lane(struct gen_site *s, unsigned lane)
{
	switch (s->style) {
	case 0: return gen_any();
	case 1: return s->base + 4 * gen_below(1 << 16);
	case 2: return s->base + 8 * lane + 4 * gen_below(3);
	case 3: return s->lane[lane] += s->step;
	case 4:
		return gen_below(4) ? (s->lane[lane] += 4)
				    : (s->lane[lane] = s->base + 4 * gen_below(1 << 20));
	default: return s->base;
	}
}

static inline int
gen_mem(struct wcp_warp_batch *b, struct gen_site *s, uint32_t pc, uint32_t mask, bool more)
{
	uint32_t i = b->n_mem, n = (uint32_t)__builtin_popcount(mask);
	if (wcp_warp_batch_reserve_mem(b, 1) < 0 || wcp_warp_batch_reserve_addr(b, n) < 0)
		return -1;
	if (!gen_below(50))
		gen_site(s);
	b->mem_pc[i] = pc;
	b->mem_mask[i] = mask;
	b->mem_shape[i] = s->shape;
	b->mem_space[i] = s->space;
	b->mem_flags[i] = more ? WCP_MEM_MORE : 0;
	b->mem_base[i] = s->base += s->step;
	b->mem_stride[i] = s->stride;
	b->mem_pitch[i] = s->pitch;
	b->mem_addr[i] = b->n_addr;
	if (s->shape == WCP_MEM_LIST)
		for (; mask; mask &= mask - 1)
			b->addr[b->n_addr++] = gen_lane(s, (unsigned)__builtin_ctz(mask));
	b->n_mem++;
	return 0;
}

static inline int
gen_run(
    struct wcp_warp_batch *b, const struct wcp_program *p, struct gen_site *sites, uint32_t mask)
{
	uint32_t pc = gen_below(p->n_insn), len = 1 + gen_below(p->n_insn - pc);
	if (wcp_warp_batch_reserve_run(b, 1) < 0 || wcp_warp_batch_reserve_guard(b, len) < 0)
		return -1;
	b->run_pc[b->n_run] = pc;
	b->run_len[b->n_run] = len;
	b->run_mask[b->n_run++] = mask;
	for (uint32_t i = pc; i < pc + len; i++) {
		uint32_t active = mask;
		if (p->insn[i].flags & WCP_INSN_GUARDED)
			active = b->guard_mask[b->n_guard++] =
			    gen_below(3) ? mask & gen_mask() : mask;
		if (!(p->insn[i].flags & WCP_INSN_MEMORY) || !active)
			continue;
		uint32_t part = gen_below(10) ? 0 : active & (uint32_t)gen_bits();
		if (part && part != active) {
			if (gen_mem(b, &sites[i], i, part, true) < 0)
				return -1;
			active &= ~part;
		}
		if (gen_mem(b, &sites[i], i, active, false) < 0)
			return -1;
	}
	return 0;
}

static bool gen_later; /* some events are of a kind that nobody knows */

static inline int
gen_event(struct wcp_warp_batch *b)
{
	if (wcp_warp_batch_reserve_event(b, 1) < 0)
		return -1;
	b->event_kind[b->n_event] = (uint8_t)gen_below(WCP_EVENT_COUNT);
	b->event_lane[b->n_event] = (uint8_t)gen_below(32);
	b->event_at[b->n_event] = (uint32_t)gen_any();
	b->event_arg[b->n_event] = b->event_kind[b->n_event] == WCP_EVENT_LAUNCH ? 0 : gen_any();
	if (gen_later && b->event_arg[b->n_event] % 3 == 1)
		b->event_kind[b->n_event] = 200;
	b->n_event++;
	return 0;
}

/* CTAs [first, first + ctas) of the kernel, warp by warp, each warp in one or more segments. */
static inline int
gen_warp(struct wcp_warp_batch *b, const struct wcp_kernel *k, const struct wcp_program *p,
    struct gen_site *sites, uint32_t first, uint32_t ctas, uint32_t runs)
{
	uint32_t warps = (k->block[0] * k->block[1] * k->block[2] + 31) / 32;
	b->kernel = k->id;
	for (uint32_t c = first; c < first + ctas; c++)
		for (uint32_t w = 0; w < warps; w++) {
			uint32_t alt = gen_below(20) ? 0 : (uint32_t)gen_any();
			if (wcp_warp_batch_segment(b, c, (uint16_t)w, (uint8_t)gen_below(16), alt) <
			    0)
				return -1;
			uint32_t mask = gen_mask();
			for (uint32_t r = gen_below(2 * runs + 1); r; r--) {
				if (gen_run(b, p, sites, mask) < 0)
					return -1;
				mask = gen_below(4) ? mask : gen_mask();
			}
			if (!gen_below(5) && gen_event(b) < 0)
				return -1;
		}
	wcp_warp_batch_end(b);
	return 0;
}

/* ---- ACCESS -------------------------------------------------------------------------------- */

static inline uint64_t
gen_moving(unsigned style, uint64_t last)
{
	switch (style) {
	case 0: return last;
	case 1: return last + 1;
	case 2: return last + 128;
	case 3: return gen_below(50) ? last : gen_any();
	case 4: return gen_below(8);
	default: return gen_any();
	}
}

static inline int
gen_access(struct wcp_access_batch *a, uint32_t n, uint32_t kernels)
{
	unsigned style[8];
	uint64_t last[8];
	for (int i = 0; i < 8; i++) {
		style[i] = gen_below(6);
		last[i] = gen_any();
	}
	if (wcp_access_batch_reserve(a, n) < 0)
		return -1;
	for (uint32_t i = a->n; i < a->n + n; i++) {
		for (int j = 0; j < 8; j++)
			last[j] = gen_moving(style[j], last[j]);
		a->cycle[i] = last[0];
		a->sm[i] = (uint16_t)last[1];
		a->kernel[i] = gen_below(1000) ? kernels - 1 : WCP_NONE32;
		a->cta[i] = (uint32_t)last[2];
		a->warp[i] = (uint16_t)last[3];
		a->slot[i] = (uint16_t)last[4];
		a->pc[i] = (uint32_t)last[5];
		a->line[i] = last[6] & ~127ull;
		a->sectors[i] = (uint32_t)last[7] & 15;
		a->lanes[i] = (uint32_t)last[7];
		a->kind[i] = (uint8_t)(last[1] % WCP_KIND_COUNT);
		a->space[i] = (uint8_t)(last[2] % WCP_SPACE_COUNT);
		a->flags[i] = (uint16_t)last[3];
		a->id[i] = i;
		a->outcome[i] = (uint32_t)last[4];
		a->tag[i] = (uint32_t)last[5];
		a->victim[i] = last[6];
		a->victim_owner[i] = (uint32_t)last[7];
		a->bytes[i] = (uint16_t)last[0];
	}
	a->n += n;
	return 0;
}

#endif

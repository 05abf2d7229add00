#include <stdlib.h>
#include "base/buf.h"
#include "stream/warp.h"

void
wcp_warp_batch_init(struct wcp_warp_batch *b)
{
	*b = (struct wcp_warp_batch){.kernel = WCP_NONE32};
}

static void
begin_lists(struct wcp_warp_batch *b)
{
	if (b->seg_run)
		b->seg_run[0] = b->seg_guard[0] = b->seg_mem[0] = b->seg_event[0] = 0;
}

void
wcp_warp_batch_clear(struct wcp_warp_batch *b)
{
	b->warp_insns = b->thread_insns = 0;
	b->n_seg = b->n_run = b->n_guard = b->n_mem = b->n_addr = b->n_event = 0;
	begin_lists(b);
}

void
wcp_warp_batch_release(struct wcp_warp_batch *b)
{
	void *all[] = {b->seg_cta, b->seg_warp, b->seg_flags, b->seg_alt, b->seg_run, b->seg_guard,
	    b->seg_mem, b->seg_event, b->run_pc, b->run_len, b->run_mask, b->guard_mask, b->mem_pc,
	    b->mem_mask, b->mem_shape, b->mem_space, b->mem_flags, b->mem_base, b->mem_stride,
	    b->mem_pitch, b->mem_addr, b->addr, b->event_kind, b->event_lane, b->event_at,
	    b->event_arg};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	wcp_warp_batch_init(b);
}

/* Several arrays share one capacity: it becomes true only when all of them have grown. */
struct column {
	void *array; /* address of the pointer */
	size_t size;
};

static int
grow_all(const struct column *c, size_t columns, uint32_t *cap, uint64_t need, uint32_t extra)
{
	if (need <= *cap)
		return 0;
	uint64_t to = (uint64_t)*cap + *cap / 2 + 64;
	if (to < need)
		to = need;
	if (to + extra > UINT32_MAX)
		return WCP_ESYS;
	for (size_t i = 0; i < columns; i++) {
		uint32_t own = 0;
		if (base_grow(c[i].array, &own, to + extra, c[i].size) < 0)
			return WCP_ESYS;
	}
	*cap = (uint32_t)to;
	return 0;
}

/* What is nearly always so, before any column is looked at. */
static bool
fits(uint32_t have, uint32_t more, uint32_t cap)
{
	return (uint64_t)have + more <= cap;
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define COL(x)                      \
	{                           \
		&b->x, sizeof *b->x \
	}

int
stream_warp_batch_reserve_seg(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_seg, n, b->cap_seg))
		return 0;
	const struct column c[] = {COL(seg_cta), COL(seg_warp), COL(seg_flags), COL(seg_alt),
	    COL(seg_run), COL(seg_guard), COL(seg_mem), COL(seg_event)};
	bool first = !b->cap_seg;
	int s = grow_all(c, COUNT(c), &b->cap_seg, (uint64_t)b->n_seg + n, 1);
	if (s == 0 && first)
		begin_lists(b);
	return s;
}

int
wcp_warp_batch_reserve_run(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_run, n, b->cap_run))
		return 0;
	const struct column c[] = {COL(run_pc), COL(run_len), COL(run_mask)};
	return grow_all(c, COUNT(c), &b->cap_run, (uint64_t)b->n_run + n, 0);
}

int
wcp_warp_batch_reserve_guard(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_guard, n, b->cap_guard))
		return 0;
	const struct column c[] = {COL(guard_mask)};
	return grow_all(c, COUNT(c), &b->cap_guard, (uint64_t)b->n_guard + n, 0);
}

int
wcp_warp_batch_reserve_mem(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_mem, n, b->cap_mem))
		return 0;
	const struct column c[] = {COL(mem_pc), COL(mem_mask), COL(mem_shape), COL(mem_space),
	    COL(mem_flags), COL(mem_base), COL(mem_stride), COL(mem_pitch), COL(mem_addr)};
	return grow_all(c, COUNT(c), &b->cap_mem, (uint64_t)b->n_mem + n, 0);
}

int
wcp_warp_batch_reserve_addr(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_addr, n, b->cap_addr))
		return 0;
	const struct column c[] = {COL(addr)};
	return grow_all(c, COUNT(c), &b->cap_addr, (uint64_t)b->n_addr + n, 0);
}

int
wcp_warp_batch_reserve_event(struct wcp_warp_batch *b, uint32_t n)
{
	if (fits(b->n_event, n, b->cap_event))
		return 0;
	const struct column c[] = {COL(event_kind), COL(event_lane), COL(event_at), COL(event_arg)};
	return grow_all(c, COUNT(c), &b->cap_event, (uint64_t)b->n_event + n, 0);
}

void
wcp_warp_batch_end(struct wcp_warp_batch *b)
{
	if (!b->cap_seg)
		return;
	b->seg_run[b->n_seg] = b->n_run;
	b->seg_guard[b->n_seg] = b->n_guard;
	b->seg_mem[b->n_seg] = b->n_mem;
	b->seg_event[b->n_seg] = b->n_event;
}

int
wcp_warp_batch_segment(
    struct wcp_warp_batch *b, uint32_t cta, uint16_t warp, uint8_t flags, uint32_t alt)
{
	if (stream_warp_batch_reserve_seg(b, 1) < 0)
		return WCP_ESYS;
	wcp_warp_batch_end(b);
	uint32_t i = b->n_seg++;
	b->seg_cta[i] = cta;
	b->seg_warp[i] = warp;
	b->seg_flags[i] = flags;
	b->seg_alt[i] = alt;
	wcp_warp_batch_end(b);
	return 0;
}

/* First and one-past-last entry of a list for a stretch of segments. */
struct span {
	uint32_t first, n;
};

static struct span
span(const struct wcp_warp_batch *b, const uint32_t *list, uint32_t total, uint32_t first,
    uint32_t n)
{
	uint32_t end = first + n == b->n_seg ? total : list[first + n];
	return (struct span){list[first], end - list[first]};
}

static void
copy(void *to, const void *from, uint32_t at, struct span s, size_t size)
{
	if (s.n)
		memcpy((char *)to + at * size, (const char *)from + s.first * size, s.n * size);
}
#define COPY(column, at, s) copy(dst->column, src->column, at, s, sizeof *dst->column)

static void
append_segs(struct wcp_warp_batch *dst, const struct wcp_warp_batch *src, struct span seg)
{
	uint32_t at = dst->n_seg;
	COPY(seg_cta, at, seg);
	COPY(seg_warp, at, seg);
	COPY(seg_flags, at, seg);
	COPY(seg_alt, at, seg);
	for (uint32_t i = 0; i < seg.n; i++) {
		uint32_t from = seg.first + i, to = at + i;
		dst->seg_run[to] = dst->n_run + (src->seg_run[from] - src->seg_run[seg.first]);
		dst->seg_guard[to] =
		    dst->n_guard + (src->seg_guard[from] - src->seg_guard[seg.first]);
		dst->seg_mem[to] = dst->n_mem + (src->seg_mem[from] - src->seg_mem[seg.first]);
		dst->seg_event[to] =
		    dst->n_event + (src->seg_event[from] - src->seg_event[seg.first]);
	}
	dst->n_seg += seg.n;
}

static void
append_mems(
    struct wcp_warp_batch *dst, const struct wcp_warp_batch *src, struct span mem, struct span list)
{
	uint32_t at = dst->n_mem;
	COPY(mem_pc, at, mem);
	COPY(mem_mask, at, mem);
	COPY(mem_shape, at, mem);
	COPY(mem_space, at, mem);
	COPY(mem_flags, at, mem);
	COPY(mem_base, at, mem);
	COPY(mem_stride, at, mem);
	COPY(mem_pitch, at, mem);
	if (!list.n && mem.n)
		memset(dst->mem_addr + at, 0, mem.n * sizeof *dst->mem_addr);
	for (uint32_t i = 0; list.n && i < mem.n; i++) {
		uint32_t from = mem.first + i;
		bool is_list = src->mem_shape[from] == WCP_MEM_LIST;
		dst->mem_addr[at + i] =
		    is_list ? src->mem_addr[from] - list.first + dst->n_addr : 0;
	}
	COPY(addr, dst->n_addr, list);
	dst->n_mem += mem.n;
	dst->n_addr += list.n;
}

/* The stretch of addr that a stretch of memory records owns: lists lie in record order. */
static struct span
addr_span(const struct wcp_warp_batch *b, struct span mem)
{
	uint32_t first = 0, last = 0;
	bool any = false;
	for (uint32_t i = mem.first; b->n_addr && i < mem.first + mem.n; i++) {
		if (b->mem_shape[i] != WCP_MEM_LIST)
			continue;
		if (!any)
			first = b->mem_addr[i];
		any = true;
		last = b->mem_addr[i] + (uint32_t)__builtin_popcount(b->mem_mask[i]);
	}
	return (struct span){first, any ? last - first : 0};
}

int
wcp_warp_batch_append(
    struct wcp_warp_batch *dst, const struct wcp_warp_batch *src, uint32_t first, uint32_t n)
{
	if (!n)
		return 0;
	struct span seg = {first, n};
	struct span run = span(src, src->seg_run, src->n_run, first, n);
	struct span guard = span(src, src->seg_guard, src->n_guard, first, n);
	struct span mem = span(src, src->seg_mem, src->n_mem, first, n);
	struct span event = span(src, src->seg_event, src->n_event, first, n);
	struct span list = addr_span(src, mem);
	if (stream_warp_batch_reserve_seg(dst, n) < 0 ||
	    wcp_warp_batch_reserve_run(dst, run.n) < 0 ||
	    wcp_warp_batch_reserve_guard(dst, guard.n) < 0 ||
	    wcp_warp_batch_reserve_mem(dst, mem.n) < 0 ||
	    wcp_warp_batch_reserve_addr(dst, list.n) < 0 ||
	    wcp_warp_batch_reserve_event(dst, event.n) < 0)
		return WCP_ESYS;
	wcp_warp_batch_end(dst);
	append_segs(dst, src, seg);
	COPY(run_pc, dst->n_run, run);
	COPY(run_len, dst->n_run, run);
	COPY(run_mask, dst->n_run, run);
	dst->n_run += run.n;
	COPY(guard_mask, dst->n_guard, guard);
	dst->n_guard += guard.n;
	append_mems(dst, src, mem, list);
	COPY(event_kind, dst->n_event, event);
	COPY(event_lane, dst->n_event, event);
	COPY(event_at, dst->n_event, event);
	COPY(event_arg, dst->n_event, event);
	dst->n_event += event.n;
	wcp_warp_batch_end(dst);
	if (n == src->n_seg) {
		dst->warp_insns += src->warp_insns;
		dst->thread_insns += src->thread_insns;
	}
	return 0;
}

static uint32_t
tile_shift(uint8_t shape)
{
	return shape == WCP_MEM_TILE16	? 4
	       : shape == WCP_MEM_TILE8 ? 3
	       : shape == WCP_MEM_TILE4 ? 2
					: 1;
}

void
wcp_mem_expand(const struct wcp_warp_batch *b, uint32_t i, uint64_t address[WCP_LANES])
{
	uint32_t mask = b->mem_mask[i];
	uint64_t base = b->mem_base[i], stride = (uint64_t)b->mem_stride[i];
	if (b->mem_shape[i] == WCP_MEM_LIST) {
		const uint64_t *next = b->addr + b->mem_addr[i];
		for (; mask; mask &= mask - 1)
			address[__builtin_ctz(mask)] = *next++;
	} else if (b->mem_shape[i] == WCP_MEM_AFFINE) {
		for (; mask; mask &= mask - 1) {
			uint32_t l = (uint32_t)__builtin_ctz(mask);
			address[l] = base + stride * l;
		}
	} else {
		uint32_t s = tile_shift(b->mem_shape[i]);
		uint64_t pitch = (uint64_t)b->mem_pitch[i];
		for (; mask; mask &= mask - 1) {
			uint32_t l = (uint32_t)__builtin_ctz(mask);
			address[l] = base + stride * (l & ((1u << s) - 1)) + pitch * (l >> s);
		}
	}
}

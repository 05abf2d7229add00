/*
 * Lanes that walk through memory in order need no search: most accesses are a contiguous range or a
 * regular pattern, whose lines follow by arithmetic. The rest go lane by lane; lines met before are
 * found by looking at the few there are, or through a hash table where there are many.
 */
#include <string.h>
#include "warpcap/coalesce.h"

enum {
	LINE_WORDS_MAX = 4096 / 64,
	FEW = 8,	   /* so many lines are searched one by one */
	SLOTS = 2048,	   /* a power of two, more than WCP_COALESCE_MAX */
	SLOTS_SMALL = 128, /* enough while no lane can touch more than two lines */
};

struct builder {
	const struct wcp_coalesce *c;
	struct wcp_transaction *t; /* [n], the caller's */
	uint32_t n;
	uint32_t line_shift, line_words; /* 64-bit words of a line's byte map */
	uint32_t slot_mask;		 /* of the hash table in use, 0: none yet */
	uint16_t slot[SLOTS];		 /* 1 + number in t; 0: free */
	uint64_t touched[WCP_COALESCE_MAX *
			 LINE_WORDS_MAX]; /* [n][line_words]: bit i: byte i of the line */
};

static bool
is_power(uint32_t x)
{
	return x && !(x & (x - 1));
}

int
wcp_coalesce_check(const struct wcp_coalesce *c, struct wcp_error *e)
{
	uint32_t line = c->line_bytes, sector = c->sector_bytes;
	if (!is_power(line) || line < 32 || line > 4096)
		return wcp_fail(e, WCP_EUSAGE,
		    "line of %u bytes: must be a power of two from 32 to 4096", line);
	if (!is_power(sector) || sector < 4 || sector > line || line / sector > 32)
		return wcp_fail(e, WCP_EUSAGE,
		    "sector of %u bytes: must be a power of two from %u to the line's %u", sector,
		    line / 32 > 4 ? line / 32 : 4, line);
	return 0;
}

/* The big arrays stay as they are: what is read of them has been written for this access. */
static void
start(struct builder *b, const struct wcp_coalesce *c, struct wcp_transaction *out)
{
	b->c = c;
	b->t = out;
	b->n = 0;
	b->line_shift = (uint32_t)__builtin_ctz(c->line_bytes);
	b->line_words = c->line_bytes < 64 ? 1 : c->line_bytes / 64;
	b->slot_mask = 0;
}

/* Bits first..last set. */
static uint64_t
bits(uint32_t first, uint32_t last)
{
	return (~0ull >> (63 - (last - first))) << first;
}

/* Marks those of bytes first..last whose bit is set in the pattern, which repeats every 64 bytes of
 * the line. */
static void
touch(struct builder *b, uint32_t i, uint32_t first, uint32_t last, uint64_t pattern)
{
	uint64_t *map = b->touched + (size_t)i * b->line_words;
	uint32_t w = first / 64, end = last / 64;
	if (w == end) {
		map[w] |= bits(first % 64, last % 64) & pattern;
		return;
	}
	map[w] |= bits(first % 64, 63) & pattern;
	while (++w < end)
		map[w] |= pattern;
	map[w] |= bits(0, last % 64) & pattern;
}

static uint32_t
home_slot(const struct builder *b, uint64_t line)
{
	return (uint32_t)(((line >> b->line_shift) * 0x9e3779b97f4a7c15ull) >> 40) & b->slot_mask;
}

static void
enter(struct builder *b, uint32_t i)
{
	uint32_t h = home_slot(b, b->t[i].line);
	while (b->slot[h])
		h = (h + 1) & b->slot_mask;
	b->slot[h] = (uint16_t)(i + 1);
}

static void
build_table(struct builder *b, uint32_t slots)
{
	b->slot_mask = slots - 1;
	memset(b->slot, 0, slots * sizeof b->slot[0]);
	for (uint32_t i = 0; i < b->n; i++)
		enter(b, i);
}

static uint32_t
append(struct builder *b, uint64_t line)
{
	uint32_t i = b->n++;
	b->t[i] = (struct wcp_transaction){.line = line};
	memset(b->touched + (size_t)i * b->line_words, 0, b->line_words * sizeof b->touched[0]);
	if (b->slot_mask)
		enter(b, i);
	return i;
}

static uint32_t
find(struct builder *b, uint64_t line)
{
	if (!b->slot_mask && b->n > FEW)
		build_table(b, SLOTS_SMALL);
	if (b->slot_mask && b->n > b->slot_mask / 2)
		build_table(b, SLOTS);
	if (!b->slot_mask) {
		for (uint32_t i = 0; i < b->n; i++) {
			if (b->t[i].line == line)
				return i;
		}
		return b->n;
	}
	for (uint32_t h = home_slot(b, line); b->slot[h]; h = (h + 1) & b->slot_mask) {
		if (b->t[b->slot[h] - 1].line == line)
			return b->slot[h] - 1u;
	}
	return b->n;
}

/* The transaction of the line, made if there is none. */
static uint32_t
lookup(struct builder *b, uint64_t line)
{
	if (b->n && b->t[b->n - 1].line == line)
		return b->n - 1;
	uint32_t i = find(b, line);
	return i < b->n ? i : append(b, line);
}

/* Lanes that all touch bytes [address, address + bytes). */
static void
add_range(struct builder *b, uint64_t address, uint64_t bytes, uint32_t lanes)
{
	uint64_t last = address + bytes - 1;
	uint64_t line_mask = b->c->line_bytes - 1;
	for (;;) {
		uint64_t line = address & ~line_mask;
		uint32_t i = lookup(b, line);
		bool ends = last - line <= line_mask;
		b->t[i].lanes |= lanes;
		touch(b, i, (uint32_t)(address & line_mask),
		    ends ? (uint32_t)(last & line_mask) : (uint32_t)line_mask, ~0ull);
		if (ends)
			return;
		address = line + b->c->line_bytes;
	}
}

static uint32_t
lane_bits(uint32_t first, uint32_t last)
{
	return (uint32_t)bits(first, last);
}

/*
 * Lanes first..last, each at address + stride * (lane - first), of which every line in between has
 * one. Which lanes reach into a line follows by division, which bytes by the pattern.
 */
static void
add_regular(struct builder *b, uint64_t address, uint32_t stride, uint32_t bytes, uint32_t first,
    uint32_t last, uint64_t pattern)
{
	uint64_t line_mask = b->c->line_bytes - 1;
	uint32_t length = stride * (last - first) + bytes;
	uint32_t at = 0; /* offset of the line's part in the range */
	while (at < length) {
		uint64_t line = (address + at) & ~line_mask;
		uint32_t in_line = (uint32_t)((address + at) & line_mask);
		uint32_t part = b->c->line_bytes - in_line < length - at
				    ? b->c->line_bytes - in_line
				    : length - at;
		uint32_t low = at < bytes ? first : first + (at - bytes) / stride + 1;
		uint32_t high = first + (at + part - 1) / stride;
		uint32_t i = lookup(b, line);
		b->t[i].lanes |= lane_bits(low, high < last ? high : last);
		touch(b, i, in_line, in_line + part - 1, pattern);
		at += part;
	}
}

/*
 * The pattern of a regular access, 0 if it is none: bytes without gap (0 < stride <= bytes), or a
 * stride that divides the map's words and the line, with no lane's bytes across a multiple of it.
 */
static uint64_t
regular_pattern(const struct builder *b, uint64_t address, int64_t stride, uint32_t bytes)
{
	if (stride <= 0)
		return 0;
	if (stride <= bytes)
		return ~0ull;
	if (stride > 64 || stride > b->c->line_bytes || !is_power((uint32_t)stride))
		return 0;
	uint32_t at = (uint32_t)address & (uint32_t)(stride - 1);
	if (at + bytes > stride)
		return 0;
	uint64_t pattern = bits(at, at + bytes - 1);
	for (uint32_t k = (uint32_t)stride; k < 64; k *= 2)
		pattern |= pattern << k;
	return pattern;
}

/* Lanes of mask in [first, first + count), lane l at address + stride * (l - first). */
static void
add_affine(struct builder *b, uint32_t mask, uint64_t address, int64_t stride, uint32_t bytes,
    uint32_t first, uint32_t count)
{
	mask &= lane_bits(first, first + count - 1);
	if (!mask)
		return;
	uint32_t low = (uint32_t)__builtin_ctz(mask), high = 31 - (uint32_t)__builtin_clz(mask);
	uint64_t pattern =
	    mask == lane_bits(low, high) ? regular_pattern(b, address, stride, bytes) : 0;
	if (stride == 0) {
		add_range(b, address, bytes, mask);
	} else if (pattern) {
		add_regular(b, address + (uint64_t)stride * (low - first), (uint32_t)stride, bytes,
		    low, high, pattern);
	} else {
		for (; mask; mask &= mask - 1) {
			uint32_t l = (uint32_t)__builtin_ctz(mask);
			add_range(b, address + (uint64_t)stride * (l - first), bytes, 1u << l);
		}
	}
}

static uint32_t
tile_lanes(uint8_t shape)
{
	switch (shape) {
	case WCP_MEM_TILE16: return 16;
	case WCP_MEM_TILE8: return 8;
	case WCP_MEM_TILE4: return 4;
	case WCP_MEM_TILE2: return 2;
	default: return 32;
	}
}

/* What the byte maps say. */
static void
finish(struct builder *b)
{
	uint32_t sector_bits = b->c->sector_bytes < 64 ? b->c->sector_bytes : 64;
	uint32_t sector_shift = (uint32_t)__builtin_ctz(b->c->sector_bytes);
	uint64_t sector_mask = ~0ull >> (64 - sector_bits);
	for (uint32_t i = 0; i < b->n; i++) {
		const uint64_t *map = b->touched + (size_t)i * b->line_words;
		struct wcp_transaction *t = &b->t[i];
		for (uint32_t w = 0; w < b->line_words; w++) {
			uint64_t word = map[w];
			t->bytes += word == ~0ull ? 64 : (uint32_t)__builtin_popcountll(word);
			for (uint32_t k = w * 64; word; k += sector_bits) {
				t->sectors |= (uint32_t)((word & sector_mask) != 0)
					      << (k >> sector_shift);
				word = sector_bits == 64 ? 0 : word >> sector_bits;
			}
		}
	}
}

/*
 * Lanes a multiple of a line apart, none across the end of one: where no two are in the same line,
 * or all are, each line has the same part touched. Returns how many transactions, 0: the lanes lie
 * otherwise, or none is active.
 */
static uint32_t
alike(const struct wcp_coalesce *c, const struct wcp_mem *m, uint32_t bytes,
    struct wcp_transaction *out)
{
	const uint64_t line_mask = c->line_bytes - 1;
	const uint32_t first = (uint32_t)(m->base & line_mask), last = first + bytes - 1;
	const int64_t most = INT64_MAX / WCP_LANES; /* so that no two lanes meet again */
	if (m->shape != WCP_MEM_AFFINE || (uint64_t)m->stride & line_mask || last > line_mask ||
	    m->stride > most || m->stride < -most)
		return 0;
	const uint32_t shift = (uint32_t)__builtin_ctz(c->sector_bytes);
	const struct wcp_transaction t = {.line = m->base & ~line_mask,
	    .sectors = (uint32_t)bits(first >> shift, last >> shift),
	    .lanes = m->mask,
	    .bytes = bytes};
	if (m->stride == 0) {
		*out = t;
		return m->mask != 0;
	}
	uint32_t n = 0;
	for (uint32_t mask = m->mask; mask; mask &= mask - 1, n++) {
		out[n] = t;
		out[n].line += (uint64_t)m->stride * (uint32_t)__builtin_ctz(mask);
		out[n].lanes = mask & -mask;
	}
	return n;
}

/* A stream may say anything; the arrays are sized for WCP_COALESCE_BYTES_MAX. */
static uint32_t
usable_bytes(uint32_t bytes)
{
	if (bytes > WCP_COALESCE_BYTES_MAX)
		return WCP_COALESCE_BYTES_MAX;
	return bytes ? bytes : 1;
}

uint32_t
wcp_coalesce_mem(const struct wcp_coalesce *c, const struct wcp_mem *m, uint32_t bytes,
    struct wcp_transaction *out)
{
	struct builder b;
	bytes = usable_bytes(bytes);
	const uint32_t n = alike(c, m, bytes, out);
	if (n)
		return n;
	start(&b, c, out);
	if (m->shape == WCP_MEM_LIST && m->addr) {
		const uint64_t *address = m->addr;
		for (uint32_t mask = m->mask; mask; mask &= mask - 1)
			add_range(&b, *address++, bytes, mask & -mask);
	} else {
		uint32_t lanes = tile_lanes(m->shape);
		uint64_t base = m->base;
		for (uint32_t l = 0; l < WCP_LANES; l += lanes, base += (uint64_t)m->pitch)
			add_affine(&b, m->mask, base, m->stride, bytes, l, lanes);
	}
	finish(&b);
	return b.n;
}

static void
expand(const struct wcp_mem *m, uint64_t offset[WCP_LANES])
{
	uint32_t lanes = tile_lanes(m->shape), k = 0;
	for (uint32_t mask = m->mask; mask; mask &= mask - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(mask);
		if (m->shape == WCP_MEM_LIST && m->addr)
			offset[l] = m->addr[k++];
		else
			offset[l] = m->base + (uint64_t)m->stride * (l % lanes) +
				    (uint64_t)m->pitch * (l / lanes);
	}
}

/* The k-th 4-byte word that each lane's bytes lie in. */
static void
add_words(struct builder *b, uint32_t mask, const uint64_t *offset, uint32_t bytes, uint32_t k,
    uint64_t warp_base)
{
	for (; mask; mask &= mask - 1) {
		uint32_t l = (uint32_t)__builtin_ctz(mask);
		uint64_t word = offset[l] / 4 + k, first = word * 4, end = first + 4;
		first = first < offset[l] ? offset[l] : first;
		end = end > offset[l] + bytes ? offset[l] + bytes : end;
		if (first < end)
			add_range(
			    b, warp_base + word * 128 + l * 4 + first % 4, end - first, 1u << l);
	}
}

uint32_t
wcp_coalesce_local(const struct wcp_coalesce *c, const struct wcp_mem *m, uint32_t bytes,
    uint64_t local_base, struct wcp_transaction *out)
{
	struct builder b;
	start(&b, c, out);
	bytes = usable_bytes(bytes);
	if (m->shape == WCP_MEM_AFFINE && m->stride == 0) {
		/* Every lane at the same offset, as a compiler's spills are: a row of words. */
		for (uint64_t o = m->base, end = o + bytes, next; o < end; o = next) {
			next = (o / 4 + 1) * 4 < end ? (o / 4 + 1) * 4 : end;
			add_affine(&b, m->mask, local_base + o / 4 * 128 + o % 4, 4,
			    (uint32_t)(next - o), 0, WCP_LANES);
		}
	} else {
		uint64_t offset[WCP_LANES];
		expand(m, offset);
		for (uint32_t k = 0; k <= (bytes + 2) / 4; k++)
			add_words(&b, m->mask, offset, bytes, k, local_base);
	}
	finish(&b);
	return b.n;
}

struct wcp_mem
wcp_mem_of(const struct wcp_warp_batch *b, uint32_t i)
{
	return (struct wcp_mem){
	    .mask = b->mem_mask[i],
	    .shape = b->mem_shape[i],
	    .base = b->mem_base[i],
	    .stride = b->mem_stride[i],
	    .pitch = b->mem_pitch[i],
	    .addr = b->mem_shape[i] == WCP_MEM_LIST ? b->addr + b->mem_addr[i] : NULL,
	};
}

uint32_t
wcp_coalesce(const struct wcp_coalesce *c, const struct wcp_warp_batch *b, uint32_t i,
    uint32_t bytes, uint64_t local_base, struct wcp_transaction *out)
{
	struct wcp_mem m = wcp_mem_of(b, i);
	if (b->mem_space[i] == WCP_SPACE_LOCAL)
		return wcp_coalesce_local(c, &m, bytes, local_base, out);
	return wcp_coalesce_mem(c, &m, bytes, out);
}

uint64_t
wcp_local_base(const struct wcp_kernel *k, uint32_t cta, uint32_t warp)
{
	enum { UNKNOWN = 512 * 1024 }; /* bytes a thread where the stream does not say: the most */
	uint64_t bytes = k->local_bytes ? k->local_bytes : UNKNOWN;
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = threads ? (threads + WCP_LANES - 1) / WCP_LANES : 1;
	/* A row is 128 bytes and lines may be longer: blocks begin where a line of any size does.
	 */
	uint64_t block = ((bytes + 3) / 4 * 128 + 4095) & ~4095ull;
	return WCP_LOCAL_BASE + (cta * warps + warp) * block;
}

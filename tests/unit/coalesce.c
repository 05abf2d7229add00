/*
 * The coalescer: known answers by hand, then random accesses against a slow coalescer that goes
 * lane by lane and byte by byte and knows nothing of shapes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/coalesce.h"

static int failures;

static void
expect(const char *what, const struct wcp_transaction *got, uint32_t n,
    const struct wcp_transaction *want, uint32_t n_want)
{
	bool same = n == n_want;
	for (uint32_t i = 0; same && i < n; i++)
		same = got[i].line == want[i].line && got[i].sectors == want[i].sectors &&
		       got[i].lanes == want[i].lanes && got[i].bytes == want[i].bytes;
	if (same)
		return;
	failures++;
	printf("%s: got %u transactions, want %u\n", what, n, n_want);
	for (uint32_t i = 0; i < n || i < n_want; i++) {
		if (i < n)
			printf("  got  %" PRIx64 " sectors %x lanes %08x bytes %u\n", got[i].line,
			    got[i].sectors, got[i].lanes, got[i].bytes);
		if (i < n_want)
			printf("  want %" PRIx64 " sectors %x lanes %08x bytes %u\n", want[i].line,
			    want[i].sectors, want[i].lanes, want[i].bytes);
	}
}

static void
known(const char *what, struct wcp_mem m, uint32_t bytes, uint32_t n,
    const struct wcp_transaction *want)
{
	struct wcp_transaction got[WCP_COALESCE_MAX];
	uint32_t n_got = wcp_coalesce_mem(&WCP_COALESCE_DEFAULT, &m, bytes, got);
	expect(what, got, n_got, want, n);
}

static void
known_local(const char *what, struct wcp_mem m, uint32_t bytes, uint32_t n,
    const struct wcp_transaction *want)
{
	struct wcp_transaction got[WCP_COALESCE_MAX];
	uint32_t n_got = wcp_coalesce_local(&WCP_COALESCE_DEFAULT, &m, bytes, 0x10000, got);
	expect(what, got, n_got, want, n);
}

#define WANT(...)                                                                         \
	sizeof((struct wcp_transaction[]){__VA_ARGS__}) / sizeof(struct wcp_transaction), \
	    (struct wcp_transaction[])                                                    \
	{                                                                                 \
		__VA_ARGS__                                                               \
	}

static void
test_known(void)
{
	const uint32_t all = WCP_FULL_MASK;
	known("32 floats, aligned", (struct wcp_mem){.mask = all, .base = 0x1000, .stride = 4}, 4,
	    WANT({0x1000, 0xf, all, 128}));
	known("32 floats, one element off",
	    (struct wcp_mem){.mask = all, .base = 0x1004, .stride = 4}, 4,
	    WANT({0x1000, 0xf, 0x7fffffff, 124}, {0x1080, 0x1, 0x80000000, 4}));
	known("the last warp's seven floats",
	    (struct wcp_mem){.mask = 0x7f, .base = 0x1000, .stride = 4}, 4,
	    WANT({0x1000, 0x1, 0x7f, 28}));
	known("32 doubles", (struct wcp_mem){.mask = all, .base = 0x1000, .stride = 8}, 8,
	    WANT({0x1000, 0xf, 0xffff, 128}, {0x1080, 0xf, 0xffff0000, 128}));
	known("one address for all", (struct wcp_mem){.mask = all, .base = 0x1024}, 4,
	    WANT({0x1000, 0x2, all, 4}));
	known("every other float", (struct wcp_mem){.mask = all, .base = 0x1000, .stride = 8}, 4,
	    WANT({0x1000, 0xf, 0xffff, 64}, {0x1080, 0xf, 0xffff0000, 64}));
	known("downwards", (struct wcp_mem){.mask = all, .base = 0x107c, .stride = -4}, 4,
	    WANT({0x1000, 0xf, all, 128}));
	known("a lane's 16 bytes over two lines", (struct wcp_mem){.mask = 1, .base = 0x1078}, 16,
	    WANT({0x1000, 0x8, 1, 8}, {0x1080, 0x1, 1, 8}));
	known("two rows of 16 floats",
	    (struct wcp_mem){
		.mask = all, .shape = WCP_MEM_TILE16, .base = 0x1000, .stride = 4, .pitch = 0x400},
	    4, WANT({0x1000, 0x3, 0xffff, 64}, {0x1400, 0x3, 0xffff0000, 64}));
	known("two rows in one line",
	    (struct wcp_mem){
		.mask = all, .shape = WCP_MEM_TILE16, .base = 0x1040, .stride = 4, .pitch = -64},
	    4, WANT({0x1000, 0xf, all, 128}));
	known("a gather that comes back",
	    (struct wcp_mem){.mask = 0x8000000b,
		.shape = WCP_MEM_LIST,
		.addr = (const uint64_t[]){0x2000, 0x1000, 0x2060, 0x1000}},
	    4, WANT({0x2000, 0x9, 0x9, 8}, {0x1000, 0x1, 0x80000002, 4}));
	known("no lane", (struct wcp_mem){.mask = 0, .base = 0x1000, .stride = 4}, 4, 0, NULL);
	known_local("a spilled float", (struct wcp_mem){.mask = all, .base = 8}, 4,
	    WANT({0x10100, 0xf, all, 128}));
	known_local("a spilled double", (struct wcp_mem){.mask = all, .base = 8}, 8,
	    WANT({0x10100, 0xf, all, 128}, {0x10180, 0xf, all, 128}));
	known_local("an indexed byte", (struct wcp_mem){.mask = 0x3, .base = 1, .stride = 4}, 1,
	    WANT({0x10000, 0x1, 1, 1}, {0x10080, 0x1, 2, 1}));
}

static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

struct slow {
	uint32_t n;
	struct wcp_transaction t[4096];
	unsigned char map[4096][4096];
};

static void
slow_byte(
    struct slow *s, uint64_t address, unsigned lane, uint32_t line_bytes, uint32_t sector_bytes)
{
	uint64_t line = address - address % line_bytes;
	uint32_t i = 0;
	while (i < s->n && s->t[i].line != line)
		i++;
	if (i == s->n) {
		s->t[s->n++] = (struct wcp_transaction){.line = line};
		memset(s->map[i], 0, line_bytes);
	}
	s->t[i].lanes |= 1u << lane;
	s->t[i].sectors |= 1u << (address - line) / sector_bytes;
	s->t[i].bytes += !s->map[i][address - line];
	s->map[i][address - line] = 1;
}

static uint64_t
slow_address(const struct wcp_mem *m, unsigned lane)
{
	static const unsigned width[] = {32, 16, 8, 4, 2};
	if (m->shape != WCP_MEM_LIST)
		return m->base + (uint64_t)m->stride * (lane % width[m->shape]) +
		       (uint64_t)m->pitch * (lane / width[m->shape]);
	unsigned before = 0;
	for (unsigned l = 0; l < lane; l++)
		before += m->mask >> l & 1;
	return m->addr[before];
}

static void
slow_coalesce(struct slow *s, const struct wcp_mem *m, uint32_t bytes, uint32_t line_bytes,
    uint32_t sector_bytes)
{
	s->n = 0;
	for (unsigned lane = 0; lane < 32; lane++) {
		for (uint32_t b = 0; b < bytes && (m->mask >> lane & 1); b++)
			slow_byte(s, slow_address(m, lane) + b, lane, line_bytes, sector_bytes);
	}
}

static void
slow_local(struct slow *s, const struct wcp_mem *m, uint32_t bytes, uint32_t line_bytes,
    uint32_t sector_bytes)
{
	s->n = 0;
	for (uint32_t k = 0; k <= bytes / 4 + 1; k++) {
		for (unsigned lane = 0; lane < 32; lane++) {
			for (uint32_t b = 0; b < bytes && (m->mask >> lane & 1); b++) {
				uint64_t first = slow_address(m, lane), o = first + b;
				if (o / 4 - first / 4 == k)
					slow_byte(s, 0x4000 + o / 4 * 128 + lane * 4 + o % 4, lane,
					    line_bytes, sector_bytes);
			}
		}
	}
}

static struct wcp_mem
random_access(uint64_t *state, uint32_t bytes, uint64_t addr[32])
{
	static const int64_t strides[] = {
	    0, 1, 2, 4, 8, 12, 16, 32, 64, 100, 128, 256, 4096, -1, -4, -8, -100, -4096};
	struct wcp_mem m = {.base = 0x100000 + next_random(state) % 4096,
	    .shape = (uint8_t)(next_random(state) % 6),
	    .addr = addr};
	switch (next_random(state) % 4) {
	case 0: m.mask = WCP_FULL_MASK; break;
	case 1: m.mask = WCP_FULL_MASK >> next_random(state) % 32; break;
	case 2: m.mask = (uint32_t)next_random(state); break;
	default: m.mask = WCP_FULL_MASK << next_random(state) % 32; break;
	}
	m.stride = strides[next_random(state) % (sizeof strides / sizeof strides[0])];
	m.pitch = strides[next_random(state) % (sizeof strides / sizeof strides[0])];
	if (next_random(state) % 2) {
		m.base -= m.base % bytes;
		m.stride = bytes;
	}
	uint64_t spread = 1ull << next_random(state) % 16;
	for (int i = 0; i < 32; i++)
		addr[i] = 0x100000 + next_random(state) % spread;
	return m;
}

static void
test_random(uint32_t line_bytes, uint32_t sector_bytes, int rounds)
{
	static struct slow slow;
	uint64_t state = line_bytes * 31 + sector_bytes, addr[32];
	struct wcp_coalesce c = {line_bytes, sector_bytes};
	struct wcp_transaction got[WCP_COALESCE_MAX];
	for (int i = 0; i < rounds && failures < 5; i++) {
		static const uint32_t sizes[] = {1, 2, 4, 8, 16, 3, 12, 64};
		uint32_t bytes = sizes[next_random(&state) % 8];
		struct wcp_mem m = random_access(&state, bytes, addr);
		char what[160];
		snprintf(what, sizeof what,
		    "line %u sector %u: shape %u mask %08x base %" PRIx64 " stride %" PRId64
		    " pitch %" PRId64 " bytes %u",
		    line_bytes, sector_bytes, m.shape, m.mask, m.base, m.stride, m.pitch, bytes);
		slow_coalesce(&slow, &m, bytes, line_bytes, sector_bytes);
		uint32_t n = wcp_coalesce_mem(&c, &m, bytes, got);
		expect(what, got, n, slow.t, slow.n);
		slow_local(&slow, &m, bytes, line_bytes, sector_bytes);
		n = wcp_coalesce_local(&c, &m, bytes, 0x4000, got);
		expect(what, got, n, slow.t, slow.n);
	}
}

static void
test_refusals(void)
{
	static const uint32_t bad[][2] = {
	    {16, 16}, {8192, 256}, {96, 32}, {128, 2}, {4096, 64}, {128, 256}, {128, 0}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct wcp_error e = {0};
		if (wcp_coalesce_check(&(struct wcp_coalesce){bad[i][0], bad[i][1]}, &e) !=
		    WCP_EUSAGE) {
			printf("line %u, sector %u: not refused\n", bad[i][0], bad[i][1]);
			failures++;
		}
	}
}

int
main(void)
{
	test_known();
	static const uint32_t sizes[][2] = {
	    {128, 32}, {32, 32}, {32, 4}, {64, 16}, {128, 128}, {256, 64}, {4096, 128}};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		test_random(sizes[i][0], sizes[i][1], 4000);
	test_refusals();
	return failures != 0;
}

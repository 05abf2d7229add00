/*
 * Speed of the cache model, in millions of accesses a second of one core's time, beside a cache
 * that is written one access at a time. A line each: name value unit floor comparison-name
 * comparison-value.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "cache_naive.h"

enum { N = 1 << 20, ROUNDS = 24 };

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 48 warps take turns: each walks lines of its own, goes back over the last few, and gathers now
 * and then. */
static void
fill(uint64_t *line, uint8_t *kind)
{
	uint64_t seed = 1;
	for (uint32_t i = 0; i < N; i++) {
		uint64_t r = naive_random(seed, i), warp = i % 48, step = i / 48;
		uint64_t walk = warp * 4096 + step / 4 + (r & 3);
		uint64_t gather = 1 << 18 | (r >> 16 & 0xffff);
		line[i] = 0x200000000000 + 128 * ((r >> 8 & 7) ? walk : gather);
		kind[i] = (r >> 11 & 15) ? WCP_LOAD : WCP_STORE;
	}
}

struct shape {
	const char *name, *floor;
	uint64_t sets;
	uint32_t ways;
	enum wcp_index index;
	enum wcp_write_policy write;
	bool stores, results;
};

static double
speed(const struct shape *s, const struct wcp_cache_options *o, const uint64_t *line,
    const uint8_t *kind)
{
	static uint8_t result[N];
	struct wcp_cache *c = wcp_cache_new(o, NULL);
	struct wcp_cache_batch in = {.n = N, .line = line, .kind = s->stores ? kind : NULL};
	struct wcp_cache_result out = {.result = s->results ? result : NULL};
	double best = 0;
	for (int round = 0; c && round < ROUNDS; round++) {
		double start = cpu_seconds();
		wcp_cache_run(c, &in, &out);
		double rate = N / (cpu_seconds() - start) / 1e6;
		best = rate > best ? rate : best;
	}
	wcp_cache_free(c);
	return best;
}

static double
naive_speed(const struct shape *s, const struct wcp_cache_options *o, const uint64_t *line,
    const uint8_t *kind)
{
	struct naive_cache n = naive_new(o);
	uint64_t hits = 0;
	double best = 0;
	for (int round = 0; round < 4; round++) {
		double start = cpu_seconds();
		for (uint32_t i = 0; i < N; i++) {
			enum wcp_access_kind k =
			    s->stores ? (enum wcp_access_kind)kind[i] : WCP_LOAD;
			hits += naive_access(&n, line[i], 0, k, false, false, 0, 0).result &
				WCP_CACHE_PRESENT;
		}
		double rate = N / (cpu_seconds() - start) / 1e6;
		best = rate > best ? rate : best;
	}
	naive_free(&n);
	return hits ? best : 0;
}

int
main(void)
{
	static uint64_t line[N];
	static uint8_t kind[N];
	static const struct shape shape[] = {
	    {"cache_lru_4way", "80", 32, 4, WCP_INDEX_MODULO, WCP_WRITE_THROUGH, false, false},
	    {"cache_lru_4way_poly", "80", 32, 4, WCP_INDEX_POLY, WCP_WRITE_EVICT, false, false},
	    {"cache_lru_4way_stores", "80", 32, 4, WCP_INDEX_FERMI, WCP_WRITE_THROUGH, true, true},
	    {"cache_lru_8way", "80", 64, 8, WCP_INDEX_MODULO, WCP_WRITE_BACK, false, false},
	    {"cache_lru_8way_96sets", "80", 96, 8, WCP_INDEX_MODULO, WCP_WRITE_BACK, true, false},
	    {"cache_lru_16way", "80", 64, 16, WCP_INDEX_MODULO, WCP_WRITE_BACK, false, false},
	    {"cache_lru_16way_768k", "80", 384, 16, WCP_INDEX_MODULO, WCP_WRITE_BACK, true, false},
	    {"cache_lru_128way", "-", 1, 128, WCP_INDEX_MODULO, WCP_WRITE_BACK, false, false},
	    {"cache_lru_8way_64ksets", "80", 65536, 8, WCP_INDEX_MODULO, WCP_WRITE_BACK, true,
		false},
	    {"cache_lru_4way_1msets", "80", 1 << 20, 4, WCP_INDEX_MODULO, WCP_WRITE_BACK, true,
		false},
	    {"cache_lru_full_6144", "-", 1, 6144, WCP_INDEX_MODULO, WCP_WRITE_BACK, true, false},
	    {"cache_fifo_4way", "-", 32, 4, WCP_INDEX_MODULO, WCP_WRITE_THROUGH, false, false},
	    {"cache_plru_8way", "-", 64, 8, WCP_INDEX_MODULO, WCP_WRITE_BACK, false, false},
	};
	fill(line, kind);
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		const struct shape *s = &shape[i];
		struct wcp_cache_options o = {
		    .index = {.kind = s->index, .sets = s->sets, .line_bytes = 128},
		    .ways = s->ways,
		    .global_write = s->write,
		    .local_write = WCP_WRITE_BACK,
		    .copies = 1};
		if (s->index == WCP_INDEX_POLY)
			o.index.polynomial = 37;
		if (!strncmp(s->name, "cache_fifo", 10))
			o.replacement = WCP_FIFO;
		if (!strncmp(s->name, "cache_plru", 10))
			o.replacement = WCP_PLRU;
		printf("%s %.1f M/s %s", s->name, speed(s, &o, line, kind), s->floor);
		if (s->ways <= 128) /* it looks at every way */
			printf(" naive %.1f", naive_speed(s, &o, line, kind));
		putchar('\n');
	}
	return 0;
}

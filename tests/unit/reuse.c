/* Laws of the reuse models; usage: reuse TEST. Silent and 0 if the law holds. */
#include <math.h>
#include <stdbool.h>
#include "model/reuse_sample.h"
#include "reuse_naive.h"
#include "warpcap/reuse.h"

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__);                                   \
			puts("");                                              \
			return 1;                                              \
		}                                                              \
	} while (0)

enum pattern { RANDOM, LOOP, STRIDED, WARPS, HOT, PATTERNS };

/* n lines of a working set of about lines, deterministic in seed. */
static uint64_t *
make_stream(enum pattern pattern, uint64_t lines, size_t n, uint64_t seed)
{
	uint64_t *line = naive_alloc(n, sizeof *line), s = seed;
	for (size_t i = 0; i < n; i++) {
		uint64_t r = naive_random(&s);
		switch (pattern) {
		case RANDOM: line[i] = r % lines; break;
		case LOOP: line[i] = i % lines; break;
		case STRIDED: line[i] = (i % lines) << (seed % 57); break;
		case WARPS:
			line[i] = (r % 16) * (lines / 16 + 1) + (i / 64 + r % 3) % (lines / 16 + 1);
			break;
		case HOT: line[i] = r >> 62 ? r % (lines / 50 + 1) : r % lines * 128; break;
		case PATTERNS: break;
		}
	}
	return line;
}

/* Feeds n lines in pieces of random size. */
static int
feed(struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance, uint64_t seed)
{
	size_t most = seed % 3 == 0 ? 5 : seed % 3 == 1 ? 300 : 5000;
	struct wcp_error e;
	for (size_t i = 0; i < n;) {
		size_t some = naive_random(&seed) % most;
		some = some < n - i ? some : n - i;
		CHECK(wcp_reuse_batch(r, line + i, some, distance + i, &e) == 0, "%s", e.text);
		i += some;
	}
	return 0;
}

static int
test_known(void)
{
	static const char text[] = "abcbaacdbe";
	static const uint32_t want[] = {~0u, ~0u, ~0u, 1, 2, 0, 2, ~0u, 3, ~0u};
	static const char order[] = "acdbe";
	uint64_t line[10], stack[5];
	uint32_t distance[10];
	struct wcp_error e;
	struct wcp_reuse *r = wcp_reuse_new(&e);
	for (int i = 0; i < 10; i++)
		line[i] = (uint64_t)text[i];
	CHECK(wcp_reuse_batch(r, line, 10, distance, &e) == 0, "%s", e.text);
	for (int i = 0; i < 10; i++)
		CHECK(distance[i] == want[i], "reference %d: %u", i, distance[i]);
	CHECK(wcp_reuse_lines(r) == 5, "%d", (int)wcp_reuse_lines(r));
	wcp_reuse_stack(r, stack);
	for (int i = 0; i < 5; i++)
		CHECK(stack[i] == (uint64_t)order[i], "place %d", i);
	wcp_reuse_free(r);
	return 0;
}

static int
check_list(enum pattern pattern, uint64_t seed)
{
	enum { N = 20000 };
	uint64_t s = seed, lines = 1 + naive_random(&s) % (seed % 2 ? 90 : 2500);
	uint64_t *line = make_stream(pattern, lines, N, seed);
	uint32_t *distance = naive_alloc(N, sizeof *distance);
	struct naive_list list = {0};
	struct wcp_error e;
	struct wcp_reuse *r = wcp_reuse_new(&e);
	if (feed(r, line, N, distance, seed))
		return 1;
	for (size_t i = 0; i < N; i++) {
		uint32_t want = naive_list_touch(&list, line[i]);
		CHECK(distance[i] == want, "pattern %d seed %d reference %zu: %u, not %u", pattern,
		    (int)seed, i, distance[i], want);
	}
	CHECK(wcp_reuse_lines(r) == list.n, "lines");
	uint64_t *stack = naive_alloc(list.n, sizeof *stack);
	wcp_reuse_stack(r, stack);
	CHECK(memcmp(stack, list.line, list.n * sizeof *stack) == 0, "stack order");
	wcp_reuse_free(r);
	free(stack);
	free(list.line);
	free(line);
	free(distance);
	return 0;
}

static int
test_list(void)
{
	for (enum pattern p = RANDOM; p < PATTERNS; p++)
		for (uint64_t seed = 1; seed <= 12; seed++)
			if (check_list(p, seed))
				return 1;
	return 0;
}

/* Large enough for mapped tables, all levels of ranks and several compactions. */
static int
test_tree(void)
{
	enum { N = 3000000 };
	static const uint64_t lines[PATTERNS] = {300000, 120000, 60000, 400000, 250000};
	uint32_t *distance = naive_alloc(N, sizeof *distance);
	for (enum pattern p = RANDOM; p < PATTERNS; p++) {
		uint64_t *line = make_stream(p, lines[p], N, 40);
		struct naive_tree tree;
		naive_tree_init(&tree, N, 20);
		struct wcp_error e;
		struct wcp_reuse *r = wcp_reuse_new(&e);
		if (feed(r, line, N, distance, 8))
			return 1;
		for (size_t i = 0; i < N; i++) {
			uint32_t want = naive_tree_touch(&tree, line[i]);
			CHECK(distance[i] == want, "pattern %d reference %zu: %u, not %u", p, i,
			    distance[i], want);
		}
		double each = (double)wcp_reuse_bytes(r) / (double)wcp_reuse_lines(r);
		CHECK(each <= 40, "pattern %d: %.1f bytes a line", p, each);
		wcp_reuse_free(r);
		naive_tree_release(&tree);
		free(line);
	}
	free(distance);
	return 0;
}

static int
test_set(void)
{
	enum { N = 100000, OWNERS = 300 };
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint64_t s = seed,
			 *line = make_stream((enum pattern)(seed % PATTERNS), 700, N, seed);
		uint32_t *owner = naive_alloc(N, sizeof *owner);
		uint32_t *distance = naive_alloc(N, sizeof *distance);
		uint32_t owners = seed < 3 ? 3 : OWNERS;
		struct naive_list *list = naive_alloc(owners, sizeof *list);
		for (size_t i = 0; i < N; i++)
			owner[i] =
			    seed == 2 ? (uint32_t)i / 40000 : (uint32_t)naive_random(&s) % owners;
		struct wcp_error e;
		struct wcp_reuse_set *set = wcp_reuse_set_new(&e);
		for (size_t i = 0; i < N; i += 777) {
			size_t some = N - i < 777 ? N - i : 777;
			CHECK(wcp_reuse_set_batch(
				  set, line + i, owner + i, some, distance + i, &e) == 0,
			    "%s", e.text);
		}
		uint64_t lines = 0;
		for (size_t i = 0; i < N; i++)
			CHECK(distance[i] == naive_list_touch(&list[owner[i]], line[i]),
			    "seed %d reference %zu", (int)seed, i);
		for (uint32_t o = 0; o < owners; o++) {
			const struct wcp_reuse *r = wcp_reuse_set_stack(set, o);
			CHECK((r ? wcp_reuse_lines(r) : 0) == list[o].n, "owner %u", o);
			lines += list[o].n;
			free(list[o].line);
		}
		CHECK(wcp_reuse_set_lines(set) == lines, "lines");
		wcp_reuse_set_free(set);
		free(list);
		free(line);
		free(owner);
		free(distance);
	}
	return 0;
}

/* Misses of a fully associative LRU cache of size lines, played line by line. */
static uint64_t
play_lru(const uint64_t *line, size_t n, size_t size)
{
	struct naive_list cache = {0};
	uint64_t misses = 0;
	for (size_t i = 0; i < n; i++) {
		if (naive_list_touch(&cache, line[i]) != 0xffffffffu)
			continue;
		misses++;
		if (cache.n > size)
			memmove(cache.line, cache.line + 1, --cache.n * sizeof *cache.line);
	}
	free(cache.line);
	return misses;
}

static uint64_t
misses_at(const struct wcp_reuse_hist *h, uint32_t size)
{
	uint64_t misses = h->cold;
	for (uint32_t d = wcp_reuse_hist_next(h, size); d != WCP_REUSE_COLD;
	     d = wcp_reuse_hist_next(h, d + 1))
		misses += wcp_reuse_hist_at(h, d);
	return misses;
}

static int
test_cache(void)
{
	enum { N = 6000 };
	uint32_t distance[N];
	for (enum pattern p = RANDOM; p < PATTERNS; p++) {
		uint64_t *line = make_stream(p, 300, N, 7);
		struct wcp_error e;
		struct wcp_reuse *r = wcp_reuse_new(&e);
		struct wcp_reuse_hist h;
		wcp_reuse_hist_init(&h, true);
		if (feed(r, line, N, distance, 3) || wcp_reuse_hist_add(&h, distance, N, &e))
			return 1;
		uint64_t before = N;
		for (uint32_t size = 1; size <= 330; size += size < 20 ? 1 : 31) {
			uint64_t misses = misses_at(&h, size);
			CHECK(misses == play_lru(line, N, size), "pattern %d size %u", p, size);
			CHECK(misses <= before, "misses grow with size");
			before = misses;
		}
		wcp_reuse_free(r);
		wcp_reuse_hist_release(&h);
		free(line);
	}
	return 0;
}

static int
test_hist(void)
{
	enum { N = 200000 };
	struct wcp_error e;
	struct wcp_reuse_hist a, b, log;
	static uint32_t distance[N], count[5000];
	uint64_t s = 5, cold = 0, sum = 0;
	wcp_reuse_hist_init(&a, true);
	wcp_reuse_hist_init(&b, true);
	wcp_reuse_hist_init(&log, false);
	for (int i = 0; i < N; i++) {
		distance[i] = (uint32_t)(naive_random(&s) % 5000 * (naive_random(&s) % 2));
		if (naive_random(&s) % 9 == 0)
			distance[i] = WCP_REUSE_COLD;
		cold += distance[i] == WCP_REUSE_COLD;
		if (distance[i] != WCP_REUSE_COLD) {
			count[distance[i]]++;
			sum += distance[i];
		}
	}
	wcp_reuse_hist_add(&a, distance, N / 3, &e);
	wcp_reuse_hist_add(&b, distance + N / 3, N - N / 3, &e);
	wcp_reuse_hist_add(&log, distance, N, &e);
	CHECK(wcp_reuse_hist_merge(&a, &b, &e) == 0, "merge");
	CHECK(a.accesses == N && a.cold == cold && a.sum == sum, "totals");
	CHECK(memcmp(a.bin, log.bin, sizeof a.bin) == 0, "bins");
	uint64_t seen = 0;
	for (uint32_t d = 0; d < 5000; d++) {
		CHECK(wcp_reuse_hist_at(&a, d) == count[d], "distance %u", d);
		if (seen * 2 < N - cold && (seen + count[d]) * 2 >= N - cold)
			CHECK(wcp_reuse_hist_quantile(&a, 0.5) == d, "median");
		seen += count[d];
	}
	/* counters of 32 bits overflow into carries */
	uint32_t seven[3] = {7, 7, 7};
	wcp_reuse_hist_count(&a, 7, (3ull << 32) - count[7] - 2, &e);
	wcp_reuse_hist_add(&a, seven, 3, &e);
	CHECK(wcp_reuse_hist_at(&a, 7) == (3ull << 32) + 1, "carry");
	CHECK(a.n_carry == 3 && wcp_reuse_hist_next(&a, 7) == 7, "carry");
	for (unsigned bin = 0; bin < WCP_REUSE_BINS; bin++)
		CHECK(wcp_reuse_bin(wcp_reuse_bin_first(bin)) == bin &&
			  wcp_reuse_bin(wcp_reuse_bin_last(bin)) == bin,
		    "bin %u", bin);
	wcp_reuse_hist_release(&a);
	wcp_reuse_hist_release(&b);
	return 0;
}

/* The vector selection is the scalar one, in order, at any rate, length and alignment. */
static int
test_select(void)
{
	enum { N = 5000 };
	static uint64_t line[N], out[N + 8];
	uint64_t s = 11;
	for (int round = 0; round < 300; round++) {
		uint64_t threshold = 1 + (naive_random(&s) >> (32 + round % 20)),
			 seed = naive_random(&s);
		size_t n = naive_random(&s) % (N - 3), at = naive_random(&s) % 4, m = 0;
		for (size_t i = 0; i < N; i++)
			line[i] = naive_random(&s) >> (round % 60);
		size_t got = reuse_sample_select(line + at, n, threshold, seed, out);
		for (size_t i = at; i < at + n; i++) {
			if (reuse_sample_value(line[i], seed) >= threshold)
				continue;
			CHECK(m < got && out[m] == line[i], "round %d line %zu", round, i);
			m++;
		}
		CHECK(m == got, "round %d: %zu, not %zu", round, got, m);
	}
	return 0;
}

/* Values are uniform whatever the stride between lines: chi-square over 256 cells. */
static int
test_uniform(void)
{
	enum { N = 1 << 15, CELLS = 256 };
	for (unsigned shift = 0; shift < 44; shift++) {
		for (uint64_t odd = 1; odd < 30; odd += 2) {
			unsigned cell[CELLS] = {0};
			for (uint64_t i = 0; i < N; i++)
				cell[reuse_sample_value(i * odd << shift, 0x5eed) >> 24]++;
			double chi2 = 0, mean = (double)N / CELLS;
			for (int i = 0; i < CELLS; i++)
				chi2 += (cell[i] - mean) * (cell[i] - mean) / mean;
			CHECK(chi2 < CELLS + 6 * sqrt(2.0 * CELLS), "stride %d << %u: %.1f",
			    (int)odd, shift, chi2);
		}
	}
	return 0;
}

static int
sample(const struct wcp_shards_options *o, const uint64_t *line, size_t n, struct wcp_shards **out)
{
	struct wcp_error e;
	struct wcp_shards *s = wcp_shards_new(o, &e);
	CHECK(s, "%s", e.text);
	for (size_t i = 0; i < n; i += 9000)
		CHECK(wcp_shards_batch(s, line + i, n - i < 9000 ? n - i : 9000, &e) == 0, "%s",
		    e.text);
	*out = s;
	return 0;
}

/* Rate 1, and a bound above the footprint, are the exact curve without error. */
static int
test_whole(void)
{
	enum { N = 40000 };
	static uint32_t distance[N];
	for (enum pattern p = RANDOM; p < PATTERNS; p++) {
		uint64_t *line = make_stream(p, 1500, N, 9);
		struct wcp_error e;
		struct wcp_reuse *r = wcp_reuse_new(&e);
		struct wcp_reuse_hist h;
		wcp_reuse_hist_init(&h, true);
		if (feed(r, line, N, distance, 1) || wcp_reuse_hist_add(&h, distance, N, &e))
			return 1;
		for (int bound = 0; bound < 2; bound++) {
			struct wcp_shards *s;
			struct wcp_shards_options o = {1.0, bound ? 1700 : 0, 3};
			if (sample(&o, line, N, &s))
				return 1;
			for (uint64_t size = 1; size < 1700; size += 13) {
				double misses, error;
				wcp_shards_misses(s, &size, 1, &misses, &error, &e);
				CHECK(misses == (double)misses_at(&h, (uint32_t)size) && error == 0,
				    "pattern %d size %d: %g", p, (int)size, misses);
			}
			wcp_shards_free(s);
		}
		wcp_reuse_free(r);
		wcp_reuse_hist_release(&h);
		free(line);
	}
	return 0;
}

/* How many of the seeds have the uniform stream's true curve within two standard errors, at four
 * sizes. */
static int
count_within(
    bool bound, const uint64_t *line, size_t n, uint64_t lines, const double *truth, int *within)
{
	uint64_t size[4] = {lines / 5, lines * 2 / 5, lines * 3 / 5, lines * 4 / 5};
	for (uint64_t seed = 1; seed <= 25; seed++) {
		struct wcp_shards *s;
		struct wcp_shards_options o = {bound ? 1.0 : 0.05, bound ? 1500 : 0, seed};
		struct wcp_shards_info info;
		double misses[4], error[4];
		struct wcp_error e;
		if (sample(&o, line, n, &s))
			return 1;
		wcp_shards_info(s, &info);
		CHECK(info.accesses == n, "accesses");
		CHECK(!bound || info.sampled_lines <= 1500, "%d lines", (int)info.sampled_lines);
		wcp_shards_misses(s, size, 4, misses, error, &e);
		for (int i = 0; i < 4; i++) {
			*within += fabs(misses[i] - truth[i]) <= 2 * error[i];
			CHECK(error[i] < 0.05 * (double)n, "error %g", error[i] / (double)n);
		}
		wcp_shards_free(s);
	}
	return 0;
}

static int
test_error(void)
{
	enum { N = 400000, LINES = 30000 };
	uint64_t *line = make_stream(RANDOM, LINES, N, 77);
	uint32_t *distance = naive_alloc(N, sizeof *distance);
	struct wcp_error e;
	struct wcp_reuse *r = wcp_reuse_new(&e);
	struct wcp_reuse_hist h;
	double truth[4];
	wcp_reuse_hist_init(&h, true);
	if (feed(r, line, N, distance, 2) || wcp_reuse_hist_add(&h, distance, N, &e))
		return 1;
	for (uint32_t i = 0; i < 4; i++)
		truth[i] = (double)misses_at(&h, LINES / 5 * (i + 1));
	for (int bound = 0; bound < 2; bound++) {
		int within = 0;
		if (count_within(bound, line, N, LINES, truth, &within))
			return 1;
		CHECK(within >= 85, "%d of 100 within two standard errors", within);
	}
	wcp_reuse_free(r);
	wcp_reuse_hist_release(&h);
	free(line);
	free(distance);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} test[] = {
    {"known", test_known},
    {"list", test_list},
    {"tree", test_tree},
    {"set", test_set},
    {"cache", test_cache},
    {"hist", test_hist},
    {"select", test_select},
    {"uniform", test_uniform},
    {"whole", test_whole},
    {"error", test_error},
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof test / sizeof test[0]; i++)
		if (argc == 2 && !strcmp(argv[1], test[i].name))
			return test[i].run();
	fputs("usage: reuse TEST\n", stderr);
	return 2;
}

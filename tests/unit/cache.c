/*
 * usage: cache equations POLYNOMIAL SETS ADDRESS-BITS   the H-matrix as equations over address bits
 *        cache irreducible DEGREE                       all irreducible polynomials of the degree
 *
 *        cache index      set functions against long-hand arithmetic
 *        cache model      the model against the readable one, all policies
 *        cache laws       inclusion of LRU, stack distance, conflict degrees
 *        cache known      misses of textbook strings
 *        cache batches    one batch or many, growing copies: the same results
 *        cache slices     a sliced cache against one cache a slice
 *
 * Prints what it found; 1 if a check failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cache_naive.h"
#include "cache/policy.h"
#include "warpcap/future.h"
#include "warpcap/slice.h"

static int failures;

#define CHECK(ok, ...)                          \
	do {                                    \
		if (!(ok) && failures++ < 10) { \
			printf(__VA_ARGS__);    \
			putchar('\n');          \
		}                               \
	} while (0)

static struct wcp_cache *
cache_new(const struct wcp_cache_options *o)
{
	struct wcp_error e;
	struct wcp_cache *c = wcp_cache_new(o, &e);
	if (!c) {
		printf("%s\n", e.text);
		exit(1);
	}
	return c;
}

static int
equations(char **arg)
{
	struct wcp_setindex x;
	struct wcp_error e;
	struct wcp_index_options o = {.kind = WCP_INDEX_POLY,
	    .sets = strtoull(arg[1], NULL, 10),
	    .line_bytes = 128,
	    .polynomial = (uint32_t)atoi(arg[0]),
	    .address_bits = (uint32_t)atoi(arg[2])};
	if (wcp_setindex_init(&x, &o, &e)) {
		printf("%s\n", e.text);
		return 1;
	}
	printf("%u %s\n", x.options.polynomial, x.irreducible ? "irreducible" : "reducible");
	for (unsigned i = 0; i < x.bits; i++) {
		printf("I%u =", i);
		for (int bit = 63, n = 0; bit >= 0; bit--)
			if (x.row[i] >> bit & 1)
				printf("%s A%d", n++ ? " +" : "", bit);
		putchar('\n');
	}
	return 0;
}

static int
irreducible(char **arg)
{
	unsigned degree = (unsigned)atoi(arg[0]);
	for (uint32_t p = 1u << degree; p < 2u << degree; p++)
		if (wcp_gf2_irreducible(p))
			printf("%u ", p);
	printf("smallest %u\n", wcp_gf2_smallest(degree));
	return 0;
}

static void
check_index(enum wcp_index kind, uint64_t sets, uint32_t polynomial, uint32_t line_bytes)
{
	struct wcp_setindex x;
	struct wcp_error e = {0};
	struct wcp_index_options o = {
	    .kind = kind, .sets = sets, .line_bytes = line_bytes, .polynomial = polynomial};
	int status = wcp_setindex_init(&x, &o, &e);
	CHECK(!status, "%s %" PRIu64 ": %s", wcp_index_name(kind), sets, e.text);
	for (uint64_t i = 0; !status && i < 4096; i++) {
		uint64_t address = naive_random(7, i) >> (i % 48), number = address / line_bytes,
			 set;
		wcp_setindex_run(&x, &number, 1, &set);
		uint64_t expected = naive_set(&x.options, address);
		CHECK(set == expected,
		    "%s of %" PRIu64 " sets: %" PRIx64 " in %" PRIu64 ", not %" PRIu64,
		    wcp_index_name(kind), sets, address, set, expected);
	}
}

static int
check_indices(void)
{
	static const uint64_t sets[] = {
	    1, 2, 3, 5, 7, 15, 32, 96, 384, 1000, 65535, 4294967295u, 4294967296u};
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		check_index(WCP_INDEX_MODULO, sets[i], 0, 32u << (i % 4));
	for (unsigned bits = 1; bits <= 16; bits++) {
		check_index(WCP_INDEX_XOR, 1ull << bits, 0, 128);
		check_index(WCP_INDEX_POLY, 1ull << bits, 0, 64);
		check_index(WCP_INDEX_POLY, 1ull << bits, (2u << bits) - 1, 128);
	}
	check_index(WCP_INDEX_FERMI, 32, 0, 128);
	check_index(WCP_INDEX_FERMI, 64, 0, 128);
	return failures != 0;
}

/* ---- streams and comparison ---------------------------------------------------------------- */

enum { N = 6000 };
struct stream {
	uint64_t line[N];
	uint32_t sectors[N], owner[N];
	uint8_t kind[N], space[N];
	uint16_t flags[N], copy[N];
};

static void
fill(struct stream *s, uint64_t seed, uint64_t lines, bool plain)
{
	for (uint32_t i = 0; i < N; i++) {
		uint64_t r = naive_random(seed, i), near = r >> 40 & 7;
		uint64_t number = near && i ? s->line[i - 1] / 128 + near - 4 : (r >> 8) % lines;
		s->line[i] = (number & 0xffffffffffff) * 128;
		s->sectors[i] = (uint32_t)(r >> 20 & 15);
		s->owner[i] = i;
		s->kind[i] = (uint8_t)(plain	 ? WCP_LOAD
				       : (r & 1) ? WCP_LOAD
						 : (r >> 1) % WCP_KIND_COUNT);
		s->space[i] = r >> 4 & 3 ? WCP_SPACE_GLOBAL : WCP_SPACE_LOCAL;
		s->flags[i] = (r >> 6 & 7) == 0 ? WCP_ACCESS_UNCACHED : 0;
		s->copy[i] = (uint16_t)((r >> 50) % 3);
	}
}

struct results {
	uint8_t result[N];
	uint64_t victim[N];
	uint32_t missing[N], victim_sectors[N], victim_owner[N];
};

static struct wcp_cache_batch
part_of(const struct stream *s, size_t at, size_t n)
{
	return (struct wcp_cache_batch){.n = N - at < n ? N - at : n,
	    .line = s->line + at,
	    .sectors = s->sectors + at,
	    .kind = s->kind + at,
	    .space = s->space + at,
	    .flags = s->flags + at,
	    .copy = s->copy + at,
	    .owner = s->owner + at};
}

/* Next uses, in batches of step. */
static void
foresee(const struct wcp_cache_options *o, const struct stream *s, size_t step, uint64_t *next)
{
	struct wcp_error e;
	struct wcp_future *f = wcp_future_new(o, &e);
	for (size_t at = (N - 1) / step * step; f; at -= step) {
		struct wcp_cache_batch in = part_of(s, at, step);
		CHECK(!wcp_future_run(f, &in, at, next + at, &e), "%s", e.text);
		if (!at)
			break;
	}
	CHECK(f != NULL, "no future");
	wcp_future_free(f);
}

static void
run(struct wcp_cache *c, const struct stream *s, struct results *r, size_t step)
{
	static uint64_t next[N];
	if (c->o.replacement == WCP_OPT)
		foresee(&c->o, s, step, next);
	for (size_t at = 0; at < N; at += step) {
		struct wcp_cache_batch in = part_of(s, at, step);
		struct wcp_cache_result out = {r->result + at, r->victim + at, r->missing + at,
		    r->victim_sectors + at, r->victim_owner + at};
		in.next = next + at;
		CHECK(!wcp_cache_reserve(c, in.n, NULL), "no memory");
		wcp_cache_run(c, &in, &out);
	}
}

/* The next access behind i that would bring its line in, if nothing drops it before. */
static uint64_t
naive_next_use(const struct wcp_cache_options *o, const struct stream *s, uint32_t i)
{
	for (uint32_t j = i + 1; j < N; j++) {
		enum wcp_access_kind kind = (enum wcp_access_kind)s->kind[j];
		enum wcp_write_policy write =
		    s->space[j] == WCP_SPACE_LOCAL ? o->local_write : o->global_write;
		bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
		bool atomic = kind == WCP_ATOMIC || kind == WCP_REDUCE;
		bool past = s->flags[j] & WCP_ACCESS_UNCACHED && o->bypass_uncached;
		if (s->line[j] / o->index.line_bytes != s->line[i] / o->index.line_bytes ||
		    s->copy[j] != s->copy[i] || kind == WCP_FILL || (past && kind != WCP_WRITEBACK))
			continue;
		if (kind == WCP_STORE && keeps && o->store_around)
			continue;
		if (kind == WCP_LOAD || kind == WCP_PREFETCH || keeps)
			return j;
		if ((atomic || (kind == WCP_STORE && write == WCP_WRITE_EVICT)) &&
		    !o->keeps_dropped)
			return WCP_NEVER;
	}
	return WCP_NEVER;
}

enum how { AS_CHOSEN, AVX2, RANKED, PORTABLE, HOWS };

static bool
has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static struct wcp_cache *
cache_how(const struct wcp_cache_options *o, enum how how)
{
	struct wcp_cache *c = cache_new(o);
	if (how == PORTABLE && c->is_ordered)
		c->policy = &cache_ordered_portable;
	if (how == AVX2 && c->is_ordered)
		c->policy = &cache_ordered_avx2;
	if (how == RANKED && c->order && has_avx2())
		c->policy = &cache_ranked;
	return c;
}

struct left {
	uint64_t line[N];
	uint32_t n;
};

static int
note_left(void *arg, const struct wcp_cache_line *line)
{
	struct left *l = arg;
	l->line[l->n++] = line->line ^ (uint64_t)line->copy << 56;
	return 0;
}

/* Where only counts are asked for, they are the same; and so are the dirty lines of a cache that is
 * emptied, in their order, however it was run. */
static void
compare_counts(
    const struct wcp_cache_options *o, const struct stream *s, struct wcp_cache *of, enum how how)
{
	static struct left left[2], first;
	struct wcp_cache *c = cache_how(o, how);
	for (size_t at = 0; at < N; at += 997) {
		struct wcp_cache_batch in = part_of(s, at, 997);
		wcp_cache_run(c, &in, NULL);
	}
	CHECK(!memcmp(wcp_cache_counts(c), wcp_cache_counts(of), sizeof *wcp_cache_counts(c)),
	    "%" PRIu64 "x%u: counts alone are others", o->index.sets, o->ways);
	left[0].n = left[1].n = 0;
	wcp_cache_invalidate(c, note_left, &left[0]);
	wcp_cache_invalidate(of, note_left, &left[1]);
	if (!how)
		first = left[0];
	for (unsigned i = 0; i < 2; i++)
		CHECK(left[i].n == first.n &&
			  !memcmp(left[i].line, first.line, first.n * sizeof *first.line),
		    "%" PRIu64 "x%u: other lines are left, or in another order", o->index.sets,
		    o->ways);
	wcp_cache_free(c);
}

/* Is there more than one way to run it? */
static bool
compare(const struct wcp_cache_options *o, const struct stream *s, enum how how)
{
	static struct results r;
	struct wcp_cache *c = cache_how(o, how);
	struct naive_cache n = naive_new(o);
	uint64_t hits = 0, accesses = 0;
	n.o.index = wcp_cache_index(c)->options;
	run(c, s, &r, 997);
	for (uint32_t i = 0; i < N; i++) {
		if (o->replacement == WCP_OPT)
			n.next = naive_next_use(o, s, i);
		struct naive_result want = naive_access(&n, s->line[i], s->sectors[i],
		    (enum wcp_access_kind)s->kind[i], s->space[i] == WCP_SPACE_LOCAL,
		    s->flags[i] & WCP_ACCESS_UNCACHED, s->copy[i], s->owner[i]);
		unsigned outcome = want.result & WCP_CACHE_OUTCOME;
		accesses += outcome != WCP_OUT_NONE && outcome != WCP_OUT_BYPASS;
		hits += (want.result & WCP_CACHE_PRESENT) != 0;
		bool same = r.result[i] == want.result;
		if (outcome != WCP_OUT_NONE && outcome != WCP_OUT_BYPASS)
			same = same && r.missing[i] == want.missing;
		if (want.result & WCP_CACHE_VICTIM)
			same = same && r.victim[i] == want.victim &&
			       r.victim_sectors[i] == want.victim_sectors &&
			       (!o->track_owner || r.victim_owner[i] == want.victim_owner);
		CHECK(same,
		    "%s, %s, %" PRIu64
		    "x%u, sectors %u, writes %s and %s: access %u: %02x, not %02x",
		    wcp_replacement_name(o->replacement), wcp_index_name(o->index.kind),
		    o->index.sets, o->ways, o->sector_bytes, wcp_write_name(o->global_write),
		    wcp_write_name(o->local_write), i, r.result[i], want.result);
	}
	CHECK(wcp_cache_hits(wcp_cache_counts(c)) == hits &&
		  wcp_cache_accesses(wcp_cache_counts(c)) == accesses,
	    "counts differ from the results");
	bool is_ordered = c->is_ordered;
	if (is_ordered)
		compare_counts(o, s, c, how);
	naive_free(&n);
	wcp_cache_free(c);
	return is_ordered;
}

struct shape {
	uint64_t sets;
	uint32_t ways;
	enum wcp_index index;
};

/* All write policies, with and without sectors and owners; n counts the caches made. */
static void
compare_shape(const struct shape *shape, enum wcp_replacement policy, unsigned *n)
{
	static struct stream s;
	for (unsigned write = 0; write < WCP_WRITE_COUNT; write++)
		for (unsigned mode = 0; mode < 4; mode++, ++*n) {
			struct wcp_cache_options o = {
			    .index = {.kind = shape->index, .sets = shape->sets, .line_bytes = 128},
			    .ways = shape->ways,
			    .sector_bytes = mode & 1 ? 32 : 0,
			    .replacement = policy,
			    .global_write = (enum wcp_write_policy)write,
			    .local_write = (enum wcp_write_policy)((write + *n) % WCP_WRITE_COUNT),
			    .bypass_uncached = *n % 3 == 0,
			    .store_around = *n % 4 == 1,
			    .keeps_dropped = *n % 7 == 0,
			    .track_owner = mode & 2,
			    .copies = 3,
			    .seed = *n};
			fill(&s, *n, shape->sets * shape->ways * 2, *n % 5 == 0);
			bool more = true;
			for (unsigned how = 0; more && how < HOWS; how++)
				more = compare(&o, &s, (enum how)how);
		}
}

/* Any number of sets, and line numbers up to the last that there can be. */
static void
check_modulo(void)
{
	for (uint32_t i = 0; i < N; i++) {
		uint64_t sets = naive_random(9, i) >> (32 + i % 32), set;
		uint64_t number = naive_random(10, i) >> (2 + i % 31);
		struct wcp_index_options o = {.sets = sets + 1, .line_bytes = 4};
		struct wcp_setindex x;
		uint64_t last = UINT64_MAX >> 2, edge = number - number % o.sets;
		uint64_t tried[] = {number, last, edge, edge ? edge - 1 : 0};
		CHECK(!wcp_setindex_init(&x, &o, NULL), "%" PRIu64 " sets", o.sets);
		for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
			wcp_setindex_run(&x, &tried[k], 1, &set);
			CHECK(set == tried[k] % o.sets, "%" PRIu64 " modulo %" PRIu64, tried[k],
			    o.sets);
		}
	}
}

static int
check_model(void)
{
	check_modulo();
	static const struct shape shape[] = {{1, 1, WCP_INDEX_MODULO}, {1, 40, WCP_INDEX_MODULO},
	    {7, 3, WCP_INDEX_MODULO}, {32, 4, WCP_INDEX_FERMI}, {64, 8, WCP_INDEX_XOR},
	    {16, 16, WCP_INDEX_POLY}, {12, 6, WCP_INDEX_MODULO}, {8, 13, WCP_INDEX_POLY},
	    {2, 17, WCP_INDEX_XOR}, {3, 64, WCP_INDEX_MODULO}, {1, 2, WCP_INDEX_MODULO},
	    {5, 32, WCP_INDEX_MODULO}, {1, 129, WCP_INDEX_MODULO}, {2, 300, WCP_INDEX_XOR}};
	unsigned n = 0;
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
		for (unsigned policy = 0; policy < WCP_REPLACEMENT_COUNT; policy++)
			if (policy != WCP_PLRU ||
			    (shape[i].ways <= 64 && !(shape[i].ways & (shape[i].ways - 1))))
				compare_shape(&shape[i], (enum wcp_replacement)policy, &n);
	printf("%u caches agree on %u accesses each\n", n, N);
	return failures != 0;
}

/* ---- laws ---------------------------------------------------------------------------------- */

static uint64_t
misses(uint64_t sets, uint32_t ways, enum wcp_index kind, uint32_t polynomial, const uint64_t *line,
    size_t n)
{
	struct wcp_cache_options o = {
	    .index = {.kind = kind, .sets = sets, .line_bytes = 128, .polynomial = polynomial},
	    .ways = ways,
	    .copies = 1};
	struct wcp_cache *c = cache_new(&o);
	struct wcp_cache_batch in = {.n = n, .line = line};
	wcp_cache_run(c, &in, NULL);
	const struct wcp_cache_counts *counts = wcp_cache_counts(c);
	uint64_t m = wcp_cache_accesses(counts) - wcp_cache_hits(counts);
	wcp_cache_free(c);
	return m;
}

static void
check_inclusion(void)
{
	static struct stream s;
	for (unsigned seed = 0; seed < 6; seed++) {
		fill(&s, seed, 300, true);
		for (uint64_t sets = 1; sets <= 64; sets *= 4)
			for (uint32_t ways = 1; ways < 40; ways++) {
				uint64_t few = misses(sets, ways, WCP_INDEX_MODULO, 0, s.line, N);
				uint64_t more =
				    misses(sets, ways + 1, WCP_INDEX_MODULO, 0, s.line, N);
				CHECK(more <= few, "%u ways miss more than %u", ways + 1, ways);
			}
	}
}

/* A fully associative LRU cache of w lines misses what has w or more other lines since its last
 * use. */
static void
check_stack_distance(void)
{
	static struct stream s;
	static uint64_t at_least[N + 1];
	fill(&s, 99, 200, true);
	memset(at_least, 0, sizeof at_least);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t between = 0, back = i;
		while (back-- > 0 && s.line[back] != s.line[i]) {
			bool again = false;
			for (uint32_t k = back + 1; k < i && !again; k++)
				again = s.line[k] == s.line[back];
			between += !again;
		}
		uint32_t distance = back == UINT32_MAX ? N : between;
		for (uint32_t w = 0; w <= distance && w < 300; w++)
			at_least[w]++;
	}
	for (uint32_t ways = 1; ways < 300; ways++) {
		uint64_t m = misses(1, ways, WCP_INDEX_MODULO, 0, s.line, N);
		CHECK(m == at_least[ways],
		    "%u ways: %" PRIu64 " misses, stack distance says %" PRIu64, ways, m,
		    at_least[ways]);
	}
}

/* Lines brought in: OPT's are the fewest, whatever the write policies, drops and sectors are; PLRU
 * of 2 ways is LRU. */
static uint64_t
fills(struct wcp_cache_options o, enum wcp_replacement policy, const struct stream *s,
    struct results *r)
{
	uint64_t n = 0;
	o.replacement = policy;
	struct wcp_cache *c = cache_new(&o);
	run(c, s, r, 512);
	for (unsigned i = 0; i < N; i++)
		n += (r->result[i] & WCP_CACHE_OUTCOME) == WCP_OUT_MISS;
	wcp_cache_free(c);
	return n;
}

static void
check_opt(void)
{
	static struct stream s;
	static struct results r, lru;
	for (unsigned seed = 0; seed < 48; seed++) {
		struct wcp_cache_options o = {.index = {.sets = 1 + seed % 5, .line_bytes = 128},
		    .ways = 1u << seed % 8,
		    .sector_bytes = seed & 1 ? 32 : 0,
		    .global_write = (enum wcp_write_policy)(seed / 2 % WCP_WRITE_COUNT),
		    .local_write = (enum wcp_write_policy)(seed / 3 % WCP_WRITE_COUNT),
		    .store_around = seed % 5 == 0,
		    .copies = 3,
		    .seed = seed};
		fill(&s, seed, o.index.sets * o.ways * 2, seed % 4 == 0);
		uint64_t opt = fills(o, WCP_OPT, &s, &r);
		for (unsigned p = 0; p < WCP_REPLACEMENT_COUNT; p++) {
			if (p == WCP_PLRU && o.ways > 64)
				continue;
			uint64_t other = fills(o, (enum wcp_replacement)p, &s, &r);
			CHECK(opt <= other, "opt brings in %" PRIu64 " lines, %s %" PRIu64, opt,
			    wcp_replacement_name((enum wcp_replacement)p), other);
		}
		o.ways = 2;
		fills(o, WCP_LRU, &s, &lru);
		fills(o, WCP_PLRU, &s, &r);
		CHECK(!memcmp(r.result, lru.result, sizeof r.result), "PLRU of 2 ways is no LRU");
	}
}

/* A cache without bound misses what is touched first: that is a cache of as many ways as lines. */
static void
check_unbounded(void)
{
	static struct stream s;
	static struct results r, all;
	for (unsigned seed = 0; seed < 32; seed++) {
		struct wcp_cache_options o = {.index = {.sets = 1, .line_bytes = 128},
		    .sector_bytes = seed & 1 ? 32 : 0,
		    .global_write = (enum wcp_write_policy)(seed / 2 % WCP_WRITE_COUNT),
		    .local_write = (enum wcp_write_policy)(seed / 8 % WCP_WRITE_COUNT),
		    .copies = 3};
		fill(&s, seed, 1000 + 100 * seed, false);
		fills(o, WCP_LRU, &s, &r);
		o.ways = N;
		fills(o, WCP_LRU, &s, &all);
		CHECK(!memcmp(r.result, all.result, sizeof r.result) &&
			  !memcmp(r.missing, all.missing, sizeof r.missing),
		    "a cache without bound is not the largest");
	}
}

static unsigned
sets_used(enum wcp_index kind, uint64_t sets, uint32_t polynomial, uint64_t stride, unsigned lines)
{
	struct wcp_index_options o = {
	    .kind = kind, .sets = sets, .line_bytes = 128, .polynomial = polynomial};
	struct wcp_setindex x;
	bool used[64] = {false};
	unsigned n = 0;
	if (wcp_setindex_init(&x, &o, NULL))
		exit(1);
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t number = i * stride, set;
		wcp_setindex_run(&x, &number, 1, &set);
		n += !used[set];
		used[set] = true;
	}
	return n;
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* DWT-PRIC sec. 4.3: conflict degree of stride S over M sets is M / gcd(M, S); Fig. 6: SYRK's 32
 * threads read rows K lines apart. */
static void
check_conflicts(void)
{
	for (uint64_t stride = 1; stride <= 256; stride++) {
		unsigned degree = sets_used(WCP_INDEX_MODULO, 32, 0, stride, 256);
		CHECK(degree == 32 / gcd(32, stride), "stride %" PRIu64 " uses %u sets", stride,
		    degree);
		CHECK(
		    sets_used(WCP_INDEX_MODULO, 8, 0, stride, 64) == 8 / gcd(8, stride), "8 sets");
	}
	for (uint64_t k = 32; k <= 1024; k += 32) {
		unsigned modulo = sets_used(WCP_INDEX_MODULO, 32, 0, k, 32);
		unsigned poly = sets_used(WCP_INDEX_POLY, 32, 37, k, 32);
		CHECK(modulo == 1, "SYRK, K = %" PRIu64 ": %u sets", k, modulo);
		/* x^k times a set of polynomials below degree 5 is a permutation of them */
		CHECK(poly == 32 || k & (k - 1), "SYRK, K = %" PRIu64 ": %u sets by Poly(37)", k,
		    poly);
		CHECK(poly >= 12, "SYRK, K = %" PRIu64 ": only %u sets by Poly(37)", k, poly);
	}
	printf("SYRK, K = 32: %u set by modulo, %u by Poly(37)\n",
	    sets_used(WCP_INDEX_MODULO, 32, 0, 32, 32), sets_used(WCP_INDEX_POLY, 32, 37, 32, 32));
	for (uint32_t m = 8; m <= 1024; m *= 2)
		CHECK(sets_used(WCP_INDEX_POLY, 8, 11, m, 8) == 8 &&
			  sets_used(WCP_INDEX_POLY, 8, 13, m, 8) == 8,
		    "8 lines %u apart do not spread over 8 sets", m);
}

static int
count_write_back(void *arg, const struct wcp_cache_line *line)
{
	*(uint64_t *)arg += line->line + (uint64_t)line->copy * 1000003 + line->sectors;
	return 0;
}

static int
check_batches(void)
{
	static struct stream s;
	static struct results whole, parts;
	for (unsigned mode = 0; mode < 2 * WCP_REPLACEMENT_COUNT; mode++) {
		struct wcp_cache_options o = {.index = {.sets = 12, .line_bytes = 128},
		    .ways = mode & 1 && mode / 2 != WCP_PLRU ? 140 : 4,
		    .sector_bytes = mode & 1 ? 32 : 0,
		    .replacement = (enum wcp_replacement)(mode / 2),
		    .global_write = WCP_WRITE_BACK,
		    .copies = 3};
		uint64_t left[2] = {0, 0};
		fill(&s, mode, 200 * o.ways, false);
		struct wcp_cache *a = cache_new(&o);
		o.copies = 1;
		struct wcp_cache *b = cache_new(&o);
		CHECK(!wcp_cache_grow(b, 3, NULL) && wcp_cache_copies(b) == 3, "cannot grow");
		memset(&whole, 0, sizeof whole);
		memset(&parts, 0, sizeof parts);
		run(a, &s, &whole, N);
		run(b, &s, &parts, 1 + mode);
		CHECK(!memcmp(&whole, &parts, sizeof whole), "batches change results in mode %u",
		    mode);
		wcp_cache_invalidate(a, count_write_back, &left[0]);
		wcp_cache_invalidate(b, count_write_back, &left[1]);
		CHECK(left[0] && left[0] == left[1], "dirty lines differ in mode %u", mode);
		wcp_cache_invalidate(a, count_write_back, &left[0]);
		CHECK(left[0] == left[1], "an empty cache has dirty lines");
		wcp_cache_free(a);
		wcp_cache_free(b);
	}
	return failures != 0;
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* A sliced cache is one cache a slice, asked about the addresses within it. */
static void
check_slice(const struct wcp_slice_options *o)
{
	static struct stream s;
	static struct results whole;
	static uint64_t within[N];
	static uint16_t slice[N];
	struct wcp_slice x;
	struct wcp_error e;
	struct wcp_cache_options co = {.index = {.sets = 8, .line_bytes = 128}, .ways = 3};
	if (wcp_slice_init(&x, o, &e)) {
		CHECK(false, "%s", e.text);
		return;
	}
	fill(&s, o->slices, 300, true);
	wcp_slice_run(&x, s.line, N, slice, within);
	co.copies = o->slices;
	struct wcp_cache *c = cache_new(&co);
	struct wcp_cache_batch in = {.n = N, .line = s.line, .copy = slice, .place = within};
	struct wcp_cache_result out = {.result = whole.result, .victim = whole.victim};
	wcp_cache_run(c, &in, &out);
	wcp_cache_free(c);
	co.copies = 1;
	for (uint32_t k = 0; k < o->slices; k++) {
		struct naive_cache n = naive_new(&co);
		for (uint32_t i = 0; i < N; i++) {
			if (slice[i] != k)
				continue;
			struct naive_result want =
			    naive_access(&n, within[i], 0, WCP_LOAD, false, false, 0, 0);
			CHECK(wcp_slice_address(&x, slice[i], within[i]) == s.line[i],
			    "%u slices: not the inverse", o->slices);
			CHECK(whole.result[i] == want.result, "%u slices: access %u", o->slices, i);
			CHECK(
			    !(want.result & WCP_CACHE_VICTIM) ||
				whole.victim[i] == wcp_slice_address(&x, (uint16_t)k, want.victim),
			    "%u slices: victim of access %u", o->slices, i);
		}
		naive_free(&n);
	}
}

static int
check_slices(void)
{
	for (uint32_t slices = 1; slices <= 13; slices++)
		check_slice(&(struct wcp_slice_options){
		    slices, 128u << slices % 4, WCP_INDEX_MODULO, 0, 0});
	for (uint32_t slices = 2; slices <= 32; slices *= 2)
		for (uint32_t chunk = 128; chunk <= 4096; chunk *= 2) {
			check_slice(
			    &(struct wcp_slice_options){slices, chunk, WCP_INDEX_XOR, 0, 0});
			check_slice(
			    &(struct wcp_slice_options){slices, chunk, WCP_INDEX_POLY, 0, 0});
			check_slice(&(struct wcp_slice_options){
			    slices, chunk, WCP_INDEX_POLY, 2 * slices - 1, 32});
		}
	return failures != 0;
}

/* ---- known answers --------------------------------------------------------------------------- */

static void
known(const char *name, const char *pages, uint32_t ways)
{
	static struct stream s;
	struct results *r = calloc(1, sizeof *r);
	size_t n = strlen(pages);
	memset(&s, 0, sizeof s);
	for (size_t i = 0; i < N; i++)
		s.line[i] = 128ull * (uint64_t)pages[i < n ? i : n - 1];
	printf("%s, %u ways:", name, ways);
	for (unsigned p = 0; r && p < WCP_REPLACEMENT_COUNT; p++) {
		if (p == WCP_RANDOM || (p == WCP_PLRU && ways & (ways - 1)))
			continue;
		struct wcp_cache_options o = {
		    .index = {.sets = 1, .line_bytes = 128}, .ways = ways, .copies = 1};
		printf(" %s %" PRIu64, wcp_replacement_name((enum wcp_replacement)p),
		    fills(o, (enum wcp_replacement)p, &s, r));
	}
	putchar('\n');
	free(r);
}

static int
known_answers(void)
{
	known("seven", "70120304230321201701", 3);
	known("anomaly", "123412512345", 3);
	known("anomaly", "123412512345", 4);
	known("tree", "abcdaecb", 4);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "equations") && argc == 5)
		return equations(argv + 2);
	if (!strcmp(what, "irreducible") && argc == 3)
		return irreducible(argv + 2);
	if (!strcmp(what, "index"))
		return check_indices();
	if (!strcmp(what, "model"))
		return check_model();
	if (!strcmp(what, "batches"))
		return check_batches();
	if (!strcmp(what, "known"))
		return known_answers();
	if (!strcmp(what, "slices"))
		return check_slices();
	if (strcmp(what, "laws"))
		return 2;
	check_inclusion();
	check_stack_distance();
	check_opt();
	check_unbounded();
	check_conflicts();
	return failures != 0;
}

/*
 * LRU of whole lines in sets of 5 to 16 ways with AVX2: tags keep their ways, and the ways' order,
 * most recent first, is 8 or 16 bytes a set that one shuffle changes. The last way in it is the
 * victim; empty ways are behind all others. Its results are those of ordered.c.
 */
#include "cache/ordered.h"
#ifdef __x86_64__
#include <immintrin.h>

#define AVX2	    __attribute__((target("avx2,bmi")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2,bmi")))

/* Row p: the way at p comes to the front. */
static const uint8_t to_front[16][16]
    __attribute__((aligned(16))) = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{2, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{5, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{6, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{7, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15},
	{8, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15},
	{9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15},
	{10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15},
	{11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15},
	{12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
	{13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15},
	{14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15},
	{15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}};

/* The way at p goes behind all others of the set. */
static void
make_to_back(uint8_t shuffle[16], uint32_t p, uint32_t ways)
{
	for (uint32_t i = 0; i < 16; i++)
		shuffle[i] = (uint8_t)(i >= p && i + 1 < ways ? i + 1 : i);
	shuffle[ways - 1] = (uint8_t)p;
}

AVX2_INLINE unsigned
compare(const uint64_t *tag, __m256i key)
{
	const __m256i clean = _mm256_set1_epi64x((long long)~CACHE_DIRTY);
	__m256i tags = _mm256_load_si256((const __m256i *)(const void *)tag);
	__m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(tags, clean), key);
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

AVX2_INLINE __m128i
load_order(const uint8_t *order, uint32_t stride)
{
	const __m128i *from = (const __m128i *)(const void *)order;
	return stride == 8 ? _mm_loadl_epi64(from) : _mm_load_si128(from);
}

AVX2_INLINE void
store_order(uint8_t *order, uint32_t stride, __m128i old, const uint8_t *shuffle)
{
	__m128i by = _mm_loadu_si128((const __m128i *)(const void *)shuffle);
	__m128i *to = (__m128i *)(void *)order, is = _mm_shuffle_epi8(old, by);
	if (stride == 8)
		_mm_storel_epi64(to, is);
	else
		_mm_store_si128(to, is);
}

/* Whole registers are stored where vectors are loaded soon after: narrower stores would be waited
 * for. */
AVX2_INLINE void
store_tag(uint64_t *tag, uint32_t way, uint64_t front)
{
	static const uint64_t lane[4][4] __attribute__((aligned(32))) = {
	    {~0ull, 0, 0, 0}, {0, ~0ull, 0, 0}, {0, 0, ~0ull, 0}, {0, 0, 0, ~0ull}};
	__m256i *to = (__m256i *)(void *)(tag + (way & ~3u));
	__m256i mask = _mm256_load_si256((const __m256i *)(const void *)lane[way & 3]);
	_mm256_store_si256(to,
	    _mm256_blendv_epi8(_mm256_load_si256(to), _mm256_set1_epi64x((long long)front), mask));
}

/* An access that brings no line to the front: it may drop its own. */
AVX2_INLINE void
drop(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t stride, unsigned hit)
{
	const struct cache_action *a = &c->action[k->action[i]];
	uint8_t *order = c->order + k->set[i] * stride;
	uint32_t way = (uint32_t)__builtin_ctz(hit | 1u << 16);
	bool there = a->looks_up && hit;
	cache_result(c, k, i, there ? a->hit : a->miss, there ? 0 : 1);
	if (!there)
		return;
	__m128i old = load_order(order, stride);
	__m128i at = _mm_cmpeq_epi8(old, _mm_set1_epi8((char)way));
	store_tag(c->tag + k->set[i] * stride, way, CACHE_NO_LINE);
	uint8_t to_back[16];
	make_to_back(to_back, (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(at)), c->o.ways);
	store_order(order, stride, old, to_back);
}

/* take_for where nobody asks for results but their counts; no branch on what cannot be foreseen. */
AVX2_INLINE uint64_t
take_counted(
    struct wcp_cache *c, uint64_t number, uint64_t old, bool hit, const struct cache_action *a)
{
	unsigned left = !hit & (old != CACHE_NO_LINE), dirty = (unsigned)(old >> 63);
	unsigned result = a->miss ^ ((a->miss ^ a->hit) & (0u - hit));
	result |= left * WCP_CACHE_VICTIM | (left & dirty) * WCP_CACHE_DIRTY;
	c->counts.result[result]++;
	return number | (uint64_t)(a->dirties | (dirty & hit)) << 63;
}

/* The ways' order after an access to a way. */
AVX2_INLINE void
bring(uint8_t *order, uint32_t stride, __m128i old, uint32_t way)
{
	__m128i at = _mm_cmpeq_epi8(old, _mm_set1_epi8((char)way));
	uint32_t place = (uint32_t)__builtin_ctz((unsigned)_mm_movemask_epi8(at));
	store_order(order, stride, old, to_front[place]);
}

/* Where hits come in runs: the branch lets the next access to the set begin before this one has
 * ended. */
AVX2_INLINE void
step_foreseen(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t stride,
    unsigned hit, uint32_t last)
{
	const struct cache_action *a = &c->action[k->action[i]];
	uint64_t *tag = c->tag + k->set[i] * stride;
	uint8_t *order = c->order + k->set[i] * stride;
	uint32_t way = hit ? (uint32_t)__builtin_ctz(hit) : order[last];
	uint64_t was = tag[way], front = take_for(c, k, i, was, hit != 0, a);
	if (!hit) {
		store_tag(tag, way, front);
		store_order(order, stride, load_order(order, stride), to_front[last]);
		return;
	}
	if (front != was)
		store_tag(tag, way, front);
	bring(order, stride, load_order(order, stride), way);
}

/* Where they do not: no branch on a hit. */
AVX2_INLINE void
step_counted(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t stride,
    unsigned hit, uint32_t last)
{
	const struct cache_action *a = &c->action[k->action[i]];
	uint64_t *tag = c->tag + k->set[i] * stride;
	uint8_t *order = c->order + k->set[i] * stride;
	__m128i old = load_order(order, stride);
	uint32_t found = (uint32_t)__builtin_ctz(hit | 1u << 16);
	uint32_t missing = 0u - !hit; /* mask */
	uint32_t way = (found & ~missing) | (order[last] & missing);
	store_tag(tag, way, take_counted(c, k->number[i], tag[way], hit != 0, a));
	bring(order, stride, old, way);
}

AVX2_INLINE void
run_for(struct wcp_cache *c, const struct cache_chunk *k, uint32_t stride, bool foreseen)
{
	const uint32_t last = c->o.ways - 1;
	unsigned changes = 0;
	bool before = false;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		const uint64_t *tag = c->tag + k->set[i] * stride;
		__m256i key = _mm256_set1_epi64x((long long)k->number[i]);
		unsigned hit = compare(tag, key) | compare(tag + 4, key) << 4;
		if (stride == 16)
			hit |= compare(tag + 8, key) << 8 | compare(tag + 12, key) << 12;
		changes += before != !hit;
		before = !hit;
		if (__builtin_expect(leaves(a, hit != 0), 0))
			drop(c, k, i, stride, hit);
		else if (foreseen)
			step_foreseen(c, k, i, stride, hit, last);
		else
			step_counted(c, k, i, stride, hit, last);
	}
	c->is_erratic = changes > k->n / 8;
	c->now += k->n;
}

AVX2 static void
run_counted(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->stride == 8)
		run_for(c, k, 8, false);
	else
		run_for(c, k, 16, false);
}

AVX2 static void
run_foreseen(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->stride == 8)
		run_for(c, k, 8, true);
	else
		run_for(c, k, 16, true);
}

/* By how the chunk before went, which changes no result. */
static void
run(struct wcp_cache *c, const struct cache_chunk *k)
{
	const struct wcp_cache_result *o = &k->out;
	bool wanted = o->result || o->missing || o->victim || o->victim_sectors;
	(wanted || !c->is_erratic ? run_foreseen : run_counted)(c, k);
}

const struct cache_policy cache_ranked = {"lru", run};

bool
cache_ranked_runs(void)
{
	bool better = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		      __builtin_cpu_supports("avx512vl");
	return __builtin_cpu_supports("avx2") && !better;
}
#else
const struct cache_policy cache_ranked = {"lru", NULL};

bool
cache_ranked_runs(void)
{
	return false;
}
#endif

void
cache_ranked_empty(struct wcp_cache *c, uint64_t first, uint64_t sets)
{
	for (uint64_t at = first * c->stride; at < sets * c->stride; at++)
		c->order[at] = (uint8_t)(at & (c->stride - 1));
}

void
cache_ranked_sort(struct wcp_cache *c, uint64_t sets)
{
	for (uint64_t set = 0; set < sets; set++) {
		uint64_t sorted[16], *tag = c->tag + set * c->stride;
		for (unsigned i = 0; i < c->stride; i++)
			sorted[i] = tag[c->order[set * c->stride + i]];
		memcpy(tag, sorted, c->stride * sizeof *tag);
	}
	cache_ranked_empty(c, 0, sets);
}

/*
 * LRU of whole lines (ordered.h) with AVX2: registers of four tags. The last place that changes is
 * the line's own, or on a miss the set's last. A register wholly before it moves up by one lane,
 * the one it is in up to it, those behind stay; which of these is a row of tables, not a branch.
 */
#include "cache/ordered.h"
#ifdef __x86_64__
#include <immintrin.h>

#define AVX2	    __attribute__((target("avx2,bmi")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2,bmi")))

/* By how many of a register's lanes change: 0, or 1 to 4 from the first on. Halves of lanes. */
static const uint32_t moved[5][8]
    __attribute__((aligned(32))) = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
	{0, 1, 0, 1, 4, 5, 6, 7}, {0, 1, 0, 1, 2, 3, 6, 7}, {0, 1, 0, 1, 2, 3, 4, 5}};
/* And whether something comes into the first one. */
static const uint64_t comes[5][4]
    __attribute__((aligned(32))) = {{0}, {~0ull}, {~0ull}, {~0ull}, {~0ull}};

/* Register v of a set whose places up to last change; front comes in. */
AVX2_INLINE __m256i
shift(__m256i old, __m256i front, uint32_t last, uint32_t v)
{
	int lanes = (int)last + 1 - (int)(4 * v);
	lanes = lanes < 0 ? 0 : lanes > 4 ? 4 : lanes;
	__m256i up = _mm256_permutevar8x32_epi32(
	    old, _mm256_load_si256((const __m256i *)(const void *)moved[lanes]));
	return _mm256_blendv_epi8(
	    up, front, _mm256_load_si256((const __m256i *)(const void *)comes[lanes]));
}

AVX2_INLINE unsigned
compare(__m256i tags, __m256i key)
{
	const __m256i clean = _mm256_set1_epi64x((long long)~CACHE_DIRTY);
	__m256i same = _mm256_cmpeq_epi64(_mm256_and_si256(tags, clean), key);
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

/* Four owners, of which those before place, on a miss all, move up by one. */
AVX2_INLINE void
move_four_owners(struct wcp_cache *c, const struct cache_chunk *k, size_t i, uint32_t place)
{
	static const int8_t up[5][16]
	    __attribute__((aligned(16))) = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		{0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15},
		{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15},
		{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
	uint32_t *owner = c->owner + k->set[i] * 4;
	__m128i *at = (__m128i *)(void *)owner, old = _mm_load_si128(at);
	uint32_t front = front_owner(k, i, owner, c->o.ways, place);
	__m128i shifted =
	    _mm_shuffle_epi8(old, _mm_load_si128((const __m128i *)(const void *)up[place]));
	_mm_store_si128(at, _mm_insert_epi32(shifted, (int)front, 0));
}

/* Sets of one, two or four registers. */
AVX2_INLINE void
run_few(struct wcp_cache *c, const struct cache_chunk *k, uint32_t registers, bool owners)
{
	const uint32_t ways = c->o.ways;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * 4 * registers;
		__m256i old[4], key = _mm256_set1_epi64x((long long)k->number[i]);
		unsigned hit = 0;
		for (uint32_t v = 0; v < registers; v++) {
			old[v] = _mm256_load_si256((const __m256i *)(const void *)(tag + 4 * v));
			hit |= compare(old[v], key) << 4 * v;
		}
		uint32_t place = (uint32_t)__builtin_ctz(hit | 1u << ways);
		if (__builtin_expect(leaves(a, hit != 0), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		__m256i front = _mm256_set1_epi64x((long long)take(c, k, i, tag, a, ways, place));
		uint32_t last = place < ways ? place : ways - 1;
		for (uint32_t v = 0; v < registers; v++) {
			_mm256_store_si256(
			    (__m256i *)(void *)(tag + 4 * v), shift(old[v], front, last, v));
			front = _mm256_permute4x64_epi64(old[v], 0xff);
		}
		if (owners && registers == 1)
			move_four_owners(c, k, i, place);
		else if (owners)
			move_owners(c, k, i, place);
	}
}

AVX2 static void
run_4(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->owner)
		run_few(c, k, 1, true);
	else
		run_few(c, k, 1, false);
}

AVX2 static void
run_8(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->owner)
		run_few(c, k, 2, true);
	else
		run_few(c, k, 2, false);
}

AVX2 static void
run_16(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->owner)
		run_few(c, k, 4, true);
	else
		run_few(c, k, 4, false);
}

/* Any number of registers: find the line, then move the registers up to it. */
AVX2 static void
run_many(struct wcp_cache *c, const struct cache_chunk *k)
{
	const uint32_t ways = c->o.ways, stride = c->stride;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * stride;
		__m256i key = _mm256_set1_epi64x((long long)k->number[i]);
		uint32_t place = ways;
		for (uint32_t at = 0; at < stride && place == ways; at += 8) {
			unsigned hit =
			    compare(
				_mm256_load_si256((const __m256i *)(const void *)(tag + at)), key) |
			    compare(
				_mm256_load_si256((const __m256i *)(const void *)(tag + at + 4)),
				key)
				<< 4;
			place = hit ? at + (uint32_t)__builtin_ctz(hit) : place;
		}
		if (__builtin_expect(leaves(a, place < ways), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		__m256i front = _mm256_set1_epi64x((long long)take(c, k, i, tag, a, ways, place));
		uint32_t last = place < ways ? place : ways - 1;
		for (uint32_t v = 0; v <= last / 4; v++) {
			__m256i *to = (__m256i *)(void *)(tag + 4 * v), old = _mm256_load_si256(to);
			_mm256_store_si256(to, shift(old, front, last, v));
			front = _mm256_permute4x64_epi64(old, 0xff);
		}
		if (c->owner)
			move_owners(c, k, i, place);
	}
}

void
cache_ordered_run_avx2(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->o.ways <= 4)
		run_4(c, k);
	else if (c->o.ways <= 8)
		run_8(c, k);
	else if (c->o.ways <= 16 && c->stride == 16)
		run_16(c, k);
	else
		run_many(c, k);
	c->now += k->n;
}
#endif

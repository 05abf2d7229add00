/*
 * LRU of whole lines (ordered.h) with AVX-512: a compare, a shift across lanes and a blend, whose
 * mask is the bits up to and with the lowest one of the compare's.
 */
#include "cache/ordered.h"
#ifdef __x86_64__
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,bmi")))

/* Up to 4 ways: one register of 4. */
AVX512 static void
run_4(struct wcp_cache *c, const struct cache_chunk *k)
{
	const uint32_t ways = c->o.ways;
	const __m256i clean = _mm256_set1_epi64x((long long)~CACHE_DIRTY);
	const unsigned all = (1u << ways) - 1;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * 4;
		__m256i old = _mm256_load_si256((const __m256i *)tag);
		__m256i key = _mm256_set1_epi64x((long long)k->number[i]);
		unsigned hit = _mm256_cmpeq_epi64_mask(_mm256_and_si256(old, clean), key);
		uint32_t place = (uint32_t)__builtin_ctz(hit | 1u << ways);
		if (__builtin_expect(leaves(a, hit != 0), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		uint64_t front = take(c, k, i, tag, a, ways, place);
		__m256i moved = _mm256_alignr_epi64(old, _mm256_set1_epi64x((long long)front), 3);
		__mmask8 upto = (__mmask8)((hit ^ (hit - 1)) & all);
		_mm256_store_si256((__m256i *)tag, _mm256_mask_blend_epi64(upto, old, moved));
	}
}

/* 5 to 8 ways: one register of 8, without a branch on where the line is. */
AVX512 static void
run_8(struct wcp_cache *c, const struct cache_chunk *k)
{
	const uint32_t ways = c->o.ways;
	const __m512i clean = _mm512_set1_epi64((long long)~CACHE_DIRTY);
	const unsigned all = (1u << ways) - 1;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * 8;
		__m512i old = _mm512_load_si512(tag);
		__m512i key = _mm512_set1_epi64((long long)k->number[i]);
		unsigned hit = _mm512_cmpeq_epi64_mask(_mm512_and_si512(old, clean), key);
		uint32_t place = (uint32_t)__builtin_ctz(hit | 1u << ways);
		if (__builtin_expect(leaves(a, hit != 0), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		uint64_t front = take(c, k, i, tag, a, ways, place);
		__m512i moved = _mm512_alignr_epi64(old, _mm512_set1_epi64((long long)front), 7);
		__mmask8 upto = (__mmask8)((hit ^ (hit - 1)) & all);
		_mm512_store_si512(tag, _mm512_mask_blend_epi64(upto, old, moved));
	}
}

/* 9 to 16 ways: two registers. */
AVX512 static void
run_16(struct wcp_cache *c, const struct cache_chunk *k)
{
	const uint32_t ways = c->o.ways;
	const __m512i clean = _mm512_set1_epi64((long long)~CACHE_DIRTY);
	const unsigned all = (1u << ways) - 1;
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * 16;
		__m512i low = _mm512_load_si512(tag), high = _mm512_load_si512(tag + 8);
		__m512i key = _mm512_set1_epi64((long long)k->number[i]);
		unsigned hit = _mm512_cmpeq_epi64_mask(_mm512_and_si512(low, clean), key) |
			       (unsigned)_mm512_cmpeq_epi64_mask(_mm512_and_si512(high, clean), key)
				   << 8;
		uint32_t place = (uint32_t)__builtin_ctz(hit | 1u << ways);
		if (__builtin_expect(leaves(a, hit != 0), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		uint64_t front = take(c, k, i, tag, a, ways, place);
		__m512i moved = _mm512_alignr_epi64(low, _mm512_set1_epi64((long long)front), 7);
		__m512i carried = _mm512_alignr_epi64(high, low, 7);
		unsigned upto = (hit ^ (hit - 1)) & all;
		_mm512_store_si512(tag, _mm512_mask_blend_epi64((__mmask8)upto, low, moved));
		_mm512_store_si512(
		    tag + 8, _mm512_mask_blend_epi64((__mmask8)(upto >> 8), high, carried));
	}
}

/* Any number of registers of 8: find the line, then move the registers up to it. */
AVX512 static void
run_many(struct wcp_cache *c, const struct cache_chunk *k)
{
	const uint32_t ways = c->o.ways, stride = c->stride, vectors = stride / 8;
	const __m512i clean = _mm512_set1_epi64((long long)~CACHE_DIRTY);
	for (size_t i = 0; i < k->n; i++) {
		const struct cache_action *a = &c->action[k->action[i]];
		uint64_t *tag = c->tag + k->set[i] * stride;
		__m512i key = _mm512_set1_epi64((long long)k->number[i]);
		uint32_t place = ways;
		for (uint32_t v = 0; v < vectors; v++) {
			__m512i old = _mm512_load_si512(tag + v * 8);
			unsigned hit = _mm512_cmpeq_epi64_mask(_mm512_and_si512(old, clean), key);
			if (hit) {
				place = v * 8 + (uint32_t)__builtin_ctz(hit);
				break;
			}
		}
		if (__builtin_expect(leaves(a, place < ways), 0)) {
			leave(c, k, i, tag, place);
			continue;
		}
		uint64_t front = take(c, k, i, tag, a, ways, place);
		uint32_t last = place < ways ? place : ways - 1;
		__m512i before = _mm512_set1_epi64((long long)front);
		for (uint32_t v = 0; v <= last / 8; v++) {
			__m512i old = _mm512_load_si512(tag + v * 8);
			__m512i moved = _mm512_alignr_epi64(old, before, 7);
			unsigned lanes = last - v * 8 < 7 ? (2u << (last - v * 8)) - 1 : 255;
			_mm512_store_si512(
			    tag + v * 8, _mm512_mask_blend_epi64((__mmask8)lanes, old, moved));
			before = old;
		}
	}
}

void
cache_ordered_run_avx512(struct wcp_cache *c, const struct cache_chunk *k)
{
	if (c->o.ways <= 4)
		run_4(c, k);
	else if (c->o.ways <= 8)
		run_8(c, k);
	else if (c->o.ways <= 16)
		run_16(c, k);
	else
		run_many(c, k);
	c->now += k->n;
}
#endif

#include "model/reuse_sample.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

uint64_t
reuse_sample_seed(uint64_t seed)
{
	uint64_t z = seed + 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

unsigned
reuse_sample_part(uint64_t line, uint64_t seed, unsigned parts)
{
	return (unsigned)(((reuse_sample_seed(line ^ ~seed) >> 32) * parts) >> 32);
}

uint64_t
reuse_sample_threshold(double rate)
{
	double t = rate * 4294967296.0 + 0.5;
	return t < 1 ? 1 : t >= 4294967296.0 ? 1ull << 32 : (uint64_t)t;
}

static size_t
select_plain(const uint64_t *line, size_t n, uint64_t threshold, uint64_t seed, uint64_t *out)
{
	size_t m = 0;
	for (size_t i = 0; i < n; i++) {
		out[m] = line[i];
		m += reuse_sample_value(line[i], seed) < threshold;
	}
	return m;
}

#ifdef __x86_64__

/* Values of four lines, as reuse_sample_value, in the low halves of 64-bit lanes. */
__attribute__((target("avx2"))) static inline __m256i
value4(const uint64_t *line, __m256i seed)
{
	__m256i x = _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)line), seed);
	__m256i s = _mm256_add_epi64(_mm256_mul_epu32(x, _mm256_set1_epi64x(0x9e3779b1)),
	    _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_set1_epi64x(0x85ebca77)));
	s = _mm256_xor_si256(s, _mm256_srli_epi64(s, 32));
	s = _mm256_mul_epu32(s, _mm256_set1_epi64x(0xc2b2ae3d));
	s = _mm256_xor_si256(s, _mm256_srli_epi64(s, 15));
	return _mm256_mul_epu32(s, _mm256_set1_epi64x(0x27d4eb2f));
}

/* Which of eight lines are followed, one bit each: in one vector of 32-bit values, low halves of a
 * in even, of b in odd lanes. */
__attribute__((target("avx2"))) static inline unsigned
follow8(const uint64_t *line, __m256i seed, __m256i below)
{
	const __m256i flip = _mm256_set1_epi32((int)0x80000000);
	__m256i even = value4(line, seed);
	__m256i odd = value4(line + 4, seed);
	__m256i v = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	__m256i hit = _mm256_cmpgt_epi32(below, _mm256_xor_si256(v, flip));
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(hit));
}

__attribute__((target("avx2,bmi"))) static size_t
select_avx2(const uint64_t *line, size_t n, uint64_t threshold, uint64_t seed, uint64_t *out)
{
	static const uint8_t order[8] = {0, 4, 1, 5, 2, 6, 3, 7};
	__m256i seeds = _mm256_set1_epi64x((long long)seed);
	__m256i below = _mm256_set1_epi32((int)((uint32_t)threshold ^ 0x80000000u));
	size_t m = 0, i = 0;
	for (; i + 8 <= n; i += 8) {
		unsigned hits = follow8(line + i, seeds, below);
		if (__builtin_expect(!hits, 1))
			continue;
		/* back to stream order: even bits are lines 0..3, odd bits 4..7 */
		unsigned sorted = 0;
		for (; hits; hits &= hits - 1)
			sorted |= 1u << (order[__builtin_ctz(hits)]);
		for (; sorted; sorted &= sorted - 1)
			out[m++] = line[i + (unsigned)__builtin_ctz(sorted)];
	}
	return m + select_plain(line + i, n - i, threshold, seed, out + m);
}

size_t
reuse_sample_select(
    const uint64_t *line, size_t n, uint64_t threshold, uint64_t seed, uint64_t *out)
{
	/* a full threshold does not fit in 32 bits; and where many lines are followed, branches
	 * lose */
	if (threshold < 1u << 29 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
		return select_avx2(line, n, threshold, seed, out);
	return select_plain(line, n, threshold, seed, out);
}

#else

size_t
reuse_sample_select(
    const uint64_t *line, size_t n, uint64_t threshold, uint64_t seed, uint64_t *out)
{
	return select_plain(line, n, threshold, seed, out);
}

#endif

#include "ratio.h"

static inline uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

uint32_t
line_hash(uint64_t line, uint64_t seed)
{
	return (uint32_t)(mix(line ^ mix(seed + 0x9e3779b97f4a7c15u)) >> 32);
}

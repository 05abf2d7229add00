/*
 * Random numbers without state: the n-th of a seed, in any order, the same on every machine.
 * The mixing function is splitmix64's (Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014).
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint64_t
random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* 64 bits */
static inline uint64_t
random_at(uint64_t seed, uint64_t n)
{
	return random_mix(random_mix(seed + 0x9e3779b97f4a7c15u) + (n + 1) * 0x9e3779b97f4a7c15u);
}

/* Spreads 64 random bits over [0, span): the high half of the product. */
static inline uint64_t
random_below(uint64_t bits, uint64_t span)
{
	return (uint64_t)((unsigned __int128)bits * span >> 64);
}

/* In [0, 1), 53 bits of it. */
static inline double
random_unit(uint64_t seed, uint64_t n)
{
	return (double)(random_at(seed, n) >> 11) * 0x1p-53;
}

/* Mean 0, standard deviation 1. */
double random_normal(uint64_t seed, uint64_t n);

#endif

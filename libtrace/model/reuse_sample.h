/* The hash by which SHARDS follows lines, for one reference and for many. */
#ifndef REUSE_SAMPLE_H
#define REUSE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * 32 bits of a line, uniform and for any stride without pattern: four 32-bit multiplications, which
 * every vector unit has. A line is followed if the value is below the threshold, of 2^32.
 */
static inline uint32_t
reuse_sample_value(uint64_t line, uint64_t seed)
{
	uint64_t x = line ^ seed;
	uint64_t s = (x & 0xffffffffu) * 0x9e3779b1u + (x >> 32) * 0x85ebca77u;
	s ^= s >> 32;
	s = (s & 0xffffffffu) * 0xc2b2ae3du;
	s ^= s >> 15;
	return (uint32_t)((s & 0xffffffffu) * 0x27d4eb2fu);
}

/* A seed given by hand is a small number: spread it over all bits. */
uint64_t reuse_sample_seed(uint64_t seed);
/* One of parts, by another hash of the line. */
unsigned reuse_sample_part(uint64_t line, uint64_t seed, unsigned parts);
/* 0 < rate <= 1 to a threshold of at least 1. */
uint64_t reuse_sample_threshold(double rate);

/* Copies those of line[n] whose value is below threshold to out[n + 8]; returns how many. */
size_t reuse_sample_select(
    const uint64_t *line, size_t n, uint64_t threshold, uint64_t seed, uint64_t *out);

#endif

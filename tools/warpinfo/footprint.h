/* The set of 128-byte lines, and 32-byte sectors in them, that were touched. Memory is O(distinct
 * lines). */
#ifndef WARPINFO_FOOTPRINT_H
#define WARPINFO_FOOTPRINT_H

#include <stdint.h>

struct footprint {
	struct footprint_page *slot; /* [capacity] */
	uint64_t capacity, pages, lines;
	uint64_t last; /* slot looked at last */
};

void footprint_release(struct footprint *f);
/* Adds sectors (32 bytes each, bit 0 first) of memory from address on, a multiple of 32; 0, or -1
 * without memory. */
int footprint_add(struct footprint *f, uint64_t address, uint32_t sectors);
uint64_t footprint_sectors(const struct footprint *f);

#endif

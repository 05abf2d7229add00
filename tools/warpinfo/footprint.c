#include "footprint.h"

#include <stdlib.h>

enum { LINE = 128, SECTOR = 32, SECTORS = 15, PRESENT = 16 };

void
footprint_release(struct footprint *f)
{
	free(f->slot);
	*f = (struct footprint){0};
}

static uint64_t *
find(uint64_t *slot, uint64_t capacity, uint64_t line)
{
	uint64_t i = (line >> 7) * 0x9e3779b97f4a7c15u >> (64 - __builtin_ctzll(capacity));
	while (slot[i] && (slot[i] & ~(uint64_t)(LINE - 1)) != line)
		i = (i + 1) & (capacity - 1);
	return &slot[i];
}

static int
grow(struct footprint *f)
{
	uint64_t capacity = f->capacity ? 2 * f->capacity : 1024;
	uint64_t *slot = calloc(capacity, sizeof *slot);
	if (!slot)
		return -1;
	for (uint64_t i = 0; i < f->capacity; i++)
		if (f->slot[i])
			*find(slot, capacity, f->slot[i] & ~(uint64_t)(LINE - 1)) = f->slot[i];
	free(f->slot);
	f->slot = slot;
	f->capacity = capacity;
	return 0;
}

static int
add_line(struct footprint *f, uint64_t line, uint64_t sectors)
{
	if (4 * f->lines >= 3 * f->capacity && grow(f) < 0)
		return -1;
	uint64_t *slot = find(f->slot, f->capacity, line);
	f->lines += *slot == 0;
	*slot |= line | PRESENT | sectors;
	return 0;
}

int
footprint_add(struct footprint *f, uint64_t address, uint32_t sectors)
{
	uint64_t line = address & ~(uint64_t)(LINE - 1);
	uint64_t bits = (uint64_t)sectors << (address - line) / SECTOR;
	for (; bits; bits >>= 4, line += LINE)
		if (bits & SECTORS && add_line(f, line, bits & SECTORS) < 0)
			return -1;
	return 0;
}

uint64_t
footprint_sectors(const struct footprint *f)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < f->capacity; i++)
		n += (uint64_t)__builtin_popcountll(f->slot[i] & SECTORS);
	return n;
}

/* A bit a sector in pages of 64, hashed by number: neighbours cost one look and little memory. */
#include "footprint.h"

#include <stdlib.h>

enum { SECTOR = 32, PAGE_SECTORS = 64, PAGE = PAGE_SECTORS * SECTOR };

struct footprint_page {
	uint64_t number, sectors; /* no sectors: a free slot */
};

void
footprint_release(struct footprint *f)
{
	free(f->slot);
	*f = (struct footprint){0};
}

static uint64_t
find(const struct footprint_page *slot, uint64_t capacity, uint64_t page)
{
	uint64_t h = page * 0x9e3779b97f4a7c15u;
	uint64_t i = (h ^ h >> 32) * 0xd6e8feb86659fd93u >> (64 - __builtin_ctzll(capacity));
	while (slot[i].sectors && slot[i].number != page)
		i = (i + 1) & (capacity - 1);
	return i;
}

static int
grow(struct footprint *f)
{
	uint64_t capacity = f->capacity ? 2 * f->capacity : 1024;
	struct footprint_page *slot = calloc(capacity, sizeof *slot);
	if (!slot)
		return -1;
	for (uint64_t i = 0; i < f->capacity; i++)
		if (f->slot[i].sectors)
			slot[find(slot, capacity, f->slot[i].number)] = f->slot[i];
	free(f->slot);
	f->slot = slot;
	f->capacity = capacity;
	f->last = 0;
	return 0;
}

/* A bit for each line of four sectors, any of which is there. */
static uint64_t
lines_of(uint64_t sectors)
{
	sectors |= sectors >> 2;
	sectors |= sectors >> 1;
	return sectors & 0x1111111111111111u;
}

static int
add(struct footprint *f, uint64_t page, uint64_t sectors)
{
	if (3 * f->capacity <= 4 * f->pages && grow(f) < 0)
		return -1;
	struct footprint_page *p = &f->slot[f->last];
	if (p->number != page || !p->sectors) {
		f->last = find(f->slot, f->capacity, page);
		p = &f->slot[f->last];
	}
	if (!(sectors & ~p->sectors))
		return 0;
	f->pages += !p->sectors;
	for (uint64_t fresh = lines_of(sectors) & ~lines_of(p->sectors); fresh; fresh &= fresh - 1)
		f->lines++;
	*p = (struct footprint_page){page, p->sectors | sectors};
	return 0;
}

int
footprint_add(struct footprint *f, uint64_t address, uint32_t sectors)
{
	unsigned first = address / SECTOR % PAGE_SECTORS;
	uint64_t page = address / PAGE, low = (uint64_t)sectors << first;
	uint64_t high = first ? (uint64_t)sectors >> (PAGE_SECTORS - first) : 0;
	if (low && add(f, page, low) < 0)
		return -1;
	return high ? add(f, (page + 1) & (UINT64_MAX / PAGE), high) : 0;
}

uint64_t
footprint_sectors(const struct footprint *f)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < f->capacity; i++)
		n += (uint64_t)__builtin_popcountll(f->slot[i].sectors);
	return n;
}

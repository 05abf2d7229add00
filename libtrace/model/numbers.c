/* Open addressing, at most two thirds full; four neighbouring keys and their numbers are in one
 * slot, for one look at memory and a quarter of them to move when it grows. */
#include "warpcap/numbers.h"
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { AHEAD = 16, CHUNK = 256, FIRST_SLOTS = 1 << 12, KEYS = 4 };

struct slot {
	uint64_t page;	       /* 1 + key / KEYS, 0: free */
	uint32_t number[KEYS]; /* 1 + it, 0: none */
};

struct wcp_numbers {
	struct slot *slot; /* [slots] mapped, so that fresh ones are free */
	uint64_t slots;	   /* a power of two */
	unsigned shift;	   /* 64 - its logarithm */
	uint64_t used;	   /* of them */
	uint32_t n;
};

static inline uint64_t
page_of(uint64_t key)
{
	return key / KEYS + 1;
}

/* Two multiplications: the index depends on all bits of the page, so no stride meets few slots.
 */
static inline uint64_t
home_of(uint64_t page, unsigned shift)
{
	uint64_t h = page * 0x9e3779b97f4a7c15u;
	return (h ^ h >> 32) * 0xd6e8feb86659fd93u >> shift;
}

static struct slot *
new_slots(uint64_t n)
{
	size_t bytes = n * sizeof(struct slot);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE); /* a tenth of the faults */
	return p;
}

struct wcp_numbers *
wcp_numbers_new(struct wcp_error *e)
{
	struct wcp_numbers *t = malloc(sizeof *t);
	if (t) {
		*t = (struct wcp_numbers){.slots = FIRST_SLOTS,
		    .shift = 64 - (unsigned)__builtin_ctz(FIRST_SLOTS),
		    .slot = new_slots(FIRST_SLOTS)};
		if (t->slot)
			return t;
	}
	free(t);
	wcp_fail(e, WCP_ESYS, "out of memory");
	return NULL;
}

void
wcp_numbers_free(struct wcp_numbers *t)
{
	if (!t)
		return;
	munmap(t->slot, t->slots * sizeof *t->slot);
	free(t);
}

uint32_t
wcp_numbers_count(const struct wcp_numbers *t)
{
	return t->n;
}

/* Where the page stands, or would. */
static inline struct slot *
find(struct slot *slot, uint64_t mask, uint64_t at, uint64_t page)
{
	while (slot[at].page != page && slot[at].page)
		at = (at + 1) & mask;
	return &slot[at];
}

static bool
grow(struct wcp_numbers *t)
{
	uint64_t slots = 2 * t->slots;
	struct slot *slot = new_slots(slots);
	if (!slot)
		return false;
	t->shift--;
	for (uint64_t i = 0; i < t->slots; i++) {
		uint64_t page = t->slot[i].page;
		if (page)
			*find(slot, slots - 1, home_of(page, t->shift), page) = t->slot[i];
	}
	munmap(t->slot, t->slots * sizeof *t->slot);
	t->slot = slot;
	t->slots = slots;
	return true;
}

/* Of a chunk, for which there is room. Neighbours in a stream often are of one page. */
static void
get(struct wcp_numbers *t, const uint64_t *key, uint32_t n, uint32_t *number)
{
	uint64_t home[CHUNK + AHEAD], mask = t->slots - 1, used = t->used;
	struct slot *slot = t->slot, *s = slot;
	uint32_t count = t->n;
	for (uint32_t i = 0; i < n; i++)
		home[i] = home_of(page_of(key[i]), t->shift);
	for (uint32_t i = n; i < n + AHEAD; i++)
		home[i] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t page = page_of(key[i]);
		__builtin_prefetch(&slot[home[i + AHEAD]], 1);
		if (s->page != page) {
			s = find(slot, mask, home[i], page);
			used += !s->page;
			s->page = page;
		}
		uint32_t *of = &s->number[key[i] % KEYS];
		if (!*of)
			*of = ++count;
		number[i] = *of - 1;
	}
	t->used = used;
	t->n = count;
}

int
wcp_numbers_get(
    struct wcp_numbers *t, const uint64_t *key, uint32_t n, uint32_t *number, struct wcp_error *e)
{
	if ((uint64_t)t->n + n >= UINT32_MAX)
		return wcp_fail(e, WCP_ESYS, "more than 4294967294 different lines");
	while ((t->used + n) * 3 > t->slots * 2)
		if (!grow(t))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	for (uint32_t first = 0; first < n; first += CHUNK)
		get(t, key + first, n - first < CHUNK ? n - first : CHUNK, number + first);
	return 0;
}

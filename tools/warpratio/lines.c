#include <stdlib.h>
#include <string.h>
#include "ratio.h"

enum { AHEAD = 16 };

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

void
line_table_release(struct line_table *t)
{
	free(t->slot_line);
	free(t->slot_number);
	*t = (struct line_table){0};
}

static void
grow(struct line_table *t)
{
	struct line_table old = *t;
	t->mask = old.slot_line ? old.mask * 2 + 1 : 1023;
	t->slot_line = must_alloc(NULL, (t->mask + 1) * sizeof *t->slot_line);
	t->slot_number = must_alloc(NULL, (t->mask + 1) * sizeof *t->slot_number);
	memset(t->slot_line, 0, (t->mask + 1) * sizeof *t->slot_line);
	for (uint64_t i = 0; old.slot_line && i <= old.mask; i++) {
		if (!old.slot_line[i])
			continue;
		uint64_t at = mix(old.slot_line[i]) & t->mask;
		while (t->slot_line[at])
			at = (at + 1) & t->mask;
		t->slot_line[at] = old.slot_line[i];
		t->slot_number[at] = old.slot_number[i];
	}
	free(old.slot_line);
	free(old.slot_number);
}

static inline uint32_t
find(struct line_table *t, uint64_t line)
{
	uint64_t at = mix(line + 1) & t->mask;
	while (t->slot_line[at] && t->slot_line[at] != line + 1)
		at = (at + 1) & t->mask;
	if (!t->slot_line[at]) {
		t->slot_line[at] = line + 1;
		t->slot_number[at] = t->n++;
	}
	return t->slot_number[at];
}

int
line_table_numbers(struct line_table *t, const uint64_t *line, uint32_t n, uint32_t *number)
{
	if ((uint64_t)t->n + n >= UINT32_MAX)
		return WCP_ESYS;
	while (!t->slot_line || (t->n + (uint64_t)n) * 3 / 2 > t->mask)
		grow(t);
	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n) {
			uint64_t at = mix(line[i + AHEAD] + 1) & t->mask;
			__builtin_prefetch(&t->slot_line[at], 1);
			__builtin_prefetch(&t->slot_number[at], 1);
		}
		/* Neighbours in a stream often are one line. */
		number[i] = i && line[i] == line[i - 1] ? number[i - 1] : find(t, line[i]);
	}
	return 0;
}

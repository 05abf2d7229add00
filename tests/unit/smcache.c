/*
 * usage: smcache fig7c    CIAO Fig. 7c: where a line's data and its tag lie
 *        smcache sizes    lines that unused bytes hold
 *        smcache places   no two bytes of data or tags lie in the same place, and all in what is
 * unused smcache random   against a list of lines that is searched Prints what it found; 1 if a
 * check failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/smcache.h"

static void
print_place(const char *name, const struct wcp_smcache_place *p)
{
	printf("%s: F=%" PRIu32 " B=%" PRIu32 " G=%" PRIu32 " R=%" PRIu32 "\n", name, p->offset,
	    p->bank, p->group, p->row);
}

/* 512 lines: 3, 4, 1 and 8 bits of an address are F, B, G and R, the 16 above are of the tag. */
static int
fig7c(void)
{
	struct wcp_smcache *c = wcp_smcache_new(96 * 1024, NULL);
	struct wcp_smcache_place data, tag;
	const uint64_t address = 0xabcdull << 16 | 0xb3u << 8 | 1u << 7 | 9u << 3 | 5u;
	if (!c)
		return 1;
	wcp_smcache_resize(c, 0, 512 * 132);
	wcp_smcache_translate(c, address, &data, &tag);
	print_place("data", &data);
	print_place("tag", &tag);
	wcp_smcache_resize(c, 8192, 512 * 132);
	wcp_smcache_translate(c, address, &data, &tag);
	print_place("data from 8192", &data);
	print_place("tag from 8192", &tag);
	wcp_smcache_resize(c, 0, 64 * 132);
	wcp_smcache_translate(c, address, &data, &tag);
	print_place("data of 64 lines", &data);
	print_place("tag of 64 lines", &tag);
	wcp_smcache_free(c);
	return 0;
}

static int
sizes(void)
{
	static const uint32_t bytes[] = {0, 131, 132, 263, 264, 16384, 33792, 49152, 67584};
	for (unsigned i = 0; i < sizeof bytes / sizeof bytes[0]; i++)
		printf("%" PRIu32 " bytes: %" PRIu32 " lines\n", bytes[i],
		    wcp_smcache_lines(bytes[i]));
	return 0;
}

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t
address_of(const struct wcp_smcache_place *p)
{
	return p->row * 256 + p->group * 128 + p->bank * 8 + p->offset;
}

static int
mark(uint8_t *used, const struct wcp_smcache_place *p, uint32_t bytes, uint32_t from, uint32_t to)
{
	uint32_t a = address_of(p);
	if (p->offset + (bytes < 8 ? bytes : 8) > 8 || p->bank > 15 || p->group > 1 || a < from ||
	    a + bytes > to)
		return 1;
	for (uint32_t i = a; i < a + bytes; i++) {
		if (used[i]++)
			return 1;
	}
	return 0;
}

static int
places(void)
{
	static uint8_t used[128 * 1024];
	unsigned tried = 0;
	struct wcp_smcache *c = wcp_smcache_new(96 * 1024, NULL);
	for (uint32_t lines = 2; c && lines <= 512; lines *= 2) {
		for (uint32_t first = 0; first <= 8192; first += 4096) {
			/* tags of a short row leave the rest of it unused */
			uint32_t to = first + lines * 128 + (lines / 2 + 31) / 32 * 256;
			memset(used, 0, sizeof used);
			wcp_smcache_resize(c, first, lines * 132);
			for (uint64_t a = 0; a < lines * 128ull; a += 128) {
				struct wcp_smcache_place data, tag;
				wcp_smcache_translate(c, a, &data, &tag);
				if (data.group == tag.group || mark(used, &data, 128, first, to) ||
				    mark(used, &tag, 4, first, to))
					return 1;
			}
			tried++;
		}
	}
	wcp_smcache_free(c);
	printf("%u sizes and places\n", tried);
	return 0;
}

/* ---- against a list of what came, searched from its end ------------------------------------- */

struct came {
	uint64_t line;
	uint32_t owner;
	bool gone;
};

static const struct came *
last_at(const struct came *came, unsigned n, uint64_t line, uint32_t lines)
{
	while (n-- > 0) {
		if ((came[n].line / 128 - line / 128) % lines == 0)
			return came[n].gone ? NULL : &came[n];
	}
	return NULL;
}

static int
one_run(struct wcp_smcache *c, uint32_t bytes, unsigned seed)
{
	static struct came came[4000];
	uint32_t lines = wcp_smcache_lines(bytes);
	wcp_smcache_resize(c, 0, bytes);
	if (wcp_smcache_capacity(c) != lines)
		return 1;
	for (unsigned n = 0; n < 4000; n++) {
		seed = seed * 1103515245u + 12345u;
		uint64_t line = (uint64_t)(seed >> 8 & 1023) * 128, victim = 0;
		uint32_t owner = 99, victim_owner = 99;
		const struct came *old = lines ? last_at(came, n, line, lines) : NULL;
		bool there = old && old->line == line;
		if (wcp_smcache_find(c, line + 5, &owner) != there ||
		    (there && owner != old->owner))
			return 1;
		came[n] = (struct came){line, seed >> 20 & 63, false};
		if (seed >> 30 == 3) {
			came[n].gone = !old || there;
			if (wcp_smcache_drop(c, line) != there)
				return 1;
			came[n] = !old || there ? came[n] : *old;
			continue;
		}
		bool evicts = wcp_smcache_fill(c, line, came[n].owner, &victim, &victim_owner);
		if (evicts != (old && !there) ||
		    (evicts && (victim != old->line || victim_owner != old->owner)))
			return 1;
		came[n].gone = !lines;
	}
	return 0;
}

static int
random_runs(void)
{
	unsigned runs = 0;
	struct wcp_smcache *c = wcp_smcache_new(48 * 1024, NULL);
	for (uint32_t bytes = 0; c && bytes <= 48 * 1024; bytes += 3 * 1024) {
		if (one_run(c, bytes, bytes + 1))
			return 1;
		runs++;
	}
	wcp_smcache_free(c);
	printf("%u sizes agree\n", runs);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	if (!strcmp(what, "fig7c"))
		return fig7c();
	if (!strcmp(what, "sizes"))
		return sizes();
	if (!strcmp(what, "places"))
		return places();
	if (!strcmp(what, "random"))
		return random_runs();
	return 2;
}

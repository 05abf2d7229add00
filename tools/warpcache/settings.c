#include <stdlib.h>
#include <string.h>
#include "settings.h"

int
settings_number(
    struct tool *t, const char *option, const char *value, uint64_t max, uint32_t *number)
{
	uint64_t n;
	int status = tool_u64(t, option, value, 1, max, &n);
	if (!status)
		*number = (uint32_t)n;
	return status;
}

void
settings_set_level(struct settings *s, uint32_t level)
{
	s->level = level;
	memcpy(s->name, (const char[]){'l', (char)('1' + level), 0}, 3);
}

void
settings_init(struct settings *s)
{
	*s = (struct settings){
	    .cache = {.index = {.sets = 32, .line_bytes = WCP_LINE_BYTES},
		.ways = 4,
		.local_write = WCP_WRITE_BACK,
		.copies = 1},
	    .slice = {.slices = 1, .chunk_bytes = 256},
	    .shared = -1,
	    .invalidate = -1,
	    .fill_latency = 100,
	    .interval = 1000,
	    .spaces = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL,
	};
}

/* "poly:37": a set function and its polynomial. */
int
settings_index(struct tool *t, const char *option, struct wcp_index_options *o, const char *value)
{
	size_t length = strcspn(value, ":");
	o->polynomial = 0;
	for (unsigned i = 0; i < WCP_INDEX_COUNT; i++) {
		const char *name = wcp_index_name((enum wcp_index)i);
		if (strlen(name) != length || strncmp(name, value, length))
			continue;
		o->kind = (enum wcp_index)i;
		if (!value[length])
			return 0;
		if (o->kind != WCP_INDEX_POLY)
			break;
		return settings_number(
		    t, "--index poly", value + length + 1, 131071, &o->polynomial);
	}
	return tool_usage(t, "%s: '%s' is none of modulo, xor, fermi, poly, poly:N", option, value);
}

int
settings_replacement(struct tool *t, struct settings *s, const char *value)
{
	for (unsigned i = 0; i < WCP_REPLACEMENT_COUNT; i++)
		if (!strcmp(value, wcp_replacement_name((enum wcp_replacement)i))) {
			s->cache.replacement = (enum wcp_replacement)i;
			return 0;
		}
	return tool_usage(t, "--replacement: '%s' is none of lru, fifo, random, plru, opt", value);
}

int
settings_write(struct tool *t, const char *option, enum wcp_write_policy *write, const char *value)
{
	for (unsigned i = 0; i < WCP_WRITE_COUNT; i++)
		if (!strcmp(value, wcp_write_name((enum wcp_write_policy)i))) {
			*write = (enum wcp_write_policy)i;
			return 0;
		}
	return tool_usage(t, "%s: '%s' is none of through, evict, back, validate", option, value);
}

static uint32_t
space_bit(const char *name, size_t length)
{
	static const enum wcp_space usable[] = {WCP_SPACE_GLOBAL, WCP_SPACE_LOCAL, WCP_SPACE_CONST,
	    WCP_SPACE_PARAM, WCP_SPACE_TEXTURE, WCP_SPACE_SURFACE};
	for (size_t i = 0; i < sizeof usable / sizeof *usable; i++) {
		const char *known = wcp_space_name(usable[i]);
		if (strlen(known) == length && !strncmp(known, name, length))
			return 1u << usable[i];
	}
	return 0;
}

int
settings_spaces(struct tool *t, struct settings *s, const char *value)
{
	s->spaces = 0;
	for (;;) {
		size_t length = strcspn(value, ",");
		uint32_t bit = space_bit(value, length);
		if (!bit)
			return tool_usage(t,
			    "--space: '%.*s' is none of global, local, const, param, texture, "
			    "surface",
			    (int)length, value);
		s->spaces |= bit;
		if (!value[length])
			return 0;
		value += length + 1;
	}
}

int
settings_pass(struct tool *t, struct settings *s, const char *value)
{
	s->pass_all = !strcmp(value, "all");
	s->pass_fills = !strcmp(value, "fills");
	if (s->pass_all || s->pass_fills || !strcmp(value, "misses"))
		return 0;
	return tool_usage(t, "--pass: '%s' is none of misses, fills, all", value);
}

int
settings_mshr(struct tool *t, struct settings *s, const char *value)
{
	char entries[32];
	const char *merges = strchr(value, 'x');
	size_t length = merges ? (size_t)(merges - value) : strlen(value);
	snprintf(entries, sizeof entries, "%.*s", (int)length, value);
	s->timed = true;
	s->time.mshr_merges = 0;
	int status = settings_number(t, "--mshr", entries, 1u << 24, &s->time.mshr_entries);
	if (!status && merges)
		status = settings_number(t, "--mshr", merges + 1, 1u << 24, &s->time.mshr_merges);
	return status;
}

int
settings_run_as(struct tool *t, struct settings *s, const char *value)
{
	s->run_as = !strcmp(value, "bypass-all")  ? RUN_BYPASS_ALL
		    : !strcmp(value, "unbounded") ? RUN_UNBOUNDED
						  : RUN_BOUNDED;
	if (s->run_as != RUN_BOUNDED || !strcmp(value, "bounded"))
		return 0;
	return tool_usage(t, "--run-as: '%s' is none of bypass-all, bounded, unbounded", value);
}

int
settings_allocate(struct tool *t, struct settings *s, const char *value)
{
	s->timed = true;
	s->time.allocate = !strcmp(value, "fill") ? WCP_NB_ON_FILL : WCP_NB_ON_MISS;
	if (!strcmp(value, "fill") || !strcmp(value, "miss"))
		return 0;
	return tool_usage(t, "--allocate: '%s' is neither miss nor fill", value);
}

int
settings_choice(struct tool *t, const char *option, const char *value, const char *first,
    const char *second, bool *is_second)
{
	*is_second = !strcmp(value, second);
	if (*is_second || !strcmp(value, first))
		return 0;
	return tool_usage(t, "%s: '%s' is neither %s nor %s", option, value, first, second);
}

static int
sets_from_size(struct tool *t, struct settings *s)
{
	struct wcp_cache_options *o = &s->cache;
	uint64_t set_bytes = (uint64_t)o->ways * o->index.line_bytes * s->slice.slices;
	if (s->sets_by == s->size_by && s->sets_by > BY_MACHINE)
		return tool_usage(t, "--size and --sets: one of them follows from the other");
	if (s->sets_by > s->size_by)
		return 0;
	if (s->size_bytes % set_bytes)
		return tool_usage(t,
		    "--size: %llu bytes are no whole number of sets of %u lines of %u bytes%s",
		    (unsigned long long)s->size_bytes, o->ways, o->index.line_bytes,
		    s->slice.slices > 1 ? " in all slices" : "");
	o->index.sets = s->size_bytes / set_bytes;
	return 0;
}

int
settings_finish(struct tool *t, struct settings *s)
{
	struct wcp_cache_options *o = &s->cache;
	if (!o->ways) { /* without bound */
		o->index.kind = WCP_INDEX_MODULO;
		o->index.sets = 1;
		s->size_bytes = 0;
	}
	if (s->size_bytes && sets_from_size(t, s))
		return -WCP_EUSAGE;
	if (o->index.line_bytes < WCP_SECTOR_BYTES || o->index.line_bytes > 32 * WCP_SECTOR_BYTES)
		return tool_usage(
		    t, "--line: a line of %u bytes is not 32 to 1024", o->index.line_bytes);
	if (o->sector_bytes && o->sector_bytes < WCP_SECTOR_BYTES)
		return tool_usage(t,
		    "--sector: %u bytes are fewer than the 32 that a stream's sectors have",
		    o->sector_bytes);
	if (s->shared < 0)
		s->shared = s->level > 0;
	if (!s->level_given)
		settings_set_level(s, (uint32_t)s->shared);
	if (!s->shared && s->slice.slices > 1)
		return tool_usage(t, "--slices: a private cache has none");
	if (s->slice.slices > 1 && s->slice.chunk_bytes < o->index.line_bytes)
		return tool_usage(t, "--slice-bytes: chunks of %u bytes are shorter than a line",
		    s->slice.chunk_bytes);
	if (!s->global_write_given)
		o->global_write = s->shared ? WCP_WRITE_BACK : WCP_WRITE_THROUGH;
	if (s->invalidate < 0)
		s->invalidate = !s->shared;
	s->foresees = o->replacement == WCP_OPT;
	if (s->timed && s->foresees)
		return tool_usage(t, "--replacement: opt is not known with time");
	s->counts_passed = s->scenarios;
	if (s->scenarios && s->run_as != RUN_BOUNDED)
		return tool_usage(t, "--scenarios: all are run, --run-as chooses one");
	o->seed = t->seed;
	s->threads = t->threads;
	return 0;
}

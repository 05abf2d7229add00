/* warpcache: what one level of cache makes of an ACCESS stream. */
#include <string.h>
#include "warpcache.h"

enum {
	OPT_SETS = 256,
	OPT_SIZE,
	OPT_WAYS,
	OPT_LINE,
	OPT_SECTOR,
	OPT_REPLACEMENT,
	OPT_INDEX,
	OPT_INDEX_BITS,
	OPT_WRITE,
	OPT_WRITE_LOCAL,
	OPT_PRIVATE,
	OPT_SHARED,
	OPT_BYPASS,
	OPT_INVALIDATE,
	OPT_KEEP,
	OPT_SPACE,
	OPT_BY,
	OPT_LEVEL,
	OPT_PASS,
};

static const struct tool_option options[] = {
    {0, "size", "BYTES", "capacity, instead of --sets", OPT_SIZE},
    {0, "sets", "N", "number of sets, any (default 32)", OPT_SETS},
    {0, "ways", "N", "lines in a set (default 4)", OPT_WAYS},
    {0, "line", "BYTES", "line size (default 128)", OPT_LINE},
    {0, "sector", "BYTES", "fetch sectors of this size (default whole lines)", OPT_SECTOR},
    {0, "replacement", "POLICY", "lru, fifo or random (default lru)", OPT_REPLACEMENT},
    {0, "index", "FUNCTION", "set function: modulo, xor, fermi, poly or poly:N (default modulo)",
	OPT_INDEX},
    {0, "index-bits", "N", "poly: hash the address's N low bits only (default 64)", OPT_INDEX_BITS},
    {0, "write", "POLICY",
	"stores: through, evict, back or validate (default through; --shared: back)", OPT_WRITE},
    {0, "write-local", "POLICY", "the same for local memory (default back)", OPT_WRITE_LOCAL},
    {0, "private", NULL, "one cache an SM (default)", OPT_PRIVATE},
    {0, "shared", NULL, "one cache for all", OPT_SHARED},
    {0, "bypass-uncached", NULL, "accesses whose operator passes L1 go past", OPT_BYPASS},
    {0, "invalidate", NULL, "empty the caches when a kernel ends (default unless --shared)",
	OPT_INVALIDATE},
    {0, "keep", NULL, "keep what they hold (default with --shared)", OPT_KEEP},
    {0, "space", "LIST", "spaces to look up (default global,local)", OPT_SPACE},
    {0, "by", "UNIT", "count by none, sm, kernel, cta, warp or pc", OPT_BY},
    {0, "pass", "WHAT", "with -o: misses, or all accesses with their outcome (default misses)",
	OPT_PASS},
    {0, "cache-level", "N", "with -o: note outcomes as level N's, from 1 (default 1; --shared: 2)",
	OPT_LEVEL},
    TOOL_OPT_FILTER,
    TOOL_OPT_OUTPUT,
    TOOL_OPT_REPORT,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_SEED,
    TOOL_OPT_THREADS,
    TOOL_OPT_LEVEL,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
set_pass(struct tool *t, struct settings *s, const char *value)
{
	s->pass_all = value[0] == 'a';
	if (!strcmp(value, s->pass_all ? "all" : "misses"))
		return 0;
	return tool_usage(t, "--pass: '%s' is neither misses nor all", value);
}

static int
set_level(struct tool *t, struct settings *s, const char *value)
{
	int status = settings_number(t, "--cache-level", value, 8, &s->level);
	s->level_given = true;
	s->level--;
	return status;
}

static int
set_geometry(struct tool *t, struct settings *s, int id, const char *value)
{
	struct wcp_cache_options *o = &s->cache;
	switch (id) {
	case OPT_SIZE: return tool_u64(t, "--size", value, 1, 1ull << 40, &s->size_bytes);
	case OPT_SETS:
		s->sets_given = true;
		return tool_u64(t, "--sets", value, 1, 1ull << 32, &o->index.sets);
	case OPT_WAYS: return settings_number(t, "--ways", value, 1u << 24, &o->ways);
	case OPT_LINE: return settings_number(t, "--line", value, 1u << 30, &o->index.line_bytes);
	case OPT_SECTOR: return settings_number(t, "--sector", value, 1u << 30, &o->sector_bytes);
	case OPT_INDEX: return settings_index(t, s, value);
	case OPT_INDEX_BITS:
		return settings_number(t, "--index-bits", value, 64, &o->index.address_bits);
	default: return 0;
	}
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct settings *s = t->arg;
	switch (id) {
	case OPT_REPLACEMENT: return settings_replacement(t, s, value);
	case OPT_WRITE:
		s->global_write_given = true;
		return settings_write(t, "--write", &s->cache.global_write, value);
	case OPT_WRITE_LOCAL:
		return settings_write(t, "--write-local", &s->cache.local_write, value);
	case OPT_PRIVATE: s->shared = false; return 0;
	case OPT_SHARED: s->shared = true; return 0;
	case OPT_BYPASS: s->cache.bypass_uncached = true; return 0;
	case OPT_INVALIDATE: s->invalidate = 1; return 0;
	case OPT_KEEP: s->invalidate = 0; return 0;
	case OPT_SPACE: return settings_spaces(t, s, value);
	case OPT_BY: return settings_by(t, s, value);
	case OPT_PASS: return set_pass(t, s, value);
	case OPT_LEVEL: return set_level(t, s, value);
	default: return set_geometry(t, s, id, value);
	}
}

static const struct tool_spec spec = {
    .name = "warpcache",
    .summary = "Sends an ACCESS stream through one level of cache: hits, misses, write-backs.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

int
main(int argc, char **argv)
{
	struct settings s = {
	    .cache = {.index = {.sets = 32, .line_bytes = WCP_LINE_BYTES},
		.ways = 4,
		.local_write = WCP_WRITE_BACK,
		.copies = 1},
	    .invalidate = -1,
	    .spaces = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL,
	};
	struct tool t = {.arg = &s};
	struct run r = {.tool = &t, .set = &s};
	struct wcp_error e;
	tool_start(&t, &spec, argc, argv);
	int status = settings_finish(&t, &s);
	if (status)
		return tool_finish(&t, status);
	s.cache.seed = t.seed;
	s.cache.track_owner = t.output != NULL;
	r.cache = wcp_cache_new(&s.cache, &e);
	if (r.cache)
		status = run_stream(&r);
	else
		status = e.status == WCP_EUSAGE ? tool_usage(&t, "%s", e.text)
						: tool_error(&t, NULL, &e);
	wcp_cache_free(r.cache);
	return tool_finish(&t, status);
}

/* warpcache: what caches make of an ACCESS stream. */
#include "chain.h"

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
	OPT_SLICES,
	OPT_SLICE_BYTES,
	OPT_SLICE_INDEX,
	OPT_BYPASS,
	OPT_INVALIDATE,
	OPT_KEEP,
	OPT_SPACE,
	OPT_BY,
	OPT_LEVEL,
	OPT_PASS,
	OPT_TIME,
	OPT_MSHR,
	OPT_MISS_QUEUE,
	OPT_ALLOCATE,
	OPT_FILL_LATENCY,
	OPT_PORT,
	OPT_WORST_CASE,
	OPT_STORE_AROUND,
	OPT_RUN_AS,
	OPT_AGES,
	OPT_SERIES,
	OPT_INTERVAL,
	OPT_CLASSES,
	OPT_SCENARIOS,
	OPT_VTA,
	OPT_VTA_WAYS,
	OPT_VTA_ORDER,
	OPT_VTA_KEY,
};

static const struct tool_option options[] = {
    {'L', "cache-level", "N", "the options that follow describe level N, from 1", OPT_LEVEL},
    {0, "size", "BYTES", "capacity, instead of --sets", OPT_SIZE},
    {0, "sets", "N", "number of sets, any (default 32)", OPT_SETS},
    {0, "ways", "N", "lines in a set (default 4)", OPT_WAYS},
    {0, "line", "BYTES", "line size (default 128)", OPT_LINE},
    {0, "sector", "BYTES", "fetch sectors of this size (default whole lines)", OPT_SECTOR},
    {0, "replacement", "POLICY", "lru, fifo, random, plru or opt (default lru)", OPT_REPLACEMENT},
    {0, "index", "FUNCTION", "set function: modulo, xor, fermi, poly or poly:N (default modulo)",
	OPT_INDEX},
    {0, "index-bits", "N", "poly: hash the address's N low bits only (default 64)", OPT_INDEX_BITS},
    {0, "write", "POLICY",
	"stores: through, evict, back or validate (default through; --shared: back)", OPT_WRITE},
    {0, "write-local", "POLICY", "the same for local memory (default back)", OPT_WRITE_LOCAL},
    {0, "private", NULL, "one cache an SM (default at level 1)", OPT_PRIVATE},
    {0, "shared", NULL, "one cache for all (default from level 2 on)", OPT_SHARED},
    {0, "slices", "N", "slices that a shared cache is divided into (default 1)", OPT_SLICES},
    {0, "slice-bytes", "BYTES", "bytes that go to a slice together (default 256)", OPT_SLICE_BYTES},
    {0, "slice-index", "FUNCTION", "which slice: modulo, xor, poly or poly:N (default modulo)",
	OPT_SLICE_INDEX},
    {0, "bypass-uncached", NULL, "accesses whose operator passes L1 go past", OPT_BYPASS},
    {0, "invalidate", NULL, "empty the caches when a kernel ends (default unless --shared)",
	OPT_INVALIDATE},
    {0, "keep", NULL, "keep what they hold (default with --shared)", OPT_KEEP},
    {0, "space", "LIST", "spaces to look up (default global,local)", OPT_SPACE},
    {0, "by", "UNIT", "count by none, sm, kernel, cta, warp or pc", OPT_BY},
    {0, "classes", NULL, "tell compulsory, capacity and conflict misses apart", OPT_CLASSES},
    {0, "scenarios", NULL, "beside it no cache and one without bound", OPT_SCENARIOS},
    {0, "vta", "N", "keep the tags of N victims each and count misses that find theirs", OPT_VTA},
    {0, "vta-ways", "N", "in sets of N tags (default all)", OPT_VTA_WAYS},
    {0, "vta-order", "ORDER", "fifo, or lru: a hit counts as a use (default fifo)", OPT_VTA_ORDER},
    {0, "vta-key", "KEY", "each owner has victim tags, or each set (default owner)", OPT_VTA_KEY},
    {0, "pass", "WHAT",
	"with -o: misses, also fills, or all accesses with their outcome (default misses)",
	OPT_PASS},
    {0, "store-around", NULL, "stores that miss go on and allocate nothing", OPT_STORE_AROUND},
    {0, "time", NULL, "with time: whatever the machine says of it", OPT_TIME},
    {0, "mshr", "ENTRIESxMERGES", "with time: MSHRs and the requests that each holds", OPT_MSHR},
    {0, "miss-queue", "N", "with time: places in the miss queue", OPT_MISS_QUEUE},
    {0, "fill-latency", "N", "with time: cycles from the miss queue to the fill (default 100)",
	OPT_FILL_LATENCY},
    {0, "allocate", "WHEN", "with time: reserve a line on miss or on fill (default miss)",
	OPT_ALLOCATE},
    {0, "port", "BYTES", "with time: width of the data port and of the fill port", OPT_PORT},
    {0, "worst-case-room", NULL, "with time: a miss asks for two places in the queue",
	OPT_WORST_CASE},
    {0, "run-as", "SCENARIO", "with time: bypass-all, bounded or unbounded (default bounded)",
	OPT_RUN_AS},
    {0, "ages", NULL, "with time: MSHRs by instruction and age of the warp", OPT_AGES},
    {0, "series", "FILE", "with time: write figures by intervals of time", OPT_SERIES},
    {0, "interval", "N", "cycles of an interval (default 1000)", OPT_INTERVAL},
    TOOL_OPT_FILTER,
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
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
set_slice_index(struct tool *t, struct settings *s, const char *value)
{
	struct wcp_index_options o = {0};
	int status = settings_index(t, "--slice-index", &o, value);
	s->slice.kind = o.kind;
	s->slice.polynomial = o.polynomial;
	return status;
}

static int
set_vta(struct tool *t, struct settings *s, int id, const char *value)
{
	bool is_lru;
	int status;
	s->vta_given = s->vta_given || id != OPT_VTA;
	switch (id) {
	case OPT_VTA: return settings_number(t, "--vta", value, 65536, &s->vta_entries);
	case OPT_VTA_WAYS: return settings_number(t, "--vta-ways", value, 65536, &s->vta_ways);
	case OPT_VTA_ORDER:
		status = settings_choice(t, "--vta-order", value, "fifo", "lru", &is_lru);
		s->vta_order = is_lru ? WCP_VTA_LRU : WCP_VTA_FIFO;
		return status;
	default: return settings_choice(t, "--vta-key", value, "owner", "set", &s->vta_by_set);
	}
}

static int
set_geometry(struct tool *t, struct settings *s, int id, const char *value)
{
	struct wcp_cache_options *o = &s->cache;
	switch (id) {
	case OPT_SIZE:
		s->size_by = s->scope;
		return tool_u64(t, "--size", value, 1, 1ull << 40, &s->size_bytes);
	case OPT_SETS:
		s->sets_by = s->scope;
		return tool_u64(t, "--sets", value, 1, 1ull << 32, &o->index.sets);
	case OPT_WAYS: return settings_number(t, "--ways", value, 1u << 24, &o->ways);
	case OPT_LINE: return settings_number(t, "--line", value, 1u << 30, &o->index.line_bytes);
	case OPT_SECTOR: return settings_number(t, "--sector", value, 1u << 30, &o->sector_bytes);
	case OPT_INDEX: return settings_index(t, "--index", &o->index, value);
	case OPT_INDEX_BITS:
		return settings_number(t, "--index-bits", value, 64, &o->index.address_bits);
	case OPT_SLICES: return settings_number(t, "--slices", value, 65535, &s->slice.slices);
	case OPT_SLICE_BYTES:
		return settings_number(t, "--slice-bytes", value, 1u << 30, &s->slice.chunk_bytes);
	case OPT_SLICE_INDEX: return set_slice_index(t, s, value);
	default: return 0;
	}
}

static int
set_time(struct tool *t, struct settings *s, int id, const char *value)
{
	struct wcp_nb_options *o = &s->time;
	s->timed = s->timed || id != OPT_STORE_AROUND;
	s->interval_given = s->interval_given || id == OPT_INTERVAL;
	switch (id) {
	case OPT_MSHR: return settings_mshr(t, s, value);
	case OPT_MISS_QUEUE:
		return settings_number(t, "--miss-queue", value, 1u << 24, &o->miss_queue);
	case OPT_ALLOCATE: return settings_allocate(t, s, value);
	case OPT_FILL_LATENCY:
		return tool_u64(t, "--fill-latency", value, 0, 1u << 24, &s->fill_latency);
	case OPT_PORT: return settings_number(t, "--port", value, 1u << 16, &o->port_bytes);
	case OPT_WORST_CASE: o->worst_case_room = true; return 0;
	case OPT_STORE_AROUND: o->store_around = s->cache.store_around = true; return 0;
	case OPT_RUN_AS: return settings_run_as(t, s, value);
	case OPT_AGES: s->ages = true; return 0;
	case OPT_SERIES: s->series = value; return 0;
	case OPT_INTERVAL: return tool_u64(t, "--interval", value, 1, 1ull << 40, &s->interval);
	default: return 0;
	}
}

static int
apply(struct tool *t, struct settings *s, int id, const char *value)
{
	switch (id) {
	case OPT_REPLACEMENT: return settings_replacement(t, s, value);
	case OPT_WRITE:
		s->global_write_given = true;
		return settings_write(t, "--write", &s->cache.global_write, value);
	case OPT_WRITE_LOCAL:
		return settings_write(t, "--write-local", &s->cache.local_write, value);
	case OPT_PRIVATE: s->shared = 0; return 0;
	case OPT_SHARED: s->shared = 1; return 0;
	case OPT_BYPASS: s->cache.bypass_uncached = true; return 0;
	case OPT_INVALIDATE: s->invalidate = 1; return 0;
	case OPT_KEEP: s->invalidate = 0; return 0;
	case OPT_SPACE: return settings_spaces(t, s, value);
	case OPT_BY: return unit_option(t, "--by", value, &s->by);
	case OPT_PASS: return settings_pass(t, s, value);
	case OPT_CLASSES: s->classes = true; return 0;
	case OPT_SCENARIOS: s->scenarios = true; return 0;
	case OPT_VTA:
	case OPT_VTA_WAYS:
	case OPT_VTA_ORDER:
	case OPT_VTA_KEY: return set_vta(t, s, id, value);
	default: return id < OPT_TIME ? set_geometry(t, s, id, value) : set_time(t, s, id, value);
	}
}

/* What an option says is checked when the levels are known. */
static int
on_option(struct tool *t, int id, const char *value)
{
	if (id == OPT_LEVEL)
		return settings_level(t, t->arg, value);
	plan_keep(t->arg, id, value);
	return 0;
}

static const struct tool_spec spec = {
    .name = "warpcache",
    .summary = "Sends an ACCESS stream through levels of cache: hits, misses, write-backs.",
    .operands = "[FILE]",
    .option = options,
    .on_option = on_option,
    .max_operands = 1,
};

int
main(int argc, char **argv)
{
	struct plan p = {.n = 0};
	struct tool t = {.arg = &p};
	tool_start(&t, &spec, argc, argv);
	int status = plan_finish(&t, &p, apply);
	if (!status)
		status = chain_run(&t, &p);
	plan_release(&p);
	return tool_finish(&t, status);
}

/* Which table of a report is drawn, and how: one line for each table that the tools have. */
#include "warpplot.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

const char *const kind_name[KIND_COUNT] = {
    "auto", "cdf", "mrc", "lines", "series", "bars", "stack", "heat"};

/* In order of preference where a report has several of these. */
const struct plan plans[] = {
    {.kind = KIND_MRC,
	.tool = "warpreuse",
	.table = "mrc",
	.x = "bytes",
	.y = "miss_ratio",
	.xlabel = "cache size (bytes)"},
    {.kind = KIND_CDF,
	.tool = "warpreuse",
	.table = "histogram",
	.x = "high",
	.y = "cdf",
	.xlabel = "distance below (lines)",
	.ylabel = "references that reuse a line (%)"},
    {.kind = KIND_MRC,
	.tool = "warpreuse",
	.table = "by_mrc",
	.x = "bytes",
	.y = "miss_ratio",
	.by = "<lines",
	.xlabel = "cache size (bytes)"},
    {.kind = KIND_CDF,
	.tool = "warpreuse",
	.table = "by_histogram",
	.x = "high",
	.y = "cdf",
	.by = "<low",
	.xlabel = "distance below (lines)",
	.ylabel = "references that reuse a line (%)"},
    {.kind = KIND_BARS,
	.tool = "warpreuse",
	.table = "by",
	.title = "Mean reuse distance",
	.x = "<accesses",
	.y = "mean"},
    {.kind = KIND_BARS,
	.tool = "warpcache",
	.table = "scenarios",
	.x = "scenario",
	.y = "hit_ratio"},
    {.kind = KIND_STACK,
	.tool = "warpcache",
	.table = "fails",
	.by = "cause",
	.y = "per_kilocycle",
	.ylabel = "reservation fails (cycles per 1000 cycles)"},
    {.kind = KIND_STACK,
	.tool = "warpcache",
	.table = "by",
	.title = "Misses",
	.x = "<accesses",
	.y = "compulsory,capacity,conflict,emptied",
	.ylabel = "misses"},
    {.kind = KIND_BARS,
	.tool = "warpcache",
	.table = "by",
	.title = "Misses",
	.x = "<accesses",
	.y = "miss_ratio"},
    {.kind = KIND_LINES,
	.tool = "warpcache",
	.table = "ages",
	.x = "age",
	.y = "mshrs_per_insn",
	.by = "<age",
	.xlabel = "age of the warp (0: the oldest)",
	.ylabel = "MSHRs per instruction"},
    {.kind = KIND_HEAT,
	.tool = "warpdram",
	.table = "banks",
	.x = "rank,bank",
	.y = "channel",
	.z = "busy",
	.xlabel = "rank, bank"},
    {.kind = KIND_STACK,
	.tool = "warpdram",
	.table = "cycles",
	.by = "cycles",
	.y = "share",
	.ylabel = "cycles of all channels (%)"},
    {.kind = KIND_BARS,
	.tool = "warpdram",
	.table = "by",
	.title = "Slowdown of requesters",
	.x = "<records",
	.y = "slowdown"},
    {.kind = KIND_BARS,
	.tool = "warpdram",
	.table = "channels",
	.x = "channel",
	.y = "utilisation"},
    {.kind = KIND_BARS,
	.tool = "warpdram",
	.table = "latency",
	.x = "of",
	.y = "mean,p50,p95,p99",
	.xlabel = "",
	.ylabel = "latency (ck)"},
    {.kind = KIND_BARS,
	.tool = "warpdram",
	.table = "commands",
	.x = "command",
	.y = "number",
	.ylabel = "commands"},
    {.kind = KIND_BARS,
	.tool = "warpinfo",
	.table = "coalescing",
	.x = "space,kind",
	.y = "lines,sectors",
	.ylabel = "lines, sectors per request"},
    {.kind = KIND_STACK,
	.tool = "warpinfo",
	.table = "classes",
	.by = "class",
	.y = "share",
	.ylabel = "warp instructions (%)"},
    {.kind = KIND_BARS, .tool = "warpinfo", .table = "kernels", .x = "id,name", .y = "apki"},
    {.kind = KIND_BARS,
	.tool = "warpflat",
	.table = "kernels",
	.x = "id,kernel",
	.y = "per_instruction",
	.ylabel = "transactions per instruction"},
    {.kind = KIND_BARS,
	.tool = "warpsched",
	.table = "comparison",
	.x = "input",
	.by = "policy",
	.y = "ipc",
	.geomean = true,
	.title = "Policies",
	.xlabel = "",
	.ylabel = "IPC (thread instructions per cycle)"},
    {.kind = KIND_STACK,
	.tool = "warpsched",
	.table = "run*",
	.x = "@title",
	.y = "slots_*",
	.share = true,
	.title = "Issue slots",
	.xlabel = "",
	.ylabel = "issue slots (%)"},
    {.kind = KIND_STACK,
	.tool = "warpsched",
	.table = "run*",
	.x = "@title",
	.y = "ldst_*",
	.title = "Stalls of the LD/ST units",
	.xlabel = "",
	.ylabel = "cycles (ck)"},
    {.kind = KIND_LINES,
	.tool = "warpratio",
	.table = "cdf",
	.x = "@columns",
	.step = .1,
	.y = "b?",
	.by = "level,relation",
	.xlabel = "reuse ratio up to",
	.ylabel = "pairs (%)"},
    {.kind = KIND_BARS,
	.tool = "warpratio",
	.table = "reuse",
	.x = "level",
	.by = "relation",
	.y = "share",
	.xlabel = "",
	.ylabel = "accesses that reuse data (%)"},
    {.kind = KIND_BARS,
	.tool = "warpratio",
	.table = "ratio",
	.x = "level,relation",
	.y = "mean",
	.xlabel = "",
	.title = "Mean reuse ratios",
	.ylabel = "reuse ratio"},
    {.kind = KIND_HEAT,
	.tool = "warpsched",
	.table = "*interference",
	.x = "interferer",
	.y = "slot",
	.z = "misses",
	.xlabel = "interfering warp (slot)",
	.ylabel = "interfered warp (slot)"},
    {.kind = KIND_HEAT,
	.tool = "warpintf",
	.table = "matrix",
	.x = "interfering",
	.y = "interfered",
	.z = "vta_hits"},
    {.kind = KIND_BARS,
	.tool = "warpintf",
	.table = "interfered",
	.x = "<accesses",
	.y = "min,max",
	.ylabel = "VTA hits by one other"},
    {.kind = KIND_LINES,
	.tool = "warpsched",
	.table = "*ages",
	.x = "age",
	.y = "mshrs_per_load",
	.by = "<age",
	.xlabel = "age of the warp (0: the oldest)",
	.ylabel = "MSHRs per load"},
    {.kind = KIND_STACK,
	.tool = "warplocal",
	.table = "share",
	.x = "where",
	.y = "*",
	.title = "Accesses by what the line's last toucher was",
	.xlabel = "",
	.ylabel = "accesses (%)"},
    {.kind = KIND_STACK,
	.tool = "warplocal",
	.table = "lost",
	.x = "cause",
	.y = "same_warp,same_block,other_block,other_kernel,nobody",
	.xlabel = "",
	.ylabel = "loads"},
    {.kind = KIND_CDF,
	.tool = "warpreuse",
	.table = "relation_histogram",
	.x = "high",
	.y = "cdf",
	.by = "relation",
	.xlabel = "distance below (lines)",
	.ylabel = "references that reuse a line (%)"},
    {.kind = KIND_BARS,
	.tool = "warpreuse",
	.table = "relation",
	.x = "relation",
	.y = "share",
	.xlabel = "",
	.ylabel = "reuses (%)"},
    {.kind = KIND_LINES,
	.tool = "warpreuse",
	.table = "footprint",
	.x = "accesses",
	.y = "lines",
	.ylabel = "lines touched so far"},
    {.kind = KIND_LINES,
	.tool = "warpreuse",
	.table = "working_set",
	.x = "window",
	.y = "lines",
	.log_x = true,
	.ylabel = "distinct lines, mean"},
    {.kind = KIND_BARS,
	.tool = "warpreuse",
	.table = "source",
	.x = "source",
	.y = "mean",
	.xlabel = "",
	.title = "Mean reuse distance"},
    /* series, by their columns */
    {.kind = KIND_SERIES,
	.table = "series",
	.x = "cycle",
	.y = "blp",
	.where = "channel=all",
	.ylabel = "banks in service"},
    {.kind = KIND_HEAT,
	.table = "series",
	.x = "cycle",
	.y = "channel",
	.z = "utilisation",
	.where = "channel!=all"},
    {.kind = KIND_SERIES,
	.table = "series",
	.x = "cycle",
	.y = "ipc",
	.by = "input,policy",
	.ylabel = "IPC"},
    {.kind = KIND_SERIES, .table = "series", .x = "cycle", .y = "ipc", .ylabel = "IPC"},
    {.kind = KIND_SERIES,
	.table = "series",
	.x = "cycle",
	.y = "irs",
	.by = "sm,slot",
	.ylabel = "IRS"},
    {.kind = KIND_SERIES,
	.table = "series",
	.x = "cycle",
	.y = "hits,merges,misses",
	.ylabel = "accesses in an interval"},
    /* whoever brings a matrix: who did it, to whom, how much */
    {.kind = KIND_HEAT,
	.table = "*matrix*",
	.x = "interfering",
	.y = "interfered",
	.z = "evictions"},
    {.kind = KIND_COUNT},
};

bool
names_match(const struct frame *f, const char *names, const char *column)
{
	char pattern[64];
	if (names[0] == '<') {
		int end = frame_column(f, names + 1), at = frame_column(f, column);
		return at >= 0 && at < end;
	}
	for (size_t n; *names; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		if (n >= sizeof pattern)
			continue;
		memcpy(pattern, names, n);
		pattern[n] = 0;
		if (!fnmatch(pattern, column, 0))
			return true;
	}
	return false;
}

/* Does the frame have every column of the list, a pattern's at least once? */
static bool
has_names(const struct frame *f, const char *names)
{
	char one[64];
	if (!names)
		return true;
	if (names[0] == '<')
		return frame_column(f, names + 1) > 0;
	for (size_t n; *names; names += n + (names[n] == ',')) {
		bool found = names[0] == '@';
		n = strcspn(names, ",");
		if (n >= sizeof one)
			return false;
		memcpy(one, names, n);
		one[n] = 0;
		for (size_t i = 0; i < f->n_column && !found; i++)
			found = !fnmatch(one, f->column[i], 0);
		if (!found)
			return false;
	}
	return true;
}

static bool
has_where(const struct frame *f, const char *where)
{
	char column[64];
	size_t n = where ? strcspn(where, "!=") : 0;
	if (!where)
		return true;
	if (n >= sizeof column)
		return false;
	memcpy(column, where, n);
	column[n] = 0;
	return frame_column(f, column) >= 0;
}

bool
plan_fits(const struct plan *p, const struct frame *f)
{
	if (p->tool && f->tool && strcmp(p->tool, f->tool) != 0)
		return false;
	return f->row.n && (!p->table || !fnmatch(p->table, f->name, 0)) && has_names(f, p->x) &&
	       has_names(f, p->y) && has_names(f, p->z) && has_names(f, p->by) &&
	       has_where(f, p->where);
}

/* What was asked for lies over what the plan says. */
static struct plan
merged(const struct plan *p, const struct plan *ask)
{
	struct plan m = *p;
	bool other = (ask->y && p->y && strcmp(ask->y, p->y) != 0) || ask->z;
	if (ask->kind)
		m.kind = ask->kind;
	if (ask->table)
		m.table = ask->table;
	if (ask->x && !(p->x && !strcmp(ask->x, p->x)))
		m.x = ask->x, m.xlabel = NULL;
	if (ask->y)
		m.y = ask->y;
	if (ask->z)
		m.z = ask->z;
	if (ask->by)
		m.by = ask->by;
	if (ask->where)
		m.where = ask->where;
	if (other)
		m.ylabel = m.title = NULL, m.share = false;
	return m;
}

static bool
fits_any(const struct reports *in, const struct plan *p)
{
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(p, in->frame.item[i]))
			return true;
	return false;
}

static bool
is_numeric(const struct frame *f, size_t column)
{
	bool any = false;
	for (size_t i = 0; i < f->row.n; i++) {
		const char *cell = ((const char **)f->row.item[i])[column];
		if (cell && isnan(cell_number(cell)))
			return false;
		any |= cell != NULL;
	}
	return any;
}

/* Of a table that no plan knows: a series along its cycles, else bars of its first figure. */
static bool
guess(const struct frame *f, const struct plan *ask, struct plan *own)
{
	size_t key = 0, y;
	bool pairs = frame_column(f, "name") == 0 && frame_column(f, "value") == 1;
	if (!f->row.n || pairs || (ask->table && fnmatch(ask->table, f->name, 0) != 0))
		return false;
	while (key < f->n_column && !is_numeric(f, key))
		key++;
	y = key == 0 ? 1 : key;
	while (y < f->n_column && !is_numeric(f, y))
		y++;
	if (y >= f->n_column)
		return false;
	bool series = !strcmp(f->column[0], "cycle");
	*own = merged(&(struct plan){.kind = series ? KIND_SERIES : KIND_BARS,
			  .table = f->name,
			  .x = f->column[0],
			  .y = f->column[y]},
	    ask);
	return own->kind != KIND_HEAT || (own->x && own->z);
}

/* Is that what was asked for, if anything was? */
static bool
asked(const char *ask, const char *has)
{
	return !ask || (has && !strcmp(ask, has));
}

/* A plan whose columns are those asked for comes before one that lends its looks to others. */
static bool
may_serve(const struct plan *p, const struct plan *ask, bool exact)
{
	/* another kind of picture needs its own columns */
	bool lines = p->kind <= KIND_SERIES,
	     same = !ask->kind || ask->kind == p->kind || (lines && ask->kind <= KIND_SERIES) ||
		    (!lines && p->kind != KIND_HEAT &&
			(ask->kind == KIND_BARS || ask->kind == KIND_STACK));
	bool table = !ask->table || (p->table && !fnmatch(p->table, ask->table, 0));
	if (!same || !table)
		return false;
	if (exact)
		return asked(ask->x, p->x) && asked(ask->y, p->y) && asked(ask->z, p->z) &&
		       asked(ask->by, p->by);
	return !ask->y || p->kind == KIND_HEAT || !ask->x || !ask->kind;
}

static bool
find_plan(const struct reports *in, const struct plan *ask, bool exact, struct plan *own)
{
	for (const struct plan *p = plans; p->kind != KIND_COUNT; p++) {
		if (!may_serve(p, ask, exact))
			continue;
		*own = merged(p, ask);
		/* points need somewhere to stand, a map three columns */
		if ((own->kind <= KIND_SERIES || own->kind == KIND_HEAT) && !own->x)
			continue;
		if (own->kind == KIND_HEAT && (!own->y || !own->z))
			continue;
		if (fits_any(in, own))
			return true;
	}
	return false;
}

const struct plan *
recognise(struct reports *in, const struct plan *ask, struct plan *own)
{
	if (find_plan(in, ask, true, own) || find_plan(in, ask, false, own))
		return own;
	for (size_t i = 0; i < in->frame.n; i++) {
		if (guess(in->frame.item[i], ask, own) && fits_any(in, own))
			return own;
	}
	return NULL;
}

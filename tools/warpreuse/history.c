/*
 * What a distance does not tell: who referenced the line before, and when. Of each line in each
 * stack its last reference is kept.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "warpreuse.h"

enum { AHEAD = 16, GAPS = 64, MAX_COLUMNS = 12 };

/* Tang, section 3.3: how the unit that references a line is related to the one before. */
enum relation { SELF, WITHIN, PARENT_CHILD, SIBLING, OTHER, RELATIONS };

static const char *
relation_name(enum unit level, enum relation r)
{
	static const char *const kernel[] = {"self", NULL, "parent-child", "sibling", "other"};
	static const char *const cta[] = {
	    "self", "intra-kernel", "parent-child", "sibling", "other"};
	static const char *const warp[] = {"intra-warp", "inter-warp", NULL, NULL, "other"};
	return level == UNIT_KERNEL ? kernel[r] : level == UNIT_CTA ? cta[r] : warp[r];
}

struct last {		/* reference to a line */
	uint64_t line;	/* + 1; 0: free */
	uint64_t time;	/* references before it, all told */
	uint32_t stack; /* whose */
	uint32_t who;	/* key number */
};

struct launch {
	uint32_t parent, parent_cta;
};

/* References to no line in a row, by powers of two: how many such gaps there are, and their sum. */
struct gaps {
	uint64_t n[GAPS];
	double sum[GAPS];
};

struct stretch { /* of the stream, for the footprint */
	uint64_t accesses, lines, window;
};

struct history {
	const struct settings *set;
	struct last *last; /* [mask + 1] */
	uint64_t mask, n;
	struct launch *launch; /* [n_launch] by kernel */
	uint32_t n_launch;
	struct wcp_reuse_hist hist[RELATIONS];
	struct gaps gaps;
	struct stretch *stretch; /* [n_stretch] whole ones */
	size_t n_stretch, cap_stretch;
	uint64_t start;	      /* of the stretch in hand, in references */
	uint64_t done, lines; /* of all */
	uint64_t window;      /* lines of the stretch in hand */
};

struct history *
history_new(const struct settings *s)
{
	struct history *h = must_alloc(NULL, sizeof *h);
	*h = (struct history){.set = s};
	for (enum relation r = 0; r < RELATIONS; r++)
		wcp_reuse_hist_init(&h->hist[r], false);
	return h;
}

void
history_free(struct history *h)
{
	if (!h)
		return;
	for (enum relation r = 0; r < RELATIONS; r++)
		wcp_reuse_hist_release(&h->hist[r]);
	free(h->last);
	free(h->launch);
	free(h->stretch);
	free(h);
}

void
history_kernel(struct history *h, const struct wcp_kernel *k)
{
	if (k->id >= h->n_launch) {
		uint32_t n = k->id + 1 > h->n_launch * 2 ? k->id + 1 : h->n_launch * 2;
		h->launch = must_alloc(h->launch, n * sizeof *h->launch);
		for (uint32_t i = h->n_launch; i < n; i++)
			h->launch[i] = (struct launch){WCP_NONE32, 0};
		h->n_launch = n;
	}
	h->launch[k->id] = (struct launch){k->parent, k->parent_cta};
}

/* ---- the last reference ---------------------------------------------------------------------- */

static uint64_t
home(const struct history *h, uint64_t line, uint32_t stack)
{
	uint64_t x = (line + stack * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
	return (x ^ x >> 32) & h->mask;
}

static struct last *
find(struct history *h, uint64_t line, uint32_t stack)
{
	uint64_t at = home(h, line, stack);
	while (h->last[at].line && (h->last[at].line != line + 1 || h->last[at].stack != stack))
		at = (at + 1) & h->mask;
	return &h->last[at];
}

static void
reserve(struct history *h, uint64_t more)
{
	struct last *old = h->last;
	uint64_t places = old ? h->mask + 1 : 1024, n = places;
	while ((h->n + more) * 3 > places * 2)
		places *= 2;
	if (old && places == n)
		return;
	h->last = must_alloc(NULL, places * sizeof *h->last);
	memset(h->last, 0, places * sizeof *h->last);
	h->mask = places - 1;
	for (uint64_t i = 0; old && i < n; i++)
		if (old[i].line)
			*find(h, old[i].line - 1, old[i].stack) = old[i];
	free(old);
}

/* ---- relations ------------------------------------------------------------------------------- */

static struct launch
launch_of(const struct history *h, uint32_t kernel)
{
	return kernel < h->n_launch ? h->launch[kernel] : (struct launch){WCP_NONE32, 0};
}

/* Has p launched the kernel of c? */
static bool
launched(const struct history *h, struct key p, struct key c)
{
	struct launch l = launch_of(h, c.group);
	return l.parent == p.group && l.parent != WCP_NONE32 &&
	       (h->set->relation == UNIT_KERNEL || l.parent_cta == p.cta);
}

static enum relation
relation_of(const struct history *h, const struct keys *who, uint32_t a, uint32_t b)
{
	if (a == b)
		return SELF;
	struct key x = who->key[a], y = who->key[b];
	if (x.group == y.group)
		return WITHIN;
	if (h->set->relation == UNIT_WARP)
		return OTHER;
	if (launched(h, x, y) || launched(h, y, x))
		return PARENT_CHILD;
	struct launch l = launch_of(h, x.group), m = launch_of(h, y.group);
	bool siblings =
	    l.parent != WCP_NONE32 && l.parent == m.parent && l.parent_cta == m.parent_cta;
	return siblings ? SIBLING : OTHER;
}

/* ---- references ------------------------------------------------------------------------------ */

static void
add_gap(struct gaps *g, uint64_t length)
{
	if (!length)
		return;
	unsigned bin = 63u - (unsigned)__builtin_clzll(length);
	g->n[bin]++;
	g->sum[bin] += (double)length;
}

static void
end_stretch(struct history *h)
{
	if (h->n_stretch == h->cap_stretch) {
		h->cap_stretch = h->cap_stretch ? h->cap_stretch * 2 : 64;
		h->stretch = must_alloc(h->stretch, h->cap_stretch * sizeof *h->stretch);
	}
	h->stretch[h->n_stretch++] = (struct stretch){h->done, h->lines, h->window};
	h->start = h->done;
	h->window = 0;
}

static int
add_one(struct history *h, const struct keys *who, const struct refs *r, size_t i,
    uint32_t distance, struct wcp_error *e)
{
	uint32_t stack = h->set->stacks ? r->stack[i] : 0;
	struct last *l = find(h, r->line[i], stack);
	int status = 0;
	add_gap(&h->gaps, h->done - (l->line ? l->time + 1 : 0));
	if (l->line && h->set->relation)
		status = wcp_reuse_hist_add(
		    &h->hist[relation_of(h, who, l->who, r->who[i])], &distance, 1, e);
	h->lines += !l->line;
	h->window += !l->line || l->time < h->start;
	h->n += !l->line;
	*l = (struct last){r->line[i] + 1, h->done, stack, h->set->relation ? r->who[i] : 0};
	h->done++;
	if (h->set->footprint && h->done - h->start == h->set->footprint)
		end_stretch(h);
	return status;
}

int
history_add(struct history *h, const struct keys *who, const struct refs *r,
    const uint32_t *distance, struct wcp_error *e)
{
	int status = 0;
	reserve(h, r->n);
	for (size_t i = 0; i < r->n && status >= 0; i++) {
		if (i + AHEAD < r->n)
			__builtin_prefetch(&h->last[home(h, r->line[i + AHEAD],
					       h->set->stacks ? r->stack[i + AHEAD] : 0)],
			    1);
		status = add_one(h, who, r, i, distance[i], e);
	}
	return status;
}

/* ---- in the report --------------------------------------------------------------------------- */

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static void
print_relations(const struct history *h, struct report *r)
{
	static const struct report_column column[] = {{"relation", NULL, REPORT_TEXT, 0},
	    {"reuses", NULL, REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 2},
	    {"mean", "lines", REPORT_DOUBLE, 1}, {NULL, NULL, REPORT_TEXT, 0}};
	uint64_t all = 0;
	for (enum relation k = 0; k < RELATIONS; k++)
		all += h->hist[k].accesses;
	report_table(r, "relation", "Reuse by who referenced the line before", column);
	for (enum relation k = 0; k < RELATIONS; k++) {
		const struct wcp_reuse_hist *x = &h->hist[k];
		if (!relation_name(h->set->relation, k))
			continue;
		report_text(r, relation_name(h->set->relation, k));
		report_u64(r, x->accesses);
		report_double(r, percent(x->accesses, all));
		report_double(r, x->accesses ? (double)x->sum / (double)x->accesses : NAN);
		report_row(r);
	}
}

/* Fig. 3.5 */
static void
print_relation_histogram(const struct history *h, struct report *r)
{
	static const struct report_column column[] = {{"relation", NULL, REPORT_TEXT, 0},
	    {"low", "lines", REPORT_U64, 0}, {"high", "lines", REPORT_U64, 0},
	    {"accesses", NULL, REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 2},
	    {"cdf", "%", REPORT_DOUBLE, 2}, {NULL, NULL, REPORT_TEXT, 0}};
	report_table(r, "relation_histogram", "Reuse distance by relation", column);
	for (enum relation k = 0; k < RELATIONS; k++) {
		const struct wcp_reuse_hist *x = &h->hist[k];
		uint64_t seen = 0;
		for (unsigned b = 0; b < WCP_REUSE_BINS && seen < x->accesses; b++) {
			seen += x->bin[b];
			report_text(r, relation_name(h->set->relation, k));
			report_u64(r, wcp_reuse_bin_first(b));
			report_u64(r, wcp_reuse_bin_last(b));
			report_u64(r, x->bin[b]);
			report_double(r, percent(x->bin[b], x->accesses));
			report_double(r, percent(seen, x->accesses));
			report_row(r);
		}
	}
}

static void
print_footprint(struct history *h, struct report *r)
{
	static const struct report_column column[] = {{"accesses", NULL, REPORT_U64, 0},
	    {"lines", NULL, REPORT_U64, 0}, {"bytes", NULL, REPORT_U64, 0},
	    {"window", "lines", REPORT_U64, 0}, {NULL, NULL, REPORT_TEXT, 0}};
	if (h->done > h->start)
		end_stretch(h);
	report_table(r, "footprint", "Lines touched so far, and since the row before", column);
	for (size_t i = 0; i < h->n_stretch; i++) {
		report_u64(r, h->stretch[i].accesses);
		report_u64(r, h->stretch[i].lines);
		report_u64(r, h->stretch[i].lines * h->set->line_bytes);
		report_u64(r, h->stretch[i].window);
		report_row(r);
	}
}

/* What lies behind the last references: gaps, too. */
static void
add_last_gaps(const struct history *h, struct gaps *g)
{
	for (uint64_t i = 0; h->last && i <= h->mask; i++)
		if (h->last[i].line)
			add_gap(g, h->done - h->last[i].time - 1);
}

/*
 * The mean number of distinct lines in a window of w references: a line is absent from
 * g - w + 1 windows for each gap of g >= w references without it (Xiang et al.). Gaps of at least
 * w, a power of two, are whole bins.
 */
static void
print_working_set(const struct history *h, struct report *r)
{
	static const struct report_column column[] = {{"window", "accesses", REPORT_U64, 0},
	    {"lines", NULL, REPORT_DOUBLE, 2}, {"bytes", NULL, REPORT_DOUBLE, 0},
	    {NULL, NULL, REPORT_TEXT, 0}};
	struct gaps g = h->gaps;
	add_last_gaps(h, &g);
	report_table(
	    r, "working_set", "Mean number of distinct lines in a window of accesses", column);
	for (unsigned k = 0; k < GAPS - 1 && 1ull << k <= h->done; k++) {
		double w = (double)(1ull << k), absent = 0;
		for (unsigned b = GAPS; b-- > k;)
			absent += g.sum[b] - (w - 1) * (double)g.n[b];
		double lines = (double)h->n - absent / ((double)h->done - w + 1);
		report_u64(r, 1ull << k);
		report_double(r, lines);
		report_double(r, lines * h->set->line_bytes);
		report_row(r);
	}
}

void
history_print(struct history *h, struct report *r)
{
	if (h->set->relation) {
		print_relations(h, r);
		print_relation_histogram(h, r);
	}
	if (h->set->footprint)
		print_footprint(h, r);
	if (h->set->working_set)
		print_working_set(h, r);
}

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "local.h"
#include "report.h"

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static double
load_hits(const struct model *m, enum scope s)
{
	return percent(m->count[s].load_hits, m->count[s].loads);
}

/* What an L1 without bound keeps and the machine's does not, by why. */
enum part { THRASHING, INTER_WARP, INTRA_WARP, PARTS };

static uint64_t
lost_parts(const struct model *m, uint64_t part[PARTS])
{
	uint64_t all = 0;
	part[THRASHING] = part[INTER_WARP] = part[INTRA_WARP] = 0;
	for (enum loss l = 0; l < LOSSES; l++) {
		for (enum culprit c = 0; c < CULPRITS; c++) {
			enum part p = l == CAPACITY    ? THRASHING
				      : c == SAME_WARP ? INTRA_WARP
						       : INTER_WARP;
			part[p] += m->lost[l][c];
			all += m->lost[l][c];
		}
	}
	return all;
}

/* The parts that make up a quarter or more, largest first. */
static void
contention(const struct model *m, char *text, size_t size)
{
	static const char *const name[PARTS] = {
	    "thrashing", "inter-warp conflict", "intra-warp conflict"};
	uint64_t part[PARTS], all = lost_parts(m, part);
	*text = 0;
	for (int turn = 0; turn < PARTS; turn++) {
		enum part most = 0;
		for (enum part p = 1; p < PARTS; p++)
			most = part[p] > part[most] ? p : most;
		if (part[most] * 4 < all || !part[most])
			break;
		size_t n = strlen(text);
		snprintf(text + n, size - n, "%s%s", n ? " + " : "", name[most]);
		part[most] = 0;
	}
}

/* DWT-PRIC sec. 3.2; its 90 % of misses (sec. 4.1) is where streaming begins. */
static const char *
class_at(const struct model *m, enum scope unbounded, enum scope bounded)
{
	double ever = load_hits(m, unbounded), hits = load_hits(m, bounded);
	if (!m->count[unbounded].loads)
		return "no loads";
	if (ever < 10)
		return "streaming";
	return hits >= 0.9 * ever ? "friendly" : NULL;
}

static void
print_summary(const struct model *m, struct report *r)
{
	char text[128];
	uint32_t sms = 0;
	for (uint32_t i = 0; i < m->sms; i++)
		sms += m->sm_seen[i];
	const char *l1 = class_at(m, L1_UNBOUNDED, L1_BOUNDED),
		   *l2 = class_at(m, L2_UNBOUNDED, L2_BOUNDED);
	contention(m, text, sizeof text);
	report_pair_text(r, "class", l1 ? l1 : text);
	report_pair_text(r, "class_l2", l2 ? l2 : "thrashing");
	report_pair_u64(r, "accesses", NULL, m->count[REUSE].accesses);
	report_pair_u64(r, "sms", NULL, sms);
	report_pair_u64(r, "kernels", NULL, m->kernels);
	report_pair_u64(r, "lines", NULL, wcp_numbers_count(m->lines));
	report_pair_double(r, "l1_unbounded", "% of loads hit", load_hits(m, L1_UNBOUNDED), 2);
	report_pair_double(r, "l1_bounded", "% of loads hit", load_hits(m, L1_BOUNDED), 2);
	report_pair_double(r, "l1_fully_associative", "% of loads hit",
	    percent(m->full_hits, m->count[L1_BOUNDED].loads), 2);
	report_pair_double(r, "l2_unbounded", "% of loads hit", load_hits(m, L2_UNBOUNDED), 2);
	report_pair_double(r, "l2_bounded", "% of loads hit", load_hits(m, L2_BOUNDED), 2);
	const struct count *b = &m->count[L1_BOUNDED];
	double misses = (double)(b->loads - b->load_hits);
	report_pair_double(r, "l1_mpki", "per 1000 thread instructions",
	    m->thread_insns ? 1000 * misses / (double)m->thread_insns : NAN, 2);
}

const char *const scope_name[SCOPES] = {
    "reuse", "l1_unbounded", "l1_bounded", "l2_unbounded", "l2_bounded"};

static void
locality_columns(struct report_column column[4 + CLASSES + 1])
{
	column[0] = (struct report_column){"where", NULL, REPORT_TEXT, 0};
	column[1] = (struct report_column){"accesses", NULL, REPORT_U64, 0};
	column[2] = (struct report_column){"hits", NULL, REPORT_U64, 0};
	column[3] = (struct report_column){"hit_ratio", "%", REPORT_DOUBLE, 2};
	for (enum class c = 0; c < CLASSES; c++)
		column[4 + c] = (struct report_column){class_name[c], NULL, REPORT_U64, 0};
	column[4 + CLASSES] = (struct report_column){NULL, NULL, REPORT_TEXT, 0};
}

static void
print_locality(const struct model *m, struct report *r)
{
	struct report_column column[4 + CLASSES + 1];
	locality_columns(column);
	report_table(r, "locality", "Hits by what the line's last toucher was", column);
	for (enum scope s = 0; s < SCOPES; s++) {
		const struct count *n = &m->count[s];
		report_text(r, scope_name[s]);
		report_u64(r, n->accesses);
		report_u64(r, n->hits);
		report_double(r, percent(n->hits, n->accesses));
		for (enum class c = 0; c < CLASSES; c++)
			report_u64(r, n->class[c]);
		report_row(r);
	}
}

static void
print_shares(const struct model *m, struct report *r)
{
	struct report_column column[2 + CLASSES + 1] = {{"where", NULL, REPORT_TEXT, 0}};
	for (enum class c = 0; c < CLASSES; c++)
		column[1 + c] = (struct report_column){class_name[c], "%", REPORT_DOUBLE, 2};
	column[1 + CLASSES] = (struct report_column){"miss", "%", REPORT_DOUBLE, 2};
	report_table(r, "share", "The same as shares of accesses", column);
	for (enum scope s = 0; s < SCOPES; s++) {
		const struct count *n = &m->count[s];
		report_text(r, scope_name[s]);
		for (enum class c = 0; c < CLASSES; c++)
			report_double(r, percent(n->class[c], n -> accesses));
		report_double(r, percent(n->accesses - n->hits, n->accesses));
		report_row(r);
	}
}

static void
print_lost(const struct model *m, struct report *r)
{
	static const char *const loss[LOSSES] = {"conflict", "capacity"};
	static const struct report_column column[] = {{"cause", NULL, REPORT_TEXT, 0},
	    {"loads", NULL, REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 2},
	    {"same_warp", NULL, REPORT_U64, 0}, {"same_block", NULL, REPORT_U64, 0},
	    {"other_block", NULL, REPORT_U64, 0}, {"other_kernel", NULL, REPORT_U64, 0},
	    {"nobody", NULL, REPORT_U64, 0}, {NULL, NULL, REPORT_TEXT, 0}};
	report_table(
	    r, "lost", "Loads that only an unbounded L1 hits, by who drove the line out", column);
	for (enum loss l = 0; l < LOSSES; l++) {
		uint64_t all = 0;
		for (enum culprit c = 0; c < CULPRITS; c++)
			all += m->lost[l][c];
		report_text(r, loss[l]);
		report_u64(r, all);
		report_double(r, percent(all, m->count[L1_UNBOUNDED].loads));
		for (enum culprit c = 0; c < CULPRITS; c++)
			report_u64(r, m->lost[l][c]);
		report_row(r);
	}
}

static void
print_unit(const struct model *m, struct report *r, uint32_t number)
{
	for (enum scope s = 0; s < SCOPES; s++) {
		const struct unit_count *n = &m->by[(uint64_t)number * SCOPES + s];
		uint64_t hits = 0;
		for (enum class c = 0; c < CLASSES; c++)
			hits += n->hits[c];
		unit_report_key(r, &m->units, &m->kernel_name, &m->program_name, number);
		report_text(r, scope_name[s]);
		report_u64(r, n->accesses);
		report_u64(r, hits);
		report_double(r, percent(hits, n->accesses));
		for (enum class c = 0; c < CLASSES; c++)
			report_u64(r, n->hits[c]);
		report_row(r);
	}
}

static void
print_by(const struct model *m, struct report *r)
{
	struct report_column rest[4 + CLASSES + 1], column[UNIT_REPORT_COLUMNS + 4 + CLASSES + 1];
	if (m->set->by == UNIT_NONE)
		return;
	locality_columns(rest);
	unit_report_columns(column, m->set->by, rest);
	report_table(r, "by", "The same by unit that accesses", column);
	uint32_t *order = keys_sorted(&m->units);
	for (uint32_t i = 0; i < m->units.n; i++)
		print_unit(m, r, order[i]);
	free(order);
}

int
local_print(const struct model *m)
{
	struct report *r = report_open(m->tool, false, NULL);
	if (!r)
		return -WCP_ESYS;
	print_summary(m, r);
	print_locality(m, r);
	print_shares(m, r);
	print_lost(m, r);
	print_by(m, r);
	if (m->pick.others)
		report_note(r, "%llu accesses to other spaces, and fills, were not looked up",
		    (unsigned long long)m->pick.others);
	if (m->write_backs)
		report_note(r, "L2 also took %llu write-backs, which are nobody's accesses",
		    (unsigned long long)m->write_backs);
	if (!m->whole)
		report_note(r, "the input was not whole: this covers what was read");
	return report_close(r);
}

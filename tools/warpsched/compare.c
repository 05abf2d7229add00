/* What several runs have in common: each beside the first policy, means over the inputs, the curves
 * of sweeps. */
#include <math.h>
#include <stdlib.h>
#include "warpsched.h"

static const struct job *
job_of(const struct command *c, const struct job *job, unsigned input, unsigned choice)
{
	return &job[(size_t)input * c->n_choice + choice];
}

static bool
whole(const struct job *j)
{
	return j->played && !j->error.status;
}

/* IPC of a run over that of the input's first policy; NaN if either broke. */
static double
relative(const struct command *c, const struct job *job, const struct job *j)
{
	const struct job *base = job_of(c, job, (unsigned)(j->input - c->input), 0);
	if (!whole(j) || !whole(base))
		return NAN;
	return result_ipc(&j->result) / result_ipc(&base->result);
}

/* The point of the highest IPC, the first of equals; NULL: none is whole. */
static const struct job *
best_of(const struct command *c, const struct job *job, unsigned input, const struct sweep *s)
{
	const struct job *best = NULL;
	for (unsigned i = 0; i < s->n; i++) {
		const struct job *j = job_of(c, job, input, s->first + i);
		if (whole(j) && (!best || result_ipc(&j->result) > result_ipc(&best->result)))
			best = j;
	}
	return best;
}

/* Row of the comparison: a policy, or behind them the best of a sweep. */
static const struct job *
row_job(const struct command *c, const struct job *job, unsigned input, unsigned row)
{
	if (row < c->n_policy)
		return job_of(c, job, input, row);
	return best_of(c, job, input, &c->sweep[row - c->n_policy]);
}

static const char *
row_label(const struct command *c, unsigned row)
{
	return row < c->n_policy ? c->choice[row].label : c->sweep[row - c->n_policy].label;
}

static double
hit_rate(const struct wcp_nb_counts *n)
{
	uint64_t all = 0;
	for (unsigned o = WCP_OUT_HIT; o < WCP_OUT_COUNT; o++)
		all += n->outcome[o];
	uint64_t hits = n->outcome[WCP_OUT_HIT] + n->outcome[WCP_OUT_PENDING];
	return all ? 100.0 * (double)hits / (double)all : NAN;
}

static void
compare_row(struct report *r, const struct command *c, const struct job *job, const struct job *j)
{
	const struct run_result *x = &j->result;
	report_u64(r, x->cycles);
	report_u64(r, x->sm.warp_insns);
	report_double(r, result_ipc(x));
	report_double(r, relative(c, job, j));
	report_double(r, hit_rate(&x->l1d));
	report_double(r, hit_rate(&x->l2));
	report_double(r, (double)x->sm.active / (double)x->sm.cycles_active);
}

static void
compare(struct report *r, const struct command *c, const struct job *job)
{
	static const struct report_column column[] = {{"input", NULL, REPORT_TEXT, 0},
	    {"policy", NULL, REPORT_TEXT, 0}, {"cycles", NULL, REPORT_U64, 0},
	    {"warp_instructions", NULL, REPORT_U64, 0}, {"ipc", NULL, REPORT_DOUBLE, 3},
	    {"relative", NULL, REPORT_DOUBLE, 3}, {"l1d_hit_rate", "%", REPORT_DOUBLE, 2},
	    {"l2_hit_rate", "%", REPORT_DOUBLE, 2}, {"active_warps", NULL, REPORT_DOUBLE, 2}, {0}};
	report_table(r, "comparison", "Policies", column);
	for (unsigned i = 0; i < c->n_input; i++) {
		for (unsigned k = 0; k < c->n_policy + c->n_sweep; k++) {
			const struct job *j = row_job(c, job, i, k);
			report_text(r, c->input[i].name);
			report_text(r, row_label(c, k));
			if (j && whole(j))
				compare_row(r, c, job, j);
			report_row(r);
		}
	}
}

/* Over the inputs whose runs are whole. */
static void
means(struct report *r, const struct command *c, const struct job *job)
{
	static const struct report_column column[] = {{"policy", NULL, REPORT_TEXT, 0},
	    {"inputs", NULL, REPORT_U64, 0}, {"geometric", NULL, REPORT_DOUBLE, 3},
	    {"harmonic", NULL, REPORT_DOUBLE, 3}, {0}};
	report_table(r, "means", "IPC over that of the first policy, means over inputs", column);
	for (unsigned k = 0; k < c->n_policy + c->n_sweep; k++) {
		double logs = 0, inverse = 0;
		unsigned n = 0;
		for (unsigned i = 0; i < c->n_input; i++) {
			const struct job *j = row_job(c, job, i, k);
			double x = j ? relative(c, job, j) : NAN;
			if (!(x > 0))
				continue;
			logs += log(x);
			inverse += 1 / x;
			n++;
		}
		report_text(r, row_label(c, k));
		report_u64(r, n);
		report_double(r, n ? exp(logs / n) : NAN);
		report_double(r, n ? n / inverse : NAN);
		report_row(r);
	}
}

static void
curve(struct report *r, const struct command *c, const struct job *job, const struct sweep *s,
    unsigned input)
{
	const struct job *best = best_of(c, job, input, s);
	for (unsigned i = 0; i < s->n; i++) {
		const struct job *j = job_of(c, job, input, s->first + i);
		report_text(r, c->input[input].name);
		report_text(r, s->label);
		report_double(r, s->value[i]);
		if (whole(j))
			report_u64(r, j->result.cycles);
		else
			report_missing(r);
		report_double(r, whole(j) ? result_ipc(&j->result) : NAN);
		report_double(r, relative(c, job, j));
		report_text(r, j == best ? "best" : NULL);
		report_row(r);
	}
}

/* Digits after the point that tell all values of all sweeps. */
static int
digits(const struct command *c)
{
	int most = 0;
	for (unsigned k = 0; k < c->n_sweep; k++) {
		for (unsigned i = 0; i < c->sweep[k].n; i++) {
			double x = c->sweep[k].value[i];
			int d = 0;
			while (d < 9 && fabs(x - nearbyint(x)) > 1e-6) {
				x *= 10;
				d++;
			}
			most = d > most ? d : most;
		}
	}
	return most;
}

static void
sweeps(struct report *r, const struct command *c, const struct job *job)
{
	const struct report_column column[] = {{"input", NULL, REPORT_TEXT, 0},
	    {"sweep", NULL, REPORT_TEXT, 0}, {"value", NULL, REPORT_DOUBLE, digits(c)},
	    {"cycles", NULL, REPORT_U64, 0}, {"ipc", NULL, REPORT_DOUBLE, 3},
	    {"relative", NULL, REPORT_DOUBLE, 3}, {"best", NULL, REPORT_TEXT, 0}, {0}};
	report_table(r, "sweep", "Sweeps", column);
	for (unsigned i = 0; i < c->n_input; i++) {
		for (unsigned k = 0; k < c->n_sweep; k++)
			curve(r, c, job, &c->sweep[k], i);
	}
}

void
print_comparison(struct report *r, const struct command *c, const struct job *job)
{
	compare(r, c, job);
	if (c->n_input > 1)
		means(r, c, job);
	if (c->n_sweep)
		sweeps(r, c, job);
}

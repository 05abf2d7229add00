/* --cost: what each policy needs to store on an SM. */
#include <string.h>
#include "warpsched.h"

static void
print_row(struct report *r, const char *policy, const struct wcp_policy_cost *c)
{
	report_text(r, policy);
	report_text(r, c->structure);
	report_u64(r, c->entries);
	report_u64(r, c->bits);
	report_u64(r, c->entries * c->bits);
	report_double(r, (double)(c->entries * c->bits) / 8);
	report_row(r);
}

/* The policy's structures: how many there are. One from outside may have written fewer than it
 * says. */
static unsigned
structures(const struct choice *c, const struct wcp_policy_machine *m,
    struct wcp_policy_cost row[WCP_POLICY_COSTS_MAX])
{
	unsigned said, n = 0;
	memset(row, 0, WCP_POLICY_COSTS_MAX * sizeof *row);
	said = c->policy->cost ? c->policy->cost(m, c->parameter, row) : 0;
	while (n < said && n < WCP_POLICY_COSTS_MAX && row[n].structure)
		n++;
	return n;
}

static void
print_total(struct report *r, const struct choice *c, const struct wcp_policy_machine *m)
{
	struct wcp_policy_cost row[WCP_POLICY_COSTS_MAX];
	unsigned n = structures(c, m, row);
	uint64_t bits = 0;
	for (unsigned i = 0; i < n; i++)
		bits += row[i].entries * row[i].bits;
	report_text(r, c->label);
	report_u64(r, bits);
	report_double(r, (double)bits / 8);
	report_double(r, (double)bits / 8 * m->sms);
	report_row(r);
}

int
print_costs(struct tool *t, const struct command *c, const struct gpu_config *set)
{
	static const struct report_column column[] = {{"policy", NULL, REPORT_TEXT, 0},
	    {"structure", NULL, REPORT_TEXT, 0}, {"entries", NULL, REPORT_U64, 0},
	    {"width", "bits", REPORT_U64, 0}, {"bits", NULL, REPORT_U64, 0},
	    {"bytes", NULL, REPORT_DOUBLE, 1}, {NULL, NULL, REPORT_U64, 0}};
	static const struct report_column total[] = {{"policy", NULL, REPORT_TEXT, 0},
	    {"bits", NULL, REPORT_U64, 0}, {"bytes", NULL, REPORT_DOUBLE, 1},
	    {"gpu", "bytes", REPORT_DOUBLE, 1}, {NULL, NULL, REPORT_U64, 0}};
	struct wcp_policy_machine m;
	struct wcp_policy_cost row[WCP_POLICY_COSTS_MAX];
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	gpu_describe(set, &m);
	report_table(r, "cost", "Storage of each policy on an SM", column);
	for (unsigned i = 0; i < c->n_choice; i++) {
		unsigned n = structures(&c->choice[i], &m, row);
		for (unsigned k = 0; k < n; k++)
			print_row(r, c->choice[i].label, &row[k]);
	}
	report_table(r, "total", "All of it on an SM, and on the GPU", total);
	for (unsigned i = 0; i < c->n_choice; i++) {
		if (!c->choice[i].policy->cost)
			report_note(r, "%s does not say what it costs", c->choice[i].policy->name);
		print_total(r, &c->choice[i], &m);
	}
	return report_close(r);
}

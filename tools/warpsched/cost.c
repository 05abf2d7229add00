/* --cost: what each policy needs to store on an SM. */
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

static uint64_t
print_policy(struct report *r, const struct choice *c, const struct wcp_policy_machine *m)
{
	struct wcp_policy_cost row[WCP_POLICY_COSTS_MAX];
	unsigned n = c->policy->cost ? c->policy->cost(m, c->parameter, row) : 0;
	uint64_t bits = 0;
	for (unsigned i = 0; i < n; i++) {
		print_row(r, c->label, &row[i]);
		bits += row[i].entries * row[i].bits;
	}
	return bits;
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
	uint64_t bits[256] = {0};
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	gpu_describe(set, &m);
	report_table(r, "cost", "Storage of each policy on an SM", column);
	for (unsigned i = 0; i < c->n_choice && i < 256; i++)
		bits[i] = print_policy(r, &c->choice[i], &m);
	report_table(r, "total", "All of it on an SM, and on the GPU", total);
	for (unsigned i = 0; i < c->n_choice && i < 256; i++) {
		if (!c->choice[i].policy->cost)
			report_note(r, "%s does not say what it costs", c->choice[i].policy->name);
		report_text(r, c->choice[i].label);
		report_u64(r, bits[i]);
		report_double(r, (double)bits[i] / 8);
		report_double(r, (double)bits[i] / 8 * set->sm.sms);
		report_row(r);
	}
	return report_close(r);
}

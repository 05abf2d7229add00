/* warpsched: replays a WARP stream on a simulated GPU under a scheduling policy. */
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#include "warpsched.h"

enum {
	OPT_POLICY = 256,
	OPT_SWEEP,
	OPT_TAP,
	OPT_COST,
	OPT_SERIES,
	OPT_INTERVAL,
	OPT_AGES,
	OPT_INTERFERENCE,
	OPT_APART,
	OPT_RUN_AS
};

struct options {
	const char **policy, **sweep; /* as given */
	unsigned n_policy, n_sweep;
	const char *tap, *series;
	uint64_t interval;
	bool cost, ages, interference, apart;
	const char *run_as;
};

static const char *const tap_name[] = {[TAP_L1] = "l1", [TAP_L2] = "l2", [TAP_DRAM] = "dram"};

static int
keep(struct tool *t, const char ***list, unsigned *n, const char *value)
{
	const char **grown = realloc(*list, (*n + 1) * sizeof *grown);
	if (!grown)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	*list = grown;
	grown[(*n)++] = value;
	return 0;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct options *o = t->arg;
	switch (id) {
	case OPT_POLICY:
		if (policy_help_wanted(value))
			exit(tool_finish(t, policy_help(t, value)));
		return keep(t, &o->policy, &o->n_policy, value);
	case OPT_SWEEP: return keep(t, &o->sweep, &o->n_sweep, value);
	case OPT_TAP: o->tap = value; return 0;
	case OPT_COST: o->cost = true; return 0;
	case OPT_SERIES: o->series = value; return 0;
	case OPT_INTERVAL: return tool_u64(t, "--interval", value, 1, UINT64_MAX / 4, &o->interval);
	case OPT_AGES: o->ages = true; return 0;
	case OPT_INTERFERENCE: o->interference = true; return 0;
	case OPT_APART: o->apart = true; return 0;
	case OPT_RUN_AS: o->run_as = value; return 0;
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_option option[] = {
    {'p', "policy", "NAME[:KEY=VALUE],...", "scheduling policies, or help (default gto)",
	OPT_POLICY},
    {0, "sweep", "NAME:KEY=FROM..TO[..STEP]", "run a policy at each value of a key, find the best",
	OPT_SWEEP},
    {0, "cost", NULL, "print what each policy has to store, and replay nothing", OPT_COST},
    {0, "ages", NULL, "count MSHRs by load and age of the warp", OPT_AGES},
    {0, "interference", NULL, "count who evicts whose lines", OPT_INTERFERENCE},
    {0, "no-interference", NULL, "give each warp an L1D of its own", OPT_APART},
    {0, "run-as", "SCENARIO", "L1D as it is: bounded; or bypass-all or unbounded", OPT_RUN_AS},
    {0, "series", "FILE", "write figures by intervals of time to FILE", OPT_SERIES},
    {0, "interval", "N", "cycles of an interval (default 1000)", OPT_INTERVAL},
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    TOOL_OPT_OUTPUT,
    {0, "tap", "LEVEL", "what -o writes: accesses that l1, l2 or dram accepts (default l1)",
	OPT_TAP},
    TOOL_OPT_LEVEL,
    TOOL_OPT_REPORT,
    TOOL_OPT_TSV,
    TOOL_OPT_JSON,
    TOOL_OPT_THREADS,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static const struct tool_spec spec = {
    .name = "warpsched",
    .summary = "replay a WARP stream on a simulated GPU under a scheduling policy",
    .operands = "[FILE...]",
    .option = option,
    .on_option = on_option,
    .max_operands = -1,
};

/* Policies first, whatever the order of the options: the first of them is what others are compared
 * with. */
static int
take_policies(struct tool *t, struct command *c, const struct options *o)
{
	int status = o->n_policy ? 0 : choices_add(t, c, "gto");
	for (unsigned i = 0; !status && i < o->n_policy; i++)
		status = choices_add(t, c, o->policy[i]);
	c->n_policy = c->n_choice;
	for (unsigned i = 0; !status && i < o->n_sweep; i++)
		status = sweep_parse(t, c, o->sweep[i]);
	return status;
}

/* DWT-PRIC Fig. 2: three caches. */
static int
take_scenario(
    struct tool *t, const struct command *c, const struct options *o, struct gpu_config *set)
{
	const char *as = o->run_as ? o->run_as : "bounded";
	struct wcp_nb_options *l1 = &set->l1.cache;
	set->l1_apart = o->apart;
	set->l1_bypassed = !strcmp(as, "bypass-all");
	if (!strcmp(as, "unbounded")) {
		l1->ways = l1->mshr_entries = l1->mshr_merges = l1->miss_queue = 0;
		l1->worst_case_room = false;
	} else if (strcmp(as, "bounded") && !set->l1_bypassed) {
		return tool_usage(
		    t, "--run-as %s: it is one of bypass-all, bounded and unbounded", as);
	}
	for (unsigned i = 0; i < c->n_choice; i++) {
		if (o->apart && c->choice[i].policy->shared_cache)
			return tool_usage(t,
			    "--no-interference: policy %s shares a cache among warps",
			    c->choice[i].label);
	}
	return 0;
}

static int
take_output(struct tool *t, struct command *c, const struct options *o)
{
	c->ages = o->ages;
	c->interference = o->interference;
	c->series = o->series;
	c->interval = o->interval;
	if (o->tap && !t->output)
		return tool_usage(t, "--tap says what -o writes, but there is no -o");
	if (t->output && c->n_input * c->n_choice > 1)
		return tool_usage(t, "-o writes the accesses of one run, not of several");
	for (unsigned i = 0; o->tap && i < sizeof tap_name / sizeof tap_name[0]; i++) {
		c->tap = (enum tap_level)i;
		if (!strcmp(o->tap, tap_name[i]))
			return 0;
	}
	return o->tap ? tool_usage(t, "--tap %s: it is one of l1, l2 and dram", o->tap) : 0;
}

static int
run(struct tool *t, const struct command *c, const struct gpu_config *set)
{
	unsigned n = c->n_input * c->n_choice;
	struct job *job = calloc(n, sizeof *job);
	if (!job)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	for (unsigned i = 0; i < n; i++) {
		job[i].set = set;
		job[i].choice = &c->choice[i % c->n_choice];
		job[i].input = &c->input[i / c->n_choice];
		job[i].output = t->output ? t : NULL;
		job[i].command = c;
	}
	jobs_run(t, job, n);
	int status = jobs_status(t, job, n);
	int printed = print_results(t, c, job);
	if (c->series && !printed)
		printed = write_series(t, c, job);
	for (unsigned i = 0; i < n; i++)
		result_release(&job[i].result);
	free(job);
	return status ? status : printed;
}

static void
release(struct command *c, struct options *o)
{
	inputs_close(c);
	for (unsigned i = 0; i < c->n_choice; i++)
		choice_release(&c->choice[i]);
	for (unsigned i = 0; i < c->n_sweep; i++) {
		free(c->sweep[i].label);
		free(c->sweep[i].value);
	}
	free(c->choice);
	free(c->sweep);
	free(o->policy);
	free(o->sweep);
}

static int
replay(struct tool *t, struct command *c, const struct options *o, const struct gpu_config *set)
{
	int status = inputs_open(t, c);
	if (!status)
		status = take_output(t, c, o);
	return status ? status : run(t, c, set);
}

int
main(int argc, char **argv)
{
	struct options o = {.interval = 1000};
	struct command c = {0};
	struct tool t = {.arg = &o};
	struct gpu_config set;
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	status = take_policies(&t, &c, &o);
	struct wcp_machine *m = status ? NULL : tool_machine(&t, "gpgpusim-gtx480", &status);
	c.machine = m;
	if (m)
		status = config_read(&set, &t, m);
	if (!status)
		status = take_scenario(&t, &c, &o, &set);
	if (!status)
		status = o.cost ? print_costs(&t, &c, &set) : replay(&t, &c, &o, &set);
	release(&c, &o);
	wcp_machine_free(m);
	return tool_finish(&t, status);
}

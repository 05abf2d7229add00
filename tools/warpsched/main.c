/* warpsched: replays a WARP stream on a simulated GPU under a scheduling policy. */
#include <stdlib.h>
#include <string.h>
#include "gpu/gpu.h"
#include "machine.h"
#include "policy/policy.h"
#include "warpsched.h"

enum { OPT_POLICY = 256 };

struct command {
	struct choice choice[32];
	unsigned n_choice;
};

static int
add_policies(struct tool *t, struct command *c, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;
	int status = copy ? 0 : tool_fail(t, -WCP_ESYS, "out of memory");
	if (!strcmp(value, "help")) {
		policy_help();
		free(copy);
		exit(tool_finish(t, 0));
	}
	while (!status && (word = strsep(&rest, ","))) {
		if (c->n_choice == 32)
			status = tool_usage(t, "more than 32 policies");
		else
			status = choice_parse(t, &c->choice[c->n_choice++], word);
	}
	free(copy);
	return status;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	switch (id) {
	case OPT_POLICY: return add_policies(t, t->arg, value);
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_option option[] = {
    {'p', "policy", "NAME[:KEY=VALUE],...", "scheduling policies, or help (default gto)",
	OPT_POLICY},
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
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
    .operands = "[FILE]",
    .option = option,
    .on_option = on_option,
    .max_operands = 1,
};

static void
host_operation(void *arg, const struct wcp_host_op *op)
{
	struct gpu *g = arg;
	if (!g->set->memory.preload)
		return;
	if (op->kind == WCP_HOST_COPY_IN)
		memory_preload(&g->memory, op->address, op->bytes);
	else if (op->kind == WCP_HOST_COPY_DEVICE)
		memory_preload(&g->memory, op->value, op->bytes);
}

static int
run_kernels(struct tool *t, struct gpu *g, struct run_result *result)
{
	struct wcp_error e = {0};
	struct kernel_result k;
	int got;
	while ((got = gpu_kernel(g, &k, &e)) > 0 && !tool_interrupted())
		result->cycles += k.cycles;
	result->kernels = g->kernels;
	if (got < 0)
		return tool_error(t, NULL, &e);
	if (feed_status(g->feed, &e) < 0)
		return tool_error(t, tool_input_name(t, 0), &e);
	return 0;
}

static int
run(struct tool *t, const struct gpu_config *set, const struct choice *choice,
    struct run_result *result)
{
	struct wcp_error e = {0};
	int status = 0;
	struct wcp_reader *r = tool_open_reader(t, 0, WCP_LINK_WARP, 0, NULL, &status);
	if (!r)
		return status;
	struct feed *f = feed_new(r);
	struct gpu *g = f ? gpu_new(set, choice->policy, choice->parameter, f, &e) : NULL;
	if (!f)
		status = tool_fail(t, -WCP_ESYS, "out of memory");
	else if (!g)
		status = tool_error(t, NULL, &e);
	if (g) {
		feed_on_host(f, host_operation, g);
		status = run_kernels(t, g, result);
		result_collect(result, g);
	}
	gpu_free(g);
	feed_free(f);
	wcp_reader_close(r);
	return status;
}

int
main(int argc, char **argv)
{
	struct command c = {0};
	struct tool t = {.arg = &c};
	struct gpu_config set;
	int status = 0;
	tool_start(&t, &spec, argc, argv);
	if (!c.n_choice)
		status = add_policies(&t, &c, "gto");
	struct wcp_machine *m = status ? NULL : tool_machine(&t, "gpgpusim-gtx480", &status);
	if (m)
		status = config_read(&set, &t, m);
	struct run_result *result = calloc(c.n_choice, sizeof *result);
	for (unsigned i = 0; !status && result && i < c.n_choice; i++)
		status = run(&t, &set, &c.choice[i], &result[i]);
	if (!status)
		status = print_results(&t, &set, c.choice, result, c.n_choice);
	for (unsigned i = 0; i < c.n_choice; i++)
		choice_release(&c.choice[i]);
	free(result);
	wcp_machine_free(m);
	return tool_finish(&t, status);
}

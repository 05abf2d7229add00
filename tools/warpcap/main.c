/* warpcap: executes kernels and records what their warps do. */
#include <stdlib.h>
#include <string.h>
#include "capture.h"
#include "launch/run.h"
#include "program/program.h"
#include "workload/workload.h"

enum {
	OPT_WORKLOAD = 256,
	OPT_DEFINE,
	OPT_SIZE,
	OPT_LIST,
	OPT_PTX,
	OPT_LAUNCH,
	OPT_VERIFY,
	OPT_NO_STREAM,
	OPT_KERNEL,
	OPT_CTA,
	OPT_SKIP,
	OPT_MAX_INSN,
	OPT_LIMIT,
	OPT_RELAXED,
	OPT_ALTERNATIVES,
	OPT_CHECK,
	OPT_PRINT_PTX,
	OPT_SKIP_LAUNCHES,
	OPT_WINDOW,
	OPT_CAPABILITY,
};

/* Where only a part of a launch is recorded: a warp that goes on for longer, seconds of its own, is
 * taken for one that never ends, unless --limit says otherwise. */
#define ENDLESS_WARP_INSNS (UINT64_C(1) << 29)

struct command {
	const char *workload, *size, *ptx, *launch;
	const char **define; /* [n_define] */
	size_t n_define;
	bool list, print_ptx;
	struct capture_options capture;
	struct program_wishes program;
};

static int
add_definition(struct tool *t, struct command *c, const char *value)
{
	const char **grown = realloc(c->define, (c->n_define + 1) * sizeof *grown);
	if (!grown)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	c->define = grown;
	c->define[c->n_define++] = value;
	return 0;
}

/* Without a list: shared memory. */
static int
set_checks(struct tool *t, struct capture_options *o, const char *list)
{
	const char *at = list ? list : "shared";
	do {
		const size_t n = strcspn(at, ",");
		if (n == 6 && !strncmp(at, "shared", n))
			o->check_shared = true;
		else if (n == 3 && !strncmp(at, "mem", n))
			o->check_memory = true;
		else if (n == 4 && !strncmp(at, "sync", n))
			o->check_sync = true;
		else
			return tool_usage(
			    t, "--check: mem, sync or shared, not '%.*s'", (int)n, at);
		at += n + (at[n] == ',');
	} while (*at);
	return 0;
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct command *c = t->arg;
	struct capture_options *o = &c->capture;
	struct program_wishes *w = &c->program;
	switch (id) {
	case OPT_WORKLOAD: c->workload = value; return 0;
	case OPT_DEFINE: return add_definition(t, c, value);
	case OPT_SIZE: c->size = value; return 0;
	case OPT_LIST: c->list = true; return 0;
	case OPT_PRINT_PTX: c->print_ptx = true; return 0;
	case OPT_PTX: c->ptx = value; return 0;
	case OPT_LAUNCH: c->launch = w->launches = value; return 0;
	case OPT_VERIFY: o->verify = true; return 0;
	case OPT_NO_STREAM: o->no_stream = true; return 0;
	case OPT_KERNEL: o->kernel = value; return 0;
	case OPT_CTA:
		o->cta_given = true;
		return tool_range(t, "--cta", value, &o->cta_first, &o->cta_last);
	case OPT_SKIP: return tool_u64(t, "--skip", value, 0, UINT64_MAX, &o->skip_insns);
	case OPT_MAX_INSN: return tool_u64(t, "--max-insn", value, 1, UINT64_MAX, &o->max_insns);
	case OPT_LIMIT: return tool_u64(t, "--limit", value, 1, UINT64_MAX, &o->limit_insns);
	case OPT_RELAXED: o->relaxed = true; return 0;
	case OPT_ALTERNATIVES: o->alternatives = true; return 0;
	case OPT_CHECK: return set_checks(t, o, value);
	case OPT_SKIP_LAUNCHES:
		return tool_u64(t, "--skip-launches", value, 0, UINT64_MAX / 2, &w->skip_launches);
	case OPT_WINDOW: w->window = true; return 0;
	case OPT_CAPABILITY: return tool_u64(t, "--capability", value, 50, 999, &w->capability);
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_option option[] = {
    {'w', "workload", "NAME", "record built-in workload NAME", OPT_WORKLOAD},
    {'D', "define", "NAME=VALUE", "set a parameter of the workload or the launch file", OPT_DEFINE},
    {0, "size", "NAME", "set a workload's parameters as for NAME: small or paper", OPT_SIZE},
    {'l', "list", NULL, "list the workloads, or what workload NAME takes", OPT_LIST},
    {0, "ptx", "FILE", "record the kernels of FILE, as --launch says", OPT_PTX},
    {0, "launch", "FILE|A-B",
	"launches of --ptx, see warpcap-launch(5); of a program, those to record", OPT_LAUNCH},
    {0, "print-ptx", NULL, "print the PTX of workload -w and end", OPT_PRINT_PTX},
    {0, "verify", NULL, "compare a workload's results with its reference", OPT_VERIFY},
    {'n', "no-stream", NULL, "execute only, write no stream", OPT_NO_STREAM},
    {0, "kernel", "GLOB", "record only launches of kernels whose name matches", OPT_KERNEL},
    {0, "cta", "A-B", "record only CTAs A to B of each launch", OPT_CTA},
    {0, "skip", "N", "leave out the first N thread instructions of each launch", OPT_SKIP},
    {0, "max-insn", "N", "record at most N thread instructions of each launch", OPT_MAX_INSN},
    {0, "limit", "N", "stop a launch that executes more than N thread instructions", OPT_LIMIT},
    {0, "relaxed", NULL, "run CTAs side by side even where their order shows", OPT_RELAXED},
    {0, "alternatives", NULL, "record what launching threads would have done without launch",
	OPT_ALTERNATIVES},
    {0, "check", "=LIST", "look for faults: shared, mem, sync (default shared)", OPT_CHECK},
    {0, "skip-launches", "N", "leave out the first N launches of a program", OPT_SKIP_LAUNCHES},
    {0, "window", NULL, "record a program between cudaProfilerStart and cudaProfilerStop",
	OPT_WINDOW},
    {0, "capability", "N", "compute capability told to a program, 10 times (default 121)",
	OPT_CAPABILITY},
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    TOOL_OPT_OUTPUT,
    TOOL_OPT_LEVEL,
    TOOL_OPT_THREADS,
    TOOL_OPT_SEED,
    TOOL_OPT_PROGRESS,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static const struct tool_spec spec = {
    .name = "warpcap",
    .summary = "execute GPU kernels without a GPU and record what their warps do",
    .operands = "[NAME | PROGRAM [ARG ...]]",
    .option = option,
    .on_option = on_option,
    .min_operands = 0,
    .max_operands = -1,
    .stop_at_operand = true,
};

/* ---- -l ------------------------------------------------------------------------------------ */

static void
list_all(void)
{
	for (const struct workload *const *w = workload_table; *w; w++)
		printf("%-15s%s\n", (*w)->name, (*w)->summary);
}

static void
print_parameter(const struct parameter *p)
{
	char text[100];
	if (p->type == PARAMETER_FILE) {
		snprintf(text, sizeof text, "%s=PATH", p->name);
		printf("  -D %-18s %s\n", text, p->help);
		return;
	}
	if (p->type == PARAMETER_CHOICE) {
		snprintf(text, sizeof text, "%s=%s", p->name, p->choice[(int)p->value]);
		printf("  -D %-18s %s:", text, p->help);
		for (int k = 0; p->choice[k]; k++)
			printf("%s %s", k ? "," : "", p->choice[k]);
		printf("\n");
		return;
	}
	snprintf(text, sizeof text, "%s=%.15g", p->name, p->value);
	printf("  -D %-18s %s, %.15g to %.15g\n", text, p->help, p->min, p->max);
}

static int
print_size(struct tool *t, const struct workload *w, const char *size, const char *says)
{
	struct wcp_error e = {0};
	struct host *h = host_new(w, t->seed, &e);
	int status = h ? host_size(h, size, &e) : e.status;
	if (status == 0)
		printf("  --size %-13s %.2f MB: %s\n", size, (double)w->footprint_bytes(h) / 1e6,
		    says);
	host_free(h);
	return status < 0 ? tool_error(t, NULL, &e) : 0;
}

static int
describe(struct tool *t, const struct workload *w)
{
	struct wcp_error e = {0};
	struct host *h = host_new(w, t->seed, &e);
	if (!h)
		return tool_error(t, NULL, &e);
	printf("%s: %s\n", w->name, w->summary);
	for (const struct parameter *p = w->parameter; p->name; p++)
		print_parameter(p);
	if (print_size(t, w, "small", w->small) || print_size(t, w, "paper", w->paper)) {
		host_free(h);
		return 4;
	}
	printf("  footprint  %s bytes; %.1f MB as it stands\n", w->footprint,
	    (double)w->footprint_bytes(h) / 1e6);
	printf("  check      %s\n", w->check);
	printf("  after      %s\n", w->origin);
	host_free(h);
	return 0;
}

static const struct workload *
find(struct tool *t, const char *name, int *status)
{
	const struct workload *w = workload_find(name);
	if (!w)
		*status = tool_usage(t, "there is no workload '%s'; warpcap -l lists them", name);
	return w;
}

static int
list(struct tool *t, const struct command *c)
{
	int status = 0;
	if (t->argc > 1)
		return tool_usage(t, "-l takes one workload");
	const char *name = t->argc ? t->argv[0] : c->workload;
	if (!name) {
		list_all();
		return 0;
	}
	const struct workload *w = find(t, name, &status);
	return w ? describe(t, w) : status;
}

static int
print_ptx(struct tool *t, const struct command *c)
{
	int status = 0;
	if (!c->workload)
		return tool_usage(t, "--print-ptx wants a workload: -w NAME");
	const struct workload *w = find(t, c->workload, &status);
	if (w)
		fwrite(w->ptx, 1, (size_t)(w->ptx_end - w->ptx), stdout);
	return status;
}

/* ---- -w ------------------------------------------------------------------------------------ */

static int
run_workload(struct tool *t, const struct command *c)
{
	struct wcp_error e = {0};
	struct capture capture = {0};
	int status = 0;
	const struct workload *w = find(t, c->workload, &status);
	if (!w)
		return status;
	struct host *h = host_new(w, t->seed, &e);
	if (!h)
		return tool_error(t, NULL, &e);
	if (c->size && host_size(h, c->size, &e) < 0)
		status = tool_error(t, NULL, &e);
	for (size_t k = 0; k < c->n_define && status == 0; k++)
		if (host_define(h, c->define[k], &e) < 0)
			status = tool_error(t, NULL, &e);
	if (status == 0 && host_prepare(h, &e) < 0)
		status = tool_error(t, e.status == WCP_EUSAGE ? NULL : host_subject(h), &e);
	if (status == 0)
		status = capture_open(&capture, t, &c->capture);
	if (status == 0) {
		status = host_run(h, &capture, &e);
		if (status < 0 && !tool_interrupted())
			status = capture_error(&capture, host_subject(h), &e);
		status = capture_close(&capture, status < 0 ? -WCP_ESYS : status);
	}
	host_free(h);
	return status;
}

/* ---- --ptx --------------------------------------------------------------------------------- */

/* The PTX file and the launch file, both parsed. */
struct pair {
	char *text;
	size_t bytes;
	struct ptx_module *ptx;
	struct launch_file *launch;
};

static void
pair_release(struct pair *p)
{
	free(p->text);
	ptx_free(p->ptx);
	launch_free(p->launch);
}

static int
pair_read(struct tool *t, const struct command *c, struct pair *p)
{
	struct wcp_error e = {0};
	p->text = capture_read_file(c->ptx, &p->bytes, &e);
	if (p->text)
		p->ptx = ptx_parse(p->text, p->bytes, &e);
	if (!p->ptx)
		return tool_error(t, c->ptx, &e);
	size_t bytes;
	char *text = capture_read_file(c->launch, &bytes, &e);
	if (text)
		p->launch = launch_parse(text, bytes, &e);
	free(text);
	if (!p->launch)
		return tool_error(t, c->launch, &e);
	for (size_t k = 0; k < c->n_define; k++)
		if (launch_define(p->launch, c->define[k], &e) < 0)
			return tool_error(t, c->launch, &e);
	if (launch_check(p->launch, p->ptx, &e) < 0)
		return tool_error(t, c->launch, &e);
	return 0;
}

static int
run_pair(struct tool *t, const struct command *c, struct pair *p)
{
	struct wcp_error e = {0};
	struct capture capture = {0};
	int status = capture_open(&capture, t, &c->capture);
	if (status)
		return status;
	struct wcp_module *module = wcp_device_load(capture.device, p->text, p->bytes, c->ptx, &e);
	const char *file = module ? c->launch : c->ptx;
	status =
	    module ? launch_run(&capture, p->launch, c->launch, p->ptx, module, &e) : (int)e.status;
	if (status < 0 && !tool_interrupted())
		status = capture_error(&capture, file, &e);
	return capture_close(&capture, status < 0 ? -WCP_ESYS : status);
}

static int
run_ptx(struct tool *t, const struct command *c)
{
	struct pair p = {0};
	int status = pair_read(t, c, &p);
	if (status == 0)
		status = run_pair(t, c, &p);
	pair_release(&p);
	return status;
}

/* ---- a program ------------------------------------------------------------------------------ */

static int
run_program(struct tool *t, const struct command *c)
{
	const struct capture_options *o = &c->capture;
	struct program_options p = {.no_stream = o->no_stream};
	bool as_workload = c->print_ptx || c->n_define || c->size || o->verify;
	if (as_workload && !c->workload && !c->ptx && workload_find(t->argv[0]))
		return tool_usage(
		    t, "'%s': a workload is recorded with -w %s", t->argv[0], t->argv[0]);
	if (as_workload || c->workload || c->ptx)
		return tool_usage(
		    t, "'%s': a program goes alone, without -w, -D, --size, --ptx", t->argv[0]);
	if (o->no_stream && t->output)
		return tool_usage(t, "-n and -o contradict each other");
	const int status = program_settings(t, o, &c->program, &p.settings);
	return status ? status : program_run(t, &p);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int
run(struct tool *t, struct command *c)
{
	if (c->capture.max_insns && !c->capture.limit_insns)
		c->capture.limit_warp_insns = ENDLESS_WARP_INSNS;
	if (c->list)
		return list(t, c);
	if (t->argc)
		return run_program(t, c);
	if (c->print_ptx)
		return print_ptx(t, c);
	if (!c->workload == !c->ptx)
		return tool_usage(t, "one of -w NAME, --ptx FILE and a program wanted");
	if (c->size && !c->workload)
		return tool_usage(t, "--size is for workloads");
	if (!c->ptx != !c->launch)
		return tool_usage(t, "--ptx and --launch go together");
	if (c->capture.no_stream && t->output)
		return tool_usage(t, "-n and -o contradict each other");
	if (t->machine || t->n_set || c->program.skip_launches || c->program.window ||
	    c->program.capability || c->capture.check_memory)
		return tool_usage(t, "-m, --set, --skip-launches, --window, --capability and "
				     "--check=mem are for programs");
	return c->workload ? run_workload(t, c) : run_ptx(t, c);
}

int
main(int argc, char **argv)
{
	struct command c = {0};
	struct tool t = {.arg = &c};
	tool_start(&t, &spec, argc, argv);
	int status = run(&t, &c);
	free(c.define);
	return tool_finish(&t, status);
}

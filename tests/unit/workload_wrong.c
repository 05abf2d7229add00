/* A workload whose reference is wrong: is it found out? Takes warpcap's options; -D OFF=N makes
 * element N differ. */
/* The tool's parts as they are, without its main. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../../tools/warpcap/random.c"
#include "../../tools/warpcap/capture.c"
#include "../../tools/warpcap/workload/host.c"
/* NOLINTEND(bugprone-suspicious-include) */

WORKLOAD_PTX(wrong, "sdk/vectoradd.ptx");

static const struct parameter parameter[] = {
    {"N", "elements", PARAMETER_INTEGER, 100, 1, 1000, NULL},
    {"OFF", "element that the reference gets wrong", PARAMETER_INTEGER, -1, -1, 999, NULL},
    {NULL},
};

static void
run_wrong(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N"), off = (int32_t)host_integer(h, "OFF");
	float *a = host_uniform(h, n, 0, 1, 2), *c = host_memory(h, n, sizeof *c);
	uint64_t da = host_input(h, "a", a, 4 * n), dc = host_device(h, "c", 4 * n);
	host_launch(h, "vectoradd", SHAPE(n, 64), ARGUMENTS(&da, &da, &dc, &n));
	if (!host_verifies(h))
		return;
	for (int32_t i = 0; i < n; i++)
		c[i] = a[i] + a[i];
	if (off >= 0)
		c[off] = nextafterf(c[off], 9);
	host_expect_f32(h, "c", dc, c, n, 0);
	host_expect_f32(h, "c", dc, c, n, 1e-6);
	int32_t *bits = (int32_t *)c;
	host_expect_s32(h, "c", dc, bits, n);
}

static const struct workload wrong = {.name = "wrong",
    .parameter = parameter,
    .ptx = wrong_ptx,
    .ptx_end = wrong_ptx_end,
    .run = run_wrong};
const struct workload *const workload_table[] = {&wrong, NULL};

static const struct tool_option option[] = {TOOL_OPT_COMMON, TOOL_OPT_END};
static const struct tool_spec spec = {.name = "wrong",
    .summary = "",
    .operands = "OFF",
    .option = option,
    .min_operands = 1,
    .max_operands = 1};

int
main(int argc, char **argv)
{
	struct tool t = {0};
	struct capture c = {0};
	struct capture_options o = {.no_stream = true, .verify = true};
	struct wcp_error e = {0};
	tool_start(&t, &spec, argc, argv);
	struct host *h = host_new(&wrong, 1, &e);
	if (!h)
		return tool_error(&t, NULL, &e);
	int status =
	    host_define(h, t.argv[0], &e) < 0 ? tool_error(&t, NULL, &e) : capture_open(&c, &t, &o);
	if (status == 0) {
		status = host_run(h, &c, &e);
		status = capture_close(&c, status < 0 ? capture_error(&c, NULL, &e) : status);
	}
	host_free(h);
	return tool_finish(&t, status);
}

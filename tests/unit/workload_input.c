/* Inputs of workloads: "fasta FILE" prints the bases; "genome", "mesh" check what is drawn. */
/* The tool's parts as they are, without its main. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../../tools/warpcap/random.c"
#include "../../tools/warpcap/capture.c"
#include "../../tools/warpcap/workload/host.c"
#include "../../tools/warpcap/workload/input/genome.c"
#include "../../tools/warpcap/workload/input/mesh.c"
/* NOLINTEND(bugprone-suspicious-include) */

static const char *mode, *path;

static void
expect(struct host *h, bool holds, const char *what)
{
	if (!holds)
		host_fail(h, WCP_ENO, "%s", what);
}

static void
show_fasta(struct host *h)
{
	struct genome g;
	genome_load(h, &g, path);
	for (uint32_t k = 0; !host_failed(h) && k < g.bases; k++)
		putchar("ACGTN"[g.base[k]]);
}

/* How many stretches of 24 bases, taken every 512, come a second time nearly as they are? */
static uint32_t
repeats(const struct genome *g)
{
	uint32_t found = 0;
	for (uint32_t a = 0; a + 24 < g->bases; a += 512)
		for (uint32_t b = a + 24; b + 24 < g->bases; b++)
			if (!memcmp(g->base + a, g->base + b, 24)) {
				found++;
				break;
			}
	return found;
}

static void
check_genome(struct host *h)
{
	enum { BASES = 100000, READS = 200, LENGTH = 100 };
	struct genome g, again;
	struct reads r;
	uint32_t count[5] = {0}, wrong = 0;
	genome_draw(h, &g, BASES);
	genome_draw(h, &again, BASES);
	genome_reads(h, &r, &g, READS, LENGTH, 0.02);
	if (host_failed(h))
		return;
	expect(h, !memcmp(g.base, again.base, BASES), "another genome for the same seed");
	for (uint32_t k = 0; k < BASES; k++)
		count[g.base[k]]++;
	expect(h,
	    count[0] > BASES / 4 && count[3] > BASES / 4 && count[1] > BASES / 8 &&
		count[2] > BASES / 8 && !count[4],
	    "shares of bases");
	uint32_t twice = repeats(&g);
	expect(h, twice > 10 && twice < 120, "stretches that repeat");
	for (uint32_t k = 0; k < READS; k++)
		for (uint32_t b = 0; b < LENGTH; b++)
			wrong += r.base[k * LENGTH + b] != g.base[r.place[k] + b];
	expect(h, wrong > 200 && wrong < 600, "errors in reads");
}

static void
check_mesh(struct host *h)
{
	enum { SIDE = 256 };
	uint32_t burnt = 0, steep = 0;
	float *t = mesh_combustion(h, SIDE, 12);
	if (!t)
		return;
	for (uint32_t k = 0; k < SIDE * SIDE; k++) {
		expect(h, t[k] >= 0 && t[k] <= 1, "temperatures from 0 to 1");
		burnt += t[k] > 0.9f;
		steep += t[k] > 0.1f && t[k] < 0.9f;
	}
	expect(h, burnt > SIDE * SIDE / 20 && burnt < SIDE * SIDE / 2, "a part is burnt");
	expect(h, steep > 100 && steep < burnt, "fronts are thin");
}

static void *
prepare(struct host *h)
{
	if (!strcmp(mode, "fasta"))
		show_fasta(h);
	else if (!strcmp(mode, "genome"))
		check_genome(h);
	else
		check_mesh(h);
	return NULL;
}

static const struct parameter parameter[] = {{NULL}};
static const struct workload input = {.name = "input", .parameter = parameter, .prepare = prepare};
const struct workload *const workload_table[] = {&input, NULL};

static const struct tool_option option[] = {TOOL_OPT_COMMON, TOOL_OPT_END};
static const struct tool_spec spec = {.name = "input",
    .summary = "",
    .operands = "MODE [FILE]",
    .option = option,
    .min_operands = 1,
    .max_operands = 2};

int
main(int argc, char **argv)
{
	struct tool t = {0};
	struct wcp_error e = {0};
	tool_start(&t, &spec, argc, argv);
	mode = t.argv[0];
	path = t.argc > 1 ? t.argv[1] : NULL;
	struct host *h = host_new(&input, 1, &e);
	int status =
	    h && host_prepare(h, &e) == 0 ? 0 : tool_error(&t, h ? host_subject(h) : NULL, &e);
	host_free(h);
	return tool_finish(&t, status);
}

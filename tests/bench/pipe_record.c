/*
 * What a pipe after the recorder costs: matrix products (syrk) are executed, their accesses
 * coalesced, and the reuse distances of the lines measured, in one process, and in two with a raw
 * WARP stream in a pipe between the recorder and the rest. Wall time on two processors and
 * processor time, both as a share of the one process's.
 */
#include <stdio.h>
#include <stdlib.h>
#include "bench_fork.h"
#include "warpcap/coalesce.h"
#include "warpcap/exec.h"
#include "warpcap/reuse.h"
#include "warpcap/stream.h"

enum { N = 384, LINES = 1 << 16 };

static void
check(int status, const struct wcp_error *e)
{
	if (status < 0) {
		fprintf(stderr, "pipe_record: %s\n", e->text);
		exit(4);
	}
}

/* The end of the line, wherever it runs. */
struct measure {
	const struct wcp_program *program;
	struct wcp_reuse *reuse;
	uint64_t line[LINES];
	uint32_t distance[LINES];
	uint32_t n;
};

static int
measure_program(void *arg, const struct wcp_program *p, struct wcp_error *e)
{
	(void)e;
	((struct measure *)arg)->program = p;
	return 0;
}

static int
measure_warp(void *arg, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	struct measure *m = arg;
	struct wcp_transaction t[WCP_COALESCE_MAX];
	for (uint32_t i = 0; i < b->n_mem; i++) {
		if (b->mem_space[i] != WCP_SPACE_GLOBAL)
			continue;
		uint32_t bytes = m->program->insn[b->mem_pc[i]].bytes;
		uint32_t n = wcp_coalesce(&WCP_COALESCE_DEFAULT, b, i, bytes, 0, t);
		if (m->n + n > LINES) {
			check(wcp_reuse_batch(m->reuse, m->line, m->n, m->distance, e), e);
			m->n = 0;
		}
		for (uint32_t k = 0; k < n; k++)
			m->line[m->n++] = t[k].line;
	}
	return 0;
}

static struct measure *
new_measure(void)
{
	struct wcp_error e;
	struct measure *m = calloc(1, sizeof *m);
	if (!m || !(m->reuse = wcp_reuse_new(&e)))
		exit(4);
	return m;
}

static char *
read_ptx(size_t *bytes)
{
	static char text[1 << 20];
	FILE *f = fopen("share/workload/polybench/syrk.ptx", "r");
	if (!f)
		exit(4);
	*bytes = fread(text, 1, sizeof text, f);
	fclose(f);
	return text;
}

static void
execute(const struct wcp_sink *sink)
{
	struct wcp_error e;
	size_t bytes;
	char *text = read_ptx(&bytes);
	struct wcp_device *d = wcp_device_new(&(struct wcp_device_options){.sink = *sink}, &e);
	check(d ? 0 : WCP_ESYS, &e);
	struct wcp_module *module = wcp_device_load(d, text, bytes, "syrk", &e);
	check(module ? 0 : WCP_ESYS, &e);
	uint64_t c = wcp_device_alloc(d, 4ull * N * N, "c", &e),
		 a = wcp_device_alloc(d, 4ull * N * N, "a", &e);
	float alpha = 1, beta = 0;
	uint32_t n = N, m = N;
	const void *arg[] = {&a, &c, &n, &m, &alpha, &beta};
	struct wcp_launch launch = {
	    .module = module,
	    .kernel = "syrk",
	    .grid = {N / 32, N / 8, 1},
	    .block = {32, 8, 1},
	    .arg = arg,
	    .n_arg = sizeof arg / sizeof arg[0],
	    .record = true,
	};
	check(wcp_device_launch(d, &launch, &e), &e);
	wcp_device_free(d);
}

static void
one_process(const void *arg)
{
	(void)arg;
	execute(&(struct wcp_sink){
	    .arg = new_measure(), .program = measure_program, .warp = measure_warp});
}

static int
write_program(void *w, const struct wcp_program *p, struct wcp_error *e)
{
	return wcp_writer_program(w, p, e);
}

static int
write_kernel(void *w, const struct wcp_kernel *k, struct wcp_error *e)
{
	return wcp_writer_kernel(w, k, e);
}

static int
write_warp(void *w, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	return wcp_writer_warp(w, b, e);
}

static int
write_kernel_end(void *w, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	return wcp_writer_kernel_end(w, end, e);
}

static void
record_to_stdout(const void *arg)
{
	(void)arg;
	struct wcp_error e;
	struct wcp_writer *w =
	    wcp_writer_open("-", WCP_LINK_WARP, &(struct wcp_write_options){.level = 0}, &e);
	check(w ? 0 : WCP_ESYS, &e);
	execute(&(struct wcp_sink){.arg = w,
	    .program = write_program,
	    .kernel = write_kernel,
	    .warp = write_warp,
	    .kernel_end = write_kernel_end});
	check(wcp_writer_close(w, 0, &e), &e);
}

static void
measure_stdin(const void *arg)
{
	(void)arg;
	struct measure *m = new_measure();
	struct wcp_error e;
	struct wcp_item item;
	struct wcp_reader *r = wcp_reader_open("-", NULL, &e);
	int got;
	check(r ? 0 : WCP_ESYS, &e);
	while ((got = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_PROGRAM)
			measure_program(m, item.program, &e);
		if (item.type == WCP_ITEM_WARP)
			measure_warp(m, item.warp, &e);
	}
	check(got, &e);
}

static void
two_processes(const void *arg)
{
	bench_piped(record_to_stdout, measure_stdin, arg);
}

int
main(void)
{
	struct bench_cost one = bench_best(one_process, NULL),
			  two = bench_best(two_processes, NULL);
	printf("pipeline-record-wall %.1f %% 115 one-process-s %.3f\n",
	    100 * two.wall_s / one.wall_s, one.wall_s);
	printf("pipeline-record-cpu %.1f %% 115 one-process-s %.3f\n", 100 * two.cpu_s / one.cpu_s,
	    one.cpu_s);
	return 0;
}

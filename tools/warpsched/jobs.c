/* Runs: each input under each policy, several at a time. They share nothing but what is read. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "warpsched.h"

static int
keep_kernel(
    struct run_result *r, const struct kernel_result *k, const char *name, struct wcp_error *e)
{
	if ((r->kernels & (r->kernels - 1)) == 0) {
		uint64_t cap = r->kernels ? 2 * r->kernels : 1;
		struct kernel_result *grown = realloc(r->kernel, cap * sizeof *grown);
		if (!grown)
			return wcp_fail(e, WCP_ESYS, "out of memory");
		r->kernel = grown;
	}
	r->kernel[r->kernels] = *k;
	r->kernel[r->kernels].name = strdup(name);
	return r->kernel[r->kernels++].name ? 0 : wcp_fail(e, WCP_ESYS, "out of memory");
}

static void
play(struct job *j, struct gpu *g)
{
	struct wcp_error *e = &j->error;
	const struct wcp_kernel *kernel;
	struct kernel_result k;
	int got;
	while ((got = gpu_kernel(g, &k, &kernel, e)) > 0) {
		if ((got = keep_kernel(&j->result, &k, kernel->name, e)) < 0)
			break;
	}
	if (got >= 0 && feed_status(g->feed, e) < 0)
		j->bad_input = true;
	gpu_finish(g);
	result_collect(&j->result, g);
	j->played = j->result.kernels > 0;
}

/* The stream that is written is whole, or is dropped. */
static void
close_output(struct job *j, struct wcp_writer *w, const struct tap *tap, const struct feed *f)
{
	struct wcp_error e = {0};
	const char *name = strcmp(j->output->output, "-") ? j->output->output : "standard output";
	uint32_t flags = feed_end_flags(f);
	if (tap_status(tap, &e) < 0 || (j->error.status && !j->bad_input)) {
		wcp_writer_abort(w);
	} else {
		flags |= j->bad_input ? WCP_END_PARTIAL : 0;
		flags |= tool_interrupted() ? WCP_END_INTERRUPTED : 0;
		wcp_writer_close(w, flags, &e);
	}
	if (e.status)
		j->said = tool_error(j->output, name, &e);
}

static void
play_and_write(struct job *j, struct gpu *g, const struct wcp_reader *r)
{
	struct wcp_writer *w = tool_open_writer(j->output, WCP_LINK_ACCESS, r, &j->said);
	if (!w)
		return;
	struct tap *tap = tap_new(w, r, j->command->tap);
	if (!tap) {
		wcp_fail(&j->error, WCP_ESYS, "out of memory");
		wcp_writer_abort(w);
		return;
	}
	gpu_tap(g, tap);
	play(j, g);
	close_output(j, w, tap, g->feed);
	tap_free(tap);
}

static int
prepare(struct job *j, struct gpu *g)
{
	const struct command *c = j->command;
	if (c->series)
		gpu_series(g, c->interval);
	return gpu_watch(g, c->ages, c->interference, &j->error);
}

/* What the machine kept for itself is the result's. */
static void
take_tables(struct job *j, struct gpu *g, const struct wcp_reader *r)
{
	j->result.series = g->series;
	j->result.watch = g->watch;
	g->series = (struct series){0};
	watch_init(&g->watch, false, false);
	for (uint32_t i = 0; i < wcp_reader_kernels(r); i++) {
		const struct wcp_kernel *k = wcp_reader_kernel(r, i);
		if (k && k->program != WCP_NONE32)
			names_set(&j->result.programs, k->program, k->name);
	}
	unit_sources(&j->result.watch.pc, r);
}

static void
job_run(struct job *j)
{
	struct wcp_read_options o = {.link = WCP_LINK_WARP, .threads = j->threads};
	struct wcp_reader *r = wcp_reader_open(j->input->path, &o, &j->error);
	if (!r) {
		j->bad_input = true;
		return;
	}
	struct feed *f = feed_new(r);
	struct gpu *g =
	    f ? gpu_new(j->set, j->choice->policy, j->choice->parameter, f, &j->error) : NULL;
	if (!f)
		wcp_fail(&j->error, WCP_ESYS, "out of memory");
	if (g && !prepare(j, g)) {
		if (j->output)
			play_and_write(j, g, r);
		else
			play(j, g);
		take_tables(j, g, r);
	}
	gpu_free(g);
	feed_free(f);
	wcp_reader_close(r);
}

/* ---- several at a time ---------------------------------------------------------------------- */

struct crew {
	struct tool *tool;
	struct job *job;
	unsigned n;
	pthread_t teller; /* shows progress */
	atomic_uint next, done;
};

static void *
work(void *arg)
{
	struct crew *c = arg;
	unsigned i;
	while ((i = atomic_fetch_add(&c->next, 1)) < c->n && !tool_interrupted()) {
		job_run(&c->job[i]);
		unsigned done = atomic_fetch_add(&c->done, 1) + 1;
		if (pthread_equal(pthread_self(), c->teller))
			tool_progress(c->tool, "runs", done, c->n);
	}
	return NULL;
}

void
jobs_run(struct tool *t, struct job *job, unsigned n)
{
	struct crew c = {.tool = t, .job = job, .n = n, .teller = pthread_self()};
	unsigned helpers = (t->threads < n ? t->threads : n) - 1, started = 0;
	pthread_t *thread = helpers ? calloc(helpers, sizeof *thread) : NULL;
	for (unsigned i = 0; i < n; i++)
		job[i].threads = n > 1 ? 1 : t->threads;
	while (thread && started < helpers && !pthread_create(&thread[started], NULL, work, &c))
		started++;
	work(&c);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

int
jobs_status(struct tool *t, const struct job *job, unsigned n)
{
	int status = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct job *j = &job[i];
		status = j->said > status ? j->said : status;
		if (!j->error.status)
			continue;
		int s = tool_error(t, j->bad_input ? j->input->name : NULL, &j->error);
		status = s > status ? s : status;
		/* A stream is as broken under every policy. */
		while (j->bad_input && i + 1 < n && job[i + 1].input == j->input)
			i++;
	}
	return status;
}

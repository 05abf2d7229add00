#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "capture.h"

/* Remembers that an error was the writer's. */
static int
written(struct capture *c, int status)
{
	if (status < 0)
		c->writer_failed = true;
	return status;
}

static int
on_program(void *arg, const struct wcp_program *program, struct wcp_error *e)
{
	struct capture *c = arg;
	return c->writer ? written(c, wcp_writer_program(c->writer, program, e)) : 0;
}

static int
on_kernel(void *arg, const struct wcp_kernel *kernel, struct wcp_error *e)
{
	struct capture *c = arg;
	return c->writer ? written(c, wcp_writer_kernel(c->writer, kernel, e)) : 0;
}

static int
on_warp(void *arg, const struct wcp_warp_batch *batch, struct wcp_error *e)
{
	struct capture *c = arg;
	return c->writer ? written(c, wcp_writer_warp(c->writer, batch, e)) : 0;
}

static int
on_kernel_end(void *arg, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct capture *c = arg;
	return c->writer ? written(c, wcp_writer_kernel_end(c->writer, end, e)) : 0;
}

static int
on_host(void *arg, const struct wcp_host_op *op, struct wcp_error *e)
{
	struct capture *c = arg;
	return c->writer ? written(c, wcp_writer_host(c->writer, op, e)) : 0;
}

static bool
on_poll(void *arg, uint64_t thread_insns, uint64_t ctas_done, uint64_t ctas)
{
	struct capture *c = arg;
	(void)ctas_done;
	(void)ctas;
	tool_progress(c->tool, "thread instructions", c->thread_insns + thread_insns, 0);
	return tool_interrupted();
}

int
capture_open(struct capture *c, struct tool *t, const struct capture_options *options)
{
	struct wcp_error e = {0};
	int status = 0;
	*c = (struct capture){.tool = t, .options = *options};
	if (!options->no_stream) {
		c->writer = tool_open_writer(t, WCP_LINK_WARP, NULL, &status);
		if (!c->writer)
			return status;
	}
	struct wcp_device_options device = {
	    .threads = t->threads,
	    .memory_bytes = options->memory_bytes,
	    .max_insns = options->limit_insns,
	    .max_warp_insns = options->limit_warp_insns,
	    .relaxed = options->relaxed,
	    .alternatives = options->alternatives,
	    .check_shared = options->check_shared,
	    .check_sync = options->check_sync,
	    .record_skip_insns = options->skip_insns,
	    .record_max_insns = options->max_insns,
	    .sink = {c, on_program, on_kernel, on_warp, on_kernel_end, on_host, on_poll},
	};
	if (options->cta_given) {
		device.record_ctas = true;
		device.record_cta_first = options->cta_first;
		device.record_cta_last = options->cta_last;
	}
	c->device = wcp_device_new(&device, &e);
	if (c->device)
		return 0;
	if (c->writer)
		wcp_writer_abort(c->writer);
	return tool_error(t, NULL, &e);
}

struct stopwatch {
	double wall, cpu; /* seconds */
};

static double
read_clock(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct stopwatch
stopwatch(void)
{
	return (struct stopwatch){
	    read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static void
tell(const struct capture *c, const struct wcp_launch *l, const struct wcp_device_counts *before,
    struct stopwatch start)
{
	struct wcp_device_counts now;
	struct stopwatch end = stopwatch();
	double wall = end.wall - start.wall, cpu = end.cpu - start.cpu;
	wcp_device_counts(c->device, &now);
	uint64_t warp = now.warp_insns - before->warp_insns,
		 thread = now.thread_insns - before->thread_insns;
	tool_note(c->tool, 1,
	    "%s<<<(%u,%u,%u), (%u,%u,%u)>>>: %.3f s, %.3f s CPU, %llu warp instructions, "
	    "%llu thread instructions, %.1f M/s%s",
	    l->kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
	    wall, cpu, (unsigned long long)warp, (unsigned long long)thread,
	    (double)thread / (wall + 1e-9) / 1e6, l->record || !c->writer ? "" : ", not recorded");
}

int
capture_launch(struct capture *c, struct wcp_launch *launch, struct wcp_error *e)
{
	struct wcp_device_counts before, after;
	wcp_device_counts(c->device, &before);
	if (c->options.kernel && fnmatch(c->options.kernel, launch->kernel, 0))
		launch->record = false;
	launch->record &= c->writer != NULL;
	struct stopwatch start = stopwatch();
	int status = wcp_device_launch(c->device, launch, e);
	if (status < 0) {
		c->faulted = true;
		return status;
	}
	wcp_device_counts(c->device, &after);
	c->thread_insns = after.thread_insns;
	tell(c, launch, &before, start);
	return 0;
}

int
capture_copy(struct capture *c, uint64_t to, uint64_t from, uint64_t bytes, struct wcp_error *e)
{
	void *t = wcp_device_host(c->device, to, bytes),
	     *f = wcp_device_host(c->device, from, bytes);
	if (!t || !f)
		return wcp_fail(e, WCP_EUSAGE, "a copy of %llu bytes leaves its allocation",
		    (unsigned long long)bytes);
	memmove(t, f, bytes);
	struct wcp_host_op op = {.kind = WCP_HOST_COPY_DEVICE,
	    .address = to,
	    .bytes = bytes,
	    .value = from,
	    .label = ""};
	return on_host(c, &op, e);
}

static const char *
output_name(const struct capture *c)
{
	const char *path = c->tool->output;
	return path && strcmp(path, "-") ? path : "standard output";
}

int
capture_error(const struct capture *c, const char *file, const struct wcp_error *e)
{
	return tool_error(c->tool, c->writer_failed ? output_name(c) : file, e);
}

static bool
records_a_part(const struct capture_options *o)
{
	return o->kernel || o->cta_given || o->skip_insns || o->max_insns;
}

int
capture_close(struct capture *c, int status)
{
	struct wcp_error e = {0};
	bool interrupted = tool_interrupted();
	uint32_t flags = (interrupted ? (uint32_t)WCP_END_INTERRUPTED : 0) |
			 (c->faulted && !interrupted ? (uint32_t)WCP_END_FAULT : 0) |
			 (records_a_part(&c->options) ? (uint32_t)WCP_END_PARTIAL : 0);
	wcp_device_free(c->device);
	if (c->writer && c->writer_failed) {
		wcp_writer_abort(c->writer);
	} else if (c->writer && wcp_writer_close(c->writer, flags, &e) < 0) {
		int failed = tool_error(c->tool, output_name(c), &e);
		status = status ? status : failed;
	}
	return status;
}

char *
capture_read_file(const char *path, size_t *bytes, struct wcp_error *e)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 16, n = 0;
	char *text = f ? malloc(cap) : NULL;
	while (text) {
		n += fread(text + n, 1, cap - n - 1, f);
		if (n < cap - 1)
			break;
		char *grown = realloc(text, cap *= 2);
		if (!grown)
			free(text);
		text = grown;
	}
	if (!text || ferror(f)) {
		wcp_fail_errno(e, "cannot read");
		free(text);
		text = NULL;
	} else {
		text[n] = 0;
		*bytes = n;
	}
	if (f)
		fclose(f);
	return text;
}

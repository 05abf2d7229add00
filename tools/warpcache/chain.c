#include <stdlib.h>
#include <string.h>
#include "chain.h"
#include "machine.h"

/* What goes through the chain from level k on; below the last one is the sink. */
static int send_on(struct chain *c, uint32_t k, const struct wcp_item *item);

static struct wcp_access_batch *
out_of(struct chain *c, uint32_t k)
{
	return c->plan->level[k].passes ? &c->out[k] : NULL;
}

/* Hands on what level k has appended. */
static int
send_out(struct chain *c, uint32_t k)
{
	struct wcp_access_batch *out = out_of(c, k);
	struct wcp_item item = {.type = WCP_ITEM_ACCESS, .access = out};
	if (!out || !out->n)
		return 0;
	int status = send_on(c, k + 1, &item);
	wcp_access_batch_clear(out);
	return status;
}

static int
send_to_level(struct chain *c, uint32_t k, const struct wcp_item *item)
{
	struct level *l = c->level[k];
	int status = 0;
	if (item->type == WCP_ITEM_ACCESS) {
		status = l->type->run(l, item->access, out_of(c, k), &c->error);
		return status ? status : send_out(c, k);
	}
	if (item->type == WCP_ITEM_KERNEL_END) {
		tally_kernel_end(&l->tally, item->kernel_end);
		status = l->type->kernel_end(l, item->kernel_end, out_of(c, k), &c->error);
	} else if (item->type == WCP_ITEM_END) {
		status = l->type->finish(l, out_of(c, k), &c->error);
	}
	if (!status)
		status = send_out(c, k);
	return status ? status : send_on(c, k + 1, item);
}

struct playing {
	struct chain *chain;
	uint32_t level;
};

static int
play(void *arg, const struct wcp_item *item)
{
	struct playing *p = arg;
	return send_to_level(p->chain, p->level, item);
}

/* A level that foresees is given what is held back for it when the stream has ended. */
static int
send_on(struct chain *c, uint32_t k, const struct wcp_item *item)
{
	if (k == c->n)
		return sink_item(&c->sink, item, &c->error);
	if (!c->ahead[k])
		return send_to_level(c, k, item);
	if (item->type != WCP_ITEM_END)
		return ahead_put(c->ahead[k], item, &c->error);
	struct playing p = {c, k};
	int status = ahead_play(c->ahead[k], c->level[k], play, &p, &c->error);
	return status ? status : send_to_level(c, k, item);
}

/* ---- what is read --------------------------------------------------------------------------- */

static int
read_access(struct chain *c, const struct wcp_item *item)
{
	const struct wcp_access_batch *b = item->access;
	struct wcp_item matched = *item;
	c->done += b->n;
	if (!c->filter)
		return send_on(c, 0, item);
	if (b->n > c->cap_match) {
		c->cap_match = b->n;
		c->match = must_alloc(c->match, c->cap_match * sizeof *c->match);
	}
	uint32_t n = wcp_filter_access(c->filter, b, c->match);
	wcp_access_batch_clear(&c->matched);
	if (wcp_access_batch_gather(&c->matched, b, c->match, n))
		return wcp_fail(&c->error, WCP_ESYS, "out of memory");
	matched.access = &c->matched;
	return send_on(c, 0, &matched);
}

static int
read_kernel(struct chain *c, const struct wcp_item *item)
{
	const struct wcp_kernel *k = item->kernel;
	const struct wcp_program *program = wcp_reader_program(c->reader, k->program);
	int status = 0;
	unit_kernel(&c->kernels, &c->programs, c->reader, k);
	if (c->filter)
		status = wcp_filter_kernel(c->filter, k, program, &c->error);
	return status < 0 ? status : send_on(c, 0, item);
}

static int
read_item(struct chain *c, const struct wcp_item *item)
{
	switch (item->type) {
	case WCP_ITEM_ACCESS: return read_access(c, item);
	case WCP_ITEM_KERNEL: return read_kernel(c, item);
	case WCP_ITEM_END: c->end_flags |= item->end->flags; return 0;
	case WCP_ITEM_KERNEL_END:
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_HOST:
	case WCP_ITEM_STATE: return send_on(c, 0, item);
	case WCP_ITEM_WARP: break;
	}
	return 0;
}

static const char *
output_name(const struct chain *c)
{
	const char *path = c->tool->output;
	return path && strcmp(path, "-") ? path : "standard output";
}

static int
blame(struct chain *c)
{
	bool is_input = c->error.status == WCP_EUSAGE || c->error.status == WCP_EDATA;
	return tool_error(
	    c->tool, is_input ? tool_input_name(c->tool, 0) : output_name(c), &c->error);
}

/* Exit status; what was read before a fault counts. */
static int
read_all(struct chain *c)
{
	static const struct wcp_item end = {.type = WCP_ITEM_END};
	struct wcp_item item;
	int more = 1, status = 0, fault = 0;
	while (!status && (more = wcp_reader_next(c->reader, &item, &c->error)) > 0) {
		if (tool_interrupted()) {
			c->end_flags |= WCP_END_INTERRUPTED;
			break;
		}
		status = read_item(c, &item);
		tool_progress_reader(c->tool, c->reader, "accesses", c->done);
	}
	if (!status && more < 0) {
		c->end_flags |= WCP_END_PARTIAL;
		fault = tool_error(c->tool, tool_input_name(c->tool, 0), &c->error);
	}
	if (!status)
		status = send_on(c, 0, &end);
	return status < 0 ? blame(c) : fault;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

static int
close_writer(struct chain *c, int status)
{
	struct wcp_writer *w = c->sink.writer;
	c->sink.writer = NULL;
	if (!w)
		return status;
	if (status == -WCP_EUSAGE || status == -WCP_ESYS) {
		wcp_writer_abort(w);
		return status;
	}
	uint32_t flags = c->end_flags | (c->filter ? (uint32_t)WCP_END_PARTIAL : 0);
	if (wcp_writer_close(w, flags, &c->error))
		return tool_error(c->tool, output_name(c), &c->error);
	return status;
}

static int
make_levels(struct chain *c)
{
	for (; c->n < c->plan->n; c->n++) {
		const struct settings *s = &c->plan->level[c->n];
		struct level *l = level_type_of(s)->make(s, &c->error);
		if (!l && c->plan->machine && c->error.status == WCP_EUSAGE)
			return tool_machine_error(c->tool, c->plan->machine, s->name, &c->error);
		if (!l && c->error.status == WCP_EUSAGE)
			return tool_usage(c->tool, "%s%s%s", c->plan->n > 1 ? s->name : "",
			    c->plan->n > 1 ? ": " : "", c->error.text);
		if (!l)
			return tool_error(c->tool, NULL, &c->error);
		c->level[c->n] = l;
		l->alone = c->plan->n == 1;
		if (s->foresees && !(c->ahead[c->n] = ahead_new(&c->error))) {
			c->n++;
			return tool_error(c->tool, NULL, &c->error);
		}
	}
	return 0;
}

static int
open_streams(struct chain *c)
{
	struct tool *t = c->tool;
	int status = 0;
	uint32_t columns = 0;
	for (uint32_t i = 0; i < c->n; i++)
		columns |= c->level[i]->type->columns(c->level[i]->set);
	c->reader = tool_open_reader(
	    t, 0, WCP_LINK_ANY, c->plan->level[0].passes ? 0 : columns, &c->filter, &status);
	if (!c->reader)
		return status;
	if (wcp_reader_link(c->reader) == WCP_LINK_WARP)
		return tool_fail(t, -WCP_EDATA,
		    "%s: a WARP stream has no transactions yet: pipe it through warpflat",
		    tool_input_name(t, 0));
	if (t->output)
		c->sink.writer = tool_open_writer(t, WCP_LINK_ACCESS, c->reader, &status);
	for (uint32_t i = 0; i < c->n; i++) {
		c->level[i]->tally.reader = c->reader;
		c->level[i]->tally.kernels = &c->kernels;
		c->level[i]->tally.programs = &c->programs;
	}
	return status;
}

static void
print(struct chain *c, struct report *out)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct level *l = c->level[i];
		unit_sources(&l->tally.by, c->reader);
		report_pairs(out, c->n > 1 ? l->set->name : NULL, c->n > 1 ? l->set->name : NULL);
		if (c->plan->machine && *wcp_machine_name(c->plan->machine))
			report_pair_text(out, "machine", wcp_machine_name(c->plan->machine));
		l->type->report(l, out);
	}
	report_pairs(out, NULL, NULL);
	if (c->filter)
		report_note(out, "instructions are those of whole kernels, accesses those that "
				 "match the filter");
}

static void
release(struct chain *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		c->level[i]->type->release(c->level[i]);
		wcp_access_batch_release(&c->out[i]);
		ahead_free(c->ahead[i]);
	}
	wcp_reader_close(c->reader);
	wcp_filter_free(c->filter);
	wcp_access_batch_release(&c->matched);
	sink_release(&c->sink);
	names_release(&c->kernels);
	names_release(&c->programs);
	free(c->match);
}

static int
run_open(struct chain *c)
{
	struct report *report = report_open(c->tool, c->sink.writer != NULL, &c->error);
	if (!report) {
		wcp_writer_abort(c->sink.writer);
		return tool_error(c->tool, NULL, &c->error);
	}
	int status = close_writer(c, read_all(c));
	if (status == 0 || status == -WCP_EDATA)
		print(c, report);
	int printed = report_close(report);
	return status ? status : printed;
}

int
chain_run(struct tool *t, const struct plan *p)
{
	struct chain c = {.tool = t, .plan = p};
	int status = make_levels(&c);
	for (uint32_t i = 0; i < LEVELS_MAX; i++)
		wcp_access_batch_init(&c.out[i]);
	wcp_access_batch_init(&c.matched);
	if (!status)
		status = open_streams(&c);
	if (!status)
		status = run_open(&c);
	release(&c);
	return status;
}

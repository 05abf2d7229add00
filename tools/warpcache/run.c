/* From the stream through the model to counts and to the stream that goes on. */
#include <stdlib.h>
#include <string.h>
#include "warpcache.h"

static void
reserve(struct work *w, uint32_t n)
{
	if (n <= w->cap)
		return;
	w->cap = n + n / 2;
#define COLUMN(name) w->name = must_have(w->name, w->cap * sizeof *w->name)
	COLUMN(at);
	COLUMN(line);
	COLUMN(sectors);
	COLUMN(owner);
	COLUMN(unit);
	COLUMN(kind);
	COLUMN(space);
	COLUMN(flags);
	COLUMN(copy);
	COLUMN(result);
	COLUMN(victim);
	COLUMN(missing);
	COLUMN(victim_sectors);
	COLUMN(victim_owner);
#undef COLUMN
}

static void
release(struct work *w)
{
	void *column[] = {w->at, w->line, w->sectors, w->owner, w->unit, w->kind, w->space,
	    w->flags, w->copy, w->result, w->victim, w->missing, w->victim_sectors,
	    w->victim_owner};
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		free(column[i]);
}

/* Record i's sectors of 32 bytes as the model's, of its longer line. */
static uint32_t
model_sectors(const struct run *r, const struct wcp_access_batch *b, uint32_t i)
{
	const struct wcp_cache_options *o = &r->set->cache;
	uint32_t within = (uint32_t)(b->line[i] & (o->index.line_bytes - 1)) / WCP_SECTOR_BYTES,
		 mask = 0;
	uint64_t touched = (uint64_t)b->sectors[i] << within;
	if (!o->sector_bytes || o->sector_bytes == o->index.line_bytes)
		return 1;
	uint32_t each = o->sector_bytes / WCP_SECTOR_BYTES;
	for (unsigned s = 0; touched; s++, touched >>= each)
		if (touched & ((1u << each) - 1))
			mask |= 1u << s;
	return mask;
}

/* Writes a record's columns for the model; negative if the cache cannot be asked about it. */
static int
take(struct run *r, const struct wcp_access_batch *b, uint32_t at)
{
	struct work *w = &r->work;
	const struct wcp_cache_options *o = &r->set->cache;
	uint32_t i = w->n++, line_bytes = o->index.line_bytes;
	uint64_t within = b->line[at] & (line_bytes - 1);
	if (b->sectors[at] >> (line_bytes - within) / WCP_SECTOR_BYTES &&
	    line_bytes - within < 1024)
		return wcp_fail(&r->error, WCP_EUSAGE,
		    "the stream's lines are longer than %u bytes: give warpflat the same --line",
		    line_bytes);
	if (!r->set->shared && b->sm[at] == WCP_NONE16)
		return wcp_fail(
		    &r->error, WCP_EUSAGE, "an access of no SM has no private cache: use --shared");
	w->at[i] = at;
	w->line[i] = b->line[at] - within;
	w->sectors[i] = model_sectors(r, b, at);
	w->kind[i] = b->kind[at];
	w->space[i] = b->space[at];
	w->flags[i] = b->flags[at];
	w->copy[i] = r->set->shared ? 0 : b->sm[at];
	if (w->copy[i] >= r->caches)
		r->caches = w->copy[i] + 1u;
	return 0;
}

/* Who brings a line: its hardware slot, or its warp where slots are not known. */
static void
name_owners(struct run *r, const struct wcp_access_batch *b)
{
	struct work *w = &r->work;
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t at = w->at[i], who = b->slot[at] != WCP_NONE16 ? b->slot[at] : b->warp[at];
		w->owner[i] = who | (uint32_t)b->space[at] << 24;
	}
}

/* The records that match the filter, then those among them that the cache looks up. */
static int
select_records(struct run *r, const struct wcp_access_batch *b)
{
	struct work *w = &r->work;
	uint32_t n = b->n, others = 0;
	int status = 0;
	reserve(w, b->n);
	if (b->n > r->cap_match) {
		r->cap_match = b->n;
		r->match = must_have(r->match, r->cap_match * sizeof *r->match);
	}
	if (r->filter)
		n = wcp_filter_access(r->filter, b, r->match);
	w->n = 0;
	for (uint32_t i = 0; i < n && !status; i++) {
		uint32_t at = r->filter ? r->match[i] : i;
		if (r->set->spaces >> (b->space[at] & 31) & 1)
			status = take(r, b, at);
		else
			r->match[others++] = at;
	}
	r->n_other = others;
	r->other_spaces += others;
	return status;
}

static int
read_access(struct run *r, const struct wcp_access_batch *b)
{
	struct work *w = &r->work;
	int status = select_records(r, b);
	if (!status)
		status = wcp_cache_grow(r->cache, r->caches, &r->error);
	if (status)
		return status;
	struct wcp_cache_batch in = {.n = w->n,
	    .line = w->line,
	    .sectors = w->sectors,
	    .kind = w->kind,
	    .space = w->space,
	    .flags = w->flags,
	    .copy = w->copy};
	struct wcp_cache_result out = {.result = w->result};
	if (r->writer) {
		name_owners(r, b);
		in.owner = w->owner;
		out = (struct wcp_cache_result){
		    w->result, w->victim, w->missing, w->victim_sectors, w->victim_owner};
	}
	wcp_cache_run(r->cache, &in, &out);
	count_results(r, b);
	if (r->writer && b->n)
		r->last_cycle = b->cycle[b->n - 1];
	r->done += b->n;
	return pass_results(r, b);
}

static int
read_kernel(struct run *r, const struct wcp_kernel *k)
{
	const struct wcp_program *program = wcp_reader_program(r->reader, k->program);
	unit_kernel(&r->kernels, &r->programs, r->reader, k);
	int status = pass_flush(r);
	if (!status && r->filter)
		status = wcp_filter_kernel(r->filter, k, program, &r->error);
	if (status >= 0 && r->writer)
		status = wcp_writer_kernel(r->writer, k, &r->error);
	return status < 0 ? status : 0;
}

static int
read_kernel_end(struct run *r, const struct wcp_kernel_end *end)
{
	count_kernel_end(r, end);
	int status = r->set->invalidate ? pass_invalidate(r, end->kernel) : 0;
	return status ? status : pass_kernel_end(r, end);
}

static int
read_item(struct run *r, const struct wcp_item *item)
{
	switch (item->type) {
	case WCP_ITEM_ACCESS: return read_access(r, item->access);
	case WCP_ITEM_KERNEL: return read_kernel(r, item->kernel);
	case WCP_ITEM_KERNEL_END: return read_kernel_end(r, item->kernel_end);
	case WCP_ITEM_PROGRAM:
		return r->writer ? wcp_writer_program(r->writer, item->program, &r->error) : 0;
	case WCP_ITEM_HOST:
		return r->writer ? wcp_writer_host(r->writer, item->host, &r->error) : 0;
	case WCP_ITEM_STATE:
		if (pass_flush(r))
			return r->error.status;
		return r->writer
			   ? wcp_writer_state(r->writer, item->state, item->n_state, &r->error)
			   : 0;
	case WCP_ITEM_END: r->end_flags |= item->end->flags; return 0;
	case WCP_ITEM_WARP: break;
	}
	return 0;
}

static const char *
output_name(const struct run *r)
{
	const char *path = r->tool->output;
	return path && strcmp(path, "-") ? path : "standard output";
}

/* Exit status; what was read before a fault counts. */
static int
read_all(struct run *r)
{
	struct wcp_item item;
	int more, status = 0;
	while (!status && (more = wcp_reader_next(r->reader, &item, &r->error)) > 0) {
		if (tool_interrupted()) {
			r->end_flags |= WCP_END_INTERRUPTED;
			break;
		}
		status = read_item(r, &item);
		tool_progress_reader(r->tool, r->reader, "accesses", r->done);
	}
	if (status < 0) {
		bool is_input = r->error.status == WCP_EUSAGE || r->error.status == WCP_EDATA;
		return tool_error(
		    r->tool, is_input ? tool_input_name(r->tool, 0) : output_name(r), &r->error);
	}
	if (!status && more < 0) {
		r->end_flags |= WCP_END_PARTIAL;
		return tool_error(r->tool, tool_input_name(r->tool, 0), &r->error);
	}
	return 0;
}

static int
close_writer(struct run *r, int status)
{
	if (!r->writer)
		return status;
	uint32_t flags = r->end_flags | (r->filter ? (uint32_t)WCP_END_PARTIAL : 0);
	int failed = pass_flush(r);
	if (failed || status == -WCP_EUSAGE || status == -WCP_ESYS) {
		wcp_writer_abort(r->writer);
		return status ? status : tool_error(r->tool, output_name(r), &r->error);
	}
	if (wcp_writer_close(r->writer, flags, &r->error))
		return tool_error(r->tool, output_name(r), &r->error);
	return status;
}

static void
release_run(struct run *r)
{
	wcp_reader_close(r->reader);
	wcp_filter_free(r->filter);
	wcp_access_batch_release(&r->out);
	lines_release(&r->seen);
	keys_release(&r->by);
	names_release(&r->kernels);
	names_release(&r->programs);
	release(&r->work);
	free(r->match);
	free(r->row);
	free(r->insns);
	free(r->passed);
}

static int
open_streams(struct run *r)
{
	struct tool *t = r->tool;
	int status = 0;
	uint32_t columns = WCP_COL(LINE) | WCP_COL(SECTORS) | WCP_COL(KIND) | WCP_COL(SPACE) |
			   WCP_COL(FLAGS) | WCP_COL(SM) | unit_columns(r->set->by);
	r->reader =
	    tool_open_reader(t, 0, WCP_LINK_ANY, t->output ? 0 : columns, &r->filter, &status);
	if (!r->reader)
		return status;
	if (wcp_reader_link(r->reader) == WCP_LINK_WARP)
		return tool_fail(t, -WCP_EDATA,
		    "%s: a WARP stream has no transactions yet: pipe it through warpflat",
		    tool_input_name(t, 0));
	if (t->output && !(r->writer = tool_open_writer(t, WCP_LINK_ACCESS, r->reader, &status)))
		return status;
	return 0;
}

int
run_stream(struct run *r)
{
	struct wcp_error e;
	struct tool *t = r->tool;
	keys_init(&r->by, r->set->by);
	wcp_access_batch_init(&r->out);
	r->new_id = 1ull << 63;
	int status = open_streams(r);
	struct report *report = status ? NULL : report_open(t, r->writer != NULL, &e);
	if (!status && !report) {
		status = tool_error(t, NULL, &e);
		wcp_writer_abort(r->writer);
	}
	if (report) {
		status = close_writer(r, read_all(r));
		int printed = 0;
		if (status == 0 || status == -WCP_EDATA)
			print_report(r, report);
		printed = report_close(report);
		status = status ? status : printed;
	}
	release_run(r);
	return status;
}

/* From a stream to references. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
#include "warpreuse.h"

enum { FLUSH = 1 << 16 }; /* references handed on at a time, at least */

struct input {
	struct profile *p;
	struct tool *tool;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	uint32_t *index; /* [cap_index] records that match */
	uint32_t cap_index;
	struct wcp_warp_batch matching; /* WARP with a filter */
	struct refs refs;
	uint64_t done;
};

static int
flush(struct input *in, size_t at_least)
{
	struct wcp_error e;
	if (in->refs.n < at_least || !in->refs.n)
		return 0;
	in->done += in->refs.n;
	tool_progress_reader(in->tool, in->reader, "accesses", in->done);
	int status = profile_add(in->p, &in->refs, &e);
	in->refs.n = 0;
	return status < 0 ? tool_error(in->tool, NULL, &e) : 0;
}

/* Records that count: no cache sees shared memory. */
static uint32_t
select_records(struct input *in, const struct wcp_access_batch *b, const uint32_t **index)
{
	if (b->n > in->cap_index) {
		in->cap_index = b->n;
		in->index = must_alloc(in->index, b->n * sizeof *in->index);
	}
	uint32_t n = b->n, kept = 0, kinds = in->p->set->kinds;
	if (in->filter)
		n = wcp_filter_access(in->filter, b, in->index);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = in->filter ? in->index[i] : i;
		bool cached = b->space[at] != WCP_SPACE_SHARED;
		in->index[kept] = at;
		kept += cached && (kinds >> (b->kind[at] & 31) & 1);
	}
	*index = kept == b->n ? NULL : in->index;
	return kept;
}

static int
read_access(struct input *in, const struct wcp_access_batch *b)
{
	struct profile *p = in->p;
	const uint32_t *index;
	uint32_t n = select_records(in, b, &index);
	unsigned shift = (unsigned)__builtin_ctz(p->set->line_bytes);
	uint64_t below = p->set->line_bytes - 1, bits = 0, finer = 0;
	refs_reserve(&in->refs, n);
	uint64_t *line = in->refs.line + in->refs.n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = b->line[index ? index[i] : i];
		line[i] = address >> shift;
		bits |= address;
		finer += (address & below) != 0;
	}
	p->address_bits |= bits;
	p->finer += finer;
	if (p->by.what)
		unit_numbers(&p->by, in->reader, b, index, n, in->refs.by + in->refs.n);
	if (p->stacks.what)
		unit_numbers(&p->stacks, in->reader, b, index, n, in->refs.stack + in->refs.n);
	if (p->who.what)
		unit_numbers(&p->who, in->reader, b, index, n, in->refs.who + in->refs.n);
	in->refs.n += n;
	return flush(in, FLUSH);
}

static int
read_warp(struct input *in, const struct wcp_warp_batch *b)
{
	struct wcp_error e;
	struct warp_source from = {.kernel = wcp_reader_kernel(in->reader, b->kernel)};
	if (from.kernel)
		from.program = wcp_reader_program(in->reader, from.kernel->program);
	if (!from.program)
		return tool_fail(in->tool, -WCP_EDATA, "%s: kernel %" PRIu32 " has no program",
		    tool_input_name(in->tool, 0), b->kernel);
	if (in->filter) {
		wcp_warp_batch_clear(&in->matching);
		in->matching.kernel = b->kernel;
		if (wcp_filter_warp(in->filter, from.program, from.kernel, b, &in->matching, &e) <
		    0)
			return tool_error(in->tool, tool_input_name(in->tool, 0), &e);
		b = &in->matching;
	}
	if (warp_refs(in->p, &from, b, &in->refs, &e) < 0)
		return tool_error(in->tool, tool_input_name(in->tool, 0), &e);
	return flush(in, FLUSH);
}

static int
read_kernel(struct input *in, const struct wcp_kernel *k)
{
	struct wcp_error e;
	const struct wcp_program *program = wcp_reader_program(in->reader, k->program);
	unit_kernel(&in->p->kernels, &in->p->programs, in->reader, k);
	if (in->p->history)
		history_kernel(in->p->history, k);
	if (in->filter && wcp_filter_kernel(in->filter, k, program, &e) < 0)
		return tool_error(in->tool, tool_input_name(in->tool, 0), &e);
	return 0;
}

static int
read_item(struct input *in, const struct wcp_item *item)
{
	switch (item->type) {
	case WCP_ITEM_KERNEL: return read_kernel(in, item->kernel);
	case WCP_ITEM_WARP: return read_warp(in, item->warp);
	case WCP_ITEM_ACCESS: return read_access(in, item->access);
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_KERNEL_END:
	case WCP_ITEM_HOST:
	case WCP_ITEM_STATE:
	case WCP_ITEM_END: break;
	}
	return 0;
}

static int
read_all(struct input *in)
{
	struct wcp_error e;
	struct wcp_item item;
	int status = 0, more;
	while ((more = wcp_reader_next(in->reader, &item, &e)) > 0) {
		status = read_item(in, &item);
		if (status)
			break;
		if (tool_interrupted()) {
			in->p->whole = false;
			break;
		}
	}
	if (more < 0) {
		status = tool_error(in->tool, tool_input_name(in->tool, 0), &e);
		in->p->whole = false;
	}
	int last = flush(in, 0);
	return status ? status : last;
}

/* Inputs of one provenance number their kernels and programs alike. */
static uint64_t
origin_of(const struct wcp_reader *r)
{
	size_t n;
	const char *const *command = wcp_reader_provenance(r, &n);
	uint64_t hash = 0;
	for (size_t i = 0; i < n; i++)
		hash = XXH3_64bits_withSeed(command[i], strlen(command[i]), hash + 1);
	return hash;
}

static double
seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
profile_read(struct profile *p, struct tool *t)
{
	struct input in = {.p = p, .tool = t};
	uint32_t columns = WCP_COL(LINE) | WCP_COL(SPACE) | WCP_COL(KIND) |
			   unit_columns(p->by.what) | unit_columns(p->stacks.what) |
			   unit_columns(p->who.what);
	int status = 0;
	double start = seconds(CLOCK_MONOTONIC);
	in.reader = tool_open_reader(t, 0, WCP_LINK_ANY, columns, &in.filter, &status);
	if (!in.reader)
		return status;
	p->origin = origin_of(in.reader);
	p->warp = wcp_reader_link(in.reader) == WCP_LINK_WARP;
	if (p->warp && (p->by.what == UNIT_SM || p->stacks.what == UNIT_SM))
		status =
		    tool_usage(t, "a WARP stream has no SMs: pipe it through warpflat --sms N");
	else if (p->warp && (p->set->line_bytes < 32 || p->set->line_bytes > 4096))
		status = tool_usage(t, "a WARP stream is coalesced into lines of 32 to 4096 bytes");
	else
		status = read_all(&in);
	unit_sources(&p->by, in.reader);
	double took = seconds(CLOCK_MONOTONIC) - start;
	tool_note(t, 1, "%" PRIu64 " accesses in %.2f s, %.1f M/s; %.1f MiB for distances", in.done,
	    took, (double)in.done / took / 1e6, (double)profile_bytes(p) / 1048576);
	wcp_reader_close(in.reader);
	wcp_filter_free(in.filter);
	wcp_warp_batch_release(&in.matching);
	refs_release(&in.refs);
	free(in.index);
	return status;
}

/* Records of ACCESS streams. */
#include <stdlib.h>
#include <string.h>
#include "warpdram.h"

/* Was it answered by a cache on its way? */
static bool
answered(uint32_t outcome)
{
	for (; outcome; outcome >>= 4) {
		unsigned what = outcome & 15;
		if (what == WCP_OUT_HIT || what == WCP_OUT_PENDING || what == WCP_OUT_REDIRECT)
			return true;
	}
	return false;
}

/* Does the memory see record at? Counts those it does not. */
static inline bool
wanted(struct input *in, bool all, uint32_t outcome, uint8_t space, uint8_t kind)
{
	if (space == WCP_SPACE_SHARED || kind == WCP_FILL) {
		in->spaces++;
		return false;
	}
	if (!all && answered(outcome)) {
		in->hits++;
		return false;
	}
	return true;
}

static inline uint8_t
marks_of(uint8_t kind, uint32_t flags)
{
	bool prefetch = kind == WCP_PREFETCH || (flags & WCP_ACCESS_PREFETCH);
	return (uint8_t)((flags & WCP_ACCESS_CRITICAL ? WCP_DRAM_CRITICAL : 0) |
			 (prefetch ? WCP_DRAM_PREFETCH : 0));
}

/* Field by field: place and group, which no stream has, would cost more to clear than all else. */
static inline void
fill_record(const struct wcp_access_batch *b, uint32_t at, struct record *record)
{
	uint8_t kind = b->kind[at];
	record->cycle = b->cycle[at];
	record->address = b->line[at];
	record->sectors = b->sectors[at];
	record->gap = 0;
	record->placed = false;
	record->next = NULL;
	record->bytes = WCP_LINE_BYTES; /* asked for without sectors only */
	record->write = kind == WCP_STORE || kind == WCP_WRITEBACK;
	record->marks = marks_of(kind, b->flags[at]);
}

/* Records of the batch that match the filter and that the memory sees, to input.match. */
static uint32_t
select_records(struct run *r, const struct wcp_access_batch *b)
{
	struct input *in = &r->input;
	if (b->n > in->cap_match) {
		in->cap_match = b->n;
		in->match = must_alloc(in->match, in->cap_match * sizeof *in->match);
	}
	const uint8_t *space = b->space, *kind = b->kind;
	uint32_t n = b->n, kept = 0, *match = in->match;
	bool all = r->set->all;
	if (in->filter)
		n = wcp_filter_access(in->filter, b, match);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = in->filter ? match[i] : i;
		if (wanted(in, all, b->outcome[at], space[at], kind[at]))
			match[kept++] = at;
	}
	return kept;
}

/* Streams that no schedule gave times have the record's number there. */
static bool
numbered(const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->cycle[i] != i)
			return false;
	return b->n > 1;
}

/* An open loop needs records only as it comes to them: those it goes through between two times at
 * which channels meet are few enough to stay in the processor's cache. With -o the batch's rows are
 * kept, all of them together. */
static uint32_t
slice_of(const struct run *r, uint32_t n)
{
	enum mode mode = r->set->mode;
	bool open = mode == MODE_OPEN || (mode == MODE_AUTO && r->input.timed);
	uint32_t most = open && !r->out.writer ? open_sync_records(r) : n;
	return n < most ? n : most;
}

/* Numbers of units are in demand by few: of cores in loops and where a scheduler tells them apart.
 */
static void
number_units(struct run *r, const struct wcp_access_batch *b)
{
	struct input *in = &r->input;
	bool slices = slice_of(r, in->n_match) < in->n_match;
	in->core = must_alloc(in->core, in->cap_match * sizeof *in->core);
	in->unit = must_alloc(in->unit, in->cap_match * sizeof *in->unit);
	in->has_cores = !slices || r->play.requesters;
	if (in->has_cores)
		unit_numbers(&in->cores, in->reader, b, in->match, in->n_match, in->core);
	if (r->set->by)
		unit_numbers(&r->by, in->reader, b, in->match, in->n_match, in->unit);
}

static void
take_batch(struct run *r, const struct wcp_access_batch *b)
{
	struct input *in = &r->input;
	if (in->first)
		in->timed = !numbered(b);
	in->first = false;
	in->batch = b;
	in->batch_number = in->read;
	in->at_match = 0;
	in->n_match = select_records(r, b);
	in->read += b->n;
	if (in->n_match)
		number_units(r, b);
}

/* The next records of the batch, which has some left. */
static struct chunk *
take_slice(struct run *r)
{
	struct input *in = &r->input;
	const uint32_t *match = in->match + in->at_match, *core = in->core + in->at_match;
	const uint32_t *unit = in->unit + in->at_match;
	uint32_t n = slice_of(r, in->n_match - in->at_match);
	struct chunk *c = chunk_new(n);
	const struct wcp_access_batch b = *in->batch; /* known not to change */
	uint64_t number = in->batch_number;
	bool cores = in->has_cores, units = r->set->by;
	for (uint32_t i = 0; i < n; i++) {
		struct record *record = &c->record[i];
		record->chunk = c;
		record->number = number + match[i];
		record->row = i;
		record->core = cores ? core[i] : 0;
		record->unit = units ? unit[i] : 0;
		fill_record(&b, match[i], record);
	}
	c->n = c->left = n;
	in->at_match += n;
	if (r->out.writer && wcp_access_batch_gather(&c->rows, in->batch, match, n))
		out_of_memory();
	return c;
}

static int
take_item(struct run *r, const struct wcp_item *item)
{
	struct input *in = &r->input;
	if (item->type == WCP_ITEM_END)
		in->end_flags |= item->end->flags;
	if (item->type == WCP_ITEM_KERNEL) {
		unit_kernel(&r->kernels, &r->programs, in->reader, item->kernel);
		if (in->filter) {
			int status = wcp_filter_kernel(in->filter, item->kernel,
			    wcp_reader_program(in->reader, item->kernel->program), &r->error);
			if (status < 0)
				return status;
		}
	}
	return out_item(r, item);
}

/* Cuts a chunk off where its times run backwards, and says so; false if nothing is left. A mode
 * that makes times of its own does not ask. */
static bool
in_order(struct run *r, struct chunk *c)
{
	uint64_t last = r->input.last_cycle;
	if (r->set->mode == MODE_WINDOW)
		return true;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct record *record = &c->record[i];
		if (record->cycle >= last) {
			last = record->cycle;
			continue;
		}
		char place[300];
		input_place(r, record, place, sizeof place);
		r->input.failed = true;
		r->input.status = tool_fail(r->tool, -WCP_EDATA,
		    "%s: time runs backwards: cycle %llu comes after %llu", place,
		    (unsigned long long)record->cycle, (unsigned long long)last);
		c->n = i;
		return i > 0;
	}
	r->input.last_cycle = last;
	return true;
}

/* Goes on to the next batch of which something is left. */
static int
next_batch(struct run *r)
{
	struct input *in = &r->input;
	struct wcp_item item;
	int more = 1;
	while (in->at_match == in->n_match &&
	       (more = wcp_reader_next(in->reader, &item, &r->error)) > 0) {
		tool_progress_reader(r->tool, in->reader, "accesses", in->read);
		if (item.type == WCP_ITEM_ACCESS)
			take_batch(r, item.access);
		else if (take_item(r, &item) < 0)
			break;
	}
	return more;
}

static struct chunk *
stream_next(struct run *r)
{
	struct input *in = &r->input;
	int more = next_batch(r);
	if (in->at_match < in->n_match) {
		struct chunk *c = take_slice(r);
		if (in_order(r, c)) {
			c->left = c->n;
			return c;
		}
		chunk_free(c);
		return NULL;
	}
	in->ended = true;
	if (more == 0)
		return NULL;
	in->failed = true;
	if (more < 0)
		in->end_flags |= WCP_END_PARTIAL;
	in->status =
	    tool_error(r->tool, more < 0 ? tool_input_name(r->tool, 0) : out_name(r), &r->error);
	return NULL;
}

struct chunk *
input_next(struct run *r)
{
	struct input *in = &r->input;
	struct chunk *held = in->held;
	in->held = NULL;
	if (held || in->failed || in->ended)
		return held;
	if (in->at_match == in->n_match && tool_interrupted()) {
		in->ended = true;
		in->end_flags |= WCP_END_INTERRUPTED;
		return NULL;
	}
	struct chunk *c = in->format == FORMAT_STREAM ? stream_next(r) : text_next(r);
	if (c)
		out_chunk(r, c);
	return c;
}

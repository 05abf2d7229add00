/* Several ACCESS streams as one, in order of cycle, then SM, then operand. */
#include "cut.h"

enum { FLUSH_RECORDS = 32768 };

static int
flush(struct cut *c, struct output *o, struct wcp_access_batch *out)
{
	if (out->n == 0)
		return 0;
	int r = output_merged(c, o, out);
	wcp_access_batch_clear(out);
	return r;
}

static int
make_ready(struct cut *c, struct input *in, struct wcp_access_batch *b)
{
	struct wcp_access_batch *kept = cut_reduce(c, in, b);
	wcp_access_batch_clear(&in->ready);
	in->at = 0;
	if (!kept || wcp_access_batch_append(&in->ready, kept, 0, kept->n) < 0)
		return kept ? cut_fail(c, WCP_ESYS, "out of memory") : (int)c->error.status;
	return 0;
}

/* Reads on until the input has a record or ends. Records already merged must come before a kernel's
 * end. */
static int
advance(struct cut *c, struct output *o, struct input *in, struct wcp_access_batch *out)
{
	struct wcp_item item;
	int r = 0;
	while (in->at == in->ready.n && !in->ended && !in->fault.status && r == 0) {
		int got = wcp_reader_next(in->reader, &item, &in->fault);
		if (got == 0)
			in->ended = true;
		if (got <= 0)
			break;
		if (item.type == WCP_ITEM_ACCESS) {
			r = make_ready(c, in, item.access);
			continue;
		}
		if ((r = flush(c, o, out)) == 0)
			r = cut_item(c, in, &item);
	}
	return r;
}

static bool
comes_before(const struct input *a, const struct input *b)
{
	uint64_t ca = a->ready.cycle[a->at], cb = b->ready.cycle[b->at];
	uint16_t sa = a->ready.sm[a->at], sb = b->ready.sm[b->at];
	return ca != cb ? ca < cb : sa != sb ? sa < sb : a->number < b->number;
}

static bool
has_record(const struct input *in)
{
	return in->at < in->ready.n;
}

/* The inputs whose next records come first and second; either may be NULL. */
static void
find_first(struct cut *c, struct input **first, struct input **second)
{
	*first = *second = NULL;
	for (uint32_t i = 0; i < c->n_input; i++) {
		struct input *in = &c->input[i];
		if (!has_record(in))
			continue;
		if (!*first || comes_before(in, *first)) {
			*second = *first;
			*first = in;
		} else if (!*second || comes_before(in, *second)) {
			*second = in;
		}
	}
}

/* Takes records of in up to where the next input's come. */
static int
take_run(struct cut *c, struct output *o, struct input *in, const struct input *next,
    struct wcp_access_batch *out)
{
	uint32_t from = in->at;
	do
		in->at++;
	while (
	    has_record(in) && in->at - from < FLUSH_RECORDS && (!next || comes_before(in, next)));
	uint32_t n = in->at - from;
	if (c->limit && n > c->limit - c->taken - out->n) {
		n = (uint32_t)(c->limit - c->taken - out->n);
		c->full = c->left_out = true;
	}
	uint32_t before = out->n;
	if (wcp_access_batch_append(out, &in->ready, from, n) < 0)
		return cut_fail(c, WCP_ESYS, "out of memory");
	if (output_renumber(c, o, in, out, before) < 0)
		return (int)c->error.status;
	return out->n >= FLUSH_RECORDS ? flush(c, o, out) : 0;
}

/* What is wrong with an input's records names it. */
static int
blame(struct cut *c, const struct input *in, int r)
{
	struct wcp_error e = c->error;
	if (r == WCP_EDATA)
		wcp_fail(&c->error, WCP_EDATA, "%.200s: %.250s", in->name, e.text);
	return r;
}

int
cut_merge_by_cycle(struct cut *c)
{
	struct wcp_access_batch out;
	struct output *o = output_for(c, 0);
	struct input *first, *second;
	int r = o ? 0 : (int)c->error.status;
	wcp_access_batch_init(&out);
	while (r == 0 && !c->full && !tool_interrupted()) {
		for (uint32_t i = 0; i < c->n_input && r == 0; i++)
			r = blame(c, &c->input[i], advance(c, o, &c->input[i], &out));
		find_first(c, &first, &second);
		if (r < 0 || !first)
			break;
		r = blame(c, first, take_run(c, o, first, second, &out));
	}
	if (r == 0)
		r = flush(c, o, &out);
	wcp_access_batch_release(&out);
	return r;
}

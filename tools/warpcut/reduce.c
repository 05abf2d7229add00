/* What of a batch stays, and where an item goes. */
#include <stdlib.h>
#include "cut.h"
#include "warpcap/walk.h"

static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
	return x ^ (x >> 32);
}

static bool
sampled(const struct cut *c, uint64_t a, uint64_t b)
{
	return mix(mix(a ^ mix(c->tool->seed)) + b) % c->sample_of < c->sample_take;
}

static bool
record_sampled(const struct cut *c, const struct wcp_access_batch *b, uint32_t i, uint64_t number)
{
	switch (c->sample_by) {
	case SAMPLE_CTA: return sampled(c, b->kernel[i], b->cta[i]);
	case SAMPLE_RECORD: return sampled(c, number, 0);
	case SAMPLE_DEFAULT:
	case SAMPLE_LINE: break;
	}
	return sampled(c, b->line[i], 1);
}

static int
reserve_index(struct cut *c, uint32_t **index, uint32_t *cap, uint32_t n)
{
	if (n <= *cap)
		return 0;
	free(*index);
	*cap = 0;
	if (!(*index = malloc(n * sizeof **index)))
		return cut_fail(c, WCP_ESYS, "out of memory");
	*cap = n;
	return 0;
}

/* The numbers of the records that stay, in c->index. */
static uint32_t
select_records(struct cut *c, struct input *in, const struct wcp_access_batch *b)
{
	uint32_t n = b->n, kept = 0;
	if (in->filter)
		n = wcp_filter_access(in->filter, b, c->index);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = in->filter ? c->index[k] : k;
		if (c->sample_of && !record_sampled(c, b, i, in->records + i))
			continue;
		c->index[kept++] = i;
	}
	/* Merged by cycle, the first records are known only later. */
	if (c->limit && !c->by_cycle && kept > c->limit - c->taken) {
		kept = (uint32_t)(c->limit - c->taken);
		c->full = true;
	}
	return kept;
}

struct wcp_access_batch *
cut_reduce(struct cut *c, struct input *in, struct wcp_access_batch *b)
{
	if (!in->filter && !c->sample_of && !c->limit)
		return b;
	if (reserve_index(c, &c->index, &c->cap_index, b->n) < 0)
		return NULL;
	uint32_t n = select_records(c, in, b);
	in->records += b->n;
	if (n == b->n)
		return b;
	c->left_out = true;
	wcp_access_batch_clear(&c->access);
	if (wcp_access_batch_gather(&c->access, b, c->index, n) < 0) {
		cut_fail(c, WCP_ESYS, "out of memory");
		return NULL;
	}
	return &c->access;
}

static uint64_t
split_key(const struct cut *c, const struct input *in, const struct wcp_access_batch *b, uint32_t i)
{
	return c->split == SPLIT_SM ? b->sm[i] : in->ordinal[b->kernel[i]] - 1u;
}

static int
write_part(struct cut *c, struct output *o, struct input *in, const struct wcp_access_batch *b)
{
	struct wcp_access_batch part;
	wcp_access_batch_init(&part);
	int r = wcp_access_batch_gather(&part, b, o->index, o->n_index);
	r = r < 0 ? cut_fail(c, WCP_ESYS, "out of memory") : output_access(c, o, in, &part);
	wcp_access_batch_release(&part);
	o->n_index = 0;
	return r;
}

/* Each output lists its records of the batch, then takes them at once. */
static int
split_access(struct cut *c, struct input *in, const struct wcp_access_batch *b)
{
	struct output *o = NULL;
	int r = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		if (!input_wants(in, b->kernel[i]))
			return cut_fail(
			    c, WCP_EDATA, "a record belongs to a kernel that has not begun");
		uint64_t key = split_key(c, in, b, i);
		if (!o || o->key != key)
			o = output_for(c, key);
		if (!o || (o->n_index == 0 && reserve_index(c, &o->index, &o->cap_index, b->n) < 0))
			return (int)c->error.status;
		o->index[o->n_index++] = i;
	}
	for (uint32_t i = 0; i < c->n_output && r == 0; i++)
		if (c->output[i]->n_index)
			r = write_part(c, c->output[i], in, b);
	return r;
}

static int
cut_access(struct cut *c, struct input *in, struct wcp_access_batch *b)
{
	struct wcp_access_batch *kept = cut_reduce(c, in, b);
	if (!kept)
		return (int)c->error.status;
	if (kept->n == 0)
		return 0;
	if (c->split != SPLIT_NONE)
		return split_access(c, in, kept);
	struct output *o = output_for(c, 0);
	return o ? output_access(c, o, in, kept) : (int)c->error.status;
}

/* Segments after the n-th instruction say nothing, and one that breaks off there does not end its
 * warp. */
static void
end_early(const struct wcp_warp_batch *b, uint64_t n, struct wcp_warp_batch *out)
{
	uint64_t end = 0;
	for (uint32_t seg = 0; seg < b->n_seg && end < n; seg++)
		for (uint32_t r = b->seg_run[seg]; r < b->seg_run[seg + 1]; r++)
			end += b->run_len[r];
	while (out->n_seg && out->seg_run[out->n_seg - 1] == out->n_run)
		out->n_seg--;
	if (out->n_seg && end > n)
		out->seg_flags[out->n_seg - 1] &= (uint8_t) ~(WCP_SEG_CTA_END | WCP_SEG_WARP_END);
}

/* The first n instructions of a batch. */
static int
head(struct cut *c, const struct wcp_program *p, const struct wcp_warp_batch *b, uint64_t n,
    struct wcp_warp_batch *out)
{
	uint64_t *bits = calloc(b->warp_insns / 64 + 1, sizeof *bits);
	if (!bits)
		return cut_fail(c, WCP_ESYS, "out of memory");
	for (uint64_t i = 0; i < n; i++)
		bits[i / 64] |= 1ull << (i % 64);
	int r = wcp_warp_batch_select(p, b, bits, out);
	free(bits);
	if (r < 0)
		return cut_fail(c, WCP_ESYS, "out of memory");
	end_early(b, n, out);
	return 0;
}

static int
sample_ctas(struct cut *c, const struct wcp_program *p, const struct wcp_warp_batch *b,
    struct wcp_warp_batch *out)
{
	for (uint32_t seg = 0; seg < b->n_seg; seg++)
		if (sampled(c, b->kernel, b->seg_cta[seg]) &&
		    wcp_warp_batch_take(p, b, seg, 1, out) < 0)
			return cut_fail(c, WCP_ESYS, "out of memory");
	return 0;
}

static int
cut_warp(struct cut *c, struct input *in, struct wcp_warp_batch *b)
{
	const struct wcp_kernel *k = wcp_reader_kernel(in->reader, b->kernel);
	const struct wcp_program *p = k ? wcp_reader_program(in->reader, k->program) : NULL;
	uint32_t kernel = b->kernel;
	int r = 0;
	if (!p)
		return cut_fail(c, WCP_EDATA, "a WARP block belongs to a kernel without a program");
	if (in->filter) {
		wcp_warp_batch_clear(&c->warp);
		c->warp.kernel = kernel;
		r = wcp_filter_warp(in->filter, p, k, b, &c->warp, &c->error);
		b = &c->warp;
	}
	if (r == 0 && c->sample_of) {
		wcp_warp_batch_clear(&c->sampled);
		c->sampled.kernel = kernel;
		r = sample_ctas(c, p, b, &c->sampled);
		b = &c->sampled;
	}
	if (r == 0 && c->limit && b->warp_insns > c->limit - c->taken) {
		struct wcp_warp_batch *to = b == &c->warp ? &c->sampled : &c->warp;
		wcp_warp_batch_clear(to);
		to->kernel = kernel;
		r = head(c, p, b, c->limit - c->taken, to);
		b = to;
		c->full = c->left_out = true;
	}
	if (r < 0 || b->n_seg == 0)
		return r;
	struct output *o = output_for(c, in->ordinal[kernel] - 1u);
	return o ? output_warp(c, o, in, b) : (int)c->error.status;
}

static int
cut_kernel(struct cut *c, struct input *in, const struct wcp_kernel *k)
{
	int r = input_learn_kernel(c, in, k);
	if (r < 0 || !input_wants(in, k->id) || c->split == SPLIT_SM)
		return r;
	struct output *o = output_for(c, in->ordinal[k->id] - 1u);
	return o ? output_kernel(c, o, in, k->id) : (int)c->error.status;
}

static int
cut_kernel_end(struct cut *c, struct input *in, const struct wcp_kernel_end *end)
{
	int r = 0;
	if (!input_wants(in, end->kernel))
		return 0;
	for (uint32_t i = c->n_output; i-- > 0 && r == 0;) {
		struct output *o = c->output[i];
		if (c->split == SPLIT_KERNEL && o->key != in->ordinal[end->kernel] - 1u)
			continue;
		r = output_kernel_end(c, o, in, end);
		if (r == 0 && c->split == SPLIT_KERNEL) {
			c->end_flags |= WCP_END_PARTIAL;
			r = output_close(c, o, true);
		}
	}
	return r;
}

static int
cut_program(struct cut *c, struct input *in, const struct wcp_program *p)
{
	int r = input_learn_program(c, in, p);
	if (r < 0 || c->split != SPLIT_NONE || c->n_kernel)
		return r;
	struct output *o = output_for(c, 0);
	return o ? output_program(c, o, in->program[p->id] - 1) : (int)c->error.status;
}

static int
cut_host(struct cut *c, const struct wcp_host_op *op)
{
	if (c->split != SPLIT_NONE) {
		c->left_out = true;
		return 0;
	}
	struct output *o = output_for(c, 0);
	return o ? wcp_writer_host(o->writer, op, &c->error) : (int)c->error.status;
}

static bool
state_wanted(const struct cut *c, const struct input *in, const struct wcp_state *s)
{
	return input_wants(in, s->kernel) &&
	       (!c->has_cta || (s->cta >= c->cta_first && s->cta <= c->cta_last)) &&
	       (!c->has_cycle || (s->cycle >= c->cycle_first && s->cycle <= c->cycle_last));
}

static int
cut_states(struct cut *c, struct input *in, const struct wcp_state *state, uint32_t n)
{
	int r = 0;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct wcp_state s = state[i];
		if (!state_wanted(c, in, &s))
			continue;
		struct output *o =
		    output_for(c, c->split == SPLIT_SM ? s.sm : in->ordinal[s.kernel] - 1u);
		if (!o || output_kernel(c, o, in, s.kernel) < 0)
			return (int)c->error.status;
		s.kernel = output_slot(c, o, in, s.kernel)->id - 1;
		r = wcp_writer_state(o->writer, &s, 1, &c->error);
	}
	return r;
}

int
cut_item(struct cut *c, struct input *in, const struct wcp_item *item)
{
	switch (item->type) {
	case WCP_ITEM_PROGRAM: return cut_program(c, in, item->program);
	case WCP_ITEM_KERNEL: return cut_kernel(c, in, item->kernel);
	case WCP_ITEM_KERNEL_END: return cut_kernel_end(c, in, item->kernel_end);
	case WCP_ITEM_HOST: return cut_host(c, item->host);
	case WCP_ITEM_WARP:
		return input_wants(in, item->warp->kernel) ? cut_warp(c, in, item->warp) : 0;
	case WCP_ITEM_ACCESS: return cut_access(c, in, item->access);
	case WCP_ITEM_STATE: return cut_states(c, in, item->state, item->n_state);
	case WCP_ITEM_END:
		in->ended = true;
		c->end_flags |= item->end->flags;
		c->offered +=
		    c->link == WCP_LINK_WARP ? item->end->warp_insns : item->end->accesses;
		break;
	}
	return 0;
}

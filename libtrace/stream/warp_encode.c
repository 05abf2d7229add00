#include <stdlib.h>
#include "stream/warp.h"

struct u32_list {
	uint32_t *v;
	uint32_t n, cap;
};

struct u64_list {
	uint64_t *v;
	uint32_t n, cap;
};

enum { FORM_BUCKETS = 4096 };

struct warp_encoder {
	struct model model;
	uint32_t *dict_head; /* [n_insn]: 1 + first dictionary entry with that pc, 0: none */
	uint32_t dict_head_cap;
	struct u32_list dict_pc, dict_len, dict_next;
	struct u32_list run_code, mask, guard, mem_form, mem_mask, hits, seg_runs, seg_events;
	struct u64_list residual;
	struct buf mask_code, mem_code, near, plane[8];
	struct form *form;
	uint32_t *form_next, n_form, form_cap, form_next_cap;
	uint32_t form_bucket[FORM_BUCKETS];	       /* 1 + first form of the bucket */
	struct u64_list list_min, list_max, list_bits; /* per list state, while surveying */
	struct u32_list list_site;
	struct warp_totals totals;
	uint64_t residual_bits; /* all residuals, or-ed */
	const struct wcp_warp_batch *in;
	struct wcp_error *e;
};

struct warp_encoder *
stream_warp_encoder_new(void)
{
	return calloc(1, sizeof(struct warp_encoder));
}

void
stream_warp_encoder_free(struct warp_encoder *w)
{
	if (!w)
		return;
	struct u32_list *small[] = {&w->dict_pc, &w->dict_len, &w->dict_next, &w->run_code,
	    &w->mask, &w->guard, &w->mem_form, &w->mem_mask, &w->hits, &w->list_site, &w->seg_runs,
	    &w->seg_events};
	struct u64_list *large[] = {&w->residual, &w->list_min, &w->list_max, &w->list_bits};
	struct buf *bytes[] = {&w->mask_code, &w->mem_code, &w->near};
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		free(small[i]->v);
	for (size_t i = 0; i < sizeof large / sizeof *large; i++)
		free(large[i]->v);
	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
		buf_release(bytes[i]);
	for (size_t i = 0; i < 8; i++)
		buf_release(&w->plane[i]);
	stream_model_release(&w->model);
	free(w->dict_head);
	free(w->form);
	free(w->form_next);
	free(w);
}

static int
no_memory(struct warp_encoder *w)
{
	return wcp_fail(w->e, WCP_ESYS, "out of memory");
}

/* Grows, which is rare: what pushes stays short. */
static __attribute__((noinline)) int
grow32(struct warp_encoder *w, struct u32_list *l)
{
	if (base_grow(&l->v, &l->cap, (uint64_t)l->n + 1, sizeof *l->v) < 0)
		return no_memory(w);
	return 0;
}

static inline int
push32(struct warp_encoder *w, struct u32_list *l, uint32_t v)
{
	if (l->n == l->cap && grow32(w, l) < 0)
		return WCP_ESYS;
	l->v[l->n++] = v;
	return 0;
}

static int
push64(struct warp_encoder *w, struct u64_list *l, uint64_t v)
{
	if (l->n == l->cap && base_grow(&l->v, &l->cap, (uint64_t)l->n + 1, sizeof v) < 0)
		return no_memory(w);
	l->v[l->n++] = v;
	return 0;
}

static inline void
push8(struct buf *b, uint8_t v)
{
	if (b->n < b->cap || buf_reserve(b, 1))
		b->data[b->n++] = v;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static int
put_run_code(struct warp_encoder *w, uint32_t pc, uint32_t len)
{
	uint32_t i = w->dict_head[pc];
	while (i && w->dict_len.v[i - 1] != len)
		i = w->dict_next.v[i - 1];
	if (!i) {
		if (push32(w, &w->dict_pc, pc) < 0 || push32(w, &w->dict_len, len) < 0 ||
		    push32(w, &w->dict_next, w->dict_head[pc]) < 0)
			return WCP_ESYS;
		i = w->dict_head[pc] = w->dict_pc.n;
	}
	return push32(w, &w->run_code, i - 1);
}

static int
put_mask(struct warp_encoder *w, uint32_t mask)
{
	struct recent_masks *r = &w->model.masks;
	unsigned code = 0;
	while (code < RECENT_MASKS && r->mask[code] != mask)
		code++;
	if (code == RECENT_MASKS) {
		bool rest = mask == (r->mask[1] & ~r->mask[0]);
		code = rest ? MASK_REST : MASK_NEW;
		if (!rest && push32(w, &w->mask, mask) < 0)
			return WCP_ESYS;
		masks_front(r, RECENT_MASKS - 1, mask);
	} else if (code) {
		masks_front(r, code, mask);
	}
	push8(&w->mask_code, (uint8_t)code);
	return 0;
}

/* ---- forms --------------------------------------------------------------------------------- */

static bool
form_equal(const struct form *a, const struct form *b)
{
	return a->shape == b->shape && a->space == b->space && a->flags == b->flags &&
	       a->stride == b->stride && a->pitch == b->pitch;
}

static uint32_t
form_hash(const struct form *f)
{
	uint64_t h =
	    (uint64_t)f->stride * 0x9e3779b97f4a7c15u + (uint64_t)f->pitch * 0xc2b2ae3d27d4eb4fu;
	h += (f->shape + 8u * f->space + 128u * f->flags) * 0x165667b19e3779f9u;
	return (uint32_t)(h >> 40) % FORM_BUCKETS;
}

/* Index of f in the block's list of forms; negative without memory. */
static int64_t
form_index(struct warp_encoder *w, const struct form *f)
{
	uint32_t *bucket = &w->form_bucket[form_hash(f)];
	for (uint32_t i = *bucket; i; i = w->form_next[i - 1])
		if (form_equal(&w->form[i - 1], f))
			return i - 1;
	uint64_t need = (uint64_t)w->n_form + 1;
	if (base_grow(&w->form, &w->form_cap, need, sizeof *f) < 0 ||
	    base_grow(&w->form_next, &w->form_next_cap, need, sizeof *w->form_next) < 0)
		return no_memory(w);
	w->form[w->n_form] = *f;
	w->form_next[w->n_form] = *bucket;
	*bucket = ++w->n_form;
	return *bucket - 1;
}

static struct form
form_of(const struct wcp_warp_batch *in, uint32_t i)
{
	struct form f = {
	    .shape = in->mem_shape[i], .space = in->mem_space[i], .flags = in->mem_flags[i]};
	if (f.shape != WCP_MEM_LIST)
		f.stride = in->mem_stride[i];
	if (f.shape != WCP_MEM_LIST && f.shape != WCP_MEM_AFFINE)
		f.pitch = in->mem_pitch[i];
	return f;
}

/* Has record i the form of the site's last one? */
static bool
keeps_form(const struct warp_encoder *w, const struct site *s, uint32_t i)
{
	const struct wcp_warp_batch *in = w->in;
	if (s->form >= w->n_form)
		return false;
	const struct form *f = &w->form[s->form];
	if (f->shape == WCP_MEM_AFFINE)
		return in->mem_shape[i] == WCP_MEM_AFFINE && in->mem_stride[i] == f->stride &&
		       in->mem_space[i] == f->space && in->mem_flags[i] == f->flags;
	const struct form own = form_of(in, i);
	return form_equal(&own, f);
}

/* ---- lists --------------------------------------------------------------------------------- */

/* First pass: the range and the alignment of each site's lists. */
static int
survey_list(struct warp_encoder *w, uint32_t site, uint32_t i)
{
	uint32_t had = w->model.n_list;
	struct list_state *l = stream_model_list(&w->model, site);
	const uint64_t *a = w->in->addr + w->in->mem_addr[i];
	uint32_t n = (uint32_t)__builtin_popcount(w->in->mem_mask[i]);
	if (!l)
		return no_memory(w);
	if (w->model.n_list > had &&
	    (push32(w, &w->list_site, site) < 0 || push64(w, &w->list_min, a[0]) < 0 ||
		push64(w, &w->list_max, a[0]) < 0 || push64(w, &w->list_bits, 0) < 0))
		return WCP_ESYS;
	uint32_t k = (uint32_t)(l - w->model.list);
	uint64_t min = w->list_min.v[k], max = w->list_max.v[k], bits = w->list_bits.v[k],
		 any = min;
	for (uint32_t j = 0; j < n; j++) {
		min = a[j] < min ? a[j] : min;
		max = a[j] > max ? a[j] : max;
		bits |= a[j] ^ any;
	}
	w->list_min.v[k] = min;
	w->list_max.v[k] = max;
	w->list_bits.v[k] = bits;
	return 0;
}

static void
finish_survey(struct warp_encoder *w)
{
	for (uint32_t k = 0; k < w->model.n_list; k++) {
		struct list_state *l = &w->model.list[k];
		uint64_t bits = w->list_bits.v[k];
		l->min = w->list_min.v[k];
		l->shift = bits ? (uint8_t)__builtin_ctzll(bits) : 0;
		l->width = (uint8_t)bytes_for((w->list_max.v[k] - l->min) >> l->shift);
	}
}

static void
put_planes(struct warp_encoder *w, const struct list_state *l, const uint64_t *a, uint32_t n)
{
	for (unsigned k = 0; k < l->width; k++) {
		uint8_t *p = buf_extend(&w->plane[k], n);
		for (uint32_t j = 0; p && j < n; j++)
			p[j] = (uint8_t)((a[j] - l->min) >> l->shift >> (8 * k));
	}
}

static void
put_near(struct warp_encoder *w, const struct list_state *l, const uint64_t *a, uint32_t n)
{
	put_planes(w, l, a, 1);
	uint8_t *p = buf_extend(&w->near, n - 1);
	for (uint32_t j = 1; p && j < n; j++)
		p[j - 1] = (uint8_t)((int64_t)(a[j] - a[j - 1]) >> l->shift);
}

static bool
is_near(const struct list_state *l, const uint64_t *a, uint32_t n)
{
	bool near = true;
	for (uint32_t j = 1; j < n; j++) {
		int64_t d = (int64_t)(a[j] - a[j - 1]) >> l->shift;
		near &= d >= -128 && d <= 127;
	}
	return near;
}

/* Lanes whose address is as guessed; the state learns the list. */
static uint32_t
list_hits(struct list_state *l, uint32_t mask, const uint64_t *a)
{
	uint32_t hits = 0, known = mask & l->seen;
	uint64_t step = l->step.believed;
	if (known) {
		uint32_t lane = (uint32_t)__builtin_ctz(known);
		uint32_t j = (uint32_t)__builtin_popcount(mask & ((1u << lane) - 1));
		stride_learn(&l->step, a[j] - l->addr[lane]);
	}
	for (uint32_t left = mask; left; left &= left - 1, a++) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);
		hits |= (uint32_t)(*a - l->addr[lane] == step) << lane;
		l->addr[lane] = *a;
	}
	l->seen |= mask;
	return hits & known;
}

/* The lanes of a list that are not among the hits. */
static uint32_t
misses(uint64_t out[WCP_LANES], uint32_t mask, uint32_t hits, const uint64_t *a)
{
	uint32_t n = 0;
	for (uint32_t left = mask; left; left &= left - 1, a++)
		if (!(hits & left & -left))
			out[n++] = *a;
	return n;
}

static int
put_list(struct warp_encoder *w, uint32_t site, uint32_t mask, const uint64_t *a, uint8_t code)
{
	struct list_state *l = stream_model_list(&w->model, site);
	uint32_t n = (uint32_t)__builtin_popcount(mask);
	list_owner(l, w->model.owner);
	uint32_t hits = list_hits(l, mask, a);
	uint32_t missed = n - (uint32_t)__builtin_popcount(hits);
	uint32_t full = n * l->width, partly = 4 + missed * l->width, near = l->width + n - 1;
	uint64_t left[WCP_LANES];
	enum list_mode mode = LIST_FULL;
	if (!missed) {
		mode = LIST_GUESSED;
	} else if (near < full && near < partly && is_near(l, a, n)) {
		mode = LIST_NEAR;
		put_near(w, l, a, n);
	} else if (partly < full) {
		mode = LIST_PARTLY;
		if (push32(w, &w->hits, hits) < 0)
			return WCP_ESYS;
		put_planes(w, l, left, misses(left, mask, hits, a));
	} else {
		put_planes(w, l, a, n);
	}
	push8(&w->mem_code, (uint8_t)(code | mode << MEM_LIST_SHIFT));
	return 0;
}

/* ---- memory records ------------------------------------------------------------------------ */

static inline int
put_base(struct warp_encoder *w, uint32_t site, uint64_t base, uint8_t code)
{
	uint64_t residual = base - model_guess(&w->model, site);
	model_learn(&w->model, site, base);
	if (residual) {
		code |= MEM_MISS;
		w->residual_bits |= residual;
		if (push64(w, &w->residual, residual) < 0)
			return WCP_ESYS;
	}
	push8(&w->mem_code, code);
	return 0;
}

static int
put_mem(struct warp_encoder *w, uint32_t site, uint32_t i)
{
	const struct wcp_warp_batch *in = w->in;
	struct site *s = &w->model.site[site];
	uint8_t code = 0;
	if (!keeps_form(w, s, i)) {
		const struct form f = form_of(in, i);
		int64_t index = form_index(w, &f);
		if (index < 0 || push32(w, &w->mem_form, (uint32_t)index) < 0)
			return WCP_ESYS;
		s->form = (uint32_t)index;
		code = MEM_NEW_FORM;
	}
	if (in->mem_shape[i] == WCP_MEM_LIST)
		return put_list(w, site, in->mem_mask[i], in->addr + in->mem_addr[i], code);
	return put_base(w, site, in->mem_base[i], code);
}

/* The record of an execution as nearly all are: affine, of all active lanes, of the form of the
 * site's last one. */
static inline bool
is_usual(const struct warp_encoder *w, const struct mark *m, uint32_t active, uint32_t i)
{
	const struct wcp_warp_batch *in = w->in;
	const uint32_t form = w->model.site[m->site].form;
	if (form >= w->n_form)
		return false;
	const struct form *f = &w->form[form];
	if (f->shape != WCP_MEM_AFFINE || f->flags & WCP_MEM_MORE || in->mem_stride[i] != f->stride)
		return false;
	return !((in->mem_pc[i] ^ m->pc) | (in->mem_mask[i] ^ active) |
		 (uint32_t)(in->mem_shape[i] ^ f->shape) | (uint32_t)(in->mem_space[i] ^ f->space) |
		 (uint32_t)(in->mem_flags[i] ^ f->flags));
}

static int
contradiction(struct warp_encoder *w, const char *what, uint32_t pc)
{
	return wcp_fail(w->e, WCP_EUSAGE, "batch contradicts its program: %s at pc %u", what, pc);
}

static bool
mem_sound(const struct wcp_warp_batch *in, uint32_t i)
{
	return in->mem_shape[i] < WCP_MEM_SHAPE_COUNT && in->mem_space[i] < WCP_SPACE_COUNT &&
	       in->mem_space[i] != WCP_SPACE_GENERIC &&
	       (in->n_addr || in->mem_shape[i] != WCP_MEM_LIST);
}

/* The records of one execution: one, or several that share out its lanes. */
static int
put_execution(
    struct warp_encoder *w, const struct mark *m, uint32_t active, uint32_t *mem, uint32_t end)
{
	const struct wcp_warp_batch *in = w->in;
	w->totals.mem_insns++;
	if (*mem < end && is_usual(w, m, active, *mem))
		return put_base(w, m->site, in->mem_base[(*mem)++], 0);
	for (bool more = true; more; (*mem)++) {
		uint32_t i = *mem;
		if (i == end || in->mem_pc[i] != m->pc || !mem_sound(in, i))
			return contradiction(w, "a memory record is missing or damaged", m->pc);
		more = in->mem_flags[i] & WCP_MEM_MORE;
		if (more ? in->mem_mask[i] & ~active : in->mem_mask[i] != active)
			return contradiction(
			    w, "a memory record's lanes are not those active", m->pc);
		if (more && push32(w, &w->mem_mask, in->mem_mask[i]) < 0)
			return WCP_ESYS;
		if (in->mem_mask[i] == 0)
			return contradiction(w, "a memory record without lanes", m->pc);
		active &= ~in->mem_mask[i];
		if (put_mem(w, m->site, i) < 0)
			return WCP_ESYS;
	}
	return 0;
}

/* ---- segments ------------------------------------------------------------------------------ */

static uint32_t
lanes_of(uint32_t mask)
{
	return mask == WCP_FULL_MASK ? WCP_LANES : (uint32_t)__builtin_popcount(mask);
}

struct cursor {
	uint32_t guard, guard_end, mem, mem_end;
};

static int
put_marks(struct warp_encoder *w, uint32_t pc, uint32_t len, uint32_t mask, struct cursor *c)
{
	const struct marks *marks = w->model.marks;
	const struct mark *end = marks->mark + marks->first[pc + len];
	for (const struct mark *m = marks->mark + marks->first[pc]; m < end; m++) {
		uint32_t active = mask;
		if (m->guarded) {
			if (c->guard == c->guard_end)
				return contradiction(w, "a guard mask is missing", m->pc);
			active = w->in->guard_mask[c->guard++];
			if (active & ~mask)
				return contradiction(
				    w, "a guard mask has lanes that its run has not", m->pc);
			if (push32(w, &w->guard, active ^ mask) < 0)
				return WCP_ESYS;
			if (active != mask)
				w->totals.thread_insns -= lanes_of(active ^ mask);
		}
		if (m->site == WCP_NONE32 || !active)
			continue;
		int s = put_execution(w, m, active, &c->mem, c->mem_end);
		if (s < 0)
			return s;
	}
	return 0;
}

static int
put_runs(struct warp_encoder *w, uint32_t first, uint32_t end, struct cursor *c)
{
	const struct wcp_warp_batch *in = w->in;
	uint32_t n_insn = w->model.marks->n_insn;
	for (uint32_t r = first; r < end; r++) {
		uint32_t pc = in->run_pc[r], len = in->run_len[r], mask = in->run_mask[r];
		if (!len || pc >= n_insn || len > n_insn - pc)
			return contradiction(w, "a run leaves the program", pc);
		if (put_run_code(w, pc, len) < 0 || put_mask(w, mask) < 0)
			return WCP_ESYS;
		w->totals.warp_insns += len;
		w->totals.thread_insns += (uint64_t)len * lanes_of(mask);
		int s = put_marks(w, pc, len, mask, c);
		if (s < 0)
			return s;
	}
	return 0;
}

static uint32_t
list_end(const uint32_t *list, uint32_t i, uint32_t n, uint32_t total)
{
	return i + 1 == n ? total : list[i + 1];
}

static int
put_segment(struct warp_encoder *w, uint32_t i)
{
	const struct wcp_warp_batch *in = w->in;
	uint32_t n = in->n_seg, run_end = list_end(in->seg_run, i, n, in->n_run);
	struct cursor c = {in->seg_guard[i], list_end(in->seg_guard, i, n, in->n_guard),
	    in->seg_mem[i], list_end(in->seg_mem, i, n, in->n_mem)};
	stream_model_segment(&w->model, in->seg_cta[i], in->seg_warp[i]);
	struct warp_totals before = w->totals;
	w->totals.ctas += in->seg_flags[i] & WCP_SEG_CTA_BEGIN;
	if (push32(w, &w->seg_runs, run_end - in->seg_run[i]) < 0 ||
	    push32(w, &w->seg_events,
		list_end(in->seg_event, i, n, in->n_event) - in->seg_event[i]) < 0)
		return WCP_ESYS;
	int s = put_runs(w, in->seg_run[i], run_end, &c);
	if (s < 0)
		return s;
	if (in->seg_alt[i])
		w->totals = before;
	if (c.guard != c.guard_end || c.mem != c.mem_end)
		return wcp_fail(w->e, WCP_EUSAGE,
		    "batch contradicts its program: segment %u has more records than its runs", i);
	return 0;
}

/* ---- the block ----------------------------------------------------------------------------- */

static int
begin(struct warp_encoder *w, const struct marks *marks)
{
	struct u32_list *small[] = {&w->dict_pc, &w->dict_len, &w->dict_next, &w->run_code,
	    &w->mask, &w->guard, &w->mem_form, &w->mem_mask, &w->hits, &w->list_site, &w->seg_runs,
	    &w->seg_events};
	struct u64_list *large[] = {&w->residual, &w->list_min, &w->list_max, &w->list_bits};
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		small[i]->n = 0;
	for (size_t i = 0; i < sizeof large / sizeof *large; i++)
		large[i]->n = 0;
	buf_clear(&w->mask_code);
	buf_clear(&w->mem_code);
	buf_clear(&w->near);
	for (size_t i = 0; i < 8; i++)
		buf_clear(&w->plane[i]);
	memset(w->form_bucket, 0, sizeof w->form_bucket);
	w->n_form = 0;
	w->residual_bits = 0;
	w->totals = (struct warp_totals){0};
	if (stream_model_begin(&w->model, marks) < 0 ||
	    base_grow(&w->dict_head, &w->dict_head_cap, (uint64_t)marks->n_insn + 1,
		sizeof *w->dict_head) < 0)
		return no_memory(w);
	memset(w->dict_head, 0, (marks->n_insn + 1) * sizeof *w->dict_head);
	return 0;
}

/* Where the marks would place them is checked in the main walk; here a wild pc is only kept off. */
static int
survey_lists(struct warp_encoder *w)
{
	const struct wcp_warp_batch *in = w->in;
	const struct marks *marks = w->model.marks;
	for (uint32_t i = 0; in->n_addr && i < in->n_mem; i++) {
		uint32_t pc = in->mem_pc[i];
		if (in->mem_shape[i] != WCP_MEM_LIST)
			continue;
		if (pc >= marks->n_insn || marks->first[pc] == marks->first[pc + 1] ||
		    marks->mark[marks->first[pc]].site == WCP_NONE32 || !in->mem_mask[i])
			return contradiction(w, "a memory record at no memory instruction", pc);
		if (survey_list(w, marks->mark[marks->first[pc]].site, i) < 0)
			return WCP_ESYS;
	}
	finish_survey(w);
	return 0;
}

static void
put_segment_columns(const struct wcp_warp_batch *in, struct warp_encoder *w, struct block_out *b)
{
	stream_column_put(b, WARP_SEG_CTA, in->seg_cta, 4, in->n_seg);
	stream_column_put(b, WARP_SEG_WARP, in->seg_warp, 2, in->n_seg);
	stream_column_put(b, WARP_SEG_FLAGS, in->seg_flags, 1, in->n_seg);
	stream_column_put(b, WARP_SEG_ALT, in->seg_alt, 4, in->n_seg);
	stream_column_put(b, WARP_SEG_RUNS, w->seg_runs.v, 4, w->seg_runs.n);
	stream_column_put(b, WARP_SEG_EVENTS, w->seg_events.v, 4, w->seg_events.n);
	stream_column_put(b, WARP_EVENT_KIND, in->event_kind, 1, in->n_event);
	stream_column_put(b, WARP_EVENT_LANE, in->event_lane, 1, in->n_event);
	stream_column_put(b, WARP_EVENT_AT, in->event_at, 4, in->n_event);
	stream_column_put(b, WARP_EVENT_ARG, in->event_arg, 8, in->n_event);
}

static void
put_run_columns(struct warp_encoder *w, struct block_out *b)
{
	stream_column_put(b, WARP_DICT_PC, w->dict_pc.v, 4, w->dict_pc.n);
	stream_column_put(b, WARP_DICT_LEN, w->dict_len.v, 4, w->dict_len.n);
	stream_column_put(b, WARP_RUN_CODE, w->run_code.v, 4, w->run_code.n);
	stream_column_put(b, WARP_MASK_CODE, w->mask_code.data, 1, (uint32_t)w->mask_code.n);
	stream_column_put(b, WARP_MASK, w->mask.v, 4, w->mask.n);
	stream_column_put(b, WARP_GUARD, w->guard.v, 4, w->guard.n);
}

#define FORM_COLUMN(id, type, member)                                 \
	do {                                                          \
		type *t = (type *)room;                               \
		for (uint32_t i = 0; i < w->n_form; i++)              \
			t[i] = (type)w->form[i].member;               \
		stream_column_put(b, id, t, sizeof(type), w->n_form); \
	} while (0)

static void
put_form_columns(struct warp_encoder *w, struct block_out *b, void *room)
{
	FORM_COLUMN(WARP_FORM_SHAPE, uint8_t, shape);
	FORM_COLUMN(WARP_FORM_SPACE, uint8_t, space);
	FORM_COLUMN(WARP_FORM_FLAGS, uint8_t, flags);
	FORM_COLUMN(WARP_FORM_STRIDE, uint64_t, stride);
	FORM_COLUMN(WARP_FORM_PITCH, uint64_t, pitch);
}

static void
put_list_columns(struct warp_encoder *w, struct block_out *b, uint8_t *room)
{
	uint32_t n = w->model.n_list;
	stream_column_put(b, WARP_LIST_SITE, w->list_site.v, 4, n);
	stream_column_put(b, WARP_LIST_MIN, w->list_min.v, 8, n);
	for (uint32_t i = 0; i < n; i++)
		room[i] = w->model.list[i].shift;
	stream_column_put(b, WARP_LIST_SHIFT, room, 1, n);
	for (uint32_t i = 0; i < n; i++)
		room[i] = w->model.list[i].width;
	stream_column_put(b, WARP_LIST_WIDTH, room, 1, n);
	stream_column_put(b, WARP_LIST_HITS, w->hits.v, 4, w->hits.n);
	stream_column_put_bytes(b, WARP_LIST_NEAR, w->near.data, w->near.n);
	for (unsigned k = 0; k < 8; k++)
		stream_column_put_bytes(b, WARP_LIST_PLANE + k, w->plane[k].data, w->plane[k].n);
}

static int
put_mem_columns(struct warp_encoder *w, struct block_out *b)
{
	unsigned shift = w->residual_bits ? (unsigned)__builtin_ctzll(w->residual_bits) : 0;
	for (uint32_t i = 0; i < w->residual.n; i++)
		w->residual.v[i] = zigzag((uint64_t)((int64_t)w->residual.v[i] >> shift));
	stream_column_put(b, WARP_MEM_CODE, w->mem_code.data, 1, (uint32_t)w->mem_code.n);
	stream_column_put(b, WARP_MEM_FORM, w->mem_form.v, 4, w->mem_form.n);
	stream_column_put(b, WARP_MEM_RESIDUAL, w->residual.v, 8, w->residual.n);
	stream_column_put(b, WARP_MEM_MASK, w->mem_mask.v, 4, w->mem_mask.n);
	uint32_t n = w->n_form > w->model.n_list ? w->n_form : w->model.n_list;
	void *room = malloc(((size_t)n + 1) * sizeof(uint64_t));
	if (!room)
		return no_memory(w);
	put_form_columns(w, b, room);
	put_list_columns(w, b, room);
	free(room);
	return 0;
}

static void
put_info(struct warp_encoder *w, struct block_out *b)
{
	const struct wcp_warp_batch *in = w->in;
	uint64_t info[INFO_COUNT] = {[INFO_KERNEL] = in->kernel,
	    [INFO_FIRST_CTA] = WCP_NONE32,
	    [INFO_RUNS] = in->n_run,
	    [INFO_GUARDS] = in->n_guard,
	    [INFO_MEMS] = in->n_mem,
	    [INFO_RESIDUAL_SHIFT] =
		w->residual_bits ? (uint64_t)__builtin_ctzll(w->residual_bits) : 0};
	for (uint32_t i = 0; i < in->n_seg; i++) {
		uint32_t cta = in->seg_cta[i];
		info[INFO_FIRST_CTA] = cta < info[INFO_FIRST_CTA] ? cta : info[INFO_FIRST_CTA];
		info[INFO_LAST_CTA] = cta > info[INFO_LAST_CTA] ? cta : info[INFO_LAST_CTA];
	}
	for (uint32_t i = 0; in->n_addr && i < in->n_mem; i++)
		if (in->mem_shape[i] == WCP_MEM_LIST)
			info[INFO_ADDRS] += (uint32_t)__builtin_popcount(in->mem_mask[i]);
	stream_column_put(b, WARP_INFO, info, 8, INFO_COUNT);
}

static bool
bytes_failed(const struct warp_encoder *w)
{
	bool failed = w->mask_code.failed || w->mem_code.failed || w->near.failed;
	for (unsigned k = 0; k < 8; k++)
		failed |= w->plane[k].failed;
	return failed;
}

int
stream_warp_encode(struct warp_encoder *w, const struct wcp_warp_batch *batch,
    const struct marks *marks, struct block_out *b, struct buf *out, struct warp_totals *totals,
    struct wcp_error *e)
{
	w->in = batch;
	w->e = e;
	int s = begin(w, marks);
	if (s == 0)
		s = survey_lists(w);
	for (uint32_t i = 0; s == 0 && i < batch->n_seg; i++)
		s = put_segment(w, i);
	if (s < 0)
		return s;
	if (bytes_failed(w))
		return no_memory(w);
	stream_block_begin(b, out, WARP_COLUMNS);
	put_info(w, b);
	put_segment_columns(batch, w, b);
	put_run_columns(w, b);
	if (put_mem_columns(w, b) < 0)
		return WCP_ESYS;
	*totals = w->totals;
	return stream_block_finish(b, BLOCK_WARP, batch->n_run + batch->n_mem, e);
}

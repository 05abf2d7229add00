#include <stdlib.h>
#include "stream/warp.h"

/* A column decoded into memory that is kept from block to block. */
struct list {
	uint32_t *v;
	uint32_t n, cap, at; /* at: next to be taken */
};

struct warp_decoder {
	struct model model;
	struct list dict_pc, dict_len, run_code, mask, guard, mem_form, mem_mask, hits, seg_runs,
	    seg_events;
	uint64_t *residual, *form_stride, *form_pitch;
	uint32_t n_residual, residual_at, residual_cap, stride_cap, pitch_cap;
	uint8_t *mask_code, *mem_code, *form_shape, *form_space, *form_flags;
	uint32_t mask_code_cap, n_mem_code, mem_code_at, mem_code_cap, shape_cap, space_cap,
	    flags_cap;
	struct form *form;
	uint32_t n_form, form_cap;
	const uint8_t *plane[8], *plane_end[8], *near, *near_end;
	uint64_t info[INFO_COUNT];
	struct warp_totals totals;
	bool later_events; /* of kinds not known here */
	struct wcp_warp_batch *out;
	struct wcp_error *e;
};

struct warp_decoder *
stream_warp_decoder_new(void)
{
	return calloc(1, sizeof(struct warp_decoder));
}

void
stream_warp_decoder_free(struct warp_decoder *w)
{
	if (!w)
		return;
	struct list *lists[] = {&w->dict_pc, &w->dict_len, &w->run_code, &w->mask, &w->guard,
	    &w->mem_form, &w->mem_mask, &w->hits, &w->seg_runs, &w->seg_events};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		free(lists[i]->v);
	void *rest[] = {w->residual, w->form_stride, w->form_pitch, w->mask_code, w->mem_code,
	    w->form_shape, w->form_space, w->form_flags, w->form};
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		free(rest[i]);
	stream_model_release(&w->model);
	free(w);
}

static int
damaged(struct warp_decoder *w, const char *what)
{
	return wcp_fail(w->e, WCP_EDATA, "WARP block damaged: %s", what);
}

static int
no_memory(struct warp_decoder *w)
{
	return wcp_fail(w->e, WCP_ESYS, "out of memory");
}

/* ---- columns ------------------------------------------------------------------------------- */

static uint32_t
column_count(const struct block_in *in, unsigned id)
{
	const struct column_in *c = stream_column_find(in, id);
	return c ? c->count : 0;
}

static int
take(struct warp_decoder *w, const struct block_in *in, unsigned id, void *p, uint32_t *cap,
    unsigned element, uint32_t count)
{
	if (count > STREAM_RECORDS_MAX)
		return damaged(w, "a column is too long");
	if (base_grow(p, cap, count, element) < 0)
		return no_memory(w);
	void *array;
	memcpy(&array, p, sizeof array);
	return stream_column_get(in, id, array, element, count, w->e);
}

static int
take_list(
    struct warp_decoder *w, const struct block_in *in, unsigned id, struct list *l, uint32_t count)
{
	l->n = count;
	l->at = 0;
	return take(w, in, id, &l->v, &l->cap, 4, count);
}

static int
take_free_lists(struct warp_decoder *w, const struct block_in *in)
{
	struct {
		unsigned id;
		struct list *l;
	} all[] = {{WARP_DICT_PC, &w->dict_pc}, {WARP_DICT_LEN, &w->dict_len},
	    {WARP_MASK, &w->mask}, {WARP_MEM_FORM, &w->mem_form}, {WARP_MEM_MASK, &w->mem_mask},
	    {WARP_LIST_HITS, &w->hits}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		int s = take_list(w, in, all[i].id, all[i].l, column_count(in, all[i].id));
		if (s < 0)
			return s;
	}
	if (w->dict_len.n != w->dict_pc.n)
		return damaged(w, "run dictionary");
	w->n_residual = column_count(in, WARP_MEM_RESIDUAL);
	w->residual_at = 0;
	return take(w, in, WARP_MEM_RESIDUAL, &w->residual, &w->residual_cap, 8, w->n_residual);
}

static int
take_runs(struct warp_decoder *w, const struct block_in *in)
{
	uint32_t runs = (uint32_t)w->info[INFO_RUNS];
	int s = take_list(w, in, WARP_RUN_CODE, &w->run_code, runs);
	if (s == 0)
		s = take(w, in, WARP_MASK_CODE, &w->mask_code, &w->mask_code_cap, 1, runs);
	if (s == 0)
		s = take_list(w, in, WARP_GUARD, &w->guard, (uint32_t)w->info[INFO_GUARDS]);
	w->n_mem_code = (uint32_t)w->info[INFO_MEMS];
	w->mem_code_at = 0;
	if (s == 0)
		s = take(w, in, WARP_MEM_CODE, &w->mem_code, &w->mem_code_cap, 1, w->n_mem_code);
	uint32_t n_insn = w->model.marks->n_insn;
	for (uint32_t i = 0; s == 0 && i < w->dict_pc.n; i++) {
		uint32_t pc = w->dict_pc.v[i], len = w->dict_len.v[i];
		if (!len || pc >= n_insn || len > n_insn - pc)
			return damaged(w, "a run leaves the program");
	}
	for (uint32_t i = 0; s == 0 && i < runs; i++)
		if (w->run_code.v[i] >= w->dict_pc.n)
			return damaged(w, "run code");
	return s;
}

static int
take_forms(struct warp_decoder *w, const struct block_in *in)
{
	uint32_t n = column_count(in, WARP_FORM_SHAPE);
	int s = take(w, in, WARP_FORM_SHAPE, &w->form_shape, &w->shape_cap, 1, n);
	if (s == 0)
		s = take(w, in, WARP_FORM_SPACE, &w->form_space, &w->space_cap, 1, n);
	if (s == 0)
		s = take(w, in, WARP_FORM_FLAGS, &w->form_flags, &w->flags_cap, 1, n);
	if (s == 0)
		s = take(w, in, WARP_FORM_STRIDE, &w->form_stride, &w->stride_cap, 8, n);
	if (s == 0)
		s = take(w, in, WARP_FORM_PITCH, &w->form_pitch, &w->pitch_cap, 8, n);
	if (s < 0)
		return s;
	if (base_grow(&w->form, &w->form_cap, n, sizeof *w->form) < 0)
		return no_memory(w);
	w->n_form = n;
	for (uint32_t i = 0; i < n; i++) {
		w->form[i] = (struct form){w->form_shape[i], w->form_space[i], w->form_flags[i],
		    (int64_t)w->form_stride[i], (int64_t)w->form_pitch[i]};
		if (w->form_shape[i] >= WCP_MEM_SHAPE_COUNT ||
		    w->form_space[i] >= WCP_SPACE_COUNT || w->form_space[i] == WCP_SPACE_GENERIC)
			return damaged(w, "memory form");
	}
	return 0;
}

/* The sites whose lists are in the block; the form columns' room is used once more. */
static int
take_lists(struct warp_decoder *w, const struct block_in *in)
{
	uint32_t n = column_count(in, WARP_LIST_SITE), length;
	struct list sites = {0};
	uint64_t *min = NULL;
	uint32_t min_cap = 0;
	int s = take_list(w, in, WARP_LIST_SITE, &sites, n);
	if (s == 0)
		s = take(w, in, WARP_LIST_MIN, &min, &min_cap, 8, n);
	if (s == 0)
		s = take(w, in, WARP_LIST_SHIFT, &w->form_shape, &w->shape_cap, 1, n);
	if (s == 0)
		s = take(w, in, WARP_LIST_WIDTH, &w->form_space, &w->space_cap, 1, n);
	for (uint32_t i = 0; s == 0 && i < n; i++) {
		bool sound = sites.v && sites.v[i] < w->model.marks->n_site &&
			     w->form_shape[i] < 64 && w->form_space[i] <= 8;
		struct list_state *l = sound ? stream_model_list(&w->model, sites.v[i]) : NULL;
		if (!l) {
			s = sound ? no_memory(w) : damaged(w, "list site");
			break;
		}
		l->min = min[i];
		l->shift = w->form_shape[i];
		l->width = w->form_space[i];
	}
	free(sites.v);
	free(min);
	w->near = stream_column_bytes(in, WARP_LIST_NEAR, &length);
	w->near_end = w->near + length;
	for (unsigned k = 0; k < 8; k++) {
		w->plane[k] = stream_column_bytes(in, WARP_LIST_PLANE + k, &length);
		w->plane_end[k] = w->plane[k] + length;
	}
	return s;
}

static int
take_events(struct warp_decoder *w, const struct block_in *in)
{
	struct wcp_warp_batch *o = w->out;
	uint32_t n = column_count(in, WARP_EVENT_KIND);
	if (n > STREAM_RECORDS_MAX)
		return damaged(w, "too many events");
	if (wcp_warp_batch_reserve_event(o, n) < 0)
		return no_memory(w);
	o->n_event = n;
	int s = stream_column_get(in, WARP_EVENT_KIND, o->event_kind, 1, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_EVENT_LANE, o->event_lane, 1, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_EVENT_AT, o->event_at, 4, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_EVENT_ARG, o->event_arg, 8, n, w->e);
	w->later_events = false;
	for (uint32_t i = 0; s == 0 && i < n; i++) {
		if (o->event_lane[i] >= WCP_LANES)
			return damaged(w, "event");
		w->later_events |= o->event_kind[i] >= WCP_EVENT_COUNT;
	}
	return s;
}

/* Events of kinds that a later minor version brought. */
static void
pass_over_events(struct wcp_warp_batch *o)
{
	uint32_t kept = 0, i = 0;
	for (uint32_t s = 0; s < o->n_seg; s++) {
		const uint32_t end = o->seg_event[s + 1];
		o->seg_event[s] = kept;
		for (; i < end; i++) {
			if (o->event_kind[i] >= WCP_EVENT_COUNT)
				continue;
			o->event_kind[kept] = o->event_kind[i];
			o->event_lane[kept] = o->event_lane[i];
			o->event_at[kept] = o->event_at[i];
			o->event_arg[kept++] = o->event_arg[i];
		}
	}
	o->n_event = kept;
	wcp_warp_batch_end(o);
}

static int
take_segments(struct warp_decoder *w, const struct block_in *in)
{
	struct wcp_warp_batch *o = w->out;
	uint32_t n = column_count(in, WARP_SEG_CTA);
	if (n > STREAM_RECORDS_MAX)
		return damaged(w, "too many segments");
	if (stream_warp_batch_reserve_seg(o, n) < 0)
		return no_memory(w);
	o->n_seg = n;
	int s = stream_column_get(in, WARP_SEG_CTA, o->seg_cta, 4, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_SEG_WARP, o->seg_warp, 2, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_SEG_FLAGS, o->seg_flags, 1, n, w->e);
	if (s == 0)
		s = stream_column_get(in, WARP_SEG_ALT, o->seg_alt, 4, n, w->e);
	if (s == 0)
		s = take_list(w, in, WARP_SEG_RUNS, &w->seg_runs, n);
	if (s == 0)
		s = take_list(w, in, WARP_SEG_EVENTS, &w->seg_events, n);
	return s;
}

/* ---- memory records ------------------------------------------------------------------------ */

static bool
next(struct list *l, uint32_t *v)
{
	if (l->at == l->n)
		return false;
	*v = l->v[l->at++];
	return true;
}

static int
planes(struct warp_decoder *w, const struct list_state *l, uint64_t *a, uint32_t n)
{
	uint64_t v[WCP_LANES] = {0};
	for (unsigned k = 0; k < l->width; k++) {
		const uint8_t *p = w->plane[k];
		if ((size_t)(w->plane_end[k] - p) < n)
			return damaged(w, "address planes end early");
		for (uint32_t j = 0; j < n; j++)
			v[j] |= (uint64_t)p[j] << (8 * k);
		w->plane[k] = p + n;
	}
	for (uint32_t j = 0; j < n; j++)
		a[j] = l->min + (v[j] << l->shift);
	return 0;
}

static int
near(struct warp_decoder *w, const struct list_state *l, uint64_t *a, uint32_t n)
{
	int s = planes(w, l, a, 1);
	if (s < 0)
		return s;
	if ((size_t)(w->near_end - w->near) < n - 1)
		return damaged(w, "address steps end early");
	for (uint32_t j = 1; j < n; j++)
		a[j] = a[j - 1] + ((uint64_t)(int8_t)w->near[j - 1] << l->shift);
	w->near += n - 1;
	return 0;
}

static void
guessed(const struct list_state *l, uint64_t *a, uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		*a++ = l->addr[__builtin_ctz(mask)] + l->step.believed;
}

static int
partly(struct warp_decoder *w, const struct list_state *l, uint64_t *a, uint32_t mask)
{
	uint32_t hits;
	uint64_t missed[WCP_LANES] = {0};
	if (!next(&w->hits, &hits) || hits & ~(mask & l->seen))
		return damaged(w, "guessed lanes");
	int s = planes(w, l, missed, (uint32_t)__builtin_popcount(mask & ~hits));
	const uint64_t *m = missed;
	for (; s == 0 && mask; mask &= mask - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(mask);
		*a++ = hits >> lane & 1 ? l->addr[lane] + l->step.believed : *m++;
	}
	return s;
}

static void
learn(struct list_state *l, uint32_t mask, const uint64_t *a)
{
	uint32_t known = mask & l->seen;
	if (known) {
		uint32_t lane = (uint32_t)__builtin_ctz(known);
		uint32_t j = (uint32_t)__builtin_popcount(mask & ((1u << lane) - 1));
		stride_learn(&l->step, a[j] - l->addr[lane]);
	}
	l->seen |= mask;
	for (; mask; mask &= mask - 1)
		l->addr[__builtin_ctz(mask)] = *a++;
}

static int
get_list(struct warp_decoder *w, uint32_t site, uint32_t mask, enum list_mode mode)
{
	struct wcp_warp_batch *o = w->out;
	uint32_t n = (uint32_t)__builtin_popcount(mask);
	struct list_state *l =
	    w->model.site[site].lists ? stream_model_list(&w->model, site) : NULL;
	if (!l)
		return damaged(w, "list at a site without");
	if (wcp_warp_batch_reserve_addr(o, n) < 0)
		return no_memory(w);
	uint64_t *a = o->addr + o->n_addr;
	int s = 0;
	list_owner(l, w->model.owner);
	switch (mode) {
	case LIST_GUESSED:
		if (mask & ~l->seen)
			return damaged(w, "guessed lanes");
		guessed(l, a, mask);
		break;
	case LIST_FULL: s = planes(w, l, a, n); break;
	case LIST_NEAR: s = near(w, l, a, n); break;
	case LIST_PARTLY: s = partly(w, l, a, mask); break;
	}
	if (s < 0)
		return s;
	learn(l, mask, a);
	o->mem_addr[o->n_mem] = o->n_addr;
	o->n_addr += n;
	return 0;
}

static int
get_base(struct warp_decoder *w, uint32_t site, uint8_t code)
{
	uint64_t base = model_guess(&w->model, site);
	if (code & MEM_MISS) {
		if (w->residual_at == w->n_residual)
			return damaged(w, "residuals end early");
		base += unzigzag(w->residual[w->residual_at++]) << w->info[INFO_RESIDUAL_SHIFT];
	}
	model_learn(&w->model, site, base);
	w->out->mem_base[w->out->n_mem] = base;
	w->out->mem_addr[w->out->n_mem] = 0;
	return 0;
}

static const struct form *
get_form(struct warp_decoder *w, struct site *s, uint8_t code)
{
	if (code & MEM_NEW_FORM && !next(&w->mem_form, &s->form))
		return NULL;
	return s->form < w->n_form ? &w->form[s->form] : NULL;
}

/* One record; *active loses its lanes. Returns 1 if another record of the execution follows. */
static int
get_mem(struct warp_decoder *w, const struct mark *m, uint32_t *active)
{
	struct wcp_warp_batch *o = w->out;
	uint32_t i = o->n_mem, mask = *active;
	if (w->mem_code_at == w->n_mem_code)
		return damaged(w, "memory records end early");
	uint8_t code = w->mem_code[w->mem_code_at++];
	const struct form *f = get_form(w, &w->model.site[m->site], code);
	if (!f)
		return damaged(w, "memory form");
	bool more = f->flags & WCP_MEM_MORE;
	if (more && (!next(&w->mem_mask, &mask) || mask & ~*active || !mask))
		return damaged(w, "lanes of a memory record");
	if (!mask)
		return damaged(w, "a memory record without lanes");
	*active &= ~mask;
	o->mem_pc[i] = m->pc;
	o->mem_mask[i] = mask;
	o->mem_shape[i] = f->shape;
	o->mem_space[i] = f->space;
	o->mem_flags[i] = f->flags;
	o->mem_stride[i] = f->stride;
	o->mem_pitch[i] = f->pitch;
	int s;
	if (f->shape == WCP_MEM_LIST) {
		o->mem_base[i] = 0;
		s = get_list(w, m->site, mask, (enum list_mode)(code >> MEM_LIST_SHIFT & 3));
	} else {
		s = get_base(w, m->site, code);
	}
	o->n_mem++;
	return s < 0 ? s : more;
}

/* ---- runs and segments --------------------------------------------------------------------- */

static int
get_marks(struct warp_decoder *w, uint32_t pc, uint32_t len, uint32_t mask)
{
	const struct marks *marks = w->model.marks;
	const struct mark *end = marks->mark + marks->first[pc + len];
	for (const struct mark *m = marks->mark + marks->first[pc]; m < end; m++) {
		uint32_t active = mask;
		if (m->guarded) {
			uint32_t off;
			if (!next(&w->guard, &off) || off & ~mask)
				return damaged(w, "guard masks");
			active ^= off;
			w->out->guard_mask[w->out->n_guard++] = active;
			w->totals.thread_insns -= (uint32_t)__builtin_popcount(off);
		}
		if (m->site == WCP_NONE32 || !active)
			continue;
		int s;
		do {
			s = get_mem(w, m, &active);
			if (s < 0)
				return s;
		} while (s == 1);
		w->totals.mem_insns++;
	}
	return 0;
}

static int
get_mask(struct warp_decoder *w, uint8_t code, uint32_t *mask)
{
	struct recent_masks *r = &w->model.masks;
	if (code == 0) {
		*mask = r->mask[0];
		return 0;
	}
	if (code < RECENT_MASKS)
		*mask = r->mask[code];
	else if (code == MASK_REST)
		*mask = r->mask[1] & ~r->mask[0];
	else if (code != MASK_NEW || !next(&w->mask, mask))
		return damaged(w, "run mask");
	masks_front(r, code < RECENT_MASKS ? code : RECENT_MASKS - 1, *mask);
	return 0;
}

static int
get_run(struct warp_decoder *w)
{
	struct wcp_warp_batch *o = w->out;
	uint32_t r = o->n_run, mask = 0;
	int s = get_mask(w, w->mask_code[r], &mask);
	if (s < 0)
		return s;
	uint32_t code = w->run_code.v[r], pc = w->dict_pc.v[code], len = w->dict_len.v[code];
	o->run_pc[r] = pc;
	o->run_len[r] = len;
	o->run_mask[r] = mask;
	o->n_run++;
	w->totals.warp_insns += len;
	w->totals.thread_insns += (uint64_t)len * (uint32_t)__builtin_popcount(mask);
	return get_marks(w, pc, len, mask);
}

static int
get_segment(struct warp_decoder *w, uint32_t i)
{
	struct wcp_warp_batch *o = w->out;
	struct warp_totals before = w->totals;
	stream_model_segment(&w->model, o->seg_cta[i], o->seg_warp[i]);
	w->totals.ctas += o->seg_flags[i] & WCP_SEG_CTA_BEGIN;
	for (uint32_t end = o->n_run + w->seg_runs.v[i]; o->n_run < end;) {
		int s = get_run(w);
		if (s < 0)
			return s;
	}
	o->warp_insns += w->totals.warp_insns - before.warp_insns;
	o->thread_insns += w->totals.thread_insns - before.thread_insns;
	if (o->seg_alt[i])
		w->totals = before;
	return 0;
}

static int
get_segments(struct warp_decoder *w)
{
	struct wcp_warp_batch *o = w->out;
	uint64_t event = 0;
	for (uint32_t i = 0; i < o->n_seg; i++) {
		o->seg_run[i] = o->n_run;
		o->seg_guard[i] = o->n_guard;
		o->seg_mem[i] = o->n_mem;
		o->seg_event[i] = (uint32_t)event;
		event += w->seg_events.v[i];
		if (w->seg_runs.v[i] > w->run_code.n - o->n_run || event > o->n_event)
			return damaged(w, "segments");
		int s = get_segment(w, i);
		if (s < 0)
			return s;
	}
	wcp_warp_batch_end(o);
	bool all = o->n_run == w->run_code.n && o->n_guard == w->guard.n &&
		   o->n_mem == w->n_mem_code && event == o->n_event &&
		   o->n_addr == w->info[INFO_ADDRS];
	return all ? 0 : damaged(w, "its lists do not add up");
}

/* ---- the block ----------------------------------------------------------------------------- */

static int
read_info(const struct block_in *in, uint64_t info[INFO_COUNT], struct wcp_error *e)
{
	int s = stream_column_get(in, WARP_INFO, info, 8, INFO_COUNT, e);
	if (s < 0)
		return s;
	if (info[INFO_RUNS] + info[INFO_MEMS] != in->records || info[INFO_RUNS] > in->records ||
	    in->records > STREAM_RECORDS_MAX || info[INFO_GUARDS] > STREAM_RECORDS_MAX ||
	    info[INFO_ADDRS] > 32ull * STREAM_RECORDS_MAX || info[INFO_RESIDUAL_SHIFT] > 63 ||
	    info[INFO_KERNEL] >= STREAM_ID_MAX)
		return wcp_fail(e, WCP_EDATA, "WARP block damaged: counts");
	return 0;
}

int
stream_warp_head(const struct block_in *in, struct warp_head *head, struct wcp_error *e)
{
	uint64_t info[INFO_COUNT];
	int s = read_info(in, info, e);
	if (s == 0)
		*head = (struct warp_head){(uint32_t)info[INFO_KERNEL],
		    (uint32_t)info[INFO_FIRST_CTA], (uint32_t)info[INFO_LAST_CTA]};
	return s;
}

static int
take_all(struct warp_decoder *w, const struct block_in *in)
{
	int s = take_segments(w, in);
	if (s == 0)
		s = take_events(w, in);
	if (s == 0)
		s = take_free_lists(w, in);
	if (s == 0)
		s = take_runs(w, in);
	if (s == 0)
		s = take_lists(w, in);
	if (s == 0)
		s = take_forms(w, in);
	return s;
}

int
stream_warp_decode(struct warp_decoder *w, const struct block_in *in, const struct marks *marks,
    struct wcp_warp_batch *batch, struct warp_totals *totals, struct wcp_error *e)
{
	w->out = batch;
	w->e = e;
	w->totals = (struct warp_totals){0};
	wcp_warp_batch_clear(batch);
	int s = read_info(in, w->info, e);
	if (s < 0)
		return s;
	if (stream_model_begin(&w->model, marks) < 0 ||
	    wcp_warp_batch_reserve_run(batch, (uint32_t)w->info[INFO_RUNS]) < 0 ||
	    wcp_warp_batch_reserve_guard(batch, (uint32_t)w->info[INFO_GUARDS]) < 0 ||
	    wcp_warp_batch_reserve_mem(batch, (uint32_t)w->info[INFO_MEMS]) < 0)
		return no_memory(w);
	batch->kernel = (uint32_t)w->info[INFO_KERNEL];
	s = take_all(w, in);
	if (s == 0)
		s = get_segments(w);
	if (s == 0 && w->later_events)
		pass_over_events(batch);
	*totals = w->totals;
	return s;
}

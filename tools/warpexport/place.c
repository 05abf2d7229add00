/* Which slices are open, and on which track each goes when nothing is. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/stream.h"

struct span *
spans_add(struct spans *s)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->span = must_alloc(s->span, s->cap * sizeof *s->span);
	}
	return &s->span[s->n++];
}

void
spans_release(struct spans *s)
{
	free(s->span);
}

void
lanes_release(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->lane[i].free_at);
	free(l->lane);
}

/* ---- what is open --------------------------------------------------------------------------- */

static bool
alike(const struct span *a, const struct span *b)
{
	return a->kind == b->kind && a->kernel == b->kernel && a->cta == b->cta &&
	       a->warp == b->warp && a->sm == b->sm;
}

static uint64_t
hash_of(const struct span *s)
{
	uint64_t h = ((uint64_t)s->kernel << 32 | s->cta) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 32 ^ (uint64_t)s->warp << 24 ^ (uint64_t)s->sm << 8 ^ s->kind) *
	    0xd6e8feb86659fd93u;
	return h >> 24;
}

/* The slot of an open span like this, or the free one where it would be. */
static uint64_t *
find_open(struct exporter *x, const struct span *like)
{
	uint64_t at = hash_of(like);
	for (;; at++) {
		uint64_t *slot = &x->open_span[at & x->open_mask];
		if (!*slot || alike(&x->spans.span[*slot - 1], like))
			return slot;
	}
}

static void
grow_open(struct exporter *x)
{
	uint64_t *old = x->open_span, n = old ? x->open_mask + 1 : 0, size = n ? 2 * n : 4096;
	x->open_span = must_alloc(NULL, size * sizeof *x->open_span);
	memset(x->open_span, 0, size * sizeof *x->open_span);
	x->open_mask = size - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i])
			*find_open(x, &x->spans.span[old[i] - 1]) = old[i];
	free(old);
}

struct span *
span_of(struct exporter *x, struct span like, uint64_t from)
{
	if (2 * (x->n_open + 1) > x->open_mask)
		grow_open(x);
	uint64_t *slot = find_open(x, &like);
	if (!*slot) {
		like.from = from;
		like.to = from;
		*spans_add(&x->spans) = like;
		*slot = x->spans.n;
		x->n_open++;
	}
	return &x->spans.span[*slot - 1];
}

struct span *
span_close(struct exporter *x, struct span like)
{
	if (!x->open_span)
		return NULL;
	uint64_t *slot = find_open(x, &like), gap, at;
	if (!*slot)
		return NULL;
	struct span *closed = &x->spans.span[*slot - 1];
	/* close the gap in the chain behind it */
	gap = at = (uint64_t)(slot - x->open_span);
	*slot = 0;
	x->n_open--;
	for (at = (at + 1) & x->open_mask; x->open_span[at]; at = (at + 1) & x->open_mask) {
		uint64_t number = x->open_span[at],
			 home = hash_of(&x->spans.span[number - 1]) & x->open_mask;
		if (((at - home) & x->open_mask) < ((at - gap) & x->open_mask))
			continue;
		x->open_span[gap] = number;
		x->open_span[at] = 0;
		gap = at;
	}
	return closed;
}

/* ---- onto tracks ---------------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	if (x->cta != y->cta)
		return x->cta < y->cta ? -1 : 1;
	return x->warp < y->warp ? -1 : x->warp > y->warp;
}

static struct lane *
lane_of(struct lanes *l, uint64_t key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->lane[i].key == key)
			return &l->lane[i];
	l->lane = must_alloc(l->lane, (l->n + 1) * sizeof *l->lane);
	l->lane[l->n] = (struct lane){.key = key};
	return &l->lane[l->n++];
}

static void
widen(struct lane *l, uint32_t n)
{
	if (n <= l->n)
		return;
	l->free_at = must_alloc(l->free_at, n * sizeof *l->free_at);
	memset(l->free_at + l->n, 0, (n - l->n) * sizeof *l->free_at);
	l->n = n;
}

/* Its own track if that is free (a warp's hardware slot), else the first that is. */
static uint32_t
take_track(struct lane *l, uint32_t own, const struct span *s)
{
	uint32_t at = 0;
	if (own != WCP_NONE16) {
		widen(l, own + 1);
		at = l->free_at[own] <= s->from ? own : 0;
	}
	while (at < l->n && l->free_at[at] > s->from)
		at++;
	widen(l, at + 1);
	l->free_at[at] = s->to;
	return at;
}

static const char *
kernel_name(const struct exporter *x, uint32_t id)
{
	const struct wcp_kernel *k = wcp_reader_kernel(x->reader, id);
	return k && k->name && *k->name ? k->name : "?";
}

uint64_t
process_of_sm(struct exporter *x, uint16_t sm)
{
	char text[32];
	uint64_t pid = sm == WCP_NONE16 ? PID_SM - 1 : PID_SM + (uint64_t)sm;
	snprintf(text, sizeof text, "SM %u", sm);
	trace_process(&x->trace, pid,
	    sm != WCP_NONE16 ? text
	    : x->warp_stream ? "CTAs and warps as recorded"
			     : "no SM",
	    pid);
	return pid;
}

static void
write_kernel(struct exporter *x, const struct span *s, uint32_t track)
{
	const struct wcp_kernel *k = wcp_reader_kernel(x->reader, s->kernel);
	char grid[64] = "", block[64] = "";
	if (k) {
		snprintf(grid, sizeof grid, "%u,%u,%u", k->grid[0], k->grid[1], k->grid[2]);
		snprintf(block, sizeof block, "%u,%u,%u", k->block[0], k->block[1], k->block[2]);
	}
	const struct argument arg[] = {{"kernel", NULL, s->kernel}, {"grid", grid, 0},
	    {"block", block, 0},
	    {x->warp_stream ? "warp_instructions" : "accesses", NULL, s->records},
	    {"parent_kernel", NULL, k ? k->parent : 0},
	    {"parent_cta", NULL, k ? k->parent_cta : 0}};
	unsigned n = k && k->parent != WCP_NONE32 ? 6 : 4;
	trace_process(&x->trace, PID_GPU, "GPU", 0);
	trace_name(&x->trace, PID_GPU, TID_KERNEL + track, "kernels", track);
	trace_slice(&x->trace, PID_GPU, TID_KERNEL + track, kernel_name(x, s->kernel), s->from,
	    s->to - s->from, arg, n);
}

static void
write_cta(struct exporter *x, const struct span *s, uint32_t track)
{
	char name[64];
	uint64_t pid = process_of_sm(x, s->sm), tid = TID_CTA + track;
	const struct argument arg[] = {{"kernel", NULL, s->kernel}, {"cta", NULL, s->cta},
	    {x->warp_stream ? "warp_instructions" : "accesses", NULL, s->records}};
	snprintf(name, sizeof name, "CTA %u of kernel %u", s->cta, s->kernel);
	trace_name(&x->trace, pid, tid, "CTAs", track);
	trace_slice(&x->trace, pid, tid, name, s->from, s->to - s->from, arg, 3);
}

static const char *
state_name(uint8_t state)
{
	switch ((enum wcp_state_kind)state) {
	case WCP_STATE_ISOLATED: return "isolated";
	case WCP_STATE_STALLED: return "stalled";
	case WCP_STATE_BARRIER: return "barrier";
	case WCP_STATE_CTA_BEGIN:
	case WCP_STATE_CTA_END:
	case WCP_STATE_WARP_BEGIN:
	case WCP_STATE_WARP_END:
	case WCP_STATE_ACTIVE: break;
	}
	return "active";
}

/* A warp, and what state it was in within. */
static void
write_warp(
    struct exporter *x, const struct span *s, uint32_t track, const struct span *state, uint64_t n)
{
	char name[64];
	uint64_t pid = process_of_sm(x, s->sm), tid = TID_WARP + track;
	const struct argument arg[] = {{"kernel", kernel_name(x, s->kernel), 0},
	    {"cta", NULL, s->cta}, {"warp", NULL, s->warp},
	    {x->warp_stream ? "warp_instructions" : "accesses", NULL, s->records},
	    {"l1_misses", NULL, s->misses}};
	snprintf(name, sizeof name, "CTA %u warp %u", s->cta, s->warp);
	trace_name(&x->trace, pid, tid, "warp slot", track);
	trace_slice(
	    &x->trace, pid, tid, name, s->from, s->to - s->from, arg, x->warp_stream ? 4 : 5);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = state[i].from < s->from ? s->from : state[i].from,
			 to = state[i].to > s->to || state[i].to <= state[i].from ? s->to
										  : state[i].to;
		if (from < to)
			trace_slice(&x->trace, pid, tid, state_name(state[i].state), from,
			    to - from, NULL, 0);
	}
}

static int
by_warp(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->cta != y->cta)
		return x->cta < y->cta ? -1 : 1;
	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool
of_warp(const struct span *state, const struct span *warp)
{
	return state->kernel == warp->kernel && state->sm == warp->sm && state->cta == warp->cta &&
	       state->warp == warp->warp;
}

/* The states of a warp among those sorted by warp: the first, and how many. */
static uint64_t
states_of(const struct span *state, uint64_t n, const struct span *warp, uint64_t *count)
{
	uint64_t low = 0, high = n;
	struct span before = *warp;
	before.from = 0;
	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (by_warp(&state[middle], &before) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < n && of_warp(&state[low + *count], warp))
		++*count;
	return low;
}

/* The spans of kernels, open as they were. */
static void
keep_kernels(struct exporter *x, const struct span *kernel, uint64_t n)
{
	for (uint64_t i = 0; i < n && x->open_span; i++) {
		*spans_add(&x->spans) = kernel[i];
		*find_open(x, &kernel[i]) = x->spans.n;
		x->n_open++;
	}
}

static void
place_one(struct exporter *x, struct span *s, const struct span *state, uint64_t states)
{
	uint64_t where = s->kind == SPAN_KERNEL ? 0 : 1 + (uint64_t)s->sm, count, first;
	s->to = s->to > s->from ? s->to : s->from + 1;
	struct lane *lane = lane_of(&x->lanes, where << 2 | s->kind);
	uint32_t track = take_track(lane, s->kind == SPAN_WARP ? s->slot : WCP_NONE16, s);
	switch ((enum span_kind)s->kind) {
	case SPAN_KERNEL: write_kernel(x, s, track); return;
	case SPAN_CTA: write_cta(x, s, track); return;
	case SPAN_WARP:
		first = states_of(state, states, s, &count);
		write_warp(x, s, track, state + first, count);
		return;
	case SPAN_STATE: return;
	}
}

/* Kernels to the front of wait, states to that of state, the rest to the front of all; how many of
 * it. */
static uint64_t
part_spans(struct spans *s, bool keep, struct span *wait, uint64_t *waits, struct span *state,
    uint64_t *states)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < s->n; i++) {
		if (s->span[i].kind == SPAN_STATE)
			state[(*states)++] = s->span[i];
		else if (keep && s->span[i].kind == SPAN_KERNEL)
			wait[(*waits)++] = s->span[i];
		else
			s->span[n++] = s->span[i];
	}
	return n;
}

void
place_spans(struct exporter *x, bool keep)
{
	struct span *state = must_alloc(NULL, (x->spans.n + 1) * sizeof *state);
	struct span *wait = must_alloc(NULL, (x->spans.n + 1) * sizeof *wait), *all = x->spans.span;
	uint64_t states = 0, waits = 0,
		 n = part_spans(&x->spans, keep, wait, &waits, state, &states);
	if (n)
		qsort(all, n, sizeof *all, compare);
	if (states)
		qsort(state, states, sizeof *state, by_warp);
	for (uint64_t i = 0; i < n; i++)
		place_one(x, &all[i], state, states);
	x->spans.n = 0;
	x->n_open = 0;
	if (x->open_span)
		memset(x->open_span, 0, (x->open_mask + 1) * sizeof *x->open_span);
	keep_kernels(x, wait, waits);
	free(wait);
	free(state);
}

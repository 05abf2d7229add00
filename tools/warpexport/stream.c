/* What the items of a stream make of slices, states and counters. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/batch.h"

enum { MANY_SPANS = 1 << 16 };

static void
saw(struct exporter *x, uint64_t time)
{
	x->now = time > x->now ? time : x->now;
}

void
export_kernel(struct exporter *x, const struct wcp_kernel *k)
{
	x->open++;
	if (x->warp_stream)
		span_of(x, (struct span){.kind = SPAN_KERNEL, .kernel = k->id, .sm = WCP_NONE16},
		    x->now);
}

void
export_kernel_end(struct exporter *x, const struct wcp_kernel_end *k)
{
	if (x->warp_stream)
		span_of(x,
		    (struct span){.kind = SPAN_KERNEL, .kernel = k->kernel, .sm = WCP_NONE16},
		    x->now)
		    ->to = x->now;
	if (x->open && --x->open == 0)
		place_spans(x, false);
}

/* ---- ACCESS ------------------------------------------------------------------------------- */

static void
flush_counters(struct exporter *x)
{
	const struct argument arg[] = {
	    {"accesses", NULL, x->count}, {"l1_misses", NULL, x->misses}};
	if (x->interval_end)
		trace_counter(&x->trace, PID_GPU, "accesses in an interval",
		    x->interval_end - x->interval, arg, 2);
	x->count = x->misses = 0;
}

static void
count(struct exporter *x, uint64_t cycle, bool miss)
{
	if (!x->interval)
		return;
	if (cycle >= x->interval_end) {
		uint64_t end = (cycle / x->interval + 1) * x->interval;
		bool gap = x->interval_end && end > x->interval_end + x->interval;
		flush_counters(x);
		if (gap) { /* nothing happened in between */
			x->interval_end += x->interval;
			flush_counters(x);
		}
		x->interval_end = end;
	}
	x->count++;
	x->misses += miss;
}

static void
reach(struct span *s, uint64_t from, uint64_t to)
{
	s->from = from < s->from ? from : s->from;
	s->to = to > s->to ? to : s->to;
}

static void
touch(struct span *s, uint64_t cycle, bool miss)
{
	reach(s, cycle, cycle + 1);
	s->records++;
	s->misses += miss;
}

static void
write_access(struct exporter *x, const struct wcp_access_batch *b, uint32_t i)
{
	static const char *const outcome[16] = {"-", "hit", "miss", "sector", "pending", "bypass",
	    "redirect", "redirect miss", "forward"};
	char line[32];
	uint64_t pid = process_of_sm(x, b->sm[i]);
	const char *l1 = outcome[WCP_OUTCOME(b->outcome[i], 0)];
	snprintf(line, sizeof line, "0x%" PRIx64, b->line[i]);
	const struct argument arg[] = {{"line", line, 0}, {"l1", l1 ? l1 : "?", 0},
	    {"cta", NULL, b->cta[i]}, {"warp", NULL, b->warp[i]}, {"pc", NULL, b->pc[i]}};
	trace_name(&x->trace, pid, TID_ACCESS, "accesses", b->sm[i]);
	trace_instant(&x->trace, pid, TID_ACCESS, wcp_kind_name((enum wcp_access_kind)b->kind[i]),
	    b->cycle[i], arg, 5);
}

static void
export_record(struct exporter *x, const struct wcp_access_batch *b, uint32_t i)
{
	uint64_t cycle = b->cycle[i];
	unsigned outcome = WCP_OUTCOME(b->outcome[i], 0);
	bool miss = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR ||
		    outcome == WCP_OUT_REDIRECT_MISS;
	saw(x, cycle + 1);
	count(x, cycle, miss);
	if (b->cta[i] == WCP_NONE32) /* a write-back is nobody's */
		return;
	struct span like = {
	    .kind = SPAN_KERNEL, .kernel = b->kernel[i], .sm = WCP_NONE16, .slot = WCP_NONE16};
	touch(span_of(x, like, cycle), cycle, miss);
	like = (struct span){.kind = SPAN_CTA,
	    .kernel = b->kernel[i],
	    .cta = b->cta[i],
	    .sm = b->sm[i],
	    .slot = WCP_NONE16};
	touch(span_of(x, like, cycle), cycle, miss);
	like.kind = SPAN_WARP;
	like.warp = b->warp[i];
	like.slot = b->slot[i];
	touch(span_of(x, like, cycle), cycle, miss);
	if (x->accesses)
		write_access(x, b, i);
}

void
export_access(struct exporter *x, const struct wcp_access_batch *b)
{
	uint32_t n = b->n;
	if (x->filter) {
		x->index = must_alloc(x->index, (n + 1) * sizeof *x->index);
		n = wcp_filter_access(x->filter, b, x->index);
	}
	for (uint32_t i = 0; i < n; i++)
		export_record(x, b, x->filter ? x->index[i] : i);
	x->done += n;
}

/* The state that a warp was in ends, another may begin. */
static void
begin_state(struct exporter *x, const struct wcp_state *s, struct span like)
{
	like.kind = SPAN_STATE;
	struct span *before = span_close(x, like);
	if (before)
		before->to = s->cycle;
	if (s->kind == WCP_STATE_ISOLATED || s->kind == WCP_STATE_STALLED ||
	    s->kind == WCP_STATE_BARRIER)
		span_of(x, like, s->cycle)->state = (uint8_t)s->kind;
}

static void
export_state(struct exporter *x, const struct wcp_state *s)
{
	struct span like;
	saw(x, s->cycle);
	like = (struct span){
	    .kind = SPAN_KERNEL, .kernel = s->kernel, .sm = WCP_NONE16, .slot = WCP_NONE16};
	reach(span_of(x, like, s->cycle), s->cycle, s->cycle);
	like.kind = SPAN_CTA;
	like.cta = s->cta;
	like.sm = s->sm;
	reach(span_of(x, like, s->cycle), s->cycle, s->cycle);
	if (s->kind == WCP_STATE_CTA_BEGIN || s->kind == WCP_STATE_CTA_END)
		return;
	like.kind = SPAN_WARP;
	like.warp = s->warp;
	like.slot = s->slot;
	reach(span_of(x, like, s->cycle), s->cycle, s->cycle);
	begin_state(x, s, like);
}

void
export_states(struct exporter *x, const struct wcp_state *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		export_state(x, &s[i]);
}

/* ---- WARP --------------------------------------------------------------------------------- */

static uint64_t
segment_insns(const struct wcp_warp_batch *b, uint32_t s)
{
	uint64_t n = 0;
	for (uint32_t r = b->seg_run[s]; r < b->seg_run[s + 1]; r++)
		n += b->run_len[r];
	return n;
}

/* Time is how many instructions were recorded so far: one after the other. */
static void
export_segment(struct exporter *x, const struct wcp_warp_batch *b, uint32_t s)
{
	struct span like = {.kind = SPAN_CTA,
	    .kernel = b->kernel,
	    .cta = b->seg_cta[s],
	    .sm = WCP_NONE16,
	    .slot = WCP_NONE16};
	uint64_t n = segment_insns(b, s), from = x->now;
	x->now += n;
	for (enum span_kind kind = SPAN_CTA; kind <= SPAN_WARP; kind++) {
		like.kind = (uint8_t)kind;
		like.warp = kind == SPAN_WARP ? b->seg_warp[s] : 0;
		like.slot = kind == SPAN_WARP ? b->seg_warp[s] : WCP_NONE16;
		struct span *span = span_of(x, like, from);
		span->to = x->now;
		span->records += n;
	}
	span_of(x, (struct span){.kind = SPAN_KERNEL, .kernel = b->kernel, .sm = WCP_NONE16}, from)
	    ->records += n;
	x->open_ctas += (b->seg_flags[s] & WCP_SEG_CTA_BEGIN) != 0;
	x->open_ctas -= x->open_ctas && b->seg_flags[s] & WCP_SEG_CTA_END;
	if (!x->open_ctas && x->spans.n > MANY_SPANS)
		place_spans(x, true);
}

int
export_warp(struct exporter *x, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	const struct wcp_kernel *k = wcp_reader_kernel(x->reader, b->kernel);
	const struct wcp_program *p = k ? wcp_reader_program(x->reader, k->program) : NULL;
	if (!k)
		return wcp_fail(e, WCP_EDATA,
		    "a block belongs to kernel %" PRIu32 ", which is unknown", b->kernel);
	if (x->filter) {
		wcp_warp_batch_clear(&x->matching);
		x->matching.kernel = b->kernel;
		int status = wcp_filter_warp(x->filter, p, k, b, &x->matching, e);
		if (status < 0)
			return status;
		b = &x->matching;
	}
	for (uint32_t s = 0; s < b->n_seg; s++)
		if (!b->seg_alt[s]) /* what was executed */
			export_segment(x, b, s);
	x->done += b->warp_insns;
	return 0;
}

void
export_host(struct exporter *x, const struct wcp_host_op *op)
{
	static const char *const name[WCP_HOST_COUNT] = {"allocate", "free", "copy in", "copy out",
	    "copy", "set", "synchronise", "record event", "wait for event"};
	const struct argument arg[] = {
	    {"bytes", NULL, op->bytes}, {"buffer", op->label ? op->label : "", 0}};
	trace_process(&x->trace, PID_GPU, "GPU", 0);
	trace_name(&x->trace, PID_GPU, TID_HOST, "host", 0);
	trace_instant(&x->trace, PID_GPU, TID_HOST,
	    op->kind < WCP_HOST_COUNT ? name[op->kind] : "?", x->now, arg, 2);
}

void
export_finish(struct exporter *x)
{
	flush_counters(x);
	if (x->interval_end) { /* and nothing from then on */
		x->interval_end += x->interval;
		flush_counters(x);
	}
	/* what never ended ends with all */
	for (uint64_t i = 0; i < x->spans.n; i++) {
		struct span *s = &x->spans.span[i];
		if (s->to <= s->from && (s->kind == SPAN_STATE || s->kind == SPAN_KERNEL))
			s->to = x->now;
	}
	place_spans(x, false);
}

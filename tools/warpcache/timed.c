/* A level with time: accesses come, wait, are accepted; what leaves is passed on in order. */
#include <stdlib.h>
#include <string.h>
#include "timed.h"

enum { AHEAD = 6 }; /* accesses that are looked for before their turn */

/* ---- making and freeing ---------------------------------------------------------------------- */

static uint32_t
columns(const struct settings *s)
{
	uint32_t c = WCP_COL(CYCLE) | WCP_COL(ID) | WCP_COL(LINE) | WCP_COL(SECTORS) |
		     WCP_COL(KIND) | WCP_COL(SPACE) | WCP_COL(FLAGS) | WCP_COL(SM) |
		     unit_columns(s->by);
	if (s->ages)
		c |= WCP_COL(KERNEL) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(SLOT) | WCP_COL(PC);
	return c;
}

static void
release(struct level *l)
{
	struct timed *d = (struct timed *)l;
	void *column[] = {
	    d->work.at, d->work.number, d->work.copy, d->work.kind, d->work.result, d->turn};
	ports_release(d);
	order_release(&d->order);
	series_close(&d->series, NULL);
	ages_release(&d->ages);
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		free(column[i]);
	level_release(l);
	free(d);
}

static struct wcp_nb_options
options_of(const struct settings *s)
{
	struct wcp_nb_options o = s->time;
	o.index = s->cache.index;
	o.ways = s->cache.ways;
	o.sector_bytes = s->cache.sector_bytes;
	o.replacement = s->cache.replacement;
	o.global_write = s->cache.global_write;
	o.local_write = s->cache.local_write;
	o.bypass_uncached = s->cache.bypass_uncached;
	o.seed = s->cache.seed;
	if (s->run_as == RUN_UNBOUNDED) {
		o.ways = o.mshr_entries = o.mshr_merges = o.miss_queue = 0;
		o.replacement = WCP_LRU;
	}
	return o;
}

static struct level *
make(const struct settings *s, struct wcp_error *e)
{
	struct timed *d = must_have(NULL, sizeof *d);
	memset(d, 0, sizeof *d);
	level_init(&d->level, &level_timed, s);
	d->options = options_of(s);
	d->passes = s->passes;
	d->pass_all = s->pass_all;
	d->pass_fills = s->passes && s->pass_fills && !s->pass_all;
	d->free_request = UINT32_MAX;
	wcp_access_batch_init(&d->store);
	order_init(&d->order);
	ages_init(&d->ages, s->ages);
	struct wcp_nbcache *probe = wcp_nbcache_new(&d->options, e);
	bool ok = probe && !wcp_slice_init(&d->slice, &s->slice, e) &&
		  !series_open(&d->series, s->series, s->interval, e);
	wcp_nbcache_free(probe);
	if (!ok) {
		release(&d->level);
		return NULL;
	}
	port_make(d, s->shared ? s->slice.slices : 0);
	return &d->level;
}

/* ---- when an access arrives --------------------------------------------------------------------
 */

/* Without time an access comes when its SM's turn has come, one a cycle, but not before the ones
 * that stand before it. */
static uint64_t
take_turn(struct timed *d, uint16_t sm)
{
	if (sm >= d->n_turn) {
		uint32_t n = sm + 64u;
		d->turn = must_have(d->turn, n * sizeof *d->turn);
		memset(d->turn + d->n_turn, 0, (n - d->n_turn) * sizeof *d->turn);
		d->n_turn = n;
	}
	uint64_t t = d->turn[sm] > d->arrived ? d->turn[sm] : d->arrived;
	d->turn[sm] = t + 1;
	return t;
}

/* A record of a stream without time has its number for a cycle; those that a level made itself tell
 * nothing. */
static void
look_for_time(struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	if (!(b->id[at] >> 63) && b->id[at] != b->cycle[at])
		d->has_time = true;
}

static uint64_t
arrival(struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	if (!d->has_time)
		look_for_time(d, b, at);
	uint64_t t = d->has_time ? b->cycle[at] : take_turn(d, b->sm[at]);
	if (t < d->arrived) {
		d->counts.early++;
		t = d->arrived;
	}
	d->arrived = t;
	if (d->furthest > TIMED_SKEW && t < d->furthest - TIMED_SKEW)
		t = d->furthest - TIMED_SKEW;
	return t;
}

/* No access that is still to come is accepted before this cycle. */
static uint64_t
horizon(const struct timed *d)
{
	uint64_t least = d->furthest > TIMED_SKEW ? d->furthest - TIMED_SKEW : 0;
	return d->arrived > least ? d->arrived : least;
}

/* ---- an access
 * ----------------------------------------------------------------------------------- */

static void
store_record(struct timed *d, uint32_t handle, const struct wcp_access_batch *b, uint32_t at)
{
	struct wcp_access_batch *s = &d->store;
	s->cycle[handle] = b->cycle[at];
	s->sm[handle] = b->sm[at];
	s->kernel[handle] = b->kernel[at];
	s->cta[handle] = b->cta[at];
	s->warp[handle] = b->warp[at];
	s->slot[handle] = b->slot[at];
	s->pc[handle] = b->pc[at];
	s->line[handle] = b->line[at];
	s->sectors[handle] = b->sectors[at];
	s->lanes[handle] = b->lanes[at];
	s->kind[handle] = b->kind[at];
	s->space[handle] = b->space[at];
	s->flags[handle] = b->flags[at];
	s->id[handle] = b->id[at];
	s->outcome[handle] = b->outcome[at];
	s->tag[handle] = b->tag[at];
	s->victim[handle] = b->victim[at];
	s->victim_owner[handle] = b->victim_owner[at];
	s->bytes[handle] = b->bytes[at];
}

static uint8_t
result_bits(const struct wcp_nb_result *r)
{
	return (uint8_t)(r->outcome | (r->bits & WCP_NB_PRESENT ? WCP_CACHE_PRESENT : 0) |
			 (r->bits & WCP_NB_SENT ? WCP_CACHE_PASS : 0) |
			 (r->bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0) |
			 (r->bits & WCP_NB_DIRTY ? WCP_CACHE_DIRTY : 0));
}

/* The port tries each cycle; cycles in which nothing happens are only counted. Returns the cycle in
 * which it was accepted, NEVER for an access that never can be. */
static uint64_t
offer(
    struct timed *d, struct port *p, struct wcp_nb_access *a, uint32_t row, struct wcp_nb_result *r)
{
	uint64_t t = a->cycle;
	int cause;
	port_advance(d, p, t);
	while ((cause = wcp_nbcache_access(p->cache, a, r)) > 0) {
		uint64_t next = cause == WCP_NB_PORT ? t + 1 : port_next(p);
		if (next == NEVER)
			return NEVER;
		wcp_nbcache_refused(p->cache, (enum wcp_nb_fail)cause, next - t - 1);
		d->counts.refused_cycles += next - t;
		series_refused(&d->series, t, next, (enum wcp_nb_fail)cause);
		if (d->ages.wanted)
			d->ages.row[row].stall_cycles += next - t;
		t = next;
		a->cycle = t;
		a->again = true;
		port_advance(d, p, t);
	}
	return cause < 0 ? NEVER : t;
}

/* What the request leaves behind: a record that waits to be passed on, an answer to wait for. */
static void
remember(struct timed *d, struct port *p, const struct wcp_access_batch *b, uint32_t at,
    uint32_t handle, uint32_t row, uint64_t cycle, const struct wcp_nb_result *r)
{
	struct request *q = &d->request[handle];
	bool sends = r->bits & WCP_NB_SENT, waits = r->bits & WCP_NB_WAITS;
	uint8_t refs = (uint8_t)(waits + (d->passes && (d->pass_all || sends)) +
				 (d->pass_fills && sends && waits));
	if (!refs)
		return;
	for (uint8_t i = 0; i < refs; i++)
		request_keep(d, handle);
	q->accepted = cycle;
	q->result = result_bits(r);
	q->victim = r->victim.line;
	q->victim_owner = r->victim.owner;
	q->row = row;
	q->took = r->outcome == WCP_OUT_MISS;
	if (!d->passes)
		return;
	if (r->bits & WCP_NB_VICTIM && d->level.set->slice.slices > 1)
		q->victim = wcp_slice_address(&d->slice, (uint16_t)(p - d->port), r->victim.line);
	store_record(d, handle, b, at);
	if (d->pass_all)
		order_add(&d->order, cycle,
		    &(struct departure){.handle = handle,
			.port = (uint32_t)(p - d->port),
			.sm = b->sm[at],
			.type = LEAVE_OUTCOME});
}

static void
count(struct timed *d, struct port *p, uint64_t cycle, const struct wcp_nb_result *r, uint32_t row,
    bool first)
{
	bool took = r->outcome == WCP_OUT_MISS, merged = r->outcome == WCP_OUT_PENDING;
	if (d->series.out) {
		struct interval *v = series_at(&d->series, cycle);
		v->accesses += r->outcome != WCP_OUT_BYPASS && r->outcome != WCP_OUT_NONE;
		v->hits += (r->bits & WCP_NB_PRESENT) != 0;
		v->merges += merged;
		v->misses += took || r->outcome == WCP_OUT_SECTOR;
		v->mshrs_peak = p->mshrs > v->mshrs_peak ? p->mshrs : v->mshrs_peak;
	}
	if (d->ages.wanted) {
		struct age_row *a = &d->ages.row[row];
		a->insns += first;
		a->accesses++;
		a->misses += took;
		a->merges += merged;
	}
}

static void
tell_tally(struct timed *d, const struct wcp_access_batch *b, uint32_t at, uint32_t copy,
    const struct wcp_nb_result *r)
{
	struct work *w = &d->work;
	uint32_t i = w->n++;
	w->at[i] = at;
	w->number[i] = b->line[at] >> __builtin_ctz(d->options.index.line_bytes);
	w->copy[i] = (uint16_t)copy;
	w->kind[i] = b->kind[at];
	w->result[i] = result_bits(r);
}

static int
take(struct timed *d, const struct wcp_access_batch *b, uint32_t at, struct wcp_error *e)
{
	const struct settings *s = d->level.set;
	uint64_t line = b->line[at] & ~(uint64_t)(d->options.index.line_bytes - 1), in_slice = line;
	uint16_t copy = s->shared ? 0 : b->sm[at];
	uint64_t arrived = arrival(d, b, at);
	if (s->slice.slices > 1)
		wcp_slice_run(&d->slice, &line, 1, &copy, &in_slice);
	if (copy >= d->ports)
		port_make(d, copy + 1u);
	struct port *p = &d->port[copy];
	struct wcp_nb_result r;
	uint32_t row = d->ages.wanted ? ages_row(&d->ages, b, at) : 0, handle = request_new(d);
	struct wcp_nb_access a = {.line = in_slice,
	    .cycle = arrived > p->now ? arrived : p->now,
	    .handle = handle,
	    .owner = d->passes ? pass_owner(b, at) : 0,
	    .sectors = pass_model_sectors(&s->cache, b->line[at], b->sectors[at]),
	    .flags = b->flags[at],
	    .kind = b->kind[at],
	    .space = b->space[at],
	    .route = s->run_as == RUN_BYPASS_ALL ? WCP_NB_AROUND : WCP_NB_LOOKUP};
	uint64_t t = offer(d, p, &a, row, &r);
	if (t == NEVER)
		return wcp_fail(e, WCP_ESYS, "an access waits for ever");
	uint32_t messages = (r.bits & WCP_NB_SENT ? 1u : 0u) + (r.bits & WCP_NB_DIRTY ? 1u : 0u);
	port_sent(p, messages, t);
	if (r.bits & WCP_NB_WAITS) {
		port_count_mshrs(d, p, t);
		p->mshrs = wcp_nbcache_mshrs(p->cache);
	}
	p->now = t + 1;
	p->kernel = d->passes ? b->kernel[at] : 0;
	d->furthest = p->now > d->furthest ? p->now : d->furthest;
	d->last = t > d->last ? t : d->last;
	d->first = d->any ? d->first : t;
	d->any = true;
	d->counts.delay_cycles += t - arrived;
	remember(d, p, b, at, handle, row, t, &r);
	count(d, p, t, &r, row, b->flags[at] & WCP_ACCESS_FIRST);
	tell_tally(d, b, at, copy, &r);
	return 0;
}

/* One that is not looked up: it has no time here, and is passed on only among all. */
static void
pass_by(struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	d->counts.other_spaces++;
	if (!d->pass_all)
		return;
	uint32_t handle = request_new(d);
	uint64_t cycle = arrival(d, b, at);
	request_keep(d, handle);
	store_record(d, handle, b, at);
	order_add(&d->order, cycle,
	    &(struct departure){
		.handle = handle, .port = UINT32_MAX, .sm = b->sm[at], .type = LEAVE_RECORD});
}

static void
reserve(struct work *w, uint32_t n)
{
	w->n = 0;
	if (n <= w->cap)
		return;
	w->cap = n + n / 2;
	w->at = must_have(w->at, w->cap * sizeof *w->at);
	w->number = must_have(w->number, w->cap * sizeof *w->number);
	w->copy = must_have(w->copy, w->cap * sizeof *w->copy);
	w->kind = must_have(w->kind, w->cap * sizeof *w->kind);
	w->result = must_have(w->result, w->cap * sizeof *w->result);
}

/* All ports come up to the horizon, so that nothing before it is still to come. */
static void
settle(struct timed *d, uint64_t until, struct wcp_access_batch *out)
{
	if (!out && !d->series.out)
		return;
	for (uint32_t i = 0; until && i < d->ports; i++) {
		port_advance(d, &d->port[i], until - 1);
		if (d->series.out && until > d->port[i].mshrs_from)
			port_count_mshrs(d, &d->port[i], until);
	}
	if (out)
		timed_emit(d, until, out);
	series_until(&d->series, until);
}

/* Private caches are many, and an access finds its own no longer in the processor's. */
static void
expect(const struct timed *d, const struct wcp_access_batch *b, uint32_t at)
{
	if (at < b->n && !d->level.set->shared && b->sm[at] < d->ports)
		wcp_nbcache_expect(d->port[b->sm[at]].cache, b->line[at]);
}

static int
run(struct level *l, const struct wcp_access_batch *b, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	struct work *w = &d->work;
	int status = 0;
	reserve(w, b->n);
	ages_batch(&d->ages, l->tally.reader, b);
	for (uint32_t at = 0; at < b->n && !status; at++) {
		expect(d, b, at + AHEAD);
		if (!(l->set->spaces >> (b->space[at] & 31) & 1) || b->kind[at] == WCP_FILL) {
			pass_by(d, b, at);
			continue;
		}
		status = pass_check(l, b, at, e);
		if (!status)
			status = take(d, b, at, e);
	}
	tally_add(&l->tally, b,
	    &(struct tally_batch){w->n, w->at, w->number, w->copy, w->kind, w->result});
	settle(d, horizon(d), out);
	return status;
}

/* ---- in the order of time
 * ------------------------------------------------------------------------ */

static void
emit(struct timed *d, const struct departure *v, uint64_t cycle, struct wcp_access_batch *out)
{
	const struct request *q = &d->request[v->handle];
	struct pass_result r = {.result = v->type == LEAVE_WRITE_BACK ? 0 : q->result,
	    .missing = v->sectors,
	    .victim = q->victim,
	    .victim_owner = q->victim_owner};
	switch ((enum leaving)v->type) {
	case LEAVE_WRITE_BACK: {
		struct wcp_cache_line line = {v->line, v->sectors, v->owner, v->port};
		pass_write_back(&d->level, out, &line, cycle, v->kernel);
		return;
	}
	case LEAVE_OUTCOME: pass_outcome(&d->level, out, &d->store, v->handle, &r); break;
	case LEAVE_MISS: pass_miss(&d->level, out, &d->store, v->handle, v->line, &r); break;
	case LEAVE_FILL:
		pass_fill(&d->level, out, &d->store, v->handle, v->line, v->sectors);
		break;
	case LEAVE_RECORD: pass_record(out, &d->store, v->handle); break;
	}
	out->cycle[out->n - 1] = cycle;
	request_drop(d, v->handle);
}

void
timed_emit(struct timed *d, uint64_t before, struct wcp_access_batch *out)
{
	struct departure v;
	uint64_t cycle;
	while (order_next(&d->order, before, &cycle, &v))
		emit(d, &v, cycle, out);
}

/* Everything in flight comes home; the first cycle after that. */
static uint64_t
drain(struct timed *d)
{
	uint64_t end = d->any ? d->furthest : 0;
	for (uint32_t i = 0; i < d->ports; i++) {
		struct port *p = &d->port[i];
		uint64_t next;
		while ((next = port_next(p)) != NEVER) {
			port_advance(d, p, next);
			end = next + 1 > end ? next + 1 : end;
		}
	}
	return end;
}

static void
start_over(struct timed *d, uint64_t cycle)
{
	for (uint32_t i = 0; i < d->ports; i++)
		d->port[i].now = cycle;
	d->furthest = d->arrived = cycle;
}

/* A kernel ends when all it sent for has come; emptied caches then send a dirty line a cycle. */
static int
kernel_end(struct level *l, const struct wcp_kernel_end *end, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	uint64_t drained = drain(d), over = drained;
	(void)e;
	for (uint32_t i = 0; l->set->invalidate && i < d->ports; i++) {
		struct port *p = &d->port[i];
		p->kernel = end->kernel;
		uint64_t done = port_invalidate(d, p, drained);
		over = done > over ? done : over;
	}
	start_over(d, over);
	settle(d, over, out);
	return 0;
}

static int
finish(struct level *l, struct wcp_access_batch *out, struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	uint64_t over = drain(d);
	start_over(d, over);
	settle(d, over, out);
	if (d->ages.wanted)
		unit_sources(&d->ages.pc, l->tally.reader);
	return series_close(&d->series, e);
}

const struct level_type level_timed = {
    columns, make, run, kernel_end, finish, timed_report, release};

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
	if (s->vta_entries)
		c |= WCP_COL(SLOT) | WCP_COL(WARP);
	if (s->ages)
		c |= WCP_COL(KERNEL) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(SLOT) | WCP_COL(PC);
	return c;
}

static void
release(struct level *l)
{
	struct timed *d = (struct timed *)l;
	void *column[] = {d->work.due, d->work.other_due, d->work.result, d->work.note, d->turn};
	second_thread_free(d->second);
	ports_release(d);
	pick_release(&d->pick);
	watch_free(d->watch);
	beside_free(d->beside);
	order_release(&d->order);
	series_close(&d->series, NULL);
	ages_release(&d->ages);
	stretch_release(&d->stretch);
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

/* Scenarios are levels of their own here. */
static bool
watch_made(struct timed *d, const struct settings *s, struct wcp_error *e)
{
	d->has_owners = s->passes || s->vta_entries;
	if (s->classes || s->vta_entries)
		d->watch = watch_new(s, e);
	d->beside = beside_new(s, e);
	return !d->watch == !(s->classes || s->vta_entries) && !d->beside == !s->scenarios;
}

static struct level *
make(const struct settings *s, struct wcp_error *e)
{
	struct timed *d = must_alloc(NULL, sizeof *d);
	memset(d, 0, sizeof *d);
	level_init(&d->level, &level_timed, s);
	d->options = options_of(s);
	d->passes = s->passes;
	d->plays = play_can(s);
	d->second = d->plays && s->threads > 1 ? second_thread_new() : NULL;
	d->route = s->run_as == RUN_BYPASS_ALL ? WCP_NB_AROUND : WCP_NB_LOOKUP;
	d->pass_all = s->pass_all;
	d->pass_fills = s->passes && s->pass_fills && !s->pass_all;
	d->free_request = UINT32_MAX;
	pick_init(&d->pick, false);
	wcp_access_batch_init(&d->store);
	order_init(&d->order);
	ages_init(&d->ages, s->ages);
	struct wcp_nbcache *probe = wcp_nbcache_new(&d->options, e);
	bool ok = probe && !wcp_slice_init(&d->slice, &s->slice, e) &&
		  !series_open(&d->series, s->series, s->interval, e);
	wcp_nbcache_free(probe);
	ok = ok && watch_made(d, s, e);
	if (!ok) {
		release(&d->level);
		return NULL;
	}
	port_make(d, s->shared ? s->slice.slices : 0);
	return &d->level;
}

/* ---- an access ------------------------------------------------------------------------------- */

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

/* One that was refused tries each cycle; cycles in which nothing happens are only counted. Returns
 * the cycle in which it was accepted, NEVER for an access that never can be. */
static uint64_t
insist(struct timed *d, struct port *p, struct wcp_nb_access *a, int cause, uint32_t row,
    struct wcp_nb_result *r)
{
	uint64_t t = a->cycle;
	a->again = true;
	for (; cause > 0; cause = wcp_nbcache_access(p->cache, a, r)) {
		uint64_t next = cause == WCP_NB_PORT ? t + 1 : p->next;
		if (next == NEVER)
			return NEVER;
		wcp_nbcache_refused(p->cache, (enum wcp_nb_fail)cause, next - t - 1);
		d->counts.refused_cycles += next - t;
		series_refused(&d->series, t, next, (enum wcp_nb_fail)cause);
		if (d->ages.wanted)
			d->ages.row[row].stall_cycles += next - t;
		t = a->cycle = next;
		port_advance(d, p, t);
	}
	if (cause < 0)
		out_of_memory();
	return t;
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

/* What a port's time is told of an access accepted at t that arrived then. */
static inline void
keep_time(struct timed *d, struct port *p, uint64_t arrived, uint64_t t)
{
	p->now = t + 1;
	if (p->now > d->furthest) {
		d->furthest = p->now;
		d->least = p->now > TIMED_SKEW ? p->now - TIMED_SKEW : 0;
	}
	d->last = t > d->last ? t : d->last;
	d->counts.delay_cycles += t - arrived;
}

static void
changed(struct timed *d, struct port *p, uint64_t t, const struct wcp_nb_result *r)
{
	uint32_t messages = (r->bits & WCP_NB_SENT ? 1u : 0u) + (r->bits & WCP_NB_DIRTY ? 1u : 0u);
	if (messages)
		port_sent(p, messages, t);
	if (r->bits & WCP_NB_WAITS) {
		port_count_mshrs(d, p, t);
		p->mshrs = wcp_nbcache_mshrs(p->cache);
	}
}

/* Access k of those picked. */
static int
take(struct timed *d, const struct wcp_access_batch *b, uint32_t k, struct wcp_error *e)
{
	const struct pick *w = &d->pick;
	uint32_t at = w->at[k], handle = request_new(d);
	uint32_t row = d->ages.wanted ? ages_row(&d->ages, b, at) : 0;
	struct port *p = &d->port[w->copy[k]];
	uint64_t arrived = d->work.due[k] > d->least ? d->work.due[k] : d->least;
	uint64_t t = arrived > p->now ? arrived : p->now;
	struct wcp_nb_result r;
	struct wcp_nb_access a = {.line = w->place[k],
	    .cycle = t,
	    .handle = handle,
	    .owner = d->has_owners ? pass_owner(b, at) : 0,
	    .sectors = w->sectors ? w->sectors[k] : 0,
	    .flags = w->flags[k],
	    .kind = w->kind[k],
	    .space = w->space[k],
	    .route = d->route};
	if (p->next <= t)
		port_advance(d, p, t);
	int cause = wcp_nbcache_access(p->cache, &a, &r);
	if (cause && (t = insist(d, p, &a, cause, row, &r)) == NEVER)
		return wcp_fail(e, WCP_EDATA, "an access waits for ever");
	keep_time(d, p, arrived, t);
	d->work.result[k] = result_bits(&r);
	if (d->passes)
		p->kernel = b->kernel[at];
	if (r.bits != WCP_NB_PRESENT)
		changed(d, p, t, &r);
	if (d->level.set->vta_entries)
		victims_access(d, p, k, a.owner, &r);
	if (d->level.set->counts_passed && r.bits & WCP_NB_SENT && !(r.bits & WCP_NB_WAITS))
		d->counts.passed_bytes +=
		    (uint32_t)__builtin_popcount(b->sectors[at]) * WCP_SECTOR_BYTES;
	if (r.bits != WCP_NB_PRESENT || d->pass_all)
		remember(d, p, b, at, handle, row, t, &r);
	if (d->series.out || d->ages.wanted)
		count(d, p, t, &r, row, b->flags[at] & WCP_ACCESS_FIRST);
	return 0;
}

/* One that is not looked up: it has no time here, and is passed on only among all. */
static void
pass_by(struct timed *d, const struct wcp_access_batch *b, uint32_t other)
{
	uint32_t handle = request_new(d), at = d->pick.other[other];
	uint64_t due = d->work.other_due[other];
	request_keep(d, handle);
	store_record(d, handle, b, at);
	order_add(&d->order, due > d->least ? due : d->least,
	    &(struct departure){
		.handle = handle, .port = UINT32_MAX, .sm = b->sm[at], .type = LEAVE_RECORD});
}

static void
reserve(struct work *w, uint32_t n)
{
	if (n <= w->cap)
		return;
	w->cap = n + n / 2;
	w->due = must_alloc(w->due, w->cap * sizeof *w->due);
	w->other_due = must_alloc(w->other_due, w->cap * sizeof *w->other_due);
	w->result = must_alloc(w->result, w->cap * sizeof *w->result);
	w->note = must_alloc(w->note, w->cap * sizeof *w->note);
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

/* Are the caches together more than the processor's? */
static bool
is_far(const struct timed *d)
{
	/* A line's tag, state, owner and place in the order of its set are about so much. */
	enum { NEAR_BYTES = 1 << 20, LINE_STATE_BYTES = 40 };
	return d->ports * d->options.index.sets * d->options.ways > NEAR_BYTES / LINE_STATE_BYTES;
}

static int
take_all(struct timed *d, const struct wcp_access_batch *b, struct wcp_error *e)
{
	const struct pick *w = &d->pick;
	uint32_t other = 0, others = d->pass_all ? w->n_other : 0;
	bool far = is_far(d);
	int status = 0;
	for (uint32_t k = 0; k < w->n && !status; k++) {
		uint32_t later = k + AHEAD;
		if (far && later < w->n)
			wcp_nbcache_expect(d->port[w->copy[later]].cache, w->place[later]);
		for (; other < others && w->other[other] < w->at[k]; other++)
			pass_by(d, b, other);
		status = take(d, b, k, e);
	}
	for (; other < others && !status; other++)
		pass_by(d, b, other);
	return status;
}

static int
run(struct level *l, const struct wcp_access_batch *b, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	const struct pick *w = &d->pick;
	reserve(&d->work, b->n);
	ages_batch(&d->ages, l->tally.reader, b);
	int status = pick_run(&d->pick, l, &d->slice, b, e);
	if (status)
		return status;
	d->counts.other_spaces += w->n_other;
	port_make(d, w->copies);
	arrive(d, b);
	if (w->n && !d->any)
		d->first = d->work.due[0];
	d->any = d->any || w->n;
	if (d->watch)
		memset(d->work.note, 0, w->n);
	status = d->plays ? play_all(d, e) : take_all(d, b, e);
	if (!status && d->watch)
		status = classes_run(d, b, e);
	if (!status)
		status = beside_run(d->beside, b, e);
	tally_add(&l->tally, b,
	    &(struct tally_batch){w->n, w->at, w->line,
		(unsigned)__builtin_ctz(l->set->cache.index.line_bytes), w->copy, w->kind,
		d->work.result, d->watch ? d->work.note : NULL});
	settle(d, horizon(d), out);
	return status;
}

/* ---- in the order of time -------------------------------------------------------------------- */

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
		uint64_t played = p->play ? wcp_nbplay_drain(p->play) : 0;
		end = played > end ? played : end;
		while (p->next != NEVER) {
			end = p->next + 1 > end ? p->next + 1 : end;
			port_advance(d, p, p->next);
		}
	}
	return end;
}

static void
start_over(struct timed *d, uint64_t cycle)
{
	for (uint32_t i = 0; i < d->ports; i++) {
		d->port[i].now = cycle;
		if (d->port[i].play)
			wcp_nbplay_set_now(d->port[i].play, cycle);
	}
	d->furthest = d->arrived = cycle;
	d->least = cycle > TIMED_SKEW ? cycle - TIMED_SKEW : 0;
}

/* A kernel ends when all it sent for has come; emptied caches then send a dirty line a cycle. */
static int
kernel_end(struct level *l, const struct wcp_kernel_end *end, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	uint64_t drained = drain(d), over = drained;
	if (d->watch && l->set->invalidate)
		watch_invalidate(d->watch);
	for (uint32_t i = 0; l->set->invalidate && i < d->ports; i++) {
		struct port *p = &d->port[i];
		p->kernel = end->kernel;
		uint64_t done = port_invalidate(d, p, drained);
		over = done > over ? done : over;
	}
	start_over(d, over);
	settle(d, over, out);
	return beside_kernel_end(d->beside, end, e);
}

static int
finish(struct level *l, struct wcp_access_batch *out, struct wcp_error *e)
{
	struct timed *d = (struct timed *)l;
	uint64_t over = drain(d);
	start_over(d, over);
	settle(d, over, out);
	play_finish(d);
	if (d->ages.wanted)
		unit_sources(&d->ages.pc, l->tally.reader);
	int closed = series_close(&d->series, e);
	return closed ? closed : beside_finish(d->beside, e);
}

const struct level_type level_timed = {
    columns, make, run, kernel_end, finish, timed_report, release};

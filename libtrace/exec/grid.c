/*
 * The CTAs of a launch. Work is dealt in items of a few CTAs; an item's batches are handed to the
 * sink when all before it have been, so that nothing depends on the number of threads. The item
 * whose turn it is never waits; another one waits when it has queued too much.
 *
 * Kernels whose outcome depends on the order of CTAs run them one after the other in the caller's
 * thread; one that waits for memory lets others begin and goes on in its turn.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "exec/device.h"

#define ITEM_WARPS_MIN	  64u
#define ITEM_WARPS_MAX	  1024u
#define ITEMS_WANTED	  128u
#define ITEMS_PER_THREAD  8u
#define QUEUE_RECORDS_MAX (4u << 20)
#define IDLE_LAPS_MAX	  64u
#define RING_COUNTS_MAX	  2048u	 /* more CTAs than a GPU has side by side wait for no other */
#define RING_WARPS_MAX	  16384u /* nor more warps */
#define BESIDE_INSNS	  (1u << 16)
#define THREADS_MAX	  256u
#define BATCHES_KEPT	  16u
#define TEXT_MAX	  65536u

struct queued {
	struct queued *next;
	struct wcp_warp_batch batch;
	struct exec_output out;
};

struct item {
	uint64_t number;
	struct queued *first, *last;
	uint64_t queued_records;
	struct exec_counts counts;
	int status;
	enum wcp_fault fault;
	struct wcp_error error;
	bool done;
};

struct grid {
	struct wcp_device *device;
	const struct exec_run *run;
	bool record;
	uint32_t item_clusters;
	uint64_t clusters;
	uint64_t items, next, turn;
	struct item *item; /* [window], by number modulo window */
	uint32_t window;
	struct queued *spare;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	pthread_t owner; /* the launching thread: the only one that polls */
	uint64_t polled;
	bool stop;
	/* touched by whose turn it is */
	struct exec_counts total;
	uint64_t position; /* thread instructions before the next segment */
	struct wcp_warp_batch part;
	int status;
	struct wcp_error error;
};

struct worker {
	struct grid *grid;
	struct window *cache;
	struct cluster *cluster;
	struct queued *batch;
	bool caller;
	uint64_t unseen_insns; /* since the host beside the launch was let go on */
	pthread_t thread;
};

/* ---- handing over ---- */

/* Lanes that segment s executed, guards counted. */
static uint64_t
segment_insns(const struct exec_run *run, const struct wcp_warp_batch *b, uint32_t s)
{
	const struct wcp_program *p = &run->code->program;
	uint32_t guard = b->seg_guard[s];
	uint64_t n = 0;
	for (uint32_t r = b->seg_run[s]; r < b->seg_run[s + 1]; r++)
		for (uint32_t k = 0; k < b->run_len[r]; k++) {
			bool guarded = p->insn[b->run_pc[r] + k].flags & WCP_INSN_GUARDED;
			n += (unsigned)__builtin_popcount(
			    guarded ? b->guard_mask[guard] : b->run_mask[r]);
			guard += guarded;
		}
	return n;
}

static int
sink_warp(struct grid *g, const struct wcp_warp_batch *b)
{
	const struct wcp_sink *s = &g->device->options.sink;
	return b->n_seg && s->warp ? s->warp(s->arg, b, &g->error) : 0;
}

static uint64_t
segment_warp_insns(const struct wcp_warp_batch *b, uint32_t s)
{
	uint64_t n = 0;
	for (uint32_t r = b->seg_run[s]; r < b->seg_run[s + 1]; r++)
		n += b->run_len[r];
	return n;
}

/* Only segments that begin in the part of the launch that is wanted. */
static int
hand_part(struct grid *g, const struct wcp_warp_batch *b)
{
	const struct wcp_device_options *o = &g->device->options;
	const uint64_t first = o->record_skip_insns;
	const uint64_t last = o->record_max_insns ? first + o->record_max_insns : UINT64_MAX;
	uint64_t warp_insns = 0, thread_insns = 0;
	wcp_warp_batch_clear(&g->part);
	g->part.kernel = b->kernel;
	for (uint32_t s = 0; s < b->n_seg; s++) {
		/* alternatives count for nothing */
		const uint64_t n = b->seg_alt[s] ? 0 : segment_insns(g->run, b, s);
		if (g->position >= first && g->position < last) {
			if (wcp_warp_batch_append(&g->part, b, s, 1))
				return wcp_fail(&g->error, WCP_ESYS, "out of memory");
			thread_insns += n;
			warp_insns += b->seg_alt[s] ? 0 : segment_warp_insns(b, s);
		}
		g->position += n;
	}
	g->part.warp_insns = warp_insns;
	g->part.thread_insns = thread_insns;
	return sink_warp(g, &g->part);
}

static int
hand_over(struct grid *g, const struct wcp_warp_batch *b)
{
	const struct wcp_device_options *o = &g->device->options;
	return o->record_skip_insns || o->record_max_insns ? hand_part(g, b) : sink_warp(g, b);
}

static void
print(const struct grid *g, const struct exec_output *out)
{
	const struct wcp_device_options *o = &g->device->options;
	for (unsigned i = 0; i < 2 && o->print; i++)
		if (out->text[i].n)
			o->print(o->print_arg, i == 1, out->text[i].at, out->text[i].n);
}

static struct queued *
new_batch(struct grid *g)
{
	pthread_mutex_lock(&g->lock);
	struct queued *q = g->spare;
	if (q)
		g->spare = q->next;
	pthread_mutex_unlock(&g->lock);
	if (!q && (q = calloc(1, sizeof *q)))
		wcp_warp_batch_init(&q->batch);
	if (!q)
		return NULL;
	wcp_warp_batch_clear(&q->batch);
	q->out.text[0].n = q->out.text[1].n = 0;
	q->batch.kernel = g->run->kernel;
	q->next = NULL;
	return q;
}

static void
give_back(struct grid *g, struct queued *q)
{
	pthread_mutex_lock(&g->lock);
	q->next = g->spare;
	g->spare = q;
	pthread_mutex_unlock(&g->lock);
}

static void
fail_grid(struct grid *g, int status, const struct wcp_error *e)
{
	if (!g->status) {
		g->status = status;
		if (e)
			g->error = *e;
	}
	g->stop = true;
}

/* Hands over what an item has queued; it is the item's turn and the lock is held on entry and
 * return. */
static void
drain(struct grid *g, struct item *it)
{
	while (it->first && !g->stop) {
		struct queued *q = it->first;
		it->first = q->next;
		pthread_mutex_unlock(&g->lock);
		const int r = hand_over(g, &q->batch);
		print(g, &q->out);
		give_back(g, q);
		pthread_mutex_lock(&g->lock);
		if (r)
			fail_grid(g, r, NULL);
	}
	if (!it->first)
		it->last = NULL;
	it->queued_records = 0;
}

/* The item that had its turn is over: the next ones may be over too. */
static void
advance(struct grid *g)
{
	for (;;) {
		struct item *it = &g->item[g->turn % g->window];
		if (it->number != g->turn || !it->done || g->stop)
			break;
		drain(g, it);
		g->total.warp_insns += it->counts.warp_insns;
		g->total.thread_insns += it->counts.thread_insns;
		g->total.mem_insns += it->counts.mem_insns;
		g->total.ctas += it->counts.ctas;
		if (it->status) {
			g->device->fault = g->status ? g->device->fault : it->fault;
			fail_grid(g, it->status, &it->error);
		} else if (g->run->max_insns && g->total.thread_insns > g->run->max_insns) {
			struct wcp_error e;
			wcp_fail(&e, WCP_ENO, "kernel '%s': more than %llu thread instructions",
			    g->run->code->name, (unsigned long long)g->run->max_insns);
			g->device->fault = WCP_FAULT_LIMIT;
			fail_grid(g, WCP_ENO, &e);
		}
		it->number = UINT64_MAX;
		g->turn++;
	}
	pthread_cond_broadcast(&g->moved);
}

/* A worker's batch joins its item's queue; at its turn it goes out at once. */
static void
enqueue(struct worker *w, struct item *it)
{
	struct grid *g = w->grid;
	const struct wcp_warp_batch *b = &w->batch->batch;
	const struct exec_text *text = w->batch->out.text;
	if (!b->n_seg && !text[0].n && !text[1].n)
		return;
	pthread_mutex_lock(&g->lock);
	it->queued_records += b->n_run + b->n_mem + b->n_addr + text[0].n + text[1].n;
	if (it->last)
		it->last->next = w->batch;
	else
		it->first = w->batch;
	it->last = w->batch;
	while (g->turn != it->number && it->queued_records > QUEUE_RECORDS_MAX && !g->stop)
		pthread_cond_wait(&g->moved, &g->lock);
	if (g->turn == it->number)
		drain(g, it);
	pthread_mutex_unlock(&g->lock);
	w->batch = new_batch(g);
	if (!w->batch) {
		pthread_mutex_lock(&g->lock);
		fail_grid(g, wcp_fail(&g->error, WCP_ESYS, "out of memory"), NULL);
		pthread_mutex_unlock(&g->lock);
	}
}

/* ---- running ---- */

static bool
is_recorded(const struct grid *g, uint64_t cta)
{
	const struct wcp_device_options *o = &g->device->options;
	if (!g->record)
		return false;
	if (!o->record_ctas && !o->record_cta_first && !o->record_cta_last)
		return true;
	return cta >= o->record_cta_first && cta <= o->record_cta_last;
}

static void
poll(struct worker *w)
{
	struct grid *g = w->grid;
	const struct wcp_sink *s = &g->device->options.sink;
	if (!w->caller || !s->poll)
		return;
	pthread_mutex_lock(&g->lock);
	const struct exec_counts so_far = g->total;
	pthread_mutex_unlock(&g->lock);
	if (!s->poll(s->arg, so_far.thread_insns, so_far.ctas, g->run->ctas))
		return;
	struct wcp_error e;
	wcp_fail(&e, WCP_ENO, "kernel '%s': interrupted", g->run->code->name);
	pthread_mutex_lock(&g->lock);
	fail_grid(g, WCP_ENO, &e);
	pthread_cond_broadcast(&g->moved);
	pthread_mutex_unlock(&g->lock);
}

static bool
stopped(struct grid *g)
{
	pthread_mutex_lock(&g->lock);
	const bool stop = g->stop;
	pthread_mutex_unlock(&g->lock);
	return stop;
}

static void
finish_cta(struct cta *c, enum cta_state s, struct item *it)
{
	exec_cta_count(c, &it->counts);
	it->counts.ctas += s == CTA_DONE;
	if (s != CTA_FAULT || it->status)
		return;
	it->fault = exec_fault_class(c->faulted);
	exec_describe_fault(c, c->faulted, &it->error);
	it->status = it->error.status;
}

static void
begin_cluster(struct grid *g, struct cluster *k, uint64_t number)
{
	k->left = k->n;
	for (uint32_t r = 0; r < k->n; r++) {
		const uint64_t linear = exec_cluster_cta(g->run, number, r);
		exec_cta_begin(k->cta[r], linear, is_recorded(g, linear));
	}
}

static bool
is_over(const struct cta *c)
{
	return c->n_ended == c->n_warps;
}

static void
waits_for_ever(struct cta *c)
{
	c->faulted = c->warp[0];
	c->faulted->fault = (struct fault){FAULT_LIVELOCK, c->code->insn, 0, 0, 0, 0};
}

/* A cluster ends with the fault of one of its CTAs. */
static void
count_others(const struct cluster *k, const struct cta *faulted, struct item *it)
{
	for (uint32_t r = 0; r < k->n; r++)
		if (k->cta[r] != faulted && !is_over(k->cta[r]))
			exec_cta_count(k->cta[r], &it->counts);
}

/* A CTA waits for others of its cluster, or alone for ever. */
static bool
has_waited_enough(const struct cluster *k, uint32_t *spins, uint64_t *progress)
{
	const uint64_t now = exec_cluster_progress(k);
	*spins = now == *progress || k->n == 1 ? *spins + 1 : 0;
	*progress = now;
	return *spins > (k->n == 1 ? 1u << 20 : 1u << 14);
}

/* One cluster, mostly a single CTA, to its end. Waiting for CTAs beyond it is of no use here: they
 * run beside it, or it waits for ever. */
static bool
run_cluster(struct worker *w, struct item *it, uint64_t number)
{
	struct cluster *k = w->cluster;
	uint32_t spins = 0, at = 0;
	uint64_t progress = 0;
	begin_cluster(w->grid, k, number);
	for (;;) {
		struct cta *c = k->cta[at];
		c->out = &w->batch->out;
		enum cta_state s = exec_cta_run(c, &w->batch->batch);
		if (s == CTA_SPINS && has_waited_enough(k, &spins, &progress)) {
			waits_for_ever(c);
			s = CTA_FAULT;
		}
		if (s == CTA_DONE || s == CTA_FAULT) {
			finish_cta(c, s, it);
			if (s == CTA_FAULT)
				count_others(k, c, it);
			if (s == CTA_FAULT || --k->left == 0)
				return s == CTA_DONE;
		}
		enqueue(w, it);
		poll(w);
		if (!w->batch || stopped(w->grid))
			return false;
		for (at = s == CTA_GOES_ON ? at : (at + 1) % k->n; is_over(k->cta[at]);)
			at = (at + 1) % k->n;
	}
}

static struct item *
claim(struct grid *g)
{
	struct item *it = NULL;
	pthread_mutex_lock(&g->lock);
	while (!g->stop && g->next < g->items && g->next >= g->turn + g->window)
		pthread_cond_wait(&g->moved, &g->lock);
	if (!g->stop && g->next < g->items) {
		it = &g->item[g->next % g->window];
		*it = (struct item){.number = g->next++};
	}
	pthread_mutex_unlock(&g->lock);
	return it;
}

static bool
prepare(struct worker *w)
{
	w->cache = calloc(w->grid->run->code->n_mem + 1, sizeof *w->cache);
	w->cluster = w->cache ? exec_cluster_new(w->grid->run, w->cache) : NULL;
	w->batch = w->cluster ? new_batch(w->grid) : NULL;
	if (w->batch)
		return true;
	pthread_mutex_lock(&w->grid->lock);
	struct wcp_error e;
	fail_grid(w->grid, wcp_fail(&e, WCP_ESYS, "out of memory"), &e);
	pthread_cond_broadcast(&w->grid->moved);
	pthread_mutex_unlock(&w->grid->lock);
	return false;
}

static void
release(struct worker *w)
{
	exec_cluster_free(w->cluster);
	free(w->cache);
	if (w->batch)
		give_back(w->grid, w->batch);
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct grid *g = w->grid;
	struct item *it;
	bool ok = prepare(w);
	while (ok && (it = claim(g))) {
		uint64_t at = it->number * g->item_clusters, end = at + g->item_clusters;
		end = end < g->clusters ? end : g->clusters;
		while (at < end && w->batch && run_cluster(w, it, at))
			at++;
		if (w->batch)
			enqueue(w, it);
		pthread_mutex_lock(&g->lock);
		it->done = true;
		if (g->turn == it->number)
			advance(g);
		pthread_mutex_unlock(&g->lock);
		poll(w);
		ok = w->batch != NULL;
	}
	release(w);
	return NULL;
}

/* ---- one after the other ---- */

struct ring {
	struct cta **cta; /* [n] that wait, oldest first; [at] runs */
	uint32_t n, at, cap, laps;
	bool asked;	       /* the host, and nothing has moved since */
	bool counts;	       /* a CTA of this lap may only have counted */
	uint64_t thread_insns; /* of all, those that have ended too */
	struct cluster *spare;
	uint64_t next; /* cluster */
};

/* The next cluster's CTAs join it; the first of them runs. */
static bool
ring_begin(struct worker *w, struct ring *r)
{
	struct cluster *k = r->spare;
	if (r->n + EXEC_CLUSTER_MAX > r->cap) {
		uint32_t cap = r->cap ? 2 * r->cap : 16;
		struct cta **p = realloc(r->cta, cap * sizeof *p);
		if (!p)
			return false;
		r->cta = p;
		r->cap = cap;
	}
	r->spare = NULL;
	if (!k && !(k = exec_cluster_new(w->grid->run, w->cache)))
		return false;
	begin_cluster(w->grid, k, r->next++);
	r->at = r->n;
	for (uint32_t i = 0; i < k->n; i++)
		r->cta[r->n++] = k->cta[i];
	return true;
}

static void
ring_end(struct ring *r)
{
	struct cluster *k = r->cta[r->at]->cluster;
	if (--k->left == 0) {
		exec_cluster_free(r->spare);
		r->spare = k;
	}
	memmove(r->cta + r->at, r->cta + r->at + 1, (r->n - r->at - 1) * sizeof *r->cta);
	r->n--;
	r->at = 0;
	r->laps = 0;
	r->asked = false;
}

static void
ring_release(struct ring *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (--r->cta[i]->cluster->left == 0)
			exec_cluster_free(r->cta[i]->cluster);
	exec_cluster_free(r->spare);
	free(r->cta);
}

/* All wait: for what a grid that they launched is to write, maybe. False: nothing of that kind. */
static bool
children_help(struct worker *w, struct ring *r, struct item *it)
{
	const int n = exec_child_run_waiting(w->grid->run);
	if (n < 0) {
		it->error = *exec_child_error(w->grid->run);
		it->status = n;
	}
	r->laps = 0;
	memset(w->cache, 0, (w->grid->run->code->n_mem + 1) * sizeof *w->cache);
	return n != 0;
}

/* What the host has done to the device's memory meanwhile is not known. */
static bool
let_host(struct worker *w, enum wcp_yield_at at)
{
	const struct exec_beside *b = w->grid->run->beside;
	const uint64_t insns = w->unseen_insns;
	w->unseen_insns = 0;
	const bool on = b->yield(b->arg, at, insns);
	memset(w->cache, 0, (w->grid->run->code->n_mem + 1) * sizeof *w->cache);
	return on;
}

/* All wait: for the host, if it goes on. From now on it is asked after every lap. */
static bool
host_helps(struct worker *w, struct ring *r, struct item *it)
{
	if (!w->grid->run->beside)
		return false;
	enqueue(w, it);
	const bool on = w->batch && let_host(w, r->asked ? WCP_YIELD_STILL : WCP_YIELD_WAITS);
	r->asked = true;
	r->laps = IDLE_LAPS_MAX - 1;
	return on;
}

/* Every waiting CTA had a turn: the next ones begin, or they wait for ever. Those of a cluster go
 * on alone as long as they bring each other on. */
static bool
ring_turn(struct worker *w, struct ring *r, uint64_t *progress)
{
	uint64_t now = 0;
	r->counts |= r->cta[r->at]->counts;
	if (++r->at < r->n)
		return true;
	r->at = 0;
	for (uint32_t i = 0; i < r->n; i++)
		if (i == 0 || r->cta[i]->cluster != r->cta[i - 1]->cluster)
			now += exec_cluster_progress(r->cta[i]->cluster);
	const bool moved = now != *progress;
	const bool full = r->n >= RING_COUNTS_MAX || r->n * r->cta[0]->n_warps >= RING_WARPS_MAX;
	const bool more = r->next < w->grid->clusters && !(r->counts && full);
	r->laps = moved ? 0 : r->laps + !r->counts;
	if (r->counts)
		r->cta[0]->still_limit = r->n; /* whatever waits, one of all comes to its end */
	r->counts = false;
	r->asked = r->asked && !moved;
	*progress = now;
	if (more && !(moved && w->grid->run->cluster_ctas > 1))
		r->at = r->n; /* ring_begin's */
	return r->laps < IDLE_LAPS_MAX || more;
}

static bool
past_limit(const struct grid *g, const struct ring *r)
{
	return g->run->max_insns && r->thread_insns > g->run->max_insns;
}

/* The host is let go on now and then while it runs, too. */
static enum cta_state
run_beside(struct worker *w, struct ring *r, struct cta *c)
{
	struct exec_counts before = {0}, after = {0};
	exec_cta_count(c, &before);
	const enum cta_state s = exec_cta_run(c, &w->batch->batch);
	exec_cta_count(c, &after);
	r->thread_insns += after.thread_insns - before.thread_insns;
	if (!w->grid->run->beside)
		return s;
	w->unseen_insns += after.warp_insns - before.warp_insns;
	if (w->unseen_insns < BESIDE_INSNS || let_host(w, WCP_YIELD_RUNS) || s == CTA_DONE ||
	    s == CTA_FAULT)
		return s;
	c->faulted = c->warp[0];
	c->faulted->fault = (struct fault){FAULT_STOPPED, c->code->insn, 0, 0, 0, 0};
	return CTA_FAULT;
}

static void
run_in_order(struct worker *w)
{
	struct grid *g = w->grid;
	struct ring r = {.spare = w->cluster};
	struct item *it = &g->item[0];
	uint64_t progress = 0;
	w->cluster = NULL;
	*it = (struct item){.number = 0};
	while (!it->status && w->batch && !g->stop && !past_limit(g, &r)) {
		if (r.at == r.n) {
			if (r.next == g->clusters)
				break;
			if (!ring_begin(w, &r)) {
				it->status = wcp_fail(&it->error, WCP_ESYS, "out of memory");
				break;
			}
		}
		struct cta *c = r.cta[r.at];
		const bool small = c->recorded && w->batch->out.text[0].n < TEXT_MAX &&
				   w->batch->batch.n_mem + w->batch->batch.n_run < 32768;
		c->out = &w->batch->out;
		enum cta_state s = run_beside(w, &r, c);
		if (s == CTA_SPINS && !ring_turn(w, &r, &progress) && !children_help(w, &r, it) &&
		    !host_helps(w, &r, it)) {
			waits_for_ever(c);
			s = CTA_FAULT;
		}
		if (s == CTA_DONE || s == CTA_FAULT)
			finish_cta(c, s, it);
		if (s == CTA_DONE)
			ring_end(&r);
		if (s != CTA_DONE || !small)
			enqueue(w, it);
		g->total = it->counts;
		poll(w);
	}
	for (uint32_t i = 0; i < r.n; i++)
		if (!r.cta[i]->faulted)
			exec_cta_count(r.cta[i], &it->counts);
	if (w->batch)
		enqueue(w, it);
	it->done = true;
	memset(&g->total, 0, sizeof g->total);
	pthread_mutex_lock(&g->lock);
	advance(g);
	pthread_mutex_unlock(&g->lock);
	ring_release(&r);
}

static unsigned
start_workers(struct grid *g, struct worker *worker, unsigned n)
{
	unsigned started = 1;
	for (; started < n; started++) {
		worker[started] = (struct worker){.grid = g};
		if (pthread_create(&worker[started].thread, NULL, work, &worker[started]) != 0)
			break;
	}
	return started;
}

static void
free_batches(struct queued *q)
{
	for (struct queued *next; q; q = next) {
		next = q->next;
		wcp_warp_batch_release(&q->batch);
		free(q->out.text[0].at);
		free(q->out.text[1].at);
		free(q);
	}
}

/* A launch of few instructions costs less when it finds the batches of the one before it. */
static void
keep_batches(struct grid *g)
{
	struct queued **end = &g->spare, *rest;
	for (unsigned n = 0; *end && n < BATCHES_KEPT; n++)
		end = &(*end)->next;
	rest = *end;
	*end = NULL;
	free_batches(rest);
	free_batches(g->device->spare);
	g->device->spare = g->spare;
}

void
exec_grid_release(struct wcp_device *d)
{
	free_batches(d->spare);
	d->spare = NULL;
}

static void
release_grid(struct grid *g)
{
	for (uint32_t i = 0; i < g->window; i++)
		while (g->item && g->item[i].first) {
			struct queued *q = g->item[i].first;
			g->item[i].first = q->next;
			give_back(g, q);
		}
	keep_batches(g);
	wcp_warp_batch_release(&g->part);
	free(g->item);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->moved);
}

/* Large grids are dealt in large items, whose batches cost less to hand over. What an item is must
 * not depend on the number of threads: a limit of instructions is looked at between items. */
static uint32_t
clusters_in_item(const struct exec_run *run, uint64_t clusters)
{
	const uint32_t warps = run->n_warps * run->cluster_ctas;
	const uint64_t share = clusters * warps / ITEMS_WANTED;
	const uint32_t wanted = share < ITEM_WARPS_MIN	 ? ITEM_WARPS_MIN
				: share > ITEM_WARPS_MAX ? ITEM_WARPS_MAX
							 : (uint32_t)share;
	return warps < wanted ? wanted / warps : 1;
}

int
exec_grid(struct wcp_device *d, const struct exec_run *run, bool record, struct exec_counts *total,
    struct wcp_error *e)
{
	const unsigned wanted = d->options.threads > THREADS_MAX ? THREADS_MAX : d->options.threads;
	const unsigned threads = run->parallel ? wanted : 1;
	struct grid g = {
	    .device = d, .run = run, .record = record, .window = threads * ITEMS_PER_THREAD};
	g.spare = d->spare;
	d->spare = NULL;
	struct worker worker[THREADS_MAX];
	g.clusters = run->ctas / run->cluster_ctas;
	g.item_clusters = clusters_in_item(run, g.clusters);
	g.items = (g.clusters + g.item_clusters - 1) / g.item_clusters;
	g.item = calloc(g.window, sizeof *g.item);
	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.moved, NULL);
	wcp_warp_batch_init(&g.part);
	if (!g.item) {
		release_grid(&g);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	for (uint32_t i = 0; i < g.window; i++)
		g.item[i].number = UINT64_MAX;
	worker[0] = (struct worker){.grid = &g, .caller = true};
	if (run->in_order) {
		if (prepare(&worker[0]))
			run_in_order(&worker[0]);
		release(&worker[0]);
	} else {
		const unsigned n = start_workers(&g, worker, threads);
		work(&worker[0]);
		for (unsigned i = 1; i < n; i++)
			pthread_join(worker[i].thread, NULL);
	}
	*total = g.total;
	if (g.status && e)
		*e = g.error;
	const int status = g.status;
	release_grid(&g);
	return status;
}

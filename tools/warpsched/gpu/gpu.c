#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

const char *const slot_use_text[SLOT_COUNT] = {
    "issued", "unit", "memory", "throttled", "scoreboard", "barrier", "fetch", "empty"};
const char *const ldst_stall_text[LDST_COUNT] = {"coal", "mshr", "line", "icnt", "shared"};
const char *const stage_text[STAGE_COUNT] = {
    "l1", "port", "request", "l2", "dram", "reply", "write_back"};

/* ---- messages ------------------------------------------------------------------------------- */

enum { INPUT_CK = 1 }; /* from a sender to the crossbar's input buffer */

static void
sent(struct gpu *g, bool ok)
{
	g->failed |= !ok;
}

static void
wake_at(uint64_t *wake, uint64_t cycle)
{
	*wake = cycle < *wake ? cycle : *wake;
}

void
gpu_send_request(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p)
{
	p->from = (uint16_t)sm;
	sent(g, crossbar_put(&g->requests, now + INPUT_CK, p));
}

void
gpu_send_reply(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p)
{
	p->from = (uint16_t)slice;
	sent(g, crossbar_put(&g->replies, now + INPUT_CK, p));
}

void
gpu_request_taken(struct gpu *g, uint32_t slice, uint64_t now, struct packet *p)
{
	p->node = (uint16_t)slice;
	sent(g, crossbar_credit(&g->requests, now + g->window, p));
}

void
gpu_reply_taken(struct gpu *g, uint32_t sm, uint64_t now, struct packet *p)
{
	p->node = (uint16_t)sm;
	sent(g, crossbar_credit(&g->replies, now + g->window, p));
}

static void
count_packet(struct traffic *t, const struct packet *p)
{
	t->packets++;
	t->flits += p->flits;
}

/* A packet leaves the crossbar: its place in the input buffer is free, and it is on its way. */
static void
request_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	struct sm *sm = &g->sm[input];
	struct slice *s = &g->memory.slice[p->node];
	uint64_t cycle = now + g->window;
	count_packet(&g->request_traffic, p);
	sent(g, refunds_put(&sm->out.back, cycle, p->flits));
	if (sm->out.n)
		wake_at(&sm->wake, cycle);
	sent(g, way_put(&s->in.way, cycle, p));
	wake_at(&s->wake, cycle);
	wake_at(&g->memory.channel[s->number / g->set->slices].wake, cycle);
}

static void
reply_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	struct sm *sm = &g->sm[p->node];
	uint64_t cycle = now + g->window;
	count_packet(&g->reply_traffic, p);
	/* A slice with something to send looks at its port every cycle. */
	sent(g, refunds_put(&g->memory.slice[input].out.back, cycle, p->flits));
	sent(g, way_put(&sm->in.way, cycle, p));
	wake_at(&sm->wake, cycle);
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static void
handed_out(struct gpu *g, struct running *k)
{
	k->no_more = true;
	g->handing--;
	g->ending |= !k->ctas;
	g->launcher.changed = true;
}

/* SMs are offered a CTA of the kernel in turn, as long as one takes it. */
static void
dispatch(struct gpu *g, struct running *k)
{
	uint32_t n = g->set->sm.sms, refused = 0;
	while (!k->no_more && refused < n) {
		struct sm *sm = &g->sm[g->turn];
		g->turn = (g->turn + 1) % n;
		if (!sm_fits(sm, k->kernel)) {
			refused++;
			continue;
		}
		struct feed_cta *c = feed_cta(g->feed, k->feed);
		if (!c) {
			handed_out(g, k);
			return;
		}
		refused = 0;
		k->ctas++;
		k->result.ctas++;
		sm_skip_to(sm, g->now);
		sm_begin_cta(sm, c, k);
	}
}

/* Kernels begin and hand out their CTAs, the oldest first. */
static int
fill_sms(struct gpu *g, struct wcp_error *e)
{
	for (uint32_t i = 0; g->waits && i < g->set->sm.sms; i++)
		g->failed |= !sm_settle_waits(&g->sm[i]);
	for (;;) {
		int status = launcher_run(g, e);
		if (status || !g->handing || !g->room)
			return status;
		struct running *k = g->running;
		while (k->no_more)
			k = k->next;
		dispatch(g, k);
		g->room = k->no_more;
	}
}

/* ---- kernels -------------------------------------------------------------------------------- */

static uint64_t
next_event(const struct gpu *g)
{
	uint64_t wake = g->requests.wake;
	wake_at(&wake, g->replies.wake);
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		wake_at(&wake, g->sm[i].wake);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		wake_at(&wake, g->memory.channel[c].wake);
	return wake;
}

static void
run_sms(struct gpu *g, uint64_t until)
{
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		struct sm *sm = &g->sm[i];
		if (sm->wake >= until)
			continue;
		sm_run(sm, until);
		g->failed |= sm->failed;
		g->astray |= sm->astray;
		g->misled |= sm->wrong != WRONG_NOT;
	}
}

/* Plays one window; false: nothing can ever happen again. */
static bool
window(struct gpu *g)
{
	uint64_t wake = next_event(g);
	if (wake == UINT64_MAX)
		return false;
	/* Windows begin at the same cycles whatever is left out. */
	if (wake > g->now)
		g->now += (wake - g->now) / g->window * g->window;
	uint64_t until = g->now + g->window;
	run_sms(g, until);
	crossbar_run(&g->requests, until, request_leaves, g);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		memory_run(&g->memory, c, until);
	crossbar_run(&g->replies, until, reply_leaves, g);
	g->now = until;
	tap_flush(g->tap);
	return true;
}

/*
 * Is there work in window after window, and yet no instruction issues and nothing goes through a
 * crossbar? Windows in which nothing is due are not played, and what is waited for while others are
 * is bounded: an instruction takes LATENCY_MAX cycles, a full queue before a DRAM channel some ten
 * thousand. A million windows, of a cycle at least, are beyond all that.
 */
static bool
stands_still(struct gpu *g)
{
	enum { LOOK_WINDOWS = 1 << 20 };
	if (++g->windows % LOOK_WINDOWS)
		return false;
	uint64_t done = g->request_traffic.packets + g->reply_traffic.packets;
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		done += g->sm[i].view.issued;
	bool still = done == g->seen_done;
	g->seen_done = done;
	return still;
}

/* Nothing ran: policies begin anew. */
static int
begin_stretch(struct gpu *g, struct wcp_error *e)
{
	g->busy_since = g->busy_until = g->now;
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		g->sm[i].now = g->sm[i].wake = g->now;
		if (!sm_begin_kernel(&g->sm[i]))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	return 0;
}

/* The rest of the window in which the last kernel ended counts for nothing. */
static void
end_stretch(struct gpu *g)
{
	uint64_t end = g->kernels ? g->now : g->busy_until;
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		sm_skip_to(&g->sm[i], end);
		sm_pass_to(&g->sm[i], g->now);
	}
	g->busy_cycles += end - g->busy_since;
}

static int
prepare(struct gpu *g, struct running *r, struct wcp_error *e)
{
	const struct wcp_kernel *k = r->kernel;
	int status = program_init(&r->program, g->set, &g->exceptions, r->feed->program, e);
	if (status)
		return status;
	if (!sm_capacity(&g->set->sm, k))
		return wcp_fail(
		    e, WCP_ENO, "kernel %u (%s) fits no SM of this machine", k->id, k->name);
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		if (!sm_prepare(&g->sm[i], r->program.reg_words))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	return g->kernels ? 0 : begin_stretch(g, e);
}

int
gpu_start(struct gpu *g, struct feed_kernel *feed, struct wcp_error *e)
{
	const struct wcp_kernel *k = feed->kernel;
	struct running *r = calloc(1, sizeof *r), **end = &g->running;
	if (!r)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	*r = (struct running){.feed = feed, .kernel = k};
	r->result = (struct kernel_result){
	    .id = k->id, .parent = k->parent, .stream = k->stream, .begin = g->now, .end = g->now};
	int status = prepare(g, r, e);
	tap_kernel(g->tap, k);
	while (*end)
		end = &(*end)->next;
	*end = r;
	g->kernels++;
	g->handing++;
	g->room = true;
	return status;
}

static void
release_running(struct gpu *g, struct running *r)
{
	feed_kernel_done(g->feed, r->feed);
	program_release(&r->program);
	free(r);
}

static struct running *
find_running(const struct gpu *g, uint32_t id)
{
	struct running *r = g->running;
	while (r && r->kernel->id != id)
		r = r->next;
	return r;
}

/* Kernels that have ended, and those whose last child has. */
static void
drop_ended(struct gpu *g)
{
	for (struct running **p = &g->running; *p;) {
		struct running *r = *p;
		if (!r->ended || r->children) {
			p = &r->next;
			continue;
		}
		struct running *parent =
		    r->kernel->parent == WCP_NONE32 ? NULL : find_running(g, r->kernel->parent);
		bool launched = launcher_child_done(&g->launcher, r->kernel);
		*p = r->next;
		release_running(g, r);
		if (launched && parent && parent->children) {
			parent->children--;
			p = &g->running;
		}
	}
}

/* A kernel all of whose CTAs have come and gone, and that was not told yet. */
static bool
tell_ended(struct gpu *g, struct kernel_result *result, const struct wcp_kernel **kernel)
{
	struct running *r = g->ending ? g->running : NULL;
	while (r && (r->ended || !r->no_more || r->ctas))
		r = r->next;
	g->ending = r;
	if (!r)
		return false;
	r->ended = true;
	g->kernels--;
	g->launcher.changed = true;
	feed_kernel_end(g->feed, r->feed);
	tap_kernel_end(g->tap, &r->feed->end);
	*result = r->result;
	*kernel = r->kernel;
	if (r->result.end > g->busy_until)
		g->busy_until = r->result.end;
	if (!g->kernels)
		end_stretch(g);
	drop_ended(g);
	return true;
}

int
gpu_kernel(struct gpu *g, struct kernel_result *result, const struct wcp_kernel **kernel,
    struct wcp_error *e)
{
	while (!tool_interrupted()) {
		int status = fill_sms(g, e);
		if (status)
			return status;
		if (tell_ended(g, result, kernel))
			return 1;
		if (!g->kernels)
			return 0;
		if (!window(g))
			return gpu_deadlock(g, e);
		if (g->misled)
			return gpu_misled(g, e);
		if (g->failed || g->memory.failed || g->series.failed || g->watch.failed)
			return wcp_fail(e, WCP_ESYS, "out of memory");
		if (g->astray || g->memory.astray)
			return wcp_fail(e, WCP_ESYS,
			    "by cycle %llu a line came that no cache had asked for",
			    (unsigned long long)g->now);
		if (stands_still(g))
			return gpu_livelock(g, e);
	}
	return 0;
}

uint64_t
gpu_cycles(const struct gpu *g)
{
	return g->busy_cycles;
}

/* ---- life
 * -----------------------------------------------------------------------------------------------
 */

void
gpu_describe(const struct gpu_config *set, struct wcp_policy_machine *m)
{
	*m = (struct wcp_policy_machine){
	    .sms = set->sm.sms,
	    .slots = set->sm.warps,
	    .schedulers = set->sm.schedulers,
	    .l1d_sets = (uint32_t)set->l1.cache.index.sets,
	    .l1d_ways = set->l1.cache.ways,
	    .line_bytes = set->l1.cache.index.line_bytes,
	    .mshr_entries = set->l1.cache.mshr_entries,
	    .shared_bytes = set->sm.shared_bytes,
	};
	for (uint32_t s = 0; s < m->slots; s++)
		m->scheduler_slots[s % m->schedulers] |= 1ull << s;
}

struct gpu *
gpu_new(const struct gpu_config *set, const struct wcp_policy *policy, const double *parameter,
    struct feed *feed, struct wcp_error *e)
{
	struct gpu *g = calloc(1, sizeof *g);
	if (!g) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	g->set = set;
	g->policy = policy;
	g->parameter = parameter;
	g->feed = feed;
	g->window = set->icnt.latency_ck - INPUT_CK;
	launcher_init(&g->launcher);
	gpu_describe(set, &g->machine);
	g->sm = calloc(set->sm.sms, sizeof *g->sm);
	if (!g->sm)
		wcp_fail(e, WCP_ESYS, "out of memory");
	bool ok = g->sm && !op_exceptions_init(&g->exceptions, &set->latency, e) &&
		  memory_init(&g->memory, g, set, e);
	if (ok &&
	    (!crossbar_init(&g->requests, set->sm.sms, g->memory.n_slice, set->icnt.buffer_flits) ||
		!crossbar_init(
		    &g->replies, g->memory.n_slice, set->sm.sms, set->icnt.buffer_flits))) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		ok = false;
	}
	for (uint32_t i = 0; ok && i < set->sm.sms; i++)
		ok = sm_init(&g->sm[i], g, i, e);
	if (ok)
		return g;
	gpu_free(g);
	return NULL;
}

void
gpu_series(struct gpu *g, uint64_t interval)
{
	g->series.interval = interval;
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		g->sm[i].sample_at = interval;
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		g->memory.channel[c].sample_at = interval;
}

int
gpu_watch(struct gpu *g, bool ages, bool interference, struct wcp_error *e)
{
	/* CIAO Table I: 8 tags a warp, FIFO. */
	const struct wcp_vta_options o = {
	    .keys = SLOTS_MAX, .entries = 8, .line_bytes = WCP_LINE_BYTES, .order = WCP_VTA_FIFO};
	if (!watch_init(&g->watch, ages, interference))
		return wcp_fail(e, WCP_ESYS, "out of memory");
	for (uint32_t i = 0; interference && i < g->set->sm.sms; i++) {
		if (!(g->sm[i].lost = wcp_vta_new(&o, e)))
			return (int)e->status;
	}
	return 0;
}

void
gpu_finish(struct gpu *g)
{
	if (g->kernels)
		end_stretch(g);
	memory_settle(&g->memory, g->now);
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		sm_settle(&g->sm[i]);
	tap_flush(g->tap);
	if (!g->series.interval || !g->now)
		return;
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		series_sm(&g->series, &g->sm[i]);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		series_channel(&g->series, &g->memory, &g->memory.channel[c], g->now);
}

void
gpu_tap(struct gpu *g, struct tap *t)
{
	g->tap = t;
	if (t)
		tap_of(t, g);
}

void
gpu_free(struct gpu *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; g->sm && i < g->set->sm.sms; i++)
		sm_release(&g->sm[i]);
	memory_release(&g->memory);
	crossbar_release(&g->requests);
	crossbar_release(&g->replies);
	launcher_release(&g->launcher);
	series_release(&g->series);
	watch_release(&g->watch);
	while (g->running) {
		struct running *r = g->running;
		g->running = r->next;
		release_running(g, r);
	}
	free(g->sm);
	free(g);
}

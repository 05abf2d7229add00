#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

const char *const slot_use_text[SLOT_COUNT] = {
    "issued", "unit", "memory", "throttled", "scoreboard", "barrier", "fetch", "empty"};
const char *const ldst_stall_text[LDST_COUNT] = {"coal", "mshr", "icnt", "shared"};

/* ---- messages -----------------------------------------------------------------------------------
 */

enum { INPUT_CK = 1 }; /* from a sender to the crossbar's input buffer */

static void
sent(struct gpu *g, bool ok)
{
	g->memory.failed |= !ok;
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

/* A packet leaves the crossbar: its place in the input buffer is free, and it is on its way. */
static void
request_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	struct slice *s = &g->memory.slice[p->node];
	uint64_t cycle = now + g->window;
	sent(g, mailbox_put(&g->sm[input].out.mail, cycle, p));
	wake_at(&g->sm[input].wake, cycle);
	sent(g, mailbox_put(&s->in.mail, cycle, p));
	wake_at(&g->memory.channel[s->number / g->set->slices].wake, cycle);
}

static void
reply_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	uint64_t cycle = now + g->window;
	sent(g, mailbox_put(&g->memory.slice[input].out.mail, cycle, p));
	wake_at(&g->memory.channel[input / g->set->slices].wake, cycle);
	sent(g, mailbox_put(&g->sm[p->node].in.mail, cycle, p));
	wake_at(&g->sm[p->node].wake, cycle);
}

/* ---- dispatch
 * ------------------------------------------------------------------------------------- */

/* Each cycle offers each SM one CTA, beginning with another SM each time. */
static void
dispatch(struct gpu *g)
{
	uint32_t n = g->set->sm.sms, refused = 0;
	while (!g->no_more && refused < n) {
		struct sm *sm = &g->sm[g->turn];
		g->turn = (g->turn + 1) % n;
		if (!sm_fits(sm, g->kernel->kernel)) {
			refused++;
			continue;
		}
		struct feed_cta *c = feed_cta(g->feed);
		if (!c) {
			g->no_more = true;
			return;
		}
		refused = 0;
		g->running++;
		sm_skip_to(sm, g->now);
		sm_begin_cta(sm, c, g->kernel->kernel);
	}
}

/* ---- a kernel
 * -------------------------------------------------------------------------------------- */

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

static bool
failed(const struct gpu *g)
{
	bool failed = g->memory.failed;
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		failed |= g->sm[i].failed;
	return failed;
}

/* A policy that will be asked in this window knows how busy memory was until it. */
static void
tell_busy(struct gpu *g, struct sm *sm, uint64_t until)
{
	if (sm->view.wake && sm->view.wake < until)
		memory_busy(&g->memory, &sm->view.l2_busy, &sm->view.dram_busy);
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
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		if (g->sm[i].wake < until) {
			tell_busy(g, &g->sm[i], until);
			sm_run(&g->sm[i], until);
		}
	}
	crossbar_run(&g->requests, until, request_leaves, g);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		memory_run(&g->memory, c, until);
	crossbar_run(&g->replies, until, reply_leaves, g);
	g->now = until;
	return true;
}

static int
begin_kernel(struct gpu *g, struct wcp_error *e)
{
	const struct wcp_kernel *k = g->kernel->kernel;
	program_release(&g->program);
	int status = program_init(&g->program, g->set, &g->exceptions, g->kernel->program, e);
	if (status)
		return status;
	if (!sm_capacity(&g->set->sm, k))
		return wcp_fail(
		    e, WCP_ENO, "kernel %u (%s) fits no SM of this machine", k->id, k->name);
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		g->sm[i].now = g->sm[i].wake = g->now;
		if (!sm_begin_kernel(&g->sm[i]))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	g->no_more = false;
	g->running = 0;
	return 0;
}

int
gpu_kernel(struct gpu *g, struct kernel_result *result, struct wcp_error *e)
{
	g->kernel = feed_kernel(g->feed);
	if (!g->kernel)
		return 0;
	int status = begin_kernel(g, e);
	if (status)
		return status;
	*result = (struct kernel_result){.id = g->kernel->kernel->id, .begin = g->now};
	dispatch(g);
	while (g->running && !tool_interrupted()) {
		if (!window(g))
			return gpu_deadlock(g, e);
		if (failed(g))
			return wcp_fail(e, WCP_ESYS, "out of memory");
		dispatch(g);
	}
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		sm_skip_to(&g->sm[i], g->now);
	result->cycles = g->last_end - result->begin;
	g->kernels++;
	return 1;
}

/* ---- life
 * -----------------------------------------------------------------------------------------------
 */

static void
describe_machine(struct gpu *g)
{
	const struct gpu_config *set = g->set;
	struct wcp_policy_machine *m = &g->machine;
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
	describe_machine(g);
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
gpu_free(struct gpu *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; g->sm && i < g->set->sm.sms; i++)
		sm_release(&g->sm[i]);
	memory_release(&g->memory);
	crossbar_release(&g->requests);
	crossbar_release(&g->replies);
	program_release(&g->program);
	free(g->sm);
	free(g);
}

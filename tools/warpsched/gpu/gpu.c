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
put(struct gpu *g, struct mailbox *m, uint64_t cycle, const struct packet *p)
{
	if (!mailbox_put(m, cycle, p))
		g->memory.failed = true;
}

void
gpu_send_request(struct gpu *g, uint32_t sm, uint64_t now, const struct packet *p)
{
	put(g, &g->requests.input[sm].mail, now + INPUT_CK, p);
}

void
gpu_send_reply(struct gpu *g, uint32_t slice, uint64_t now, const struct packet *p)
{
	put(g, &g->replies.input[slice].mail, now + INPUT_CK, p);
}

void
gpu_request_taken(struct gpu *g, uint32_t slice, uint64_t now, const struct packet *p)
{
	put(g, &g->requests.output[slice].mail, now + g->window, p);
}

void
gpu_reply_taken(struct gpu *g, uint32_t sm, uint64_t now, const struct packet *p)
{
	put(g, &g->replies.output[sm].mail, now + g->window, p);
}

/* A packet leaves the crossbar: its place in the input buffer is free, and it is on its way. The
 * receiver sees who sent it. */
static void
request_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	struct packet sent = *p;
	sent.node = (uint16_t)input;
	put(g, &g->sm[input].out.mail, now + g->window, p);
	put(g, &g->memory.slice[p->node].in.mail, now + g->window, &sent);
}

static void
reply_leaves(void *arg, uint64_t now, uint32_t input, const struct packet *p)
{
	struct gpu *g = arg;
	struct packet sent = *p;
	sent.node = (uint16_t)input;
	put(g, &g->memory.slice[input].out.mail, now + g->window, p);
	put(g, &g->sm[p->node].in.mail, now + g->window, &sent);
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
		sm_begin_cta(sm, c, g->kernel->kernel);
	}
}

/* ---- a kernel
 * -------------------------------------------------------------------------------------- */

static uint64_t
next_event(const struct gpu *g)
{
	uint64_t wake = UINT64_MAX;
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		uint64_t w = sm_wake(&g->sm[i]);
		wake = w < wake ? w : wake;
	}
	for (uint32_t c = 0; c < g->memory.n_channel; c++) {
		uint64_t w = memory_wake(&g->memory, c, g->now);
		wake = w < wake ? w : wake;
	}
	uint64_t w = crossbar_wake(&g->requests, g->now);
	wake = w < wake ? w : wake;
	w = crossbar_wake(&g->replies, g->now);
	return w < wake ? w : wake;
}

static bool
failed(const struct gpu *g)
{
	bool failed = g->memory.failed;
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		failed |= g->sm[i].failed;
	return failed;
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
	for (uint32_t i = 0; i < g->set->sm.sms; i++)
		sm_run(&g->sm[i], until);
	crossbar_run(&g->requests, g->now, until, request_leaves, g);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		memory_run(&g->memory, c, g->now, until);
	crossbar_run(&g->replies, g->now, until, reply_leaves, g);
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
		g->sm[i].now = g->now;
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
	*result = (struct kernel_result){.kernel = g->kernel->kernel, .begin = g->now};
	dispatch(g);
	while (g->running) {
		if (!window(g))
			return gpu_deadlock(g, e);
		if (failed(g))
			return wcp_fail(e, WCP_ESYS, "out of memory");
		dispatch(g);
	}
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

/*
 * The load/store unit. One instruction is at its head and sends one transaction a cycle: to the
 * shift line before the L1 data cache, or to one of the read-only caches. Shared memory holds the
 * head for as many cycles as its bank conflicts have degree. What misses goes to the network, comes
 * back and is written back, one answer a cycle.
 */
#include "gpu/gpu.h"
#include "gpu/measure.h"

#include <stdlib.h>

enum { SHARED_WRITE_BACK = 1 }; /* cycles from the end of the pipeline to the registers */

#define CODE_BYTES (1ull << 24) /* of a program */

static bool
more_requests(struct sm *sm)
{
	uint32_t cap = sm->cap_request ? 2 * sm->cap_request : 256;
	struct request *grown = realloc(sm->request, cap * sizeof *grown);
	if (!grown) {
		sm->failed = true;
		return false;
	}
	sm->request = grown;
	for (uint32_t i = sm->cap_request; i < cap; i++)
		grown[i].next = i + 1 < cap ? i + 1 : NONE;
	sm->free_request = sm->cap_request;
	sm->cap_request = cap;
	return true;
}

static uint32_t
request_new(struct sm *sm)
{
	if (sm->free_request == NONE && !more_requests(sm))
		return NONE;
	uint32_t n = sm->free_request;
	sm->free_request = sm->request[n].next;
	return n;
}

static void
request_free(struct sm *sm, uint32_t n)
{
	sm->request[n].next = sm->free_request;
	sm->free_request = n;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* One of the op's accesses is done, or all of them have been sent. */
static void
op_answer(struct sm *sm, uint32_t n)
{
	if (--sm->op[n].left)
		return;
	measure_load(sm, &sm->op[n]);
	sm_retire(sm, n);
}

void
sm_request_done(struct sm *sm, uint32_t n)
{
	struct request *r = &sm->request[n];
	if (r->op != NONE) {
		sm->counts.requests++;
		sm->counts.request_cycles += sm->now - r->issued;
		measure_answered(sm, r);
		op_answer(sm, r->op);
	}
	request_free(sm, n);
}

static void
queue_answer(struct sm *sm, uint32_t n)
{
	struct ldst *u = &sm->ldst;
	sm->request[n].next = NONE;
	if (u->answered == NONE)
		u->answered = n;
	else
		sm->request[u->answered_last].next = n;
	u->answered_last = n;
}

static void
write_back_one(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	uint32_t n = u->answered;
	if (n == NONE)
		return;
	u->answered = sm->request[n].next;
	sm->moved = true;
	sm_request_done(sm, n);
}

/* ---- replies -------------------------------------------------------------------------------- */

static void
instructions_came(struct sm *sm, uint32_t n)
{
	sm->awaited &= ~bit(sm->request[n].slot);
	request_free(sm, n);
}

static void
collect_answers(struct sm *sm, struct wcp_nbcache *from, enum l1 cache)
{
	uint32_t handle[32], n;
	while ((n = wcp_nbcache_answers(from, handle, 32))) {
		for (uint32_t i = 0; i < n; i++) {
			if (cache == L1I)
				instructions_came(sm, handle[i]);
			else
				queue_answer(sm, handle[i]);
		}
	}
}

/* The cache that a request is looked up in. */
struct wcp_nbcache *
sm_home(const struct sm *sm, const struct request *r)
{
	return r->cache == L1D && sm->own ? sm->own[r->slot] : sm->l1[r->cache];
}

static void
store_done(struct sm *sm, uint32_t n)
{
	uint32_t slot = sm->request[n].slot;
	request_free(sm, n);
	sm->warp[slot].stores--;
	sm_check_end(sm, slot);
}

void
sm_evicted(struct sm *sm, const struct wcp_nb_victim *v)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	watch_evicted(&sm->gpu->watch, sm, v);
	if (sm->vta)
		wcp_vta_insert(sm->vta, v->owner, v->line, v->evictor);
	if (policy->evicted)
		policy->evicted(sm->policy_state, &sm->view, v->line, v->owner, v->evictor);
}

/* An access or a fill may have left something in the miss queue. */
static void
note_queue(struct sm *sm, unsigned cache)
{
	if (wcp_nbcache_queued(sm->l1[cache]))
		sm->l1_sends |= (uint8_t)(1u << cache);
}

bool
sm_fill(struct sm *sm, uint32_t n)
{
	const struct request *r = &sm->request[n];
	struct wcp_nb_victim victim;
	uint8_t bits = 0;
	sm->moved = true;
	int refused = wcp_nbcache_fill(sm_home(sm, r), r->line, 0, sm->now, &bits, &victim);
	sm->failed |= refused == WCP_ESYS;
	sm->astray |= refused == WCP_EUSAGE;
	if (refused)
		return false;
	sm->ldst.stuck = 0;
	note_queue(sm, r->cache);
	if (r->cache == L1D && bits & WCP_NB_VICTIM) {
		tap_l1_fill(sm->gpu->tap, sm, n, &victim, bits & WCP_NB_DIRTY);
		sm_evicted(sm, &victim);
	}
	if (r->cache == L1D && sm->shared.cache)
		sm_shared_fill(sm, r);
	collect_answers(sm, sm_home(sm, r), r->cache);
	return true;
}

static void
reply(struct sm *sm, const struct packet *p)
{
	struct request *r = &sm->request[p->handle];
	r->taken = p->at.taken;
	r->looked = p->at.looked;
	r->replied = p->answered;
	r->arrived = (uint32_t)sm->now;
	if (--r->pieces)
		return;
	if (p->type == PACKET_ACK) {
		store_done(sm, p->handle);
		return;
	}
	if (!r->fetch) {
		queue_answer(sm, p->handle);
		return;
	}
	if (!sm_fill(sm, p->handle))
		sm->ldst.unfilled = p->handle;
}

static void
take_reply(struct sm *sm)
{
	struct packet p;
	bool ready = !sm_shared_migrate(sm);
	if (ready && sm->ldst.unfilled != NONE) {
		ready = false;
		if (sm_fill(sm, sm->ldst.unfilled))
			sm->ldst.unfilled = NONE;
	}
	if (!receiver_waits(&sm->in, sm->now))
		return;
	sm->moved = true;
	if (!receiver_cycle(&sm->in, sm->now, ready, &p))
		return;
	gpu_reply_taken(sm->gpu, sm->number, sm->now, &p);
	reply(sm, &p);
}

/* ---- requests to the network ---------------------------------------------------------------- */

/* A store sends the smallest of a sector, two aligned sectors or the line that holds it. */
static uint32_t
store_bytes(uint32_t sectors)
{
	if (!(sectors & (sectors - 1)))
		return WCP_SECTOR_BYTES;
	return !(sectors & 0xcu) || !(sectors & 0x3u) ? 2 * WCP_SECTOR_BYTES : WCP_LINE_BYTES;
}

static enum packet_type
packet_type(uint8_t kind)
{
	if (kind == WCP_ATOMIC || kind == WCP_REDUCE)
		return PACKET_ATOMIC;
	return kind == WCP_STORE || kind == WCP_WRITEBACK ? PACKET_WRITE : PACKET_READ;
}

/* Takes a message off a cache's miss queue, when its packet fits in the port. */
static void
send_miss(struct sm *sm, struct wcp_nbcache *from, enum l1 cache)
{
	struct gpu *g = sm->gpu;
	struct wcp_nb_message m;
	if (!wcp_nbcache_queued(from) ||
	    !sender_room(
		&sm->out, net_flits(&g->set->icnt, WCP_LINE_BYTES), g->set->icnt.inject_flits))
		return;
	wcp_nbcache_pop(from, &m);
	sm->moved = true;
	sm->ldst.stuck = 0;
	struct packet p = {.handle = m.handle,
	    .kind = m.kind,
	    .type = (uint8_t)packet_type(m.kind),
	    .cache = (uint8_t)cache};
	struct request *r = &sm->request[m.handle];
	p.sectors = 0xf;
	if (m.type == WCP_NB_WRITE_BACK) {
		p.handle = NONE;
	} else {
		r->fetch = m.type == WCP_NB_FETCH;
		if (!r->fetch || cache == L1C)
			p.sectors = r->sectors;
		r->pieces = (uint8_t)memory_pieces(&g->memory, p.sectors);
	}
	uint32_t bytes = p.type == PACKET_READ	   ? 0
			 : p.type == PACKET_ATOMIC ? WCP_SECTOR_BYTES
						   : store_bytes(p.sectors);
	p.flits = net_flits(&g->set->icnt, bytes);
	p.node = (uint16_t)memory_place(&g->memory, m.line, &p.line);
	sender_put(&sm->out, &p);
}

/* One of the warps' own caches sends, each in its turn. */
static void
send_own(struct sm *sm)
{
	for (uint32_t i = 0; i < SLOTS_MAX; i++) {
		uint32_t slot = (sm->own_turn + i) % SLOTS_MAX;
		if (!wcp_nbcache_queued(sm->own[slot]))
			continue;
		send_miss(sm, sm->own[slot], L1D);
		sm->own_turn = slot + 1;
		return;
	}
}

static void
send(struct sm *sm)
{
	struct packet p;
	for (unsigned left = sm->l1_sends; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		send_miss(sm, sm->l1[c], c);
		if (!wcp_nbcache_queued(sm->l1[c]))
			sm->l1_sends &= (uint8_t) ~(1u << c);
	}
	if (sm->own)
		send_own(sm);
	if (!sender_cycle(&sm->out, sm->now, &p))
		return;
	sm->moved = true;
	if (p.handle != NONE) {
		sm->request[p.handle].left = (uint32_t)sm->now;
		sm->request[p.handle].went = true;
	}
	gpu_send_request(sm->gpu, sm->number, sm->now, &p);
}

/* ---- L1 ------------------------------------------------------------------------------------- */

/* Was the line lost to somebody else's access? */
static void
probe_victims(struct sm *sm, struct wcp_policy_access *a)
{
	uint32_t evictor;
	bool missed = (a->outcome == WCP_OUT_MISS || a->outcome == WCP_OUT_REDIRECT_MISS) &&
		      a->kind == WCP_LOAD;
	if (!sm->vta || !missed || !wcp_vta_probe(sm->vta, a->slot, a->line, &evictor))
		return;
	a->vta_hit = true;
	a->evictor = (uint8_t)evictor;
	sm->counts.vta_hits++;
}

static struct wcp_policy_access
describe(const struct request *r, uint8_t outcome)
{
	return (struct wcp_policy_access){
	    .line = r->line,
	    .pc = r->pc,
	    .lines = r->lines,
	    .slot = r->slot,
	    .kind = r->kind,
	    .space = r->space,
	    .outcome = outcome,
	    .evictor = WCP_NO_SLOT,
	};
}

static void
tell_access(struct sm *sm, const struct request *r, uint8_t outcome)
{
	const struct wcp_policy *policy = sm->gpu->policy;
	struct wcp_policy_access a = describe(r, outcome);
	probe_victims(sm, &a);
	if (policy->accessed)
		policy->accessed(sm->policy_state, &sm->view, &a);
}

static uint8_t
asked_route(struct sm *sm, const struct request *r)
{
	struct wcp_policy_access a = describe(r, WCP_OUT_NONE);
	unsigned route = sm->gpu->policy->route(sm->policy_state, &sm->view, &a);
	bool no = route == WCP_NB_REDIRECT && (!sm->shared.cache || r->kind != WCP_LOAD);
	return no || route >= WCP_NB_ROUTE_COUNT ? WCP_NB_LOOKUP : (uint8_t)route;
}

static uint8_t
route(struct sm *sm, const struct request *r)
{
	if (r->cache != L1D)
		return WCP_NB_LOOKUP;
	if (sm->gpu->set->l1_bypassed)
		return WCP_NB_AROUND;
	if (r->kind == WCP_ATOMIC || r->kind == WCP_REDUCE)
		return WCP_NB_AROUND;
	if (sm->gpu->policy->route)
		return asked_route(sm, r);
	if (r->kind == WCP_LOAD && sm->view.bypass >> r->slot & 1)
		return WCP_NB_AROUND;
	bool isolated = r->kind == WCP_LOAD && sm->view.isolated >> r->slot & 1;
	return isolated && sm->shared.cache ? WCP_NB_REDIRECT : WCP_NB_LOOKUP;
}

/* L1D has taken the request: what that meant for others. */
static void
looked_up(struct sm *sm, uint32_t n, bool migrates, const struct wcp_nb_result *result)
{
	struct request *r = &sm->request[n];
	bool sent = result->bits & WCP_NB_SENT, redirected = r->route == WCP_NB_REDIRECT;
	if (redirected)
		sm_shared_missed(sm, n, migrates, sent);
	tell_access(sm, r, redirected && !sent ? WCP_OUT_PENDING : result->outcome);
	if (result->bits & WCP_NB_VICTIM)
		sm_evicted(sm, &result->victim);
}

/* Looks the request up in its cache; false: refused. */
static bool
look_up_cache(struct sm *sm, uint32_t n, bool migrates)
{
	struct request *r = &sm->request[n];
	struct wcp_nb_result result;
	struct wcp_nb_access a = {
	    .line = r->line,
	    .cycle = sm->now,
	    .handle = n,
	    .owner = r->slot,
	    .sectors = 0,
	    .flags = r->flags,
	    .kind = r->kind,
	    .space = r->space,
	    .route = r->route,
	    .again = r->again,
	    .migrates = migrates,
	};
	int fail = wcp_nbcache_access(sm_home(sm, r), &a, &result);
	if (fail) {
		sm->failed |= fail < 0;
		sm->moved |= fail == WCP_NB_PORT; /* it will be free by itself */
		r->again = true;
		sm->ldst.refusing = sm_home(sm, r);
		if (r->cache == L1D) {
			sm->ldst.refusal = (uint8_t)fail;
			sm->ldst.refusing_l1 = sm->ldst.refusing;
		}
		sm->ldst.refuser = r->cache;
		sm->ldst.refused = fail > 0 ? (uint8_t)fail : 0;
		return false;
	}
	note_queue(sm, r->cache);
	r->outcome = result.outcome;
	measure_accepted(sm, r, result.outcome);
	if (r->cache == L1D) {
		tap_l1(sm->gpu->tap, sm, n, result.outcome,
		    result.bits & WCP_NB_VICTIM ? &result.victim : NULL,
		    result.bits & WCP_NB_DIRTY);
		looked_up(sm, n, migrates, &result);
	}
	bool goes_on = result.bits & (WCP_NB_WAITS | WCP_NB_SENT);
	bool store = r->kind == WCP_STORE;
	if (store && !(result.bits & WCP_NB_SENT))
		store_done(sm, n);
	else if (!goes_on)
		sm_request_done(sm, n);
	return true;
}

/* Looks the request up; false: refused. */
static bool
look_up(struct sm *sm, uint32_t n)
{
	struct request *r = &sm->request[n];
	if (!r->again)
		r->route = route(sm, r);
	if (r->cache != L1D || !sm->shared.cache)
		return look_up_cache(sm, n, false);
	switch (sm_shared_access(sm, n)) {
	case SHARED_NOT: break;
	case SHARED_HIT:
		r->outcome = WCP_OUT_REDIRECT;
		measure_accepted(sm, r, r->outcome);
		tap_l1(sm->gpu->tap, sm, n, r->outcome, NULL, false);
		tell_access(sm, r, WCP_OUT_REDIRECT);
		return true;
	case SHARED_BUSY: r->again = true; return false;
	case SHARED_MIGRATES: return look_up_cache(sm, n, true);
	}
	return look_up_cache(sm, n, false);
}

int
sm_fetch_line(struct sm *sm, uint32_t slot, uint32_t pc)
{
	if (sm->free_request == NONE && !more_requests(sm))
		return -1;
	uint32_t n = sm->free_request; /* taken if it has to wait */
	uint64_t program = sm->warp[slot].cta->run->kernel->program;
	uint64_t address =
	    program * CODE_BYTES + sm->set->code_start + (uint64_t)pc * sm->set->insn_bytes;
	uint64_t line = MEMORY_CODE_BASE + (address & ~(uint64_t)(WCP_LINE_BYTES - 1));
	struct wcp_nb_result result;
	struct wcp_nb_access a = {.line = line, .cycle = sm->now, .handle = n};
	int fail = wcp_nbcache_access(sm->l1[L1I], &a, &result);
	sm->failed |= fail < 0;
	if (fail || !(result.bits & WCP_NB_WAITS))
		return fail ? -1 : 1;
	request_new(sm);
	note_queue(sm, L1I);
	sm->request[n] = (struct request){
	    .line = line,
	    .issued = sm->now,
	    .op = NONE,
	    .sectors = 0xf,
	    .slot = (uint8_t)slot,
	    .space = WCP_SPACE_CONST,
	    .cache = L1I,
	};
	return 0;
}

/* What L1D refused it refuses as long as no line comes and no message leaves. Its ports get free by
 * themselves, and shared memory as a cache has one more. */
static void
note_refusal(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	bool lasts = u->refusal && u->refusal != WCP_NB_PORT && !sm->shared.cache && !sm->own;
	u->stuck = lasts ? u->refusal : 0;
}

/* The same refusal once more, without asking. */
static void
refuse_again(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	wcp_nbcache_refused(sm->l1[L1D], (enum wcp_nb_fail)u->stuck, 1);
	u->refusing = u->refusing_l1 = sm->l1[L1D];
	u->refuser = L1D;
	u->refused = u->refusal = u->stuck;
}

static void
shift_line(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	if (!u->line_n || u->line_ready[u->line_head] > sm->now)
		return;
	if (u->stuck) {
		refuse_again(sm);
		return;
	}
	if (!look_up(sm, u->line[u->line_head])) {
		note_refusal(sm);
		return;
	}
	u->line_head = (u->line_head + 1) % L1_LATENCY_MAX;
	sm->moved = true;
	u->line_n--;
}

/* ---- the head of the unit ------------------------------------------------------------------- */

static uint64_t
local_base(const struct sm *sm, const struct op *op)
{
	const struct wcp_kernel *k = sm->warp[op->slot].cta->run->kernel;
	const struct wcp_policy_warp *w = &sm->seen[op->slot];
	return wcp_local_base(k, w->cta, w->warp);
}

/* The next record of the head: its transactions. False: there is none. */
static bool
next_record(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	struct op *op = &sm->op[u->op];
	if (u->record == op->n_mem)
		return false;
	const struct wcp_warp_batch *b = feed_batch(op->piece);
	uint32_t i = op->mem_first + u->record++;
	u->space = b->mem_space[i];
	sm->moved = true;
	u->at = u->n = 0;
	if (u->space == WCP_SPACE_SHARED) {
		uint32_t degree =
		    wcp_bank_passes(b, i, op->insn->bytes, sm->set->shared_banks, NULL);
		degree = degree ? degree : 1;
		bool held = sm->shared.port_until > sm->now; /* by the cache in it */
		u->shared_until = sm->now + held + degree - 1;
		sm->counts.shared_insns++;
		sm->counts.shared_conflicts += degree - 1;
		return true;
	}
	struct wcp_coalesce c = WCP_COALESCE_DEFAULT;
	if (op->insn->kind == WCP_ATOMIC || op->insn->kind == WCP_REDUCE)
		c.line_bytes = c.sector_bytes = WCP_SECTOR_BYTES;
	u->n = wcp_coalesce(&c, b, i, op->insn->bytes, local_base(sm, op), u->transaction);
	op->lines = (uint16_t)(op->lines + u->n);
	return true;
}

static enum l1
cache_of(const struct sm *sm, uint8_t space)
{
	if (space == WCP_SPACE_TEXTURE && sm->l1[L1T])
		return L1T;
	return space == WCP_SPACE_PARAM || space == WCP_SPACE_CONST ? L1C : L1D;
}

/* Sends one transaction of the head; false: there was no room for it. */
static bool
send_transaction(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	struct op *op = &sm->op[u->op];
	const struct wcp_transaction *t = &u->transaction[u->at];
	enum l1 cache = cache_of(sm, u->space);
	if (!u->offered)
		u->offered = sm->now;
	if (cache == L1D && u->line_n == sm->gpu->set->l1.hit_ck)
		return false;
	uint32_t n = request_new(sm);
	if (n == NONE)
		return false;
	bool waits = op->insn->kind != WCP_STORE && op->insn->kind != WCP_REDUCE;
	sm->request[n] = (struct request){
	    .line = t->line & ~(uint64_t)(WCP_LINE_BYTES - 1),
	    .issued = sm->now,
	    .offered = (uint32_t)u->offered,
	    .due = (uint32_t)(sm->now + sm->gpu->set->l1.hit_ck),
	    .op = waits ? u->op : NONE,
	    .pc = op->pc,
	    .lanes = t->lanes,
	    .bytes = (uint16_t)t->bytes,
	    .first = u->at == 0,
	    .lines = (uint16_t)u->n,
	    .sectors = op->insn->kind == WCP_ATOMIC || op->insn->kind == WCP_REDUCE
			   ? 1u << t->line / WCP_SECTOR_BYTES % 4
			   : t->sectors,
	    .next = NONE,
	    .flags = op->insn->flags & INSN_UNCACHED ? WCP_ACCESS_UNCACHED : 0,
	    .kind = op->insn->kind,
	    .space = u->space,
	    .slot = op->slot,
	    .cache = (uint8_t)cache,
	};
	op->left += waits;
	sm->warp[op->slot].stores += op->insn->kind == WCP_STORE;
	if (cache != L1D) {
		if (!sm->l1[cache]) {
			sm_request_done(sm, n);
		} else if (!look_up(sm, n)) {
			op->left -= waits;
			request_free(sm, n);
			return false;
		}
	} else {
		uint32_t at = (u->line_head + u->line_n++) % L1_LATENCY_MAX;
		u->line[at] = n;
		u->line_ready[at] = sm->now + sm->gpu->set->l1.hit_ck;
	}
	u->at++;
	u->offered = 0;
	sm->moved = true;
	return true;
}

/* Nothing of the head is left to be sent. */
static void
leave_head(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	uint32_t n = u->op;
	u->op = NONE;
	sm->moved = true;
	bool load = sm->op[n].insn->kind != WCP_STORE;
	if (u->space == WCP_SPACE_SHARED && load && sm->op[n].left == 1)
		sm_retire_at(sm, n, sm->now + sm->set->shared_ck + SHARED_WRITE_BACK);
	else
		op_answer(sm, n);
}

/* What keeps the head, if anything does. */
static void
count_stall(struct sm *sm, bool refused)
{
	enum ldst_stall why = LDST_COAL;
	if (refused)
		why = measure_refusal(sm, sm->ldst.refuser, sm->ldst.refused);
	sm->counts.ldst[why]++;
	sm->ldst.stall = (uint8_t)(1 + why);
}

static bool
held_by_banks(struct sm *sm)
{
	if (sm->ldst.shared_until <= sm->now)
		return false;
	sm->counts.ldst[LDST_SHARED]++;
	sm->ldst.stall = 1 + LDST_SHARED;
	return true;
}

static void
play_head(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	if (u->op == NONE)
		return;
	if (held_by_banks(sm))
		return;
	while (u->at == u->n && next_record(sm) && !u->n) {
		if (held_by_banks(sm))
			return;
	}
	if (u->at < u->n) {
		bool sent = send_transaction(sm);
		if (!sent || u->at < u->n || u->record < sm->op[u->op].n_mem) {
			count_stall(sm, !sent);
			return;
		}
	}
	leave_head(sm);
}

static void
take_head(struct sm *sm)
{
	struct ldst *u = &sm->ldst;
	struct stage *s = &sm->lane[UNIT_MEM].collected;
	if (u->op != NONE || !s->n)
		return;
	u->op = s->op[0];
	sm->n_staged--;
	sm->lanes_still = false;
	sm->moved = true;
	u->record = u->n = u->at = 0;
	u->space = WCP_SPACE_NONE;
	s->n--;
	for (uint32_t i = 0; i < s->n; i++)
		s->op[i] = s->op[i + 1];
}

void
sm_memory(struct sm *sm)
{
	sm->ldst.stall = 0;
	sm->ldst.refusal = sm->ldst.refused = WCP_NB_OK;
	write_back_one(sm);
	sm_shared_deliver(sm);
	take_reply(sm);
	send(sm);
	shift_line(sm);
	play_head(sm);
	take_head(sm);
}

/*
 * Shared memory that resident CTAs leave, as a cache beside L1D (CIAO sec. IV-B). A redirected load
 * has its line looked for in L1D's tags, at the end of L1D's pipeline, and then in shared memory:
 * tag and data come with one access of it, which excludes those of instructions in that cycle. What
 * is missed goes through L1D's MSHRs and miss queue. A line that is in L1D instead migrates: it
 * leaves L1D for the response queue, where it takes a reply's turn, and an MSHR waits for it.
 *
 * A line is never in both: a load of any warp that finds it here is served here, and what is on its
 * way to L1D stays that way. A dirty line stays in L1D and is read there; a store that L1D keeps or
 * that evicts takes the line out here, one that is written through writes it here, too.
 */
#include "gpu/gpu.h"

bool
sm_shared_init(struct sm *sm, struct wcp_error *e)
{
	sm->shared.hit = sm->shared.moving = NONE;
	if (sm->gpu->policy->shared_cache)
		sm->shared.cache = wcp_smcache_new(sm->set->shared_bytes, e);
	return sm->shared.cache || !sm->gpu->policy->shared_cache;
}

void
sm_shared_resize(struct sm *sm)
{
	if (!sm->shared.cache)
		return;
	wcp_smcache_resize(
	    sm->shared.cache, sm->shared_used, sm->set->shared_bytes - sm->shared_used);
	sm->view.shared_blocks = wcp_smcache_capacity(sm->shared.cache);
}

static void
enqueue(struct sm *sm, uint32_t *first, uint32_t *last, uint32_t n)
{
	sm->request[n].next = NONE;
	*(*first == NONE ? first : &sm->request[*last].next) = n;
	*last = n;
}

/* Takes shared memory for this cycle, if neither an instruction nor a fill has it. */
static bool
take_port(struct sm *sm)
{
	if (sm->shared.port_until > sm->now || sm->ldst.shared_until >= sm->now)
		return false;
	sm->shared.port_until = sm->now + 1;
	return true;
}

static bool
is_kept(const struct sm *sm, const struct request *r)
{
	const struct wcp_nb_options *o = &sm->gpu->set->l1.cache;
	return (r->space == WCP_SPACE_LOCAL ? o->local_write : o->global_write) ==
	       WCP_WRITE_THROUGH;
}

static enum shared_use
store(struct sm *sm, const struct request *r)
{
	if (!wcp_smcache_find(sm->shared.cache, r->line, NULL))
		return SHARED_NOT;
	if (!is_kept(sm, r))
		wcp_smcache_drop(sm->shared.cache, r->line);
	else if (!take_port(sm))
		return SHARED_BUSY;
	return SHARED_NOT;
}

static enum shared_use
redirect(struct sm *sm, struct request *r)
{
	struct wcp_nb_line l;
	bool found = wcp_nbcache_find(sm_home(sm, r), r->line, &l);
	if (found && !l.reserved && l.dirty) {
		r->route = WCP_NB_LOOKUP;
		return SHARED_NOT;
	}
	if (!take_port(sm))
		return SHARED_BUSY;
	return found && !l.reserved ? SHARED_MIGRATES : SHARED_NOT;
}

enum shared_use
sm_shared_access(struct sm *sm, uint32_t n)
{
	struct request *r = &sm->request[n];
	if (r->kind == WCP_STORE)
		return store(sm, r);
	if (r->kind != WCP_LOAD || r->route == WCP_NB_AROUND || r->route == WCP_NB_TAGS)
		return SHARED_NOT;
	if (!sm->view.shared_blocks)
		r->route = r->route == WCP_NB_REDIRECT ? WCP_NB_LOOKUP : r->route;
	if (!wcp_smcache_find(sm->shared.cache, r->line, NULL))
		return r->route == WCP_NB_REDIRECT ? redirect(sm, r) : SHARED_NOT;
	if (!take_port(sm))
		return SHARED_BUSY;
	r->ready = sm->now + sm->set->shared_ck;
	enqueue(sm, &sm->shared.hit, &sm->shared.hit_last, n);
	sm->counts.smem_hits++;
	return SHARED_HIT;
}

void
sm_shared_missed(struct sm *sm, uint32_t n, bool migrates, bool sent)
{
	sm->counts.smem_misses += sent;
	sm->counts.smem_migrations += migrates;
	sm->counts.smem_merges += !sent && !migrates;
	if (!migrates)
		return;
	wcp_nbcache_remove(sm_home(sm, &sm->request[n]), sm->request[n].line, NULL);
	enqueue(sm, &sm->shared.moving, &sm->shared.moving_last, n);
}

void
sm_shared_fill(struct sm *sm, const struct request *r)
{
	struct wcp_nb_victim v = {.evictor = r->slot};
	bool in_l1 = wcp_nbcache_find(sm_home(sm, r), r->line, NULL);
	if (r->route != WCP_NB_REDIRECT || in_l1) {
		sm->counts.double_copies +=
		    in_l1 && wcp_smcache_find(sm->shared.cache, r->line, NULL);
		return;
	}
	/* It goes before what holds shared memory. */
	if (sm->ldst.shared_until >= sm->now)
		sm->ldst.shared_until++;
	else
		sm->shared.port_until = sm->now + 1;
	if (wcp_smcache_fill(sm->shared.cache, r->line, r->slot, &v.line, &v.owner)) {
		sm->counts.smem_evictions++;
		tap_l1_fill(sm->gpu->tap, sm, (uint32_t)(r - sm->request), &v, false);
		sm_evicted(sm, &v);
	}
}

bool
sm_shared_migrate(struct sm *sm)
{
	uint32_t n = sm->shared.moving;
	if (n == NONE)
		return false;
	uint32_t next = sm->request[n].next;
	if (sm_fill(sm, n))
		sm->shared.moving = next;
	return true;
}

void
sm_shared_deliver(struct sm *sm)
{
	while (sm->shared.hit != NONE && sm->request[sm->shared.hit].ready <= sm->now) {
		uint32_t n = sm->shared.hit;
		sm->shared.hit = sm->request[n].next;
		sm->moved = true;
		sm_request_done(sm, n);
	}
}

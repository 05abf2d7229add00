#include "gpu/gpu.h"

#include <stdio.h>
#include <string.h>

static const char *
waits_for(const struct sm *sm, uint32_t slot)
{
	if (sm->awaits >> slot & 1)
		return "waits for kernels that it launched";
	if (sm->view.barrier >> slot & 1)
		return "waits at a barrier";
	if (!(sm->live >> slot & 1))
		return "waits for its last memory accesses";
	if (sm->view.stalled >> slot & 1)
		return "is stalled by the policy";
	if (sm->view.no_load & sm->view.next_load & bit(slot))
		return "may not load, by the policy";
	unsigned unit = sm->unit_of[slot];
	if (sm->clear >> slot & 1 && sm->lane[unit].issued.n >= sm->set->unit[unit].width)
		return unit == UNIT_MEM ? "waits for room before the load/store unit"
					: "waits for room before its unit";
	return sm->clear >> slot & 1 ? "is not chosen by the policy" : "waits for registers";
}

static int
tell(const struct gpu *g, const char *what, struct wcp_error *e)
{
	char text[300] = "";
	size_t n = 0;
	unsigned told = 0;
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		const struct sm *sm = &g->sm[i];
		for (uint64_t r = sm->view.resident; r && told < 4; r &= r - 1, told++) {
			uint32_t slot = (uint32_t)__builtin_ctzll(r);
			n += (size_t)snprintf(text + n, sizeof text - n, "%s SM %u slot %u %s",
			    told ? ";" : "", i, slot, waits_for(sm, slot));
		}
	}
	const struct running *k = g->running;
	while (k->next && k->ended)
		k = k->next;
	return wcp_fail(e, WCP_ENO, "%s in kernel %u at cycle %llu under policy %s:%s", what,
	    k->kernel->id, (unsigned long long)g->now, g->policy->name, text);
}

int
gpu_deadlock(const struct gpu *g, struct wcp_error *e)
{
	return tell(g, "deadlock", e);
}

int
gpu_livelock(const struct gpu *g, struct wcp_error *e)
{
	return tell(g, "livelock", e);
}

int
gpu_misled(const struct gpu *g, struct wcp_error *e)
{
	const struct sm *sm = g->sm;
	while (sm->wrong == WRONG_NOT)
		sm++;
	if (sm->wrong == WRONG_PICK)
		return wcp_fail(e, WCP_ENO,
		    "policy %s chose slot %u of SM %u at cycle %llu, which was not ready",
		    g->policy->name, sm->wrong_slot, sm->number, (unsigned long long)sm->now);
	return wcp_fail(e, WCP_ENO,
	    "policy %s holds all warps of SM %u back at cycle %llu, and those again that are let "
	    "go",
	    g->policy->name, sm->number, (unsigned long long)sm->now);
}

/* A policy on an SM that is nothing but masks. */
#ifndef POLICY_KIT_H
#define POLICY_KIT_H

#include <stdlib.h>
#include "warpcap/batch.h"
#include "warpcap/policy.h"

static struct {
	const struct wcp_policy *policy;
	void *state;
	struct wcp_policy_warp warp[WCP_SLOTS_MAX];
	struct wcp_policy_sm sm;
} g;

/* A warp comes to a slot. */
static inline void
kit_come(unsigned slot, uint64_t age)
{
	g.warp[slot] = (struct wcp_policy_warp){.age = age};
	g.sm.resident |= 1ull << slot;
	if (g.policy->warp_begin)
		g.policy->warp_begin(g.state, &g.sm, slot);
}

static inline void
kit_end(unsigned slot)
{
	g.sm.resident &= ~(1ull << slot);
	if (g.policy->warp_end)
		g.policy->warp_end(g.state, &g.sm, slot);
}

/* Slots 0 to warps - 1 have warps, the lowest the oldest. Two schedulers, of even and odd slots. */
static inline void
kit_start(const struct wcp_policy *p, const double *parameter, unsigned warps)
{
	const struct wcp_policy_machine m = {
	    .slots = 48, .schedulers = 2, .scheduler_slots = {0x555555555555, 0xaaaaaaaaaaaa}};
	free(g.state);
	g.policy = p;
	g.state = calloc(1, p->state_bytes ? p->state_bytes(&m, parameter) : 1);
	if (!g.state)
		exit(4);
	g.sm = (struct wcp_policy_sm){.warp = g.warp, .shared_blocks = 256};
	g.sm.l2_busy = g.sm.dram_busy = 5000; /* of kernels before */
	if (p->begin)
		p->begin(g.state, &g.sm, &m, parameter);
	for (unsigned s = 0; s < warps; s++)
		kit_come(s, s);
}

/* A miss of warp i on a line that j evicted, n times. */
static inline void
kit_lose(unsigned j, unsigned i, unsigned n)
{
	const struct wcp_policy_access a = {.kind = WCP_LOAD,
	    .outcome = WCP_OUT_MISS,
	    .slot = (uint8_t)i,
	    .vta_hit = true,
	    .evictor = (uint8_t)j};
	while (n--)
		g.policy->accessed(g.state, &g.sm, &a);
}

static inline void
kit_issue(unsigned n)
{
	while (n--) {
		g.sm.issued++;
		if (g.policy->issued)
			g.policy->issued(g.state, &g.sm, 0, 0);
	}
}

static inline void
kit_barrier(uint64_t slots)
{
	g.sm.barrier = slots;
	if (g.policy->barrier)
		g.policy->barrier(g.state, &g.sm);
}

/* Time passes; advance is called as the policy wishes. */
static inline void
kit_run(uint64_t until)
{
	while (g.sm.wake && g.sm.wake <= until) {
		g.sm.now = g.sm.wake > g.sm.now ? g.sm.wake : g.sm.now;
		g.sm.wake = 0;
		g.policy->advance(g.state, &g.sm);
	}
	g.sm.now = until;
}

#endif

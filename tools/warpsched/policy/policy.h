/* The built-in policies, and how one is chosen by name or loaded from outside. */
#ifndef WARPSCHED_POLICY_H
#define WARPSCHED_POLICY_H

#include "tool.h"
#include "warpcap/policy.h"

/* In the order of -p help; ends with NULL. */
extern const struct wcp_policy *const policy_table[];

/* A policy with its parameters, from "NAME[:KEY=VALUE[:KEY=VALUE...]]" or "./FILE.so[:...]". */
struct choice {
	const struct wcp_policy *policy;
	double parameter[WCP_POLICY_PARAMETERS_MAX];
	void *handle; /* of a shared object */
	char *label;  /* as given */
};
int choice_parse(struct tool *t, struct choice *c, const char *text);
void choice_release(struct choice *c);

/* -p help and -p NAME:help. Prints; 0, or a failure that was reported. */
bool policy_help_wanted(const char *text);
int policy_help(struct tool *t, const char *text);

/* The oldest warp among slots; WCP_NO_SLOT if there are none. */
static inline unsigned
oldest_of(const struct wcp_policy_sm *sm, uint64_t slots)
{
	unsigned best = WCP_NO_SLOT;
	for (; slots; slots &= slots - 1) {
		unsigned s = (unsigned)__builtin_ctzll(slots);
		if (best == WCP_NO_SLOT || sm->warp[s].age < sm->warp[best].age)
			best = s;
	}
	return best;
}

/* Slots but the n oldest. */
static inline uint64_t
all_but_oldest(const struct wcp_policy_sm *sm, uint64_t slots, uint32_t n)
{
	for (; slots && n; n--)
		slots &= ~(1ull << oldest_of(sm, slots));
	return slots;
}

/* Round robin: of slots, never empty, the first one from a slot on, from the last on to slot 0. */
static inline unsigned
next_from(uint64_t slots, unsigned first)
{
	uint64_t after = slots & ~0ull << first;
	return (unsigned)__builtin_ctzll(after ? after : slots);
}

/* Greedy then oldest: the warp that issued last goes on as long as it can. */
struct greedy {
	uint8_t last[WCP_SCHEDULERS_MAX]; /* [schedulers] 1 + slot; 0: none */
};
static inline unsigned
greedy_pick(struct greedy *g, const struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready)
{
	unsigned last = g->last[scheduler];
	unsigned slot = last && ready >> (last - 1) & 1 ? last - 1 : oldest_of(sm, ready);
	g->last[scheduler] = (uint8_t)(slot == WCP_NO_SLOT ? last : slot + 1);
	return slot;
}
/* Storage: who issued last on each scheduler. Ages are what every SM keeps of its warps. */
static inline unsigned
greedy_cost(const struct wcp_policy_machine *m, struct wcp_policy_cost *row)
{
	row[0] = (struct wcp_policy_cost){"last warp of a scheduler", m->schedulers, 6};
	return 1;
}

/* A slot that is used again is another warp. */
static inline void
greedy_forget(struct greedy *g, unsigned slot)
{
	for (unsigned s = 0; s < WCP_SCHEDULERS_MAX; s++) {
		if (g->last[s] == slot + 1)
			g->last[s] = 0;
	}
}

#endif

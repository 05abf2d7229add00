/*
 * Fetch and decode, one warp a cycle: the next warp after the last whose buffer is empty. What was
 * fetched in one cycle is decoded into the warp's buffer in the next.
 */
#include "gpu/sm.h"

static void
decode(struct sm *sm)
{
	uint32_t slot = sm->fetched_slot;
	if (slot == NONE)
		return;
	struct warp *w = &sm->warp[slot];
	sm->fetched_slot = NONE;
	sm->moved = true;
	if (!w->fetching)
		return;
	w->buffer_pc = w->fetch_pc;
	w->buffered = w->fetching;
	w->fetch_pc += w->fetching;
	w->fetching = 0;
	sm_refresh_buffer(sm, slot);
}

/* Instructions from pc on that one fetch brings: not past the end of a line. */
static uint8_t
fetchable(const struct sm *sm, uint32_t pc)
{
	uint32_t rest = sm->line_insns - (sm->first_insn + pc) % sm->line_insns;
	return (uint8_t)(rest < sm->set->fetch_insns ? rest : sm->set->fetch_insns);
}

static void
fetch(struct sm *sm)
{
	uint64_t able = sm->live & ~sm->valid & ~sm->hazard & ~sm->awaited;
	if (!able || sm->fetched_slot != NONE)
		return;
	uint64_t after = able & ~((2ull << sm->last_fetched) - 1);
	uint32_t slot = (uint32_t)__builtin_ctzll(after ? after : able);
	struct warp *w = &sm->warp[slot];
	int got = sm->l1[L1I] ? sm_fetch_line(sm, slot, w->fetch_pc) : 1;
	if (got == 0)
		sm->awaited |= bit(slot);
	if (got >= 0) {
		sm->last_fetched = slot;
		sm->moved = true;
	}
	if (got <= 0)
		return;
	w->fetching = fetchable(sm, w->fetch_pc);
	sm->fetched_slot = slot;
}

void
sm_fetch(struct sm *sm)
{
	if (!sm->set->fetch_insns)
		return;
	decode(sm);
	fetch(sm);
}

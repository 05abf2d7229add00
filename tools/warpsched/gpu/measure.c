#include "gpu/gpu.h"
#include "gpu/measure.h"

/* OAWS sec. 2.2: more than two lines. */
static unsigned
is_divergent(uint32_t lines)
{
	return lines > WCP_DIVERGENT_LINES;
}

/* OAWS sec. 4.3.1: a line that is reserved counts as cached. */
static bool
is_cached(uint8_t outcome)
{
	return outcome == WCP_OUT_HIT || outcome == WCP_OUT_PENDING || outcome == WCP_OUT_REDIRECT;
}

void
measure_accepted(struct sm *sm, struct request *r, uint8_t outcome)
{
	r->accepted = (uint32_t)sm->now;
	if (r->cache != L1D || r->op == NONE || r->kind != WCP_LOAD)
		return;
	struct op *op = &sm->op[r->op];
	op->global = true;
	op->missed |= !is_cached(outcome);
	watch_access(&sm->gpu->watch, sm, r, outcome);
}

static void
stages(struct sm_counts *n, const struct request *r, uint32_t now)
{
	const uint32_t at[STAGE_COUNT + 1] = {
	    r->offered, r->accepted, r->left, r->taken, r->looked, r->replied, r->arrived, now};
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		n->stage[i] += at[i + 1] - at[i];
	n->staged++;
}

void
measure_answered(struct sm *sm, const struct request *r)
{
	struct sm_counts *n = &sm->counts;
	uint32_t now = (uint32_t)sm->now;
	if (r->cache != L1D || r->kind != WCP_LOAD)
		return;
	unsigned d = is_divergent(r->lines);
	n->accesses[d]++;
	n->latency[d] += now - r->offered;
	/* Held at the head of the unit, and at the end of L1D's pipeline. */
	n->occluded[d] += (uint32_t)r->issued - r->offered + (r->accepted - r->due);
	if (r->went)
		stages(n, r, now);
}

void
measure_load(struct sm *sm, const struct op *op)
{
	if (!op->global)
		return;
	unsigned d = is_divergent(op->lines);
	sm->counts.loads[d]++;
	sm->counts.fully_cached[d] += !op->missed;
	watch_load(&sm->gpu->watch, sm, op);
}

enum ldst_stall
measure_refusal(const struct sm *sm, unsigned cache, unsigned fail)
{
	const struct wcp_nb_options *o =
	    cache == L1D ? &sm->gpu->set->l1.cache : &sm->gpu->set->l1c.cache;
	switch ((enum wcp_nb_fail)fail) {
	case WCP_NB_OK:
	case WCP_NB_PORT: return LDST_COAL;
	case WCP_NB_LINE: return LDST_LINE;
	case WCP_NB_QUEUE:
		/* OAWS sec. 3.1: the network is to blame where MSHRs are left. */
		return o->mshr_entries && wcp_nbcache_mshrs(sm->ldst.refusing) >= o->mshr_entries
			   ? LDST_MSHR
			   : LDST_ICNT;
	case WCP_NB_MERGE:
	case WCP_NB_ENTRY:
	case WCP_NB_FAIL_COUNT: break;
	}
	return LDST_MSHR;
}

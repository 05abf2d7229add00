#include "gpu/states.h"
#include "gpu/gpu.h"

#include <stdlib.h>

void
states_add(struct states *s, struct sm *sm, uint32_t slot, enum wcp_state_kind kind)
{
	const struct cta *c = sm->warp[slot].cta;
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 256;
		struct state_event *grown = realloc(s->event, cap * sizeof *grown);
		if (!grown) {
			s->failed = true;
			return;
		}
		s->event = grown;
		s->cap = cap;
	}
	bool of_cta = kind == WCP_STATE_CTA_BEGIN || kind == WCP_STATE_CTA_END;
	s->event[s->n] = (struct state_event){
	    .state = {.cycle = sm->now,
		.kernel = c->run->kernel->id,
		.cta = c->feed->linear,
		.sm = (uint16_t)sm->number,
		.warp = of_cta ? WCP_NONE16 : sm->seen[slot].warp,
		.slot = of_cta ? WCP_NONE16 : (uint16_t)slot,
		.kind = (uint16_t)kind},
	    .order = s->n,
	};
	s->n++;
	if (kind != WCP_STATE_WARP_BEGIN)
		return;
	/* It begins active, whatever the slot's last warp was. */
	sm->told.barrier &= ~bit(slot);
	sm->told.stalled &= ~bit(slot);
	sm->told.isolated &= ~bit(slot);
}

/* What holds a warp most: at a barrier it would wait whatever the policy says. */
static enum wcp_state_kind
state_of(const struct wcp_policy_sm *v, uint32_t slot)
{
	if (v->barrier >> slot & 1)
		return WCP_STATE_BARRIER;
	if (v->stalled >> slot & 1)
		return WCP_STATE_STALLED;
	return v->isolated >> slot & 1 ? WCP_STATE_ISOLATED : WCP_STATE_ACTIVE;
}

void
states_look(struct states *s, struct sm *sm)
{
	const struct wcp_policy_sm *v = &sm->view;
	struct told *t = &sm->told;
	uint64_t changed =
	    (v->barrier ^ t->barrier) | (v->stalled ^ t->stalled) | (v->isolated ^ t->isolated);
	*t = (struct told){v->barrier, v->stalled, v->isolated};
	for (uint64_t c = changed & v->resident; c; c &= c - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(c);
		states_add(s, sm, slot, state_of(v, slot));
	}
}

static int
by_cycle(const void *a, const void *b)
{
	const struct state_event *x = a, *y = b;
	if (x->state.cycle != y->state.cycle)
		return x->state.cycle < y->state.cycle ? -1 : 1;
	if (x->state.sm != y->state.sm)
		return x->state.sm < y->state.sm ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
states_flush(struct states *s)
{
	if (s->n)
		qsort(s->event, s->n, sizeof *s->event, by_cycle);
	if (s->n_out + s->n > s->cap_out) {
		uint32_t cap = 2 * (s->n_out + s->n);
		struct wcp_state *grown = realloc(s->out, cap * sizeof *grown);
		if (!grown) {
			s->failed = true;
			return;
		}
		s->out = grown;
		s->cap_out = cap;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->out[s->n_out++] = s->event[i].state;
	s->n = 0;
}

void
states_release(struct states *s)
{
	free(s->event);
	free(s->out);
}

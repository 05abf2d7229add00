/* Whose turn it is: warpflat(1), section MODEL, says the same in words. */
#include "flat.h"

#include <stdlib.h>

struct sm {
	struct cta **resident; /* [ctas_per_sm], NULL: free */
	uint32_t next_slot;    /* where the search for a warp goes on */
};

struct machine {
	struct flat *f;
	struct launch *l;
	uint32_t n_sm, ctas_per_sm;
	struct sm *sm; /* [n_sm] */
	struct wcp_error *e;
};

uint32_t
residency(const struct wcp_kernel *k)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = threads ? (threads + WCP_LANES - 1) / WCP_LANES : 1;
	uint64_t registers = ((uint64_t)k->regs_per_thread + 3) / 4 * 4 * warps * WCP_LANES;
	uint64_t shared = (uint64_t)k->static_shared_bytes + k->dynamic_shared_bytes;
	uint32_t n = 8;
	while (n > 1 && (n * warps > 48 || n * registers > 32768 || n * shared > 49152))
		n--;
	return n;
}

/* The next CTA in the stream's order, read up to its first segment; NULL if there is none. */
static int
next_cta(struct machine *m, struct cta **c)
{
	struct launch *l = m->l;
	int status;
	while (!l->waiting && !l->complete && l->ctas_read < l->ctas) {
		if ((status = input_next(m->f, m->e)))
			return status;
	}
	*c = l->waiting;
	if (*c) {
		l->waiting = (*c)->next;
		if (!l->waiting)
			l->waiting_end = &l->waiting;
	}
	return 0;
}

/* Everybody who waits at the barrier goes on. */
static void
release(struct cta *c, uint32_t barrier)
{
	for (uint32_t w = 0; w < c->n_warp; w++) {
		if (c->warp[w].waits && c->warp[w].barrier == barrier) {
			c->warp[w].waits = false;
			c->n_waiting--;
		}
	}
	c->arrived[barrier] = 0;
}

/* Where no warp of a CTA can go on, because a part of it is not in the stream, all do. */
static void
release_stuck(struct cta *c)
{
	if (c->n_waiting && c->n_waiting + c->n_done == c->n_warp) {
		for (uint32_t b = 0; b < BARRIERS; b++)
			release(c, b);
	}
}

static void
arrive(struct cta *c, struct warp *w, const struct record *r)
{
	uint32_t barrier = (uint32_t)(r->mem.base % BARRIERS);
	uint32_t expected = r->mem.stride ? (uint32_t)r->mem.stride : c->n_warp - c->n_done;
	c->arrived[barrier]++;
	if (r->mem.shape == RECORD_BARRIER) {
		w->waits = true;
		w->barrier = (uint8_t)barrier;
		c->n_waiting++;
	}
	if (c->arrived[barrier] >= expected)
		release(c, barrier);
	release_stuck(c);
}

/* Sees to it that the warp has something queued, or is known to be done. */
static int
fill(struct machine *m, struct cta *c, struct warp *w)
{
	int status;
	while (queue_empty(&w->queue) && !w->closed) {
		if ((status = input_next(m->f, m->e)))
			return status;
	}
	if (queue_empty(&w->queue)) {
		w->done = true;
		c->n_done++;
		/* Those who wait for all may have waited for this one alone. */
		for (uint32_t b = 0; b < BARRIERS; b++) {
			if (c->arrived[b] && c->arrived[b] >= c->n_warp - c->n_done)
				release(c, b);
		}
		release_stuck(c);
	}
	return 0;
}

static uint16_t
narrow(uint32_t x)
{
	return x < WCP_NONE16 ? (uint16_t)x : WCP_NONE16;
}

static struct place
place_of(
    const struct machine *m, uint32_t sm, uint32_t position, const struct cta *c, uint32_t warp)
{
	/* One CTA after the other has no SM of its own: they are dealt out in turn. */
	bool one_by_one = m->f->set.order != ORDER_RR;
	return (struct place){
	    .sm = narrow(one_by_one ? c->number % m->f->set.sms : sm),
	    .slot = narrow(position * m->l->warps_per_cta + warp),
	    .warp = narrow(warp),
	    .cta = c->linear,
	};
}

/* The warp's next memory instruction, with all its records: 1 if there was one, 0 if it stopped at
 * a barrier or its end. */
static int
issue(struct machine *m, uint32_t sm, uint32_t position, struct cta *c, uint32_t warp)
{
	struct warp *w = &c->warp[warp];
	struct place where = place_of(m, sm, position, c, warp);
	uint16_t flags = WCP_ACCESS_FIRST;
	struct record r;
	int status;
	for (;;) {
		if ((status = fill(m, c, w)))
			return status;
		if (w->done)
			return flags == 0;
		if ((status = queue_pop(&w->queue, &m->f->pool, &r, m->e)) < 0)
			return status;
		if (r.mem.shape >= RECORD_BARRIER) {
			arrive(c, w, &r);
			if (r.mem.shape == RECORD_BARRIER)
				return 0;
			continue;
		}
		if ((status = emit(m->f, m->l, &where, &r, flags, m->e)))
			return status;
		flags = 0;
		if (!(r.flags & WCP_MEM_MORE))
			return 1;
	}
}

static int
retire(struct machine *m, struct sm *s, uint32_t position)
{
	cta_free(m->f, s->resident[position]);
	s->resident[position] = NULL;
	s->next_slot = position * m->l->warps_per_cta;
	return next_cta(m, &s->resident[position]);
}

/* One memory instruction of the SM: 1, or 0 if it has none left. */
static int
turn(struct machine *m, uint32_t number)
{
	struct sm *s = &m->sm[number];
	uint32_t warps = m->l->warps_per_cta, slots = m->ctas_per_sm * warps;
	bool stay = m->f->set.order == ORDER_WARP;
	int status;
	for (uint32_t tried = 0; tried < slots; tried++) {
		uint32_t slot = s->next_slot < slots ? s->next_slot : 0, position = slot / warps,
			 warp = slot % warps;
		struct cta *c = s->resident[position];
		s->next_slot = slot + 1;
		if (!c) {
			s->next_slot = (position + 1) * warps;
			tried += warps - warp - 1;
			continue;
		}
		if (warp >= c->n_warp || c->warp[warp].done || c->warp[warp].waits)
			continue;
		if ((status = issue(m, number, position, c, warp)) < 0)
			return status;
		if (status) {
			s->next_slot = stay ? slot : slot + 1;
			return 1;
		}
		/* It stopped; others may go on because of that, and with its last warp a CTA makes
		 * room. */
		tried = UINT32_MAX;
		if (c->n_done < c->n_warp)
			continue;
		if ((status = retire(m, s, position)))
			return status;
	}
	return 0;
}

static int
deal_out(struct machine *m)
{
	int status;
	for (uint32_t p = 0; p < m->ctas_per_sm; p++) {
		for (uint32_t s = 0; s < m->n_sm; s++) {
			if ((status = next_cta(m, &m->sm[s].resident[p])))
				return status;
			if (!m->sm[s].resident[p])
				return 0;
		}
	}
	return 0;
}

static int
take_turns(struct machine *m)
{
	int status = deal_out(m);
	for (bool some = true; some && !status;) {
		some = false;
		for (uint32_t s = 0; s < m->n_sm; s++) {
			if ((status = turn(m, s)) < 0)
				return status;
			some |= status == 1;
			status = 0;
		}
		if (tool_interrupted())
			return 0;
	}
	return status;
}

static int
machine_new(struct machine *m)
{
	bool rr = m->f->set.order == ORDER_RR;
	m->n_sm = rr ? m->f->set.sms : 1;
	m->ctas_per_sm = rr ? m->l->ctas_per_sm : 1;
	m->sm = calloc(m->n_sm, sizeof m->sm[0]);
	for (uint32_t s = 0; m->sm && s < m->n_sm; s++) {
		m->sm[s].resident = calloc(m->ctas_per_sm, sizeof m->sm[s].resident[0]);
		if (!m->sm[s].resident)
			return wcp_fail(m->e, WCP_ESYS, "out of memory");
	}
	return m->sm ? 0 : wcp_fail(m->e, WCP_ESYS, "out of memory");
}

static void
machine_free(struct machine *m)
{
	for (uint32_t s = 0; m->sm && s < m->n_sm; s++) {
		for (uint32_t p = 0; m->sm[s].resident && p < m->ctas_per_sm; p++) {
			if (m->sm[s].resident[p])
				cta_free(m->f, m->sm[s].resident[p]);
		}
		free(m->sm[s].resident);
	}
	free(m->sm);
}

int
order_run(struct flat *f, struct launch *l, struct wcp_error *e)
{
	struct machine m = {.f = f, .l = l, .e = e};
	int status = machine_new(&m);
	if (!status)
		status = take_turns(&m);
	machine_free(&m);
	return status;
}

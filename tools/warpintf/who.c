/* Warps, the places where they run, and the units that figures are attributed to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "intf.h"

enum { SLOTS_MAX = 1024, LOST_PROGRAM = 1u << 31 };

const char *const by_name[BY_COUNT] = {"slot", "warp", "cta", "kernel", "pc"};

void
who_init(struct who *w, const struct settings *s)
{
	*w = (struct who){.by = s->by, .per_sm = s->per_sm};
	keys_init(&w->warp, UNIT_WARP);
	keys_init(&w->at, UNIT_WARP);
	keys_init(&w->unit, s->by == BY_PC ? UNIT_PC : UNIT_WARP);
}

void
who_release(struct who *w)
{
	keys_release(&w->warp);
	keys_release(&w->at);
	keys_release(&w->unit);
	names_release(&w->kernels);
	names_release(&w->programs);
	for (uint32_t i = 0; i < w->n_sm; i++)
		free(w->sm[i].place);
	for (uint32_t i = 0; i < w->n_place; i++)
		free(w->place[i].from);
	free(w->sm);
	free(w->warp_place);
	free(w->agent);
	free(w->place);
	free(w->program);
}

/* Room for element n of an array, twice what there was; new room is cleared. */
static void
room(void *array, uint32_t *cap, uint32_t n, size_t bytes)
{
	char **at = array;
	if (n < *cap)
		return;
	uint32_t more = n < 32 ? 64 : 2 * n;
	*at = must_alloc(*at, more * bytes);
	memset(*at + *cap * bytes, 0, (more - *cap) * bytes);
	*cap = more;
}

void
who_kernel(struct who *w, const struct wcp_reader *r, const struct wcp_kernel *k)
{
	unit_kernel(&w->kernels, &w->programs, r, k);
	room(&w->program, &w->n_program, k->id, sizeof *w->program);
	w->program[k->id] = k->program != WCP_NONE32 ? k->program : k->id | LOST_PROGRAM;
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct sm *
sm_at(struct who *w, uint16_t sm)
{
	room(&w->sm, &w->n_sm, sm, sizeof *w->sm);
	w->sm[sm].seen = true;
	return &w->sm[sm];
}

static uint32_t
new_place(struct who *w, uint16_t sm, uint16_t slot)
{
	room(&w->place, &w->cap_place, w->n_place, sizeof *w->place);
	w->place[w->n_place] = (struct place){.sm = sm,
	    .slot = slot,
	    .warp = NONE,
	    .agent = NONE,
	    .copy = NONE,
	    .list = WCP_NO_INTERFERER,
	    .most = NONE,
	    .last_most = NONE,
	    .last_list = NONE,
	    .raw = -1,
	    .irs = -1};
	return w->n_place++;
}

/* Entries of an SM's list of places up to n. */
static void
sm_room(struct sm *s, uint32_t n)
{
	if (n < s->n)
		return;
	s->place = must_alloc(s->place, (n + 1ull) * sizeof *s->place);
	while (s->n <= n)
		s->place[s->n++] = NONE;
}

static uint32_t
place_of_slot(struct who *w, uint16_t sm, uint16_t slot)
{
	struct sm *s = sm < w->n_sm && w->sm[sm].seen ? &w->sm[sm] : sm_at(w, sm);
	if (slot >= s->n)
		sm_room(s, slot);
	if (s->place[slot] == NONE)
		s->place[slot] = new_place(w, sm, slot);
	return s->place[slot];
}

static uint32_t
place_of_warp(struct who *w, uint16_t sm, uint32_t warp)
{
	struct sm *s = sm_at(w, sm);
	w->slotless = true;
	if (w->warp_place[warp] == NONE) {
		w->warp_place[warp] = new_place(w, sm, WCP_NONE16);
		sm_room(s, s->n);
		s->place[s->n - 1] = w->warp_place[warp];
	}
	return w->warp_place[warp];
}

uint32_t
who_owner(const struct who *w, uint16_t sm, uint32_t slot)
{
	return sm < w->n_sm && slot < w->sm[sm].n ? w->sm[sm].place[slot] : NONE;
}

/* ---- units ----------------------------------------------------------------------------------- */

static struct key
unit_key(const struct who *w, const struct place *p, struct key warp, uint32_t pc)
{
	uint32_t sm = w->per_sm ? p->sm : 0, index = warp.unit & UINT16_MAX;
	switch (w->by) {
	case BY_SLOT: return (struct key){0, sm, p->slot};
	case BY_WARP: return (struct key){warp.group, warp.cta, sm << 16 | index};
	case BY_CTA: return (struct key){warp.group, warp.cta, sm};
	case BY_KERNEL: return (struct key){warp.group, 0, sm};
	case BY_PC:
	case BY_COUNT: break;
	}
	return (struct key){
	    warp.group < w->n_program ? w->program[warp.group] : warp.group | LOST_PROGRAM, sm, pc};
}

static uint32_t
new_agent(struct who *w, uint32_t number, uint32_t place, uint32_t warp, uint32_t pc)
{
	uint32_t unit = keys_number(&w->unit, unit_key(w, &w->place[place], w->warp.key[warp], pc));
	room(&w->agent, &w->cap_agent, number, sizeof *w->agent);
	w->agent[number] = (struct agent){.warp = warp, .unit = unit};
	return number;
}

static uint32_t
agent_of(struct who *w, uint32_t place, uint32_t warp, uint32_t pc)
{
	if (w->by != BY_PC)
		return warp;
	uint32_t had = w->at.n, number = keys_number_fast(&w->at, (struct key){warp, 0, pc});
	return number == had ? new_agent(w, number, place, warp, pc) : number;
}

static uint32_t
warp_number(struct who *w, struct key key)
{
	uint32_t had = w->warp.n, cap = w->warp.cap, number = keys_number(&w->warp, key);
	if (w->warp.cap != cap)
		w->warp_place = must_alloc(w->warp_place, w->warp.cap * sizeof *w->warp_place);
	if (number == had)
		w->warp_place[number] = NONE;
	return number;
}

/* Another warp than the one that the place has. */
static uint32_t
new_warp(struct who *w, struct key key, uint16_t sm, uint16_t slot, uint32_t place)
{
	uint32_t had = w->warp.n, warp = warp_number(w, key);
	if (slot == WCP_NONE16)
		place = place_of_warp(w, sm, warp);
	w->warp_place[warp] = place;
	w->place[place].warp = warp;
	w->place[place].key = key;
	if (warp == had && w->by != BY_PC)
		new_agent(w, warp, place, warp, 0);
	return place;
}

static int
check(const struct who *w, uint16_t sm, uint16_t slot, struct wcp_error *e)
{
	if (sm == WCP_NONE16)
		return wcp_fail(
		    e, WCP_EDATA, "an access of no SM: pipe the stream through warpflat --sms N");
	if (slot == WCP_NONE16 && w->by == BY_SLOT)
		return wcp_fail(e, WCP_EUSAGE, "the stream knows no warp slots: ask --by warp");
	if (slot != WCP_NONE16 && slot >= SLOTS_MAX)
		return wcp_fail(
		    e, WCP_EDATA, "warp slot %u: an SM has %d at most", slot, SLOTS_MAX);
	return 0;
}

uint32_t
who_of(struct who *w, const struct wcp_access_batch *b, uint32_t i, uint32_t *agent, bool *came,
    struct wcp_error *e)
{
	uint16_t sm = b->sm[i], slot = b->slot[i];
	struct key key = {b->kernel[i], b->cta[i], (uint32_t)sm << 16 | b->warp[i]};
	uint32_t place = NONE;
	if ((sm == WCP_NONE16 || slot >= SLOTS_MAX) && check(w, sm, slot, e))
		return NONE;
	if (slot != WCP_NONE16)
		place = place_of_slot(w, sm, slot);
	*came =
	    place == NONE || w->place[place].warp == NONE || !key_equal(w->place[place].key, key);
	if (*came) {
		uint32_t had = w->n_place;
		place = new_warp(w, key, sm, slot, place);
		/* a place of its own is never anyone else's */
		*came = slot != WCP_NONE16 || place == had;
	}
	struct place *p = &w->place[place];
	*agent = agent_of(w, place, p->warp, w->by == BY_PC ? b->pc[i] : 0);
	p->agent = *agent;
	return place;
}

/* ---- in reports ------------------------------------------------------------------------------ */

uint16_t
who_sm(const struct who *w, uint32_t unit)
{
	const struct key *k = &w->unit.key[unit];
	switch (w->by) {
	case BY_WARP: return (uint16_t)(k->unit >> 16);
	case BY_CTA:
	case BY_KERNEL: return (uint16_t)k->unit;
	case BY_SLOT:
	case BY_PC:
	case BY_COUNT: break;
	}
	return (uint16_t)k->cta;
}

void
who_label(struct report *r, const struct who *w, uint32_t unit)
{
	char text[1024];
	const struct key *k = &w->unit.key[unit];
	bool lost = k->group & LOST_PROGRAM;
	const char *name;
	uint32_t id;
	switch (w->by) {
	case BY_WARP:
		snprintf(text, sizeof text, "%" PRIu32 "/%" PRIu32 "/%" PRIu32, k->group, k->cta,
		    k->unit & UINT16_MAX);
		break;
	case BY_CTA: snprintf(text, sizeof text, "%" PRIu32 "/%" PRIu32, k->group, k->cta); break;
	case BY_KERNEL:
		name = names_get(&w->kernels, k->group);
		snprintf(text, sizeof text, "%" PRIu32 ":%s", k->group, name ? name : "");
		break;
	case BY_PC:
		id = k->group & ~(uint32_t)LOST_PROGRAM;
		name = names_get(lost ? &w->kernels : &w->programs, id);
		if (lost) /* the kernel stands for itself */
			snprintf(text, sizeof text, "%" PRIu32 ":%s:%" PRIu32, id, name ? name : "",
			    k->unit);
		else
			snprintf(text, sizeof text, "%s:%" PRIu32, name ? name : "", k->unit);
		break;
	case BY_SLOT:
	case BY_COUNT: report_u64(r, k->unit); return;
	}
	report_text(r, text);
}

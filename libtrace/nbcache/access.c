/* An access: first what it would do and what it lacks, then, if it lacks nothing, doing it. */
#include "nbcache/model.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct plan {
	const struct nb_action *action;
	uint64_t number, set;
	uint32_t want, missing; /* sectors */
	uint32_t ask;		/* of the missing, those not on their way */
	uint32_t place;		/* of the line, TAGS_NONE */
	uint32_t room;		/* place to be emptied for it, TAGS_NONE: it needs none */
	uint32_t entry;		/* MSHR_NONE */
	enum nb_op op;
	bool places; /* its MSHR gets a line */
	bool joins;  /* something of the line is on its way */
	bool migrates;
};

ALWAYS_INLINE void
find_entry(const struct wcp_nbcache *c, struct plan *p)
{
	p->ask = p->missing;
	if (!c->mshrs.used)
		return;
	if (c->direct && p->op == OP_REDIRECT) { /* not looked up so far */
		p->set = nb_set(c, p->number);
		p->place = tags_find(&c->tags, p->set, p->number);
	}
	if (c->direct && p->place != TAGS_NONE && c->tags.line[p->place].reserved)
		p->entry = c->tags.mshr[p->place];
	else
		p->entry = mshrs_find(&c->mshrs, nb_key(c, p->number, p->want));
	if (p->entry == MSHR_NONE)
		return;
	const struct mshr *e = &c->mshrs.entry[p->entry];
	p->ask = p->missing & ~e->asked;
	p->joins = e->asked != 0;
}

/* Where its MSHR's line goes: one that is on its way keeps to what was decided for it, save that
 * allocate-on-fill may still decide for a line. */
ALWAYS_INLINE void
find_whether_placed(const struct wcp_nbcache *c, struct plan *p)
{
	p->places = p->action->places;
	if (p->joins) {
		bool placed = c->mshrs.entry[p->entry].places;
		p->places = c->on_miss ? placed : placed || p->places;
	}
}

ALWAYS_INLINE int
plan_fetch(const struct wcp_nbcache *c, struct plan *p)
{
	if (!p->missing)
		return 0;
	find_entry(c, p);
	find_whether_placed(c, p);
	if (p->action->dirties && !p->places) {
		p->op = OP_FORWARD; /* there will be no line for what it writes */
		return nb_has_room(&c->queue, 1) ? 0 : WCP_NB_QUEUE;
	}
	if (p->op == OP_REDIRECT && !p->places)
		p->place = TAGS_NONE;
	if (p->op == OP_REDIRECT && c->on_miss && p->places) { /* it joins: there is a line */
		p->set = nb_set(c, p->number);
		p->place = tags_find(&c->tags, p->set, p->number);
	}
	if (c->on_miss && p->places && p->ask && p->place == TAGS_NONE) {
		p->room = tags_choose(&c->tags, p->set, c->n);
		if (p->room == TAGS_NONE && c->tags.is_bounded)
			return WCP_NB_LINE;
	}
	uint32_t messages = (p->ask != 0) + nb_is_dirty(c, p->room);
	if (!p->migrates && !nb_has_room(&c->queue, c->o.worst_case_room ? 2 : messages))
		return WCP_NB_QUEUE;
	if (p->entry != MSHR_NONE)
		return c->mshrs.entry[p->entry].n >= c->mshrs.merges ? WCP_NB_MERGE : 0;
	return c->mshrs.used >= c->mshrs.limit ? WCP_NB_ENTRY : 0;
}

ALWAYS_INLINE int
plan_keep(const struct wcp_nbcache *c, struct plan *p)
{
	if (p->missing)
		find_entry(c, p);
	if (p->place == TAGS_NONE) {
		p->room = tags_choose(&c->tags, p->set, c->n);
		if (p->room == TAGS_NONE && c->tags.is_bounded)
			return WCP_NB_LINE;
	}
	uint32_t messages = c->o.worst_case_room ? p->missing != 0 : nb_is_dirty(c, p->room);
	return nb_has_room(&c->queue, messages) ? 0 : WCP_NB_QUEUE;
}

ALWAYS_INLINE int
plan_tags(const struct wcp_nbcache *c, struct plan *p)
{
	if (p->place == TAGS_NONE)
		p->room = tags_choose(&c->tags, p->set, c->n);
	uint32_t messages = c->o.worst_case_room ? 2 : 1u + nb_is_dirty(c, p->room);
	return nb_has_room(&c->queue, messages) ? 0 : WCP_NB_QUEUE;
}

ALWAYS_INLINE void
look_up(const struct wcp_nbcache *c, struct plan *p, const struct nb_found *known)
{
	if (known) {
		p->set = known->set;
		p->place = known->place;
	} else {
		p->set = nb_set(c, p->number);
		p->place = tags_find(&c->tags, p->set, p->number);
	}
	p->missing = p->place == TAGS_NONE ? p->want : p->want & ~c->tags.line[p->place].valid;
	if (p->action->around && p->missing)
		p->op = OP_FORWARD;
}

/* What it is and what of it is there; 0 or WCP_NB_PORT. known: where it was found, or NULL. */
ALWAYS_INLINE int
begin(const struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p,
    const struct nb_found *known)
{
	p->action = nb_action_of(c, a);
	p->number = a->line >> c->index.line_shift;
	p->want = nb_sectors(c, a->sectors);
	p->missing = p->ask = 0;
	p->place = p->room = TAGS_NONE;
	p->entry = MSHR_NONE;
	p->joins = false;
	p->migrates = a->migrates;
	p->set = 0;
	p->op = (enum nb_op)p->action->op;
	if (c->o.port_bytes && a->cycle < c->data_free && p->op != OP_NONE)
		return WCP_NB_PORT;
	if (p->op > OP_REDIRECT || p->op == OP_TAGS)
		look_up(c, p, known);
	return 0;
}

/* What else it needs. */
ALWAYS_INLINE int
plan(const struct wcp_nbcache *c, struct plan *p)
{
	switch (p->op) {
	case OP_NONE: return 0;
	case OP_FETCH: return plan_fetch(c, p);
	case OP_KEEP: return plan_keep(c, p);
	case OP_TAGS: return plan_tags(c, p);
	case OP_REDIRECT: p->missing = p->want; return plan_fetch(c, p);
	case OP_BYPASS:
	case OP_FORWARD: break;
	}
	return nb_has_room(&c->queue, 1) ? 0 : WCP_NB_QUEUE;
}

ALWAYS_INLINE void
hit(struct wcp_nbcache *c, uint64_t set, uint32_t place, uint32_t dirty, struct wcp_nb_result *r)
{
	tags_touch(&c->tags, set, place);
	if (dirty)
		c->tags.line[place].dirty |= dirty;
	r->outcome = WCP_OUT_HIT;
	r->bits = WCP_NB_PRESENT;
	r->missing = 0;
}

/* ---- doing it ------------------------------------------------------------------------------- */

static void
send(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct plan *p,
    enum wcp_nb_message_type type, uint32_t sectors)
{
	bool fetches = type == WCP_NB_FETCH;
	uint8_t load = a->kind == WCP_PREFETCH ? WCP_PREFETCH : WCP_LOAD;
	*(fetches ? &c->counts.fetches : &c->counts.passes) += 1;
	struct wcp_nb_message *m = nb_push(c);
	m->line = p->number << c->index.line_shift;
	m->sectors = sectors;
	m->handle = a->handle;
	m->owner = a->owner;
	m->type = (uint8_t)type;
	m->kind = fetches ? load : a->kind;
	m->space = a->space;
}

/* Puts the line where room was found; what was there is written back if it was dirty. */
static void
allocate(
    struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	if (c->tags.line[p->room].number != TAGS_NO_NUMBER) {
		uint8_t space = nb_evict(c, p->set, p->room, a->owner, &r->victim);
		r->bits |= WCP_NB_VICTIM;
		if (r->victim.sectors) {
			r->bits |= WCP_NB_DIRTY;
			nb_write_back(c, &r->victim, space, a->handle);
		}
	}
	tags_put(&c->tags, p->set, p->room, p->number, a->owner, a->space);
	p->place = p->room;
}

static inline void
touch(struct wcp_nbcache *c, const struct plan *p)
{
	if (p->place != TAGS_NONE)
		tags_touch(&c->tags, p->set, p->place);
}

static uint8_t
missed(const struct plan *p)
{
	if (!p->ask)
		return WCP_OUT_PENDING;
	return p->place != TAGS_NONE || p->joins ? WCP_OUT_SECTOR : WCP_OUT_MISS;
}

static void
take_entry(struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p)
{
	struct mshrs *m = &c->mshrs;
	if (p->entry == MSHR_NONE) {
		p->entry = mshrs_take(m, nb_key(c, p->number, p->want), c->direct && p->places);
		if (m->used > c->counts.mshrs_peak)
			c->counts.mshrs_peak = m->used;
	}
	struct mshr *e = &m->entry[p->entry];
	if (!e->is_hashed && !(c->direct && p->places))
		mshrs_hash(m, p->entry);
	e->places = p->places;
	if (p->joins)
		return;
	e->owner = a->owner;
	e->handle = a->handle;
	e->space = a->space;
}

static void
fetch(struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	if (p->op != OP_REDIRECT)
		touch(c, p);
	r->missing = p->missing;
	r->outcome = p->op == OP_REDIRECT ? WCP_OUT_REDIRECT_MISS : missed(p);
	r->bits = WCP_NB_WAITS;
	take_entry(c, a, p);
	mshrs_add(&c->mshrs, p->entry, a->handle, p->missing, p->action->dirties ? p->want : 0);
	if (!p->ask)
		return;
	c->mshrs.entry[p->entry].asked |= p->ask;
	if (p->migrates)
		return;
	r->bits |= WCP_NB_SENT;
	send(c, a, p, WCP_NB_FETCH, p->ask);
	if (!c->on_miss || !p->places)
		return;
	if (p->place == TAGS_NONE)
		allocate(c, a, p, r);
	c->mshrs.entry[p->entry].place = p->place;
	c->mshrs.entry[p->entry].set = p->set;
	c->tags.mshr[p->place] = p->entry;
	tags_mark_reserved(&c->tags, p->set, p->place, c->tags.line[p->place].reserved | p->ask);
}

static void
keep(struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	touch(c, p);
	r->missing = p->missing;
	r->outcome = p->missing ? missed(p) : WCP_OUT_HIT;
	r->bits = p->missing ? 0 : WCP_NB_PRESENT;
	if (p->place == TAGS_NONE)
		allocate(c, a, p, r);
	tags_add_valid(&c->tags, p->set, p->place, p->want & ~a->partial);
	c->tags.line[p->place].dirty |= p->want;
}

static void
forward(
    struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	r->missing = p->missing;
	r->outcome = WCP_OUT_FORWARD;
	r->bits = WCP_NB_SENT | (p->missing ? 0 : WCP_NB_PRESENT);
	send(c, a, p, WCP_NB_PASS, p->want);
	if (p->place == TAGS_NONE)
		return;
	if (p->action->drops)
		nb_drop(c, p->set, p->place);
	if (!p->action->drops || c->tags.line[p->place].reserved)
		touch(c, p);
}

static void
shadow(
    struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	touch(c, p);
	r->missing = p->missing;
	r->outcome = WCP_OUT_BYPASS;
	r->bits = WCP_NB_SENT | (p->missing ? 0 : WCP_NB_PRESENT);
	send(c, a, p, WCP_NB_PASS, p->want);
	if (p->place == TAGS_NONE && p->room != TAGS_NONE)
		allocate(c, a, p, r);
	if (p->place != TAGS_NONE)
		tags_add_valid(
		    &c->tags, p->set, p->place, p->want & ~c->tags.line[p->place].reserved);
}

static void
bypass(
    struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	r->outcome = WCP_OUT_BYPASS;
	r->bits = WCP_NB_SENT;
	send(c, a, p, WCP_NB_PASS, p->want);
}

static void
hold_port(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct plan *p,
    const struct wcp_nb_result *r)
{
	uint64_t cycles = r->bits & WCP_NB_PRESENT && r->outcome != WCP_OUT_BYPASS
			      ? nb_port_cycles(c, p->want)
			      : 0;
	if (r->bits & WCP_NB_DIRTY)
		cycles += nb_port_cycles(c, r->victim.sectors);
	if (cycles)
		c->data_free = a->cycle + cycles;
}

ALWAYS_INLINE void
perform(
    struct wcp_nbcache *c, const struct wcp_nb_access *a, struct plan *p, struct wcp_nb_result *r)
{
	r->outcome = WCP_OUT_NONE;
	r->bits = 0;
	r->missing = 0;
	switch (p->op) {
	case OP_NONE: return;
	case OP_BYPASS: bypass(c, a, p, r); return;
	case OP_TAGS: shadow(c, a, p, r); return;
	case OP_FORWARD: forward(c, a, p, r); return;
	case OP_KEEP: keep(c, a, p, r); return;
	case OP_FETCH:
	case OP_REDIRECT: break;
	}
	if (p->missing)
		fetch(c, a, p, r);
	else
		hit(c, p->set, p->place, p->action->dirties ? p->want : 0, r);
}

static int
grow(struct wcp_nbcache *c)
{
	struct nb_queue *q = &c->queue;
	while (q->mask + 1 < q->n + 2)
		if (nb_queue_grow(q))
			return WCP_ESYS;
	return tags_reserve(&c->tags) || mshrs_reserve(&c->mshrs) ? WCP_ESYS : 0;
}

static inline bool
may_have_to_grow(const struct wcp_nbcache *c)
{
	return c->is_unlimited || c->queue.mask + 1 < c->queue.n + 2 ||
	       (c->mshrs.free == MSHR_NONE && c->mshrs.cap < c->mshrs.limit) ||
	       c->mshrs.free_request == MSHR_NONE;
}

int
nb_refuse(struct wcp_nbcache *c, bool again, enum wcp_nb_fail cause)
{
	c->counts.refused[cause]++;
	if (!again)
		c->counts.refused_first[cause]++;
	return (int)cause;
}

int
nb_access(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct nb_found *known,
    struct wcp_nb_result *r)
{
	struct plan p;
	if (may_have_to_grow(c) && grow(c))
		return WCP_ESYS;
	int cause = begin(c, a, &p, known);
	cause = cause ? cause : plan(c, &p);
	if (cause)
		return nb_refuse(c, a->again, (enum wcp_nb_fail)cause);
	perform(c, a, &p, r);
	if (c->o.port_bytes)
		hold_port(c, a, &p, r);
	c->n++;
	c->counts.outcome[r->outcome]++;
	c->counts.present += r->bits & WCP_NB_PRESENT;
	return 0;
}

void
wcp_nbcache_expect(const struct wcp_nbcache *c, uint64_t line)
{
	const struct tags *t = &c->tags;
	if (t->is_big)
		return;
	uint64_t set = nb_set(c, line >> c->index.line_shift), base = set * t->stride;
	__builtin_prefetch(&t->set[set], 1);
	__builtin_prefetch(&t->mark[base]);
	__builtin_prefetch(&t->high[base]);
	__builtin_prefetch(&t->stamp[base], 1);
	__builtin_prefetch(&t->line[base], 1);
	__builtin_prefetch(&t->line[base + t->stride / 2], 1);
}

int
wcp_nbcache_probe(const struct wcp_nbcache *c, const struct wcp_nb_access *a)
{
	struct plan p;
	int cause = begin(c, a, &p, NULL);
	return cause ? cause : plan(c, &p);
}

void
wcp_nbcache_refused(struct wcp_nbcache *c, enum wcp_nb_fail cause, uint64_t n)
{
	c->counts.refused[cause] += n;
}

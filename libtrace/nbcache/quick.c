/*
 * The common cases on their shortest way: a load that hits, a load that misses a line of which
 * nothing is known and that lacks nothing, and the line that comes whole for it. All else, and
 * whatever is refused, is left to access.c and fill.c, before anything has changed.
 */
#include "nbcache/model.h"

static void
fetch(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct nb_found *f, uint32_t room,
    struct wcp_nb_result *r)
{
	r->outcome = WCP_OUT_MISS;
	r->bits = WCP_NB_WAITS | WCP_NB_SENT;
	nb_place(c, a, f, room, nb_action_of(c, a)->dirties, r);
	struct wcp_nb_message *m = nb_push(c);
	m->line = a->line >> c->index.line_shift << c->index.line_shift;
	m->sectors = r->missing;
	m->handle = a->handle;
	m->owner = a->owner;
	m->type = WCP_NB_FETCH;
	m->kind = a->kind == WCP_PREFETCH ? WCP_PREFETCH : WCP_LOAD;
	m->space = a->space;
	nb_count_fetch(c);
}

/* Memory for it is there, and room in the queue, also for what GPGPU-Sim asks. */
static inline bool
has_room(const struct wcp_nbcache *c)
{
	const struct mshrs *m = &c->mshrs;
	return c->queue.mask + 1 >= c->queue.n + 2 &&
	       nb_has_room(&c->queue, c->o.worst_case_room ? 2 : 1) && m->used < m->limit &&
	       m->free != MSHR_NONE && m->free_request != MSHR_NONE;
}

static int
miss(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct nb_found *f,
    struct wcp_nb_result *r)
{
	const struct mshrs *m = &c->mshrs;
	if (f->place != TAGS_NONE || !c->direct || c->o.port_bytes || !has_room(c) || m->hashed ||
	    m->done_first != MSHR_NONE || nb_action_of(c, a)->around)
		return nb_access(c, a, f, r);
	uint32_t room = tags_choose(&c->tags, f->set, c->n);
	if (room == TAGS_NONE || c->tags.line[room].dirty)
		return nb_access(c, a, f, r);
	fetch(c, a, f, room, r);
	return 0;
}

int
wcp_nbcache_access(struct wcp_nbcache *c, const struct wcp_nb_access *a, struct wcp_nb_result *out)
{
	struct wcp_nb_result unwanted, *r = out ? out : &unwanted;
	const struct nb_action *action = nb_action_of(c, a);
	if (action->op != OP_FETCH || !c->is_plain || !action->places || a->cycle < c->data_free)
		return nb_access(c, a, NULL, r);
	uint64_t number = a->line >> c->index.line_shift;
	struct nb_found f = {.set = nb_set(c, number)};
	uint32_t want = nb_sectors(c, a->sectors);
	f.place = tags_find_small(&c->tags, f.set, number);
	if (f.place == TAGS_NONE ||
	    (!tags_is_whole(&c->tags, f.set, f.place) && want & ~c->tags.line[f.place].valid))
		return miss(c, a, &f, r);
	if (c->o.replacement == WCP_LRU)
		c->tags.stamp[f.place] = ++c->tags.clock;
	if (action->dirties)
		c->tags.line[f.place].dirty |= want;
	if (c->o.port_bytes)
		c->data_free = a->cycle + nb_port_cycles(c, want);
	r->outcome = WCP_OUT_HIT;
	r->bits = WCP_NB_PRESENT;
	r->missing = 0;
	c->n++;
	c->counts.outcome[WCP_OUT_HIT]++;
	c->counts.present++;
	return 0;
}

/* All that was asked of a line comes. Its requests, which lack nothing more, become those done. */
bool
nb_fill_whole(struct wcp_nbcache *c, uint64_t number, uint32_t sectors)
{
	struct tags *t = &c->tags;
	if (!c->is_plain || !c->direct || c->o.port_bytes)
		return false;
	uint64_t set = nb_set(c, number);
	uint32_t at = tags_find_small(t, set, number);
	struct tags_line *l = &t->line[at == TAGS_NONE ? 0 : at];
	if (at == TAGS_NONE || !l->reserved || l->reserved & ~sectors)
		return false;
	struct mshr *e = &c->mshrs.entry[t->mshr[at]];
	if (e->asked != l->reserved)
		return false;
	tags_add_valid(t, set, at, e->asked);
	l->reserved = e->asked = 0;
	t->set[set].reserved &= ~(1ull << (at - (uint32_t)set * t->stride));
	c->counts.fills++;
	l->dirty |= mshrs_complete(&c->mshrs, t->mshr[at]) & l->valid;
	return true;
}

/* What comes back, and what can be seen and done from outside. */
#include "nbcache/model.h"

struct arrival {
	uint64_t number, cycle;
	uint8_t bits;
	struct wcp_nb_victim victim;
};

/* A place for the line, emptied if need be; TAGS_NONE: its dirty victim cannot leave. */
static uint32_t
make_place(struct wcp_nbcache *c, const struct mshr *e, uint64_t set, struct arrival *v)
{
	uint32_t place = tags_choose(&c->tags, set, c->n - 1);
	if (nb_is_dirty(c, place) && !nb_has_room(&c->queue, 1))
		return TAGS_NONE;
	if (c->tags.line[place].number != TAGS_NO_NUMBER) {
		uint8_t space = nb_evict(c, set, place, e->owner, &v->victim);
		v->bits |= WCP_NB_VICTIM;
		if (v->victim.sectors) {
			v->bits |= WCP_NB_DIRTY;
			nb_write_back(c, &v->victim, space, e->handle);
			if (c->o.port_bytes)
				c->data_free = (v->cycle > c->data_free ? v->cycle : c->data_free) +
					       nb_port_cycles(c, v->victim.sectors);
		}
	}
	tags_put(&c->tags, set, place, v->number, e->owner, e->space);
	return place;
}

/* Sectors of one MSHR come. */
static int
arrive(struct wcp_nbcache *c, uint32_t entry, uint32_t sectors, struct arrival *v)
{
	struct mshr *e = &c->mshrs.entry[entry];
	uint32_t place = TAGS_NONE;
	if (e->places) {
		uint64_t set = c->on_miss ? e->set : nb_set(c, v->number);
		place = c->on_miss ? e->place : tags_find(&c->tags, set, v->number);
		if (place == TAGS_NONE && (place = make_place(c, e, set, v)) == TAGS_NONE)
			return WCP_NB_QUEUE;
		uint32_t reserved = c->tags.line[place].reserved;
		tags_add_valid(&c->tags, set, place, sectors);
		if (reserved)
			tags_mark_reserved(&c->tags, set, place, reserved & ~sectors);
	}
	e->asked &= ~sectors;
	c->counts.fills++;
	uint32_t dirty = mshrs_complete(&c->mshrs, entry);
	if (place != TAGS_NONE)
		c->tags.line[place].dirty |= dirty & c->tags.line[place].valid;
	return 0;
}

static uint32_t
find_entry(const struct wcp_nbcache *c, uint64_t number, uint32_t sectors)
{
	if (c->direct) {
		uint32_t place = tags_find(&c->tags, nb_set(c, number), number);
		if (place != TAGS_NONE && c->tags.line[place].reserved)
			return c->tags.mshr[place];
	}
	return mshrs_find(&c->mshrs, nb_key(c, number, sectors));
}

/* The MSHR of the line's lowest sector of *sectors that awaits something, and which of them it
 * awaits; they are taken off. MSHR_NONE. */
static uint32_t
next_entry(const struct wcp_nbcache *c, uint64_t number, uint32_t *sectors, uint32_t *of_entry)
{
	while (*sectors) {
		uint32_t mine = c->o.mshr_by_sector ? *sectors & -*sectors : *sectors;
		uint32_t entry = find_entry(c, number, mine);
		*sectors &= ~mine;
		*of_entry = entry == MSHR_NONE ? 0 : mine & c->mshrs.entry[entry].asked;
		if (*of_entry)
			return entry;
	}
	return MSHR_NONE;
}

static int
fill_all(struct wcp_nbcache *c, uint32_t sectors, struct arrival *v)
{
	uint32_t entry, mine, came = 0;
	int status = 0;
	/* An unbounded cache has a place: each access looks to there being one to spare. */
	if (tags_reserve(&c->tags))
		return WCP_ESYS;
	while (!status && (entry = next_entry(c, v->number, &sectors, &mine)) != MSHR_NONE) {
		status = arrive(c, entry, mine, v);
		came |= status ? 0 : mine;
	}
	if (came && c->o.port_bytes)
		c->fill_free = v->cycle + nb_port_cycles(c, came);
	return status ? status : came ? 0 : WCP_EUSAGE;
}

int
wcp_nbcache_fill(struct wcp_nbcache *c, uint64_t line, uint32_t sectors, uint64_t cycle,
    uint8_t *bits, struct wcp_nb_victim *victim)
{
	struct arrival v = {.number = line >> c->index.line_shift, .cycle = cycle};
	int status = WCP_NB_PORT;
	sectors = nb_sectors(c, sectors);
	if (nb_fill_whole(c, v.number, sectors)) {
		if (bits)
			*bits = 0;
		return 0;
	}
	if (!c->o.port_bytes || cycle >= c->fill_free)
		status = fill_all(c, sectors, &v);
	if (status > 0)
		c->counts.fills_refused[status]++;
	if (bits)
		*bits = v.bits;
	if (victim && v.bits & WCP_NB_VICTIM)
		*victim = v.victim;
	return status;
}

uint32_t
wcp_nbcache_answers(struct wcp_nbcache *c, uint32_t *handle, uint32_t max)
{
	uint32_t n = mshrs_collect(&c->mshrs, handle, max);
	c->counts.answers += n;
	return n;
}

uint32_t
wcp_nbcache_answerable(const struct wcp_nbcache *c)
{
	return c->mshrs.done;
}

/* ---- from outside ---------------------------------------------------------------------------- */

uint32_t
wcp_nbcache_mshrs(const struct wcp_nbcache *c)
{
	return c->mshrs.used;
}

uint32_t
wcp_nbcache_list_mshrs(const struct wcp_nbcache *c, struct wcp_nb_mshr *list, uint32_t max)
{
	const struct mshrs *m = &c->mshrs;
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->cap && n < max; i++) {
		const struct mshr *e = &m->entry[i];
		if (!e->is_used)
			continue;
		uint64_t number = c->o.mshr_by_sector ? e->key / c->sectors : e->key;
		list[n++] = (struct wcp_nb_mshr){.line = number << c->index.line_shift,
		    .asked = e->asked,
		    .requests = e->n,
		    .handle = e->first == MSHR_NONE ? 0 : m->request[e->first].handle,
		    .owner = e->owner};
	}
	return n;
}

bool
wcp_nbcache_find(const struct wcp_nbcache *c, uint64_t line, struct wcp_nb_line *out)
{
	uint64_t number = line >> c->index.line_shift;
	uint32_t place = tags_find(&c->tags, nb_set(c, number), number);
	if (place == TAGS_NONE)
		return false;
	const struct tags_line *l = &c->tags.line[place];
	if (out)
		*out = (struct wcp_nb_line){l->valid, l->dirty, l->reserved, l->owner};
	return true;
}

bool
wcp_nbcache_remove(struct wcp_nbcache *c, uint64_t line, struct wcp_nb_victim *victim)
{
	uint64_t number = line >> c->index.line_shift, set = nb_set(c, number);
	uint32_t place = tags_find(&c->tags, set, number);
	if (place == TAGS_NONE || c->tags.line[place].reserved)
		return false;
	const struct tags_line *l = &c->tags.line[place];
	if (victim)
		*victim = (struct wcp_nb_victim){
		    number << c->index.line_shift, l->dirty, l->owner, l->owner};
	tags_drop(&c->tags, set, place);
	return true;
}

bool
wcp_nbcache_preload(struct wcp_nbcache *c, uint64_t line, uint32_t sectors, uint32_t owner)
{
	uint64_t number = line >> c->index.line_shift, set = nb_set(c, number);
	if (tags_reserve(&c->tags))
		return false;
	uint32_t place = tags_find(&c->tags, set, number);
	if (place == TAGS_NONE) {
		place = tags_choose(&c->tags, set, c->n);
		if (place == TAGS_NONE)
			return false;
		if (c->tags.line[place].number != TAGS_NO_NUMBER)
			tags_drop(&c->tags, set, place);
		tags_put(&c->tags, set, place, number, owner, WCP_SPACE_GLOBAL);
	} else {
		tags_touch(&c->tags, set, place);
	}
	tags_add_valid(
	    &c->tags, set, place, nb_sectors(c, sectors) & ~c->tags.line[place].reserved);
	return true;
}

int
wcp_nbcache_invalidate(struct wcp_nbcache *c,
    int (*write_back)(void *arg, const struct wcp_nb_victim *line), void *arg)
{
	struct tags *t = &c->tags;
	uint32_t places = (uint32_t)(t->sets * t->stride);
	int status = 0;
	for (uint32_t i = 0; i < places; i++) {
		struct tags_line *l = &t->line[i];
		if (l->number == TAGS_NO_NUMBER)
			continue;
		struct wcp_nb_victim v = {
		    l->number << c->index.line_shift, l->dirty, l->owner, l->owner};
		if (l->dirty && write_back && status >= 0)
			status = write_back(arg, &v);
		nb_drop(c, i / t->stride, i);
	}
	return status < 0 ? status : 0;
}

const struct wcp_nb_counts *
wcp_nbcache_counts(const struct wcp_nbcache *c)
{
	return &c->counts;
}

const struct wcp_setindex *
wcp_nbcache_index(const struct wcp_nbcache *c)
{
	return &c->index;
}

/*
 * MSHRs and the requests that wait in them. One is found by its line (or sector) through a hash
 * table, unless it is direct: then the line's reserved place leads to it (tags.h), and when all has
 * come, the answers that are to be collected do.
 */
#ifndef NBCACHE_MSHR_H
#define NBCACHE_MSHR_H

#include "warpcap/nbcache.h"

#define MSHR_NONE UINT32_MAX

struct mshr {
	uint64_t key;	      /* line number, or number of the sector */
	uint32_t asked;	      /* sectors to come */
	uint32_t first, last; /* requests that lack something; MSHR_NONE */
	uint32_t n;	      /* requests, with those not yet collected */
	uint32_t dirty;	      /* sectors that those which lack something make dirty */
	uint32_t owner, handle;
	uint32_t next_free;
	uint32_t place; /* of its line; allocate-on-miss */
	uint64_t set;
	uint8_t space;
	bool is_used, places; /* gets a line */
	bool is_hashed;
};

struct mshr_request {
	uint32_t handle, next, entry;
	uint32_t need;	/* sectors */
	uint32_t dirty; /* of these, those it makes dirty */
};

struct mshrs {
	uint32_t limit, merges; /* UINT32_MAX: none */
	uint32_t used, cap, free;
	struct mshr *entry;	      /* [cap] */
	uint32_t *slot;		      /* [slot_mask + 1] 1 + entry, 0: free */
	uint32_t slot_mask, hashed;   /* entries in it */
	struct mshr_request *request; /* [cap_request] */
	uint32_t cap_request, free_request;
	uint32_t done_first, done_last, done; /* requests to be collected */
};

int mshrs_init(struct mshrs *m, uint32_t entries, uint32_t merges);
void mshrs_release(struct mshrs *m);
/* Room for one more entry and one more request; 0 or WCP_ESYS. */
int mshrs_grow(struct mshrs *m);
uint32_t mshrs_take(struct mshrs *m, uint64_t key, bool direct);
/* Puts one that was direct into the hash table. */
void mshrs_hash(struct mshrs *m, uint32_t entry);
/* Among those with answers to be collected; MSHR_NONE. */
uint32_t mshrs_find_done(const struct mshrs *m, uint64_t key);
/* Requests of an entry that lack nothing any more go to those done; returns the sectors they make
 * dirty. */
uint32_t mshrs_complete(struct mshrs *m, uint32_t entry);
uint32_t mshrs_collect(struct mshrs *m, uint32_t *handle, uint32_t max);
/* One that waits for nothing, and nobody for it. */
void mshrs_release_entry(struct mshrs *m, uint32_t entry);

static inline int
mshrs_reserve(struct mshrs *m)
{
	return m->free != MSHR_NONE && m->free_request != MSHR_NONE ? 0 : mshrs_grow(m);
}

/* One that is not hashed; its line's place leads to it. */
static inline uint32_t
mshrs_take_direct(struct mshrs *m, uint64_t key)
{
	uint32_t i = m->free;
	struct mshr *e = &m->entry[i];
	m->free = e->next_free;
	e->key = key;
	e->asked = e->n = e->dirty = 0;
	e->first = e->last = MSHR_NONE;
	e->is_used = true;
	e->places = e->is_hashed = false;
	m->used++;
	return i;
}

static inline void
mshrs_add(struct mshrs *m, uint32_t entry, uint32_t handle, uint32_t need, uint32_t dirty)
{
	struct mshr *e = &m->entry[entry];
	uint32_t i = m->free_request;
	struct mshr_request *r = &m->request[i];
	m->free_request = r->next;
	*r = (struct mshr_request){
	    .handle = handle, .next = MSHR_NONE, .entry = entry, .need = need, .dirty = dirty};
	*(e->last == MSHR_NONE ? &e->first : &m->request[e->last].next) = i;
	e->last = i;
	e->dirty |= dirty;
	e->n++;
}

static inline uint32_t
mshrs_find(const struct mshrs *m, uint64_t key)
{
	if (m->done_first != MSHR_NONE) {
		uint32_t done = mshrs_find_done(m, key);
		if (done != MSHR_NONE)
			return done;
	}
	if (!m->hashed)
		return MSHR_NONE;
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(h >> 40) & m->slot_mask;
	while (m->slot[at] && m->entry[m->slot[at] - 1].key != key)
		at = (at + 1) & m->slot_mask;
	return m->slot[at] - 1;
}

#endif

#include <stdlib.h>
#include <string.h>
#include "nbcache/mshr.h"

enum { START = 64 };

/* The hash of mshrs_find; 24 bits of it: more entries than that only probe longer. */
static uint32_t
home(const struct mshrs *m, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & m->slot_mask;
}

static void
slot_put(struct mshrs *m, uint32_t entry)
{
	uint32_t at = home(m, m->entry[entry].key);
	while (m->slot[at])
		at = (at + 1) & m->slot_mask;
	m->slot[at] = entry + 1;
	m->hashed++;
}

/* What stands behind a freed slot moves up if that is nearer to where it belongs. */
static void
slot_free(struct mshrs *m, uint64_t key)
{
	uint32_t mask = m->slot_mask, hole = home(m, key);
	while (m->entry[m->slot[hole] - 1].key != key)
		hole = (hole + 1) & mask;
	for (uint32_t at = (hole + 1) & mask; m->slot[at]; at = (at + 1) & mask) {
		uint32_t wants = home(m, m->entry[m->slot[at] - 1].key);
		if (((at - wants) & mask) >= ((at - hole) & mask)) {
			m->slot[hole] = m->slot[at];
			hole = at;
		}
	}
	m->slot[hole] = 0;
	m->hashed--;
}

static int
grow_entries(struct mshrs *m)
{
	uint32_t had = m->cap, n = had ? had * 2 : START;
	n = n > m->limit ? m->limit : n;
	if (n <= had || n > 1u << 28)
		return WCP_ESYS;
	uint32_t slots = 16;
	while (slots < n * 4)
		slots *= 2;
	uint32_t *slot = calloc(slots, sizeof *slot);
	struct mshr *entry = realloc(m->entry, n * sizeof *entry);
	if (entry)
		m->entry = entry;
	if (!slot || !entry) {
		free(slot);
		return WCP_ESYS;
	}
	free(m->slot);
	m->slot = slot;
	m->slot_mask = slots - 1;
	m->hashed = 0;
	m->cap = n;
	for (uint32_t i = had; i < n; i++)
		m->entry[i] = (struct mshr){.next_free = i + 1 < n ? i + 1 : m->free};
	m->free = had;
	for (uint32_t i = 0; i < had; i++)
		if (m->entry[i].is_used && m->entry[i].is_hashed)
			slot_put(m, i);
	return 0;
}

static int
grow_requests(struct mshrs *m)
{
	uint32_t had = m->cap_request, n = had ? had * 2 : START;
	struct mshr_request *request =
	    n > 1u << 30 ? NULL : realloc(m->request, n * sizeof *request);
	if (!request)
		return WCP_ESYS;
	m->request = request;
	for (uint32_t i = had; i < n; i++)
		request[i].next = i + 1 < n ? i + 1 : m->free_request;
	m->free_request = had;
	m->cap_request = n;
	return 0;
}

int
mshrs_init(struct mshrs *m, uint32_t entries, uint32_t merges)
{
	memset(m, 0, sizeof *m);
	m->limit = entries ? entries : UINT32_MAX;
	m->merges = merges ? merges : UINT32_MAX;
	m->free = m->free_request = m->done_first = m->done_last = MSHR_NONE;
	return grow_entries(m) || grow_requests(m) ? WCP_ESYS : 0;
}

void
mshrs_release(struct mshrs *m)
{
	free(m->entry);
	free(m->slot);
	free(m->request);
}

int
mshrs_grow(struct mshrs *m)
{
	if (m->free == MSHR_NONE && m->cap < m->limit && grow_entries(m))
		return WCP_ESYS;
	return m->free_request == MSHR_NONE ? grow_requests(m) : 0;
}

uint32_t
mshrs_take(struct mshrs *m, uint64_t key, bool direct)
{
	uint32_t i = mshrs_take_direct(m, key);
	if (!direct)
		mshrs_hash(m, i);
	return i;
}

void
mshrs_hash(struct mshrs *m, uint32_t entry)
{
	m->entry[entry].is_hashed = true;
	slot_put(m, entry);
}

uint32_t
mshrs_find_done(const struct mshrs *m, uint64_t key)
{
	for (uint32_t i = m->done_first; i != MSHR_NONE; i = m->request[i].next)
		if (m->entry[m->request[i].entry].key == key)
			return m->request[i].entry;
	return MSHR_NONE;
}

void
mshrs_release_entry(struct mshrs *m, uint32_t i)
{
	if (m->entry[i].is_hashed)
		slot_free(m, m->entry[i].key);
	m->entry[i].is_used = false;
	m->entry[i].next_free = m->free;
	m->free = i;
	m->used--;
}

uint32_t
mshrs_complete(struct mshrs *m, uint32_t entry)
{
	struct mshr *e = &m->entry[entry];
	uint32_t dirty = 0, before = MSHR_NONE, next;
	e->dirty = 0;
	for (uint32_t i = e->first; i != MSHR_NONE; i = next) {
		struct mshr_request *r = &m->request[i];
		next = r->next;
		if (r->need & e->asked) {
			e->dirty |= r->dirty;
			before = i;
			continue;
		}
		dirty |= r->dirty;
		*(before == MSHR_NONE ? &e->first : &m->request[before].next) = next;
		r->next = MSHR_NONE;
		*(m->done_last == MSHR_NONE ? &m->done_first : &m->request[m->done_last].next) = i;
		m->done_last = i;
		m->done++;
	}
	e->last = before;
	return dirty;
}

uint32_t
mshrs_collect(struct mshrs *m, uint32_t *handle, uint32_t max)
{
	uint32_t n = 0;
	while (n < max && m->done_first != MSHR_NONE) {
		uint32_t i = m->done_first;
		struct mshr_request *r = &m->request[i];
		struct mshr *e = &m->entry[r->entry];
		handle[n++] = r->handle;
		m->done_first = r->next;
		if (--e->n == 0 && !e->asked)
			mshrs_release_entry(m, r->entry);
		r->next = m->free_request;
		m->free_request = i;
	}
	m->done -= n;
	if (m->done_first == MSHR_NONE)
		m->done_last = MSHR_NONE;
	return n;
}

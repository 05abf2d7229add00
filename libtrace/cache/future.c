/*
 * Next uses, found from the last access to the first: a hash table of lines, each with the time of
 * the earliest use seen so far, which is the next one of whatever comes before.
 */
#include <stdlib.h>
#include "cache/policy.h"
#include "warpcap/future.h"

struct entry {
	uint64_t number; /* of the line, in its copy; CACHE_NO_LINE: free */
	uint64_t next;	 /* WCP_NEVER: it is dropped before it is used again */
	uint32_t copy, age;
};

struct wcp_future {
	struct wcp_cache *rules; /* of what accesses do; it holds no lines to speak of */
	struct entry *entry;	 /* [mask + 1] */
	uint64_t n, mask;
	uint32_t age; /* entries of another age are from behind an emptying */
};

static uint64_t
place_of(const struct wcp_future *f, uint64_t number, uint32_t copy)
{
	uint64_t h = (number ^ (uint64_t)copy << 44) * 0x9e3779b97f4a7c15u;
	uint64_t at = (h ^ h >> 32) & f->mask;
	while (f->entry[at].number != CACHE_NO_LINE &&
	       (f->entry[at].number != number || f->entry[at].copy != copy))
		at = (at + 1) & f->mask;
	return at;
}

/* Room for n more lines; entries of another age are left behind. */
static int
reserve(struct wcp_future *f, uint64_t n)
{
	uint64_t places = f->mask + 1, old_places = f->entry ? places : 0;
	struct entry *old = f->entry;
	if (old && (f->n + n) * 2 <= places)
		return 0;
	while ((f->n + n) * 2 > places)
		places *= 2;
	struct entry *grown = malloc(places * sizeof *grown);
	if (!grown)
		return WCP_ESYS;
	for (uint64_t i = 0; i < places; i++)
		grown[i].number = CACHE_NO_LINE;
	f->entry = grown;
	f->mask = places - 1;
	f->n = 0;
	for (uint64_t i = 0; i < old_places; i++)
		if (old[i].number != CACHE_NO_LINE && old[i].age == f->age) {
			grown[place_of(f, old[i].number, old[i].copy)] = old[i];
			f->n++;
		}
	free(old);
	return 0;
}

struct wcp_future *
wcp_future_new(const struct wcp_cache_options *o, struct wcp_error *e)
{
	struct wcp_future *f = calloc(1, sizeof *f);
	struct wcp_cache_options rules = *o;
	rules.index = (struct wcp_index_options){.sets = 1, .line_bytes = o->index.line_bytes};
	rules.ways = rules.copies = 1;
	rules.replacement = WCP_LRU;
	if (!f) {
		wcp_fail(e, WCP_ESYS, "no memory for the future");
		return NULL;
	}
	f->mask = 4095;
	f->rules = wcp_cache_new(&rules, e);
	if (!f->rules) {
		free(f);
		return NULL;
	}
	return f;
}

void
wcp_future_free(struct wcp_future *f)
{
	if (!f)
		return;
	wcp_cache_free(f->rules);
	free(f->entry);
	free(f);
}

int
wcp_future_run(struct wcp_future *f, const struct wcp_cache_batch *in, uint64_t first,
    uint64_t *next, struct wcp_error *e)
{
	const struct wcp_cache *c = f->rules;
	if (reserve(f, in->n))
		return wcp_fail(e, WCP_ESYS, "no memory for the next uses of %llu lines",
		    (unsigned long long)f->n);
	for (size_t i = in->n; i-- > 0;) {
		const struct cache_action *a = &c->action[cache_action_number(in, i)];
		uint64_t number = in->line[i] >> c->index.line_shift;
		uint32_t copy = in->copy ? in->copy[i] : 0;
		next[i] = WCP_NEVER;
		if (!a->looks_up)
			continue;
		struct entry *at = &f->entry[place_of(f, number, copy)];
		bool known = at->number != CACHE_NO_LINE;
		next[i] = known && at->age == f->age ? at->next : WCP_NEVER;
		if (!a->allocates && !a->drops)
			continue;
		f->n += !known;
		*at = (struct entry){number, a->drops ? WCP_NEVER : first + i, copy, f->age};
	}
	return 0;
}

void
wcp_future_invalidate(struct wcp_future *f)
{
	f->age++;
}

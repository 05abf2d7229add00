#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pass.h"
#include "warpcap/vta.h"
#include "watch.h"

/* DWT-PRIC Fig. 2: what goes on to the next level with no cache, with this one, with the largest.
 */
enum { BYPASS_ALL, BOUNDED, UNBOUNDED, SCENARIOS };

struct scenario {
	uint64_t accesses, hits, passed, passed_bytes, write_backs;
};

struct shadow { /* a cache beside the level's */
	struct wcp_cache *cache;
	uint8_t *result;
	uint32_t *missing;
};

struct watch {
	const struct settings *set;
	uint32_t cap; /* of the shadows' results */
	/* Hill and Smith: fully associative, of the same size; the same never emptied; and without
	 * bound never emptied. Of whole lines: the classes are those of lines. */
	struct shadow full, kept, ever;
	struct shadow unbounded; /* with the level's sectors and policies */
	struct scenario scenario[SCENARIOS];
	struct wcp_vta *vta;
	struct keys vta_keys;
	uint32_t vta_room; /* keys that the array has */
};

static int
shadow_new(struct shadow *s, struct wcp_cache_options o, struct wcp_error *e)
{
	o.index = (struct wcp_index_options){.sets = 1, .line_bytes = o.index.line_bytes};
	o.replacement = WCP_LRU;
	o.track_owner = false;
	o.copies = 1;
	s->cache = wcp_cache_new(&o, e);
	return s->cache ? 0 : e->status;
}

static void
shadow_release(struct shadow *s)
{
	wcp_cache_free(s->cache);
	free(s->result);
	free(s->missing);
}

static int
make_shadows(struct watch *w, struct wcp_error *e)
{
	const struct settings *s = w->set;
	struct wcp_cache_options o = s->cache;
	uint64_t lines = o.index.sets * o.ways * s->slice.slices;
	int status = 0;
	if (s->scenarios) {
		o.ways = 0;
		status = shadow_new(&w->unbounded, o, e);
	}
	if (!s->classes || status)
		return status;
	if (lines > 1u << 24)
		return wcp_fail(e, WCP_EUSAGE,
		    "--classes: a fully associative cache of %llu lines is too large",
		    (unsigned long long)lines);
	o.sector_bytes = 0;
	o.ways = (uint32_t)lines;
	status = shadow_new(&w->full, o, e);
	o.keeps_dropped = true;
	if (!status)
		status = shadow_new(&w->kept, o, e);
	o.ways = 0;
	return status ? status : shadow_new(&w->ever, o, e);
}

static int
make_vta(struct watch *w, struct wcp_error *e)
{
	const struct settings *s = w->set;
	struct wcp_vta_options o = {.keys = 64,
	    .entries = s->vta_entries,
	    .ways = s->vta_ways,
	    .line_bytes = s->cache.index.line_bytes,
	    .order = s->vta_order};
	if (!s->vta_entries)
		return 0;
	w->vta = wcp_vta_new(&o, e);
	w->vta_room = o.keys;
	keys_init(&w->vta_keys, UNIT_WARP);
	return w->vta ? 0 : e->status;
}

struct watch *
watch_new(const struct settings *s, struct wcp_error *e)
{
	struct watch *w = must_alloc(NULL, sizeof *w);
	memset(w, 0, sizeof *w);
	w->set = s;
	if (make_shadows(w, e) || make_vta(w, e)) {
		watch_free(w);
		return NULL;
	}
	return w;
}

void
watch_free(struct watch *w)
{
	if (!w)
		return;
	shadow_release(&w->full);
	shadow_release(&w->kept);
	shadow_release(&w->ever);
	shadow_release(&w->unbounded);
	if (w->vta)
		keys_release(&w->vta_keys);
	wcp_vta_free(w->vta);
	free(w);
}

/* ---- three classes -------------------------------------------------------------------------- */

static int
shadow_run(struct watch *w, struct shadow *s, const struct watch_batch *b, bool whole_lines,
    struct wcp_error *e)
{
	struct wcp_cache_batch in = *b->in;
	if (!s->cache)
		return 0;
	in.place = NULL;
	in.owner = NULL;
	if (whole_lines)
		in.sectors = NULL;
	s->result = must_alloc(s->result, w->cap * sizeof *s->result);
	s->missing = must_alloc(s->missing, w->cap * sizeof *s->missing);
	struct wcp_cache_result out = {.result = s->result, .missing = s->missing};
	int status = wcp_cache_grow(s->cache, b->caches, e);
	if (!status)
		status = wcp_cache_reserve(s->cache, in.n, e);
	if (!status)
		wcp_cache_run(s->cache, &in, &out);
	return status;
}

/* Of an access that brought its line in. */
static uint8_t
class_of(const struct watch *w, size_t i)
{
	if (!(w->ever.result[i] & WCP_CACHE_PRESENT))
		return NOTE_COMPULSORY;
	if (w->full.result[i] & WCP_CACHE_PRESENT)
		return NOTE_CONFLICT;
	return w->kept.result[i] & WCP_CACHE_PRESENT ? NOTE_EMPTIED : NOTE_CAPACITY;
}

/* ---- victim tags ---------------------------------------------------------------------------- */

static int
vta_key(struct watch *w, const struct watch_line *l, uint32_t *key, struct wcp_error *e)
{
	struct key k = {l->sm, 0, l->owner & PASS_OWNER_WARP};
	if (w->set->vta_by_set) {
		uint64_t number = l->place >> l->index->line_shift;
		wcp_setindex_run(l->index, &number, 1, &number);
		k = (struct key){l->copy, 1, (uint32_t)number};
	}
	*key = keys_number(&w->vta_keys, k);
	if (*key < w->vta_room)
		return 0;
	w->vta_room = *key * 2;
	return wcp_vta_grow(w->vta, w->vta_room, e);
}

int
watch_comes(struct watch *w, const struct watch_line *line, uint8_t *note, struct wcp_error *e)
{
	uint32_t key, evictor = 0;
	if (vta_key(w, line, &key, e))
		return e->status;
	if (wcp_vta_probe(w->vta, key, line->line, &evictor))
		*note |= evictor == (line->owner & PASS_OWNER_WARP) ? NOTE_VTA | NOTE_VTA_SELF
								    : NOTE_VTA;
	return 0;
}

int
watch_leaves(struct watch *w, const struct watch_line *line, uint32_t evictor, struct wcp_error *e)
{
	uint32_t key;
	if (vta_key(w, line, &key, e))
		return e->status;
	wcp_vta_insert(w->vta, key, line->line, evictor & PASS_OWNER_WARP);
	return 0;
}

/* First the miss looks for its own line, then what it evicts goes in. A victim is in the set of
 * the access that evicts it. */
static int
vta_run(struct watch *w, const struct watch_batch *b, uint8_t *note, struct wcp_error *e)
{
	const struct wcp_cache_result *r = b->out;
	for (size_t i = 0; i < b->in->n; i++) {
		if ((r->result[i] & WCP_CACHE_OUTCOME) != WCP_OUT_MISS)
			continue;
		struct watch_line l = {.line = b->in->line[i],
		    .place = b->in->place ? b->in->place[i] : b->in->line[i],
		    .sm = b->in->copy ? b->in->copy[i] : 0,
		    .copy = b->set_copy[i],
		    .owner = b->in->owner[i],
		    .index = b->index};
		if (watch_comes(w, &l, &note[i], e))
			return e->status;
		if (!(r->result[i] & WCP_CACHE_VICTIM))
			continue;
		l.line = r->victim[i];
		l.owner = r->victim_owner[i];
		if (watch_leaves(w, &l, b->in->owner[i], e))
			return e->status;
	}
	return 0;
}

/* ---- scenarios ------------------------------------------------------------------------------ */

static uint32_t
sector_bytes(const struct settings *s)
{
	return s->cache.sector_bytes ? s->cache.sector_bytes : s->cache.index.line_bytes;
}

static void
add(struct scenario *x, const struct settings *s, uint8_t result, uint32_t missing,
    uint32_t touched_bytes)
{
	unsigned outcome = result & WCP_CACHE_OUTCOME;
	bool fetches = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR;
	if (outcome == WCP_OUT_NONE)
		return;
	x->accesses++;
	x->hits += (result & WCP_CACHE_PRESENT) != 0;
	if (!(result & WCP_CACHE_PASS))
		return;
	x->passed++;
	x->passed_bytes +=
	    fetches ? (uint32_t)__builtin_popcount(missing) * sector_bytes(s) : touched_bytes;
}

static void
scenarios_run(struct watch *w, const struct watch_batch *b)
{
	const struct wcp_cache_result *r = b->out;
	for (size_t i = 0; i < b->in->n; i++) {
		uint32_t bytes =
		    (uint32_t)__builtin_popcount(b->b->sectors[b->at[i]]) * WCP_SECTOR_BYTES;
		if (b->in->kind[i] == WCP_FILL)
			continue;
		add(&w->scenario[BYPASS_ALL], w->set, WCP_OUT_BYPASS | WCP_CACHE_PASS, 0, bytes);
		add(&w->scenario[BOUNDED], w->set, r->result[i], r->missing[i], bytes);
		add(&w->scenario[UNBOUNDED], w->set, w->unbounded.result[i],
		    w->unbounded.missing[i], bytes);
		if (r->result[i] & WCP_CACHE_DIRTY)
			watch_flushed(w, r->victim_sectors[i]);
	}
}

int
watch_classes(struct watch *w, const struct watch_batch *b, uint8_t *note, struct wcp_error *e)
{
	if (b->in->n > w->cap)
		w->cap = (uint32_t)(b->in->n + b->in->n / 2);
	int status = shadow_run(w, &w->full, b, true, e);
	status = status ? status : shadow_run(w, &w->kept, b, true, e);
	status = status ? status : shadow_run(w, &w->ever, b, true, e);
	for (size_t i = 0; !status && w->set->classes && i < b->in->n; i++)
		if ((b->out->result[i] & WCP_CACHE_OUTCOME) == WCP_OUT_MISS)
			note[i] |= class_of(w, i);
	return status;
}

int
watch_run(struct watch *w, const struct watch_batch *b, uint8_t *note, struct wcp_error *e)
{
	memset(note, 0, b->in->n);
	int status = watch_classes(w, b, note, e);
	status = status ? status : shadow_run(w, &w->unbounded, b, false, e);
	if (status)
		return status;
	if (w->set->scenarios)
		scenarios_run(w, b);
	return w->vta ? vta_run(w, b, note, e) : 0;
}

static int
leave_unbounded(void *arg, const struct wcp_cache_line *line)
{
	struct watch *w = arg;
	struct scenario *x = &w->scenario[UNBOUNDED];
	x->write_backs++;
	x->passed++;
	x->passed_bytes += (uint32_t)__builtin_popcount(line->sectors) * sector_bytes(w->set);
	return 0;
}

void
watch_flushed(struct watch *w, uint32_t sectors)
{
	struct scenario *x = &w->scenario[BOUNDED];
	x->write_backs++;
	x->passed++;
	x->passed_bytes += (uint32_t)__builtin_popcount(sectors) * sector_bytes(w->set);
}

void
watch_invalidate(struct watch *w)
{
	if (w->full.cache)
		wcp_cache_invalidate(w->full.cache, NULL, NULL);
	if (w->unbounded.cache)
		wcp_cache_invalidate(w->unbounded.cache, leave_unbounded, w);
	if (w->vta)
		wcp_vta_clear(w->vta);
}

void
watch_report(const struct watch *w, const struct level *l, struct report *out)
{
	static const char *const name[] = {"bypass-all", "bounded", "unbounded"};
	static const struct report_column columns[] = {{"scenario", NULL, REPORT_TEXT, 0},
	    {"accesses", NULL, REPORT_U64, 0}, {"hits", NULL, REPORT_U64, 0},
	    {"hit_ratio", "%", REPORT_DOUBLE, 2}, {"passed", NULL, REPORT_U64, 0},
	    {"passed_bytes", "bytes", REPORT_U64, 0}, {"writebacks", NULL, REPORT_U64, 0},
	    {NULL, NULL, REPORT_TEXT, 0}};
	if (!w->set->scenarios)
		return;
	level_table(l, out, "scenarios", "No cache, this one, one without bound", columns);
	for (int i = 0; i < SCENARIOS; i++) {
		const struct scenario *x = &w->scenario[i];
		report_text(out, name[i]);
		report_u64(out, x->accesses);
		report_u64(out, x->hits);
		report_double(
		    out, x->accesses ? 100.0 * (double)x->hits / (double)x->accesses : NAN);
		report_u64(out, x->passed);
		report_u64(out, x->passed_bytes);
		report_u64(out, x->write_backs);
		report_row(out);
	}
}

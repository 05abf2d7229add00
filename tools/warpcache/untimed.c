/* A level without time: an access is looked up when its turn comes, and a fetch is there at once.
 */
#include <stdlib.h>
#include "pass.h"
#include "pick.h"
#include "warpcap/future.h"
#include "watch.h"

struct work { /* beside what is picked of a batch */
	uint32_t cap;
	uint64_t *next;
	uint32_t *owner;
	/* results */
	uint8_t *result, *note;
	uint64_t *victim;
	uint32_t *missing, *victim_sectors, *victim_owner;
};

struct untimed {
	struct level level;
	struct wcp_cache *cache;
	struct wcp_slice slice;
	struct wcp_future *future; /* with settings.foresees */
	struct watch *watch;	   /* NULL: nothing beside the cache */
	struct pick pick;
	struct work work;
	uint64_t other_spaces; /* records not looked up for their space */
};

static void
reserve(struct work *w, uint32_t n)
{
	if (n <= w->cap)
		return;
	w->cap = n + n / 2;
#define COLUMN(name) w->name = must_alloc(w->name, w->cap * sizeof *w->name)
	COLUMN(next);
	COLUMN(owner);
	COLUMN(result);
	COLUMN(note);
	COLUMN(victim);
	COLUMN(missing);
	COLUMN(victim_sectors);
	COLUMN(victim_owner);
#undef COLUMN
}

static void
release_work(struct work *w)
{
	void *column[] = {w->next, w->owner, w->result, w->note, w->victim, w->missing,
	    w->victim_sectors, w->victim_owner};
	for (size_t i = 0; i < sizeof column / sizeof *column; i++)
		free(column[i]);
}

static uint32_t
columns(const struct settings *s)
{
	uint32_t owner = s->vta_entries ? WCP_COL(SLOT) | WCP_COL(WARP) : 0;
	return owner | WCP_COL(LINE) | WCP_COL(SECTORS) | WCP_COL(KIND) | WCP_COL(SPACE) |
	       WCP_COL(FLAGS) | WCP_COL(SM) | unit_columns(s->by);
}

static void
release(struct level *l)
{
	struct untimed *u = (struct untimed *)l;
	wcp_cache_free(u->cache);
	wcp_future_free(u->future);
	watch_free(u->watch);
	release_work(&u->work);
	pick_release(&u->pick);
	level_release(l);
	free(u);
}

static bool
wants_owner(const struct settings *s)
{
	return s->passes || s->vta_entries;
}

static bool
wants_watch(const struct settings *s)
{
	return s->classes || s->scenarios || s->vta_entries;
}

static struct level *
make(const struct settings *s, struct wcp_error *e)
{
	struct untimed *u = calloc(1, sizeof *u);
	struct wcp_cache_options o = s->cache;
	if (!u) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	level_init(&u->level, &level_untimed, s);
	o.track_owner = wants_owner(s);
	o.copies = s->shared ? s->slice.slices : 1;
	pick_init(&u->pick, true);
	if (!wcp_slice_init(&u->slice, &s->slice, e))
		u->cache = wcp_cache_new(&o, e);
	if (u->cache && s->foresees)
		u->future = wcp_future_new(&o, e);
	if (u->cache && wants_watch(s))
		u->watch = watch_new(s, e);
	if (!u->cache || (s->foresees && !u->future) || (wants_watch(s) && !u->watch)) {
		release(&u->level);
		return NULL;
	}
	return &u->level;
}

static int
select_records(struct untimed *u, const struct wcp_access_batch *b, struct wcp_error *e)
{
	reserve(&u->work, b->n);
	return pick_run(&u->pick, &u->level, &u->slice, b, e);
}

static struct wcp_cache_batch
batch_of(const struct untimed *u)
{
	const struct pick *p = &u->pick;
	return (struct wcp_cache_batch){.n = p->n,
	    .line = p->line,
	    .sectors = p->sectors,
	    .kind = p->kind,
	    .space = p->space,
	    .flags = p->flags,
	    .copy = p->copy,
	    .place = u->level.set->slice.slices > 1 ? p->place : NULL};
}

static int
foresee(struct level *l, const struct wcp_access_batch *b, uint64_t first, uint64_t *next,
    struct wcp_error *e)
{
	struct untimed *u = (struct untimed *)l;
	struct work *w = &u->work;
	int status = select_records(u, b, e);
	struct wcp_cache_batch in = batch_of(u);
	if (!status)
		status = wcp_future_run(u->future, &in, first, w->next, e);
	for (uint32_t i = 0; i < b->n; i++)
		next[i] = WCP_NEVER;
	for (uint32_t i = 0; i < u->pick.n && !status; i++)
		next[u->pick.at[i]] = w->next[i];
	return status;
}

static void
foresee_kernel_end(struct level *l)
{
	struct untimed *u = (struct untimed *)l;
	if (l->set->invalidate)
		wcp_future_invalidate(u->future);
}

static int
look_beside(struct untimed *u, const struct wcp_access_batch *b, struct wcp_cache_batch *in,
    const struct wcp_cache_result *out, struct wcp_error *e)
{
	const struct pick *p = &u->pick;
	in->copy = p->sm;
	struct watch_batch x = {.in = in,
	    .at = p->at,
	    .b = b,
	    .out = out,
	    .set_copy = p->copy,
	    .index = wcp_cache_index(u->cache),
	    .caches = u->level.set->shared ? 1 : p->copies};
	return watch_run(u->watch, &x, u->work.note, e);
}

static int
look_up(struct untimed *u, const struct wcp_access_batch *b, struct wcp_error *e)
{
	struct work *w = &u->work;
	struct wcp_cache_batch in = batch_of(u);
	struct wcp_cache_result out = {.result = w->result};
	const struct pick *p = &u->pick;
	for (uint32_t i = 0; u->future && i < p->n; i++)
		w->next[i] = u->level.next[p->at[i]];
	in.next = u->future ? w->next : NULL;
	if (wants_owner(u->level.set)) {
		for (uint32_t i = 0; i < p->n; i++)
			w->owner[i] = pass_owner(b, p->at[i]);
		in.owner = w->owner;
		out.victim_owner = w->victim_owner;
	}
	if (u->level.set->passes || u->watch) {
		out.victim = w->victim;
		out.missing = w->missing;
		out.victim_sectors = w->victim_sectors;
	}
	if (wcp_cache_reserve(u->cache, p->n, e))
		return e->status;
	wcp_cache_run(u->cache, &in, &out);
	return u->watch ? look_beside(u, b, &in, &out, e) : 0;
}

static struct pass_result
result_of(const struct untimed *u, uint32_t k)
{
	const struct work *w = &u->work;
	return (struct pass_result){w->result[k], w->missing[k], w->victim[k], w->victim_sectors[k],
	    w->victim_owner[k], u->pick.copy[k]};
}

/* Every record in its place; the others' numbers ascend, as those of the work do. */
static void
pass_all(struct untimed *u, const struct wcp_access_batch *b, struct wcp_access_batch *out)
{
	const struct pick *w = &u->pick;
	uint32_t other = 0;
	for (uint32_t k = 0; k <= w->n; k++) {
		uint32_t before = k < w->n ? w->at[k] : b->n;
		while (other < w->n_other && w->other[other] < before)
			pass_record(out, b, w->other[other++]);
		if (k < w->n) {
			struct pass_result r = result_of(u, k);
			pass_outcome(&u->level, out, b, w->at[k], &r);
		}
	}
}

/* What the next level is asked, and the write-backs behind what caused them. */
static void
pass_misses(struct untimed *u, const struct wcp_access_batch *b, struct wcp_access_batch *out)
{
	const struct pick *w = &u->pick;
	for (uint32_t k = 0; k < w->n; k++) {
		if (!(u->work.result[k] & (WCP_CACHE_PASS | WCP_CACHE_DIRTY)))
			continue;
		uint32_t at = w->at[k];
		struct pass_result r = result_of(u, k);
		if (r.result & WCP_CACHE_PASS)
			pass_miss(&u->level, out, b, at, w->line[k], &r);
		if (r.result & WCP_CACHE_DIRTY) {
			struct wcp_cache_line line = {
			    r.victim, r.victim_sectors, r.victim_owner, r.copy};
			pass_write_back(&u->level, out, &line, b->cycle[at], b->kernel[at]);
		}
	}
}

static int
run(struct level *l, const struct wcp_access_batch *b, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct untimed *u = (struct untimed *)l;
	const struct pick *w = &u->pick;
	int status = select_records(u, b, e);
	if (!status)
		status = wcp_cache_grow(u->cache, w->copies, e);
	if (status)
		return status;
	u->other_spaces += w->n_other;
	status = look_up(u, b, e);
	tally_add(&l->tally, b,
	    &(struct tally_batch){w->n, w->at, w->line,
		(unsigned)__builtin_ctz(l->set->cache.index.line_bytes), w->copy, w->kind,
		u->work.result, u->watch ? u->work.note : NULL});
	if (!out || status)
		return status;
	if (b->n)
		l->last_cycle = b->cycle[b->n - 1];
	(l->set->pass_all ? pass_all : pass_misses)(u, b, out);
	return 0;
}

struct leaving {
	struct level *level;
	struct wcp_access_batch *out;
	uint32_t kernel;
};

static int
leave(void *arg, const struct wcp_cache_line *line)
{
	struct leaving *v = arg;
	struct untimed *u = (struct untimed *)v->level;
	tally_flushed(&v->level->tally);
	if (u->watch)
		watch_flushed(u->watch, line->sectors);
	if (v->out && !v->level->set->pass_all)
		pass_write_back(v->level, v->out, line, v->level->last_cycle, v->kernel);
	return 0;
}

static int
kernel_end(struct level *l, const struct wcp_kernel_end *end, struct wcp_access_batch *out,
    struct wcp_error *e)
{
	struct untimed *u = (struct untimed *)l;
	struct leaving v = {l, out, end->kernel};
	(void)e;
	if (!l->set->invalidate)
		return 0;
	if (u->watch)
		watch_invalidate(u->watch);
	return wcp_cache_invalidate(u->cache, leave, &v);
}

/* Nothing is ever in flight, and at the end of the stream what a cache holds stays there. */
static int
finish(struct level *l, struct wcp_access_batch *out, struct wcp_error *e)
{
	(void)l;
	(void)out;
	(void)e;
	return 0;
}

static void
report(const struct level *l, struct report *out)
{
	const struct untimed *u = (const struct untimed *)l;
	level_print_cache(l, out, l->set->shared ? 1 : u->pick.copies);
	tally_print(&l->tally, out);
	level_print_units(l, out);
	if (u->watch)
		watch_report(u->watch, l, out);
	level_print_notes(l, out, u->other_spaces);
}

const struct level_type level_untimed = {
    columns, make, run, kernel_end, finish, report, release, foresee, foresee_kernel_end};

/*
 * usage: nbcache model [COMBINATIONS]   the model against the readable one, every policy
 *        nbcache functional              without limits and with fills at once: the functional
 * cache nbcache unlimited               without limits nothing is ever refused nbcache options what
 * cannot be is refused with its reason Prints what it found; 1 if a check failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "nbcache_naive.h"

static int failures;

#define CHECK(ok, ...)                          \
	do {                                    \
		if (!(ok) && failures++ < 10) { \
			printf(__VA_ARGS__);    \
			putchar('\n');          \
		}                               \
	} while (0)

static uint64_t seed = 1, migrated;

static uint32_t
draw(uint32_t below)
{
	return (uint32_t)((naive_random(7, seed++) >> 32) * below >> 32);
}

/* ---- random traffic through both ------------------------------------------------------------ */

enum { FLYING = 4096, STEPS = 1500 };

struct pair {
	struct wcp_nbcache *model;
	struct naive_nb naive;
	struct wcp_nb_options o;
	unsigned combination;
	uint64_t cycle, waits, answered, requests;
	struct wcp_nb_message flying[FLYING]; /* fetches that left the queue */
	uint32_t n_flying, lines;
	struct wcp_nb_access next;
	bool waiting; /* next was refused */
};

static uint32_t
wanted(const struct pair *p, const struct wcp_nb_access *a)
{
	uint32_t all = naive_nb_all(&p->naive);
	return a->sectors & all ? a->sectors & all : all;
}

static void
random_access(struct pair *p)
{
	static const uint8_t kind[] = {WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_STORE, WCP_STORE,
	    WCP_ATOMIC, WCP_REDUCE, WCP_PREFETCH, WCP_WRITEBACK, WCP_LOAD, WCP_STORE};
	static const uint8_t route[] = {
	    WCP_NB_NO_PLACE, WCP_NB_AROUND, WCP_NB_TAGS, WCP_NB_REDIRECT};
	uint32_t all = naive_nb_all(&p->naive);
	struct wcp_nb_access *a = &p->next;
	*a = (struct wcp_nb_access){.line = 0x7f0000000000 + 128ull * draw(p->lines) + 32 * draw(4),
	    .handle = (uint32_t)p->requests++,
	    .owner = draw(48),
	    .kind = draw(60) ? kind[draw(sizeof kind)] : WCP_FILL,
	    .space = draw(3) ? WCP_SPACE_GLOBAL : WCP_SPACE_LOCAL,
	    .flags = draw(20) ? 0 : WCP_ACCESS_UNCACHED,
	    .route = draw(6) ? WCP_NB_LOOKUP : route[draw(4)]};
	a->sectors = draw(3) ? draw(all + 1) : 0;
	if (p->o.mshr_by_sector)
		a->sectors = 1u << draw((uint32_t)__builtin_popcount(all));
	a->partial = draw(4) ? 0 : draw(all + 1);
}

/* Half of what is redirected and awaited by no MSHR is elsewhere on the SM. */
static void
may_migrate(struct pair *p)
{
	struct wcp_nb_access *a = &p->next;
	bool reads = a->kind == WCP_LOAD || a->kind == WCP_PREFETCH;
	a->migrates = a->route == WCP_NB_REDIRECT && reads && draw(2) &&
		      !naive_nb_mshr(&p->naive, a->line / 128 * 128, wanted(p, a));
}

/* What was to migrate is on its way without a message. */
static void
migrate(struct pair *p)
{
	const struct wcp_nb_access *a = &p->next;
	if (p->n_flying < FLYING)
		p->flying[p->n_flying++] = (struct wcp_nb_message){.line = a->line / 128 * 128,
		    .sectors = wanted(p, a),
		    .handle = a->handle,
		    .owner = a->owner,
		    .type = WCP_NB_FETCH};
	migrated++;
}

static bool
same_victim(const struct wcp_nb_victim *a, const struct wcp_nb_victim *b)
{
	return a->line == b->line && a->sectors == b->sectors && a->owner == b->owner &&
	       a->evictor == b->evictor;
}

static void
step_access(struct pair *p)
{
	struct wcp_nb_result got = {0}, want = {0};
	if (!p->waiting) {
		random_access(p);
		may_migrate(p);
	}
	p->next.cycle = p->cycle;
	p->next.again = p->waiting;
	int probed = wcp_nbcache_probe(p->model, &p->next);
	int g = wcp_nbcache_access(p->model, &p->next, &got);
	int w = naive_nb_access(&p->naive, &p->next, &want);
	p->waiting = g > 0 && draw(8) != 0;
	CHECK(g == w && probed == w, "%u: cycle %" PRIu64 ": %s, probe %s, want %s", p->combination,
	    p->cycle, wcp_nb_fail_name((enum wcp_nb_fail)g),
	    wcp_nb_fail_name((enum wcp_nb_fail)probed), wcp_nb_fail_name((enum wcp_nb_fail)w));
	if (g || w)
		return;
	if (p->next.migrates)
		migrate(p);
	p->waits += (got.bits & WCP_NB_WAITS) != 0;
	CHECK(got.outcome == want.outcome && got.bits == want.bits && got.missing == want.missing,
	    "%u: cycle %" PRIu64 ": outcome %u bits %x missing %x, want %u %x %x", p->combination,
	    p->cycle, got.outcome, got.bits, got.missing, want.outcome, want.bits, want.missing);
	CHECK(!(got.bits & WCP_NB_VICTIM) || same_victim(&got.victim, &want.victim),
	    "%u: cycle %" PRIu64 ": another victim", p->combination, p->cycle);
}

static void
step_pop(struct pair *p)
{
	struct wcp_nb_message got, want;
	bool g = wcp_nbcache_pop(p->model, &got), w = naive_nb_pop(&p->naive, &want);
	CHECK(g == w, "%u: one queue is empty", p->combination);
	if (!g || !w)
		return;
	CHECK(got.line == want.line && got.sectors == want.sectors && got.handle == want.handle &&
		  got.owner == want.owner && got.type == want.type && got.kind == want.kind &&
		  got.space == want.space,
	    "%u: cycle %" PRIu64 ": another message", p->combination, p->cycle);
	if (got.type == WCP_NB_FETCH && p->n_flying < FLYING)
		p->flying[p->n_flying++] = got;
}

/* A fetch comes back, or some of its sectors do. */
static void
step_fill(struct pair *p)
{
	uint8_t got_bits, want_bits;
	struct wcp_nb_victim got = {0}, want = {0};
	if (!p->n_flying)
		return;
	struct wcp_nb_message *m = &p->flying[draw(p->n_flying)];
	uint32_t part = draw(3) ? m->sectors : m->sectors & draw(m->sectors + 1);
	part = part ? part : m->sectors;
	int g = wcp_nbcache_fill(p->model, m->line, part, p->cycle, &got_bits, &got);
	int w = naive_nb_fill(&p->naive, m->line, part, p->cycle, &want_bits, &want);
	CHECK(g == w && got_bits == want_bits, "%u: cycle %" PRIu64 ": fill %d %x, want %d %x",
	    p->combination, p->cycle, g, got_bits, w, want_bits);
	CHECK(!(got_bits & WCP_NB_VICTIM) || same_victim(&got, &want),
	    "%u: cycle %" PRIu64 ": another victim of a fill", p->combination, p->cycle);
	if (g)
		return;
	m->sectors &= ~part;
	if (!m->sectors)
		*m = p->flying[--p->n_flying];
}

static void
step_answers(struct pair *p, uint32_t max)
{
	uint32_t got[8], want[8];
	uint32_t g = wcp_nbcache_answers(p->model, got, max);
	uint32_t w = naive_nb_answers(&p->naive, want, max);
	CHECK(g == w && !memcmp(got, want, g * sizeof *got), "%u: cycle %" PRIu64 ": answers",
	    p->combination, p->cycle);
	p->answered += g;
}

static int
sum_line(void *arg, const struct wcp_nb_victim *v)
{
	*(uint64_t *)arg += v->line * 3 + v->sectors + v->owner;
	return 0;
}

static void
step_rare(struct pair *p)
{
	uint64_t line = 0x7f0000000000 + 128ull * draw(p->lines), sum = 0;
	struct wcp_nb_victim got = {0}, want = {0};
	switch (draw(3)) {
	case 0:
		wcp_nbcache_invalidate(p->model, sum_line, &sum);
		CHECK(sum == naive_nb_invalidate(&p->naive), "%u: what is dirty", p->combination);
		return;
	case 1: {
		bool g = wcp_nbcache_remove(p->model, line, &got);
		bool w = naive_nb_remove(&p->naive, line, &want);
		CHECK(g == w && same_victim(&got, &want), "%u: what is removed", p->combination);
		return;
	}
	default: wcp_nbcache_preload(p->model, line, 0, 7); naive_nb_preload(&p->naive, line, 7);
	}
}

static void
compare_state(struct pair *p)
{
	static struct wcp_nb_mshr list[FLYING];
	uint32_t n = wcp_nbcache_list_mshrs(p->model, list, FLYING);
	CHECK(n == naive_nb_mshrs(&p->naive) && n == wcp_nbcache_mshrs(p->model),
	    "%u: %u MSHRs in use", p->combination, n);
	CHECK(!p->o.mshr_entries || n <= p->o.mshr_entries, "%u: more MSHRs than there are",
	    p->combination);
	CHECK(wcp_nbcache_queued(p->model) == p->naive.n_queue &&
		  (!p->o.miss_queue || p->naive.n_queue <= p->o.miss_queue),
	    "%u: the queue's length", p->combination);
	for (uint32_t i = 0; i < p->lines; i++) {
		uint64_t line = 0x7f0000000000 + 128ull * i;
		struct wcp_nb_line l;
		struct naive_way *w = naive_nb_find(&p->naive, line);
		bool there = wcp_nbcache_find(p->model, line, &l);
		CHECK(there == (w != NULL) &&
			  (!w || (l.valid == w->valid && l.dirty == w->dirty &&
				     l.reserved == w->reserved && l.owner == w->owner)),
		    "%u: cycle %" PRIu64 ": state of line %u", p->combination, p->cycle, i);
	}
}

/* Nothing new comes: all that waits is answered in the end, once. */
static void
drain(struct pair *p)
{
	for (int i = 0; i < 40 * FLYING && (p->naive.n_mshr || p->naive.n_queue); i++) {
		p->cycle += 100;
		step_pop(p);
		step_fill(p);
		step_answers(p, 8);
	}
	const struct wcp_nb_counts *n = wcp_nbcache_counts(p->model);
	uint64_t accepted = 0;
	for (unsigned i = 0; i < WCP_OUT_COUNT; i++)
		accepted += n->outcome[i];
	CHECK(p->answered == p->waits && n->answers == p->waits && !wcp_nbcache_mshrs(p->model),
	    "%u: %" PRIu64 " waited, %" PRIu64 " were answered", p->combination, p->waits,
	    p->answered);
	CHECK(accepted == p->naive.accepted, "%u: outcomes do not add up", p->combination);
	for (int i = WCP_NB_LINE; i < WCP_NB_FAIL_COUNT; i++)
		CHECK(n->refused[i] == p->naive.refused[i] && n->refused_first[i] <= n->refused[i],
		    "%u: refusals for %s", p->combination, wcp_nb_fail_name((enum wcp_nb_fail)i));
}

static void
run_pair(const struct wcp_nb_options *o, unsigned combination, uint64_t refused[WCP_NB_FAIL_COUNT])
{
	struct wcp_error e;
	struct pair *p = calloc(1, sizeof *p);
	p->model = wcp_nbcache_new(o, &e);
	CHECK(p->model, "%u: %s", combination, e.text);
	if (!p->model)
		exit(1);
	p->naive = naive_nb_new(o);
	p->o = *o;
	p->combination = combination;
	p->lines = 8 + draw(40);
	uint32_t slow = 1 + draw(8), drain_every = 1 + draw(4);
	for (uint32_t i = 0; i < STEPS && failures < 10; i++) {
		p->cycle += draw(3);
		if (draw(slow) == 0)
			step_fill(p);
		if (draw(drain_every) == 0)
			step_answers(p, 1 + draw(8));
		if (draw(3))
			step_pop(p);
		step_access(p);
		if (draw(200) == 0)
			step_rare(p);
		if (draw(50) == 0)
			compare_state(p);
	}
	drain(p);
	compare_state(p);
	for (int i = 0; i < WCP_NB_FAIL_COUNT; i++)
		refused[i] += wcp_nbcache_counts(p->model)->refused[i];
	wcp_nbcache_free(p->model);
	naive_nb_free(&p->naive);
	free(p);
}

/* ---- every combination of policies, on geometries of all kinds ------------------------------- */

struct shape {
	uint64_t sets;
	uint32_t ways;
	enum wcp_index index;
};

static const struct shape shape[] = {{1, 0, WCP_INDEX_MODULO}, {4, 2, WCP_INDEX_MODULO},
    {3, 3, WCP_INDEX_MODULO}, {2, 4, WCP_INDEX_XOR}, {4, 4, WCP_INDEX_POLY},
    {1, 8, WCP_INDEX_MODULO}, {32, 1, WCP_INDEX_FERMI}, {1, 17, WCP_INDEX_MODULO},
    {1, 70, WCP_INDEX_MODULO}};
enum { SHAPES = sizeof shape / sizeof *shape };

static struct wcp_nb_options
combination(unsigned i)
{
	const struct shape *s = &shape[i % SHAPES];
	static const uint32_t entries[] = {1, 4, 0, 8}, merges[] = {2, 1, 0, 4},
			      queue[] = {2, 5, 0};
	struct wcp_nb_options o = {
	    .index = {.kind = s->index, .sets = s->sets, .line_bytes = 128}, .ways = s->ways};
	o.index.polynomial = s->index == WCP_INDEX_POLY ? 7 : 0;
	unsigned policy = i / SHAPES;
	o.replacement = (enum wcp_replacement)(policy % 4);
	if (o.replacement == WCP_PLRU && (s->ways & (s->ways - 1) || s->ways > 64))
		o.ways = 16;
	o.global_write = (enum wcp_write_policy)(policy / 4 % WCP_WRITE_COUNT);
	o.local_write = (enum wcp_write_policy)draw(WCP_WRITE_COUNT);
	o.allocate = policy / 16 % 2 ? WCP_NB_ON_FILL : WCP_NB_ON_MISS;
	o.sector_bytes = policy / 32 % 2 ? 32 : 0;
	o.worst_case_room = policy / 64 % 2;
	o.mshr_by_sector = o.sector_bytes && draw(2);
	o.bypass_uncached = draw(2);
	o.store_around = draw(4) == 0;
	o.port_bytes = draw(3) ? 0 : 32 << draw(3);
	o.mshr_entries = entries[draw(4)];
	o.mshr_merges = merges[draw(4)];
	o.miss_queue = queue[draw(3)];
	o.seed = i;
	return o;
}

static int
check_model(unsigned limit)
{
	uint64_t refused[WCP_NB_FAIL_COUNT] = {0};
	unsigned n = SHAPES * 128;
	for (unsigned i = 0; i < n && i < limit && failures < 10; i++) {
		struct wcp_nb_options o = combination(i);
		run_pair(&o, i, refused);
	}
	printf("%u combinations agree over %u steps each\n", n < limit ? n : limit, STEPS);
	for (int i = WCP_NB_PORT; i < WCP_NB_FAIL_COUNT; i++)
		CHECK(refused[i] > 1000, "%s hardly ever refused anything",
		    wcp_nb_fail_name((enum wcp_nb_fail)i));
	CHECK(migrated > n, "lines hardly ever migrated");
	return failures != 0;
}

/* ---- without limits, at once: the functional cache ------------------------------------------- */

static uint8_t
functional_result(const struct wcp_nb_result *r)
{
	unsigned result = r->outcome;
	result |= r->bits & WCP_NB_PRESENT ? WCP_CACHE_PRESENT : 0;
	result |= r->bits & WCP_NB_SENT ? WCP_CACHE_PASS : 0;
	result |= r->bits & WCP_NB_VICTIM ? WCP_CACHE_VICTIM : 0;
	result |= r->bits & WCP_NB_DIRTY ? WCP_CACHE_DIRTY : 0;
	return (uint8_t)result;
}

static struct wcp_nb_result
at_once(struct wcp_nbcache *c, const struct wcp_nb_access *a)
{
	struct wcp_nb_result r;
	struct wcp_nb_message m;
	struct wcp_nb_victim v;
	uint32_t handle;
	uint8_t bits = 0;
	CHECK(!wcp_nbcache_access(c, a, &r), "an access was refused");
	while (wcp_nbcache_pop(c, &m))
		if (m.type == WCP_NB_FETCH)
			CHECK(!wcp_nbcache_fill(c, m.line, m.sectors, 0, &bits, &v), "no fill");
	while (wcp_nbcache_pop(c, &m))
		CHECK(m.type == WCP_NB_WRITE_BACK, "a fill sends more than a write-back");
	CHECK(wcp_nbcache_answers(c, &handle, 1) == ((r.bits & WCP_NB_WAITS) != 0), "no answer");
	if (bits & WCP_NB_VICTIM)
		r.victim = v;
	r.bits |= bits;
	return r;
}

static void
compare_functional(const struct wcp_nb_options *o)
{
	struct wcp_cache_options f = {.index = o->index,
	    .ways = o->ways,
	    .sector_bytes = o->sector_bytes,
	    .replacement = o->replacement,
	    .global_write = o->global_write,
	    .local_write = o->local_write,
	    .bypass_uncached = o->bypass_uncached,
	    .track_owner = true,
	    .copies = 1,
	    .seed = o->seed};
	struct wcp_cache *cache = wcp_cache_new(&f, NULL);
	struct wcp_nbcache *model = wcp_nbcache_new(o, NULL);
	struct pair p = {.model = model, .o = *o, .lines = 60, .naive = {.o = *o}};
	for (int i = 0; i < 3000 && failures < 10; i++) {
		uint8_t result = 0;
		uint64_t victim = 0;
		uint32_t missing = 0, sectors = 0, owner = 0;
		random_access(&p);
		p.next.route = WCP_NB_LOOKUP;
		p.next.partial = 0;
		uint64_t line = p.next.line & ~127ull;
		struct wcp_cache_batch in = {1, &line, &p.next.sectors, &p.next.kind, &p.next.space,
		    &p.next.flags, NULL, &p.next.owner};
		struct wcp_cache_result out = {&result, &victim, &missing, &sectors, &owner};
		wcp_cache_run(cache, &in, &out);
		struct wcp_nb_result r = at_once(model, &p.next);
		CHECK(functional_result(&r) == result, "access %d: result %x, the functional's %x",
		    i, functional_result(&r), result);
		CHECK(!(result & WCP_CACHE_VICTIM) ||
			  (r.victim.line == victim && r.victim.sectors == sectors &&
			      r.victim.owner == owner && r.victim.evictor == p.next.owner),
		    "access %d: another victim than the functional's", i);
	}
	wcp_cache_free(cache);
	wcp_nbcache_free(model);
}

static int
check_functional(void)
{
	unsigned n = 0;
	for (unsigned i = 0; i < SHAPES * 64 && failures < 10; i++) {
		struct wcp_nb_options o = combination(i);
		if (!o.ways)
			continue;
		o.mshr_entries = o.mshr_merges = o.miss_queue = o.port_bytes = 0;
		o.mshr_by_sector = o.store_around = o.worst_case_room = false;
		compare_functional(&o);
		n++;
	}
	printf("%u caches agree with the functional one\n", n);
	return failures != 0;
}

static int
check_unlimited(void)
{
	struct wcp_nb_options o = {.index = {.sets = 1, .line_bytes = 128}};
	struct wcp_nbcache *c = wcp_nbcache_new(&o, NULL);
	enum { LINES = 5000 };
	struct wcp_nb_result r;
	struct wcp_nb_message m;
	uint32_t handle;
	for (uint32_t i = 0; i < 2 * LINES; i++) {
		struct wcp_nb_access a = {.line = 128ull * (i % LINES), .handle = i};
		CHECK(!wcp_nbcache_access(c, &a, &r), "refused");
		CHECK(r.outcome == (i < LINES ? WCP_OUT_MISS : WCP_OUT_PENDING), "outcome");
	}
	CHECK(wcp_nbcache_mshrs(c) == LINES && wcp_nbcache_queued(c) == LINES, "in flight");
	while (wcp_nbcache_pop(c, &m))
		CHECK(!wcp_nbcache_fill(c, m.line, 0, 0, NULL, NULL), "fill");
	for (uint32_t i = 0; i < 2 * LINES; i++)
		CHECK(wcp_nbcache_answers(c, &handle, 1) == 1 &&
			  handle == i / 2 + (i % 2 ? LINES : 0),
		    "answer %u is %u", i, handle);
	CHECK(!wcp_nbcache_mshrs(c) && wcp_nbcache_counts(c)->mshrs_peak == LINES, "left over");
	wcp_nbcache_free(c);
	return failures != 0;
}

static void
refuse(struct wcp_nb_options o)
{
	struct wcp_error e;
	struct wcp_nbcache *c = wcp_nbcache_new(&o, &e);
	printf("%s\n", c ? "taken" : e.text);
	wcp_nbcache_free(c);
}

static int
check_options(void)
{
	struct wcp_nb_options ok = {.index = {.sets = 4, .line_bytes = 128}, .ways = 4}, o = ok;
	refuse(o);
	o.index.line_bytes = 100;
	refuse(o);
	o = ok;
	o.sector_bytes = 48;
	refuse(o);
	o = ok;
	o.ways = 1u << 25;
	refuse(o);
	o = ok;
	o.index.sets = 1ull << 31;
	refuse(o);
	o = ok;
	o.allocate = (enum wcp_nb_allocate)9;
	refuse(o);
	o = ok;
	o.miss_queue = 1;
	refuse(o);
	o.worst_case_room = true;
	refuse(o);
	o.worst_case_room = false;
	o.local_write = WCP_WRITE_BACK;
	refuse(o);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "model"))
		return check_model(argc > 2 ? (unsigned)atoi(argv[2]) : UINT32_MAX);
	if (!strcmp(what, "functional"))
		return check_functional();
	if (!strcmp(what, "unlimited"))
		return check_unlimited();
	if (!strcmp(what, "options"))
		return check_options();
	return 2;
}

/* Accesses through L1s and L2, bounded and not, and how each is related to the one before it. */
#include <stdlib.h>
#include <string.h>
#include "local.h"

enum { AHEAD = 12, SLICE = 2048, SPACES = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL };

const char *const class_name[CLASSES] = {
    "intra_thread", "inter_thread", "intra_block", "intra_core", "inter_core", "inter_kernel"};

/* Accesses to one level, in columns. */
struct column {
	uint32_t n, cap;
	uint64_t *line, *hash;			  /* hash: of line and L1, or of line */
	uint32_t *sectors, *warp, *lanes, *owner; /* owner: the space */
	uint8_t *kind, *space;
	uint16_t *flags, *sm, *copy;
	/* results */
	uint8_t *result;
	uint64_t *victim, *within;
	uint32_t *missing, *victim_sectors, *victim_owner;
};

struct work {
	struct column l1, l2;
};

static void
column_reserve(struct column *c, uint64_t n)
{
	if (n <= c->cap)
		return;
	c->cap = (uint32_t)(n + n / 2);
	c->line = must_alloc(c->line, c->cap * sizeof *c->line);
	c->hash = must_alloc(c->hash, c->cap * sizeof *c->hash);
	c->sectors = must_alloc(c->sectors, c->cap * sizeof *c->sectors);
	c->warp = must_alloc(c->warp, c->cap * sizeof *c->warp);
	c->lanes = must_alloc(c->lanes, c->cap * sizeof *c->lanes);
	c->owner = must_alloc(c->owner, c->cap * sizeof *c->owner);
	c->victim_owner = must_alloc(c->victim_owner, c->cap * sizeof *c->victim_owner);
	c->kind = must_alloc(c->kind, c->cap * sizeof *c->kind);
	c->space = must_alloc(c->space, c->cap * sizeof *c->space);
	c->flags = must_alloc(c->flags, c->cap * sizeof *c->flags);
	c->sm = must_alloc(c->sm, c->cap * sizeof *c->sm);
	c->copy = must_alloc(c->copy, c->cap * sizeof *c->copy);
	c->result = must_alloc(c->result, c->cap * sizeof *c->result);
	c->victim = must_alloc(c->victim, c->cap * sizeof *c->victim);
	c->within = must_alloc(c->within, c->cap * sizeof *c->within);
	c->missing = must_alloc(c->missing, c->cap * sizeof *c->missing);
	c->victim_sectors = must_alloc(c->victim_sectors, c->cap * sizeof *c->victim_sectors);
}

static void
column_release(struct column *c)
{
	void *all[] = {c->line, c->hash, c->sectors, c->warp, c->lanes, c->kind, c->space, c->flags,
	    c->sm, c->copy, c->result, c->victim, c->within, c->missing, c->victim_sectors,
	    c->owner, c->victim_owner};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

/* ---- what there is --------------------------------------------------------------------------- */

static enum action
store_action(enum wcp_write_policy write, bool around)
{
	switch (write) {
	case WCP_WRITE_BACK:
	case WCP_WRITE_VALIDATE: return around ? GOES_ON : KEEPS;
	case WCP_WRITE_EVICT: return DROPS;
	case WCP_WRITE_THROUGH:
	case WCP_WRITE_COUNT: break;
	}
	return GOES_ON;
}

/* As warpcap/cache.h says of kinds and write policies. */
static enum action
action_of(const struct wcp_cache_options *o, unsigned kind, bool local, bool uncached)
{
	enum wcp_write_policy write = local ? o->local_write : o->global_write;
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	if (uncached && o->bypass_uncached && kind < WCP_WRITEBACK)
		return PASSES_BY;
	switch (kind) {
	case WCP_STORE: return store_action(write, o->store_around);
	case WCP_ATOMIC:
	case WCP_REDUCE: return keeps ? KEEPS : DROPS;
	case WCP_WRITEBACK: return keeps ? KEEPS : GOES_ON;
	default: return READS;
	}
}

static void
fill_actions(struct model *m, int level, const struct wcp_cache_options *o)
{
	for (unsigned i = 0; i < 32; i++)
		m->action[level][i & 7][i >> 3 & 1][i >> 4] =
		    (uint8_t)action_of(o, i & 7, i >> 3 & 1, i >> 4);
}

static uint32_t
all_sectors(const struct wcp_cache_options *o)
{
	uint32_t bytes = o->sector_bytes ? o->sector_bytes : o->index.line_bytes;
	return UINT32_MAX >> (32 - o->index.line_bytes / bytes);
}

static int
make_caches(struct model *m, struct wcp_error *e, const char **section)
{
	struct wcp_cache_options l1 = level_options(&m->set->l1), l2 = level_options(&m->set->l2);
	uint32_t slices = m->set->l2.slices, line = l2.index.line_bytes;
	struct wcp_slice_options slice = {.slices = slices, .chunk_bytes = line > 256 ? line : 256};
	l1.track_owner = true;
	m->l1_options = l1;
	m->l2_options = l2;
	m->l1_all = all_sectors(&l1);
	m->l2_all = all_sectors(&l2);
	fill_actions(m, 0, &l1);
	fill_actions(m, 1, &l2);
	*section = "l2";
	l2.copies = slices;
	if (wcp_slice_init(&m->slice, &slice, e) || !(m->cache_l2 = wcp_cache_new(&l2, e)))
		return e->status;
	*section = "l1";
	if (!(m->cache_l1 = wcp_cache_new(&l1, e)))
		return e->status;
	m->full = full_new((uint32_t)l1.index.sets * l1.ways);
	return 0;
}

int
model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine)
{
	struct wcp_error e;
	const char *section;
	*m = (struct model){.tool = t, .set = s, .whole = true};
	keys_init(&m->key, UNIT_WARP);
	m->work = must_alloc(NULL, sizeof *m->work);
	*m->work = (struct work){0};
	if (make_caches(m, &e, &section))
		return tool_machine_error(t, machine, section, &e);
	m->l1.by_sm = true;
	touch_table_reserve(&m->all, 1);
	touch_table_reserve(&m->l1, 1);
	touch_table_reserve(&m->l2, 1);
	return 0;
}

void
model_release(struct model *m)
{
	keys_release(&m->key);
	touch_table_release(&m->all);
	touch_table_release(&m->l1);
	touch_table_release(&m->l2);
	wcp_cache_free(m->cache_l1);
	full_free(m->full);
	wcp_cache_free(m->cache_l2);
	column_release(&m->work->l1);
	column_release(&m->work->l2);
	free(m->work);
}

/* ---- one access ------------------------------------------------------------------------------ */

static bool
is_load(uint8_t kind)
{
	return kind == WCP_LOAD || kind == WCP_PREFETCH;
}

/* DWT-PRIC sec. 3.1; the one before is the line's last toucher. */
static inline enum class class_of(
    const struct model *m, const struct place *p, const struct column *c, uint32_t i) {
	if (p->warp == c->warp[i]) return p->lanes & c->lanes[i] ? INTRA_THREAD : INTER_THREAD;
	const struct key *x = &m->key.key[p->warp], *y = &m->key.key[c->warp[i]];
	if (x->group != y->group) return INTER_KERNEL;
	if (x->cta == y->cta) return INTRA_BLOCK;
	return p->sm == c->sm[i] ? INTRA_CORE : INTER_CORE;
}

static inline void
count(struct count *n, enum class class, bool load, bool hit)
{
	n->n[hit][load][class]++;
}

static void
sum_up(struct count *c)
{
	for (unsigned i = 0; i < 4 * CLASSES; i++) {
		bool hit = i & 1, load = i >> 1 & 1;
		enum class class = i >> 2;
		uint64_t n = c->n[hit][load][class];
		c->accesses += n;
		c->loads += load ? n : 0;
		c->hits += hit ? n : 0;
		c->load_hits += load && hit ? n : 0;
		c->class[class] += hit ? n : 0;
	}
}

static inline void
touch(struct place *p, const struct column *c, uint32_t i)
{
	p->warp = c->warp[i];
	p->lanes = c->lanes[i];
	p->sm = c->sm[i];
}

/* A cache without bound: were the access's sectors there? */
static inline bool
unbounded(struct place *p, enum action action, uint32_t sectors, uint32_t epoch)
{
	if (p->epoch != epoch)
		p->valid = 0;
	p->epoch = epoch;
	bool hit = p->valid && !(sectors & ~p->valid);
	if (action == DROPS)
		p->valid = 0;
	else if (action == READS || action == KEEPS)
		p->valid |= sectors;
	return hit;
}

static enum culprit
culprit_of(const struct model *m, const struct place *p, uint32_t warp)
{
	if (p->evictor == NO_WARP)
		return NOBODY;
	if (p->evictor == warp)
		return SAME_WARP;
	const struct key *x = &m->key.key[p->evictor], *y = &m->key.key[warp];
	if (x->group != y->group)
		return OTHER_KERNEL;
	return x->cta == y->cta ? SAME_BLOCK : OTHER_BLOCK;
}

static enum action
action_at(const struct model *m, int level, const struct column *c, uint32_t i)
{
	return m->action[level][c->kind[i] & 7][c->space[i] == WCP_SPACE_LOCAL]
			[(c->flags[i] & WCP_ACCESS_UNCACHED) != 0];
}

/* The program's own reuse, whatever the caches are. */
static void
run_reuse(struct model *m, const struct column *c)
{
	touch_table_reserve(&m->all, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		if (i + AHEAD < c->n)
			touch_expect(&m->all, touch_hash(c->line[i + AHEAD], 0));
		struct place *p = touch_place(&m->all, c->line[i], 0);
		bool again = p->warp != NO_WARP;
		count(
		    &m->count[REUSE], again ? class_of(m, p, c, i) : 0, is_load(c->kind[i]), again);
		touch(p, c, i);
	}
}

static inline void
one_l1(struct model *m, const struct column *c, uint32_t i)
{
	struct place *p = touch_at(&m->l1, c->hash[i], c->line[i], c->sm[i]);
	enum action action = action_at(m, 0, c, i);
	bool load = is_load(c->kind[i]);
	if (action == PASSES_BY)
		return;
	enum class class = p->warp != NO_WARP ? class_of(m, p, c, i) : 0;
	bool ever = unbounded(p, action, c->sectors[i], m->epoch + 1);
	bool hit = c->result[i] & WCP_CACHE_PRESENT;
	bool full = full_access(m->full, p, action, c->sectors[i]);
	count(&m->count[L1_UNBOUNDED], class, load, ever);
	count(&m->count[L1_BOUNDED], class, load, hit);
	m->full_hits += load && full;
	if (load && ever && !hit)
		m->lost[full ? CONFLICT : CAPACITY][culprit_of(m, p, c->warp[i])]++;
	if (action == READS || action == KEEPS)
		p->evictor = NO_WARP;
	touch(p, c, i);
	if (c->result[i] & WCP_CACHE_VICTIM)
		touch_place(&m->l1, c->victim[i], c->sm[i])->evictor = c->warp[i];
}

/* ---- to L2 ----------------------------------------------------------------------------------- */

static uint32_t
l2_add(struct model *m, uint64_t line, uint32_t sectors)
{
	struct column *o = &m->work->l2;
	const struct wcp_cache_options *l2 = &m->l2_options;
	uint32_t k = o->n++;
	o->line[k] = line & ~(uint64_t)(l2->index.line_bytes - 1);
	uint32_t mask = level_sectors(l2, line, sectors);
	o->sectors[k] = mask ? mask : m->l2_all;
	return k;
}

static void
pass_on(struct model *m, const struct column *c, uint32_t i)
{
	struct column *o = &m->work->l2;
	unsigned outcome = c->result[i] & WCP_CACHE_OUTCOME;
	bool fetches = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR;
	uint32_t sectors = fetches ? c->missing[i] : c->sectors[i];
	uint32_t k = l2_add(m, c->line[i], level_stream_sectors(&m->l1_options, sectors));
	o->kind[k] = fetches && c->kind[i] != WCP_PREFETCH ? WCP_LOAD : c->kind[i];
	o->space[k] = c->space[i];
	o->flags[k] = c->flags[i];
	o->warp[k] = c->warp[i];
	o->lanes[k] = c->lanes[i];
	o->sm[k] = c->sm[i];
}

/* A dirty line leaves an L1: on behalf of who touched it there last. */
static void
write_back(struct model *m, uint64_t line, uint32_t sectors, uint16_t sm, uint8_t space)
{
	struct column *o = &m->work->l2;
	const struct place *p = touch_place(&m->l1, line, sm);
	uint32_t k = l2_add(m, line, level_stream_sectors(&m->l1_options, sectors));
	o->kind[k] = WCP_WRITEBACK;
	o->space[k] = space;
	o->flags[k] = 0;
	o->warp[k] = p->warp;
	o->lanes[k] = p->lanes;
	o->sm[k] = sm;
	m->write_backs++;
}

static inline void
one_l2(struct model *m, struct column *c, uint32_t i)
{
	enum action action = action_at(m, 1, c, i);
	bool load = is_load(c->kind[i]);
	if (action == PASSES_BY)
		return;
	struct place *p = touch_place(&m->l2, c->line[i], 0);
	bool ever = unbounded(p, action, c->sectors[i], 1);
	if (c->kind[i] == WCP_WRITEBACK) { /* nobody's access; a new line is its writer's */
		if (p->warp == NO_WARP)
			touch(p, c, i);
		return;
	}
	enum class class = p->warp != NO_WARP ? class_of(m, p, c, i) : 0;
	count(&m->count[L2_UNBOUNDED], class, load, ever);
	count(&m->count[L2_BOUNDED], class, load, c->result[i] & WCP_CACHE_PRESENT);
	touch(p, c, i);
}

static int
run_l2(struct model *m, struct wcp_error *e)
{
	struct column *c = &m->work->l2;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = c->sectors,
	    .kind = c->kind,
	    .space = c->space,
	    .flags = c->flags};
	struct wcp_cache_result out = {.result = c->result};
	if (m->set->l2.slices > 1) {
		wcp_slice_run(&m->slice, c->line, c->n, c->copy, c->within);
		in.copy = c->copy;
		in.place = c->within;
	}
	if (wcp_cache_reserve(m->cache_l2, c->n, e))
		return e->status;
	wcp_cache_run(m->cache_l2, &in, &out);
	touch_table_reserve(&m->l2, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		if (i + AHEAD < c->n)
			touch_expect(&m->l2, touch_hash(c->line[i + AHEAD], 0));
		one_l2(m, c, i);
	}
	c->n = 0;
	return 0;
}

/* ---- a batch --------------------------------------------------------------------------------- */

static int
select_records(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct column *c = &m->work->l1;
	const struct wcp_cache_options l1 = m->l1_options;
	struct key last = {WCP_NONE32, WCP_NONE32, WCP_NONE32};
	uint32_t warp = 0;
	c->n = 0;
	for (uint32_t at = first; at < first + n; at++) {
		if (!(SPACES >> (b->space[at] & 31) & 1) || b->kind[at] == WCP_FILL) {
			m->other_spaces++;
			continue;
		}
		if (b->sm[at] == WCP_NONE16)
			return wcp_fail(e, WCP_EDATA,
			    "an access of no SM: pipe the stream through warpflat --sms N");
		if (!level_holds(&l1, b->line[at], b->sectors[at]))
			return wcp_fail(e, WCP_EUSAGE,
			    "the stream's lines are longer than %u bytes: give warpflat the same "
			    "--line",
			    l1.index.line_bytes);
		uint32_t i = c->n++;
		c->line[i] = b->line[at] & ~(uint64_t)(l1.index.line_bytes - 1);
		uint32_t mask = level_sectors(&l1, b->line[at], b->sectors[at]);
		c->sectors[i] = mask ? mask : m->l1_all;
		c->kind[i] = b->kind[at];
		c->owner[i] = c->space[i] = b->space[at];
		c->flags[i] = b->flags[at];
		c->lanes[i] = b->lanes[at];
		c->sm[i] = b->sm[at];
		/* The transactions of one instruction follow each other. */
		struct key key = {b->kernel[at], b->cta[at], b->warp[at]};
		if (!key_equal(key, last))
			warp = keys_number_fast(&m->key, key);
		last = key;
		c->warp[i] = warp;
		c->hash[i] = touch_hash(c->line[i], c->sm[i]);
		m->sms = c->sm[i] >= m->sms ? (uint16_t)(c->sm[i] + 1) : m->sms;
	}
	return 0;
}

static int
run_caches(struct model *m, struct wcp_error *e)
{
	struct column *c = &m->work->l1;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = c->sectors,
	    .kind = c->kind,
	    .space = c->space,
	    .flags = c->flags,
	    .copy = c->sm,
	    .owner = c->owner};
	struct wcp_cache_result out = {.result = c->result,
	    .victim = c->victim,
	    .missing = c->missing,
	    .victim_sectors = c->victim_sectors,
	    .victim_owner = c->victim_owner};
	full_grow(m->full, m->sms);
	if (wcp_cache_grow(m->cache_l1, m->sms, e) || wcp_cache_reserve(m->cache_l1, c->n, e))
		return e->status;
	wcp_cache_run(m->cache_l1, &in, &out);
	return 0;
}

static int
run_slice(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct column *c = &m->work->l1;
	column_reserve(c, n);
	column_reserve(&m->work->l2, 2ull * n);
	int status = select_records(m, b, first, n, e);
	if (!status && c->n)
		status = run_caches(m, e);
	if (status)
		return status;
	run_reuse(m, c);
	touch_table_reserve(&m->l1, 2ull * c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t next = i + AHEAD;
		if (next < c->n) {
			touch_expect(&m->l1, c->hash[next]);
			if (c->result[next] & WCP_CACHE_VICTIM)
				touch_expect(&m->l1, touch_hash(c->victim[next], c->sm[next]));
		}
		one_l1(m, c, i);
		if (c->result[i] & WCP_CACHE_PASS)
			pass_on(m, c, i);
		if (c->result[i] & WCP_CACHE_DIRTY)
			write_back(m, c->victim[i], c->victim_sectors[i], c->sm[i],
			    (uint8_t)c->victim_owner[i]);
	}
	return run_l2(m, e);
}

/* Slices whose columns stay in the processor's cache from one pass to the next. */
static int
run_batch(struct model *m, const struct wcp_access_batch *b, struct wcp_error *e)
{
	int status = 0;
	for (uint32_t first = 0; first < b->n && !status; first += SLICE)
		status = run_slice(m, b, first, b->n - first < SLICE ? b->n - first : SLICE, e);
	return status;
}

static int
leave(void *arg, const struct wcp_cache_line *line)
{
	struct model *m = arg;
	column_reserve(&m->work->l2, m->work->l2.n + 1ull);
	write_back(m, line->line, line->sectors, (uint16_t)line->copy, (uint8_t)line->owner);
	return 0;
}

static int
end_kernel(struct model *m, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	m->thread_insns += end->thread_insns;
	m->kernels++;
	if (!m->set->invalidate)
		return 0;
	m->epoch++;
	full_empty(m->full);
	wcp_cache_invalidate(m->cache_l1, leave, m);
	return run_l2(m, e);
}

int
model_read(struct model *m)
{
	struct tap in;
	struct tap_item item;
	struct wcp_error e;
	struct tap_options o = {.link = WCP_LINK_ACCESS,
	    .columns = WCP_COL(SM) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(LANES) |
		       WCP_COL(SECTORS) | WCP_COL(FLAGS),
	    .line_bytes = 1};
	int more = 0, failed = 0, status = tap_open(&in, m->tool, &o);
	while (!status && !failed && (more = tap_next(&in, &item)) == 1) {
		if (item.kernel_end)
			failed = end_kernel(m, item.kernel_end, &e);
		else if (item.access)
			failed = run_batch(m, item.access, &e);
	}
	if (failed)
		status = tool_error(m->tool, tool_input_name(m->tool, 0), &e);
	m->whole = in.whole && !failed && !status;
	tap_close(&in);
	for (enum scope k = 0; k < SCOPES; k++)
		sum_up(&m->count[k]);
	return status ? status : more;
}

/* Accesses through L1s and L2, bounded and not, and how each is related to the one before it. */
#include "local.h"

enum { AHEAD = 10 };

static enum culprit
culprit_of(const struct model *m, const struct spot *s, const struct who *now)
{
	if (!s->evictor_cta)
		return NOBODY;
	if (s->evictor_cta == now->cta)
		return s->evictor_warp == now->warp ? SAME_WARP : SAME_BLOCK;
	return m->kernel_of[s->evictor_cta] == m->kernel_of[now->cta] ? OTHER_BLOCK : OTHER_KERNEL;
}

/* A cache without bound: were the access's sectors there? valid is what is. */
static inline bool
unbounded(uint32_t *valid, enum action action, uint32_t sectors)
{
	bool hit = *valid && !(sectors & ~*valid);
	if (action == DROPS)
		*valid = 0;
	else if (action == READS || action == KEEPS)
		*valid |= sectors;
	return hit;
}

/* Counts codes by unit: those that are a hit at a scope. */
static void
count_units(struct model *m, enum scope scope, const uint32_t *unit, const uint8_t *code,
    uint32_t n, enum code hit)
{
	for (uint32_t i = 0; i < n; i++) {
		struct unit_count *u = &m->by[(uint64_t)unit[i] * SCOPES + scope];
		if (code[i] == CODE_NONE)
			continue;
		u->accesses++;
		if (code[i] & hit)
			u->hits[code[i] & CODE_CLASS]++;
	}
}

/* ---- L2 -------------------------------------------------------------------------------------- */

static inline uint8_t
one_l2(const struct l2_slice *c, uint32_t i, struct l2_line *l, unsigned action,
    const uint32_t *kernel_of)
{
	if ((action & ~ACTION_IS_LOAD) == PASSES_BY)
		return CODE_NONE;
	bool ever = unbounded(&l->valid, (enum action)(action & ~ACTION_IS_LOAD), c->sectors[i]);
	if (c->kind[i] == WCP_WRITEBACK) { /* nobody's access; a new line is its writer's */
		if (!l->last.cta)
			l->last = c->who[i];
		return CODE_NONE;
	}
	unsigned code = class_of(kernel_of, &l->last, &c->who[i]) | (action & ACTION_IS_LOAD) |
			(ever ? CODE_EVER : 0) | (c->result[i] & WCP_CACHE_PRESENT ? CODE_HIT : 0);
	l->last = c->who[i];
	return (uint8_t)code;
}

static void
run_l2_lines(struct model *m, struct l2_slice *c)
{
	const uint32_t *kernel_of = m->kernel_of;
	struct l2_line *l2 = m->l2;
	uint64_t *seen = m->seen[L2];
	for (uint32_t i = 0; i < c->n; i++) {
		if (i + AHEAD < c->n)
			__builtin_prefetch(&l2[c->number[i + AHEAD]], 1);
		unsigned action = m->action[1][action_number(c->kind[i], c->space[i], c->flags[i])];
		c->code[i] = one_l2(c, i, &l2[c->number[i]], action, kernel_of);
		if (c->code[i] != CODE_NONE)
			seen[c->code[i]]++;
	}
	if (m->by) {
		count_units(m, L2_UNBOUNDED, c->unit, c->code, c->n, CODE_EVER);
		count_units(m, L2_BOUNDED, c->unit, c->code, c->n, CODE_HIT);
	}
}

static int
run_l2_cache(struct model *m, struct wcp_error *e)
{
	struct l2_slice *c = &m->work->l2;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = m->l2_all == 1 ? NULL : c->sectors,
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
	return 0;
}

/* Lines of L2's own. */
static int
number_l2_lines(struct model *m, struct l2_slice *c, struct wcp_error *e)
{
	unsigned shift = (unsigned)__builtin_ctz(m->l2_options.index.line_bytes);
	for (uint32_t i = 0; i < c->n; i++)
		m->work->key[i] = c->line[i] >> shift;
	return wcp_numbers_get(m->l2_lines, m->work->key, c->n, c->number, e);
}

static int
run_l2(struct model *m, struct wcp_error *e)
{
	struct l2_slice *c = &m->work->l2;
	if (run_l2_cache(m, e) || (m->l2_lines && number_l2_lines(m, c, e)))
		return e->status;
	m->l2 = zeroed_grow(m->l2, sizeof *m->l2, &m->cap_l2,
	    wcp_numbers_count(m->l2_lines ? m->l2_lines : m->lines));
	run_l2_lines(m, c);
	c->n = 0;
	return 0;
}

/* Line and sectors of L1 in terms of L2; the number of the L1 line, which may be L2's, too. */
static inline uint32_t
l2_add(struct model *m, uint64_t line, uint32_t number, uint32_t sectors)
{
	struct l2_slice *o = &m->work->l2;
	const struct wcp_cache_options *l2 = &m->l2_options;
	uint32_t k = o->n++, mask = 1;
	o->line[k] = line & ~(uint64_t)(l2->index.line_bytes - 1);
	o->number[k] = number;
	if (!m->whole_lines)
		mask = level_sectors(l2, line, level_stream_sectors(&m->l1_options, sectors));
	o->sectors[k] = mask ? mask : m->l2_all;
	return k;
}

static inline void
pass_on(struct model *m, const struct l1_slice *c, uint32_t i)
{
	struct l2_slice *o = &m->work->l2;
	unsigned outcome = c->result[i] & WCP_CACHE_OUTCOME;
	bool fetches = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR;
	uint32_t k = l2_add(m, c->line[i], c->number[i], fetches ? c->missing[i] : c->sectors[i]);
	o->kind[k] = fetches && c->kind[i] != WCP_PREFETCH ? WCP_LOAD : c->kind[i];
	o->space[k] = c->space[i];
	o->flags[k] = c->flags[i];
	o->who[k] = c->who[i];
	o->unit[k] = c->unit[i];
}

/* A dirty line leaves an L1: on behalf of who touched it there last. */
static void
write_back(struct model *m, uint64_t line, uint32_t sectors, const struct spot *s)
{
	struct l2_slice *o = &m->work->l2;
	uint32_t k = l2_add(m, line, s->number, sectors);
	o->kind[k] = WCP_WRITEBACK;
	o->space[k] = s->local ? WCP_SPACE_LOCAL : WCP_SPACE_GLOBAL;
	o->flags[k] = 0;
	o->who[k] = s->last;
	o->unit[k] = 0;
	m->write_backs++;
}

/* ---- L1 -------------------------------------------------------------------------------------- */

/* The program's own reuse, whatever the caches are. */
static void
run_reuse(struct model *m, struct l1_slice *c)
{
	const uint32_t *kernel_of = m->kernel_of;
	struct who *last = m->last;
	uint64_t *seen = m->seen[PROGRAM];
	for (uint32_t i = 0; i < c->n; i++) {
		struct who *l = &last[c->number[i]];
		if (i + AHEAD < c->n)
			__builtin_prefetch(&last[c->number[i + AHEAD]], 1);
		unsigned code = class_of(kernel_of, l, &c->who[i]) |
				(c->action[i] & ACTION_IS_LOAD) | (l->cta ? CODE_EVER : 0);
		*l = c->who[i];
		c->code[i] = (uint8_t)code;
		seen[code]++;
	}
	if (m->by)
		count_units(m, REUSE, c->unit, c->code, c->n, CODE_EVER);
}

/* An access in L1s; full is CODE_FULL or 0. */
static inline uint8_t
one_l1(struct model *m, const struct l1_slice *c, uint32_t i, struct spot *s, unsigned full)
{
	enum action action = (enum action)(c->action[i] & ~ACTION_IS_LOAD);
	uint32_t valid = s->epoch == m->epoch ? s->valid : 0;
	bool ever = unbounded(&valid, action, c->sectors[i]);
	bool hit = c->result[i] & WCP_CACHE_PRESENT, load = c->action[i] & ACTION_IS_LOAD;
	unsigned code = class_of(m->kernel_of, &s->last, &c->who[i]) |
			(c->action[i] & ACTION_IS_LOAD) | (ever ? CODE_EVER : 0) |
			(hit ? CODE_HIT : 0) | full;
	if (load && ever && !hit)
		m->lost[full ? CONFLICT : CAPACITY][culprit_of(m, s, &c->who[i])]++;
	s->valid = valid;
	s->epoch = m->epoch;
	if (action == READS || action == KEEPS) {
		s->evictor_cta = 0;
		s->local = c->space[i] == WCP_SPACE_LOCAL;
	}
	s->last = c->who[i];
	return (uint8_t)code;
}

static int
run_l1_cache(struct model *m, struct wcp_error *e)
{
	struct l1_slice *c = &m->work->l1;
	bool whole = m->l1_all == 1;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = whole ? NULL : c->sectors,
	    .kind = c->kind,
	    .space = c->space,
	    .flags = c->flags,
	    .copy = c->sm,
	    .owner = c->spot}; /* a line's is the same, whoever brings it */
	struct wcp_cache_result out = {.result = c->result,
	    .victim = c->victim,
	    .victim_owner = c->victim_spot,
	    .missing = whole ? NULL : c->missing,
	    .victim_sectors = whole ? NULL : c->victim_sectors};
	full_grow(m->full, m->sms);
	if (wcp_cache_grow(m->cache_l1, m->sms, e) || wcp_cache_reserve(m->cache_l1, c->n, e))
		return e->status;
	wcp_cache_run(m->cache_l1, &in, &out);
	return 0;
}

/* The victim of access i. */
static void
drive_out(struct model *m, const struct l1_slice *c, uint32_t i)
{
	struct spot *gone = &m->spot[c->victim_spot[i]];
	gone->evictor_cta = c->who[i].cta;
	gone->evictor_warp = c->who[i].warp;
	if (c->result[i] & WCP_CACHE_DIRTY)
		write_back(m, c->victim[i], c->victim_sectors[i], gone);
}

static void
run_l1(struct model *m, struct l1_slice *c)
{
	struct spot *spot = m->spot;
	uint64_t *seen = m->seen[L1];
	full_run(m->full, c, spot);
	for (uint32_t i = 0; i < c->n; i++) {
		if ((c->action[i] & ~ACTION_IS_LOAD) == PASSES_BY) {
			c->code[i] = CODE_NONE;
		} else {
			c->code[i] = one_l1(m, c, i, &spot[c->spot[i]], c->code[i]);
			seen[c->code[i]]++;
		}
		if (c->result[i] & WCP_CACHE_PASS)
			pass_on(m, c, i);
		if (i + AHEAD < c->n && c->result[i + AHEAD] & WCP_CACHE_VICTIM)
			__builtin_prefetch(&spot[c->victim_spot[i + AHEAD]], 1);
		if (c->result[i] & WCP_CACHE_VICTIM)
			drive_out(m, c, i);
	}
	if (m->by) {
		count_units(m, L1_UNBOUNDED, c->unit, c->code, c->n, CODE_EVER);
		count_units(m, L1_BOUNDED, c->unit, c->code, c->n, CODE_HIT);
	}
}

int
run_slice(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct wcp_error fault;
	uint32_t good = level_check(&m->l1_options, b, first, n, &fault);
	if (slice_fill(m, b, first, good, e) || run_l1_cache(m, e))
		return e->status;
	run_reuse(m, &m->work->l1);
	run_l1(m, &m->work->l1);
	int status = run_l2(m, e);
	if (status || good == n)
		return status;
	*e = fault;
	return fault.status;
}

/* ---- a kernel's end -------------------------------------------------------------------------- */

struct leaving {
	struct model *m;
	struct wcp_error *e;
};

static int
leave(void *arg, const struct wcp_cache_line *line)
{
	struct leaving *l = arg;
	struct model *m = l->m;
	if (m->work->l2.n == 2 * SLICE && run_l2(m, l->e))
		return l->e->status;
	write_back(m, line->line, line->sectors, &m->spot[line->owner]);
	return 0;
}

int
run_kernel_end(struct model *m, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct leaving l = {m, e};
	m->thread_insns += end->thread_insns;
	m->kernels++;
	if (!m->set->invalidate)
		return 0;
	m->epoch++;
	full_empty(m->full);
	int status = wcp_cache_invalidate(m->cache_l1, leave, &l);
	return status ? status : run_l2(m, e);
}

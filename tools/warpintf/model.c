/* From a stream to events: by what it says, or through L1s of the machine. */
#include <stdlib.h>
#include <string.h>
#include "intf.h"

enum { AHEAD = 12, SLICE = 2048, SPACES = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL };

/* Accesses to L1, in columns. */
struct work {
	uint32_t n;
	uint64_t line[SLICE], victim[SLICE], cycle[SLICE];
	uint32_t sectors[SLICE], place[SLICE], agent[SLICE], owner[SLICE], own[SLICE];
	uint8_t kind[SLICE], space[SLICE], result[SLICE];
	uint16_t flags[SLICE], sm[SLICE], copy[SLICE];
	bool came[SLICE];
};

int
model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine)
{
	struct wcp_error e = {0};
	*m = (struct model){.tool = t, .set = s, .whole = true};
	who_init(&m->who, s);
	m->options = level_options(&s->l1);
	m->options.track_owner = true;
	uint32_t line = m->options.index.line_bytes, sector = m->options.sector_bytes;
	m->all_sectors = UINT32_MAX >> (32 - line / (sector ? sector : line));
	m->work = must_alloc(NULL, sizeof *m->work);
	lost_reserve(&m->lost, 1);
	struct wcp_cache_options own = m->options;
	own.track_owner = false;
	if (!(m->l1 = wcp_cache_new(&m->options, &e)) || !(m->own = wcp_cache_new(&own, &e)))
		return tool_machine_error(t, machine, "l1", &e);
	struct wcp_vta_options vta = s->vta;
	vta.keys = m->vta_keys = 64;
	vta.line_bytes = line;
	if (!s->exact && !(m->vta = wcp_vta_new(&vta, &e)))
		return tool_usage(t, "--vta: %s", e.text);
	return s->series ? epoch_open(m) : 0;
}

void
model_release(struct model *m)
{
	who_release(&m->who);
	lost_release(&m->lost);
	pairs_release(&m->matrix);
	pairs_release(&m->hits);
	wcp_vta_free(m->vta);
	wcp_cache_free(m->l1);
	wcp_cache_free(m->own);
	free(m->row);
	free(m->work);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Is record at of the same warp and instruction as record had? */
static inline bool
is_same(const struct model *m, const struct wcp_access_batch *b, uint32_t at, uint32_t had)
{
	return !(b->flags[at] & WCP_ACCESS_FIRST) && b->warp[at] == b->warp[had] &&
	       b->slot[at] == b->slot[had] && b->sm[at] == b->sm[had] &&
	       b->cta[at] == b->cta[had] && b->kernel[at] == b->kernel[had] &&
	       (m->set->by != BY_PC || b->pc[at] == b->pc[had]);
}

/* Who it is, in columns place and agent of i; room for the place's victims. */
static int
find_place(
    struct model *m, const struct wcp_access_batch *b, uint32_t at, uint32_t i, struct wcp_error *e)
{
	struct work *c = m->work;
	uint32_t place = c->place[i] = who_of(&m->who, b, at, &c->agent[i], &c->came[i], e);
	if (place == NONE)
		return e->status;
	if (!m->vta || place < m->vta_keys)
		return 0;
	m->vta_keys = 2 * place;
	return wcp_vta_grow(m->vta, m->vta_keys, e);
}

/* Is it L1D's business? A fill is, where it tells what L1D evicted. */
static bool
is_wanted(const struct model *m, const struct wcp_access_batch *b, uint32_t at)
{
	return SPACES >> (b->space[at] & 31) & 1 && b->kind[at] != WCP_WRITEBACK &&
	       (m->source == SOURCE_RECORDED || b->kind[at] != WCP_FILL);
}

/* ---- through L1s of the machine -------------------------------------------------------------- */

/* An L1 of the place's own, in this life of the caches. Those of one life count from 0; a copy is
 * 16 bits wide, and the 65536th place and those after it share the last. */
static uint32_t
own_copy(struct model *m, uint32_t place)
{
	struct place *p = &m->who.place[place];
	if (p->copy == NONE || p->life != m->lost.life) {
		p->copy = m->own_copies;
		p->life = m->lost.life;
		m->own_copies += m->own_copies < UINT16_MAX;
	}
	return p->copy;
}

static int
select_records(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct work *c = m->work;
	const struct wcp_cache_options *o = &m->options;
	uint32_t i = 0, had = 0; /* the record before it */
	int status = 0;
	for (uint32_t at = first; at < first + n; at++) {
		if (!is_wanted(m, b, at)) {
			m->total.others++;
			continue;
		}
		if (!level_holds(o, b->line[at], b->sectors[at])) {
			status = wcp_fail(e, WCP_EUSAGE,
			    "the stream's lines are longer than %u bytes: give warpflat the same "
			    "--line",
			    o->index.line_bytes);
			break;
		}
		if (i && is_same(m, b, at, had)) {
			c->place[i] = c->place[i - 1];
			c->agent[i] = c->agent[i - 1];
			c->copy[i] = c->copy[i - 1];
			c->came[i] = false;
		} else if ((status = find_place(m, b, at, i, e))) {
			break;
		} else {
			c->copy[i] = (uint16_t)own_copy(m, c->place[i]);
		}
		if (m->all_sectors != 1) {
			uint32_t mask = level_sectors(o, b->line[at], b->sectors[at]);
			c->sectors[i] = mask ? mask : m->all_sectors;
		}
		had = at;
		c->line[i] = b->line[at] & ~(uint64_t)(o->index.line_bytes - 1);
		c->kind[i] = b->kind[at];
		c->space[i] = b->space[at];
		c->flags[i] = b->flags[at];
		c->sm[i] = b->sm[at];
		c->cycle[i] = b->cycle ? b->cycle[at] : 0;
		i++;
	}
	c->n = i;
	return status;
}

static int
run_caches(struct model *m, struct wcp_error *e)
{
	struct work *c = m->work;
	struct wcp_cache_batch in = {.n = c->n,
	    .line = c->line,
	    .sectors = m->all_sectors == 1 ? NULL : c->sectors,
	    .kind = c->kind,
	    .space = c->space,
	    .flags = c->flags,
	    .copy = c->sm,
	    .owner = c->agent};
	struct wcp_cache_result out = {
	    .result = c->result, .victim = c->victim, .victim_owner = c->owner};
	uint32_t own = wcp_cache_copies(m->own);
	while (own <= m->own_copies)
		own *= 2;
	if (wcp_cache_grow(m->l1, m->who.n_sm, e) || wcp_cache_grow(m->own, own, e))
		return e->status;
	wcp_cache_run(m->l1, &in, &out);
	in.copy = c->copy;
	wcp_cache_run(m->own, &in, NULL);
	return 0;
}

static void
judge_modelled(struct model *m, uint32_t i)
{
	const struct work *c = m->work;
	enum wcp_outcome outcome = (enum wcp_outcome)(c->result[i] & WCP_CACHE_OUTCOME);
	bool evicts = c->result[i] & WCP_CACHE_VICTIM;
	struct event v = {.place = c->place[i],
	    .agent = c->agent[i],
	    .line = c->line[i],
	    .cycle = c->cycle[i],
	    .hit = outcome == WCP_OUT_HIT,
	    .miss = outcome == WCP_OUT_MISS,
	    .sector_miss = outcome == WCP_OUT_SECTOR,
	    .first = c->flags[i] & WCP_ACCESS_FIRST,
	    .evicts = evicts,
	    .victim = c->victim[i],
	    .owner = NONE,
	    .owner_agent = NONE};
	if (evicts) {
		v.owner_agent = c->owner[i];
		v.owner = m->who.warp_place[m->who.agent[c->owner[i]].warp];
	}
	m->total.passed_by += outcome == WCP_OUT_BYPASS;
	judge(m, &v);
}

static int
run_slice(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct work *c = m->work;
	struct wcp_error later;
	int status = select_records(m, b, first, n, &later);
	if (run_caches(m, e))
		return e->status;
	lost_reserve(&m->lost, 2ull * c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t next = i + AHEAD;
		if (next < c->n && (c->result[next] & WCP_CACHE_OUTCOME) == WCP_OUT_MISS)
			lost_expect(&m->lost, c->line[next], c->place[next]);
		if (next < c->n && c->result[next] & WCP_CACHE_VICTIM)
			lost_expect(&m->lost, c->victim[next],
			    m->who.warp_place[m->who.agent[c->owner[next]].warp]);
		if (c->came[i])
			judge_came(m, c->place[i]);
		judge_modelled(m, i);
	}
	if (status)
		*e = later;
	return status;
}

/* ---- by what the stream says ----------------------------------------------------------------- */

static void
judge_recorded(struct model *m, const struct wcp_access_batch *b, uint32_t at, uint32_t i)
{
	const struct work *c = m->work;
	enum wcp_outcome outcome = (enum wcp_outcome)WCP_OUTCOME(b->outcome[at], 0);
	bool fill = b->kind[at] == WCP_FILL;
	struct event v = {.place = c->place[i],
	    .agent = c->agent[i],
	    .line = b->line[at],
	    .cycle = b->cycle ? b->cycle[at] : 0,
	    .hit = !fill && (outcome == WCP_OUT_HIT || outcome == WCP_OUT_PENDING ||
				outcome == WCP_OUT_REDIRECT),
	    .miss = !fill && (outcome == WCP_OUT_MISS || outcome == WCP_OUT_REDIRECT_MISS),
	    .sector_miss = !fill && outcome == WCP_OUT_SECTOR,
	    .first = !fill && b->flags[at] & WCP_ACCESS_FIRST,
	    .evicts = b->victim[at] != ~0ull,
	    .victim = b->victim[at],
	    .owner = NONE,
	    .owner_agent = NONE};
	if (v.evicts)
		v.owner = who_owner(&m->who, b->sm[at], b->victim_owner[at]);
	m->total.passed_by += outcome == WCP_OUT_BYPASS;
	judge(m, &v);
}

static int
take_recorded(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	lost_reserve(&m->lost, 2ull * n);
	for (uint32_t at = first; at < first + n; at++) {
		if (!is_wanted(m, b, at)) {
			m->total.others++;
			continue;
		}
		if (WCP_OUTCOME(b->outcome[at], 1) != WCP_OUT_NONE)
			return wcp_fail(e, WCP_EUSAGE,
			    "these are accesses to a level below L1: tap L1, or give -m");
		if (find_place(m, b, at, 0, e))
			return e->status;
		if (m->work->came[0])
			judge_came(m, m->work->place[0]);
		judge_recorded(m, b, at, 0);
	}
	return 0;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* A stream that says what L1D did, and where warps were, needs no model. */
static void
choose_source(struct model *m, const struct wcp_access_batch *b)
{
	if (m->set->recorded || m->set->machine)
		m->source = m->set->recorded ? SOURCE_RECORDED : SOURCE_MODEL;
	for (uint32_t i = 0; i < b->n && !m->source; i++)
		if (is_wanted(m, b, i))
			m->source = b->outcome[i] && b->slot[i] != WCP_NONE16 ? SOURCE_RECORDED
									      : SOURCE_MODEL;
}

/* Slices whose columns stay in the processor's cache from one pass to the next. */
static int
take_batch(struct model *m, const struct wcp_access_batch *b, struct wcp_error *e)
{
	int status = 0;
	choose_source(m, b);
	for (uint32_t first = 0; first < b->n && !status; first += SLICE) {
		uint32_t n = b->n - first < SLICE ? b->n - first : SLICE;
		m->total.records += n;
		m->stretch.records += n;
		status = m->source == SOURCE_RECORDED ? take_recorded(m, b, first, n, e)
						      : run_slice(m, b, first, n, e);
	}
	return status;
}

static void
end_kernel(struct model *m, const struct wcp_kernel_end *end)
{
	epoch_kernel_end(m, end);
	if (m->source != SOURCE_MODEL || m->set->keep_l1)
		return;
	wcp_cache_invalidate(m->l1, NULL, NULL);
	wcp_cache_invalidate(m->own, NULL, NULL);
	m->lost.life++;
	m->own_copies = 0;
	if (m->vta)
		wcp_vta_clear(m->vta);
}

static int
take_item(struct model *m, const struct tap *in, const struct tap_item *item, struct wcp_error *e)
{
	if (item->access)
		return take_batch(m, item->access, e);
	if (item->kernel) {
		who_kernel(&m->who, in->reader, item->kernel);
		m->stretch.open++;
	}
	if (item->kernel_end)
		end_kernel(m, item->kernel_end);
	return 0;
}

/* As judge() counts: not what is passed on or goes past. */
static void
count_own(struct model *m)
{
	const struct wcp_cache_counts *own = wcp_cache_counts(m->own);
	for (unsigned r = 0; r < 256; r++) {
		unsigned outcome = r & WCP_CACHE_OUTCOME;
		bool hit = outcome == WCP_OUT_HIT;
		m->total.own_hits += hit ? own->result[r] : 0;
		if (hit || outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR)
			m->total.own_accesses += own->result[r];
	}
}

int
model_read(struct model *m)
{
	struct tap in;
	struct tap_item item;
	struct wcp_error e;
	struct tap_options o = {.link = WCP_LINK_ACCESS,
	    .columns = WCP_COL(SM) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(SLOT) |
		       WCP_COL(SECTORS) | WCP_COL(FLAGS) | WCP_COL(OUTCOME) | WCP_COL(VICTIM) |
		       WCP_COL(VICTIM_OWNER) | (m->set->by == BY_PC ? WCP_COL(PC) : 0) |
		       (m->set->series ? WCP_COL(CYCLE) : 0),
	    .line_bytes = 1};
	int more = 0, failed = 0, status = tap_open(&in, m->tool, &o);
	while (!status && !failed && (more = tap_next(&in, &item)) == 1)
		failed = take_item(m, &in, &item, &e);
	if (failed)
		status = tool_error(m->tool, tool_input_name(m->tool, 0), &e);
	epoch_kernel_end(m, NULL);
	if (in.reader)
		unit_sources(&m->who.unit, in.reader);
	m->whole = in.whole && !failed && !status;
	tap_close(&in);
	count_own(m);
	return status ? status : more;
}

/* What the model consists of, and reading. */
#include <stdlib.h>
#include "intf.h"

/* What the cache's results ask for. */
static void
fill_what(struct model *m)
{
	for (unsigned r = 0; r < 256; r++)
		m->what[r] = (uint8_t)(slice_what((enum wcp_outcome)(r & WCP_CACHE_OUTCOME)) |
				       (r & WCP_CACHE_VICTIM ? EVICTS : 0));
}

/* An L1 of their own for warps, nobody else's lines in it. */
static struct wcp_cache *
new_own(const struct model *m, struct wcp_error *e)
{
	struct wcp_cache_options o = m->options;
	o.track_owner = false;
	return wcp_cache_new(&o, e);
}

int
model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine)
{
	struct wcp_error e = {0};
	*m = (struct model){.tool = t, .set = s, .whole = true};
	who_init(&m->who, s);
	m->options = level_options(&s->l1);
	m->options.track_owner = true;
	m->all_sectors = level_all_sectors(&m->options);
	m->work = must_alloc(NULL, sizeof *m->work);
	level_pick_init(&m->pick, 0);
	lost_init(&m->lost);
	fill_what(m);
	if (!(m->l1 = wcp_cache_new(&m->options, &e)) || !(m->own = new_own(m, &e)))
		return tool_machine_error(t, machine, "l1", &e);
	struct wcp_vta_options vta = s->vta;
	vta.keys = m->vta_keys = 64;
	vta.line_bytes = m->options.index.line_bytes;
	m->vta_ordered = vta.order == WCP_VTA_FIFO && (!vta.ways || vta.ways == vta.entries);
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
	level_pick_release(&m->pick);
	free(m->row);
	free(m->work);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* A fill tells what L1D evicted, where the stream says what it did. */
static uint32_t
kinds(bool fills)
{
	return ((1u << WCP_KIND_COUNT) - 1) & ~(1u << WCP_WRITEBACK) &
	       ~(fills ? 0 : 1u << WCP_FILL);
}

/* A stream that says what L1D did, and where warps were, needs no model. */
static int
choose_source(struct model *m, const struct wcp_access_batch *all, struct wcp_error *e)
{
	if (m->set->recorded || m->set->machine) {
		m->source = m->set->recorded ? SOURCE_RECORDED : SOURCE_MODEL;
	} else {
		m->pick.kinds = kinds(false);
		const struct wcp_access_batch *b = level_pick(&m->pick, all, e);
		if (!b)
			return e->status;
		m->pick.others = 0;
		if (b->n)
			m->source = b->outcome[0] && b->slot[0] != WCP_NONE16 ? SOURCE_RECORDED
									      : SOURCE_MODEL;
	}
	m->pick.kinds = kinds(m->source == SOURCE_RECORDED);
	return 0;
}

/* Slices whose columns stay in the processor's cache from one pass to the next. */
static int
take_batch(struct model *m, const struct wcp_access_batch *all, struct wcp_error *e)
{
	if (!m->source && choose_source(m, all, e))
		return e->status;
	const struct wcp_access_batch *b = level_pick(&m->pick, all, e);
	int status = b ? 0 : e->status;
	m->total.records += all->n;
	m->stretch.records += all->n;
	for (uint32_t first = 0; b && first < b->n && !status; first += SLICE)
		status = slice_run(m, b, first, b->n - first < SLICE ? b->n - first : SLICE, e);
	return status;
}

/* As judge() counts: not what is passed on or goes past. */
static void
count_own(struct model *m)
{
	const struct wcp_cache_counts *own = wcp_cache_counts(m->own);
	for (unsigned r = 0; r < 256; r++) {
		unsigned what = m->what[r];
		m->total.own_accesses += what & COUNTS ? own->result[r] : 0;
		m->total.own_hits += what & COUNTS && !(what & MISSES) ? own->result[r] : 0;
	}
}

/* Emptied, or made anew where there are many more of them than were in use. */
static int
empty_own(struct model *m, struct wcp_error *e)
{
	uint32_t used = m->own_copies;
	m->own_copies = 0;
	if (wcp_cache_copies(m->own) < 64 + 4 * used)
		return wcp_cache_invalidate(m->own, NULL, NULL);
	count_own(m);
	wcp_cache_free(m->own);
	m->own = new_own(m, e);
	return m->own ? 0 : e->status;
}

static int
end_kernel(struct model *m, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	epoch_kernel_end(m, end);
	if (m->source != SOURCE_MODEL || m->set->keep_l1)
		return 0;
	wcp_cache_invalidate(m->l1, NULL, NULL);
	lost_forget(&m->lost);
	m->life++;
	if (m->vta)
		wcp_vta_clear(m->vta);
	return empty_own(m, e);
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
	return item->kernel_end ? end_kernel(m, item->kernel_end, e) : 0;
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
	if (m->own)
		count_own(m);
	return status ? status : more;
}

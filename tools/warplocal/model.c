/* What the model consists of, and reading. */
#include <stdlib.h>
#include <string.h>
#include "local.h"

const char *const class_name[CLASSES] = {
    "intra_thread", "inter_thread", "intra_block", "intra_core", "inter_core", "inter_kernel"};

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
	for (unsigned i = 0; i < ACTIONS; i++) {
		bool load = (i & 7) == WCP_LOAD || (i & 7) == WCP_PREFETCH;
		m->action[level][i] = (uint8_t)(action_of(o, i & 7, i >> 3 & 1, i >> 4) |
						(load ? ACTION_IS_LOAD : 0));
	}
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
	m->l1_all = level_all_sectors(&l1);
	m->l2_all = level_all_sectors(&l2);
	m->whole_lines = m->l1_all == 1 && m->l2_all == 1;
	for (uint32_t i = 0; i < SLICE; i++) /* what L1 does not tell where lines are whole */
		m->work->l1.missing[i] = m->work->l1.victim_sectors[i] = m->work->l1.sectors[i] =
		    m->l1_all;
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

static int
make_numbers(struct model *m, struct wcp_error *e)
{
	if (!(m->lines = wcp_numbers_new(e)) || !(m->spots = wcp_numbers_new(e)))
		return e->status;
	if (m->l1_options.index.line_bytes == m->l2_options.index.line_bytes)
		return 0;
	m->l2_lines = wcp_numbers_new(e);
	return m->l2_lines ? 0 : e->status;
}

int
model_init(
    struct model *m, struct tool *t, const struct settings *s, const struct wcp_machine *machine)
{
	struct wcp_error e;
	const char *section;
	*m = (struct model){.tool = t, .set = s, .epoch = 1, .whole = true};
	keys_init(&m->ctas, UNIT_CTA);
	keys_init(&m->units, s->by);
	m->work = must_alloc(NULL, sizeof *m->work);
	memset(m->work, 0, sizeof *m->work);
	level_pick_init(&m->pick, ((1u << WCP_KIND_COUNT) - 1) & ~(1u << WCP_FILL));
	if (make_caches(m, &e, &section))
		return tool_machine_error(t, machine, section, &e);
	return make_numbers(m, &e) ? tool_error(t, NULL, &e) : 0;
}

void
model_release(struct model *m)
{
	keys_release(&m->ctas);
	keys_release(&m->units);
	names_release(&m->kernel_name);
	names_release(&m->program_name);
	free(m->kernel_of);
	wcp_numbers_free(m->lines);
	wcp_numbers_free(m->spots);
	wcp_numbers_free(m->l2_lines);
	zeroed_free(m->last, m->cap_last * sizeof *m->last);
	zeroed_free(m->spot, m->cap_spot * sizeof *m->spot);
	zeroed_free(m->l2, m->cap_l2 * sizeof *m->l2);
	zeroed_free(m->by, (uint64_t)m->cap_by * SCOPES * sizeof *m->by);
	wcp_cache_free(m->cache_l1);
	full_free(m->full);
	wcp_cache_free(m->cache_l2);
	level_pick_release(&m->pick);
	free(m->work);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int
run_batch(struct model *m, const struct wcp_access_batch *all, struct wcp_error *e)
{
	const struct wcp_access_batch *b = level_pick(&m->pick, all, e);
	int status = 0;
	if (!b)
		return e->status;
	for (uint32_t first = 0; !status && first < b->n; first += SLICE)
		status = run_slice(m, b, first, b->n - first < SLICE ? b->n - first : SLICE, e);
	return status;
}

static int
read_all(struct model *m, struct tap *in, struct wcp_error *e, int *more)
{
	struct tap_item item;
	int failed = 0;
	m->reader = in->reader;
	while (!failed && (*more = tap_next(in, &item)) == 1) {
		if (item.kernel && m->set->by != UNIT_NONE)
			unit_kernel(&m->kernel_name, &m->program_name, in->reader, item.kernel);
		else if (item.kernel_end)
			failed = run_kernel_end(m, item.kernel_end, e);
		else if (item.access)
			failed = run_batch(m, item.access, e);
	}
	unit_sources(&m->units, in->reader);
	return failed;
}

static void
sum_up(struct model *m, enum scope scope)
{
	static const struct {
		enum place place;
		enum code hit;
	} of[SCOPES] = {
	    {PROGRAM, CODE_EVER}, {L1, CODE_EVER}, {L1, CODE_HIT}, {L2, CODE_EVER}, {L2, CODE_HIT}};
	struct count *c = &m->count[scope];
	for (unsigned code = 0; code < CODES; code++) {
		uint64_t n = m->seen[of[scope].place][code];
		bool hit = code & of[scope].hit, load = code & CODE_LOAD;
		c->accesses += n;
		c->hits += hit ? n : 0;
		c->loads += load ? n : 0;
		c->load_hits += hit && load ? n : 0;
		if (n && hit)
			c->class[code & CODE_CLASS] += n;
		if (scope == L1_BOUNDED && load && code & CODE_FULL)
			m->full_hits += n;
	}
}

int
model_read(struct model *m)
{
	struct tap in;
	struct wcp_error e = {0};
	struct tap_options o = {.link = WCP_LINK_ACCESS,
	    .columns = WCP_COL(SM) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(LANES) |
		       WCP_COL(SECTORS) | WCP_COL(FLAGS) | unit_columns(m->set->by),
	    .line_bytes = 1};
	int more = 0, failed = 0, status = tap_open(&in, m->tool, &o);
	if (!status)
		failed = read_all(m, &in, &e, &more);
	if (failed)
		status = tool_error(m->tool, tool_input_name(m->tool, 0), &e);
	m->whole = in.whole && !failed && !status;
	tap_close(&in);
	for (enum scope k = 0; k < SCOPES; k++)
		sum_up(m, k);
	return status ? status : more;
}

/* From batches to slices: which records L1 is asked for, and who made them. */
#include "local.h"

enum { SPACES = 1u << WCP_SPACE_GLOBAL | 1u << WCP_SPACE_LOCAL };

static inline bool
is_wanted(const struct wcp_access_batch *b, uint32_t i)
{
	return (SPACES >> (b->space[i] & 31) & 1) & (b->kind[i] != WCP_FILL);
}

const struct wcp_access_batch *
slice_pick(struct model *m, const struct wcp_access_batch *b, struct wcp_error *e)
{
	struct work *w = m->work;
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n; i++)
		n += is_wanted(b, i);
	if (n == b->n)
		return b;
	if (b->n > w->cap_index) {
		w->cap_index = b->n;
		w->index = must_alloc(w->index, b->n * sizeof *w->index);
	}
	n = 0;
	for (uint32_t i = 0; i < b->n; i++) {
		w->index[n] = i;
		n += is_wanted(b, i);
	}
	m->other_spaces += b->n - n;
	wcp_access_batch_clear(&w->picked);
	if (wcp_access_batch_gather(&w->picked, b, w->index, n) < 0) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	return &w->picked;
}

/* Every record has an SM, and ends within the cache's line. */
static int
check(const struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	const struct wcp_cache_options *l1 = &m->l1_options;
	uint64_t low = 0;
	uint32_t sectors = 0;
	bool nowhere = false;
	for (uint32_t at = first; at < first + n; at++) {
		low |= b->line[at] & (l1->index.line_bytes - 1);
		sectors |= b->sectors[at];
		nowhere |= b->sm[at] == WCP_NONE16;
	}
	bool holds = !low && level_holds(l1, 0, sectors);
	for (uint32_t at = first; (nowhere || !holds) && at < first + n; at++) {
		if (b->sm[at] == WCP_NONE16)
			return wcp_fail(e, WCP_EDATA,
			    "an access of no SM: pipe the stream through warpflat --sms N");
		if (!level_holds(l1, b->line[at], b->sectors[at]))
			return wcp_fail(e, WCP_EUSAGE,
			    "the stream's lines are longer than %u bytes: give warpflat the same "
			    "--line",
			    l1->index.line_bytes);
	}
	return 0;
}

static void
fill_lines(
    const struct model *m, struct l1_slice *c, const struct wcp_access_batch *b, uint32_t first)
{
	const struct wcp_cache_options *l1 = &m->l1_options;
	uint64_t mask = ~(uint64_t)(l1->index.line_bytes - 1);
	for (uint32_t i = 0; i < c->n; i++)
		c->line[i] = b->line[first + i] & mask;
	for (uint32_t i = 0; m->l1_all != 1 && i < c->n; i++) {
		uint32_t sectors = level_sectors(l1, b->line[first + i], b->sectors[first + i]);
		c->sectors[i] = sectors ? sectors : m->l1_all;
	}
}

/* The number of a CTA, as struct who has it. */
static uint32_t
number_cta(struct model *m, uint32_t kernel, uint32_t cta)
{
	uint32_t number = keys_number_fast(&m->ctas, (struct key){kernel, cta, 0}) + 1;
	if (number >= m->cap_kernel_of) {
		m->cap_kernel_of = number < 512 ? 1024 : number * 2;
		m->kernel_of = must_alloc(m->kernel_of, m->cap_kernel_of * sizeof *m->kernel_of);
	}
	m->kernel_of[number] = kernel;
	return number;
}

static void
fill_who(struct model *m, struct l1_slice *c, const struct wcp_access_batch *b, uint32_t first)
{
	uint32_t kernel = 0, cta = 0, number = 0;
	uint16_t most = 0;
	for (uint32_t i = 0, at = first; i < c->n; i++, at++) {
		if (!number || b->kernel[at] != kernel || b->cta[at] != cta) {
			kernel = b->kernel[at];
			cta = b->cta[at];
			number = number_cta(m, kernel, cta);
		}
		c->who[i] = (struct who){number, b->lanes[at], b->warp[at], b->sm[at]};
		most = b->sm[at] > most ? b->sm[at] : most;
	}
	m->sms = most >= m->sms ? (uint16_t)(most + 1) : m->sms;
}

static void
number_units(struct model *m, struct l1_slice *c, const struct wcp_access_batch *b, uint32_t first)
{
	uint32_t index[SLICE];
	for (uint32_t i = 0; i < c->n; i++)
		index[i] = first + i;
	unit_numbers(&m->units, m->reader, b, index, c->n, c->unit);
	if (m->units.n <= m->cap_by)
		return;
	uint64_t had = (uint64_t)m->cap_by * SCOPES;
	m->cap_by = m->units.n < 512 ? 1024 : m->units.n * 2;
	m->by = grow_zeroed(m->by, sizeof *m->by, &had, (uint64_t)m->cap_by * SCOPES);
	m->cap_by = (uint32_t)(had / SCOPES);
}

int
slice_fill(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct l1_slice *c = &m->work->l1;
	uint64_t *key = m->work->key;
	int status = check(m, b, first, n, e);
	if (status)
		return status;
	c->n = n;
	c->kind = b->kind + first;
	c->space = b->space + first;
	c->flags = b->flags + first;
	c->sm = b->sm + first;
	for (uint32_t i = 0; i < n; i++)
		c->action[i] = m->action[0][action_number(c->kind[i], c->space[i], c->flags[i])];
	fill_lines(m, c, b, first);
	fill_who(m, c, b, first);
	if (m->set->by != UNIT_NONE)
		number_units(m, c, b, first);
	status = wcp_numbers_get(m->lines, c->line, n, c->number, e);
	for (uint32_t i = 0; i < n && !status; i++)
		key[i] = (uint64_t)c->number[i] << 16 | c->sm[i];
	return status ? status : wcp_numbers_get(m->spots, key, n, c->spot, e);
}

/* From batches to slices: what L1 is asked for, and by whom. */
#include "local.h"

/* The number of a CTA, as struct who has it. */
static uint32_t
number_cta(struct model *m, uint32_t kernel, uint32_t cta)
{
	uint32_t number = keys_number_fast(&m->ctas, (struct key){kernel, cta, 0}) + 1;
	if (number >= m->cap_kernel_of) {
		m->cap_kernel_of = number < 512 ? 1024 : number * 2;
		m->kernel_of = must_alloc(m->kernel_of, m->cap_kernel_of * sizeof *m->kernel_of);
		m->kernel_of[0] = WCP_NONE32; /* nobody's */
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
		m->sm_seen[b->sm[at]] = true;
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
	m->by = zeroed_grow(m->by, sizeof *m->by, &had, (uint64_t)m->cap_by * SCOPES);
	m->cap_by = (uint32_t)(had / SCOPES);
}

/* Keys of spots: line and SM. Lines that leave no room for the SM go by their number. */
static int
fill_keys(struct model *m, const struct l1_slice *c, uint64_t *key, struct wcp_error *e)
{
	unsigned shift = (unsigned)__builtin_ctz(m->l1_options.index.line_bytes);
	uint64_t all = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		key[i] = c->line[i] >> shift | (uint64_t)c->sm[i] << 48;
		all |= c->line[i] >> shift;
	}
	for (uint32_t i = 0; all >> 47 && i < c->n; i++) {
		uint32_t number;
		uint64_t line = c->line[i] >> shift;
		if (!(line >> 47))
			continue;
		if (wcp_numbers_get(m->lines, &line, 1, &number, e))
			return e->status;
		key[i] = 1ull << 47 | number | (uint64_t)c->sm[i] << 48;
	}
	return 0;
}

/* New spots, from one on, get the numbers of their lines. */
static int
number_lines(struct model *m, const struct l1_slice *c, uint32_t had, struct wcp_error *e)
{
	struct work *w = m->work;
	uint32_t n = 0, next = had;
	unsigned shift = (unsigned)__builtin_ctz(m->l1_options.index.line_bytes);
	if (wcp_numbers_count(m->spots) == had)
		return 0;
	for (uint32_t i = 0; i < c->n; i++) { /* new numbers come one after the other */
		if (c->spot[i] != next)
			continue;
		w->fresh[n++] = c->line[i] >> shift;
		next++;
	}
	if (wcp_numbers_get(m->lines, w->fresh, n, w->fresh_number, e))
		return e->status;
	m->last = zeroed_grow(m->last, sizeof *m->last, &m->cap_last, wcp_numbers_count(m->lines));
	m->spot = zeroed_grow(m->spot, sizeof *m->spot, &m->cap_spot, had + (uint64_t)n);
	for (uint32_t k = 0; k < n; k++)
		m->spot[had + k].number = w->fresh_number[k];
	return 0;
}

/* The spots of accesses, and their lines' numbers. */
static int
find_spots(struct model *m, struct l1_slice *c, struct wcp_error *e)
{
	uint64_t *key = m->work->key;
	uint32_t had = wcp_numbers_count(m->spots);
	if (fill_keys(m, c, key, e) || wcp_numbers_get(m->spots, key, c->n, c->spot, e) ||
	    number_lines(m, c, had, e))
		return e->status;
	for (uint32_t i = 0; i < c->n; i++)
		__builtin_prefetch(&m->spot[c->spot[i]], 1);
	for (uint32_t i = 0; i < c->n; i++)
		c->number[i] = m->spot[c->spot[i]].number;
	return 0;
}

int
slice_fill(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct l1_slice *c = &m->work->l1;
	c->n = n;
	c->kind = b->kind + first;
	c->space = b->space + first;
	c->flags = b->flags + first;
	c->sm = b->sm + first;
	for (uint32_t i = 0; i < n; i++)
		c->action[i] = m->action[0][action_number(c->kind[i], c->space[i], c->flags[i])];
	level_lines(&m->l1_options, b, first, n, c->line, c->sectors);
	fill_who(m, c, b, first);
	if (m->set->by != UNIT_NONE)
		number_units(m, c, b, first);
	return find_spots(m, c, e);
}

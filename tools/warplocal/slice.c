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

int
slice_fill(struct model *m, const struct wcp_access_batch *b, uint32_t first, uint32_t n,
    struct wcp_error *e)
{
	struct l1_slice *c = &m->work->l1;
	uint64_t *key = m->work->key;
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
	int status = wcp_numbers_get(m->lines, c->line, n, c->number, e);
	for (uint32_t i = 0; i < n && !status; i++)
		key[i] = (uint64_t)c->number[i] << 16 | c->sm[i];
	return status ? status : wcp_numbers_get(m->spots, key, n, c->spot, e);
}

#include <stdlib.h>
#include "base/buf.h"
#include "stream/model.h"

int
stream_model_begin(struct model *m, const struct marks *marks)
{
	uint32_t slots = MODEL_SLOTS;
	while (slots > 1 && (uint64_t)slots * marks->n_site > MODEL_LATEST)
		slots /= 2;
	if (base_grow(&m->site, &m->site_cap, (uint64_t)marks->n_site + 1, sizeof *m->site) < 0)
		return WCP_ESYS;
	uint32_t had = m->latest_cap;
	if (base_grow(&m->latest, &m->latest_cap, (uint64_t)slots * marks->n_site + 1,
		sizeof *m->latest) < 0)
		return WCP_ESYS;
	if (m->latest_cap > had)
		memset(m->latest + had, 0, (m->latest_cap - had) * sizeof *m->latest);
	if (marks->n_site)
		memset(m->site, 0, marks->n_site * sizeof *m->site);
	memset(m->slot, 0, sizeof m->slot);
	m->masks = (struct recent_masks){{WCP_FULL_MASK}};
	m->marks = marks;
	m->slots = slots;
	m->n_list = 0;
	return 0;
}

void
stream_model_release(struct model *m)
{
	free(m->site);
	free(m->latest);
	free(m->list);
	*m = (struct model){0};
}

void
stream_model_segment(struct model *m, uint32_t cta, uint16_t warp)
{
	uint32_t i = warp & (m->slots - 1);
	if (!m->slot[i].used || m->slot[i].cta != cta || m->slot[i].warp != warp) {
		m->slot[i].used = true;
		m->slot[i].cta = cta;
		m->slot[i].warp = warp;
		m->slot[i].owner = ++m->owners;
	}
	m->owner = m->slot[i].owner;
	m->slot_latest = m->latest + (size_t)i * m->marks->n_site;
}

struct list_state *
stream_model_list(struct model *m, uint32_t site)
{
	struct site *s = &m->site[site];
	if (!s->lists) {
		if (base_grow(&m->list, &m->list_cap, (uint64_t)m->n_list + 1, sizeof *m->list) < 0)
			return NULL;
		m->list[m->n_list] = (struct list_state){0};
		s->lists = ++m->n_list;
	}
	return &m->list[s->lists - 1];
}

#include <stdlib.h>
#include "stream/marks.h"

int
stream_marks_init(struct marks *m, const struct wcp_program *p, struct wcp_error *e)
{
	const uint16_t either = WCP_INSN_GUARDED | WCP_INSN_MEMORY;
	*m = (struct marks){.n_insn = p->n_insn};
	for (uint32_t pc = 0; pc < p->n_insn; pc++)
		m->n_mark += (p->insn[pc].flags & either) != 0;
	m->mark = malloc((m->n_mark + 1) * sizeof *m->mark);
	m->first = malloc(((size_t)p->n_insn + 1) * sizeof *m->first);
	if (!m->mark || !m->first) {
		stream_marks_release(m);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	uint32_t n = 0;
	for (uint32_t pc = 0; pc < p->n_insn; pc++) {
		uint16_t flags = p->insn[pc].flags;
		m->first[pc] = n;
		if (!(flags & either))
			continue;
		m->mark[n].pc = pc;
		m->mark[n].site = flags & WCP_INSN_MEMORY ? m->n_site++ : WCP_NONE32;
		m->mark[n++].guarded = flags & WCP_INSN_GUARDED;
	}
	m->first[p->n_insn] = n;
	return 0;
}

void
stream_marks_release(struct marks *m)
{
	free(m->mark);
	free(m->first);
	*m = (struct marks){0};
}

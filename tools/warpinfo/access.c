/* Records of an ACCESS stream. */
#include <stdlib.h>
#include "info.h"

static int
count_record(struct info *in, const struct wcp_access_batch *b, uint32_t i)
{
	unsigned space = b->space[i] < WCP_SPACE_COUNT ? b->space[i] : WCP_SPACE_NONE;
	unsigned kind = b->kind[i] < WCP_KIND_COUNT ? b->kind[i] : WCP_LOAD;
	struct info_access *a = &in->access[space][kind];
	bool first = b->flags[i] & WCP_ACCESS_FIRST;
	uint32_t sectors = b->sectors[i];
	in->has_first |= first;
	a->requests += first;
	a->divergent += first && b->flags[i] & WCP_ACCESS_DIVERGENT;
	a->transactions++;
	a->lanes += (uint64_t)__builtin_popcount(b->lanes[i]);
	a->sectors += (uint64_t)__builtin_popcount(sectors);
	a->useful_bytes += b->bytes[i];
	if (b->kernel[i] < in->n_kernel && info_in_lines(space)) {
		in->kernel[b->kernel[i]].transactions++;
		in->kernel[b->kernel[i]].requests += first;
	}
	if (!in->sm_seen[b->sm[i]] && b->sm[i] != WCP_NONE16)
		in->sms++;
	in->sm_seen[b->sm[i]] = 1;
	if (b->outcome[i])
		for (unsigned level = 0; level < 8; level++)
			in->level[level].count[WCP_OUTCOME(b->outcome[i], level)]++;
	/* Without sectors a record says that its line was touched, not how much of it. */
	return footprint_add(&in->footprint[space], b->line[i] & ~31ull, sectors ? sectors : 15);
}

int
count_access(struct info *in, const struct wcp_access_batch *b, struct wcp_error *e)
{
	uint32_t n = b->n;
	if (in->filter && in->cap_index < b->n) {
		free(in->index);
		in->cap_index = b->n;
		if (!(in->index = malloc(b->n * sizeof *in->index)))
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	if (in->filter)
		n = wcp_filter_access(in->filter, b, in->index);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = in->filter ? in->index[k] : k;
		if (in->records == 0 || b->cycle[i] < in->first_cycle)
			in->first_cycle = b->cycle[i];
		if (in->records == 0 || b->cycle[i] > in->last_cycle)
			in->last_cycle = b->cycle[i];
		in->records++;
		if (count_record(in, b, i) < 0)
			return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	return 0;
}

#include <string.h>
#include "filter/filter.h"

static void
view_batch(struct filter_view *v, const struct wcp_access_batch *b)
{
	*v = (struct filter_view){
	    .column = {[WCP_COL_CYCLE] = b->cycle,
		[WCP_COL_SM] = b->sm,
		[WCP_COL_KERNEL] = b->kernel,
		[WCP_COL_CTA] = b->cta,
		[WCP_COL_WARP] = b->warp,
		[WCP_COL_SLOT] = b->slot,
		[WCP_COL_PC] = b->pc,
		[WCP_COL_LINE] = b->line,
		[WCP_COL_SECTORS] = b->sectors,
		[WCP_COL_LANES] = b->lanes,
		[WCP_COL_KIND] = b->kind,
		[WCP_COL_SPACE] = b->space,
		[WCP_COL_FLAGS] = b->flags,
		[WCP_COL_ID] = b->id,
		[WCP_COL_OUTCOME] = b->outcome,
		[WCP_COL_TAG] = b->tag,
		[WCP_COL_VICTIM] = b->victim,
		[WCP_COL_VICTIM_OWNER] = b->victim_owner,
		[WCP_COL_BYTES] = b->bytes},
	    .constant = {[WCP_COL_SM] = WCP_NONE16,
		[WCP_COL_SLOT] = WCP_NONE16,
		[WCP_COL_VICTIM] = UINT64_MAX,
		[WCP_COL_VICTIM_OWNER] = WCP_NONE32},
	};
}

uint32_t
wcp_filter_access(const struct wcp_filter *f, const struct wcp_access_batch *batch, uint32_t *index)
{
	struct filter_view view;
	uint64_t bits[FILTER_WORDS];
	uint32_t found = 0;
	view_batch(&view, batch);
	for (uint32_t at = 0; at < batch->n; at += FILTER_CHUNK) {
		uint32_t n = batch->n - at < FILTER_CHUNK ? batch->n - at : FILTER_CHUNK;
		filter_run(f, &view, at, n, bits);
		for (uint32_t w = 0; w < FILTER_WORDS; w++) {
			if (bits[w] == UINT64_MAX) {
				for (uint32_t i = 0; i < 64; i++)
					index[found++] = at + w * 64 + i;
				continue;
			}
			for (uint64_t m = bits[w]; m; m &= m - 1)
				index[found++] = at + w * 64 + (uint32_t)__builtin_ctzll(m);
		}
	}
	return found;
}

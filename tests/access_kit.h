/* Records of ACCESS streams for tests and benchmarks that make them. */
#ifndef ACCESS_KIT_H
#define ACCESS_KIT_H

#include "warpcap/batch.h"

/* Record at of b, for which there is room: number i of its stream, a load by all lanes of the whole
 * line 0 in global memory, by warp 0 of CTA 0 of kernel 0 on SM 0. The caller sets what differs. */
static inline void
access_kit_record(struct wcp_access_batch *b, uint32_t at, uint64_t i)
{
	b->cycle[at] = b->id[at] = i;
	b->kernel[at] = b->cta[at] = b->pc[at] = 0;
	b->sm[at] = b->warp[at] = 0;
	b->slot[at] = WCP_NONE16;
	b->line[at] = 0;
	b->sectors[at] = 0xf;
	b->lanes[at] = WCP_FULL_MASK;
	b->kind[at] = WCP_LOAD;
	b->space[at] = WCP_SPACE_GLOBAL;
	b->flags[at] = 0;
	b->outcome[at] = b->tag[at] = 0;
	b->victim[at] = UINT64_MAX;
	b->victim_owner[at] = WCP_NONE32;
	b->bytes[at] = 128;
}

#endif

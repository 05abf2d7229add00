/* Special registers that do not change while a warp runs. */
#include <string.h>
#include "exec/special.h"

#define SMS 16u /* what %nsmid says; CTAs are dealt to SMs in turn */

static uint64_t
lane_mask(enum special_kind kind, unsigned lane)
{
	const uint32_t bit = 1u << lane;
	if (kind == SPECIAL_LANEMASK_EQ)
		return bit;
	if (kind == SPECIAL_LANEMASK_LT)
		return bit - 1;
	if (kind == SPECIAL_LANEMASK_LE)
		return bit | (bit - 1);
	return kind == SPECIAL_LANEMASK_GT ? ~(bit | (bit - 1)) : ~(bit - 1);
}

static uint64_t
thread_index(const struct exec_run *r, uint32_t thread, unsigned axis)
{
	if (axis == 0)
		return thread % r->block[0];
	thread /= r->block[0];
	return axis == 1 ? thread % r->block[1] : thread / r->block[1];
}

static uint64_t
value(const struct warp *w, enum special_kind kind, unsigned lane)
{
	const struct cta *c = w->cta;
	const struct exec_run *r = c->run;
	unsigned axis;
	switch (kind) {
	case SPECIAL_TID_X:
	case SPECIAL_TID_Y:
	case SPECIAL_TID_Z:
		return thread_index(r, w->index * WCP_LANES + lane, kind - SPECIAL_TID_X);
	case SPECIAL_NTID_X:
	case SPECIAL_NTID_Y:
	case SPECIAL_NTID_Z: return r->block[kind - SPECIAL_NTID_X];
	case SPECIAL_CTAID_X:
	case SPECIAL_CTAID_Y:
	case SPECIAL_CTAID_Z: return c->id[kind - SPECIAL_CTAID_X];
	case SPECIAL_NCTAID_X:
	case SPECIAL_NCTAID_Y:
	case SPECIAL_NCTAID_Z: return r->grid[kind - SPECIAL_NCTAID_X];
	case SPECIAL_LANEID: return lane;
	case SPECIAL_WARPID: return w->index;
	case SPECIAL_NWARPID: return r->n_warps;
	case SPECIAL_SMID: return c->linear % SMS;
	case SPECIAL_NSMID: return SMS;
	case SPECIAL_GRIDID: return r->kernel;
	case SPECIAL_LANEMASK_EQ:
	case SPECIAL_LANEMASK_LT:
	case SPECIAL_LANEMASK_LE:
	case SPECIAL_LANEMASK_GT:
	case SPECIAL_LANEMASK_GE: return (uint32_t)lane_mask(kind, lane);
	case SPECIAL_DYNAMIC_SHARED: return r->dynamic_shared_bytes;
	case SPECIAL_TOTAL_SHARED: return r->code->static_shared_bytes + r->dynamic_shared_bytes;
	case SPECIAL_AGGR_SHARED: return r->shared_bytes;
	case SPECIAL_RESERVED_BEGIN: return r->shared_bytes - EXEC_RESERVED_BYTES;
	case SPECIAL_RESERVED_MIDDLE: return r->shared_bytes - EXEC_RESERVED_BYTES / 2;
	case SPECIAL_RESERVED_END: return r->shared_bytes;
	case SPECIAL_RESERVED_SIZE: return EXEC_RESERVED_BYTES;
	case SPECIAL_ENVREG1: return (uint32_t)(r->grid_barrier >> 32);
	case SPECIAL_ENVREG2: return (uint32_t)r->grid_barrier;
	case SPECIAL_CLUSTER_ID_X:
	case SPECIAL_CLUSTER_ID_Y:
	case SPECIAL_CLUSTER_ID_Z:
		axis = kind - SPECIAL_CLUSTER_ID_X;
		return c->id[axis] / r->cluster[axis];
	case SPECIAL_CLUSTERS_X:
	case SPECIAL_CLUSTERS_Y:
	case SPECIAL_CLUSTERS_Z:
		axis = kind - SPECIAL_CLUSTERS_X;
		return r->grid[axis] / r->cluster[axis];
	case SPECIAL_IN_CLUSTER_X:
	case SPECIAL_IN_CLUSTER_Y:
	case SPECIAL_IN_CLUSTER_Z:
		axis = kind - SPECIAL_IN_CLUSTER_X;
		return c->id[axis] % r->cluster[axis];
	case SPECIAL_CLUSTER_RANK: return c->rank;
	case SPECIAL_CLUSTER_X:
	case SPECIAL_CLUSTER_Y:
	case SPECIAL_CLUSTER_Z: return r->cluster[kind - SPECIAL_CLUSTER_X];
	case SPECIAL_CLUSTER_SIZE: return r->cluster_ctas;
	case SPECIAL_NOTHING:
	case SPECIAL_ENVREG:
	case SPECIAL_CLOCK:
	case SPECIAL_CLOCK_HI:
	case SPECIAL_CLOCK64:
	case SPECIAL_GLOBALTIMER:
	case SPECIAL_GLOBALTIMER_LO:
	case SPECIAL_GLOBALTIMER_HI:
	case SPECIAL_COUNT: break;
	}
	return 0;
}

static bool
differs_by_lane(enum special_kind kind)
{
	return (kind >= SPECIAL_TID_X && kind <= SPECIAL_TID_Z) || kind == SPECIAL_LANEID ||
	       (kind >= SPECIAL_LANEMASK_EQ && kind <= SPECIAL_LANEMASK_GE);
}

/* The same for all lanes. */
static void
spread(char *slot, unsigned bytes, uint64_t v)
{
	uint32_t *narrow = (uint32_t *)(void *)slot;
	uint64_t *wide = (uint64_t *)(void *)slot;
	for (unsigned lane = 0; bytes == 4 && lane < WCP_LANES; lane++)
		narrow[lane] = (uint32_t)v;
	for (unsigned lane = 0; bytes == 8 && lane < WCP_LANES; lane++)
		wide[lane] = v;
}

void
exec_fill_specials(struct warp *w, bool all)
{
	const struct exec_code *code = w->code;
	for (uint32_t i = 0; i < code->n_special; i++) {
		const struct exec_special *s = &code->special[i];
		bool varies = s->kind >= SPECIAL_CTAID_X && s->kind <= SPECIAL_CTAID_Z;
		varies |= s->kind >= SPECIAL_CLUSTER_ID_X && s->kind <= SPECIAL_CLUSTER_SIZE;
		if (!all && !varies && s->kind != SPECIAL_SMID)
			continue;
		const enum special_kind kind = (enum special_kind)s->kind;
		if (!differs_by_lane(kind)) {
			spread(w->file + s->offset, s->bytes, value(w, kind, 0));
			continue;
		}
		for (unsigned lane = 0; lane < WCP_LANES; lane++) {
			uint64_t v = value(w, kind, lane);
			memcpy(w->file + s->offset + lane * s->bytes, &v, s->bytes);
		}
	}
}

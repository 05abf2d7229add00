/* Boxes of tensors between global and shared memory, row by row. */
#include "access.h"
#include "exec/access.h"
#include "exec/tensor.h"

enum { SHARED_ALIGN = 128, PIECE = 16 /* bytes that a swizzle leaves together */ };

struct transfer {
	struct warp *w;
	const struct insn *in;
	uint32_t lane;
	const struct exec_bulk *bulk;
	struct mem_op op; /* as in's, of the tensor's type */
	struct tensor_box box;
	uint64_t shared;   /* address of the box */
	uint32_t cta_mask; /* of the CTAs that it comes to; 0: the one that shared says */
	uint64_t map, bar; /* addresses */
};

static bool
fault(const struct transfer *t, enum fault_kind kind, uint64_t at, uint8_t space, uint32_t bytes)
{
	t->w->fault = (struct fault){kind, t->in, t->lane, at, space, bytes};
	return false;
}

static uint64_t
address(const struct transfer *t, const struct bulk_address *a)
{
	return run_get(t->w->file, a->slot, 8, t->lane) + (uint64_t)a->offset;
}

static bool
begin(struct transfer *t)
{
	static const uint8_t type[WCP_TENSOR_TYPES] = {PTX_U8, PTX_U16, PTX_U32, PTX_S32, PTX_U64,
	    PTX_S64, PTX_F16, PTX_F32, PTX_F64, PTX_BF16, PTX_F32, PTX_F32, PTX_F32};
	const struct exec_bulk *b = t->bulk;
	const bool stores = t->op.kind == WCP_STORE || t->op.kind == WCP_REDUCE;
	t->map = address(t, stores ? &b->to : &b->from);
	t->box.map = exec_tensor_map(t->w, t->map);
	if (!t->box.map || t->box.map->rank != b->rank)
		return fault(t, FAULT_TENSOR, t->map, WCP_SPACE_GLOBAL, 0);
	for (unsigned k = 0; k < b->rank; k++)
		t->box.at[k] = (int32_t)run_get(t->w->file, b->coord[k], 4, t->lane);
	exec_tensor_box(&t->box);
	t->op.type = type[t->box.map->type];
	t->op.size = (uint8_t)wcp_tensor_type_bytes(t->box.map->type);
	if (t->box.at[0] * t->op.size % PIECE) /* globalToShmemTMACopy of NVIDIA's samples */
		return fault(t, FAULT_MISALIGNED,
		    t->box.map->address + (uint64_t)(t->box.at[0] * t->op.size), WCP_SPACE_GLOBAL,
		    t->box.row_bytes);
	if (t->op.kind == WCP_PREFETCH)
		return true;
	t->shared = address(t, stores ? &b->from : &b->to);
	t->bar = b->signals ? address(t, &b->barrier) : 0;
	t->cta_mask =
	    b->cta_mask ? (uint32_t)run_get(t->w->file, b->cta_mask, 2, t->lane) & 0xffff : 0;
	return t->shared % SHARED_ALIGN == 0 ||
	       fault(t, FAULT_MISALIGNED, t->shared, WCP_SPACE_SHARED, t->box.row_bytes);
}

/* The row of the box at a shared address to or from bytes in order; false: w->fault. */
static bool
pieces(const struct transfer *t, uint64_t at, char *row, bool to_shared)
{
	for (uint32_t i = 0; i < t->box.row_bytes; i += PIECE) {
		const uint64_t place = exec_tensor_swizzled(t->box.map, at + i);
		char *p = exec_shared_at(t->w->cta, place, PIECE);
		if (!p)
			return fault(t, FAULT_BOUNDS, place, WCP_SPACE_SHARED, PIECE);
		memcpy(to_shared ? p : row + i, to_shared ? row + i : p, PIECE);
		if (to_shared)
			exec_shared_wrote(t->w->cta, p, PIECE);
	}
	return true;
}

static bool
deliver(const struct transfer *t, uint32_t i, char *row)
{
	const uint64_t at = t->shared + (uint64_t)i * t->box.pitch;
	if (!t->cta_mask)
		return pieces(t, at, row, true);
	EACH_SET(rank, t->cta_mask)
	if (!pieces(t, exec_shared_in(at, rank), row, true))
		return false;
	return true;
}

/* Row i, of which part lies in the tensor, in host memory at global. */
static bool
move(const struct transfer *t, uint32_t i, const struct tensor_row *part, char *global)
{
	char row[WCP_TENSOR_BOX * sizeof(uint64_t)];
	if (t->op.kind == WCP_LOAD) {
		exec_tensor_fill(t->box.map, row, t->box.row_bytes);
		if (global)
			memcpy(row + part->skip, global, part->bytes);
		return deliver(t, i, row);
	}
	if (!pieces(t, t->shared + (uint64_t)i * t->box.pitch, row, false))
		return false;
	if (global && t->op.kind == WCP_REDUCE)
		LEVELED(run_combine_all)(&t->op, global, row + part->skip, part->bytes);
	else if (global)
		memcpy(global, row + part->skip, part->bytes);
	return true;
}

static bool
tell(const struct transfer *t)
{
	const uint32_t bytes = t->box.rows * t->box.row_bytes;
	if (!t->bulk->signals)
		return true;
	if (!t->cta_mask)
		return LEVELED(run_signal)(t->w, t->in, t->lane, t->bar, bytes);
	EACH_SET(rank, t->cta_mask)
	if (!LEVELED(run_signal)(t->w, t->in, t->lane, exec_shared_in(t->bar, rank), bytes))
		return false;
	return true;
}

bool
LEVELED(run_tensor)(struct warp *w, const struct insn *in, uint32_t lane, record_lines_fn *record)
{
	struct transfer t = {.w = w,
	    .in = in,
	    .lane = lane,
	    .bulk = &w->code->bulk[in->imm],
	    .op = w->code->mem[in->e]};
	bool recorded = false;
	if (!begin(&t))
		return false;
	for (uint32_t i = 0; i < t.box.rows; i++) {
		struct tensor_row part;
		exec_tensor_row(&t.box, i, &part);
		const struct exec_alloc *a =
		    part.bytes ? exec_memory_find(w->cta->run->memory, part.global, part.bytes)
			       : NULL;
		if (part.bytes && !a)
			return fault(&t, FAULT_BOUNDS, part.global, WCP_SPACE_GLOBAL, part.bytes);
		if (t.op.kind != WCP_PREFETCH &&
		    !move(&t, i, &part, a ? exec_alloc_at(a, part.global) : NULL))
			return false;
		const struct bulk_lines lines =
		    LEVELED(run_lines)(part.global, part.bytes, WCP_SPACE_GLOBAL);
		if (part.bytes && !record(w, in, lane, &lines))
			return false;
		recorded |= part.bytes != 0;
	}
	/* executed all the same where none of it lies in the tensor */
	const struct bulk_lines first = LEVELED(run_lines)(t.box.map->address, 0, WCP_SPACE_GLOBAL);
	if (!recorded && !record(w, in, lane, &first))
		return false;
	w->progress++;
	w->polls += t.bulk->signals;
	return tell(&t);
}

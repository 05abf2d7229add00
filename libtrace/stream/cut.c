/* Where data is cut into blocks: at places that depend on the records alone. */
#include "stream/access.h"
#include "stream/writer.h"

static uint64_t
seg_weight(const struct wcp_warp_batch *b, uint32_t i)
{
	bool last = i + 1 == b->n_seg;
	uint32_t runs = (last ? b->n_run : b->seg_run[i + 1]) - b->seg_run[i];
	uint32_t mem = b->seg_mem[i], mem_end = last ? b->n_mem : b->seg_mem[i + 1];
	uint64_t addrs = 0;
	if (!b->n_addr)
		return 1 + (uint64_t)runs + (mem_end - mem);
	for (uint32_t m = mem; m < mem_end; m++)
		if (b->mem_shape[m] == WCP_MEM_LIST)
			addrs += (uint32_t)__builtin_popcount(b->mem_mask[m]);
	return 1 + (uint64_t)runs + (mem_end - mem) + addrs / ADDRS_A_RECORD;
}

static void
truncate_batch(struct wcp_warp_batch *b, uint32_t segs)
{
	uint32_t mem = b->seg_mem[segs];
	for (uint32_t m = mem; m < b->n_mem; m++)
		if (b->mem_shape[m] == WCP_MEM_LIST) {
			b->n_addr = b->mem_addr[m];
			break;
		}
	b->n_seg = segs;
	b->n_run = b->seg_run[segs];
	b->n_guard = b->seg_guard[segs];
	b->n_mem = mem;
	b->n_event = b->seg_event[segs];
}

static int
open_warp(struct wcp_writer *w, uint32_t kernel, const struct marks *marks)
{
	struct job *j = stream_writer_begin(w, BLOCK_WARP);
	if (!j)
		return w->status;
	j->warp.kernel = kernel;
	j->marks = marks;
	return w->status;
}

/* The CTA at the end of the block has outgrown it: it moves to a block of its own. */
static int
move_tail(struct wcp_writer *w)
{
	struct job *full = w->open;
	uint32_t tail = w->tail, segs = full->warp.n_seg - tail;
	uint64_t weight = w->tail_weight;
	struct wcp_warp_batch rest;
	wcp_warp_batch_init(&rest);
	rest.kernel = full->warp.kernel;
	int s = wcp_warp_batch_append(&rest, &full->warp, tail, segs);
	const struct marks *marks = full->marks;
	if (s == 0) {
		truncate_batch(&full->warp, tail);
		stream_writer_flush(w);
		s = open_warp(w, rest.kernel, marks);
	}
	if (s == 0)
		s = wcp_warp_batch_append(&w->open->warp, &rest, 0, segs);
	w->weight = w->tail_weight = weight;
	wcp_warp_batch_release(&rest);
	return s;
}

/* Takes segment i of the batch into the open block, and closes the block if it is full. A block
 * holds whole CTAs, or a part of one. */
static int
take_piece(struct wcp_writer *w, const struct wcp_warp_batch *batch, uint32_t i, uint64_t weight)
{
	struct wcp_warp_batch *open = &w->open->warp;
	if (!open->n_seg || open->seg_cta[open->n_seg - 1] != batch->seg_cta[i]) {
		if (w->weight >= BLOCK_RECORDS) {
			struct job *full = w->open;
			uint32_t kernel = open->kernel;
			stream_writer_flush(w);
			if (open_warp(w, kernel, full->marks) < 0)
				return w->status;
			open = &w->open->warp;
		}
		w->tail = open->n_seg;
		w->tail_weight = 0;
	}
	if (wcp_warp_batch_append(open, batch, i, 1) < 0)
		return WCP_ESYS;
	w->weight += weight;
	w->tail_weight += weight;
	if (w->weight < BLOCK_RECORDS)
		return 0;
	if (!w->tail || batch->seg_flags[i] & WCP_SEG_CTA_END) {
		const struct marks *marks = w->open->marks;
		stream_writer_flush(w);
		return open_warp(w, batch->kernel, marks);
	}
	return move_tail(w);
}

/* ---- segments larger than a block ---------------------------------------------------------- */

/* A piece of segment i of a batch: ends of what it takes from each list. */
struct piece {
	uint32_t run, guard, mem;
	uint64_t insns;
};

/* Walks one run past the piece's end; false where the batch contradicts its program. */
static bool
piece_run(const struct wcp_warp_batch *b, const struct marks *marks, const struct piece *end,
    struct piece *p)
{
	uint32_t pc = b->run_pc[p->run], len = b->run_len[p->run];
	if (!len || pc >= marks->n_insn || len > marks->n_insn - pc)
		return false;
	for (uint32_t m = marks->first[pc]; m < marks->first[pc + len]; m++) {
		uint32_t active = b->run_mask[p->run];
		if (marks->mark[m].guarded && p->guard == end->guard)
			return false;
		if (marks->mark[m].guarded)
			active = b->guard_mask[p->guard++];
		if (marks->mark[m].site == WCP_NONE32 || !active)
			continue;
		do
			if (p->mem == end->mem)
				return false;
		while (b->mem_flags[p->mem++] & WCP_MEM_MORE);
	}
	p->insns += len;
	p->run++;
	return true;
}

/* Events of [from, to) instructions, counted anew from from. */
static int
piece_events(struct wcp_warp_batch *view, const struct wcp_warp_batch *b, uint32_t first,
    uint32_t end, uint64_t from, uint64_t to)
{
	view->n_event = 0;
	for (uint32_t i = first; i < end; i++) {
		if (b->event_at[i] < from || b->event_at[i] >= to)
			continue;
		if (wcp_warp_batch_reserve_event(view, 1) < 0)
			return WCP_ESYS;
		uint32_t n = view->n_event++;
		view->event_kind[n] = b->event_kind[i];
		view->event_lane[n] = b->event_lane[i];
		view->event_at[n] = (uint32_t)(b->event_at[i] - from);
		view->event_arg[n] = b->event_arg[i];
	}
	return 0;
}

/* Takes the piece [from, to) as a segment: a batch that looks at the stretch of each list. */
static int
take_view(struct wcp_writer *w, const struct wcp_warp_batch *batch, uint32_t i, struct piece from,
    struct piece to, struct wcp_warp_batch *events)
{
	uint32_t segs = batch->n_seg, none = 0;
	uint32_t event_end = i + 1 == segs ? batch->n_event : batch->seg_event[i + 1];
	uint32_t run_end = i + 1 == segs ? batch->n_run : batch->seg_run[i + 1];
	bool first = from.run == batch->seg_run[i], last = to.run == run_end;
	uint8_t flags = batch->seg_flags[i];
	if (!first)
		flags &= (uint8_t) ~(WCP_SEG_CTA_BEGIN | WCP_SEG_WARP_BEGIN);
	if (!last)
		flags &= (uint8_t) ~(WCP_SEG_CTA_END | WCP_SEG_WARP_END);
	int s = piece_events(events, batch, batch->seg_event[i], event_end, from.insns,
	    last ? UINT64_MAX : to.insns);
	if (s < 0)
		return s;
	struct wcp_warp_batch view = *batch;
	view.n_seg = 1;
	view.seg_cta = batch->seg_cta + i;
	view.seg_warp = batch->seg_warp + i;
	view.seg_alt = batch->seg_alt + i;
	view.seg_flags = &flags;
	view.seg_run = &from.run;
	view.seg_guard = &from.guard;
	view.seg_mem = &from.mem;
	view.seg_event = &none;
	view.n_run = to.run;
	view.n_guard = to.guard;
	view.n_mem = to.mem;
	view.n_event = events->n_event;
	view.event_kind = events->event_kind;
	view.event_lane = events->event_lane;
	view.event_at = events->event_at;
	view.event_arg = events->event_arg;
	return take_piece(w, &view, 0, seg_weight(&view, 0));
}

/* A segment may have any length; a block may not. It is cut between runs; what cannot be followed
 * stays whole and fails when it is encoded. */
static int
take_large(struct wcp_writer *w, const struct wcp_warp_batch *b, uint32_t i)
{
	bool last = i + 1 == b->n_seg;
	struct piece end = {last ? b->n_run : b->seg_run[i + 1],
	    last ? b->n_guard : b->seg_guard[i + 1], last ? b->n_mem : b->seg_mem[i + 1], 0};
	struct piece from = {b->seg_run[i], b->seg_guard[i], b->seg_mem[i], 0}, to = from;
	struct wcp_warp_batch events;
	const struct marks *marks = w->open->marks;
	int s = 0;
	wcp_warp_batch_init(&events);
	while (s == 0 && from.run < end.run) {
		uint64_t weight = 0;
		while (to.run < end.run && weight < BLOCK_RECORDS) {
			struct piece was = to;
			if (!piece_run(b, marks, &end, &to)) {
				to = end;
				break;
			}
			weight +=
			    1 + (uint64_t)(to.mem - was.mem) * (1 + WCP_LANES / ADDRS_A_RECORD);
		}
		if (to.run == end.run)
			to = end;
		s = take_view(w, b, i, from, to, &events);
		from = to;
	}
	wcp_warp_batch_release(&events);
	return s;
}

static int
take_segment(struct wcp_writer *w, const struct wcp_warp_batch *batch, uint32_t i)
{
	uint64_t weight = seg_weight(batch, i);
	return weight > 2 * BLOCK_RECORDS ? take_large(w, batch, i)
					  : take_piece(w, batch, i, weight);
}

/* Takes the segments from i on that leave the open block short of full, in one go; returns how many
 * those are. */
static int
take_stretch(struct wcp_writer *w, const struct wcp_warp_batch *batch, uint32_t i)
{
	struct wcp_warp_batch *open = &w->open->warp;
	const uint32_t *cta = batch->seg_cta;
	uint32_t at = i;
	for (; at < batch->n_seg; at++) {
		const uint64_t weight = seg_weight(batch, at);
		if (w->weight + weight >= BLOCK_RECORDS)
			break;
		if (at > i ? cta[at] != cta[at - 1]
			   : !open->n_seg || cta[at] != open->seg_cta[open->n_seg - 1]) {
			w->tail = open->n_seg + (at - i);
			w->tail_weight = 0;
		}
		w->weight += weight;
		w->tail_weight += weight;
	}
	return wcp_warp_batch_append(open, batch, i, at - i) < 0 ? WCP_ESYS : (int)(at - i);
}

static int
check_batch(struct wcp_writer *w, const struct wcp_warp_batch *batch, struct known_kernel **k,
    struct wcp_error *e)
{
	*k = stream_registry_kernel(&w->known, batch->kernel);
	if (w->link != WCP_LINK_WARP)
		return wcp_fail(e, WCP_EUSAGE, "WARP records do not belong into an ACCESS stream");
	if (!*k || !(*k)->program)
		return wcp_fail(e, WCP_EUSAGE,
		    "records of kernel %u, whose program was not written", batch->kernel);
	for (uint32_t i = 0; i < batch->n_seg; i++)
		if (batch->seg_cta[i] >= (*k)->ctas || batch->seg_warp[i] >= (*k)->warps)
			return wcp_fail(e, WCP_EUSAGE, "kernel %u has no CTA %u with a warp %u",
			    batch->kernel, batch->seg_cta[i], batch->seg_warp[i]);
	return 0;
}

int
wcp_writer_warp(struct wcp_writer *w, const struct wcp_warp_batch *batch, struct wcp_error *e)
{
	struct wcp_error local;
	struct known_kernel *k;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	int s = check_batch(w, batch, &k, e);
	if (s < 0)
		return s;
	if (w->open && w->open->warp.kernel != batch->kernel)
		stream_writer_flush(w);
	if (!w->open)
		s = open_warp(w, batch->kernel, &k->program->marks);
	for (uint32_t i = 0; s == 0 && i < batch->n_seg;) {
		const int n = take_stretch(w, batch, i);
		i += n > 0 ? (uint32_t)n : 0;
		s = n < 0 ? n : 0;
		if (s == 0 && i < batch->n_seg)
			s = take_segment(w, batch, i++);
	}
	if (s < 0 && w->status == 0)
		stream_writer_fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
	return stream_writer_report(w, e);
}

static bool
kernels_known(const struct wcp_writer *w, const struct wcp_access_batch *batch)
{
	uint32_t known = stream_registry_kernels(&w->known);
	bool all = true;
	for (uint32_t i = 0; batch->kernel && i < batch->n; i++)
		all &= batch->kernel[i] < known || batch->kernel[i] == WCP_NONE32;
	return all;
}

int
wcp_writer_access(struct wcp_writer *w, const struct wcp_access_batch *batch, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	if (w->link != WCP_LINK_ACCESS)
		return wcp_fail(e, WCP_EUSAGE, "ACCESS records do not belong into a WARP stream");
	if (!kernels_known(w, batch))
		return wcp_fail(e, WCP_EUSAGE, "records of a kernel that was not written");
	for (uint32_t at = 0; w->status == 0 && at < batch->n;) {
		if (!w->open && !stream_writer_begin(w, BLOCK_ACCESS))
			break;
		uint32_t room = BLOCK_RECORDS - w->open->access.n, left = batch->n - at;
		uint32_t n = left < room ? left : room;
		if (wcp_access_batch_append(&w->open->access, batch, at, n) < 0)
			stream_writer_fail(
			    w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		at += n;
		if (w->open->access.n == BLOCK_RECORDS)
			stream_writer_flush(w);
	}
	return stream_writer_report(w, e);
}

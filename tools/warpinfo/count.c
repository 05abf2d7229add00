/* Programs and kernels, and the instructions of a WARP stream. */
#include <stdlib.h>
#include <string.h>
#include "info.h"
#include "warpcap/coalesce.h"

static int
no_memory(struct wcp_error *e)
{
	return wcp_fail(e, WCP_ESYS, "out of memory");
}

/* Room for id; new entries are zero. */
static int
grow(void *array, uint32_t *n, uint32_t id, size_t size, struct wcp_error *e)
{
	char **p = array;
	uint32_t want = *n ? *n : 16;
	if (id >= 1u << 28)
		return wcp_fail(e, WCP_EDATA, "number %u is impossible", id);
	while (want <= id)
		want *= 2;
	if (want == *n)
		return 0;
	char *grown = realloc(*p, want * size);
	if (!grown)
		return no_memory(e);
	memset(grown + *n * size, 0, (want - *n) * size);
	*p = grown;
	*n = want;
	return 0;
}

int
count_program(struct info *in, const struct wcp_program *p, struct wcp_error *e)
{
	int r = grow(&in->program, &in->n_program, p->id, sizeof *in->program, e);
	if (r < 0 || in->program[p->id].op_class)
		return r;
	struct info_program *q = &in->program[p->id];
	q->last = calloc(p->n_insn + 1, sizeof *q->last);
	q->op_class = calloc(p->n_insn + 1, sizeof *q->op_class);
	q->next_guarded = calloc(p->n_insn + 1, sizeof *q->next_guarded);
	q->warp_step = calloc(p->n_insn + 1, sizeof *q->warp_step);
	q->thread_step = calloc(p->n_insn + 1, sizeof *q->thread_step);
	q->guarded_off = calloc(p->n_insn + 1, sizeof *q->guarded_off);
	if (!q->last || !q->op_class || !q->next_guarded || !q->warp_step || !q->thread_step ||
	    !q->guarded_off)
		return no_memory(e);
	q->n_insn = p->n_insn;
	q->next_guarded[p->n_insn] = p->n_insn;
	for (uint32_t pc = p->n_insn; pc-- > 0;) {
		bool guarded = p->insn[pc].flags & WCP_INSN_GUARDED;
		q->next_guarded[pc] = guarded ? pc : q->next_guarded[pc + 1];
		q->op_class[pc] = p->insn[pc].op_class;
	}
	return 0;
}

/* Each kernel's threads get local memory of their own, laid out warp by warp. */
static void
place_local(struct info *in, struct info_kernel *q, const struct wcp_kernel *k)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	uint64_t bytes = k->local_bytes ? k->local_bytes : 4096;
	q->local_warp_bytes = (bytes + 3) / 4 * 4 * WCP_LANES;
	q->local_base = in->next_local;
	in->next_local +=
	    (uint64_t)k->grid[0] * k->grid[1] * k->grid[2] * warps * q->local_warp_bytes;
}

int
count_kernel(struct info *in, const struct wcp_kernel *k, struct wcp_error *e)
{
	int r = grow(&in->kernel, &in->n_kernel, k->id, sizeof *in->kernel, e);
	if (r < 0)
		return r;
	struct info_kernel *q = &in->kernel[k->id];
	free(q->name);
	if (!(q->name = strdup(k->name ? k->name : "")))
		return no_memory(e);
	q->known = true;
	q->program = k->program;
	memcpy(q->grid, k->grid, sizeof q->grid);
	memcpy(q->block, k->block, sizeof q->block);
	q->regs = k->regs_per_thread;
	q->shared_bytes = (uint64_t)k->static_shared_bytes + k->dynamic_shared_bytes;
	q->flags = k->flags;
	in->children += k->depth > 0;
	in->launch_depth = k->depth > in->launch_depth ? k->depth : in->launch_depth;
	place_local(in, q, k);
	if (!in->filter)
		return 0;
	const struct wcp_program *p =
	    k->program == WCP_NONE32 ? NULL : wcp_reader_program(in->reader, k->program);
	return wcp_filter_kernel(in->filter, k, p, e);
}

/* An ACCESS stream does not say what was executed; its kernels' totals do. */
void
count_kernel_end(struct info *in, const struct wcp_kernel_end *end)
{
	if (end->kernel >= in->n_kernel)
		return;
	struct info_kernel *k = &in->kernel[end->kernel];
	k->ended = true;
	k->ctas = end->ctas;
	if (in->link == WCP_LINK_WARP)
		return;
	k->warp_insns = end->warp_insns;
	k->thread_insns = end->thread_insns;
	k->mem_insns = end->mem_insns;
	in->warp_insns += end->warp_insns;
	in->thread_insns += end->thread_insns;
	in->mem_insns += end->mem_insns;
}

/* Runs touch two entries each; only guarded instructions are looked at one by one. */
static void
count_runs(struct info *in, struct info_kernel *k, struct info_program *q,
    const struct wcp_warp_batch *b, uint32_t seg)
{
	uint32_t guard = b->seg_guard[seg], last_guard = b->seg_guard[seg + 1];
	uint64_t insns = 0, threads = 0;
	for (uint32_t r = b->seg_run[seg]; r < b->seg_run[seg + 1]; r++) {
		uint32_t pc = b->run_pc[r], end = pc + b->run_len[r];
		if (end > q->n_insn || end < pc)
			continue;
		uint32_t lanes = (uint32_t)__builtin_popcount(b->run_mask[r]);
		insns += b->run_len[r];
		threads += (uint64_t)lanes * b->run_len[r];
		q->warp_step[pc]++;
		q->warp_step[end]--;
		q->thread_step[pc] += lanes;
		q->thread_step[end] -= lanes;
		for (pc = q->next_guarded[pc]; pc < end && guard < last_guard;
		     pc = q->next_guarded[pc + 1]) {
			uint32_t left = (uint32_t)__builtin_popcount(b->guard_mask[guard++]);
			q->guarded_off[pc] += lanes - left;
			threads -= lanes - left;
		}
	}
	k->warp_insns += insns;
	k->thread_insns += threads;
	in->warp_insns += insns;
	in->thread_insns += threads;
}

void
count_classes(struct info *in)
{
	for (uint32_t i = 0; i < in->n_program; i++) {
		const struct info_program *q = &in->program[i];
		int64_t warp = 0, thread = 0;
		for (uint32_t pc = 0; q->op_class && pc < q->n_insn; pc++) {
			warp += q->warp_step[pc];
			thread += q->thread_step[pc];
			unsigned c =
			    q->op_class[pc] < WCP_OP_COUNT ? q->op_class[pc] : WCP_OP_OTHER;
			in->class_warp[c] += (uint64_t)warp;
			in->class_thread[c] += (uint64_t)thread - q->guarded_off[pc];
		}
	}
}

static int
count_lines(struct info *in, const struct wcp_warp_batch *b, uint32_t m, uint32_t bytes,
    uint64_t local_base, struct info_request *r)
{
	struct wcp_transaction t[WCP_COALESCE_MAX];
	r->lines = wcp_coalesce(&WCP_COALESCE_DEFAULT, b, m, bytes, local_base, t);
	r->sectors = r->bytes = 0;
	for (uint32_t i = 0; i < r->lines; i++) {
		r->sectors += (uint32_t)__builtin_popcount(t[i].sectors);
		r->bytes += t[i].bytes;
		if (footprint_add(&in->footprint[b->mem_space[m]], t[i].line, t[i].sectors) < 0)
			return -1;
	}
	return 0;
}

/* Does each lane stay in a sector, and are they whole sectors apart? Then moving all of them within
 * theirs changes nothing, as a loop along rows does. */
static bool
in_sectors(const struct wcp_warp_batch *b, uint32_t m, uint32_t bytes)
{
	return b->mem_shape[m] == WCP_MEM_AFFINE && b->mem_space[m] != WCP_SPACE_LOCAL &&
	       b->mem_base[m] % WCP_SECTOR_BYTES + bytes <= WCP_SECTOR_BYTES &&
	       b->mem_stride[m] % WCP_SECTOR_BYTES == 0;
}

/* The lines of record m, without a search where they are those of the last of its instruction. */
static int
find_lines(struct info *in, struct info_request *last, const struct wcp_warp_batch *b, uint32_t m,
    uint32_t bytes, uint64_t local_base)
{
	const bool may_repeat = in_sectors(b, m, bytes);
	const uint64_t sector = b->mem_base[m] / WCP_SECTOR_BYTES;
	if (may_repeat && last->lines && last->sector == sector &&
	    last->stride == b->mem_stride[m] && last->mask == b->mem_mask[m] &&
	    last->space == b->mem_space[m])
		return 0;
	if (count_lines(in, b, m, bytes, local_base, last) < 0)
		return -1;
	last->sector = may_repeat ? sector : UINT64_MAX;
	last->stride = b->mem_stride[m];
	last->mask = b->mem_mask[m];
	last->space = b->mem_space[m];
	return 0;
}

/* One record; a generic access that hit several spaces is a request in each. */
static int
count_request(struct info *in, struct info_kernel *k, struct info_request *last,
    const struct wcp_warp_batch *b, uint32_t m, const struct wcp_insn *insn, uint64_t local_base)
{
	unsigned space = b->mem_space[m] < WCP_SPACE_COUNT ? b->mem_space[m] : WCP_SPACE_NONE;
	struct info_access *a =
	    &in->access[space][insn->kind < WCP_KIND_COUNT ? insn->kind : WCP_LOAD];
	uint32_t lanes = (uint32_t)__builtin_popcount(b->mem_mask[m]);
	a->requests++;
	a->lanes += lanes;
	a->asked_bytes += (uint64_t)lanes * insn->bytes;
	if (!info_in_lines(space))
		return 0;
	if (find_lines(in, last, b, m, insn->bytes, local_base) < 0)
		return -1;
	k->requests++;
	k->transactions += last->lines;
	a->transactions += last->lines;
	a->sectors += last->sectors;
	a->useful_bytes += last->bytes;
	a->divergent += last->lines > WCP_DIVERGENT_LINES;
	return 0;
}

static int
count_segment(struct info *in, struct info_kernel *k, const struct wcp_program *p,
    const struct wcp_warp_batch *b, uint32_t seg)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	uint64_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	uint64_t local_base =
	    k->local_base + (b->seg_cta[seg] * warps + b->seg_warp[seg]) * k->local_warp_bytes;
	struct info_program *q = &in->program[p->id];
	count_runs(in, k, q, b, seg);
	for (uint32_t m = b->seg_mem[seg]; m < b->seg_mem[seg + 1]; m++) {
		const uint32_t pc = b->mem_pc[m];
		if (pc >= p->n_insn || pc >= q->n_insn)
			continue;
		if (!(b->mem_flags[m] & WCP_MEM_MORE))
			k->mem_insns++;
		if (count_request(in, k, &q->last[pc], b, m, &p->insn[pc], local_base) < 0)
			return -1;
	}
	if (!k->ended && b->seg_flags[seg] & WCP_SEG_CTA_END)
		k->ctas++;
	return 0;
}

int
count_warp(struct info *in, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	const struct wcp_kernel *wk = wcp_reader_kernel(in->reader, b->kernel);
	const struct wcp_program *p = wk ? wcp_reader_program(in->reader, wk->program) : NULL;
	if (!p || b->kernel >= in->n_kernel || p->id >= in->n_program)
		return wcp_fail(e, WCP_EDATA, "kernel %u has no program", b->kernel);
	if (in->filter) {
		wcp_warp_batch_clear(&in->matched);
		int r = wcp_filter_warp(in->filter, p, wk, b, &in->matched, e);
		if (r < 0)
			return r;
		b = &in->matched;
	}
	struct info_kernel *k = &in->kernel[b->kernel];
	uint64_t mem_before = k->mem_insns;
	for (uint32_t seg = 0; seg < b->n_seg; seg++)
		if (b->seg_alt[seg] == 0 && count_segment(in, k, p, b, seg) < 0)
			return no_memory(e);
	in->mem_insns += k->mem_insns - mem_before;
	in->records += b->n_run + b->n_mem;
	return 0;
}

void
count_release(struct info *in)
{
	for (uint32_t i = 0; i < in->n_kernel; i++)
		free(in->kernel[i].name);
	for (uint32_t i = 0; i < in->n_program; i++) {
		struct info_program *q = &in->program[i];
		free(q->last);
		free(q->op_class);
		free(q->next_guarded);
		free(q->warp_step);
		free(q->thread_step);
		free(q->guarded_off);
	}
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++)
		footprint_release(&in->footprint[s]);
	free(in->kernel);
	free(in->program);
	free(in->index);
	wcp_warp_batch_release(&in->matched);
}

/* From streams to figures by instruction. */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>
#include "warpcap/coalesce.h"
#include "warpcap/walk.h"
#include "zeroed.h"

enum { AHEAD = 12 };

/* ---- programs ----------------------------------------------------------------------------- */

static bool
same_program(const struct wcp_program *a, const struct wcp_program *b)
{
	if (strcmp(a->name, b->name) != 0 || a->n_insn != b->n_insn)
		return false;
	for (uint32_t i = 0; i < a->n_insn; i++)
		if (a->insn[i].ptx_line != b->insn[i].ptx_line ||
		    a->insn[i].line != b->insn[i].line)
			return false;
	return true;
}

static uint32_t
code_of(struct annotate *a, const struct wcp_program *p)
{
	for (uint32_t i = 0; i < a->n_code; i++)
		if (same_program(a->code[i].program, p))
			return i;
	a->code = must_alloc(a->code, (a->n_code + 1) * sizeof *a->code);
	struct code *c = &a->code[a->n_code];
	*c = (struct code){.program = p, .base = a->n_insn};
	c->counts = must_alloc(NULL, (p->n_insn + 1) * sizeof *c->counts);
	memset(c->counts, 0, (p->n_insn + 1) * sizeof *c->counts);
	a->insn_code = must_alloc(a->insn_code, (a->n_insn + p->n_insn + 1) * sizeof *a->insn_code);
	for (uint32_t i = 0; i < p->n_insn; i++)
		a->insn_code[a->n_insn + i] = a->n_code;
	a->n_insn += p->n_insn;
	return a->n_code++;
}

static void
add_kernel(
    struct annotate *a, struct kernels *ks, const struct wcp_reader *r, const struct wcp_kernel *k)
{
	const struct wcp_program *p =
	    k->program == WCP_NONE32 ? NULL : wcp_reader_program(r, k->program);
	if (k->id >= ks->n) {
		uint32_t n = ks->n ? 2 * ks->n : 64;
		while (n <= k->id)
			n *= 2;
		ks->code = must_alloc(ks->code, n * sizeof *ks->code);
		while (ks->n < n)
			ks->code[ks->n++] = WCP_NONE32;
	}
	if (!p)
		return;
	ks->code[k->id] = code_of(a, p);
	a->code[ks->code[k->id]].launches++;
}

/* ---- WARP --------------------------------------------------------------------------------- */

static void
count_shared(struct annotate *a, struct counts *c, const struct wcp_warp_batch *b, uint32_t record,
    uint32_t bytes)
{
	uint32_t fewest, passes = wcp_bank_passes(b, record, bytes, a->banks, &fewest);
	c->n[FIG_SHARED]++;
	c->n[FIG_CONFLICTS] += passes - fewest;
	a->shared = true;
}

static void
count_memory(struct annotate *a, struct counts *c, const struct wcp_kernel *k,
    const struct wcp_walk *w, uint32_t cta, uint32_t warp)
{
	static const struct wcp_coalesce how = {WCP_LINE_BYTES, WCP_SECTOR_BYTES};
	struct wcp_transaction t[WCP_COALESCE_MAX];
	const struct wcp_warp_batch *b = w->batch;
	for (uint32_t i = w->mem_first; i < w->mem_first + w->n_mem; i++) {
		uint8_t space = b->mem_space[i];
		if (!b->mem_mask[i])
			continue;
		if (space == WCP_SPACE_SHARED)
			count_shared(a, c, b, i, w->insn->bytes);
		if (space != WCP_SPACE_GLOBAL && space != WCP_SPACE_LOCAL)
			continue;
		uint64_t base = space == WCP_SPACE_LOCAL ? wcp_local_base(k, cta, warp) : 0;
		uint32_t n = wcp_coalesce(&how, b, i, w->insn->bytes, base, t);
		c->n[FIG_REQUESTS]++;
		c->n[FIG_LINES] += n;
		for (uint32_t j = 0; j < n; j++)
			c->n[FIG_SECTORS] += (uint64_t)__builtin_popcount(t[j].sectors);
	}
}

int
count_warp(struct annotate *a, struct code *code, const struct wcp_kernel *k,
    const struct wcp_warp_batch *b)
{
	struct wcp_walk w;
	for (uint32_t s = 0; s < b->n_seg; s++) {
		if (b->seg_alt[s]) /* was not executed */
			continue;
		wcp_walk_start(&w, b, code->program, s);
		while (wcp_walk_next(&w)) {
			if (!w.insn) {
				a->lost_records++;
				continue;
			}
			struct counts *c = &code->counts[w.pc];
			c->n[FIG_INSNS]++;
			c->n[FIG_THREADS] += (uint64_t)__builtin_popcount(w.mask);
			if (w.n_mem)
				count_memory(a, c, k, &w, b->seg_cta[s], b->seg_warp[s]);
		}
	}
	return 0;
}

/* ---- ACCESS ------------------------------------------------------------------------------- */

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static inline uint64_t
lost_home(const struct annotate *a, uint16_t sm, uint64_t line)
{
	return mix(line / 32 ^ (uint64_t)sm << 48) & a->lost_mask;
}

/* The place of a line that an SM lost, or where it would go. */
static struct lost *
find_lost(struct annotate *a, uint16_t sm, uint64_t line)
{
	uint64_t at = lost_home(a, sm, line);
	while (a->lost[at].used && (a->lost[at].line != line || a->lost[at].sm != sm))
		at = (at + 1) & a->lost_mask;
	return &a->lost[at];
}

static void
grow_lost(struct annotate *a)
{
	struct lost *old = a->lost;
	uint64_t n = old ? a->lost_mask + 1 : 0, size = n ? 2 * n : 4096;
	a->lost = zeroed_new(size * sizeof *a->lost);
	a->lost_mask = size - 1;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].used)
			*find_lost(a, old[i].sm, old[i].line) = old[i];
	zeroed_free(old, n * sizeof *old);
}

static struct counts *
counts_at(struct annotate *a, uint32_t insn)
{
	struct code *c = &a->code[a->insn_code[insn]];
	return &c->counts[insn - c->base];
}

/* A miss: had another warp driven the line out? */
static void
look_for_evictor(struct annotate *a, uint32_t insn, uint64_t who, uint16_t sm, uint64_t line)
{
	struct lost *l = a->lost ? find_lost(a, sm, line) : NULL;
	if (!l || !l->gone)
		return;
	l->gone = false;
	if (l->who == who)
		return;
	counts_at(a, insn)->n[FIG_SUFFERED]++;
	counts_at(a, l->insn)->n[FIG_CAUSED]++;
}

static void
remember_evictor(struct annotate *a, uint32_t insn, uint64_t who, uint16_t sm, uint64_t line)
{
	if (2 * (a->n_lost + 1) > a->lost_mask)
		grow_lost(a);
	struct lost *l = find_lost(a, sm, line);
	a->n_lost += !l->used;
	*l = (struct lost){
	    .line = line, .who = who, .insn = insn, .sm = sm, .used = true, .gone = true};
	a->victims = true;
}

static uint64_t
who_of(const struct wcp_access_batch *b, uint32_t i)
{
	return mix(mix((uint64_t)b->kernel[i] << 32 | b->cta[i]) ^ b->warp[i]);
}

static void
count_record(struct annotate *a, struct code *code, const struct wcp_access_batch *b, uint32_t i)
{
	struct counts *c = &code->counts[b->pc[i]];
	uint32_t insn = code->base + b->pc[i];
	enum wcp_outcome outcome = (enum wcp_outcome)WCP_OUTCOME(b->outcome[i], a->level);
	bool hit = outcome == WCP_OUT_HIT || outcome == WCP_OUT_PENDING ||
		   outcome == WCP_OUT_REDIRECT,
	     miss = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR ||
		    outcome == WCP_OUT_REDIRECT_MISS;
	c->n[FIG_ACCESSES]++;
	c->n[FIG_HITS] += hit;
	c->n[FIG_MISSES] += miss;
	a->outcomes |= outcome != WCP_OUT_NONE;
	if (miss)
		look_for_evictor(a, insn, who_of(b, i), b->sm[i], b->line[i]);
	if (b->victim[i] != ~0ull) {
		c->n[FIG_EVICTIONS]++;
		remember_evictor(a, insn, who_of(b, i), b->sm[i], b->victim[i]);
	}
}

/* Fetches what record i may look for. */
static inline void
expect(const struct annotate *a, const struct wcp_access_batch *b, uint32_t i)
{
	__builtin_prefetch(&a->lost[lost_home(a, b->sm[i], b->line[i])], 1);
	__builtin_prefetch(&a->lost[lost_home(a, b->sm[i], b->victim[i])], 1);
}

void
count_access(struct annotate *a, const struct kernels *ks, const struct wcp_access_batch *b,
    const uint32_t *index, uint32_t n)
{
	for (uint32_t at = 0; at < n; at++) {
		uint32_t i = index ? index[at] : at, kernel = b->kernel[i];
		uint32_t code = kernel < ks->n ? ks->code[kernel] : WCP_NONE32;
		if (a->lost && at + AHEAD < n)
			expect(a, b, index ? index[at + AHEAD] : at + AHEAD);
		if (b->kind[i] == WCP_WRITEBACK || b->kind[i] == WCP_FILL)
			continue;
		if (code == WCP_NONE32 || b->pc[i] >= a->code[code].program->n_insn)
			a->lost_records++;
		else
			count_record(a, &a->code[code], b, i);
	}
}

/* ---- streams ------------------------------------------------------------------------------ */

struct input {
	struct annotate *a;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct kernels kernels;
	struct wcp_warp_batch matching;
	uint32_t *index;
	uint32_t cap_index;
	uint64_t done;
};

static int
take_warp(struct input *in, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	const struct wcp_kernel *k = wcp_reader_kernel(in->reader, b->kernel);
	uint32_t code = b->kernel < in->kernels.n ? in->kernels.code[b->kernel] : WCP_NONE32;
	if (!k || code == WCP_NONE32)
		return wcp_fail(e, WCP_EDATA, "kernel %u has no program", b->kernel);
	if (in->filter) {
		wcp_warp_batch_clear(&in->matching);
		in->matching.kernel = b->kernel;
		int status =
		    wcp_filter_warp(in->filter, in->a->code[code].program, k, b, &in->matching, e);
		if (status < 0)
			return status;
		b = &in->matching;
	}
	in->done += b->warp_insns;
	in->a->warp = true;
	return count_warp(in->a, &in->a->code[code], k, b);
}

static void
take_access(struct input *in, const struct wcp_access_batch *b)
{
	uint32_t n = b->n;
	in->a->access = true;
	if (in->filter) {
		if (n > in->cap_index) {
			in->cap_index = n;
			in->index = must_alloc(in->index, n * sizeof *in->index);
		}
		n = wcp_filter_access(in->filter, b, in->index);
	}
	count_access(in->a, &in->kernels, b, in->filter ? in->index : NULL, n);
	in->done += n;
}

static int
take_kernel(struct input *in, const struct wcp_kernel *k, struct wcp_error *e)
{
	add_kernel(in->a, &in->kernels, in->reader, k);
	return in->filter
		   ? wcp_filter_kernel(in->filter, k, wcp_reader_program(in->reader, k->program), e)
		   : 0;
}

static int
take_item(struct input *in, const struct wcp_item *item, struct wcp_error *e)
{
	switch (item->type) {
	case WCP_ITEM_KERNEL: return take_kernel(in, item->kernel, e);
	case WCP_ITEM_WARP: return take_warp(in, item->warp, e);
	case WCP_ITEM_ACCESS: take_access(in, item->access); return 0;
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_KERNEL_END:
	case WCP_ITEM_HOST:
	case WCP_ITEM_STATE:
	case WCP_ITEM_END: break;
	}
	return 0;
}

static int
read_all(struct input *in, int index)
{
	struct tool *t = in->a->tool;
	struct wcp_error e = {0};
	struct wcp_item item;
	int more, status = 0;
	while ((more = wcp_reader_next(in->reader, &item, &e)) > 0 && !tool_interrupted()) {
		status = take_item(in, &item, &e);
		if (status)
			break;
		tool_progress_reader(t, in->reader, "records", in->done);
	}
	if (more < 0 || status)
		return tool_error(t, tool_input_name(t, index), &e);
	return 0;
}

int
count_stream(struct annotate *a, int index)
{
	const uint32_t columns = WCP_COL(KERNEL) | WCP_COL(CTA) | WCP_COL(WARP) | WCP_COL(SM) |
				 WCP_COL(PC) | WCP_COL(LINE) | WCP_COL(KIND) | WCP_COL(OUTCOME) |
				 WCP_COL(VICTIM);
	struct input in = {.a = a};
	int status = 0;
	in.reader = tool_open_reader(a->tool, index, WCP_LINK_ANY, columns, &in.filter, &status);
	if (!in.reader)
		return status;
	a->reader = must_alloc(a->reader, (a->n_reader + 1) * sizeof *a->reader);
	a->reader[a->n_reader++] = in.reader;
	wcp_warp_batch_init(&in.matching);
	status = read_all(&in, index);
	wcp_filter_free(in.filter);
	wcp_warp_batch_release(&in.matching);
	free(in.kernels.code);
	free(in.index);
	return status;
}

void
annotate_release(struct annotate *a)
{
	for (uint32_t i = 0; i < a->n_code; i++)
		free(a->code[i].counts);
	for (size_t i = 0; i < a->n_source; i++) {
		free(a->source[i].path);
		free(a->source[i].text);
		free(a->source[i].line);
	}
	for (size_t i = 0; i < a->n_reader; i++)
		wcp_reader_close(a->reader[i]);
	free(a->code);
	free(a->insn_code);
	zeroed_free(a->lost, (a->lost_mask + 1) * sizeof *a->lost);
	free(a->source);
	free(a->reader);
	free(a->directory);
}

#include "tap.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int
tap_open(struct tap *in, struct tool *t, const struct tap_options *o)
{
	int status = 0;
	*in = (struct tap){.tool = t, .options = *o, .whole = true};
	if (!in->options.kinds)
		in->options.kinds = UINT32_MAX;
	uint32_t columns =
	    o->columns | WCP_COL(KERNEL) | WCP_COL(LINE) | WCP_COL(KIND) | WCP_COL(SPACE);
	in->reader = tool_open_reader(t, 0, o->link, columns, &in->filter, &status);
	if (!in->reader)
		return status;
	in->warp = wcp_reader_link(in->reader) == WCP_LINK_WARP;
	if (in->warp && (o->line_bytes < 32 || o->line_bytes > 4096))
		return tool_usage(t, "a WARP stream is coalesced into lines of 32 to 4096 bytes");
	return 0;
}

void
tap_close(struct tap *in)
{
	wcp_reader_close(in->reader);
	wcp_filter_free(in->filter);
	wcp_warp_batch_release(&in->matching);
	wcp_access_batch_release(&in->batch);
	free(in->index);
	in->reader = NULL;
	in->filter = NULL;
	in->index = NULL;
}

static int
bad(struct tap *in, const struct wcp_error *e)
{
	in->whole = false;
	return tool_error(in->tool, tool_input_name(in->tool, 0), e);
}

/* ---- ACCESS ---------------------------------------------------------------------------------- */

/* The records that count, in batch itself where all do. */
static int
take_access(struct tap *in, const struct wcp_access_batch *b, const struct wcp_access_batch **out)
{
	struct wcp_error e;
	if (b->n > in->cap_index) {
		in->cap_index = b->n;
		in->index = must_alloc(in->index, b->n * sizeof *in->index);
	}
	uint32_t n = in->filter ? wcp_filter_access(in->filter, b, in->index) : b->n, kept = 0;
	uint64_t below = in->options.line_bytes - 1, finer = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = in->filter ? in->index[i] : i;
		bool wanted =
		    b->space[at] != WCP_SPACE_SHARED && in->options.kinds >> (b->kind[at] & 31) & 1;
		in->index[kept] = at;
		kept += wanted;
		finer += wanted && (b->line[at] & below);
	}
	in->finer += finer;
	*out = b;
	if (kept == b->n)
		return 0;
	wcp_access_batch_clear(&in->batch);
	if (wcp_access_batch_gather(&in->batch, b, in->index, kept) < 0) {
		wcp_fail(&e, WCP_ESYS, "out of memory");
		return bad(in, &e);
	}
	*out = &in->batch;
	return 0;
}

/* ---- WARP ------------------------------------------------------------------------------------ */

struct launch {
	const struct wcp_kernel *kernel;
	const struct wcp_program *program;
};

static int
add_record(struct tap *in, const struct launch *l, const struct wcp_warp_batch *b, uint32_t segment,
    uint32_t record)
{
	struct wcp_transaction line[WCP_COALESCE_MAX];
	struct wcp_access_batch *out = &in->batch;
	uint32_t pc = b->mem_pc[record], cta = b->seg_cta[segment],
		 line_bytes = in->options.line_bytes;
	uint16_t warp = b->seg_warp[segment];
	const struct wcp_insn *insn = &l->program->insn[pc];
	uint8_t space = b->mem_space[record];
	if ((space != WCP_SPACE_GLOBAL && space != WCP_SPACE_LOCAL) ||
	    !(in->options.kinds >> (insn->kind & 31) & 1))
		return 0;
	struct wcp_coalesce c = {line_bytes, line_bytes / 32 > 32 ? line_bytes / 32 : 32};
	uint32_t n =
	    wcp_coalesce(&c, b, record, insn->bytes, wcp_local_base(l->kernel, cta, warp), line);
	if (out->cap - out->n < n && wcp_access_batch_reserve(out, n) < 0)
		return WCP_ESYS;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = out->n++;
		out->cycle[at] = out->id[at] = in->done + at;
		out->sm[at] = out->slot[at] = WCP_NONE16;
		out->kernel[at] = b->kernel;
		out->cta[at] = cta;
		out->warp[at] = warp;
		out->pc[at] = pc;
		out->line[at] = line[i].line;
		out->sectors[at] = line[i].sectors;
		out->lanes[at] = line[i].lanes;
		out->kind[at] = insn->kind;
		out->space[at] = space;
		out->flags[at] = 0;
	}
	return 0;
}

static int
take_warp(struct tap *in, const struct wcp_warp_batch *b)
{
	struct wcp_error e;
	struct launch l = {.kernel = wcp_reader_kernel(in->reader, b->kernel)};
	if (l.kernel)
		l.program = wcp_reader_program(in->reader, l.kernel->program);
	if (!l.program) {
		wcp_fail(&e, WCP_EDATA, "kernel %" PRIu32 " has no program", b->kernel);
		return bad(in, &e);
	}
	if (in->filter) {
		wcp_warp_batch_clear(&in->matching);
		in->matching.kernel = b->kernel;
		if (wcp_filter_warp(in->filter, l.program, l.kernel, b, &in->matching, &e) < 0)
			return bad(in, &e);
		b = &in->matching;
	}
	wcp_access_batch_clear(&in->batch);
	for (uint32_t s = 0; s < b->n_seg; s++) {
		if (b->seg_alt[s])
			continue; /* would have been executed had a launch been refused */
		for (uint32_t m = b->seg_mem[s]; m < b->seg_mem[s + 1]; m++) {
			if (b->mem_pc[m] >= l.program->n_insn) {
				wcp_fail(&e, WCP_EDATA,
				    "kernel %" PRIu32 ": pc %" PRIu32 " is past its program",
				    l.kernel->id, b->mem_pc[m]);
				return bad(in, &e);
			}
			if (add_record(in, &l, b, s, m) < 0) {
				wcp_fail(&e, WCP_ESYS, "out of memory");
				return bad(in, &e);
			}
		}
	}
	return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int
take_kernel(struct tap *in, const struct wcp_kernel *k)
{
	struct wcp_error e;
	const struct wcp_program *program = wcp_reader_program(in->reader, k->program);
	if (in->filter && wcp_filter_kernel(in->filter, k, program, &e) < 0)
		return bad(in, &e);
	return 0;
}

/* 1: item filled; 0: nothing for the caller; else an exit status. */
static int
take_item(struct tap *in, const struct wcp_item *from, struct tap_item *item)
{
	int status;
	switch (from->type) {
	case WCP_ITEM_KERNEL:
		item->kernel = from->kernel;
		status = take_kernel(in, from->kernel);
		return status ? status : 1;
	case WCP_ITEM_KERNEL_END: item->kernel_end = from->kernel_end; return 1;
	case WCP_ITEM_WARP:
		status = take_warp(in, from->warp);
		item->access = &in->batch;
		break;
	case WCP_ITEM_ACCESS: status = take_access(in, from->access, &item->access); break;
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_HOST:
	case WCP_ITEM_STATE:
	case WCP_ITEM_END:
	default: return 0;
	}
	if (status)
		return status;
	in->done += item->access->n;
	tool_progress_reader(in->tool, in->reader, "accesses", in->done);
	return 1;
}

int
tap_next(struct tap *in, struct tap_item *item)
{
	struct wcp_error e;
	struct wcp_item from;
	int more, took;
	while ((more = wcp_reader_next(in->reader, &from, &e)) > 0) {
		*item = (struct tap_item){0};
		if (tool_interrupted()) {
			in->whole = false;
			return 0;
		}
		if ((took = take_item(in, &from, item)))
			return took;
	}
	return more < 0 ? bad(in, &e) : 0;
}

static int
add_kind(const struct tool *t, const char *option, const char *name, size_t length, uint32_t *kinds)
{
	for (unsigned k = 0; k < WCP_KIND_COUNT; k++) {
		const char *known = wcp_kind_name((enum wcp_access_kind)k);
		if (strlen(known) == length && !memcmp(known, name, length)) {
			*kinds |= 1u << k;
			return 0;
		}
	}
	return tool_usage(t,
	    "%s: '%.*s' is none of load, store, atomic, reduce, prefetch, writeback, fill", option,
	    (int)length, name);
}

int
tap_kinds(const struct tool *t, const char *option, const char *text, uint32_t *kinds)
{
	*kinds = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		int status = add_kind(t, option, text, length, kinds);
		if (status || !text[length])
			return status;
		text += length + 1;
	}
}

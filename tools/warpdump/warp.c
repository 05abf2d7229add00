/* WARP segments: a line for each run and each memory record, or with -x one for each instruction.
 */
#include "dump.h"
#include "warpcap/walk.h"

enum { SHOWN_ADDRESSES = 4 };

struct place {
	const struct wcp_warp_batch *batch;
	const struct wcp_program *program;
	uint32_t seg;
};

static const char *const event_name[] = {"barrier", "launch", "refused", "spin", "wait"};
static const char *const shape_name[] = {"affine", "tile16", "tile8", "tile4", "tile2", "list"};

void
warp_header(struct dump *d)
{
	static const char *const name[] = {"type", "kernel", "cta", "warp", "pc", "insns", "lanes",
	    "opcode", "space", "shape", "base", "stride", "pitch", "addresses", "what"};
	struct out *o = &d->out;
	out_begin(o, NULL);
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		out_text(o, "", "", name[i]);
	out_end(o);
	o->lines = 0;
}

/* What every line begins with. */
static void
begin(struct dump *d, const struct place *p, const char *type)
{
	struct out *o = &d->out;
	out_begin(o, type);
	if (o->format == TOOL_FORMAT_TSV)
		out_word(o, "type", "", type);
	out_u64(o, "kernel", "kernel ", p->batch->kernel);
	out_u64(o, "cta", "cta ", p->batch->seg_cta[p->seg]);
	out_u64(o, "warp", "warp ", p->batch->seg_warp[p->seg]);
}

static void
none(struct dump *d, unsigned n)
{
	if (d->out.format == TOOL_FORMAT_TSV)
		while (n--)
			out_none(&d->out, "");
}

static void
put_opcode(struct dump *d, const struct place *p, uint32_t pc)
{
	const char *opcode = p->program ? meta_opcode(p->program, pc) : NULL;
	if (opcode)
		out_text(&d->out, "opcode", "", opcode);
	else
		out_none(&d->out, "opcode");
}

static void
put_source(struct dump *d, const struct place *p, uint32_t pc)
{
	char text[512];
	if (d->out.format != TOOL_FORMAT_TSV && d->tool->verbose && p->program &&
	    meta_source(p->program, pc, text, sizeof text))
		out_text(&d->out, "source", "", text);
}

static void
put_list(struct dump *d, const struct wcp_warp_batch *b, uint32_t m)
{
	struct out *o = &d->out;
	uint64_t address[WCP_LANES];
	bool all = o->format != TOOL_TEXT || d->tool->verbose;
	unsigned n = 0, lanes = (unsigned)__builtin_popcount(b->mem_mask[m]);
	wcp_mem_expand(b, m, address);
	out_list(o, "addresses", "");
	for (uint32_t mask = b->mem_mask[m]; mask; mask &= mask - 1, n++)
		if (all || n < SHOWN_ADDRESSES)
			out_item(o, address[__builtin_ctz(mask)], n == 0);
	out_list_end(o);
	if (!all && lanes > SHOWN_ADDRESSES)
		out_u64(o, "", "and ", lanes - SHOWN_ADDRESSES);
	if (!all && lanes > SHOWN_ADDRESSES)
		out_raw(o, " more");
}

/* "global 0x2000+4*l", "global 0x2000+4*(l%16)+256*(l/16)", "global 0x10,0x80,..." */
static void
put_memory(struct dump *d, const struct wcp_warp_batch *b, uint32_t m)
{
	struct out *o = &d->out;
	unsigned shape = b->mem_shape[m] < WCP_MEM_SHAPE_COUNT ? b->mem_shape[m] : WCP_MEM_LIST;
	char text[96];
	out_word(o, "space", "", wcp_space_name(b->mem_space[m]));
	if (o->format != TOOL_TEXT) {
		out_word(o, "shape", "", shape_name[shape]);
		if (shape == WCP_MEM_LIST) {
			none(d, 3);
			put_list(d, b, m);
			return;
		}
		out_hex(o, "base", "", b->mem_base[m]);
		out_i64(o, "stride", "", b->mem_stride[m]);
		if (shape == WCP_MEM_AFFINE)
			none(d, 1);
		else
			out_i64(o, "pitch", "", b->mem_pitch[m]);
		none(d, 1);
		return;
	}
	if (shape == WCP_MEM_LIST) {
		put_list(d, b, m);
		return;
	}
	unsigned tile = shape >= WCP_MEM_TILE16 ? 16u >> (shape - WCP_MEM_TILE16) : 1;
	if (shape == WCP_MEM_AFFINE && b->mem_stride[m] == 0)
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)b->mem_base[m]);
	else if (shape == WCP_MEM_AFFINE)
		snprintf(text, sizeof text, "0x%llx%+lld*l", (unsigned long long)b->mem_base[m],
		    (long long)b->mem_stride[m]);
	else
		snprintf(text, sizeof text, "0x%llx%+lld*(l%%%u)%+lld*(l/%u)",
		    (unsigned long long)b->mem_base[m], (long long)b->mem_stride[m], tile,
		    (long long)b->mem_pitch[m], tile);
	out_text(o, "", "", text);
}

static void
put_what(struct dump *d, const struct place *p, const char *what)
{
	begin(d, p, "event");
	none(d, 10);
	out_text(&d->out, "what", "", what);
	out_end(&d->out);
}

static void
put_marks(struct dump *d, const struct place *p, bool ends)
{
	static const char *const mark[] = {"cta begins", "cta ends", "warp begins", "warp ends"};
	unsigned flags = p->batch->seg_flags[p->seg];
	static const unsigned order[2][2] = {{0, 2}, {3, 1}};
	for (unsigned i = 0; i < 2; i++)
		if (flags >> order[ends][i] & 1 && !out_full(&d->out))
			put_what(d, p, mark[order[ends][i]]);
	if (!ends && p->batch->seg_alt[p->seg] && !out_full(&d->out)) {
		char text[64];
		snprintf(text, sizeof text, "alternative of launch site %u",
		    p->batch->seg_alt[p->seg] - 1);
		put_what(d, p, text);
	}
}

static void
put_run(struct dump *d, const struct place *p, uint32_t run)
{
	const struct wcp_warp_batch *b = p->batch;
	struct out *o = &d->out;
	begin(d, p, "run");
	out_u64(o, "pc", "pc ", b->run_pc[run]);
	if (o->format == TOOL_TEXT && b->run_len[run] > 1) {
		out_raw(o, "-");
		o->begun = false;
		out_u64(o, "", "", b->run_pc[run] + b->run_len[run] - 1);
	}
	if (o->format != TOOL_TEXT)
		out_u64(o, "insns", "", b->run_len[run]);
	out_hex(o, "lanes", "lanes ", b->run_mask[run]);
	none(d, 8);
	out_end(o);
}

static void
put_record(struct dump *d, const struct place *p, uint32_t m)
{
	struct out *o = &d->out;
	begin(d, p, "mem");
	out_u64(o, "pc", "pc ", p->batch->mem_pc[m]);
	if (o->format == TOOL_FORMAT_TSV)
		out_u64(o, "insns", "", 1);
	out_hex(o, "lanes", "lanes ", p->batch->mem_mask[m]);
	put_opcode(d, p, p->batch->mem_pc[m]);
	put_memory(d, p->batch, m);
	put_source(d, p, p->batch->mem_pc[m]);
	none(d, 1);
	out_end(o);
}

static void
put_event(struct dump *d, const struct place *p, const struct wcp_walk *w, uint32_t i)
{
	const struct wcp_warp_batch *b = p->batch;
	struct out *o = &d->out;
	unsigned kind = b->event_kind[i];
	begin(d, p, "event");
	out_u64(o, "pc", "pc ", w->pc);
	none(d, 9);
	out_text(o, "what", "", kind < WCP_EVENT_COUNT ? event_name[kind] : "?");
	if (o->format != TOOL_FORMAT_TSV) {
		if (kind == WCP_EVENT_BARRIER) {
			out_u64(o, "barrier", "id ", b->event_arg[i] & UINT32_MAX);
			out_u64(o, "threads", "threads ", b->event_arg[i] >> 32);
		} else if (kind == WCP_EVENT_LAUNCH) {
			out_u64(o, "child", "kernel ", b->event_arg[i]);
			out_u64(o, "lane", "lane ", b->event_lane[i]);
		} else if (kind == WCP_EVENT_REFUSED) {
			out_u64(o, "site", "site ", b->event_arg[i]);
			out_u64(o, "lane", "lane ", b->event_lane[i]);
		}
	}
	out_end(o);
}

static void
put_insn(struct dump *d, const struct place *p, const struct wcp_walk *w)
{
	struct out *o = &d->out;
	uint32_t k = 0;
	do {
		begin(d, p, "insn");
		out_u64(o, "pc", "pc ", w->pc);
		if (o->format == TOOL_FORMAT_TSV)
			out_u64(o, "insns", "", 1);
		out_hex(o, "lanes", "lanes ",
		    w->n_mem ? p->batch->mem_mask[w->mem_first + k] : w->mask);
		put_opcode(d, p, w->pc);
		if (w->n_mem)
			put_memory(d, p->batch, w->mem_first + k);
		else
			none(d, 6);
		put_source(d, p, w->pc);
		none(d, 1);
		out_end(o);
	} while (++k < w->n_mem && !out_full(o));
}

static void
put_segment(struct dump *d, const struct place *p)
{
	struct out *o = &d->out;
	struct wcp_walk w;
	uint32_t run = WCP_NONE32;
	/* Under a filter a segment's begin and end are not what was asked for. */
	if (!d->filter)
		put_marks(d, p, false);
	wcp_walk_start(&w, p->batch, p->program, p->seg);
	while (!out_full(o) && wcp_walk_next(&w)) {
		if (d->expand)
			put_insn(d, p, &w);
		else if (w.run != run)
			put_run(d, p, run = w.run);
		for (uint32_t i = 0; !d->expand && i < w.n_mem && !out_full(o); i++)
			put_record(d, p, w.mem_first + i);
		for (uint32_t i = 0; i < w.n_event && !out_full(o); i++)
			put_event(d, p, &w, w.event_first + i);
	}
	if (!out_full(o) && !d->filter)
		put_marks(d, p, true);
}

int
warp_batch(struct dump *d, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	const struct wcp_kernel *k = wcp_reader_kernel(d->reader, b->kernel);
	struct place p = {.batch = b};
	p.program = k ? wcp_reader_program(d->reader, k->program) : NULL;
	if (d->filter && k) {
		wcp_warp_batch_clear(&d->matched);
		int r = wcp_filter_warp(d->filter, p.program, k, b, &d->matched, e);
		if (r < 0)
			return r;
		p.batch = &d->matched;
	}
	for (p.seg = 0; p.seg < p.batch->n_seg && !out_full(&d->out); p.seg++)
		put_segment(d, &p);
	return 0;
}

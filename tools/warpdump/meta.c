/* Lines that are not records: programs, kernels, host operations, states, the end. */
#include <string.h>
#include "dump.h"

const char *
meta_opcode(const struct wcp_program *p, uint32_t pc)
{
	if (pc >= p->n_insn || p->insn[pc].opcode >= p->n_string)
		return NULL;
	return p->strings + p->insn[pc].opcode;
}

bool
meta_source(const struct wcp_program *p, uint32_t pc, char *text, size_t room)
{
	if (pc >= p->n_insn || p->insn[pc].file >= p->n_string)
		return false;
	snprintf(text, room, "%s:%u", p->strings + p->insn[pc].file, p->insn[pc].line);
	return true;
}

static void
put_registers(struct out *o, const struct wcp_program *p, const struct wcp_insn *in)
{
	char text[512];
	size_t n = 0;
	unsigned count = (unsigned)in->ndst + in->nsrc;
	text[0] = 0;
	for (unsigned i = 0; i < count && in->regs + i < p->n_reg && n + 16 < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%u",
		    i == in->ndst ? (i ? " <- " : "<- ")
		    : i		  ? ","
				  : "",
		    p->reg[in->regs + i]);
	if (count)
		out_text(o, "registers", "r ", text);
}

static void
put_target(struct out *o, const char *name, const char *label, uint32_t pc)
{
	if (pc != WCP_NONE32)
		out_u64(o, name, label, pc);
}

static void
put_static_insn(struct dump *d, const struct wcp_program *p, uint32_t pc)
{
	static const char *const flag[] = {
	    "guarded", "memory", "volatile", "uncached", "readonly", "end_run"};
	const struct wcp_insn *in = &p->insn[pc];
	struct out *o = &d->out;
	char source[512];
	out_begin(o, "insn");
	out_u64(o, "pc", "  ", pc);
	out_text(o, "opcode", "", meta_opcode(p, pc) ? meta_opcode(p, pc) : "?");
	out_text(o, "class", "class ", wcp_op_class_name(in->op_class));
	if (in->flags & WCP_INSN_MEMORY) {
		out_text(o, "kind", "", wcp_kind_name(in->kind));
		out_text(o, "space", "", wcp_space_name(in->space));
		out_u64(o, "bytes", "bytes ", in->bytes);
	}
	put_registers(o, p, in);
	put_target(o, "target", "to ", in->target);
	put_target(o, "reconverge", "meets ", in->reconverge);
	for (unsigned i = 0; i < sizeof flag / sizeof *flag; i++)
		if (in->flags >> i & 1 && in->flags >> i != 0 && i != 1) {
			if (o->format == TOOL_FORMAT_JSON)
				out_u64(o, flag[i], "", 1);
			else
				out_text(o, flag[i], "", flag[i]);
		}
	if (meta_source(p, pc, source, sizeof source))
		out_text(o, "source", "", source);
	if (d->tool->verbose)
		out_u64(o, "ptx_line", "ptx ", in->ptx_line);
	out_end(o);
}

void
meta_program(struct dump *d, const struct wcp_program *p)
{
	struct out *o = &d->out;
	out_begin(o, "program");
	out_u64(o, "id", "program ", p->id);
	out_text(o, "name", "", p->name ? p->name : "");
	out_u64(o, "insns", "instructions ", p->n_insn);
	out_end(o);
	for (uint32_t pc = 0; d->program && pc < p->n_insn && !out_full(o); pc++)
		put_static_insn(d, p, pc);
}

static void
put_size(struct out *o, const char *name, const char *label, const uint32_t size[3])
{
	char text[48];
	snprintf(text, sizeof text, "%u,%u,%u", size[0], size[1], size[2]);
	out_text(o, name, label, text);
}

void
meta_kernel(struct dump *d, const struct wcp_kernel *k)
{
	static const char *const flag[] = {
	    "ordered", "spins", "cooperative", "partial", "alternative"};
	struct out *o = &d->out;
	out_begin(o, "kernel");
	out_u64(o, "id", "kernel ", k->id);
	out_text(o, "name", "", k->name ? k->name : "");
	put_size(o, "grid", "grid ", k->grid);
	put_size(o, "block", "block ", k->block);
	out_u64(o, "regs", "regs ", k->regs_per_thread);
	out_u64(o, "shared", "shared ", (uint64_t)k->static_shared_bytes + k->dynamic_shared_bytes);
	if (k->local_bytes || d->tool->verbose)
		out_u64(o, "local", "local ", k->local_bytes);
	if (k->stream || d->tool->verbose)
		out_u64(o, "stream", "stream ", k->stream);
	if (k->program != WCP_NONE32 && d->tool->verbose)
		out_u64(o, "program", "program ", k->program);
	if (k->parent != WCP_NONE32) {
		out_u64(o, "parent", "from kernel ", k->parent);
		out_u64(o, "parent_cta", "cta ", k->parent_cta);
		out_u64(o, "parent_warp", "warp ", k->parent_warp);
		out_u64(o, "parent_lane", "lane ", k->parent_lane);
		out_u64(o, "parent_pc", "pc ", k->parent_pc);
		if (k->workload)
			out_u64(o, "workload", "workload ", k->workload);
		if (d->tool->verbose) {
			out_u64(o, "depth", "depth ", k->depth);
			out_u64(o, "launch_order", "launch ", k->launch_order);
			out_u64(o, "site", "site ", k->site);
		}
	}
	for (unsigned i = 0; i < sizeof flag / sizeof *flag; i++)
		if (k->flags >> i & 1) {
			if (o->format == TOOL_FORMAT_JSON)
				out_u64(o, flag[i], "", 1);
			else
				out_text(o, flag[i], "", flag[i]);
		}
	out_end(o);
}

void
meta_kernel_end(struct dump *d, const struct wcp_kernel_end *end)
{
	struct out *o = &d->out;
	out_begin(o, "kernel_end");
	out_u64(o, "id", "end of kernel ", end->kernel);
	out_u64(o, "warp_insns", "warp instructions ", end->warp_insns);
	out_u64(o, "thread_insns", "thread instructions ", end->thread_insns);
	out_u64(o, "mem_insns", "memory instructions ", end->mem_insns);
	out_u64(o, "ctas", "ctas ", end->ctas);
	if (wcp_reader_link(d->reader) == WCP_LINK_ACCESS)
		out_u64(o, "accesses", "accesses ", end->accesses);
	out_end(o);
}

void
meta_host(struct dump *d, const struct wcp_host_op *op)
{
	static const char *const name[WCP_HOST_COUNT] = {"alloc", "free", "copy_in", "copy_out",
	    "copy_device", "memset", "sync", "event", "wait"};
	struct out *o = &d->out;
	unsigned kind = op->kind;
	out_begin(o, "host");
	out_text(o, "op", "host ", kind < WCP_HOST_COUNT ? name[kind] : "?");
	if (kind <= WCP_HOST_MEMSET)
		out_hex(o, "address", "", op->address);
	if (kind <= WCP_HOST_MEMSET && kind != WCP_HOST_FREE)
		out_u64(o, "bytes", "bytes ", op->bytes);
	if (kind == WCP_HOST_COPY_DEVICE)
		out_hex(o, "from", "from ", op->value);
	if (kind == WCP_HOST_MEMSET)
		out_u64(o, "value", "value ", op->value);
	if (kind == WCP_HOST_EVENT || kind == WCP_HOST_WAIT)
		out_u64(o, "event", "event ", op->address);
	if (kind >= WCP_HOST_SYNC && op->value == WCP_NONE32)
		out_text(o, "stream", "stream ", "all");
	else if (kind >= WCP_HOST_SYNC)
		out_u64(o, "stream", "stream ", op->value);
	if (op->label && op->label[0])
		out_text(o, "label", "", op->label);
	out_end(o);
}

static void
put_state(struct out *o, const struct wcp_state *s)
{
	static const char *const name[] = {"cta_begin", "cta_end", "warp_begin", "warp_end",
	    "active", "isolated", "stalled", "barrier"};
	out_begin(o, "state");
	out_u64(o, "cycle", "", s->cycle);
	out_u64(o, "sm", "sm ", s->sm);
	out_u64(o, "kernel", "kernel ", s->kernel);
	out_u64(o, "cta", "cta ", s->cta);
	if (s->warp != WCP_NONE16)
		out_u64(o, "warp", "warp ", s->warp);
	if (s->slot != WCP_NONE16)
		out_u64(o, "slot", "slot ", s->slot);
	out_text(o, "state", "state ", s->kind <= WCP_STATE_BARRIER ? name[s->kind] : "?");
	out_end(o);
}

void
meta_states(struct dump *d, const struct wcp_state *state, uint32_t n)
{
	for (uint32_t i = 0; i < n && !out_full(&d->out); i++)
		put_state(&d->out, &state[i]);
}

void
meta_end(struct dump *d, const struct wcp_totals *end)
{
	static const char *const flag[] = {"interrupted", "fault", "partial"};
	struct out *o = &d->out;
	out_begin(o, "end");
	out_u64(o, "kernels", "end: kernels ", end->kernels);
	out_u64(o, "records", "records ", end->records);
	for (unsigned i = 0; i < sizeof flag / sizeof *flag; i++)
		if (end->flags >> i & 1) {
			if (o->format == TOOL_FORMAT_JSON)
				out_u64(o, flag[i], "", 1);
			else
				out_text(o, flag[i], "", flag[i]);
		}
	out_end(o);
}

/* Makes small streams from a text description: known input for the tests of every tool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "warpcap/stream.h"
#include "unit/mkstream_usage.h"

struct line {
	char *word[48];
	unsigned n, number;
	bool used[48];
};

struct insns {
	struct wcp_insn *insn;
	uint32_t n;
};

static struct {
	struct line *line;
	unsigned n_line;
	const struct line *now;
	uint64_t i;    /* of the innermost repeat */
	uint64_t salt; /* numbers of the line read so far */
	enum wcp_link link;
	struct wcp_writer *w;
	struct wcp_write_options options;
	const char *output;
	uint32_t end_flags;

	struct wcp_program program[64];
	struct wcp_kernel kernel[64];
	struct wcp_kernel_end total[64];
	uint32_t n_program, n_kernel;
	bool program_open;
	struct wcp_insn insn[1024];
	uint16_t reg[4096];
	char *string;
	size_t n_string, cap_string;

	struct wcp_access_batch access;
	struct wcp_warp_batch warp;
	uint64_t n_access;
	uint32_t guard[4096], n_guard; /* of the open segment */
	bool seg_open;
} m;

static _Noreturn void
die(const char *what, const char *word)
{
	fprintf(stderr, "mkstream: line %u: %s%s%s\n", m.now ? m.now->number : 0, what,
	    *word ? ": " : "", word);
	exit(2);
}

static void
check(int status, const struct wcp_error *e)
{
	if (status < 0) {
		fprintf(stderr, "mkstream: %s\n", e ? e->text : "out of memory");
		exit(-status);
	}
}

static uint64_t
mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
	return x ^ (x >> 32);
}

static uint64_t
number(const char *s)
{
	char *end;
	uint64_t a = strtoull(s, &end, 0);
	m.salt++;
	if (*end == '+')
		a += strtoull(end + 1, &end, 0) * m.i;
	else if (*end == '~') {
		uint64_t n = strtoull(end + 1, &end, 0);
		uint64_t step = *end == '*' ? strtoull(end + 1, &end, 0) : 1;
		a += n ? mix(m.i * 64 + m.salt) % n * step : 0;
	} else if (*end == '-' && end == s)
		a = strtoull(s, &end, 0);
	if (*end || end == s)
		die("not a number", s);
	return a;
}

/* The value of KEY=VALUE, NULL if the line does not have it. */
static const char *
text(struct line *l, const char *key)
{
	size_t n = strlen(key);
	for (unsigned i = 1; i < l->n; i++)
		if (strncmp(l->word[i], key, n) == 0 && l->word[i][n] == '=') {
			l->used[i] = true;
			return l->word[i] + n + 1;
		}
	return NULL;
}

static uint64_t
get(struct line *l, const char *key, uint64_t otherwise)
{
	const char *s = text(l, key);
	return s ? number(s) : otherwise;
}

static bool
flag(struct line *l, const char *name)
{
	for (unsigned i = 1; i < l->n; i++)
		if (!l->used[i] && strcmp(l->word[i], name) == 0)
			return l->used[i] = true;
	return false;
}

/* The next word without a key. */
static char *
bare(struct line *l)
{
	for (unsigned i = 1; i < l->n; i++)
		if (!l->used[i] && !strchr(l->word[i], '=')) {
			l->used[i] = true;
			return l->word[i];
		}
	return NULL;
}

static char *
need(struct line *l, const char *what)
{
	char *s = bare(l);
	if (!s)
		die("missing", what);
	return s;
}

static void
all_used(const struct line *l)
{
	for (unsigned i = 1; i < l->n; i++)
		if (!l->used[i])
			die("unknown word", l->word[i]);
}

static unsigned
one_of(const char *s, const char *const *name, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (name[i] && strcmp(name[i], s) == 0)
			return i;
	die("unknown name", s);
}

static enum wcp_space
space_of(const char *s)
{
	for (unsigned i = 0; i < WCP_SPACE_COUNT; i++)
		if (strcmp(wcp_space_name((enum wcp_space)i), s) == 0)
			return (enum wcp_space)i;
	die("unknown space", s);
}

static uint8_t
kind_of(const char *s)
{
	for (unsigned i = 0; i < WCP_KIND_COUNT; i++)
		if (strcmp(wcp_kind_name((enum wcp_access_kind)i), s) == 0)
			return (uint8_t)i;
	die("unknown kind", s);
}

static uint8_t
class_of(const char *s)
{
	for (unsigned i = 0; i < WCP_OP_COUNT; i++)
		if (strcmp(wcp_op_class_name((enum wcp_op_class)i), s) == 0)
			return (uint8_t)i;
	die("unknown class", s);
}

/* ---- programs and kernels ---------------------------------------------------------------- */

static uint32_t
string_add(const char *s)
{
	size_t n = strlen(s) + 1;
	if (m.n_string + n > m.cap_string) {
		m.cap_string = 2 * (m.cap_string + n);
		m.string = realloc(m.string, m.cap_string);
		if (!m.string)
			die("out of memory", "");
	}
	memcpy(m.string + m.n_string, s, n);
	m.n_string += n;
	return (uint32_t)(m.n_string - n);
}

static void *
copy_of(const void *from, size_t bytes)
{
	void *to = malloc(bytes ? bytes : 1);
	if (!to)
		die("out of memory", "");
	return memcpy(to, from, bytes);
}

static void
close_program(void)
{
	struct wcp_error e;
	if (!m.program_open)
		return;
	struct wcp_program *p = &m.program[m.n_program++];
	p->insn = copy_of(m.insn, p->n_insn * sizeof *m.insn);
	p->reg = copy_of(m.reg, p->n_reg * sizeof *m.reg);
	p->n_string = (uint32_t)m.n_string;
	p->strings = copy_of(m.string, m.n_string);
	m.program_open = false;
	check(wcp_writer_program(m.w, p, &e), &e);
}

static void
do_program(struct line *l)
{
	close_program();
	if (m.n_program == 64)
		die("too many programs", "");
	m.program[m.n_program] =
	    (struct wcp_program){.id = m.n_program, .name = copy_of(need(l, "name"), 64)};
	m.program_open = true;
	m.n_string = 0;
	string_add("");
}

/* What an opcode says by itself. */
static void
guess(struct wcp_insn *in, const char *op)
{
	static const struct {
		const char *start;
		uint8_t op_class, kind;
		uint16_t flags;
	} known[] = {
	    {"ld.", WCP_OP_LOAD, WCP_LOAD, WCP_INSN_MEMORY},
	    {"st.", WCP_OP_STORE, WCP_STORE, WCP_INSN_MEMORY},
	    {"atom.", WCP_OP_ATOMIC, WCP_ATOMIC, WCP_INSN_MEMORY},
	    {"red.", WCP_OP_ATOMIC, WCP_REDUCE, WCP_INSN_MEMORY},
	    {"prefetch.", WCP_OP_LOAD, WCP_PREFETCH, WCP_INSN_MEMORY},
	    {"bra", WCP_OP_BRANCH, 0, WCP_INSN_END_RUN},
	    {"exit", WCP_OP_EXIT, 0, WCP_INSN_END_RUN},
	    {"ret", WCP_OP_EXIT, 0, WCP_INSN_END_RUN},
	    {"bar", WCP_OP_BARRIER, 0, WCP_INSN_END_RUN},
	    {"add", WCP_OP_INT, 0, 0},
	    {"fma", WCP_OP_FMA, 0, 0},
	    {"", WCP_OP_MOVE, 0, 0},
	};
	unsigned i = 0;
	while (strncmp(op, known[i].start, strlen(known[i].start)) != 0)
		i++;
	in->op_class = known[i].op_class;
	in->kind = known[i].kind;
	in->flags = known[i].flags;
	for (unsigned s = WCP_SPACE_GLOBAL; in->flags & WCP_INSN_MEMORY && s < WCP_SPACE_COUNT; s++)
		if (strstr(op, wcp_space_name((enum wcp_space)s)))
			in->space = (uint8_t)s;
	if (in->flags & WCP_INSN_MEMORY)
		in->bytes = strstr(op, "64") ? 8 : strstr(op, "16") ? 2 : strstr(op, "8") ? 1 : 4;
	if (in->flags & WCP_INSN_MEMORY && in->space == WCP_SPACE_NONE)
		in->space = WCP_SPACE_GENERIC;
}

static uint8_t
registers(struct line *l, const char *key)
{
	uint8_t n = 0;
	struct wcp_program *p = &m.program[m.n_program];
	for (const char *s = text(l, key); s && *s; n++) {
		char *end;
		m.reg[p->n_reg++] = (uint16_t)strtoul(s, &end, 0);
		s = *end ? end + 1 : end;
	}
	return n;
}

static void
source_line(struct wcp_insn *in, const char *s)
{
	in->file = WCP_NONE32;
	const char *colon = s ? strrchr(s, ':') : NULL;
	if (!colon)
		return;
	char name[256];
	snprintf(name, sizeof name, "%.*s", (int)(colon - s), s);
	in->file = string_add(name);
	in->line = (uint32_t)number(colon + 1);
}

static void
do_insn(struct line *l)
{
	static const char *const name[] = {
	    "guarded", "memory", "volatile", "uncached", "readonly", "end_run"};
	struct wcp_program *p = &m.program[m.n_program];
	if (!m.program_open || p->n_insn == 1024 || p->n_reg > 4000)
		die("no program is open, or it is too long", "");
	struct wcp_insn in = {0};
	const char *op = need(l, "opcode"), *s;
	guess(&in, op);
	in.opcode = string_add(op);
	in.op_class = (s = text(l, "class")) ? class_of(s) : in.op_class;
	in.space = (s = text(l, "space")) ? (uint8_t)space_of(s) : in.space;
	in.kind = (s = text(l, "kind")) ? kind_of(s) : in.kind;
	in.bytes = (uint16_t)get(l, "bytes", in.bytes);
	in.target = (uint32_t)get(l, "target", WCP_NONE32);
	in.reconverge = (uint32_t)get(l, "reconverge", WCP_NONE32);
	in.bar_id = (uint16_t)get(l, "bar", 0);
	in.regs = p->n_reg;
	in.ndst = registers(l, "dst");
	in.nsrc = registers(l, "src");
	in.ptx_line = (uint32_t)get(l, "ptx", p->n_insn + 1);
	source_line(&in, text(l, "line"));
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		if (flag(l, name[i]))
			in.flags |= (uint16_t)(1u << i);
	m.insn[p->n_insn++] = in;
}

static void
triple(struct line *l, const char *key, uint32_t v[3])
{
	const char *s = text(l, key);
	for (int i = 0; i < 3; i++) {
		char *end = NULL;
		v[i] = s && *s ? (uint32_t)strtoul(s, &end, 0) : 1;
		s = end && *end == ',' ? end + 1 : end;
	}
}

static void
do_kernel(struct line *l)
{
	struct wcp_error e;
	if (m.n_kernel == 64)
		die("too many kernels", "");
	struct wcp_kernel *k = &m.kernel[m.n_kernel];
	*k = (struct wcp_kernel){.id = m.n_kernel, .name = copy_of(need(l, "name"), 64)};
	uint32_t same = WCP_NONE32;
	for (uint32_t i = 0; i < m.n_program; i++)
		if (strcmp(m.program[i].name, k->name) == 0)
			same = i;
	k->program = (uint32_t)get(l, "program", same);
	triple(l, "grid", k->grid);
	triple(l, "block", k->block);
	k->regs_per_thread = (uint32_t)get(l, "regs", 16);
	k->static_shared_bytes = (uint32_t)get(l, "shared", 0);
	k->dynamic_shared_bytes = (uint32_t)get(l, "dynamic", 0);
	k->local_bytes = (uint32_t)get(l, "local", 0);
	k->stream = get(l, "stream", 0);
	k->flags = (uint32_t)get(l, "flags", 0);
	k->parent = (uint32_t)get(l, "parent", WCP_NONE32);
	k->parent_cta = (uint32_t)get(l, "parent_cta", 0);
	k->depth = (uint32_t)get(l, "depth", k->parent != WCP_NONE32);
	m.total[m.n_kernel].kernel = m.n_kernel;
	m.n_kernel++;
	check(wcp_writer_kernel(m.w, k, &e), &e);
}

static void
do_end_kernel(struct line *l)
{
	struct wcp_error e;
	const char *s = bare(l);
	uint64_t id = s ? number(s) : m.n_kernel - 1;
	if (id >= m.n_kernel)
		die("no such kernel", s ? s : "");
	check(wcp_writer_kernel_end(m.w, &m.total[id], &e), &e);
}

static void
do_host(struct line *l)
{
	static const char *const name[WCP_HOST_COUNT] = {"alloc", "free", "copy_in", "copy_out",
	    "copy_device", "memset", "sync", "event", "wait"};
	struct wcp_error e;
	const char *label = text(l, "label");
	struct wcp_host_op op = {.label = label ? label : ""};
	op.kind = (enum wcp_host_kind)one_of(need(l, "operation"), name, WCP_HOST_COUNT);
	op.address = get(l, "address", 0);
	op.bytes = get(l, "bytes", 0);
	op.value = get(l, "value", 0);
	op.stream = get(l, "stream", 0);
	check(wcp_writer_host(m.w, &op, &e), &e);
}

/* ---- ACCESS ------------------------------------------------------------------------------ */

static void
do_state(struct line *l)
{
	static const char *const name[] = {"cta_begin", "cta_end", "warp_begin", "warp_end",
	    "active", "isolated", "stalled", "barrier"};
	struct wcp_error e;
	struct wcp_state s = {.cycle = get(l, "cycle", 0),
	    .kernel = (uint32_t)get(l, "kernel", m.n_kernel - 1),
	    .cta = (uint32_t)get(l, "cta", 0),
	    .sm = (uint16_t)get(l, "sm", 0),
	    .warp = (uint16_t)get(l, "warp", 0),
	    .slot = (uint16_t)get(l, "slot", WCP_NONE16)};
	s.kind = (uint16_t)one_of(need(l, "state"), name, 8);
	check(wcp_writer_state(m.w, &s, 1, &e), &e);
}

static uint32_t
outcome(struct line *l)
{
	static const char *const level[] = {"l1", "l2", "l3", "l4"};
	static const char *const name[WCP_OUT_COUNT] = {"none", "hit", "miss", "sector", "pending",
	    "bypass", "redirect", "redirect_miss", "forward"};
	uint32_t all = 0;
	for (unsigned i = 0; i < 4; i++) {
		const char *s = text(l, level[i]);
		if (s)
			all |= WCP_OUTCOME_SET(i, one_of(s, name, WCP_OUT_COUNT));
	}
	return all;
}

static uint16_t
access_flags(struct line *l)
{
	static const char *const name[] = {
	    "divergent", "first", "prefetch", "lock", "critical", "uncached", "dirty"};
	unsigned flags = 0;
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		flags |= (unsigned)flag(l, name[i]) << i;
	return (uint16_t)flags;
}

static void
do_access(struct line *l)
{
	struct wcp_access_batch *b = &m.access;
	const char *s;
	check(wcp_access_batch_reserve(b, 1), NULL);
	uint32_t i = b->n++;
	b->cycle[i] = get(l, "cycle", m.n_access);
	b->id[i] = get(l, "id", m.n_access);
	b->sm[i] = (uint16_t)get(l, "sm", 0);
	b->kernel[i] = (uint32_t)get(l, "kernel", m.n_kernel - 1);
	b->cta[i] = (uint32_t)get(l, "cta", 0);
	b->warp[i] = (uint16_t)get(l, "warp", 0);
	b->slot[i] = (uint16_t)get(l, "slot", WCP_NONE16);
	b->pc[i] = (uint32_t)get(l, "pc", 0);
	b->line[i] = get(l, "line", 0);
	b->sectors[i] = (uint32_t)get(l, "sectors", 0xf);
	b->lanes[i] = (uint32_t)get(l, "lanes", WCP_FULL_MASK);
	b->kind[i] = (s = text(l, "kind")) ? kind_of(s) : WCP_LOAD;
	b->space[i] = (s = text(l, "space")) ? (uint8_t)space_of(s) : WCP_SPACE_GLOBAL;
	b->flags[i] = access_flags(l);
	b->outcome[i] = outcome(l);
	b->tag[i] = (uint32_t)get(l, "tag", 0);
	b->victim[i] = get(l, "victim", UINT64_MAX);
	b->victim_owner[i] = (uint32_t)get(l, "owner", WCP_NONE32);
	uint32_t sectors = (uint32_t)__builtin_popcount(b->sectors[i]);
	b->bytes[i] = (uint16_t)get(l, "bytes", sectors * WCP_SECTOR_BYTES);
	m.n_access++;
	if (b->kernel[i] < m.n_kernel)
		m.total[b->kernel[i]].accesses++;
}

/* ---- WARP -------------------------------------------------------------------------------- */

/* Gives the open segment's guards, and its memory records their pc and lanes, and counts. */
static void
close_segment(void)
{
	struct wcp_warp_batch *b = &m.warp;
	if (!m.seg_open)
		return;
	m.seg_open = false;
	uint32_t seg = b->n_seg - 1, mem = b->seg_mem[seg], guard = 0;
	const struct wcp_program *p = &m.program[m.kernel[b->kernel].program];
	struct wcp_kernel_end *total = &m.total[b->kernel];
	total->ctas += b->seg_flags[seg] & WCP_SEG_CTA_END ? 1 : 0;
	for (uint32_t r = b->seg_run[seg]; r < b->n_run; r++)
		for (uint32_t pc = b->run_pc[r]; pc < b->run_pc[r] + b->run_len[r]; pc++) {
			uint32_t mask = b->run_mask[r];
			if (pc >= p->n_insn)
				die("a run leaves the program", "");
			if (p->insn[pc].flags & WCP_INSN_GUARDED) {
				check(wcp_warp_batch_reserve_guard(b, 1), NULL);
				mask = guard < m.n_guard ? m.guard[guard] : mask;
				guard++;
				b->guard_mask[b->n_guard++] = mask;
			}
			b->warp_insns++;
			b->thread_insns += (uint32_t)__builtin_popcount(mask);
			total->warp_insns++;
			total->thread_insns += (uint32_t)__builtin_popcount(mask);
			if (!(p->insn[pc].flags & WCP_INSN_MEMORY) || !mask)
				continue;
			total->mem_insns++;
			bool more = true;
			for (; more; mem++) {
				if (mem == b->n_mem)
					die("the segment has too few 'mem'", "");
				more = b->mem_flags[mem] & WCP_MEM_MORE;
				b->mem_pc[mem] = pc;
				if (b->mem_mask[mem] == 0)
					b->mem_mask[mem] = mask;
			}
		}
	if (mem != b->n_mem || (m.n_guard && guard < m.n_guard))
		die("the segment has too many 'mem' or 'guard'", "");
	b->seg_run[seg + 1] = b->n_run;
	b->seg_guard[seg + 1] = b->n_guard;
	b->seg_mem[seg + 1] = b->n_mem;
	b->seg_event[seg + 1] = b->n_event;
}

static void
flush(void)
{
	struct wcp_error e;
	close_segment();
	if (m.warp.n_seg)
		check(wcp_writer_warp(m.w, &m.warp, &e), &e);
	if (m.access.n)
		check(wcp_writer_access(m.w, &m.access, &e), &e);
	wcp_warp_batch_clear(&m.warp);
	wcp_access_batch_clear(&m.access);
}

static void
do_seg(struct line *l)
{
	static const char *const name[] = {"cta_begin", "cta_end", "warp_begin", "warp_end"};
	unsigned flags = 0;
	close_segment();
	uint32_t kernel = (uint32_t)get(l, "kernel", m.n_kernel - 1);
	if (kernel >= m.n_kernel || m.kernel[kernel].program >= m.n_program)
		die("a segment needs a kernel with a program", "");
	if (m.warp.kernel != kernel)
		flush();
	for (unsigned i = 0; i < 4; i++)
		flags |= (unsigned)flag(l, name[i]) << i;
	m.warp.kernel = kernel;
	check(wcp_warp_batch_segment(&m.warp, (uint32_t)get(l, "cta", 0),
		  (uint16_t)get(l, "warp", 0), (uint8_t)flags, (uint32_t)get(l, "alt", 0)),
	    NULL);
	m.seg_open = true;
	m.n_guard = 0;
}

static void
in_segment(void)
{
	if (!m.seg_open)
		die("no segment is open", "");
}

static void
do_run(struct line *l)
{
	struct wcp_warp_batch *b = &m.warp;
	in_segment();
	check(wcp_warp_batch_reserve_run(b, 1), NULL);
	b->run_mask[b->n_run] = (uint32_t)get(l, "mask", WCP_FULL_MASK);
	b->run_pc[b->n_run] = (uint32_t)number(need(l, "pc"));
	const char *s = bare(l);
	b->run_len[b->n_run++] = s ? (uint32_t)number(s) : 1;
}

static void
do_guard(struct line *l)
{
	in_segment();
	if (m.n_guard == 4096)
		die("too many guards", "");
	m.guard[m.n_guard++] = (uint32_t)number(need(l, "mask"));
}

static void
do_mem(struct line *l)
{
	static const char *const shape[WCP_MEM_SHAPE_COUNT] = {
	    "affine", "tile16", "tile8", "tile4", "tile2", "list"};
	struct wcp_warp_batch *b = &m.warp;
	in_segment();
	check(wcp_warp_batch_reserve_mem(b, 1), NULL);
	uint32_t i = b->n_mem++;
	b->mem_flags[i] = flag(l, "more") ? WCP_MEM_MORE : 0;
	b->mem_mask[i] = (uint32_t)get(l, "mask", 0);
	b->mem_space[i] = (uint8_t)space_of(need(l, "space"));
	b->mem_shape[i] = (uint8_t)one_of(need(l, "shape"), shape, WCP_MEM_SHAPE_COUNT);
	b->mem_base[i] = 0;
	b->mem_stride[i] = b->mem_pitch[i] = 0;
	b->mem_addr[i] = b->n_addr;
	if (b->mem_shape[i] == WCP_MEM_LIST) {
		for (const char *s; (s = bare(l));) {
			check(wcp_warp_batch_reserve_addr(b, 1), NULL);
			b->addr[b->n_addr++] = number(s);
		}
		return;
	}
	b->mem_base[i] = number(need(l, "base"));
	b->mem_stride[i] = (int64_t)number(need(l, "stride"));
	if (b->mem_shape[i] != WCP_MEM_AFFINE)
		b->mem_pitch[i] = (int64_t)number(need(l, "pitch"));
}

static void
do_event(struct line *l)
{
	static const char *const name[WCP_EVENT_COUNT] = {
	    "barrier", "launch", "refused", "spin", "wait"};
	struct wcp_warp_batch *b = &m.warp;
	in_segment();
	check(wcp_warp_batch_reserve_event(b, 1), NULL);
	uint32_t i = b->n_event++;
	b->event_kind[i] = (uint8_t)one_of(need(l, "kind"), name, WCP_EVENT_COUNT);
	b->event_at[i] = (uint32_t)get(l, "at", 0);
	b->event_arg[i] = get(l, "arg", 0);
	b->event_lane[i] = (uint8_t)get(l, "lane", 0);
}

/* ---- statements -------------------------------------------------------------------------- */

static void
do_flush(struct line *l)
{
	(void)l;
	flush();
}

static void
do_link(struct line *l)
{
	struct wcp_error e;
	const char *s = need(l, "warp or access");
	if (m.w)
		die("link is known already", "");
	m.link = strcmp(s, "warp") == 0 ? WCP_LINK_WARP : WCP_LINK_ACCESS;
	m.w = wcp_writer_open(m.output, m.link, &m.options, &e);
	check(m.w ? 0 : (int)e.status, &e);
}

static void
do_end(struct line *l)
{
	static const char *const name[] = {"interrupted", "fault", "partial"};
	for (unsigned i = 0; i < 3; i++)
		m.end_flags |= (uint32_t)flag(l, name[i]) << i;
}

static const struct {
	const char *word;
	void (*act)(struct line *l);
	bool keeps; /* adds to the batch that is open */
} statement[] = {
    {"link", do_link, false},
    {"program", do_program, false},
    {"insn", do_insn, true},
    {"kernel", do_kernel, false},
    {"end_kernel", do_end_kernel, false},
    {"host", do_host, false},
    {"access", do_access, true},
    {"state", do_state, false},
    {"seg", do_seg, true},
    {"run", do_run, true},
    {"guard", do_guard, true},
    {"mem", do_mem, true},
    {"event", do_event, true},
    {"flush", do_flush, false},
    {"end", do_end, false},
};

static void
act(struct line *l)
{
	m.now = l;
	m.salt = 0;
	memset(l->used, 0, sizeof l->used);
	for (unsigned i = 0; i < sizeof statement / sizeof *statement; i++) {
		if (strcmp(statement[i].word, l->word[0]) != 0)
			continue;
		if (!m.w && statement[i].act != do_link)
			die("the first statement must be 'link'", "");
		if (!statement[i].keeps && m.w)
			flush();
		if (statement[i].act != do_insn && m.w)
			close_program();
		statement[i].act(l);
		all_used(l);
		return;
	}
	die("unknown statement", l->word[0]);
}

/* Lines first..last; returns the one after. */
static unsigned
block(unsigned first, bool inside)
{
	unsigned i = first;
	while (i < m.n_line) {
		struct line *l = &m.line[i];
		m.now = l;
		if (strcmp(l->word[0], "done") == 0) {
			if (!inside)
				die("'done' without 'repeat'", "");
			return i + 1;
		}
		if (strcmp(l->word[0], "repeat") != 0) {
			act(l);
			i++;
			continue;
		}
		if (l->n < 2)
			die("repeat how often?", "");
		uint64_t times = number(l->word[1]), outer = m.i;
		unsigned after = i + 1;
		for (m.i = 0; m.i < times; m.i++)
			after = block(i + 1, true);
		m.i = outer;
		i = after;
	}
	if (inside)
		die("'repeat' without 'done'", "");
	return i;
}

static void
read_lines(FILE *f)
{
	char buf[4096];
	for (unsigned number_now = 1; fgets(buf, sizeof buf, f); number_now++) {
		struct line l = {.number = number_now};
		buf[strcspn(buf, "#\n")] = 0;
		for (char *s = strtok(buf, " \t"); s && l.n < 48; s = strtok(NULL, " \t")) {
			char *copy = calloc(1, strlen(s) + 64); /* names are copied as 64 bytes */
			if (copy)
				l.word[l.n++] = strcpy(copy, s);
		}
		if (l.n == 0)
			continue;
		if ((m.n_line & (m.n_line - 1)) == 0)
			m.line = realloc(m.line, (m.n_line ? 2 * m.n_line : 1) * sizeof l);
		if (!m.line)
			die("out of memory", "");
		m.line[m.n_line++] = l;
	}
}

int
main(int argc, char **argv)
{
	static const char *provenance[16];
	struct wcp_error e;
	int c;
	m.output = "-";
	m.options.level = WCP_LEVEL_DEFAULT;
	m.options.provenance = provenance;
	while ((c = getopt(argc, argv, "Z:j:o:p:h")) != -1) {
		if (c == 'Z')
			m.options.level = atoi(optarg);
		else if (c == 'j')
			m.options.threads = (unsigned)atoi(optarg);
		else if (c == 'o')
			m.output = optarg;
		else if (c == 'p' && m.options.n_provenance < 16)
			provenance[m.options.n_provenance++] = optarg;
		else {
			fputs(usage_text, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	FILE *f = optind < argc ? fopen(argv[optind], "r") : stdin;
	if (!f) {
		perror(argv[optind]);
		return 4;
	}
	wcp_warp_batch_init(&m.warp);
	wcp_access_batch_init(&m.access);
	read_lines(f);
	block(0, false);
	if (!m.w)
		die("no 'link'", "");
	flush();
	close_program();
	check(wcp_writer_close(m.w, m.end_flags, &e), &e);
	return 0;
}

/* A kernel's program, prepared for the machine: units, latencies, what a barrier waits for. */
#include "gpu/program.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool
unit_named(const char *name, size_t n, uint8_t *unit)
{
	for (unsigned u = 0; u < UNIT_MEM; u++) {
		const char *text = wcp_unit_name((enum wcp_unit)u);
		if (strlen(text) == n && !strncmp(text, name, n)) {
			*unit = (uint8_t)u;
			return true;
		}
	}
	return false;
}

/* One exception: "PATTERN=LATENCY/INTERVAL@UNIT"; end is past its last character. */
static int
exception_parse(struct op_exception *x, const char *text, const char *end, struct wcp_error *e)
{
	int n = 0;
	unsigned latency, interval;
	const char *eq = memchr(text, '=', (size_t)(end - text));
	const char *at = memchr(text, '@', (size_t)(end - text));
	if (!eq || !at || at < eq || (size_t)(eq - text) >= sizeof x->pattern || eq == text)
		return wcp_fail(e, WCP_EUSAGE, "'%.*s' is not PATTERN=LATENCY/INTERVAL@UNIT",
		    (int)(end - text), text);
	if (sscanf(eq + 1, "%4u/%4u%n", &latency, &interval, &n) != 2 || eq + 1 + n != at ||
	    !latency || !interval || latency > 800 || interval > latency * 8)
		return wcp_fail(e, WCP_EUSAGE, "'%.*s' has no latency and interval from 1 to 800",
		    (int)(end - text), text);
	memcpy(x->pattern, text, (size_t)(eq - text));
	x->pattern[eq - text] = 0;
	x->timing.latency = (uint16_t)latency;
	x->timing.interval = (uint16_t)interval;
	if (!unit_named(at + 1, (size_t)(end - at - 1), &x->timing.unit))
		return wcp_fail(
		    e, WCP_EUSAGE, "'%.*s' names no unit: sp, sfu, dp", (int)(end - text), text);
	return 0;
}

static int
exceptions_add(struct op_exceptions *x, const char *text, struct wcp_error *e)
{
	if (!text)
		return 0;
	for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
		const char *end = p + strcspn(p, " \t");
		if (x->n == OP_EXCEPTIONS_MAX)
			return wcp_fail(
			    e, WCP_EUSAGE, "more than %d exceptions", OP_EXCEPTIONS_MAX);
		int status = exception_parse(&x->exception[x->n], p, end, e);
		if (status)
			return status;
		x->n++;
		p = end;
	}
	return 0;
}

int
op_exceptions_init(struct op_exceptions *x, const struct wcp_latency_config *c, struct wcp_error *e)
{
	const char *const text[] = {
	    c->int_opcodes, c->f32_opcodes, c->f64_opcodes, c->other_opcodes};
	*x = (struct op_exceptions){0};
	for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++) {
		int status = exceptions_add(x, text[i], e);
		if (status)
			return status;
	}
	return 0;
}

static uint8_t
unit_of(uint8_t op_class)
{
	switch (op_class) {
	case WCP_OP_IDIV:
	case WCP_OP_FDIV:
	case WCP_OP_SFU: return UNIT_SFU;
	case WCP_OP_DADD:
	case WCP_OP_DDIV: return UNIT_DP;
	default: return UNIT_SP;
	}
}

static struct op_timing
timing_of(const struct gpu_config *set, const struct op_exceptions *x, const char *opcode,
    uint8_t op_class)
{
	for (unsigned i = 0; i < x->n; i++) {
		if (!fnmatch(x->exception[i].pattern, opcode, 0))
			return x->exception[i].timing;
	}
	uint8_t c = op_class < WCP_OP_COUNT ? op_class : WCP_OP_OTHER;
	return (struct op_timing){
	    (uint16_t)set->latency.ck[c], (uint16_t)set->interval.ck[c], unit_of(c)};
}

static uint16_t
flags_of(const struct wcp_insn *in, const char *opcode)
{
	uint16_t flags = in->flags & WCP_INSN_UNCACHED ? INSN_UNCACHED : 0;
	bool fast = in->space == WCP_SPACE_GLOBAL || in->space == WCP_SPACE_LOCAL ||
		    in->space == WCP_SPACE_GENERIC;
	if (in->flags & WCP_INSN_MEMORY)
		flags |= INSN_MEMORY | (in->kind == WCP_LOAD && fast ? INSN_LOAD : 0);
	if (in->op_class == WCP_OP_BARRIER && strncmp(opcode, "bar.warp", 8) != 0)
		flags |= INSN_BARRIER | (strstr(opcode, ".arrive") ? INSN_ARRIVE : 0);
	return flags;
}

/* Registers to read, by bank; a register named twice is read once. */
static void
take_operands(struct insn *in, uint32_t banks)
{
	const uint16_t *src = in->reg + in->n_dst;
	for (unsigned i = 0; i < in->n_src && in->n_read < READS_MAX; i++) {
		unsigned k = 0;
		while (k < i && src[k] != src[i])
			k++;
		if (k == i)
			in->read[in->n_read++] = (uint8_t)(src[i] % (banks ? banks : 64));
	}
}

static void
prepare(struct insn *out, const struct gpu_config *set, const struct op_exceptions *x,
    const struct wcp_program *p, const struct wcp_insn *in)
{
	const char *opcode = p->strings + in->opcode;
	struct op_timing t = timing_of(set, x, opcode, in->op_class);
	*out = (struct insn){
	    .reg = p->reg + in->regs,
	    .latency = t.latency,
	    .interval = t.interval,
	    .bytes = in->bytes,
	    .n_dst = in->ndst,
	    .n_src = in->nsrc,
	    .unit = in->flags & WCP_INSN_MEMORY ? UNIT_MEM : t.unit,
	    .kind = in->kind,
	    .space = in->space,
	    .op_class = in->op_class,
	    .flags = flags_of(in, opcode),
	    .bar_id = in->bar_id,
	    .bar_warps = (uint16_t)((in->bar_count + WCP_LANES - 1) / WCP_LANES),
	};
	if (out->unit == UNIT_DP && !set->sm.unit[UNIT_DP].units)
		out->unit = UNIT_SFU;
	take_operands(out, set->sm.register_banks);
}

/* Registers of an instruction word by word, from *use on, which is moved behind them. */
static void
take_uses(struct insn *in, struct register_use **use)
{
	struct register_use *first = *use;
	in->use = first;
	for (unsigned i = 0; i < (unsigned)in->n_dst + in->n_src; i++) {
		struct register_use *u = first;
		while (u != *use && u->word != in->reg[i] / 64)
			u++;
		if (u == *use)
			*(*use)++ = (struct register_use){.word = in->reg[i] / 64};
		u->mask |= 1ull << in->reg[i] % 64;
	}
	in->n_use = (uint16_t)(*use - first);
	in->dst_word = in->n_dst ? in->reg[0] / 64 : 0;
	for (unsigned i = 0; i < in->n_dst; i++) {
		in->scattered |= in->reg[i] / 64 != in->dst_word;
		in->dst_mask |= 1ull << in->reg[i] % 64;
	}
}

static bool
is_plain(const struct wcp_insn *in)
{
	return !(in->flags & (WCP_INSN_GUARDED | WCP_INSN_MEMORY)) &&
	       in->op_class != WCP_OP_BARRIER;
}

static void
find_plain(struct program *out, const struct wcp_program *p)
{
	for (uint32_t pc = out->n_insn; pc-- > 1;) {
		uint16_t after = out->insn[pc].plain;
		bool plain = is_plain(&p->insn[pc]);
		out->insn[pc - 1].plain = plain ? (uint16_t)(after + (after < UINT16_MAX)) : 0;
	}
}

static size_t
register_count(const struct wcp_program *p, uint32_t n)
{
	size_t registers = 0;
	for (uint32_t pc = 0; pc < n; pc++)
		registers += (size_t)p->insn[pc].ndst + p->insn[pc].nsrc;
	return registers;
}

int
program_init(struct program *out, const struct gpu_config *set, const struct op_exceptions *x,
    const struct wcp_program *p, struct wcp_error *e)
{
	uint32_t n = p ? p->n_insn : 0, most = 0;
	out->insn = calloc(n + 1, sizeof *out->insn);
	out->use = calloc(register_count(p, n) + 1, sizeof *out->use);
	if (!out->insn || !out->use)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	struct register_use *use = out->use;
	out->n_insn = n;
	for (uint32_t pc = 0; pc < n; pc++) {
		prepare(&out->insn[pc], set, x, p, &p->insn[pc]);
		take_uses(&out->insn[pc], &use);
	}
	find_plain(out, p);
	/* What lies past the program's end, in a stream that lost it. */
	out->insn[n] = (struct insn){.latency = 1, .interval = 1, .unit = UNIT_SP};
	for (uint32_t i = 0; p && i < p->n_reg; i++)
		most = p->reg[i] > most ? p->reg[i] : most;
	out->reg_words = most / 64 + 1;
	return 0;
}

void
program_release(struct program *p)
{
	free(p->insn);
	free(p->use);
	*p = (struct program){0};
}

/* Finds the row for a PTX instruction and describes its operands. Independent of the level. */
#include <string.h>
#include "exec/insn.h"
#include "exec/lanes_row.h"

static const char *const cmp_name[] = {[CMP_EQ] = "eq",
    [CMP_NE] = "ne",
    [CMP_LT] = "lt",
    [CMP_LE] = "le",
    [CMP_GT] = "gt",
    [CMP_GE] = "ge",
    [CMP_EQU] = "equ",
    [CMP_NEU] = "neu",
    [CMP_LTU] = "ltu",
    [CMP_LEU] = "leu",
    [CMP_GTU] = "gtu",
    [CMP_GEU] = "geu",
    [CMP_NUM] = "num",
    [CMP_NAN] = "nan",
    [CMP_COUNT] = "lo",
    [CMP_COUNT + 1] = "ls",
    [CMP_COUNT + 2] = "hi",
    [CMP_COUNT + 3] = "hs"};
static const uint8_t cmp_unsigned[] = {CMP_LT, CMP_LE, CMP_GT, CMP_GE};
static const char *const bool_name[] = {"", "and", "or", "xor"};
static const char *const round_name[] = {"rn", "rz", "rm", "rp"};
static const char *const integral_name[] = {"rni", "rzi", "rmi", "rpi"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int
index_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return (int)i;
	return -1;
}

static bool
match_class(const char *class, size_t len, const char *word, struct lane_match *m, unsigned *round)
{
	int i = -1;
	if (len == 3 && !memcmp(class, "RND", 3)) {
		if ((i = index_of(word, round_name, COUNT(round_name))) >= 0)
			*round |= (unsigned)i;
	} else if (len == 4 && !memcmp(class, "IRND", 4)) {
		if ((i = index_of(word, integral_name, COUNT(integral_name))) >= 0)
			*round |= (unsigned)i;
	} else if (len == 3 && !memcmp(class, "CMP", 3)) {
		if ((i = index_of(word, cmp_name, COUNT(cmp_name))) >= 0)
			m->cmp = i < CMP_COUNT ? (unsigned)i : cmp_unsigned[i - CMP_COUNT];
	} else if (len == 4 && !memcmp(class, "BOOL", 4)) {
		if ((i = index_of(word, bool_name, COUNT(bool_name))) > 0)
			m->bool_op = (unsigned)i;
	} else if (strlen(word) == len && !memcmp(class, word, len)) {
		enum ptx_type type = ptx_type_named(word);
		if (!strcmp(word, "ftz"))
			*round |= LANE_FTZ;
		if (type != PTX_NONE && m->n_type < COUNT(m->type))
			m->type[m->n_type++] = type;
		i = 1;
	}
	return i >= 0;
}

/* Does word fit the token at t, one of its alternatives? */
static bool
match_token(const char *t, const char *end, const char *word, struct lane_match *m, unsigned *round)
{
	while (t < end) {
		const char *bar = memchr(t, '|', (size_t)(end - t));
		if (!bar)
			bar = end;
		if (match_class(t, (size_t)(bar - t), word, m, round))
			return true;
		t = bar + 1;
	}
	return false;
}

static bool
match_form(const char *form, const struct ptx_insn *in, struct lane_match *m, unsigned *round)
{
	uint32_t mod = 0;
	*m = (struct lane_match){0};
	*round = 0;
	while (*form == '.') {
		const char *t = form + 1, *end = t + strcspn(t, ".");
		bool optional = end[-1] == '?';
		if (mod < in->n_mod && match_token(t, end - optional, in->mod[mod], m, round))
			mod++;
		else if (!optional)
			return false;
		form = end;
	}
	return mod == in->n_mod;
}

static enum ptx_type
twice(enum ptx_type type)
{
	switch ((int)type) {
	case PTX_S16: return PTX_S32;
	case PTX_U16: return PTX_U32;
	case PTX_S32: return PTX_S64;
	case PTX_U32: return PTX_U64;
	default: return PTX_NONE;
	}
}

static enum ptx_type
letter_type(char letter, const struct lane_match *m)
{
	switch (letter) {
	case 'u': return m->type[1];
	case 'v': return m->type[2];
	case 'w': return twice(m->type[0]);
	case 'i': return PTX_U32;
	case 'l': return PTX_U64;
	case 'h': return PTX_B16;
	case 'p':
	case 'n': return PTX_PRED;
	default: return m->type[0];
	}
}

static void
put_dst(struct lane_code *code, enum ptx_type type, uint32_t op)
{
	code->dst[code->n_dst] = type;
	code->dst_op[code->n_dst++] = (int8_t)op;
}

static int
put_src(struct lane_code *code, char letter, const struct lane_match *m, const struct ptx_insn *in,
    uint32_t op, struct wcp_error *e)
{
	if (in->op[op].negated && letter != 'n')
		return wcp_fail(
		    e, WCP_EDATA, "%s: operand %u cannot be negated", in->opcode, op + 1);
	code->negate |= (uint8_t)(in->op[op].negated << code->n_src);
	code->src[code->n_src] = letter_type(letter, m);
	code->src_op[code->n_src++] = (int8_t)op;
	return 0;
}

static int
put_constant(struct lane_code *code, const struct ptx_insn *in, uint32_t op, struct wcp_error *e)
{
	if (in->op[op].kind != PTX_OP_INT)
		return wcp_fail(
		    e, WCP_EDATA, "%s: operand %u must be a constant", in->opcode, op + 1);
	code->aux = (uint16_t)in->op[op].integer;
	return 0;
}

/* Operands that args names */
static uint32_t
count_operands(const char *args)
{
	uint32_t n = 0;
	for (; *args; args++)
		n += *args != ':' && *args != '|';
	return n;
}

static int
describe_operands(const char *args, const struct ptx_insn *in, struct lane_match *m,
    struct lane_code *code, struct wcp_error *e)
{
	uint32_t op = 0;
	int status = 0;
	for (; *args != ':'; args++, op++) {
		bool may_pair = args[1] == '|', pair = in->op[op].kind == PTX_OP_PAIR;
		if (pair && !may_pair)
			return wcp_fail(e, WCP_EDATA, "%s: one destination, not two", in->opcode);
		put_dst(code, letter_type(*args, m), op + (pair ? 64 : 0));
		if (pair)
			put_dst(code, PTX_PRED, op + 96);
		args += may_pair;
	}
	for (args++; *args && !status; args++, op++) {
		status = *args == '#' ? put_constant(code, in, op, e)
				      : put_src(code, *args, m, in, op, e);
	}
	return status;
}

static const struct lane_row *const *
families(unsigned level)
{
	return level >= 4 ? lanes_families_v4 : level >= 3 ? lanes_families_v3 : lanes_families_v1;
}

static int
fill(const struct lane_row *row, const struct ptx_insn *in, struct lane_match *m, unsigned round,
    struct lane_code *code, struct wcp_error *e)
{
	*code = (struct lane_code){.fn = {row->fn[0], row->fn[1]},
	    .round = (uint8_t)round,
	    .op_class = row->op_class,
	    .dst_op = {-1, -1},
	    .src_op = {-1, -1, -1, -1}};
	int status = describe_operands(row->args, in, m, code, e);
	if (!status && row->finish)
		status = row->finish(in, m, code, e);
	return status ? status : 1;
}

#define MODS_MAX 16u

/*
 * The assembler takes modifiers in any order, and CUDA's own headers have lg2.approx.f32.ftz: the
 * types last, as the forms have them. False: they are already, or there are too many.
 */
static bool
types_last(const struct ptx_insn *in, const char **mod)
{
	uint32_t n = 0;
	if (in->n_mod > MODS_MAX)
		return false;
	for (unsigned types = 0; types < 2; types++)
		for (uint32_t i = 0; i < in->n_mod; i++)
			if ((ptx_type_named(in->mod[i]) != PTX_NONE) == types)
				mod[n++] = in->mod[i];
	return memcmp(mod, in->mod, n * sizeof *mod) != 0;
}

/* known: some row has this base. */
static int
find(const struct ptx_insn *in, unsigned level, struct lane_code *code, bool *known,
    struct wcp_error *e)
{
	size_t len = strlen(in->base);
	for (const struct lane_row *const *family = families(level); *family; family++)
		for (const struct lane_row *row = *family; row->form; row++) {
			struct lane_match m;
			unsigned round;
			if (strncmp(row->form, in->base, len) ||
			    (row->form[len] && row->form[len] != '.'))
				continue;
			*known = true;
			if (match_form(row->form + len, in, &m, &round) &&
			    count_operands(row->args) == in->n_op)
				return fill(row, in, &m, round, code, e);
		}
	return 0;
}

int
lanes_decode(const struct ptx_insn *in, unsigned level, struct lane_code *code, struct wcp_error *e)
{
	const char *mod[MODS_MAX];
	bool known = false;
	int found = find(in, level, code, &known, e);
	if (!found && known && types_last(in, mod)) {
		struct ptx_insn other = *in;
		other.mod = mod;
		found = find(&other, level, code, &known, e);
	}
	if (found || !known)
		return found;
	return wcp_fail(e, WCP_EDATA, "%s with %u operands: no such form of %s", in->opcode,
	    in->n_op, in->base);
}

unsigned
lanes_best_level(void)
{
	__builtin_cpu_init();
	bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		  __builtin_cpu_supports("bmi2");
	bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
		  __builtin_cpu_supports("avx512cd");
	return v4 ? 4 : v3 ? 3 : 1;
}

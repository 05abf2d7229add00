/*
 * Atomics: lanes one after the other, lowest first, so that the outcome repeats. Where CTAs run
 * side by side the results are not used and the operations commute, but the host's threads meet,
 * as they do where the program goes on beside the launch: compare and swap.
 */
#include "access.h"
#include "exec/access.h"

static float
f32_of(uint64_t v)
{
	uint32_t u = (uint32_t)v;
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static uint64_t
bits32(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static double
f64_of(uint64_t v)
{
	double d;
	memcpy(&d, &v, 8);
	return d;
}

static uint64_t
bits64(double d)
{
	uint64_t u;
	memcpy(&u, &d, 8);
	return u;
}

/* binary16 to binary32, exact */
static float
f32_of_half(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
	if (exponent == 31)
		return f32_of(sign | 0x7f800000u | fraction << 13);
	if (exponent)
		return f32_of(sign | (exponent + 112) << 23 | fraction << 13);
	float f = (float)fraction * 0x1p-24f;
	return sign ? -f : f;
}

/* to nearest even; a sum of two halves rounded to binary32 first rounds as the sum itself would */
static uint16_t
half_of_f32(float f)
{
	uint32_t u = (uint32_t)bits32(f), sign = u >> 16 & 0x8000;
	u &= 0x7fffffff;
	if (u > 0x7f800000)
		return 0x7fff;
	if (u >= 0x477ff000)
		return (uint16_t)(sign | 0x7c00);
	if (u < 0x38800000) {
		float scaled = f32_of(u) * 0x1p24f;
		uint32_t n = (uint32_t)scaled;
		float rest = scaled - (float)n;
		n += rest > 0.5f || (rest == 0.5f && (n & 1));
		return (uint16_t)(sign | n);
	}
	u += 0xfff + (u >> 13 & 1);
	return (uint16_t)(sign | ((u - 0x38000000) >> 13));
}

static float
f32_of_bf16(uint16_t h)
{
	return f32_of((uint32_t)h << 16);
}

static uint16_t
bf16_of_f32(float f)
{
	uint32_t u = (uint32_t)bits32(f);
	if ((u & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* IEEE minimum and maximum: a NaN loses, -0 is below +0. */
static float
pick_f32(float a, float b, bool max)
{
	if (a != a || b != b)
		return a != a && b != b ? f32_of(0x7fffffff) : a != a ? b : a;
	if (a == b)
		return (bits32(a) >> 31) == max ? b : a;
	return (a > b) == max ? a : b;
}

static uint16_t
one_half(enum atom_op op, bool brain, uint16_t old, uint16_t b)
{
	float x = brain ? f32_of_bf16(old) : f32_of_half(old);
	float y = brain ? f32_of_bf16(b) : f32_of_half(b);
	float r = op == ATOM_ADD ? x + y : pick_f32(x, y, op == ATOM_MAX);
	return brain ? bf16_of_f32(r) : half_of_f32(r);
}

static uint64_t
on_halves(enum atom_op op, enum ptx_type type, uint64_t old, uint64_t b)
{
	bool brain = type == PTX_BF16 || type == PTX_BF16X2;
	uint64_t r = one_half(op, brain, (uint16_t)old, (uint16_t)b);
	if (type == PTX_F16X2 || type == PTX_BF16X2)
		r |= (uint64_t)one_half(op, brain, (uint16_t)(old >> 16), (uint16_t)(b >> 16))
		     << 16;
	return r;
}

/* Two operands as integers of the type's width and sign. */
static uint64_t
on_integers(enum atom_op op, enum ptx_type type, uint64_t old, uint64_t b)
{
	bool sign = type == PTX_S32 || type == PTX_S64 || type == PTX_S16;
	unsigned bytes = ptx_type_bytes(type);
	int64_t so = (int64_t)run_extend(old, bytes, true),
		sb = (int64_t)run_extend(b, bytes, true);
	switch (op) {
	case ATOM_ADD: return old + b;
	case ATOM_MIN: return sign ? (so < sb ? old : b) : (old < b ? old : b);
	case ATOM_MAX: return sign ? (so > sb ? old : b) : (old > b ? old : b);
	case ATOM_INC: return old >= b ? 0 : old + 1;
	case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
	case ATOM_AND: return old & b;
	case ATOM_OR: return old | b;
	case ATOM_XOR: return old ^ b;
	case ATOM_EXCH: return b;
	case ATOM_CAS: break;
	}
	return old;
}

/* What memory holds after op; b is the operand, c the value that cas stores. */
uint64_t
LEVELED(run_combine)(const struct mem_op *m, uint64_t old, uint64_t b, uint64_t c)
{
	enum atom_op op = (enum atom_op)m->op;
	enum ptx_type type = (enum ptx_type)m->type;
	if (op == ATOM_CAS)
		return old == b ? c : old;
	if (op == ATOM_EXCH)
		return b;
	if (op == ATOM_ADD && type == PTX_F32)
		return bits32(f32_of(old) + f32_of(b));
	if (op == ATOM_ADD && type == PTX_F64)
		return bits64(f64_of(old) + f64_of(b));
	if (type == PTX_F32)
		return bits32(pick_f32(f32_of(old), f32_of(b), op == ATOM_MAX));
	if (type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2)
		return on_halves(op, type, old, b);
	return on_integers(op, type, old, b);
}

static uint64_t
alone(const struct mem_op *m, char *at, uint64_t b, uint64_t c, bool *changed)
{
	uint64_t old = 0, new;
	memcpy(&old, at, m->size);
	new = LEVELED(run_combine)(m, old, b, c);
	memcpy(at, &new, m->size);
	new = run_extend(new, m->size, false);
	*changed |= new != old;
	return old;
}

#define TOGETHER(bits, type)                                                                     \
	static uint64_t together##bits(const struct mem_op *m, char *at, uint64_t b, uint64_t c) \
	{                                                                                        \
		type *p = (type *)(void *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED);        \
		while (!__atomic_compare_exchange_n(p, &old,                                     \
		    (type)LEVELED(run_combine)(m, old, b, c), true, __ATOMIC_SEQ_CST,            \
		    __ATOMIC_RELAXED))                                                           \
			;                                                                        \
		return old;                                                                      \
	}
TOGETHER(16, uint16_t)
TOGETHER(32, uint32_t)
TOGETHER(64, uint64_t)

static uint64_t
together(const struct mem_op *m, char *at, uint64_t b, uint64_t c, bool *changed)
{
	const uint64_t old = m->size == 4   ? together32(m, at, b, c)
			     : m->size == 8 ? together64(m, at, b, c)
					    : together16(m, at, b, c);
	*changed =
	    *changed || run_extend(LEVELED(run_combine)(m, old, b, c), m->size, false) != old;
	return old;
}

/* 128 bits: exchange, or compare and swap. CTAs never do it side by side. */
static void
wide(char *file, const struct mem_op *m, uint32_t lane, char *at, bool *changed)
{
	uint64_t old[2], operand[2], new[2];
	memcpy(old, at, 16);
	for (unsigned k = 0; k < 2; k++) {
		operand[k] = run_get(file, m->src[0] + 256 * k, 8, lane);
		new[k] =
		    m->op == ATOM_CAS ? run_get(file, m->src[1] + 256 * k, 8, lane) : operand[k];
	}
	const bool store = m->op == ATOM_EXCH || !memcmp(old, operand, 16);
	*changed |= store && memcmp(old, new, 16) != 0;
	if (store)
		memcpy(at, new, 16);
	for (unsigned k = 0; m->reg_bytes[0] && k < 2; k++)
		run_put(file, m->reg[0] + 256 * k, 8, lane, old[k]);
}

static void
element(char *file, const struct mem_op *m, unsigned k, uint32_t lane, char *at, bool shared,
    bool *changed)
{
	const unsigned source_bytes = m->size < 4 ? 2 : m->size;
	const uint64_t b = run_get(file, m->src[k], source_bytes, lane);
	const uint64_t c = m->op == ATOM_CAS ? run_get(file, m->src[1], source_bytes, lane) : 0;
	const uint64_t old = shared ? together(m, at, b, c, changed) : alone(m, at, b, c, changed);
	if (m->reg_bytes[k])
		run_put(file, m->reg[k], m->reg_bytes[k], lane, old);
}

/* ---- what most atomics are: words added ---- */

static bool
adds_words(const struct mem_op *m)
{
	return m->op == ATOM_ADD && m->n == 1 && (m->type == PTX_U32 || m->type == PTX_S32) &&
	       (!m->reg_bytes[0] || m->reg_bytes[0] == 4);
}

static uint32_t
add_word(char *at, uint32_t b, bool shared)
{
	uint32_t *p = (uint32_t *)(void *)at;
	if (shared)
		return __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);
	const uint32_t old = *p;
	*p = old + b;
	return old;
}

/* To one word, lane after lane: the sum of all is added once. */
static void
add_to_one(char *file, const struct mem_op *m, uint32_t mask, char *at, bool shared)
{
	const uint32_t *b = run_32(file, m->src[0]);
	uint32_t before[WCP_LANES], sum = 0;
	EACH_SET(l, mask)
	{
		before[l] = sum;
		sum += b[l];
	}
	const uint32_t old = add_word(at, sum, shared);
	if (m->reg_bytes[0])
		EACH_SET(l, mask) run_32(file, m->reg[0])[l] = old + before[l];
}

static void
add_words(char *file, const struct mem_op *m, uint32_t mask, const struct spot *s, bool shared,
    bool *changed)
{
	const uint32_t *b = run_32(file, m->src[0]);
	uint32_t *d = m->reg_bytes[0] ? run_32(file, m->reg[0]) : NULL, any = 0;
	EACH_SET(l, mask) any |= b[l];
	*changed |= any != 0;
	if (s->straight && !s->step) {
		add_to_one(file, m, mask, run_at(s, 0), shared);
		return;
	}
	EACH_SET(l, mask)
	{
		const uint32_t old = add_word(run_at(s, l), b[l], shared);
		if (d)
			d[l] = old;
	}
}

lane_fn LEVELED(run_atomic);

void
LEVELED(run_atomic)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *m = &w->code->mem[in->e];
	const struct exec_run *run = w->cta->run;
	const bool global = m->space != WCP_SPACE_SHARED && m->space != WCP_SPACE_LOCAL;
	const bool others = (run->parallel || run->beside) && global;
	bool changed = run->parallel && global;
	struct spot s;
	if (!LEVELED(run_find)(in, file, mask, run_addresses(in, file, m->addr_bytes, w->addr), &s))
		return;
	if (adds_words(m) && !w->cta->shared_written) {
		add_words(file, m, mask, &s, others, &changed);
		w->progress += changed;
		w->polls++;
		return;
	}
	run_list_spot(&s, w->at);
	if (w->cta->shared_written && !exec_check_shared(w, in, mask, false))
		return;
	EACH_SET(l, mask)
	{
		if (m->size == 16)
			wide(file, m, l, w->at[l], &changed);
		for (unsigned k = 0; m->size < 16 && k < m->n; k++)
			element(file, m, k, l, w->at[l] + k * m->size, others, &changed);
	}
	w->progress += changed;
	w->polls++;
}

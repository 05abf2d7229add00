/*
 * Runs one lane operation, written as PTX spells it, on corner and random operands at every level
 * of this CPU, masked and full, onto a fresh slot and onto its own first source, and compares every
 * lane with a slow reference. A reference reads s[] (operands as bits, zero-extended; predicates 0
 * or 1) and writes d[].
 */
#ifndef TESTS_LANES_CHECK_H
#define TESTS_LANES_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/insn.h"

typedef void reference(const uint64_t *s, uint64_t *d);

struct lane_test {
	const char *op;
	reference *ref;
};

/* A reference as an expression of a, b, c, e */
#define REF(name, expr)                                          \
	static void ref_##name(const uint64_t *s, uint64_t *d)   \
	{                                                        \
		uint64_t a = s[0], b = s[1], c = s[2], e = s[3]; \
		(void)a, (void)b, (void)c, (void)e;              \
		d[0] = (uint64_t)(expr);                         \
	}

static int lane_failures;
static uint64_t lane_seed = 0x9e3779b97f4a7c15u;

static inline uint64_t
lane_random(void)
{
	uint64_t z = lane_seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- an instruction from its spelling ---- */

struct lane_text {
	char buffer[96];
	const char *mod[12];
	struct ptx_operand op[6], half[2];
	struct ptx_insn in;
};

/* "shfl.sync.idx.b32 d|p a b c e": letters are registers, numbers constants, ! negates */
static inline void
lane_parse(struct lane_text *t, const char *text)
{
	char *save = NULL, *word, *opcode;
	memset(t, 0, sizeof *t);
	snprintf(t->buffer, sizeof t->buffer, "%s", text);
	opcode = strtok_r(t->buffer, " ", &save);
	while ((word = strtok_r(NULL, " ", &save))) {
		struct ptx_operand *o = &t->op[t->in.n_op++];
		o->kind = strchr(word, '|') ? PTX_OP_PAIR : PTX_OP_REG;
		o->negated = word[0] == '!';
		if (o->kind == PTX_OP_PAIR)
			o->sub = t->half, o->n_sub = 2;
		if (word[0] >= '0' && word[0] <= '9') {
			o->kind = PTX_OP_INT;
			o->integer = strtol(word, NULL, 0);
		}
	}
	t->in.opcode = text;
	t->in.base = strtok_r(opcode, ".", &save);
	while ((word = strtok_r(NULL, ".", &save)))
		t->mod[t->in.n_mod++] = word;
	t->in.mod = t->mod;
	t->in.op = t->op;
}

/* ---- operands ---- */

static inline unsigned
lane_bits(enum ptx_type type)
{
	return type == PTX_PRED ? 1 : 8 * ptx_type_bytes(type);
}

static inline unsigned
slot_bytes(enum ptx_type type)
{
	unsigned bytes = ptx_type_bytes(type);
	return type == PTX_PRED ? 0 : bytes < 2 ? 2 : bytes;
}

static inline uint64_t
low_bits(uint64_t x, unsigned n)
{
	return n >= 64 ? x : x & (((uint64_t)1 << n) - 1);
}

static inline uint64_t
float_operand(unsigned ebits, unsigned mbits)
{
	uint64_t r = lane_random(), exponent_max = ((uint64_t)1 << ebits) - 1;
	uint64_t bias = exponent_max / 2, one = bias << mbits;
	uint64_t sign = (r & 1) << (ebits + mbits), mantissa = low_bits(r >> 8, mbits);
	switch (r >> 1 & 15) {
	case 0: return sign;
	case 1: return sign | one;
	case 2: return sign | exponent_max << mbits;
	case 3: return sign | exponent_max << mbits | mantissa | 1;
	case 4: return sign | mantissa;
	case 5: return sign | 1;
	case 6: return sign | ((uint64_t)1 << mbits) | (mantissa & 1);
	case 7: return sign | (((exponent_max) << mbits) - 1 - (mantissa & 1));
	case 8: return sign | (one - ((uint64_t)1 << mbits) + (mantissa & 1));
	case 9: return sign | (one + ((r >> 40 & 127) << mbits) + (mantissa & 3) - 1);
	case 10: return low_bits(lane_random(), ebits + mbits + 1);
	default:
		return sign |
		       (one + (((r >> 40) % 40) << mbits) - ((uint64_t)(20 % bias) << mbits)) |
		       mantissa;
	}
}

static inline uint64_t
integer_operand(unsigned bits)
{
	uint64_t r = lane_random(), top = (uint64_t)1 << (bits - 1);
	switch (r & 15) {
	case 0: return 0;
	case 1: return 1;
	case 2: return low_bits(~(uint64_t)0, bits);
	case 3: return top;
	case 4: return top - 1;
	case 5: return low_bits(top + 1, bits);
	case 6: return low_bits((r >> 8) % 70, bits);
	case 7: return low_bits(0 - (r >> 8) % 70, bits);
	case 8: return low_bits((uint64_t)1 << (r >> 8 & 63), bits);
	case 9: return low_bits(r >> 8 & 0xffff, bits);
	case 10: return low_bits(0 - (r >> 8 & 0xffff), bits);
	default: return low_bits(lane_random() >> (r >> 8 & 31), bits);
	}
}

static inline uint64_t
lane_operand(enum ptx_type type)
{
	switch ((int)type) {
	case PTX_PRED: return lane_random() & 1;
	case PTX_F16: return float_operand(5, 10);
	case PTX_BF16: return float_operand(8, 7);
	case PTX_F16X2: return float_operand(5, 10) << 16 | float_operand(5, 10);
	case PTX_BF16X2: return float_operand(8, 7) << 16 | float_operand(8, 7);
	case PTX_F32: return float_operand(8, 23);
	case PTX_F64: return float_operand(11, 52);
	default: return integer_operand(lane_bits(type));
	}
}

/* ---- the register file ---- */

enum { LANE_SLOT = 512, LANE_FILE = 16 * LANE_SLOT };

static inline uint64_t
lane_get(const char *file, uint32_t offset, enum ptx_type type, unsigned lane)
{
	uint64_t x = 0;
	uint32_t mask;
	if (type == PTX_PRED) {
		memcpy(&mask, file + offset, 4);
		return mask >> lane & 1;
	}
	memcpy(&x, file + offset + slot_bytes(type) * lane, slot_bytes(type));
	return x;
}

/* 8-bit values with junk above: an operation must look at the low byte alone. */
static inline void
lane_put(char *file, uint32_t offset, enum ptx_type type, unsigned lane, uint64_t x)
{
	uint32_t mask;
	if (type == PTX_PRED) {
		memcpy(&mask, file + offset, 4);
		mask = (mask & ~(1u << lane)) | (uint32_t)x << lane;
		memcpy(file + offset, &mask, 4);
		return;
	}
	if (lane_bits(type) == 8)
		x |= lane_random() << 8;
	memcpy(file + offset + slot_bytes(type) * lane, &x, slot_bytes(type));
}

/* An 8-bit result fills its 16-bit slot, extended by its sign. */
static inline uint64_t
lane_expected(uint64_t x, enum ptx_type type)
{
	if (type == PTX_S8)
		return (uint16_t)(int16_t)(int8_t)x;
	return low_bits(x, lane_bits(type));
}

static inline uint32_t
lane_mask(unsigned round)
{
	uint32_t r = (uint32_t)lane_random();
	return round % 4 == 0 ? WCP_FULL_MASK : round % 4 == 1 ? 1u << (r & 31) : r;
}

struct lane_run {
	const char *text;
	struct lane_code code;
	struct insn insn;
	uint32_t mask;
	_Alignas(64) char before[LANE_FILE], after[LANE_FILE];
};

static inline uint32_t
lane_slot(int op, bool second)
{
	return (uint32_t)((op & 15) + 1 + (second ? 8 : 0)) * LANE_SLOT;
}

static inline void
lane_setup(struct lane_run *r, bool onto_source)
{
	const struct lane_code *c = &r->code;
	struct insn *in = &r->insn;
	uint32_t *src[4] = {&in->a, &in->b, &in->c, &in->e};
	memset(in, 0, sizeof *in);
	for (unsigned i = 0; i < c->n_src; i++)
		*src[i] = lane_slot(c->src_op[i], false);
	in->d = onto_source ? in->a : lane_slot(0, false);
	in->d2 = c->n_dst > 1 ? lane_slot(0, true) : 0;
	in->aux = c->aux;
	in->round = c->round;
	in->negate = c->negate;
	in->imm = c->imm;
	in->fn[0] = c->fn[0];
	in->fn[1] = c->fn[1];
}

static inline void
lane_fill(struct lane_run *r)
{
	const uint32_t *src[4] = {&r->insn.a, &r->insn.b, &r->insn.c, &r->insn.e};
	for (size_t i = FILE_FIRST; i < LANE_FILE; i += 8)
		memcpy(r->before + i, &(uint64_t){lane_random()}, 8);
	memset(r->before, 0, FILE_FIRST);
	memcpy(r->before + FILE_CARRY, &(uint32_t){(uint32_t)lane_random()}, 4);
	for (unsigned i = 0; i < r->code.n_src; i++)
		for (unsigned l = 0; l < WCP_LANES; l++)
			lane_put(
			    r->before, *src[i], r->code.src[i], l, lane_operand(r->code.src[i]));
	memcpy(r->after, r->before, LANE_FILE);
}

static inline void
lane_complain(const struct lane_run *r, unsigned level, unsigned lane, const uint64_t *s,
    uint64_t got, uint64_t want, const char *what)
{
	if (lane_failures++ < 20)
		printf("%s: level %u, mask %08x, lane %u, %s: of %" PRIx64 " %" PRIx64 " %" PRIx64
		       " %" PRIx64 " got %" PRIx64 ", not %" PRIx64 "\n",
		    r->text, level, r->mask, lane, what, s[0], s[1], s[2], s[3], got, want);
}

/* Sources of a lane; s[4] is the carry coming in, d[2] the one going out. */
static inline void
lane_sources(const struct lane_run *r, unsigned lane, uint64_t *s)
{
	const uint32_t *src[4] = {&r->insn.a, &r->insn.b, &r->insn.c, &r->insn.e};
	memset(s, 0, 5 * sizeof *s);
	for (unsigned i = 0; i < r->code.n_src; i++) {
		s[i] = low_bits(
		    lane_get(r->before, *src[i], r->code.src[i], lane), lane_bits(r->code.src[i]));
		s[i] ^= r->code.negate >> i & 1;
	}
	s[4] = lane_get(r->before, FILE_CARRY, PTX_PRED, lane);
}

static inline void
lane_compare(const struct lane_run *r, reference *ref, unsigned level)
{
	const uint32_t slot[2] = {r->insn.d, r->insn.d2};
	for (unsigned l = 0; l < WCP_LANES; l++) {
		uint64_t s[5], d[3];
		bool active = r->mask >> l & 1;
		lane_sources(r, l, s);
		d[2] = s[4];
		ref(s, d);
		for (unsigned k = 0; k < r->code.n_dst; k++) {
			uint64_t got = lane_get(r->after, slot[k], r->code.dst[k], l);
			uint64_t old = lane_get(r->before, slot[k], r->code.dst[k], l);
			uint64_t want = active ? lane_expected(d[k], r->code.dst[k]) : old;
			if (got != want)
				lane_complain(r, level, l, s, got, want, k ? "second" : "result");
		}
		if (lane_get(r->after, FILE_CARRY, PTX_PRED, l) != (active ? d[2] : s[4]))
			lane_complain(r, level, l, s, !d[2], d[2], "carry");
	}
}

/* Nothing but the destinations, and the carry, may change. */
static inline void
lane_compare_rest(const struct lane_run *r, unsigned level)
{
	static _Alignas(64) char expected[LANE_FILE];
	const uint32_t slot[2] = {r->insn.d, r->insn.d2};
	uint64_t none[4] = {0};
	memcpy(expected, r->before, LANE_FILE);
	memcpy(expected + FILE_CARRY, r->after + FILE_CARRY, 4);
	for (unsigned k = 0; k < r->code.n_dst; k++) {
		size_t bytes = r->code.dst[k] == PTX_PRED ? 4 : 32 * slot_bytes(r->code.dst[k]);
		memcpy(expected + slot[k], r->after + slot[k], bytes);
	}
	if (memcmp(expected, r->after, LANE_FILE) != 0)
		lane_complain(r, level, 0, none, 0, 0, "wrote elsewhere");
}

static inline bool
lane_decode(struct lane_run *r, const char *text, unsigned level)
{
	struct lane_text t;
	struct wcp_error e = {0};
	lane_parse(&t, text);
	r->text = text;
	if (lanes_decode(&t.in, level, &r->code, &e) == 1)
		return true;
	printf("%s: level %u: not decoded: %s\n", text, level, e.text);
	lane_failures++;
	return false;
}

static inline void
lane_check_level(const char *text, reference *ref, unsigned level, unsigned rounds)
{
	static struct lane_run r;
	if (!lane_decode(&r, text, level))
		return;
	for (unsigned i = 0; i < rounds; i++) {
		bool can_alias = r.code.n_src && r.code.src[0] != PTX_PRED && r.code.n_dst == 1 &&
				 slot_bytes(r.code.src[0]) == slot_bytes(r.code.dst[0]);
		lane_setup(&r, can_alias && i % 3 == 2);
		lane_fill(&r);
		r.mask = lane_mask(i);
		r.insn.fn[r.mask == WCP_FULL_MASK](&r.insn, r.after, r.mask);
		lane_compare(&r, ref, level);
		lane_compare_rest(&r, level);
	}
}

static inline void
lane_check(const char *text, reference *ref, unsigned rounds)
{
	static const unsigned level[] = {1, 3, 4};
	for (unsigned i = 0; i < 3 && level[i] <= lanes_best_level(); i++)
		lane_check_level(text, ref, level[i], rounds);
}

static inline int
lane_run_tests(const struct lane_test *test, size_t n, unsigned rounds)
{
	for (size_t i = 0; i < n; i++)
		lane_check(test[i].op, test[i].ref, rounds);
	printf("%zu operations, %d wrong\n", n, lane_failures);
	return lane_failures != 0;
}

#endif

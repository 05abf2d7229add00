/* Constant expressions: precedence climbing over PTX ISA section 4.5, tables 5 and 6. */
#include <string.h>
#include "ptx/parse.h"

static struct value expression(struct parser *p, int level, bool addresses);

static struct value
int_value(uint64_t bits, bool is_unsigned)
{
	return (struct value){.kind = VALUE_INT, .bits = bits, .is_unsigned = is_unsigned};
}

static struct value
float_value(double real)
{
	struct value v = {.kind = VALUE_FLOAT, .real = real};
	memcpy(&v.bits, &real, sizeof real);
	return v;
}

/* 0xFF00(sym): the bytes of sym's address that the mask selects. */
static struct value
masked_address(struct parser *p, uint64_t mask)
{
	pt_next(p);
	struct value v = expression(p, 0, true);
	pt_expect(p, ')', "')'");
	if (!p->failed && v.kind != VALUE_ADDRESS)
		pt_fail(p, "a mask needs the name of a variable or function");
	v.mask = mask;
	return v;
}

static struct value
address(struct parser *p)
{
	struct name *name = p->tok.name;
	pt_next(p);
	if (!strcmp(name->text, "WARP_SZ"))
		return int_value(WCP_LANES, false);
	if (!strcmp(name->text, "generic") && pt_accept(p, '(')) {
		struct value v = expression(p, 0, true);
		pt_expect(p, ')', "')'");
		if (!p->failed && v.kind != VALUE_ADDRESS)
			pt_fail(p, "generic() needs the name of a variable");
		v.is_generic = true;
		return v;
	}
	return (struct value){.kind = VALUE_ADDRESS, .name = name};
}

static struct value
parenthesis(struct parser *p, bool addresses)
{
	pt_next(p);
	bool is_cast = pt_is_dot(p, "s64") || pt_is_dot(p, "u64");
	if (is_cast) {
		bool is_unsigned = pt_is_dot(p, "u64");
		pt_next(p);
		pt_expect(p, ')', "')' after the type");
		struct value v = expression(p, 10, addresses);
		v.is_unsigned = is_unsigned;
		return v;
	}
	struct value v = expression(p, 0, addresses);
	pt_expect(p, ')', "')'");
	return v;
}

static struct value
primary(struct parser *p, bool addresses)
{
	struct token t = p->tok;
	switch (t.kind) {
	case TOK_INT:
		pt_next(p);
		if (addresses && pt_is(p, '('))
			return masked_address(p, t.bits);
		return int_value(t.bits, t.is_unsigned);
	case TOK_FLOAT:
		pt_next(p);
		return (struct value){.kind = VALUE_FLOAT,
		    .bits = t.bits,
		    .real = t.real,
		    .is_f32 = t.is_f32,
		    .is_exact = t.is_exact};
	case TOK_WORD:
		if (addresses || !strcmp(t.name->text, "WARP_SZ"))
			return address(p);
		break;
	case TOK_PUNCT:
		if (t.punct == '(')
			return parenthesis(p, addresses);
		break;
	case TOK_END:
	case TOK_DOT:
	case TOK_STRING: break;
	}
	pt_expected(p, addresses ? "a number or a name" : "a number");
	return int_value(0, false);
}

static struct value
negate_float(struct value v)
{
	v.real = -v.real;
	if (v.is_f32)
		v.bits ^= 1u << 31;
	else
		v.bits ^= 1ull << 63;
	return v;
}

static struct value
unary(struct parser *p, bool addresses)
{
	int op = p->tok.kind == TOK_PUNCT ? p->tok.punct : 0;
	if (op != '-' && op != '+' && op != '!' && op != '~')
		return primary(p, addresses);
	pt_next(p);
	struct value v = expression(p, 10, addresses);
	if (p->failed || op == '+')
		return v;
	if (v.kind == VALUE_FLOAT && op == '-')
		return negate_float(v);
	if (v.kind != VALUE_INT) {
		pt_fail(p, "'%c' needs an integer", op);
		return v;
	}
	if (op == '!')
		return int_value(!v.bits, false);
	return int_value(op == '-' ? 0 - v.bits : ~v.bits, v.is_unsigned);
}

/* Higher binds tighter; 0: no binary operator. */
static int
precedence(int op)
{
	switch (op) {
	case PAIR('|', '|'): return 1;
	case PAIR('&', '&'): return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case PAIR('=', '='):
	case PAIR('!', '='): return 6;
	case '<':
	case '>':
	case PAIR('<', '='):
	case PAIR('>', '='): return 7;
	case PAIR('<', '<'):
	case PAIR('>', '>'): return 8;
	case '+':
	case '-': return 9;
	case '*':
	case '/':
	case '%': return 10;
	default: return 0;
	}
}

static uint64_t
divide(struct parser *p, int op, uint64_t a, uint64_t b, bool is_unsigned)
{
	if (b == 0) {
		pt_fail(p, "division by zero in a constant expression");
		return 0;
	}
	if (op == '%') /* of unsigned values, whatever the operands are */
		return a % b;
	if (is_unsigned)
		return a / b;
	if ((int64_t)b == -1) /* also the one quotient that does not fit */
		return 0 - a;
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t
shift(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
	b &= 63; /* as NVIDIA's assembler does it */
	if (op == PAIR('<', '<'))
		return a << b;
	return is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b);
}

static bool
less(uint64_t a, uint64_t b, bool is_unsigned)
{
	return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static struct value
int_binary(struct parser *p, int op, struct value l, struct value r)
{
	uint64_t a = l.bits, b = r.bits;
	bool u = l.is_unsigned || r.is_unsigned;
	switch (op) {
	case PAIR('|', '|'): return int_value(a || b, false);
	case PAIR('&', '&'): return int_value(a && b, false);
	case '|': return int_value(a | b, u);
	case '^': return int_value(a ^ b, u);
	case '&': return int_value(a & b, u);
	case PAIR('=', '='): return int_value(a == b, false);
	case PAIR('!', '='): return int_value(a != b, false);
	case '<': return int_value(less(a, b, u), false);
	case '>': return int_value(less(b, a, u), false);
	case PAIR('<', '='): return int_value(!less(b, a, u), false);
	case PAIR('>', '='): return int_value(!less(a, b, u), false);
	case '+': return int_value(a + b, u);
	case '-': return int_value(a - b, u);
	case '*': return int_value(a * b, u);
	case '/': return int_value(divide(p, op, a, b, u), u);
	case '%': return int_value(divide(p, op, a, b, u), true);
	default: return int_value(shift(op, a, b, l.is_unsigned), l.is_unsigned);
	}
}

static struct value
float_binary(struct parser *p, int op, struct value l, struct value r)
{
	double a = l.kind == VALUE_FLOAT ? l.real : (double)(int64_t)l.bits;
	double b = r.kind == VALUE_FLOAT ? r.real : (double)(int64_t)r.bits;
	switch (op) {
	case '+': return float_value(a + b);
	case '-': return float_value(a - b);
	case '*': return float_value(a * b);
	case '/': return float_value(a / b);
	case '<': return int_value(a < b, false);
	case '>': return int_value(a > b, false);
	case PAIR('<', '='): return int_value(a <= b, false);
	case PAIR('>', '='): return int_value(a >= b, false);
	case PAIR('=', '='): return int_value(a == b, false);
	case PAIR('!', '='): return int_value(a != b, false);
	default: pt_fail(p, "this operator needs integers"); return l;
	}
}

static struct value
binary(struct parser *p, int op, struct value l, struct value r)
{
	if (p->failed)
		return l;
	if (l.kind == VALUE_ADDRESS || r.kind == VALUE_ADDRESS) {
		bool ok = (op == '+' && (l.kind == VALUE_INT || r.kind == VALUE_INT)) ||
			  (op == '-' && r.kind == VALUE_INT);
		if (!ok) {
			pt_fail(p, "of an address and a number only sum and difference are known");
			return l;
		}
		struct value v = l.kind == VALUE_ADDRESS ? l : r;
		v.bits = op == '+' ? l.bits + r.bits : l.bits - r.bits;
		return v;
	}
	if (l.kind == VALUE_FLOAT || r.kind == VALUE_FLOAT)
		return float_binary(p, op, l, r);
	return int_binary(p, op, l, r);
}

static struct value
choice(struct parser *p, struct value condition, bool addresses)
{
	struct value yes = expression(p, 0, addresses);
	pt_expect(p, ':', "':' of '?'");
	struct value no = expression(p, 0, addresses);
	if (!p->failed && condition.kind != VALUE_INT)
		pt_fail(p, "the condition of '?' is no integer");
	return condition.bits ? yes : no;
}

/* level 10 takes unary operands only; 0 everything. */
static struct value
expression(struct parser *p, int level, bool addresses)
{
	if (!pt_enter(p))
		return int_value(0, false);
	struct value v = unary(p, addresses);
	for (int op; p->tok.kind == TOK_PUNCT && precedence(op = p->tok.punct) > level;) {
		pt_next(p);
		struct value right = expression(p, precedence(op), addresses);
		v = binary(p, op, v, right);
	}
	if (level == 0 && pt_accept(p, '?'))
		v = choice(p, v, addresses);
	pt_leave(p);
	return v;
}

struct value
pt_expression(struct parser *p, bool addresses)
{
	return expression(p, 0, addresses);
}

int64_t
pt_int_expression(struct parser *p, const char *what)
{
	struct value v = expression(p, 0, false);
	if (!p->failed && v.kind != VALUE_INT)
		pt_fail(p, "%s is no integer", what);
	return p->failed ? 0 : (int64_t)v.bits;
}

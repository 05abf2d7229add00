#include <inttypes.h>
#include <math.h>
#include "element.h"
#include "eval.h"
#include "../random.h"

static int
fail_at(struct eval *v, const struct node *n, const char *what)
{
	return wcp_fail(v->error, WCP_EDATA, "line %u: %s", n->line, what);
}

static bool
is_true(struct value v)
{
	return v.is_real ? v.r != 0 : v.i != 0;
}

static int
unary(struct eval *v, const struct node *n, struct value *r)
{
	int status = eval_node(v, n->child[0], r);
	if (status < 0)
		return status;
	if (n->op == OP_NOT)
		*r = value_of_integer(!is_true(*r));
	else if (n->op == OP_NEGATE)
		*r = r->is_real ? value_of_real(-r->r)
				: value_of_integer((int64_t)(0 - (uint64_t)r->i));
	else if (r->is_real)
		return fail_at(v, n, "'~' wants an integer");
	else
		r->i = ~r->i;
	return 0;
}

static int
binary_real(struct eval *v, const struct node *n, double a, double b, struct value *r)
{
	switch ((int)n->op) {
	case OP_EQ: *r = value_of_integer(a == b); return 0;
	case OP_NE: *r = value_of_integer(a != b); return 0;
	case OP_LE: *r = value_of_integer(a <= b); return 0;
	case OP_GE: *r = value_of_integer(a >= b); return 0;
	case OP_LT: *r = value_of_integer(a < b); return 0;
	case OP_GT: *r = value_of_integer(a > b); return 0;
	case OP_ADD: *r = value_of_real(a + b); return 0;
	case OP_SUB: *r = value_of_real(a - b); return 0;
	case OP_MUL: *r = value_of_real(a * b); return 0;
	case OP_DIV: *r = value_of_real(a / b); return 0;
	case OP_MOD: *r = value_of_real(fmod(a, b)); return 0;
	default: return fail_at(v, n, "a bit operation wants integers");
	}
}

static int
divide(struct eval *v, const struct node *n, int64_t a, int64_t b, struct value *r)
{
	bool quotient = n->op == OP_DIV;
	if (b == 0)
		return fail_at(v, n, "an integer division by zero");
	if (b == -1) /* the most negative number has no counterpart: wrap */
		*r = value_of_integer(quotient ? (int64_t)(0 - (uint64_t)a) : 0);
	else
		*r = value_of_integer(quotient ? a / b : a % b);
	return 0;
}

static int
binary_integer(struct eval *v, const struct node *n, int64_t a, int64_t b, struct value *r)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	r->is_real = false;
	switch ((int)n->op) {
	case OP_BIT_OR: r->i = a | b; return 0;
	case OP_BIT_XOR: r->i = a ^ b; return 0;
	case OP_BIT_AND: r->i = a & b; return 0;
	case OP_EQ: r->i = a == b; return 0;
	case OP_NE: r->i = a != b; return 0;
	case OP_LE: r->i = a <= b; return 0;
	case OP_GE: r->i = a >= b; return 0;
	case OP_LT: r->i = a < b; return 0;
	case OP_GT: r->i = a > b; return 0;
	case OP_SHL: r->i = ub < 64 ? (int64_t)(ua << ub) : 0; return 0;
	case OP_SHR: r->i = a >> (ub < 64 ? ub : 63); return 0;
	case OP_ADD: r->i = (int64_t)(ua + ub); return 0;
	case OP_SUB: r->i = (int64_t)(ua - ub); return 0;
	case OP_MUL: r->i = (int64_t)(ua * ub); return 0;
	default: return divide(v, n, a, b, r);
	}
}

static int
binary(struct eval *v, const struct node *n, struct value *r)
{
	struct value a = {0}, b = {0};
	int status = eval_node(v, n->child[0], &a);
	if (status < 0)
		return status;
	if (n->op == OP_AND || n->op == OP_OR) { /* the right side only where it decides */
		if (is_true(a) == (n->op == OP_OR)) {
			*r = value_of_integer(n->op == OP_OR);
			return 0;
		}
		status = eval_node(v, n->child[1], &b);
		if (status == 0)
			*r = value_of_integer(is_true(b));
		return status;
	}
	status = eval_node(v, n->child[1], &b);
	if (status < 0)
		return status;
	if (a.is_real || b.is_real)
		return binary_real(v, n, value_real(a), value_real(b), r);
	return binary_integer(v, n, a.i, b.i, r);
}

static int
bad_element(struct eval *v, const struct node *n, const struct bound *b, int64_t at)
{
	if (!b->exists)
		return wcp_fail(v->error, WCP_EDATA, "line %u: '%s' is used before it is declared",
		    n->line, b->name);
	return wcp_fail(v->error, WCP_EDATA,
	    "line %u: %s[%" PRId64 "] is not one of its %" PRIu64 " elements", n->line, b->name, at,
	    b->count);
}

static int
element(struct eval *v, const struct node *n, struct value *r)
{
	const struct bound *b = &v->buffer[n->ref];
	struct value at = value_of_integer(0);
	int status = n->child[0] ? eval_node(v, n->child[0], &at) : 0;
	if (status < 0)
		return status;
	if (at.is_real)
		return fail_at(v, n, "an element's number is an integer");
	uint64_t bytes = ptx_type_bytes(b->type);
	if (n->kind == NODE_ADDRESS) { /* one past the end is an address too */
		if (!b->exists || (uint64_t)at.i > b->count)
			return bad_element(v, n, b, at.i);
		*r = value_of_integer((int64_t)(b->address + (uint64_t)at.i * bytes));
		return 0;
	}
	if (!b->exists || (uint64_t)at.i >= b->count)
		return bad_element(v, n, b, at.i);
	const char *from = n->initial ? b->initial : b->now;
	*r = element_get(b->type, from + (uint64_t)at.i * bytes);
	return 0;
}

static struct value
smaller(struct value a, struct value b, bool larger)
{
	if (!a.is_real && !b.is_real)
		return (a.i < b.i) != larger ? a : b;
	double x = value_real(a), y = value_real(b);
	return value_of_real(larger ? fmax(x, y) : fmin(x, y));
}

static int
random_call(struct eval *v, const struct node *n, struct value a, struct value b, struct value *r)
{
	uint64_t seed = random_at(v->seed, (uint64_t)n->value.i), at = (uint64_t)v->index;
	if (n->ref == FUNCTION_NORMAL) {
		*r = value_of_real(value_real(a) + value_real(b) * random_normal(seed, at));
	} else if (n->ref == FUNCTION_UNIFORM) {
		*r = value_of_real(
		    value_real(a) + (value_real(b) - value_real(a)) * random_unit(seed, at));
	} else {
		if (a.is_real || b.is_real || a.i > b.i)
			return fail_at(v, n, "random(A, B) wants integers, A not above B");
		uint64_t span = (uint64_t)b.i - (uint64_t)a.i + 1; /* 0: all 64 bits */
		uint64_t x = random_at(seed, at);
		*r =
		    value_of_integer((int64_t)((uint64_t)a.i + (span ? random_below(x, span) : x)));
	}
	return 0;
}

static int
call(struct eval *v, const struct node *n, struct value *r)
{
	struct value a[3] = {{0}};
	for (int k = 0; k < 3 && n->child[k]; k++) {
		int status = eval_node(v, n->child[k], &a[k]);
		if (status < 0)
			return status;
	}
	double x = value_real(a[0]), y = value_real(a[1]);
	switch ((enum launch_function)n->ref) {
	case FUNCTION_ABS:
		*r = a[0].is_real ? value_of_real(fabs(x))
		     : a[0].i < 0 ? value_of_integer((int64_t)(0 - (uint64_t)a[0].i))
				  : a[0];
		return 0;
	case FUNCTION_MIN: *r = smaller(a[0], a[1], false); return 0;
	case FUNCTION_MAX: *r = smaller(a[0], a[1], true); return 0;
	case FUNCTION_SQRT: *r = value_of_real(sqrt(x)); return 0;
	case FUNCTION_FLOOR: *r = value_of_real(floor(x)); return 0;
	case FUNCTION_CEIL: *r = value_of_real(ceil(x)); return 0;
	case FUNCTION_EXP: *r = value_of_real(exp(x)); return 0;
	case FUNCTION_LOG: *r = value_of_real(log(x)); return 0;
	case FUNCTION_SIN: *r = value_of_real(sin(x)); return 0;
	case FUNCTION_COS: *r = value_of_real(cos(x)); return 0;
	case FUNCTION_POW: *r = value_of_real(pow(x, y)); return 0;
	case FUNCTION_FMA: *r = value_of_real(fma(x, y, value_real(a[2]))); return 0;
	case FUNCTION_RANDOM:
	case FUNCTION_UNIFORM:
	case FUNCTION_NORMAL:
	case FUNCTION_COUNT: break;
	}
	return random_call(v, n, a[0], a[1], r);
}

static int
sum(struct eval *v, const struct node *n, struct value *r)
{
	struct value from = {0}, to = {0}, term = {0};
	int status = eval_node(v, n->child[0], &from);
	if (status == 0)
		status = eval_node(v, n->child[1], &to);
	if (status < 0)
		return status;
	if (from.is_real || to.is_real)
		return fail_at(v, n, "sum counts with integers");
	*r = value_of_integer(0);
	for (int64_t k = from.i; k < to.i; k++) {
		v->scalar[n->ref] = value_of_integer(k);
		status = eval_node(v, n->child[2], &term);
		if (status < 0)
			return status;
		if (r->is_real || term.is_real)
			*r = value_of_real(value_real(*r) + value_real(term));
		else
			r->i = (int64_t)((uint64_t)r->i + (uint64_t)term.i);
	}
	return 0;
}

static int
choice(struct eval *v, const struct node *n, struct value *r)
{
	struct value c = {0};
	int status = eval_node(v, n->child[0], &c);
	return status < 0 ? status : eval_node(v, n->child[is_true(c) ? 1 : 2], r);
}

static int
convert(struct eval *v, const struct node *n, struct value *r)
{
	uint64_t held = 0;
	int status = eval_node(v, n->child[0], r);
	if (status < 0)
		return status;
	element_put(n->type, &held, *r);
	*r = element_get(n->type, &held);
	return 0;
}

int
eval_node(struct eval *v, const struct node *n, struct value *result)
{
	switch (n->kind) {
	case NODE_CONSTANT: *result = n->value; return 0;
	case NODE_SCALAR: *result = v->scalar[n->ref]; return 0;
	case NODE_INDEX: *result = value_of_integer(v->index); return 0;
	case NODE_ELEMENT:
	case NODE_ADDRESS: return element(v, n, result);
	case NODE_UNARY: return unary(v, n, result);
	case NODE_BINARY: return binary(v, n, result);
	case NODE_CHOICE: return choice(v, n, result);
	case NODE_CALL: return call(v, n, result);
	case NODE_SUM: return sum(v, n, result);
	case NODE_CONVERT: break;
	}
	return convert(v, n, result);
}

int
eval_integer(struct eval *v, const struct node *n, const char *what, int64_t min, int64_t max,
    int64_t *result)
{
	struct value r = {0};
	int status = eval_node(v, n, &r);
	if (status < 0)
		return status;
	if (r.is_real)
		return wcp_fail(v->error, WCP_EDATA, "line %u: %s is %g, an integer wanted",
		    n->line, what, r.r);
	if (r.i < min || r.i > max)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: %s is %" PRId64 ", not between %" PRId64 " and %" PRId64, n->line,
		    what, r.i, min, max);
	*result = r.i;
	return 0;
}

int
eval_real(struct eval *v, const struct node *n, double *result)
{
	struct value r = {0};
	int status = eval_node(v, n, &r);
	if (status == 0)
		*result = value_real(r);
	return status;
}

/* Expressions of the launch file: C's operators and precedences over 64-bit integers and doubles.
 */
#include <string.h>
#include "parser.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct {
	const char *text;
	enum operator op;
	int level; /* binds tighter the higher */
} infix[] = {
    {"||", OP_OR, 1},
    {"&&", OP_AND, 2},
    {"|", OP_BIT_OR, 3},
    {"^", OP_BIT_XOR, 4},
    {"&", OP_BIT_AND, 5},
    {"==", OP_EQ, 6},
    {"!=", OP_NE, 6},
    {"<=", OP_LE, 7},
    {">=", OP_GE, 7},
    {"<", OP_LT, 7},
    {">", OP_GT, 7},
    {"<<", OP_SHL, 8},
    {">>", OP_SHR, 8},
    {"+", OP_ADD, 9},
    {"-", OP_SUB, 9},
    {"*", OP_MUL, 10},
    {"/", OP_DIV, 10},
    {"%", OP_MOD, 10},
};

static const struct {
	const char *name;
	uint32_t arguments;
	bool random; /* only in an initialiser */
} function[FUNCTION_COUNT] = {
    [FUNCTION_ABS] = {"abs", 1, false},
    [FUNCTION_MIN] = {"min", 2, false},
    [FUNCTION_MAX] = {"max", 2, false},
    [FUNCTION_SQRT] = {"sqrt", 1, false},
    [FUNCTION_FLOOR] = {"floor", 1, false},
    [FUNCTION_CEIL] = {"ceil", 1, false},
    [FUNCTION_EXP] = {"exp", 1, false},
    [FUNCTION_LOG] = {"log", 1, false},
    [FUNCTION_SIN] = {"sin", 1, false},
    [FUNCTION_COS] = {"cos", 1, false},
    [FUNCTION_POW] = {"pow", 2, false},
    [FUNCTION_FMA] = {"fma", 3, false},
    [FUNCTION_RANDOM] = {"random", 2, true},
    [FUNCTION_UNIFORM] = {"uniform", 2, true},
    [FUNCTION_NORMAL] = {"normal", 2, true},
};

/* Other words stand only where no name can. */
static const char *const keyword[] = {"i", "sum", "zero", "iota", "raw", "text"};

enum ptx_type
parser_type(const char *name)
{
	enum ptx_type type = ptx_type_named(name);
	bool element = type >= PTX_S8 && type <= PTX_F64 && type != PTX_B128 && type != PTX_F16X2 &&
		       type != PTX_BF16X2 && type != PTX_TF32;
	return element ? type : PTX_NONE;
}

bool
parser_reserved(const char *name)
{
	for (size_t k = 0; k < COUNT(keyword); k++)
		if (!strcmp(name, keyword[k]))
			return true;
	for (size_t f = 0; f < FUNCTION_COUNT; f++)
		if (!strcmp(name, function[f].name))
			return true;
	return ptx_type_named(name) != PTX_NONE;
}

static struct node *
new_node(struct parser *p, enum node_kind kind)
{
	struct node *n = parser_take(p, sizeof *n);
	if (!n)
		return NULL;
	n->kind = kind;
	n->line = parser_peek(p)->line;
	n->depth = 1;
	return n;
}

/* Gives n its children and its depth; NULL if one is missing or the tree gets too deep to walk. */
static struct node *
adopt(struct parser *p, struct node *n, struct node *a, struct node *b, struct node *c)
{
	struct node *child[3] = {a, b, c};
	if (!n)
		return NULL;
	for (int k = 0; k < 3; k++) {
		n->child[k] = child[k];
		if (child[k] && child[k]->depth >= n->depth)
			n->depth = child[k]->depth + 1;
	}
	if (n->depth > NODE_DEPTH)
		return parser_fail(
		    p, parser_peek(p), "the expression has more than %d levels", NODE_DEPTH);
	return n;
}

struct node *
parser_constant(struct parser *p, struct value v)
{
	struct node *n = new_node(p, NODE_CONSTANT);
	if (n)
		n->value = v;
	return n;
}

static struct node *
parse_number(struct parser *p)
{
	const struct token *t = parser_next(p);
	struct value v = {.is_real = t->kind == TOKEN_REAL, .i = (int64_t)t->integer, .r = t->real};
	return parser_constant(p, v);
}

static struct node *
parse_element(struct parser *p, const struct token *name, uint32_t buffer)
{
	struct node *n = new_node(p, NODE_ELEMENT);
	if (!n)
		return NULL;
	n->ref = buffer;
	if (parser_accept(p, ".")) {
		const struct token *t = parser_next(p);
		if (strcmp(t->text, "initial"))
			return parser_fail(
			    p, t, "only '.initial' can follow the buffer '%s'", name->text);
		n->initial = p->file->buffer[buffer].keeps_initial = true;
	}
	if (!n->initial && p->address_known && !parser_is(p, "[")) {
		n->kind = NODE_ADDRESS;
		return n;
	}
	if (!parser_is(p, "["))
		return parser_fail(p, parser_peek(p), "'%s' is a buffer: %s[i] is an element of it",
		    name->text, name->text);
	parser_next(p);
	bool address = p->address_known;
	p->address_known = false;
	struct node *at = parser_expr(p);
	p->address_known = address;
	if (!at || !parser_expect(p, "]", "after the element's number"))
		return NULL;
	return adopt(p, n, at, NULL, NULL);
}

static struct node *
parse_call(struct parser *p, const struct token *name, uint32_t f)
{
	if (function[f].random && !p->random_known)
		return parser_fail(
		    p, name, "random numbers stand only in a buffer's initial contents");
	struct node *n = new_node(p, NODE_CALL), *argument[3] = {0};
	if (!n || !parser_expect(p, "(", "after a function's name"))
		return NULL;
	n->ref = f;
	if (function[f].random)
		n->value.i = p->n_random++;
	for (uint32_t a = 0; a < function[f].arguments; a++) {
		if (a && !parser_accept(p, ","))
			return parser_fail(p, parser_peek(p), "%s takes %u arguments",
			    function[f].name, function[f].arguments);
		argument[a] = parser_expr(p);
		if (!argument[a])
			return NULL;
	}
	if (!parser_accept(p, ")"))
		return parser_fail(p, parser_peek(p), "%s takes %u argument%s", function[f].name,
		    function[f].arguments, function[f].arguments == 1 ? "" : "s");
	return adopt(p, n, argument[0], argument[1], argument[2]);
}

/* sum(k, FROM, TO, EXPR) */
static struct node *
parse_sum(struct parser *p)
{
	struct node *n = new_node(p, NODE_SUM), *from, *to, *term;
	if (!n || !parser_expect(p, "(", "after 'sum'"))
		return NULL;
	const struct token *name = parser_next(p);
	if (name->kind != TOKEN_NAME)
		return parser_fail(p, name, "sum's first argument is the name of its variable");
	if (!parser_expect(p, ",", "after sum's variable") || !(from = parser_expr(p)) ||
	    !parser_expect(p, ",", "after where sum begins") || !(to = parser_expr(p)) ||
	    !parser_expect(p, ",", "after where sum ends"))
		return NULL;
	n->ref = parser_scalar(p, name, SCALAR_LOOP);
	if (n->ref == WCP_NONE32)
		return NULL;
	term = parser_expr(p);
	p->file->scalar[n->ref].in_scope = false;
	if (!term || !parser_expect(p, ")", "at the end of sum"))
		return NULL;
	return adopt(p, n, from, to, term);
}

/* u8(x) and the like: what a buffer of that type would hold */
static struct node *
parse_convert(struct parser *p, enum ptx_type type)
{
	struct node *n = new_node(p, NODE_CONVERT);
	if (!n || !parser_expect(p, "(", "after a type's name"))
		return NULL;
	n->type = type;
	struct node *a = parser_expr(p);
	if (!a || !parser_expect(p, ")", "after what is converted"))
		return NULL;
	return adopt(p, n, a, NULL, NULL);
}

static struct node *
parse_name(struct parser *p)
{
	const struct token *t = parser_next(p);
	if (!strcmp(t->text, "i")) {
		if (!p->index_known)
			return parser_fail(p, t, "there is no element number 'i' here");
		return new_node(p, NODE_INDEX);
	}
	if (!strcmp(t->text, "sum"))
		return parse_sum(p);
	for (uint32_t f = 0; f < FUNCTION_COUNT; f++)
		if (!strcmp(t->text, function[f].name))
			return parse_call(p, t, f);
	enum ptx_type type = parser_type(t->text);
	if (type != PTX_NONE)
		return parse_convert(p, type);
	uint32_t ref = parser_find_scalar(p, t->text);
	if (ref != WCP_NONE32) {
		struct node *n = new_node(p, NODE_SCALAR);
		if (n)
			n->ref = ref;
		return n;
	}
	ref = parser_find_buffer(p, t->text);
	if (ref != WCP_NONE32)
		return parse_element(p, t, ref);
	return parser_fail(p, t, "unknown name '%.60s'", t->text);
}

/* &NAME[EXPR] */
static struct node *
parse_address(struct parser *p)
{
	const struct token *name = parser_next(p);
	uint32_t buffer = name->kind == TOKEN_NAME ? parser_find_buffer(p, name->text) : WCP_NONE32;
	if (buffer == WCP_NONE32)
		return parser_fail(p, name, "'&' wants a buffer");
	struct node *n = new_node(p, NODE_ADDRESS), *at = NULL;
	if (!n)
		return NULL;
	n->ref = buffer;
	if (parser_accept(p, "[")) {
		at = parser_expr(p);
		if (!at || !parser_expect(p, "]", "after the element's number"))
			return NULL;
	}
	return adopt(p, n, at, NULL, NULL);
}

static struct node *
parse_primary(struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_INTEGER || t->kind == TOKEN_REAL)
		return parse_number(p);
	if (t->kind == TOKEN_NAME)
		return parse_name(p);
	if (!parser_accept(p, "("))
		return parser_fail(p, t, "a number, a name or '(' wanted");
	struct node *n = parser_expr(p);
	return n && parser_expect(p, ")", "to close '('") ? n : NULL;
}

static struct node *
parse_unary(struct parser *p)
{
	static const struct {
		const char *text;
		enum operator op;
	} unary[] = {{"-", OP_NEGATE}, {"!", OP_NOT}, {"~", OP_BIT_NOT}};
	if (p->depth >= PARSER_DEPTH)
		return parser_fail(p, parser_peek(p), "nested more than %d deep", PARSER_DEPTH);
	struct node *n = NULL;
	p->depth++;
	if (parser_accept(p, "&")) {
		n = parse_address(p);
		p->depth--;
		return n;
	}
	for (size_t k = 0; k < COUNT(unary); k++)
		if (parser_accept(p, unary[k].text)) {
			n = new_node(p, NODE_UNARY);
			struct node *a = parse_unary(p);
			p->depth--;
			if (!n || !a)
				return NULL;
			n->op = unary[k].op;
			return adopt(p, n, a, NULL, NULL);
		}
	n = parse_primary(p);
	p->depth--;
	return n;
}

static struct node *
parse_binary(struct parser *p, int level)
{
	struct node *left = parse_unary(p);
	while (left) {
		size_t k = 0;
		while (
		    k < COUNT(infix) && !(infix[k].level >= level && parser_is(p, infix[k].text)))
			k++;
		if (k == COUNT(infix))
			break;
		struct node *n = new_node(p, NODE_BINARY);
		parser_next(p);
		struct node *right = parse_binary(p, infix[k].level + 1);
		if (!n || !right)
			return NULL;
		n->op = infix[k].op;
		left = adopt(p, n, left, right, NULL);
	}
	return left;
}

struct node *
parser_expr(struct parser *p)
{
	struct node *n = parse_binary(p, 1);
	if (!n || !parser_is(p, "?"))
		return n;
	struct node *choice = new_node(p, NODE_CHOICE);
	parser_next(p);
	if (!choice || p->depth >= PARSER_DEPTH)
		return parser_fail(p, parser_peek(p), "nested more than %d deep", PARSER_DEPTH);
	p->depth++;
	struct node *yes = parser_expr(p), *no = NULL;
	if (yes && parser_expect(p, ":", "after the first choice of '?'"))
		no = parser_expr(p);
	p->depth--;
	return no ? adopt(p, choice, n, yes, no) : NULL;
}

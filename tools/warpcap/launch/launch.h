/*
 * The launch file (warpcap-launch(5)) as a tree: what the text says, names resolved, nothing
 * executed. Everything belongs to the launch_file and lives until launch_free.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "warpcap/error.h"
#include "warpcap/ptx.h"

struct value {
	bool is_real;
	int64_t i; /* valid if not is_real; 64-bit two's complement, wraps */
	double r;  /* valid if is_real */
};

enum node_kind {
	NODE_CONSTANT, /* value */
	NODE_SCALAR,   /* scalar[ref] */
	NODE_INDEX,    /* i: the element's number */
	NODE_ELEMENT,  /* buffer[ref][child 0]; initial: its contents when it was declared */
	NODE_ADDRESS,  /* address of buffer[ref], of element child 0 if there is one */
	NODE_UNARY,    /* op child 0 */
	NODE_BINARY,   /* child 0 op child 1 */
	NODE_CHOICE,   /* child 0 ? child 1 : child 2 */
	NODE_CALL,     /* enum launch_function in ref, of the children */
	NODE_SUM, /* child 2 summed over scalar[ref] from child 0 up to, not including, child 1 */
	NODE_CONVERT, /* child 0 as an element of type would hold it */
};

enum launch_function {
	FUNCTION_ABS,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_SQRT,
	FUNCTION_FLOOR,
	FUNCTION_CEIL,
	FUNCTION_EXP,
	FUNCTION_LOG,
	FUNCTION_SIN,
	FUNCTION_COS,
	FUNCTION_POW,
	FUNCTION_FMA,
	FUNCTION_RANDOM,
	FUNCTION_UNIFORM,
	FUNCTION_NORMAL, /* value: its place in the initialiser */
	FUNCTION_COUNT
};

enum operator{
	OP_OR,
	OP_AND,
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_EQ,
	OP_NE,
	OP_LE,
	OP_GE,
	OP_LT,
	OP_GT,
	OP_SHL,
	OP_SHR,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_NOT,
	OP_BIT_NOT,
	OP_NEGATE,
};

struct node {
	enum node_kind kind;
	enum operator op;
	uint32_t ref;
	uint32_t line;
	uint32_t depth; /* of the tree below, itself included */
	bool initial;
	enum ptx_type type; /* CONVERT */
	struct value value;
	struct node *child[3];
};

enum init_kind { INIT_NONE, INIT_ZERO, INIT_EXPR, INIT_RAW, INIT_TEXT };

struct init {
	enum init_kind kind;
	struct node *expr;
	struct node *seed; /* NULL: the tool's seed and the buffer's number */
	const char *path;  /* RAW, TEXT */
};

enum scalar_kind { SCALAR_PARAM, SCALAR_LET, SCALAR_LOOP };

struct scalar {
	const char *name;
	enum scalar_kind kind;
	struct node *from, *to; /* PARAM: limits, NULL if none */
	struct node *given;	/* PARAM: from -D, NULL if not given */
	bool in_scope;
};

struct buffer {
	const char *name;
	enum ptx_type type;
	struct node *count; /* NULL for a variable of the module */
	bool is_variable;
	bool keeps_initial; /* some expression looks at its initial contents */
	uint32_t line;
};

struct argument {
	enum ptx_type type;	 /* as written before it, PTX_NONE if nothing is */
	struct node *expr;	 /* NULL: a structure of the arguments below */
	struct argument *member; /* [n_member] */
	uint32_t n_member;
};

struct shape {
	struct node *size[3];
	uint32_t n;
};

enum statement_kind {
	STATEMENT_PARAM,
	STATEMENT_LET, /* scalar = expr */
	STATEMENT_BUFFER,
	STATEMENT_VARIABLE,
	STATEMENT_FILL, /* buffer = init */
	STATEMENT_COPY, /* buffer[expr] = buffer2[expr2], count elements */
	STATEMENT_LAUNCH,
	STATEMENT_EXPECT, /* buffer equals init; buffer WCP_NONE32: expr is not 0 */
	STATEMENT_DUMP,	  /* buffer into path */
	STATEMENT_REPEAT, /* body, expr times, scalar counts (WCP_NONE32: nothing does) */
	STATEMENT_WHILE,  /* body, while expr is not 0 */
};

struct statement {
	enum statement_kind kind;
	uint32_t line;
	struct statement *next, *body;
	uint32_t scalar, buffer, buffer2;
	struct node *expr, *expr2, *count;
	struct init init;
	struct node *within, *relative;
	bool text; /* DUMP */
	const char *path;
	/* LAUNCH */
	const char *kernel;
	struct argument *arg;
	uint32_t n_arg;
	struct shape grid, block;
	struct node *shared, *regs, *stream;
	bool unrecorded;
};

struct launch_file {
	struct arena *arena;
	struct statement *first;
	struct scalar *scalar;
	uint32_t n_scalar;
	struct buffer *buffer;
	uint32_t n_buffer;
};

/* Parses text[0..bytes). On failure NULL; e->text says "line N: ...". */
struct launch_file *launch_parse(const char *text, size_t bytes, struct wcp_error *e);
void launch_free(struct launch_file *f);

/* "NAME=VALUE": gives a param its value instead of the one in the file. WCP_EUSAGE for a name that
 * is no param or a VALUE that is no constant expression. */
int launch_define(struct launch_file *f, const char *definition, struct wcp_error *e);

#endif

/*
 * The parser's parts and what they share. It is a recursive descent over one token of lookahead.
 *
 * The first error is kept and turns the rest of the text into its end (struct parser.failed): loops
 * stop at TOK_END, so that callers need not ask after every step. Functions that return a pointer
 * return NULL after an error.
 */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "ptx/arena.h"
#include "warpcap/ptx.h"

#define DEPTH_MAX 256 /* open { } scopes, and nested operands and expressions */

/* ---- tokens (lex.c) ---- */

enum token_kind {
	TOK_END,
	TOK_WORD, /* identifier, %register, $label */
	TOK_DOT,  /* .word; name is without the dot */
	TOK_INT,
	TOK_FLOAT,
	TOK_STRING, /* between the quotes */
	TOK_PUNCT,
};

struct token {
	enum token_kind kind;
	const char *at; /* in the text */
	size_t bytes;
	uint32_t line;
	int punct; /* a character, or PAIR of two */
	struct name *name;
	uint64_t bits;	       /* INT; FLOAT in hexadecimal: its exact bits */
	double real;	       /* FLOAT */
	bool is_unsigned;      /* INT */
	bool is_f32, is_exact; /* FLOAT: 0f; 0f or 0d */
};
#define PAIR(a, b) ((a) << 8 | (b))

/* ---- growing lists that end up in the arena ---- */

struct list {
	void *item;
	size_t n, cap;
};

/* ---- names in scopes (scope.c) ---- */

enum bound_kind { BOUND_REG, BOUND_RANGE, BOUND_SYMBOL, BOUND_LABEL, BOUND_TABLE };

struct binding {
	enum bound_kind kind;
	int depth;
	struct name *name;
	struct binding *outer; /* what it hides */
	struct binding *next;  /* declared before it in the same scope */
	enum ptx_type type;    /* REG, RANGE */
	uint32_t vector;       /* REG, RANGE: elements, 0 for a scalar */
	uint32_t count;	       /* RANGE */
	uint32_t index;	       /* REG: in fn->reg, WCP_NONE32 before its first use; LABEL; TABLE */
	struct ptx_symbol *sym;
};

enum fixup_kind {
	FIX_OPERAND, /* struct ptx_operand: symbol, label or table */
	FIX_LABEL,   /* struct ptx_operand: a label only */
	FIX_TARGET,  /* uint32_t: a label's instruction */
	FIX_CALLEE,  /* struct ptx_symbol *: a function */
	FIX_INIT,    /* struct ptx_init */
};

struct fixup { /* a use of a name that had no meaning yet */
	enum fixup_kind kind;
	uint32_t line;
	struct name *name;
	const char *at;
	void *what;
};

struct scope {
	struct binding *first;
	size_t first_fixup;
	bool has_range;
};

struct place {
	uint32_t file, line;
};

struct parser {
	const char *text, *end, *at;
	uint32_t line;
	struct token tok;
	const char *last_at; /* where the token before it stands */
	uint32_t last_line;
	bool failed;
	struct wcp_error *error;
	struct ptx_module *module;
	struct ptx_arena *arena;  /* the module's */
	struct ptx_arena scratch; /* bindings: gone with the parser */

	struct scope scope[DEPTH_MAX];
	int depth;		     /* of the innermost open scope; 0: module */
	int nesting;		     /* of operands and expressions */
	struct list fixup;	     /* struct fixup */
	struct list opstack;	     /* struct ptx_operand, of the lists being read */
	struct list init;	     /* struct ptx_init, of the initialiser being read */
	struct list init_name;	     /* struct name *: the addresses in it, in order */
	struct list sym, func, file; /* module's pointers */

	struct ptx_func *fn; /* being read */
	struct list reg, local, insn, table;
	struct place loc, inlined; /* of the .loc that holds */
	bool branching;		   /* the operands being read are a branch's */
	bool calling, moving;
};

/* lex.c */
void pt_next(struct parser *p);
void pt_skip_space(struct parser *p);
bool pt_is_word_char(char c);
void pt_skip_line(struct parser *p);
void pt_skip_braces(struct parser *p); /* the current token is "{": to after its "}" */
/* Joins to the current word the ".mod" and "::part" that follow it without a space. */
void pt_extend_opcode(struct parser *p);

/* number.c: reads the number at p->at into p->tok */
void pt_lex_number(struct parser *p);

/* error.c: all set p->failed; pt_fail points to the last token that was taken */
void pt_fail(struct parser *p, const char *format, ...) WCP_PRINTF(2, 3);
void pt_fail_at(struct parser *p, uint32_t line, const char *at, const char *format, ...)
    WCP_PRINTF(4, 5);
void pt_fail_memory(struct parser *p);
void pt_expected(struct parser *p, const char *what); /* "expected WHAT, found ..." */
bool pt_is(const struct parser *p, int punct);
bool pt_is_dot(const struct parser *p, const char *word);
bool pt_accept(struct parser *p, int punct);
void pt_expect(struct parser *p, int punct, const char *what);
struct name *pt_expect_word(struct parser *p, const char *what);
uint64_t pt_expect_int(struct parser *p, const char *what);
bool pt_enter(struct parser *p); /* one level of nesting deeper; false when that is too deep */
void pt_leave(struct parser *p);

/* list.c */
void *pt_alloc(struct parser *p, size_t bytes);
void *
pt_push(struct parser *p, struct list *list, size_t item_bytes); /* zeroed; NULL without memory */
/* Copies items from first on to the arena and drops them from the list. */
void *pt_take(struct parser *p, struct list *list, size_t first, size_t item_bytes, uint32_t *n);

void pt_free_list(struct list *list);

/* scope.c */
void pt_open_scope(struct parser *p);
void pt_close_scope(struct parser *p);
/* Binds name in the innermost scope; NULL (failed) if it is taken there. */
struct binding *pt_bind(struct parser *p, struct name *name, enum bound_kind kind);
struct binding *pt_bind_range(struct parser *p, struct name *stem);
/* What name means here, or NULL; a member of a range is bound on its first use. */
struct binding *pt_meaning(struct parser *p, struct name *name);
void pt_later(struct parser *p, enum fixup_kind kind, struct name *name, void *what);
void pt_resolve_module(struct parser *p);

/* expr.c: constant expressions, PTX ISA section 4.5 */
struct value {
	enum { VALUE_INT, VALUE_FLOAT, VALUE_ADDRESS } kind;
	uint64_t bits; /* INT; exact FLOAT; ADDRESS: offset */
	double real;
	bool is_unsigned, is_f32, is_exact, is_generic;
	struct name *name; /* ADDRESS */
	uint64_t mask;	   /* ADDRESS: byte mask, 0: whole */
};
/* Names are addresses if addresses is set, an error otherwise. */
struct value pt_expression(struct parser *p, bool addresses);
int64_t pt_int_expression(struct parser *p, const char *what);

/* decl.c, init.c */
struct shape { /* of a variable being declared */
	enum ptx_type type;
	uint32_t vector; /* 0: scalar */
	uint32_t align;	 /* 0: natural */
	uint32_t n_dim;
	uint64_t dim[8]; /* [0] may be 0: open */
	bool managed;
};
/* The current token is the state space; linkage gives the is_ flags. Ends after ";". */
void pt_declare_variables(struct parser *p, const struct ptx_symbol *linkage);
void pt_declare_registers(struct parser *p);
void pt_signature_list(struct parser *p, struct ptx_symbol ***list, uint32_t *n);
void pt_initialiser(struct parser *p, struct ptx_symbol *sym, struct shape *shape);
enum wcp_space pt_space_named(const char *name); /* NONE if it is no state space */

/* operand.c */
void pt_operands(struct parser *p, int close, struct ptx_operand **op, uint32_t *n);
uint32_t pt_register(struct parser *p, struct binding *b);

/* insn.c */
void pt_instruction(struct parser *p);
void pt_label(struct parser *p);

/* func.c, module.c */
void pt_function(struct parser *p, const struct ptx_symbol *linkage, bool is_entry);
void pt_function_directives(struct parser *p, struct ptx_func *f);
void pt_loc(struct parser *p);
void pt_file(struct parser *p);
void pt_pragma(struct parser *p);
void pt_section(struct parser *p);
bool pt_attribute(struct parser *p); /* true: it is .managed */

#endif

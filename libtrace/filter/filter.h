/*
 * A compiled filter: straight-line postfix code over a stack of bitmaps. A leaf pushes one bit a
 * record, NOT, AND and OR combine, SKIP jumps forward over a right operand that can no longer
 * matter.
 */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "warpcap/filter.h"

enum {
	FILTER_STACK = 64,   /* bitmaps at a time: bounds the nesting of an expression */
	FILTER_CHUNK = 1024, /* records a bitmap covers */
	FILTER_WORDS = FILTER_CHUNK / 64,
	FILTER_OPS = 4096, /* longest program */
	FILTER_LEVELS = 8, /* of wcp_access_batch.outcome */
};

enum filter_code {
	FILTER_CONST,	  /* lo: 0 or 1 */
	FILTER_RANGE,	  /* lo <= column <= hi */
	FILTER_BITS,	  /* column has one of the bits of lo */
	FILTER_MEMBER,	  /* bit number column of lo is set */
	FILTER_POPCOUNT,  /* lo <= bits set in column <= hi */
	FILTER_OUTCOME,	  /* a level lo..hi has an outcome that is a member of aux */
	FILTER_TOUCH,	  /* bytes lo..hi are touched */
	FILTER_NAMED,	  /* kernel's name matches names[aux] */
	FILTER_CTA_AT,	  /* the CTA stands at lo, hi, aux of its kernel's grid */
	FILTER_STATIC,	  /* the instruction at pc passes tests[aux] */
	FILTER_SPACE,	  /* WARP: a memory record's space is a member of lo */
	FILTER_DIVERGENT, /* WARP: the instruction touches more than two lines */
	FILTER_NOT,
	FILTER_AND,
	FILTER_OR,
	FILTER_SKIP_NONE, /* to aux, if no record of the top bitmap is left */
	FILTER_SKIP_ALL,  /* to aux, if every record is there */
	FILTER_CODES
};

struct filter_op {
	uint8_t code;	/* enum filter_code */
	uint8_t column; /* enum wcp_access_col */
	uint32_t aux;
	uint64_t lo, hi;
};

/* What can be asked of a static instruction. */
enum filter_test_kind {
	TEST_LINE,   /* source line in lo..hi of a file that matches text ("" for any) */
	TEST_CLASS,  /* op_class is a member of lo */
	TEST_OPCODE, /* spelling matches text */
	TEST_KIND,   /* a memory instruction, its kind is a member of lo */
	TEST_BYTES,  /* a memory instruction, bytes a lane moves in lo..hi */
	TEST_FLAGS,  /* flags has one of the bits of lo */
};

struct filter_test {
	enum filter_test_kind kind;
	char *text;
	uint64_t lo, hi;
};

struct filter_kernel {
	bool known;
	uint32_t program; /* WCP_NONE32: none */
	uint32_t grid[3];
};

struct filter_program {
	uint32_t n_insn;
	uint64_t *pass; /* [n_test][(n_insn + 63) / 64], NULL until its first kernel came */
};

struct wcp_filter {
	enum wcp_link link;
	uint32_t columns; /* WCP_COL set */
	bool needs_insn;  /* WARP: looks at more than kernel, CTA and warp */

	struct filter_op *op;
	uint32_t n_op;
	char **name; /* patterns */
	uint32_t n_name;
	struct filter_test *test;
	uint32_t n_test;

	struct filter_kernel *kernel; /* [n_kernel] by id */
	uint8_t *named;		      /* [n_kernel][n_name] */
	uint32_t n_kernel;
	struct filter_program *program; /* [n_program] by id */
	uint32_t n_program;
};

/* Records as the leaves see them. A column that is NULL has the same value in every record. */
struct filter_view {
	const void *column[WCP_ACCESS_COLS];
	uint64_t constant[WCP_ACCESS_COLS];
	/* WARP: each instruction's memory records; count 0 if it accessed nothing */
	const struct wcp_warp_batch *batch;
	const struct wcp_program *program;
	const uint32_t *mem_first;
	const uint8_t *mem_count;
};

/* Bytes of one value of a column. */
unsigned filter_column_bytes(unsigned column);

/* Expression to code; fills op, name, test, columns, needs_insn. */
int filter_parse(struct wcp_filter *f, const char *expression, struct wcp_error *e);
/* Is the code one that filter_run may be trusted with? */
int filter_verify(const struct wcp_filter *f, struct wcp_error *e);
/* Runs the code on n <= FILTER_CHUNK records of the view from record at; bits past n are 0. */
void filter_run(const struct wcp_filter *f, const struct filter_view *view, uint32_t at, uint32_t n,
    uint64_t result[FILTER_WORDS]);
/* One leaf, on the same records; bits past n are undefined. */
void filter_leaf(const struct wcp_filter *f, const struct filter_op *op,
    const struct filter_view *view, uint32_t at, uint32_t n, uint64_t *out);
void filter_leaf_memory(const struct filter_op *op, const struct filter_view *view, uint32_t at,
    uint32_t n, uint64_t *out);

#endif

/*
 * The table of lane operations: one row a form of an instruction, so that a new instruction is a
 * lane function and a row.
 *
 * form: the spelling, modifier by modifier, as in "add.RND?.ftz?.sat.f32". A modifier with ? may be
 * absent; "s32|u32" are alternatives. Classes of modifiers:
 *
 *     RND   rn rz rm rp, goes to round        CMP   a comparison, goes to lane_match.cmp
 *     IRND  rni rzi rmi rpi, as RND           BOOL  and or xor, goes to lane_match.bool_op
 *
 * args: destinations, a colon, sources, in PTX order. Rows that differ only in the number of
 * operands may stand side by side. One letter an operand:
 *
 *     t u v  of the first, second, third type in the spelling
 *     w      twice as wide as t
 *     i l h  u32, u64, b16
 *     p n    predicate; n may be negated
 *     #      integer constant, goes to aux
 *     |      after a destination: it may be a pair whose second half is a predicate
 */
#ifndef EXEC_LANES_ROW_H
#define EXEC_LANES_ROW_H

#include "exec/insn.h"

/* What matching a form found out beyond types and operands; finish may use it. */
struct lane_match {
	enum ptx_type type[4];
	unsigned n_type;
	unsigned cmp;	  /* enum lane_cmp */
	unsigned bool_op; /* enum lane_bool */
};

struct lane_row {
	const char *form, *args;
	uint8_t op_class;
	lane_fn *fn[2];
	/* Chooses what the row leaves open; 0 or a negative status. */
	int (*finish)(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
	    struct wcp_error *e);
};

enum lane_cmp {
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE, /* also lo ls hi hs, unsigned */
	CMP_EQU,
	CMP_NEU,
	CMP_LTU,
	CMP_LEU,
	CMP_GTU,
	CMP_GEU,
	CMP_NUM,
	CMP_NAN,
	CMP_COUNT
};

enum lane_bool { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };

/* NULL-terminated list of families, each ended by a row without form */
extern const struct lane_row *const lanes_families_v1[];
extern const struct lane_row *const lanes_families_v3[];
extern const struct lane_row *const lanes_families_v4[];

#endif

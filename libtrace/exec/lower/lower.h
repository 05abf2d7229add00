/*
 * From PTX to dense code. struct lower is the workbench for one kernel; control.c, memory.c, move.c
 * add the instructions of one kind. A failure is kept and reported once, at the end.
 */
#ifndef EXEC_LOWER_H
#define EXEC_LOWER_H

#include "exec/lower/cfg.h"
#include "exec/warp.h"

/* Memory that lives as long as the code. */
struct exec_arena;
struct exec_arena *exec_arena_new(void);
void exec_arena_free(struct exec_arena *a);
void *exec_arena_alloc(struct exec_arena *a, size_t bytes); /* zeroed; NULL: no memory */

struct lower {
	const struct ptx_module *module;
	const struct exec_level *level;
	unsigned isa;
	uint32_t regs_per_sm;
	bool waits_in_calls; /* a loop that waits calls functions */
	struct exec_code *code;
	uint16_t *reg; /* of the static program, as it grows */
	char *strings;
	uint32_t n_string, cap_reg, cap_string;
	uint32_t cap_insn, cap_mem, cap_func, cap_call, cap_table, cap_live, cap_special;
	uint32_t cap_builtin, cap_matrix, cap_fetch, cap_bulk;
	struct exec_fragment *layout; /* one of each geometry, with its places */
	uint32_t n_layout, cap_layout;
	/* registers, then constants, which only grow at the end of the file */
	uint32_t file_bytes;
	struct lower_const {
		uint32_t offset;
		uint8_t bytes; /* 0: a predicate */
		uint64_t value;
	} * constant;
	uint32_t n_constant, cap_constant;
	uint32_t shared_bytes;
	uint32_t pc; /* of the instruction being lowered */
	/* the function being lowered */
	uint32_t func;
	struct cfg cfg;
	uint32_t *live_after; /* [n_insn] weight of what lives behind it */
	uint8_t *result_read; /* [n_insn] an atomic's result is read */
	uint32_t *live_of;    /* [n_block] live set of a loop head + 1 */
	uint32_t
	    *next_shared; /* [n_insn + 1] the first from here on that may bring news of others */
	const struct ptx_func *fn;
	struct lower_spill {
		const struct ptx_symbol *sym;
		uint32_t offset;
	} * spill; /* [n_spill] */
	uint32_t n_spill, cap_spill;
	uint32_t *slot;		/* [n_reg] offset in the file */
	uint32_t *start;	/* [n_insn + 1] ptx instruction -> insn */
	uint32_t common_return; /* insn index of the RECONVERGE before RETURN */
	uint32_t *patch;	/* insns whose imm is still a ptx instruction */
	uint32_t n_patch, cap_patch;
	/* the instruction being lowered */
	const struct ptx_insn *in;
	uint32_t index;
	uint8_t op_class;
	bool live_result; /* is its first destination read later? */
	struct lower_after {
		uint32_t to, from;
		uint8_t to_bytes, from_bytes, value_bytes;
		bool is_signed;
	} after[16]; /* results to be widened behind it */
	uint32_t n_after;
	uint32_t n_temp;
	struct wcp_error error;
	struct insn spare; /* written to when there is no memory */
	struct mem_op spare_mem;
	bool failed;
};

/* Records the first failure, with the line of the instruction under way; returns false. */
bool lower_fail(struct lower *l, enum wcp_status status, const char *format, ...) WCP_PRINTF(3, 4);
bool lower_unsupported(struct lower *l);

/* A new instruction with the current pc and guard. Without memory it is one that is thrown away. */
struct insn *lower_emit(struct lower *l, enum insn_do what, lane_fn *const fn[2]);
struct insn *
lower_hidden(struct lower *l, lane_fn *const fn[2]); /* DO_LANES, without guard or count */
struct mem_op *lower_mem(struct lower *l, struct insn *in);
void
lower_patch(struct lower *l, struct insn *in); /* imm will be the insn of ptx instruction imm */

/* Grows *array to hold index n; false: no memory. */
bool lower_grow(struct lower *l, void *array, uint32_t n, uint32_t *cap, size_t size);

/* operand.c */
unsigned lower_width(enum ptx_type type); /* of a register: 2, 4, 8, 16; 0: predicate */
uint32_t lower_source(struct lower *l, const struct ptx_operand *op, enum ptx_type type);
uint32_t lower_result(struct lower *l, const struct ptx_operand *op, enum ptx_type type);
void lower_results(struct lower *l); /* widens what lower_result put off */
uint32_t lower_constant(struct lower *l, unsigned bytes, uint64_t value);
uint32_t lower_special(struct lower *l, enum special_kind kind, unsigned bytes);
int lower_special_kind(const char *name); /* -1: unknown */
uint32_t lower_temp(struct lower *l, unsigned bytes);
bool
lower_address_of(struct lower *l, const struct ptx_symbol *sym, uint64_t *value, bool *per_frame);
bool lower_sign(enum ptx_type type);
bool lower_is_kernel_param(const struct lower *l, const struct ptx_symbol *sym);

/* control.c, memory.c, move.c, operand.c: true if the instruction was theirs, well or badly */
bool lower_memory(struct lower *l);
bool lower_control(struct lower *l);
bool lower_move(struct lower *l);
bool lower_lanes(struct lower *l);
bool lower_matrix(struct lower *l); /* matrix.c */
bool lower_async(struct lower *l);  /* async.c */
bool lower_bulk(struct lower *l);   /* bulk.c, for async.c */
bool lower_store_async(struct lower *l);
bool lower_fetch(struct lower *l); /* fetch.c */

/*
 * memory.c, for all that has addresses. The space that a modifier names. Then, in this order: the
 * address of a variable in a frame is computed before the instruction, *frame is its slot; the
 * instruction is emitted; its address goes into in and m. False: refused.
 */
bool lower_space(const char *mod, uint8_t *space);
bool lower_frame_address(struct lower *l, const struct ptx_operand *op, uint32_t *frame);
bool lower_address(struct lower *l, const struct ptx_operand *op, uint32_t frame, struct insn *in,
    struct mem_op *m);
int lower_atom_named(const char *mod); /* enum atom_op, -1: none */

/* layout.c: places registers, parameters and variables of function l->func */
bool lower_layout(struct lower *l);
bool lower_shared_layout(struct lower *l);
/* Where in the frame the copy of a function's parameter is whose address the function takes. */
bool lower_spilled(struct lower *l, const struct ptx_symbol *sym, uint64_t *offset);

/* program.c */
bool lower_program_begin(struct lower *l, uint32_t n_insn);
void lower_describe(
    struct lower *l, uint32_t reg_base, const struct insn *in); /* in: what it became, or NULL */
void lower_program_end(struct lower *l);

/* rules.c */
void lower_rules(struct lower *l);

/* waits.c: can the loop from head to branch wait for others? */
bool lower_loop_waits(struct lower *l, uint32_t head, uint32_t branch);
/* First: which functions read what others write. */
void lower_find_pollers(struct exec_code *c);
/* Then of each function: fills next_shared. */
void lower_find_shared(struct lower *l);

/*
 * Lowers kernel fn of module. Symbols of global and constant variables and of functions have their
 * address in user. What cannot be executed is said in the code's status and why. NULL: no memory.
 */
struct exec_code *exec_lower(const struct ptx_module *module, const struct ptx_func *fn,
    const struct exec_level *level, unsigned isa, uint32_t regs_per_sm);
void exec_code_free(struct exec_code *c);

#endif

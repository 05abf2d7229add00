/*
 * Control flow of one function: basic blocks, immediate post-dominators, live registers. Works on
 * the PTX tree.
 */
#ifndef EXEC_CFG_H
#define EXEC_CFG_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/ptx.h"

#define CFG_NONE 0xffffffffu
#define CFG_EXIT 0xfffffffeu /* a function's common return */

struct cfg_block {
	uint32_t first, end;   /* instructions [first, end) */
	uint32_t succ, n_succ; /* in cfg.edge */
	uint32_t pred, n_pred; /* in cfg.back_edge */
	uint32_t ipdom;	       /* block, CFG_EXIT, or CFG_NONE: its lanes never meet again */
	bool reached;	       /* from the entry */
	bool returns;	       /* ends in a ret that a function's caller continues from */
	bool meets;	       /* lanes of a divergent branch meet at its start */
};

struct cfg {
	const struct ptx_func *fn;
	struct cfg_block *block;
	uint32_t n_block;
	uint32_t *block_of; /* [n_insn] */
	uint32_t *edge, *back_edge;
	uint64_t *live_in, *live_out; /* [n_block][words]: bit r: register r */
	uint32_t words;
	bool common_return; /* branches meet at the function's return */
};

/* Builds all of it; false: no memory. */
bool cfg_build(struct cfg *c, const struct ptx_func *fn);
void cfg_release(struct cfg *c);

/* Registers an instruction writes and reads, guard and addresses included. */
#define CFG_REGS 72
struct cfg_regs {
	uint32_t dst[CFG_REGS], src[CFG_REGS];
	uint32_t n_dst, n_src;
};
void cfg_insn_regs(const struct ptx_insn *in, struct cfg_regs *r);

/* Does op[0] of this instruction name what it writes? */
bool cfg_writes(const struct ptx_insn *in);
bool cfg_ends_lanes(const struct ptx_insn *in); /* exit, trap, ret */
bool cfg_is_branch(const struct ptx_insn *in);	/* bra, brx */
const struct ptx_table *cfg_table(const struct ptx_func *fn, const struct ptx_insn *in);

/* Calls visit with the registers live before instruction i of every reached block, last instruction
 * first. */
typedef void cfg_visit(void *arg, uint32_t insn, const uint64_t *live_after);
void cfg_each_live(const struct cfg *c, cfg_visit *visit, void *arg);

/* 32-bit registers that the live set takes; predicates none. */
uint32_t cfg_weight(const struct cfg *c, const uint64_t *live);

static inline bool
cfg_bit(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

#endif

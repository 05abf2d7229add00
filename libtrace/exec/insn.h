/*
 * The dense code that PTX is lowered to, and the contract between the two halves of the executor:
 *   the engine (lower, cfg, warp, cta, memory) owns control, memory and recording;
 *   the lane operations (lanes/) compute 32 lanes at a time and know nothing else.
 *
 * A warp's register file is one block of memory, 64-byte aligned, [slot][lane]: 32-bit registers
 * take 128 bytes, 64-bit ones 256, 16- and 8-bit ones 64 (as uint16_t), a predicate 4 (a mask, one
 * bit a lane). Immediates sit in constant slots of the same file, broadcast at decode: an operand
 * is always an offset.
 */
#ifndef EXEC_INSN_H
#define EXEC_INSN_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/ptx.h"
#include "warpcap/types.h"

struct insn;

/* What every register file begins with; registers and constants come after FILE_FIRST. */
enum {
	FILE_NONE = 0,	/* no operand; never written */
	FILE_CARRY = 4, /* the condition code of add.cc and its kin: a mask, one bit a lane */
	FILE_FIRST = 64,
};

/* Computes in's result for the lanes of mask into file + in->d. fn[1] is only called with all 32
 * lanes set and may write every lane; fn[0] must leave inactive lanes as they were. Must not fail:
 * what can fail is refused at decode. */
typedef void lane_fn(const struct insn *in, char *file, uint32_t mask);

enum insn_do {		 /* what the engine does with it */
	DO_LANES,	 /* call fn */
	DO_GUARDED,	 /* call fn for the lanes that pass the guard */
	DO_MEMORY,	 /* call fn, which finds the warp around the file and may fault */
	DO_JUMP,	 /* to imm */
	DO_BRANCH,	 /* to imm where the guard lets pass; b: where both sides
			    meet */
	DO_BRANCH_TABLE, /* by index a through table imm */
	DO_CALL,	 /* call imm; b: where guarded-off lanes wait */
	DO_RETURN_IF,	 /* a function's guarded ret: to imm, its common return */
	DO_RETURN,
	DO_EXIT,
	DO_RECONVERGE, /* lanes that a join expects here wait for each other */
	DO_GATHER,     /* before a .sync operation: lanes of mask a meet */
	DO_BARRIER,
	DO_TRAP,
	DO_BUILTIN, /* call fn, which may fault; without fn a call of what has no PTX: builtin call
		       imm */
	DO_BULK,    /* bulk copy imm; e: how it is recorded */
	DO_NOTHING, /* counted, no effect */
};

struct insn {
	lane_fn *fn[2]; /* [0] masked, [1] all lanes */
	uint32_t d, a, b,
	    c; /* byte offsets in the register file; d2 and e: second result, fourth source */
	uint32_t d2, e;
	uint32_t guard; /* byte offset of the guard predicate; 0: none (slot 0 is reserved) */
	uint32_t pc;	/* index in the static program */
	uint16_t aux;	/* for fn: comparison, shuffle mode, byte selection, ... */
	uint8_t round;	/* enum lane_round */
	uint8_t what;	/* enum insn_do */
	uint8_t guard_negated;
	uint8_t negate; /* for fn: bit k set: source k of a, b, c, e is a predicate written !p */
	uint8_t hidden; /* inserted by lowering: not counted, not recorded */
	uint8_t pad;
	int64_t imm; /* offset of an address, target of a branch, ... */
};

/* How an f32/f64 operation rounds and flushes: an MXCSR setting that fn puts in place around its
 * loop. */
enum lane_round { LANE_RN, LANE_RZ, LANE_RM, LANE_RP, LANE_FTZ = 4 /* or-ed on top */ };

/*
 * What the lane half answers for one PTX instruction that only computes (no memory, no control).
 * The engine assigns offsets for the operands as listed, with the types given: an immediate is
 * converted to the type, a narrower or wider register is read as PTX section 9.4 says.
 */
struct lane_code {
	lane_fn *fn[2];
	uint16_t aux;
	uint8_t round;
	uint8_t negate;
	uint8_t op_class; /* enum wcp_op_class */
	uint8_t n_dst, n_src;
	enum ptx_type dst[2];	     /* type of d, d2; PTX_PRED for a predicate; PTX_NONE: absent */
	enum ptx_type src[4];	     /* types of a, b, c, e */
	int8_t dst_op[2], src_op[4]; /* which PTX operand each is (index in ptx_insn.op); a PAIR's
				      * halves are op + 64 for the first, op + 96 for the second;
				      * VECTOR element k: 16 * (k + 1) + op */
	int64_t imm;
};

/*
 * The table of instructions: one row a base opcode. Finds the row of in and lets it fill code for
 * instruction set level (1, 3, 4). 1: done; 0: this base opcode is not a lane operation (the
 * engine's, or unknown); negative: known, but not in this form (e says which part).
 */
int lanes_decode(
    const struct ptx_insn *in, unsigned level, struct lane_code *code, struct wcp_error *e);

/* Best level of this CPU: 4 AVX-512, 3 AVX2 and FMA, 1 otherwise. */
unsigned lanes_best_level(void);

#endif

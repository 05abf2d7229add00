/*
 * Matrix instructions: wmma, mma, mma.sp, ldmatrix, stmatrix, movmatrix. PTX ISA 9.0
 * section 9.7.14. A fragment says which lane holds what of a matrix.
 *
 * A wmma fragment is opaque to programs. Here lane l holds consecutive elements of the matrix in
 * the order in which it lies in memory (an accumulator: row by row), so that each lane loads one
 * piece; where there are more lanes than pieces they begin again with the first. Fragments of mma
 * are those of the manual.
 */
#ifndef EXEC_MATRIX_H
#define EXEC_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum matrix_what {
	MATRIX_LOAD,  /* d from memory; stride b */
	MATRIX_STORE, /* d to memory */
	MATRIX_MMA,   /* d = a b + c */
	MATRIX_QUADS, /* the same of four pairs of quads, lanes 4 q and 16 + 4 q on: mma.m8n8k4 of
			 f16 */
	MATRIX_LOAD_8X8,
	MATRIX_STORE_8X8,
	MATRIX_MOVE, /* d = a transposed */
	MATRIX_COUNT
};

enum element_type {
	ELEMENT_F16,
	ELEMENT_BF16,
	ELEMENT_TF32,
	ELEMENT_F32,
	ELEMENT_F64,
	ELEMENT_S32,
	ELEMENT_S8,
	ELEMENT_U8,
	ELEMENT_S4,
	ELEMENT_U4,
	ELEMENT_B1,
	ELEMENT_E4M3,
	ELEMENT_E5M2,
	ELEMENT_COUNT
};

enum fragment_layout {
	FRAGMENT_PIECES, /* wmma */
	FRAGMENT_A,	 /* mma: rows by groups of four lanes, columns by lane and register */
	FRAGMENT_B,
	FRAGMENT_C,
};

#define FRAGMENT_REGS 8
struct exec_fragment {
	uint8_t type;	   /* enum element_type */
	uint8_t bits;	   /* of an element */
	uint8_t layout;	   /* enum fragment_layout */
	uint8_t reg_bytes; /* 4 or 8 */
	uint8_t n_reg;
	bool by_column;	     /* pieces: of columns, else of rows */
	bool lies_by_column; /* in memory */
	uint16_t rows, columns;
	/* [32 * elements a lane holds]: where in the matrix, row by row, element j of lane l is */
	const uint16_t *place;
	uint32_t reg[FRAGMENT_REGS]; /* slots */
};

enum matrix_combine { COMBINE_MULTIPLY, COMBINE_XOR, COMBINE_AND };

struct exec_matrix {
	struct exec_fragment a, b, c, d;
	uint8_t combine; /* enum matrix_combine, of single bits */
	bool saturate;	 /* s32 results stay at the ends; f16: finite */
	bool transposed; /* 8x8 */
	/*
	 * mma.sp: a has half its columns. Where each element goes is in b32 slot metadata; of each
	 * four lanes those from sparse_lane on have it.
	 */
	bool sparse;
	uint8_t sparse_lane;
	uint32_t metadata;
	uint32_t stride; /* u32 slot: elements from row to row; FILE_NONE: as narrow as can be */
};

#endif

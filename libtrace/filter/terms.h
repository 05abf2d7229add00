/* The words of the filter language. */
#ifndef FILTER_TERMS_H
#define FILTER_TERMS_H

#include "filter/filter.h"

enum term_shape {
	SHAPE_FLAG,   /* stands alone */
	SHAPE_NUMBER, /* N, A-B, or a relation */
	SHAPE_KERNEL, /* pattern, N, A-B, or a relation */
	SHAPE_CTA,    /* N, A-B, x,y,z, or a relation */
	SHAPE_LINE,   /* FILE:N, FILE:A-B, N, A-B, or a relation */
	SHAPE_OPCODE, /* pattern */
	SHAPE_CLASS,  /* name of an op class */
	SHAPE_SPACE,  /* name of a space */
	SHAPE_LEVEL,  /* l1 ... l8, 1 ... 8, or nothing for any */
};

/* How one kind of stream answers: code FILTER_CONST with lo 0 if it cannot. */
struct term_answer {
	uint8_t code;	/* enum filter_code */
	uint8_t column; /* enum wcp_access_col; enum filter_test_kind for FILTER_STATIC */
	uint64_t lo;	/* bits, members */
};

struct term {
	const char *name;
	enum term_shape shape;
	struct term_answer access, warp;
};

const struct term *term_find(const char *name, size_t len);

#endif

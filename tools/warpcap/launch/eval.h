/* The launch file's expressions, with the buffers' contents at hand. */
#ifndef EVAL_H
#define EVAL_H

#include "launch.h"

/* A buffer as it is now. */
struct bound {
	bool exists; /* its declaration has been executed */
	enum ptx_type type;
	const char *name;
	uint64_t address, count;
	const void *now; /* device contents as the host sees them */
	void *initial;	 /* copy of its first contents, NULL if nothing looks at them */
};

struct eval {
	struct value *scalar; /* [n_scalar of the file] */
	struct bound *buffer; /* [n_buffer of the file] */
	int64_t index;	      /* i */
	uint64_t seed;	      /* of the random functions */
	struct wcp_error *error;
};

/* 0, or negative with "line N: ..." in the error: an integer division by zero, an element that is
 * not there. */
int eval_node(struct eval *v, const struct node *n, struct value *result);

/* The same for an integer between min and max; what names it in the message. */
int eval_integer(struct eval *v, const struct node *n, const char *what, int64_t min, int64_t max,
    int64_t *result);
int eval_real(struct eval *v, const struct node *n, double *result);

#endif

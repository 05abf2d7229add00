/* Contents of buffers: made by an initialiser, compared, written to files. */
#ifndef DATA_H
#define DATA_H

#include "eval.h"

/* Fills data[count] of type as init says; which names the buffer in the default seed. ZERO and NONE
 * are the caller's. */
int data_make(struct eval *v, const struct init *init, uint32_t line, uint64_t seed,
    enum ptx_type type, uint64_t count, void *data);

struct data_difference {
	uint64_t differ; /* elements that do */
	uint64_t first;	 /* the first of them */
	struct value got, wanted;
};

/* Compares got[count] with wanted[count]. Equal bits, equal values and two NaNs agree; so does what
 * is at most within + relative * |wanted| apart. */
void data_compare(enum ptx_type type, const void *got, const void *wanted, uint64_t count,
    double within, double relative, struct data_difference *d);

/* Writes data[count]: its bytes, or a line an element. path "-" is standard output. */
int data_dump(const char *path, bool text, enum ptx_type type, const void *data, uint64_t count,
    struct wcp_error *e);

/* As data_dump's text and the messages show it; short enough for text[32]. */
void data_format(enum ptx_type type, struct value v, char text[32]);

#endif

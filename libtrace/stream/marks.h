/*
 * The instructions of a program that leave something in a WARP stream: guarded ones a mask, memory
 * ones a record. Walking the runs over this short list gives each record its pc and lanes.
 */
#ifndef STREAM_MARKS_H
#define STREAM_MARKS_H

#include <stdbool.h>
#include "warpcap/error.h"
#include "warpcap/program.h"

struct mark {
	uint32_t pc;
	uint32_t site; /* ordinal among the memory instructions; WCP_NONE32 if it is none */
	bool guarded;
};

struct marks {
	uint32_t n_insn, n_mark, n_site;
	struct mark *mark;
	uint32_t *first; /* [n_insn + 1]: first mark at or after a pc */
};

int stream_marks_init(struct marks *m, const struct wcp_program *p, struct wcp_error *e);
void stream_marks_release(struct marks *m);

#endif

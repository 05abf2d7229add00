/* Where a stream's bytes go: a file written beside its name, or a descriptor. */
#ifndef STREAM_OUTPUT_H
#define STREAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"

struct output {
	int fd;
	bool owned;   /* fd is closed by us */
	bool regular; /* a file: may have an index at its end */
	char *path;   /* the name it gets, NULL if it is written in place */
	char *temp;
	uint64_t bytes;
};

int stream_output_open(struct output *o, const char *path, struct wcp_error *e);
int stream_output_write(struct output *o, const void *data, size_t n, struct wcp_error *e);
/* Syncs, closes, renames. The struct is done with in any case. */
int stream_output_close(struct output *o, struct wcp_error *e);
/* Closes and removes what was written beside the name. */
void stream_output_abort(struct output *o);

#endif

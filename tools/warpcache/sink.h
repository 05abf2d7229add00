/* The stream that is written. Without a writer everything is taken and dropped. */
#ifndef SINK_H
#define SINK_H

#include "warpcap/stream.h"

struct sink {
	struct wcp_writer *writer; /* NULL: none */
	uint64_t *passed;	   /* [n_passed] records by kernel */
	uint32_t n_passed;
};

/* 0 or negative, e filled. */
int sink_item(struct sink *s, const struct wcp_item *item, struct wcp_error *e);
void sink_release(struct sink *s);

#endif

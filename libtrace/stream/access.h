/* The columns of an access batch by number. */
#ifndef STREAM_ACCESS_H
#define STREAM_ACCESS_H

#include <string.h>
#include "warpcap/batch.h"

struct access_col {
	size_t offset;	   /* of the pointer in struct wcp_access_batch */
	size_t size;	   /* bytes of an element */
	uint8_t none_byte; /* every byte of the value that says "not known" */
};
extern const struct access_col stream_access_col[WCP_ACCESS_COLS];

static inline void *
stream_access_array(const struct wcp_access_batch *b, int column)
{
	void *p;
	memcpy(&p, (const char *)b + stream_access_col[column].offset, sizeof p);
	return p;
}

/* Room for n more records in the given columns only. */
int stream_access_reserve(struct wcp_access_batch *b, uint32_t n, uint32_t columns);

#endif

/* From bytes to blocks: finds the next frame or raw block of the input, without decoding it. */
#ifndef STREAM_FETCH_H
#define STREAM_FETCH_H

#include "stream/format.h"
#include "stream/input.h"
#include "warpcap/stream.h"

enum fetch_state {
	FETCH_BLOCK, /* a block, still packed if the stream is compressed */
	FETCH_PART,  /* a file header: a stream begins */
	FETCH_END,   /* the input ends between blocks */
	FETCH_LATER, /* only without wait: the block has not arrived yet */
};

struct fetch {
	struct input in;
	bool known, packed; /* packed: zstd frames; both said by the first bytes */
	bool swap;	    /* the current part's byte order is not little-endian */
	enum wcp_link link; /* of the current part */
	uint16_t minor;
	uint64_t offset; /* of what was fetched last */
};

/* Appends the block's bytes to out (cleared first). Negative: an error, e filled. */
int stream_fetch(struct fetch *f, struct buf *out, bool wait, struct wcp_error *e);

#endif

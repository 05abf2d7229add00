/* ACCESS and STATE blocks: columns to payload and back. */
#ifndef STREAM_ACCESS_CODEC_H
#define STREAM_ACCESS_CODEC_H

#include "stream/column.h"
#include "warpcap/stream.h"

/* Column WCP_ACCESS_COLS of an ACCESS block: kernel (WCP_NONE32: several), first and last cycle. */
struct access_head {
	uint32_t kernel;
	uint64_t first_cycle, last_cycle;
};

int stream_access_encode(const struct wcp_access_batch *batch, struct block_out *b, struct buf *out,
    struct access_head *head, struct wcp_error *e);
int stream_access_head(const struct block_in *in, struct access_head *head, struct wcp_error *e);
/* Replaces batch's contents; decodes the given columns, leaves the others NULL. */
int stream_access_decode(const struct block_in *in, uint32_t columns,
    struct wcp_access_batch *batch, struct wcp_error *e);

int stream_state_encode(const struct wcp_state *state, uint32_t n, struct block_out *b,
    struct buf *out, struct wcp_error *e);
int stream_state_decode(
    const struct block_in *in, struct wcp_state **state, uint32_t *cap, struct wcp_error *e);

#endif

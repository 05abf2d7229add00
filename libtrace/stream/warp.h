/* WARP blocks: batch to payload and back. One codec serves one thread. */
#ifndef STREAM_WARP_H
#define STREAM_WARP_H

#include "stream/column.h"
#include "stream/model.h"
#include "warpcap/stream.h"

/* Segments that are alternatives count in none of these. */
struct warp_totals {
	uint64_t warp_insns, thread_insns, mem_insns, ctas;
};

/* Room for n more segments. */
int stream_warp_batch_reserve_seg(struct wcp_warp_batch *b, uint32_t n);

struct warp_encoder;
struct warp_encoder *stream_warp_encoder_new(void);
void stream_warp_encoder_free(struct warp_encoder *w);
/* Appends one block to out. WCP_EUSAGE when the batch contradicts its program. */
int stream_warp_encode(struct warp_encoder *w, const struct wcp_warp_batch *batch,
    const struct marks *marks, struct block_out *b, struct buf *out, struct warp_totals *totals,
    struct wcp_error *e);

/* What a block says of itself without being decoded. */
struct warp_head {
	uint32_t kernel, first_cta, last_cta;
};
int stream_warp_head(const struct block_in *in, struct warp_head *head, struct wcp_error *e);

struct warp_decoder;
struct warp_decoder *stream_warp_decoder_new(void);
void stream_warp_decoder_free(struct warp_decoder *w);
/* Replaces batch's contents; batch->kernel is the id in the block. */
int stream_warp_decode(struct warp_decoder *w, const struct block_in *in, const struct marks *marks,
    struct wcp_warp_batch *batch, struct warp_totals *totals, struct wcp_error *e);

#endif

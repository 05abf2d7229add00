/* Everything but data blocks: programs, kernels, host operations, totals, provenance, index. */
#ifndef STREAM_META_H
#define STREAM_META_H

#include "stream/column.h"
#include "warpcap/stream.h"

int stream_program_encode(
    const struct wcp_program *p, struct block_out *b, struct buf *out, struct wcp_error *e);
int stream_kernel_encode(
    const struct wcp_kernel *k, struct block_out *b, struct buf *out, struct wcp_error *e);
int stream_kernel_end_encode(
    const struct wcp_kernel_end *k, struct block_out *b, struct buf *out, struct wcp_error *e);
int stream_host_encode(
    const struct wcp_host_op *op, struct block_out *b, struct buf *out, struct wcp_error *e);
int stream_provenance_encode(
    const char *const *line, size_t n, struct block_out *b, struct buf *out, struct wcp_error *e);

/* The decoded structs are one allocation each, to be freed with free(); NULL on failure. */
/* Every index in it points to something. */
bool stream_program_sound(const struct wcp_program *p);
struct wcp_program *stream_program_decode(const struct block_in *in, struct wcp_error *e);
struct wcp_kernel *stream_kernel_decode(const struct block_in *in, struct wcp_error *e);
struct wcp_host_op *stream_host_decode(const struct block_in *in, struct wcp_error *e);
int
stream_kernel_end_decode(const struct block_in *in, struct wcp_kernel_end *k, struct wcp_error *e);
/* Lines are NUL-terminated in *text (malloc'ed), *n of them. */
int
stream_provenance_decode(const struct block_in *in, char **text, size_t *n, struct wcp_error *e);

/* END: the totals, and how many INDEX blocks stand before it. */
int stream_end_encode(const struct wcp_totals *t, uint64_t index_blocks, struct block_out *b,
    struct buf *out, struct wcp_error *e);
int stream_end_decode(
    const struct block_in *in, struct wcp_totals *t, uint64_t *index_blocks, struct wcp_error *e);

/* A data block in the index; block counts all blocks of the stream from 0, frame all frames:
 * WCP_NONE32 where the block shares it. */
struct index_entry {
	uint64_t block;
	uint32_t frame;
	struct wcp_block_info info;
};
int stream_index_encode(const struct index_entry *entry, uint32_t n, struct block_out *b,
    struct buf *out, struct wcp_error *e);
/* Appends to *entry; *n entries, room for *cap. */
int stream_index_decode(const struct block_in *in, struct index_entry **entry, uint32_t *n,
    uint32_t *cap, struct wcp_error *e);

#endif

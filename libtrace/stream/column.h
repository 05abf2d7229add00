/*
 * Columns: how a block's payload is built from arrays and taken apart again.
 * A payload is a directory of STREAM_COLUMN_BYTES a column, then the columns' bytes in that order.
 */
#ifndef STREAM_COLUMN_H
#define STREAM_COLUMN_H

#include "base/buf.h"
#include "stream/format.h"
#include "warpcap/error.h"

/* ---- writing ------------------------------------------------------------------------------- */

struct block_out {
	struct buf *out;     /* block header and payload are appended here */
	size_t start;	     /* of the block header in out */
	unsigned n, columns; /* columns put, columns there is room for */
	uint64_t *scratch;   /* values widened to 64 bits */
	uint32_t scratch_cap;
};

void stream_block_begin(struct block_out *b, struct buf *out, unsigned columns);
/* Chooses an encoding from the values. An empty column leaves nothing. array: count elements of
 * element bytes (1, 2, 4, 8). */
void stream_column_put(
    struct block_out *b, unsigned id, const void *array, unsigned element, uint32_t count);
/* Bytes as they are. */
void stream_column_put_bytes(struct block_out *b, unsigned id, const void *bytes, size_t n);
/* Completes header and directory; 0, or WCP_ESYS without memory. */
int stream_block_finish(
    struct block_out *b, enum block_type type, uint32_t records, struct wcp_error *e);
void stream_block_release(struct block_out *b);

/* ---- reading ------------------------------------------------------------------------------- */

struct column_in {
	uint8_t id, encoding, element, width, shift, width2;
	uint32_t count, bytes;
	const uint8_t *data;
};

struct block_in {
	uint8_t type, flags;
	uint16_t columns;
	uint32_t payload_bytes, records, checksum;
	struct column_in col[STREAM_COLUMNS_MAX];
};

/* Of a block's header, but for its last field, and payload. */
uint32_t stream_block_checksum(const uint8_t *block, size_t payload_bytes);
/* Reads the fixed header; swap: the stream's byte order is not little-endian. */
void stream_block_header(struct block_in *b, const uint8_t header[STREAM_BLOCK_BYTES], bool swap);
/* Reads the directory. */
int
stream_block_directory(struct block_in *b, const uint8_t *payload, bool swap, struct wcp_error *e);
/* NULL if the block has none of that id. */
const struct column_in *stream_column_find(const struct block_in *b, unsigned id);
/* Decodes into array of element bytes; the column must hold exactly count values. A column that is
 * absent gives zeros. */
int stream_column_get(const struct block_in *b, unsigned id, void *array, unsigned element,
    uint32_t count, struct wcp_error *e);
/* The bytes of a column put by stream_column_put_bytes; *n = 0 if it is absent. Never NULL. */
const uint8_t *stream_column_bytes(const struct block_in *b, unsigned id, uint32_t *n);

#endif

/* Where a stream's bytes come from: a file or a descriptor, read ahead in large pieces. */
#ifndef STREAM_INPUT_H
#define STREAM_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "warpcap/error.h"

struct input {
	int fd;
	bool owned, regular, eof;
	struct buf buf;
	size_t at;	 /* first byte not taken yet */
	uint64_t offset; /* of that byte in the input */
	uint64_t size;	 /* of a regular file, from where it was opened; 0 if unknown */
	uint64_t start;	 /* file offset at opening: offset 0 */
};

enum input_state { INPUT_READY, INPUT_SHORT, INPUT_LATER };

int stream_input_open(struct input *in, const char *path, struct wcp_error *e);
void stream_input_close(struct input *in);
/*
 * Tries to have n bytes at stream_input_data. INPUT_READY; INPUT_SHORT: the input ends before;
 * INPUT_LATER: only without wait, reading would block. Negative: the system failed.
 */
int stream_input_need(struct input *in, size_t n, bool wait, struct wcp_error *e);
static inline const uint8_t *
stream_input_data(const struct input *in)
{
	return in->buf.data + in->at;
}
static inline size_t
stream_input_available(const struct input *in)
{
	return in->buf.n - in->at;
}
/* Takes n bytes that are available. */
void stream_input_take(struct input *in, size_t n);
/* Goes to a place at or after the current one; a regular file seeks, so that what lies between is
 * not read. */
int stream_input_seek(struct input *in, uint64_t offset, struct wcp_error *e);
/* Reads n bytes at offset of a regular file without moving; 0 if they are all there. */
int stream_input_peek(const struct input *in, uint64_t offset, void *data, size_t n);

#endif

/* The index of a compressed regular file: its seek table gives places, its INDEX blocks contents.
 */
#ifndef STREAM_INDEX_H
#define STREAM_INDEX_H

#include "stream/input.h"
#include "warpcap/stream.h"

/* A data block that the index tells of; kernel numbers are those of its part. */
struct indexed {
	uint64_t offset, bytes;
	struct wcp_block_info info;
};

/* All data blocks of all parts by rising offset. An index that is missing or does not make sense
 * gives none: it saves time and decides nothing. *list is malloc'ed. */
void stream_index_load(const struct input *in, struct indexed **list, uint32_t *n);

#endif

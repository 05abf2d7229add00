#include <stdlib.h>
#include <zstd.h>
#include "stream/index.h"
#include "stream/meta.h"

struct seek_table {
	uint64_t begin, part; /* offsets of the table's frame and of the first frame it tells of */
	uint32_t frames;
	uint64_t *offset; /* [frames + 1] */
};

struct loader {
	const struct input *in;
	struct indexed *list;
	uint32_t n, cap;
	struct index_entry *entry;
	uint32_t n_entry, entry_cap;
	struct buf packed, block;
};

static int
read_entries(struct loader *l, struct seek_table *t, uint32_t entry_bytes)
{
	size_t n = (size_t)t->frames * entry_bytes;
	buf_clear(&l->packed);
	uint8_t *p = buf_extend(&l->packed, n);
	t->offset = malloc(((size_t)t->frames + 1) * sizeof *t->offset);
	if (!p || !t->offset || stream_input_peek(l->in, t->begin + 8, p, n) < 0)
		return -1;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->frames; i++, p += entry_bytes) {
		t->offset[i] = sum;
		sum += get_le(p, 4);
	}
	t->offset[t->frames] = sum;
	if (sum > t->begin)
		return -1;
	t->part = t->begin - sum;
	for (uint32_t i = 0; i <= t->frames; i++)
		t->offset[i] += t->part;
	return 0;
}

/* The table that ends at `end`. */
static int
read_table(struct loader *l, uint64_t end, struct seek_table *t)
{
	uint8_t footer[SEEK_FOOTER_BYTES], head[8];
	*t = (struct seek_table){0};
	if (end < sizeof footer ||
	    stream_input_peek(l->in, end - sizeof footer, footer, sizeof footer) < 0 ||
	    get_le(footer + 5, 4) != SEEK_FOOTER_MAGIC || footer[4] & 0x7f)
		return -1;
	t->frames = (uint32_t)get_le(footer, 4);
	uint32_t entry_bytes = footer[4] & 0x80 ? SEEK_ENTRY_BYTES + 4 : SEEK_ENTRY_BYTES;
	uint64_t bytes = (uint64_t)t->frames * entry_bytes + SEEK_FOOTER_BYTES;
	if (t->frames < 3 || bytes + 8 > end)
		return -1;
	t->begin = end - bytes - 8;
	if (stream_input_peek(l->in, t->begin, head, sizeof head) < 0 ||
	    get_le(head, 4) != SEEK_TABLE_MAGIC || get_le(head + 4, 4) != bytes)
		return -1;
	return read_entries(l, t, entry_bytes);
}

/* Frame i of the part, decompressed. */
static int
read_frame(struct loader *l, const struct seek_table *t, uint32_t i)
{
	uint64_t n = t->offset[i + 1] - t->offset[i];
	if (n > 2 * (uint64_t)STREAM_PAYLOAD_MAX)
		return -1;
	buf_clear(&l->packed);
	buf_clear(&l->block);
	uint8_t *p = buf_extend(&l->packed, (size_t)n);
	if (!p || stream_input_peek(l->in, t->offset[i], p, (size_t)n) < 0)
		return -1;
	unsigned long long size = ZSTD_getFrameContentSize(p, (size_t)n);
	if (size > STREAM_PAYLOAD_MAX + STREAM_BLOCK_BYTES)
		return -1;
	uint8_t *to = buf_extend(&l->block, (size_t)size);
	return to && ZSTD_decompress(to, (size_t)size, p, (size_t)n) == size ? 0 : -1;
}

static int
read_block(struct loader *l, const struct seek_table *t, uint32_t i, bool swap,
    enum block_type type, struct block_in *in)
{
	if (read_frame(l, t, i) < 0 || l->block.n < STREAM_BLOCK_BYTES)
		return -1;
	stream_block_header(in, l->block.data, swap);
	if (in->type != type || in->payload_bytes != l->block.n - STREAM_BLOCK_BYTES)
		return -1;
	return stream_block_directory(in, l->block.data + STREAM_BLOCK_BYTES, swap, NULL);
}

/* Frames 0 and 1 are the text for file(1) and the file header; END is the last, INDEX blocks stand
 * before it. Version 1 has a frame for each block and does not say which: block b is frame b + 2.
 */
static int
read_part(struct loader *l, const struct seek_table *t)
{
	struct block_in in;
	struct wcp_totals totals;
	uint64_t index_blocks;
	if (read_frame(l, t, 1) < 0 || l->block.n != STREAM_HEADER_BYTES)
		return -1;
	bool swap = get_le(l->block.data, 4) == STREAM_MAGIC_SWAPPED;
	uint32_t last = t->frames - 1;
	if (read_block(l, t, last, swap, BLOCK_END, &in) < 0 ||
	    stream_end_decode(&in, &totals, &index_blocks, NULL) < 0 || index_blocks > last - 2)
		return -1;
	l->n_entry = 0;
	for (uint32_t i = last - (uint32_t)index_blocks; i < last; i++)
		if (read_block(l, t, i, swap, BLOCK_INDEX, &in) < 0 ||
		    stream_index_decode(&in, &l->entry, &l->n_entry, &l->entry_cap, NULL) < 0)
			return -1;
	if (base_grow(&l->list, &l->cap, (uint64_t)l->n + l->n_entry, sizeof *l->list) < 0)
		return -1;
	for (uint32_t i = 0; i < l->n_entry; i++) {
		const struct index_entry *x = &l->entry[i];
		const uint64_t frame = x->frame ? x->frame : x->block + 2;
		if (frame >= last ||
		    (x->info.type != WCP_ITEM_WARP && x->info.type != WCP_ITEM_ACCESS))
			continue;
		uint64_t at = t->offset[frame];
		l->list[l->n++] = (struct indexed){at, t->offset[frame + 1] - at, x->info};
	}
	return 0;
}

static int
by_offset(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void
stream_index_load(const struct input *in, struct indexed **list, uint32_t *n)
{
	struct loader l = {.in = in};
	uint64_t end = in->size;
	int s = end ? 0 : -1;
	while (s == 0 && end) {
		struct seek_table t;
		s = read_table(&l, end, &t);
		if (s == 0)
			s = read_part(&l, &t);
		end = t.part;
		free(t.offset);
	}
	if (s < 0)
		l.n = 0;
	if (l.n)
		qsort(l.list, l.n, sizeof *l.list, by_offset);
	free(l.entry);
	buf_release(&l.packed);
	buf_release(&l.block);
	*list = l.list;
	*n = l.n;
}

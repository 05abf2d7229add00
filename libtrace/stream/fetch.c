#include <zstd.h>
#include "stream/column.h"
#include "stream/fetch.h"

static int
truncated(struct fetch *f, const char *where, struct wcp_error *e)
{
	uint64_t end = f->in.offset + stream_input_available(&f->in);
	return wcp_fail(e, WCP_EDATA, "truncated: the input ends %s at byte %llu", where,
	    (unsigned long long)end);
}

/* INPUT_READY becomes 0, INPUT_SHORT the error `truncated`, INPUT_LATER FETCH_LATER. */
static int
need(struct fetch *f, size_t n, bool wait, struct wcp_error *e)
{
	int s = stream_input_need(&f->in, n, wait, e);
	if (s == INPUT_SHORT)
		return truncated(f, "inside a block", e);
	return s == INPUT_LATER ? FETCH_LATER : s;
}

static int
file_header(struct fetch *f, const uint8_t *h, struct wcp_error *e)
{
	f->swap = get_le(h, 4) == STREAM_MAGIC_SWAPPED;
	uint16_t major = (uint16_t)get_le(h + 4, 2), minor = (uint16_t)get_le(h + 6, 2);
	uint32_t link = (uint32_t)get_le(h + 8, 4);
	if (f->swap) {
		major = __builtin_bswap16(major);
		minor = __builtin_bswap16(minor);
		link = __builtin_bswap32(link);
	}
	if (!major || major > STREAM_MAJOR)
		return wcp_fail(e, WCP_EDATA,
		    "stream format %u.%u, this library reads up to %u.x: a newer warpcap is needed",
		    major, minor, STREAM_MAJOR);
	if (link != WCP_LINK_WARP && link != WCP_LINK_ACCESS)
		return wcp_fail(e, WCP_EDATA, "stream of an unknown kind (%u)", link);
	f->link = (enum wcp_link)link;
	f->minor = minor;
	return FETCH_PART;
}

static bool
is_magic(const uint8_t *p)
{
	uint32_t m = (uint32_t)get_le(p, 4);
	return m == STREAM_MAGIC || m == STREAM_MAGIC_SWAPPED;
}

static bool
is_skippable(uint32_t magic)
{
	return (magic & ~15u) == SKIPPABLE_MAGIC;
}

/* The first bytes tell a compressed stream from a raw one. */
static int
probe(struct fetch *f, bool wait, struct wcp_error *e)
{
	int s = stream_input_need(&f->in, 4, wait, e);
	if (s == INPUT_LATER)
		return FETCH_LATER;
	if (s < 0)
		return s;
	if (s == INPUT_SHORT && !stream_input_available(&f->in))
		return wcp_fail(e, WCP_EDATA, "empty input, not a warpcap stream");
	const uint8_t *p = stream_input_data(&f->in);
	uint32_t magic = s == INPUT_READY ? (uint32_t)get_le(p, 4) : 0;
	f->packed = is_skippable(magic) || magic == ZSTD_FRAME_MAGIC;
	if (!f->packed && (s == INPUT_SHORT || !is_magic(p)))
		return wcp_fail(e, WCP_EDATA, "not a warpcap stream");
	f->known = true;
	return 0;
}

/* ---- raw ----------------------------------------------------------------------------------- */

static int
fetch_raw(struct fetch *f, struct buf *out, bool wait, struct wcp_error *e)
{
	int s = stream_input_need(&f->in, STREAM_BLOCK_BYTES, wait, e);
	if (s == INPUT_LATER)
		return FETCH_LATER;
	if (s < 0)
		return s;
	if (s == INPUT_SHORT)
		return stream_input_available(&f->in) ? truncated(f, "inside a block header", e)
						      : FETCH_END;
	f->offset = f->in.offset;
	const uint8_t *p = stream_input_data(&f->in);
	if (is_magic(p)) {
		s = file_header(f, p, e);
		stream_input_take(&f->in, STREAM_HEADER_BYTES);
		return s;
	}
	struct block_in b;
	stream_block_header(&b, p, f->swap);
	if (b.payload_bytes > STREAM_PAYLOAD_MAX)
		return wcp_fail(e, WCP_EDATA, "block of %u bytes: damaged header", b.payload_bytes);
	size_t n = STREAM_BLOCK_BYTES + (size_t)b.payload_bytes;
	s = need(f, n, wait, e);
	if (s != 0)
		return s;
	buf_put(out, stream_input_data(&f->in), n);
	stream_input_take(&f->in, n);
	return FETCH_BLOCK;
}

/* ---- zstd frames --------------------------------------------------------------------------- */

static size_t
frame_header_bytes(uint8_t descriptor)
{
	static const uint8_t dictionary[4] = {0, 1, 2, 4}, content[4] = {0, 2, 4, 8};
	bool single = descriptor & 0x20;
	size_t n = 5 + !single + dictionary[descriptor & 3] + content[descriptor >> 6];
	return n + (single && !(descriptor >> 6));
}

/* Walks the frame's blocks until it knows its size; makes all of it available. */
static int
frame_bytes(struct fetch *f, size_t *bytes, bool wait, struct wcp_error *e)
{
	int s = need(f, 6, wait, e);
	if (s != 0)
		return s;
	uint8_t descriptor = stream_input_data(&f->in)[4];
	size_t n = frame_header_bytes(descriptor);
	for (bool last = false; !last;) {
		s = need(f, n + 3, wait, e);
		if (s != 0)
			return s;
		uint32_t block = (uint32_t)get_le(stream_input_data(&f->in) + n, 3);
		last = block & 1;
		n += 3 + ((block >> 1 & 3) == 1 ? 1 : block >> 3);
		if (n > 2 * (size_t)STREAM_PAYLOAD_MAX)
			return wcp_fail(e, WCP_EDATA, "zstd frame larger than any block");
	}
	*bytes = n + (descriptor & 4 ? 4 : 0);
	return need(f, *bytes, wait, e);
}

static int
skip_frame(struct fetch *f, bool wait, struct wcp_error *e)
{
	int s = need(f, 8, wait, e);
	if (s != 0)
		return s;
	uint64_t n = 8 + get_le(stream_input_data(&f->in) + 4, 4);
	if (f->in.regular && f->in.offset + n > f->in.size)
		return truncated(f, "inside a skippable frame", e);
	s = stream_input_seek(&f->in, f->in.offset + n, e);
	return s == INPUT_SHORT ? truncated(f, "inside a skippable frame", e) : s;
}

/* A frame of the header's size is looked into: the fetcher has to know where a part begins. */
static int
maybe_header(struct fetch *f, const struct buf *frame, struct wcp_error *e)
{
	uint8_t h[STREAM_HEADER_BYTES];
	if (ZSTD_getFrameContentSize(frame->data, frame->n) != sizeof h ||
	    ZSTD_decompress(h, sizeof h, frame->data, frame->n) != sizeof h || !is_magic(h))
		return FETCH_BLOCK;
	return file_header(f, h, e);
}

static int
fetch_frame(struct fetch *f, struct buf *out, bool wait, struct wcp_error *e)
{
	for (;;) {
		int s = stream_input_need(&f->in, 4, wait, e);
		if (s < 0 || s == INPUT_LATER)
			return s < 0 ? s : FETCH_LATER;
		if (s == INPUT_SHORT)
			return stream_input_available(&f->in)
				   ? truncated(f, "inside a frame header", e)
				   : FETCH_END;
		uint32_t magic = (uint32_t)get_le(stream_input_data(&f->in), 4);
		if (!is_skippable(magic)) {
			if (magic == ZSTD_FRAME_MAGIC)
				break;
			return wcp_fail(e, WCP_EDATA, "byte %llu: neither a zstd frame nor the end",
			    (unsigned long long)f->in.offset);
		}
		s = skip_frame(f, wait, e);
		if (s != 0)
			return s;
	}
	size_t n = 0;
	f->offset = f->in.offset;
	int s = frame_bytes(f, &n, wait, e);
	if (s != 0)
		return s;
	buf_put(out, stream_input_data(&f->in), n);
	stream_input_take(&f->in, n);
	return maybe_header(f, out, e);
}

int
stream_fetch(struct fetch *f, struct buf *out, bool wait, struct wcp_error *e)
{
	buf_clear(out);
	if (!f->known) {
		int s = probe(f, wait, e);
		if (s != 0)
			return s;
	}
	int s = f->packed ? fetch_frame(f, out, wait, e) : fetch_raw(f, out, wait, e);
	if (out->failed)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	return s;
}

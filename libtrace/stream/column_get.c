#include <xxhash.h>
#include "stream/column.h"

static uint32_t
get32(const uint8_t *p, bool swap)
{
	uint32_t v = (uint32_t)get_le(p, 4);
	return swap ? __builtin_bswap32(v) : v;
}

static uint16_t
get16(const uint8_t *p, bool swap)
{
	uint16_t v = (uint16_t)get_le(p, 2);
	return swap ? __builtin_bswap16(v) : v;
}

void
stream_block_header(struct block_in *b, const uint8_t header[STREAM_BLOCK_BYTES], bool swap)
{
	b->type = header[0];
	b->flags = header[1];
	b->columns = get16(header + 2, swap);
	b->payload_bytes = get32(header + 4, swap);
	b->records = get32(header + 8, swap);
	b->checksum = get32(header + 12, swap);
}

/* The header is hashed first, its result seeds the payload's: a flipped type is no unknown block.
 */
uint32_t
stream_block_checksum(const uint8_t *block, size_t payload_bytes)
{
	uint64_t seed = XXH64(block, STREAM_BLOCK_BYTES - 4, 0);
	return (uint32_t)XXH64(block + STREAM_BLOCK_BYTES, payload_bytes, seed);
}

static uint64_t
column_bytes(const struct column_in *c)
{
	switch ((enum encoding)c->encoding) {
	case ENC_CONST: return c->width;
	case ENC_PLANES:
	case ENC_DELTA: return 8 + (uint64_t)c->width * c->count;
	case ENC_RLE: return c->bytes;
	case ENC_COUNT: break;
	}
	return UINT64_MAX;
}

/* An encoding that is not known is an error only when someone asks for the column. */
static bool
column_sound(const struct column_in *c)
{
	if (c->width > 8 || c->shift > 63 || c->width2 > 4 ||
	    (c->element != 1 && c->element != 2 && c->element != 4 && c->element != 8))
		return false;
	return c->encoding < ENC_COUNT && column_bytes(c) == c->bytes;
}

int
stream_block_directory(struct block_in *b, const uint8_t *payload, bool swap, struct wcp_error *e)
{
	uint64_t at = (uint64_t)b->columns * STREAM_COLUMN_BYTES;
	if (b->columns > STREAM_COLUMNS_MAX || at > b->payload_bytes)
		return wcp_fail(e, WCP_EDATA,
		    "column directory of %u columns does not fit its block", b->columns);
	for (unsigned i = 0; i < b->columns; i++, payload += STREAM_COLUMN_BYTES) {
		struct column_in *c = &b->col[i];
		*c = (struct column_in){payload[0], payload[1], payload[2], payload[3], payload[4],
		    payload[5], get32(payload + 8, swap), get32(payload + 12, swap), NULL};
		if (at + c->bytes > b->payload_bytes)
			return wcp_fail(e, WCP_EDATA, "column %u ends past its block", c->id);
		c->data = payload - (size_t)i * STREAM_COLUMN_BYTES + at;
		at += c->bytes;
	}
	return 0;
}

const struct column_in *
stream_column_find(const struct block_in *b, unsigned id)
{
	for (unsigned i = 0; i < b->columns; i++)
		if (b->col[i].id == id)
			return &b->col[i];
	return NULL;
}

/* Values are put together in tiles of a fixed size, so that the loops over planes become vector
 * code. */
enum { TILE = 512 };

static void
gather_planes(uint64_t *restrict v, const uint8_t *p, size_t stride, unsigned width, uint32_t n)
{
	memset(v, 0, TILE * sizeof *v);
	for (unsigned k = 0; k < width; k++, p += stride) {
		if (n == TILE)
			for (uint32_t i = 0; i < TILE; i++)
				v[i] |= (uint64_t)p[i] << (8 * k);
		else
			for (uint32_t i = 0; i < n; i++)
				v[i] |= (uint64_t)p[i] << (8 * k);
	}
}

static void
gather_planes_32(uint32_t *restrict v, const uint8_t *p, size_t stride, unsigned width, uint32_t n)
{
	memset(v, 0, TILE * sizeof *v);
	for (unsigned k = 0; k < width; k++, p += stride) {
		if (n == TILE)
			for (uint32_t i = 0; i < TILE; i++)
				v[i] |= (uint32_t)p[i] << (8 * k);
		else
			for (uint32_t i = 0; i < n; i++)
				v[i] |= (uint32_t)p[i] << (8 * k);
	}
}

#define NARROW(type)                             \
	do {                                     \
		type *t = (type *)array + at;    \
		for (uint32_t i = 0; i < n; i++) \
			t[i] = (type)v[i];       \
	} while (0)

static void
narrow(void *array, unsigned element, uint32_t at, const uint32_t *v, uint32_t n)
{
	switch (element) {
	case 1: NARROW(uint8_t); break;
	case 2: NARROW(uint16_t); break;
	case 4: NARROW(uint32_t); break;
	default: NARROW(uint64_t); break;
	}
}

static void
narrow_64(void *array, unsigned element, uint32_t at, const uint64_t *v, uint32_t n)
{
	switch (element) {
	case 1: NARROW(uint8_t); break;
	case 2: NARROW(uint16_t); break;
	case 4: NARROW(uint32_t); break;
	default: NARROW(uint64_t); break;
	}
}

/* From planes of up to 4 bytes to elements of up to 4: sums wrap, which is what cutting them off
 * leaves. */
static void
get_planes_32(const struct column_in *c, void *array, unsigned element)
{
	uint32_t v[TILE], sum = (uint32_t)get_le(c->data, 8);
	const uint8_t *p = c->data + 8;
	for (uint32_t at = 0, n; at < c->count; at += n) {
		n = c->count - at < TILE ? c->count - at : TILE;
		gather_planes_32(v, p + at, c->count, c->width, n);
		if (c->encoding == ENC_DELTA)
			for (uint32_t i = 0; i < n; i++)
				v[i] = sum += ((v[i] >> 1) ^ (0 - (v[i] & 1))) << c->shift;
		else
			for (uint32_t i = 0; i < TILE; i++)
				v[i] = sum + (v[i] << c->shift);
		narrow(array, element, at, v, n);
	}
}

static void
get_planes_64(const struct column_in *c, void *array, unsigned element)
{
	uint64_t v[TILE], sum = get_le(c->data, 8);
	const uint8_t *p = c->data + 8;
	uint32_t low[TILE];
	for (uint32_t at = 0, n; at < c->count; at += n) {
		n = c->count - at < TILE ? c->count - at : TILE;
		if (c->width <= 4) {
			gather_planes_32(low, p + at, c->count, c->width, n);
			narrow(v, 8, 0, low, TILE);
		} else {
			gather_planes(v, p + at, c->count, c->width, n);
		}
		if (c->encoding == ENC_DELTA)
			for (uint32_t i = 0; i < n; i++)
				v[i] = sum += unzigzag(v[i]) << c->shift;
		else
			for (uint32_t i = 0; i < TILE; i++)
				v[i] = sum + (v[i] << c->shift);
		narrow_64(array, element, at, v, n);
	}
}

#define ADD_UP(type)                                      \
	do {                                              \
		type *t = (type *)array;                  \
		for (uint32_t i = 0; i < c->count; i++)   \
			t[i] = (type)(sum += step[p[i]]); \
	} while (0)

/* One plane of differences: what each byte adds is looked up. */
static void
get_small_steps(const struct column_in *c, void *array, unsigned element)
{
	uint64_t step[256], sum = get_le(c->data, 8);
	const uint8_t *p = c->data + 8;
	for (unsigned i = 0; i < 256; i++)
		step[i] = unzigzag(i) << c->shift;
	switch (element) {
	case 1: ADD_UP(uint8_t); break;
	case 2: ADD_UP(uint16_t); break;
	case 4: ADD_UP(uint32_t); break;
	default: ADD_UP(uint64_t); break;
	}
}

static void
get_planes(const struct column_in *c, void *array, unsigned element)
{
	enum { MANY = 512 }; /* that pay for the table */
	if (c->encoding == ENC_DELTA && c->width == 1 && c->count >= MANY)
		get_small_steps(c, array, element);
	else if (c->width <= 4 && element <= 4 && c->shift < 32)
		get_planes_32(c, array, element);
	else
		get_planes_64(c, array, element);
}

#define FILL(type)                               \
	do {                                     \
		type *t = (type *)array + at;    \
		for (uint32_t i = 0; i < n; i++) \
			t[i] = (type)value;      \
	} while (0)

static void
fill(void *array, unsigned element, uint32_t at, uint64_t value, uint32_t n)
{
	switch (element) {
	case 1: FILL(uint8_t); break;
	case 2: FILL(uint16_t); break;
	case 4: FILL(uint32_t); break;
	default: FILL(uint64_t); break;
	}
}

static uint64_t
plane_value(const uint8_t *p, size_t stride, unsigned width)
{
	uint64_t v = 0;
	for (unsigned k = 0; k < width; k++)
		v |= (uint64_t)p[k * stride] << (8 * k);
	return v;
}

static int
get_runs(const struct column_in *c, void *array, unsigned element, struct wcp_error *e)
{
	unsigned both = (unsigned)c->width + c->width2;
	uint32_t runs = both ? c->bytes / both : 0, at = 0;
	const uint8_t *lengths = c->data + (size_t)runs * c->width;
	for (uint32_t r = 0; r < runs; r++) {
		uint64_t n = plane_value(lengths + r, runs, c->width2);
		if (n > c->count - at)
			break;
		fill(array, element, at, plane_value(c->data + r, runs, c->width), (uint32_t)n);
		at += (uint32_t)n;
	}
	if (at != c->count || c->bytes != runs * both)
		return wcp_fail(
		    e, WCP_EDATA, "column %u: runs do not add up to %u values", c->id, c->count);
	return 0;
}

int
stream_column_get(const struct block_in *b, unsigned id, void *array, unsigned element,
    uint32_t count, struct wcp_error *e)
{
	const struct column_in *c = stream_column_find(b, id);
	if (!c) {
		if (count)
			fill(array, element, 0, 0, count);
		return 0;
	}
	if (!column_sound(c))
		return wcp_fail(
		    e, WCP_EDATA, "column %u: damaged or in an unknown encoding", c->id);
	if (c->count != count)
		return wcp_fail(
		    e, WCP_EDATA, "column %u: %u values where %u belong", c->id, c->count, count);
	if (!count)
		return 0;
	if (c->encoding == ENC_RLE)
		return get_runs(c, array, element, e);
	if (c->encoding == ENC_CONST)
		fill(array, element, 0, get_le(c->data, c->width), count);
	else
		get_planes(c, array, element);
	return 0;
}

const uint8_t *
stream_column_bytes(const struct block_in *b, unsigned id, uint32_t *n)
{
	static const uint8_t nothing;
	const struct column_in *c = stream_column_find(b, id);
	*n = 0;
	if (!c || c->encoding != ENC_PLANES || c->width != 1 || c->bytes != (uint64_t)c->count + 8)
		return &nothing;
	*n = c->count;
	return c->data + 8;
}

#include <stdlib.h>
#include "stream/column.h"

void
stream_block_begin(struct block_out *b, struct buf *out, unsigned columns)
{
	b->out = out;
	b->start = out->n;
	b->n = 0;
	b->columns = columns;
	uint8_t *p = buf_extend(out, STREAM_BLOCK_BYTES + (size_t)columns * STREAM_COLUMN_BYTES);
	if (p)
		memset(p, 0, STREAM_BLOCK_BYTES + (size_t)columns * STREAM_COLUMN_BYTES);
}

void
stream_block_release(struct block_out *b)
{
	free(b->scratch);
	*b = (struct block_out){0};
}

static void
directory(struct block_out *b, const struct column_in *c)
{
	if (b->out->failed)
		return;
	uint8_t *p =
	    b->out->data + b->start + STREAM_BLOCK_BYTES + (size_t)b->n * STREAM_COLUMN_BYTES;
	uint8_t head[8] = {c->id, c->encoding, c->element, c->width, c->shift, c->width2, 0, 0};
	memcpy(p, head, sizeof head);
	put_le(p + 8, c->count, 4);
	put_le(p + 12, c->bytes, 4);
	b->n++;
}

void
stream_column_put_bytes(struct block_out *b, unsigned id, const void *bytes, size_t n)
{
	if (!n)
		return;
	struct column_in c = {.id = (uint8_t)id,
	    .encoding = ENC_PLANES,
	    .element = 1,
	    .width = 1,
	    .count = (uint32_t)n,
	    .bytes = (uint32_t)n + 8};
	uint8_t *p = buf_extend(b->out, n + 8);
	if (!p)
		return;
	memset(p, 0, 8);
	if (n)
		memcpy(p + 8, bytes, n);
	directory(b, &c);
}

#define WIDEN(type)                                  \
	do {                                         \
		const type *f = (const type *)array; \
		for (uint32_t i = 0; i < n; i++)     \
			v[i] = f[i];                 \
	} while (0)

static const uint64_t *
widen(struct block_out *b, const void *array, unsigned element, uint32_t n)
{
	if (element == 8)
		return array;
	if (base_grow(&b->scratch, &b->scratch_cap, n, sizeof *b->scratch) < 0) {
		b->out->failed = true;
		return NULL;
	}
	uint64_t *v = b->scratch;
	switch (element) {
	case 1: WIDEN(uint8_t); break;
	case 2: WIDEN(uint16_t); break;
	default: WIDEN(uint32_t); break;
	}
	return v;
}

/* What the choice of an encoding rests on. */
struct stats {
	uint64_t min, max;
	uint64_t or_zigzag; /* all zigzag deltas, or-ed: their width */
	uint64_t or_delta;  /* all deltas, or-ed: their common trailing zeros */
	uint64_t
	    or_bits; /* all differences to the first value, or-ed: their common trailing zeros */
	uint32_t steady; /* deltas equal to the one before */
};

static struct stats
survey(const uint64_t *v, uint32_t n)
{
	struct stats s = {.min = v[0], .max = v[0]};
	uint64_t last_delta = 0;
	for (uint32_t i = 1; i < n; i++) {
		uint64_t delta = v[i] - v[i - 1];
		s.min = v[i] < s.min ? v[i] : s.min;
		s.max = v[i] > s.max ? v[i] : s.max;
		s.or_zigzag |= zigzag(delta);
		s.or_delta |= delta;
		s.or_bits |= v[i] ^ v[0];
		s.steady += delta == last_delta;
		last_delta = delta;
	}
	return s;
}

static void
put_planes(uint8_t *p, const uint64_t *v, uint32_t n, unsigned width, uint64_t base, unsigned shift)
{
	for (unsigned k = 0; k < width; k++, p += n)
		for (uint32_t i = 0; i < n; i++)
			p[i] = (uint8_t)((v[i] - base) >> shift >> (8 * k));
}

static void
put_const(struct block_out *b, struct column_in *c, uint64_t value)
{
	c->encoding = ENC_CONST;
	c->width = (uint8_t)bytes_for(value);
	c->bytes = c->width;
	uint8_t *p = buf_extend(b->out, c->bytes);
	if (p)
		put_le(p, value, c->width);
}

/* Trailing zeros of the differences are shifted out: xor and subtraction agree on them. */
static void
put_offsets(struct block_out *b, struct column_in *c, const uint64_t *v, const struct stats *s)
{
	c->encoding = ENC_PLANES;
	c->shift = (uint8_t)__builtin_ctzll(s->or_bits);
	uint64_t base = s->min;
	if (bytes_for(s->max >> c->shift) == bytes_for((s->max - s->min) >> c->shift) &&
	    !(s->min & ((1ull << c->shift) - 1)))
		base = 0;
	c->width = (uint8_t)bytes_for((s->max - base) >> c->shift);
	c->bytes = 8 + c->width * c->count;
	uint8_t *p = buf_extend(b->out, c->bytes);
	if (!p)
		return;
	put_le(p, base, 8);
	put_planes(p + 8, v, c->count, c->width, base, c->shift);
}

static void
put_deltas(
    struct block_out *b, struct column_in *c, const uint64_t *v, unsigned shift, unsigned width)
{
	c->encoding = ENC_DELTA;
	c->shift = (uint8_t)shift;
	c->width = (uint8_t)width;
	c->bytes = 8 + width * c->count;
	uint8_t *p = buf_extend(b->out, c->bytes);
	if (!p)
		return;
	put_le(p, v[0], 8);
	p += 8;
	for (unsigned k = 0; k < width; k++, p += c->count) {
		p[0] = 0;
		for (uint32_t i = 1; i < c->count; i++) {
			uint64_t d = (uint64_t)((int64_t)(v[i] - v[i - 1]) >> shift);
			p[i] = (uint8_t)(zigzag(d) >> (8 * k));
		}
	}
}

/* Few changes were runs. The narrower of offset and delta; at equal width deltas only where they
 * repeat, because a delta of noise is noisier. */
static void
choose(struct block_out *b, struct column_in *c, const uint64_t *v)
{
	struct stats s = survey(v, c->count);
	unsigned shift = (unsigned)__builtin_ctzll(s.or_delta);
	unsigned delta_width = bytes_for(s.or_zigzag >> shift);
	unsigned width = bytes_for((s.max - s.min) >> __builtin_ctzll(s.or_bits));
	if (delta_width < width || (delta_width == width && s.steady > c->count / 4))
		put_deltas(b, c, v, shift, delta_width);
	else
		put_offsets(b, c, v, &s);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static uint64_t
value_at(const void *array, unsigned element, uint64_t i)
{
	switch (element) {
	case 1: return ((const uint8_t *)array)[i];
	case 2: return ((const uint16_t *)array)[i];
	case 4: return ((const uint32_t *)array)[i];
	default: return ((const uint64_t *)array)[i];
	}
}

static bool
same_eight(const uint8_t *a, const uint8_t *b)
{
	uint64_t x, y;
	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return x == y;
}

/* Where runs begin, but for the first, into scratch, as long as there are fewer than most; how many
 * that are. Eight bytes are looked at together. */
static uint32_t
find_runs(struct block_out *b, const void *array, unsigned element, uint32_t n, uint32_t most)
{
	const uint8_t *p = array;
	const uint32_t step = 8 / element;
	uint32_t runs = 0;
	if (base_grow(&b->scratch, &b->scratch_cap, (uint64_t)most + 1, sizeof *b->scratch) < 0) {
		b->out->failed = true;
		return 0;
	}
	for (uint32_t i = 1; i < n && runs < most; i++) {
		for (const uint8_t *at = p + (size_t)i * element;
		     i + step <= n && same_eight(at, at - element); at += 8)
			i += step;
		if (i < n && value_at(array, element, i) != value_at(array, element, i - 1))
			b->scratch[runs++] = i;
	}
	return runs;
}

/* starts: of all runs but the first. */
static void
put_runs(struct block_out *b, struct column_in *c, const void *array, uint32_t starts)
{
	const uint32_t n = starts + 1;
	const uint64_t *start = b->scratch;
	uint64_t longest = 0, max = 0, from = 0;
	for (uint32_t r = 0; r < n; r++) {
		const uint64_t v = value_at(array, c->element, from),
			       end = r < starts ? start[r] : c->count;
		max = v > max ? v : max;
		longest = end - from > longest ? end - from : longest;
		from = end;
	}
	c->encoding = ENC_RLE;
	c->width = (uint8_t)bytes_for(max);
	c->width2 = (uint8_t)bytes_for(longest);
	c->bytes = n * (uint32_t)(c->width + c->width2);
	uint8_t *p = buf_extend(b->out, c->bytes);
	if (!p)
		return;
	from = 0;
	for (uint32_t r = 0; r < n; r++) {
		const uint64_t v = value_at(array, c->element, from),
			       end = r < starts ? start[r] : c->count;
		for (unsigned k = 0; k < c->width; k++)
			p[k * n + r] = (uint8_t)(v >> (8 * k));
		for (unsigned k = 0; k < c->width2; k++)
			p[(c->width + k) * n + r] = (uint8_t)((end - from) >> (8 * k));
		from = end;
	}
}

/* ---- a column ------------------------------------------------------------------------------- */

static bool
is_constant(const uint8_t *p, unsigned element, uint32_t n)
{
	return memcmp(p, p + element, (n - 1) * (size_t)element) == 0;
}

void
stream_column_put(
    struct block_out *b, unsigned id, const void *array, unsigned element, uint32_t count)
{
	if (!count)
		return;
	struct column_in c = {.id = (uint8_t)id, .element = (uint8_t)element, .count = count};
	if (is_constant(array, element, count)) {
		put_const(b, &c, value_at(array, element, 0));
	} else {
		const uint32_t most = count / 16, runs = find_runs(b, array, element, count, most);
		const uint64_t *v = runs < most ? NULL : widen(b, array, element, count);
		if (runs < most)
			put_runs(b, &c, array, runs);
		else if (v)
			choose(b, &c, v);
	}
	directory(b, &c);
}

/* Empty columns were left out: their room in the directory closes up. */
static void
close_directory(struct block_out *b)
{
	uint8_t *from =
	    b->out->data + b->start + STREAM_BLOCK_BYTES + (size_t)b->columns * STREAM_COLUMN_BYTES;
	size_t gap = (size_t)(b->columns - b->n) * STREAM_COLUMN_BYTES;
	if (gap) {
		memmove(from - gap, from, (size_t)(b->out->data + b->out->n - from));
		b->out->n -= gap;
	}
}

int
stream_block_finish(
    struct block_out *b, enum block_type type, uint32_t records, struct wcp_error *e)
{
	struct buf *out = b->out;
	if (out->failed)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	close_directory(b);
	size_t payload = out->n - b->start - STREAM_BLOCK_BYTES;
	if (payload > STREAM_PAYLOAD_MAX || records > STREAM_RECORDS_MAX)
		return wcp_fail(e, WCP_EUSAGE,
		    "a block of %zu bytes and %u records is larger than the format allows", payload,
		    records);
	uint8_t *h = out->data + b->start;
	h[0] = (uint8_t)type;
	h[1] = 0;
	put_le(h + 2, b->n, 2);
	put_le(h + 4, payload, 4);
	put_le(h + 8, records, 4);
	put_le(h + 12, stream_block_checksum(h, payload), 4);
	return 0;
}

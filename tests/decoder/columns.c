#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "decoder.h"

enum { CONST, PLANES, DELTA, RLE };

uint64_t
number(const uint8_t *p, unsigned bytes, bool swapped)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[swapped ? i : bytes - 1 - i];
	return v;
}

void
hex_line(uint64_t offset, const uint8_t *p, uint32_t n, const char *format, ...)
{
	va_list ap;
	for (uint32_t i = 0; i < n; i++) {
		if (i % 16 == 0)
			printf("%s%08" PRIx64 " ", i ? "\n" : "", offset + i);
		printf(" %02x", p[i]);
	}
	printf("%*s", n % 16 ? (int)(3 * (16 - n % 16)) : 0, "");
	va_start(ap, format);
	printf("  ");
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

/* Byte k of value i stands in plane k: value i = sum of plane[k][i] << 8k. */
static uint64_t
plane_value(const uint8_t *p, uint32_t n, unsigned width, uint32_t i)
{
	uint64_t v = 0;
	for (unsigned k = 0; k < width; k++)
		v |= (uint64_t)p[(size_t)k * n + i] << (8 * k);
	return v;
}

static void
read_runs(struct column *c, const uint8_t *p, uint32_t bytes, unsigned width, unsigned width2)
{
	uint32_t runs = width + width2 ? bytes / (width + width2) : 0, out = 0;
	for (uint32_t r = 0; r < runs; r++) {
		uint64_t n = plane_value(p + (size_t)runs * width, runs, width2, r);
		if (n > c->n - out)
			die("runs are longer than their column");
		while (n--)
			c->value[out++] = plane_value(p, runs, width, r);
	}
	if (out != c->n || bytes != runs * (width + width2))
		die("runs do not fill their column");
}

static void
read_planes(struct column *c, const uint8_t *p, unsigned width, unsigned shift, bool delta)
{
	uint64_t base = number(p, 8, false);
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t v = plane_value(p + 8, c->n, width, i);
		if (delta) {
			uint64_t d = v & 1 ? ~(v >> 1) : v >> 1;
			base += d << shift;
			c->value[i] = base;
		} else {
			c->value[i] = base + (v << shift);
		}
	}
}

static void
read_column(struct column *c, const uint8_t *entry, const uint8_t *data, uint32_t bytes)
{
	unsigned encoding = entry[1], width = entry[3], shift = entry[4], width2 = entry[5];
	if (width > 8 || shift > 63 || width2 > 4)
		die("column %u: impossible width", entry[0]);
	c->value = need(((size_t)c->n + 1) * sizeof *c->value);
	c->there = true;
	switch (encoding) {
	case CONST:
		if (bytes != width)
			die("column %u: wrong size", entry[0]);
		for (uint32_t i = 0; i < c->n; i++)
			c->value[i] = number(data, width, false);
		break;
	case PLANES:
	case DELTA:
		if (bytes != 8 + (uint64_t)width * c->n)
			die("column %u: wrong size", entry[0]);
		read_planes(c, data, width, shift, encoding == DELTA);
		break;
	case RLE: read_runs(c, data, bytes, width, width2); break;
	default: die("column %u: unknown encoding %u", entry[0], encoding);
	}
}

void
read_columns(struct block *b, const uint8_t *payload, uint32_t bytes, unsigned columns,
    bool swapped, bool explain, uint64_t offset)
{
	static const char *const name[] = {"constant", "planes", "delta", "runs"};
	uint64_t data = 16ull * columns;
	for (unsigned i = 0; i < columns; i++) {
		const uint8_t *entry = payload + 16ull * i;
		if (data > bytes)
			die("column directory longer than its block");
		uint32_t n = (uint32_t)number(entry + 8, 4, swapped),
			 size = (uint32_t)number(entry + 12, 4, swapped);
		if (size > bytes - data)
			die("column %u ends past its block", entry[0]);
		if (explain)
			hex_line(offset + 16ull * i, entry, 16,
			    "column %u: %s, %u-byte elements, width %u, shift %u, %u values, %u "
			    "bytes",
			    entry[0], entry[1] < 4 ? name[entry[1]] : "?", entry[2], entry[3],
			    entry[4], n, size);
		struct column *c = &b->column[entry[0]];
		if (!c->there) {
			c->n = n;
			read_column(c, entry, payload + data, size);
		}
		data += size;
	}
	data = 16ull * columns;
	for (unsigned i = 0; explain && i < columns; i++) {
		const uint8_t *entry = payload + 16ull * i;
		uint32_t size = (uint32_t)number(entry + 12, 4, swapped);
		if (size)
			hex_line(
			    offset + data, payload + data, size, "data of column %u", entry[0]);
		data += size;
	}
}

void
free_columns(struct block *b)
{
	for (unsigned i = 0; i < COLUMN_IDS; i++)
		free(b->column[i].value);
	memset(b, 0, sizeof *b);
}

uint64_t
at(const struct block *b, unsigned id, uint32_t i)
{
	const struct column *c = &b->column[id];
	if (!c->there)
		return 0;
	if (i >= c->n)
		die("column %u has no element %u", id, i);
	return c->value[i];
}

uint32_t
length(const struct block *b, unsigned id)
{
	return b->column[id].there ? b->column[id].n : 0;
}

char *
text(const struct block *b, unsigned id)
{
	uint32_t n = length(b, id);
	char *s = need((size_t)n + 1);
	for (uint32_t i = 0; i < n; i++)
		s[i] = (char)b->column[id].value[i];
	return s;
}

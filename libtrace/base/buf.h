/* A growing byte buffer. A failed growth sets `failed` and later puts do nothing, so that a chain
 * of puts is checked once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	uint8_t *data;
	size_t n, cap;
	bool failed;
};

void buf_release(struct buf *b);
/* Room for n more bytes; false (and failed) without memory. */
bool buf_reserve(struct buf *b, size_t n);
/* n more bytes, contents undefined; NULL without memory only. */
uint8_t *buf_extend(struct buf *b, size_t n);
void buf_put(struct buf *b, const void *data, size_t n);

static inline void
buf_clear(struct buf *b)
{
	b->n = 0;
	b->failed = false;
}

/* Grows *p to hold at least need elements of size bytes, *cap in elements; 0 or WCP_ESYS. */
int base_grow(void *p, uint32_t *cap, uint64_t need, size_t size);

#endif

#include <stdlib.h>
#include "base/buf.h"
#include "warpcap/error.h"

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

bool
buf_reserve(struct buf *b, size_t n)
{
	if (b->failed)
		return false;
	if (b->data && n <= b->cap - b->n)
		return true;
	size_t cap = b->cap + b->cap / 2 + 256;
	if (cap < b->n + n)
		cap = b->n + n;
	uint8_t *data = n <= SIZE_MAX - b->n ? realloc(b->data, cap) : NULL;
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

uint8_t *
buf_extend(struct buf *b, size_t n)
{
	if (!buf_reserve(b, n))
		return NULL;
	uint8_t *p = b->data + b->n;
	b->n += n;
	return p;
}

void
buf_put(struct buf *b, const void *data, size_t n)
{
	uint8_t *p = buf_extend(b, n);
	if (p && n)
		memcpy(p, data, n);
}

int
base_grow(void *p, uint32_t *cap, uint64_t need, size_t size)
{
	if (need <= *cap)
		return 0;
	uint64_t to = (uint64_t)*cap + *cap / 2 + 64;
	if (to < need)
		to = need;
	if (to > UINT32_MAX)
		to = UINT32_MAX;
	void *old;
	memcpy(&old, p, sizeof old);
	void *data = need <= to ? realloc(old, (size_t)to * size) : NULL;
	if (!data)
		return WCP_ESYS;
	memcpy(p, &data, sizeof data);
	*cap = (uint32_t)to;
	return 0;
}

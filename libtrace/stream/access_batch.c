#include <stdlib.h>
#include "base/buf.h"
#include "stream/access.h"

/* Order as in enum wcp_access_col. */
#define COL(x, none_value)                                                                       \
	{                                                                                        \
		offsetof(struct wcp_access_batch, x), sizeof *((struct wcp_access_batch *)0)->x, \
		    none_value                                                                   \
	}
const struct access_col stream_access_col[WCP_ACCESS_COLS] = {
    COL(cycle, 0),
    COL(sm, 0xff),
    COL(kernel, 0),
    COL(cta, 0),
    COL(warp, 0),
    COL(slot, 0xff),
    COL(pc, 0),
    COL(line, 0),
    COL(sectors, 0),
    COL(lanes, 0),
    COL(kind, 0),
    COL(space, 0),
    COL(flags, 0),
    COL(id, 0),
    COL(outcome, 0),
    COL(tag, 0),
    COL(victim, 0xff),
    COL(victim_owner, 0xff),
    COL(bytes, 0),
};

void
wcp_access_batch_init(struct wcp_access_batch *b)
{
	*b = (struct wcp_access_batch){0};
}

void
wcp_access_batch_clear(struct wcp_access_batch *b)
{
	b->n = 0;
}

void
wcp_access_batch_release(struct wcp_access_batch *b)
{
	for (int c = 0; c < WCP_ACCESS_COLS; c++)
		free(stream_access_array(b, c));
	wcp_access_batch_init(b);
}

int
stream_access_reserve(struct wcp_access_batch *b, uint32_t n, uint32_t columns)
{
	uint64_t need = (uint64_t)b->n + n, to = (uint64_t)b->cap + b->cap / 2 + 64;
	if (need <= b->cap)
		return 0;
	if (to < need)
		to = need;
	if (to > UINT32_MAX)
		return WCP_ESYS;
	for (int c = 0; c < WCP_ACCESS_COLS; c++) {
		uint32_t own = 0;
		if ((columns >> c & 1) && base_grow((char *)b + stream_access_col[c].offset, &own,
					      to, stream_access_col[c].size) < 0)
			return WCP_ESYS;
	}
	b->cap = (uint32_t)to;
	return 0;
}

int
wcp_access_batch_reserve(struct wcp_access_batch *b, uint32_t n)
{
	return stream_access_reserve(b, n, WCP_COLS_ALL);
}

int
wcp_access_batch_append(
    struct wcp_access_batch *dst, const struct wcp_access_batch *src, uint32_t first, uint32_t n)
{
	if (wcp_access_batch_reserve(dst, n) < 0)
		return WCP_ESYS;
	for (int c = 0; n && c < WCP_ACCESS_COLS; c++) {
		size_t size = stream_access_col[c].size;
		char *to = (char *)stream_access_array(dst, c) + dst->n * size;
		const char *from = stream_access_array(src, c);
		if (from)
			memcpy(to, from + first * size, n * size);
		else
			memset(to, stream_access_col[c].none_byte, n * size);
	}
	dst->n += n;
	return 0;
}

#define GATHER(type)                                \
	do {                                        \
		type *t = (type *)to;               \
		const type *f = (const type *)from; \
		for (uint32_t i = 0; i < n; i++)    \
			t[i] = f[index[i]];         \
	} while (0)

static void
gather(void *to, const void *from, size_t size, const uint32_t *index, uint32_t n)
{
	switch (size) {
	case 1: GATHER(uint8_t); break;
	case 2: GATHER(uint16_t); break;
	case 4: GATHER(uint32_t); break;
	default: GATHER(uint64_t); break;
	}
}

int
wcp_access_batch_gather(struct wcp_access_batch *dst, const struct wcp_access_batch *src,
    const uint32_t *index, uint32_t n)
{
	if (wcp_access_batch_reserve(dst, n) < 0)
		return WCP_ESYS;
	for (int c = 0; c < WCP_ACCESS_COLS; c++) {
		size_t size = stream_access_col[c].size;
		char *to = (char *)stream_access_array(dst, c) + dst->n * size;
		const void *from = stream_access_array(src, c);
		if (from)
			gather(to, from, size, index, n);
		else
			memset(to, stream_access_col[c].none_byte, n * size);
	}
	dst->n += n;
	return 0;
}

#include <stdlib.h>
#include "stream/access.h"
#include "stream/access_codec.h"

enum { HEAD_KERNEL, HEAD_FIRST, HEAD_LAST, HEAD_COUNT };

static struct access_head
survey(const struct wcp_access_batch *a)
{
	struct access_head h = {.kernel = WCP_NONE32};
	if (!a->n)
		return h;
	if (a->kernel)
		h.kernel = a->kernel[0];
	for (uint32_t i = 1; a->kernel && i < a->n; i++)
		if (a->kernel[i] != a->kernel[0])
			h.kernel = WCP_NONE32;
	if (a->cycle)
		h.first_cycle = h.last_cycle = a->cycle[0];
	for (uint32_t i = 1; a->cycle && i < a->n; i++) {
		h.first_cycle = a->cycle[i] < h.first_cycle ? a->cycle[i] : h.first_cycle;
		h.last_cycle = a->cycle[i] > h.last_cycle ? a->cycle[i] : h.last_cycle;
	}
	return h;
}

/* A column that says nothing is left out: nothing but its default. */
static bool
says_nothing(const void *array, const struct access_col *c, uint32_t n)
{
	const uint8_t *p = array;
	for (size_t i = 0; n && i < c->size; i++)
		if (p[i] != c->none_byte)
			return false;
	return !n || memcmp(p, p + c->size, (n - 1) * c->size) == 0;
}

int
stream_access_encode(const struct wcp_access_batch *batch, struct block_out *b, struct buf *out,
    struct access_head *head, struct wcp_error *e)
{
	*head = survey(batch);
	uint64_t fields[HEAD_COUNT] = {head->kernel, head->first_cycle, head->last_cycle};
	stream_block_begin(b, out, WCP_ACCESS_COLS + 1);
	stream_column_put(b, WCP_ACCESS_COLS, fields, 8, HEAD_COUNT);
	for (int c = 0; c < WCP_ACCESS_COLS; c++) {
		const void *array = stream_access_array(batch, c);
		if (array && !says_nothing(array, &stream_access_col[c], batch->n))
			stream_column_put(
			    b, (unsigned)c, array, (unsigned)stream_access_col[c].size, batch->n);
	}
	return stream_block_finish(b, BLOCK_ACCESS, batch->n, e);
}

int
stream_access_head(const struct block_in *in, struct access_head *head, struct wcp_error *e)
{
	uint64_t fields[HEAD_COUNT];
	int s = stream_column_get(in, WCP_ACCESS_COLS, fields, 8, HEAD_COUNT, e);
	if (s < 0)
		return s;
	if (in->records > STREAM_RECORDS_MAX)
		return wcp_fail(e, WCP_EDATA, "ACCESS block of %u records", in->records);
	*head = (struct access_head){
	    (uint32_t)fields[HEAD_KERNEL], fields[HEAD_FIRST], fields[HEAD_LAST]};
	return 0;
}

static bool
below(const uint8_t *v, uint32_t n, uint8_t limit)
{
	uint8_t max = 0;
	for (uint32_t i = 0; v && i < n; i++)
		max = v[i] > max ? v[i] : max;
	return max < limit;
}

int
stream_access_decode(const struct block_in *in, uint32_t columns, struct wcp_access_batch *batch,
    struct wcp_error *e)
{
	uint32_t n = in->records;
	batch->n = 0;
	if (n > STREAM_RECORDS_MAX)
		return wcp_fail(e, WCP_EDATA, "ACCESS block of %u records", n);
	if (stream_access_reserve(batch, n ? n : 1, columns) < 0)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	for (int c = 0; c < WCP_ACCESS_COLS; c++) {
		void *array = stream_access_array(batch, c);
		size_t size = stream_access_col[c].size;
		if (!(columns >> c & 1))
			continue;
		if (!stream_column_find(in, (unsigned)c))
			memset(array, stream_access_col[c].none_byte, n * size);
		else if (stream_column_get(in, (unsigned)c, array, (unsigned)size, n, e) < 0)
			return WCP_EDATA;
	}
	if (!below(batch->kind, n, WCP_KIND_COUNT) || !below(batch->space, n, WCP_SPACE_COUNT))
		return wcp_fail(
		    e, WCP_EDATA, "ACCESS block damaged: a kind or space that does not exist");
	batch->n = n;
	return 0;
}

enum {
	STATE_CYCLE,
	STATE_KERNEL,
	STATE_CTA,
	STATE_SM,
	STATE_WARP,
	STATE_SLOT,
	STATE_KIND,
	STATE_COLUMNS
};

static uint64_t *
state_field(struct wcp_state *s, unsigned column, uint64_t *value, bool store)
{
	switch (column) {
	case STATE_CYCLE: store ? (void)(s->cycle = *value) : (void)(*value = s->cycle); break;
	case STATE_KERNEL:
		store ? (void)(s->kernel = (uint32_t)*value) : (void)(*value = s->kernel);
		break;
	case STATE_CTA: store ? (void)(s->cta = (uint32_t)*value) : (void)(*value = s->cta); break;
	case STATE_SM: store ? (void)(s->sm = (uint16_t)*value) : (void)(*value = s->sm); break;
	case STATE_WARP:
		store ? (void)(s->warp = (uint16_t)*value) : (void)(*value = s->warp);
		break;
	case STATE_SLOT:
		store ? (void)(s->slot = (uint16_t)*value) : (void)(*value = s->slot);
		break;
	default: store ? (void)(s->kind = (uint16_t)*value) : (void)(*value = s->kind); break;
	}
	return value;
}

int
stream_state_encode(const struct wcp_state *state, uint32_t n, struct block_out *b, struct buf *out,
    struct wcp_error *e)
{
	uint64_t *v = malloc((n + 1) * sizeof *v);
	if (!v)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	stream_block_begin(b, out, STATE_COLUMNS);
	for (unsigned c = 0; c < STATE_COLUMNS; c++) {
		for (uint32_t i = 0; i < n; i++) {
			struct wcp_state s = state[i];
			state_field(&s, c, &v[i], false);
		}
		stream_column_put(b, c, v, 8, n);
	}
	free(v);
	return stream_block_finish(b, BLOCK_STATE, n, e);
}

int
stream_state_decode(
    const struct block_in *in, struct wcp_state **state, uint32_t *cap, struct wcp_error *e)
{
	uint32_t n = in->records;
	if (n > STREAM_RECORDS_MAX)
		return wcp_fail(e, WCP_EDATA, "STATE block of %u records", n);
	uint64_t *v = malloc((n + 1) * sizeof *v);
	if (!v || base_grow(state, cap, n, sizeof **state) < 0) {
		free(v);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	int s = 0;
	for (unsigned c = 0; s == 0 && c < STATE_COLUMNS; c++) {
		s = stream_column_get(in, c, v, 8, n, e);
		for (uint32_t i = 0; s == 0 && i < n; i++)
			state_field(&(*state)[i], c, &v[i], true);
	}
	free(v);
	for (uint32_t i = 0; s == 0 && i < n; i++)
		if ((*state)[i].kind > WCP_STATE_BARRIER)
			return wcp_fail(
			    e, WCP_EDATA, "STATE block damaged: a kind that does not exist");
	return s;
}

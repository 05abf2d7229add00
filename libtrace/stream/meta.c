#include <stdlib.h>
#include "stream/meta.h"

/* Column 0 of these blocks is a row of numbers; a later version appends to it. Absent ones are 0.
 */
enum { COL_FIELDS, COL_TEXT };
enum { FIELDS_MAX = 64 };

static void
put_text(struct block_out *b, unsigned id, const char *text)
{
	stream_column_put_bytes(b, id, text ? text : "", text ? strlen(text) : 0);
}

static int
get_fields(const struct block_in *in, uint64_t *field, uint32_t n, struct wcp_error *e)
{
	uint64_t all[FIELDS_MAX] = {0};
	const struct column_in *c = stream_column_find(in, COL_FIELDS);
	memset(field, 0, n * sizeof *field);
	if (c && c->count > FIELDS_MAX)
		return wcp_fail(e, WCP_EDATA, "a block with %u fields", c->count);
	int s = stream_column_get(in, COL_FIELDS, all, 8, c ? c->count : 0, e);
	memcpy(field, all, n * sizeof *field);
	return s;
}

/* A struct with text after it. */
static void *
with_text(const struct block_in *in, unsigned id, size_t size, char **text, struct wcp_error *e)
{
	uint32_t n;
	const uint8_t *from = stream_column_bytes(in, id, &n);
	char *p = calloc(1, size + n + 1);
	if (!p) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	*text = p + size;
	if (n)
		memcpy(*text, from, n);
	return p;
}

/* ---- kernels ------------------------------------------------------------------------------- */

enum { KERNEL_FIELDS = 24 };

static void
kernel_fields(struct wcp_kernel *k, uint64_t f[KERNEL_FIELDS], bool store)
{
	uint32_t *small[] = {&k->id, &k->program, &k->grid[0], &k->grid[1], &k->grid[2],
	    &k->block[0], &k->block[1], &k->block[2], &k->regs_per_thread, &k->static_shared_bytes,
	    &k->dynamic_shared_bytes, &k->local_bytes, &k->param_bytes, &k->flags, &k->depth,
	    &k->parent, &k->parent_cta, &k->parent_warp, &k->parent_lane, &k->parent_pc,
	    &k->launch_order, &k->site};
	uint64_t *large[] = {&k->stream, &k->workload};
	unsigned n = 0;
	for (size_t i = 0; i < sizeof small / sizeof *small; i++, n++)
		store ? (void)(*small[i] = (uint32_t)f[n]) : (void)(f[n] = *small[i]);
	for (size_t i = 0; i < sizeof large / sizeof *large; i++, n++)
		store ? (void)(*large[i] = f[n]) : (void)(f[n] = *large[i]);
}

int
stream_kernel_encode(
    const struct wcp_kernel *k, struct block_out *b, struct buf *out, struct wcp_error *e)
{
	uint64_t f[KERNEL_FIELDS] = {0};
	struct wcp_kernel copy = *k;
	kernel_fields(&copy, f, false);
	stream_block_begin(b, out, 2);
	stream_column_put(b, COL_FIELDS, f, 8, KERNEL_FIELDS);
	put_text(b, COL_TEXT, k->name);
	return stream_block_finish(b, BLOCK_KERNEL, 1, e);
}

struct wcp_kernel *
stream_kernel_decode(const struct block_in *in, struct wcp_error *e)
{
	uint64_t f[KERNEL_FIELDS];
	char *text;
	if (get_fields(in, f, KERNEL_FIELDS, e) < 0)
		return NULL;
	struct wcp_kernel *k = with_text(in, COL_TEXT, sizeof *k, &text, e);
	if (!k)
		return NULL;
	kernel_fields(k, f, true);
	k->name = text;
	return k;
}

int
stream_kernel_end_encode(
    const struct wcp_kernel_end *k, struct block_out *b, struct buf *out, struct wcp_error *e)
{
	uint64_t f[] = {
	    k->kernel, k->warp_insns, k->thread_insns, k->mem_insns, k->ctas, k->accesses};
	stream_block_begin(b, out, 1);
	stream_column_put(b, COL_FIELDS, f, 8, sizeof f / sizeof *f);
	return stream_block_finish(b, BLOCK_KERNEL_END, 1, e);
}

int
stream_kernel_end_decode(const struct block_in *in, struct wcp_kernel_end *k, struct wcp_error *e)
{
	uint64_t f[6];
	int s = get_fields(in, f, 6, e);
	*k = (struct wcp_kernel_end){(uint32_t)f[0], f[1], f[2], f[3], f[4], f[5]};
	return s;
}

/* ---- host operations, provenance, totals --------------------------------------------------- */

int
stream_host_encode(
    const struct wcp_host_op *op, struct block_out *b, struct buf *out, struct wcp_error *e)
{
	uint64_t f[] = {op->kind, op->address, op->bytes, op->value, op->stream};
	stream_block_begin(b, out, 2);
	stream_column_put(b, COL_FIELDS, f, 8, sizeof f / sizeof *f);
	put_text(b, COL_TEXT, op->label);
	return stream_block_finish(b, BLOCK_HOST, 1, e);
}

struct wcp_host_op *
stream_host_decode(const struct block_in *in, struct wcp_error *e)
{
	uint64_t f[5];
	char *text;
	if (get_fields(in, f, 5, e) < 0)
		return NULL;
	if (f[0] >= WCP_HOST_COUNT) {
		wcp_fail(e, WCP_EDATA, "HOST block damaged: a kind that does not exist");
		return NULL;
	}
	struct wcp_host_op *op = with_text(in, COL_TEXT, sizeof *op, &text, e);
	if (op)
		*op = (struct wcp_host_op){(enum wcp_host_kind)f[0], f[1], f[2], f[3], f[4], text};
	return op;
}

int
stream_provenance_encode(
    const char *const *line, size_t n, struct block_out *b, struct buf *out, struct wcp_error *e)
{
	struct buf text = {0};
	for (size_t i = 0; i < n; i++)
		buf_put(&text, line[i], strlen(line[i]) + 1);
	stream_block_begin(b, out, 2);
	stream_column_put_bytes(b, COL_TEXT, text.data, text.n);
	out->failed |= text.failed;
	buf_release(&text);
	return stream_block_finish(b, BLOCK_PROVENANCE, (uint32_t)n, e);
}

int
stream_provenance_decode(const struct block_in *in, char **text, size_t *n, struct wcp_error *e)
{
	uint32_t bytes;
	const uint8_t *from = stream_column_bytes(in, COL_TEXT, &bytes);
	*n = 0;
	*text = malloc((size_t)bytes + 1);
	if (!*text)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	if (bytes)
		memcpy(*text, from, bytes);
	if (bytes && (*text)[bytes - 1])
		(*text)[bytes++] = 0;
	for (uint32_t i = 0; i < bytes; i++)
		*n += !(*text)[i];
	return 0;
}

int
stream_end_encode(const struct wcp_totals *t, uint64_t index_blocks, struct block_out *b,
    struct buf *out, struct wcp_error *e)
{
	uint64_t f[] = {t->blocks, t->records, t->kernels, t->warp_insns, t->thread_insns,
	    t->mem_insns, t->ctas, t->accesses, t->flags, index_blocks};
	stream_block_begin(b, out, 1);
	stream_column_put(b, COL_FIELDS, f, 8, sizeof f / sizeof *f);
	return stream_block_finish(b, BLOCK_END, 1, e);
}

int
stream_end_decode(
    const struct block_in *in, struct wcp_totals *t, uint64_t *index_blocks, struct wcp_error *e)
{
	uint64_t f[10];
	int s = get_fields(in, f, 10, e);
	*t = (struct wcp_totals){f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], (uint32_t)f[8]};
	*index_blocks = f[9];
	return s;
}

/* ---- index --------------------------------------------------------------------------------- */

enum {
	INDEX_BLOCK,
	INDEX_TYPE,
	INDEX_KERNEL,
	INDEX_LO,
	INDEX_HI,
	INDEX_RECORDS,
	INDEX_FRAME,
	INDEX_COLUMNS
};

static uint64_t
index_get(const struct index_entry *x, unsigned column)
{
	const uint64_t v[INDEX_COLUMNS] = {x->block, x->info.type, x->info.kernel, x->info.lo,
	    x->info.hi, x->info.records, x->frame};
	return v[column];
}

static void
index_set(struct index_entry *x, unsigned column, uint64_t v)
{
	switch (column) {
	case INDEX_BLOCK: x->block = v; break;
	case INDEX_TYPE: x->info.type = (enum wcp_item_type)v; break;
	case INDEX_KERNEL: x->info.kernel = (uint32_t)v; break;
	case INDEX_LO: x->info.lo = v; break;
	case INDEX_HI: x->info.hi = v; break;
	case INDEX_RECORDS: x->info.records = v; break;
	default: x->frame = (uint32_t)v; break;
	}
}

int
stream_index_encode(const struct index_entry *entry, uint32_t n, struct block_out *b,
    struct buf *out, struct wcp_error *e)
{
	uint64_t *v = malloc((n + 1) * sizeof *v);
	if (!v)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	stream_block_begin(b, out, INDEX_COLUMNS);
	for (unsigned c = 0; c < INDEX_COLUMNS; c++) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = index_get(&entry[i], c);
		stream_column_put(b, c, v, 8, n);
	}
	free(v);
	return stream_block_finish(b, BLOCK_INDEX, n, e);
}

int
stream_index_decode(const struct block_in *in, struct index_entry **entry, uint32_t *n,
    uint32_t *cap, struct wcp_error *e)
{
	if (in->records > STREAM_RECORDS_MAX)
		return wcp_fail(e, WCP_EDATA, "INDEX block of %u entries", in->records);
	uint64_t *v = malloc(((size_t)in->records + 1) * sizeof *v);
	if (!v || base_grow(entry, cap, (uint64_t)*n + in->records, sizeof **entry) < 0) {
		free(v);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	int s = 0;
	for (unsigned c = 0; s == 0 && c < INDEX_COLUMNS; c++) {
		s = stream_column_get(in, c, v, 8, in->records, e);
		for (uint32_t i = 0; s == 0 && i < in->records; i++)
			index_set(&(*entry)[*n + i], c, v[i]);
	}
	free(v);
	if (s == 0)
		*n += in->records;
	return s;
}

/* -o: what was served as an ACCESS stream, in order of the time at which it was. */
#include <stdlib.h>
#include <string.h>
#include "warpdram.h"

enum { FLUSH = 1 << 14 };

const char *
out_name(const struct run *r)
{
	const char *path = r->tool->output;
	return path && strcmp(path, "-") ? path : "standard output";
}

int
out_open(struct run *r)
{
	int status = 0;
	wcp_access_batch_init(&r->out.batch);
	if (r->tool->output)
		r->out.writer =
		    tool_open_writer(r->tool, WCP_LINK_ACCESS, r->input.reader, &status);
	return status;
}

static void
reserve_kernel(struct out *o, uint32_t kernel)
{
	if (kernel < o->n_kernel)
		return;
	uint32_t n = kernel + 1 > 2 * o->n_kernel ? kernel + 1 : 2 * o->n_kernel;
	o->passed = must_alloc(o->passed, n * sizeof *o->passed);
	o->begun = must_alloc(o->begun, n * sizeof *o->begun);
	memset(o->passed + o->n_kernel, 0, (n - o->n_kernel) * sizeof *o->passed);
	memset(o->begun + o->n_kernel, 0, (n - o->n_kernel) * sizeof *o->begun);
	o->n_kernel = n;
}

void
out_chunk(struct run *r, const struct chunk *c)
{
	struct out *o = &r->out;
	for (uint32_t i = 0; o->writer && i < c->n; i++) {
		uint32_t kernel = c->rows.kernel[i];
		if (kernel == WCP_NONE32)
			continue;
		reserve_kernel(o, kernel);
		o->begun[kernel]++;
	}
}

void
out_record(struct run *r, const struct record *record, uint64_t end)
{
	struct out *o = &r->out;
	if (o->n == o->cap) {
		o->cap = o->cap ? 2 * o->cap : 1024;
		o->row = must_alloc(o->row, o->cap * sizeof *o->row);
	}
	o->row[o->n++] = (struct served_row){end, o->order++, record->chunk, record->row};
}

static int
by_time(const void *a, const void *b)
{
	const struct served_row *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Kernels' ends go behind the last of their records. */
static int
write_ends(struct run *r)
{
	struct out *o = &r->out;
	uint32_t kept = 0;
	int status = 0;
	for (uint32_t i = 0; i < o->n_ended; i++) {
		struct wcp_kernel_end end = o->ended[i];
		uint32_t k = end.kernel;
		bool known = k < o->n_kernel;
		if (status || (known && o->passed[k] < o->begun[k])) {
			o->ended[kept++] = end;
			continue;
		}
		end.accesses = known ? o->passed[k] : 0;
		status = wcp_writer_kernel_end(o->writer, &end, &r->error);
	}
	o->n_ended = kept;
	return status;
}

static int
write_batch(struct run *r)
{
	struct out *o = &r->out;
	int status = o->batch.n ? wcp_writer_access(o->writer, &o->batch, &r->error) : 0;
	wcp_access_batch_clear(&o->batch);
	return status;
}

static int
write_row(struct run *r, const struct served_row *row)
{
	struct out *o = &r->out;
	struct wcp_access_batch *b = &o->batch;
	if (wcp_access_batch_append(b, &row->chunk->rows, row->row, 1))
		return wcp_fail(&r->error, WCP_ESYS, "out of memory");
	uint32_t i = b->n - 1, kernel = b->kernel[i];
	b->cycle[i] = play_to_record(&r->play, row->cycle);
	if (kernel != WCP_NONE32)
		o->passed[kernel]++;
	chunk_release(row->chunk);
	return b->n >= FLUSH ? write_batch(r) : 0;
}

static int
write_rows(struct run *r, uint64_t safe)
{
	struct out *o = &r->out;
	uint32_t n = 0;
	int status = 0;
	if (!o->n)
		return 0;
	qsort(o->row, o->n, sizeof *o->row, by_time);
	for (; n < o->n && o->row[n].cycle <= safe && !status; n++)
		status = write_row(r, &o->row[n]);
	memmove(o->row, o->row + n, (o->n - n) * sizeof *o->row);
	o->n -= n;
	return status;
}

int
out_flush(struct run *r, uint64_t safe)
{
	struct out *o = &r->out;
	if (!o->writer)
		return 0;
	int status = write_rows(r, safe);
	if (!status && (o->n_ended || safe == UINT64_MAX))
		status = write_batch(r);
	return status ? status : write_ends(r);
}

int
out_item(struct run *r, const struct wcp_item *item)
{
	struct out *o = &r->out;
	if (!o->writer)
		return 0;
	switch (item->type) {
	case WCP_ITEM_PROGRAM: return wcp_writer_program(o->writer, item->program, &r->error);
	case WCP_ITEM_KERNEL: return wcp_writer_kernel(o->writer, item->kernel, &r->error);
	case WCP_ITEM_HOST: return wcp_writer_host(o->writer, item->host, &r->error);
	case WCP_ITEM_KERNEL_END:
		if (o->n_ended == o->cap_ended) {
			o->cap_ended = o->cap_ended ? 2 * o->cap_ended : 16;
			o->ended = must_alloc(o->ended, o->cap_ended * sizeof *o->ended);
		}
		o->ended[o->n_ended++] = *item->kernel_end;
		return 0;
	case WCP_ITEM_STATE: /* their times are not those of the memory */
	case WCP_ITEM_ACCESS:
	case WCP_ITEM_WARP:
	case WCP_ITEM_END: break;
	}
	return 0;
}

int
out_close(struct run *r, int status)
{
	struct out *o = &r->out;
	uint32_t flags = r->input.end_flags;
	if (r->input.filter || r->input.hits || r->input.spaces || status)
		flags |= WCP_END_PARTIAL;
	if (o->writer && (status == -WCP_EUSAGE || status == -WCP_ESYS)) {
		wcp_writer_abort(o->writer);
	} else if (o->writer && wcp_writer_close(o->writer, flags, &r->error)) {
		int failed = tool_error(r->tool, out_name(r), &r->error);
		status = status ? status : failed;
	}
	wcp_access_batch_release(&o->batch);
	for (uint32_t i = 0; i < o->n; i++)
		chunk_release(o->row[i].chunk);
	free(o->row);
	free(o->passed);
	free(o->begun);
	free(o->ended);
	return status;
}

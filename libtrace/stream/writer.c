#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>
#include "base/pool.h"
#include "stream/access.h"
#include "stream/access_codec.h"
#include "stream/meta.h"
#include "stream/output.h"
#include "stream/registry.h"
#include "stream/warp.h"

/* A block is closed when it holds this many records; a list of addresses counts for more. */
enum { BLOCK_RECORDS = 1 << 16, ADDRS_A_RECORD = 8 };

/* What a thread needs to encode. */
struct codec {
	struct warp_encoder *warp;
	struct block_out block;
	ZSTD_CCtx *zstd;
};

/* One block on its way out. */
struct job {
	struct pool_task task; /* first: a task is cast to its job */
	struct wcp_writer *w;
	enum block_type type;
	const struct marks *marks;
	struct wcp_warp_batch warp;
	struct wcp_access_batch access;
	struct buf raw, packed;
	struct warp_totals totals;
	struct wcp_block_info info;
	int status;
	struct wcp_error error;
};

struct frame_size {
	uint32_t packed, raw;
};

struct wcp_writer {
	struct output out;
	enum wcp_link link;
	int level;
	struct registry known;
	struct pool *pool;
	struct codec *codec; /* [codecs] */
	unsigned codecs;
	struct job *job; /* ring [jobs] */
	unsigned jobs, head, in_flight;
	struct job *open; /* data block being filled, NULL if none */
	uint64_t weight;  /* of the open WARP block, and of its last CTA's part */
	uint64_t tail_weight;
	uint32_t tail; /* open WARP block: first segment of the CTA at its end */
	struct wcp_totals totals;
	uint64_t blocks; /* of any type */
	struct index_entry *index;
	uint32_t n_index, index_cap;
	struct frame_size *frame;
	uint32_t n_frame, frame_cap;
	int status; /* first failure; everything after it fails alike */
	struct wcp_error error;
};

/* ---- encoding, in any thread --------------------------------------------------------------- */

static int
pack(struct job *j, struct codec *c)
{
	if (!j->w->level)
		return 0;
	buf_clear(&j->packed);
	uint8_t *p = buf_extend(&j->packed, ZSTD_compressBound(j->raw.n));
	if (!p)
		return wcp_fail(&j->error, WCP_ESYS, "out of memory");
	size_t n = ZSTD_compress2(c->zstd, p, j->packed.n, j->raw.data, j->raw.n);
	if (ZSTD_isError(n))
		return wcp_fail(&j->error, WCP_ESYS, "zstd: %s", ZSTD_getErrorName(n));
	j->packed.n = n;
	return 0;
}

static int
encode_warp(struct job *j, struct codec *c)
{
	struct wcp_block_info *info = &j->info;
	*info = (struct wcp_block_info){
	    WCP_ITEM_WARP, j->warp.kernel, UINT32_MAX, 0, (uint64_t)j->warp.n_run + j->warp.n_mem};
	for (uint32_t i = 0; i < j->warp.n_seg; i++) {
		uint32_t cta = j->warp.seg_cta[i];
		info->lo = cta < info->lo ? cta : info->lo;
		info->hi = cta > info->hi ? cta : info->hi;
	}
	return stream_warp_encode(
	    c->warp, &j->warp, j->marks, &c->block, &j->raw, &j->totals, &j->error);
}

static int
encode_access(struct job *j, struct codec *c)
{
	struct access_head h;
	int s = stream_access_encode(&j->access, &c->block, &j->raw, &h, &j->error);
	j->info = (struct wcp_block_info){
	    WCP_ITEM_ACCESS, h.kernel, h.first_cycle, h.last_cycle, j->access.n};
	return s;
}

static void
run_job(struct pool_task *t, unsigned worker)
{
	struct job *j = (struct job *)(void *)t;
	struct codec *c = &j->w->codec[j->w->pool ? worker + 1 : 0]; /* 0 is the caller's own */
	if (j->type == BLOCK_WARP)
		j->status = encode_warp(j, c);
	else if (j->type == BLOCK_ACCESS)
		j->status = encode_access(j, c);
	if (j->status == 0)
		j->status = pack(j, c);
}

/* ---- the ring ------------------------------------------------------------------------------ */

static int
fail(struct wcp_writer *w, const struct wcp_error *why, int status)
{
	if (w->status == 0) {
		w->status = status;
		if (why != &w->error)
			w->error = *why;
	}
	return w->status;
}

static int
report(struct wcp_writer *w, struct wcp_error *e)
{
	if (w->status < 0 && e)
		*e = w->error;
	return w->status;
}

static void
note_frame(struct wcp_writer *w, size_t packed, size_t raw)
{
	if (base_grow(&w->frame, &w->frame_cap, (uint64_t)w->n_frame + 1, sizeof *w->frame) < 0) {
		fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		return;
	}
	w->frame[w->n_frame++] = (struct frame_size){(uint32_t)packed, (uint32_t)raw};
}

static void
note_block(struct wcp_writer *w, const struct job *j)
{
	if (j->type == BLOCK_WARP || j->type == BLOCK_ACCESS || j->type == BLOCK_STATE) {
		if (base_grow(
			&w->index, &w->index_cap, (uint64_t)w->n_index + 1, sizeof *w->index) < 0) {
			fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
			return;
		}
		w->index[w->n_index++] = (struct index_entry){w->blocks, j->info};
		w->totals.blocks++;
	}
	if (j->type == BLOCK_WARP || j->type == BLOCK_ACCESS)
		w->totals.records += j->info.records;
	if (j->type == BLOCK_ACCESS)
		w->totals.accesses += j->info.records;
	if (j->type == BLOCK_WARP) {
		w->totals.warp_insns += j->totals.warp_insns;
		w->totals.thread_insns += j->totals.thread_insns;
		w->totals.mem_insns += j->totals.mem_insns;
		w->totals.ctas += j->totals.ctas;
	}
	w->blocks++;
}

/* Takes the oldest job off the ring and writes it. */
static void
retire(struct wcp_writer *w)
{
	struct job *j = &w->job[w->head];
	pool_wait(w->pool, &j->task);
	w->head = (w->head + 1) % w->jobs;
	w->in_flight--;
	if (j->status < 0)
		fail(w, &j->error, j->status);
	if (w->status < 0)
		return;
	const struct buf *b = w->level ? &j->packed : &j->raw;
	int s = stream_output_write(&w->out, b->data, b->n, &w->error);
	if (s < 0)
		fail(w, &w->error, s);
	note_frame(w, b->n, j->raw.n);
	note_block(w, j);
}

static struct job *
acquire(struct wcp_writer *w, enum block_type type)
{
	while (w->in_flight && pool_done(w->pool, &w->job[w->head].task))
		retire(w);
	if (w->in_flight == w->jobs - 1)
		retire(w);
	struct job *j = &w->job[(w->head + w->in_flight) % w->jobs];
	j->type = type;
	j->status = 0;
	j->info = (struct wcp_block_info){0};
	j->totals = (struct warp_totals){0};
	buf_clear(&j->raw);
	wcp_warp_batch_clear(&j->warp);
	wcp_access_batch_clear(&j->access);
	return j;
}

static void
submit(struct wcp_writer *w, struct job *j)
{
	w->in_flight++;
	pool_submit(w->pool, &j->task);
}

static void
drain(struct wcp_writer *w)
{
	while (w->in_flight)
		retire(w);
}

/* Sends the open data block on its way. */
static void
flush(struct wcp_writer *w)
{
	struct job *j = w->open;
	w->open = NULL;
	w->weight = w->tail_weight = 0;
	w->tail = 0;
	if (j && (j->warp.n_seg || j->access.n))
		submit(w, j);
}

/* A block that the caller's thread has encoded into j->raw. */
static int
send(struct wcp_writer *w, struct job *j, int s, struct wcp_error *e)
{
	if (s < 0)
		return e ? fail(w, e, s) : s;
	submit(w, j);
	return report(w, e);
}

/* ---- opening ------------------------------------------------------------------------------- */

static int
codec_init(struct codec *c, int level)
{
	c->warp = stream_warp_encoder_new();
	c->zstd = ZSTD_createCCtx();
	if (!c->warp || !c->zstd)
		return WCP_ESYS;
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int
start_threads(struct wcp_writer *w, unsigned threads)
{
	w->codecs = threads > 1 ? threads + 1 : 1;
	w->jobs = threads > 1 ? 2 * threads + 2 : 2;
	w->codec = calloc(w->codecs, sizeof *w->codec);
	w->job = calloc(w->jobs, sizeof *w->job);
	if (!w->codec || !w->job)
		return WCP_ESYS;
	for (unsigned i = 0; i < w->jobs; i++) {
		w->job[i].task.run = run_job;
		w->job[i].w = w;
		wcp_warp_batch_init(&w->job[i].warp);
	}
	for (unsigned i = 0; i < w->codecs; i++)
		if (codec_init(&w->codec[i], w->level) < 0)
			return WCP_ESYS;
	if (threads > 1)
		w->pool = pool_new(threads);
	return 0;
}

static int
put_file_header(struct wcp_writer *w)
{
	uint8_t magic[64], header[STREAM_HEADER_BYTES] = {0};
	int n = snprintf((char *)magic + 8, sizeof magic - 8, "warpcap %s stream, version %d.%d\n",
	    w->link == WCP_LINK_WARP ? "WARP" : "ACCESS", STREAM_MAJOR, STREAM_MINOR);
	put_le(magic, SKIPPABLE_MAGIC, 4);
	put_le(magic + 4, (uint64_t)n, 4);
	put_le(header, STREAM_MAGIC, 4);
	put_le(header + 4, STREAM_MAJOR, 2);
	put_le(header + 6, STREAM_MINOR, 2);
	put_le(header + 8, w->link, 4);
	if (!w->level)
		return stream_output_write(&w->out, header, sizeof header, &w->error);
	struct job *j = &w->job[0];
	buf_clear(&j->raw);
	buf_put(&j->raw, header, sizeof header);
	int s = pack(j, &w->codec[0]);
	if (s < 0)
		return wcp_fail(&w->error, s, "%s", j->error.text);
	s = stream_output_write(&w->out, magic, 8 + (size_t)n, &w->error);
	if (s == 0)
		s = stream_output_write(&w->out, j->packed.data, j->packed.n, &w->error);
	note_frame(w, 8 + (size_t)n, 0);
	note_frame(w, j->packed.n, sizeof header);
	return s;
}

static int
put_provenance(struct wcp_writer *w, const char *const *line, size_t n, struct wcp_error *e)
{
	int s;
	if (!n)
		return 0;
	struct job *j = acquire(w, BLOCK_PROVENANCE);
	s = send(w, j, stream_provenance_encode(line, n, &w->codec[0].block, &j->raw, e), e);
	/* a reader at the other end of a pipe waits for it when it opens */
	drain(w);
	return s < 0 ? s : report(w, e);
}

static void
writer_free(struct wcp_writer *w)
{
	pool_free(w->pool);
	for (unsigned i = 0; w->codec && i < w->codecs; i++) {
		stream_warp_encoder_free(w->codec[i].warp);
		stream_block_release(&w->codec[i].block);
		ZSTD_freeCCtx(w->codec[i].zstd);
	}
	for (unsigned i = 0; w->job && i < w->jobs; i++) {
		wcp_warp_batch_release(&w->job[i].warp);
		wcp_access_batch_release(&w->job[i].access);
		buf_release(&w->job[i].raw);
		buf_release(&w->job[i].packed);
	}
	stream_registry_release(&w->known);
	free(w->codec);
	free(w->job);
	free(w->index);
	free(w->frame);
	free(w);
}

struct wcp_writer *
wcp_writer_open(const char *path, enum wcp_link link, const struct wcp_write_options *options,
    struct wcp_error *e)
{
	static const struct wcp_write_options defaults = {.level = WCP_LEVEL_DEFAULT};
	const struct wcp_write_options *o = options ? options : &defaults;
	struct wcp_error local;
	e = e ? e : &local;
	if ((link != WCP_LINK_WARP && link != WCP_LINK_ACCESS) || o->level < ZSTD_minCLevel() ||
	    o->level > ZSTD_maxCLevel()) {
		wcp_fail(e, WCP_EUSAGE, "no such stream kind or compression level");
		return NULL;
	}
	struct wcp_writer *w = calloc(1, sizeof *w);
	if (!w) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	w->link = link;
	w->level = o->level;
	int s = stream_output_open(&w->out, path, e);
	if (s < 0) {
		writer_free(w);
		return NULL;
	}
	if (start_threads(w, o->threads) < 0)
		s = wcp_fail(e, WCP_ESYS, "out of memory");
	if (s == 0) {
		s = put_file_header(w);
		if (s < 0)
			*e = w->error;
	}
	if (s == 0)
		s = put_provenance(w, o->provenance, o->n_provenance, e);
	if (s < 0) {
		wcp_writer_abort(w);
		return NULL;
	}
	return w;
}

/* ---- programs, kernels, host --------------------------------------------------------------- */

int
wcp_writer_program(struct wcp_writer *w, const struct wcp_program *program, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	if (!stream_program_sound(program))
		return wcp_fail(e, WCP_EUSAGE, "program %u points outside itself", program->id);
	int s = stream_registry_add_program(&w->known, program, NULL, WCP_EUSAGE, e);
	if (s < 0)
		return s;
	flush(w);
	struct job *j = acquire(w, BLOCK_PROGRAM);
	return send(w, j, stream_program_encode(program, &w->codec[0].block, &j->raw, e), e);
}

int
wcp_writer_kernel(struct wcp_writer *w, const struct wcp_kernel *kernel, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	int s = stream_registry_add_kernel(&w->known, kernel, NULL, WCP_EUSAGE, e);
	if (s < 0)
		return s;
	flush(w);
	w->totals.kernels++;
	struct job *j = acquire(w, BLOCK_KERNEL);
	return send(w, j, stream_kernel_encode(kernel, &w->codec[0].block, &j->raw, e), e);
}

int
wcp_writer_kernel_end(struct wcp_writer *w, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	if (!stream_registry_kernel(&w->known, end->kernel))
		return wcp_fail(
		    e, WCP_EUSAGE, "end of kernel %u, which has not begun", end->kernel);
	flush(w);
	struct job *j = acquire(w, BLOCK_KERNEL_END);
	return send(w, j, stream_kernel_end_encode(end, &w->codec[0].block, &j->raw, e), e);
}

int
wcp_writer_host(struct wcp_writer *w, const struct wcp_host_op *op, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	if ((unsigned)op->kind >= WCP_HOST_COUNT)
		return wcp_fail(e, WCP_EUSAGE, "no such host operation");
	flush(w);
	struct job *j = acquire(w, BLOCK_HOST);
	return send(w, j, stream_host_encode(op, &w->codec[0].block, &j->raw, e), e);
}

int
wcp_writer_state(
    struct wcp_writer *w, const struct wcp_state *state, uint32_t n, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	if (w->link != WCP_LINK_ACCESS)
		return wcp_fail(e, WCP_EUSAGE, "states belong into an ACCESS stream");
	flush(w);
	for (uint32_t at = 0, m; w->status == 0 && at < n; at += m) {
		m = n - at < BLOCK_RECORDS ? n - at : BLOCK_RECORDS;
		struct job *j = acquire(w, BLOCK_STATE);
		j->info = (struct wcp_block_info){
		    WCP_ITEM_STATE, WCP_NONE32, state[at].cycle, state[at + m - 1].cycle, m};
		send(w, j, stream_state_encode(state + at, m, &w->codec[0].block, &j->raw, e), e);
	}
	return report(w, e);
}

/* ---- data ---------------------------------------------------------------------------------- */

static uint64_t
seg_weight(const struct wcp_warp_batch *b, uint32_t i)
{
	bool last = i + 1 == b->n_seg;
	uint32_t runs = (last ? b->n_run : b->seg_run[i + 1]) - b->seg_run[i];
	uint32_t mem = b->seg_mem[i], mem_end = last ? b->n_mem : b->seg_mem[i + 1];
	uint64_t addrs = 0;
	for (uint32_t m = mem; m < mem_end; m++)
		if (b->mem_shape[m] == WCP_MEM_LIST)
			addrs += (uint32_t)__builtin_popcount(b->mem_mask[m]);
	return 1 + (uint64_t)runs + (mem_end - mem) + addrs / ADDRS_A_RECORD;
}

static void
truncate_batch(struct wcp_warp_batch *b, uint32_t segs)
{
	uint32_t mem = b->seg_mem[segs];
	for (uint32_t m = mem; m < b->n_mem; m++)
		if (b->mem_shape[m] == WCP_MEM_LIST) {
			b->n_addr = b->mem_addr[m];
			break;
		}
	b->n_seg = segs;
	b->n_run = b->seg_run[segs];
	b->n_guard = b->seg_guard[segs];
	b->n_mem = mem;
	b->n_event = b->seg_event[segs];
}

static int
open_warp(struct wcp_writer *w, uint32_t kernel, const struct marks *marks)
{
	w->open = acquire(w, BLOCK_WARP);
	w->open->warp.kernel = kernel;
	w->open->marks = marks;
	return w->status;
}

/* The CTA at the end of the block has outgrown it: it moves to a block of its own. */
static int
move_tail(struct wcp_writer *w)
{
	struct job *full = w->open;
	uint32_t tail = w->tail, segs = full->warp.n_seg - tail;
	uint64_t weight = w->tail_weight;
	struct wcp_warp_batch rest;
	wcp_warp_batch_init(&rest);
	rest.kernel = full->warp.kernel;
	int s = wcp_warp_batch_append(&rest, &full->warp, tail, segs);
	const struct marks *marks = full->marks;
	if (s == 0) {
		truncate_batch(&full->warp, tail);
		flush(w);
		s = open_warp(w, rest.kernel, marks);
	}
	if (s == 0)
		s = wcp_warp_batch_append(&w->open->warp, &rest, 0, segs);
	w->weight = w->tail_weight = weight;
	wcp_warp_batch_release(&rest);
	return s;
}

/* Takes segment i of the batch into the open block, and closes the block if it is full. A block
 * holds whole CTAs, or a part of one. */
static int
take_segment(struct wcp_writer *w, const struct wcp_warp_batch *batch, uint32_t i)
{
	struct wcp_warp_batch *open = &w->open->warp;
	uint64_t weight = seg_weight(batch, i);
	if (!open->n_seg || open->seg_cta[open->n_seg - 1] != batch->seg_cta[i]) {
		if (w->weight >= BLOCK_RECORDS) {
			struct job *full = w->open;
			uint32_t kernel = open->kernel;
			flush(w);
			if (open_warp(w, kernel, full->marks) < 0)
				return w->status;
			open = &w->open->warp;
		}
		w->tail = open->n_seg;
		w->tail_weight = 0;
	}
	if (wcp_warp_batch_append(open, batch, i, 1) < 0)
		return WCP_ESYS;
	w->weight += weight;
	w->tail_weight += weight;
	if (w->weight < BLOCK_RECORDS)
		return 0;
	if (!w->tail || batch->seg_flags[i] & WCP_SEG_CTA_END) {
		const struct marks *marks = w->open->marks;
		flush(w);
		return open_warp(w, batch->kernel, marks);
	}
	return move_tail(w);
}

static int
check_batch(struct wcp_writer *w, const struct wcp_warp_batch *batch, struct known_kernel **k,
    struct wcp_error *e)
{
	*k = stream_registry_kernel(&w->known, batch->kernel);
	if (w->link != WCP_LINK_WARP)
		return wcp_fail(e, WCP_EUSAGE, "WARP records do not belong into an ACCESS stream");
	if (!*k || !(*k)->program)
		return wcp_fail(e, WCP_EUSAGE,
		    "records of kernel %u, whose program was not written", batch->kernel);
	for (uint32_t i = 0; i < batch->n_seg; i++)
		if (batch->seg_cta[i] >= (*k)->ctas || batch->seg_warp[i] >= (*k)->warps)
			return wcp_fail(e, WCP_EUSAGE, "kernel %u has no CTA %u with a warp %u",
			    batch->kernel, batch->seg_cta[i], batch->seg_warp[i]);
	return 0;
}

int
wcp_writer_warp(struct wcp_writer *w, const struct wcp_warp_batch *batch, struct wcp_error *e)
{
	struct wcp_error local;
	struct known_kernel *k;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	int s = check_batch(w, batch, &k, e);
	if (s < 0)
		return s;
	if (w->open && w->open->warp.kernel != batch->kernel)
		flush(w);
	if (!w->open)
		s = open_warp(w, batch->kernel, &k->program->marks);
	for (uint32_t i = 0; s == 0 && i < batch->n_seg; i++)
		s = take_segment(w, batch, i);
	if (s < 0 && w->status == 0)
		fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
	return report(w, e);
}

static bool
kernels_known(const struct wcp_writer *w, const struct wcp_access_batch *batch)
{
	uint32_t known = stream_registry_kernels(&w->known);
	bool all = true;
	for (uint32_t i = 0; batch->kernel && i < batch->n; i++)
		all &= batch->kernel[i] < known || batch->kernel[i] == WCP_NONE32;
	return all;
}

int
wcp_writer_access(struct wcp_writer *w, const struct wcp_access_batch *batch, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (report(w, e) < 0)
		return w->status;
	if (w->link != WCP_LINK_ACCESS)
		return wcp_fail(e, WCP_EUSAGE, "ACCESS records do not belong into a WARP stream");
	if (!kernels_known(w, batch))
		return wcp_fail(e, WCP_EUSAGE, "records of a kernel that was not written");
	for (uint32_t at = 0; w->status == 0 && at < batch->n;) {
		if (!w->open)
			w->open = acquire(w, BLOCK_ACCESS);
		uint32_t room = BLOCK_RECORDS - w->open->access.n, left = batch->n - at;
		uint32_t n = left < room ? left : room;
		if (wcp_access_batch_append(&w->open->access, batch, at, n) < 0)
			fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		at += n;
		if (w->open->access.n == BLOCK_RECORDS)
			flush(w);
	}
	return report(w, e);
}

/* ---- closing ------------------------------------------------------------------------------- */

static int
put_index(struct wcp_writer *w, uint64_t *blocks, struct wcp_error *e)
{
	/* the index has n entries before any of its own blocks is noted: those are no data blocks
	 */
	for (uint32_t at = 0, m; w->status == 0 && at < w->n_index; at += m, ++*blocks) {
		m = w->n_index - at < BLOCK_RECORDS ? w->n_index - at : BLOCK_RECORDS;
		struct job *j = acquire(w, BLOCK_INDEX);
		send(
		    w, j, stream_index_encode(w->index + at, m, &w->codec[0].block, &j->raw, e), e);
	}
	return report(w, e);
}

/* zstd's seekable format: a skippable frame with the sizes of all frames before it. */
static int
put_seek_table(struct wcp_writer *w, struct wcp_error *e)
{
	struct buf b = {0};
	size_t n = (size_t)w->n_frame * SEEK_ENTRY_BYTES + SEEK_FOOTER_BYTES;
	uint8_t *p = buf_extend(&b, 8 + n);
	if (!p)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	put_le(p, SEEK_TABLE_MAGIC, 4);
	put_le(p + 4, n, 4);
	p += 8;
	for (uint32_t i = 0; i < w->n_frame; i++, p += SEEK_ENTRY_BYTES) {
		put_le(p, w->frame[i].packed, 4);
		put_le(p + 4, w->frame[i].raw, 4);
	}
	put_le(p, w->n_frame, 4);
	p[4] = 0;
	put_le(p + 5, SEEK_FOOTER_MAGIC, 4);
	int s = stream_output_write(&w->out, b.data, b.n, e);
	buf_release(&b);
	return s;
}

static int
finish(struct wcp_writer *w, uint32_t flags, struct wcp_error *e)
{
	uint64_t index_blocks = 0;
	flush(w);
	drain(w);
	if (report(w, e) < 0 || put_index(w, &index_blocks, e) < 0)
		return w->status;
	w->totals.flags = flags;
	struct job *j = acquire(w, BLOCK_END);
	int s = stream_end_encode(&w->totals, index_blocks, &w->codec[0].block, &j->raw, e);
	if (send(w, j, s, e) < 0)
		return w->status;
	drain(w);
	if (report(w, e) < 0)
		return w->status;
	return w->level && w->out.regular ? put_seek_table(w, e) : 0;
}

int
wcp_writer_close(struct wcp_writer *w, uint32_t flags, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	int s = finish(w, flags, e);
	if (s < 0)
		stream_output_abort(&w->out);
	else
		s = stream_output_close(&w->out, e);
	writer_free(w);
	return s;
}

void
wcp_writer_abort(struct wcp_writer *w)
{
	if (!w)
		return;
	stream_output_abort(&w->out);
	writer_free(w);
}

uint64_t
wcp_writer_bytes(const struct wcp_writer *w)
{
	return w->out.bytes;
}

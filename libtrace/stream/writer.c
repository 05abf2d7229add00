#include <stdio.h>
#include <stdlib.h>
#include "stream/access_codec.h"
#include "stream/writer.h"

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
encode_warp(struct job *j, struct codec *c, struct buf *out, struct block_note *note)
{
	struct wcp_block_info *info = &note->info;
	*info = (struct wcp_block_info){
	    WCP_ITEM_WARP, j->warp.kernel, UINT32_MAX, 0, (uint64_t)j->warp.n_run + j->warp.n_mem};
	for (uint32_t i = 0; i < j->warp.n_seg; i++) {
		uint32_t cta = j->warp.seg_cta[i];
		info->lo = cta < info->lo ? cta : info->lo;
		info->hi = cta > info->hi ? cta : info->hi;
	}
	return stream_warp_encode(
	    c->warp, &j->warp, j->marks, &c->block, out, &note->totals, &j->error);
}

static int
encode_access(struct job *j, struct codec *c, struct buf *out, struct block_note *note)
{
	struct access_head h;
	int s = stream_access_encode(&j->access, &c->block, out, &h, &j->error);
	note->info = (struct wcp_block_info){
	    WCP_ITEM_ACCESS, h.kernel, h.first_cycle, h.last_cycle, j->access.n};
	return s;
}

/* The data block that a job holds. */
static int
encode(struct job *j, struct codec *c, struct buf *out, struct block_note *note)
{
	return note->type == BLOCK_WARP ? encode_warp(j, c, out, note)
					: encode_access(j, c, out, note);
}

static void
run_job(struct pool_task *t, unsigned worker)
{
	struct job *j = (struct job *)(void *)t;
	struct codec *c = &j->w->codec[j->w->pool ? worker + 1 : 0]; /* 0 is the caller's own */
	if (j->data)
		j->status = encode(j, c, &j->raw, &j->note[0]);
	if (j->status == 0)
		j->status = pack(j, c);
}

/* ---- the ring ------------------------------------------------------------------------------ */

int
stream_writer_fail(struct wcp_writer *w, const struct wcp_error *why, int status)
{
	if (w->status == 0) {
		w->status = status;
		if (why != &w->error)
			w->error = *why;
	}
	return w->status;
}

int
stream_writer_report(const struct wcp_writer *w, struct wcp_error *e)
{
	if (w->status < 0)
		*e = w->error;
	return w->status;
}

static void
note_frame(struct wcp_writer *w, size_t packed, size_t raw)
{
	w->frames++;
	if (!w->level)
		return;
	if (base_grow(&w->frame, &w->frame_cap, (uint64_t)w->n_frame + 1, sizeof *w->frame) < 0) {
		stream_writer_fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		return;
	}
	w->frame[w->n_frame++] = (struct frame_size){(uint32_t)packed, (uint32_t)raw};
}

/* The index leads to a block that has a frame for itself. */
static void
note_data(struct wcp_writer *w, const struct block_note *n, bool alone)
{
	if (base_grow(&w->index, &w->index_cap, (uint64_t)w->n_index + 1, sizeof *w->index) < 0) {
		stream_writer_fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		return;
	}
	w->index[w->n_index++] =
	    (struct index_entry){w->blocks, alone ? w->frames : WCP_NONE32, n->info};
	w->totals.blocks++;
	if (n->type == BLOCK_STATE)
		return;
	w->totals.records += n->info.records;
	if (n->type == BLOCK_ACCESS) {
		w->totals.accesses += n->info.records;
		return;
	}
	w->totals.warp_insns += n->totals.warp_insns;
	w->totals.thread_insns += n->totals.thread_insns;
	w->totals.mem_insns += n->totals.mem_insns;
	w->totals.ctas += n->totals.ctas;
}

static void
note_blocks(struct wcp_writer *w, const struct job *j)
{
	for (uint32_t i = 0; i < j->n_note; i++) {
		const enum block_type type = j->note[i].type;
		if (type == BLOCK_WARP || type == BLOCK_ACCESS || type == BLOCK_STATE)
			note_data(w, &j->note[i], j->n_note == 1);
		w->blocks++;
	}
}

/* Takes the oldest job off the ring and writes it. */
static void
retire(struct wcp_writer *w)
{
	struct job *j = w->ring[w->head];
	pool_wait(w->pool, &j->task);
	w->head = (w->head + 1) % w->jobs;
	w->in_flight--;
	if (j->status < 0)
		stream_writer_fail(w, &j->error, j->status);
	if (w->status < 0)
		return;
	const struct buf *b = w->level ? &j->packed : &j->raw;
	int s = stream_output_write(&w->out, b->data, b->n, &w->error);
	if (s < 0)
		stream_writer_fail(w, &w->error, s);
	note_blocks(w, j);
	note_frame(w, b->n, j->raw.n);
}

static void
job_clear(struct job *j)
{
	j->data = false;
	j->status = 0;
	j->n_note = 0;
	buf_clear(&j->raw);
	wcp_warp_batch_clear(&j->warp);
	wcp_access_batch_clear(&j->access);
}

/* The job goes into the ring, an empty one takes its place; may wait for older ones. */
static void
submit(struct wcp_writer *w, struct job **from)
{
	struct job *j = *from;
	while (w->in_flight && pool_done(w->pool, &w->ring[w->head]->task))
		retire(w);
	if (w->in_flight == w->jobs - 1)
		retire(w);
	struct job **to = &w->ring[(w->head + w->in_flight) % w->jobs];
	*from = *to;
	*to = j;
	job_clear(*from);
	w->in_flight++;
	pool_submit(w->pool, &j->task);
}

static void
submit_shared(struct wcp_writer *w)
{
	if (w->shared->n_note)
		submit(w, &w->shared);
}

static void
drain(struct wcp_writer *w)
{
	submit_shared(w);
	while (w->in_flight)
		retire(w);
}

static struct block_note *
note_new(struct wcp_writer *w, struct job *j, enum block_type type)
{
	if (base_grow(&j->note, &j->note_cap, (uint64_t)j->n_note + 1, sizeof *j->note) < 0) {
		stream_writer_fail(w, &w->error, wcp_fail(&w->error, WCP_ESYS, "out of memory"));
		return NULL;
	}
	j->note[j->n_note] = (struct block_note){.type = type};
	return &j->note[j->n_note++];
}

struct job *
stream_writer_begin(struct wcp_writer *w, enum block_type type)
{
	struct job *j = w->data;
	job_clear(j);
	j->data = true;
	return w->open = note_new(w, j, type) ? j : NULL;
}

/* A small data block joins those that share a frame. */
static void
share(struct wcp_writer *w, struct job *j)
{
	struct block_note *note = note_new(w, w->shared, j->note[0].type);
	const int s = note ? encode(j, &w->codec[0], &w->shared->raw, note) : 0;
	if (s < 0)
		stream_writer_fail(w, &j->error, s);
	if (w->shared->raw.n >= SHARED_BYTES)
		submit_shared(w);
}

void
stream_writer_flush(struct wcp_writer *w)
{
	struct job *j = w->open;
	const bool small = j && w->weight + j->access.n < SMALL_RECORDS;
	w->open = NULL;
	w->weight = w->tail_weight = 0;
	w->tail = 0;
	if (!j || w->status < 0 || !(j->warp.n_seg || j->access.n))
		return;
	if (small) {
		share(w, j);
		return;
	}
	submit_shared(w);
	submit(w, &w->data);
}

/* Where a block that the caller's thread encodes goes; what was open before it is closed. */
static struct buf *
begin_shared(struct wcp_writer *w, enum block_type type)
{
	stream_writer_flush(w);
	return note_new(w, w->shared, type) ? &w->shared->raw : NULL;
}

/* The block is there if s, what encoding it has answered, is not negative. */
static int
end_shared(struct wcp_writer *w, int s, struct wcp_error *e)
{
	if (s < 0)
		return e ? stream_writer_fail(w, e, s) : s;
	if (w->shared->raw.n >= SHARED_BYTES)
		submit_shared(w);
	return stream_writer_report(w, e);
}

int
wcp_writer_push(struct wcp_writer *w, struct wcp_error *e)
{
	struct wcp_error local;
	if (!w->out.regular)
		drain(w);
	return stream_writer_report(w, e ? e : &local);
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
	w->job = calloc(w->jobs + 2, sizeof *w->job);
	w->ring = calloc(w->jobs, sizeof(struct job *));
	if (!w->codec || !w->job || !w->ring)
		return WCP_ESYS;
	for (unsigned i = 0; i < w->jobs + 2; i++) {
		w->job[i].task.run = run_job;
		w->job[i].w = w;
		wcp_warp_batch_init(&w->job[i].warp);
	}
	for (unsigned i = 0; i < w->jobs; i++)
		w->ring[i] = &w->job[i];
	w->data = &w->job[w->jobs];
	w->shared = &w->job[w->jobs + 1];
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
	if (!w->level) {
		w->frames = 2; /* as they would be: the index is the same */
		return stream_output_write(&w->out, header, sizeof header, &w->error);
	}
	struct job *j = w->data;
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
	struct buf *to = n ? begin_shared(w, BLOCK_PROVENANCE) : NULL;
	if (!to)
		return stream_writer_report(w, e);
	s = end_shared(w, stream_provenance_encode(line, n, &w->codec[0].block, to, e), e);
	/* a reader at the other end of a pipe waits for it when it opens */
	drain(w);
	return s < 0 ? s : stream_writer_report(w, e);
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
	for (unsigned i = 0; w->job && i < w->jobs + 2; i++) {
		wcp_warp_batch_release(&w->job[i].warp);
		wcp_access_batch_release(&w->job[i].access);
		buf_release(&w->job[i].raw);
		buf_release(&w->job[i].packed);
		free(w->job[i].note);
	}
	stream_registry_release(&w->known);
	free(w->codec);
	free(w->job);
	free(w->ring);
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
	if (stream_writer_report(w, e) < 0)
		return w->status;
	if (!stream_program_sound(program))
		return wcp_fail(e, WCP_EUSAGE, "program %u points outside itself", program->id);
	int s = stream_registry_add_program(&w->known, program, NULL, WCP_EUSAGE, e);
	if (s < 0)
		return s;
	struct buf *to = begin_shared(w, BLOCK_PROGRAM);
	if (!to)
		return stream_writer_report(w, e);
	return end_shared(w, stream_program_encode(program, &w->codec[0].block, to, e), e);
}

int
wcp_writer_kernel(struct wcp_writer *w, const struct wcp_kernel *kernel, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	int s = stream_registry_add_kernel(&w->known, kernel, NULL, WCP_EUSAGE, e);
	if (s < 0)
		return s;
	w->totals.kernels++;
	struct buf *to = begin_shared(w, BLOCK_KERNEL);
	if (!to)
		return stream_writer_report(w, e);
	return end_shared(w, stream_kernel_encode(kernel, &w->codec[0].block, to, e), e);
}

int
wcp_writer_kernel_end(struct wcp_writer *w, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	if (!stream_registry_kernel(&w->known, end->kernel))
		return wcp_fail(
		    e, WCP_EUSAGE, "end of kernel %u, which has not begun", end->kernel);
	struct buf *to = begin_shared(w, BLOCK_KERNEL_END);
	if (!to)
		return stream_writer_report(w, e);
	return end_shared(w, stream_kernel_end_encode(end, &w->codec[0].block, to, e), e);
}

int
wcp_writer_host(struct wcp_writer *w, const struct wcp_host_op *op, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	if ((unsigned)op->kind >= WCP_HOST_COUNT)
		return wcp_fail(e, WCP_EUSAGE, "no such host operation");
	struct buf *to = begin_shared(w, BLOCK_HOST);
	if (!to)
		return stream_writer_report(w, e);
	return end_shared(w, stream_host_encode(op, &w->codec[0].block, to, e), e);
}

int
wcp_writer_state(
    struct wcp_writer *w, const struct wcp_state *state, uint32_t n, struct wcp_error *e)
{
	struct wcp_error local;
	e = e ? e : &local;
	if (stream_writer_report(w, e) < 0)
		return w->status;
	if (w->link != WCP_LINK_ACCESS)
		return wcp_fail(e, WCP_EUSAGE, "states belong into an ACCESS stream");
	for (uint32_t at = 0, m; w->status == 0 && at < n; at += m) {
		m = n - at < BLOCK_RECORDS ? n - at : BLOCK_RECORDS;
		struct buf *to = begin_shared(w, BLOCK_STATE);
		if (!to)
			break;
		w->shared->note[w->shared->n_note - 1].info = (struct wcp_block_info){
		    WCP_ITEM_STATE, WCP_NONE32, state[at].cycle, state[at + m - 1].cycle, m};
		end_shared(w, stream_state_encode(state + at, m, &w->codec[0].block, to, e), e);
	}
	return stream_writer_report(w, e);
}

/* ---- closing ------------------------------------------------------------------------------- */

static int
put_index(struct wcp_writer *w, uint64_t *blocks, struct wcp_error *e)
{
	/* the index has n entries before any of its own blocks is noted: those are no data blocks
	 */
	for (uint32_t at = 0, m; w->status == 0 && at < w->n_index; at += m, ++*blocks) {
		m = w->n_index - at < BLOCK_RECORDS ? w->n_index - at : BLOCK_RECORDS;
		struct buf *to = begin_shared(w, BLOCK_INDEX);
		if (!to)
			break;
		end_shared(w, stream_index_encode(w->index + at, m, &w->codec[0].block, to, e), e);
		submit_shared(w); /* a reader looks for it in a frame of its own */
	}
	return stream_writer_report(w, e);
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
	stream_writer_flush(w);
	drain(w);
	if (stream_writer_report(w, e) < 0 || put_index(w, &index_blocks, e) < 0)
		return w->status;
	w->totals.flags = flags;
	struct buf *to = begin_shared(w, BLOCK_END);
	if (!to)
		return stream_writer_report(w, e);
	int s = stream_end_encode(&w->totals, index_blocks, &w->codec[0].block, to, e);
	if (end_shared(w, s, e) < 0)
		return w->status;
	drain(w);
	if (stream_writer_report(w, e) < 0)
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

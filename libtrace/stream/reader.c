#include <stdlib.h>
#include <zstd.h>
#include <xxhash.h>
#include <zstd_errors.h>
#include "base/pool.h"
#include "stream/access_codec.h"
#include "stream/fetch.h"
#include "stream/meta.h"
#include "stream/registry.h"
#include "stream/warp.h"

/*
 * A block passes four stages, all but the second and third in the order of the input:
 *   fetched     by the caller's thread
 *   unpacked    by any thread: decompressed or its checksum verified, directory read
 *   classified  by the caller's thread: programs and kernels are registered, a data block learns
 * what it needs of them, want() is asked decoded     by any thread, data blocks only and is then
 * delivered.
 */
enum stage { STAGE_UNPACKING, STAGE_UNPACKED, STAGE_DECODING, STAGE_READY };

struct job {
	struct pool_task task; /* first: a task is cast to its job */
	struct wcp_reader *r;
	enum stage stage;
	bool part, skip;    /* part: not a block but the beginning of a stream */
	bool wanted;	    /* want() was asked before it was read */
	enum wcp_link link; /* of a part */
	bool packed, swap;
	uint64_t number, offset;
	struct buf bytes, unpacked;
	const uint8_t *payload;
	struct block_in in;
	int status;
	struct wcp_error error;
	/* what classification found */
	struct known_program *program;
	struct known_kernel *kernel;
	uint32_t kernel_base, kernels; /* ids of this part begin at; ids are below */
	void *owned;		       /* host operation, provenance text */
	size_t lines;
	struct wcp_kernel_end kernel_end;
	struct wcp_totals end;
	/* decoded data */
	struct wcp_warp_batch warp;
	struct warp_totals warp_totals;
	struct wcp_access_batch access;
	struct wcp_state *state;
	uint32_t state_cap;
};

struct codec {
	struct warp_decoder *warp;
	ZSTD_DCtx *zstd;
};

/* A data block that the index of a file tells of. */
struct indexed {
	uint64_t offset, bytes;
	struct wcp_block_info info;
};

struct wcp_reader {
	struct fetch fetch;
	struct wcp_read_options options;
	enum wcp_link link;
	struct pool *pool;
	struct codec *codec; /* [codecs] */
	unsigned codecs;
	struct job *job; /* ring [jobs] */
	unsigned jobs, head, in_flight, classified;
	bool delivered;	 /* the job at the head was handed out and is to be recycled */
	bool ended;	 /* nothing more will be fetched */
	bool part_open;	 /* between a file header and its END, as classified */
	uint64_t blocks; /* fetched */
	struct registry known;
	uint32_t kernel_base, program_base;
	uint32_t seen_kernels, seen_programs; /* delivered */
	char **text;			      /* provenance as read, [n_text] */
	uint32_t n_text, text_cap;
	const char **line; /* [n_line] */
	uint32_t n_line, line_cap;
	struct indexed *index;
	uint32_t n_index, index_cap, index_at;
	struct wcp_totals read, told, sum; /* of this part as read; as its END says; of all parts */
	bool skipped, end_seen, end_delivered;
	int status;
	struct wcp_error error;
};

/* ---- unpacking and decoding, in any thread ------------------------------------------------- */

static int
fail_block(struct job *j, enum wcp_status status, const char *why)
{
	j->status = wcp_fail(&j->error, status, "block %llu at byte %llu: %s",
	    (unsigned long long)j->number, (unsigned long long)j->offset, why);
	j->error.offset = j->offset;
	return j->status;
}

static int
decompress(struct job *j, struct codec *c)
{
	unsigned long long n = ZSTD_getFrameContentSize(j->bytes.data, j->bytes.n);
	if (n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR)
		return fail_block(j, WCP_EDATA, "a zstd frame without content size");
	if (n < STREAM_BLOCK_BYTES || n > STREAM_PAYLOAD_MAX + STREAM_BLOCK_BYTES)
		return fail_block(j, WCP_EDATA, "a zstd frame that is not one block");
	buf_clear(&j->unpacked);
	uint8_t *p = buf_extend(&j->unpacked, (size_t)n);
	if (!p)
		return fail_block(j, WCP_ESYS, "out of memory");
	size_t got = ZSTD_decompressDCtx(c->zstd, p, (size_t)n, j->bytes.data, j->bytes.n);
	if (ZSTD_isError(got)) {
		bool sum = ZSTD_getErrorCode(got) == ZSTD_error_checksum_wrong;
		return fail_block(j, WCP_EDATA, sum ? "checksum mismatch" : "damaged");
	}
	return got == n ? 0 : fail_block(j, WCP_EDATA, "damaged");
}

static int
unpack(struct job *j, struct codec *c)
{
	const struct buf *b = j->packed ? &j->unpacked : &j->bytes;
	if (j->packed && decompress(j, c) < 0)
		return j->status;
	stream_block_header(&j->in, b->data, j->swap);
	if (j->in.payload_bytes != b->n - STREAM_BLOCK_BYTES)
		return fail_block(j, WCP_EDATA, "a zstd frame that is not one block");
	j->payload = b->data + STREAM_BLOCK_BYTES;
	if (!j->packed && (uint32_t)XXH64(j->payload, j->in.payload_bytes, 0) != j->in.checksum)
		return fail_block(j, WCP_EDATA, "checksum mismatch");
	struct wcp_error why;
	if (stream_block_directory(&j->in, j->payload, j->swap, &why) < 0)
		return fail_block(j, why.status, why.text);
	return 0;
}

static int
decode_warp(struct job *j, struct codec *c, struct wcp_error *why)
{
	struct wcp_warp_batch *b = &j->warp;
	const struct known_kernel *k = j->kernel;
	int s = stream_warp_decode(c->warp, &j->in, &j->program->marks, b, &j->warp_totals, why);
	if (s < 0)
		return s;
	b->kernel = k->id;
	for (uint32_t i = 0; i < b->n_seg; i++)
		if (b->seg_cta[i] >= k->ctas || b->seg_warp[i] >= k->warps)
			return wcp_fail(why, WCP_EDATA, "kernel %u has no CTA %u with a warp %u",
			    k->id, b->seg_cta[i], b->seg_warp[i]);
	for (uint32_t i = 0; i < b->n_event; i++)
		if (b->event_kind[i] == WCP_EVENT_LAUNCH)
			b->event_arg[i] += j->kernel_base;
	return 0;
}

/* Renumbers kernel ids for concatenation; true if all of them are known. */
static bool
rebase(uint32_t *id, uint32_t n, uint32_t base, uint32_t kernels)
{
	bool known = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = id[i] == WCP_NONE32 ? id[i] : id[i] + base;
		known &= to < kernels || to == WCP_NONE32;
		id[i] = to;
	}
	return known;
}

static int
decode_access(struct job *j, struct wcp_error *why)
{
	uint32_t columns =
	    j->r->options.columns ? j->r->options.columns & WCP_COLS_ALL : WCP_COLS_ALL;
	int s = stream_access_decode(&j->in, columns, &j->access, why);
	if (s < 0)
		return s;
	if (j->access.kernel && !rebase(j->access.kernel, j->access.n, j->kernel_base, j->kernels))
		return wcp_fail(why, WCP_EDATA, "ACCESS block of a kernel that has not begun");
	return 0;
}

static int
decode_state(struct job *j, struct wcp_error *why)
{
	int s = stream_state_decode(&j->in, &j->state, &j->state_cap, why);
	for (uint32_t i = 0; s == 0 && i < j->in.records; i++)
		if (!rebase(&j->state[i].kernel, 1, j->kernel_base, j->kernels))
			return wcp_fail(
			    why, WCP_EDATA, "STATE block of a kernel that has not begun");
	return s;
}

static void
run_job(struct pool_task *t, unsigned worker)
{
	struct job *j = (struct job *)(void *)t;
	struct codec *c = &j->r->codec[worker];
	struct wcp_error why;
	int s = 0;
	if (j->stage == STAGE_UNPACKING) {
		unpack(j, c);
		return;
	}
	if (j->in.type == BLOCK_WARP)
		s = decode_warp(j, c, &why);
	else if (j->in.type == BLOCK_ACCESS)
		s = decode_access(j, &why);
	else
		s = decode_state(j, &why);
	if (s < 0)
		fail_block(j, why.status, why.text);
}

/* ---- classification ------------------------------------------------------------------------ */

static bool
is_data(const struct job *j)
{
	return !j->part && j->status == 0 &&
	       (j->in.type == BLOCK_WARP || j->in.type == BLOCK_ACCESS ||
		   j->in.type == BLOCK_STATE);
}

static int
classify_program(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	struct wcp_program *p = stream_program_decode(&j->in, why);
	if (!p)
		return why->status;
	if (p->id == WCP_NONE32 || p->id >= STREAM_ID_MAX - r->program_base) {
		free(p);
		return wcp_fail(why, WCP_EDATA, "program numbered too high");
	}
	p->id += r->program_base;
	int s = stream_registry_add_program(&r->known, p, p, WCP_EDATA, why);
	if (s < 0)
		free(p);
	else
		j->program = stream_registry_program(&r->known, p->id);
	return s;
}

static int
classify_kernel(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	struct wcp_kernel *k = stream_kernel_decode(&j->in, why);
	if (!k)
		return why->status;
	int s = 0;
	if (k->id >= STREAM_ID_MAX - r->kernel_base)
		s = wcp_fail(why, WCP_EDATA, "kernel numbered too high");
	k->id += r->kernel_base;
	if (k->program != WCP_NONE32)
		k->program += r->program_base;
	if (k->parent != WCP_NONE32)
		k->parent += r->kernel_base;
	if (s == 0)
		s = stream_registry_add_kernel(&r->known, k, k, WCP_EDATA, why);
	if (s < 0)
		free(k);
	else
		j->kernel = stream_registry_kernel(&r->known, k->id);
	return s;
}

static int
classify_kernel_end(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	int s = stream_kernel_end_decode(&j->in, &j->kernel_end, why);
	j->kernel_end.kernel += r->kernel_base;
	if (s == 0 && !stream_registry_kernel(&r->known, j->kernel_end.kernel))
		return wcp_fail(why, WCP_EDATA, "end of a kernel that has not begun");
	return s;
}

/* What a data block says of itself, and the kernel it belongs to. */
static int
classify_data(
    struct wcp_reader *r, struct job *j, struct wcp_block_info *info, struct wcp_error *why)
{
	struct warp_head w;
	struct access_head a;
	bool warp = j->in.type == BLOCK_WARP;
	int s = 0;
	j->kernel_base = r->kernel_base;
	j->kernels = stream_registry_kernels(&r->known);
	if (warp != (r->link == WCP_LINK_WARP))
		return wcp_fail(why, WCP_EDATA, "a block of the other stream kind");
	if (j->in.type == BLOCK_STATE)
		return 0;
	s = warp ? stream_warp_head(&j->in, &w, why) : stream_access_head(&j->in, &a, why);
	if (s < 0)
		return s;
	if (!warp) {
		*info = (struct wcp_block_info){
		    WCP_ITEM_ACCESS, a.kernel, a.first_cycle, a.last_cycle, j->in.records};
		rebase(&info->kernel, 1, r->kernel_base, 0);
		return 0;
	}
	*info = (struct wcp_block_info){
	    WCP_ITEM_WARP, w.kernel + r->kernel_base, w.first_cta, w.last_cta, j->in.records};
	j->kernel = stream_registry_kernel(&r->known, info->kernel);
	j->program = j->kernel ? j->kernel->program : NULL;
	return j->program ? 0
			  : wcp_fail(why, WCP_EDATA, "records of kernel %u, which has no program",
				info->kernel);
}

static int
classify_part(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	j->skip = true;
	if (r->part_open)
		return wcp_fail(
		    why, WCP_EDATA, "truncated: another stream begins before the END block");
	if (j->link != r->link)
		return wcp_fail(why, WCP_EDATA, "a stream of the other kind follows");
	r->part_open = true;
	r->kernel_base = stream_registry_kernels(&r->known);
	r->program_base = stream_registry_programs(&r->known);
	return 0;
}

static int
classify_other(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	uint64_t index_blocks;
	int s = 0;
	switch (j->in.type) {
	case BLOCK_PROGRAM: return classify_program(r, j, why);
	case BLOCK_KERNEL: return classify_kernel(r, j, why);
	case BLOCK_KERNEL_END: return classify_kernel_end(r, j, why);
	case BLOCK_HOST:
		j->owned = stream_host_decode(&j->in, why);
		return j->owned ? 0 : why->status;
	case BLOCK_PROVENANCE: {
		char *text = NULL;
		s = stream_provenance_decode(&j->in, &text, &j->lines, why);
		j->owned = text;
		return s;
	}
	case BLOCK_END:
		r->part_open = false;
		return stream_end_decode(&j->in, &j->end, &index_blocks, why);
	case BLOCK_INDEX: j->skip = true; return 0;
	default: /* from a later version */
		j->skip = true;
		r->skipped = true;
		return 0;
	}
}

/* Has everything before ring position n that want() may depend on been delivered? */
static bool
only_data_before(const struct wcp_reader *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct job *j = &r->job[(r->head + i) % r->jobs];
		if (!j->wanted && (j->stage == STAGE_UNPACKING || !is_data(j)))
			return false;
	}
	return true;
}

static void
classified(struct wcp_reader *r, struct job *j, int s, const struct wcp_error *why)
{
	if (s < 0)
		fail_block(j, why->status, why->text);
	j->stage = STAGE_READY;
	r->classified++;
}

static void
classify_block(struct wcp_reader *r, struct job *j)
{
	struct wcp_block_info info = {0};
	struct wcp_error why;
	if (j->status == 0 && !r->part_open) {
		fail_block(j, WCP_EDATA, "a block after the END block");
		classified(r, j, 0, NULL);
		return;
	}
	if (!is_data(j)) {
		int s = j->status == 0 ? classify_other(r, j, &why) : 0;
		classified(r, j, s, &why);
		return;
	}
	int s = classify_data(r, j, &info, &why);
	bool ask = s == 0 && r->options.want && !j->wanted && j->in.type != BLOCK_STATE;
	j->skip = ask && !r->options.want(r->options.want_arg, &info);
	classified(r, j, s, &why);
	if (j->status == 0 && !j->skip) {
		j->stage = STAGE_DECODING;
		pool_submit(r->pool, &j->task);
	}
	r->skipped |= j->skip;
}

/* Classifies what can be, in order. */
static void
classify(struct wcp_reader *r)
{
	while (r->classified < r->in_flight) {
		struct job *j = &r->job[(r->head + r->classified) % r->jobs];
		struct wcp_error why;
		if (j->part) {
			int s = classify_part(r, j, &why);
			classified(r, j, s, &why);
			continue;
		}
		if (j->stage == STAGE_UNPACKING) {
			if (!pool_done(r->pool, &j->task))
				return;
			j->stage = STAGE_UNPACKED;
		}
		if (is_data(j) && r->options.want && !j->wanted &&
		    !only_data_before(r, r->classified))
			return;
		classify_block(r, j);
	}
}

/* ---- fetching ------------------------------------------------------------------------------ */

/* Passes over blocks that nobody wants, by the index. INPUT_READY, or negative; *wanted: the next
 * block is in the index and was asked for. */
static int
skip_by_index(struct wcp_reader *r, bool *wanted, struct wcp_error *e)
{
	*wanted = false;
	while (r->index_at < r->n_index) {
		const struct indexed *x = &r->index[r->index_at];
		if (x->offset < r->fetch.in.offset) {
			r->index_at++;
			continue;
		}
		if (x->offset > r->fetch.in.offset)
			return INPUT_READY;
		struct wcp_block_info info = x->info;
		rebase(&info.kernel, 1, r->kernel_base, 0);
		r->index_at++;
		*wanted = r->options.want(r->options.want_arg, &info);
		if (*wanted)
			return INPUT_READY;
		r->skipped = true;
		r->blocks++;
		int s = stream_input_seek(&r->fetch.in, x->offset + x->bytes, e);
		if (s < 0)
			return s;
	}
	return INPUT_READY;
}

static void
fetch_failed(struct wcp_reader *r, struct job *j, int s)
{
	j->status = s;
	j->error.offset = r->fetch.in.offset;
	j->stage = STAGE_READY;
	r->ended = true;
}

/* Fetches one block; false if none was there (yet). */
static bool
fetch_one(struct wcp_reader *r, bool wait)
{
	struct job *j = &r->job[(r->head + r->in_flight) % r->jobs];
	if (r->n_index && !only_data_before(r, r->in_flight))
		return false;
	*j = (struct job){.task = j->task,
	    .r = r,
	    .bytes = j->bytes,
	    .unpacked = j->unpacked,
	    .warp = j->warp,
	    .access = j->access,
	    .state = j->state,
	    .state_cap = j->state_cap};
	int s = INPUT_READY;
	if (r->n_index)
		s = skip_by_index(r, &j->wanted, &j->error);
	if (s >= 0)
		s = stream_fetch(&r->fetch, &j->bytes, wait, &j->error);
	if (s == FETCH_LATER)
		return false;
	if (s == FETCH_END) {
		r->ended = true;
		return false;
	}
	j->offset = r->fetch.offset;
	j->packed = r->fetch.packed;
	j->swap = r->fetch.swap;
	j->part = s == FETCH_PART;
	j->link = r->fetch.link;
	r->in_flight++;
	if (s < 0) {
		fetch_failed(r, j, s);
	} else if (s == FETCH_BLOCK) {
		j->number = r->blocks++;
		pool_submit(r->pool, &j->task);
	}
	return true;
}

/* Moves everything on as far as it goes without waiting; with wait, at least one block is fetched
 * if none is in flight. */
static void
pump(struct wcp_reader *r)
{
	classify(r);
	while (!r->ended && r->in_flight < r->jobs) {
		if (!fetch_one(r, r->in_flight == 0))
			break;
		classify(r);
	}
}

/* ---- opening ------------------------------------------------------------------------------- */

static int
start_threads(struct wcp_reader *r, unsigned threads)
{
	r->codecs = threads > 1 ? threads : 1;
	r->jobs = threads > 1 ? 2 * threads + 2 : 1;
	r->codec = calloc(r->codecs, sizeof *r->codec);
	r->job = calloc(r->jobs, sizeof *r->job);
	if (!r->codec || !r->job)
		return WCP_ESYS;
	for (unsigned i = 0; i < r->jobs; i++)
		r->job[i].task.run = run_job;
	for (unsigned i = 0; i < r->codecs; i++) {
		r->codec[i].warp = stream_warp_decoder_new();
		r->codec[i].zstd = ZSTD_createDCtx();
		if (!r->codec[i].warp || !r->codec[i].zstd)
			return WCP_ESYS;
	}
	if (threads > 1)
		r->pool = pool_new(threads);
	return 0;
}

static const char *
link_name(enum wcp_link link)
{
	return link == WCP_LINK_WARP ? "WARP" : "ACCESS";
}

static int
open_first(struct wcp_reader *r, struct wcp_error *e)
{
	struct buf none = {0};
	int s = stream_fetch(&r->fetch, &none, true, e);
	buf_release(&none);
	if (s < 0)
		return s;
	if (s != FETCH_PART)
		return wcp_fail(e, WCP_EDATA, "not a warpcap stream");
	r->link = r->fetch.link;
	r->part_open = true;
	if (r->options.link != WCP_LINK_ANY && r->options.link != r->link)
		return wcp_fail(e, WCP_EDATA, "this is an %s stream, where %s is needed",
		    r->link == WCP_LINK_WARP ? "WARP" : "ACCESS", link_name(r->options.link));
	return 0;
}

static int
keep_provenance(struct wcp_reader *r, struct job *j)
{
	if (base_grow(&r->text, &r->text_cap, (uint64_t)r->n_text + 1, sizeof *r->text) < 0 ||
	    base_grow(&r->line, &r->line_cap, r->n_line + j->lines, sizeof *r->line) < 0)
		return wcp_fail(&r->error, WCP_ESYS, "out of memory");
	const char *p = r->text[r->n_text++] = j->owned;
	j->owned = NULL;
	for (size_t i = 0; i < j->lines; i++, p += strlen(p) + 1)
		r->line[r->n_line++] = p;
	return 0;
}

static void
pop(struct wcp_reader *r)
{
	struct job *j = &r->job[r->head];
	free(j->owned);
	j->owned = NULL;
	r->head = (r->head + 1) % r->jobs;
	r->in_flight--;
	r->classified--;
	r->delivered = false;
}

/* The job at the head, ready; NULL at the end of the input. */
static struct job *
head(struct wcp_reader *r)
{
	for (;;) {
		pump(r);
		if (!r->in_flight)
			return NULL;
		struct job *j = &r->job[r->head];
		if (j->stage == STAGE_DECODING) {
			pool_wait(r->pool, &j->task);
			j->stage = STAGE_READY;
		}
		if (j->stage == STAGE_READY)
			return j;
		pool_wait(r->pool, &j->task);
	}
}

/* The command lines stand first; a tool hands them on before it reads anything else. */
static int
read_provenance(struct wcp_reader *r)
{
	struct job *j = head(r);
	if (!j || j->status < 0 || j->part || j->in.type != BLOCK_PROVENANCE)
		return 0;
	int s = keep_provenance(r, j);
	pop(r);
	return s;
}

struct wcp_reader *
wcp_reader_open(const char *path, const struct wcp_read_options *options, struct wcp_error *e)
{
	struct wcp_error local;
	struct wcp_reader *r = calloc(1, sizeof *r);
	e = e ? e : &local;
	if (!r) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	if (options)
		r->options = *options;
	int s = stream_input_open(&r->fetch.in, path, e);
	if (s == 0 && start_threads(r, r->options.threads) < 0)
		s = wcp_fail(e, WCP_ESYS, "out of memory");
	if (s == 0)
		s = open_first(r, e);
	if (s == 0) {
		s = read_provenance(r);
		if (s < 0)
			*e = r->error;
	}
	if (s < 0) {
		wcp_reader_close(r);
		return NULL;
	}
	return r;
}

void
wcp_reader_close(struct wcp_reader *r)
{
	if (!r)
		return;
	pool_free(r->pool);
	for (unsigned i = 0; r->job && i < r->jobs; i++) {
		struct job *j = &r->job[i];
		free(j->owned);
		free(j->state);
		buf_release(&j->bytes);
		buf_release(&j->unpacked);
		wcp_warp_batch_release(&j->warp);
		wcp_access_batch_release(&j->access);
	}
	for (unsigned i = 0; r->codec && i < r->codecs; i++) {
		stream_warp_decoder_free(r->codec[i].warp);
		ZSTD_freeDCtx(r->codec[i].zstd);
	}
	for (uint32_t i = 0; i < r->n_text; i++)
		free(r->text[i]);
	stream_registry_release(&r->known);
	stream_input_close(&r->fetch.in);
	free(r->text);
	free(r->line);
	free(r->index);
	free(r->codec);
	free(r->job);
	free(r);
}

/* ---- delivering ---------------------------------------------------------------------------- */

static void
count(struct wcp_reader *r, const struct job *j)
{
	struct wcp_totals *t = &r->read;
	t->blocks++;
	if (j->in.type != BLOCK_STATE)
		t->records += j->in.records;
	if (j->in.type == BLOCK_ACCESS)
		t->accesses += j->in.records;
	if (j->in.type != BLOCK_WARP)
		return;
	t->warp_insns += j->warp_totals.warp_insns;
	t->thread_insns += j->warp_totals.thread_insns;
	t->mem_insns += j->warp_totals.mem_insns;
	t->ctas += j->warp_totals.ctas;
}

static int
end_part(struct wcp_reader *r, struct job *j)
{
	struct wcp_totals *a = &r->read, *b = &j->end, *sum = &r->sum;
	bool same = a->blocks == b->blocks && a->records == b->records &&
		    a->kernels == b->kernels && a->warp_insns == b->warp_insns &&
		    a->thread_insns == b->thread_insns && a->mem_insns == b->mem_insns &&
		    a->ctas == b->ctas && a->accesses == b->accesses;
	if (!same && !r->skipped)
		return fail_block(
		    j, WCP_EDATA, "the END block's totals are not those of the stream");
	sum->blocks += b->blocks;
	sum->records += b->records;
	sum->kernels += b->kernels;
	sum->warp_insns += b->warp_insns;
	sum->thread_insns += b->thread_insns;
	sum->mem_insns += b->mem_insns;
	sum->ctas += b->ctas;
	sum->accesses += b->accesses;
	sum->flags |= b->flags;
	r->read = (struct wcp_totals){0};
	r->skipped = false;
	return 0;
}

static void
fill_data(struct job *j, struct wcp_item *item)
{
	count(j->r, j);
	if (j->in.type == BLOCK_WARP) {
		item->type = WCP_ITEM_WARP;
		item->warp = &j->warp;
	} else if (j->in.type == BLOCK_ACCESS) {
		item->type = WCP_ITEM_ACCESS;
		item->access = &j->access;
	} else {
		item->type = WCP_ITEM_STATE;
		item->state = j->state;
		item->n_state = j->in.records;
	}
}

static void
fill_kernel(struct wcp_reader *r, struct job *j, struct wcp_item *item)
{
	item->type = WCP_ITEM_KERNEL;
	item->kernel = j->kernel->kernel;
	if (item->kernel->id >= r->seen_kernels)
		r->seen_kernels = item->kernel->id + 1;
	r->read.kernels++;
}

static void
fill_program(struct wcp_reader *r, struct job *j, struct wcp_item *item)
{
	item->type = WCP_ITEM_PROGRAM;
	item->program = j->program->program;
	if (item->program->id >= r->seen_programs)
		r->seen_programs = item->program->id + 1;
}

/* 1: the item is filled; 0: the block is not for the caller. */
static int
deliver(struct wcp_reader *r, struct job *j, struct wcp_item *item)
{
	*item = (struct wcp_item){.block = j->number, .offset = j->offset};
	switch (j->in.type) {
	case BLOCK_PROGRAM: fill_program(r, j, item); return 1;
	case BLOCK_KERNEL: fill_kernel(r, j, item); return 1;
	case BLOCK_KERNEL_END:
		item->type = WCP_ITEM_KERNEL_END;
		item->kernel_end = &j->kernel_end;
		return 1;
	case BLOCK_HOST:
		item->type = WCP_ITEM_HOST;
		item->host = j->owned;
		return 1;
	case BLOCK_PROVENANCE: return keep_provenance(r, j);
	case BLOCK_END: return end_part(r, j);
	default: fill_data(j, item); return 1;
	}
}

static int
fail_reader(struct wcp_reader *r, const struct wcp_error *why, struct wcp_error *e)
{
	r->status = why->status;
	if (why != &r->error)
		r->error = *why;
	if (e)
		*e = r->error;
	return r->status;
}

/* The input has ended. */
static int
finish(struct wcp_reader *r, struct wcp_item *item, struct wcp_error *e)
{
	if (r->part_open) {
		wcp_fail(&r->error, WCP_EDATA,
		    "truncated: no END block; the input ends at byte %llu",
		    (unsigned long long)r->fetch.in.offset);
		r->error.offset = r->fetch.in.offset;
		return fail_reader(r, &r->error, e);
	}
	if (r->end_delivered)
		return 0;
	r->end_delivered = true;
	*item = (struct wcp_item){
	    .type = WCP_ITEM_END, .end = &r->sum, .block = r->blocks, .offset = r->fetch.in.offset};
	return 1;
}

int
wcp_reader_next(struct wcp_reader *r, struct wcp_item *item, struct wcp_error *e)
{
	if (r->status < 0)
		return fail_reader(r, &r->error, e);
	if (r->delivered)
		pop(r);
	for (;;) {
		struct job *j = head(r);
		if (!j)
			return finish(r, item, e);
		int s = j->status < 0 || j->skip ? 0 : deliver(r, j, item);
		if (j->status < 0)
			return fail_reader(r, &j->error, e);
		if (s < 0)
			return fail_reader(r, &r->error, e);
		r->delivered = s == 1;
		if (s == 1)
			return 1;
		pop(r);
	}
}

/* ---- what was seen ------------------------------------------------------------------------- */

enum wcp_link
wcp_reader_link(const struct wcp_reader *r)
{
	return r->link;
}

const struct wcp_program *
wcp_reader_program(const struct wcp_reader *r, uint32_t id)
{
	const struct known_program *p =
	    id < r->seen_programs ? stream_registry_program(&r->known, id) : NULL;
	return p ? p->program : NULL;
}

const struct wcp_kernel *
wcp_reader_kernel(const struct wcp_reader *r, uint32_t id)
{
	const struct known_kernel *k =
	    id < r->seen_kernels ? stream_registry_kernel(&r->known, id) : NULL;
	return k ? k->kernel : NULL;
}

uint32_t
wcp_reader_kernels(const struct wcp_reader *r)
{
	return r->seen_kernels;
}

const char *const *
wcp_reader_provenance(const struct wcp_reader *r, size_t *n)
{
	*n = r->n_line;
	return r->line;
}

uint64_t
wcp_reader_position(const struct wcp_reader *r, uint64_t *size)
{
	if (size)
		*size = r->fetch.in.size;
	return r->fetch.in.offset;
}

#include <stdlib.h>
#include "stream/reader.h"

/* ---- fetching ------------------------------------------------------------------------------ */

/* Passes over blocks that nobody wants, by the index, and counts them in *passed. INPUT_READY, or
 * negative; *wanted: the next block is in the index and was asked for. */
static int
skip_by_index(struct wcp_reader *r, bool *wanted, uint64_t *passed, struct wcp_error *e)
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
		stream_rebase(&info.kernel, 1, r->kernel_base, 0);
		r->index_at++;
		*wanted = r->options.want(r->options.want_arg, &info);
		if (*wanted)
			return INPUT_READY;
		r->skipped = true;
		++*passed;
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
	if (r->n_index && !stream_only_data_before(r, r->in_flight))
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
		s = skip_by_index(r, &j->wanted, &r->passed, &j->error);
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
		j->passed = r->passed;
		r->passed = 0;
		pool_submit(r->pool, &j->task);
	}
	return true;
}

/* Moves everything on as far as it goes without waiting; with wait, at least one block is fetched
 * if none is in flight. */
static void
pump(struct wcp_reader *r)
{
	stream_classify(r);
	while (!r->ended && r->in_flight < r->jobs) {
		if (!fetch_one(r, r->in_flight == 0))
			break;
		stream_classify(r);
	}
}

/* ---- opening ------------------------------------------------------------------------------- */

static int
start_threads(struct wcp_reader *r, unsigned threads)
{
	r->codecs = threads > 1 ? threads + 1 : 1;
	r->jobs = threads > 1 ? 2 * threads + 2 : 1;
	r->codec = calloc(r->codecs, sizeof *r->codec);
	r->job = calloc(r->jobs, sizeof *r->job);
	if (!r->codec || !r->job)
		return WCP_ESYS;
	for (unsigned i = 0; i < r->jobs; i++)
		r->job[i].task.run = stream_run_job;
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
		return wcp_fail(e, WCP_EDATA, "this is %s stream, where %s is needed",
		    r->link == WCP_LINK_WARP ? "a WARP" : "an ACCESS",
		    r->options.link == WCP_LINK_WARP ? "WARP" : "ACCESS");
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
	if (j->more) {
		stream_next_block(j);
		r->classified--;
		r->delivered = false;
		return;
	}
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
	if (s == 0 && r->options.want && r->fetch.packed && r->fetch.in.regular)
		stream_index_load(&r->fetch.in, &r->index, &r->n_index);
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
		return stream_fail_block(
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

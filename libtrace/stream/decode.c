#include <zstd_errors.h>
#include "stream/reader.h"

int
stream_fail_block(struct job *j, enum wcp_status status, const char *why)
{
	j->status = wcp_fail(&j->error, status, "block %llu at byte %llu: %s",
	    (unsigned long long)j->number, (unsigned long long)j->offset, why);
	j->error.offset = j->offset;
	return j->status;
}

static int
damaged(struct job *j, enum wcp_status status, const char *why)
{
	j->damaged = true;
	return j->status = wcp_fail(&j->error, status, "%s", why);
}

static int
decompress(struct job *j, struct codec *c)
{
	unsigned long long n = ZSTD_getFrameContentSize(j->bytes.data, j->bytes.n);
	if (n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR)
		return damaged(j, WCP_EDATA, "a zstd frame without content size");
	if (n < STREAM_BLOCK_BYTES || n > STREAM_FRAME_MAX)
		return damaged(j, WCP_EDATA, "a zstd frame that is not whole blocks");
	buf_clear(&j->unpacked);
	uint8_t *p = buf_extend(&j->unpacked, (size_t)n);
	if (!p)
		return damaged(j, WCP_ESYS, "out of memory");
	size_t got = ZSTD_decompressDCtx(c->zstd, p, (size_t)n, j->bytes.data, j->bytes.n);
	if (ZSTD_isError(got)) {
		bool sum = ZSTD_getErrorCode(got) == ZSTD_error_checksum_wrong;
		return damaged(j, WCP_EDATA, sum ? "checksum mismatch" : "damaged");
	}
	return got == n ? 0 : damaged(j, WCP_EDATA, "damaged");
}

/* The block at byte next of what was unpacked. */
static int
take_block(struct job *j)
{
	const struct buf *b = j->packed ? &j->unpacked : &j->bytes;
	const uint8_t *at = b->data + j->next;
	const size_t left = b->n - j->next;
	struct wcp_error why;
	j->more = false;
	if (left >= STREAM_BLOCK_BYTES)
		stream_block_header(&j->in, at, j->swap);
	if (left < STREAM_BLOCK_BYTES || j->in.payload_bytes > left - STREAM_BLOCK_BYTES)
		return damaged(j, WCP_EDATA, "a zstd frame that is not whole blocks");
	j->payload = at + STREAM_BLOCK_BYTES;
	j->next += STREAM_BLOCK_BYTES + (size_t)j->in.payload_bytes;
	j->more = j->next < b->n;
	j->shared |= j->more;
	if (!j->packed && stream_block_checksum(at, j->in.payload_bytes) != j->in.checksum)
		return damaged(j, WCP_EDATA, "checksum mismatch");
	if (stream_block_directory(&j->in, j->payload, j->swap, &why) < 0)
		return damaged(j, why.status, why.text);
	return 0;
}

static int
unpack(struct job *j, struct codec *c)
{
	return j->packed && decompress(j, c) < 0 ? j->status : take_block(j);
}

void
stream_next_block(struct job *j)
{
	j->stage = STAGE_UNPACKED;
	j->skip = j->wanted = false;
	j->program = NULL;
	j->kernel = NULL;
	j->passed = 0;
	take_block(j);
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
bool
stream_rebase(uint32_t *id, uint32_t n, uint32_t base, uint32_t kernels)
{
	uint32_t above = 0; /* all of them; WCP_NONE32 + 1 is 0 */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = id[i] == WCP_NONE32 ? id[i] : id[i] + base;
		above = to + 1 > above ? to + 1 : above;
		id[i] = to;
	}
	return above <= kernels;
}

static int
decode_access(struct job *j, struct wcp_error *why)
{
	uint32_t columns =
	    j->r->options.columns ? j->r->options.columns & WCP_COLS_ALL : WCP_COLS_ALL;
	int s = stream_access_decode(&j->in, columns, &j->access, why);
	if (s < 0)
		return s;
	if (j->access.kernel &&
	    !stream_rebase(j->access.kernel, j->access.n, j->kernel_base, j->kernels))
		return wcp_fail(why, WCP_EDATA, "ACCESS block of a kernel that has not begun");
	return 0;
}

static int
decode_state(struct job *j, struct wcp_error *why)
{
	int s = stream_state_decode(&j->in, &j->state, &j->state_cap, why);
	for (uint32_t i = 0; s == 0 && i < j->in.records; i++)
		if (!stream_rebase(&j->state[i].kernel, 1, j->kernel_base, j->kernels))
			return wcp_fail(
			    why, WCP_EDATA, "STATE block of a kernel that has not begun");
	return s;
}

void
stream_run_job(struct pool_task *t, unsigned worker)
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
		stream_fail_block(j, why.status, why.text);
}

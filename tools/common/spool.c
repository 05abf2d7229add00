#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>
#include "spool.h"

struct block {
	uint64_t offset;
	size_t bytes, packed_bytes;
};

struct buffer {
	unsigned char *data;
	size_t cap;
};

struct spool {
	int fd;
	uint64_t end; /* of the file */
	struct block *block;
	uint64_t n, cap;
	struct buffer packed, plain;
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *decompressor;
};

static int
no_memory(struct wcp_error *e)
{
	return wcp_fail(e, WCP_ESYS, "out of memory");
}

int
spool_file(struct wcp_error *e)
{
	char path[4096];
	const char *directory = getenv("TMPDIR");
	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(path, sizeof path, "%s/warpcap.XXXXXX", directory) >= (int)sizeof path)
		return wcp_fail(e, WCP_ESYS, "TMPDIR is too long");
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return wcp_fail_errno(e, "%s", path);
	unlink(path);
	return fd;
}

static int
open_file(struct spool *s, struct wcp_error *e)
{
	s->fd = spool_file(e);
	return s->fd < 0 ? s->fd : 0;
}

struct spool *
spool_new(struct wcp_error *e)
{
	struct spool *s = calloc(1, sizeof *s);
	if (!s) {
		no_memory(e);
		return NULL;
	}
	s->fd = -1;
	s->compressor = ZSTD_createCCtx();
	s->decompressor = ZSTD_createDCtx();
	int status = s->compressor && s->decompressor ? open_file(s, e) : no_memory(e);
	if (status) {
		spool_free(s);
		return NULL;
	}
	return s;
}

void
spool_free(struct spool *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	ZSTD_freeCCtx(s->compressor);
	ZSTD_freeDCtx(s->decompressor);
	free(s->block);
	free(s->packed.data);
	free(s->plain.data);
	free(s);
}

static int
reserve(struct buffer *b, size_t n, struct wcp_error *e)
{
	if (n <= b->cap)
		return 0;
	size_t cap = (n + n / 2 + 63) & ~(size_t)63;
	free(b->data);
	b->data = aligned_alloc(64, cap);
	b->cap = b->data ? cap : 0;
	return b->data ? 0 : no_memory(e);
}

static int
add_block(struct spool *s, struct block b, struct wcp_error *e)
{
	if (s->n == s->cap) {
		uint64_t cap = s->cap ? 2 * s->cap : 256;
		struct block *grown = realloc(s->block, cap * sizeof *grown);
		if (!grown)
			return no_memory(e);
		s->block = grown;
		s->cap = cap;
	}
	s->block[s->n++] = b;
	return 0;
}

static int
transfer(struct spool *s, bool write, uint64_t offset, size_t n, struct wcp_error *e)
{
	for (size_t done = 0; done < n;) {
		off_t at = (off_t)(offset + done);
		ssize_t part = write ? pwrite(s->fd, s->packed.data + done, n - done, at)
				     : pread(s->fd, s->packed.data + done, n - done, at);
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return part < 0
				   ? wcp_fail_errno(e, "temporary file")
				   : wcp_fail(e, WCP_ESYS, "temporary file: it became shorter");
		done += (size_t)part;
	}
	return 0;
}

int
spool_put(struct spool *s, const void *bytes, size_t n, uint64_t *number, struct wcp_error *e)
{
	int status = reserve(&s->packed, ZSTD_compressBound(n), e);
	if (status)
		return status;
	size_t packed =
	    ZSTD_compressCCtx(s->compressor, s->packed.data, s->packed.cap, bytes, n, 1);
	if (ZSTD_isError(packed))
		return wcp_fail(e, WCP_ESYS, "temporary file: %s", ZSTD_getErrorName(packed));
	status = transfer(s, true, s->end, packed, e);
	if (!status)
		status = add_block(s, (struct block){s->end, n, packed}, e);
	if (status)
		return status;
	s->end += packed;
	*number = s->n - 1;
	return 0;
}

const void *
spool_get(struct spool *s, uint64_t number, size_t *n, struct wcp_error *e)
{
	const struct block *b = &s->block[number];
	if (reserve(&s->packed, b->packed_bytes, e) || reserve(&s->plain, b->bytes + 1, e) ||
	    transfer(s, false, b->offset, b->packed_bytes, e))
		return NULL;
	size_t got = ZSTD_decompressDCtx(
	    s->decompressor, s->plain.data, s->plain.cap, s->packed.data, b->packed_bytes);
	if (ZSTD_isError(got) || got != b->bytes) {
		wcp_fail(e, WCP_ESYS, "temporary file: a block is damaged");
		return NULL;
	}
	*n = got;
	return s->plain.data;
}

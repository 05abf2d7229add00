#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "stream/input.h"

enum { CHUNK = 1 << 20, PAGE = 4096 };

int
stream_input_open(struct input *in, const char *path, struct wcp_error *e)
{
	struct stat st;
	*in = (struct input){.fd = STDIN_FILENO};
	if (strcmp(path, "-") != 0) {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		in->owned = true;
	}
	if (in->fd < 0 || fstat(in->fd, &st) < 0) {
		int s = wcp_fail_errno(e, "cannot open");
		stream_input_close(in);
		return s;
	}
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		int s = wcp_fail_errno(e, "cannot read");
		stream_input_close(in);
		return s;
	}
	off_t at = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
	in->regular = at >= 0;
	if (in->regular) {
		in->start = (uint64_t)at;
		in->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
	} else if (S_ISFIFO(st.st_mode)) {
		(void)fcntl(in->fd, F_SETPIPE_SZ, CHUNK);
	}
	return 0;
}

void
stream_input_close(struct input *in)
{
	if (in->owned && in->fd >= 0)
		(void)close(in->fd);
	buf_release(&in->buf);
	in->fd = -1;
}

static bool
would_block(const struct input *in)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};
	return !in->regular && poll(&p, 1, 0) == 0;
}

/* Bytes to ask for: a small file gets no large buffer. */
static size_t
piece(const struct input *in)
{
	uint64_t end = in->offset + stream_input_available(in);
	if (!in->regular || in->size > end + CHUNK)
		return CHUNK;
	return in->size > end + PAGE ? (size_t)(in->size - end) : PAGE;
}

/* What was taken makes room for what comes. */
static void
compact(struct input *in)
{
	memmove(in->buf.data, in->buf.data + in->at, in->buf.n - in->at);
	in->buf.n -= in->at;
	in->at = 0;
}

int
stream_input_need(struct input *in, size_t n, bool wait, struct wcp_error *e)
{
	while (in->buf.n - in->at < n) {
		if (in->eof)
			return INPUT_SHORT;
		if (!wait && would_block(in))
			return INPUT_LATER;
		size_t bytes = piece(in);
		if (in->at && in->buf.cap - in->buf.n < bytes)
			compact(in);
		if (!buf_reserve(&in->buf, bytes))
			return wcp_fail(e, WCP_ESYS, "out of memory");
		ssize_t got = read(in->fd, in->buf.data + in->buf.n, in->buf.cap - in->buf.n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return wcp_fail_errno(e, "read failed");
		in->eof = got == 0;
		in->buf.n += (size_t)got;
	}
	return INPUT_READY;
}

void
stream_input_take(struct input *in, size_t n)
{
	in->at += n;
	in->offset += n;
}

int
stream_input_seek(struct input *in, uint64_t offset, struct wcp_error *e)
{
	while (in->offset < offset) {
		uint64_t gap = offset - in->offset;
		size_t have = stream_input_available(in);
		if (gap <= have) {
			stream_input_take(in, (size_t)gap);
		} else if (in->regular) {
			if (lseek(in->fd, (off_t)(in->start + offset), SEEK_SET) < 0)
				return wcp_fail_errno(e, "cannot seek");
			in->buf.n = in->at = 0;
			in->offset = offset;
			in->eof = false;
		} else {
			stream_input_take(in, have);
			int s = stream_input_need(in, 1, true, e);
			if (s != INPUT_READY)
				return s;
		}
	}
	return INPUT_READY;
}

int
stream_input_peek(const struct input *in, uint64_t offset, void *data, size_t n)
{
	char *p = data;
	while (n) {
		ssize_t got = pread(in->fd, p, n, (off_t)(in->start + offset));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		p += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

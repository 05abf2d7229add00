#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "stream/output.h"

enum { PIPE_BYTES = 1 << 20 };

/* A name nobody has: path.PID.N.part */
static int
open_beside(struct output *o, mode_t mode, bool had, struct wcp_error *e)
{
	size_t room = strlen(o->path) + 48;
	o->temp = malloc(room);
	if (!o->temp)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	for (unsigned n = 0; o->fd < 0; n++) {
		snprintf(o->temp, room, "%s.%ld.%u.part", o->path, (long)getpid(), n);
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd < 0 && errno != EEXIST)
			return wcp_fail_errno(e, "cannot create");
	}
	if (had)
		(void)!fchmod(o->fd, mode & 0777);
	return 0;
}

static int
open_path(struct output *o, const char *path, struct wcp_error *e)
{
	struct stat st;
	bool had = stat(path, &st) == 0;
	o->owned = true;
	if (!*path) {
		errno = ENOENT;
		return wcp_fail_errno(e, "cannot create");
	}
	if (had && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return wcp_fail_errno(e, "cannot create");
	}
	if (had && !S_ISREG(st.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		return o->fd < 0 ? wcp_fail_errno(e, "cannot open") : 0;
	}
	if (had && access(path, W_OK) < 0)
		return wcp_fail_errno(e, "cannot write");
	/* through a symbolic link: the file it names is replaced, not the link */
	o->path = had ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return wcp_fail_errno(e, "cannot create");
	return open_beside(o, st.st_mode, had, e);
}

int
stream_output_open(struct output *o, const char *path, struct wcp_error *e)
{
	struct stat st = {0};
	*o = (struct output){.fd = -1};
	int s = 0;
	if (strcmp(path, "-") == 0)
		o->fd = STDOUT_FILENO;
	else
		s = open_path(o, path, e);
	if (s == 0 && fstat(o->fd, &st) < 0)
		s = wcp_fail_errno(e, "cannot open");
	if (s < 0) {
		stream_output_abort(o);
		return s;
	}
	o->regular = S_ISREG(st.st_mode);
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(o->fd, F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int
stream_output_write(struct output *o, const void *data, size_t n, struct wcp_error *e)
{
	const char *p = data;
	while (n) {
		ssize_t done = write(o->fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return wcp_fail_errno(
			    e, "write failed after %llu bytes", (unsigned long long)o->bytes);
		p += done;
		n -= (size_t)done;
		o->bytes += (size_t)done;
	}
	return 0;
}

int
stream_output_close(struct output *o, struct wcp_error *e)
{
	int s = 0;
	if (o->path && fsync(o->fd) < 0 && errno != EINVAL && errno != ENOSYS)
		s = wcp_fail_errno(e, "cannot write to disk");
	if (o->owned && close(o->fd) < 0 && s == 0)
		s = wcp_fail_errno(e, "cannot close");
	o->fd = -1;
	if (s == 0 && o->path && rename(o->temp, o->path) < 0)
		s = wcp_fail_errno(e, "cannot rename the finished file");
	if (s < 0 && o->temp)
		(void)unlink(o->temp);
	free(o->path);
	free(o->temp);
	o->path = o->temp = NULL;
	return s;
}

void
stream_output_abort(struct output *o)
{
	if (o->owned && o->fd >= 0)
		(void)close(o->fd);
	if (o->temp && o->fd >= 0)
		(void)unlink(o->temp);
	free(o->path);
	free(o->temp);
	*o = (struct output){.fd = -1};
}

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "outfile.h"

static char *
join(const char *a, const char *b)
{
	char *p = must_alloc(NULL, strlen(a) + strlen(b) + 1);
	stpcpy(stpcpy(p, a), b);
	return p;
}

static int
open_beside(struct outfile *o, const char *path, const struct stat *had, struct wcp_error *e)
{
	/* through a symbolic link: the file it names is replaced, not the link */
	o->path = had ? realpath(path, NULL) : join(path, "");
	if (!o->path)
		return wcp_fail_errno(e, "%s", path);
	o->temporary = join(o->path, ".XXXXXX");
	int fd = mkstemp(o->temporary);
	if (fd < 0) {
		free(o->temporary);
		o->temporary = NULL;
		return wcp_fail_errno(e, "%s", path);
	}
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, had ? had->st_mode & 0777 : 0666 & ~mask);
	o->file = fdopen(fd, "w");
	return o->file ? 0 : wcp_fail_errno(e, "%s", path);
}

int
outfile_open(struct outfile *o, const char *path, struct wcp_error *e)
{
	struct stat st;
	*o = (struct outfile){0};
	if (!strcmp(path, "-")) {
		o->file = stdout;
		return 0;
	}
	bool had = stat(path, &st) == 0;
	if (had && !S_ISREG(st.st_mode)) {
		o->path = join(path, "");
		o->file = fopen(path, "we");
		return o->file ? 0 : wcp_fail_errno(e, "%s", path);
	}
	if (had && access(path, W_OK) < 0)
		return wcp_fail_errno(e, "%s", path);
	return open_beside(o, path, had ? &st : NULL, e);
}

int
outfile_close(struct outfile *o, bool keep)
{
	int number = 0;
	errno = 0;
	if (o->file && (fflush(o->file) || ferror(o->file)))
		number = errno ? errno : EIO;
	if (o->file && o->path && fclose(o->file) && !number)
		number = errno;
	if (o->temporary && keep && !number && rename(o->temporary, o->path))
		number = errno;
	if (o->temporary && (!keep || number))
		unlink(o->temporary);
	free(o->path);
	free(o->temporary);
	*o = (struct outfile){0};
	return number;
}

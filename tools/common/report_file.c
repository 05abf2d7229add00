/* Where a report goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "private.h"
#include "report_private.h"

static char *
join(const char *a, const char *b)
{
	char *p = must_alloc(NULL, strlen(a) + strlen(b) + 1);
	stpcpy(stpcpy(p, a), b);
	return p;
}

/* A file is written beside its name and renamed when whole; a device or pipe is written to. */
static int
open_file(struct report *r, const char *path, struct wcp_error *e)
{
	struct stat st;
	bool had = stat(path, &st) == 0;
	if (had && !S_ISREG(st.st_mode)) {
		r->path = join(path, "");
		r->out = fopen(path, "we");
		return r->out ? 0 : wcp_fail_errno(e, "%s", path);
	}
	if (had && access(path, W_OK) < 0)
		return wcp_fail_errno(e, "%s", path);
	/* through a symbolic link: the file it names is replaced, not the link */
	r->path = had ? realpath(path, NULL) : join(path, "");
	if (!r->path)
		return wcp_fail_errno(e, "%s", path);
	r->temporary = join(r->path, ".XXXXXX");
	int fd = mkstemp(r->temporary);
	if (fd < 0) {
		free(r->temporary);
		r->temporary = NULL;
		return wcp_fail_errno(e, "%s", path);
	}
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, had ? st.st_mode & 0777 : 0666 & ~mask);
	r->out = fdopen(fd, "w");
	return r->out ? 0 : wcp_fail_errno(e, "%s", path);
}

static int
choose_output(struct report *r, bool writes_stream, struct wcp_error *e)
{
	const struct tool *t = r->tool;
	bool stream = writes_stream || t->output;
	bool stream_on_stdout = stream && (!t->output || !strcmp(t->output, "-"));
	if (t->report && strcmp(t->report, "-") != 0)
		return open_file(r, t->report, e);
	if (t->report && stream_on_stdout)
		return wcp_fail(e, WCP_EUSAGE, "-r -: the stream goes to standard output already");
	if (t->report || !stream)
		r->out = stdout;
	else
		r->out = t->quiet ? NULL : stderr;
	return 0;
}

struct report *
report_open(struct tool *t, bool writes_stream, struct wcp_error *e)
{
	struct wcp_error own;
	struct report *r = must_alloc(NULL, sizeof *r);
	*r = (struct report){.tool = t};
	if (choose_output(r, writes_stream, e ? e : &own)) {
		if (!e)
			tool_error(t, NULL, &own);
		report_free(r);
		return NULL;
	}
	return r;
}

static void
write_out(const struct report *r)
{
	switch (r->tool->format) {
	case TOOL_TEXT: report_write_text(r); return;
	case TOOL_FORMAT_TSV: report_write_tsv(r); return;
	case TOOL_FORMAT_JSON: report_write_json(r); return;
	}
}

static int
close_file(struct report *r)
{
	const char *name = r->path	      ? r->tool->report
			   : r->out == stdout ? "standard output"
					      : "standard error";
	errno = 0;
	bool failed = fflush(r->out) || ferror(r->out);
	int number = errno;
	if (r->path && fclose(r->out) && !failed) {
		failed = true;
		number = errno;
	}
	if (!failed && r->temporary && rename(r->temporary, r->path)) {
		failed = true;
		number = errno;
	}
	if (failed && r->temporary)
		unlink(r->temporary);
	if (!failed)
		return 0;
	if (r->out == stdout)
		clearerr(stdout); /* said here; tool_finish need not say it again */
	return tool_fail(r->tool, -WCP_ESYS, "%s: %s", name, strerror(number ? number : EIO));
}

int
report_close(struct report *r)
{
	int status = 0;
	if (r->out) {
		progress_wipe(r->tool);
		r->tool->progress_shown = false;
		write_out(r);
		status = close_file(r);
	}
	report_free(r);
	return status;
}

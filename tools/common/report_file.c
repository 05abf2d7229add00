/* Where a report goes. */
#include <string.h>
#include "private.h"
#include "report_private.h"

static int
choose_output(struct report *r, bool writes_stream, struct wcp_error *e)
{
	const struct tool *t = r->tool;
	bool stream = writes_stream || t->output;
	bool stream_on_stdout = stream && (!t->output || !strcmp(t->output, "-"));
	if (t->report && strcmp(t->report, "-") != 0) {
		int status = outfile_open(&r->file, t->report, e);
		r->out = r->file.file;
		return status;
	}
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
		outfile_close(&r->file, false);
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
	const char *name = r->file.file	      ? r->tool->report
			   : r->out == stdout ? "standard output"
					      : "standard error";
	struct outfile plain = {.file = r->out};
	int number = outfile_close(r->file.file ? &r->file : &plain, true);
	if (!number)
		return 0;
	if (r->out == stdout)
		clearerr(stdout); /* said here; tool_finish need not say it again */
	return tool_fail(r->tool, -WCP_ESYS, "%s: %s", name, strerror(number));
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

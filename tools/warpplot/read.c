/* A file of reports: whole into memory, then by its form. */
#include "warpplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reports are for people: what is larger is something else. */
enum { MOST_BYTES = 1 << 30 };

static int
slurp(FILE *f, const char *name, char **text, size_t *n, struct wcp_error *e)
{
	size_t cap = 1 << 16, got;
	*text = must_alloc(NULL, cap);
	*n = 0;
	while ((got = fread(*text + *n, 1, cap - *n - 1, f)) > 0) {
		*n += got;
		if (*n > MOST_BYTES)
			return wcp_fail(e, WCP_EDATA, "larger than 1 GiB: that is no report");
		if (cap - *n < 1 << 15)
			*text = must_alloc(*text, cap *= 2);
	}
	(*text)[*n] = 0;
	return ferror(f) ? wcp_fail_errno(e, "%s", name) : 0;
}

static int
parse(struct reports *in, const char *text, size_t n, const char *label, struct wcp_error *e)
{
	const char *p = text + strspn(text, " \t\r\n");
	size_t before = in->frame.n;
	if (strlen(text) != n)
		return wcp_fail(e, WCP_EDATA,
		    "not a report: it has NUL bytes (a stream is read by warpinfo and others)");
	int status = *p == '{' ? read_json(in, p, label, e) : read_tsv(in, p, label, e);
	if (!status && in->frame.n == before)
		return wcp_fail(e, WCP_EDATA, "no tables: is it a report with --tsv or --json?");
	return status;
}

int
read_report(struct reports *in, const char *path, const char *label, struct wcp_error *e)
{
	char *text = NULL;
	size_t n;
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!f)
		return wcp_fail(e, WCP_ESYS, "%s", strerror(errno));
	int status = slurp(f, "read", &text, &n, e);
	if (f != stdin)
		fclose(f);
	if (!status)
		status = parse(in, text, n, label, e);
	free(text);
	return status;
}

/* warpplot: turns the report of any tool into a picture. */
#include "warpplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "outfile.h"
#include "report.h"

enum {
	OPT_KIND = 256,
	OPT_TABLE,
	OPT_X,
	OPT_Y,
	OPT_Z,
	OPT_BY,
	OPT_WHERE,
	OPT_LABELS,
	OPT_RELATIVE,
	OPT_GEOMEAN,
	OPT_SHARE,
	OPT_TOP,
	OPT_LOG_X,
	OPT_LINEAR_X,
	OPT_LOG_Y,
	OPT_TITLE,
	OPT_XLABEL,
	OPT_YLABEL,
	OPT_FORMAT,
	OPT_SIZE,
	OPT_STYLE,
	OPT_DATA,
	OPT_SCRIPT,
	OPT_LIST
};

struct command {
	struct wishes wish;
	char *labels; /* with commas between, NULL: files' names */
	bool list;
};

static const struct tool_option option[] = {
    {'o', "output", "FILE", "write the picture to FILE: .svg, .png, .pdf or .txt", TOOL_O},
    {0, "format", "FORMAT", "svg, png, pdf or text, whatever the file's name", OPT_FORMAT},
    {0, "kind", "KIND", "cdf, mrc, lines, series, bars, stack or heat", OPT_KIND},
    {0, "table", "NAME", "draw that table of the report", OPT_TABLE},
    {'x', "x", "COLUMNS", "what stands along the axis", OPT_X},
    {'y', "y", "COLUMNS", "what is drawn", OPT_Y},
    {'z', "z", "COLUMN", "what a heat map's shades show", OPT_Z},
    {0, "by", "COLUMNS", "a curve or a bar for each value of these", OPT_BY},
    {0, "where", "COLUMN=VALUE", "only such rows (!=: only others)", OPT_WHERE},
    {0, "labels", "NAMES", "names of the reports, with commas between", OPT_LABELS},
    {0, "relative", "BAR", "divide bars by the one of that name", OPT_RELATIVE},
    {0, "geomean", NULL, "add the geometric mean over all places", OPT_GEOMEAN},
    {0, "share", NULL, "show the parts of a bar in percent of it", OPT_SHARE},
    {0, "top", "N", "draw at most N places or curves (default 60)", OPT_TOP},
    {0, "log-x", NULL, "make the axis logarithmic", OPT_LOG_X},
    {0, "linear-x", NULL, "make the axis linear", OPT_LINEAR_X},
    {0, "log-y", NULL, "make the vertical axis logarithmic", OPT_LOG_Y},
    {0, "title", "TEXT", "title of the picture", OPT_TITLE},
    {0, "xlabel", "TEXT", "label of the axis", OPT_XLABEL},
    {0, "ylabel", "TEXT", "label of the vertical axis", OPT_YLABEL},
    {0, "size", "WxH", "size in pixels, of text in characters", OPT_SIZE},
    {0, "style", "FILE", "draw with this style instead of the kind's own", OPT_STYLE},
    {0, "data", "FILE", "write the data there (default: beside the picture)", OPT_DATA},
    {0, "script", "FILE", "write what gnuplot is told", OPT_SCRIPT},
    {0, "list", NULL, "list what could be drawn instead", OPT_LIST},
    TOOL_OPT_JSON,
    TOOL_OPT_TSV,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
set_kind(struct tool *t, struct plan *p, const char *value)
{
	for (enum kind k = KIND_CDF; k < KIND_COUNT; k++) {
		if (!strcmp(value, kind_name[k])) {
			p->kind = k;
			return 0;
		}
	}
	return tool_usage(
	    t, "--kind is cdf, mrc, lines, series, bars, stack or heat, not '%s'", value);
}

static int
set_size(struct tool *t, struct wishes *w, const char *value)
{
	char width[24];
	size_t n = strcspn(value, "x");
	if (value[n] != 'x' || n >= sizeof width)
		return tool_usage(t, "--size takes WIDTHxHEIGHT, not '%s'", value);
	memcpy(width, value, n);
	width[n] = 0;
	int status = tool_u64(t, "--size", width, 20, 20000, &w->width);
	return status ? status : tool_u64(t, "--size", value + n + 1, 10, 20000, &w->height);
}

static int
set_where(struct tool *t, struct plan *p, const char *value)
{
	size_t n = strcspn(value, "!=");
	if (!n || (strncmp(value + n, "!=", 2) != 0 && value[n] != '='))
		return tool_usage(
		    t, "--where takes COLUMN=VALUE or COLUMN!=VALUE, not '%s'", value);
	p->where = value;
	return 0;
}

/* The options that are a text and nothing else. */
static const char **
text_option(struct wishes *w, int id)
{
	switch (id) {
	case OPT_TABLE: return &w->plan.table;
	case OPT_X: return &w->plan.x;
	case OPT_Y: return &w->plan.y;
	case OPT_Z: return &w->plan.z;
	case OPT_BY: return &w->plan.by;
	case OPT_RELATIVE: return &w->relative;
	case OPT_TITLE: return &w->title;
	case OPT_XLABEL: return &w->xlabel;
	case OPT_YLABEL: return &w->ylabel;
	case OPT_FORMAT: return &w->format;
	case OPT_STYLE: return &w->style;
	case OPT_DATA: return &w->data;
	case OPT_SCRIPT: return &w->script;
	default: return NULL;
	}
}

static int
on_option(struct tool *t, int id, const char *value)
{
	struct command *c = t->arg;
	struct wishes *w = &c->wish;
	const char **text = text_option(w, id);
	if (text) {
		*text = value;
		return *value ? 0 : tool_usage(t, "an option's argument is empty");
	}
	switch (id) {
	case OPT_KIND: return set_kind(t, &w->plan, value);
	case OPT_WHERE: return set_where(t, &w->plan, value);
	case OPT_SIZE: return set_size(t, w, value);
	case OPT_TOP: return tool_u64(t, "--top", value, 1, 100000, &w->top);
	case OPT_LABELS:
		free(c->labels);
		c->labels = strdup(value);
		return 0;
	case OPT_GEOMEAN: w->geomean = true; return 0;
	case OPT_SHARE: w->share = true; return 0;
	case OPT_LOG_X: w->log_x = true; return 0;
	case OPT_LINEAR_X: w->linear_x = true; return 0;
	case OPT_LOG_Y: w->log_y = true; return 0;
	case OPT_LIST: c->list = true; return 0;
	default: return tool_usage(t, "unknown option");
	}
}

static const struct tool_spec spec = {
    .name = "warpplot",
    .summary = "Turns the reports of the other tools into a picture, drawn by gnuplot.",
    .operands = "[FILE ...]",
    .option = option,
    .on_option = on_option,
    .max_operands = -1,
};

/* The file's name without directory and endings. */
static const char *
label_from(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strcspn(name, ".");
	return !strcmp(path, "-") ? "standard input" : arena_text(a, name, n ? n : strlen(name));
}

static bool
has_rows(const struct reports *in)
{
	for (size_t i = 0; i < in->frame.n; i++)
		if (((struct frame *)in->frame.item[i])->row.n)
			return true;
	return false;
}

/* What is damaged is told, and drawn as far as it is whole. */
static int
read_all(struct tool *t, struct reports *in, const char *labels, int *damage)
{
	int files = t->argc ? t->argc : 1;
	const char *next = labels;
	in->n_label = (size_t)files;
	for (int i = 0; i < files; i++) {
		const char *path = i < t->argc ? t->argv[i] : "-",
			   *label = label_from(&in->arena, path);
		if (next && *next) {
			size_t n = strcspn(next, ",");
			label = arena_text(&in->arena, next, n);
			next += n + (next[n] == ',');
		}
		struct wcp_error e = {0};
		int status = read_report(in, path, label, &e);
		if (status)
			*damage = tool_error(t, path, &e);
		if (status && (status != WCP_EDATA || !has_rows(in)))
			return *damage;
	}
	/* pairs are drawn as a table with a column for each name */
	for (size_t i = 0, n = in->frame.n; i < n; i++) {
		struct frame *f = in->frame.item[i];
		if (f->n_column == 3 && frame_column(f, "name") == 0 &&
		    frame_column(f, "value") == 1)
			frame_pivot(in, f);
	}
	return 0;
}

static int
list_pictures(struct tool *t, const struct reports *in)
{
	static const struct report_column column[] = {{"report", NULL, REPORT_TEXT, 0},
	    {"table", NULL, REPORT_TEXT, 0}, {"kind", NULL, REPORT_TEXT, 0},
	    {"x", NULL, REPORT_TEXT, 0}, {"y", NULL, REPORT_TEXT, 0}, {"z", NULL, REPORT_TEXT, 0},
	    {"by", NULL, REPORT_TEXT, 0}, {NULL}};
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	report_table(r, "pictures", "What could be drawn", column);
	for (size_t i = 0; i < in->frame.n; i++) {
		const struct frame *f = in->frame.item[i];
		for (const struct plan *p = plans; p->kind != KIND_COUNT; p++) {
			if (!plan_fits(p, f))
				continue;
			report_text(r, f->label);
			report_text(r, f->name);
			report_text(r, kind_name[p->kind]);
			report_text(r, p->x);
			report_text(r, p->y);
			report_text(r, p->z);
			report_text(r, p->by);
			report_row(r);
		}
	}
	return report_close(r);
}

static int
choose_format(struct tool *t, const struct wishes *w, enum format *format)
{
	static const char *const name[] = {"text", "svg", "png", "pdf", "txt"};
	const char *dot = t->output ? strrchr(t->output, '.') : NULL, *wanted = w->format
										    ? w->format
										: dot ? dot + 1
										      : NULL;
	*format = FORMAT_TEXT;
	if (!w->format && (!t->output || !strcmp(t->output, "-")))
		return 0;
	for (size_t i = 0; wanted && i < sizeof name / sizeof name[0]; i++) {
		if (!strcmp(wanted, name[i])) {
			*format = i < 4 ? (enum format)i : FORMAT_TEXT;
			return 0;
		}
	}
	return w->format ? tool_usage(t, "--format is svg, png, pdf or text, not '%s'", w->format)
			 : tool_usage(t,
			       "-o %s: the name does not end in .svg, .png, .pdf or .txt (or say "
			       "--format)",
			       t->output);
}

static int
write_file(struct tool *t, const char *path, const char *bytes, size_t n)
{
	struct outfile o;
	struct wcp_error e;
	if (outfile_open(&o, path, &e)) {
		outfile_close(&o, false);
		return tool_error(t, NULL, &e);
	}
	bool to_stdout = o.file == stdout;
	int written = fwrite(bytes, 1, n, o.file) == n ? 0 : errno;
	int closed = outfile_close(&o, !written), number = written ? written : closed;
	if (number && to_stdout)
		clearerr(stdout);
	return number ? tool_fail(t, -WCP_ESYS, "%s: %s", to_stdout ? "standard output" : path,
			    strerror(number))
		      : 0;
}

/* Beside the picture: its name with .dat for the ending. */
static int
keep_data(struct tool *t, const struct wishes *w, const struct drawing *d)
{
	char *text = NULL, name[4200];
	size_t n = 0;
	const char *dot = t->output ? strrchr(t->output, '.') : NULL,
		   *slash = t->output ? strrchr(t->output, '/') : NULL;
	if (dot && !strcmp(dot, ".dat")) /* that is the picture, then */
		dot = NULL;
	if (!w->data && (!t->output || !strcmp(t->output, "-")))
		return 0;
	if (!w->data)
		snprintf(name, sizeof name, "%.*s.dat",
		    dot && dot > slash ? (int)(dot - t->output) : (int)strlen(t->output),
		    t->output);
	FILE *out = open_memstream(&text, &n);
	if (!out)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	write_data(d, out);
	int status = fclose(out) ? tool_fail(t, -WCP_ESYS, "out of memory")
				 : write_file(t, w->data ? w->data : name, text, n);
	free(text);
	return status;
}

static int
draw(struct tool *t, const struct wishes *w, struct drawing *d, enum format format)
{
	char *picture = NULL, *script = script_text(t, w, d, format);
	size_t n = 0;
	int status = script ? 0 : -WCP_ESYS;
	if (!status && w->script)
		status = write_file(t, w->script, script, strlen(script));
	if (!status)
		status = run_gnuplot(t, script, &picture, &n);
	if (!status)
		status = write_file(t, t->output ? t->output : "-", picture, n);
	if (!status)
		status = keep_data(t, w, d);
	free(picture);
	free(script);
	return status;
}

static int
draw_reports(struct tool *t, const struct wishes *w, struct reports *in, enum format format)
{
	struct plan own;
	struct drawing d = {0};
	const struct plan *p = recognise(in, &w->plan, &own);
	if (!p)
		return tool_fail(t, -WCP_EDATA,
		    "no table of the report has what that picture shows (see --list; --table, -x, "
		    "-y choose)");
	int status = collect(t, in, w, p, &d);
	if (!status)
		status = draw(t, w, &d, format);
	drawing_release(&d);
	return status;
}

static int
run(struct tool *t, struct command *c, struct reports *in)
{
	enum format format;
	int damage = 0, status = choose_format(t, &c->wish, &format);
	c->wish.letters = format == FORMAT_TEXT;
	if (!status)
		status = read_all(t, in, c->labels, &damage);
	if (!status)
		status = c->list ? list_pictures(t, in) : draw_reports(t, &c->wish, in, format);
	return status ? status : damage;
}

int
main(int argc, char **argv)
{
	struct command c = {.wish.top = 60};
	struct tool t = {.arg = &c};
	struct reports in = {0};
	tool_start(&t, &spec, argc, argv);
	int status = run(&t, &c, &in);
	for (size_t i = 0; i < in.frame.n; i++)
		list_release(&((struct frame *)in.frame.item[i])->row);
	list_release(&in.frame);
	arena_release(&in.arena);
	free(c.labels);
	return tool_finish(&t, status);
}

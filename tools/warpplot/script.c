/*
 * What gnuplot is told: the data, what is known of them as variables, and a style of share/plot
 * that draws them. Texts stand in single quotes, where gnuplot replaces nothing.
 */
#include "warpplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "shared.h"

static void
put_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	putc('\'', out);
}

static void
set_text(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = ", name);
	put_text(out, text ? text : "");
	putc('\n', out);
}

/* ---- data ----------------------------------------------------------------------------------- */

/* A name as a comment or a cell: one line, no tabs. */
static void
put_name(FILE *out, const char *text)
{
	for (; *text; text++)
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void
put_number(FILE *out, double x)
{
	if (isnan(x))
		fputs("NaN", out);
	else
		fprintf(out, "%.17g", x);
}

static void
put_row(FILE *out, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc('\t', out);
		put_number(out, x[i]);
	}
}

static void
write_curve(const struct drawing *d, const struct curve *c, FILE *out)
{
	fprintf(out, "# %s\t%s%s\n", d->xlabel, d->ylabel, d->bars_of_error ? "\tlow\thigh" : "");
	for (size_t i = 0; i < c->n; i++) {
		const struct point *p = &c->point[i];
		put_row(out, (double[]){p->x, p->y, p->low, p->high}, d->bars_of_error ? 4 : 2);
		putc('\n', out);
	}
}

/* Bar number of n: where it stands, from where to where it reaches. */
static void
write_bars(const struct drawing *d, size_t number, FILE *out)
{
	const struct curve *c = d->curve.item[number];
	bool stack = d->plan->kind == KIND_STACK;
	double width = stack ? .7 : .84 / (double)d->curve.n;
	bool any = false;
	fprintf(out, "# from\tto\tbottom\ttop\tvalue\tplace\n");
	for (size_t at = 0; at < c->n; at++) {
		double y = c->point[at].y, bottom = 0;
		double x = (double)at + (stack ? -.35 : -.42 + width * (double)number);
		if (isnan(y))
			continue;
		for (size_t i = 0; stack && i < number; i++) {
			const struct curve *below = d->curve.item[i];
			bottom +=
			    at < below->n && !isnan(below->point[at].y) ? below->point[at].y : 0;
		}
		put_row(out, (double[]){x, x + width, bottom, bottom + y, y}, 5);
		putc('\t', out);
		put_name(out, d->xname.item[at]);
		putc('\n', out);
		any = true;
	}
	/* gnuplot does not count a block without lines: the next would get this one's name */
	if (!any)
		fprintf(out, "NaN\tNaN\tNaN\tNaN\tNaN\t\n");
}

/* The whole map, row after row: gnuplot wants no holes. */
static void
write_cells(const struct drawing *d, FILE *out)
{
	const struct curve *c = d->curve.item[0];
	size_t n_x = d->xname.n, n_y = d->yname.n;
	double *value = must_alloc(NULL, n_x * n_y * sizeof *value);
	for (size_t i = 0; i < n_x * n_y; i++)
		value[i] = NAN;
	for (size_t i = 0; i < c->n; i++)
		value[(size_t)c->point[i].y * n_x + (size_t)c->point[i].x] = c->point[i].low;
	fprintf(out, "# x\ty\tvalue\t%s\t%s\n", d->xlabel, d->ylabel);
	for (size_t i = 0; i < n_x * n_y; i++) {
		size_t x = i % n_x, y = i / n_x;
		put_row(out, (double[]){(double)x, (double)y, value[i]}, 3);
		putc('\t', out);
		put_name(out, d->xname.item[x]);
		putc('\t', out);
		put_name(out, d->yname.item[y]);
		putc('\n', out);
	}
	free(value);
}

void
write_data(const struct drawing *d, FILE *out)
{
	for (size_t i = 0; i < d->curve.n; i++) {
		const struct curve *c = d->curve.item[i];
		fputs(i ? "\n\n# " : "# ", out);
		put_name(out, c->legend);
		putc('\n', out);
		if (d->plan->kind == KIND_HEAT)
			write_cells(d, out);
		else if (d->plan->kind == KIND_BARS || d->plan->kind == KIND_STACK)
			write_bars(d, i, out);
		else
			write_curve(d, c, out);
	}
}

/* ---- what is known of them ------------------------------------------------------------------ */

struct range {
	double low, high;
	size_t most; /* points of a curve */
};

static struct range
range_of(const struct drawing *d, bool x)
{
	struct range r = {INFINITY, -INFINITY, 0};
	for (size_t i = 0; i < d->curve.n; i++) {
		const struct curve *c = d->curve.item[i];
		r.most = c->n > r.most ? c->n : r.most;
		for (size_t k = 0; k < c->n; k++) {
			double v = x ? c->point[k].x : c->point[k].y;
			r.low = v < r.low ? v : r.low;
			r.high = v > r.high ? v : r.high;
		}
	}
	return r;
}

/* 2^20 is "1Mi". */
static void
power_tics(FILE *out, struct range r, int most)
{
	static const char *const unit[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
	int first = (int)floor(log2(r.low > 0 ? r.low : .5) + 1e-9),
	    last = (int)ceil(log2(r.high > 0 ? r.high : 1) - 1e-9);
	if (last <= first)
		first--, last = first + 2;
	int step = (last - first) / most + 1;
	fprintf(out, "set logscale x 2\nset xrange [%.17g:%.17g]\nset xtics (", ldexp(1, first),
	    ldexp(1, last));
	for (int e = first; e <= last; e += step)
		fprintf(out, "%s'%g%s' %.17g", e > first ? ", " : "",
		    e >= 0 && e < 70 ? ldexp(1, e % 10) : ldexp(1, e),
		    e >= 0 && e < 70 ? unit[e / 10] : "", ldexp(1, e));
	fputs(") nomirror\n", out);
}

/* 1500000 is "1.5M", where the largest number around is of that size. */
static void
put_short(double x, double largest, char text[64])
{
	if (largest < 1e5 || x == 0)
		snprintf(text, 64, "%.6g", x);
	else if (largest <= 1e6)
		snprintf(text, 64, "%.6gk", x / 1e3);
	else if (largest <= 1e9)
		snprintf(text, 64, "%.6gM", x / 1e6);
	else
		snprintf(text, 64, "%.6gG", x / 1e9);
}

/* A name; a large number shorter. */
static const char *
short_name(const char *name, char text[64])
{
	double x = cell_number(name);
	if (isnan(x) || fabs(x) < 1e5)
		snprintf(text, 64, "%s", name);
	else
		put_short(x, fabs(x), text);
	return text;
}

/* About eight steps of 1, 2 or 5 times a power of ten, and the range that they fill. */
static void
number_tics(FILE *out, char axis, double low, double high)
{
	char text[64];
	if (!(high > low) || isinf(low) || isinf(high))
		high = low + 1;
	double size = (high - low) / 8, power = pow(10, floor(log10(size))), times = size / power;
	double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
	double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
	fprintf(out, "set %ctics (", axis);
	for (double i = first; i <= (axis == 'x' ? floor(high / step) : last); i++) {
		put_short(i * step, fmax(fabs(first), fabs(last)) * step, text);
		fprintf(out, "%s'%s' %.17g", i > first ? ", " : "", text, i * step);
	}
	fprintf(out, ") nomirror\nset %crange [%.17g:%.17g]\n", axis, first * step,
	    axis == 'x' ? high : last * step);
}

/* Names along an axis, as many as fit into so many letters (0: at most 24 names); or all, lying on
 * their side if they are long. */
static void
name_tics(FILE *out, char axis, const struct list *names, size_t room, bool turn)
{
	char text[64];
	size_t widest = 1, letters = 0, step = 1;
	for (size_t i = 0; i < names->n; i++) {
		size_t n = strlen(short_name(names->item[i], text)) + 1;
		widest = n > widest ? n : widest;
		letters += n;
	}
	if (!turn && room && letters > room)
		step = (names->n * widest + room - 1) / room;
	else if (!turn && names->n > 24)
		step = (names->n + 23) / 24;
	fprintf(out, "set %ctics (", axis);
	for (size_t i = 0; i < names->n; i += step) {
		fputs(i ? ", " : "", out);
		put_text(out, short_name(names->item[i], text));
		fprintf(out, " %zu", i);
	}
	bool turned = turn && letters > 80;
	fprintf(out, ") nomirror%s\nset %crange [-0.5:%g]\n", turned ? " rotate by 35 right" : "",
	    axis, (double)names->n - .5);
	if (turned) /* gnuplot keeps no room for what hangs out on the left; numbers and a label
		       need some, too */
		fprintf(out,
		    "set lmargin at screen %.3f\nset rmargin at screen n == 1 ? 0.97 : 0.8\n",
		    fmax(.11, .05 + fmin(.2, .0075 * (double)strlen(names->item[0]))));
}

static bool
is_percent(const char *label)
{
	return strstr(label, "(%)") != NULL;
}

static void
map_range(const struct drawing *d, FILE *out)
{
	const struct curve *c = d->curve.item[0];
	double low = 0, high = -INFINITY;
	for (size_t i = 0; i < c->n; i++) {
		low = c->point[i].low < low ? c->point[i].low : low;
		high = c->point[i].low > high ? c->point[i].low : high;
	}
	fprintf(out, "lowest = %.17g\nhighest = %.17g\n", low, high > low ? high : low + 1);
}

/* How far up the picture reaches. */
static double
tallest(const struct drawing *d)
{
	double most = range_of(d, false).high;
	for (size_t at = 0; d->plan->kind == KIND_STACK && at < d->xname.n; at++) {
		double sum = 0;
		for (size_t i = 0; i < d->curve.n; i++) {
			const struct curve *c = d->curve.item[i];
			sum += at < c->n && c->point[at].y > 0 ? c->point[at].y : 0;
		}
		most = fmax(most, sum);
	}
	for (size_t i = 0; d->bars_of_error && i < d->curve.n; i++) {
		const struct curve *c = d->curve.item[i];
		for (size_t k = 0; k < c->n; k++)
			most = fmax(most, c->point[k].high);
	}
	return most;
}

static void
write_axes(const struct wishes *w, const struct drawing *d, enum format format, FILE *out)
{
	enum kind kind = d->plan->kind;
	struct range x = range_of(d, true), y = range_of(d, false);
	bool text = format == FORMAT_TEXT;
	if (kind == KIND_HEAT) {
		name_tics(out, 'x', &d->xname, text ? 50 : 80, false);
		name_tics(out, 'y', &d->yname, 0, false);
		map_range(d, out);
		return;
	}
	if (kind == KIND_BARS || kind == KIND_STACK)
		name_tics(out, 'x', &d->xname, text ? 70 : 0, !text);
	else if (d->log_x && x.high > 0)
		power_tics(out, x, text ? 8 : 12);
	else
		number_tics(out, 'x', x.low, x.high);
	if (w->log_y)
		fprintf(out, "set logscale y\n");
	else if (is_percent(d->ylabel) && !w->relative && y.low >= 0 &&
		 (kind == KIND_STACK || (y.high <= 100 && y.high > 50)))
		number_tics(out, 'y', 0, fmax(100, tallest(d)));
	else
		number_tics(out, 'y', fmin(0, y.low), tallest(d));
	fprintf(out, "shape = '%s'\nevery_nth = %zu\n",
	    kind == KIND_SERIES || kind == KIND_LINES || y.most <= 48 ? "linespoints" : "steps",
	    y.most / 12 + 1);
}

static void
write_terminal(const struct wishes *w, enum format format, FILE *out)
{
	unsigned long long width = w->width, height = w->height;
	switch (format) {
	case FORMAT_TEXT:
		fprintf(out, "set terminal dumb %llu %llu noenhanced\n", width ? width : 79,
		    height ? height : 24);
		return;
	case FORMAT_SVG:
		fprintf(out,
		    "set terminal svg size %llu,%llu dynamic font 'sans,14' noenhanced background "
		    "'white'\n",
		    width ? width : 900, height ? height : 560);
		return;
	case FORMAT_PNG:
		fprintf(out, "set terminal pngcairo size %llu,%llu font 'sans,12' noenhanced\n",
		    width ? width : 900, height ? height : 560);
		return;
	case FORMAT_PDF:
		fprintf(out,
		    "set terminal pdfcairo size %.17gin,%.17gin font 'sans,11' noenhanced\n",
		    (double)(width ? width : 640) / 100, (double)(height ? height : 400) / 100);
		return;
	}
}

static void
write_facts(const struct wishes *w, const struct drawing *d, enum format format, FILE *out)
{
	fprintf(out,
	    "kind = '%s'\nplain = %d\nn = %zu\nerror_bars = %d\nplaces = %zu\ngeomean = %d\n",
	    kind_name[d->plan->kind], format == FORMAT_TEXT, d->curve.n, d->bars_of_error,
	    d->xname.n, d->geomean);
	set_text(out, "zlabel", d->zlabel);
	set_text(out, "heading", d->title);
	fprintf(out, "array legend[%zu] = [", d->curve.n);
	for (size_t i = 0; i < d->curve.n; i++) {
		fputs(i ? ", " : "", out);
		put_text(out, ((struct curve *)d->curve.item[i])->legend);
	}
	fputs("]\n", out);
	write_terminal(w, format, out);
	fputs("set title ", out);
	put_text(out, d->title);
	fputs("\nset xlabel ", out);
	put_text(out, d->xlabel);
	fputs("\nset ylabel ", out);
	put_text(out, d->ylabel);
	putc('\n', out);
}

/* ---- styles --------------------------------------------------------------------------------- */

static int
add_style(struct tool *t, const char *name, FILE *out)
{
	char buffer[4096];
	size_t n;
	bool path = strchr(name, '/') != NULL;
	FILE *f = path ? fopen(name, "re") : shared_open("WARPCAP_PLOT_PATH", "plot", name);
	if (!f)
		return tool_fail(
		    t, -WCP_ESYS, path ? "%s: %s" : "style %s: %s", name, strerror(errno));
	while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
		fwrite(buffer, 1, n, out);
	fclose(f);
	return 0;
}

static const char *
style_of(const struct drawing *d)
{
	enum kind kind = d->plan->kind;
	return kind == KIND_HEAT			 ? "heat.gp"
	       : kind == KIND_BARS || kind == KIND_STACK ? "bars.gp"
							 : "curve.gp";
}

char *
script_text(struct tool *t, const struct wishes *w, const struct drawing *d, enum format format)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	if (!out) {
		tool_fail(t, -WCP_ESYS, "out of memory");
		return NULL;
	}
	fprintf(out, "# made by warpplot: gnuplot draws it\nset encoding utf8\nset datafile "
		     "separator '\\t'\nset datafile missing 'NaN'\n");
	fprintf(out, "$data << END_OF_THE_DATA\n");
	write_data(d, out);
	fprintf(out, "END_OF_THE_DATA\n");
	write_facts(w, d, format, out);
	int status = add_style(t, "base.gp", out);
	write_axes(w, d, format, out);
	status = status ? status : add_style(t, w->style ? w->style : style_of(d), out);
	if (fclose(out) && !status)
		status = tool_fail(t, -WCP_ESYS, "out of memory");
	if (!status)
		return text;
	free(text);
	return NULL;
}

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
	if (largest < 1e5 || largest > 1e15 || x == 0)
		snprintf(text, 64, "%.6g", x);
	else if (largest <= 1e6)
		snprintf(text, 64, "%.6gk", x / 1e3);
	else if (largest <= 1e9)
		snprintf(text, 64, "%.6gM", x / 1e6);
	else if (largest <= 1e12)
		snprintf(text, 64, "%.6gG", x / 1e9);
	else
		snprintf(text, 64, "%.6gT", x / 1e12);
}

/* The middle of what is longer than that many bytes is left out. */
static const char *
cut(const char *name, size_t most, char text[64])
{
	size_t n = strlen(name), head = most / 2, tail = n - (most - head - 2);
	if (n <= most)
		return name;
	/* not within a letter */
	while (head && (name[head] & 0xc0) == 0x80)
		head--;
	while (tail < n && (name[tail] & 0xc0) == 0x80)
		tail++;
	snprintf(text, 64, "%.*s..%s", (int)head, name, name + tail);
	return text;
}

enum lie { FLAT, LEANING, UPRIGHT };

/* What stands along an axis, and how its names are written there. */
struct names {
	const struct list *list;
	double largest; /* if all are numbers, NAN else */
	size_t most;	/* bytes of one */
	enum lie lie;
};

static struct names
names_of(const struct list *l, size_t most)
{
	struct names n = {l, 0, most, FLAT};
	for (size_t i = 0; i < l->n; i++) {
		double x = cell_number(l->item[i]);
		n.largest = isnan(x) || isnan(n.largest) ? NAN : fmax(n.largest, fabs(x));
	}
	return n;
}

static const char *
name_at(const struct names *n, size_t i, char text[64])
{
	const char *name = n->list->item[i];
	if (isnan(n->largest) || n->largest < 1e5)
		return cut(name, n->most, text);
	put_short(cell_number(name), n->largest, text);
	return text;
}

/* About eight steps of 1, 2 or 5 times a power of ten, and the range that they fill. */
static void
number_tics(FILE *out, const char *axis, double low, double high)
{
	char text[64];
	if (!(high > low) || isinf(low) || isinf(high))
		high = low + 1;
	double size = (high - low) / 8, power = pow(10, floor(log10(size))), times = size / power;
	double step = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
	double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
	bool within = *axis != 'y'; /* where values end, not where a step does */
	fprintf(out, "set %stics (", axis);
	for (double i = first; i <= (within ? floor(high / step + 1e-9) : last); i++) {
		put_short(i * step, fmax(fabs(first), fabs(last)) * step, text);
		fprintf(out, "%s'%s' %.17g", i > first ? ", " : "", text, i * step);
	}
	fprintf(out, ") nomirror\nset %srange [%.17g:%.17g]\n", axis, first * step,
	    within ? high : last * step);
}

static void
put_tics(FILE *out, char axis, const struct names *names, size_t step)
{
	char text[64];
	fprintf(out, "set %ctics (", axis);
	for (size_t i = 0; i < names->list->n; i += step) {
		fputs(i ? ", " : "", out);
		put_text(out, name_at(names, i, text));
		fprintf(out, " %zu", i);
	}
	fputs(") nomirror", out);
}

/* Names along an axis, as many as fit: into so many letters, or of a vertical one lines. */
static void
some_names(FILE *out, char axis, const struct list *list, size_t room)
{
	char text[64];
	struct names names = names_of(list, axis == 'x' ? 40 : 28);
	size_t widest = 0, step = 1;
	for (size_t i = 0; i < list->n; i++) {
		size_t n = strlen(name_at(&names, i, text)) + 2;
		widest = n > widest ? n : widest;
	}
	if (axis == 'x')
		step = (list->n * widest + room - 1) / room;
	else
		step = (list->n + room - 1) / room;
	put_tics(out, axis, &names, step ? step : 1);
	fprintf(out, "\nset %crange [-0.5:%g]\n", axis, (double)list->n - .5);
}

/* Do names stand side by side in so many letters, each at its place? */
static bool
side_by_side(const struct names *names, double room)
{
	char text[64];
	double each = room / (double)names->list->n, before = 0;
	for (size_t i = 0; i < names->list->n; i++) {
		double half = (double)strlen(name_at(names, i, text)) / 2;
		if (i && before + half + 1 > each)
			return false;
		before = half;
	}
	return true;
}

/* Wider where bars would be thin. */
static size_t
picture_width(const struct wishes *w, const struct drawing *d)
{
	size_t bars = d->plan->kind == KIND_BARS ? d->xname.n * d->curve.n : 0;
	size_t width = bars > 125 ? 150 + 6 * bars : 900;
	return w->width ? w->width : width < 1800 ? width : 1800;
}

/* All names of bars' places: side by side if there is room, else leaning, many of them upright. */
static struct names
bar_names(const struct wishes *w, const struct drawing *d)
{
	enum { LEAN_MOST = 36, UPRIGHT_MOST = 32, FEW = 20 };
	double wide = (double)picture_width(w, d);
	struct names names = names_of(&d->xname, LEAN_MOST);
	if (side_by_side(&names, (d->key == KEY_RIGHT && d->curve.n > 1 ? .75 : .9) * wide / 7.5))
		return names;
	names.lie = d->xname.n > FEW ? UPRIGHT : LEANING;
	names.most = d->xname.n > FEW ? UPRIGHT_MOST : LEAN_MOST;
	return names;
}

static void
put_bar_names(FILE *out, const struct wishes *w, const struct drawing *d)
{
	enum { MANY = 40 };
	static const char *const how[] = {
	    [FLAT] = "", [LEANING] = " rotate by 35 right", [UPRIGHT] = " rotate by 90 right"};
	char text[64];
	struct names names = bar_names(w, d);
	size_t n = d->xname.n;
	double left = .11, wide = .8 / (double)n;
	put_tics(out, 'x', &names, 1);
	fprintf(out, "%s%s\nset xrange [-0.5:%g]\n", how[names.lie], n > MANY ? " font ',8'" : "",
	    (double)n - .5);
	if (names.lie != LEANING)
		return;
	/* gnuplot keeps no room for what hangs out on the left, but more than it needs on the
	 * right; numbers and a label need some, too */
	for (size_t i = 0; i < n; i++)
		left = fmax(left, .05 + .0075 * (double)strlen(name_at(&names, i, text)) -
				      ((double)i + .5) * wide);
	fprintf(out, "set lmargin at screen %.3f\n", left);
	if (d->key != KEY_RIGHT || d->curve.n == 1)
		fprintf(out, "set rmargin at screen 0.97\n");
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
	high = high > low ? high : low + 1;
	number_tics(out, "cb", low, high);
	fprintf(out, "lowest = %.17g\nhighest = %.17g\n", low, high);
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
		some_names(out, 'x', &d->xname, text ? 50 : 80);
		some_names(out, 'y', &d->yname, text ? 14 : 24);
		map_range(d, out);
		return;
	}
	bool bars = kind == KIND_BARS || kind == KIND_STACK;
	if (bars && text)
		some_names(out, 'x', &d->xname, 70);
	else if (bars)
		put_bar_names(out, w, d);
	else if (d->log_x && x.high > 0)
		power_tics(out, x, text ? 8 : 12);
	else
		number_tics(out, "x", x.low, x.high);
	if (w->log_y)
		fprintf(out, "set logscale y\n");
	else if (is_percent(d->ylabel) && !w->relative && y.low >= 0 &&
		 (kind == KIND_STACK || (y.high <= 100 && y.high > 50)))
		number_tics(out, "y", 0, fmax(100, tallest(d)));
	else
		number_tics(out, "y", fmin(0, y.low), tallest(d));
	fprintf(out, "shape = '%s'\nevery_nth = %zu\n",
	    kind == KIND_SERIES || kind == KIND_LINES || y.most <= 48 ? "linespoints" : "steps",
	    y.most / 12 + 1);
}

enum { NAME_MOST = 56 };

/* Few short names stand above the picture in a row, more at its side, long ones below. */
static void
place_key(const struct wishes *w, struct drawing *d)
{
	size_t longest = 0, room = picture_width(w, d) / 11;
	for (size_t i = 0; i < d->curve.n; i++) {
		char text[64];
		const struct curve *c = d->curve.item[i];
		size_t n = strlen(cut(c->legend, NAME_MOST, text));
		longest = n > longest ? n : longest;
	}
	if (w->letters) { /* lines that names take beyond a few */
		size_t columns = (w->width ? w->width : 79) / (longest + 7), n = d->curve.n;
		size_t rows = columns ? (n + columns - 1) / columns : n;
		d->below = rows > 4 ? rows - 2 : 0;
		return;
	}
	bool stack = d->plan->kind == KIND_STACK;
	bool row = !stack && d->curve.n * (longest + 6) <= room;
	d->key = row ? KEY_ABOVE : KEY_RIGHT;
	if (row || d->plan->kind == KIND_HEAT || (longest <= 24 && d->curve.n <= 24))
		return;
	d->key = KEY_BELOW;
	d->key_columns = room / (longest + 6) ? room / (longest + 6) : 1;
	d->below = 18 * ((d->curve.n + d->key_columns - 1) / d->key_columns);
}

/* Upright names stand below the picture. */
static void
make_room(const struct wishes *w, struct drawing *d)
{
	char text[64];
	size_t longest = 0;
	if (w->letters || (d->plan->kind != KIND_BARS && d->plan->kind != KIND_STACK))
		return;
	struct names names = bar_names(w, d);
	for (size_t i = 0; i < d->xname.n && names.lie == UPRIGHT; i++) {
		size_t n = strlen(name_at(&names, i, text));
		longest = n > longest ? n : longest;
	}
	d->below += 7 * longest;
}

static void
write_terminal(const struct wishes *w, const struct drawing *d, enum format format, FILE *out)
{
	unsigned long long width = picture_width(w, d), height = w->height, below = d->below;
	switch (format) {
	case FORMAT_TEXT:
		fprintf(out, "set terminal dumb %llu %llu noenhanced\n", w->width ? width : 79,
		    height ? height : 24 + below);
		return;
	case FORMAT_SVG:
		fprintf(out,
		    "set terminal svg size %llu,%llu dynamic font 'sans,14' noenhanced background "
		    "'white'\n",
		    width, height ? height : 560 + below);
		return;
	case FORMAT_PNG:
		fprintf(out, "set terminal pngcairo size %llu,%llu font 'sans,12' noenhanced\n",
		    width, height ? height : 560 + below);
		return;
	case FORMAT_PDF:
		fprintf(out,
		    "set terminal pdfcairo size %.17gin,%.17gin font 'sans,11' noenhanced\n",
		    (double)(w->width ? width : width * 640 / 900) / 100,
		    (double)(height ? height : 400 + below * 5 / 7) / 100);
		return;
	}
}

static void
write_facts(const struct wishes *w, const struct drawing *d, enum format format, FILE *out)
{
	fprintf(out,
	    "kind = '%s'\nplain = %d\nn = %zu\nerror_bars = %d\nplaces = %zu\ngeomean = %d\n"
	    "rows = %zu\nkey_place = '%s'\nkey_columns = %zu\n",
	    kind_name[d->plan->kind], format == FORMAT_TEXT, d->curve.n, d->bars_of_error,
	    d->xname.n, d->geomean, d->yname.n,
	    d->key == KEY_ABOVE	  ? "above"
	    : d->key == KEY_RIGHT ? "right"
				  : "below",
	    d->key_columns);
	set_text(out, "zlabel", d->zlabel);
	set_text(out, "heading", d->title);
	fprintf(out, "array legend[%zu] = [", d->curve.n);
	for (size_t i = 0; i < d->curve.n; i++) {
		char name[64];
		fputs(i ? ", " : "", out);
		put_text(out, cut(((struct curve *)d->curve.item[i])->legend, NAME_MOST, name));
	}
	fputs("]\n", out);
	write_terminal(w, d, format, out);
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
script_text(struct tool *t, const struct wishes *w, struct drawing *d, enum format format)
{
	char *text = NULL;
	size_t n;
	place_key(w, d);
	make_room(w, d);
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

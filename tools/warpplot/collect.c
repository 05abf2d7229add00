/* Rows become curves. */
#include "warpplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve *
drawing_curve(struct drawing *d, const char *legend)
{
	for (size_t i = 0; i < d->curve.n; i++) {
		struct curve *c = d->curve.item[i];
		if (!strcmp(c->legend, legend))
			return c;
	}
	struct curve *c = arena_get(d->arena, sizeof *c);
	c->legend = legend;
	list_add(&d->curve, c);
	return c;
}

void
curve_add(struct curve *c, struct point p)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->point = must_alloc(c->point, c->cap * sizeof *c->point);
	}
	c->point[c->n++] = p;
}

void
drawing_release(struct drawing *d)
{
	for (size_t i = 0; i < d->curve.n; i++)
		free(((struct curve *)d->curve.item[i])->point);
	list_release(&d->curve);
	list_release(&d->xname);
	list_release(&d->yname);
}

const char *
unit_of(const struct frame *f, const char *names)
{
	const char *unit = NULL;
	for (size_t i = 0; names && i < f->n_column; i++) {
		if (!names_match(f, names, f->column[i]))
			continue;
		if (unit && strcmp(unit, f->unit[i]) != 0)
			return "";
		unit = f->unit[i];
	}
	return unit ? unit : "";
}

static bool
is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

/* "_" is a blank, what stands for other letters says nothing, commas part. */
static char *
spaced(struct arena *a, const char *column)
{
	char *text = arena_get(a, 2 * strlen(column) + 1), *to = text;
	for (; *column; column++) {
		if (*column == ',')
			to = stpcpy(to, ", ");
		else if (*column != '*' && *column != '?' && (*column != '_' || to > text))
			*to++ = *column == '_' ? ' ' : *column;
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = 0;
	return text;
}

const char *
label_of(struct arena *a, const char *column, const char *unit)
{
	static const char *const spelled[][2] = {{"ipc", "IPC"}, {"apki", "APKI"}, {"mpki", "MPKI"},
	    {"blp", "BLP"}, {"mlp", "MLP"}, {"vta", "VTA"}, {"sm", "SM"}, {"cta", "CTA"},
	    {"irs", "IRS"}, {"mshrs", "MSHRs"}, {"cdf", "CDF"}};
	char *text = spaced(a, column);
	for (char *word = text; *word; word++) {
		for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; i++) {
			size_t n = strlen(spelled[i][0]);
			if ((word == text || word[-1] == ' ') && !strncmp(word, spelled[i][0], n) &&
			    !is_letter(word[n]))
				memcpy(word, spelled[i][1], n);
		}
	}
	return *unit ? arena_format(a, "%s (%s)", text, unit) : text;
}

const char *
without_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* The first of the columns named; -1 if there is none. */
static int
first_named(const struct frame *f, const char *names)
{
	for (size_t i = 0; i < f->n_column; i++)
		if (names_match(f, names, f->column[i]))
			return (int)i;
	return -1;
}

static void
add_point(
    struct drawing *d, const struct frame *f, const char **row, const char *y, struct curve *c)
{
	int x_at = first_named(f, d->plan->x), y_at = frame_column(f, y),
	    low = frame_column(f, "low95"), high = frame_column(f, "high95");
	if (x_at < 0 || y_at < 0)
		return;
	struct point p = {cell_number(row[x_at]), cell_number(row[y_at]), NAN, NAN};
	if (isnan(p.x) || isnan(p.y))
		return;
	if (d->plan->kind == KIND_CDF)
		p.x += 1; /* on a logarithmic axis distance 0 needs a place: a point holds those
			     below it */
	if (low >= 0 && high >= 0 && !strcmp(y, "miss_ratio")) {
		p.low = cell_number(row[low]);
		p.high = cell_number(row[high]);
		d->bars_of_error |= !isnan(p.low);
	}
	curve_add(c, p);
}

/* "atax: kernel 1: misses", as far as reports, units and columns differ. */
static const char *
legend(struct drawing *d, const struct reports *in, const struct frame *f, const char **row,
    const char *y, size_t n_y)
{
	char *text = arena_format(d->arena, "%s", in->n_label > 1 ? f->label : "");
	const char *by = d->plan->by;
	for (size_t i = 0; by && i < f->n_column; i++) {
		if (!names_match(f, by, f->column[i]) || !row[i])
			continue;
		/* a number alone says nothing */
		bool number = !isnan(cell_number(row[i]));
		text = arena_format(d->arena, "%s%s%s%s%s", text, *text ? " " : "",
		    number ? label_of(d->arena, f->column[i], "") : "", number ? " " : "",
		    without_directory(row[i]));
	}
	if (n_y > 1 || !*text)
		text = arena_format(
		    d->arena, "%s%s%s", text, *text ? " " : "", label_of(d->arena, y, ""));
	return text;
}

static size_t
count_matching(const struct frame *f, const char *names)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n_column; i++)
		n += names_match(f, names, f->column[i]);
	return n;
}

static bool
row_wanted(const struct frame *f, const char **row, const char *where)
{
	if (!where)
		return true;
	size_t n = strcspn(where, "!=");
	const char *value = where + n + strspn(where + n, "!=");
	for (size_t i = 0; i < f->n_column; i++)
		if (strlen(f->column[i]) == n && !strncmp(f->column[i], where, n))
			return (row[i] && !strcmp(row[i], value)) == (where[n] == '=');
	return false;
}

/* Leaves the rows that the plan wants. */
static void
filter_rows(struct frame *f, const char *where)
{
	size_t n = 0;
	for (size_t i = 0; where && i < f->row.n; i++)
		if (row_wanted(f, f->row.item[i], where))
			f->row.item[n++] = f->row.item[i];
	f->row.n = where ? n : f->row.n;
}

static void
curves_of(struct reports *in, struct drawing *d, const struct frame *f)
{
	const struct plan *p = d->plan;
	size_t n_y = count_matching(f, p->y);
	for (size_t i = 0; i < f->row.n; i++) {
		const char **row = f->row.item[i];
		for (size_t k = 0; k < f->n_column; k++)
			if (names_match(f, p->y, f->column[k]))
				add_point(d, f, row, f->column[k],
				    drawing_curve(d, legend(d, in, f, row, f->column[k], n_y)));
	}
}

/* A row is a curve, its columns the points. */
static void
curves_across(struct reports *in, struct drawing *d, const struct frame *f)
{
	const struct plan *p = d->plan;
	for (size_t i = 0; i < f->row.n; i++) {
		const char **row = f->row.item[i];
		struct curve *c = drawing_curve(d, legend(d, in, f, row, "", 1));
		for (size_t k = 0, n = 0; k < f->n_column; k++) {
			double y = cell_number(row[k]);
			if (!names_match(f, p->y, f->column[k]))
				continue;
			n++;
			if (!isnan(y))
				curve_add(c, (struct point){(double)n * (p->step > 0 ? p->step : 1),
						 y, NAN, NAN});
		}
	}
}

/* Curves without a point would leave their names to the next ones. */
static void
drop_empty(struct drawing *d)
{
	size_t n = 0;
	for (size_t i = 0; i < d->curve.n; i++) {
		struct curve *c = d->curve.item[i];
		if (c->n)
			d->curve.item[n++] = c;
		else
			free(c->point);
	}
	d->curve.n = n;
}

static int
collect_lines(struct tool *t, struct reports *in, const struct wishes *w, struct drawing *d)
{
	bool across = !strcmp(d->plan->x, "@columns");
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(d->plan, in->frame.item[i]))
			(across ? curves_across : curves_of)(in, d, in->frame.item[i]);
	drop_empty(d);
	if (d->curve.n > w->top) {
		tool_warn(t, "%zu curves: only the first %llu are drawn (--top)", d->curve.n,
		    (unsigned long long)w->top);
		for (size_t i = w->top; i < d->curve.n; i++)
			free(((struct curve *)d->curve.item[i])->point);
		d->curve.n = w->top;
	}
	return 0;
}

/* The columns along the axis; "" if it is something else. */
static const char *
x_names(struct arena *a, const struct plan *p, const struct frame *f)
{
	char *text = arena_text(a, "", 0);
	if (!p->x || p->x[0] == '@')
		return "";
	if (p->x[0] != '<')
		return p->x;
	for (size_t i = 0; i < f->n_column; i++)
		if (names_match(f, p->x, f->column[i]))
			text = arena_format(a, "%s%s%s", text, *text ? "," : "", f->column[i]);
	return text;
}

/* Title and labels: what was asked for, else what the plan says, else what the report does. */
static void
name_axes(struct reports *in, const struct wishes *w, struct drawing *d)
{
	const struct plan *p = d->plan;
	const struct frame *f = NULL;
	for (size_t i = 0; i < in->frame.n && !f; i++)
		f = plan_fits(p, in->frame.item[i]) ? in->frame.item[i] : NULL;
	if (!f)
		return;
	const char *title = p->title ? p->title : f->title ? f->title : f->name;
	const char *x = x_names(d->arena, p, f);
	d->xlabel = w->xlabel	? w->xlabel
		    : p->xlabel ? p->xlabel
				: label_of(d->arena, x, unit_of(f, x));
	d->ylabel = w->ylabel	? w->ylabel
		    : p->ylabel ? p->ylabel
		    : p->y	? label_of(d->arena, p->y, unit_of(f, p->y))
				: "";
	d->zlabel = p->z ? label_of(d->arena, p->z, unit_of(f, p->z)) : "";
	if (!p->title && !f->title && (!strcmp(f->name, "summary") || !strcmp(f->name, "series")))
		title = p->z ? d->zlabel : d->ylabel;
	d->title = w->title	     ? w->title
		   : in->n_label > 1 ? title
				     : arena_format(d->arena, "%s: %s", f->label, title);
	if (w->relative)
		d->ylabel = arena_format(d->arena, "%s, relative to %s", d->ylabel, w->relative);
}

/* A value of the report's summary; NAN if it has none. */
static double
pair(const struct reports *in, const char *name)
{
	for (size_t i = 0; i < in->frame.n; i++) {
		const struct frame *f = in->frame.item[i];
		int at = strcmp(f->name, "summary") ? -1 : frame_column(f, name);
		if (at >= 0 && f->row.n)
			return cell_number(((const char **)f->row.item[0])[at]);
	}
	return NAN;
}

/* What one report on reuse says besides: references that no cache can hit. */
static void
tell_first_references(struct reports *in, const struct wishes *w, struct drawing *d)
{
	const struct plan *p = d->plan;
	double share = pair(in, "cold_share"), accesses = pair(in, "accesses"),
	       line = pair(in, "line");
	if (in->n_label != 1 || !p->tool || strcmp(p->tool, "warpreuse") != 0 || isnan(share))
		return;
	if (p->kind == KIND_CDF && !w->title)
		d->title =
		    arena_format(d->arena, "%s (%.3g %% of %.0f accesses are first references)",
			d->title, share, accesses);
	if (p->kind != KIND_MRC || p->by || !d->curve.n)
		return;
	if (!w->xlabel && line > 0)
		d->xlabel = arena_format(d->arena, "cache size (bytes, lines of %g B)", line);
	const struct curve *c = d->curve.item[0];
	struct curve *floor =
	    drawing_curve(d, arena_format(d->arena, "first references (%.3g %%)", share));
	for (size_t i = 0; i < c->n; i++)
		curve_add(floor, (struct point){c->point[i].x, share, NAN, NAN});
}

int
collect(struct tool *t, struct reports *in, const struct wishes *w, const struct plan *p,
    struct drawing *d)
{
	int status = 0;
	d->plan = p;
	d->arena = &in->arena;
	name_axes(in, w, d);
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(p, in->frame.item[i]))
			filter_rows(in->frame.item[i], p->where);
	d->log_x =
	    !w->linear_x && (w->log_x || p->kind == KIND_CDF || p->kind == KIND_MRC || p->log_x);
	if (p->kind == KIND_HEAT)
		collect_heat(in, w, d);
	else if (p->kind == KIND_BARS || p->kind == KIND_STACK)
		status = collect_bars(t, in, w, d);
	else
		status = collect_lines(t, in, w, d);
	tell_first_references(in, w, d);
	size_t points = 0;
	for (size_t i = 0; i < d->curve.n; i++)
		points += ((struct curve *)d->curve.item[i])->n;
	if (!status && !points)
		status = tool_fail(t, -WCP_EDATA, "table %s has no numbers in %s to draw", p->table,
		    p->z ? p->z : p->y);
	return status;
}

/* Rows become bars at places along an axis, side by side or on each other; or the cells of a map.
 */
#include "warpplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cells of those columns, a space between, of files their names without directories; "@report"
 * stands for the report's label. */
static const char *
joined(struct arena *a, const struct frame *f, const char **row, const char *names)
{
	char *text = arena_text(a, "", 0);
	if (names[0] == '@')
		return f->title ? f->title : f->label;
	for (size_t i = 0; i < f->n_column; i++)
		if (names_match(f, names, f->column[i]) && row[i])
			text = arena_format(
			    a, "%s%s%s", text, *text ? " " : "", without_directory(row[i]));
	return text;
}

/* Where values of a bar that does not occur at a place would be, there is none. */
static void
set_value(struct curve *c, size_t at, double value)
{
	while (c->n <= at)
		curve_add(c, (struct point){(double)c->n, NAN, NAN, NAN});
	c->point[at].y = isnan(c->point[at].y) ? value : c->point[at].y + value;
}

static const char *
place_name(const struct reports *in, struct drawing *d, const struct frame *f, const char **row)
{
	const struct plan *p = d->plan;
	const char *x = p->x;
	if (!x)
		return f->label;
	const char *name = joined(d->arena, f, row, x);
	return in->n_label > 1 && p->by && !p->geomean && x[0] != '@'
		   ? arena_format(d->arena, "%s %s", f->label, name)
		   : name;
}

static const char *
bar_name(const struct reports *in, struct drawing *d, const struct frame *f, const char **row,
    size_t column, size_t n_y)
{
	const struct plan *p = d->plan;
	const char *name = p->by ? joined(d->arena, f, row, p->by) : "",
		   *y = label_of(d->arena, f->column[column], "");
	bool report = p->x && p->x[0] != '@' && !p->by && in->n_label > 1;
	/* what the names of a pattern have in common says nothing */
	const char *star = strchr(p->y, '*');
	if (star && !strchr(p->y, ',') && star > p->y)
		y = label_of(d->arena, f->column[column] + (star - p->y), "");
	if (p->by)
		return n_y > 1 ? arena_format(d->arena, "%s %s", name, y) : name;
	if (report)
		return n_y > 1 ? arena_format(d->arena, "%s %s", f->label, y) : f->label;
	return y;
}

static void
bars_of(struct reports *in, struct drawing *d, const struct frame *f)
{
	size_t n_y = 0;
	for (size_t i = 0; i < f->n_column; i++)
		n_y += names_match(f, d->plan->y, f->column[i]);
	for (size_t i = 0; i < f->row.n; i++) {
		const char **row = f->row.item[i];
		size_t at = place(&d->xname, d->arena, place_name(in, d, f, row));
		for (size_t k = 0; k < f->n_column; k++) {
			double value = cell_number(row[k]);
			if (names_match(f, d->plan->y, f->column[k]) && !isnan(value))
				set_value(
				    drawing_curve(d, bar_name(in, d, f, row, k, n_y)), at, value);
		}
	}
}

static double
value_at(const struct curve *c, size_t at)
{
	return at < c->n ? c->point[at].y : NAN;
}

static int
make_relative(struct tool *t, struct drawing *d, const char *to)
{
	struct curve *base = NULL;
	for (size_t i = 0; i < d->curve.n; i++)
		if (!strcmp(((struct curve *)d->curve.item[i])->legend, to))
			base = d->curve.item[i];
	if (!base)
		return tool_usage(t, "--relative %s: there are no such bars", to);
	for (size_t at = 0; at < d->xname.n; at++) {
		double one = value_at(base, at);
		for (size_t i = 0; i < d->curve.n; i++) {
			struct curve *c = d->curve.item[i];
			if (at < c->n)
				c->point[at].y = one != 0 ? c->point[at].y / one : NAN;
		}
	}
	return 0;
}

/* Of a bar's values at all places; NAN if one is missing or not positive. */
static double
geometric_mean(const struct curve *c, size_t places)
{
	double sum = 0;
	for (size_t i = 0; i < places; i++)
		sum += log(value_at(c, i) > 0 ? value_at(c, i) : NAN);
	return exp(sum / (double)places);
}

/* One for each bar, malloc'd. */
static double *
geometric_means(const struct drawing *d)
{
	double *mean = must_alloc(NULL, d->curve.n * sizeof *mean);
	for (size_t i = 0; i < d->curve.n; i++)
		mean[i] = geometric_mean(d->curve.item[i], d->xname.n);
	return mean;
}

static void
add_geomeans(struct drawing *d, const double *mean)
{
	size_t places = d->xname.n;
	for (size_t i = 0; i < d->curve.n; i++)
		if (!isnan(mean[i]))
			set_value(d->curve.item[i], places, mean[i]);
	list_add(&d->xname, arena_format(d->arena, "gmean"));
	d->geomean = true;
}

/* Values in percent of the whole bar at their place. */
static void
make_shares(struct drawing *d)
{
	for (size_t at = 0; at < d->xname.n; at++) {
		double sum = 0;
		for (size_t i = 0; i < d->curve.n; i++)
			sum +=
			    value_at(d->curve.item[i], at) > 0 ? value_at(d->curve.item[i], at) : 0;
		for (size_t i = 0; i < d->curve.n; i++) {
			struct curve *c = d->curve.item[i];
			if (at < c->n)
				c->point[at].y = sum > 0 ? 100 * c->point[at].y / sum : NAN;
		}
	}
}

struct rank {
	double sum;
	size_t at;
};

static int
by_sum(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	return x->sum > y->sum ? -1 : x->sum < y->sum ? 1 : x->at < y->at ? -1 : 1;
}

/* Only the places whose bars are longest, in that order. */
static void
keep_top(struct tool *t, struct drawing *d, size_t top)
{
	size_t n = d->xname.n;
	struct rank *rank = must_alloc(NULL, n * sizeof *rank);
	void **name = must_alloc(NULL, n * sizeof *name);
	for (size_t at = 0; at < n; at++) {
		rank[at] = (struct rank){0, at};
		for (size_t i = 0; i < d->curve.n; i++)
			rank[at].sum +=
			    value_at(d->curve.item[i], at) > 0 ? value_at(d->curve.item[i], at) : 0;
	}
	qsort(rank, n, sizeof *rank, by_sum);
	for (size_t i = 0; i < d->curve.n; i++) {
		struct curve *c = d->curve.item[i], sorted = {.legend = c->legend};
		for (size_t at = 0; at < top; at++)
			curve_add(&sorted,
			    (struct point){(double)at, value_at(c, rank[at].at), NAN, NAN});
		free(c->point);
		*c = sorted;
	}
	for (size_t at = 0; at < top; at++)
		name[at] = d->xname.item[rank[at].at];
	memcpy(d->xname.item, name, top * sizeof *name);
	d->xname.n = top;
	list_forget(&d->xname);
	free(name);
	free(rank);
	tool_warn(t, "%zu places: the %zu of the largest bars are drawn (--top)", n, top);
}

int
collect_bars(struct tool *t, struct reports *in, const struct wishes *w, struct drawing *d)
{
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(d->plan, in->frame.item[i]))
			bars_of(in, d, in->frame.item[i]);
	if (d->curve.n > 16)
		return tool_fail(t, -WCP_EDATA,
		    "%zu bars at each place are more than a reader can tell apart; choose with -y, "
		    "--by or --where",
		    d->curve.n);
	int status = w->relative ? make_relative(t, d, w->relative) : 0;
	if (w->share || (d->plan->share && d->plan->kind == KIND_STACK))
		make_shares(d);
	bool reports = !d->plan->x && d->plan->kind == KIND_BARS && in->n_label > 1,
	     means = !status && d->curve.n &&
		     (w->geomean || reports || (d->plan->geomean && d->xname.n > 1));
	double *mean = means ? geometric_means(d) : NULL;
	if (d->xname.n > w->top)
		keep_top(t, d, w->top);
	if (means)
		add_geomeans(d, mean);
	free(mean);
	return status;
}

static int
by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	double p = cell_number(x), q = cell_number(y);
	return p < q ? -1 : p > q ? 1 : 0;
}

/* Names that are all numbers stand in their order. */
static void
sort_names(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (isnan(cell_number(l->item[i])))
			return;
	qsort(l->item, l->n, sizeof *l->item, by_number);
	list_forget(l);
}

static void
take_names(struct drawing *d, const struct frame *f)
{
	const struct plan *p = d->plan;
	for (size_t i = 0; i < f->row.n; i++) {
		const char **row = f->row.item[i];
		place(&d->xname, d->arena, joined(d->arena, f, row, p->x));
		place(&d->yname, d->arena, joined(d->arena, f, row, p->y));
	}
}

static void
take_cells(struct drawing *d, const struct frame *f)
{
	const struct plan *p = d->plan;
	struct curve *c = drawing_curve(d, d->zlabel);
	int z = frame_column(f, p->z);
	for (size_t i = 0; i < f->row.n; i++) {
		const char **row = f->row.item[i];
		double value = z >= 0 ? cell_number(row[z]) : NAN;
		if (isnan(value))
			continue;
		size_t x = place(&d->xname, d->arena, joined(d->arena, f, row, p->x)),
		       y = place(&d->yname, d->arena, joined(d->arena, f, row, p->y));
		curve_add(c, (struct point){(double)x, (double)y, value, NAN});
	}
}

/* Names of a map's axis, many of them in one place: that of the first. */
static void
join_names(struct list *l, size_t many)
{
	size_t n = (l->n + many - 1) / many;
	for (size_t i = 0; i < n; i++)
		l->item[i] = l->item[i * many];
	l->n = n;
	list_forget(l);
}

/* More columns or rows than a picture has room for are joined: the mean of what they hold. */
static void
join_cells(struct drawing *d, size_t columns, size_t rows)
{
	size_t wide = (d->xname.n + columns - 1) / columns, high = (d->yname.n + rows - 1) / rows;
	struct curve *c = d->curve.n ? d->curve.item[0] : NULL, joined = {0};
	if ((wide < 2 && high < 2) || !c)
		return;
	join_names(&d->xname, wide);
	join_names(&d->yname, high);
	size_t n_x = d->xname.n, n_y = d->yname.n;
	double *sum = must_alloc(NULL, 2 * n_x * n_y * sizeof *sum), *n = sum + n_x * n_y;
	memset(sum, 0, 2 * n_x * n_y * sizeof *sum);
	for (size_t i = 0; i < c->n; i++) {
		size_t at = (size_t)c->point[i].y / high * n_x + (size_t)c->point[i].x / wide;
		sum[at] += c->point[i].low;
		n[at]++;
	}
	for (size_t at = 0; at < n_x * n_y; at++) {
		size_t x = at % n_x, y = at / n_x;
		if (n[at] > 0)
			curve_add(
			    &joined, (struct point){(double)x, (double)y, sum[at] / n[at], NAN});
	}
	free(sum);
	free(c->point);
	joined.legend = c->legend;
	*c = joined;
}

void
collect_heat(struct reports *in, const struct wishes *w, struct drawing *d)
{
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(d->plan, in->frame.item[i]))
			take_names(d, in->frame.item[i]);
	sort_names(&d->xname);
	sort_names(&d->yname);
	for (size_t i = 0; i < in->frame.n; i++)
		if (plan_fits(d->plan, in->frame.item[i]))
			take_cells(d, in->frame.item[i]);
	/* what is left of a picture beside its axes: letters, or dots */
	bool letters = w->letters;
	size_t width = w->width	 ? w->width
		       : letters ? 79
				 : 900,
	       height = w->height ? w->height
			: letters ? 24
				  : 560;
	join_cells(d, letters ? width - width / 4 : width - width / 5,
	    letters ? height - height / 3 : height - height / 5);
}

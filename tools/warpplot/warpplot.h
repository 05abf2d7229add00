/*
 * From reports to a picture: read (reports of any tool), recognise (which table to draw, and how),
 * collect (curves, bars or cells out of rows), draw (a gnuplot script with its data in it, and
 * gnuplot). All that is read lives until the process ends its work, in one arena.
 */
#ifndef WARPPLOT_H
#define WARPPLOT_H

#include "tool.h"

/* ---- memory ------------------------------------------------------------------------------- */

struct arena {
	struct chunk *chunk;
};

void *arena_get(struct arena *a, size_t bytes); /* zeroed */
char *arena_text(struct arena *a, const char *text, size_t length);
char *arena_format(struct arena *a, const char *format, ...) WCP_PRINTF(2, 3);
void arena_release(struct arena *a);

/* A growing array of pointers. */
struct list {
	size_t n, cap;
	void **item;	/* [cap] malloc'd */
	uint32_t *slot; /* of place(): [slots] 1 + number, by hash; NULL: not built */
	size_t slots;
};

void list_add(struct list *l, void *item);
void list_release(struct list *l);

/* ---- reports ------------------------------------------------------------------------------ */

/* A table. Cells are texts as the report has them, NULL where missing. */
struct frame {
	const char *name, *title; /* title NULL if none */
	const char *tool;	  /* NULL if the report does not say */
	const char *label;	  /* of the report it is from, for legends */
	size_t n_column, cap_column;
	const char **column, **unit; /* [n_column] unit "" if none */
	struct list row;	     /* of const char *[n_column] */
};

/* A report after the other, each a run of frames. */
struct reports {
	struct arena arena;
	struct list frame; /* of struct frame */
	size_t n_label;
};

/* Adds what a file holds; 0 or negative with e filled. Of a damaged report (WCP_EDATA) what is
 * whole is added. */
int read_report(struct reports *in, const char *path, const char *label, struct wcp_error *e);
int read_tsv(struct reports *in, const char *text, const char *label, struct wcp_error *e);
int read_json(struct reports *in, const char *text, const char *label, struct wcp_error *e);

struct frame *frame_new(struct reports *in, const char *name, const char *label);
size_t frame_add_column(struct reports *in, struct frame *f, const char *name);
const char **frame_add_row(struct reports *in, struct frame *f);
/* -1 if there is none. */
int frame_column(const struct frame *f, const char *name);
/* A table of pairs as one with a column for each name, a row each time the first name comes. */
struct frame *frame_pivot(struct reports *in, const struct frame *pairs);
/* The number that a cell holds, NAN if none. */
double cell_number(const char *cell);

/* ---- what to draw ------------------------------------------------------------------------- */

enum kind {
	KIND_AUTO,
	KIND_CDF,
	KIND_MRC,
	KIND_LINES,
	KIND_SERIES,
	KIND_BARS,
	KIND_STACK,
	KIND_HEAT,
	KIND_COUNT
};
extern const char *const kind_name[KIND_COUNT];

/*
 * Columns are named with commas between; "*" and "?" match as in the shell; "<NAME" means all
 * columns that stand before NAME. For BARS and STACK, x names what stands along the axis (NULL: the
 * reports; "@title": the tables' titles; for curves "@columns": the y columns, step apart), by what
 * the bars at a place are (NULL: the y columns), for HEAT y stands along the vertical axis and z is
 * shown.
 */
struct plan {
	enum kind kind;
	const char *tool, *table; /* NULL: any tool */
	const char *x, *y, *z, *by;
	double step;
	bool log_x;
	bool geomean;
	bool share;	   /* STACK: in percent of the whole bar */
	const char *where; /* "COLUMN=VALUE": only such rows; "COLUMN!=VALUE": only others */
	const char *xlabel, *ylabel, *title;
};

extern const struct plan plans[];
/* The first plan that a table of the reports fits and that agrees with what was asked for (fields
 * of ask that are set); NULL if there is none. */
const struct plan *recognise(struct reports *in, const struct plan *ask, struct plan *own);
bool plan_fits(const struct plan *p, const struct frame *f);
/* Does the name match one of the list's? */
bool names_match(const struct frame *f, const char *names, const char *column);

/* ---- what is drawn ------------------------------------------------------------------------ */

struct point {
	double x, y, low, high; /* HEAT: y is the row's place, low the value */
};

struct curve {
	const char *legend;
	size_t n, cap;
	struct point *point; /* [cap] malloc'd */
};

/* Where names of curves and bars stand. */
enum key { KEY_ABOVE, KEY_RIGHT, KEY_BELOW };

struct drawing {
	const struct plan *plan;
	struct arena *arena;
	const char *title, *xlabel, *ylabel, *zlabel;
	bool log_x, bars_of_error;
	struct list curve;	  /* of struct curve; BARS and STACK: one for each bar at a place */
	struct list xname, yname; /* places along the axes, where they are names */
	bool geomean;		  /* the last place is the geometric mean */
	enum key key;
	size_t key_columns; /* of KEY_BELOW */
	size_t below;	    /* pixels, or lines of letters, that names need beside the picture */
};

struct wishes {
	struct plan plan; /* kind AUTO, NULLs: by the report */
	const char *title, *xlabel, *ylabel, *relative;
	bool log_x, linear_x, log_y, geomean, share;
	uint64_t top; /* places at most */
	const char *format, *script, *data, *style;
	uint64_t width, height; /* pixels, 0: by the format */
	bool letters;		/* the picture is made of them */
};

struct curve *drawing_curve(struct drawing *d, const char *legend);
void curve_add(struct curve *c, struct point p);
void drawing_release(struct drawing *d);
/* Number of name in l, which it is added to. After items were moved, list_forget. */
size_t place(struct list *l, struct arena *a, const char *name);
void list_forget(struct list *l);
/* The unit of the columns, where they share one; "" else. */
const char *unit_of(const struct frame *f, const char *names);
/* "miss ratio (%)" */
const char *label_of(struct arena *a, const char *column, const char *unit);
/* Of a path the last part; all else as it is. */
const char *without_directory(const char *path);

int collect(struct tool *t, struct reports *in, const struct wishes *w, const struct plan *p,
    struct drawing *d);
int collect_bars(struct tool *t, struct reports *in, const struct wishes *w, struct drawing *d);
void collect_heat(struct reports *in, const struct wishes *w, struct drawing *d);

enum format { FORMAT_TEXT, FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

/* Everything that gnuplot is to be told; a malloc'd text. NULL if a style is missing, having said
 * why. */
char *script_text(struct tool *t, const struct wishes *w, struct drawing *d, enum format format);
/* The data for people: what stands in the script, with names. */
void write_data(const struct drawing *d, FILE *out);
/* Runs gnuplot on the script; its output, malloc'd. 0 or a status, having said why. */
int run_gnuplot(struct tool *t, const char *script, char **picture, size_t *n);

#endif

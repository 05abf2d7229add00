#include "workload/input/load.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	int32_t row, column;
	float value;
};

/* A file as it is read. */
struct loader {
	struct host *h;
	const char *path;
	char *at;      /* where the next line begins; a NUL ends all */
	uint64_t line; /* of what take_line gave */
	struct entry *entry;
	size_t entries, room;
	int64_t rows, promised; /* as a header says, -1: none */
	bool valued, mirrored, negated, base_one;
};

static void
complain(struct loader *l, const char *what)
{
	host_fail_at(l->h, l->path, l->line, "%s", what);
}

/* The next line, its end made a NUL; NULL at the end. */
static char *
take_line(struct loader *l)
{
	char *line = l->at;
	if (!*line)
		return NULL;
	char *end = line + strcspn(line, "\n");
	l->at = *end ? end + 1 : end;
	*end = 0;
	if (end > line && end[-1] == '\r')
		end[-1] = 0;
	l->line++;
	return line;
}

static bool
is_blank(const char *text)
{
	return text[strspn(text, " \t")] == 0;
}

static bool
take_integer(char **text, int64_t *value)
{
	char *end;
	*value = strtoll(*text, &end, 10);
	bool taken = end != *text && (*end == 0 || isspace((unsigned char)*end));
	*text = end;
	return taken;
}

static bool
take_real(char **text, float *value)
{
	char *end;
	double x = strtod(*text, &end);
	bool taken = end != *text && isfinite(x);
	*value = (float)x;
	*text = end;
	return taken;
}

static bool
append(struct loader *l, int64_t row, int64_t column, float value)
{
	if (l->entries == l->room) {
		size_t room = l->room ? 2 * l->room : 4096;
		struct entry *grown = realloc(l->entry, room * sizeof *grown);
		if (!grown) {
			host_fail(l->h, WCP_ESYS, "no memory for %zu entries", room);
			return false;
		}
		l->entry = grown;
		l->room = room;
	}
	if (l->entries >= INT32_MAX / 2) {
		complain(l, "the file has 2^30 entries or more");
		return false;
	}
	l->entry[l->entries++] = (struct entry){(int32_t)row, (int32_t)column, value};
	return true;
}

/* "U V", and a value if the file has them; ids from 0 or 1. */
static void
take_entry(struct loader *l, char *text)
{
	int64_t u, v, base = l->base_one;
	float value = 1;
	if (!take_integer(&text, &u) || !take_integer(&text, &v))
		complain(l, "two whole numbers wanted");
	else if (u < base || v < base || u >= INT32_MAX || v >= INT32_MAX)
		complain(l, base ? "numbers from 1 wanted" : "numbers from 0 wanted");
	else if (l->rows >= 0 && (u - base >= l->rows || v - base >= l->rows))
		host_fail_at(l->h, l->path, l->line,
		    "%lld is not below the %lld that the header says", (long long)(u > v ? u : v),
		    (long long)l->rows);
	else if (l->valued && !take_real(&text, &value))
		complain(l, "a number as value wanted");
	else if (!is_blank(text))
		complain(l, "more than an entry on the line");
	else
		append(l, u - base, v - base, value);
}

/* ---- the three kinds ------------------------------------------------------------------------ */

static bool
has_word(const char *line, const char *word)
{
	size_t n = strlen(word);
	for (; *line; line += strcspn(line, " \t"), line += strspn(line, " \t"))
		if (!strncasecmp(line, word, n) && (!line[n] || isspace((unsigned char)line[n])))
			return true;
	return false;
}

static bool
read_banner(struct loader *l)
{
	const char *banner = take_line(l);
	if (!has_word(banner, "matrix") || !has_word(banner, "coordinate"))
		complain(l, "a matrix in coordinates wanted");
	else if (!has_word(banner, "real") && !has_word(banner, "integer") &&
		 !has_word(banner, "pattern"))
		complain(l, "real, integer or pattern wanted");
	else if (has_word(banner, "hermitian"))
		complain(l, "general, symmetric or skew-symmetric wanted");
	else {
		l->valued = !has_word(banner, "pattern");
		l->negated = has_word(banner, "skew-symmetric");
		l->mirrored = l->negated || has_word(banner, "symmetric");
		return true;
	}
	return false;
}

static void
read_size(struct loader *l, char *line)
{
	int64_t columns;
	if (!take_integer(&line, &l->rows) || !take_integer(&line, &columns) ||
	    !take_integer(&line, &l->promised) || !is_blank(line))
		complain(l, "rows, columns and entries wanted");
	else if (l->rows < 1 || columns < 1 || l->promised < 0 || l->rows >= INT32_MAX ||
		 columns >= INT32_MAX)
		complain(l, "the sizes are no sizes of a matrix");
	else if (columns > l->rows)
		l->rows = columns;
}

static void
read_matrix_market(struct loader *l)
{
	if (!read_banner(l))
		return;
	l->base_one = true;
	char *line;
	while (!host_failed(l->h) && (line = take_line(l))) {
		if (line[0] == '%' || is_blank(line))
			continue;
		if (l->promised < 0)
			read_size(l, line);
		else
			take_entry(l, line);
	}
	if (l->promised < 0)
		complain(l, "the line of sizes is missing");
}

static void
read_problem(struct loader *l, char *line)
{
	char kind[8];
	int n = 0;
	if (l->promised >= 0)
		complain(l, "a second p line");
	else if (sscanf(line, "p %7s %n", kind, &n) != 1 || !n ||
		 (strcmp(kind, "sp") && strcmp(kind, "edge") && strcmp(kind, "col")))
		complain(l, "p sp, p edge or p col wanted");
	else {
		line += n;
		if (!take_integer(&line, &l->rows) || !take_integer(&line, &l->promised) ||
		    !is_blank(line) || l->rows < 1 || l->rows >= INT32_MAX || l->promised < 0)
			complain(l, "vertices and edges wanted");
		l->mirrored = strcmp(kind, "sp") != 0;
		l->valued = !l->mirrored;
	}
}

static void
read_dimacs(struct loader *l)
{
	char *line;
	l->base_one = true;
	while (!host_failed(l->h) && (line = take_line(l))) {
		bool entry = line[0] == (l->mirrored ? 'e' : 'a');
		if (line[0] == 'c' || is_blank(line))
			continue;
		if (line[0] == 'p')
			read_problem(l, line);
		else if (!entry)
			complain(l, l->mirrored ? "c or e wanted" : "c, p or a wanted");
		else if (l->promised < 0)
			complain(l, "an edge before the p line");
		else
			take_entry(l, line + 1);
	}
	if (l->promised < 0)
		complain(l, "the p line is missing");
}

/* Three columns? The first edge tells for all. */
static bool
has_value(const char *line)
{
	int n = 0;
	sscanf(line, "%*s %*s %n", &n);
	return n && line[n];
}

static void
read_edges(struct loader *l)
{
	char *line;
	while (!host_failed(l->h) && (line = take_line(l))) {
		if (line[0] == '#' || line[0] == '%' || is_blank(line))
			continue;
		if (l->entries == 0)
			l->valued = has_value(line);
		take_entry(l, line);
	}
	for (size_t k = 0; k < l->entries; k++) {
		int64_t last =
		    l->entry[k].row > l->entry[k].column ? l->entry[k].row : l->entry[k].column;
		l->rows = last >= l->rows ? last + 1 : l->rows;
	}
}

/* ---- into rows ------------------------------------------------------------------------------ */

static int
in_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static void
fold(struct loader *l, struct csr *g)
{
	if (l->entry)
		qsort(l->entry, l->entries, sizeof *l->entry, in_order);
	g->rows = (uint32_t)l->rows;
	g->entries = (uint32_t)l->entries;
	g->row = host_memory(l->h, (uint64_t)g->rows + 1, sizeof *g->row);
	g->column = host_memory(l->h, (uint64_t)g->entries + 1, sizeof *g->column);
	g->value = l->valued ? host_memory(l->h, (uint64_t)g->entries + 1, sizeof *g->value) : NULL;
	if (host_failed(l->h))
		return;
	for (size_t k = 0; k < l->entries; k++) {
		g->row[l->entry[k].row + 1]++;
		g->column[k] = l->entry[k].column;
		if (g->value)
			g->value[k] = l->entry[k].value;
	}
	for (uint32_t r = 0; r < g->rows; r++)
		g->row[r + 1] += g->row[r];
}

static void
mirror(struct loader *l)
{
	size_t entries = l->entries;
	for (size_t k = 0; k < entries; k++) {
		struct entry e = l->entry[k];
		if (e.row != e.column &&
		    !append(l, e.column, e.row, l->negated ? -e.value : e.value))
			return;
	}
}

static void
read_all(struct loader *l)
{
	if (!strncasecmp(l->at, "%%MatrixMarket", 14))
		read_matrix_market(l);
	else if ((l->at[0] == 'c' || l->at[0] == 'p') &&
		 (isspace((unsigned char)l->at[1]) || !l->at[1]))
		read_dimacs(l);
	else
		read_edges(l);
	if (host_failed(l->h))
		return;
	if (l->promised >= 0 && (int64_t)l->entries != l->promised)
		host_fail_at(l->h, l->path, l->line, "%zu entries, the header says %lld",
		    l->entries, (long long)l->promised);
	else if (l->entries == 0)
		host_fail_at(l->h, l->path, 0, "the file has no entries");
}

void
load_graph(struct host *h, struct csr *g, const char *path, enum load_as as)
{
	struct loader l = {.h = h, .path = path, .rows = -1, .promised = -1};
	uint64_t bytes = 0;
	uint8_t *text = host_read_file(h, path, &bytes);
	*g = (struct csr){0};
	if (!text)
		return;
	l.at = (char *)text;
	if (memchr(text, 0, bytes))
		host_fail_at(h, path, 0, "the file is no text");
	else
		read_all(&l);
	if (!host_failed(h) && (l.mirrored || as == LOAD_UNDIRECTED))
		mirror(&l);
	if (!host_failed(h))
		fold(&l, g);
	free(l.entry);
}

/* Memory, and tables. */
#include "warpplot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10 };

struct chunk {
	struct chunk *next;
	size_t used, cap;
	max_align_t bytes[];
};

void *
arena_get(struct arena *a, size_t bytes)
{
	struct chunk *c = a->chunk;
	bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!c || c->cap - c->used < bytes) {
		size_t cap = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		c = must_alloc(NULL, sizeof *c + cap);
		*c = (struct chunk){.next = a->chunk, .cap = cap};
		a->chunk = c;
	}
	void *p = (char *)c->bytes + c->used;
	c->used += bytes;
	return memset(p, 0, bytes);
}

char *
arena_text(struct arena *a, const char *text, size_t length)
{
	char *p = arena_get(a, length + 1);
	memcpy(p, text, length);
	return p;
}

char *
arena_format(struct arena *a, const char *format, ...)
{
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, format, ap);
	char *p = arena_get(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, format, again);
	va_end(again);
	va_end(ap);
	return p;
}

void
arena_release(struct arena *a)
{
	while (a->chunk) {
		struct chunk *next = a->chunk->next;
		free(a->chunk);
		a->chunk = next;
	}
}

void
list_add(struct list *l, void *item)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 8;
		l->item = must_alloc(l->item, l->cap * sizeof *l->item);
	}
	l->item[l->n++] = item;
}

void
list_forget(struct list *l)
{
	free(l->slot);
	l->slot = NULL;
	l->slots = 0;
}

void
list_release(struct list *l)
{
	list_forget(l);
	free(l->item);
	*l = (struct list){0};
}

static size_t
slot_of(const struct list *l, const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (const char *p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	size_t at = (size_t)(h ^ h >> 32) & (l->slots - 1);
	while (l->slot[at] && strcmp(l->item[l->slot[at] - 1], name) != 0)
		at = (at + 1) & (l->slots - 1);
	return at;
}

size_t
place(struct list *l, struct arena *a, const char *name)
{
	if (2 * (l->n + 1) > l->slots) {
		size_t slots = 64;
		while (slots < 4 * (l->n + 1))
			slots *= 2;
		list_forget(l);
		l->slots = slots;
		l->slot = must_alloc(NULL, slots * sizeof *l->slot);
		memset(l->slot, 0, slots * sizeof *l->slot);
		for (size_t i = 0; i < l->n; i++)
			l->slot[slot_of(l, l->item[i])] = (uint32_t)i + 1;
	}
	size_t at = slot_of(l, name);
	if (!l->slot[at]) {
		list_add(l, arena_text(a, name, strlen(name)));
		l->slot[at] = (uint32_t)l->n;
	}
	return l->slot[at] - 1;
}

struct frame *
frame_new(struct reports *in, const char *name, const char *label)
{
	struct frame *f = arena_get(&in->arena, sizeof *f);
	f->name = arena_text(&in->arena, name, strlen(name));
	f->label = label;
	list_add(&in->frame, f);
	return f;
}

size_t
frame_add_column(struct reports *in, struct frame *f, const char *name)
{
	if (f->n_column == f->cap_column) {
		size_t cap = f->cap_column ? 2 * f->cap_column : 16;
		const char **column = arena_get(&in->arena, 2 * cap * sizeof *column);
		const char **unit = column + cap;
		for (size_t i = 0; i < f->n_column; i++) {
			column[i] = f->column[i];
			unit[i] = f->unit[i];
		}
		f->column = column;
		f->unit = unit;
		f->cap_column = cap;
	}
	f->column[f->n_column] = name;
	f->unit[f->n_column] = "";
	return f->n_column++;
}

const char **
frame_add_row(struct reports *in, struct frame *f)
{
	const char **row = arena_get(&in->arena, f->n_column * sizeof *row);
	list_add(&f->row, row);
	return row;
}

int
frame_column(const struct frame *f, const char *name)
{
	for (size_t i = 0; i < f->n_column; i++)
		if (!strcmp(f->column[i], name))
			return (int)i;
	return -1;
}

static void
pivot_columns(struct reports *in, struct frame *to, const struct frame *pairs)
{
	for (size_t i = 0; i < pairs->row.n; i++) {
		const char **row = pairs->row.item[i];
		if (!row[0] || frame_column(to, row[0]) >= 0)
			continue;
		size_t at = frame_add_column(in, to, row[0]);
		to->unit[at] = row[2] ? row[2] : "";
	}
}

struct frame *
frame_pivot(struct reports *in, const struct frame *pairs)
{
	struct frame *to = frame_new(in, pairs->name, pairs->label);
	const char **current = NULL;
	to->title = pairs->title;
	to->tool = pairs->tool;
	pivot_columns(in, to, pairs);
	for (size_t i = 0; i < pairs->row.n; i++) {
		const char **row = pairs->row.item[i];
		int at = row[0] ? frame_column(to, row[0]) : -1;
		if (at < 0)
			continue;
		if (!current || at == 0)
			current = frame_add_row(in, to);
		current[at] = row[1];
	}
	return to;
}

double
cell_number(const char *cell)
{
	char *end;
	if (!cell || !*cell)
		return NAN;
	double x = strtod(cell, &end);
	return *end || isinf(x) ? NAN : x; /* the infinite has no place in a picture */
}

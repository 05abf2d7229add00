/* Instructions become lines, lines get their text. */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>
#include "shared.h"

/* ---- sources ------------------------------------------------------------------------------ */

static char *
read_whole(FILE *f)
{
	size_t n = 0, cap = 1 << 14, got;
	char *text = must_alloc(NULL, cap);
	while ((got = fread(text + n, 1, cap - n - 1, f)) > 0) {
		n += got;
		if (cap - n < 2)
			text = must_alloc(text, cap *= 2);
	}
	text[n] = 0;
	fclose(f);
	return text;
}

static FILE *
open_joined(const char *directory, const char *name)
{
	char path[8300];
	int n = snprintf(path, sizeof path, "%s/%s", directory, name);
	return n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
}

/* In the directories given, with its path and without, then where it was, then among ours. */
static FILE *
open_source(const struct annotate *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	FILE *f = NULL;
	for (size_t i = 0; !f && i < a->n_directory; i++) {
		f = open_joined(a->directory[i], path);
		f = f ? f : open_joined(a->directory[i], name);
	}
	f = f ? f : fopen(path, "re");
	if (!f && !strncmp(path, "share/workload/", 15))
		f = shared_open(NULL, "workload", path + 15);
	return f;
}

static void
split(struct source *s)
{
	uint32_t cap = 0;
	for (char *p = s->text; *p;) {
		if (s->n == cap) {
			cap = cap ? 2 * cap : 256;
			s->line = must_alloc(s->line, cap * sizeof *s->line);
		}
		s->line[s->n++] = p;
		size_t n = strcspn(p, "\n");
		char *next = p + n + (p[n] == '\n');
		if (n && p[n - 1] == '\r')
			p[n - 1] = 0;
		p[n] = 0;
		p = next;
	}
}

const struct source *
source_get(struct annotate *a, const char *path)
{
	for (size_t i = 0; i < a->n_source; i++)
		if (!strcmp(a->source[i].path, path))
			return &a->source[i];
	a->source = must_alloc(a->source, (a->n_source + 1) * sizeof *a->source);
	struct source *s = &a->source[a->n_source++];
	*s = (struct source){.path = strcpy(must_alloc(NULL, strlen(path) + 1), path)};
	FILE *f = open_source(a, path);
	if (f) {
		s->text = read_whole(f);
		split(s);
	} else {
		tool_warn(a->tool, "%s: not found; --source names its directory", path);
	}
	return s;
}

char *
source_line(const struct source *s, uint32_t line)
{
	if (!line || line > s->n)
		return NULL;
	const char *from = s->line[line - 1];
	char *out = must_alloc(NULL, 4 * strlen(from) + 1);
	size_t n = 0;
	for (; *from; from++) {
		if (*from != '\t') {
			out[n++] = *from;
			continue;
		}
		do
			out[n++] = ' ';
		while (n % 4);
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
	return out;
}

/* ---- rows --------------------------------------------------------------------------------- */

struct placed {
	const char *file;
	uint32_t line, pc;
};

/* If only some instructions have a line, the others are of none. */
static bool
has_files(const struct wcp_program *p)
{
	for (uint32_t pc = 0; pc < p->n_insn; pc++)
		if (p->insn[pc].file != WCP_NONE32)
			return true;
	return false;
}

static struct placed
place_of(const struct annotate *a, const struct wcp_program *p, uint32_t pc)
{
	const struct wcp_insn *insn = &p->insn[pc];
	if (a->by == BY_PC)
		return (struct placed){NULL, pc, pc};
	if (a->by == BY_PTX)
		return (struct placed){a->ptx, insn->ptx_line, pc};
	if (insn->file == WCP_NONE32 || insn->file >= p->n_string)
		return (struct placed){NULL, has_files(p) ? 0 : insn->ptx_line, pc};
	return (struct placed){p->strings + insn->file, insn->line, pc};
}

static int
compare(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->file != y->file) {
		int order = !x->file ? -1 : !y->file ? 1 : strcmp(x->file, y->file);
		if (order)
			return order;
	}
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool
same_row(const struct annotate *a, const struct row *r, const struct placed *p)
{
	bool file = r->file == p->file || (r->file && p->file && !strcmp(r->file, p->file));
	return file && r->line == p->line && (a->by != BY_PC || r->insns == 0);
}

static void
add_insn(struct row *r, const struct counts *c)
{
	r->insns++;
	for (int f = 0; f < FIG_COUNT; f++)
		r->sum.n[f] += c->n[f];
	if (c->n[FIG_INSNS] > r->executions)
		r->executions = c->n[FIG_INSNS];
}

struct rows
rows_make(const struct annotate *a, const struct code *c)
{
	uint32_t n = c->program->n_insn;
	struct placed *at = must_alloc(NULL, (n + 1) * sizeof *at);
	struct rows r = {
	    must_alloc(NULL, (n + 1) * sizeof *r.row), must_alloc(NULL, (n + 1) * sizeof *r.pc), 0};
	for (uint32_t pc = 0; pc < n; pc++)
		at[pc] = place_of(a, c->program, pc);
	qsort(at, n, sizeof *at, compare);
	for (uint32_t i = 0; i < n; i++) {
		r.pc[i] = at[i].pc;
		if (!r.n || !same_row(a, &r.row[r.n - 1], &at[i]))
			r.row[r.n++] = (struct row){
			    .code = c, .file = at[i].file, .line = at[i].line, .first = i};
		add_insn(&r.row[r.n - 1], &c->counts[at[i].pc]);
	}
	free(at);
	return r;
}

const char *
row_file(const struct annotate *a, const struct row *row)
{
	if (row->file)
		return row->file;
	return a->by == BY_PC ? "instructions"
	       : row->line    ? "lines of its PTX"
			      : "instructions without a line";
}

void
rows_release(struct rows *r)
{
	free(r->row);
	free(r->pc);
}

/* The first few opcodes of a row. */
static char *
opcodes(const struct rows *r, const struct row *row)
{
	enum { FEW = 4 };
	const struct wcp_program *p = row->code->program;
	uint32_t n = row->insns > FEW + 1 ? FEW : row->insns;
	size_t room = 32;
	for (uint32_t i = 0; i < n; i++)
		room += strlen(p->strings + p->insn[r->pc[row->first + i]].opcode) + 2;
	char *text = must_alloc(NULL, room), *to = text;
	for (uint32_t i = 0; i < n; i++) {
		const char *opcode = p->strings + p->insn[r->pc[row->first + i]].opcode;
		to = stpcpy(stpcpy(to, i ? "; " : ""), opcode);
	}
	if (n < row->insns)
		sprintf(to, "; %u more", row->insns - n);
	return text;
}

char *
row_text(struct annotate *a, const struct rows *r, const struct row *row)
{
	char *text =
	    row->file && a->by != BY_PC ? source_line(source_get(a, row->file), row->line) : NULL;
	return text ? text : opcodes(r, row);
}

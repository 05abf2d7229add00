/* What -h prints: the usage line, the summary and one line per option, all from the tool's table.
 */
#include <string.h>
#include "private.h"

enum { LINE_WIDTH = 80 };

/* A usage line folded at the line's width. */
struct fold {
	FILE *out;
	int column, indent;
};

static void
fold_word(struct fold *f, const char *word)
{
	int width = (int)strlen(word);
	if (f->column + 1 + width > LINE_WIDTH && f->column > f->indent) {
		fprintf(f->out, "\n%*s", f->indent, "");
		f->column = f->indent;
	} else {
		fputc(' ', f->out);
		f->column++;
	}
	fputs(word, f->out);
	f->column += width;
}

static void
usage_flags(const struct tool_spec *spec, struct fold *f)
{
	char word[100] = "[-";
	size_t n = 2;
	for (const struct tool_option *o = spec->option; o->name; o++) {
		if (o->letter && !o->argument && n < sizeof word - 2)
			word[n++] = o->letter;
	}
	if (n == 2)
		return;
	strcpy(word + n, "]");
	fold_word(f, word);
}

static bool
is_optional(const struct tool_option *o)
{
	return o->argument && *o->argument == '=';
}

static void
usage_option(const struct tool_option *o, struct fold *f)
{
	char word[200];
	if (o->letter && !o->argument)
		return;
	if (o->letter)
		snprintf(word, sizeof word, "[-%c %s]", o->letter, o->argument);
	else if (is_optional(o))
		snprintf(word, sizeof word, "[--%s[%s]]", o->name, o->argument);
	else if (o->argument)
		snprintf(word, sizeof word, "[--%s %s]", o->name, o->argument);
	else
		snprintf(word, sizeof word, "[--%s]", o->name);
	fold_word(f, word);
}

static int
option_width(const struct tool_option *o)
{
	return (
	    int)(strlen(o->name) + (o->argument ? 1 + is_optional(o) + strlen(o->argument) : 0));
}

static void
print_options(const struct tool_spec *spec, FILE *out)
{
	int width = 0;
	for (const struct tool_option *o = spec->option; o->name; o++) {
		int w = option_width(o);
		width = w > width ? w : width;
	}
	for (const struct tool_option *o = spec->option; o->name; o++) {
		if (o->letter)
			fprintf(out, "  -%c, ", o->letter);
		else
			fputs("      ", out);
		const char *before = is_optional(o) ? "[" : o->argument ? " " : "";
		fprintf(out, "--%s%s%s%s%*s  %s\n", o->name, before, o->argument ? o->argument : "",
		    is_optional(o) ? "]" : "", width - option_width(o), "", o->help);
	}
}

void
tool_help(const struct tool_spec *spec, FILE *out)
{
	int start = fprintf(out, "usage: %s", spec->name);
	struct fold f = {out, start, start + 1};
	usage_flags(spec, &f);
	for (const struct tool_option *o = spec->option; o->name; o++)
		usage_option(o, &f);
	if (spec->operands && *spec->operands)
		fold_word(&f, spec->operands);
	fprintf(out, "\n%s\n\n", spec->summary);
	print_options(spec, out);
}

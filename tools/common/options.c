/* Options: one table per tool is the only source of short letters, long names and -h. */
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "private.h"

enum { MAX_OPTIONS = 96, LONG_BASE = 1024 };

/* The table in getopt_long's terms. */
struct grammar {
	char letters[2 * MAX_OPTIONS + 3];
	struct option name[MAX_OPTIONS + 1];
};

static void
make_grammar(const struct tool_spec *spec, struct grammar *g)
{
	char *p = g->letters;
	*p++ = spec->stop_at_operand ? '+' : '-';
	*p++ = ':';
	int n = 0;
	for (const struct tool_option *o = spec->option; o->name && n < MAX_OPTIONS; o++, n++) {
		const int has = !o->argument	      ? no_argument
				: *o->argument == '=' ? optional_argument
						      : required_argument;
		g->name[n] = (struct option){o->name, has, NULL, LONG_BASE + n};
		if (o->letter) {
			*p++ = o->letter;
			if (o->argument)
				*p++ = ':';
		}
	}
	*p = 0;
	g->name[n] = (struct option){0};
}

static const struct tool_option *
by_letter(const struct tool_spec *spec, int letter)
{
	for (const struct tool_option *o = spec->option; o->name; o++) {
		if (o->letter == letter)
			return o;
	}
	return NULL;
}

static unsigned
processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

static void
print_version(struct tool *t)
{
	printf("%s (warpcap) %s\n", t->spec->name, WARPCAP_VERSION);
	exit(tool_finish(t, 0));
}

static void
print_help(struct tool *t)
{
	tool_help(t->spec, stdout);
	exit(tool_finish(t, 0));
}

static int
set_number(struct tool *t, enum tool_reserved id, const char *value)
{
	uint64_t n;
	int status;
	if (id == TOOL_J) {
		if ((status = tool_u64(t, "-j", value, 0, 1024, &n)))
			return status;
		t->threads = n ? (unsigned)n : processors();
	} else if (id == TOOL_Z) {
		if ((status = tool_u64(t, "-Z", value, 0, 22, &n)))
			return status;
		t->level = (int)n;
	} else {
		if ((status = tool_u64(t, "--seed", value, 0, UINT64_MAX, &n)))
			return status;
		t->seed = n;
		t->seed_given = true;
	}
	return 0;
}

static int
set_format(struct tool *t, enum tool_format format)
{
	if (t->format != TOOL_TEXT && t->format != format)
		return tool_usage(t, "--json and --tsv exclude each other");
	t->format = format;
	return 0;
}

static int
add_setting(struct tool *t, const char *value)
{
	const char *equals = strchr(value, '=');
	if (!equals || equals == value)
		return tool_usage(t, "--set takes KEY=VALUE, not '%s'", value);
	t->set = must_alloc(t->set, (t->n_set + 1) * sizeof t->set[0]);
	t->set[t->n_set++] = value;
	return 0;
}

static int
set_reserved(struct tool *t, enum tool_reserved id, const char *value)
{
	switch (id) {
	case TOOL_O: t->output = value; return 0;
	case TOOL_R: t->report = value; return 0;
	case TOOL_F: t->filter = value; return 0;
	case TOOL_M: t->machine = value; return 0;
	case TOOL_Q: t->quiet = true; return 0;
	case TOOL_V: t->verbose++; return 0;
	case TOOL_PROGRESS: t->progress = 1; return 0;
	case TOOL_NO_PROGRESS: t->progress = 0; return 0;
	case TOOL_JSON: return set_format(t, TOOL_FORMAT_JSON);
	case TOOL_TSV: return set_format(t, TOOL_FORMAT_TSV);
	case TOOL_SET: return add_setting(t, value);
	case TOOL_J:
	case TOOL_Z:
	case TOOL_SEED: return set_number(t, id, value);
	case TOOL_H: print_help(t); return 0;
	case TOOL_VERSION: print_version(t); return 0;
	}
	return 0;
}

static int
bad_option(const struct tool *t, const struct tool_option *last, int c, const char *word)
{
	if (c == ':' && last)
		return tool_usage(t, "option %s needs an argument: %s", word, last->argument);
	if (c == ':')
		return tool_usage(t, "option %s needs an argument", word);
	if (optopt >= LONG_BASE)
		return tool_usage(t, "option %s takes no argument", word);
	if (optopt)
		return tool_usage(t, "unknown option -%c", optopt);
	return tool_usage(t, "unknown or ambiguous option %s", word);
}

static int
take_option(struct tool *t, const struct tool_option *o, const char *value)
{
	if (o->id < 256)
		return set_reserved(t, (enum tool_reserved)o->id, value);
	return t->spec->on_option(t, o->id, value);
}

static int
check_operands(struct tool *t)
{
	const struct tool_spec *spec = t->spec;
	if (t->argc < spec->min_operands)
		return tool_usage(t, "missing operand: %s", spec->operands);
	if (spec->max_operands >= 0 && t->argc > spec->max_operands)
		return tool_usage(t, "unexpected operand '%s'", t->argv[spec->max_operands]);
	if (t->output && !*t->output)
		return tool_usage(t, "-o: the name of a file is empty");
	if (t->report && !*t->report)
		return tool_usage(t, "-r: the name of a file is empty");
	if (t->output && t->report && strcmp(t->output, "-") && !strcmp(t->output, t->report))
		return tool_usage(t, "-o and -r both name %s", t->output);
	return 0;
}

int
options_parse(struct tool *t, int argc, char **argv)
{
	const struct tool_spec *spec = t->spec;
	struct grammar g = {0};
	make_grammar(spec, &g);
	opterr = 0;
	optind = 1;
	int operands = 0; /* moved to the front of argv, behind the program's name */
	int c, status;
	while ((c = getopt_long(argc, argv, g.letters, g.name, NULL)) != -1) {
		const char *word = argv[optind - 1];
		if (c == 1) {
			argv[1 + operands++] = optarg;
			continue;
		}
		if (c == '?' || c == ':') {
			const struct tool_option *last = NULL;
			if (c == ':')
				last = optopt >= LONG_BASE ? &spec->option[optopt - LONG_BASE]
							   : by_letter(spec, optopt);
			return bad_option(t, last, c, word);
		}
		const struct tool_option *o =
		    c >= LONG_BASE ? &spec->option[c - LONG_BASE] : by_letter(spec, c);
		if ((status = take_option(t, o, optarg)))
			return status;
	}
	while (optind < argc)
		argv[1 + operands++] = argv[optind++];
	argv[1 + operands] = NULL;
	t->argc = operands;
	t->argv = argv + 1;
	return check_operands(t);
}

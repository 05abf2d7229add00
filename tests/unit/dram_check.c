/*
 * usage: dram_check [-e] [FILE]
 * Reads a log of DRAM commands with the memory's config above it, "# key=value" each, and says for
 * every rule between two commands how often it was met, how often it was the one that bound, and
 * how often at its exact minimum. 1 if a command breaks a rule; with -e also if a rule that two
 * commands met under was never at its minimum. 3 if the log is not one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/check.h"

static int
bad(unsigned long line, const char *what)
{
	fprintf(stderr, "dram_check: line %lu: %s\n", line, what);
	return 3;
}

/* "# key=value"; other comments say nothing. */
static bool
config_line(char *line, struct wcp_dram_organisation *o, struct wcp_dram_timing *t)
{
	char *key = line + 1 + strspn(line + 1, " "), *value = strchr(key, '=');
	if (!value)
		return true;
	*value++ = 0;
	value[strcspn(value, "\r\n")] = 0;
	return check_set(o, t, key, value) || check_ignored(key);
}

static int
read_log(FILE *f, struct check **k)
{
	struct wcp_dram_organisation o = {.channels = 1, .pseudo_channels = 1};
	struct wcp_dram_timing t = {0};
	struct wcp_dram_command c;
	char line[4096];
	for (unsigned long number = 1; fgets(line, sizeof line, f); number++) {
		if (*line == '#') {
			if (*k)
				return bad(number, "config below commands");
			if (!config_line(line, &o, &t))
				return bad(number, "neither a number nor a key that is known");
			continue;
		}
		if (!*k && !(*k = check_new(&o, &t)))
			return bad(number, "no such memory");
		if (!check_parse(line, &c))
			return bad(number, "not a command");
		check_command(*k, &c);
	}
	return 0;
}

static int
never_exact(const struct check *k)
{
	int never = 0;
	for (size_t i = 0; check_rules[i].name; i++) {
		const struct check_tally *y = check_tally(k, i);
		if (!y->pairs || y->exact)
			continue;
		printf("%s was never at its minimum\n", check_rules[i].name);
		never = 1;
	}
	return never;
}

int
main(int argc, char **argv)
{
	bool every = argc > 1 && !strcmp(argv[1], "-e");
	const char *name = argv[1 + every];
	FILE *f = !name || !strcmp(name, "-") ? stdin : fopen(name, "r");
	struct check *k = NULL;
	if (!f) {
		perror(name);
		return 4;
	}
	int status = read_log(f, &k);
	if (!status && !k)
		puts("no commands");
	if (!status && k) {
		check_end(k);
		check_report(k, stdout);
		status = check_violations(k) > 0;
		if (every)
			status |= never_exact(k);
	}
	if (k)
		check_free(k);
	if (f != stdin)
		fclose(f);
	return status;
}

/*
 * usage: dram_check [-e] [-m MACHINE] [-s dram.KEY=VALUE] [FILE]
 * Reads a log of DRAM commands, whose memory is that of the machine file or is told above them,
 * "# key=value" each; a line of column names is passed over. It says for
 * every rule between two commands how often it was met, how often it was the one that bound, and
 * how often at its exact minimum. 1 if a command breaks a rule; with -e also if a rule that two
 * commands met under was never at its minimum. 3 if the log is not one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dram/check.h"
#include "warpcap/machine.h"

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

/* What the log is to be checked against. */
struct memory {
	struct wcp_dram_config c;
	struct wcp_machine *machine;
	const char *setting[32];
	size_t settings;
};

static int
read_log(FILE *f, struct memory *m, struct check **k)
{
	struct wcp_dram_command c;
	char line[4096];
	for (unsigned long number = 1; fgets(line, sizeof line, f); number++) {
		if (*line == '#') {
			if (*k)
				return bad(number, "config below commands");
			if (!config_line(line, &m->c.organisation, &m->c.timing))
				return bad(number, "neither a number nor a key that is known");
			continue;
		}
		if (!strncmp(line, "cycle\t", 6) && !*k)
			continue;
		if (!*k && !(*k = check_new(&m->c.organisation, &m->c.timing)))
			return bad(number, "no such memory");
		if (m->c.controller.frees_at_act)
			check_columns_first(*k);
		if (!check_parse(line, &c))
			return bad(number, "not a command");
		check_command(*k, &c);
	}
	return 0;
}

static void
read_machine(struct memory *m, const char *name)
{
	struct wcp_error e = {0};
	int status = 0;
	m->c.organisation.channels = m->c.organisation.pseudo_channels = 1;
	m->c.organisation.ranks = m->c.organisation.bank_groups = 1;
	m->machine = wcp_machine_open(name, NULL, 0, &e);
	for (size_t i = 0; m->machine && i < m->settings && !status; i++)
		status = wcp_machine_set(m->machine, m->setting[i], &e);
	if (!m->machine || status) {
		fprintf(stderr, "dram_check: %s\n", e.text);
		exit(2);
	}
	wcp_machine_bind(m->machine, wcp_machine_section_named("dram"), &m->c);
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

static int
check_file(FILE *f, struct memory *m, bool every)
{
	struct check *k = NULL;
	int status = read_log(f, m, &k);
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
	return status;
}

int
main(int argc, char **argv)
{
	struct memory m = {0};
	const char *machine = NULL;
	bool every = false;
	for (int o; (o = getopt(argc, argv, "em:s:")) != -1;)
		if (o == 'e')
			every = true;
		else if (o == 'm')
			machine = optarg;
		else if (o == 's' && m.settings < 32)
			m.setting[m.settings++] = optarg;
		else
			return 2;
	read_machine(&m, machine);
	const char *name = argv[optind];
	FILE *f = !name || !strcmp(name, "-") ? stdin : fopen(name, "r");
	if (!f) {
		perror(name);
		return 4;
	}
	int status = check_file(f, &m, every);
	if (f != stdin)
		fclose(f);
	wcp_machine_free(m.machine);
	return status;
}

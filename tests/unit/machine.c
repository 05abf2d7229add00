/*
 * Machine files as tools read them: a tool that prints every section's keys as bound to its struct,
 * and for tests/machine.bats
 *	machine --keys			every section.key there is
 *	machine --distance A B		edit distance
 *	machine --blame SECTION TEXT	a model's refusal, with the place of the key that it names
 */
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#include "machine/machine.h"

enum { OPT_KEYS = 256, OPT_DISTANCE, OPT_BLAME, OPT_GIVEN };

static const struct tool_option options[] = {
    {0, "keys", NULL, "print all keys", OPT_KEYS},
    {0, "distance", NULL, "print the distance of two words", OPT_DISTANCE},
    {0, "blame", NULL, "place a refusal", OPT_BLAME},
    {0, "given", NULL, "print only what has a value", OPT_GIVEN},
    TOOL_OPT_MACHINE,
    TOOL_OPT_SET,
    TOOL_OPT_REPORT,
    TOOL_OPT_JSON,
    TOOL_OPT_TSV,
    TOOL_OPT_COMMON,
    TOOL_OPT_END,
};

static int
on_option(struct tool *t, int id, const char *value)
{
	(void)value;
	*(int *)t->arg = id;
	return 0;
}

static const struct tool_spec spec = {
    .name = "machine",
    .summary = "Prints a machine.",
    .operands = "[WORD ...]",
    .option = options,
    .on_option = on_option,
    .max_operands = 2,
};

static void
print_keys(void)
{
	const struct wcp_machine_section *s;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++)
		for (size_t k = 0; k < s->n_key; k++)
			printf("%s.%s\n", s->name, s->key[k].name);
}

static void
print_given(const struct wcp_machine *m)
{
	const struct wcp_machine_value *v;
	for (size_t i = 0; (v = wcp_machine_value(m, i)); i++)
		printf("%s.%s = %s # %s %s:%u\n", v->section->name, v->key->name, v->text,
		    v->source, strrchr(v->file, '/') ? strrchr(v->file, '/') + 1 : v->file,
		    v->line);
}

static int
print_machine(struct tool *t, const struct wcp_machine *m)
{
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	report_pair_text(r, "machine", wcp_machine_name(m));
	report_pair_text(r, "about", wcp_machine_about(m));
	const struct wcp_machine_section *s;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++) {
		void *config = calloc(1, s->bytes);
		if (!config)
			abort();
		if (tool_machine_bind(m, s->name, config))
			tool_machine_report(r, m, s->name, config);
		free(config);
	}
	return report_close(r);
}

static int
place_refusal(struct tool *t, const struct wcp_machine *m)
{
	struct wcp_error e;
	wcp_fail(&e, WCP_EUSAGE, "%s", t->argv[1]);
	return tool_machine_error(t, m, t->argv[0], &e);
}

int
main(int argc, char **argv)
{
	int what = 0, status = 0;
	struct tool t = {.arg = &what};
	tool_start(&t, &spec, argc, argv);
	if (what == OPT_KEYS)
		print_keys();
	else if (what == OPT_DISTANCE)
		printf("%u\n", near_distance(t.argv[0], t.argv[1]));
	if (what == OPT_KEYS || what == OPT_DISTANCE)
		return tool_finish(&t, 0);
	struct wcp_machine *m = tool_machine(&t, NULL, &status);
	if (m && what == OPT_BLAME)
		status = place_refusal(&t, m);
	else if (m && what == OPT_GIVEN)
		print_given(m);
	else if (m)
		status = print_machine(&t, m);
	wcp_machine_free(m);
	return tool_finish(&t, status);
}

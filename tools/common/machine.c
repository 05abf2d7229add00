#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "machine.h"
#include "private.h"

struct directories {
	char **path;
	size_t n;
};

/* One that exists, by the name that messages are to show. */
static void
add_directory(struct directories *d, const char *head, size_t length, const char *tail)
{
	char *path = must_alloc(NULL, length + strlen(tail) + 1);
	memcpy(path, head, length);
	strcpy(path + length, tail);
	char *real = length ? realpath(path, NULL) : NULL;
	free(path);
	if (!real)
		return;
	d->path = must_alloc(d->path, (d->n + 1) * sizeof d->path[0]);
	d->path[d->n++] = real;
}

/* A program stands in PREFIX/bin, or in bin of a build directory within the source. */
static void
add_beside_program(struct directories *d)
{
	static const char *const tail[] = {
	    "/../share/warpcap/machine", "/../../share/machine", "/../../../share/machine"};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	char *slash = strrchr(path, '/');
	for (size_t i = 0; slash && i < sizeof tail / sizeof tail[0]; i++)
		add_directory(d, path, (size_t)(slash - path), tail[i]);
}

static void
find_directories(struct directories *d)
{
	for (const char *p = getenv("WARPCAP_MACHINE_PATH"); p && *p;) {
		size_t length = strcspn(p, ":");
		add_directory(d, p, length, "");
		p += length + (p[length] == ':');
	}
	add_beside_program(d);
	static const char installed[] = WARPCAP_DATADIR "/warpcap/machine";
	add_directory(d, installed, sizeof installed - 1, "");
}

static int
apply_settings(struct tool *t, struct wcp_machine *m)
{
	struct wcp_error e;
	for (size_t i = 0; i < t->n_set; i++)
		if (wcp_machine_set(m, t->set[i], &e))
			return e.status == WCP_EUSAGE ? tool_usage(t, "--set: %s", e.text)
						      : tool_error(t, NULL, &e);
	return 0;
}

struct wcp_machine *
tool_machine(struct tool *t, const char *fallback, int *status)
{
	struct directories d = {0};
	struct wcp_error e;
	find_directories(&d);
	struct wcp_machine *m = wcp_machine_open(
	    t->machine ? t->machine : fallback, (const char *const *)d.path, d.n, &e);
	for (size_t i = 0; i < d.n; i++)
		free(d.path[i]);
	free(d.path);
	if (!m) {
		*status = e.status == WCP_EUSAGE ? tool_usage(t, "-m: %s", e.text)
						 : tool_error(t, NULL, &e);
		return NULL;
	}
	*status = apply_settings(t, m);
	if (!*status)
		return m;
	wcp_machine_free(m);
	return NULL;
}

bool
tool_machine_bind(const struct wcp_machine *m, const char *section, void *config)
{
	return wcp_machine_bind(m, wcp_machine_section_named(section), config) > 0;
}

int
tool_machine_error(
    const struct tool *t, const struct wcp_machine *m, const char *section, struct wcp_error *e)
{
	int status = wcp_machine_blame(m, wcp_machine_section_named(section), e);
	return status == WCP_EUSAGE ? tool_usage(t, "%s", e->text) : tool_error(t, NULL, e);
}

static void
report_place(struct report *r, const struct wcp_machine_value *v)
{
	char place[32];
	const char *slash = v ? strrchr(v->file, '/') : NULL;
	report_text(r, v && *v->source ? v->source : NULL);
	report_text(r, !v ? "default" : slash ? slash + 1 : v->file);
	snprintf(place, sizeof place, "%u", v ? v->line : 0);
	report_text(r, v && v->line ? place : NULL);
}

void
tool_machine_report(
    struct report *r, const struct wcp_machine *m, const char *section, const void *config)
{
	static const struct report_column column[] = {
	    {"key", NULL, REPORT_TEXT, 0},
	    {"value", NULL, REPORT_TEXT, 0},
	    {"unit", NULL, REPORT_TEXT, 0},
	    {"source", NULL, REPORT_TEXT, 0},
	    {"file", NULL, REPORT_TEXT, 0},
	    {"line", NULL, REPORT_TEXT, 0},
	    {NULL},
	};
	const struct wcp_machine_section *s = wcp_machine_section_named(section);
	report_table(r, "machine", "Machine", column);
	for (size_t k = 0; k < s->n_key; k++) {
		char name[128], value[512];
		snprintf(name, sizeof name, "%s.%s", section, s->key[k].name);
		wcp_machine_format(&s->key[k], config, value, sizeof value);
		report_text(r, name);
		report_text(r, value);
		report_text(r, s->key[k].unit);
		report_place(r, wcp_machine_find(m, section, s->key[k].name));
		report_row(r);
	}
}

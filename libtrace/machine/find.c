#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "machine/machine.h"

static const char suffix[] = ".conf";

static bool
ends_in_suffix(const char *name)
{
	size_t n = strlen(name), k = strlen(suffix);
	return n > k && !strcmp(name + n - k, suffix);
}

/* directory/name.conf, or directory/name as it is; NULL without memory. */
static char *
join(const char *directory, size_t length, const char *name, bool add_suffix)
{
	char *path = NULL;
	if (asprintf(&path, "%.*s/%s%s", (int)length, directory, name, add_suffix ? suffix : "") <
	    0)
		return NULL;
	return path;
}

/* How much of a path names its directory; "." stands for none. */
static size_t
directory_of(const char **path)
{
	const char *slash = strrchr(*path, '/');
	if (!slash) {
		*path = ".";
		return 1;
	}
	return (size_t)(slash - *path);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **name;
	size_t n;
};

static void
add_name(struct names *to, const char *file)
{
	char *name = strndup(file, strlen(file) - strlen(suffix));
	char **grown = name ? realloc(to->name, (to->n + 1) * sizeof *grown) : NULL;
	if (!grown) {
		free(name);
		return;
	}
	to->name = grown;
	to->name[to->n++] = name;
}

static void
list_directory(struct names *to, const char *directory)
{
	DIR *dir = directory ? opendir(directory) : NULL;
	if (!dir)
		return;
	for (const struct dirent *d; (d = readdir(dir));)
		if (ends_in_suffix(d->d_name))
			add_name(to, d->d_name);
	closedir(dir);
}

static void
say_unknown(const char *name, const struct names *known, struct wcp_error *e)
{
	char text[sizeof e->text];
	struct near near = {.word = name};
	for (size_t i = 0; i < known->n; i++)
		near_offer(&near, known->name[i]);
	const char *meant = near_found(&near);
	int n = snprintf(text, sizeof text, "there is no machine '%.60s'", name);
	if (meant)
		n += snprintf(text + n, sizeof text - (size_t)n, "; did you mean '%s'?", meant);
	for (size_t i = 0; i < known->n && n < (int)sizeof text; i++)
		if (!i || strcmp(known->name[i], known->name[i - 1]))
			n += snprintf(text + n, sizeof text - (size_t)n, "%s %s",
			    i	    ? ""
			    : meant ? " There are:"
				    : "; there are:",
			    known->name[i]);
	wcp_fail(e, WCP_EUSAGE, "%s", text);
}

static void
unknown(const char *name, const struct search *where, struct wcp_error *e)
{
	struct names known = {0};
	for (size_t i = 0; i < where->n; i++)
		list_directory(&known, where->directory[i]);
	if (known.n)
		qsort(known.name, known.n, sizeof known.name[0], by_name);
	say_unknown(name, &known, e);
	for (size_t i = 0; i < known.n; i++)
		free(known.name[i]);
	free(known.name);
}

/* A path that a file gives is relative to that file. */
static char *
given_path(const char *name, const char *beside, struct wcp_error *e)
{
	char *path = NULL;
	if (beside && *name != '/') {
		size_t length = directory_of(&beside);
		path = join(beside, length, name, false);
	} else {
		path = strdup(name);
	}
	if (!path)
		wcp_fail(e, WCP_ESYS, "out of memory");
	return path;
}

char *
machine_path(const char *name, const char *beside, const struct search *where, struct wcp_error *e)
{
	if (strchr(name, '/') || ends_in_suffix(name))
		return given_path(name, beside, e);
	if (!*name) {
		wcp_fail(e, WCP_EUSAGE, "the name of the machine is empty");
		return NULL;
	}
	size_t length = beside ? directory_of(&beside) : 0;
	for (size_t i = 0; i <= where->n; i++) {
		const char *directory = i ? where->directory[i - 1] : beside;
		if (!directory)
			continue;
		char *path = join(directory, i ? strlen(directory) : length, name, true);
		if (!path || access(path, F_OK) == 0) {
			if (!path)
				wcp_fail(e, WCP_ESYS, "out of memory");
			return path;
		}
		free(path);
	}
	unknown(name, where, e);
	return NULL;
}

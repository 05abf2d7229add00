#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "private.h"

static void
    WCP_PRINTF(3, 0) say(const struct tool *t, const char *before, const char *format, va_list ap)
{
	fflush(stdout);
	progress_wipe(t);
	fprintf(stderr, "%s: %s", t->spec->name, before);
	vfprintf(stderr, format, ap);
}

/* Does the text tell the offset itself? */
static bool
tells_offset(const char *text, uint64_t offset)
{
	char said[40];
	snprintf(said, sizeof said, "byte %" PRIu64, offset);
	return strstr(text, said);
}

int
tool_error(const struct tool *t, const char *file, const struct wcp_error *e)
{
	const char *name = file && !strcmp(file, "-") ? "standard input"
			   : file && !*file	      ? "''"
						      : file;
	char place[40] = "";
	if (e->offset && !tells_offset(e->text, e->offset))
		snprintf(place, sizeof place, " (at byte %" PRIu64 ")", e->offset);
	return tool_fail(
	    t, -(int)e->status, "%s%s%s%s", name ? name : "", name ? ": " : "", e->text, place);
}

int
tool_fail(const struct tool *t, int exit_status, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say(t, "", format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return exit_status;
}

int
tool_usage(const struct tool *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say(t, "", format, ap);
	va_end(ap);
	fprintf(stderr, " (try '%s -h')\n", t->spec->name);
	return -WCP_EUSAGE;
}

void
tool_warn(const struct tool *t, const char *format, ...)
{
	if (t->quiet)
		return;
	va_list ap;
	va_start(ap, format);
	say(t, "warning: ", format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
tool_note(const struct tool *t, int verbosity, const char *format, ...)
{
	if (t->quiet || t->verbose < verbosity)
		return;
	va_list ap;
	va_start(ap, format);
	say(t, "", format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

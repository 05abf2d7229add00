#include <inttypes.h>
#include <time.h>
#include <unistd.h>
#include "private.h"

static uint64_t
now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

void
progress_wipe(const struct tool *t)
{
	if (t->progress_shown && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* "12.3 M" */
static void
scaled(char text[32], double value)
{
	static const char prefix[] = {' ', 'k', 'M', 'G', 'T', 'P', 'E'};
	size_t i = 0;
	while (value >= 999.5 && i + 1 < sizeof prefix) {
		value /= 1000;
		i++;
	}
	if (i)
		snprintf(text, 32, "%.*f %c",
		    value < 9.995   ? 2
		    : value < 99.95 ? 1
				    : 0,
		    value, prefix[i]);
	else
		snprintf(text, 32, "%.0f", value);
}

/* -1: not due; else milliseconds since the first call. */
static int64_t
due(struct tool *t)
{
	if (t->progress == 0 || t->quiet)
		return -1;
	if (t->progress < 0)
		t->progress = isatty(STDERR_FILENO);
	uint64_t now = now_ms();
	if (!t->progress_start_ms)
		t->progress_start_ms = t->progress_last_ms = now;
	/* Where lines pile up, one a second is enough; the terminal's line may move ten times. */
	uint64_t interval = isatty(STDERR_FILENO) ? 100 : 1000;
	if (!t->progress || now - t->progress_last_ms < interval)
		return -1;
	t->progress_last_ms = now;
	return (int64_t)(now - t->progress_start_ms);
}

static void
show(struct tool *t, int64_t elapsed_ms, const char *unit, uint64_t done, double percent)
{
	char count[32], rate[32], share[16] = "";
	scaled(count, (double)done);
	scaled(rate, (double)done * 1000 / (double)elapsed_ms);
	if (percent >= 0)
		snprintf(share, sizeof share, "  %.0f %%", percent);
	bool terminal = isatty(STDERR_FILENO);
	fprintf(stderr, "%s%s: %s %s  %s/s%s%s", terminal ? "\r" : "", t->spec->name, count, unit,
	    rate, share, terminal ? "\033[K" : "\n");
	fflush(stderr);
	t->progress_shown = true;
}

void
tool_progress(struct tool *t, const char *unit, uint64_t done, uint64_t total)
{
	int64_t elapsed = due(t);
	if (elapsed > 0)
		show(t, elapsed, unit, done, total ? 100.0 * (double)done / (double)total : -1);
}

void
tool_progress_reader(struct tool *t, const struct wcp_reader *r, const char *unit, uint64_t done)
{
	int64_t elapsed = due(t);
	if (elapsed <= 0)
		return;
	uint64_t size;
	uint64_t position = wcp_reader_position(r, &size);
	show(t, elapsed, unit, done, size ? 100.0 * (double)position / (double)size : -1);
}

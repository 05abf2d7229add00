/* From opening to closing. */
#include <stdlib.h>
#include "warpdram.h"

enum { WINDOW_DEFAULT = 32 };

/* Inputs without times go as fast as a window lets them; a stream shows with its first records
 * whether it has some. */
static void
choose_mode(struct run *r)
{
	struct settings *s = r->set;
	if (s->mode == MODE_AUTO && s->window)
		s->mode = MODE_WINDOW;
	r->input.held = input_next(r);
	if (s->mode == MODE_AUTO)
		s->mode = r->input.timed ? MODE_OPEN : MODE_WINDOW;
	if (s->mode == MODE_WINDOW && !s->window)
		s->window = WINDOW_DEFAULT;
}

static int
play_input(struct run *r, const struct wcp_machine *m)
{
	play_clock(r, m);
	choose_mode(r);
	r->play.keeps = r->set->mode != MODE_OPEN || r->out.writer;
	int status = r->set->mode == MODE_OPEN ? open_run(r) : loop_run(r);
	/* Nothing may get lost in the memory, nor come out of it that did not go in. */
	if (r->play.pushed != r->play.served)
		abort();
	return status;
}

static int
open_files(struct run *r)
{
	int status = series_open(r);
	status = status ? status : commands_open(r);
	return status ? status : out_open(r);
}

static int
close_files(struct run *r, int status)
{
	int failed = series_close(r);
	status = status ? status : failed;
	failed = commands_close(r);
	return out_close(r, status ? status : failed);
}

static int
play_and_report(struct run *r, const struct wcp_machine *m)
{
	int status = open_files(r);
	struct report *out = status ? NULL : report_open(r->tool, r->out.writer != NULL, NULL);
	if (!status && !out)
		status = -WCP_ESYS;
	if (!status)
		status = play_input(r, m);
	status = close_files(r, status);
	if (!out)
		return status;
	if (status == 0 || status == -WCP_EDATA)
		print_report(r, m, out);
	int printed = report_close(out);
	return status ? status : printed;
}

int
run_all(struct run *r, const struct wcp_machine *m)
{
	keys_init(&r->by, r->set->by);
	int status = play_open(r, m);
	if (!status)
		status = input_open(r);
	if (!status)
		status = play_and_report(r, m);
	input_close(r);
	play_close(r);
	count_release(&r->counts);
	keys_release(&r->by);
	names_release(&r->kernels);
	names_release(&r->programs);
	return status;
}

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "timed.h"

enum { BESIDE = 2 };

struct beside *
beside_new(const struct settings *s, struct wcp_error *e)
{
	static const enum run_as as[BESIDE] = {RUN_BYPASS_ALL, RUN_UNBOUNDED};
	if (!s->scenarios)
		return NULL;
	struct beside *x = must_alloc(NULL, sizeof *x);
	memset(x, 0, sizeof *x);
	for (int i = 0; i < BESIDE; i++) {
		struct settings *to = &x->set[i];
		*to = *s;
		to->run_as = as[i];
		to->by = UNIT_NONE;
		to->classes = to->scenarios = to->ages = false;
		to->passes = to->pass_all = to->pass_fills = false;
		to->vta_entries = 0;
		to->series = NULL;
		to->counts_passed = true;
		x->level[i] = level_timed.make(to, e);
		if (!x->level[i]) {
			beside_free(x);
			return NULL;
		}
	}
	return x;
}

void
beside_free(struct beside *x)
{
	for (int i = 0; x && i < BESIDE; i++)
		if (x->level[i])
			level_timed.release(x->level[i]);
	free(x);
}

int
beside_run(struct beside *x, const struct wcp_access_batch *b, struct wcp_error *e)
{
	int status = 0;
	for (int i = 0; x && !status && i < BESIDE; i++)
		status = level_timed.run(x->level[i], b, NULL, e);
	return status;
}

int
beside_kernel_end(struct beside *x, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	int status = 0;
	for (int i = 0; x && !status && i < BESIDE; i++)
		status = level_timed.kernel_end(x->level[i], end, NULL, e);
	return status;
}

int
beside_finish(struct beside *x, struct wcp_error *e)
{
	int status = 0;
	for (int i = 0; x && !status && i < BESIDE; i++)
		status = level_timed.finish(x->level[i], NULL, e);
	return status;
}

static void
print_row(const struct timed *d, const char *name, struct report *out)
{
	struct row all = tally_all(&d->level.tally);
	uint64_t accesses = all.accesses + all.bypassed;
	const struct timed_counts *c = &d->counts;
	report_text(out, name);
	report_u64(out, accesses);
	report_u64(out, all.hits);
	report_double(out, accesses ? 100.0 * (double)all.hits / (double)accesses : NAN);
	report_u64(out, c->passed);
	report_u64(out, c->passed_bytes);
	report_u64(out, all.writebacks);
	report_u64(out, d->any ? d->last - d->first + 1 : 0);
	report_u64(out, c->refused_cycles);
	report_row(out);
}

void
beside_print(const struct timed *d, struct report *out)
{
	static const struct report_column columns[] = {{"scenario", NULL, REPORT_TEXT, 0},
	    {"accesses", NULL, REPORT_U64, 0}, {"hits", NULL, REPORT_U64, 0},
	    {"hit_ratio", "%", REPORT_DOUBLE, 2}, {"passed", NULL, REPORT_U64, 0},
	    {"passed_bytes", "bytes", REPORT_U64, 0}, {"writebacks", NULL, REPORT_U64, 0},
	    {"cycles", NULL, REPORT_U64, 0}, {"stall_cycles", NULL, REPORT_U64, 0},
	    {NULL, NULL, REPORT_TEXT, 0}};
	if (!d->beside)
		return;
	level_table(&d->level, out, "scenarios", "No cache, this one, one without bound", columns);
	print_row((const struct timed *)d->beside->level[0], "bypass-all", out);
	print_row(d, "bounded", out);
	print_row((const struct timed *)d->beside->level[1], "unbounded", out);
}

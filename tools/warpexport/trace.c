/* Events as JSON, one a line. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

/* In parts of a microsecond that a cycle is not shorter than: to the nanosecond, which is what
 * viewers keep, or to the picosecond. */
static uint64_t
parts_of(const struct trace *t, uint64_t time)
{
	double parts = t->scale >= 1e-3 ? 1e3 : 1e6;
	return (uint64_t)((double)time * t->scale * parts + .5);
}

static void
put_parts(const struct trace *t, const char *name, uint64_t parts)
{
	if (t->scale >= 1e-3)
		fprintf(t->out, ",\"%s\":%" PRIu64 ".%03u", name, parts / 1000,
		    (unsigned)(parts % 1000));
	else
		fprintf(t->out, ",\"%s\":%" PRIu64 ".%06u", name, parts / 1000000,
		    (unsigned)(parts % 1000000));
}

/* Whole microseconds as such. */
static void
put_time(const struct trace *t, uint64_t time)
{
	if (t->scale == 1)
		fprintf(t->out, ",\"ts\":%" PRIu64, time);
	else
		put_parts(t, "ts", parts_of(t, time));
}

/* What is between the ends as they are written: slices one after the other do not overlap. */
static void
put_duration(const struct trace *t, uint64_t from, uint64_t time)
{
	if (t->scale == 1)
		fprintf(t->out, ",\"dur\":%" PRIu64, time);
	else
		put_parts(t, "dur", parts_of(t, from + time) - parts_of(t, from));
}

static void
begin_event(struct trace *t, char phase, uint64_t pid, uint64_t tid)
{
	fprintf(t->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64,
	    t->begun ? ",\n" : "\n", phase, pid, tid);
	t->begun = true;
	t->events++;
}

static void
put_name(struct trace *t, const char *name)
{
	fputs(",\"name\":", t->out);
	report_json_text(t->out, name);
}

static void
end_event(struct trace *t, const struct argument *arg, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? "," : ",\"args\":{", t->out);
		report_json_text(t->out, arg[i].name);
		putc(':', t->out);
		if (arg[i].text)
			report_json_text(t->out, arg[i].text);
		else
			fprintf(t->out, "%" PRIu64, arg[i].number);
	}
	fputs(n ? "}}" : "}", t->out);
}

void
trace_begin(struct trace *t, FILE *out, double scale, const char *command, const char *unit)
{
	*t = (struct trace){.out = out, .scale = scale};
	fputs("{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"command\":", out);
	report_json_text(out, command);
	fputs(",\"unit\":", out);
	report_json_text(out, unit);
	fputs("},\n\"traceEvents\":[", out);
}

void
trace_end(struct trace *t)
{
	fputs("\n]}\n", t->out);
}

void
trace_release(struct trace *t)
{
	free(t->named);
}

/* Is it the first time? */
static bool
first_time(struct trace *t, uint64_t pid, uint64_t tid)
{
	if (2 * (t->n_named + 1) > t->named_mask) {
		struct track_name *old = t->named;
		uint64_t n = old ? t->named_mask + 1 : 0, size = n ? 2 * n : 256;
		t->named = must_alloc(NULL, size * sizeof *t->named);
		memset(t->named, 0xff, size * sizeof *t->named);
		t->named_mask = size - 1;
		t->n_named = 0;
		for (uint64_t i = 0; i < n; i++)
			if (old[i].pid != UINT64_MAX)
				first_time(t, old[i].pid, old[i].tid);
		free(old);
	}
	uint64_t at = (pid * 0x9e3779b97f4a7c15u ^ tid * 0xd6e8feb86659fd93u) >> 20;
	for (;; at++) {
		struct track_name *n = &t->named[at & t->named_mask];
		if (n->pid == pid && n->tid == tid)
			return false;
		if (n->pid != UINT64_MAX)
			continue;
		*n = (struct track_name){pid, tid};
		t->n_named++;
		return true;
	}
}

static void
metadata(struct trace *t, const char *what, uint64_t pid, uint64_t tid, struct argument arg)
{
	begin_event(t, 'M', pid, tid);
	put_name(t, what);
	end_event(t, &arg, 1);
}

void
trace_process(struct trace *t, uint64_t pid, const char *name, uint64_t order)
{
	if (!first_time(t, pid, UINT64_MAX))
		return;
	metadata(t, "process_name", pid, 0, (struct argument){"name", name, 0});
	metadata(t, "process_sort_index", pid, 0, (struct argument){"sort_index", NULL, order});
}

void
trace_name(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t number)
{
	char text[64];
	if (!first_time(t, pid, tid))
		return;
	snprintf(text, sizeof text, "%s %" PRIu64, name, number);
	metadata(t, "thread_name", pid, tid, (struct argument){"name", text, 0});
	metadata(t, "thread_sort_index", pid, tid, (struct argument){"sort_index", NULL, tid});
}

void
trace_slice(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t from,
    uint64_t time, const struct argument *arg, unsigned n)
{
	begin_event(t, 'X', pid, tid);
	put_time(t, from);
	put_duration(t, from, time);
	put_name(t, name);
	end_event(t, arg, n);
}

void
trace_instant(struct trace *t, uint64_t pid, uint64_t tid, const char *name, uint64_t at,
    const struct argument *arg, unsigned n)
{
	begin_event(t, 'i', pid, tid);
	put_time(t, at);
	put_name(t, name);
	fputs(",\"s\":\"t\"", t->out);
	end_event(t, arg, n);
}

void
trace_counter(struct trace *t, uint64_t pid, const char *name, uint64_t at,
    const struct argument *arg, unsigned n)
{
	begin_event(t, 'C', pid, 0);
	put_time(t, at);
	put_name(t, name);
	end_event(t, arg, n);
}

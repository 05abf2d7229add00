#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "timed.h"

enum { START = 64 };

int
series_open(struct series *s, const char *path, uint64_t length, struct wcp_error *e)
{
	*s = (struct series){.path = path, .length = length, .mask = START - 1};
	if (!path)
		return 0;
	s->out = fopen(path, "w");
	if (!s->out)
		return wcp_fail_errno(e, "%s", path);
	s->open = must_alloc(NULL, START * sizeof *s->open);
	memset(s->open, 0, START * sizeof *s->open);
	fputs("cycle\taccesses\thits\tmerges\tmisses\tfail_port\tfail_line\tfail_miss_queue\t"
	      "fail_mshr_merge\tfail_mshr_entry\tmshr_mean\tmshr_max\n",
	    s->out);
	return 0;
}

static void
grow(struct series *s, uint64_t number)
{
	uint64_t n = s->mask + 1, had = n;
	struct interval *old = s->open;
	while (number - s->from >= n)
		n *= 2;
	s->open = must_alloc(NULL, n * sizeof *s->open);
	memset(s->open, 0, n * sizeof *s->open);
	for (uint64_t i = s->from; i < s->from + had; i++)
		s->open[i & (n - 1)] = old[i & s->mask];
	s->mask = n - 1;
	free(old);
}

static struct interval *
numbered(struct series *s, uint64_t number)
{
	if (number - s->from > s->mask)
		grow(s, number);
	s->last = number > s->last ? number : s->last;
	return &s->open[number & s->mask];
}

struct interval *
series_at(struct series *s, uint64_t cycle)
{
	return numbered(s, cycle / s->length);
}

/* The end of the part of [from, to) that lies in from's interval. */
static uint64_t
part(const struct series *s, uint64_t from, uint64_t to)
{
	uint64_t end = (from / s->length + 1) * s->length;
	return end < to ? end : to;
}

void
series_mshrs(struct series *s, uint64_t from, uint64_t to, uint32_t n)
{
	if (!s->out)
		return;
	for (uint64_t end; from < to; from = end) {
		struct interval *v = series_at(s, from);
		end = part(s, from, to);
		v->mshr_cycles += n * (end - from);
		v->mshrs_peak = n > v->mshrs_peak ? n : v->mshrs_peak;
	}
}

void
series_refused(struct series *s, uint64_t from, uint64_t to, enum wcp_nb_fail cause)
{
	if (!s->out)
		return;
	for (uint64_t end; from < to; from = end) {
		end = part(s, from, to);
		series_at(s, from)->refused[cause] += end - from;
	}
}

static void
write_interval(struct series *s, const struct interval *v, uint64_t number)
{
	fprintf(s->out, "%llu\t%llu\t%llu\t%llu\t%llu", number * (unsigned long long)s->length,
	    (unsigned long long)v->accesses, (unsigned long long)v->hits,
	    (unsigned long long)v->merges, (unsigned long long)v->misses);
	for (int i = WCP_NB_PORT; i < WCP_NB_FAIL_COUNT; i++)
		fprintf(s->out, "\t%llu", (unsigned long long)v->refused[i]);
	fprintf(s->out, "\t%.3f\t%llu\n", (double)v->mshr_cycles / (double)s->length,
	    (unsigned long long)v->mshrs_peak);
}

void
series_until(struct series *s, uint64_t cycle)
{
	static const struct interval nothing;
	if (!s->out)
		return;
	for (; s->from < cycle / s->length && s->from <= s->last; s->from++) {
		struct interval *v = &s->open[s->from & s->mask];
		if (memcmp(v, &nothing, sizeof nothing))
			write_interval(s, v, s->from);
		*v = nothing;
	}
	if (s->from < cycle / s->length)
		s->from = cycle / s->length;
}

int
series_close(struct series *s, struct wcp_error *e)
{
	int failed = 0;
	if (s->out) {
		series_until(s, (s->last + 1) * s->length);
		failed = ferror(s->out);
		failed |= fclose(s->out);
	}
	free(s->open);
	s->out = NULL;
	s->open = NULL;
	return failed ? wcp_fail_errno(e, "%s", s->path) : 0;
}

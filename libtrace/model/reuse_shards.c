#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model/reuse_sample.h"
#include "warpcap/reuse.h"

enum {
	PARTS = WCP_SHARDS_PARTS,
	WHOLE = PARTS, /* after the parts: the sample that has them all */
	CHUNK = 4096,  /* references tested at a time */
};

/* A sample with its stack. Distances and counts are the sample's own: neither is scaled yet. */
struct sample {
	struct wcp_reuse *stack;
	double *count; /* [cap] references at each distance */
	uint32_t cap;
	double cold;
};

struct wcp_shards {
	uint64_t seed;
	uint64_t threshold; /* lines with a value below it are followed */
	uint32_t max_lines;
	uint64_t accesses, sampled_accesses;
	struct sample sample[PARTS + 1];
	uint64_t chosen[CHUNK + 8], sorted[CHUNK];
	uint32_t distance[CHUNK];
};

struct wcp_shards *
wcp_shards_new(const struct wcp_shards_options *options, struct wcp_error *e)
{
	if (!(options->rate > 0 && options->rate <= 1)) {
		wcp_fail(e, WCP_EUSAGE, "a sampling rate must be above 0 and at most 1");
		return NULL;
	}
	struct wcp_shards *s = calloc(1, sizeof *s);
	if (!s) {
		wcp_fail_errno(e, "no memory for a sampler");
		return NULL;
	}
	s->seed = reuse_sample_seed(options->seed);
	s->threshold = reuse_sample_threshold(options->rate);
	s->max_lines = options->max_lines;
	for (int i = 0; i <= PARTS; i++) {
		s->sample[i].stack = wcp_reuse_new(e);
		if (!s->sample[i].stack) {
			wcp_shards_free(s);
			return NULL;
		}
	}
	return s;
}

void
wcp_shards_free(struct wcp_shards *s)
{
	for (int i = 0; s && i <= PARTS; i++) {
		wcp_reuse_free(s->sample[i].stack);
		free(s->sample[i].count);
	}
	free(s);
}

/* Distances are below the number of lines. */
static bool
make_room(struct sample *p)
{
	uint64_t lines = wcp_reuse_lines(p->stack);
	if (lines <= p->cap)
		return true;
	uint64_t cap = lines + lines / 2 + 64;
	double *count = realloc(p->count, cap * sizeof *count);
	if (!count)
		return false;
	memset(count + p->cap, 0, (cap - p->cap) * sizeof *count);
	p->count = count;
	p->cap = (uint32_t)cap;
	return true;
}

static int
feed(struct wcp_shards *s, struct sample *p, const uint64_t *line, size_t n, struct wcp_error *e)
{
	int status = wcp_reuse_batch(p->stack, line, n, s->distance, e);
	if (status < 0)
		return status;
	if (!make_room(p))
		return wcp_fail_errno(e, "no memory for a sampled histogram");
	for (size_t i = 0; i < n; i++) {
		if (s->distance[i] == WCP_REUSE_COLD)
			p->cold++;
		else
			p->count[s->distance[i]]++;
	}
	return 0;
}

/* Each part gets its lines of chosen[n], then all of them go to the whole. */
static int
feed_all(struct wcp_shards *s, const uint64_t *line, size_t n, struct wcp_error *e)
{
	uint8_t part[CHUNK];
	uint32_t start[PARTS + 1] = {0};
	for (size_t i = 0; i < n; i++) {
		part[i] = (uint8_t)reuse_sample_part(line[i], s->seed, PARTS);
		start[part[i] + 1]++;
	}
	for (int k = 0; k < PARTS; k++)
		start[k + 1] += start[k];
	uint32_t next[PARTS];
	memcpy(next, start, sizeof next);
	for (size_t i = 0; i < n; i++)
		s->sorted[next[part[i]]++] = line[i];
	int status = feed(s, &s->sample[WHOLE], line, n, e);
	for (int k = 0; k < PARTS && status >= 0; k++)
		status = feed(s, &s->sample[k], s->sorted + start[k], start[k + 1] - start[k], e);
	s->sampled_accesses += n;
	return status;
}

/* A sample from which lines were taken: distances shrink as the sample does, counts too
 * (fixed-size SHARDS). */
static void
shrink_counts(struct sample *p, double factor)
{
	for (uint32_t d = 0; d < p->cap; d++) {
		double count = p->count[d] * factor;
		p->count[d] = 0;
		p->count[(uint32_t)(d * factor)] += count;
	}
	p->cold *= factor;
}

/* A new stack of the lines that still lie below the threshold, in the same order. line: the old
 * ones. */
static int
drop_lines(struct wcp_shards *s, struct sample *p, uint64_t *line, struct wcp_error *e)
{
	uint64_t n = wcp_reuse_lines(p->stack);
	wcp_reuse_stack(p->stack, line);
	struct wcp_reuse *stack = wcp_reuse_new(e);
	if (!stack)
		return WCP_ESYS;
	wcp_reuse_free(p->stack);
	p->stack = stack;
	for (uint64_t i = 0; i < n; i += CHUNK) {
		uint64_t some = n - i < CHUNK ? n - i : CHUNK;
		size_t kept = reuse_sample_select(line + i, some, s->threshold, s->seed, s->sorted);
		int status = wcp_reuse_batch(stack, s->sorted, kept, s->distance, e);
		if (status < 0)
			return status;
	}
	return 0;
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* The threshold that leaves keep of the lines. */
static uint64_t
threshold_for(
    const struct wcp_shards *s, const uint64_t *line, uint64_t n, uint32_t *value, uint32_t keep)
{
	for (uint64_t i = 0; i < n; i++)
		value[i] = reuse_sample_value(line[i], s->seed);
	qsort(value, n, sizeof *value, by_value);
	return value[keep] ? value[keep] : 1;
}

/*
 * differs: fixed-size SHARDS drops one line whenever one too many is followed; here an eighth of
 * them goes at once, so that stacks need not forget single lines.
 */
static int
lower_threshold(struct wcp_shards *s, struct wcp_error *e)
{
	uint64_t n = wcp_reuse_lines(s->sample[WHOLE].stack);
	uint64_t *line = malloc(n * sizeof *line);
	uint32_t *value = malloc(n * sizeof *value);
	int status = 0;
	if (!line || !value) {
		status = wcp_fail_errno(e, "no memory to lower a sampling rate");
	} else {
		wcp_reuse_stack(s->sample[WHOLE].stack, line);
		uint64_t old = s->threshold;
		s->threshold = threshold_for(s, line, n, value, s->max_lines - s->max_lines / 8);
		for (int i = 0; i <= PARTS && status >= 0; i++) {
			shrink_counts(&s->sample[i], (double)s->threshold / (double)old);
			status = drop_lines(s, &s->sample[i], line, e);
		}
	}
	free(line);
	free(value);
	return status;
}

/* n references that lay below the threshold when they were chosen. */
static int
follow(struct wcp_shards *s, uint64_t *line, size_t n, struct wcp_error *e)
{
	/* with a bound, few at a time, so that it is exceeded by a sixteenth at most */
	size_t most = s->max_lines ? s->max_lines / 16 + 1 : n;
	for (size_t i = 0; i < n;) {
		size_t some = n - i < most ? n - i : most;
		int status = feed_all(s, line + i, some, e);
		i += some;
		if (status < 0)
			return status;
		if (!s->max_lines || wcp_reuse_lines(s->sample[WHOLE].stack) <= s->max_lines)
			continue;
		status = lower_threshold(s, e);
		if (status < 0)
			return status;
		size_t left = 0;
		for (size_t k = i; k < n; k++)
			if (reuse_sample_value(line[k], s->seed) < s->threshold)
				line[i + left++] = line[k];
		n = i + left;
	}
	return 0;
}

int
wcp_shards_batch(struct wcp_shards *s, const uint64_t *line, size_t n, struct wcp_error *e)
{
	int status = 0;
	size_t chosen = 0;
	s->accesses += n;
	for (size_t i = 0; i < n && status >= 0; i += chosen) {
		chosen = n - i < CHUNK ? n - i : CHUNK;
		size_t m = reuse_sample_select(line + i, chosen, s->threshold, s->seed, s->chosen);
		if (m)
			status = follow(s, s->chosen, m, e);
	}
	return status;
}

static double
rate_of(const struct wcp_shards *s)
{
	return (double)s->threshold / 4294967296.0;
}

void
wcp_shards_info(const struct wcp_shards *s, struct wcp_shards_info *info)
{
	const struct sample *whole = &s->sample[WHOLE];
	*info = (struct wcp_shards_info){
	    .accesses = s->accesses,
	    .sampled_accesses = s->sampled_accesses,
	    .sampled_lines = wcp_reuse_lines(whole->stack),
	    .rate = rate_of(s),
	    .bytes = sizeof *s,
	};
	info->lines = (double)info->sampled_lines / info->rate;
	info->cold = whole->cold / info->rate;
	for (int i = 0; i <= PARTS; i++)
		info->bytes +=
		    wcp_reuse_bytes(s->sample[i].stack) + s->sample[i].cap * sizeof(double);
}

/*
 * misses[n] of one sample that follows lines at rate. Dividing by the rate, not by how many
 * references were sampled, is the correction of SHARDS_adj: what is missing or too much counts as
 * distance 0.
 */
static void
sample_misses(const struct sample *p, double rate, uint64_t accesses, const uint64_t *size,
    size_t n, double *misses)
{
	double beyond = p->cold;
	uint32_t d = p->cap;
	for (size_t i = n; i-- > 0;) {
		for (; d > 0 && (double)(d - 1) / rate >= (double)size[i]; d--)
			beyond += p->count[d - 1];
		double scaled = beyond / rate;
		misses[i] = size[i] == 0 || scaled > (double)accesses ? (double)accesses : scaled;
	}
}

int
wcp_shards_misses(const struct wcp_shards *s, const uint64_t *size, size_t n, double *misses,
    double *error, struct wcp_error *e)
{
	double rate = rate_of(s);
	sample_misses(&s->sample[WHOLE], rate, s->accesses, size, n, misses);
	if (!error)
		return 0;
	double *part = calloc(n * 2 + 1, sizeof *part);
	if (!part)
		return wcp_fail_errno(e, "no memory for standard errors");
	double *mean = part + n;
	memset(error, 0, n * sizeof *error);
	for (int k = 0; k < PARTS; k++) { /* running mean and sum of squares */
		sample_misses(&s->sample[k], rate / PARTS, s->accesses, size, n, part);
		for (size_t i = 0; i < n; i++) {
			double off = part[i] - mean[i];
			mean[i] += off / (k + 1);
			error[i] += off * (part[i] - mean[i]);
		}
	}
	/* The parts are coarser than the whole; where that moves the curve, the whole is in doubt
	 * too. Where all lines are followed nothing is left to chance. */
	for (size_t i = 0; i < n; i++) {
		double coarse = misses[i] - mean[i];
		double variance = error[i] / (PARTS * (PARTS - 1)) + coarse * coarse;
		error[i] = sqrt(variance * (1 - rate));
	}
	free(part);
	return 0;
}

bool
wcp_shards_follows(uint64_t line, double rate, uint64_t seed)
{
	return reuse_sample_value(line, reuse_sample_seed(seed)) < reuse_sample_threshold(rate);
}

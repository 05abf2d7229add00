#include "stage.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct told { /* by the model of one channel */
	struct wcp_dram_command *command;
	size_t commands, command_room;
	struct wcp_dram_served *served;
	size_t served_count, served_room;
};

struct stage {
	struct wcp_dram *d;
	struct naive **naive; /* [channels], NULL: alone */
	struct told *told;    /* [channels] */
	uint64_t *now;	      /* [channels] */
	uint32_t channels, banks;
	struct check *check;
	uint64_t random;
	unsigned restless;
	bool silent;
	char difference[600];
};

static bool differ(struct stage *s, const char *format, ...) WCP_PRINTF(2, 3);

static bool
differ(struct stage *s, const char *format, ...)
{
	va_list a;
	if (*s->difference)
		return false;
	va_start(a, format);
	vsnprintf(s->difference, sizeof s->difference, format, a);
	va_end(a);
	return false;
}

static void
log_command(void *arg, const struct wcp_dram_command *c)
{
	struct stage *s = arg;
	check_command(s->check, c);
	if (!s->naive || c->channel >= s->channels)
		return;
	struct told *t = &s->told[c->channel];
	if (t->commands == t->command_room) {
		t->command_room = t->command_room * 2 + 64;
		t->command = realloc(t->command, t->command_room * sizeof *t->command);
	}
	t->command[t->commands++] = *c;
}

struct stage *
stage_new_alone(const struct wcp_dram_config *c, char *why, size_t size)
{
	struct wcp_error e = {0};
	struct wcp_dram *d = wcp_dram_new(c, &e);
	if (!d) {
		snprintf(why, size, "%s", e.text);
		return NULL;
	}
	struct stage *s = calloc(1, sizeof *s);
	s->d = d;
	s->channels = wcp_dram_channels(d);
	s->banks = c->organisation.ranks * c->organisation.banks;
	s->told = calloc(s->channels, sizeof *s->told);
	s->now = calloc(s->channels, sizeof *s->now);
	s->check = check_new(&c->organisation, &c->timing);
	if (c->controller.frees_at_act)
		check_columns_first(s->check);
	wcp_dram_on_command(d, log_command, s);
	return s;
}

struct stage *
stage_new(const struct wcp_dram_config *c, char *why, size_t size)
{
	struct stage *s = stage_new_alone(c, why, size);
	if (!s)
		return NULL;
	s->naive = calloc(s->channels, sizeof *s->naive);
	for (uint32_t i = 0; i < s->channels; i++)
		s->naive[i] = naive_new(c, i);
	return s;
}

void
stage_free(struct stage *s)
{
	for (uint32_t i = 0; i < s->channels; i++) {
		if (s->naive)
			naive_free(s->naive[i]);
		free(s->told[i].command);
		free(s->told[i].served);
	}
	free(s->naive);
	free(s->told);
	free(s->now);
	check_free(s->check);
	wcp_dram_free(s->d);
	free(s);
}

void
stage_silence(struct stage *s)
{
	wcp_dram_on_command(s->d, NULL, NULL);
	s->silent = true;
}

void
stage_restless(struct stage *s, uint64_t seed, unsigned percent)
{
	s->random = seed;
	s->restless = percent;
}

/* ---- what the model has served -------------------------------------------------------------- */

static size_t
take(struct stage *s, uint32_t channel, size_t max, bool ahead)
{
	struct told *t = &s->told[channel];
	struct wcp_dram_served done[64];
	size_t n = wcp_dram_done(s->d, channel, done, max, ahead);
	if (!s->naive)
		return n;
	if (n > max)
		differ(s, "done gives %zu of at most %zu", n, max);
	for (size_t i = 0; i < n && i < max; i++)
		if (!ahead && done[i].end > s->now[channel])
			differ(s, "told of an end at %" PRIu64 " in %" PRIu64, done[i].end,
			    s->now[channel]);
	if (t->served_count + 64 > t->served_room) {
		t->served_room = t->served_room * 2 + 128;
		t->served = realloc(t->served, t->served_room * sizeof *t->served);
	}
	memcpy(t->served + t->served_count, done, n * sizeof *done);
	t->served_count += n;
	return n;
}

static void
take_all(struct stage *s, uint32_t channel)
{
	while (take(s, channel, 64, false))
		;
}

static void
advance(struct stage *s, uint32_t channel, uint64_t until)
{
	wcp_dram_advance(s->d, channel, until);
	if (until > s->now[channel])
		s->now[channel] = until;
}

/* Asks and advances without need. */
static void
stir(struct stage *s, uint32_t channel, uint64_t until)
{
	while (traffic_below(&s->random, 100) < s->restless) {
		uint64_t room = until > s->now[channel] ? until - s->now[channel] : 0;
		uint64_t far = traffic_below(&s->random, 3) ? 30 : UINT32_MAX - 1;
		far = far < room ? far : room;
		advance(s, channel, s->now[channel] + traffic_below(&s->random, (uint32_t)far + 1));
		wcp_dram_next(s->d, channel);
		wcp_dram_room(s->d, channel, traffic_below(&s->random, 2));
		take(s, channel, traffic_below(&s->random, 65), traffic_below(&s->random, 2));
		if (!traffic_below(&s->random, 4))
			advance(s, channel, s->now[channel] / 2); /* the past: nothing happens */
	}
}

/* ---- requests ------------------------------------------------------------------------------- */

/* Until there is room for it: the cycle. */
static uint64_t
wait_for_room(struct stage *s, const struct wcp_dram_request *r)
{
	uint32_t channel = r->place.channel;
	bool stepwise = traffic_below(&s->random, 100) < s->restless;
	uint64_t t;
	while (!wcp_dram_room(s->d, channel, r->write)) {
		uint64_t until =
		    stepwise ? s->now[channel] + traffic_below(&s->random, 20) : UINT64_MAX;
		t = wcp_dram_advance_to_room(s->d, channel, r->write, until);
		if (t > until)
			differ(s, "advance_to_room went past %" PRIu64 " to %" PRIu64, until, t);
		s->now[channel] = t;
	}
	return s->now[channel];
}

bool
stage_push(struct stage *s, struct wcp_dram_request r)
{
	uint32_t channel = r.place.channel;
	struct naive *n = s->naive ? s->naive[channel] : NULL;
	if (r.arrival < s->now[channel])
		r.arrival = s->now[channel];
	if (s->restless)
		stir(s, channel, r.arrival);
	if (n) {
		naive_advance(n, r.arrival);
		while (!naive_room(n, r.write))
			naive_advance(n, naive_time(n) + 1);
		naive_push(n, &r);
	}
	while (!wcp_dram_push(s->d, &r)) {
		s->now[channel] = r.arrival > s->now[channel] ? r.arrival : s->now[channel];
		if (wcp_dram_room(s->d, channel, r.write))
			return differ(s, "no room by push, but by room");
		r.arrival = wait_for_room(s, &r);
	}
	s->now[channel] = r.arrival;
	if (n && naive_time(n) != s->now[channel])
		return differ(s, "request %" PRIu64 " enters at %" PRIu64 ", naive %" PRIu64,
		    r.handle, s->now[channel], naive_time(n));
	take(s, channel, 64, false);
	return !*s->difference;
}

bool
stage_wait(struct stage *s, uint64_t until)
{
	for (uint32_t i = 0; i < s->channels; i++) {
		if (s->naive)
			naive_advance(s->naive[i], until);
		advance(s, i, until);
		take_all(s, i);
	}
	return !*s->difference;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static const char *
spell(const struct wcp_dram_command *c, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 " %s rank %u bank %u row %u column %u for %" PRId64,
	    c->cycle, wcp_dram_command_name(c->kind), c->rank, c->bank, c->row, c->column,
	    (int64_t)c->handle);
	return text;
}

static bool
same_command(const struct wcp_dram_command *a, const struct wcp_dram_command *b)
{
	return a->cycle == b->cycle && a->kind == b->kind && a->channel == b->channel &&
	       a->rank == b->rank && a->bank == b->bank && a->row == b->row &&
	       a->column == b->column && a->handle == b->handle;
}

static bool
same_commands(struct stage *s, uint32_t channel, const struct naive_result *n)
{
	const struct told *t = &s->told[channel];
	char a[120], b[120];
	if (s->silent)
		return true;
	for (size_t i = 0; i < t->commands && i < n->commands; i++)
		if (!same_command(&t->command[i], &n->command[i]))
			return differ(s, "channel %u command %zu: model %s, naive %s", channel, i,
			    spell(&t->command[i], a, sizeof a), spell(&n->command[i], b, sizeof b));
	if (t->commands != n->commands)
		return differ(s, "channel %u: model %zu commands, naive %zu", channel, t->commands,
		    n->commands);
	return true;
}

static bool
same_served(struct stage *s, uint32_t channel, const struct naive_result *n)
{
	const struct told *t = &s->told[channel];
	if (t->served_count != n->served_count)
		return differ(s, "channel %u: model served %zu, naive %zu", channel,
		    t->served_count, n->served_count);
	for (size_t i = 0; i < n->served_count; i++) {
		const struct wcp_dram_served *a = &t->served[i], *b = &n->served[i];
		if (a->handle != b->handle || a->arrival != b->arrival ||
		    a->first_command != b->first_command || a->end != b->end ||
		    a->requester != b->requester || a->bursts != b->bursts ||
		    a->write != b->write || a->row != b->row)
			return differ(s,
			    "channel %u served %zu: model %" PRIu64 " %" PRIu64 "..%" PRIu64
			    " row %u, naive %" PRIu64 " %" PRIu64 "..%" PRIu64 " row %u",
			    channel, i, a->handle, a->first_command, a->end, a->row, b->handle,
			    b->first_command, b->end, b->row);
	}
	return true;
}

static bool
same_number(struct stage *s, const char *name, uint64_t model, uint64_t naive)
{
	return model == naive ||
	       differ(s, "%s: model %" PRIu64 ", naive %" PRIu64, name, model, naive);
}

static bool
same_mean(
    struct stage *s, const char *name, const struct wcp_dram_mean *a, const struct wcp_dram_mean *b)
{
	if (a->sum == b->sum && a->cycles == b->cycles && a->max == b->max)
		return true;
	return differ(s,
	    "%s: model %" PRIu64 "/%" PRIu64 " max %u, naive %" PRIu64 "/%" PRIu64 " max %u", name,
	    a->sum, a->cycles, a->max, b->sum, b->cycles, b->max);
}

static bool
same_cycles(struct stage *s, const struct wcp_dram_counts *a, const struct wcp_dram_counts *b)
{
	return same_number(s, "transferring", a->cycles_transferring, b->cycles_transferring) &&
	       same_number(
		   s, "waiting column", a->cycles_waiting_column, b->cycles_waiting_column) &&
	       same_number(s, "waiting row", a->cycles_waiting_row, b->cycles_waiting_row) &&
	       same_number(s, "idle", a->cycles_idle, b->cycles_idle) &&
	       same_mean(s, "queued", &a->queued, &b->queued) &&
	       same_mean(s, "assigned", &a->assigned, &b->assigned) &&
	       same_mean(s, "service", &a->service, &b->service) &&
	       same_mean(s, "requests", &a->requests, &b->requests);
}

static bool
same_counts(struct stage *s, const struct wcp_dram_counts *a, const struct wcp_dram_counts *b)
{
	bool same = same_number(s, "reads", a->reads, b->reads) &&
		    same_number(s, "writes", a->writes, b->writes) &&
		    same_number(s, "read bursts", a->read_bursts, b->read_bursts) &&
		    same_number(s, "write bursts", a->write_bursts, b->write_bursts);
	for (int i = 0; i < 3; i++)
		same = same && same_number(s, "row", a->row[i], b->row[i]);
	for (int i = 0; i < WCP_CMD_COUNT; i++)
		same = same && same_number(s, wcp_dram_command_name((enum wcp_dram_command_kind)i),
				   a->command[i], b->command[i]);
	return same && same_cycles(s, a, b);
}

static bool
same_banks(struct stage *s, uint32_t channel, const struct naive_result *n)
{
	const struct wcp_dram_bank_counts *a = wcp_dram_bank_counts(s->d, channel);
	for (uint32_t i = 0; i < s->banks; i++) {
		const struct wcp_dram_bank_counts *b = &n->bank[i];
		if (a[i].columns != b->columns || a[i].activates != b->activates ||
		    a[i].conflicts != b->conflicts || a[i].busy_cycles != b->busy_cycles)
			return differ(s,
			    "channel %u bank %u: model %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			    ", naive %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
			    channel, i, a[i].columns, a[i].activates, a[i].conflicts,
			    a[i].busy_cycles, b->columns, b->activates, b->conflicts,
			    b->busy_cycles);
	}
	return true;
}

static bool
same_overall(struct stage *s)
{
	struct wcp_dram_overall a, b = naive_overall(s->naive, s->channels);
	wcp_dram_overall(s->d, &a);
	return same_mean(s, "overall queued", &a.queued, &b.queued) &&
	       same_mean(s, "overall assigned", &a.assigned, &b.assigned) &&
	       same_mean(s, "overall service", &a.service, &b.service) &&
	       same_mean(s, "overall requests", &a.requests, &b.requests);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Plays on by what next says: nothing may happen before. */
static bool
play_by_next(struct stage *s, uint32_t channel)
{
	struct naive *n = s->naive[channel];
	take_all(s, channel);
	for (int i = 0; i < 20; i++) {
		uint64_t next = wcp_dram_next(s->d, channel), free = 0;
		if ((next != UINT64_MAX) != naive_busy(n))
			return differ(s, "next is %" PRIu64 " where naive is %s", next,
			    naive_busy(n) ? "busy" : "idle");
		if (next == UINT64_MAX)
			return true;
		if (next <= s->now[channel])
			return differ(s, "next is %" PRIu64 " in %" PRIu64, next, s->now[channel]);
		free = naive_queued(n);
		naive_advance(n, next - 1);
		if (naive_queued(n) != free)
			return differ(s, "a slot is free before next, %" PRIu64, next);
		advance(s, channel, next - 1);
		free = s->told[channel].served_count;
		take(s, channel, 1, false);
		if (s->told[channel].served_count != free)
			return differ(s, "something is served before next, %" PRIu64, next);
		naive_advance(n, next);
		advance(s, channel, next);
		take_all(s, channel);
	}
	return true;
}

static bool
drain(struct stage *s, uint32_t channel)
{
	uint64_t end = wcp_dram_drain(s->d, channel);
	if (end < s->now[channel])
		return differ(
		    s, "drain goes back to %" PRIu64 " from %" PRIu64, end, s->now[channel]);
	s->now[channel] = end;
	take_all(s, channel);
	if (!s->naive || naive_drain(s->naive[channel]) == end)
		return true;
	return differ(
	    s, "drained at %" PRIu64 ", naive %" PRIu64, end, naive_time(s->naive[channel]));
}

static bool
compare(struct stage *s)
{
	for (uint32_t i = 0; i < s->channels; i++) {
		const struct naive_result *n = naive_result(s->naive[i]);
		if (!same_commands(s, i, n) || !same_served(s, i, n) ||
		    !same_counts(s, wcp_dram_counts(s->d, i), &n->counts) || !same_banks(s, i, n))
			return false;
	}
	return same_overall(s);
}

bool
stage_end(struct stage *s)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < s->channels; i++) {
		if (s->naive && !play_by_next(s, i)) {
			compare(s);
			return false;
		}
		if (!drain(s, i)) {
			*s->difference = 0;
			return s->naive && compare(s) ? differ(s, "drained at another time")
						      : false;
		}
		last = s->now[i] > last ? s->now[i] : last;
	}
	last += s->restless ? traffic_below(&s->random, 1000) : 0;
	stage_wait(s, last);
	if (!s->silent)
		check_end(s->check);
	if (check_first(s->check))
		differ(s, "checker: %s", check_first(s->check));
	if (*s->difference)
		return false;
	return !s->naive || compare(s);
}

const char *
stage_difference(const struct stage *s)
{
	return s->difference;
}

struct check *
stage_check(struct stage *s)
{
	return s->check;
}

const struct naive_result *
stage_naive(struct stage *s, uint32_t channel)
{
	return naive_result(s->naive[channel]);
}

struct wcp_dram *
stage_model(struct stage *s)
{
	return s->d;
}

const struct wcp_dram_command *
stage_commands(const struct stage *s, uint32_t channel, size_t *n)
{
	*n = s->told[channel].commands;
	return s->told[channel].command;
}

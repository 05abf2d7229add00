/* The memory as the ways of playing see it: channels in time, records on their way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hist.h"
#include "slot.h"

/* Small terms make short divisions. */
static void
reduce(uint64_t *num, uint64_t *den)
{
	uint64_t a = *num, b = *den;
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	*num /= a;
	*den /= a;
}

/* Clocks as whole hertz, so that times come out the same on every machine. */
void
play_clock(struct run *r, const struct wcp_machine *m)
{
	struct play *p = &r->play;
	struct wcp_clock_config clock = {0};
	double mhz = r->set->clock_mhz;
	double memory = 1000 / wcp_dram_config(p->dram)->timing.t_ck_ns;
	enum format f = r->input.format;
	bool theirs = f == FORMAT_DRAMSIM3 || f == FORMAT_STL;
	tool_machine_bind(m, "clock", &clock);
	if (!r->set->clock_given)
		mhz = theirs || clock.core_mhz <= 0 ? -1 : clock.core_mhz;
	p->clock_num = p->clock_den = 1;
	if (mhz > 0) {
		p->clock_num = (uint64_t)llround(memory * 1e6);
		p->clock_den = (uint64_t)llround(mhz * 1e6);
	}
	p->record_mhz = mhz > 0 ? mhz : memory;
	reduce(&p->clock_num, &p->clock_den);
}

uint64_t
play_converted(const struct play *p, uint64_t cycle)
{
	unsigned __int128 t = (unsigned __int128)cycle * p->clock_num;
	t = t <= UINT64_MAX ? (uint64_t)t / p->clock_den : t / p->clock_den;
	return t < PLAY_PAST ? (uint64_t)t : PLAY_PAST;
}

uint64_t
play_to_record(const struct play *p, uint64_t memory_cycle)
{
	if (p->clock_num == p->clock_den)
		return memory_cycle;
	unsigned __int128 n = (unsigned __int128)memory_cycle * p->clock_den + p->clock_num - 1;
	return (uint64_t)(n / p->clock_num);
}

int
play_open(struct run *r, const struct wcp_machine *m)
{
	struct play *p = &r->play;
	p->dram = wcp_dram_new(&r->set->config, &r->error);
	if (!p->dram)
		return tool_machine_error(r->tool, m, "dram", &r->error);
	const struct wcp_dram_config *c = wcp_dram_config(p->dram);
	uint32_t burst =
	    (c->organisation.burst_length + c->organisation.rate - 1) / c->organisation.rate;
	p->channels = wcp_dram_channels(p->dram);
	p->atom_bytes = wcp_dram_atom_bytes(p->dram);
	p->burst_ck = burst;
	p->requesters = r->set->requesters;
	for (int write = 0; write < 2; write++) {
		uint32_t column = (write ? c->timing.t_cwl : c->timing.t_cl) + burst;
		uint32_t row = write ? c->timing.t_rcdwr : c->timing.t_rcd;
		p->alone_ck[write][WCP_ROW_HIT] = column;
		p->alone_ck[write][WCP_ROW_MISS] = row + column;
		p->alone_ck[write][WCP_ROW_CONFLICT] = c->timing.t_rp + row + column;
	}
	p->time = must_alloc(NULL, p->channels * sizeof *p->time);
	memset(p->time, 0, p->channels * sizeof *p->time);
	p->atom_shift = (uint32_t)__builtin_ctz(p->atom_bytes);
	p->step_ck = c->timing.t_ccd_l > burst ? c->timing.t_ccd_l : burst;
	return 0;
}

void
play_close(struct run *r)
{
	wcp_dram_free(r->play.dram);
	free(r->play.time);
	free(r->play.pending);
}

void
slot_grow(struct play *p)
{
	uint32_t cap = p->cap ? 2 * p->cap : 1024;
	p->pending = must_alloc(p->pending, cap * sizeof *p->pending);
	for (uint32_t i = cap; i-- > p->cap;) {
		p->pending[i].next_free = p->free;
		p->free = i + 1;
	}
	p->cap = cap;
}

uint32_t
play_begin(struct run *r, struct record *record, uint64_t due)
{
	struct play *p = &r->play;
	uint32_t slot = slot_take(p);
	p->pending[slot] = (struct pending){.record = p->keeps ? record : NULL,
	    .number = record->number,
	    .due = due,
	    .end = due,
	    .unit = record->unit,
	    .parts = 1};
	return slot;
}

/* The record is served. */
static inline void
end_record(struct run *r, uint32_t slot)
{
	struct play *p = &r->play;
	struct record *record = p->pending[slot].record;
	uint64_t end = p->pending[slot].end;
	slot_free(p, slot);
	if (!record)
		return;
	if (r->out.writer)
		out_record(r, record, end);
	if (p->loop)
		loop_done(r, record, end);
	if (!r->out.writer)
		chunk_release(record->chunk);
}

/* One part fewer; the last one ends the record. */
static void
part_done(struct run *r, uint32_t slot)
{
	struct pending *q = &r->play.pending[slot];
	if (--q->parts)
		return;
	count_record(r, q);
	end_record(r, slot);
}

void
play_begun(struct run *r, uint32_t slot)
{
	part_done(r, slot);
}

static inline void
part_served(struct run *r, const struct wcp_dram_served *s)
{
	struct pending *q = &r->play.pending[s->handle];
	if (q->only) {
		q->end = s->end;
		hist_add(&r->counts.only[s->write], s->end - q->due);
		if (r->set->by)
			count_by(r, q, s);
		end_record(r, (uint32_t)s->handle);
		return;
	}
	q->end = s->end > q->end ? s->end : q->end;
	count_served(r, q, s);
	part_done(r, (uint32_t)s->handle);
}

void
play_collect(struct run *r, uint32_t channel)
{
	struct play *p = &r->play;
	struct wcp_dram_served done[64];
	size_t n;
	while ((n = wcp_dram_done(p->dram, channel, done, 64, true))) {
		p->end = done[n - 1].end > p->end ? done[n - 1].end : p->end;
		p->served += n;
		for (size_t i = 0; i < n; i++)
			part_served(r, &done[i]);
	}
}

void
play_advance(struct run *r, uint32_t channel, uint64_t until)
{
	struct play *p = &r->play;
	if (until <= p->time[channel])
		return;
	while (r->series.file && r->series.next[channel] <= until) {
		p->time[channel] = r->series.next[channel];
		wcp_dram_advance(p->dram, channel, p->time[channel]);
		series_sample(r, channel);
	}
	wcp_dram_advance(p->dram, channel, until);
	p->time[channel] = until;
}

bool
play_push(struct run *r, struct wcp_dram_request *q, uint64_t time)
{
	if (r->series.file)
		play_advance(r, q->place.channel, time);
	r->play.time[q->place.channel] = time;
	return slot_push(&r->play, q, time);
}

bool
play_full(const struct play *p, const struct wcp_dram_request *q)
{
	if (wcp_dram_room(p->dram, q->place.channel, q->write))
		out_of_memory();
	return false;
}

void
play_all(struct run *r, uint64_t until)
{
	for (uint32_t c = 0; c < r->play.channels; c++) {
		play_advance(r, c, until);
		play_collect(r, c);
	}
}

/* Channel by channel to its end, then all to the last one's. */
void
play_drain(struct run *r)
{
	struct play *p = &r->play;
	uint64_t last = 0;
	for (uint32_t c = 0; c < p->channels; c++) {
		uint64_t next;
		while (r->series.file && (next = wcp_dram_next(p->dram, c)) != UINT64_MAX)
			play_advance(r, c, next < r->series.next[c] ? r->series.next[c] : next + 1);
		uint64_t end = wcp_dram_drain(p->dram, c);
		p->time[c] = end > p->time[c] ? end : p->time[c];
		last = p->time[c] > last ? p->time[c] : last;
		play_collect(r, c);
	}
	play_all(r, last);
}

int
play_past(const struct run *r, const struct record *record, uint64_t time)
{
	char place[300];
	input_place(r, record, place, sizeof place);
	return tool_fail(r->tool, -WCP_EDATA,
	    "%s: time %llu is past memory cycle %llu, the last there is", place,
	    (unsigned long long)(r->set->mode == MODE_WINDOW ? time : record->cycle),
	    (unsigned long long)WCP_DRAM_CYCLE_MAX);
}

/* Idle time is played at once, but what is written of it is written line by line. */
int
play_gap(const struct run *r, const struct record *record, uint64_t from, uint64_t to)
{
	const struct wcp_dram_config *c = wcp_dram_config(r->play.dram);
	uint64_t gap = to > from ? to - from : 0, each = c->organisation.ranks;
	double lines = 0;
	if (c->timing.refresh == WCP_REFRESH_PER_BANK)
		each *= c->organisation.banks;
	if (r->commands && c->timing.refresh != WCP_REFRESH_NONE)
		lines = (double)gap / c->timing.t_refi * (double)each * r->play.channels;
	const char *option = lines > GAP_LINES ? "--commands" : "--series";
	if (r->series.file && lines <= GAP_LINES)
		lines = (double)gap / (double)r->series.interval * r->play.channels;
	if (lines <= GAP_LINES)
		return 0;
	char place[300];
	input_place(r, record, place, sizeof place);
	return tool_fail(r->tool, -WCP_EDATA,
	    "%s: time %llu is %llu memory cycles later than the one before: %s would write more "
	    "than %d lines",
	    place, (unsigned long long)record->cycle, (unsigned long long)gap, option, GAP_LINES);
}

int
play_refused(const struct run *r, const struct record *record, int why)
{
	char place[300];
	input_place(r, record, place, sizeof place);
	if (why == WCP_EUSAGE)
		return tool_usage(r->tool,
		    "%s: the scheduler tells %u requesters apart and there are more: --requesters",
		    place, r->play.requesters);
	return tool_fail(r->tool, -WCP_EDATA,
	    "%s: address 0x%llx is beyond the memory's %llu bytes", place,
	    (unsigned long long)record->address,
	    (unsigned long long)wcp_dram_capacity(r->play.dram));
}

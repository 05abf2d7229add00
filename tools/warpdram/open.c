/*
 * Open loop: every request comes at its time. One that finds its queue full waits outside, and
 * those for the same channel behind it; nobody else is delayed.
 */
#include <stdlib.h>
#include "part.h"
#include "slot.h"

enum { BLOCK = 128 };

/* After how many records channels are brought to the same time: few, so that what is on its way
 * stays in the processor's cache, but many a channel. */
uint32_t
open_sync_records(const struct run *r)
{
	return r->play.channels < 64 ? 1024 : 16 * r->play.channels;
}

/* From when on there is room for a part that is due; what was on the way there is counted. */
static uint64_t
sampled_room(struct run *r, uint32_t channel, bool write, uint64_t due)
{
	struct play *p = &r->play;
	play_advance(r, channel, due);
	while (!wcp_dram_room(p->dram, channel, write)) {
		uint64_t until = r->series.next[channel];
		p->time[channel] = wcp_dram_advance_to_room(p->dram, channel, write, until);
		if (p->time[channel] == until)
			series_sample(r, channel);
	}
	return p->time[channel];
}

/* Pushes a part at its time or as soon as there is room. */
static inline void
push_part(struct run *r, struct wcp_dram_request *q, uint64_t due)
{
	struct play *p = &r->play;
	uint32_t channel = q->place.channel;
	uint64_t room = r->series.file
			    ? sampled_room(r, channel, q->write, due)
			    : wcp_dram_advance_to_room(p->dram, channel, q->write, UINT64_MAX);
	uint64_t time = due > room ? due : room;
	p->time[channel] = time;
	if (!slot_push(p, q, time))
		abort();
	r->counts.waited += time - due;
}

/* Records with where their first parts go; looked up together. */
struct block {
	uint32_t n;
	struct parts parts[BLOCK];
	uint64_t address[BLOCK];
	struct wcp_dram_place place[BLOCK];
};

/* Addresses that are past the capacity are left to parts_next, which finds the first. */
static void
open_block(const struct run *r, struct block *b, const struct record *record, uint32_t n)
{
	size_t which;
	b->n = n < BLOCK ? n : BLOCK;
	for (uint32_t i = 0; i < b->n; i++) {
		parts_start(r, &b->parts[i], &record[i]);
		b->address[i] = b->parts[i].address;
	}
	if (wcp_dram_locate(r->play.dram, b->address, b->n, b->place, &which) < 0)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		b->parts[i].first = &b->place[i];
}

static int
play_parts(struct run *r, struct record *record, struct parts *parts, uint64_t due)
{
	struct wcp_dram_request q;
	int more = parts_next(r, parts, record, &q);
	if (more < 0) {
		record->chunk->left--; /* it is never begun */
		return more;
	}
	if (!parts->atoms && !parts->sectors) {
		q.handle = slot_of_only(&r->play, record, due);
		push_part(r, &q, due);
		return 0;
	}
	uint32_t slot = play_begin(r, record, due);
	for (q.handle = slot; more > 0; more = parts_next(r, parts, record, &q))
		push_part(r, &q, due);
	play_begun(r, slot);
	return more;
}

/* What most ask for is one atom, and nobody asks who they are. */
static inline int
play_record(struct run *r, struct record *record, struct parts *parts, uint64_t due)
{
	if (parts->atoms != 1 || parts->sectors || !parts->first || record->placed ||
	    r->play.requesters)
		return play_parts(r, record, parts, due);
	struct wcp_dram_request q = {.place = *parts->first,
	    .handle = slot_of_only(&r->play, record, due),
	    .bursts = 1,
	    .write = record->write,
	    .marks = record->marks};
	push_part(r, &q, due);
	return 0;
}

static int
check_time(const struct run *r, const struct record *record, uint64_t now, uint64_t due)
{
	if (due > WCP_DRAM_CYCLE_MAX)
		return play_past(r, record, due);
	return play_gap(r, record, now, due);
}

/* *now: the time of the last record played. Returns how many records it came to, of which one may
 * have failed. */
static uint32_t
play_block(struct run *r, struct record *record, uint32_t n, uint64_t *now, int *status)
{
	struct block block;
	bool writes = r->commands || r->series.file;
	uint32_t i = 0;
	open_block(r, &block, record, n);
	for (; i < block.n && !*status; i++) {
		uint64_t due = play_to_memory(&r->play, record[i].cycle);
		if (writes || due > WCP_DRAM_CYCLE_MAX)
			*status = check_time(r, &record[i], *now, due);
		if (*status) {
			record[i].chunk->left--; /* it is never begun */
			break;
		}
		*now = due;
		int more = play_record(r, &record[i], &block.parts[i], due);
		if (more)
			*status = play_refused(r, &record[i], more);
	}
	return i + (i < block.n && *status);
}

static int
play_chunk(struct run *r, struct chunk *c, uint64_t *now)
{
	int status = 0;
	uint32_t i = 0, n = c->n, sync = open_sync_records(r), since = 0;
	c->left++; /* held while it is gone through */
	while (i < n && !status) {
		uint32_t played = play_block(r, &c->record[i], n - i, now, &status);
		i += played;
		since += played;
		if (since < sync && i < n && !status)
			continue;
		since = 0;
		play_all(r, *now);
		if (out_flush(r, *now))
			status = tool_error(r->tool, out_name(r), &r->error);
	}
	c->left -= r->play.keeps ? n - i : c->left - 1;
	chunk_release(c);
	return status;
}

int
open_run(struct run *r)
{
	struct chunk *c;
	uint64_t now = 0;
	int status = 0;
	while (!status && (c = input_next(r)))
		status = play_chunk(r, c, &now);
	play_drain(r);
	if (!status && out_flush(r, UINT64_MAX))
		status = tool_error(r->tool, out_name(r), &r->error);
	return status ? status : r->input.status;
}

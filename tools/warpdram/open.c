/*
 * Open loop: every request comes at its time. One that finds its queue full waits outside, and
 * those for the same channel behind it; nobody else is delayed.
 */
#include "warpdram.h"

enum { BLOCK = 128 };

/* After how many records channels are brought to the same time: few, so that what is on its way
 * stays in the processor's cache, but many a channel. */
uint32_t
open_sync_records(const struct run *r)
{
	return r->play.channels < 64 ? 1024 : 16 * r->play.channels;
}

/* Pushes a part at its time or as soon as there is room. */
static void
push_part(struct run *r, struct wcp_dram_request *q, uint64_t due)
{
	struct play *p = &r->play;
	uint32_t channel = q->place.channel;
	uint64_t time = due > p->time[channel] ? due : p->time[channel];
	while (!play_push(r, q, time)) {
		uint64_t until = r->series.file ? r->series.next[channel] : UINT64_MAX;
		uint64_t room = wcp_dram_advance_to_room(p->dram, channel, q->write, until);
		if (room == until && r->series.file) {
			p->time[channel] = room;
			series_sample(r, channel);
		}
		p->time[channel] = time = room;
	}
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
play_record(struct run *r, struct record *record, struct parts *parts, uint64_t due)
{
	uint32_t slot = play_begin(r, record, due);
	struct wcp_dram_request q = {.handle = slot};
	int more;
	while ((more = parts_next(r, parts, record, &q)) > 0)
		push_part(r, &q, due);
	play_begun(r, slot);
	return more;
}

static int
check_time(const struct run *r, const struct record *record, uint64_t now, uint64_t due)
{
	if (due > WCP_DRAM_CYCLE_MAX)
		return play_past(r, record, due);
	return r->commands || r->series.file ? play_gap(r, record, now, due) : 0;
}

/* *now: the time of the last record played. */
static int
play_chunk(struct run *r, struct chunk *c, uint64_t *now)
{
	int status = 0;
	uint32_t i = 0, n = c->n, sync = open_sync_records(r);
	struct block block;
	c->left++; /* held while it is gone through */
	for (; i < n && !status; i++) {
		struct record *record = &c->record[i];
		uint64_t due = play_to_memory(&r->play, record->cycle);
		if (i % BLOCK == 0)
			open_block(r, &block, record, n - i);
		status = check_time(r, record, *now, due);
		if (status) {
			c->left--; /* it is never begun */
		} else {
			*now = due;
			status = play_record(r, record, &block.parts[i % BLOCK], due);
			if (status)
				status = play_refused(r, record, status);
		}
		if (i % sync == sync - 1 || i == n - 1 || status) {
			play_all(r, *now);
			if (out_flush(r, *now))
				status = tool_error(r->tool, out_name(r), &r->error);
		}
	}
	c->left -= n - i;
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

/*
 * Idle time. With nothing queued or in flight and all rows closed only refreshes happen, and what
 * they do depends on a few times alone, which no more than move on with the clock: due times recur
 * every t_refi. So when one interval left all of them where they were, seen from its end as from
 * its beginning, every further one does the same.
 */
#include "dram/measure.h"

/* Times that refreshes look at or change. */
static uint32_t
time_count(const struct dram_channel *ch)
{
	return 2 * ch->n_bank + 3 * ch->n_rank;
}

static uint64_t *
time_at(struct dram_channel *ch, uint32_t i)
{
	if (i < ch->n_bank)
		return &ch->bank[i].ok[S_ACT];
	if (i < 2 * ch->n_bank)
		return &ch->bank[i - ch->n_bank].closed;
	i -= 2 * ch->n_bank;
	struct dram_rank *rank = &ch->rank[i / 3];
	if (i % 3 == 0)
		return &rank->ref_ok;
	return i % 3 == 1 ? &rank->due : &ch->rank_gate[i / 3][S_ACT];
}

size_t
dram_idle_room(const struct dram_channel *ch)
{
	return time_count(ch) + 3 * ch->n_rank + WCP_CMD_COUNT;
}

void
dram_idle_init(struct dram_channel *ch)
{
	const struct wcp_dram_config *c = &ch->d->config;
	if (c->timing.refresh != WCP_REFRESH_NONE)
		ch->idle_period = c->timing.t_refi;
	else if (ch->d->scheduler->idle)
		ch->idle_period = c->controller.tcm_quantum_ck;
	/* Shorter ones are played sooner than looked at. */
	ch->idle_least = ch->idle_period ? 4 * ch->idle_period : DRAM_NEVER;
}

static bool
is_quiet(struct dram_channel *ch)
{
	dram_retire(ch, ch->now);
	if (ch->look || dram_queued(ch) || ch->retire_at != DRAM_NEVER)
		return false;
	for (uint32_t b = 0; b < ch->n_bank; b++)
		if (ch->bank[b].open_row != DRAM_CLOSED)
			return false;
	return true;
}

bool
dram_idle_begin(struct dram_channel *ch)
{
	if (ch->d->log || ch->d->config.timing.refresh == WCP_REFRESH_NONE || !is_quiet(ch))
		return false;
	uint64_t *to = ch->idle;
	for (uint32_t i = 0; i < time_count(ch); i++)
		*to++ = *time_at(ch, i);
	for (uint32_t r = 0; r < ch->n_rank; r++) {
		*to++ = ch->rank[r].nth;
		*to++ = ch->rank[r].owed;
		*to++ = ch->rank[r].turn;
	}
	for (unsigned i = 0; i < WCP_CMD_COUNT; i++)
		*to++ = ch->m.counts.command[i];
	return true;
}

/* Is all as an interval before? A time that did not move is past: it holds nothing back and nobody
 * sets it. */
static bool
recurs(struct dram_channel *ch, uint64_t from)
{
	const uint64_t *then = ch->idle;
	for (uint32_t i = 0; i < time_count(ch); i++, then++) {
		uint64_t t = *time_at(ch, i);
		if (t != *then + ch->idle_period && (t != *then || t > from))
			return false;
	}
	for (uint32_t r = 0; r < ch->n_rank; r++, then += 3)
		if (ch->rank[r].owed != then[1] || ch->rank[r].turn != then[2])
			return false;
	return true;
}

void
dram_idle_skip(struct dram_channel *ch, uint64_t from, uint64_t until)
{
	uint64_t limit = until < ch->wake ? until : ch->wake;
	if (limit <= ch->now + ch->idle_period || !recurs(ch, from))
		return;
	/* What is due at the limit itself is left to be played. */
	uint64_t times = (limit - ch->now - 1) / ch->idle_period;
	uint64_t cycles = times * ch->idle_period;
	const uint64_t *then = ch->idle;
	for (uint32_t i = 0; i < time_count(ch); i++, then++)
		if (*time_at(ch, i) != *then)
			*time_at(ch, i) += cycles;
	for (uint32_t r = 0; r < ch->n_rank; r++, then += 3)
		ch->rank[r].nth += times * (ch->rank[r].nth - then[0]);
	for (unsigned i = 0; i < WCP_CMD_COUNT; i++)
		ch->m.counts.command[i] += times * (ch->m.counts.command[i] - then[i]);
	ch->now += cycles;
	dram_refresh_moved(ch);
}

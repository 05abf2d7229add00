/* Refresh: when it falls due, what is held back for it, and its commands. */
#include "dram/candidate.h"
#include "dram/measure.h"

/* Cycle at which the nth refresh (from 0) of a rank falls due. */
static uint64_t
due_at(const struct wcp_dram_config *c, uint32_t rank, uint64_t nth)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	uint64_t refi = c->timing.t_refi, start = rank * refi / o->ranks;
	if (c->timing.refresh == WCP_REFRESH_ALL_BANK)
		return start + (nth + 1) * refi;
	return start + (nth / o->banks + 1) * refi + nth % o->banks * refi / o->banks;
}

static void
find_due(struct dram_channel *ch)
{
	ch->due_time = DRAM_NEVER;
	for (uint32_t r = 0; r < ch->n_rank; r++)
		if (ch->rank[r].due < ch->due_time)
			ch->due_time = ch->rank[r].due;
}

void
dram_refresh_init(struct dram_channel *ch)
{
	const struct wcp_dram_config *c = &ch->d->config;
	ch->ref_time = ch->due_time = DRAM_NEVER;
	if (c->timing.refresh == WCP_REFRESH_NONE)
		return;
	for (uint32_t r = 0; r < ch->n_rank; r++)
		ch->rank[r].due = due_at(c, r, 0);
	find_due(ch);
}

static void
stale_all(struct dram_channel *ch)
{
	for (unsigned s = 0; s < DRAM_STEPS; s++)
		dram_stale(ch, s);
}

/* A request that has left its queue, which the refresh waits for. */
static bool
has_opened(const struct dram_channel *ch, uint32_t b)
{
	return ch->frees_at_act && ch->bank[b].opener != DRAM_NONE;
}

static void
block(struct dram_channel *ch, uint32_t from, uint32_t to, bool held)
{
	for (uint32_t b = from; b < to; b++) {
		uint64_t bit = 1ull << (b & 63);
		bool waits = held && !has_opened(ch, b);
		ch->blocked[b / 64] = (ch->blocked[b / 64] & ~bit) | (waits ? bit : 0);
	}
}

/* The banks that the rank's next refresh is for. */
static void
banks_of(const struct dram_channel *ch, uint32_t r, uint32_t *from, uint32_t *to)
{
	uint32_t per_rank = ch->rank_banks;
	bool one = ch->d->config.timing.refresh == WCP_REFRESH_PER_BANK;
	*from = r * per_rank + (one ? ch->rank[r].turn : 0);
	*to = one ? *from + 1 : *from + per_rank;
}

static void
hold(struct dram_channel *ch, uint32_t r, bool held)
{
	uint32_t from, to;
	banks_of(ch, r, &from, &to);
	block(ch, from, to, held);
}

void
dram_refresh_go_on(struct dram_channel *ch, uint32_t r)
{
	if (ch->rank[r].owed)
		hold(ch, r, true);
}

void
dram_refresh_due(struct dram_channel *ch)
{
	for (uint32_t r = 0; r < ch->n_rank; r++) {
		struct dram_rank *rank = &ch->rank[r];
		if (rank->due != ch->now)
			continue;
		if (!rank->owed++) {
			hold(ch, r, true);
			ch->ranks_owed++;
		}
		rank->due = due_at(&ch->d->config, r, ++rank->nth);
	}
	find_due(ch);
	stale_all(ch);
}

void
dram_refresh_moved(struct dram_channel *ch)
{
	find_due(ch);
	stale_all(ch);
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* When the rank's refresh has its next command, if nothing is waited for; *closes: it is a
 * precharge. */
static uint64_t
next_time(const struct dram_channel *ch, uint32_t r, bool *closes)
{
	uint32_t from, to;
	uint64_t closed = later(ch->now, ch->rank[r].ref_ok), open = ch->now;
	bool any = *closes = false;
	banks_of(ch, r, &from, &to);
	for (uint32_t b = from; b < to; b++) {
		const struct dram_bank *bank = &ch->bank[b];
		closed = later(closed, bank->closed);
		if (has_opened(ch, b))
			return DRAM_NEVER;
		if (bank->open_row == DRAM_CLOSED)
			continue;
		any = true;
		open = later(open, bank->ok[S_PRE]);
		open = later(open, ch->rank_gate[r][S_PRE]);
		open = later(open, ch->group_gate[bank->group][S_PRE]);
	}
	*closes = any;
	return any ? open : closed;
}

void
dram_refresh_decide(struct dram_channel *ch)
{
	ch->ref_time = DRAM_NEVER;
	for (uint32_t r = 0; r < ch->n_rank; r++) {
		bool closes;
		if (!ch->rank[r].owed)
			continue;
		uint64_t t = next_time(ch, r, &closes);
		if (t >= ch->ref_time)
			continue;
		ch->ref_time = t;
		ch->ref_rank = r;
	}
}

static void
close_all(struct dram_channel *ch, uint32_t r, uint32_t from, uint32_t to)
{
	const struct dram_gaps *g = &ch->d->gaps;
	uint64_t *gate = &ch->rank_gate[r][S_PRE], t = ch->now;
	bool one = ch->d->config.timing.refresh == WCP_REFRESH_PER_BANK;
	dram_tell(ch, one ? WCP_CMD_PRE : WCP_CMD_PREA, r, one ? from : 0, NULL);
	for (uint32_t b = from; b < to; b++)
		if (ch->bank[b].open_row != DRAM_CLOSED)
			dram_close_bank(ch, b, t);
	dram_measures_look(ch, ch->now);
	*gate = later(*gate, t + g->near[S_PRE][S_PRE][SAME_RANK]);
	dram_stale(ch, S_PRE);
}

static void
refresh(struct dram_channel *ch, uint32_t r, uint32_t from, uint32_t to)
{
	const struct dram_gaps *g = &ch->d->gaps;
	bool one = ch->d->config.timing.refresh == WCP_REFRESH_PER_BANK;
	uint32_t own = one ? g->rfc_pb : g->rfc;
	uint64_t *gate = &ch->rank_gate[r][S_ACT], t = ch->now;
	uint64_t others = t + (one ? g->rrefd : g->rfc);
	dram_tell(ch, one ? WCP_CMD_REFPB : WCP_CMD_REF, r, one ? from : 0, NULL);
	for (uint32_t b = from; b < to; b++) {
		struct dram_bank *bank = &ch->bank[b];
		bank->ok[S_ACT] = later(bank->ok[S_ACT], t + own);
		bank->closed = later(bank->closed, t + own);
		if (ch->want[b].step == S_ACT)
			ch->want[b].ready = bank->ok[S_ACT];
	}
	*gate = later(*gate, others);
	ch->rank[r].ref_ok = others;
	hold(ch, r, false);
	ch->rank[r].turn = one ? (ch->rank[r].turn + 1) & (ch->rank_banks - 1) : 0;
	stale_all(ch);
	if (--ch->rank[r].owed)
		hold(ch, r, true);
	else if (!--ch->ranks_owed)
		ch->ref_time = DRAM_NEVER;
}

void
dram_refresh_issue(struct dram_channel *ch)
{
	uint32_t r = ch->ref_rank, from, to;
	bool closes;
	next_time(ch, r, &closes);
	banks_of(ch, r, &from, &to);
	if (closes)
		close_all(ch, r, from, to);
	else
		refresh(ch, r, from, to);
}

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { BEATS = 16 };

struct event {
	int64_t time; /* of what happens; NEVER: not yet */
	struct wcp_dram_command command;
};

struct bank {
	bool open;
	uint32_t row;
	uint64_t due; /* refreshes of it that were due, less those done */
	struct event last[EV_COUNT];
};

struct rank {
	uint64_t refreshes;
	int64_t refreshed;   /* when last */
	struct event act[4]; /* the last, oldest first */
};

struct beats { /* on the data bus */
	int64_t from, to;
	struct wcp_dram_command command;
};

struct channel {
	struct bank *bank; /* [ranks * banks] */
	struct rank *rank;
	struct beats beats[BEATS];
	unsigned next_beats;
	int64_t row_bus, column_bus, time;
};

struct check {
	struct wcp_dram_organisation o;
	struct wcp_dram_timing t;
	int64_t burst;
	uint32_t channels, banks;
	struct channel *channel;
	struct check_tally tally[CHECK_RULES_MAX];
	uint64_t commands, violations, latest_refresh;
	bool columns_first; /* a refresh that is due waits for columns */
	char first[512];
};

#define NEVER (-(1ll << 60))

static const char *const kind_name[WCP_CMD_COUNT] = {
    "ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REF", "REFpb"};

static bool
possible(const struct wcp_dram_organisation *o)
{
	uint64_t atom = (uint64_t)o->burst_length * o->bus_bits / 8;
	return o->channels && o->pseudo_channels && o->ranks && o->bank_groups && o->banks &&
	       o->rate && o->banks % o->bank_groups == 0 && atom && o->row_bytes >= atom &&
	       (uint64_t)o->channels * o->pseudo_channels * o->ranks * o->banks < 1 << 20;
}

struct check *
check_new(const struct wcp_dram_organisation *o, const struct wcp_dram_timing *t)
{
	if (!possible(o))
		return NULL;
	struct check *k = calloc(1, sizeof *k);
	k->o = *o;
	k->t = *t;
	k->burst = (o->burst_length + o->rate - 1) / o->rate;
	k->channels = o->channels * o->pseudo_channels;
	k->banks = o->ranks * o->banks;
	k->channel = calloc(k->channels, sizeof *k->channel);
	for (uint32_t i = 0; i < k->channels; i++) {
		struct channel *c = &k->channel[i];
		c->row_bus = c->column_bus = c->time = NEVER;
		c->bank = calloc(k->banks, sizeof *c->bank);
		c->rank = calloc(o->ranks, sizeof *c->rank);
		for (uint32_t b = 0; b < k->banks; b++)
			for (int e = 0; e < EV_COUNT; e++)
				c->bank[b].last[e].time = NEVER;
		for (uint32_t r = 0; r < o->ranks; r++) {
			c->rank[r].refreshed = NEVER;
			for (int a = 0; a < 4; a++)
				c->rank[r].act[a].time = NEVER;
		}
		for (int b = 0; b < BEATS; b++)
			c->beats[b].from = c->beats[b].to = NEVER;
	}
	for (size_t i = 0; check_rules[i].name; i++) {
		k->tally[i].value = check_value(&check_rules[i], t, (uint32_t)k->burst);
		k->tally[i].closest = INT64_MAX;
	}
	return k;
}

void
check_free(struct check *k)
{
	for (uint32_t i = 0; i < k->channels; i++) {
		free(k->channel[i].bank);
		free(k->channel[i].rank);
	}
	free(k->channel);
	free(k);
}

/* ---- saying what is wrong ------------------------------------------------------------------- */

static void
spell(const struct wcp_dram_command *c, char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 " %s channel %u rank %u bank %u row %u column %u", c->cycle,
	    c->kind < WCP_CMD_COUNT ? kind_name[c->kind] : "?", c->channel, c->rank, c->bank,
	    c->row, c->column);
}

static void
wrong(struct check *k, const struct wcp_dram_command *c, const char *what,
    const struct wcp_dram_command *before)
{
	char at[160], from[160] = "";
	if (k->violations++)
		return;
	spell(c, at, sizeof at);
	if (before)
		spell(before, from, sizeof from);
	snprintf(k->first, sizeof k->first, "%s: %s%s%s", at, what, before ? " after " : "", from);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static uint32_t
group_of(const struct check *k, uint32_t bank)
{
	return bank % k->o.banks / (k->o.banks / k->o.bank_groups);
}

static bool
in_scope(const struct check *k, enum check_scope scope, uint32_t p, uint32_t b)
{
	bool rank = p / k->o.banks == b / k->o.banks;
	bool group = group_of(k, p) == group_of(k, b);
	switch (scope) {
	case SAME_BANK: return p == b;
	case OTHER_BANK: return rank && p != b;
	case SAME_GROUP: return rank && group;
	case OTHER_GROUP: return rank && !group;
	case SAME_RANK: return rank;
	case OTHER_RANK: return !rank;
	case FOURTH: break;
	}
	return false;
}

/* The last event that the rule's distance counts from; NULL if there was none. */
static const struct event *
latest(const struct check *k, const struct channel *c, const struct check_rule *r, uint32_t b)
{
	const struct event *e = NULL;
	if (r->scope == FOURTH)
		e = &c->rank[b / k->o.banks].act[0];
	else if (r->scope == SAME_BANK)
		e = &c->bank[b].last[r->before];
	else
		for (uint32_t p = 0; p < k->banks; p++)
			if (in_scope(k, r->scope, p, b) &&
			    (!e || c->bank[p].last[r->before].time > e->time))
				e = &c->bank[p].last[r->before];
	return e && e->time != NEVER ? e : NULL;
}

/* All rules about an event of bank b. */
static void
check_event(struct check *k, const struct wcp_dram_command *c, enum check_event event, uint32_t b)
{
	struct channel *ch = &k->channel[c->channel];
	int64_t t = (int64_t)c->cycle, most = NEVER, earliest[CHECK_RULES_MAX];
	for (size_t i = 0; check_rules[i].name; i++) {
		struct check_tally *y = &k->tally[i];
		const struct event *e = NULL;
		earliest[i] = NEVER;
		if (check_rules[i].after == event && y->value)
			e = latest(k, ch, &check_rules[i], b);
		if (!e)
			continue;
		earliest[i] = e->time + y->value;
		most = earliest[i] > most ? earliest[i] : most;
		y->pairs++;
		y->exact += t == earliest[i];
		if (t - earliest[i] < y->closest)
			y->closest = t - earliest[i];
		if (t < earliest[i])
			wrong(k, c, check_rules[i].name, &e->command);
	}
	for (size_t i = 0; check_rules[i].name; i++)
		k->tally[i].bound += most != NEVER && earliest[i] == most;
}

static void
happens(struct channel *ch, const struct wcp_dram_command *c, enum check_event event, uint32_t b,
    int64_t when)
{
	ch->bank[b].last[event] = (struct event){when, *c};
}

/* ---- buses ---------------------------------------------------------------------------------- */

static void
check_bus(struct check *k, struct channel *ch, const struct wcp_dram_command *c, bool column)
{
	int64_t t = (int64_t)c->cycle;
	int64_t *bus = k->t.dual_command && column ? &ch->column_bus : &ch->row_bus;
	if (t < ch->time)
		wrong(k, c, "earlier than the command before it", NULL);
	else if (t == *bus)
		wrong(k, c, "a second command on its bus in this cycle", NULL);
	*bus = ch->time = t;
}

static void
check_data(struct check *k, struct channel *ch, const struct wcp_dram_command *c, bool write)
{
	int64_t from = (int64_t)c->cycle + (write ? k->t.t_cwl : k->t.t_cl);
	for (unsigned i = 0; i < BEATS; i++) {
		const struct beats *p = &ch->beats[i];
		int64_t gap = p->command.rank == c->rank ? 0 : k->t.t_rtrs;
		if (p->to != NEVER && from < p->to + gap && p->from < from + k->burst + gap)
			wrong(k, c, "its data meets that on the bus", &p->command);
	}
	ch->beats[ch->next_beats++ % BEATS] = (struct beats){from, from + k->burst, *c};
}

/* ---- refresh -------------------------------------------------------------------------------- */

/* When the refresh after i others of the rank is due. */
static int64_t
due_at(const struct check *k, uint32_t rank, uint64_t i)
{
	uint64_t refi = k->t.t_refi, per = k->t.refresh == WCP_REFRESH_PER_BANK ? k->o.banks : 1;
	return (int64_t)(refi * (i / per + 1) + rank * refi / k->o.ranks + i % per * refi / per);
}

static int64_t
later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The last cycle in which the rank's next refresh may come: from when it is due and the one before
 * is issued, banks become precharged, other ranks have the bus, and the one before ends. Columns
 * may take any time. */
static int64_t
deadline(const struct check *k, const struct channel *ch, uint32_t rank)
{
	const struct wcp_dram_timing *t = &k->t;
	const struct rank *r = &ch->rank[rank];
	int64_t open = later(later(t->t_ras, t->t_rtp), t->t_cwl + k->burst + t->t_wr);
	int64_t before = t->t_rfc;
	if (k->columns_first)
		return INT64_MAX;
	if (t->refresh == WCP_REFRESH_PER_BANK)
		before = (int64_t)t->t_rfc_pb + t->t_rrefd + t->t_rrd_l + t->t_rrd_s;
	return later(due_at(k, rank, r->refreshes), r->refreshed) + open + t->t_rp + t->t_ppd +
	       before + 4 * (int64_t)k->o.ranks;
}

/* Is it the bank's turn to be refreshed, so that it may have no other command? */
static bool
bank_due(const struct check *k, const struct channel *ch, uint32_t b, int64_t t)
{
	uint32_t rank = b / k->o.banks;
	uint64_t done = ch->rank[rank].refreshes;
	if (k->t.refresh == WCP_REFRESH_NONE)
		return false;
	bool turn = k->t.refresh == WCP_REFRESH_ALL_BANK || done % k->o.banks == b % k->o.banks;
	return turn && due_at(k, rank, done) <= t;
}

static void
check_refresh(struct check *k, struct channel *ch, const struct wcp_dram_command *c)
{
	struct rank *r = &ch->rank[c->rank];
	int64_t t = (int64_t)c->cycle, due = due_at(k, c->rank, r->refreshes);
	if (k->t.refresh == WCP_REFRESH_NONE) {
		wrong(k, c, "a refresh, but none is done", NULL);
		return;
	}
	if (c->kind == WCP_CMD_REFPB && r->refreshes % k->o.banks != c->bank)
		wrong(k, c, "not the bank whose turn it is", NULL);
	if (t < due)
		wrong(k, c, "refreshed before it is due", NULL);
	else if (t > deadline(k, ch, c->rank))
		wrong(k, c, "refreshed too late", NULL);
	if (t >= due && (uint64_t)(t - due) > k->latest_refresh)
		k->latest_refresh = (uint64_t)(t - due);
	r->refreshes++;
	r->refreshed = t;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void
check_act(struct check *k, struct channel *ch, const struct wcp_dram_command *c, uint32_t b)
{
	struct rank *r = &ch->rank[c->rank];
	if (ch->bank[b].open)
		wrong(k, c, "ACT of an open bank", &ch->bank[b].last[EV_ACT].command);
	check_event(k, c, EV_ACT, b);
	happens(ch, c, EV_ACT, b, (int64_t)c->cycle);
	memmove(r->act, r->act + 1, 3 * sizeof *r->act);
	r->act[3] = ch->bank[b].last[EV_ACT];
	ch->bank[b].open = true;
	ch->bank[b].row = c->row;
}

/* The bank precharges by itself when a PRE would be legal. */
static void
auto_precharge(struct check *k, struct channel *ch, const struct wcp_dram_command *c, uint32_t b)
{
	struct bank *p = &ch->bank[b];
	int64_t when = (int64_t)c->cycle;
	for (size_t i = 0; check_rules[i].name; i++)
		if (check_rules[i].after == EV_PRE && check_rules[i].scope == SAME_BANK &&
		    k->tally[i].value && p->last[check_rules[i].before].time != NEVER)
			when = later(when, p->last[check_rules[i].before].time + k->tally[i].value);
	p->open = false;
	happens(ch, c, c->kind == WCP_CMD_RDA ? EV_AUTO_R : EV_AUTO_W, b, when);
}

static void
check_column(struct check *k, struct channel *ch, const struct wcp_dram_command *c, uint32_t b)
{
	bool write = c->kind == WCP_CMD_WR || c->kind == WCP_CMD_WRA;
	const struct bank *p = &ch->bank[b];
	if (!p->open)
		wrong(k, c, "no row is open", NULL);
	else if (p->row != c->row)
		wrong(k, c, "another row is open", &p->last[EV_ACT].command);
	check_event(k, c, write ? EV_WR : EV_RD, b);
	check_data(k, ch, c, write);
	happens(ch, c, write ? EV_WR : EV_RD, b, (int64_t)c->cycle);
	if (c->kind == WCP_CMD_RDA || c->kind == WCP_CMD_WRA)
		auto_precharge(k, ch, c, b);
}

/* Of one bank, or of all that are open. */
static void
check_pre(struct check *k, struct channel *ch, const struct wcp_dram_command *c, uint32_t first,
    uint32_t count)
{
	uint32_t open = 0;
	for (uint32_t b = first; b < first + count; b++)
		if (ch->bank[b].open) {
			check_event(k, c, EV_PRE, b);
			open++;
		}
	if (!open)
		wrong(k, c, "nothing to precharge", NULL);
	for (uint32_t b = first; b < first + count; b++)
		if (ch->bank[b].open) {
			happens(ch, c, EV_PRE, b, (int64_t)c->cycle);
			ch->bank[b].open = false;
		}
}

static void
check_ref(struct check *k, struct channel *ch, const struct wcp_dram_command *c, uint32_t first,
    uint32_t count)
{
	enum check_event event = c->kind == WCP_CMD_REFPB ? EV_REFPB : EV_REF;
	for (uint32_t b = first; b < first + count; b++)
		if (ch->bank[b].open)
			wrong(k, c, "a row is open", &ch->bank[b].last[EV_ACT].command);
	check_event(k, c, event, first);
	for (uint32_t b = first; b < first + count; b++)
		happens(ch, c, event, b, (int64_t)c->cycle);
	check_refresh(k, ch, c);
}

static bool
exists(const struct check *k, const struct wcp_dram_command *c)
{
	const struct wcp_dram_organisation *o = &k->o;
	uint32_t atoms = o->row_bytes / (o->burst_length * o->bus_bits / 8);
	return c->kind < WCP_CMD_COUNT && c->channel < k->channels && c->rank < o->ranks &&
	       c->bank < o->banks && c->row < o->rows && c->column < atoms;
}

static bool
is_column(uint8_t kind)
{
	return kind == WCP_CMD_RD || kind == WCP_CMD_RDA || kind == WCP_CMD_WR ||
	       kind == WCP_CMD_WRA;
}

static void
dispatch(struct check *k, struct channel *ch, const struct wcp_dram_command *c)
{
	uint32_t first = c->rank * k->o.banks, b = first + c->bank;
	switch ((enum wcp_dram_command_kind)c->kind) {
	case WCP_CMD_ACT: check_act(k, ch, c, b); break;
	case WCP_CMD_PRE: check_pre(k, ch, c, b, 1); break;
	case WCP_CMD_PREA: check_pre(k, ch, c, first, k->o.banks); break;
	case WCP_CMD_RD:
	case WCP_CMD_RDA:
	case WCP_CMD_WR:
	case WCP_CMD_WRA: check_column(k, ch, c, b); break;
	case WCP_CMD_REF: check_ref(k, ch, c, first, k->o.banks); break;
	case WCP_CMD_REFPB: check_ref(k, ch, c, b, 1); break;
	case WCP_CMD_COUNT: break;
	}
}

void
check_columns_first(struct check *k)
{
	k->columns_first = true;
}

void
check_command(struct check *k, const struct wcp_dram_command *c)
{
	k->commands++;
	if (!exists(k, c)) {
		wrong(k, c, "there is no such place", NULL);
		return;
	}
	struct channel *ch = &k->channel[c->channel];
	uint32_t first = c->rank * k->o.banks;
	check_bus(k, ch, c, is_column(c->kind));
	if (c->kind == WCP_CMD_ACT || (is_column(c->kind) && !k->columns_first))
		if (bank_due(k, ch, first + c->bank, (int64_t)c->cycle))
			wrong(k, c, "its refresh is due", NULL);
	dispatch(k, ch, c);
}

void
check_end(struct check *k)
{
	if (k->t.refresh == WCP_REFRESH_NONE)
		return;
	for (uint32_t i = 0; i < k->channels; i++)
		for (uint32_t r = 0; r < k->o.ranks; r++) {
			const struct channel *ch = &k->channel[i];
			struct wcp_dram_command last = {.cycle = (uint64_t)ch->time,
			    .kind = WCP_CMD_REF,
			    .channel = i,
			    .rank = r};
			if (ch->time > deadline(k, ch, r))
				wrong(k, &last, "a refresh was due and never came", NULL);
		}
}

/* ---- results -------------------------------------------------------------------------------- */

uint64_t
check_commands(const struct check *k)
{
	return k->commands;
}

uint64_t
check_violations(const struct check *k)
{
	return k->violations;
}

uint64_t
check_latest_refresh(const struct check *k)
{
	return k->latest_refresh;
}

const struct check_tally *
check_tally(const struct check *k, size_t rule)
{
	return &k->tally[rule];
}

const char *
check_first(const struct check *k)
{
	return k->violations ? k->first : NULL;
}

void
check_report(const struct check *k, FILE *f)
{
	fprintf(f, "%-18s %6s %10s %10s %10s %8s  %s\n", "rule", "cycles", "pairs", "bound",
	    "exact", "closest", "formula");
	for (size_t i = 0; check_rules[i].name; i++) {
		const struct check_tally *y = &k->tally[i];
		if (!y->value)
			continue;
		fprintf(f, "%-18s %6" PRId64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
		    check_rules[i].name, y->value, y->pairs, y->bound, y->exact);
		if (y->pairs)
			fprintf(f, " %8" PRId64 "  %s\n", y->closest, check_rules[i].formula);
		else
			fprintf(f, " %8s  %s\n", "-", check_rules[i].formula);
	}
	fprintf(f,
	    "commands %" PRIu64 ", violations %" PRIu64 ", latest refresh %" PRIu64
	    " cycles after due\n",
	    k->commands, k->violations, k->latest_refresh);
	if (k->violations)
		fprintf(f, "first: %s\n", k->first);
}

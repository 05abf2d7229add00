/* What commands do to the state of a channel. */
#include "dram/candidate.h"
#include "dram/measure.h"
#include "dram/queue.h"

static const char *const command_name[WCP_CMD_COUNT] = {
    [WCP_CMD_ACT] = "ACT",
    [WCP_CMD_PRE] = "PRE",
    [WCP_CMD_PREA] = "PREA",
    [WCP_CMD_RD] = "RD",
    [WCP_CMD_RDA] = "RDA",
    [WCP_CMD_WR] = "WR",
    [WCP_CMD_WRA] = "WRA",
    [WCP_CMD_REF] = "REF",
    [WCP_CMD_REFPB] = "REFpb",
};

const char *
wcp_dram_command_name(enum wcp_dram_command_kind k)
{
	return (unsigned)k < WCP_CMD_COUNT ? command_name[k] : "?";
}

static void
log_command(const struct dram_channel *ch, enum wcp_dram_command_kind kind, uint32_t rank,
    uint32_t bank, const struct dram_entry *r)
{
	struct wcp_dram_command c = {
	    .cycle = ch->now, .kind = (uint8_t)kind, .channel = ch->number, .rank = rank};
	bool column = kind >= WCP_CMD_RD && kind <= WCP_CMD_WRA;
	if (kind != WCP_CMD_PREA && kind != WCP_CMD_REF)
		c.bank = bank & (ch->rank_banks - 1);
	if (r && (column || kind == WCP_CMD_ACT))
		c.row = r->row;
	if (r && column)
		c.column = r->column + r->bursts - r->left;
	c.handle = r ? r->handle : UINT64_MAX;
	ch->d->log(ch->d->log_arg, &c);
}

static inline void
tell(struct dram_channel *ch, enum wcp_dram_command_kind kind, uint32_t rank, uint32_t bank,
    const struct dram_entry *r)
{
	ch->m.counts.command[kind]++;
	if (ch->d->log)
		log_command(ch, kind, rank, bank, r);
}

void
dram_tell(struct dram_channel *ch, enum wcp_dram_command_kind kind, uint32_t rank, uint32_t bank,
    const struct dram_entry *r)
{
	tell(ch, kind, rank, bank, r);
}

static inline uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Other banks wait for what was issued in the group just now. */
static inline void
spread(struct dram_channel *ch, enum dram_step from, enum dram_step to, const struct dram_bank *b)
{
	const uint32_t *gap = ch->d->gaps.near[from][to];
	uint64_t *rank = &ch->rank_gate[b->rank][to], *group = &ch->group_gate[b->group][to];
	uint64_t now = ch->now;
	*group = later(*group, now + gap[SAME_GROUP]);
	*rank = later(*rank, now + gap[SAME_RANK]);
	for (uint32_t i = 0; ch->n_rank > 1 && i < ch->n_rank; i++)
		if (i != b->rank)
			ch->rank_gate[i][to] = later(ch->rank_gate[i][to], now + gap[OTHER_RANK]);
	dram_gate_moved(ch, to);
}

static inline void
look(struct dram_channel *ch)
{
	dram_measures_look(ch, ch->now);
}

/* A row list without requests goes. */
static inline void
drop_list(struct dram_channel *ch, struct dram_bank *b, uint16_t list)
{
	if (ch->row[list].count)
		return;
	if (b->open_list == list) {
		b->open_list = DRAM_NONE;
		ch->open_wanted--;
	}
	dram_row_free(ch, list);
}

void
dram_close_bank(struct dram_channel *ch, uint32_t bank, uint64_t precharge)
{
	struct dram_bank *b = &ch->bank[bank];
	b->open_row = DRAM_CLOSED;
	b->opener = DRAM_NONE;
	if (b->open_list != DRAM_NONE)
		ch->open_wanted--;
	b->open_list = DRAM_NONE;
	b->closed = precharge + ch->d->gaps.rp;
	b->ok[S_ACT] = later(b->ok[S_ACT], b->closed);
	dram_candidate_find(ch, bank);
}

/* The first command that is issued for a request. */
static inline void
begin(struct dram_channel *ch, struct dram_bank *b, struct dram_entry *r, enum wcp_dram_row how)
{
	r->first = ch->now;
	r->row_class = (uint8_t)how;
	ch->m.counts.row[how]++;
	if (how == WCP_ROW_CONFLICT)
		ch->bank_counts[r->bank].conflicts++;
	dram_bank_service(ch, b, ch->now);
}

static inline void
assign(struct dram_channel *ch, struct dram_bank *b)
{
	if (!b->assigned++)
		dram_meter_up(ch, M_ASSIGNED, ch->now);
}

static void
activate(struct dram_channel *ch, uint32_t bank, struct dram_entry *r)
{
	struct dram_bank *b = &ch->bank[bank];
	struct dram_rank *rank = &ch->rank[b->rank];
	const struct dram_gaps *g = &ch->d->gaps;
	uint64_t now = ch->now;
	tell(ch, WCP_CMD_ACT, b->rank, bank, r);
	ch->bank_counts[bank].activates++;
	if (r->row_class == DRAM_NOT_BEGUN) {
		begin(ch, b, r, WCP_ROW_MISS);
		assign(ch, b);
	}
	b->open_row = r->row;
	b->open_list = r->list;
	b->opener = (uint16_t)(r - ch->entry);
	if (ch->frees_at_act) {
		dram_queue_leave(ch, b->opener);
		r->opened = true;
		ch->n_opened++;
		ch->look = ch->looks;
	}
	b->columns = 0;
	b->last_use = now;
	ch->open_wanted++;
	b->ok[S_ACT] = now + g->bank[S_ACT][S_ACT];
	b->ok[S_RD] = now + g->bank[S_ACT][S_RD];
	b->ok[S_WR] = now + g->bank[S_ACT][S_WR];
	b->ok[S_PRE] = now + g->bank[S_ACT][S_PRE];
	spread(ch, S_ACT, S_ACT, b);
	/* The fourth activate before the next one. */
	rank->act[rank->act_at++ & 3] = now + g->faw;
	uint64_t faw = rank->act[rank->act_at & 3];
	uint64_t *gate = &ch->rank_gate[b->rank][S_ACT];
	*gate = later(*gate, faw);
	look(ch);
	dram_candidate_set(ch, bank, b->opener, dram_key(ch, r));
}

static void
precharge(struct dram_channel *ch, uint32_t bank, struct dram_entry *r)
{
	struct dram_bank *b = &ch->bank[bank];
	tell(ch, WCP_CMD_PRE, b->rank, bank, r);
	if (r && r->row_class == DRAM_NOT_BEGUN) {
		begin(ch, b, r, WCP_ROW_CONFLICT);
		assign(ch, b);
	}
	if (ch->d->gaps.near[S_PRE][S_PRE][SAME_RANK])
		spread(ch, S_PRE, S_PRE, b);
	dram_close_bank(ch, bank, ch->now);
	look(ch);
}

/* The request leaves its queue; its data's last beat passes at end. */
__attribute__((always_inline)) static inline void
finish(struct dram_channel *ch, struct dram_bank *b, uint16_t i, bool w, uint64_t end)
{
	struct dram_entry *r = &ch->entry[i];
	struct wcp_dram_counts *c = &ch->m.counts;
	struct dram_done *d = &ch->done[ch->tail++ & ch->done_mask];
	if (ch->retire_at == DRAM_NEVER)
		ch->retire_at = end;
	d->s = (struct wcp_dram_served){
	    r->handle, r->arrival, r->first, end, r->requester, r->bursts, w, r->row_class};
	d->bank = r->bank;
	*(w ? &c->writes : &c->reads) += 1;
	if (ch->d->scheduler->leave)
		ch->d->scheduler->leave(ch, r, end);
	dram_queue_remove(ch, i);
	drop_list(ch, b, r->list);
	ch->look = ch->looks;
}

__attribute__((always_inline)) static inline void
column(struct dram_channel *ch, uint32_t bank, uint16_t i, bool w)
{
	struct dram_bank *b = &ch->bank[bank];
	struct dram_entry *r = &ch->entry[i];
	const struct dram_gaps *g = &ch->d->gaps;
	enum dram_step step = w ? S_WR : S_RD;
	uint64_t now = ch->now, end = now + g->end[w];
	bool last = r->left == 1;
	bool shuts =
	    last && ch->d->config.controller.page == WCP_PAGE_CLOSED && ch->row[r->list].count == 1;
	tell(ch, (w ? WCP_CMD_WR : WCP_CMD_RD) + shuts, b->rank, bank, r);
	ch->bank_counts[bank].columns++;
	if (r->row_class == DRAM_NOT_BEGUN) {
		begin(ch, b, r, WCP_ROW_HIT);
		if (!last)
			assign(ch, b);
	} else if (last && !--b->assigned) {
		dram_meter_down(ch, M_ASSIGNED, now);
	}
	if (b->opener == i && (last || !ch->frees_at_act)) {
		b->opener = DRAM_NONE;
		if (ch->ranks_owed)
			dram_refresh_go_on(ch, b->rank);
	}
	r->left--;
	b->columns++;
	b->last_use = now;
	b->ok[S_PRE] = later(b->ok[S_PRE], now + g->bank[step][S_PRE]);
	spread(ch, step, S_RD, b);
	spread(ch, step, S_WR, b);
	dram_measures_burst(&ch->m, now, now + g->data[w], end);
	if (last)
		finish(ch, b, i, w, end);
	if (shuts)
		dram_close_bank(ch, bank, b->ok[S_PRE]);
	else
		dram_candidate_follows(ch, bank, step);
	look(ch);
}

void
dram_issue(struct dram_channel *ch, uint32_t bank)
{
	uint16_t i = ch->want[bank].candidate;
	switch ((enum dram_step)ch->want[bank].step) {
	case S_RD: column(ch, bank, i, false); break;
	case S_WR: column(ch, bank, i, true); break;
	case S_ACT: activate(ch, bank, &ch->entry[i]); break;
	case S_PRE: precharge(ch, bank, i == DRAM_NONE ? NULL : &ch->entry[i]); break;
	case DRAM_STEPS: break;
	}
}

/* "What a channel does in cycle t" of warpcap/dram.h, sentence by sentence. */
#include <stdlib.h>
#include <string.h>
#include "naive_state.h"

struct naive *
naive_new(const struct wcp_dram_config *config, uint32_t channel)
{
	struct naive *n = calloc(1, sizeof *n);
	n->c = naive_defaults(config);
	n->burst = naive_burst(config);
	n->channel = channel;
	const struct wcp_dram_organisation *o = &n->c.organisation;
	n->banks = o->ranks * o->banks;
	n->queue = calloc(
	    n->c.controller.read_queue + n->c.controller.write_queue + n->banks, sizeof *n->queue);
	n->flying = calloc(4096, sizeof *n->flying);
	n->bank = calloc(n->banks, sizeof *n->bank);
	n->rank = calloc(o->ranks, sizeof *n->rank);
	n->seen = calloc(n->banks, 3);
	n->out.bank = calloc(n->banks, sizeof *n->out.bank);
	for (uint32_t i = 0; i < n->banks; i++)
		n->bank[i] = (struct naive_bank){.rank = i / o->banks,
		    .group = i % o->banks / (o->banks / o->bank_groups),
		    .bank = i % o->banks,
		    .act = NEVER,
		    .pre = NEVER,
		    .rd = NEVER,
		    .wr = NEVER,
		    .ref_pb = NEVER};
	for (uint32_t i = 0; i < o->ranks; i++)
		n->rank[i] = (struct naive_rank){{NEVER, NEVER, NEVER, NEVER}, NEVER, NEVER, 0};
	naive_order_new(n);
	return n;
}

void
naive_free(struct naive *n)
{
	naive_order_free(n);
	free(n->queue);
	free(n->flying);
	free(n->bank);
	free(n->rank);
	free(n->seen);
	free(n->out.bank);
	free(n->out.command);
	free(n->out.served);
	free(n->out.sample);
	free(n);
}

uint64_t
naive_time(const struct naive *n)
{
	return (uint64_t)n->t;
}

struct naive_bank *
naive_bank_of(const struct naive *n, const struct wcp_dram_place *p)
{
	return &n->bank[p->rank * n->c.organisation.banks + p->bank];
}

/* ---- queues --------------------------------------------------------------------------------- */

static uint32_t
waiting(const struct naive *n, bool write)
{
	uint32_t count = 0;
	for (size_t i = 0; i < n->queued; i++)
		count += n->queue[i].r.write == write && !n->queue[i].opened;
	return count;
}

bool
naive_room(const struct naive *n, bool write)
{
	const struct wcp_dram_controller *c = &n->c.controller;
	if (!c->write_queue)
		return waiting(n, false) + waiting(n, true) < c->read_queue;
	return waiting(n, write) < (write ? c->write_queue : c->read_queue);
}

bool
naive_push(struct naive *n, const struct wcp_dram_request *r)
{
	if (!naive_room(n, r->write))
		return false;
	struct naive_request *q = &n->queue[n->queued++];
	*q = (struct naive_request){.r = *r, .order = n->arrivals++, .left = r->bursts};
	q->r.arrival = (uint64_t)n->t;
	q->s = (struct wcp_dram_served){.handle = r->handle,
	    .arrival = (uint64_t)n->t,
	    .requester = r->requester,
	    .bursts = r->bursts,
	    .write = r->write};
	naive_order_arrived(n, q);
	return true;
}

/* Step 2. */
static void
direction(struct naive *n)
{
	const struct wcp_dram_controller *c = &n->c.controller;
	if (!c->write_queue)
		return;
	if (waiting(n, true) >= c->write_high)
		n->draining = true;
	if (waiting(n, true) <= c->write_low)
		n->draining = false;
}

bool
naive_considered(const struct naive *n, const struct naive_request *q)
{
	if (q->opened)
		return false;
	if (!n->c.controller.write_queue)
		return true;
	return q->r.write == (n->draining || !waiting(n, false));
}

/* ---- commands ------------------------------------------------------------------------------- */

static void
record(struct naive *n, const struct wcp_dram_command *c)
{
	if (n->out.commands == n->command_room) {
		n->command_room = n->command_room * 2 + 64;
		n->out.command = realloc(n->out.command, n->command_room * sizeof *n->out.command);
	}
	n->out.command[n->out.commands++] = *c;
	naive_count_command(n, c);
}

static void
activate(struct naive *n, struct naive_bank *b, uint32_t row)
{
	struct naive_rank *r = &n->rank[b->rank];
	memmove(r->act, r->act + 1, 3 * sizeof *r->act);
	r->act[3] = b->act = n->t;
	b->open = true;
	b->row = row;
	b->columns = 0;
}

static int64_t
max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void
column(struct naive *n, struct naive_bank *b, bool write, bool precharge)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	*(write ? &b->wr : &b->rd) = n->t;
	b->columns++;
	if (!precharge)
		return;
	b->open = false;
	b->pre =
	    max(b->act + c->t_ras, max(b->rd + c->t_rtp, b->wr + c->t_cwl + n->burst + c->t_wr));
}

static void
precharge(struct naive *n, struct naive_bank *b)
{
	b->open = false;
	b->pre = n->rank[b->rank].pre = n->t;
}

static void
precharge_all(struct naive *n, uint32_t rank)
{
	for (uint32_t i = 0; i < n->banks; i++)
		if (n->bank[i].rank == rank && n->bank[i].open)
			precharge(n, &n->bank[i]);
}

/* Issues a command that no request is behind. */
static void
issue_bare(struct naive *n, enum wcp_dram_command_kind kind, struct naive_bank *b)
{
	struct wcp_dram_command c = {.cycle = (uint64_t)n->t,
	    .kind = (uint8_t)kind,
	    .channel = n->channel,
	    .rank = b->rank,
	    .bank = kind == WCP_CMD_PRE || kind == WCP_CMD_REFPB ? b->bank : 0,
	    .handle = UINT64_MAX};
	record(n, &c);
	if (kind == WCP_CMD_PRE)
		precharge(n, b);
	else if (kind == WCP_CMD_PREA)
		precharge_all(n, b->rank);
	else if (kind == WCP_CMD_REF)
		n->rank[b->rank].ref = n->t;
	else
		b->ref_pb = n->t;
	if (kind == WCP_CMD_REF || kind == WCP_CMD_REFPB)
		n->rank[b->rank].refreshed++;
}

/* ---- step 3 --------------------------------------------------------------------------------- */

/* When refresh i of a rank is due, i from 0. */
static int64_t
due_time(const struct naive *n, uint32_t rank, uint64_t i)
{
	int64_t refi = n->c.timing.t_refi, banks = n->c.organisation.banks;
	int64_t start = rank * refi / n->c.organisation.ranks;
	if (n->c.timing.refresh == WCP_REFRESH_ALL_BANK)
		return ((int64_t)i + 1) * refi + start;
	return ((int64_t)i / banks + 1) * refi + start + (int64_t)i % banks * refi / banks;
}

static bool
rank_due(const struct naive *n, uint32_t rank)
{
	return n->c.timing.refresh != WCP_REFRESH_NONE &&
	       due_time(n, rank, n->rank[rank].refreshed) <= n->t;
}

/* Does the bank have a request that has left its queue? */
static bool
has_opened(const struct naive *n, const struct naive_bank *b)
{
	return n->c.controller.frees_at_act && b->open && b->owed;
}

/* May the bank have no command but for its refresh? Its turn has come. */
static bool
bank_due(const struct naive *n, const struct naive_bank *b)
{
	if (has_opened(n, b))
		return false;
	bool turn = n->c.timing.refresh == WCP_REFRESH_ALL_BANK ||
		    n->rank[b->rank].refreshed % n->c.organisation.banks == b->bank;
	return turn && rank_due(n, b->rank);
}

static bool
refresh_rank(struct naive *n, uint32_t rank)
{
	struct naive_bank *first = &n->bank[rank * n->c.organisation.banks];
	enum wcp_dram_command_kind kind = WCP_CMD_REF;
	for (uint32_t i = 0; i < n->c.organisation.banks; i++) {
		if (has_opened(n, &first[i]))
			return false;
		if (first[i].open)
			kind = WCP_CMD_PREA;
	}
	if (!naive_legal(n, kind, first))
		return false;
	issue_bare(n, kind, first);
	return true;
}

static bool
refresh_bank(struct naive *n, uint32_t rank)
{
	uint32_t banks = n->c.organisation.banks;
	struct naive_bank *b = &n->bank[rank * banks + n->rank[rank].refreshed % banks];
	enum wcp_dram_command_kind kind = b->open ? WCP_CMD_PRE : WCP_CMD_REFPB;
	if (has_opened(n, b) || !naive_legal(n, kind, b))
		return false;
	issue_bare(n, kind, b);
	return true;
}

static bool
refresh(struct naive *n)
{
	for (uint32_t r = 0; r < n->c.organisation.ranks; r++) {
		if (!rank_due(n, r))
			continue;
		if (n->c.timing.refresh == WCP_REFRESH_ALL_BANK ? refresh_rank(n, r)
								: refresh_bank(n, r))
			return true;
	}
	return false;
}

/* ---- step 4 --------------------------------------------------------------------------------- */

bool
naive_hit(const struct naive *n, const struct naive_request *q)
{
	const struct naive_bank *b = naive_bank_of(n, &q->r.place);
	return b->open && b->row == q->r.place.row;
}

static bool
same_row(const struct wcp_dram_place *a, const struct wcp_dram_place *b)
{
	return a->rank == b->rank && a->bank == b->bank && a->row == b->row;
}

static bool
only_one_for_its_row(const struct naive *n, const struct naive_request *q)
{
	for (size_t i = 0; i < n->queued; i++)
		if (&n->queue[i] != q && same_row(&n->queue[i].r.place, &q->r.place))
			return false;
	return true;
}

static enum wcp_dram_command_kind
next_command(const struct naive *n, const struct naive_request *q)
{
	const struct naive_bank *b = naive_bank_of(n, &q->r.place);
	if (!b->open)
		return WCP_CMD_ACT;
	if (b->row != q->r.place.row)
		return WCP_CMD_PRE;
	bool closes =
	    n->c.controller.page == WCP_PAGE_CLOSED && q->left == 1 && only_one_for_its_row(n, q);
	if (q->r.write)
		return closes ? WCP_CMD_WRA : WCP_CMD_WR;
	return closes ? WCP_CMD_RDA : WCP_CMD_RD;
}

static bool
is_column(enum wcp_dram_command_kind k)
{
	return k == WCP_CMD_RD || k == WCP_CMD_RDA || k == WCP_CMD_WR || k == WCP_CMD_WRA;
}

/* Whom a bank's row was opened for, else the first of its considered requests in the scheduler's
 * order. */
static struct naive_request *
candidate(const struct naive *n, const struct naive_bank *b)
{
	struct naive_request *best = NULL;
	for (size_t i = 0; b->open && b->owed && i < n->queued; i++)
		if (n->queue[i].order == b->opener)
			return &n->queue[i];
	for (size_t i = 0; i < n->queued; i++) {
		struct naive_request *q = &n->queue[i];
		if (naive_bank_of(n, &q->r.place) == b && naive_considered(n, q) &&
		    (!best || naive_before(n, q, best)))
			best = q;
	}
	return best;
}

enum bus { BUS_ROW, BUS_COLUMN, BUS_EITHER };

/* The request whose command goes out, or NULL. */
static struct naive_request *
choose(const struct naive *n, enum bus bus)
{
	struct naive_request *best = NULL;
	for (uint32_t i = 0; i < n->banks; i++) {
		const struct naive_bank *b = &n->bank[i];
		struct naive_request *q = candidate(n, b);
		if (!q || bank_due(n, b))
			continue;
		enum wcp_dram_command_kind k = next_command(n, q);
		if (bus != BUS_EITHER && is_column(k) != (bus == BUS_COLUMN))
			continue;
		if (naive_legal(n, k, b) && (!best || naive_before(n, q, best)))
			best = q;
	}
	return best;
}

static void
leave(struct naive *n, struct naive_request *q, int64_t beat)
{
	q->s.end = (uint64_t)(n->t + beat + n->burst);
	q->last_column = (uint64_t)n->t;
	naive_count_served(n, q);
	naive_order_served(n, q);
	n->flying[n->flights++] = *q;
	size_t at = (size_t)(q - n->queue);
	memmove(q, q + 1, (--n->queued - at) * sizeof *q);
}

static void
start(struct naive *n, struct naive_request *q, enum wcp_dram_command_kind k)
{
	if (q->started)
		return;
	q->started = true;
	q->s.first_command = (uint64_t)n->t;
	q->s.row = is_column(k) ? WCP_ROW_HIT : k == WCP_CMD_ACT ? WCP_ROW_MISS : WCP_ROW_CONFLICT;
	struct wcp_dram_bank_counts *b = &n->out.bank[naive_bank_of(n, &q->r.place) - n->bank];
	n->out.counts.row[q->s.row]++;
	b->conflicts += q->s.row == WCP_ROW_CONFLICT;
}

static void
issue(struct naive *n, struct naive_request *q)
{
	struct naive_bank *b = naive_bank_of(n, &q->r.place);
	enum wcp_dram_command_kind k = next_command(n, q);
	bool col = is_column(k);
	struct wcp_dram_command c = {.cycle = (uint64_t)n->t,
	    .kind = (uint8_t)k,
	    .channel = n->channel,
	    .rank = b->rank,
	    .bank = b->bank,
	    .row = k == WCP_CMD_PRE ? 0 : q->r.place.row,
	    .column = col ? q->r.place.column + q->r.bursts - q->left : 0,
	    .handle = q->r.handle};
	record(n, &c);
	start(n, q, k);
	if (k == WCP_CMD_ACT) {
		activate(n, b, q->r.place.row);
		b->owed = true;
		b->opener = q->order;
		q->opened = n->c.controller.frees_at_act;
	} else if (k == WCP_CMD_PRE)
		precharge(n, b);
	else
		column(n, b, q->r.write, k == WCP_CMD_RDA || k == WCP_CMD_WRA);
	if (col && b->opener == q->order && (!q->opened || q->left == 1))
		b->owed = false;
	if (col && !--q->left)
		leave(n, q, q->r.write ? n->c.timing.t_cwl : n->c.timing.t_cl);
}

/* Neither choice of a cycle sees what the other does. Returns whether the row bus was used. */
static bool
requests(struct naive *n, bool refreshed)
{
	if (!n->c.timing.dual_command) {
		struct naive_request *q = refreshed ? NULL : choose(n, BUS_EITHER);
		if (q)
			issue(n, q);
		return refreshed || q;
	}
	struct naive_request *r = refreshed ? NULL : choose(n, BUS_ROW);
	struct naive_request *c = choose(n, BUS_COLUMN);
	uint64_t order = r ? r->order : 0;
	if (c)
		issue(n, c);
	for (size_t i = 0; r && i < n->queued; i++)
		if (n->queue[i].order == order) {
			issue(n, &n->queue[i]);
			break;
		}
	return refreshed || r;
}

/* ---- step 5 --------------------------------------------------------------------------------- */

static bool
wanted(const struct naive *n, const struct naive_bank *b)
{
	for (size_t i = 0; i < n->queued; i++)
		if (naive_bank_of(n, &n->queue[i].r.place) == b &&
		    n->queue[i].r.place.row == b->row)
			return true;
	return false;
}

static void
timeout(struct naive *n)
{
	for (uint32_t i = 0; i < n->banks; i++) {
		struct naive_bank *b = &n->bank[i];
		int64_t used = max(b->act, max(b->rd, b->wr));
		if (b->open && !wanted(n, b) && !bank_due(n, b) &&
		    n->t - used >= n->c.controller.page_timeout_ck &&
		    naive_legal(n, WCP_CMD_PRE, b)) {
			issue_bare(n, WCP_CMD_PRE, b);
			return;
		}
	}
}

/* ---- time ----------------------------------------------------------------------------------- */

static void
land(struct naive *n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n->flights; i++)
		if (n->flying[i].s.end > (uint64_t)n->t)
			n->flying[kept++] = n->flying[i];
	n->flights = kept;
}

static void
cycle(struct naive *n)
{
	direction(n);
	naive_order_cycle(n);
	bool busy = requests(n, refresh(n));
	if (!busy && n->c.controller.page == WCP_PAGE_TIMEOUT)
		timeout(n);
	naive_count_cycle(n);
	n->t++;
	naive_order_begin(n);
	land(n);
}

void
naive_advance(struct naive *n, uint64_t until)
{
	while ((uint64_t)n->t < until)
		cycle(n);
}

size_t
naive_queued(const struct naive *n)
{
	return n->queued;
}

bool
naive_busy(const struct naive *n)
{
	return n->queued || n->flights;
}

uint64_t
naive_drain(struct naive *n)
{
	while (naive_busy(n))
		cycle(n);
	return (uint64_t)n->t;
}

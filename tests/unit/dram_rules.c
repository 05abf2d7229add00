/*
 * usage: dram_rules ramulator2|ramulator2-refresh|dramsim3
 * The model beside controllers that follow other simulators' rules, cycle by cycle, with the same
 * DDR4-2400, queue depths and requests: one a cycle, in order, as long as its queue has room.
 * Prints the last beat's cycle of each stream, theirs and ours, and by how many per mille they
 * differ. Rules: Ramulator 2, generic controller with FRFCFS (Luo et al., IEEE CAL 2023); DRAMsim3,
 * open page (Li et al., IEEE CAL 2020).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/dram.h"

enum { CL = 17, CWL = 12, BURST = 4, BANKS = 16, REQUESTS = 10000, DEPTH = 32 };
enum { REFI = 9360, RFC = 420 };
enum { LONG_AGO = -1000000 };
enum command { RD, WR, ACT, PRE };

struct request {
	bool write;
	uint32_t group, bank, row; /* bank: of all */
	uint32_t age;
};

/* ---- the memory ------------------------------------------------------------------------------ */

struct memory {
	int64_t last[4], group[4][4], bank[BANKS][4]; /* [command] when last */
	int64_t act[4];				      /* the last four */
	int64_t refresh;			      /* the last */
	uint32_t acts;
	int64_t row[BANKS]; /* -1: closed */
	uint32_t columns[BANKS];
	int64_t end;
};

static void
begin(struct memory *m)
{
	int64_t *all = &m->last[0];
	for (size_t i = 0; i < offsetof(struct memory, acts) / sizeof *all; i++)
		all[i] = LONG_AGO;
	memset(m->row, 0xff, sizeof m->row);
	m->acts = 0;
	m->end = 0;
}

static enum command
next_command(const struct memory *m, const struct request *r)
{
	if (m->row[r->bank] < 0)
		return ACT;
	return m->row[r->bank] != r->row ? PRE : r->write ? WR : RD;
}

static void
after(int64_t *t, int64_t command, int64_t gap)
{
	if (command + gap > *t)
		*t = command + gap;
}

static bool
is_legal(const struct memory *m, enum command c, const struct request *r, int64_t now)
{
	const int64_t *bank = m->bank[r->bank], *group = m->group[r->group];
	int64_t t = 0;
	switch (c) {
	case RD:
		after(&t, bank[ACT], 17);
		after(&t, m->last[RD], 4);
		after(&t, group[RD], 6);
		after(&t, m->last[WR], CWL + BURST + 3);
		after(&t, group[WR], CWL + BURST + 9);
		break;
	case WR:
		after(&t, bank[ACT], 17);
		after(&t, m->last[WR], 4);
		after(&t, group[WR], 6);
		after(&t, m->last[RD], CL + BURST + 2 - CWL);
		break;
	case ACT:
		after(&t, bank[PRE], 17);
		after(&t, bank[ACT], 56);
		after(&t, m->last[ACT], 4);
		after(&t, group[ACT], 6);
		after(&t, m->act[m->acts & 3], 26);
		after(&t, m->refresh, RFC);
		break;
	case PRE:
		after(&t, bank[ACT], 39);
		after(&t, bank[RD], 9);
		after(&t, bank[WR], CWL + BURST + 18);
		break;
	}
	return t <= now;
}

static void
issue(struct memory *m, enum command c, const struct request *r, int64_t now)
{
	m->last[c] = m->group[r->group][c] = m->bank[r->bank][c] = now;
	if (c == ACT) {
		m->act[m->acts++ & 3] = now;
		m->row[r->bank] = r->row;
		m->columns[r->bank] = 0;
	} else if (c == PRE) {
		m->row[r->bank] = -1;
	} else {
		m->columns[r->bank]++;
		m->end = now + (c == RD ? CL : CWL) + BURST;
	}
}

/* The next command of a refresh of all banks: PREA if a row is open, else REF. True: it was REF. */
static bool
refresh(struct memory *m, bool may_close, int64_t now)
{
	bool open = false, legal = true;
	for (uint32_t b = 0; b < BANKS; b++) {
		struct request r = {.bank = b, .group = b / 4};
		open |= m->row[b] >= 0;
		legal &= is_legal(m, PRE, &r, now) || m->row[b] < 0;
	}
	if (open) {
		for (uint32_t b = 0; b < BANKS && may_close && legal; b++) {
			struct request r = {.bank = b, .group = b / 4};
			if (m->row[b] >= 0)
				issue(m, PRE, &r, now);
		}
		return false;
	}
	for (uint32_t b = 0; b < BANKS; b++)
		legal &= m->bank[b][PRE] + 17 <= now;
	m->refresh = legal ? now : m->refresh;
	return legal;
}

/* ---- queues ---------------------------------------------------------------------------------- */

struct queue {
	struct request at[64]; /* [n] in order of arrival */
	uint32_t n;
};

static void
enter(struct queue *q, const struct request *r)
{
	q->at[q->n++] = *r;
}

static void
leave(struct queue *q, uint32_t i)
{
	memmove(&q->at[i], &q->at[i + 1], (--q->n - i) * sizeof q->at[0]);
}

/* ---- Ramulator 2 ----------------------------------------------------------------------------- */

/* The oldest whose next command is legal; q->n: none. */
static uint32_t
oldest(const struct memory *m, const struct queue *q, int64_t now)
{
	uint32_t best = q->n;
	for (uint32_t i = 0; i < q->n; i++)
		if ((best == q->n || q->at[i].age < q->at[best].age) &&
		    is_legal(m, next_command(m, &q->at[i]), &q->at[i], now))
			best = i;
	return best;
}

static bool
has_bank(const struct queue *q, uint32_t bank)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (q->at[i].bank == bank)
			return true;
	return false;
}

/* Who has opened its row goes over to a queue that is served first, and nobody closes that row.
 * Writes are served from more than 25.6 on (or when there is no read) until fewer than 6.4. With
 * refresh nothing else is begun once it is due. */
static int64_t
ramulator2(const struct request *trace, uint32_t n, bool refreshes)
{
	static struct queue wait[2], opened;
	struct memory m;
	bool writes = false, due = false;
	uint32_t at = 0;
	begin(&m);
	wait[0].n = wait[1].n = opened.n = 0;
	for (int64_t now = 0; at < n || wait[0].n || wait[1].n || opened.n; now++) {
		if (at < n && wait[trace[at].write].n <= DEPTH)
			enter(&wait[trace[at].write], &trace[at]), at++;
		struct queue *q = &opened;
		uint32_t i = oldest(&m, q, now);
		due |= refreshes && now && now % REFI == 0;
		if (due && i == q->n) {
			due = !refresh(&m, !opened.n, now);
			continue;
		}
		if (i == q->n) {
			if (!writes)
				writes = wait[1].n >= 26 || !wait[0].n;
			else
				writes = wait[1].n > 6 || !wait[0].n;
			q = &wait[writes];
			i = oldest(&m, q, now);
		}
		if (i == q->n)
			continue;
		struct request r = q->at[i];
		enum command c = next_command(&m, &r);
		if (c == PRE && has_bank(&opened, r.bank))
			continue;
		issue(&m, c, &r, now);
		if (c == PRE)
			continue;
		leave(q, i);
		if (c == ACT)
			enter(&opened, &r);
	}
	return m.end;
}

/* ---- DRAMsim3 -------------------------------------------------------------------------------- */

/* The first of a bank's queue whose next command is legal; a row that others behind it want is
 * closed only after four columns. */
static uint32_t
first_ready(const struct memory *m, const struct queue *q, int64_t now)
{
	for (uint32_t i = 0; i < q->n; i++) {
		const struct request *r = &q->at[i];
		enum command c = next_command(m, r);
		if (!is_legal(m, c, r, now) || (c == PRE && i))
			continue;
		bool wanted = false;
		for (uint32_t k = i; k < q->n; k++)
			wanted |= q->at[k].row == m->row[r->bank];
		if (c != PRE || !wanted || m->columns[r->bank] >= 4)
			return i;
	}
	return q->n;
}

static void
play_banks(struct memory *m, struct queue bank[BANKS], uint32_t *turn, int64_t now)
{
	for (uint32_t k = 0; k < BANKS; k++) {
		*turn = (*turn + 1) % BANKS;
		struct queue *q = &bank[*turn];
		uint32_t i = first_ready(m, q, now);
		if (i == q->n)
			continue;
		enum command c = next_command(m, &q->at[i]);
		issue(m, c, &q->at[i], now);
		if (c <= WR)
			leave(q, i);
		return;
	}
}

/* Requests wait in a queue for reads and one for writes, and from these go on, one a cycle, to
 * their bank's, of eight. Writes go on once their queue is full, or holds eight and there is no
 * read, and then all that there are. The end of the trace has them all go on. */
static int64_t
dramsim3(const struct request *trace, uint32_t n)
{
	static struct queue wait[2], bank[BANKS];
	struct memory m;
	uint32_t at = 0, turn = 0, drain = 0, inside = 0;
	begin(&m);
	memset(bank, 0, sizeof bank);
	wait[0].n = wait[1].n = 0;
	for (int64_t now = 0; at < n || wait[0].n || wait[1].n || inside; now++) {
		if (at < n && wait[trace[at].write].n < DEPTH)
			enter(&wait[trace[at].write], &trace[at]), at++;
		play_banks(&m, bank, &turn, now);
		uint32_t least = wait[0].n ? DEPTH : at < n ? 8 : 1;
		if (!drain && wait[1].n >= least)
			drain = wait[1].n;
		struct queue *q = &wait[drain > 0];
		for (uint32_t i = 0; i < q->n; i++)
			if (bank[q->at[i].bank].n < 8) {
				enter(&bank[q->at[i].bank], &q->at[i]);
				leave(q, i);
				drain -= drain > 0;
				break;
			}
		inside = 0;
		for (uint32_t b = 0; b < BANKS; b++)
			inside += bank[b].n;
	}
	return m.end;
}

/* ---- ours ------------------------------------------------------------------------------------ */

static int64_t
ours(const struct request *trace, uint32_t n, const struct wcp_dram_controller *controller,
    bool refreshes)
{
	struct wcp_dram_config c = {.organisation = {1, 1, 1, 4, BANKS, 65536, 8192, 64, 8, 2},
	    .timing = {.t_ck_ns = 0.833,
		.t_cl = CL,
		.t_cwl = CWL,
		.t_rcd = 17,
		.t_rp = 17,
		.t_ras = 39,
		.t_rc = 56,
		.t_rrd_s = 4,
		.t_rrd_l = 6,
		.t_faw = 26,
		.t_ccd_s = 4,
		.t_ccd_l = 6,
		.t_rtp = 9,
		.t_wr = 18,
		.t_wtr_s = 3,
		.t_wtr_l = 9},
	    .mapping = "page",
	    .controller = *controller};
	c.timing.t_refi = REFI;
	c.timing.t_rfc = RFC;
	c.timing.refresh = refreshes ? WCP_REFRESH_ALL_BANK : WCP_REFRESH_NONE;
	struct wcp_error e;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (!d) {
		puts(e.text);
		exit(1);
	}
	uint64_t now = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct wcp_dram_served done[64];
		struct wcp_dram_request r = {.place = {.bank = trace[i].bank, .row = trace[i].row},
		    .bursts = 1,
		    .write = trace[i].write};
		uint64_t room = wcp_dram_advance_to_room(d, 0, r.write, UINT64_MAX);
		r.arrival = now > room ? now : room;
		if (!wcp_dram_push(d, &r))
			abort();
		now = r.arrival + 1;
		while (wcp_dram_done(d, 0, done, 64, true))
			;
	}
	uint64_t end = wcp_dram_drain(d, 0);
	wcp_dram_free(d);
	return (int64_t)end;
}

/* ---- streams --------------------------------------------------------------------------------- */

static uint32_t
below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) * n >> 31);
}

enum kind { SEQUENTIAL, RANDOM, CONFLICT };
static const char *const kind_name[] = {"sequential", "random", "conflict"};

static void
make(struct request *trace, enum kind kind, uint32_t writes)
{
	uint64_t state = kind + writes;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		/* Lines to groups in turn, then columns, then banks of the group, then rows. */
		uint32_t group = i % 4, bank = i / 512 % 4, row = i / 2048;
		if (kind == RANDOM) {
			group = below(&state, 4);
			bank = below(&state, 4);
			row = below(&state, 65536);
		} else if (kind == CONFLICT) {
			group = bank = 0;
			row = i;
		}
		trace[i] =
		    (struct request){below(&state, 100) < writes, group, group * 4 + bank, row, i};
	}
}

int
main(int argc, char **argv)
{
	static struct request trace[REQUESTS];
	static const uint32_t writes[] = {0, 33, 50};
	/* DRAMsim3's banks have queues for both directions, of which nothing here is like. */
	static const size_t mixes[2][3] = {{1, 1, 3}, {3, 3, 3}};
	bool refreshes = argc == 2 && !strcmp(argv[1], "ramulator2-refresh");
	bool first = refreshes || (argc == 2 && !strcmp(argv[1], "ramulator2"));
	if (!first && (argc != 2 || strcmp(argv[1], "dramsim3") != 0)) {
		fputs("usage: dram_rules ramulator2|ramulator2-refresh|dramsim3\n", stderr);
		return 2;
	}
	struct wcp_dram_controller c = {.read_queue = DEPTH + first,
	    .write_queue = DEPTH + first,
	    .write_high = first ? 26 : DEPTH,
	    .write_low = first ? 6 : 0,
	    .frees_at_act = first,
	    .frfcfs_cap = first ? 0 : 4,
	    .scheduler = "frfcfs"};
	for (enum kind k = SEQUENTIAL; k <= CONFLICT; k++)
		for (size_t w = 0; w < mixes[first][k]; w++) {
			make(trace, k, writes[w]);
			int64_t t = first ? ramulator2(trace, REQUESTS, refreshes)
					  : dramsim3(trace, REQUESTS);
			int64_t u = ours(trace, REQUESTS, &c, refreshes), d = u > t ? u - t : t - u;
			printf("%s %u%% writes: %" PRId64 " %" PRId64 ", %.1f\n", kind_name[k],
			    writes[w], t, u, 1000.0 * (double)d / (double)t);
		}
	return 0;
}

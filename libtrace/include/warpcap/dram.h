/*
 * DRAM: channels of ranks of bank groups of banks behind a memory controller each, accurate to the
 * command. Time is the channel's command clock; a cycle is a cycle of it, and all t_ values count
 * such cycles ("ck") unless named otherwise.
 *
 * A channel is advanced lazily: its owner pushes requests in order of arrival and advances it to a
 * time; what was served in between is then in its list of completions. Channels share nothing.
 *
 *	d = wcp_dram_new(&config, &e);
 *	wcp_dram_locate(d, &address, 1, &request.place, &which);
 *	wcp_dram_advance(d, channel, now);		     everything before cycle now is history
 *	if (wcp_dram_push(d, &request))			     arrives at cycle now; false: no room
 *	while ((n = wcp_dram_done(d, channel, done, 64)))    what has been served
 */
#ifndef WARPCAP_DRAM_H
#define WARPCAP_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"
#include "warpcap/types.h"

/* ---- what the memory is --------------------------------------------------------------------- */

/* Sizes. A pseudo-channel is a channel of its own in everything but the mapping. */
struct wcp_dram_organisation {
	uint32_t channels;	  /* any number from 1 */
	uint32_t pseudo_channels; /* per channel; this and the rest: powers of two */
	uint32_t ranks;		  /* per (pseudo-)channel */
	uint32_t bank_groups;	  /* per rank; 1: no groups */
	uint32_t banks;		  /* per rank, those of all groups together */
	uint32_t rows;		  /* per bank */
	uint32_t row_bytes;	  /* of a bank over all chips of the rank: the page */
	uint32_t bus_bits;	  /* data bus of the (pseudo-)channel */
	uint32_t burst_length;	  /* beats of a column command */
	uint32_t rate;		  /* beats a command-clock cycle: 2 for DDR, 4 for GDDR5 */
};
/* An atom is what one column command moves: burst_length * bus_bits / 8 bytes. It holds the data
 * bus for t_burst = burst_length / rate cycles, rounded up. */

enum wcp_dram_refresh { WCP_REFRESH_NONE, WCP_REFRESH_ALL_BANK, WCP_REFRESH_PER_BANK };

/* JEDEC names. A value of 0 constrains nothing, but where it says otherwise. */
struct wcp_dram_timing {
	double t_ck_ns;		   /* length of a cycle */
	uint32_t t_cl, t_cwl;	   /* column command to first beat: read, write */
	uint32_t t_rcd, t_rcdwr;   /* ACT to RD, WR of the bank; t_rcdwr 0: t_rcd */
	uint32_t t_rp;		   /* PRE to ACT of the bank */
	uint32_t t_ras;		   /* ACT to PRE */
	uint32_t t_rc;		   /* ACT to ACT of the bank; 0: t_ras + t_rp */
	uint32_t t_rrd_s, t_rrd_l; /* ACT to ACT of the rank: other group, same group; l 0: s */
	uint32_t t_faw;		   /* four-activate window of a rank */
	uint32_t t_ccd_s, t_ccd_l; /* RD to RD and WR to WR of a rank: other group, same; 0:
				      t_burst; l 0: s */
	uint32_t t_rtp;		   /* RD to PRE */
	uint32_t t_wr;		   /* last beat written to PRE */
	uint32_t t_wtr_s,
	    t_wtr_l;	   /* last beat written to RD of the rank: other group, same; l 0: s */
	uint32_t t_rtw;	   /* RD to WR of a rank; 0: t_cl + t_burst + 2 - t_cwl, at least 1 */
	uint32_t t_rtrs;   /* data bus idle between bursts of two ranks */
	uint32_t t_ppd;	   /* PRE to PRE of a rank */
	uint32_t t_refi;   /* between two refreshes of a rank; with REFRESH */
	uint32_t t_rfc;	   /* REF to ACT or REF of the rank */
	uint32_t t_rfc_pb; /* REFpb to ACT of the bank */
	uint32_t t_rrefd;  /* REFpb to ACT or REFpb of another bank of the rank; 0: t_rrd_l */
	enum wcp_dram_refresh refresh;
	bool
	    dual_command; /* row and column commands have a bus each (HBM): one of either a cycle */
};

/*
 * Derived, last command to next, in cycles (B = t_burst):
 *   WR to PRE, same bank                        t_cwl + B + t_wr
 *   WR to RD, same rank, same / other group     t_cwl + B + t_wtr_l / t_wtr_s
 *   RD to RD and WR to WR, other rank           B + t_rtrs
 *   RD to WR, other rank                        t_cl + B + t_rtrs - t_cwl, at least 1
 *   WR to RD, other rank                        t_cwl + B + t_rtrs - t_cl, at least 1
 *   RD to RD, WR to WR, same rank               max(t_ccd, B)
 *   RDA, WRA (with auto-precharge): the bank precharges by itself at the first cycle at which
 *   a PRE would be legal; t_rp and t_rc count from that as from a PRE
 *   PRE to REF and REFpb                        t_rp, all banks (the bank) precharged
 *   PREA: one command that precharges all open banks of a rank, legal when PRE of each is; for
 *   t_ppd it is a PRE
 *   REF to REF of the rank t_rfc; REFpb to REFpb of the same bank t_rfc_pb
 *   two commands of a bank are a cycle or more apart whatever else says 0
 * The precharge of RDA and WRA takes no bus, knows no t_ppd and may be in the cycle of the RDA
 * where t_rtp is 0; the row counts as closed from the RDA or WRA on. REF and REFpb count neither
 * for t_rrd nor for t_faw. A t_faw below 4 t_rrd_s, or a t_ccd below B, takes nothing away and is
 * taken. Not taken: t_ras + t_rp > a given t_rc, an l below its s, t_rfc_pb below t_rrefd, a t_rtw
 * whose bursts would collide, and refreshes that may leave no time to use a row, t_refi below
 *   max(t_rfc + t_rp + max(t_ras, t_rtp, t_cwl + B + t_wr, t_ppd), t_rc, t_rrd_l, t_faw)
 *       + max(t_rcd, t_rcdwr) + ranks * (banks + 2)
 * (a row opened or used just before is closed, the refresh is done, a row is opened and used, while
 * every other bank's ACT and every rank's PREA and REF come first), per bank with t_rfc_pb for
 * t_rfc and banks * (max(t_rrefd, t_ppd) + 3 * ranks) for the last term. So everything that is
 * pushed is served.
 */

/* ---- where an address lies ------------------------------------------------------------------ */

struct wcp_dram_place {
	uint32_t channel; /* channel * pseudo_channels + pseudo-channel */
	uint32_t rank;
	uint32_t bank; /* in the rank: group * (banks / bank_groups) + bank in its group */
	uint32_t row;
	uint32_t column; /* atom in the row */
};

/*
 * The mapping is text, one of
 *   "row rank bank group column channel"
 *	Fields from the top bit down to the atom; each once, of the size the organisation gives it.
 *	"column" may be split: column:2 is its next lower-order 2 bits counted from where it stands
 *	("row column bank group column:2 channel": the low two column bits stand below the banks).
 *	"pseudo" is the pseudo-channel. A field of size one may be left out; "bank" without "group"
 *	has the bits of both, the group's on top.
 *   "bits channel=8,9 bank=10-12,15 ..."
 *	Address bits of each field, lowest first; none twice, none lost. The bits inside an atom
 *	belong to no field.
 *   "gpgpusim MASK", "dramid@N;MASK" or "MASK" as GPGPU-Sim's -gpgpu_mem_addr_mapping has it
 *	Chips are all channels and pseudo-channels; B has the bits of group and bank; C and S in
 *	order are the column in bytes. Bits marked 0 may only stand above all others. The
 *	group is B's high bits; of "gpgpusim-low MASK" its low ones (GPGPU-Sim's
 *	dram_bnkgrp_indexing_policy 1).
 *   "page"		"row bank rank channel pseudo column"	Tang Fig. 4.2: page-interleaved
 *   "line:BYTES"	"row column bank rank channel pseudo column:k", BYTES = atom << k
 *	Consecutive lines go to consecutive channels, then ranks and banks.
 * A number of channels that is no power of two is taken by division at the channel field, which may
 * then stand once only: (address >> N) modulo channels is the channel and the quotient takes the
 * place of the bits from N up. In a "bits" mapping channel=N says where, and the bits of the other
 * fields are those of the address after the division.
 */
enum wcp_dram_hash {
	WCP_DRAM_HASH_NONE,
	/* The bank of the rank, group included: */
	WCP_DRAM_HASH_XOR,  /* bank ^= low bits of the row: permutation-based interleaving (Zhang,
			       MICRO 2000) */
	WCP_DRAM_HASH_POLY, /* bank = (row . bank) modulo the smallest irreducible polynomial over
			       GF(2) of its degree (Rau, ISCA 1991) */
};

enum wcp_dram_beyond { WCP_BEYOND_WRAP, WCP_BEYOND_FAIL }; /* addresses past the capacity */

/* ---- the controller ------------------------------------------------------------------------- */

enum wcp_dram_page { WCP_PAGE_OPEN, WCP_PAGE_CLOSED, WCP_PAGE_TIMEOUT };

struct wcp_dram_controller {
	uint32_t read_queue;  /* entries, at least 1, at most 4096 */
	uint32_t write_queue; /* 0: reads and writes share read_queue, and no draining is done */
	uint32_t write_high, write_low; /* watermarks; write_low < write_high <= write_queue */
	bool frees_at_act; /* a request leaves its queue when its row is opened for it */
	enum wcp_dram_page page;
	uint32_t page_timeout_ck;
	const char *scheduler; /* name in wcp_dram_scheduler_table */
	uint32_t frfcfs_cap;   /* column commands a row may have while an older request of the bank
				  waits for another; 0: no limit */
	uint32_t parbs_cap;    /* Marking-Cap of PAR-BS, per requester and bank */
	uint32_t tcm_quantum_ck, tcm_shuffle_ck;
	double tcm_cluster;  /* ClusterThresh: share of bandwidth of the latency cluster */
	uint32_t requesters; /* PAR-BS, TCM: ids are below; at least 1, at most 4096 */
	uint64_t seed;	     /* TCM's random shuffle */
};

struct wcp_dram_config {
	struct wcp_dram_organisation organisation;
	struct wcp_dram_timing timing;
	const char *mapping;
	enum wcp_dram_hash bank_hash;
	enum wcp_dram_beyond beyond;
	struct wcp_dram_controller controller;
};

/*
 * What a channel does in cycle t, in this order. An independent model of a channel can be written
 * from this text alone, and tests do.
 *
 *  1. Requests that arrive at t enter their queue. A slot freed in cycle t takes a request from
 *     t + 1 on.
 *  2. Direction, with a write queue: draining begins when it holds write_high requests or more and
 *     ends when it holds write_low or fewer; looked at once a cycle, here. Considered are the
 *     writes while draining or when there is no read; else the reads. Without a write queue all
 *     requests are considered.
 *  3. Refresh. Rank r of R is due at the cycles k * t_refi + r * t_refi / R, k = 1, 2, ...; per
 *     bank: bank b of B of the rank at k * t_refi + r * t_refi / R + b * t_refi / B. Quotients are
 *     rounded down. A rank (bank) that is due takes no command but for its refresh: PREA (PRE) as
 *     soon as legal if a row is open, then REF (REFpb) as soon as legal. These go before any
 *     request's command; the lowest rank first. Refreshes of a rank that fall due while one is
 *     pending add up and are done one after the other, in the order in which they fell due; per
 *     bank, a bank is held back only when its turn has come. With dual_command they take the row
 *     bus.
 *  4. A bank has one candidate at most: the request that its open row was opened for, considered or
 *     not, until that one has had a column command (so no ACT is in vain but for a refresh); then
 *     the request first in the scheduler's order of those that are considered. Its next command
 *     is RD or WR if its row is open, PRE if another is, ACT if none.
 *     Of the candidates whose next command is legal at t the first in the scheduler's order is
 *     issued (dual_command: the first with a column command and the first with a row command,
 *     both as the cycle found them).
 *  5. If nothing was issued (dual_command: on the row bus) and page is TIMEOUT: PRE of the lowest
 *     bank (rank * banks + bank) for which it is legal, whose open row no queued request of either
 *     kind is for, and that had its last column command (or ACT) page_timeout_ck or more cycles
 *     ago.
 *
 * Commands are told in this order: that of step 3, column, row.
 *
 * Page CLOSED: a request's last column command is issued as RDA or WRA if no other queued request
 * of either kind is for that row.
 * A request of several bursts stays at its place until its last column command; then its slot is
 * free. With frees_at_act a request is in no queue any more from its ACT on: its slot is free,
 * neither watermarks nor "there is no read" nor the cap nor parbs's next batch know of it, and
 * until its last column command it is its bank's candidate, which a refresh waits for: the bank is
 * not held back, and not precharged, before. Where "queued" is said of rows and of measures, it
 * still counts. It is served at the end of its last beat: RD + t_cl + B, WR + t_cwl + B. It is in
 * service from its first command (PRE, ACT or column command issued as its bank's candidate) to
 * that end.
 *
 * Orders, first things first; "hit": its row is open; age: order of arrival.
 *   fcfs      age
 *   frfcfs    hit, age. With a cap: while a row's column commands since its ACT number cap or more
 *             and the oldest considered request of the bank wants another row, hits of that bank
 *             count as none
 *   parbs     marked, hit, rank of requester in the batch, age. Mutlu and Moscibroda, ISCA 2008
 *   tcm       rank of requester, hit, age. Kim et al., MICRO 2010
 *
 * parbs. Writes of a write queue are never marked and all of the first rank: hit, age. The others
 * are batched: between steps 2 and 3 of a cycle in which they are considered, there is one and none
 * is marked, the oldest parbs_cap of each requester in each bank become marked, and requesters are
 * ranked: first who has the fewest marked requests in the bank where he has most of them, then who
 * has the fewest marked in all, then the lowest number (differs: the paper draws lots). Who has
 * none marked has 0 of them.
 *
 * tcm. Before step 1 of cycle k * tcm_quantum_ck, k = 1, 2, ..., from what was seen in the quantum
 * that ends there (cycles from (k - 1) * tcm_quantum_ck), for each requester of the channel:
 *   intensity  requests that arrived (differs: the paper's misses per kilo-instruction; no
 *              instructions are seen here)
 *   bandwidth  sum of end - first_command of requests whose last column command was issued
 *   rbl        share of the arrived requests whose row is that of the requester's previous arrival
 *              for the bank, in whichever quantum that was; 0 without arrivals
 *   blp        mean number of banks in which it has queued requests (from arrival to last column
 *              command), over the cycles in which it has one in any; 0 without
 * Clusters: requesters in order of intensity, least first, then number, are of the latency cluster
 * as long as their bandwidths summed up are at most tcm_cluster of the bandwidth of all; the first
 * that exceeds it and all after it are of the bandwidth cluster. The latency cluster ranks first,
 * in that order. In the bandwidth cluster of n, niceness = b - r, where b (r) is how many of it
 * have a lower blp (rbl), among equals those of lower number. The bandwidth cluster's requesters
 * in increasing niceness, among equals decreasing number, stand at the places 1 to n of an array,
 * the one at n ranking highest. Each tcm_shuffle_ck cycles after the quantum's begin (before step
 * 1, a quantum's begin goes before) the array is shuffled: if the largest and smallest blp of the
 * cluster differ by more than a tenth of the channel's banks and the largest and smallest rbl by
 * more than a tenth, by the next step of insertion shuffle (Algorithm 2): for i = n down to 1, sort
 * places i to n by decreasing niceness; then for i = 1 to n, sort 1 to i by increasing niceness;
 * and so on; among equals by number, increasing where niceness decreases and reversed. Else by a
 * random one: for i = n down to 2, exchange places i and 1 + x modulo i, where x is the next number
 * of splitmix64, which starts with seed + channel. The first quantum ranks all alike
 * and is not shuffled. Means and shares are compared exactly.
 */

/* ---- requests ------------------------------------------------------------------------------- */

enum wcp_dram_marks { /* for schedulers that ask who waits */
	WCP_DRAM_CRITICAL = 1 << 0,
	WCP_DRAM_PREFETCH = 1 << 1,
};

struct wcp_dram_request {
	struct wcp_dram_place place; /* of its first atom */
	uint64_t arrival;	     /* cycle */
	uint64_t handle;	     /* the caller's; comes back */
	uint32_t requester;	     /* core, SM or thread: below controller.requesters */
	uint16_t bursts;	     /* consecutive atoms of one row, at least 1 */
	bool write;
	uint8_t marks;
};

enum wcp_dram_row { WCP_ROW_HIT, WCP_ROW_MISS, WCP_ROW_CONFLICT }; /* by its first command */

struct wcp_dram_served {
	uint64_t handle;
	uint64_t arrival, first_command, end; /* cycles; end: one past the last beat's */
	uint32_t requester;
	uint16_t bursts;
	bool write;
	uint8_t row; /* enum wcp_dram_row */
};

enum wcp_dram_command_kind {
	WCP_CMD_ACT,
	WCP_CMD_PRE,
	WCP_CMD_PREA,
	WCP_CMD_RD,
	WCP_CMD_RDA,
	WCP_CMD_WR,
	WCP_CMD_WRA,
	WCP_CMD_REF,
	WCP_CMD_REFPB,
	WCP_CMD_COUNT
};
const char *wcp_dram_command_name(enum wcp_dram_command_kind k); /* "ACT"; "?" past the end */

struct wcp_dram_command {
	uint64_t cycle;
	uint8_t kind; /* enum wcp_dram_command_kind */
	/* As far as the kind has them, else 0: columns have all, ACT no column, PRE and REFpb no
	 * row either, PREA and REF the rank only. */
	uint32_t channel, rank, bank, row, column;
	uint64_t handle; /* of the request it was issued for, all ones if none */
};

/* ---- the model ------------------------------------------------------------------------------ */

struct wcp_dram;

/* WCP_EUSAGE names the value that cannot be. The config is copied. Different channels may be played
 * by different threads at the same time. */
struct wcp_dram *wcp_dram_new(const struct wcp_dram_config *config, struct wcp_error *e);
void wcp_dram_free(struct wcp_dram *d);
/* The config with every default and derived value filled in. */
const struct wcp_dram_config *wcp_dram_config(const struct wcp_dram *d);
uint64_t wcp_dram_capacity(const struct wcp_dram *d); /* bytes */
uint32_t wcp_dram_channels(const struct wcp_dram *d); /* pseudo-channels counted singly */
uint32_t wcp_dram_atom_bytes(const struct wcp_dram *d);

/* Places of n byte addresses; negative with BEYOND_FAIL if one is past the capacity, *which its
 * index. */
int wcp_dram_locate(const struct wcp_dram *d, const uint64_t *address, size_t n,
    struct wcp_dram_place *place, size_t *which);
/* The byte address below the capacity at which this place's atom begins. */
uint64_t wcp_dram_address(const struct wcp_dram *d, const struct wcp_dram_place *place);
/* How many consecutive atoms from this address on lie in one row, at most max. */
uint32_t wcp_dram_run(const struct wcp_dram *d, uint64_t address, uint32_t max);

/* Called for each command in order of a channel's time, inside advance. */
void wcp_dram_on_command(
    struct wcp_dram *d, void (*log)(void *arg, const struct wcp_dram_command *c), void *arg);

/* Room in the queue that a read (write) would enter at the time advanced to? */
bool wcp_dram_room(const struct wcp_dram *d, uint32_t channel, bool write);
/* Times go up to this cycle. */
#define WCP_DRAM_CYCLE_MAX (1ull << 62)

/* Enters a request of channel r->place.channel; r->arrival is not before the time that channel was
 * advanced to (which it advances to arrival). False: no room (or no memory, a place, a
 * requester or a time that does not exist), nothing changed but the time. */
bool wcp_dram_push(struct wcp_dram *d, const struct wcp_dram_request *r);
/* Plays the channel up to and without cycle until, WCP_DRAM_CYCLE_MAX at most. However long nothing
 * is queued or in flight, that takes the time of a few refresh intervals, unless commands are
 * logged. */
void wcp_dram_advance(struct wcp_dram *d, uint32_t channel, uint64_t until);
/* Plays on until a queue slot of the kind is free, but not past until; the cycle from which it is,
 * or until. */
uint64_t wcp_dram_advance_to_room(struct wcp_dram *d, uint32_t channel, bool write, uint64_t until);
/* The earliest cycle at which something is served or a slot gets free, no later than it happens if
 * nothing more arrives; UINT64_MAX: nothing is queued or in flight. */
uint64_t wcp_dram_next(const struct wcp_dram *d, uint32_t channel);
/* A cycle before which nothing ends that wcp_dram_done does not tell of ahead, if nothing more
 * arrives; UINT64_MAX: nothing is queued. */
uint64_t wcp_dram_next_end(const struct wcp_dram *d, uint32_t channel);
/* Plays until nothing is queued or in flight; the cycle after the last beat (the time before if
 * there was nothing). */
uint64_t wcp_dram_drain(struct wcp_dram *d, uint32_t channel);
/* Takes up to max requests whose column commands are all history, in order of end. Those whose end
 * is after the channel's time are told only with ahead. */
size_t wcp_dram_done(
    struct wcp_dram *d, uint32_t channel, struct wcp_dram_served *done, size_t max, bool ahead);

/* ---- measures ------------------------------------------------------------------------------- */

/* A mean over the cycles in which at least one counts: sum / cycles. Counted is what holds at the
 * end of a cycle, its commands done: a request is queued in [arrival, last column command), in
 * service in [first_command, end), its row open in [ACT, PRE, PREA, RDA or WRA). */
struct wcp_dram_mean {
	uint64_t sum, cycles;
	uint32_t max;
};

/* All of a channel since the start, up to the time it was advanced to. */
struct wcp_dram_counts {
	uint64_t reads, writes; /* requests served (column commands all issued) */
	uint64_t read_bursts, write_bursts;
	uint64_t row[3]; /* requests by enum wcp_dram_row */
	uint64_t command[WCP_CMD_COUNT];
	/* Each cycle is exactly one of these; the first that holds. */
	uint64_t cycles_transferring;	/* the data bus moves a beat */
	uint64_t cycles_waiting_column; /* a queued request's row is open, or beats are still
					   to come of one that is in service and not queued */
	uint64_t cycles_waiting_row;	/* a request is queued */
	uint64_t cycles_idle;
	struct wcp_dram_mean queued;   /* banks with a request waiting or in service */
	struct wcp_dram_mean assigned; /* banks a request is bound to: its first command issued,
					  its last column command not yet */
	struct wcp_dram_mean service;  /* banks with a request in service: BLP of the papers */
	struct wcp_dram_mean requests; /* requests in the channel, queued or in service: MLP */
};
const struct wcp_dram_counts *wcp_dram_counts(const struct wcp_dram *d, uint32_t channel);

/* Per bank of a channel, rank * banks + bank: column commands, activates, conflicts. */
struct wcp_dram_bank_counts {
	uint64_t columns, activates;
	uint64_t conflicts;   /* requests of the bank whose first command was PRE */
	uint64_t busy_cycles; /* a request in service */
};
const struct wcp_dram_bank_counts *wcp_dram_bank_counts(const struct wcp_dram *d, uint32_t channel);

/* Means over all channels together: cycles count in which any channel has one; max is that of the
 * channel that has the largest. Up to the earliest time that a channel was advanced to for cycles,
 * to each channel's own time for sum: advance them to the same time before. Memory grows with how
 * far channels are apart in time, not with time. Not while another thread plays a channel. */
struct wcp_dram_overall {
	struct wcp_dram_mean queued, assigned, service, requests;
};
void wcp_dram_overall(const struct wcp_dram *d, struct wcp_dram_overall *o);

/* ---- schedulers ----------------------------------------------------------------------------- */

struct wcp_dram_scheduler_info {
	const char *name, *summary, *source;
};
/* Ends with a NULL name. */
extern const struct wcp_dram_scheduler_info wcp_dram_scheduler_table[];

#endif

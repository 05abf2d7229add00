/* Inside of the DRAM model: what its files share. */
#ifndef DRAM_DRAM_H
#define DRAM_DRAM_H

#include <pthread.h>
#include "warpcap/dram.h"

enum {
	DRAM_NONE = 0xffff,	 /* no entry, no row list */
	DRAM_QUEUE_MAX = 4096,	 /* entries of a queue */
	DRAM_BANKS_MAX = 4096,	 /* of a channel */
	DRAM_TIME_MAX = 1 << 24, /* of one timing value */
	DRAM_FIELDS = 6,
};
#define DRAM_CLOSED 0xffffffffu /* open_row of a bank without one */
#define DRAM_NEVER  UINT64_MAX

/* ---- mapping ---- */

enum dram_field { F_CHANNEL, F_PSEUDO, F_RANK, F_BANK, F_ROW, F_COLUMN };

/* A run of address bits that stays a run in its field. */
struct dram_run {
	uint8_t right; /* how far to rotate */
	uint8_t field;
	uint64_t mask; /* where they then stand */
};

struct dram_mapping {
	uint64_t capacity;
	uint32_t atom_shift;
	uint32_t run_bits;     /* atoms of this many low bits follow each other in a row */
	uint32_t chips;	       /* divide by this at divide_at; 0: no division */
	uint32_t divide_at;    /* address bit */
	uint64_t reciprocal;   /* of chips, for quotients of 32 bits */
	bool chips_are_pseudo; /* the remainder counts pseudo-channels */
	uint32_t pseudo_channels;
	uint32_t n_run;
	struct dram_run run[64];
	uint32_t bank_mask;
	uint16_t *hash; /* [4][256] what each byte of the row adds to the bank, NULL: nothing */
};

int dram_mapping_init(struct dram_mapping *m, const struct wcp_dram_config *c, struct wcp_error *e);
void dram_mapping_release(struct dram_mapping *m);

enum { MAPPING_CHUNK = 32 };
struct mapping_chunk {
	uint64_t address[MAPPING_CHUNK]; /* below the capacity; used up */
	uint64_t field[DRAM_FIELDS][MAPPING_CHUNK];
};
void dram_mapping_places(const struct dram_mapping *m, struct mapping_chunk *c, uint32_t n,
    struct wcp_dram_place *place);
uint64_t dram_mapping_address(const struct dram_mapping *m, const struct wcp_dram_place *place);

/* ---- timing ---- */

/* The four kinds of command that requests need; a candidate's next is one of them. */
enum dram_step { S_RD, S_WR, S_ACT, S_PRE, DRAM_STEPS };
enum dram_near { SAME_GROUP, SAME_RANK, OTHER_RANK, DRAM_NEARS };

/* Cycles from a command to a later one; 0: nothing to wait for. */
struct dram_gaps {
	uint32_t burst;
	uint32_t data[2], end[2];			   /* RD, WR to first beat, to end */
	uint32_t bank[DRAM_STEPS][DRAM_STEPS];		   /* same bank, at least 1 */
	uint32_t near[DRAM_STEPS][DRAM_STEPS][DRAM_NEARS]; /* by where the other bank is */
	uint32_t act_act_bank, faw, rp, rfc, rfc_pb, rrefd;
};

/* Fills defaults in and derives the gaps, or says which value cannot be. */
int dram_derive(struct wcp_dram_config *c, struct dram_gaps *g, struct wcp_error *e);
int dram_check_organisation(const struct wcp_dram_organisation *o, struct wcp_error *e);
int dram_check_controller(struct wcp_dram_controller *c, struct wcp_error *e);

/* ---- measures ---- */

enum dram_meter_name { M_QUEUED, M_ASSIGNED, M_SERVICE, M_REQUESTS, DRAM_METERS };

struct dram_meter {
	uint64_t sum;	 /* with value * now: all of it */
	uint64_t cycles; /* up to the last time value was 0 */
	uint64_t since;	 /* when value left 0 */
	uint32_t value, max;
};

struct dram_interval {
	uint64_t from, to;
};

struct dram_intervals {
	struct dram_interval *at;
	size_t n, room;
};

/* When some channel was busy, in the sense of three meters (queued and requests are busy
 * together). Channels hand in their busy intervals from time to time; what lies before the time
 * that all have handed in is counted and forgotten. */
struct dram_union {
	pthread_mutex_t lock;
	struct dram_intervals later[DRAM_METERS], spare;
	uint64_t cycles[DRAM_METERS];
	uint64_t done;	    /* cycles counts up to here */
	uint64_t *handed;   /* [channels] up to where each has handed in */
	uint32_t n_channel; /* one needs no union */
	size_t merge_at;    /* intervals */
};

int dram_union_init(struct dram_union *u, uint32_t channels);
void dram_union_release(struct dram_union *u);

enum dram_class { C_COLUMN, C_ROW, C_IDLE, DRAM_CLASSES };

enum { DRAM_HAND_CYCLES = 1 << 20, DRAM_HAND_INTERVALS = 1 << 10 };

struct dram_measures {
	struct dram_meter meter[DRAM_METERS];
	struct dram_intervals busy[DRAM_METERS]; /* not yet handed in */
	uint64_t hand_at;			 /* time to hand in */
	/* Cycles without a beat, by class, up to class_since. */
	uint64_t cycles[DRAM_CLASSES], class_since;
	enum dram_class class;
	uint64_t beats_before;	     /* bus cycles of bursts no longer in the ring */
	uint64_t beats_counted;	     /* bus cycles before class_since */
	struct dram_interval *burst; /* [burst_mask + 1] ring of bursts under way, joined */
	uint32_t burst_mask, burst_head, burst_tail;
	struct wcp_dram_counts counts; /* but for cycles and means until asked */
};

/* ---- channel ---- */

struct dram_entry {
	uint64_t handle, arrival, first;
	uint64_t seq; /* order of arrival */
	uint32_t row, column, requester;
	uint16_t bursts, left; /* column commands in all, to come */
	uint16_t bank, list;
	uint8_t write, marks;
	uint8_t row_class; /* enum wcp_dram_row; DRAM_NOT_BEGUN: no command was for it yet */
	uint8_t marked;	   /* PAR-BS */
	uint8_t opened;	   /* it has left its queue, which it does with frees_at_act */
};
enum { DRAM_NOT_BEGUN = 3 };

/* Requests one behind the other, oldest first, in a ring: entries have the first links, the rings'
 * ends those behind them. */
struct dram_link {
	uint16_t next, prev;
};
_Static_assert(3 * (2 * DRAM_QUEUE_MAX + DRAM_BANKS_MAX) < DRAM_NONE, "a link tells all apart");

/* Queued requests for one row. */
struct dram_row {
	uint32_t row;
	uint16_t bank, count;
	uint16_t chain; /* next of the hash bucket, or of the free ones */
};

struct dram_bank {
	uint64_t ok[DRAM_STEPS]; /* earliest, as far as the bank itself decides */
	uint64_t closed;	 /* earliest REF: t_rp after its precharge */
	uint64_t last_use;	 /* last ACT or column command */
	uint64_t busy_since;
	uint32_t open_row;
	uint32_t columns;   /* column commands since ACT */
	uint16_t open_list; /* queued requests for the open row */
	uint16_t opener;    /* the row was opened for it and has not served it yet */
	uint16_t group;	    /* rank * groups + group */
	uint16_t rank;
	uint32_t queued; /* queued or in service */
	uint32_t assigned, service;
};

struct dram_rank {
	uint64_t act[4]; /* last activates */
	uint32_t act_at;
	uint64_t due; /* next refresh falls due */
	uint64_t nth; /* refreshes that fell due */
	uint32_t owed;
	uint32_t turn;	 /* bank */
	uint64_t ref_ok; /* earliest REF, REFpb of another bank */
};

/* A request whose column commands are all issued. */
struct dram_done {
	struct wcp_dram_served s;
	uint32_t bank;
};

struct dram_pick {
	uint64_t time; /* DRAM_NEVER: none */
	uint64_t key;
	uint32_t bank;
};

/* A bank's next command. */
struct dram_want {
	uint64_t ready, key;  /* earliest as the bank itself decides; order */
	const uint64_t *gate; /* of its group */
	uint16_t candidate;   /* DRAM_NONE: the row is to be closed for idleness */
	uint16_t rank;
	uint8_t step; /* DRAM_STEPS: none */
};

struct dram_channel {
	uint64_t now;
	uint64_t ref_time, due_time, wake;
	uint64_t idle_period; /* after which idle time recurs */
	uint64_t idle_least;  /* what is worth looking at */
	uint32_t ref_rank, number;
	bool look; /* the queues changed since direction and batches were looked at */
	bool draining;
	bool dual, splits; /* two buses; two queues */
	bool looks;	   /* there is something to look at */
	bool frees_at_act; /* of the controller */
	bool hits_first;   /* the scheduler is frfcfs, which is played without calls */
	uint8_t dir;	   /* considered: 0 reads or all, 1 writes */
	uint32_t n[2], room[2];
	uint32_t n_opened;    /* have left their queues, not yet served */
	uint32_t open_wanted; /* banks with queued requests for their open row */
	uint32_t n_bank, n_group, n_rank, words;
	uint32_t rank_banks, rank_groups; /* of one rank */
	uint32_t n_row, n_entry, requester_max;
	uint32_t ranks_owed; /* with a refresh pending */
	uint32_t row_shift;  /* of the hash */

	struct dram_want *want;		   /* [n_bank] */
	struct dram_pick best[DRAM_STEPS]; /* of the banks that want the step */
	uint64_t *wanting;		   /* [DRAM_STEPS][words] banks */
	uint64_t *blocked;		   /* [words] banks that are due for refresh */

	/* Earliest as other banks' commands decide: of the same group, of any. */
	uint64_t (*group_gate)[DRAM_STEPS]; /* [n_group] */
	uint64_t (*rank_gate)[DRAM_STEPS];  /* [n_rank] */
	struct dram_bank *bank;
	struct dram_rank *rank;
	struct dram_entry *entry;    /* [n_entry] */
	struct dram_link *bank_link; /* [n_entry + 2 * n_bank] by bank and direction */
	struct dram_link *row_link;  /* [n_entry + 2 * n_entry] by row and direction */
	struct dram_row *row;
	uint16_t *bucket;
	uint16_t free_entry, free_row;
	uint64_t seq;

	struct dram_done *done; /* ring */
	uint64_t done_mask, taken, retired, tail;
	uint64_t retire_at; /* end of the first that is not retired; DRAM_NEVER: none */

	struct dram_measures m;
	struct wcp_dram_bank_counts *bank_counts;
	uint64_t *idle; /* [dram_idle_room] state an interval ago */
	void *sched;	/* state of the scheduler */
	const struct wcp_dram *d;
};

/*
 * A scheduler. Smaller keys go first and are below 2^63; a key changes only when prepare or tick
 * says so, when the bank's row opens or closes, or (pick) by the bank's own queue.
 */
struct dram_scheduler {
	/* NULL: there is nothing to check, and requesters are of no interest. */
	int (*check)(const struct wcp_dram_controller *c, struct wcp_error *e);
	size_t (*state_bytes)(const struct wcp_dram_config *c, uint32_t banks);
	void (*init)(struct dram_channel *ch);
	/* The bank's candidate among the considered and its key. The bank has one. */
	uint16_t (*pick)(const struct dram_channel *ch, uint32_t bank, uint64_t *key);
	uint64_t (*key)(const struct dram_channel *ch, const struct dram_entry *r);
	void (*arrive)(struct dram_channel *ch, struct dram_entry *r);
	void (*leave)(struct dram_channel *ch, struct dram_entry *r, uint64_t end);
	bool (*prepare)(struct dram_channel *ch); /* after step 2; true: keys changed */
	void (*tick)(struct dram_channel *ch);	  /* at ch->wake, before step 1; keys change */
	/* Nothing is queued and nothing comes before until: may leave out ticks up to then, all but
	 * the last, that change nothing but what the last one sets anew. NULL: never ticks. */
	void (*idle)(struct dram_channel *ch, uint64_t until);
};
extern const struct dram_scheduler dram_fcfs, dram_frfcfs, dram_parbs, dram_tcm;
const struct dram_scheduler *dram_scheduler_named(const char *name); /* NULL: none */

struct wcp_dram {
	struct wcp_dram_config config;
	char *mapping_text, *scheduler_text;
	struct dram_mapping mapping;
	struct dram_gaps gaps;
	const struct dram_scheduler *scheduler;
	struct dram_channel *channel;
	uint32_t n_channel;
	void (*log)(void *arg, const struct wcp_dram_command *c);
	void *log_arg;
	struct dram_union *all;
};

int dram_channel_init(struct dram_channel *ch, const struct wcp_dram *d, uint32_t number);
void dram_channel_release(struct dram_channel *ch);

/* refresh.c */
void dram_refresh_init(struct dram_channel *ch);
void dram_refresh_due(struct dram_channel *ch);			 /* at ch->now == ch->due_time */
void dram_refresh_decide(struct dram_channel *ch);		 /* sets ref_time and ref_rank */
void dram_refresh_issue(struct dram_channel *ch);		 /* at ch->now == ch->ref_time */
void dram_refresh_go_on(struct dram_channel *ch, uint32_t rank); /* a bank has served its opener */
void dram_refresh_moved(struct dram_channel *ch);		 /* due times were set */

/* idle.c */
size_t dram_idle_room(const struct dram_channel *ch);
void dram_idle_init(struct dram_channel *ch);
/* Notes the state, from which idle_period is then played; false: it cannot recur. */
bool dram_idle_begin(struct dram_channel *ch);
/* Leaves out as many intervals before until as are like that played since from. */
void dram_idle_skip(struct dram_channel *ch, uint64_t from, uint64_t until);

/* command.c */
void dram_tell(struct dram_channel *ch, enum wcp_dram_command_kind kind, uint32_t rank,
    uint32_t bank, const struct dram_entry *r);
void dram_close_bank(struct dram_channel *ch, uint32_t bank, uint64_t precharge);
void dram_issue(struct dram_channel *ch, uint32_t bank);

/* measure.c */
int dram_measures_init(struct dram_measures *m, const struct dram_gaps *g);
void dram_measures_release(struct dram_measures *m);
void dram_measures_class(struct dram_channel *ch, enum dram_class class, uint64_t t);
void dram_measures_hand_in(struct dram_channel *ch);
void dram_measures_note(struct dram_channel *ch, enum dram_meter_name name, uint64_t to);
void dram_retire_until(struct dram_channel *ch, uint64_t t);

#endif

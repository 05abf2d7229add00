/*
 * A streaming multiprocessor: warps, schedulers, operand collection, arithmetic units and the
 * load/store unit. A cycle is played from its end to its beginning, so that what a stage hands over
 * is seen by the next one in the cycle after:
 *
 *	complete   results are written back, registers become free	(sm_exec.c)
 *	memory     answers, L1 caches, the head of the load/store unit	(sm_ldst.c)
 *	execute    arithmetic units take instructions			(sm_exec.c)
 *	collect    operands are read					(sm_collect.c)
 *	issue      each scheduler issues one instruction			(sm_issue.c)
 *	fetch      instruction buffers fill				(sm_fetch.c)
 *
 * An SM in which nothing can happen before some cycle says so (wake) and is left out until then.
 */
#ifndef WARPSCHED_SM_H
#define WARPSCHED_SM_H

#include "feed.h"
#include "gpu/brood.h"
#include "gpu/config.h"
#include "gpu/counts.h"
#include "gpu/net.h"
#include "gpu/series.h"
#include "warpcap/coalesce.h"
#include "warpcap/policy.h"
#include "warpcap/smcache.h"
#include "warpcap/vta.h"

#define NONE WCP_NONE32

enum { READS_MAX = 8 };

/* Registers that lie in one word of a set of them. */
struct register_use {
	uint64_t mask;
	uint32_t word;
};

/* One instruction of the program, prepared for this machine. */
struct insn {
	const uint16_t *reg;		/* [n_dst + n_src] */
	const struct register_use *use; /* [n_use] the same, word by word */
	uint64_t dst_mask;		/* registers to be written, where one word has them all */
	uint16_t dst_word;
	bool scattered; /* it does not */
	uint16_t latency, interval;
	uint16_t bytes;
	uint8_t n_dst, n_src;
	uint16_t n_use;
	uint8_t unit;	  /* enum unit */
	uint8_t kind;	  /* enum wcp_access_kind */
	uint8_t space;	  /* enum wcp_space, as the program has it */
	uint8_t op_class; /* enum wcp_op_class */
	uint16_t flags;	  /* enum insn_flags */
	uint16_t bar_id, bar_warps;
	uint16_t plain; /* so many from the next one on have nothing but lanes and registers */
	uint8_t n_read;
	uint8_t read[READS_MAX]; /* register banks to read from */
};

enum insn_flags {
	INSN_MEMORY = 1 << 0,
	INSN_LOAD = 1 << 1, /* of global or local memory: what a policy may hold back */
	INSN_BARRIER = 1 << 2,
	INSN_ARRIVE = 1 << 3, /* barrier that does not wait */
	INSN_UNCACHED = 1 << 4,
};

struct program {
	uint32_t n_insn;
	struct insn *insn;
	struct register_use *use; /* of all instructions */
	uint32_t reg_words;	  /* 64-bit words of a set of its registers */
};

/* An instruction between issue and completion. */
struct op {
	const struct insn *insn;
	struct piece *piece; /* memory: where its records lie */
	uint64_t issued;     /* cycle */
	uint32_t pc, mask;
	uint32_t mem_first;
	uint32_t next; /* in a list; NONE ends it */
	uint32_t left; /* memory: answers to come, and one as long as not all was sent */
	uint16_t n_mem, lines;
	uint8_t slot;
	bool global, missed; /* accesses went to L1D; not all were there or on their way */
	uint8_t n_read;
	uint8_t read[READS_MAX]; /* register banks to read from */
};

/* Instructions in a stage, oldest first. */
struct stage {
	uint32_t n;
	uint32_t op[16];
};

enum { WHEEL = 1024 }; /* cycles ahead that are kept account of */

/* An arithmetic unit: when it takes the next instruction, and the cycles in which results leave. */
struct exec_unit {
	uint64_t busy_until;
	uint64_t results[WHEEL / 64]; /* a ring of bits */
};

/* The way to one kind of unit. */
struct lane {
	struct stage issued, collecting, collected;
	struct exec_unit *unit; /* [units] */
};

struct cta {
	struct feed_cta *feed;
	uint64_t slots;
	uint64_t warp_insns, thread_insns;
	uint32_t warps_left; /* not ended */
	uint32_t live;	     /* that have instructions left */
	uint16_t arrived[16];
	uint64_t waiting[16]; /* slots */
	struct running *run;  /* the kernel */
	struct brood *brood;  /* what it launched; NULL: nothing */
	bool begun;
};

struct warp {
	struct feed_warp *feed;
	struct cta *cta;	 /* NULL: the slot is free */
	const struct insn *insn; /* to be issued next; NULL: no more */
	uint64_t *pending;	 /* registers to be written */
	uint32_t pc, mask;
	uint32_t plain;	    /* instructions that follow it and were walked past with it */
	uint32_t run_mask;  /* their lanes */
	uint32_t in_flight; /* ops issued and not complete */
	uint32_t stores;    /* sent and not acknowledged */
	uint32_t fetch_pc, buffer_pc;
	uint8_t buffered, fetching;
};

/* A line access on its way through the L1 data cache. */
struct request {
	uint64_t line, issued;
	uint64_t ready; /* shared memory as cache: cycle of its answer */
	uint32_t op;	/* NONE: nobody waits */
	uint32_t sectors, next, pc, lanes;
	uint16_t flags, lines, bytes;
	uint8_t kind, space, slot, cache;
	uint8_t outcome; /* enum wcp_outcome, once it was looked up */
	bool first;	 /* of its instruction */
	bool divergent;
	bool went; /* to L2 */
	/* low bits of cycles: offered to the unit, at the end of L1's pipeline, accepted, ... */
	uint32_t offered, due, accepted, left, taken, looked, replied, arrived;
	uint8_t route;	/* enum wcp_nb_route, from its first look-up on */
	uint8_t pieces; /* of its answer, to come */
	bool again;	/* was refused before */
	bool fetch;	/* fills the cache */
};

enum l1 { L1D, L1C, L1T, L1I, L1_COUNT };

struct ldst {
	uint32_t op; /* at the head of the unit, NONE: free */
	uint32_t record;
	uint8_t space;	  /* of the record */
	uint32_t n, at;	  /* its transactions */
	uint64_t offered; /* cycle from which on the next one waits; 0: it does not */
	struct wcp_transaction *transaction; /* [WCP_COALESCE_MAX] */
	uint64_t shared_until;
	uint32_t line[L1_LATENCY_MAX]; /* requests in the shift line, a ring */
	uint64_t line_ready[L1_LATENCY_MAX];
	uint32_t line_head, line_n;
	uint32_t unfilled;		  /* request whose line L1 could not take in so far, NONE */
	uint32_t answered, answered_last; /* requests to be written back, a list */
	/* of the last cycle: what it counted, to be counted again for those like it */
	uint8_t stall;				    /* 1 + enum ldst_stall; 0: none */
	uint8_t refusal;			    /* enum wcp_nb_fail of L1D */
	struct wcp_nbcache *refusing, *refusing_l1; /* the last cache that refused; the last L1D */
	uint8_t refuser, refused; /* the cache that refused last in this cycle, and why */
	/* L1D refused what leaves the shift line, and nothing of it has changed since: why */
	uint8_t stuck; /* enum wcp_nb_fail */
};

/* Shared memory as a cache, and its port (sm_shared.c). */
struct shared {
	struct wcp_smcache *cache; /* NULL: the policy wants none */
	uint64_t port_until;
	uint32_t hit, hit_last;	      /* requests on their way out, a list */
	uint32_t moving, moving_last; /* from L1D, in the response queue, a list */
};

struct gpu;
struct running;
struct saved_cta;

struct sm {
	struct gpu *gpu;
	const struct wcp_sm_config *set;
	uint32_t number;
	uint64_t now;
	uint64_t wake; /* nothing happens before */
	uint64_t age;  /* warps that have come */
	struct warp warp[SLOTS_MAX];
	struct wcp_policy_warp seen[SLOTS_MAX];
	struct cta cta[SLOTS_MAX]; /* [set->ctas] */
	struct wcp_policy_sm view;
	void *policy_state;
	uint32_t reg_words; /* room of warp[].pending */
	/* slots, one bit each */
	uint64_t live;	  /* have an instruction left */
	uint64_t valid;	  /* it is in the instruction buffer */
	uint64_t hazard;  /* the buffer holds something else */
	uint64_t awaited; /* its instructions are to come from memory */
	uint64_t clear;	  /* its registers are free */
	uint64_t
	    awaits; /* they wait for kernels that their CTA launched; all are in view.barrier */
	uint64_t next_unit[WCP_UNIT_COUNT];
	uint8_t unit_of[SLOTS_MAX]; /* the same by slot; WCP_UNIT_COUNT: none */
	uint64_t of_scheduler[SCHEDULERS_MAX];
	/* front end */
	uint32_t line_insns, first_insn; /* of a line of code; where in a line it begins */
	uint32_t fetched_slot;		 /* in the fetch buffer, NONE: empty */
	uint32_t last_fetched;
	/* back end */
	struct op *op; /* [cap_op] */
	uint32_t cap_op, free_op;
	struct request *request; /* [cap_request] */
	uint32_t cap_request, free_request;
	struct lane lane[WCP_UNIT_COUNT];
	uint32_t n_staged;  /* ops in lanes */
	uint8_t lanes;	    /* those that may have one */
	uint8_t crowded;    /* those that take no instruction now */
	bool lanes_still;   /* they stay where they are until one comes or goes */
	uint64_t forgotten; /* results of words before it are in no ring: cycles / 64 */
	uint32_t *wheel;    /* [WHEEL] ops that complete in a cycle */
	uint64_t wheel_bits[16];
	uint64_t (*bus)[WHEEL / 64]; /* [set->result_buses] cycles in which each is taken */
	struct ldst ldst;
	struct shared shared;
	struct wcp_nbcache *l1[L1_COUNT];
	uint8_t l1_sends;	  /* those that may have something to send */
	struct wcp_nbcache **own; /* [SLOTS_MAX] L1D of each slot; NULL: they share one */
	uint32_t own_turn;
	struct wcp_vta *vta;  /* by slot; NULL: the policy wants none */
	struct wcp_vta *lost; /* the same, for the table of interference */
	struct sender out;
	struct receiver in;
	/* residency */
	uint32_t threads_used, ctas_used, registers_used, shared_used;
	struct saved_cta *saved; /* CTAs that are to come again, oldest first */
	bool failed;		 /* no memory */
	bool astray;		 /* a line came that no cache had asked for */
	/* What the policy did that it must not do, and to which slot. */
	enum wrong { WRONG_NOT, WRONG_PICK, WRONG_HOLD } wrong;
	unsigned wrong_slot;
	uint64_t released_at;	 /* instructions that had been issued at the last release */
	uint32_t releases_since; /* of them */
	/* A cycle that moved nothing is repeated until something comes in or a time is reached. */
	bool moved; /* something did in this cycle */
	bool quiet; /* nothing did in the last one */
	struct sm_counts counts;
	/* Warps here, active and isolated ones, the masks that they were counted from, and cycles
	 * with them that are not in counts. */
	struct {
		uint64_t resident, stalled, isolated, cycles;
		uint32_t n, active, apart;
	} census;
	/* Masks of what held the warps when a tap was last told. */
	struct told {
		uint64_t barrier, stalled, isolated;
	} told;
	uint64_t sample_at; /* end of the interval of a series */
	struct series_row handed_in;
};

/* ---- life ----------------------------------------------------------------------------------- */

bool sm_init(struct sm *sm, struct gpu *g, uint32_t number, struct wcp_error *e);
void sm_release(struct sm *sm);
/* A kernel begins on an idle machine: fresh policy state. False: no memory. */
bool sm_begin_kernel(struct sm *sm);
/* Warps of a kernel with so many words of registers may come. False: no memory. */
bool sm_prepare(struct sm *sm, uint32_t reg_words);
/* Plays cycles up to until - 1, and says in wake when it next has to be. */
void sm_run(struct sm *sm, uint64_t until);
/* counts are of all cycles before now. */
void sm_settle(struct sm *sm);
/* Up to this cycle nothing happens. */
void sm_skip_to(struct sm *sm, uint64_t cycle);
/* The same, and these cycles are not counted. */
void sm_pass_to(struct sm *sm, uint64_t cycle);

/* ---- CTAs (sm_cta.c) ------------------------------------------------------------------------ */

/* How many CTAs of this kernel an SM without any holds; 0: it fits none. */
uint32_t sm_capacity(const struct wcp_sm_config *set, const struct wcp_kernel *k);
bool sm_fits(const struct sm *sm, const struct wcp_kernel *k);
void sm_begin_cta(struct sm *sm, struct feed_cta *feed, struct running *run);
/* The warp's next instruction is in the feed: takes it, or learns that there is none. */
void sm_next_insn(struct sm *sm, uint32_t slot);
/* Its last instruction, op or acknowledgement may just have gone. */
void sm_check_end(struct sm *sm, uint32_t slot);
void sm_barrier(struct sm *sm, uint32_t slot, uint32_t id, uint32_t warps, bool wait);
/* A warp of the CTA takes the first free slot from slot on: which. */
uint32_t sm_begin_warp(struct sm *sm, struct cta *c, uint32_t slot, uint32_t index);
/* A CTA comes, as it was but for its slots, which are to be given; and gives back what it held. */
struct cta *sm_take_room(struct sm *sm, const struct cta *cta);
void sm_leave(struct sm *sm, struct cta *c);
/* Those of the slots that wait, for each other or for kernels. */
void sm_hold_back(struct sm *sm, uint64_t slots);

/* ---- waiting for kernels (sm_wait.c) -------------------------------------------------------- */

/* The warp waits for what its CTA has launched. */
void sm_await(struct sm *sm, uint32_t slot);
/* Between windows: waits end, CTAs all of whose warps wait are saved, and come again. False: no
 * memory. */
bool sm_settle_waits(struct sm *sm);
void sm_drop_saved(struct sm *sm);

/* ---- stages --------------------------------------------------------------------------------- */

void sm_complete(struct sm *sm);
void sm_memory(struct sm *sm);
void sm_execute(struct sm *sm);
void sm_collect(struct sm *sm);
void sm_issue(struct sm *sm);
void sm_fetch(struct sm *sm);
/* Looks the line that holds an instruction up in the instruction cache: 1: it is there; 0: it will
 * come; negative: refused. */
int sm_fetch_line(struct sm *sm, uint32_t slot, uint32_t pc);

/* ---- shared memory as cache (sm_shared.c) --------------------------------------------------- */

enum shared_use {
	SHARED_NOT, /* L1D is to look it up */
	SHARED_HIT, /* it will be answered */
	SHARED_BUSY,
	SHARED_MIGRATES, /* L1D has it: an MSHR is to wait for the line, which moves */
};
bool sm_shared_init(struct sm *sm, struct wcp_error *e);
/* What CTAs leave has changed. */
void sm_shared_resize(struct sm *sm);
/* A request comes out of L1D's pipeline, on an SM that has the cache. */
enum shared_use sm_shared_access(struct sm *sm, uint32_t request);
/* L1D has taken a redirected request. */
void sm_shared_missed(struct sm *sm, uint32_t request, bool migrates, bool sent);
/* The line of a request has come, and L1D knows it. */
void sm_shared_fill(struct sm *sm, const struct request *r);
/* A line that moves takes a reply's turn; false: there is none. */
bool sm_shared_migrate(struct sm *sm);
void sm_shared_deliver(struct sm *sm);

/* The line of a request has come: false: its cache's port is busy, or there is no room for what it
 * writes back. */
bool sm_fill(struct sm *sm, uint32_t request);
void sm_request_done(struct sm *sm, uint32_t request);
/* The cache that a request goes to. */
struct wcp_nbcache *sm_home(const struct sm *sm, const struct request *r);
/* A line has left a cache: victim tags and policy are told. */
void sm_evicted(struct sm *sm, const struct wcp_nb_victim *v);

/* Counts n cycles in which no scheduler issues. */
void sm_count_idle(struct sm *sm, uint64_t n);

/* Bits of a slot that follow from its state; from that of its instruction buffer alone. */
void sm_refresh(struct sm *sm, uint32_t slot);
void sm_refresh_buffer(struct sm *sm, uint32_t slot);
/* The op's results are there. */
void sm_retire(struct sm *sm, uint32_t op);
static inline void
sm_retire_at(struct sm *sm, uint32_t op, uint64_t cycle)
{
	unsigned at = (unsigned)cycle % WHEEL;
	sm->op[op].next = sm->wheel[at];
	sm->wheel[at] = op;
	sm->wheel_bits[at / 64] |= 1ull << at % 64;
}

/* Is no register pending that the warp's next instruction reads or writes? */
static inline bool
registers_clear(const struct warp *w)
{
	const struct insn *in = w->insn;
	uint64_t pending = 0;
	for (unsigned i = 0; i < in->n_use; i++)
		pending |= w->pending[in->use[i].word] & in->use[i].mask;
	return !pending;
}

/* There is room for one more op. False: no memory. */
bool sm_more_ops(struct sm *sm);
static inline uint32_t
sm_op_new(struct sm *sm) /* NONE without memory */
{
	if (sm->free_op == NONE && !sm_more_ops(sm))
		return NONE;
	uint32_t n = sm->free_op;
	sm->free_op = sm->op[n].next;
	return n;
}

static inline uint64_t
bit(uint32_t slot)
{
	return 1ull << slot;
}

#endif

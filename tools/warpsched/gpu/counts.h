/* What the machine counts: warpsched(1) defines each. */
#ifndef WARPSCHED_COUNTS_H
#define WARPSCHED_COUNTS_H

#include <stdint.h>

/* What a scheduler's cycle was spent on; the first that holds. */
enum slot_use {
	SLOT_ISSUED,
	SLOT_UNIT,	/* a warp could issue, its unit had no room */
	SLOT_MEMORY,	/* the same, and the unit was the load/store unit */
	SLOT_THROTTLED, /* a warp could issue, the policy held it back */
	SLOT_SCOREBOARD,
	SLOT_BARRIER,
	SLOT_FETCH, /* no instruction in any buffer */
	SLOT_EMPTY, /* no warp */
	SLOT_COUNT
};
extern const char *const slot_use_text[SLOT_COUNT];

/* Why the head of the load/store unit stays there for a cycle. */
enum ldst_stall {
	LDST_COAL,   /* more transactions of the same instruction are to be sent */
	LDST_MSHR,   /* a cache refuses it, or one before it: no MSHR, none that merges more */
	LDST_LINE,   /* the same: every way of the set is reserved */
	LDST_ICNT,   /* the same: the miss queue is full, MSHRs are not */
	LDST_SHARED, /* bank conflicts of shared memory */
	LDST_COUNT
};
extern const char *const ldst_stall_text[LDST_COUNT];

/* Where a load's request to L2 spends its time. */
enum stage_name {
	STAGE_L1,      /* from being offered to the load/store unit to leaving L1D's look-up */
	STAGE_PORT,    /* in the miss queue and at the port */
	STAGE_REQUEST, /* in the network */
	STAGE_L2,      /* to leaving L2's look-up */
	STAGE_DRAM,    /* for what L2 misses: until L2 has it */
	STAGE_REPLY,   /* in the network */
	STAGE_WRITE,   /* until the registers have it */
	STAGE_COUNT
};
extern const char *const stage_text[STAGE_COUNT];

struct sm_counts {
	uint64_t warp_insns, thread_insns, mem_insns;
	uint64_t slot[SLOT_COUNT];
	uint64_t ldst[LDST_COUNT];
	uint64_t cycles_active; /* with a warp */
	/* loads of global and local memory: coherent, divergent */
	uint64_t loads[2], fully_cached[2];	       /* warp instructions */
	uint64_t accesses[2], latency[2], occluded[2]; /* of theirs that were answered; cycles */
	uint64_t stage[STAGE_COUNT], staged;	 /* cycles; requests that L1D sent on and got */
	uint64_t shared_insns, shared_conflicts; /* extra cycles */
	uint64_t requests, request_cycles;	 /* L1D loads answered, and from access to answer */
	uint64_t vta_hits; /* misses on lines that the warp lost to an eviction */
	uint64_t smem_hits, smem_misses, smem_merges, smem_migrations, smem_evictions;
	uint64_t double_copies; /* lines found in L1D and in shared memory at once: none */
	uint64_t releases;	/* warps that the policy held back while nothing else could go on */
	uint64_t ctas;
	uint64_t occupancy; /* resident warps, summed over active cycles */
	uint64_t active;    /* of those, the ones that the policy does not stall */
	uint64_t isolated;  /* of those, the ones whose loads it redirects */
};

struct slice_counts {
	uint64_t reads, writes;
};

#endif

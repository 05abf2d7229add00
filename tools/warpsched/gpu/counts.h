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
	LDST_MSHR,   /* the L1 cache refuses: MSHR, line, merge, or the line before it is full */
	LDST_ICNT,   /* the way to the network is full */
	LDST_SHARED, /* bank conflicts of shared memory */
	LDST_COUNT
};
extern const char *const ldst_stall_text[LDST_COUNT];

struct sm_counts {
	uint64_t warp_insns, thread_insns, mem_insns;
	uint64_t slot[SLOT_COUNT];
	uint64_t ldst[LDST_COUNT];
	uint64_t cycles_active; /* with a warp */
	uint64_t loads, load_lines, divergent_loads;
	uint64_t shared_insns, shared_conflicts; /* extra cycles */
	uint64_t requests, request_cycles;	 /* L1D loads answered, and from access to answer */
	uint64_t vta_hits; /* misses on lines that the warp lost to an eviction */
	uint64_t smem_hits, smem_misses, smem_merges, smem_migrations, smem_evictions;
	uint64_t double_copies; /* lines found in L1D and in shared memory at once: none */
	uint64_t releases;	/* warps that the policy held back while nothing else could go on */
	uint64_t ctas, warps;
	uint64_t occupancy; /* resident warps, summed over active cycles */
	uint64_t active;    /* of those, the ones that the policy does not stall */
};

struct slice_counts {
	uint64_t reads, writes;
};

#endif

/*
 * Scheduling policies: who may issue next on an SM, and where its memory accesses go. A policy is a
 * table of functions; the machine owns the state, which is one piece of zeroed memory an SM, and
 * tells the policy what happens. A policy answers by choosing among ready warps, by setting masks,
 * and by routing accesses; it never reaches into the machine.
 *
 * Warps are known by their slot on the SM (WID), 0 to 63; masks have bit s for slot s. Time is the
 * core clock. A machine that skips idle cycles calls the same functions in the same order as one
 * that does not: nothing is called in cycles in which nothing happens, but for advance, which a
 * policy asks for by wake.
 */
#ifndef WARPCAP_POLICY_H
#define WARPCAP_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/batch.h"
#include "warpcap/nbcache.h"
#include "warpcap/types.h"

#define WCP_POLICY_VERSION 3u
enum { WCP_SLOTS_MAX = 64, WCP_SCHEDULERS_MAX = 4 }; /* of an SM */
enum { WCP_POLICY_PARAMETERS_MAX = 16, WCP_POLICY_COSTS_MAX = 16 };
#define WCP_NO_SLOT 0xffu

/* What the policy may know before anything runs. */
struct wcp_policy_machine {
	uint32_t sms, slots, schedulers; /* of the GPU; per SM */
	uint32_t l1d_sets, l1d_ways, line_bytes, mshr_entries;
	uint32_t shared_bytes;
	uint64_t scheduler_slots[WCP_SLOTS_MAX]; /* [schedulers] slots each one issues from */
};

/* A resident warp. */
struct wcp_policy_warp {
	uint64_t age;	      /* order of arrival on the SM: the smallest is the oldest */
	uint64_t insns;	      /* warp instructions issued */
	uint32_t kernel, cta; /* id; linear index in the grid */
	uint16_t warp;	      /* index in the CTA */
};

/* An SM as its policy sees it. The first part is the machine's, to be read. */
struct wcp_policy_sm {
	uint64_t now;
	uint32_t number;
	uint64_t resident;  /* slots with a warp that has not ended */
	uint64_t barrier;   /* of resident: those that wait at a barrier, or for
				kernels that their CTA launched */
	uint64_t next_load; /* of resident: their next instruction loads global or local memory */
	uint64_t issued;    /* warp instructions on this SM since the kernel began */
	const struct wcp_policy_warp *warp; /* [slots] */
	/* Up to date in begin and advance, as far as messages take the time to tell: core cycles in
	 * which the reply ports of L2's slices and the data buses of DRAM were used since the
	 * start, the mean over all of them. What they grow by in a cycle is the share of bandwidth
	 * in use. */
	double l2_busy, dram_busy;
	uint32_t shared_blocks; /* lines that shared memory used as cache now holds at most */
	/* The policy's answers; all zero when the kernel begins. */
	uint64_t stalled;  /* may issue nothing */
	uint64_t no_load;  /* may issue no load of global or local memory */
	uint64_t bypass;   /* loads go around L1D */
	uint64_t isolated; /* loads go to shared memory used as cache, of a policy with one */
	uint64_t wake;	   /* cycle at which advance is called; 0: never. It is not called while the
			      SM has nothing to do or to wait for */
};

struct wcp_policy_access {
	uint64_t line; /* byte address */
	uint32_t pc;
	uint16_t lines; /* of its warp instruction, all together */
	uint8_t slot;
	uint8_t kind;	 /* enum wcp_access_kind */
	uint8_t space;	 /* enum wcp_space */
	uint8_t outcome; /* enum wcp_outcome; NONE in route */
	bool vta_hit;	 /* the line was in the victim tags of slot */
	uint8_t evictor; /* with vta_hit: the slot whose access had evicted it */
};

struct wcp_policy_parameter {
	const char *name, *help;
	double value, min, max; /* value: when not given */
};

/* A structure that the policy needs on each SM. */
struct wcp_policy_cost {
	const char *structure;
	uint64_t entries, bits; /* of one entry */
};

struct wcp_policy {
	uint32_t version; /* WCP_POLICY_VERSION */
	const char *name, *summary;
	const char *source;			      /* paper and section */
	const struct wcp_policy_parameter *parameter; /* ends with a NULL name; NULL: none */
	/* Victim tags of L1D that the machine is to keep for each slot: entries in sets of so many
	 * ways (0: all), FIFO; 0: none. A slot that is used again begins without. */
	uint32_t vta_entries, vta_ways;
	/* The machine is to use what resident CTAs leave of shared memory as a cache, for loads
	 * that are routed there (CIAO sec. IV-B, warpcap/smcache.h). */
	bool shared_cache;

	/* Bytes of state for an SM. NULL: none. */
	size_t (*state_bytes)(const struct wcp_policy_machine *m, const double *parameter);
	/* A kernel begins: state is zeroed memory, parameter in the order of the table. */
	void (*begin)(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_machine *m,
	    const double *parameter);
	/* Which of the ready slots (never empty; stalled ones are not among them) issues on this
	 * scheduler; WCP_NO_SLOT: none of them. Anything else ends the run with an error. */
	unsigned (*pick)(void *state, struct wcp_policy_sm *sm, unsigned scheduler, uint64_t ready);

	/* All of these may be NULL. */
	void (*warp_begin)(void *state, struct wcp_policy_sm *sm, unsigned slot);
	void (*warp_end)(void *state, struct wcp_policy_sm *sm, unsigned slot);
	/* Warps wait at a barrier that did not, or no longer do: barrier has changed. */
	void (*barrier)(void *state, struct wcp_policy_sm *sm);
	void (*issued)(void *state, struct wcp_policy_sm *sm, unsigned slot, uint32_t pc);
	/* Where an access of a load or store goes, of enum wcp_nb_route: LOOKUP, NO_PLACE, AROUND,
	 * TAGS, or with shared_cache REDIRECT for loads; anything else is LOOKUP. Asked once an
	 * access. NULL: loads as bypass and isolated say. */
	unsigned (*route)(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a);
	void (*accessed)(void *state, struct wcp_policy_sm *sm, const struct wcp_policy_access *a);
	void (*evicted)(
	    void *state, struct wcp_policy_sm *sm, uint64_t line, unsigned owner, unsigned evictor);
	void (*advance)(void *state, struct wcp_policy_sm *sm); /* at sm->wake, which is then 0 */
	/* The SM could issue nothing and had nothing in flight: the oldest warp that the policy
	 * held back has been taken out of stalled and no_load. A policy that again and again puts
	 * it back before anything has been issued ends the run with an error. */
	void (*released)(void *state, struct wcp_policy_sm *sm, unsigned slot);
	/* What it costs on each SM: writes up to WCP_POLICY_COSTS_MAX rows, returns how many. */
	unsigned (*cost)(const struct wcp_policy_machine *m, const double *parameter,
	    struct wcp_policy_cost *row);
};

/* The symbol that a shared object for warpsched -p ./mine.so defines. */
extern const struct wcp_policy warpcap_policy;

#endif

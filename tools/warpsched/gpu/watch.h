/*
 * Tables that are kept when asked for: which loads take MSHRs, by the age of the warp (OAWS Fig.
 * 4), and who evicts whose lines (CIAO Fig. 1a).
 */
#ifndef WARPSCHED_WATCH_H
#define WARPSCHED_WATCH_H

#include "gpu/config.h"
#include "unit.h"
#include "warpcap/policy.h"

struct sm;
struct request;
struct op;
struct wcp_nb_victim;

/* Of a load at a program counter by warps of an age: how many older warps the SM has. */
struct age_row {
	uint64_t loads, accesses, misses, merges;
};

struct watch {
	bool ages, interference; /* wanted */
	struct keys pc;
	struct age_row *row; /* [cap_pc][SLOTS_MAX] */
	uint32_t cap_pc;
	/* Misses of a slot on lines that an access of another had evicted, while their tags were
	 * among the last 8 that it lost: [slot][evictor], summed over SMs. */
	uint64_t (*lost)[SLOTS_MAX];
	bool failed; /* no memory */
};

bool watch_init(struct watch *w, bool ages, bool interference);
void watch_release(struct watch *w);
void watch_access(struct watch *w, struct sm *sm, const struct request *r, uint8_t outcome);
void watch_load(struct watch *w, const struct sm *sm, const struct op *op);
void watch_evicted(struct watch *w, struct sm *sm, const struct wcp_nb_victim *v);

#endif

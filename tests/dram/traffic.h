/* Random memories and traffic for the tests of the DRAM model; all from a seed. */
#ifndef DRAM_TRAFFIC_H
#define DRAM_TRAFFIC_H

#include "warpcap/dram.h"

uint64_t traffic_random(uint64_t *state);
/* below n; 0 if n is 0 */
uint32_t traffic_below(uint64_t *state, uint32_t n);
/* low to high, both included */
uint32_t traffic_range(uint64_t *state, uint32_t low, uint32_t high);

/* A memory that can be, most of the time; scheduler: one of wcp_dram_scheduler_table. */
struct wcp_dram_config traffic_config(uint64_t seed, const char *scheduler);
/* Any controller for the organisation and timing that c has. */
void traffic_controller(uint64_t *state, struct wcp_dram_config *c, const char *scheduler);

enum traffic_kind {
	TRAFFIC_SEQUENTIAL, /* rows one after the other */
	TRAFFIC_RANDOM,
	TRAFFIC_CONFLICT,  /* rows of one bank */
	TRAFFIC_FEW_ROWS,  /* two rows of each of a few banks */
	TRAFFIC_OWN_BANKS, /* each requester a bank and a row */
	TRAFFIC_RANKS,	   /* from rank to rank */
	TRAFFIC_COUNT
};

struct traffic {
	const struct wcp_dram_config *c;
	uint64_t state;
	enum traffic_kind kind;
	uint32_t channels, writes, gap, burst, longest; /* writes: per cent; burst: at a time */
	uint32_t left;					/* of the burst at hand */
	uint64_t now, count;
};
struct traffic traffic_new(const struct wcp_dram_config *c, uint64_t seed);
/* The next in order of arrival. */
struct wcp_dram_request traffic_next(struct traffic *t);

#endif

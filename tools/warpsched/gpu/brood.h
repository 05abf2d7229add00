/*
 * What a CTA has launched, and which of its warps wait for it. A wait is for what the CTA had
 * launched before, with all that came of that; tail launches come after the CTA's own grid, and are
 * not waited for.
 */
#ifndef WARPSCHED_BROOD_H
#define WARPSCHED_BROOD_H

#include <stdbool.h>
#include <stdint.h>

struct brood {
	bool held;	   /* its CTA has not ended */
	uint32_t launched; /* kernels, in order */
	uint32_t left;	   /* of those the ones not done with */
	uint32_t over;	   /* waits that have ended and were not told the SM */
	uint32_t n_warp;
	/* The n-th warp of the CTA waits for so many of the first so many; 0: it does not. */
	struct brood_wait {
		uint32_t left, of;
	} wait[];
};

/* NULL without memory. */
struct brood *brood_new(uint32_t n_warp);
/* Its CTA has ended. b may be NULL. */
void brood_drop(struct brood *b);
/* A kernel was launched: its number. */
uint32_t brood_add(struct brood *b);
/* That kernel is done with; true: a warp need not wait any more. b is gone if nobody has it. */
bool brood_done(struct brood *b, uint32_t number);
/* A warp begins to wait; false: there is nothing to wait for. */
bool brood_wait(struct brood *b, uint32_t warp);

#endif

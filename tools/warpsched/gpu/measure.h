/* What is measured of loads as they go through the load/store unit, L1D and the levels below. */
#ifndef WARPSCHED_MEASURE_H
#define WARPSCHED_MEASURE_H

#include "gpu/sm.h"

/* L1D, or shared memory as a cache, has taken the request. */
void measure_accepted(struct sm *sm, struct request *r, uint8_t outcome);
/* It is answered: registers have it. */
void measure_answered(struct sm *sm, const struct request *r);
/* All of an instruction's accesses are answered. */
void measure_load(struct sm *sm, const struct op *op);
/* Why the head of the unit stays: the cause of the last refusal of the cache, enum wcp_nb_fail. */
enum ldst_stall measure_refusal(const struct sm *sm, unsigned cache, unsigned fail);

#endif

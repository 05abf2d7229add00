#include "lanes.h"
#include "families.h"

/* The commonest first: decoding searches in this order. */
const struct lane_row *const LEVELED(lanes_families)[] = {LEVELED(lanes_int), LEVELED(lanes_logic),
    LEVELED(lanes_bits), LEVELED(lanes_move), LEVELED(lanes_compare), LEVELED(lanes_float),
    LEVELED(lanes_double), LEVELED(lanes_convert), LEVELED(lanes_shuffle), LEVELED(lanes_approx),
    LEVELED(lanes_carry), LEVELED(lanes_half), LEVELED(lanes_half_convert), LEVELED(lanes_eight),
    LEVELED(lanes_video), NULL};

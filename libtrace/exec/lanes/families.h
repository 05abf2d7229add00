/* The families of lane operations: one file and one table each. */
#ifndef EXEC_LANES_FAMILIES_H
#define EXEC_LANES_FAMILIES_H

#include "lanes.h"

extern const struct lane_row LEVELED(lanes_int)[];
extern const struct lane_row LEVELED(lanes_logic)[];
extern const struct lane_row LEVELED(lanes_bits)[];
extern const struct lane_row LEVELED(lanes_move)[];
extern const struct lane_row LEVELED(lanes_compare)[];
extern const struct lane_row LEVELED(lanes_float)[];
extern const struct lane_row LEVELED(lanes_double)[];
extern const struct lane_row LEVELED(lanes_convert)[];
extern const struct lane_row LEVELED(lanes_carry)[];
extern const struct lane_row LEVELED(lanes_shuffle)[];
extern const struct lane_row LEVELED(lanes_approx)[];
extern const struct lane_row LEVELED(lanes_half)[];
extern const struct lane_row LEVELED(lanes_half_convert)[];
extern const struct lane_row LEVELED(lanes_eight)[];
extern const struct lane_row LEVELED(lanes_video)[];

#endif

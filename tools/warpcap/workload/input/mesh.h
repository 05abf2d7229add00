/* Fields whose fine structure a mesh is refined for; the same for the same seed on every machine.
 */
#ifndef MESH_H
#define MESH_H

#include "../workload.h"

/*
 * Temperatures of burning gas, 0 cold to 1 burnt, on a square of side x side points, row by row:
 * kernels of burnt gas, circles that may overlap, each within a front that is thin beside it.
 * NULL after a failure.
 */
float *mesh_combustion(struct host *h, uint32_t side, uint32_t kernels);

#endif

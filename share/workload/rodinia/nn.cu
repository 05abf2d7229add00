/* Distances of all records from one place, as Rodinia does it: a thread a record of two floats, coalesced. */
#include "../device.h"

struct place {
	float latitude, longitude;
};

KERNEL
nn_distance(const struct place *place, float *distance, int records, float latitude, float longitude)
{
	int i = GRID_X * BLOCK_X * CTA_Y + GLOBAL_X;

	if (i >= records)
		return;
	float a = latitude - place[i].latitude, b = longitude - place[i].longitude;
	distance[i] = __nvvm_sqrt_rn_f(FMA(a, a, b * b));
}

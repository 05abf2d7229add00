#include <math.h>
#include "random.h"

/* Box and Muller, one of the pair. */
double
random_normal(uint64_t seed, uint64_t n)
{
	double u = 1 - random_unit(seed, 2 * n), v = random_unit(seed, 2 * n + 1);
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

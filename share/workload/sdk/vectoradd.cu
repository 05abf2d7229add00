/* c = a + b, a thread an element: three coalesced streams, no reuse. */
#include "../device.h"

KERNEL
vectoradd(const float *a, const float *b, float *c, int n)
{
	int i = GLOBAL_X;

	if (i < n)
		c[i] = a[i] + b[i];
}

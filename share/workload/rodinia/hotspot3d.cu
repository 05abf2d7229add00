/*
 * Heat in a stack of layers, as Rodinia does it: a thread a column of cells, which walks up the layers and keeps three of
 * them in registers; four neighbours come straight from memory, lanes side by side.
 */
#include "../device.h"

KERNEL
hotspot3d(const float *power, const float *from, float *to, int nx, int ny, int nz, float ce, float cn, float ct, float cc,
    float step)
{
	int i = GLOBAL_X, j = GLOBAL_Y, layer = nx * ny;

	if (i >= nx || j >= ny)
		return;
	int c = i + j * nx;
	int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1;
	int n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
	float below = from[c], here = below, above = nz > 1 ? from[c + layer] : here;
	ROLLED
	for (int k = 0; k < nz; k++) {
		float sum = FMA(cc, here, FMA(cn, from[s] + from[n], ce * (from[e] + from[w])));
		sum = FMA(ct, above + below, sum);
		to[c] = FMA(ct, 80.0f, FMA(step, power[c], sum));
		c += layer;
		w += layer;
		e += layer;
		n += layer;
		s += layer;
		below = here;
		here = above;
		if (k + 2 < nz)
			above = from[c + layer];
	}
}

/*
 * Finite differences in time, two dimensions, as PolyBench/GPU does it: three kernels a step, a thread a point, straight from
 * memory.  Rows of ex are one longer than those of the others, so that its lines and theirs part.
 */
#include "../device.h"

KERNEL
fdtd_ey(const float *source, float *ey, const float *hz, int nx, int ny, int t)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= nx || j >= ny)
		return;
	if (i == 0)
		ey[j] = source[t];
	else
		ey[i * ny + j] = FMA(-0.5f, hz[i * ny + j] - hz[(i - 1) * ny + j], ey[i * ny + j]);
}

KERNEL
fdtd_ex(float *ex, const float *hz, int nx, int ny)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= nx || j >= ny || j == 0)
		return;
	ex[i * (ny + 1) + j] = FMA(-0.5f, hz[i * ny + j] - hz[i * ny + j - 1], ex[i * (ny + 1) + j]);
}

KERNEL
fdtd_hz(const float *ex, const float *ey, float *hz, int nx, int ny)
{
	int j = GLOBAL_X, i = GLOBAL_Y;

	if (i >= nx || j >= ny)
		return;
	float curl = ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j];
	hz[i * ny + j] = FMA(-0.7f, curl, hz[i * ny + j]);
}

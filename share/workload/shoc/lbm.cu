/*
 * Flow through obstacles by lattice Boltzmann, 19 directions, as Parboil does it: a thread a cell, 19 arrays, each read
 * coalesced; what leaves a cell is written to its neighbours, so that stores cross lines in eight of the directions.
 */
#include "../device.h"

#define DIRECTIONS 19

KERNEL
lbm_step(const float *from, float *to, const unsigned char *solid, int nx, int ny, int nz)
{
	static const int dx[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
	static const int dy[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
	static const int dz[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
	static const int opposite[DIRECTIONS] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
	int x = TID_X, y = CTA_X, z = CTA_Y, cells = nx * ny * nz, cell = (z * ny + y) * nx + x;
	float f[DIRECTIONS], density = 0, ux = 0, uy = 0, uz = 0;

	UNROLLED
	for (int i = 0; i < DIRECTIONS; i++)
		f[i] = from[i * cells + cell];
	bool wall = solid[cell];
	if (!wall) {
		UNROLLED
		for (int i = 0; i < DIRECTIONS; i++) {
			density += f[i];
			ux += (float)dx[i] * f[i];
			uy += (float)dy[i] * f[i];
			uz += (float)dz[i] * f[i];
		}
		ux /= density;
		uy /= density;
		uz /= density;
		float square = 1.5f * (ux * ux + uy * uy + uz * uz);
		UNROLLED
		for (int i = 0; i < DIRECTIONS; i++) {
			float weight = i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
			float along = 3.0f * ((float)dx[i] * ux + (float)dy[i] * uy + (float)dz[i] * uz);
			float rest = weight * density * (1.0f + along + 0.5f * along * along - square);
			f[i] = FMA(1.95f, rest - f[i], f[i]);
		}
	}
	UNROLLED
	for (int i = 0; i < DIRECTIONS; i++) {
		int d = wall ? opposite[i] : i;
		int tx = x + (wall ? -dx[i] : dx[i]), ty = y + (wall ? -dy[i] : dy[i]), tz = z + (wall ? -dz[i] : dz[i]);
		tx = tx < 0 ? nx - 1 : tx == nx ? 0 : tx;
		ty = ty < 0 ? ny - 1 : ty == ny ? 0 : ty;
		tz = tz < 0 ? nz - 1 : tz == nz ? 0 : tz;
		to[d * cells + (tz * ny + ty) * nx + tx] = f[i];
	}
}

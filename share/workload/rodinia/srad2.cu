/*
 * Speckle-reducing anisotropic diffusion of an image, as Rodinia's second version does it: two kernels an iteration, CTAs of
 * 16 x 16 pixels in shared memory, with what lies north, south, west and east of the tile in arrays of their own.
 */
#include "../device.h"

#define SIDE 16

SHARED float tile[SIDE][SIDE], north_tile[SIDE][SIDE], south_tile[SIDE][SIDE], west_tile[SIDE][SIDE], east_tile[SIDE][SIDE],
    result[SIDE][SIDE];

KERNEL
srad2_coefficients(float *e, float *w, float *n, float *s, const float *image, float *c, int columns, int rows, float q0)
{
	int x = TID_X, y = TID_Y, bx = CTA_X, by = CTA_Y;
	int corner = columns * SIDE * by + SIDE * bx, at = corner + columns * y + x;
	int north = by == 0 ? SIDE * bx + x : corner + x - columns;
	int south = by == GRID_Y - 1 ? columns * SIDE * by + SIDE * bx + columns * (SIDE - 1) + x : corner + columns * SIDE + x;
	int west = bx == 0 ? columns * SIDE * by + columns * y : corner + columns * y - 1;
	int east = bx == GRID_X - 1 ? corner + columns * y + SIDE - 1 : corner + columns * y + SIDE;

	north_tile[y][x] = image[north];
	south_tile[y][x] = image[south];
	west_tile[y][x] = image[west];
	east_tile[y][x] = image[east];
	BARRIER;
	tile[y][x] = image[at];
	BARRIER;
	float here = tile[y][x];
	float dn = (y == 0 ? north_tile[y][x] : tile[y - 1][x]) - here;
	float ds = (y == SIDE - 1 ? south_tile[y][x] : tile[y + 1][x]) - here;
	float dw = (x == 0 ? west_tile[y][x] : tile[y][x - 1]) - here;
	float de = (x == SIDE - 1 ? east_tile[y][x] : tile[y][x + 1]) - here;
	float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
	float l = (dn + ds + dw + de) / here;
	float numerator = 0.5f * g2 - 0.0625f * (l * l), denominator = 1 + 0.25f * l;
	float q = numerator / (denominator * denominator);
	float value = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
	result[y][x] = value < 0 ? 0 : value > 1 ? 1 : value;
	BARRIER;
	c[at] = result[y][x];
	e[at] = de;
	w[at] = dw;
	s[at] = ds;
	n[at] = dn;
}

KERNEL
srad2_diffuse(const float *e, const float *w, const float *n, const float *s, float *image, const float *c, int columns, int rows,
    float lambda)
{
	int x = TID_X, y = TID_Y, bx = CTA_X, by = CTA_Y;
	int corner = columns * SIDE * by + SIDE * bx, at = corner + columns * y + x;
	int south = by == GRID_Y - 1 ? corner + columns * (SIDE - 1) + x : corner + columns * SIDE + x;
	int east = bx == GRID_X - 1 ? corner + columns * y + SIDE - 1 : corner + columns * y + SIDE;

	tile[y][x] = image[at];
	BARRIER;
	south_tile[y][x] = c[south];
	BARRIER;
	east_tile[y][x] = c[east];
	BARRIER;
	north_tile[y][x] = c[at];
	BARRIER;
	float cn = north_tile[y][x], cw = cn;
	float cs = y == SIDE - 1 ? south_tile[y][x] : north_tile[y + 1][x];
	float ce = x == SIDE - 1 ? east_tile[y][x] : north_tile[y][x + 1];
	float d = cn * n[at] + cs * s[at] + cw * w[at] + ce * e[at];
	result[y][x] = tile[y][x] + 0.25f * lambda * d;
	BARRIER;
	image[at] = result[y][x];
}

/*
 * The Mandelbrot set by subdivision of squares (Mariani and Silver), a thread a square.  It counts the iterations of the
 * points along the square's border: are they all alike, the square is filled with that number; else its four quarters
 * are looked at likewise, down to squares of LEAF points a side, which are computed point by point.  Squares of more than
 * THRESHOLD points a side are a child kernel's, with a thread a quarter, which launches kernels in turn (Tang's type II:
 * kernels nest); smaller ones the thread goes through itself, in the same order, without a stack.  Points cost up to ITERATIONS
 * steps each and write one number: much arithmetic, little memory, threads of a warp far apart in what they do.
 */
#include "quarters.h"

struct picture {
	int *count;		/* [side][side] */
	float left, top, pitch; /* of the point (0, 0), and from one to the next */
	int side, leaf, iterations;
};

DEVICE int
count_at(const struct picture &p, int x, int y)
{
	float re = p.left + (float)x * p.pitch, im = p.top + (float)y * p.pitch, a = re, b = im;
	int n = 0;

	ROLLED
	while (n < p.iterations && a * a + b * b <= 4.0f) {
		float real = a * a - b * b + re;
		b = 2.0f * a * b + im;
		a = real;
		n++;
	}
	return n;
}

/* The iterations that all points on the border take, -1: they differ. */
DEVICE int
border(const struct picture &p, int x, int y, int side)
{
	int common = count_at(p, x, y);

	ROLLED
	for (int k = 1; k < 4 * (side - 1); k++) {
		int along = k % (side - 1), edge = k / (side - 1);
		int dx = edge == 0 ? along : edge == 1 ? side - 1 : edge == 2 ? side - 1 - along : 0;
		int dy = edge == 0 ? 0 : edge == 1 ? along : edge == 2 ? side - 1 : side - 1 - along;
		if (count_at(p, x + dx, y + dy) != common)
			return -1;
	}
	return common;
}

/* Every point of a square: common, or, if that is -1, its own. */
DEVICE void
draw(const struct picture &p, int x, int y, int side, int common)
{
	ROLLED
	for (int k = 0; k < side * side; k++) {
		int px = x + k % side, py = y + k / side;
		p.count[py * p.side + px] = common < 0 ? count_at(p, px, py) : common;
	}
}

/* Draws a square, if its border is alike or it is a leaf. */
DEVICE bool
finish(const struct picture &p, int x, int y, int side)
{
	int common = border(p, x, y, side);

	if (common < 0 && side > p.leaf)
		return false;
	draw(p, x, y, side, common);
	return true;
}

template <enum form F> DEVICE void look_at(const struct picture &p, int x, int y, int side, int threshold);

/* A thread a quarter. */
KERNEL
mandel_quarters_child(struct picture p, int x, int y, int side, int threshold)
{
	look_at<CHILD>(p, x + (TID_X & 1) * side, y + (TID_X >> 1) * side, side, threshold);
}

KERNEL
mandel_quarters_fallback(struct picture p, int x, int y, int side, int threshold)
{
	look_at<FALLBACK>(p, x + (TID_X & 1) * side, y + (TID_X >> 1) * side, side, threshold);
}

template <enum form F>
DEVICE void
look_at(const struct picture &p, int x, int y, int side, int threshold)
{
	if (finish(p, x, y, side))
		return;
	if (F == CHILD && handed_over<F>(side, threshold, ENTRY(mandel_quarters_child), 1, 4, p, x, y, side / 2, threshold))
		return;
	if (F == FALLBACK && handed_over<F>(side, threshold, ENTRY(mandel_quarters_fallback), 1, 4, p, x, y, side / 2, threshold))
		return;
	divide(x, y, side, p.leaf, [&](int left, int top, int size) { return finish(p, left, top, size); });
}

/* A thread a square of the picture. */
template <enum form F>
DEVICE void
look_at_all(const struct picture &p, int square, int threshold)
{
	int row = p.side / square, k = GLOBAL_X;

	if (k < row * row)
		look_at<F>(p, k % row * square, k / row * square, square, threshold);
}

KERNEL
mandel_flat(struct picture p, int square, int threshold)
{
	look_at_all<FLAT>(p, square, threshold);
}

KERNEL
mandel_child(struct picture p, int square, int threshold)
{
	look_at_all<CHILD>(p, square, threshold);
}

KERNEL
mandel_fallback(struct picture p, int square, int threshold)
{
	look_at_all<FALLBACK>(p, square, threshold);
}

/*
 * The Mandelbrot set by subdivision of squares (Mariani and Silver), a thread a square.  It counts the iterations of the
 * points along the square's border: are they all alike, the square is filled with that number; else its four quarters
 * are looked at likewise, down to squares of LEAF points a side, which are computed point by point.  Squares of more than
 * THRESHOLD points a side are a child kernel's, with a thread a quarter, which launches kernels in turn (Tang's type II:
 * kernels nest); smaller ones the thread goes through itself, in the same order, without a stack.  Points cost up to ITERATIONS
 * steps each and write one number: much arithmetic, little memory, threads of a warp far apart in what they do.
 */
#include "../launch.h"

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

/* Every second bit of n. */
DEVICE int
even_bits(int n)
{
	int x = 0;

	ROLLED
	for (int k = 0; k < 15; k++)
		x |= (n >> 2 * k & 1) << k;
	return x;
}

/*
 * A square whose border is not alike, without help: its leaves in the order of quarters within quarters.  What ends
 * before a leaf ends with all of its squares; so the squares to try at a leaf are those that begin with it, the largest
 * first, and the square itself only once.
 */
DEVICE void
divide(const struct picture &p, int x, int y, int side)
{
	int leaves = (side / p.leaf) * (side / p.leaf), at = 0;

	ROLLED
	while (at < leaves) {
		int size = side / 2, common = -1;
		while (at & (size / p.leaf * (size / p.leaf) - 1))
			size /= 2;
		int left = x + even_bits(at) * p.leaf, top = y + even_bits(at >> 1) * p.leaf;
		ROLLED
		while ((common = border(p, left, top, size)) < 0 && size > p.leaf)
			size /= 2;
		draw(p, left, top, size, common);
		at += size / p.leaf * (size / p.leaf);
	}
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
	int common = border(p, x, y, side);

	if (common >= 0 || side <= p.leaf) {
		draw(p, x, y, side, common);
		return;
	}
	if (F == CHILD && handed_over<F>(side, threshold, ENTRY(mandel_quarters_child), 1, 4, p, x, y, side / 2, threshold))
		return;
	if (F == FALLBACK && handed_over<F>(side, threshold, ENTRY(mandel_quarters_fallback), 1, 4, p, x, y, side / 2, threshold))
		return;
	divide(p, x, y, side);
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

/*
 * Squares whose quarters, and theirs in turn, are looked at alike, down to squares of leaf points a
 * side.
 */
#ifndef QUARTERS_H
#define QUARTERS_H

#include "../launch.h"

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
 * All below a square that is divided, by one thread and without a stack: its leaves in the order of
 * quarters within quarters.  What ends before a leaf ends with all of its squares; so the squares
 * to try at a leaf are those that begin with it, the largest first, and the square itself only
 * once.  finish(x, y, side) says whether it has done the square; it does every leaf.
 */
template <typename Finish>
DEVICE void
divide(int x, int y, int side, int leaf, Finish finish)
{
	int leaves = (side / leaf) * (side / leaf), at = 0;

	ROLLED
	while (at < leaves) {
		int size = side / 2;
		while (at & (size / leaf * (size / leaf) - 1))
			size /= 2;
		int left = x + even_bits(at) * leaf, top = y + even_bits(at >> 1) * leaf;
		ROLLED
		while (!finish(left, top, size))
			size /= 2;
		at += size / leaf * (size / leaf);
	}
}

#endif

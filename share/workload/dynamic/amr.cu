/*
 * Adaptive mesh refinement of burning gas, a thread a cell of the coarsest mesh.  It takes the mean and the span of the
 * temperatures at up to SAMPLES x SAMPLES points spread over its cell: is the span more than STEEP, the cell is divided
 * into quarters, which are looked at likewise, down to cells of LEAF points a side; else the gas in it burns for STEPS
 * steps, and twice as many of half the length with each level down (Zeldovich's rate, T^2 (1 - T); the part of a split step
 * in which nothing flows between cells).  Cells of more than THRESHOLD points a side are a child kernel's, with a
 * thread a quarter, which launches kernels in turn (Tang's type II: kernels nest); smaller ones the thread goes through itself,
 * in the same order, without a stack.  Fronts are thin, so that few cells are deep and those take most of the steps: much
 * arithmetic, reads that are strided in large cells and dense in small ones, and nothing read again but by the cells below.
 */
#include "quarters.h"

struct mesh {
	const float *before; /* temperatures, [side][side] */
	float *after;	     /* of the cell that begins at a leaf, [side / leaf][side / leaf] */
	int *size;	     /* points a side of that cell; 0: none begins there */
	int side, square, leaf, samples, steps;
	float steep, pace; /* pace: length of a step in the coarsest mesh */
};

struct state {
	float mean, span;
};

DEVICE struct state
sample(const struct mesh &m, int x, int y, int side)
{
	int points = side < m.samples ? side : m.samples, apart = side / points;
	const float *first = m.before + (long)(y + apart / 2) * m.side + x + apart / 2;
	float sum = 0, low = *first, high = low;

	ROLLED
	for (int k = 0; k < points * points; k++) {
		float t = first[(long)(k / points * apart) * m.side + k % points * apart];
		sum += t;
		low = t < low ? t : low;
		high = t > high ? t : high;
	}
	return {sum / (float)(points * points), high - low};
}

DEVICE float
burn(const struct mesh &m, float t, int side)
{
	int finer = m.square / side;
	float pace = m.pace / (float)finer;

	ROLLED
	for (int k = 0; k < m.steps * finer; k++)
		t += pace * (t * t * (1.0f - t));
	return t;
}

/* Burns a cell, if it is not to be divided. */
DEVICE bool
finish(const struct mesh &m, int x, int y, int side)
{
	struct state s = sample(m, x, y, side);

	if (s.span > m.steep && side > m.leaf)
		return false;
	long at = (long)(y / m.leaf) * (m.side / m.leaf) + x / m.leaf;
	m.after[at] = burn(m, s.mean, side);
	m.size[at] = side;
	return true;
}

template <enum form F> DEVICE void look_at(const struct mesh &m, int x, int y, int side, int threshold);

/* A thread a quarter. */
KERNEL
amr_quarters_child(struct mesh m, int x, int y, int side, int threshold)
{
	look_at<CHILD>(m, x + (TID_X & 1) * side, y + (TID_X >> 1) * side, side, threshold);
}

KERNEL
amr_quarters_fallback(struct mesh m, int x, int y, int side, int threshold)
{
	look_at<FALLBACK>(m, x + (TID_X & 1) * side, y + (TID_X >> 1) * side, side, threshold);
}

template <enum form F>
DEVICE void
look_at(const struct mesh &m, int x, int y, int side, int threshold)
{
	if (finish(m, x, y, side))
		return;
	if (F == CHILD && handed_over<F>(side, threshold, ENTRY(amr_quarters_child), 1, 4, m, x, y, side / 2, threshold))
		return;
	if (F == FALLBACK && handed_over<F>(side, threshold, ENTRY(amr_quarters_fallback), 1, 4, m, x, y, side / 2, threshold))
		return;
	divide(x, y, side, m.leaf, [&](int left, int top, int size) { return finish(m, left, top, size); });
}

/* A thread a cell of the coarsest mesh. */
template <enum form F>
DEVICE void
look_at_all(const struct mesh &m, int threshold)
{
	int row = m.side / m.square, k = GLOBAL_X;

	if (k < row * row)
		look_at<F>(m, k % row * m.square, k / row * m.square, m.square, threshold);
}

KERNEL
amr_flat(struct mesh m, int threshold)
{
	look_at_all<FLAT>(m, threshold);
}

KERNEL
amr_child(struct mesh m, int threshold)
{
	look_at_all<CHILD>(m, threshold);
}

KERNEL
amr_fallback(struct mesh m, int threshold)
{
	look_at_all<FALLBACK>(m, threshold);
}

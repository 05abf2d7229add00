/*
 * C = A B, A sparse in compressed rows, B sparse in compressed columns, C dense; a row of C is a parent thread's or a child
 * kernel's.  A row of A with up to THRESHOLD entries is multiplied with column after column of B by its thread, one with
 * more by a child kernel with a thread a column (Tang's type I: one launch by the host, children without children of their
 * own).  An element walks along a row and a column as both ascend, so what a thread does depends on the lengths of both;
 * the children share B.  With as many entries a row as there are columns the matrices are dense.
 */
#include "../launch.h"

struct product {
	const int *a_row, *a_column; /* [rows + 1], [a_row[rows]] */
	const float *a_value;
	const int *b_column, *b_row; /* [columns + 1], [b_column[columns]] */
	const float *b_value;
	float *c; /* [rows][columns] */
	int rows, columns;
};

DEVICE void
element(const struct product &p, int i, int j)
{
	int a = p.a_row[i], a_end = p.a_row[i + 1], b = p.b_column[j], b_end = p.b_column[j + 1];
	float sum = 0;

	ROLLED
	while (a < a_end && b < b_end) {
		int k = p.a_column[a], l = p.b_row[b];
		if (k == l)
			sum = FMA(p.a_value[a], p.b_value[b], sum);
		a += k <= l;
		b += l <= k;
	}
	p.c[(long)i * p.columns + j] = sum;
}

/* A thread a column of B. */
KERNEL
spmm_columns(struct product p, int i)
{
	int j = GLOBAL_X;

	if (j < p.columns)
		element(p, i, j);
}

template <enum form F>
DEVICE void
rows(const struct product &p, int threshold)
{
	int i = GLOBAL_X;

	if (i >= p.rows)
		return;
	int entries = p.a_row[i + 1] - p.a_row[i];
	if (handed_over<F>(entries, threshold, ENTRY(spmm_columns), (p.columns + 63) / 64, 64, p, i))
		return;
	ROLLED
	for (int j = 0; j < p.columns; j++)
		element(p, i, j);
}

KERNEL
spmm_rows_flat(struct product p, int threshold)
{
	rows<FLAT>(p, threshold);
}

KERNEL
spmm_rows_child(struct product p, int threshold)
{
	rows<CHILD>(p, threshold);
}

KERNEL
spmm_rows_fallback(struct product p, int threshold)
{
	rows<FALLBACK>(p, threshold);
}

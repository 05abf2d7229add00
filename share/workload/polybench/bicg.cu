/*
 * s = A'r and q = Ap, the kernel of the biconjugate gradient method, as PolyBench/GPU does it.  Kernel 1: a thread a column,
 * coalesced.  Kernel 2: a thread a row, lanes a row apart, each load of A 32 lines that the same threads want again in the
 * next iterations.  Sums live in memory.
 */
#include "../device.h"

KERNEL
bicg_kernel1(const float *A, const float *r, float *s, int m, int n)
{
	int j = GLOBAL_X;

	if (j >= n)
		return;
	s[j] = 0;
	ROLLED
	for (int i = 0; i < m; i++)
		s[j] = FMA(A[i * n + j], r[i], s[j]);
}

KERNEL
bicg_kernel2(const float *A, const float *p, float *q, int m, int n)
{
	int i = GLOBAL_X;

	if (i >= m)
		return;
	q[i] = 0;
	ROLLED
	for (int j = 0; j < n; j++)
		q[i] = FMA(A[i * n + j], p[j], q[i]);
}

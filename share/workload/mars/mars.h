/*
 * MapReduce in the stages of Mars (He et al., PACT 2008): a map that counts what each record will
 * emit, a scan of the counts, a map that emits to where the scan says, a bitonic sort that groups
 * equal keys, a reduction with a thread a group.
 */
#ifndef MARS_H
#define MARS_H

#include "../device.h"

typedef unsigned long long pair; /* key in the high half, value in the low */

#define PAIR(key, value) ((pair)(unsigned)(key) << 32 | (unsigned)(value))
#define KEY(p)		 ((unsigned)((p) >> 32))

#define SCAN_BLOCK 128

SHARED int scan_cell[2][SCAN_BLOCK];

/* The sum of a CTA's values up to and with this thread's. */
DEVICE int
scan_cta(int value)
{
	int from = 0;

	scan_cell[0][TID_X] = value;
	BARRIER;
	ROLLED
	for (int step = 1; step < SCAN_BLOCK; step *= 2, from = !from) {
		int sum = scan_cell[from][TID_X];
		if (TID_X >= step)
			sum += scan_cell[from][TID_X - step];
		scan_cell[!from][TID_X] = sum;
		BARRIER;
	}
	return scan_cell[from][TID_X];
}

KERNEL
mars_scan(const int *count, int *position, int *total, int n)
{
	int i = GLOBAL_X, own = i < n ? count[i] : 0;

	int sum = scan_cta(own);
	if (i < n)
		position[i] = sum - own;
	if (TID_X == SCAN_BLOCK - 1)
		total[CTA_X] = sum;
}

/* One CTA: totals become the sums of those before, the sum of all goes behind them. */
KERNEL
mars_scan_totals(int *total, int ctas)
{
	int carry = 0;

	ROLLED
	for (int from = 0; from < ctas; from += SCAN_BLOCK) {
		int i = from + TID_X, own = i < ctas ? total[i] : 0;
		int sum = scan_cta(own);
		int all = scan_cell[1][SCAN_BLOCK - 1]; /* seven steps end in the second row */
		if (i < ctas)
			total[i] = carry + sum - own;
		carry += all;
		BARRIER;
	}
	if (TID_X == 0)
		total[ctas] = carry;
}

KERNEL
mars_scan_add(int *position, const int *total, int n)
{
	int i = GLOBAL_X;

	if (i < n)
		position[i] += total[CTA_X];
}

DEVICE bool
wrong_way(pair low, pair high, int i, int run)
{
	return (low > high) == ((i & run) == 0);
}

/* One step of the bitonic network: partners a distance apart, in runs that ascend and descend in
 * turn; a thread a pair of partners. */
KERNEL
mars_sort_step(pair *p, int distance, int run)
{
	int t = GLOBAL_X, i = 2 * t - (t & (distance - 1));

	pair low = p[i], high = p[i + distance];
	if (wrong_way(low, high, i, run)) {
		p[i] = high;
		p[i + distance] = low;
	}
}

/* The reduction that counts: the first record of each group of equal keys walks over the group. */
KERNEL
mars_count_groups(const pair *p, int *count, int n)
{
	int i = GLOBAL_X;

	if (i >= n)
		return;
	int length = 0;
	if (i == 0 || KEY(p[i - 1]) != KEY(p[i])) {
		unsigned key = KEY(p[i]);
		ROLLED
		do
			length++;
		while (i + length < n && KEY(p[i + length]) == key);
	}
	count[i] = length;
}

#endif

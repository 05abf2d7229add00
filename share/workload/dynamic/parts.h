/*
 * Sorting by parts, a CTA a part: it splits the part in two, hands those of the two that are long
 * enough to child kernels, and sorts the others itself.
 */
#ifndef PARTS_H
#define PARTS_H

#include "../launch.h"

enum { PART_THREADS = 128, PARTS_WAITING = 64, DEEPEST = 24 };

/* digit: what a sort by digits splits by next. */
struct part {
	int first, keys, digit;
};

struct sort {
	int *key, *spare; /* [n] */
	int threshold;
};

typedef void (*sort_kernel)(struct sort s, struct part p, int depth);

/* Known outside of this file, or the compiler would take it that no other thread writes them. */
__attribute__((shared)) int below_until[PART_THREADS];
__attribute__((shared)) struct part waiting[PARTS_WAITING];
__attribute__((shared)) int n_waiting;

/* Of the part's keys those below come first; returns how many those are.  A thread reads and writes
 * every 128th key, so that reads are coalesced and writes are not. */
template <typename Below>
DEVICE int
split(const struct sort &s, const struct part &p, Below below)
{
	int end = p.first + p.keys, mine = 0;

	ROLLED
	for (int k = p.first + TID_X; k < end; k += PART_THREADS)
		mine += below(s.key[k]);
	below_until[TID_X] = mine;
	BARRIER;
	ROLLED
	for (int step = 1; step < PART_THREADS; step *= 2) {
		int more = TID_X >= step ? below_until[TID_X - step] : 0;
		BARRIER;
		below_until[TID_X] += more;
		BARRIER;
	}
	int all = below_until[PART_THREADS - 1], before = below_until[TID_X] - mine;
	int rest = p.keys % PART_THREADS,
	    keys_before = TID_X * (p.keys / PART_THREADS) + (TID_X < rest ? TID_X : rest);
	int low = p.first + before, high = p.first + all + keys_before - before;
	ROLLED
	for (int k = p.first + TID_X; k < end; k += PART_THREADS) {
		int key = s.key[k];
		s.spare[below(key) ? low++ : high++] = key;
	}
	BARRIER;
	ROLLED
	for (int k = p.first + TID_X; k < end; k += PART_THREADS)
		s.key[k] = s.spare[k];
	BARRIER;
	return all;
}

/* Bubble sort as a CTA does it: pairs of neighbours, those that begin at even and at odd places in
 * turn. */
DEVICE void
bubble(const struct sort &s, const struct part &p)
{
	ROLLED
	for (int turn = 0; turn < p.keys; turn++) {
		int *key = s.key + p.first;
		ROLLED
		for (int k = 2 * TID_X + turn % 2; k + 1 < p.keys; k += 2 * PART_THREADS) {
			int left = key[k], right = key[k + 1];
			if (left > right) {
				key[k] = right;
				key[k + 1] = left;
			}
		}
		BARRIER;
	}
}

/* By thread 0: a part that is a child kernel's, or waits for this CTA. */
template <enum form F>
DEVICE void
pass_on(const struct sort &s, const struct part &p, int depth, sort_kernel self)
{
	if (p.keys > 1 &&
	    !handed_over<F>(p.keys, s.threshold, self, 1, PART_THREADS, s, p, depth + 1))
		waiting[n_waiting++] = p;
}

/* The shorter one last, to be taken next: so no more wait than a count of keys has bits. */
template <enum form F>
DEVICE void
pass_on_both(const struct sort &s, struct part a, struct part b, int depth, sort_kernel self)
{
	bool exchange = a.keys < b.keys;
	struct part longer = {exchange ? b.first : a.first, exchange ? b.keys : a.keys, a.digit};
	struct part shorter = {exchange ? a.first : b.first, exchange ? a.keys : b.keys, a.digit};

	if (TID_X == 0) {
		pass_on<F>(s, longer, depth, self);
		pass_on<F>(s, shorter, depth, self);
	}
	BARRIER;
}

/* Sorts a part: divide(part) splits it and passes on what remains. */
template <enum form F, typename Divide>
DEVICE void
sort_parts(const struct sort &s, const struct part &whole, int depth, Divide divide)
{
	if (TID_X == 0) {
		waiting[0] = whole;
		n_waiting = 1;
	}
	BARRIER;
	ROLLED
	while (n_waiting > 0) {
		struct part p = waiting[n_waiting - 1];
		BARRIER;
		if (TID_X == 0)
			n_waiting--;
		BARRIER;
		if (p.keys <= s.threshold || p.keys < 2 || (F == CHILD && depth == DEEPEST))
			bubble(s, p);
		else
			divide(p);
	}
}

#endif

/*
 * Quicksort, a CTA a part of the keys: it splits the part by the median of three keys, and those of the two sides that
 * have more than THRESHOLD keys are child kernels' of one CTA, which do the same (Tang's type II: launches nest, up to 24
 * deep).  Sides up to THRESHOLD, and at the greatest depth all, are bubble sorted by the CTA.  Flat, and where a launch is
 * refused, the CTA keeps a list of parts in shared memory and splits them itself.  Parent and child share the child's
 * keys, siblings nothing.
 */
#include "parts.h"

DEVICE int
median(int a, int b, int c)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* If no key is below the median, it is the least, and all that equal it are in place once they come first. */
template <enum form F>
DEVICE void
divide(const struct sort &s, const struct part &p, int depth, sort_kernel self)
{
	int end = p.first + p.keys, pivot = median(s.key[p.first], s.key[p.first + p.keys / 2], s.key[end - 1]);
	int below = split(s, p, [pivot](int key) { return key < pivot; });
	int left = below;

	if (below == 0)
		below = split(s, p, [pivot](int key) { return key <= pivot; });
	pass_on_both<F>(s, {p.first, left, 0}, {p.first + below, p.keys - below, 0}, depth, self);
}

template <enum form F>
DEVICE void
quicksort(const struct sort &s, const struct part &whole, int depth, sort_kernel self)
{
	sort_parts<F>(s, whole, depth, [&s, depth, self](const struct part &p) { divide<F>(s, p, depth, self); });
}

KERNEL
quicksort_flat(struct sort s, struct part p, int depth)
{
	quicksort<FLAT>(s, p, depth, 0);
}

KERNEL
quicksort_child(struct sort s, struct part p, int depth)
{
	quicksort<CHILD>(s, p, depth, ENTRY(quicksort_child));
}

KERNEL
quicksort_fallback(struct sort s, struct part p, int depth)
{
	quicksort<FALLBACK>(s, p, depth, ENTRY(quicksort_fallback));
}

/*
 * Radix sort from the highest bit down, a CTA a part of the keys: it splits the part by a bit, and those of the two sides
 * that have more than THRESHOLD keys are child kernels' of one CTA, which split by the next bit (Tang's type II: launches
 * nest, up to 24 deep).  Sides up to THRESHOLD, and at the greatest depth all, are bubble sorted by the CTA.  Flat, and where
 * a launch is refused, the CTA keeps a list of parts in shared memory and splits them itself.  Where many keys begin with
 * the same bits, a chain of children splits one long part to little effect.
 */
#include "parts.h"

/* Below bit 0 there is nothing left to sort by. */
template <enum form F>
DEVICE void
divide(const struct sort &s, const struct part &p, int depth, sort_kernel self)
{
	int bit = p.digit;
	int zeros = split(s, p, [bit](int key) { return !(key >> bit & 1); });

	if (bit > 0)
		pass_on_both<F>(
		    s, {p.first, zeros, bit - 1}, {p.first + zeros, p.keys - zeros, bit - 1}, depth, self);
}

template <enum form F>
DEVICE void
radixsort(const struct sort &s, const struct part &whole, int depth, sort_kernel self)
{
	sort_parts<F>(s, whole, depth, [&s, depth, self](const struct part &p) { divide<F>(s, p, depth, self); });
}

KERNEL
radixsort_flat(struct sort s, struct part p, int depth)
{
	radixsort<FLAT>(s, p, depth, 0);
}

KERNEL
radixsort_child(struct sort s, struct part p, int depth)
{
	radixsort<CHILD>(s, p, depth, ENTRY(radixsort_child));
}

KERNEL
radixsort_fallback(struct sort s, struct part p, int depth)
{
	radixsort<FALLBACK>(s, p, depth, ENTRY(radixsort_fallback));
}

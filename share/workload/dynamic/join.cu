/*
 * Inner join of two relations that are sorted by key, buckets of keys joined by a thread each or by a child kernel.  A
 * parent thread searches both relations for its bucket's tuples; up to THRESHOLD tuples of the first relation it joins
 * itself, one after the other, more go to a child kernel with a thread a tuple.  A tuple is searched for in the second
 * relation's part of the bucket and paired with all of its key, at places drawn from one counter.  The host then launches
 * the barrier kernel, which says whether there was room for all pairs; if not, the host makes more and begins again
 * (Tang's type I).  With uniform keys buckets are alike, with Gaussian ones a few in the middle hold most tuples, and
 * most matches a tuple.
 */
#include "../launch.h"

struct pair {
	int first, second;
} __attribute__((aligned(8)));

struct join {
	const int *first_key, *first_value, *second_key, *second_value; /* keys ascend */
	struct pair *pair;						 /* [room] */
	unsigned *pairs;
	int firsts, seconds; /* tuples */
	int buckets, keys;   /* of a bucket */
	unsigned room;
};

/* The first place in [from, to) whose key is not below wanted; to: none. */
DEVICE int
place_of(const int *key, int from, int to, int wanted)
{
	ROLLED
	while (from < to) {
		int middle = from + (to - from) / 2;
		if (key[middle] < wanted)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Pairs a tuple of the first relation with those of its key among from to to of the second. */
DEVICE void
match(const struct join &j, int tuple, int from, int to)
{
	int key = j.first_key[tuple];
	int first = place_of(j.second_key, from, to, key), end = place_of(j.second_key, first, to, key + 1);

	if (first == end)
		return;
	unsigned at = fetch_add_global(j.pairs, end - first);
	int value = j.first_value[tuple];
	ROLLED
	for (int k = first; k < end; k++, at++)
		if (at < j.room)
			j.pair[at] = {value, j.second_value[k]};
}

/* A thread a tuple of the first relation. */
KERNEL
join_tuples(struct join j, int first, int tuples, int from, int to)
{
	int k = GLOBAL_X;

	if (k < tuples)
		match(j, first + k, from, to);
}

template <enum form F>
DEVICE void
buckets(const struct join &j, int threshold)
{
	int b = GLOBAL_X;

	if (b >= j.buckets)
		return;
	int low = b * j.keys, high = low + j.keys;
	int first = place_of(j.first_key, 0, j.firsts, low), end = place_of(j.first_key, first, j.firsts, high);
	int from = place_of(j.second_key, 0, j.seconds, low), to = place_of(j.second_key, from, j.seconds, high);
	int tuples = end - first;
	if (handed_over<F>(tuples, threshold, ENTRY(join_tuples), (tuples + 63) / 64, 64, j, first, tuples, from, to))
		return;
	ROLLED
	for (int k = first; k < end; k++)
		match(j, k, from, to);
}

KERNEL
join_buckets_flat(struct join j, int threshold)
{
	buckets<FLAT>(j, threshold);
}

KERNEL
join_buckets_child(struct join j, int threshold)
{
	buckets<CHILD>(j, threshold);
}

KERNEL
join_buckets_fallback(struct join j, int threshold)
{
	buckets<FALLBACK>(j, threshold);
}

KERNEL
join_barrier(struct join j, unsigned char *more)
{
	if (GLOBAL_X == 0)
		*more = *j.pairs > j.room;
}

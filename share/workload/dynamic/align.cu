/*
 * Alignment of short reads with a genome, all places within ERRORS edits, as BitMapper finds them.  An index lists the
 * places of every seed of SEED bases; a read's candidates are the places of its seeds, one behind the other.  At each
 * candidate the least edit distance between the read and a stretch of the genome about there is found with a word of bits
 * a column (Myers).  A parent thread has a section of reads; a read with up to THRESHOLD candidates it verifies itself, one
 * with more goes to a child kernel with a thread a candidate, which is given the read's bits (Tang's type I).  Numbers of
 * candidates differ by orders of magnitude, since genomes repeat themselves; candidates lie anywhere in the genome.
 */
#include "../launch.h"

typedef unsigned long long word;

struct align {
	const unsigned char *genome, *read; /* [bases], [reads][length]; a base: 0 to 3, 4: any */
	const int *first, *place;	    /* [4^seed + 1], [first[4^seed]]: where seeds are */
	word *best;			    /* [reads]: least distance in the high half, its place below */
	int *hits;			    /* [reads] */
	int bases, reads, length, section, seed, errors;
};

/* Of each letter where the read has it: bit k for base k. */
struct pattern {
	word has[4];
};

DEVICE struct pattern
pattern_of(const struct align &a, int read)
{
	struct pattern p = {{0, 0, 0, 0}};

	ROLLED
	for (int k = 0; k < a.length; k++) {
		int base = a.read[read * a.length + k];
		UNROLLED
		for (int b = 0; b < 4; b++)
			p.has[b] |= (word)(base == b) << k;
	}
	return p;
}

/* The seed that begins at base k of a read; -1: a base there is unknown. */
DEVICE int
seed_of(const struct align &a, int read, int k)
{
	int code = 0;

	ROLLED
	for (int n = 0; n < a.seed; n++) {
		int base = a.read[read * a.length + k + n];
		if (base > 3)
			return -1;
		code = code * 4 + base;
	}
	return code;
}

/* Myers, J. ACM 46 (1999), Fig. 7: the column of distances that end at one base of the text, as differences. */
DEVICE int
distance(const struct align &a, const struct pattern &p, int from, int to)
{
	word plus = ~0ull, minus = 0;
	int score = a.length, least = score;

	ROLLED
	for (int t = from; t < to; t++) {
		int base = a.genome[t];
		word has = base == 0 ? p.has[0] : base == 1 ? p.has[1] : base == 2 ? p.has[2] : base == 3 ? p.has[3] : 0;
		word vertical = has | minus, diagonal = (((has & plus) + plus) ^ plus) | has;
		word up = minus | ~(diagonal | plus), down = plus & diagonal;
		score += (int)(up >> (a.length - 1) & 1) - (int)(down >> (a.length - 1) & 1);
		up <<= 1;
		down <<= 1;
		plus = down | ~(vertical | up);
		minus = up & vertical;
		least = score < least ? score : least;
	}
	return least;
}

/* The read, were its seed at base k this place's: distance and where it would begin. */
DEVICE word
verify(const struct align &a, const struct pattern &p, int place, int k)
{
	int begin = place - k, from = begin - a.errors, to = begin + a.length + a.errors;

	from = from < 0 ? 0 : from;
	to = to > a.bases ? a.bases : to;
	return (word)distance(a, p, from, to) << 32 | (unsigned)begin;
}

/* Candidate n of a read. */
DEVICE word
candidate(const struct align &a, const struct pattern &p, int read, int n)
{
	ROLLED
	for (int k = 0;; k += a.seed) {
		int seed = seed_of(a, read, k);
		int places = seed < 0 ? 0 : a.first[seed + 1] - a.first[seed];
		if (n < places)
			return verify(a, p, a.place[a.first[seed] + n], k);
		n -= places;
	}
}

KERNEL
align_candidates(struct align a, struct pattern p, int read, int candidates)
{
	int n = GLOBAL_X;

	if (n >= candidates)
		return;
	word found = candidate(a, p, read, n);
	if ((int)(found >> 32) <= a.errors) {
		reduce_min_global(&a.best[read], found);
		reduce_add_global((unsigned *)&a.hits[read], 1u);
	}
}

DEVICE void
verify_all(const struct align &a, const struct pattern &p, int read)
{
	word best = a.best[read];
	int hits = 0;

	ROLLED
	for (int k = 0; k + a.seed <= a.length; k += a.seed) {
		int seed = seed_of(a, read, k);
		ROLLED
		for (int n = seed < 0 ? 0 : a.first[seed]; n < (seed < 0 ? 0 : a.first[seed + 1]); n++) {
			word found = verify(a, p, a.place[n], k);
			if ((int)(found >> 32) <= a.errors) {
				best = found < best ? found : best;
				hits++;
			}
		}
	}
	a.best[read] = best;
	a.hits[read] = hits;
}

DEVICE int
candidates_of(const struct align &a, int read)
{
	int candidates = 0;

	ROLLED
	for (int k = 0; k + a.seed <= a.length; k += a.seed) {
		int seed = seed_of(a, read, k);
		if (seed >= 0)
			candidates += a.first[seed + 1] - a.first[seed];
	}
	return candidates;
}

template <enum form F>
DEVICE void
sections(const struct align &a, int threshold)
{
	int first = GLOBAL_X * a.section, end = first + a.section < a.reads ? first + a.section : a.reads;

	ROLLED
	for (int read = first; read < end; read++) {
		struct pattern p = pattern_of(a, read);
		int candidates = candidates_of(a, read);
		if (!handed_over<F>(candidates, threshold, ENTRY(align_candidates), (candidates + 63) / 64, 64, a, p,
			read, candidates))
			verify_all(a, p, read);
	}
}

KERNEL
align_sections_flat(struct align a, int threshold)
{
	sections<FLAT>(a, threshold);
}

KERNEL
align_sections_child(struct align a, int threshold)
{
	sections<CHILD>(a, threshold);
}

KERNEL
align_sections_fallback(struct align a, int threshold)
{
	sections<FALLBACK>(a, threshold);
}

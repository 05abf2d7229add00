/*
 * Words of a text and how often each comes, as Mars counts them: a thread a line, byte by byte, lanes a line of text apart;
 * a word becomes its hash and its place, equal hashes are brought together by a sort and counted.
 */
#include "mars.h"

DEVICE bool
is_letter(unsigned char c)
{
	return (unsigned)((c | 32) - 'a') < 26;
}

KERNEL
wc_count(const unsigned char *text, const int *first, int *count, int lines)
{
	int i = GLOBAL_X, words = 0;

	if (i >= lines)
		return;
	bool inside = false;
	int end = first[i + 1];
	ROLLED
	for (int k = first[i]; k < end; k++) {
		bool letter = is_letter(text[k]);
		if (letter && !inside)
			words++;
		inside = letter;
	}
	count[i] = words;
}

KERNEL
wc_emit(const unsigned char *text, const int *first, const int *position, pair *out, int lines)
{
	int i = GLOBAL_X;

	if (i >= lines)
		return;
	int end = first[i + 1], at = position[i], start = -1;
	unsigned hash = 0;
	ROLLED
	for (int k = first[i]; k < end; k++) {
		unsigned char c = text[k];
		if (is_letter(c)) {
			if (start < 0) {
				start = k;
				hash = 2166136261u;
			}
			hash = (hash ^ (c | 32)) * 16777619u;
		} else if (start >= 0) {
			out[at++] = PAIR(hash, start);
			start = -1;
		}
	}
	if (start >= 0)
		out[at] = PAIR(hash, start);
}

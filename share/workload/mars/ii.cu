/*
 * Which links stand in which records of a collection of hypertext, as Mars builds its inverted index: a thread a record,
 * byte by byte, lanes a record apart; a link becomes the hash of its address and the record's number, and a sort brings the
 * records of a link together.
 */
#include "mars.h"

DEVICE bool
link_begins(const unsigned char *text, int at, int end)
{
	return at + 6 < end && text[at] == 'h' && text[at + 1] == 'r' && text[at + 2] == 'e' && text[at + 3] == 'f' &&
	    text[at + 4] == '=' && text[at + 5] == '"';
}

KERNEL
ii_count(const unsigned char *text, const int *first, int *count, int records)
{
	int i = GLOBAL_X, links = 0;

	if (i >= records)
		return;
	int end = first[i + 1];
	ROLLED
	for (int k = first[i]; k < end; k++)
		if (link_begins(text, k, end))
			links++;
	count[i] = links;
}

KERNEL
ii_emit(const unsigned char *text, const int *first, const int *position, pair *out, int records)
{
	int i = GLOBAL_X;

	if (i >= records)
		return;
	int end = first[i + 1], at = position[i];
	ROLLED
	for (int k = first[i]; k < end; k++) {
		if (!link_begins(text, k, end))
			continue;
		unsigned hash = 2166136261u;
		ROLLED
		for (int l = k + 6; l < end && text[l] != '"'; l++)
			hash = (hash ^ text[l]) * 16777619u;
		out[at++] = PAIR(hash, i);
	}
}

/*
 * Places of a text where a word stands, as Mars finds them: a thread a line, which compares the word at each byte, lanes a
 * line of text apart; a second pass writes the places.
 */
#include "mars.h"

DEVICE bool
stands_here(const unsigned char *text, int at, int end, const unsigned char *word, int length)
{
	if (at + length > end)
		return false;
	ROLLED
	for (int k = 0; k < length; k++)
		if (text[at + k] != word[k])
			return false;
	return true;
}

KERNEL
sm_count(const unsigned char *text, const int *first, const unsigned char *word, int length, int *count, int lines)
{
	int i = GLOBAL_X, found = 0;

	if (i >= lines)
		return;
	int end = first[i + 1];
	ROLLED
	for (int k = first[i]; k < end; k++)
		if (stands_here(text, k, end, word, length))
			found++;
	count[i] = found;
}

KERNEL
sm_emit(const unsigned char *text, const int *first, const unsigned char *word, int length, const int *position, int *out,
    int lines)
{
	int i = GLOBAL_X;

	if (i >= lines)
		return;
	int end = first[i + 1], at = position[i];
	ROLLED
	for (int k = first[i]; k < end; k++)
		if (stands_here(text, k, end, word, length))
			out[at++] = k;
}

/*
 * Places of a text where a word stands, as Mars finds them: a thread a line, which compares the word's first letter with each
 * byte and goes on where it is the same, lanes a line of text apart; a second pass writes the places.
 */
#include "mars.h"

/* The first letter is right; are the others? */
DEVICE bool
goes_on(const unsigned char *at, const unsigned char *word, int length)
{
	ROLLED
	for (int k = 1; k < length; k++)
		if (at[k] != word[k])
			return false;
	return true;
}

KERNEL
sm_count(const unsigned char *text, const int *first, const unsigned char *word, int length, int *count, int lines)
{
	int i = GLOBAL_X, found = 0;

	if (i >= lines)
		return;
	int last = first[i + 1] - length;
	unsigned char letter = word[0];
	ROLLED
	for (int k = first[i]; k <= last; k++)
		if (text[k] == letter && goes_on(text + k, word, length))
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
	int last = first[i + 1] - length, at = position[i];
	unsigned char letter = word[0];
	ROLLED
	for (int k = first[i]; k <= last; k++)
		if (text[k] == letter && goes_on(text + k, word, length))
			out[at++] = k;
}

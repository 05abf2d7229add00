/*
 * How often each page of a web server's log was viewed, as Mars counts it: a thread a line of the log, byte by byte, lanes a
 * line apart; a line with all its fields counts, the hash of the address is the key, that of the visitor the
 * value.  The sort that groups works on pieces in shared memory as long as
 * partners are near.
 */
#include "mars.h"

#define PIECE 256

SHARED pair piece[PIECE];

KERNEL
pvc_count(const unsigned char *text, const int *first, int *count, int lines)
{
	int i = GLOBAL_X, fields = 0;

	if (i >= lines)
		return;
	int end = first[i + 1];
	ROLLED
	for (int k = first[i]; k < end; k++)
		if (text[k] == '\t')
			fields++;
	count[i] = fields >= 2;
}

KERNEL
pvc_emit(const unsigned char *text, const int *first, const int *position, const int *count, pair *out, int lines)
{
	int i = GLOBAL_X;

	if (i >= lines || count[i] == 0)
		return;
	int end = first[i + 1];
	unsigned hash = 2166136261u, page = 0;
	bool in_page = true;
	ROLLED
	for (int k = first[i]; k < end; k++) {
		if (text[k] == '\t') {
			page = in_page ? hash : page;
			in_page = false;
			hash = 2166136261u;
		} else {
			hash = (hash ^ text[k]) * 16777619u;
		}
	}
	out[position[i]] = PAIR(page, hash);
}

/* All steps of runs up to last whose partners lie in one piece; threads are half as many as pairs. */
KERNEL
pvc_sort_piece(pair *p, int run, int last)
{
	int from = CTA_X * PIECE;

	piece[TID_X] = p[from + TID_X];
	piece[TID_X + PIECE / 2] = p[from + TID_X + PIECE / 2];
	BARRIER;
	ROLLED
	for (; run <= last; run *= 2)
		ROLLED
		for (int distance = run / 2 < PIECE / 2 ? run / 2 : PIECE / 2; distance > 0; distance /= 2) {
			int i = 2 * TID_X - (TID_X & (distance - 1));
			pair low = piece[i], high = piece[i + distance];
			if (wrong_way(low, high, from + i, run)) {
				piece[i] = high;
				piece[i + distance] = low;
			}
			BARRIER;
		}
	p[from + TID_X] = piece[TID_X];
	p[from + TID_X + PIECE / 2] = piece[TID_X + PIECE / 2];
}

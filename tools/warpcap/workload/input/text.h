/* Text that several workloads read: drawn, the same for the same seed on every machine, or a file.
 */
#ifndef TEXT_H
#define TEXT_H

#include "workload/workload.h"

struct text {
	uint8_t *byte;	/* [bytes] */
	uint64_t bytes; /* below 2^31 */
	int32_t *first; /* [records + 1]: where records begin; the last: bytes */
	int32_t records;
};

/*
 * About so many bytes, records end in a line feed. Words are drawn from a vocabulary by octaves of
 * rank, so that a word's share falls with its rank (Zipf).
 */
void text_words(struct host *h, struct text *t, uint64_t bytes); /* lines of up to WORDS words */
void text_html(struct host *h, struct text *t, uint64_t bytes); /* lines of hypertext, some links */
void
text_log(struct host *h, struct text *t, uint64_t bytes); /* address, tab, client, tab, cookie */

/* A file; its lines are the records. */
void text_load(struct host *h, struct text *t, const char *path);

/* prepare for workloads with the parameters BYTES and FILE: a struct text *, drawn or loaded. */
struct text *
text_prepare(struct host *h, void (*draw)(struct host *h, struct text *t, uint64_t bytes));

/* FNV-1a, 32 bits, as the kernels hash: bytes joined by fold are letters made small. */
uint32_t text_hash(const uint8_t *from, const uint8_t *to, uint8_t fold);

#endif

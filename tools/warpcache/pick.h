/*
 * Which records of a batch a level looks up, and what its model is told of them. Both kinds of
 * level begin with it.
 */
#ifndef PICK_H
#define PICK_H

#include "level.h"
#include "warpcap/slice.h"

/* line, sm, kind, space and flags are the batch's own columns where all are looked up. */
struct pick {
	uint32_t n, cap;
	uint32_t *at;	     /* [n] records looked up, ascending */
	uint64_t *line;	     /* [n] where it begins, in the stream */
	uint64_t *place;     /* [n] the line's address in its slice; the line where there is one */
	uint32_t *sectors;   /* [n] the model's; NULL: whole lines */
	uint16_t *sm, *copy; /* [n] whose cache it is, 0 of a shared one; which slice or SM */
	uint8_t *kind, *space; /* [n] */
	uint16_t *flags;
	uint32_t *other, n_other; /* [n_other] the rest, ascending */
	void *own[12];		  /* columns that are the struct's, not the batch's */
	bool is_counted;	  /* at is 0, 1, 2 ... */
	uint32_t copies;	  /* above all that were seen */
	bool takes_fills;	  /* records of kind FILL, too */
};

void pick_init(struct pick *p, bool takes_fills);
void pick_release(struct pick *p);
/* 0 or WCP_EUSAGE for a record that such caches cannot be asked about. */
int pick_run(struct pick *p, const struct level *l, const struct wcp_slice *slice,
    const struct wcp_access_batch *b, struct wcp_error *e);

#endif

/*
 * A non-blocking cache (warpcap/nbcache.h) played alone against a next level that answers every
 * fetch after the same time: accesses from arrays, in order, at most one a cycle. It gives what
 * these steps with the cache's own functions give, at a multiple of their speed, for a caller that
 * wants to see no message and no answer:
 *
 *	- an access comes when it is due, but at least a cycle after the one before it was
 *	  accepted; one that is refused tries again each cycle
 *	- a message leaves the miss queue each cycle, the first a cycle after it was sent
 *	- what a FETCH asked for comes latency_cycles after it left, in the order of leaving; a fill
 *	  that is refused tries again, and those behind it wait
 *	- in a cycle the message leaves first, then fills come and are answered, then the access
 *	  tries
 *
 * Not thread-safe; different players are independent.
 */
#ifndef WARPCAP_NBPLAY_H
#define WARPCAP_NBPLAY_H

#include "warpcap/nbcache.h"

/* What a model asks of an access's kind, space and flags, and what stands for them. */
enum { WCP_NBPLAY_LOCAL = 8, WCP_NBPLAY_UNCACHED = 16 };
static inline uint8_t
wcp_nbplay_sort(uint8_t kind, uint8_t space, uint16_t flags)
{
	return (uint8_t)((kind & 7) | (space == WCP_SPACE_LOCAL ? WCP_NBPLAY_LOCAL : 0) |
			 (flags & WCP_ACCESS_UNCACHED ? WCP_NBPLAY_UNCACHED : 0));
}

/* Columns of accesses. */
struct wcp_nbplay_batch {
	uint32_t n;
	const uint64_t *due;	 /* cycles; they do not fall */
	const uint64_t *line;	 /* byte address in the line */
	const uint32_t *sectors; /* NULL: whole lines */
	const uint8_t *sort;	 /* wcp_nbplay_sort */
	enum wcp_nb_route route; /* of all */
	uint64_t *cycle;	 /* gets those in which they were accepted */
	uint8_t *result; /* gets enum wcp_outcome and enum wcp_cache_result_bits or'ed. PASS: a
			    message of it was sent */
};

/* Since the start; latencies and MSHRs are complete when nothing is in flight. */
struct wcp_nbplay_counts {
	uint64_t refused_cycles;   /* that accesses waited */
	uint64_t answered;	   /* requests */
	uint64_t latency_cycles;   /* from their acceptance to their answers */
	uint64_t mshr_cycles;	   /* MSHRs in use, summed over the cycles */
	uint64_t fill_write_backs; /* of victims of lines that came */
};

struct wcp_nbplay;

/* The cache is borrowed until wcp_nbplay_free, has nothing in flight, and is told of accesses and
 * fills by nobody else. NULL without memory. */
struct wcp_nbplay *wcp_nbplay_new(struct wcp_nbcache *c, uint64_t latency_cycles);
void wcp_nbplay_free(struct wcp_nbplay *p);

/* 0; WCP_ESYS without memory, WCP_EDATA for an access that waits for ever. */
int wcp_nbplay_run(struct wcp_nbplay *p, const struct wcp_nbplay_batch *b);
/* All that is in flight comes, and all messages leave: the first cycle after that; 0 if nothing was
 * to come. */
uint64_t wcp_nbplay_drain(struct wcp_nbplay *p);

uint64_t wcp_nbplay_now(const struct wcp_nbplay *p); /* the next access is not accepted earlier */
void wcp_nbplay_set_now(struct wcp_nbplay *p, uint64_t cycle);
/* The cycle of the last access or fill; 0 if there was none. */
uint64_t wcp_nbplay_last(const struct wcp_nbplay *p);
/* From the cycle in which the first of the next n accesses can be tried, if all are due by then, to
 * that in which the last is accepted it is no longer; UINT64_MAX: there is no such bound. */
uint64_t wcp_nbplay_longest(const struct wcp_nbplay *p, uint32_t n);
/* n messages more leave, one a cycle from this one on or from when they can; the cycle after the
 * last. */
uint64_t wcp_nbplay_send(struct wcp_nbplay *p, uint64_t cycle, uint64_t n);

const struct wcp_nbplay_counts *wcp_nbplay_counts(const struct wcp_nbplay *p);

#endif

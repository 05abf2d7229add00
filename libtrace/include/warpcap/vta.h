/*
 * A victim tag array: for each key (the hardware slot of a warp on its SM, the warp, a cache set)
 * the tags of lines that were evicted, each with who evicted it. A later miss that finds its line
 * there lost it to that evictor. CIAO sec. II-C and III-A: key is the warp that had brought the
 * line, 8 tags each, FIFO; CCWS (Rogers et al., MICRO 2012): 16 tags in 8 ways.
 *
 * On an eviction: insert(owner of the victim, its line, who evicted it). On a miss: probe(who
 * misses, its line), before the eviction that the miss itself causes.
 */
#ifndef WARPCAP_VTA_H
#define WARPCAP_VTA_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/error.h"

enum wcp_vta_order { WCP_VTA_FIFO, WCP_VTA_LRU };

struct wcp_vta_options {
	uint32_t keys;	     /* at least 1 */
	uint32_t entries;    /* of a key: 1 to 65536 */
	uint32_t ways;	     /* divides entries; 0: all of them */
	uint32_t line_bytes; /* a power of two: lines choose among the entries / ways sets of a key
				by their number */
	enum wcp_vta_order order; /* LRU: a hit makes its tag the last to leave */
	bool removes_hit;	  /* a hit takes its tag away */
};

struct wcp_vta;

/* NULL on failure: WCP_EUSAGE or WCP_ESYS. */
struct wcp_vta *wcp_vta_new(const struct wcp_vta_options *o, struct wcp_error *e);
void wcp_vta_free(struct wcp_vta *v);
/* More keys, empty ones. 0 or WCP_ESYS. */
int wcp_vta_grow(struct wcp_vta *v, uint32_t keys, struct wcp_error *e);

/* line is a byte address. A line that is there already gets the new evictor, and under both orders
 * counts as having come now. A full set loses its oldest tag. Was the line new there? */
bool wcp_vta_insert(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor);
/* The same, sooner, for a line that the caller knows is not there. */
void wcp_vta_insert_new(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t evictor);
/* Is the line there? Writes its evictor, which may be NULL. */
bool wcp_vta_probe(struct wcp_vta *v, uint32_t key, uint64_t line, uint32_t *evictor);

/* Of one key: its warp has ended; of all. */
void wcp_vta_clear_key(struct wcp_vta *v, uint32_t key);
void wcp_vta_clear(struct wcp_vta *v);

/*
 * Who interferes most with a warp, as CIAO's interference list keeps it (sec. III-A, Fig. 4c): one
 * entry a warp, with a 2-bit saturating counter. The first to interfere is stored with 0; the same
 * one again counts up, at most to 3, another one down; at 0 another takes the place.
 */
struct wcp_interferer {
	uint32_t who; /* UINT32_MAX: nobody yet */
	uint32_t count;
};
#define WCP_NO_INTERFERER ((struct wcp_interferer){.who = UINT32_MAX})

static inline void
wcp_interferer_note(struct wcp_interferer *entry, uint32_t who)
{
	if (entry->who == who)
		entry->count += entry->count < 3;
	else if (entry->count)
		entry->count--;
	else
		entry->who = who;
}

#endif

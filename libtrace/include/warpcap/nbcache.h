/*
 * A non-blocking cache in time: tags, miss status holding registers (MSHRs), a miss queue towards
 * the next level, fills and the answers they bring. One model is one cache. It knows no clock of
 * its own: the caller offers at most one access a cycle, takes messages off the miss queue, says
 * when lines arrive, and collects the answers. Sets, sectors, write policies and outcomes are those
 * of warpcap/cache.h; a cache without limits whose fills come at once is that cache exactly.
 *
 *	wcp_nbcache_access   accepted: answered at once, or later if WCP_NB_WAITS; or refused with
 *			     its cause: nothing has changed, try again
 *	wcp_nbcache_pop	     a message leaves for the next level
 *	wcp_nbcache_fill     what a FETCH message asked for has come
 *	wcp_nbcache_answers  handles of requests that waited for it, in the order of their coming
 *
 * An access is checked in this order, and the first thing it lacks is the cause of its refusal:
 *	1. the data port			WCP_NB_PORT
 *	2. the tags: line absent, every way of
 *	   its set reserved for one that comes	WCP_NB_LINE (allocate-on-miss only)
 *	3. the miss queue			WCP_NB_QUEUE
 *	4. the line's MSHR: as many requests
 *	   as it takes wait already		WCP_NB_MERGE
 *	   or, where it has none: all taken	WCP_NB_ENTRY
 * It is GPGPU-Sim's order (4.0.1: tag probe, miss queue, MSHR), whose counters DWT-PRIC's Fig. 4a
 * shows: LINE_ALLOC, MISS_QUEUE, MSHR_MERGE, MSHR_ENTRY. The tags come first because they say
 * whether anything else is needed: hits in write-back caches and hits of loads need nothing.
 *
 * What is needed of the miss queue is a place for each message sent: a fetch, a store or atomic
 * passed on, a bypass, and a write-back where the victim is dirty. With worst_case_room it is what
 * the kind of access could need at most: 2 for all that may fetch, also where it merges or its
 * victim is clean, and 1 for what goes on or allocates without a fetch; hits that stay need none.
 *
 * Allocate-on-miss reserves the line's way when its fetch is sent and evicts then; the way can hold
 * nothing else until the line comes. Allocate-on-fill chooses and evicts when it comes; meanwhile
 * only the MSHR knows of it. A line of sectors is reserved as long as one of them is to come.
 *
 * An MSHR belongs to a line (mshr_by_sector: to a sector). It is taken by the first request and
 * free again when all it asked for has come and its last request's answer was collected. A request
 * for other sectors of the line joins it and asks for those it lacks.
 *
 * Stores: WCP_WRITE_THROUGH and WCP_WRITE_EVICT pass them on, whether or not the line is on its
 * way, and nothing is answered. Under WCP_WRITE_BACK one that misses waits like a load and dirties
 * its sectors when they come. Under WCP_WRITE_VALIDATE it is done at once: a line absent is
 * allocated at once also on a cache that allocates on fill. Atomics that stay wait as loads do.
 *
 * Not thread-safe; different caches are independent.
 */
#ifndef WARPCAP_NBCACHE_H
#define WARPCAP_NBCACHE_H

#include "warpcap/cache.h"

enum wcp_nb_allocate { WCP_NB_ON_MISS, WCP_NB_ON_FILL };

struct wcp_nb_options {
	struct wcp_index_options index; /* of one cache or one slice */
	uint32_t ways;	       /* 0: no bound: any number of lines, no eviction; sets are ignored */
	uint32_t sector_bytes; /* 0 or line_bytes: whole lines; at most 32 sectors a line */
	enum wcp_replacement replacement; /* not OPT; PLRU: ways a power of two up to 64 */
	enum wcp_write_policy global_write, local_write;
	bool bypass_uncached; /* WCP_ACCESS_UNCACHED ones go past */
	bool store_around;    /* a store that does not hit goes on and allocates nothing, also under
				 BACK and VALIDATE */
	enum wcp_nb_allocate allocate;
	uint32_t mshr_entries; /* 0: no limit, also for the next two */
	uint32_t mshr_merges;  /* requests an entry holds, its first included */
	uint32_t miss_queue;   /* messages; at least 2 with worst_case_room or a policy that writes
				  back */
	bool worst_case_room;
	bool mshr_by_sector; /* an access then touches one sector */
	uint32_t port_bytes; /* width of data port and of fill port; 0: never busy. A hit holds the
				data port for its sectors' bytes, a write-back for its own, a fill
				the fill port for its own */
	uint64_t seed; /* RANDOM: a way drawn among all; if it is reserved, the next that is not.
			  PLRU passes by halves of the tree that are reserved as a whole */
};

enum wcp_nb_fail {
	WCP_NB_OK, /* accepted */
	WCP_NB_PORT,
	WCP_NB_LINE,
	WCP_NB_QUEUE,
	WCP_NB_MERGE,
	WCP_NB_ENTRY,
	WCP_NB_FAIL_COUNT
};
const char *wcp_nb_fail_name(enum wcp_nb_fail fail); /* "?" past the end */

/* Where an access goes. */
enum wcp_nb_route {
	WCP_NB_LOOKUP,	 /* the tags; a miss gets a line */
	WCP_NB_NO_PLACE, /* the tags; a miss is fetched through an MSHR but gets no line (static
			    PCAL: no token). One that merges with it gets none either on a cache
			    that allocates on miss */
	WCP_NB_AROUND,	 /* bypass: sent on unseen by tags and MSHRs; its reply is the caller's */
	WCP_NB_TAGS,	 /* a bypassed load for which the tags act as if it were filled at once
			    (DWT-PRIC: L1 off, tags updated): outcome BYPASS, WCP_NB_PRESENT tells
			    whether it would have hit; its reply is the caller's */
	WCP_NB_REDIRECT, /* missed in a structure of the caller's that shares the MSHRs (CIAO
			    IV-B): not looked up, gets no line: outcome REDIRECT_MISS */
	WCP_NB_ROUTE_COUNT
};

struct wcp_nb_access {
	uint64_t line;	  /* byte address in the line */
	uint64_t cycle;	  /* with port_bytes; never falls */
	uint32_t handle;  /* of the caller's; comes back in answers and messages */
	uint32_t owner;	  /* who brings the line if it is brought */
	uint32_t sectors; /* 0: all */
	uint32_t partial; /* of a store's sectors, those written in part: under VALIDATE they are
			     dirty but a read of them fetches ("lazy fetch on read") */
	uint16_t flags;	  /* enum wcp_access_flags */
	uint8_t kind;	  /* enum wcp_access_kind. FILL is none of the cache's business: accepted,
			     outcome NONE */
	uint8_t space;	  /* enum wcp_space */
	uint8_t route;	  /* enum wcp_nb_route */
	bool again;	  /* it was refused before: counted as a retry, not as a request */
	bool migrates;	  /* with REDIRECT, where no MSHR awaits the line: what it wants is in the
			     response queue (CIAO IV-B), so no message is sent, and the caller
			     fills the line from there */
};

enum wcp_nb_result_bits {
	WCP_NB_PRESENT =
	    1 << 0,		/* line and sectors were there, also where the outcome is FORWARD */
	WCP_NB_WAITS = 1 << 1,	/* its handle will be among the answers */
	WCP_NB_SENT = 1 << 2,	/* a message of it went to the miss queue */
	WCP_NB_VICTIM = 1 << 3, /* a line was evicted */
	WCP_NB_DIRTY = 1 << 4,	/* which was dirty: a WRITE_BACK message went as well */
};

struct wcp_nb_victim {	  /* what a victim tag array wants to know */
	uint64_t line;	  /* byte address */
	uint32_t sectors; /* dirty ones */
	uint32_t owner;	  /* who had brought it */
	uint32_t evictor; /* owner of the access it made room for */
};

struct wcp_nb_result {
	uint8_t outcome;  /* enum wcp_outcome. PENDING: all that it lacks is on its way */
	uint8_t bits;	  /* enum wcp_nb_result_bits */
	uint32_t missing; /* sectors wanted that were not there; 0 for what is not looked up */
	struct wcp_nb_victim victim; /* with WCP_NB_VICTIM */
};

enum wcp_nb_message_type {
	WCP_NB_FETCH,	  /* to be told to wcp_nbcache_fill when it comes */
	WCP_NB_PASS,	  /* a store, atomic or bypassed access: no fill */
	WCP_NB_WRITE_BACK /* of a victim; handle is that of the access it made room for */
};

struct wcp_nb_message {
	uint64_t line;
	uint32_t sectors; /* fetched, passed on or written back */
	uint32_t handle;
	uint32_t owner; /* the access's; of a WRITE_BACK the line's */
	uint8_t type;	/* enum wcp_nb_message_type */
	uint8_t kind;	/* LOAD or PREFETCH for a FETCH, WRITEBACK, else the access's */
	uint8_t space;	/* the access's; of a WRITE_BACK that of what brought the line */
};

/* Since the start. An access accepted counts once in outcome; refused attempts count nowhere but
 * in refused. */
struct wcp_nb_counts {
	uint64_t outcome[WCP_OUT_COUNT];	   /* requests */
	uint64_t present;			   /* those that found all they wanted */
	uint64_t refused[WCP_NB_FAIL_COUNT];	   /* attempts, so cycles where one retries each
						      cycle: DWT-PRIC Fig. 4a, GPGPU-Sim's */
	uint64_t refused_first[WCP_NB_FAIL_COUNT]; /* requests, by the cause of the first refusal */
	uint64_t fetches, passes, write_backs;	   /* messages sent */
	uint64_t fills, evictions, answers;
	uint64_t fills_refused[WCP_NB_FAIL_COUNT]; /* attempts */
	uint32_t mshrs_peak, queue_peak;
};

struct wcp_nbcache;

/* WCP_EUSAGE says which part of the options cannot be; WCP_ESYS: no memory. */
struct wcp_nbcache *wcp_nbcache_new(const struct wcp_nb_options *o, struct wcp_error *e);
void wcp_nbcache_free(struct wcp_nbcache *c);

/* enum wcp_nb_fail; WCP_ESYS where something without limit could not grow (nothing has changed).
 * r may be NULL; untouched on refusal. */
int
wcp_nbcache_access(struct wcp_nbcache *c, const struct wcp_nb_access *a, struct wcp_nb_result *r);
/* An access to the line will come: fetches what it looks at into the processor's caches. */
void wcp_nbcache_expect(const struct wcp_nbcache *c, uint64_t line);
/* What wcp_nbcache_access would return; nothing changes, nothing is counted. */
int wcp_nbcache_probe(const struct wcp_nbcache *c, const struct wcp_nb_access *a);
/* The same refusal n more times, for a caller that skips cycles in which nothing changes: causes
 * change only by pop, fill, answers, remove, invalidate, and the port with time. */
void wcp_nbcache_refused(struct wcp_nbcache *c, enum wcp_nb_fail cause, uint64_t n);

/* Takes the oldest message off; false: the queue is empty. */
bool wcp_nbcache_pop(struct wcp_nbcache *c, struct wcp_nb_message *m);
uint32_t wcp_nbcache_queued(const struct wcp_nbcache *c);

/*
 * Sectors of a line (0: all that were asked) have come. Requests that lack nothing any more can be
 * collected. 0; WCP_NB_PORT: the fill port is busy at this cycle; WCP_NB_QUEUE: the miss queue has
 * no place for the dirty victim (allocate-on-fill): try again; WCP_EUSAGE: nothing of this line was
 * asked. bits (may be NULL) gets WCP_NB_VICTIM and WCP_NB_DIRTY, victim (may be NULL) what left.
 */
int wcp_nbcache_fill(struct wcp_nbcache *c, uint64_t line, uint32_t sectors, uint64_t cycle,
    uint8_t *bits, struct wcp_nb_victim *victim);

/* Writes up to max handles of requests that are complete, oldest first, and forgets them; returns
 * how many. */
uint32_t wcp_nbcache_answers(struct wcp_nbcache *c, uint32_t *handle, uint32_t max);
uint32_t wcp_nbcache_answerable(const struct wcp_nbcache *c);

/* ---- the state, from outside ---------------------------------------------------------------- */

uint32_t wcp_nbcache_mshrs(const struct wcp_nbcache *c); /* in use */

struct wcp_nb_mshr {
	uint64_t line;
	uint32_t asked;	   /* sectors to come; 0: all have, answers are to be collected */
	uint32_t requests; /* that wait */
	uint32_t handle;   /* of the oldest request not yet complete; 0 if none */
	uint32_t owner;	   /* of the one that took it */
};
/* Writes up to max MSHRs in use, in no order; returns how many. */
uint32_t
wcp_nbcache_list_mshrs(const struct wcp_nbcache *c, struct wcp_nb_mshr *list, uint32_t max);

struct wcp_nb_line {
	uint32_t valid, dirty, reserved; /* sectors; a dirty one not valid was written in part */
	uint32_t owner;
};
/* Is there a way that holds or awaits the line? l may be NULL. */
bool wcp_nbcache_find(const struct wcp_nbcache *c, uint64_t line, struct wcp_nb_line *l);

/* Takes a line out without a write-back, to be kept elsewhere (CIAO IV-B: migration); victim tells
 * of it. False if it is not there or sectors of it are to come. */
bool wcp_nbcache_remove(struct wcp_nbcache *c, uint64_t line, struct wcp_nb_victim *victim);
/* As if sectors (0: all) of the line had just been filled: no message, no count; a victim is lost.
 * False where every way is reserved or an unbounded cache cannot grow. */
bool wcp_nbcache_preload(struct wcp_nbcache *c, uint64_t line, uint32_t sectors, uint32_t owner);

/* Empties the cache, save what is to come. Each dirty line is told to write_back (may be NULL), in
 * order of sets; a negative return ends that and is returned, the cache is empty all the same. */
int wcp_nbcache_invalidate(struct wcp_nbcache *c,
    int (*write_back)(void *arg, const struct wcp_nb_victim *line), void *arg);

const struct wcp_nb_counts *wcp_nbcache_counts(const struct wcp_nbcache *c);
const struct wcp_setindex *wcp_nbcache_index(const struct wcp_nbcache *c);

#endif

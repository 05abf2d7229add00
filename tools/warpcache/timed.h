/*
 * A level with time: caches with MSHRs and miss queues (warpcap/nbcache.h), each behind a port that
 * takes one access a cycle in order. Caches know nothing of each other, so each runs as far as its
 * accesses go; what they pass on is put into the order of (cycle, SM) behind them.
 */
#ifndef TIMED_H
#define TIMED_H

#include "second_thread.h"
#include "pass.h"
#include "pick.h"
#include "watch.h"
#include "warpcap/nbplay.h"

#define NEVER UINT64_MAX

enum {
	/* No access comes earlier than this many cycles before the port furthest ahead: what is
	 * held until it is in order is bounded. */
	TIMED_SKEW = 32768,
	TIMED_AGES = 64, /* the last one stands for all above */
};

/* ---- what is passed on, in the order of (cycle, sm) (timed_order.c) ------------------------- */

enum leaving { LEAVE_OUTCOME, LEAVE_MISS, LEAVE_WRITE_BACK, LEAVE_FILL, LEAVE_RECORD };

struct departure {
	uint64_t line;	 /* WRITE_BACK, FILL, MISS */
	uint32_t handle; /* of the request that holds its record; not of a WRITE_BACK */
	uint32_t sectors, owner, kernel;
	uint32_t port;
	uint32_t next;
	uint16_t sm;
	uint8_t type; /* enum leaving */
};

/* Departures of cycles [from, from + mask]: a list a cycle, in the order of (sm, port). */
struct order {
	struct departure *item; /* [cap] */
	uint32_t cap, free;
	uint32_t *first; /* [mask + 1] by cycle; UINT32_MAX: none */
	uint64_t mask, from, n;
};

void order_init(struct order *o);
void order_release(struct order *o);
void order_add(struct order *o, uint64_t cycle, const struct departure *d);
/* The earliest departure before the cycle, taken off; false: there is none, and none will be added
 * before it. */
bool order_next(struct order *o, uint64_t before, uint64_t *cycle, struct departure *d);

/* ---- figures over time (timed_series.c) ----------------------------------------------------- */

struct interval {
	uint64_t accesses, hits, merges, misses;
	uint64_t refused[WCP_NB_FAIL_COUNT]; /* cycles */
	uint64_t mshr_cycles;
	uint64_t mshrs_peak; /* of one cache */
};

struct series {
	FILE *out; /* NULL: not wanted */
	const char *path;
	uint64_t length;       /* cycles of an interval */
	uint64_t from;	       /* number of the first that is open */
	struct interval *open; /* [mask + 1] a ring by number */
	uint64_t mask, last;   /* number of the last that is open */
};

int series_open(struct series *s, const char *path, uint64_t length, struct wcp_error *e);
/* The interval that a cycle belongs to. */
struct interval *series_at(struct series *s, uint64_t cycle);
/* n of something (MSHRs in use, refusals for a cause) for each cycle of [from, to). */
void series_mshrs(struct series *s, uint64_t from, uint64_t to, uint32_t n);
void series_refused(struct series *s, uint64_t from, uint64_t to, enum wcp_nb_fail cause);
/* Writes what ended before the cycle; nothing that comes belongs there. */
void series_until(struct series *s, uint64_t cycle);
int series_close(struct series *s, struct wcp_error *e);

/* ---- loads by pc and age of the warp (timed_ages.c) ------------------------------------------ */

struct age_row {
	uint64_t insns, accesses, misses, merges, mshr_cycles, stall_cycles;
};

struct slots { /* of an SM */
	uint32_t n;
	struct {
		uint32_t kernel, cta, age;
		uint16_t warp;
		bool used;
	} * slot; /* [n] */
	uint32_t used;
};

struct ages {
	bool wanted;
	struct slots *sm; /* [n_sm] */
	uint32_t n_sm;
	struct keys pc;
	struct age_row *row; /* [cap_pc][TIMED_AGES] */
	uint32_t cap_pc;
	uint32_t *number; /* [cap_number] pc key of each record of the batch */
	uint32_t cap_number;
};

void ages_init(struct ages *a, bool wanted);
void ages_release(struct ages *a);
/* Numbers the batch's instructions. */
void ages_batch(struct ages *a, const struct wcp_reader *r, const struct wcp_access_batch *b);
/* The row of record at of that batch. */
uint32_t ages_row(struct ages *a, const struct wcp_access_batch *b, uint32_t at);
void ages_print(const struct ages *a, const struct level *l, struct report *out);

/* ---- when a batch's accesses arrive (timed_arrive.c) ---------------------------------------- */

struct timed;
/* Writes when the records picked of b arrive, and where all are passed on, the others. */
void arrive(struct timed *d, const struct wcp_access_batch *b);
/* Nothing that is still to come is accepted before this cycle. */
uint64_t horizon(const struct timed *d);

/* ---- DWT-PRIC's Fig. 2: the level with no cache and with one without bound (timed_beside.c) - */

struct beside {
	struct settings set[2];
	struct level *level[2];
};

/* NULL with e filled, or where no scenarios are wanted. */
struct beside *beside_new(const struct settings *s, struct wcp_error *e);
void beside_free(struct beside *x);
/* What the level itself does; x may be NULL. */
int beside_run(struct beside *x, const struct wcp_access_batch *b, struct wcp_error *e);
int beside_kernel_end(struct beside *x, const struct wcp_kernel_end *end, struct wcp_error *e);
int beside_finish(struct beside *x, struct wcp_error *e);
void beside_print(const struct timed *d, struct report *out);

/* ---- victim tags (timed_watch.c) ------------------------------------------------------------ */

struct port;
/* An access accepted, k of those picked: its line may come, its victim leave. Or a victim leaves
 * for a line that comes. Both end the program without memory. */
void victims_access(struct timed *d, const struct port *p, uint32_t k, uint32_t owner,
    const struct wcp_nb_result *r);
void victims_fill(struct timed *d, const struct port *p, const struct wcp_nb_victim *v);
/* Classes of the batch. */
int classes_run(struct timed *d, const struct wcp_access_batch *b, struct wcp_error *e);

/* ---- one cache and its port (timed_port.c) -------------------------------------------------- */

struct request {	   /* by handle */
	uint64_t accepted; /* cycle */
	uint64_t victim;
	uint32_t victim_owner, next_free;
	uint32_t row; /* of ages */
	uint8_t result, refs;
	bool took; /* an MSHR */
};

struct fill {
	uint64_t due, line;
	uint32_t sectors, handle;
};

struct port {
	struct wcp_nbcache *cache;
	struct wcp_nbplay *play; /* where nobody watches; of what follows it needs the last line */
	uint64_t now;		 /* the next access is not earlier */
	uint64_t leaves;	 /* cycle in which the head of the miss queue goes */
	uint64_t free;		 /* the first in which a message could */
	uint64_t refill;	 /* no fill is tried earlier */
	uint64_t next;		 /* cycle of the next thing that happens there by itself; NEVER */
	uint64_t mshrs_from;	 /* MSHRs in use are counted up to this cycle */
	struct fill *fill;	 /* [fill_mask + 1] a ring, by due */
	uint32_t fill_mask, first_fill, n_fill;
	uint32_t kernel;	/* of the last access */
	uint32_t queued, mshrs; /* of the cache, now */
};

struct timed_counts {
	uint64_t refused_cycles, delay_cycles; /* of accepted accesses: since they arrived */
	uint64_t latency_cycles, answered;
	uint64_t mshr_cycles;
	uint64_t early; /* accesses whose time was before that of the one before */
	uint64_t other_spaces;
	uint64_t passed, passed_bytes; /* messages; a load's and a store's as in the stream */
};

struct work { /* beside what is picked of a batch */
	uint32_t cap;
	uint64_t *due;	     /* when each arrives */
	uint8_t *note;	     /* with classes or victim tags */
	uint64_t *other_due; /* and each of those not looked up, where they are passed on */
	uint8_t *result;
};

/* Accesses of a stretch, each port's together: what warpcap/nbplay.h asks and answers. */
struct stretch {
	uint32_t cap;
	uint64_t *due, *line, *cycle;
	uint32_t *sectors;
	uint8_t *sort, *result;
	uint32_t cap_ports;
	uint32_t *turns, *next; /* [cap_ports] accesses of a port; where its next one stands */
	uint16_t *some;		/* [cap] ports that have any */
};

struct timed {
	struct level level;
	struct wcp_nb_options options;
	struct wcp_slice slice;
	struct port *port; /* [ports] */
	uint32_t ports;
	bool passes, pass_all, pass_fills; /* somebody takes what goes on; what */
	uint8_t route;			   /* enum wcp_nb_route of all accesses */
	struct request *request;	   /* [cap_request] */
	uint32_t cap_request, free_request;
	struct wcp_access_batch store; /* [cap_request] records of requests, while passing on */
	struct order order;
	struct series series;
	struct ages ages;
	struct pick pick;
	struct watch *watch;	      /* NULL: neither classes nor victim tags */
	bool plays;		      /* nobody watches */
	struct second_thread *second; /* that plays some of the ports; NULL: none */
	bool has_owners;	      /* accesses say who brings a line */
	struct beside *beside;	      /* NULL: no scenarios */
	struct work work;
	struct stretch stretch;
	struct timed_counts counts;
	/* time */
	uint64_t first, last; /* cycle of the first access, of the last event */
	uint64_t arrived;     /* of the latest record */
	uint64_t furthest;    /* of all ports */
	uint64_t least;	      /* nothing arrives earlier: TIMED_SKEW */
	uint64_t *turn;	      /* [n_turn] next cycle of an SM in a stream without time */
	uint32_t n_turn;
	bool has_time, any;
	struct wcp_error *error;
};

/* A line's address in the stream: a slice's caches count without gaps. */
uint64_t port_address(const struct timed *d, const struct port *p, uint64_t line);
/* Ends the program without memory. */
void port_make(struct timed *d, uint32_t n);
void ports_release(struct timed *d);
/* Time passes at a port up to a cycle: messages leave, lines come. */
void port_advance(struct timed *d, struct port *p, uint64_t cycle);
/* What was done to it may have changed when the next thing happens. */
static inline void
port_plan(struct port *p)
{
	uint64_t leaves = p->queued ? p->leaves : NEVER, comes = NEVER;
	if (p->n_fill) {
		uint64_t due = p->fill[p->first_fill & p->fill_mask].due;
		comes = due > p->refill ? due : p->refill;
	}
	p->next = leaves < comes ? leaves : comes;
}

/* n messages were put into its queue. */
static inline void
port_sent(struct port *p, uint32_t n, uint64_t cycle)
{
	if (n && !p->queued)
		p->leaves = cycle + 1 > p->free ? cycle + 1 : p->free;
	p->queued += n;
	port_plan(p);
}

/* Its MSHRs were in use up to the cycle. */
void port_count_mshrs(struct timed *d, struct port *p, uint64_t cycle);
/* Emptied, and what is dirty is passed on from that cycle on; the one behind the last. */
uint64_t port_invalidate(struct timed *d, struct port *p, uint64_t cycle);

/* More requests. */
void requests_grow(struct timed *d);

/* The handle of the next request: it stays free until it is kept. */
static inline uint32_t
request_new(struct timed *d)
{
	if (d->free_request == UINT32_MAX)
		requests_grow(d);
	return d->free_request;
}

static inline void
request_keep(struct timed *d, uint32_t handle)
{
	if (!d->request[handle].refs++)
		d->free_request = d->request[handle].next_free;
}

static inline void
request_drop(struct timed *d, uint32_t handle)
{
	if (--d->request[handle].refs)
		return;
	d->request[handle].next_free = d->free_request;
	d->free_request = handle;
}

/* ---- where nobody watches (timed_play.c) ---------------------------------------------------- */

bool play_can(const struct settings *s);
/* All that are picked. */
int play_all(struct timed *d, struct wcp_error *e);
/* Once, when all has come. */
void play_finish(struct timed *d);
void stretch_release(struct stretch *s);

/* Appends what leaves before the cycle. */
void timed_emit(struct timed *d, uint64_t before, struct wcp_access_batch *out);

void timed_report(const struct level *l, struct report *out);

#endif

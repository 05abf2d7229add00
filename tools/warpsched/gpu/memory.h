/*
 * Behind the network: slices of L2 and the DRAM channels they share. A slice takes a packet off its
 * port, cuts it into requests of the size L2 works on, delays them, looks one up a cycle, and sends
 * replies; what misses goes to the channel's controller.
 */
#ifndef WARPSCHED_MEMORY_H
#define WARPSCHED_MEMORY_H

#include "gpu/config.h"
#include "gpu/net.h"
#include "gpu/series.h"

/* A request on its way through a slice. */
struct piece_request {
	uint64_t line;	/* in the slice */
	uint64_t ready; /* cycle */
	uint32_t sectors, handle, next;
	uint32_t taken, looked, done; /* low bits of cycles */
	uint32_t fetched;	      /* from DRAM: L2's sectors */
	uint16_t sm;
	uint8_t type, kind, cache;
	uint8_t outcome; /* enum wcp_outcome of L2 */
	bool again;
};

/* Requests in order, by their number in the slice's pool. */
struct queue {
	uint32_t first, last, n;
};

struct slice {
	uint32_t number;
	struct receiver in;
	struct sender out;
	struct wcp_nbcache *l2;
	struct piece_request *pool;
	uint32_t cap, free;
	struct queue delay;    /* on the way to L2 */
	struct queue reply;    /* answered, not sent */
	struct queue to_dram;  /* missed, delayed */
	struct queue returned; /* from DRAM, to be filled */
	uint64_t flits;	       /* of replies, sent */
	uint64_t wake;	       /* nothing happens before */
};

struct channel {
	uint32_t number;
	struct slice *slice; /* [slices] */
	uint32_t turn;	     /* slice whose request enters the controller next */
	uint32_t in_dram;    /* requests */
	uint64_t wake;	     /* nothing happens before */
	uint64_t sample_at;  /* end of the interval of a series */
	struct series_row handed_in;
};

struct memory {
	const struct gpu_config *set;
	struct gpu *gpu;
	struct wcp_dram *dram;
	uint32_t n_channel, n_slice;
	struct channel *channel;
	struct slice *slice;  /* [n_slice] */
	uint8_t bank_bit[32]; /* [bank_bits] of the bank's number, from the lowest address bit up */
	uint32_t bank_bits;
	double dram_clock; /* DRAM cycles a core cycle */
	bool failed;	   /* no memory */
	bool astray;	   /* a line came that L2 had not asked for */
};

bool
memory_init(struct memory *m, struct gpu *g, const struct gpu_config *set, struct wcp_error *e);
void memory_release(struct memory *m);

/* The slice that an address belongs to; *line is the address within it. */
uint32_t memory_place(const struct memory *m, uint64_t address, uint64_t *line);
/* And back. */
uint64_t memory_address(const struct memory *m, const struct slice *s, uint64_t line);
/* Where instructions lie. */
#define MEMORY_CODE_BASE 0x100000000000ull
/* Requests that L2 makes of a packet, and so replies to it. */
uint32_t memory_pieces(const struct memory *m, uint32_t sectors);

/* Plays a channel and its slices up to cycle until - 1, and says in its wake when next. */
void memory_run(struct memory *m, uint32_t channel, uint64_t until);
/* Core cycles in which reply ports and data buses were used, the mean over slices and channels. */
void memory_busy(const struct memory *m, double *l2, double *dram);
/* DRAM's measures are of all cycles before now. */
void memory_settle(const struct memory *m, uint64_t now);
/* A copy from the host leaves these bytes in L2. */
void memory_preload(struct memory *m, uint64_t address, uint64_t bytes);

#endif

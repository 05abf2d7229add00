/*
 * The interconnect between SMs and L2 slices: a crossbar for each direction. A sender's packets go
 * in order through an input buffer; the first of them waits until its receiver's port is free and
 * it is its turn there, and holds up those behind it. A port takes a flit a cycle.
 *
 * Messages that close the circle, replies and credits, take at least latency_ck - 1 cycles, so that
 * SMs, requests, slices and replies may be played one after the other for as many cycles. What
 * arrives in the same cycle is ordered by sender, if senders are played in order.
 */
#ifndef WARPSCHED_NET_H
#define WARPSCHED_NET_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/gpu.h"

struct packet {
	union {
		uint64_t line; /* of a request: address in the slice */
		struct {
			uint32_t taken, looked; /* of a reply: low bits of cycles */
		} at;
	};
	union {
		uint32_t sectors;  /* of a request */
		uint32_t answered; /* of a reply: low bits of a cycle */
	};
	uint32_t handle; /* the SM's */
	uint16_t node;	 /* the receiver */
	uint16_t flits;
	uint8_t type;  /* enum packet_type */
	uint8_t kind;  /* enum wcp_access_kind */
	uint8_t cache; /* of the SM: which asked */
	uint8_t unused[3];
	uint16_t from; /* in a crossbar: the input */
};

enum packet_type { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_DATA, PACKET_ACK };

/* Of a packet with so many bytes of data: one at least. */
static inline uint16_t
net_flits(const struct wcp_icnt_config *n, uint32_t data_bytes)
{
	uint32_t bytes = n->header_bytes + data_bytes;
	return (uint16_t)(bytes ? (bytes + n->flit_bytes - 1) / n->flit_bytes : 1);
}

/* Packets on one way, in the order in which they arrive: those whose cycle has come queue. */
struct way {
	struct letter {
		struct packet packet;
		uint64_t cycle;
	} * letter; /* [mask + 1] a ring; NULL: none was ever sent */
	uint32_t head, n, mask;
};

/* Flits of room that come back, likewise. */
struct refunds {
	struct refund {
		uint64_t cycle;
		uint32_t flits;
	} * refund; /* [mask + 1] a ring */
	uint32_t head, n, mask;
};

/* A receiver's end: packets queue for the port, which takes a flit a cycle. */
struct receiver {
	struct way way;
	uint32_t taken; /* flits of the first */
};

/* A sender's end. */
struct sender {
	struct packet *queue; /* [cap] ring */
	uint32_t head, n, cap;
	uint32_t flits;	     /* queued */
	uint32_t credits;    /* flits of room in the crossbar's input buffer */
	struct refunds back; /* credits that come back */
	uint64_t busy_until;
};

/* One direction: inputs are senders, outputs receivers. */
struct crossbar {
	uint32_t inputs, outputs;
	struct input {
		struct way way;
		uint64_t busy_until;
	} * input; /* [inputs] */
	struct output {
		uint64_t busy_until;
		uint32_t last; /* input served last */
		uint32_t best; /* of this cycle: 1 + input; 0: none */
		uint32_t turn; /* of the best: how far it is behind the last */
		uint32_t credits;
		struct refunds back; /* room in the receiver's buffer that comes back */
	} * output;		     /* [outputs] */
	uint64_t *waiting;	     /* inputs with a packet, a bit each */
	uint64_t *asked;	     /* outputs with a best */
	uint64_t wake;		     /* nothing happens before */
};

/* The cycle of the first packet; UINT64_MAX: there is none. */
static inline uint64_t
way_next(const struct way *w)
{
	return w->n ? w->letter[w->head].cycle : UINT64_MAX;
}
static inline uint64_t
refunds_next(const struct refunds *r)
{
	return r->n ? r->refund[r->head].cycle : UINT64_MAX;
}
/* They come no earlier than those before them. False: no memory. */
bool way_put(struct way *w, uint64_t cycle, const struct packet *p);
bool refunds_put(struct refunds *r, uint64_t cycle, uint32_t flits);

bool sender_init(struct sender *s, uint32_t credits, uint32_t queue);
void sender_release(struct sender *s);
static inline bool
sender_room(const struct sender *s, uint32_t flits, uint32_t limit)
{
	return s->n < s->cap && (s->flits + flits <= limit || s->n == 0);
}
/* There is room. node of the packet: the receiver. */
void sender_put(struct sender *s, const struct packet *p);
/* One cycle: credits that came, and the first packet if port and credits allow; true: *p leaves
 * now. */
bool sender_cycle(struct sender *s, uint64_t now, struct packet *p);

bool crossbar_init(struct crossbar *x, uint32_t inputs, uint32_t outputs, uint32_t credits);
void crossbar_release(struct crossbar *x);
/* Each output grants its port to the next input after the last that has a packet for it. leave is
 * told of each packet that goes, and of its input. */
void crossbar_run(struct crossbar *x, uint64_t until,
    void (*leave)(void *arg, uint64_t now, uint32_t input, const struct packet *p), void *arg);
/* p->from is the input it goes to, p->node the output. False: no memory. */
bool crossbar_put(struct crossbar *x, uint64_t cycle, const struct packet *p);
/* The buffer behind output p->node has room for p->flits again. */
bool crossbar_credit(struct crossbar *x, uint64_t cycle, const struct packet *p);

/* Has a packet arrived that was not taken? */
static inline bool
receiver_waits(const struct receiver *r, uint64_t now)
{
	return way_next(&r->way) <= now;
}
/* One cycle: when ready to take a packet and its last flit is in, it is in *p: true. */
bool receiver_cycle(struct receiver *r, uint64_t now, bool ready, struct packet *p);
void receiver_release(struct receiver *r);

#endif

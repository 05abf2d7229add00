/*
 * The interconnect between SMs and L2 slices: a crossbar with a port of one flit a cycle at each
 * end of both directions. A packet's head takes latency_ck cycles through it; what waits for a
 * busy receiver waits in that receiver's buffer, of which each sender owns credits.
 *
 * All messages arrive at least latency_ck cycles after they were sent, so that senders and
 * receivers may be played one after the other for as many cycles. What arrives in the same cycle
 * is ordered by sender, if senders are played in order.
 */
#ifndef WARPSCHED_NET_H
#define WARPSCHED_NET_H

#include <stdbool.h>
#include <stdint.h>

struct packet {
	uint64_t line; /* address in the slice of a request, of memory in a reply */
	uint32_t sectors;
	uint32_t handle; /* the SM's */
	uint16_t node;	 /* who sent it; in a mailbox of credits: whose buffer has room again */
	uint16_t flits;
	uint8_t type;  /* enum packet_type */
	uint8_t kind;  /* enum wcp_access_kind */
	uint8_t cache; /* of the SM: which asked */
	uint8_t unused[5];
};

enum packet_type { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_DATA, PACKET_ACK };

/* Packets by the cycle in which they arrive. */
enum { MAILBOX_SLOTS = 128 };
struct mailbox {
	struct letter {
		struct packet packet;
		uint32_t next;
	} * letter; /* [cap] */
	uint32_t cap, free;
	uint32_t first[MAILBOX_SLOTS], last[MAILBOX_SLOTS]; /* 0: none; else 1 + letter */
	uint64_t bits[MAILBOX_SLOTS / 64];
};

/* A receiver's end: packets queue for the port, which takes a flit a cycle. */
struct receiver {
	struct mailbox mail;
	uint32_t first, last; /* queued letters, as above */
	uint32_t taken;	      /* flits of the first */
	uint32_t queued;
};

/* A sender's end. */
struct sender {
	struct packet *queue; /* [cap] ring */
	uint32_t head, n, cap;
	uint32_t flits;	     /* queued */
	uint32_t *credits;   /* [receivers] flits of buffer left */
	struct mailbox mail; /* credits that come back */
	uint64_t busy_until;
};

bool mailbox_put(struct mailbox *m, uint64_t cycle, const struct packet *p); /* false: no memory */
/* The first cycle from now on at which something arrives; UINT64_MAX: none. */
uint64_t mailbox_next(const struct mailbox *m, uint64_t now);
void mailbox_release(struct mailbox *m);

bool sender_init(struct sender *s, uint32_t receivers, uint32_t credits, uint32_t queue);
void sender_release(struct sender *s);
static inline bool
sender_room(const struct sender *s, uint32_t flits, uint32_t limit)
{
	return s->n < s->cap && (s->flits + flits <= limit || s->n == 0);
}
/* There is room. node of the packet: the receiver. */
void sender_put(struct sender *s, const struct packet *p);
/* One cycle: credits that came, and the first packet if port and credits allow; true: *p leaves now
 * and *to is its receiver. */
bool sender_cycle(struct sender *s, uint64_t now, struct packet *p, uint32_t *to);
bool sender_idle(const struct sender *s);

/* One cycle: what arrived queues; when ready to take a packet and its last flit is in, it is in *p:
 * true. */
bool receiver_cycle(struct receiver *r, uint64_t now, bool ready, struct packet *p);
void receiver_release(struct receiver *r);

#endif

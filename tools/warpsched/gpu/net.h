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
	uint16_t node;	 /* who sent it; in a mailbox of credits: whose buffer has room again */
	uint16_t flits;
	uint8_t type;  /* enum packet_type */
	uint8_t kind;  /* enum wcp_access_kind */
	uint8_t cache; /* of the SM: which asked */
	uint8_t unused[3];
	uint16_t from; /* in a crossbar: the input */
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
	uint32_t credits;    /* flits of room in the crossbar's input buffer */
	struct mailbox mail; /* credits that come back */
	uint64_t busy_until;
};

/* One direction: inputs are senders, outputs receivers. */
struct crossbar {
	uint32_t inputs, outputs;
	struct mailbox mail;	/* packets on their way to an input */
	struct mailbox credits; /* room in a receiver's buffer: node is the receiver */
	struct input {
		uint32_t first, last; /* letters of mail queued, as in a receiver */
		uint64_t busy_until;
	} * input; /* [inputs] */
	struct output {
		uint64_t busy_until;
		uint32_t last; /* input served last */
		uint32_t best; /* of this cycle: 1 + input; 0: none */
		uint32_t credits;
	} * output;	 /* [outputs] */
	uint32_t queued; /* packets in all inputs */
	uint64_t wake;	 /* nothing happens before */
};

bool mailbox_put(struct mailbox *m, uint64_t cycle, const struct packet *p); /* false: no memory */
/* The first cycle from now on at which something arrives; UINT64_MAX: none. */
uint64_t mailbox_next(const struct mailbox *m, uint64_t now);
void mailbox_release(struct mailbox *m);

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

/* One cycle: what arrived queues; when ready to take a packet and its last flit is in, it is in *p:
 * true. */
bool receiver_cycle(struct receiver *r, uint64_t now, bool ready, struct packet *p);
void receiver_release(struct receiver *r);

#endif

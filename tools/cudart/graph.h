/* Graphs, and capture of streams into them. The lock is held. */
#ifndef CUDART_GRAPH_H
#define CUDART_GRAPH_H

#include "op.h"

struct node {
	struct handle handle;
	struct graph *graph;
	struct op op;
	struct node **before; /* [n_before] what it depends on */
	uint32_t n_before;
	struct node *original; /* in a clone */
	bool disabled;	       /* in an executable graph */
	uint32_t mark;	       /* scratch of walks */
};

struct graph {
	struct handle handle;
	struct node **node; /* [n] in the order they came */
	uint32_t n, cap;
	struct user_ref *users;
	bool owned; /* by a node: not the program's to destroy */
};

/* Captures: every stream that takes part points to the same one. */
int capture_add(struct stream *s, const struct op *op, struct node **made);
int capture_record(struct stream *s, struct event *e, unsigned flags);
int capture_wait(struct stream *s, struct event *e, unsigned flags);
void capture_invalidate(const struct stream *s);
bool capture_any(void);
/* Is there a capture that the legacy stream would break? */
bool capture_forbids_legacy(void);

int graph_run(const struct graph *g, struct stream *stream);
struct graph *graph_clone(const struct graph *g);
void graph_free(struct graph *g);

#endif

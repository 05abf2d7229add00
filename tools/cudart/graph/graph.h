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
	uint32_t index;	       /* in its graph's list */
};

struct user_object {
	struct handle handle;
	cu_host_fn *destroy;
	void *arg;
	unsigned refs;
};

struct graph {
	struct handle handle;
	struct node **node; /* [n] in the order they came */
	uint32_t n, cap;
	struct user_object **user; /* [n_user] one entry for each reference */
	uint32_t n_user;
	struct condition *condition; /* [n_condition] made for it */
	uint32_t n_condition;
	bool owned; /* by a node or an executable graph: not the program's to destroy */
};

struct graph_exec {
	struct handle handle;
	struct graph *graph; /* its own; originals are the nodes it was made from */
	unsigned long long flags;
};

struct graph *graph_new(void);
void graph_free(struct graph *g);
/* Copies nodes and edges; clones know their originals. */
struct graph *graph_clone(const struct graph *g);
/* A node that owns a copy of the operation; before may name nodes of this graph only. */
int graph_add(struct graph *g, const struct op *op, struct node *const *before, uint32_t n_before,
    struct node **made);
int node_depend(struct node *n, struct node *const *before, uint32_t n_before);
void node_remove(struct node *n);
struct node *graph_counterpart(const struct graph *clone, const struct node *original);
/* The nodes so that each comes after what it depends on; the caller frees it. NULL: no memory, or a
 * circle. */
struct node **graph_order(const struct graph *g);
int graph_run(const struct graph *g, struct stream *stream);
int user_release(struct user_object *u, unsigned count);

/* ---- conditional.c: the lock is held -------------------------------------------------------- */

int conditions_copy(struct graph *to, const struct graph *from);
/* Before a launch: values that begin anew, those of bodies too. */
void conditions_begin(const struct graph *g);
void conditions_free(struct graph *g);
int condition_keep(struct op *to, const struct op *from);
void condition_release(struct op *op);
int condition_run(const struct op *op, struct stream *stream);

/* ---- graph_memory.c: the lock is held ------------------------------------------------------- */

/* Memory for a node that allocates it: the node's address of it. The caller holds it, and lets it
 * go when the node is there, or is not to be. */
int graph_memory_new(void **p, size_t bytes);
bool graph_memory_is(const void *p);
/* A node that allocates it comes, and goes. */
void graph_memory_hold(const void *p);
void graph_memory_let_go(void *p);
/* Its node runs; the program or a node frees it. */
void graph_memory_use(const void *p);
int graph_memory_free(void *p);
/* Before a launch: what the last one left is freed, or in the way. */
int graph_memory_launch(const struct graph *graph, bool frees);

/* ---- capture.c ------------------------------------------------------------------------------ */

int capture_add(struct stream *s, const struct op *op);
int capture_record(struct stream *s, struct event *e, unsigned flags);
int capture_wait(struct stream *s, struct event *e, unsigned flags);
/* s NULL: all of them */
void capture_invalidate(const struct stream *s);
/* The stream goes away. */
void capture_drop(struct stream *s);
bool capture_any(void);
/* Is there a capture that the legacy stream would break? */
bool capture_forbids_legacy(void);

#endif

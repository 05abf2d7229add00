/* Operations from the parameters that calls about graphs take. The lock is held. */
#ifndef CUDART_NODE_H
#define CUDART_NODE_H

#include "graph/graph.h"

int op_of_kernel(struct op *op, const struct cu_kernel_params *p);
int op_of_copy(struct op *op, const struct cu_memcpy_3d *p);
int op_of_set(struct op *op, const struct cu_memset_params *p);
int op_of_host(struct op *op, const struct cu_host_params *p);
int op_of_graph(struct op *op, void *graph);
int op_of_event(struct op *op, enum cu_node_type type, void *event);
int op_of_alloc(struct op *op, struct cu_mem_alloc_params *p);
/* host NULL: to the symbol */
int op_of_symbol(struct op *op, const void *symbol, void *host, const void *from, size_t bytes,
    size_t offset, int kind);
int op_of_condition(struct op *op, struct cu_conditional_params *p);
int op_of_params(struct op *op, struct cu_graph_node_params *p);

/* Begins a call about a graph: the lock is taken, *g is the graph if the answer is CU_OK. */
int node_enter(void *graph, struct graph **g);

#endif

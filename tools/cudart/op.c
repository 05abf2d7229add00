/* Operations: checked, run, kept. */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"
#include "memory.h"
#include "op.h"

struct op
op_copy(void *to, const void *from, size_t bytes, enum cu_memcpy_kind kind)
{
	union {
		const void *from;
		void *pointer;
	} source = {from};
	return (struct op){.type = CU_NODE_MEMCPY,
	    .of.copy = {.src_ptr = {source.pointer, bytes, bytes, 1},
		.dst_ptr = {to, bytes, bytes, 1},
		.extent = {bytes, 1, 1},
		.kind = kind}};
}

int
op_check(const struct op *op)
{
	switch (op->type) {
	case CU_NODE_KERNEL: return launch_check(&op->of.kernel.launch, NULL);
	case CU_NODE_MEMCPY: return copy_check(&op->of.copy);
	case CU_NODE_MEMSET: return set_check(&op->of.set);
	case CU_NODE_HOST:
	case CU_NODE_GRAPH:
	case CU_NODE_EMPTY:
	case CU_NODE_WAIT_EVENT:
	case CU_NODE_EVENT_RECORD:
	case CU_NODE_MEM_ALLOC:
	case CU_NODE_MEM_FREE:
	case CU_NODE_CONDITIONAL: break;
	}
	return CU_OK;
}

/* The program's function runs without the lock: it may take its time, or ask what a host function
 * should not. */
static void
run_host(const struct op *op)
{
	print_flush();
	const bool held = rt_let_go();
	if (op->of.host.callback)
		op->of.host.callback(op->of.host.stream, CU_OK, op->of.host.arg);
	else
		op->of.host.fn(op->of.host.arg);
	rt_take_back(held);
}

/* The event of a graph's node may be destroyed by now: nobody can ask for it any more. */
static int
record(struct event *e, struct stream *s)
{
	return handle_get(e, HANDLE_EVENT) ? event_record(e, s) : CU_OK;
}

int
op_run(const struct op *op, struct stream *s)
{
	switch (op->type) {
	case CU_NODE_KERNEL: return launch_run(&op->of.kernel.launch, op->of.kernel.args, s->id);
	case CU_NODE_MEMCPY: return copy_run(&op->of.copy, s->id);
	case CU_NODE_MEMSET: return set_run(&op->of.set, s->id);
	case CU_NODE_HOST: run_host(op); return CU_OK;
	case CU_NODE_GRAPH: conditions_begin(op->of.graph); return graph_run(op->of.graph, s);
	case CU_NODE_CONDITIONAL: return condition_run(op, s);
	case CU_NODE_WAIT_EVENT:
	case CU_NODE_EMPTY: return CU_OK;
	case CU_NODE_EVENT_RECORD: return record(op->of.event, s);
	case CU_NODE_MEM_ALLOC: graph_memory_use(op->of.alloc.pointer); return CU_OK;
	case CU_NODE_MEM_FREE: return device_release(op->of.released);
	}
	return CU_INVALID_VALUE;
}

/* ---- keeping -------------------------------------------------------------------------------- */

/* Pointers first, then the bytes they point to, in one piece. */
static void **
keep_args(const struct kernel *k, void *const *args)
{
	const struct wcp_kernel_info *info = &k->info;
	size_t bytes = (info->n_param + 1) * sizeof *args;
	for (uint32_t i = 0; i < info->n_param; i++)
		bytes += (info->param_bytes[i] + 15ul) & ~15ul;
	void **kept = malloc(bytes);
	char *at = kept ? (char *)(kept + info->n_param + 1) : NULL;
	for (uint32_t i = 0; kept && i < info->n_param; i++) {
		kept[i] = at;
		memcpy(at, args[i], info->param_bytes[i]);
		at += (info->param_bytes[i] + 15ul) & ~15ul;
	}
	return kept;
}

int
op_keep(struct op *to, const struct op *from)
{
	*to = *from;
	if (from->type == CU_NODE_KERNEL) {
		const struct kernel *k = from->of.kernel.launch.kernel;
		if (k->info.n_param && !from->of.kernel.args)
			return CU_INVALID_VALUE;
		to->of.kernel.args = keep_args(k, from->of.kernel.args);
		return to->of.kernel.args ? CU_OK : CU_MEMORY_ALLOCATION;
	}
	if (from->type == CU_NODE_CONDITIONAL)
		return condition_keep(to, from);
	if (from->type == CU_NODE_MEM_ALLOC)
		graph_memory_hold(from->of.alloc.pointer);
	if (from->type == CU_NODE_GRAPH) {
		to->of.graph = graph_clone(from->of.graph);
		if (to->of.graph)
			to->of.graph->owned = true;
		return to->of.graph ? CU_OK : CU_MEMORY_ALLOCATION;
	}
	return CU_OK;
}

void
op_release(struct op *op)
{
	if (op->type == CU_NODE_KERNEL)
		free(op->of.kernel.args);
	if (op->type == CU_NODE_GRAPH && op->of.graph)
		graph_free(op->of.graph);
	if (op->type == CU_NODE_CONDITIONAL)
		condition_release(op);
	if (op->type == CU_NODE_MEM_ALLOC)
		graph_memory_let_go(op->of.alloc.pointer);
	op->type = CU_NODE_EMPTY;
}

/* Attributes of streams and of kernel nodes: kept, for the asking. */
#include <string.h>
#include "graph/graph.h"
#include "op.h"

/* cudaLaunchAttributeValue */
struct value {
	char bytes[64];
};

enum { STREAM_ATTRIBUTES_FIRST = 1, STREAM_ATTRIBUTES_LAST = 10 };

static bool
is_attribute(int id)
{
	return id >= STREAM_ATTRIBUTES_FIRST && id <= STREAM_ATTRIBUTES_LAST;
}

API int
cudaStreamSetAttribute(void *stream, int id, const struct value *value)
{
	int s = rt_enter();
	struct stream *st = stream_get(stream);
	if (!s && !st)
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s && (!value || !is_attribute(id)))
		s = CU_INVALID_VALUE;
	if (!s)
		memcpy(st->attribute[id], value, sizeof *value);
	return rt_leave(s);
}

API int
cudaStreamGetAttribute(void *stream, int id, struct value *value)
{
	int s = rt_enter();
	const struct stream *st = stream_get(stream);
	if (!s && !st)
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s && (!value || !is_attribute(id)))
		s = CU_INVALID_VALUE;
	if (!s)
		memcpy(value, st->attribute[id], sizeof *value);
	return rt_leave(s);
}

API int
cudaStreamCopyAttributes(void *to, void *from)
{
	int s = rt_enter();
	struct stream *t = stream_get(to), *f = stream_get(from);
	if (!s && (!t || !f))
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s)
		memcpy(t->attribute, f->attribute, sizeof t->attribute);
	return rt_leave(s);
}

/* Of a kernel node only cooperation and clusters matter here; the rest is about speed. */
API int
cudaGraphKernelNodeSetAttribute(void *node, int id, const struct cu_launch_attribute *value)
{
	int s = rt_enter();
	struct node *n = handle_get(node, HANDLE_NODE);
	if (!s &&
	    (!n || n->op.type != CU_NODE_KERNEL || !value || id < 0 || id >= CU_LAUNCH_ATTRIBUTES))
		s = CU_INVALID_VALUE;
	int number;
	if (!s && id == CU_LAUNCH_COOPERATIVE) {
		memcpy(&number, value, sizeof number);
		n->op.of.kernel.launch.cooperative = number != 0;
	}
	if (!s && id == CU_LAUNCH_CLUSTER_DIMENSION)
		memcpy(&n->op.of.kernel.launch.cluster, value, sizeof(struct cu_dim3));
	return rt_leave(s);
}

API int
cudaGraphKernelNodeGetAttribute(void *node, int id, struct value *value)
{
	int s = rt_enter();
	const struct node *n = handle_get(node, HANDLE_NODE);
	if (!s &&
	    (!n || n->op.type != CU_NODE_KERNEL || !value || id < 0 || id >= CU_LAUNCH_ATTRIBUTES))
		s = CU_INVALID_VALUE;
	if (!s) {
		memset(value, 0, sizeof *value);
		if (id == CU_LAUNCH_COOPERATIVE)
			value->bytes[0] = n->op.of.kernel.launch.cooperative;
		if (id == CU_LAUNCH_CLUSTER_DIMENSION)
			memcpy(value, &n->op.of.kernel.launch.cluster, sizeof(struct cu_dim3));
	}
	return rt_leave(s);
}

API int
cudaGraphKernelNodeCopyAttributes(void *to, void *from)
{
	int s = rt_enter();
	struct node *t = handle_get(to, HANDLE_NODE), *f = handle_get(from, HANDLE_NODE);
	if (!s && (!t || !f || t->op.type != CU_NODE_KERNEL || f->op.type != CU_NODE_KERNEL))
		s = CU_INVALID_VALUE;
	if (!s) {
		t->op.of.kernel.launch.cooperative = f->op.of.kernel.launch.cooperative;
		t->op.of.kernel.launch.cluster = f->op.of.kernel.launch.cluster;
	}
	return rt_leave(s);
}

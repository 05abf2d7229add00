/* Memory in stream order: pools account for it, nothing waits. */
#include <stdlib.h>
#include <string.h>
#include "graph/graph.h"
#include "memory.h"
#include "queue/queue.h"

enum {
	POOL_FOLLOW_EVENTS = 1,
	POOL_OPPORTUNISTIC,
	POOL_DEPENDENCIES,
	POOL_THRESHOLD,
	POOL_RESERVED,
	POOL_RESERVED_HIGH,
	POOL_USED,
	POOL_USED_HIGH,
	POOL_ATTRIBUTES
};

struct pool {
	struct handle handle;
	uint64_t value[POOL_ATTRIBUTES];
	uint64_t max_bytes;
};

static struct pool *default_pool, *current_pool;
static struct table owner; /* of memory that came from a pool */

static struct pool *
pool_new(void)
{
	struct pool *p = handle_new(HANDLE_POOL, sizeof *p);
	if (p)
		p->value[POOL_FOLLOW_EVENTS] = p->value[POOL_OPPORTUNISTIC] =
		    p->value[POOL_DEPENDENCIES] = 1;
	return p;
}

static struct pool *
the_default(void)
{
	if (!default_pool)
		default_pool = pool_new();
	if (!current_pool)
		current_pool = default_pool;
	return default_pool;
}

static void
account(struct pool *p, uint64_t more, uint64_t less)
{
	p->value[POOL_USED] += more - less;
	p->value[POOL_RESERVED] = p->value[POOL_USED];
	for (int k = POOL_RESERVED; k <= POOL_USED; k += 2)
		if (p->value[k] > p->value[k + 1])
			p->value[k + 1] = p->value[k];
}

static int
from_pool(void **out, size_t bytes, struct pool *p, void *stream)
{
	struct stream *s = stream_get(stream);
	if (!out || !p || !s)
		return s ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (p->max_bytes && p->value[POOL_USED] + bytes > p->max_bytes)
		return CU_MEMORY_ALLOCATION;
	if (s->capture && bytes) {
		int status = graph_memory_new(out, bytes);
		if (status)
			return status;
		const struct op op = {
		    .type = CU_NODE_MEM_ALLOC, .of.alloc = {.bytes = bytes, .pointer = *out}};
		status = stream_submit(s, &op);
		graph_memory_let_go(*out);
		return status;
	}
	const int status = device_new(out, bytes);
	if (status || !*out)
		return status;
	table_set(&owner, *out, p);
	account(p, bytes, 0);
	return CU_OK;
}

API int
cudaMallocAsync(void **out, size_t bytes, void *stream)
{
	RT_CALLED;
	const int s = rt_enter();
	the_default();
	return rt_leave(s ? s : from_pool(out, bytes, current_pool, stream));
}

API int
cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream)
{
	RT_CALLED;
	const int s = rt_enter();
	return rt_leave(s ? s : from_pool(out, bytes, handle_get(pool, HANDLE_POOL), stream));
}

/* Memory of a pool is given back to it, whichever call frees it. */
void
pool_forget(const void *p, uint64_t bytes)
{
	struct pool *from = table_get(&owner, p);
	if (!from)
		return;
	table_remove(&owner, p);
	if (handle_get(from, HANDLE_POOL))
		account(from, 0, bytes);
}

API int
cudaFreeAsync(void *p, void *stream)
{
	RT_CALLED;
	int status = rt_enter();
	struct stream *s = stream_get(stream);
	const struct op op = {.type = CU_NODE_MEM_FREE, .of.released = p};
	if (!status && !s)
		status = CU_INVALID_RESOURCE_HANDLE;
	if (!status && !p)
		status = CU_INVALID_VALUE;
	if (!status)
		status = s->capture || queue_takes(&op) ? stream_submit(s, &op) : device_release(p);
	return rt_leave(status);
}

static int
give(void **out, int device, struct pool *p)
{
	if (!out || device)
		return device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	*out = p;
	return p ? CU_OK : CU_MEMORY_ALLOCATION;
}

API int
cudaDeviceGetDefaultMemPool(void **out, int device)
{
	const int s = rt_enter();
	return rt_leave(s ? s : give(out, device, the_default()));
}

API int
cudaDeviceGetMemPool(void **out, int device)
{
	const int s = rt_enter();
	the_default();
	return rt_leave(s ? s : give(out, device, current_pool));
}

API int
cudaDeviceSetMemPool(int device, void *pool)
{
	int s = rt_enter();
	struct pool *p = handle_get(pool, HANDLE_POOL);
	if (!s && (device || !p))
		s = device ? CU_INVALID_DEVICE : CU_INVALID_VALUE;
	the_default();
	if (!s)
		current_pool = p;
	return rt_leave(s);
}

API int
cudaMemPoolCreate(void **out, const struct cu_mem_pool_props *props)
{
	const int s = rt_enter();
	if (s || !out || !props || props->alloc_type != 1)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	if (props->location.type != 1 || props->location.id)
		return rt_leave(props->location.type == 1 ? CU_INVALID_DEVICE : CU_NOT_SUPPORTED);
	struct pool *p = pool_new();
	if (p)
		p->max_bytes = props->max_bytes;
	*out = p;
	return rt_leave(p ? CU_OK : CU_MEMORY_ALLOCATION);
}

API int
cudaMemPoolDestroy(void *pool)
{
	int s = rt_enter();
	struct pool *p = handle_get(pool, HANDLE_POOL);
	if (!s && (!p || p == the_default()))
		s = CU_INVALID_VALUE;
	if (!s) {
		if (current_pool == p)
			current_pool = default_pool;
		handle_free(p);
	}
	return rt_leave(s);
}

API int
cudaMemPoolTrimTo(void *pool, size_t keep)
{
	const int s = rt_enter();
	(void)keep;
	return rt_leave(s ? s : handle_get(pool, HANDLE_POOL) ? CU_OK : CU_INVALID_VALUE);
}

/* The first three are an int, the others 64 bits. */
static size_t
value_bytes(int attribute)
{
	return attribute < POOL_THRESHOLD ? sizeof(int) : sizeof(uint64_t);
}

API int
cudaMemPoolSetAttribute(void *pool, int attribute, const void *value)
{
	int s = rt_enter();
	struct pool *p = handle_get(pool, HANDLE_POOL);
	uint64_t v = 0;
	if (!s && (!p || !value || attribute <= 0 || attribute >= POOL_ATTRIBUTES))
		s = CU_INVALID_VALUE;
	if (s)
		return rt_leave(s);
	memcpy(&v, value, value_bytes(attribute));
	if (attribute == POOL_RESERVED || attribute == POOL_USED ||
	    (attribute > POOL_THRESHOLD && v))
		return rt_leave(CU_INVALID_VALUE);
	if (attribute > POOL_THRESHOLD)
		v = p->value[attribute - 1]; /* a high-water mark begins anew */
	p->value[attribute] = v;
	return rt_leave(CU_OK);
}

API int
cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
	const int s = rt_enter();
	const struct pool *p = handle_get(pool, HANDLE_POOL);
	if (s || !p || !value || attribute <= 0 || attribute >= POOL_ATTRIBUTES)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	memcpy(value, &p->value[attribute], value_bytes(attribute));
	return rt_leave(CU_OK);
}

API int
cudaMemPoolSetAccess(void *pool, const struct cu_mem_access *list, size_t n)
{
	int s = rt_enter();
	if (!s && (!handle_get(pool, HANDLE_POOL) || (n && !list)))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++)
		if (list[i].location.type != 1 || list[i].location.id || list[i].flags != 3)
			s = CU_INVALID_DEVICE;
	return rt_leave(s);
}

API int
cudaMemPoolGetAccess(int *flags, void *pool, const struct cu_mem_location *location)
{
	const int s = rt_enter();
	if (s || !flags || !location || !handle_get(pool, HANDLE_POOL))
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*flags = location->type == 1 && !location->id ? 3 : 0;
	return rt_leave(CU_OK);
}

API int
cudaMemGetDefaultMemPool(void **out, const struct cu_mem_location *location, int type)
{
	const int s = rt_enter();
	if (s || !location || type != 1 || location->type != 1)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	return rt_leave(give(out, location->id, the_default()));
}

API int
cudaMemGetMemPool(void **out, const struct cu_mem_location *location, int type)
{
	const int s = rt_enter();
	the_default();
	if (s || !location || type != 1 || location->type != 1)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	return rt_leave(give(out, location->id, current_pool));
}

API int
cudaMemSetMemPool(const struct cu_mem_location *location, int type, void *pool)
{
	return location && type == 1 && location->type == 1
		   ? cudaDeviceSetMemPool(location->id, pool)
		   : rt_latch(CU_INVALID_VALUE);
}

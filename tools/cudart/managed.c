/* Advice about managed memory: it is where it is, and what was advised can be asked for. */
#include <string.h>
#include "memory.h"
#include "op.h"

/* cudaCpuDeviceId is -1, cudaInvalidDeviceId -2 */
struct advice {
	struct handle handle;
	bool read_mostly;
	struct cu_mem_location preferred, accessed_by, prefetched;
};

static struct table advices; /* by the start of the allocation */

enum {
	ADVISE_READ_MOSTLY = 1,
	ADVISE_NOT_READ_MOSTLY,
	ADVISE_PREFERRED,
	ADVISE_NOT_PREFERRED,
	ADVISE_ACCESSED_BY,
	ADVISE_NOT_ACCESSED_BY
};

static struct advice *
advice_of(const void *p)
{
	struct wcp_device_allocation found;
	if (memory_type(p, &found) != CU_MEMORY_MANAGED)
		return NULL;
	const void *base = (const char *)p - ((uint64_t)(uintptr_t)p - found.base);
	struct advice *a = table_get(&advices, base);
	if (!a && (a = handle_new(HANDLE_ADVICE, sizeof *a))) {
		const struct cu_mem_location none = {0, -2};
		a->preferred = a->accessed_by = a->prefetched = none;
		table_set(&advices, base, a);
	}
	return a;
}

static bool
is_location(struct cu_mem_location l)
{
	return l.type == 1 ? l.id == 0 : l.type >= 2 && l.type <= 4;
}

API int
cudaMemAdvise(const void *p, size_t bytes, int advice, struct cu_mem_location where)
{
	int s = rt_enter();
	const struct cu_mem_location none = {0, -2};
	struct advice *a = s ? NULL : advice_of(p);
	if (!s && (!a || !bytes))
		s = CU_INVALID_VALUE;
	if (!s && advice >= ADVISE_PREFERRED && advice != ADVISE_NOT_PREFERRED &&
	    !is_location(where))
		s = CU_INVALID_DEVICE;
	if (s)
		return rt_leave(s);
	switch (advice) {
	case ADVISE_READ_MOSTLY:
	case ADVISE_NOT_READ_MOSTLY: a->read_mostly = advice == ADVISE_READ_MOSTLY; break;
	case ADVISE_PREFERRED: a->preferred = where; break;
	case ADVISE_NOT_PREFERRED: a->preferred = none; break;
	case ADVISE_ACCESSED_BY: a->accessed_by = where; break;
	case ADVISE_NOT_ACCESSED_BY: a->accessed_by = none; break;
	default: s = CU_INVALID_VALUE;
	}
	return rt_leave(s);
}

int
managed_prefetch(const void *p, size_t bytes, struct cu_mem_location where, void *stream)
{
	struct advice *a = advice_of(p);
	if (!a || !bytes)
		return CU_INVALID_VALUE;
	if (!is_location(where))
		return CU_INVALID_DEVICE;
	if (!stream_get(stream))
		return CU_INVALID_RESOURCE_HANDLE;
	a->prefetched = where;
	return CU_OK;
}

API int
cudaMemPrefetchAsync(
    const void *p, size_t bytes, struct cu_mem_location where, unsigned flags, void *stream)
{
	const int s = rt_enter();
	return rt_leave(s	? s
			: flags ? CU_INVALID_VALUE
				: managed_prefetch(p, bytes, where, stream));
}

/* The number of a device, -1 for the host, -2 for none. */
static int
device_number(struct cu_mem_location l)
{
	return l.type == 1 ? l.id : l.type ? -1 : -2;
}

static int
range_attribute(const struct advice *a, int attribute, int *out, size_t n)
{
	int value = 0;
	switch (attribute) {
	case 1: value = a->read_mostly; break;
	case 2: value = device_number(a->preferred); break;
	case 3: value = device_number(a->accessed_by); break;
	case 4: value = device_number(a->prefetched); break;
	case 5: value = a->preferred.type; break;
	case 6: value = a->preferred.id; break;
	case 7: value = a->prefetched.type; break;
	case 8: value = a->prefetched.id; break;
	default: return CU_INVALID_VALUE;
	}
	out[0] = value;
	for (size_t i = 1; i < n; i++)
		out[i] = -2;
	return CU_OK;
}

API int
cudaMemRangeGetAttribute(void *out, size_t out_bytes, int attribute, const void *p, size_t bytes)
{
	const int s = rt_enter();
	const struct advice *a = s ? NULL : advice_of(p);
	if (s || !a || !out || !bytes || out_bytes < sizeof(int) || out_bytes % sizeof(int))
		return rt_leave(s ? s : CU_INVALID_VALUE);
	return rt_leave(range_attribute(a, attribute, out, out_bytes / sizeof(int)));
}

API int
cudaMemRangeGetAttributes(void **out, const size_t *out_bytes, const int *attribute, size_t n,
    const void *p, size_t bytes)
{
	int s = rt_enter();
	const struct advice *a = s ? NULL : advice_of(p);
	if (!s && (!a || !out || !out_bytes || !attribute || !n || !bytes))
		s = CU_INVALID_VALUE;
	for (size_t i = 0; !s && i < n; i++)
		s = out_bytes[i] < sizeof(int)
			? CU_INVALID_VALUE
			: range_attribute(a, attribute[i], out[i], out_bytes[i] / sizeof(int));
	return rt_leave(s);
}

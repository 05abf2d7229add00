/* Allocation and plain copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "graph/graph.h"
#include "leak.h"
#include "memory.h"
#include "queue/queue.h"

/* Memory that host and device share lies here, allocation by allocation, and no address is used
 * twice: what is used after it was freed faults. */
#define SHARED_BASE 0x280000000000u
#define SHARED_PAGE 0x1000u
/* Reserved addresses end before those where programs and their libraries are loaded. */
#define SHARED_END 0x500000000000u

struct shared {
	uint64_t bytes, mapped_bytes;
	enum cu_memory_type type;
	unsigned flags;
	bool registered; /* the program's own memory */
	bool mapped;	 /* another process's: its mapping begins at the page's start */
	bool shown;	 /* mapped, where the program reserved addresses */
};

static struct table shared; /* by address */
static uint64_t shared_next = SHARED_BASE;
static uint64_t device_used;
static bool others_write; /* memory that may be another process's */
static unsigned n_device, n_managed, n_host;

static uint64_t
number(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void *
pointer(uint64_t address)
{
	union {
		uint64_t number;
		void *pointer;
	} u = {address};
	return u.pointer;
}

bool
memory_is_shared(void)
{
	return others_write;
}

bool
memory_is_device(const void *p)
{
	return number(p) - WCP_DEVICE_BASE < rt.settings.device.memory_bytes;
}

enum cu_memory_type
memory_type(const void *p, struct wcp_device_allocation *found)
{
	if (!wcp_device_allocation(rt.device, number(p), found))
		return CU_MEMORY_UNREGISTERED;
	if (!found->attached)
		return CU_MEMORY_DEVICE;
	const struct shared *s = table_get(&shared, pointer(found->base));
	return s ? s->type : CU_MEMORY_UNREGISTERED;
}

void *
memory_at(const void *p, size_t bytes)
{
	if (memory_is_device(p))
		return wcp_device_host(rt.device, number(p), bytes);
	return rt_readable(p, bytes) ? pointer(number(p)) : NULL;
}

void
allocation_name(char *label, size_t room, const char *call, unsigned n)
{
	char place[120];
	rt_place(place, sizeof place);
	snprintf(label, room, "%s %u%.90s", call, n, place);
}

/* ---- allocating ----------------------------------------------------------------------------- */

int
device_new(void **p, size_t bytes)
{
	struct wcp_error e;
	char label[120];
	*p = NULL;
	if (!bytes)
		return CU_OK;
	if (bytes > rt.settings.device.memory_bytes - device_used)
		return CU_MEMORY_ALLOCATION;
	allocation_name(label, sizeof label, "cudaMalloc", ++n_device);
	const uint64_t a = wcp_device_alloc(rt.device, bytes, label, &e);
	if (!a)
		return CU_MEMORY_ALLOCATION;
	device_used += bytes;
	*p = pointer(a);
	leak_remember(*p, bytes, label);
	return CU_OK;
}

static int
shared_new(void **p, size_t bytes, enum cu_memory_type type, unsigned flags, const char *label)
{
	struct wcp_error e;
	const uint64_t mapped = (bytes + SHARED_PAGE - 1) & ~(uint64_t)(SHARED_PAGE - 1);
	struct shared *s = calloc(1, sizeof *s);
	*p = NULL;
	if (!s || !bytes || mapped < bytes) {
		free(s);
		return bytes ? CU_MEMORY_ALLOCATION : CU_OK;
	}
	*s = (struct shared){.bytes = bytes, .mapped_bytes = mapped, .type = type, .flags = flags};
	void *at = mmap(pointer(shared_next), mapped, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED || wcp_device_attach(rt.device, at, bytes, label, &e) ||
	    !table_set(&shared, at, s)) {
		if (at != MAP_FAILED)
			munmap(at, mapped);
		free(s);
		return CU_MEMORY_ALLOCATION;
	}
	if (mapped >= 2u << 20)
		madvise(at, mapped, MADV_HUGEPAGE);
	shared_next += mapped + SHARED_PAGE;
	*p = at;
	return CU_OK;
}

int
managed_new(void **p, size_t bytes, const char *label)
{
	char own[120];
	if (label)
		return shared_new(p, bytes, CU_MEMORY_MANAGED, 0, label);
	allocation_name(own, sizeof own, "cudaMallocManaged", ++n_managed);
	const int s = shared_new(p, bytes, CU_MEMORY_MANAGED, 0, own);
	if (*p)
		leak_remember(*p, bytes, own);
	return s;
}

static int
host_new(void **p, size_t bytes, unsigned flags)
{
	char label[120];
	allocation_name(label, sizeof label, "cudaHostAlloc", ++n_host);
	const int s = shared_new(p, bytes, CU_MEMORY_HOST, flags, label);
	if (*p)
		leak_remember(*p, bytes, label);
	return s;
}

static int
shared_release(void *p, bool registered)
{
	struct wcp_error e;
	struct shared *s = table_get(&shared, p);
	if (!s || s->registered != registered || s->mapped)
		return registered ? CU_HOST_MEMORY_NOT_REGISTERED : CU_INVALID_VALUE;
	wcp_device_detach(rt.device, p, &e);
	leak_forget(p);
	table_remove(&shared, p);
	if (!registered)
		munmap(p, s->mapped_bytes);
	free(s);
	return CU_OK;
}

int
memory_share(const void *p, int *fd, uint64_t *offset, uint64_t *bytes)
{
	struct wcp_error e;
	struct wcp_device_allocation found;
	if (!wcp_device_allocation(rt.device, number(p), &found) || found.attached ||
	    found.base != number(p))
		return CU_INVALID_VALUE;
	others_write = true;
	*bytes = found.bytes;
	*fd = wcp_device_share(rt.device, found.base, offset, &e);
	return *fd < 0 ? CU_MEMORY_ALLOCATION : CU_OK;
}

int
memory_map(void **p, int fd, uint64_t offset, uint64_t bytes)
{
	struct wcp_error e;
	const uint64_t skip = offset % SHARED_PAGE,
		       mapped = (skip + bytes + SHARED_PAGE - 1) & ~(uint64_t)(SHARED_PAGE - 1);
	struct shared *s = calloc(1, sizeof *s);
	if (!s)
		return CU_MEMORY_ALLOCATION;
	*s = (struct shared){
	    .bytes = bytes, .mapped_bytes = mapped, .type = CU_MEMORY_DEVICE, .mapped = true};
	char *at = mmap(pointer(shared_next), mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    (off_t)(offset - skip));
	if (at == MAP_FAILED ||
	    wcp_device_attach(rt.device, at + skip, bytes, "cudaIpcOpenMemHandle", &e) ||
	    !table_set(&shared, at + skip, s)) {
		if (at != MAP_FAILED)
			munmap(at, mapped);
		free(s);
		return CU_MAP_FAILED;
	}
	others_write = true;
	shared_next += mapped + SHARED_PAGE;
	*p = at + skip;
	return CU_OK;
}

static int
unmap(void *p, bool shown)
{
	struct wcp_error e;
	struct shared *s = table_get(&shared, p);
	if (!s || !s->mapped || s->shown != shown)
		return CU_INVALID_VALUE;
	wcp_device_detach(rt.device, p, &e);
	table_remove(&shared, p);
	munmap((char *)p - number(p) % SHARED_PAGE, s->mapped_bytes);
	free(s);
	return CU_OK;
}

int
memory_unmap(void *p)
{
	return unmap(p, false);
}

int
memory_hide(void *p)
{
	return unmap(p, true);
}

/* A wish far away would use up all that lies before it. */
uint64_t
addresses_take(uint64_t bytes, uint64_t alignment, uint64_t wish)
{
	const uint64_t last_end = shared_next - SHARED_PAGE, far = 1ull << 40;
	if (alignment > SHARED_END || shared_next > SHARED_END)
		return 0;
	const uint64_t from = (shared_next + alignment - 1) / alignment * alignment;
	const bool met = wish >= last_end && wish - last_end < far && !(wish % alignment);
	const uint64_t at = met ? wish : from;
	if (at > SHARED_END || bytes > SHARED_END - at)
		return 0;
	shared_next = at + bytes + SHARED_PAGE;
	return at;
}

int
memory_show(uint64_t at, uint64_t bytes, int fd, uint64_t offset, const char *label)
{
	struct wcp_error e;
	struct shared *s = calloc(1, sizeof *s);
	if (!s)
		return CU_MEMORY_ALLOCATION;
	*s = (struct shared){.bytes = bytes,
	    .mapped_bytes = bytes,
	    .type = CU_MEMORY_DEVICE,
	    .mapped = true,
	    .shown = true};
	void *p = mmap(pointer(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
	    fd, (off_t)offset);
	if (p == MAP_FAILED || wcp_device_attach(rt.device, p, bytes, label, &e) ||
	    !table_set(&shared, p, s)) {
		if (p != MAP_FAILED)
			munmap(p, bytes);
		free(s);
		return CU_MAP_FAILED;
	}
	return CU_OK;
}

int
memory_reserve(uint64_t bytes)
{
	if (bytes > rt.settings.device.memory_bytes - device_used)
		return CU_MEMORY_ALLOCATION;
	device_used += bytes;
	return CU_OK;
}

void
memory_give_back(uint64_t bytes)
{
	device_used -= bytes;
}

void
memory_is_anyones(void)
{
	others_write = true;
}

int
device_release(void *p)
{
	struct wcp_error e;
	struct wcp_device_allocation found;
	if (!p)
		return CU_OK;
	if (graph_memory_is(p))
		return graph_memory_free(p);
	const enum cu_memory_type type = memory_type(p, &found);
	if (type == CU_MEMORY_MANAGED)
		return shared_release(p, false);
	if (wcp_device_release(rt.device, number(p), &e)) {
		rt_complain("%s", e.text);
		return CU_INVALID_VALUE;
	}
	leak_forget(p);
	device_used -= found.bytes;
	pool_forget(p, found.bytes);
	return CU_OK;
}

API int
cudaMalloc(void **p, size_t bytes)
{
	RT_CALLED;
	const int s = rt_enter();
	return rt_leave(s ? s : !p ? CU_INVALID_VALUE : device_new(p, bytes));
}

API int
cudaFree(void *p)
{
	RT_CALLED;
	const int s = p ? queue_enter() : rt_enter();
	return rt_leave(s ? s : device_release(p));
}

API int
cudaMallocManaged(void **p, size_t bytes, unsigned flags)
{
	RT_CALLED;
	const int s = rt_enter();
	if (s || !p || !bytes || !(flags == 1 || flags == 2))
		return rt_leave(s ? s : CU_INVALID_VALUE);
	return rt_leave(managed_new(p, bytes, NULL));
}

API int
cudaMallocHost(void **p, size_t bytes)
{
	RT_CALLED;
	const int s = rt_enter();
	return rt_leave(s ? s : !p ? CU_INVALID_VALUE : host_new(p, bytes, 0));
}

API int
cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
	RT_CALLED;
	const int s = rt_enter();
	return rt_leave(s ? s : !p || flags > 7 ? CU_INVALID_VALUE : host_new(p, bytes, flags));
}

API int
cudaFreeHost(void *p)
{
	RT_CALLED;
	const int s = p ? queue_enter() : rt_enter();
	return rt_leave(s ? s : !p ? CU_OK : shared_release(p, false));
}

API int
cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
	struct wcp_error e;
	int status = rt_enter();
	struct shared *s = NULL;
	if (!status && (!p || !bytes || flags > 15 || !rt_readable(p, bytes)))
		status = CU_INVALID_VALUE;
	if (!status && table_get(&shared, p))
		status = CU_HOST_MEMORY_ALREADY_REGISTERED;
	if (!status && !(s = calloc(1, sizeof *s)))
		status = CU_MEMORY_ALLOCATION;
	if (!status && wcp_device_attach(rt.device, p, bytes, "cudaHostRegister", &e)) {
		status = CU_HOST_MEMORY_ALREADY_REGISTERED;
		free(s);
		s = NULL;
	}
	if (!status && s) {
		*s = (struct shared){
		    .bytes = bytes, .type = CU_MEMORY_HOST, .flags = flags, .registered = true};
		table_set(&shared, p, s);
		others_write = true;
	}
	return rt_leave(status);
}

API int
cudaHostUnregister(void *p)
{
	const int s = queue_enter();
	return rt_leave(s ? s : shared_release(p, true));
}

API int
cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	struct wcp_device_allocation found;
	int s = rt_enter();
	if (!s && (!device || flags || memory_type(host, &found) != CU_MEMORY_HOST))
		s = CU_INVALID_VALUE;
	if (!s)
		*device = host;
	return rt_leave(s);
}

API int
cudaHostGetFlags(unsigned *flags, void *host)
{
	struct wcp_device_allocation found;
	int s = rt_enter();
	if (!s && (!flags || memory_type(host, &found) != CU_MEMORY_HOST))
		s = CU_INVALID_VALUE;
	if (!s)
		*flags =
		    ((const struct shared *)table_get(&shared, pointer(found.base)))->flags | 2;
	return rt_leave(s);
}

API int
cudaPointerGetAttributes(struct cu_pointer_attributes *a, const void *p)
{
	struct wcp_device_allocation found;
	const int s = rt_enter();
	if (s || !a)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*a = (struct cu_pointer_attributes){.type = memory_type(p, &found), .device = -2};
	if (a->type != CU_MEMORY_UNREGISTERED) {
		a->device = 0;
		a->device_pointer = pointer(number(p));
	}
	if (a->type != CU_MEMORY_DEVICE)
		a->host_pointer = pointer(number(p));
	return rt_leave(CU_OK);
}

API int
cudaMemGetInfo(size_t *available, size_t *total)
{
	const int s = rt_enter();
	if (s || !available || !total)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	*total = rt.settings.device.memory_bytes;
	*available = *total - device_used;
	return rt_leave(CU_OK);
}

/* ---- copying -------------------------------------------------------------------------------- */

bool
memory_on_device(const void *p)
{
	struct wcp_device_allocation found;
	return memory_is_device(p) || memory_type(p, &found) != CU_MEMORY_UNREGISTERED;
}

/* What is wrong with one side of a copy, or with what is to be set. */
static void
complain(const char *side, const void *p, size_t bytes, bool device)
{
	char where[256];
	if (!device && memory_is_device(p)) {
		rt_complain("the %s 0x%llx is device memory, where the host's is named", side,
		    (unsigned long long)number(p));
		return;
	}
	if (memory_on_device(p) || (device && !rt_readable(p, 1))) {
		wcp_device_describe(rt.device, number(p), bytes, where, sizeof where);
		rt_complain("the %s, %zu bytes at 0x%llx: %s", side, bytes,
		    (unsigned long long)number(p), where);
	} else if (device) {
		rt_complain("the %s 0x%llx is memory of the host that the device was not given",
		    side, (unsigned long long)number(p));
	} else {
		rt_complain("the %s, %zu bytes at 0x%llx: the host has no such memory", side, bytes,
		    (unsigned long long)number(p));
	}
}

/* Shared memory serves as either side, as it does with unified addresses. */
static int
check_direction(const void *to, const void *from, size_t bytes, enum cu_memcpy_kind kind)
{
	const bool needs_to = kind == CU_HOST_TO_DEVICE || kind == CU_DEVICE_TO_DEVICE,
		   needs_from = kind == CU_DEVICE_TO_HOST || kind == CU_DEVICE_TO_DEVICE,
		   host_to = kind == CU_HOST_TO_HOST || kind == CU_DEVICE_TO_HOST,
		   host_from = kind == CU_HOST_TO_HOST || kind == CU_HOST_TO_DEVICE;
	if ((unsigned)kind > CU_COPY_DEFAULT)
		return CU_INVALID_MEMCPY_DIRECTION;
	if ((needs_to && !memory_on_device(to)) || (host_to && memory_is_device(to))) {
		complain("destination", to, bytes, needs_to);
		return CU_INVALID_VALUE;
	}
	if ((needs_from && !memory_on_device(from)) || (host_from && memory_is_device(from))) {
		complain("source", from, bytes, needs_from);
		return CU_INVALID_VALUE;
	}
	return CU_OK;
}

static void
note_copy(const void *to, const void *from, size_t bytes, uint64_t stream)
{
	const bool in = memory_on_device(to), out = memory_on_device(from);
	if (in && out)
		link_host(WCP_HOST_COPY_DEVICE, number(to), bytes, number(from), stream, NULL);
	else if (in)
		link_host(WCP_HOST_COPY_IN, number(to), bytes, 0, stream, NULL);
	else if (out)
		link_host(WCP_HOST_COPY_OUT, number(from), bytes, 0, stream, NULL);
}

int
memory_copy(void *to, const void *from, size_t bytes, enum cu_memcpy_kind kind, uint64_t stream)
{
	if (!bytes)
		return (unsigned)kind > CU_COPY_DEFAULT ? CU_INVALID_MEMCPY_DIRECTION : CU_OK;
	const int s = check_direction(to, from, bytes, kind);
	if (s)
		return s;
	void *t = memory_at(to, bytes);
	const void *f = memory_at(from, bytes);
	if (!t)
		complain("destination", to, bytes, memory_is_device(to));
	if (!f)
		complain("source", from, bytes, memory_is_device(from));
	if (!t || !f)
		return CU_INVALID_VALUE;
	memmove(t, f, bytes);
	note_copy(to, from, bytes, stream);
	return CU_OK;
}

int
memory_set(void *to, int value, size_t bytes, uint64_t stream)
{
	if (!bytes)
		return CU_OK;
	void *t = memory_on_device(to) ? memory_at(to, bytes) : NULL;
	if (!t) {
		complain("destination", to, bytes, true);
		return CU_INVALID_VALUE;
	}
	memset(t, value, bytes);
	link_host(WCP_HOST_MEMSET, number(to), bytes, (uint8_t)value, stream, NULL);
	return CU_OK;
}

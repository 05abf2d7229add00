/*
 * Virtual memory: addresses that are reserved, memory that lies in a file without a name, and what
 * of it is seen where. Addresses without memory that may be accessed are nobody's: who uses them
 * faults.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver/driver.h"
#include "leak.h"
#include "memory.h"
#include "queue/queue.h"

#define GRANULE (2ull << 20)

enum { TYPE_PINNED = 1, LOCATION_DEVICE = 1, SHAREABLE_FILE = 1 };
enum { ACCESS_NONE, ACCESS_READ, ACCESS_BOTH = 3 };

/* cuda.h's CUmemAllocationProp. */
struct property {
	int type, handle_types;
	struct cu_mem_location location;
	void *security;
	unsigned char compression, rdma;
	unsigned short usage;
	unsigned char reserved[4];
};

/* Memory; its handle is its address. */
struct physical {
	struct handle handle;
	struct property property;
	uint64_t bytes;
	int fd;
	unsigned held, mapped; /* how often by the program, and by mappings */
	char label[120];
};

struct range {
	uint64_t at, bytes;
};

struct mapping {
	struct range range;
	uint64_t offset; /* in the memory */
	struct physical *memory;
	int access;
};

static struct range *reserved; /* [n_reserved] */
static struct mapping *mapped; /* [n_mapped] */
static uint32_t n_reserved, n_mapped;
static unsigned n_created, n_imported;

static bool
is_within(struct range part, struct range whole)
{
	return part.at >= whole.at && part.bytes <= whole.bytes &&
	       part.at - whole.at <= whole.bytes - part.bytes;
}

static bool
overlap(struct range a, struct range b)
{
	return a.at < b.at + b.bytes && b.at < a.at + a.bytes;
}

static bool
is_granular(uint64_t at, uint64_t bytes)
{
	return bytes && !(at % GRANULE) && !(bytes % GRANULE);
}

static void *
pointer(uint64_t at)
{
	union {
		uint64_t number;
		void *pointer;
	} u = {at};
	return u.pointer;
}

/* ---- addresses ------------------------------------------------------------------------------ */

static int
reserve(uint64_t *out, uint64_t bytes, uint64_t alignment, uint64_t wish)
{
	if (!out || !is_granular(0, bytes) || (alignment & (alignment - 1)))
		return CU_INVALID_VALUE;
	struct range *p = realloc(reserved, (n_reserved + 1ul) * sizeof *p);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	reserved = p;
	const uint64_t at = addresses_take(bytes, alignment > GRANULE ? alignment : GRANULE, wish);
	if (!at)
		return CU_MEMORY_ALLOCATION;
	reserved[n_reserved++] = (struct range){at, bytes};
	*out = at;
	return CU_OK;
}

API int
cuMemAddressReserve(
    uint64_t *out, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	return driver_answer(rt_leave(s	      ? s
				      : flags ? CU_INVALID_VALUE
					      : reserve(out, bytes, alignment, wish)));
}

static int
unreserve(struct range r)
{
	uint32_t i = 0;
	while (i < n_reserved && (reserved[i].at != r.at || reserved[i].bytes != r.bytes))
		i++;
	if (i == n_reserved)
		return CU_INVALID_VALUE;
	for (uint32_t k = 0; k < n_mapped; k++)
		if (overlap(mapped[k].range, r))
			return CU_INVALID_VALUE;
	reserved[i] = reserved[--n_reserved];
	return CU_OK;
}

API int
cuMemAddressFree(uint64_t at, size_t bytes)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	return driver_answer(rt_leave(s ? s : unreserve((struct range){at, bytes})));
}

/* ---- memory --------------------------------------------------------------------------------- */

static int
check_property(const struct property *p)
{
	if (!p || p->type != TYPE_PINNED || p->handle_types & ~SHAREABLE_FILE)
		return p && p->type == TYPE_PINNED ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
	if (p->location.type != LOCATION_DEVICE)
		return CU_NOT_SUPPORTED;
	return p->location.id ? CU_INVALID_DEVICE : CU_OK;
}

API int
cuMemGetAllocationGranularity(size_t *out, const struct property *p, int which)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	if (!s)
		s = out && (which == 0 || which == 1) ? check_property(p) : CU_INVALID_VALUE;
	if (!s)
		*out = GRANULE;
	return driver_answer(rt_leave(s));
}

/* Takes over the file. */
static int
physical_new(uint64_t *out, const struct property *p, uint64_t bytes, int fd, const char *call,
    unsigned *n_call)
{
	struct physical *m = handle_new(HANDLE_PHYSICAL, sizeof *m);
	const int s = m ? memory_reserve(bytes) : CU_MEMORY_ALLOCATION;
	if (s) {
		if (m)
			handle_free(m);
		close(fd);
		return s;
	}
	m->property = *p;
	m->bytes = bytes;
	m->fd = fd;
	m->held = 1;
	allocation_name(m->label, sizeof m->label, call, ++*n_call);
	leak_remember(m, bytes, m->label);
	*out = (uint64_t)(uintptr_t)m;
	return CU_OK;
}

static void
physical_drop(struct physical *m, unsigned *uses)
{
	--*uses;
	if (m->held || m->mapped)
		return;
	memory_give_back(m->bytes);
	leak_forget(m);
	close(m->fd);
	handle_free(m);
}

/* What only mappings hold has no handle any more. */
static struct physical *
physical_of(uint64_t handle)
{
	struct physical *m = handle_get(pointer(handle), HANDLE_PHYSICAL);
	return m && m->held ? m : NULL;
}

static int
create(uint64_t *out, uint64_t bytes, const struct property *p)
{
	const int s = check_property(p);
	if (s || !out || !is_granular(0, bytes))
		return s ? s : CU_INVALID_VALUE;
	if (bytes > rt.settings.device.memory_bytes)
		return CU_MEMORY_ALLOCATION;
	const int fd = memfd_create("device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		if (fd >= 0)
			close(fd);
		return CU_MEMORY_ALLOCATION;
	}
	return physical_new(out, p, bytes, fd, "cuMemCreate", &n_created);
}

API int
cuMemCreate(uint64_t *out, size_t bytes, const struct property *p, unsigned long long flags)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	return driver_answer(rt_leave(s ? s : flags ? CU_INVALID_VALUE : create(out, bytes, p)));
}

API int
cuMemRelease(uint64_t handle)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	struct physical *m = physical_of(handle);
	if (!s && m)
		physical_drop(m, &m->held);
	return driver_answer(rt_leave(s ? s : m ? CU_OK : CU_INVALID_VALUE));
}

API int
cuMemGetAllocationPropertiesFromHandle(struct property *out, uint64_t handle)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	const struct physical *m = physical_of(handle);
	if (!s && m && out)
		*out = m->property;
	return driver_answer(rt_leave(s ? s : m && out ? CU_OK : CU_INVALID_VALUE));
}

API int
cuMemExportToShareableHandle(int *out, uint64_t handle, int type, unsigned long long flags)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	const struct physical *m = physical_of(handle);
	if (!s && (!out || !m || flags || type != SHAREABLE_FILE ||
		      !(m->property.handle_types & SHAREABLE_FILE)))
		s = CU_INVALID_VALUE;
	if (!s && (*out = dup(m->fd)) < 0)
		s = CU_OPERATING_SYSTEM;
	if (!s)
		memory_is_anyones();
	return driver_answer(rt_leave(s));
}

/* Memory that nobody takes away while it is used, as ours is. */
static bool
is_memory(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && seals & F_SEAL_SHRINK;
}

static int
import(uint64_t *out, int shared)
{
	const struct property p = {
	    TYPE_PINNED, SHAREABLE_FILE, {LOCATION_DEVICE, 0}, NULL, 0, 0, 0, {0}};
	struct stat st;
	if (!is_memory(shared) || fstat(shared, &st) || !is_granular(0, (uint64_t)st.st_size))
		return CU_INVALID_VALUE;
	const int fd = dup(shared);
	if (fd < 0)
		return CU_OPERATING_SYSTEM;
	memory_is_anyones();
	return physical_new(
	    out, &p, (uint64_t)st.st_size, fd, "cuMemImportFromShareableHandle", &n_imported);
}

/* The handle is the number of an open file. */
API int
cuMemImportFromShareableHandle(uint64_t *out, void *handle, int type)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	return driver_answer(
	    rt_leave(s				     ? s
		     : out && type == SHAREABLE_FILE ? import(out, (int)(intptr_t)handle)
						     : CU_INVALID_VALUE));
}

/* ---- what is seen where --------------------------------------------------------------------- */

static int
map(struct range r, uint64_t offset, struct physical *m)
{
	bool is_reserved = false;
	if (!m || !is_granular(r.at, r.bytes) || offset % GRANULE ||
	    !is_within((struct range){offset, r.bytes}, (struct range){0, m->bytes}))
		return CU_INVALID_VALUE;
	for (uint32_t i = 0; i < n_reserved; i++)
		is_reserved |= is_within(r, reserved[i]);
	for (uint32_t i = 0; i < n_mapped; i++)
		is_reserved &= !overlap(r, mapped[i].range);
	if (!is_reserved)
		return CU_INVALID_VALUE;
	struct mapping *p = realloc(mapped, (n_mapped + 1ul) * sizeof *p);
	if (!p)
		return CU_MEMORY_ALLOCATION;
	mapped = p;
	mapped[n_mapped++] = (struct mapping){r, offset, m, ACCESS_NONE};
	m->mapped++;
	return CU_OK;
}

API int
cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	return driver_answer(
	    rt_leave(s	     ? s
		     : flags ? CU_INVALID_VALUE
			     : map((struct range){at, bytes}, offset, physical_of(handle))));
}

/* Do whole mappings, and nothing else, make up the range? */
static bool
is_made_up(struct range r)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < n_mapped; i++) {
		if (is_within(mapped[i].range, r))
			bytes += mapped[i].range.bytes;
		else if (overlap(mapped[i].range, r))
			return false;
	}
	return bytes && bytes == r.bytes;
}

static int
set_access(struct mapping *m, int access)
{
	int s = CU_OK;
	if (access && !m->access)
		s = memory_show(
		    m->range.at, m->range.bytes, m->memory->fd, m->offset, m->memory->label);
	else if (!access && m->access)
		s = memory_hide(pointer(m->range.at));
	if (!s)
		m->access = access;
	return s;
}

static int
unmap(struct range r)
{
	if (!is_made_up(r))
		return CU_INVALID_VALUE;
	for (uint32_t i = n_mapped; i-- > 0;) {
		if (!is_within(mapped[i].range, r))
			continue;
		set_access(&mapped[i], ACCESS_NONE);
		physical_drop(mapped[i].memory, &mapped[i].memory->mapped);
		mapped[i] = mapped[--n_mapped];
	}
	return CU_OK;
}

API int
cuMemUnmap(uint64_t at, size_t bytes)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = queue_enter();
	return driver_answer(rt_leave(s ? s : unmap((struct range){at, bytes})));
}

/* What may be read may be written, too. */
static int
set_all(struct range r, const struct cu_mem_access *list, size_t n)
{
	int s = list && n && is_made_up(r) ? CU_OK : CU_INVALID_VALUE;
	for (size_t k = 0; !s && k < n; k++)
		if (list[k].location.type != LOCATION_DEVICE)
			s = CU_NOT_SUPPORTED;
		else if (list[k].location.id)
			s = CU_INVALID_DEVICE;
		else if (list[k].flags != ACCESS_NONE && list[k].flags != ACCESS_READ &&
			 list[k].flags != ACCESS_BOTH)
			s = CU_INVALID_VALUE;
	for (uint32_t i = 0; !s && i < n_mapped; i++)
		if (is_within(mapped[i].range, r))
			s = set_access(&mapped[i], list[n - 1].flags);
	return s;
}

API int
cuMemSetAccess(uint64_t at, size_t bytes, const struct cu_mem_access *list, size_t n)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = queue_enter();
	return driver_answer(rt_leave(s ? s : set_all((struct range){at, bytes}, list, n)));
}

static const struct mapping *
mapping_at(uint64_t at)
{
	for (uint32_t i = 0; i < n_mapped; i++)
		if (at - mapped[i].range.at < mapped[i].range.bytes)
			return &mapped[i];
	return NULL;
}

API int
cuMemGetAccess(unsigned long long *flags, const struct cu_mem_location *location, uint64_t at)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	const struct mapping *m = s ? NULL : mapping_at(at);
	if (m && flags && location)
		*flags = location->type == LOCATION_DEVICE ? (unsigned)m->access : 0;
	return driver_answer(rt_leave(s ? s : m && flags && location ? CU_OK : CU_INVALID_VALUE));
}

API int
cuMemRetainAllocationHandle(uint64_t *out, uint64_t at)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	const struct mapping *m = s ? NULL : mapping_at(at);
	if (m && out) {
		m->memory->held++;
		*out = (uint64_t)(uintptr_t)m->memory;
	}
	return driver_answer(rt_leave(s ? s : m && out ? CU_OK : CU_INVALID_VALUE));
}

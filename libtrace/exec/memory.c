#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "exec/memory.h"

#define ALIGN_BYTES   256u
#define HUGE_BYTES    (2ull << 20)
#define DEFAULT_BYTES (16ull << 30)

static void *
reserve(uint64_t bytes, uint64_t at, int protection)
{
	union {
		uint64_t number;
		void *pointer;
	} hint = {at};
	void *p = mmap(
	    hint.pointer, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* An address hint, not MAP_FIXED: a sanitizer may own the place, and then device addresses are
 * translated. */
int
exec_memory_init(struct exec_memory *m, uint64_t bytes, bool hidden, struct wcp_error *e)
{
	memset(m, 0, sizeof *m);
	m->shared = -1;
	bytes = bytes ? bytes : DEFAULT_BYTES;
	bytes = (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
	if (hidden)
		m->guard = reserve(bytes, WCP_DEVICE_BASE, PROT_NONE);
	m->host = reserve(bytes, hidden ? 0 : WCP_DEVICE_BASE, PROT_READ | PROT_WRITE);
	m->reserved_bytes = bytes;
	if (m->host)
		return 0;
	wcp_fail_errno(e, "reserving %llu MiB of device memory", (unsigned long long)(bytes >> 20));
	exec_memory_release(m);
	return WCP_ESYS;
}

void
exec_memory_release(struct exec_memory *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		free(m->alloc[i].label);
	free(m->alloc);
	if (m->shared >= 0)
		close(m->shared);
	if (m->host)
		munmap(m->host, m->reserved_bytes);
	if (m->guard)
		munmap(m->guard, m->reserved_bytes);
	memset(m, 0, sizeof *m);
	m->shared = -1;
}

/* Index of the first allocation that starts above address. */
static uint32_t
above(const struct exec_memory *m, uint64_t address)
{
	uint32_t lo = 0, hi = m->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (m->alloc[mid].base <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct exec_alloc *
exec_memory_near(const struct exec_memory *m, uint64_t address)
{
	uint32_t i = above(m, address);
	return i ? &m->alloc[i - 1] : NULL;
}

const struct exec_alloc *
exec_memory_find(const struct exec_memory *m, uint64_t address, uint64_t bytes)
{
	const struct exec_alloc *a = exec_memory_near(m, address);
	if (!a || !a->live || address - a->base > a->bytes ||
	    bytes > a->bytes - (address - a->base))
		return NULL;
	return a;
}

/* Removes freed allocations that overlap [base, base + bytes). */
static void
forget_freed(struct exec_memory *m, uint64_t base, uint64_t bytes)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		struct exec_alloc *a = &m->alloc[i];
		if (!a->live && a->base < base + bytes && base < a->base + a->bytes)
			free(a->label);
		else
			m->alloc[kept++] = *a;
	}
	m->n = kept;
}

/*
 * Fresh addresses as long as there are any, so that a use after free is seen; then the first gap
 * between live allocations. Returns 0 if there is none.
 */
static uint64_t
find_place(struct exec_memory *m, uint64_t bytes)
{
	uint64_t at = WCP_DEVICE_BASE;
	if (bytes <= m->reserved_bytes - m->top) {
		at += m->top;
		m->top += bytes;
		return at;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		const struct exec_alloc *a = &m->alloc[i];
		if (!a->live || a->attached)
			continue;
		if (a->base - at >= bytes)
			return at;
		at = (a->base + a->bytes + ALIGN_BYTES - 1) & ~(uint64_t)(ALIGN_BYTES - 1);
	}
	return bytes <= m->reserved_bytes - (at - WCP_DEVICE_BASE) ? at : 0;
}

static int
make_room(struct exec_memory *m)
{
	if (m->n < m->cap)
		return 0;
	uint32_t cap = m->cap ? 2 * m->cap : 32;
	struct exec_alloc *a = realloc(m->alloc, cap * sizeof *a);
	if (!a)
		return WCP_ESYS;
	m->alloc = a;
	m->cap = cap;
	return 0;
}

/* Nothing of what is remembered lies at or above base: the common case of fresh addresses. */
static bool
is_last(const struct exec_memory *m, uint64_t base)
{
	return !m->n || m->alloc[m->n - 1].base + m->alloc[m->n - 1].bytes <= base;
}

static void
insert(struct exec_memory *m, struct exec_alloc new)
{
	if (!is_last(m, new.base))
		forget_freed(m, new.base, new.bytes);
	uint32_t i = above(m, new.base);
	memmove(m->alloc + i + 1, m->alloc + i, (m->n - i) * sizeof *m->alloc);
	m->alloc[i] = new;
	m->n++;
}

uint64_t
exec_memory_alloc(struct exec_memory *m, uint64_t bytes, const char *label, struct wcp_error *e)
{
	uint64_t want = bytes ? bytes : 1;
	uint64_t rounded = (want + ALIGN_BYTES - 1) & ~(uint64_t)(ALIGN_BYTES - 1);
	uint64_t base = rounded < want ? 0 : find_place(m, rounded + m->gap_bytes);
	char *copy = NULL;
	if (!base) {
		wcp_fail(e, WCP_ESYS, "out of device memory: %llu bytes for '%s', %llu MiB in all",
		    (unsigned long long)bytes, label ? label : "",
		    (unsigned long long)(m->reserved_bytes >> 20));
		return 0;
	}
	if (make_room(m) || !(copy = strdup(label ? label : ""))) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return 0;
	}
	if (rounded >= HUGE_BYTES)
		madvise(exec_memory_at(m, (base + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1)),
		    rounded & ~(HUGE_BYTES - 1), MADV_HUGEPAGE);
	insert(m, (struct exec_alloc){.base = base,
		      .bytes = want,
		      .bias = (uint64_t)(uintptr_t)m->host - WCP_DEVICE_BASE,
		      .label = copy,
		      .live = true});
	return base;
}

/* Gives whole pages back, so that a later allocation there reads as zero; the rest is cleared. */
static void
scrub(struct exec_memory *m, uint64_t base, uint64_t bytes)
{
	const uint64_t page = 4096;
	uint64_t lo = (base + page - 1) & ~(page - 1), hi = (base + bytes) & ~(page - 1);
	if (lo >= hi || m->shared >= 0) {
		memset(exec_memory_at(m, base), 0, bytes);
		return;
	}
	memset(exec_memory_at(m, base), 0, lo - base);
	madvise(exec_memory_at(m, lo), hi - lo, MADV_DONTNEED);
	memset(exec_memory_at(m, hi), 0, base + bytes - hi);
}

static void
end(struct exec_memory *m, struct exec_alloc *a)
{
	a->live = false;
	scrub(m, a->base, a->bytes);
}

int
exec_memory_free(struct exec_memory *m, uint64_t address, struct wcp_error *e)
{
	uint32_t i = above(m, address);
	struct exec_alloc *a = i ? &m->alloc[i - 1] : NULL;
	if (!a || a->base != address || a->attached)
		return wcp_fail(e, WCP_EUSAGE, "0x%llx is not the start of an allocation",
		    (unsigned long long)address);
	if (a->heap)
		return wcp_fail(e, WCP_EUSAGE, "'%s' at 0x%llx is for free in a kernel", a->label,
		    (unsigned long long)address);
	if (!a->live)
		return wcp_fail(e, WCP_EUSAGE, "'%s' at 0x%llx was freed before", a->label,
		    (unsigned long long)address);
	end(m, a);
	return 0;
}

uint64_t
exec_memory_alloc_heap(struct exec_memory *m, uint64_t bytes, const char *label)
{
	const uint64_t at = exec_memory_alloc(m, bytes, label, NULL);
	if (at)
		m->alloc[above(m, at) - 1].heap = true;
	return at;
}

bool
exec_memory_free_heap(struct exec_memory *m, uint64_t address, uint64_t *bytes)
{
	const uint32_t i = above(m, address);
	struct exec_alloc *a = i ? &m->alloc[i - 1] : NULL;
	if (!a || a->base != address || !a->live || !a->heap)
		return false;
	*bytes = a->bytes;
	end(m, a);
	return true;
}

const struct exec_alloc *
exec_memory_heap_next(const struct exec_memory *m, uint64_t address)
{
	for (uint32_t i = above(m, address); i < m->n; i++)
		if (m->alloc[i].live && m->alloc[i].heap)
			return &m->alloc[i];
	return NULL;
}

/* A page has one place in the file, however often allocations in it are shared. */
int
exec_memory_share(
    struct exec_memory *m, const struct exec_alloc *a, uint64_t *offset, struct wcp_error *e)
{
	const uint64_t page = 4096, lo = (a->base - WCP_DEVICE_BASE) & ~(page - 1),
		       hi = (a->base + a->bytes - WCP_DEVICE_BASE + page - 1) & ~(page - 1);
	if (m->shared < 0) {
		m->shared = memfd_create("warpcap device memory", MFD_CLOEXEC);
		if (m->shared < 0 || ftruncate(m->shared, (off_t)m->reserved_bytes) < 0)
			return wcp_fail_errno(e, "sharing device memory");
	}
	for (uint64_t at = lo; at < hi;) {
		const ssize_t n = pwrite(m->shared, m->host + at, hi - at, (off_t)at);
		if (n <= 0)
			return wcp_fail_errno(e, "sharing device memory");
		at += (uint64_t)n;
	}
	if (mmap(m->host + lo, hi - lo, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->shared,
		(off_t)lo) == MAP_FAILED)
		return wcp_fail_errno(e, "sharing device memory");
	*offset = a->base - WCP_DEVICE_BASE;
	return m->shared;
}

static bool
overlaps(const struct exec_memory *m, uint64_t base, uint64_t bytes)
{
	for (uint32_t i = above(m, base + bytes - 1); i > 0; i--) {
		const struct exec_alloc *a = &m->alloc[i - 1];
		if (a->live)
			return a->base + a->bytes > base;
	}
	return false;
}

int
exec_memory_attach(
    struct exec_memory *m, uint64_t base, uint64_t bytes, const char *label, struct wcp_error *e)
{
	char *copy = NULL;
	if (!bytes || base + bytes < base ||
	    (base < WCP_DEVICE_BASE + m->reserved_bytes && WCP_DEVICE_BASE < base + bytes) ||
	    overlaps(m, base, bytes))
		return wcp_fail(e, WCP_EUSAGE, "%llu bytes at 0x%llx cannot be attached",
		    (unsigned long long)bytes, (unsigned long long)base);
	if (make_room(m) || !(copy = strdup(label ? label : "")))
		return wcp_fail(e, WCP_ESYS, "out of memory");
	insert(m, (struct exec_alloc){
		      .base = base, .bytes = bytes, .label = copy, .live = true, .attached = true});
	return 0;
}

int
exec_memory_detach(struct exec_memory *m, uint64_t base, struct wcp_error *e)
{
	uint32_t i = above(m, base);
	struct exec_alloc *a = i ? &m->alloc[i - 1] : NULL;
	if (!a || a->base != base || !a->live || !a->attached)
		return wcp_fail(
		    e, WCP_EUSAGE, "nothing is attached at 0x%llx", (unsigned long long)base);
	free(a->label);
	memmove(a, a + 1, (m->n - i) * sizeof *a);
	m->n--;
	return 0;
}

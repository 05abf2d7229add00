/*
 * Device memory: one reserved address range, allocations in it, and the windows through which
 * shared, local and parameter space show in generic addresses.
 */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include "warpcap/error.h"
#include "warpcap/exec.h"

/* Generic addresses of address 0 of each space; device memory lies above them all. */
#define EXEC_SHARED_WINDOW 0x100000000000ull
#define EXEC_LOCAL_WINDOW  0x110000000000ull
#define EXEC_PARAM_WINDOW  0x120000000000ull
#define EXEC_CODE_WINDOW \
	0x130000000000ull /* values of function addresses; nothing can be read there */
#define EXEC_WINDOW_BYTES 0x001000000000ull

struct exec_alloc {
	uint64_t base, bytes;
	uint64_t bias; /* host address minus device address */
	char *label;
	bool live;
	bool heap;     /* a kernel's, by malloc */
	bool attached; /* the host's memory, at the host's address: not in the reserved range */
};

struct exec_memory {
	char *host;  /* where WCP_DEVICE_BASE is mapped */
	int shared;  /* file of the pages that other processes may map, by device address; -1: none
		      */
	void *guard; /* what keeps the host off device addresses, NULL if it is not kept off */
	uint64_t reserved_bytes;
	uint64_t gap_bytes; /* free behind each allocation, as long as there is fresh room */
	uint64_t top;	    /* first byte never allocated, as an offset */
	struct exec_alloc
	    *alloc; /* [n], by ascending base; freed ones stay until their place is used again */
	uint32_t n, cap;
};

/* hidden: device addresses mean nothing to the host; it faults when it uses one. */
int exec_memory_init(struct exec_memory *m, uint64_t bytes, bool hidden, struct wcp_error *e);
void exec_memory_release(struct exec_memory *m);

/* 0 on failure. align is a power of two, at least 256 is used. */
uint64_t
exec_memory_alloc(struct exec_memory *m, uint64_t bytes, const char *label, struct wcp_error *e);
int exec_memory_free(struct exec_memory *m, uint64_t address, struct wcp_error *e);
/* The same for malloc in kernels; false: address is not one that it gave. */
uint64_t exec_memory_alloc_heap(struct exec_memory *m, uint64_t bytes, const char *label);
bool exec_memory_free_heap(struct exec_memory *m, uint64_t address, uint64_t *bytes);
/* The first live one of these that begins above address; NULL: none. */
const struct exec_alloc *exec_memory_heap_next(const struct exec_memory *m, uint64_t address);
/* See wcp_device_share. */
int exec_memory_share(
    struct exec_memory *m, const struct exec_alloc *a, uint64_t *offset, struct wcp_error *e);
/* The host's own memory as an allocation at the same address, and its end. */
int exec_memory_attach(
    struct exec_memory *m, uint64_t base, uint64_t bytes, const char *label, struct wcp_error *e);
int exec_memory_detach(struct exec_memory *m, uint64_t base, struct wcp_error *e);

/* The allocation, live or freed, that holds address; else the last one that starts below it; NULL
 * if there is none. */
const struct exec_alloc *exec_memory_near(const struct exec_memory *m, uint64_t address);
/* The live allocation that holds [address, address + bytes); NULL if there is none. */
const struct exec_alloc *
exec_memory_find(const struct exec_memory *m, uint64_t address, uint64_t bytes);

/* Of an address in the reserved range. */
static inline char *
exec_memory_at(const struct exec_memory *m, uint64_t address)
{
	return m->host + (address - WCP_DEVICE_BASE);
}

/* Of an address in the allocation. */
static inline char *
exec_alloc_at(const struct exec_alloc *a, uint64_t address)
{
	union {
		uint64_t number;
		char *pointer;
	} host = {address + a->bias};
	return host.pointer;
}

#endif

/* Memory of the device and of the host, as pointers of the program name it. The lock is held. */
#ifndef CUDART_MEMORY_H
#define CUDART_MEMORY_H

#include "runtime.h"

/* Any address the device can use: plain device memory, managed, page-locked or registered. */
enum cu_memory_type memory_type(const void *p, struct wcp_device_allocation *found);
/* The host's view of bytes at p, be they the device's or the host's; NULL: not all there. */
void *memory_at(const void *p, size_t bytes);
/* Does p lie in the address range of device memory, allocated or not? */
bool memory_is_device(const void *p);
/* May the device use it: does it lie there, or is it an allocation that host and device share? */
bool memory_on_device(const void *p);

/* Does the device use memory that other processes may write? */
bool memory_is_shared(void);

int device_new(void **p, size_t bytes);
int device_release(void *p);
void pool_forget(const void *p, uint64_t bytes); /* it was freed */
/* Device memory for other processes: the file it lies in from now on, and where in it. Then what
 * another process shares, as memory of the device at *p, and its end. */
int memory_share(const void *p, int *fd, uint64_t *offset, uint64_t *bytes);
int memory_map(void **p, int fd, uint64_t offset, uint64_t bytes);
int memory_unmap(void *p);
/* Addresses that the device and the host do not use yet, at wish if those are and it is near; 0:
 * there are none. Then a part of a file as memory of the device there, which memory_hide ends. */
uint64_t addresses_take(uint64_t bytes, uint64_t alignment, uint64_t wish);
int memory_show(uint64_t at, uint64_t bytes, int fd, uint64_t offset, const char *label);
int memory_hide(void *p);
/* As much less memory is available, and more again. */
int memory_reserve(uint64_t bytes);
void memory_give_back(uint64_t bytes);
/* Other processes may write memory of the device from now on. */
void memory_is_anyones(void);
/* What an allocation is called: the nth by that call, and where it was asked for. */
void allocation_name(char *label, size_t room, const char *call, unsigned n);

int managed_new(void **p, size_t bytes, const char *label);
int managed_prefetch(const void *p, size_t bytes, struct cu_mem_location where, void *stream);

/* Copies and says so to the recorder. */
int
memory_copy(void *to, const void *from, size_t bytes, enum cu_memcpy_kind kind, uint64_t stream);
int memory_set(void *to, int value, size_t bytes, uint64_t stream);

#endif

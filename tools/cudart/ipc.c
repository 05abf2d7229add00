/*
 * Memory and events for other processes. Every process has a device of its own; what one shares
 * lies in a file without a name that the others map. What was submitted is done, so that an event
 * of another process has nothing left to wait for.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "memory.h"
#include "op.h"
#include "queue/queue.h"

/* What the bytes of a handle are. */
struct ipc {
	uint32_t magic;
	int32_t pid;
	int32_t fd; /* of the process pid */
	uint32_t unused;
	uint64_t offset, bytes; /* in the file */
};
_Static_assert(sizeof(struct ipc) <= sizeof(struct cu_ipc_handle), "a handle has room for it");

enum { MEMORY_MAGIC = 0x4d435057, EVENT_MAGIC = 0x45435057 };
enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, LAZY_PEER_ACCESS = 1 };

static void
put(struct cu_ipc_handle *handle, const struct ipc *ipc)
{
	memset(handle, 0, sizeof *handle);
	memcpy(handle, ipc, sizeof *ipc);
}

static int
get(const struct cu_ipc_handle *handle, uint32_t magic, struct ipc *ipc)
{
	memcpy(ipc, handle, sizeof *ipc);
	if (ipc->magic != magic)
		return CU_INVALID_VALUE;
	/* a process does not open what is its own */
	return ipc->pid == getpid() ? CU_DEVICE_UNINITIALIZED : CU_OK;
}

API int
cudaIpcGetMemHandle(struct cu_ipc_handle *handle, void *p)
{
	struct ipc ipc = {.magic = MEMORY_MAGIC, .pid = getpid()};
	int s = rt_enter();
	if (!s)
		s = handle ? memory_share(p, &ipc.fd, &ipc.offset, &ipc.bytes) : CU_INVALID_VALUE;
	if (!s)
		put(handle, &ipc);
	return rt_leave(s);
}

API int
cudaIpcOpenMemHandle(void **out, struct cu_ipc_handle handle, unsigned flags)
{
	struct ipc ipc;
	char path[64];
	int s = rt_enter();
	if (!s)
		s = out && flags == LAZY_PEER_ACCESS ? get(&handle, MEMORY_MAGIC, &ipc)
						     : CU_INVALID_VALUE;
	if (s)
		return rt_leave(s);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", ipc.pid, ipc.fd);
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return rt_leave(CU_MAP_FAILED);
	s = memory_map(out, fd, ipc.offset, ipc.bytes);
	close(fd);
	return rt_leave(s);
}

API int
cudaIpcCloseMemHandle(void *p)
{
	const int s = queue_enter();
	return rt_leave(s ? s : memory_unmap(p));
}

API int
cudaIpcGetEventHandle(struct cu_ipc_handle *handle, void *event)
{
	const struct ipc ipc = {.magic = EVENT_MAGIC, .pid = getpid()};
	int s = rt_enter();
	const struct event *e = handle_get(event, HANDLE_EVENT);
	if (!s && (!handle || !e || !(e->flags & EVENT_INTERPROCESS)))
		s = handle ? CU_INVALID_RESOURCE_HANDLE : CU_INVALID_VALUE;
	if (!s)
		put(handle, &ipc);
	return rt_leave(s);
}

API int
cudaIpcOpenEventHandle(void **out, struct cu_ipc_handle handle)
{
	struct ipc ipc;
	const int s = rt_enter(), status = s	 ? s
					   : out ? get(&handle, EVENT_MAGIC, &ipc)
						 : CU_INVALID_VALUE;
	if (rt_leave(status))
		return status;
	return cudaEventCreateWithFlags(out, EVENT_DISABLE_TIMING | EVENT_INTERPROCESS);
}

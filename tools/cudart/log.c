/* The log of errors that CUDA keeps: ours go to standard error, and it is empty. */
#include <stdio.h>
#include "calls.h"

struct log_user {
	struct handle handle;
};

API int
cudaLogsRegisterCallback(cu_log_fn *fn, void *arg, void **out)
{
	int s = rt_enter();
	struct log_user *u = NULL;
	(void)arg;
	if (!s && fn)
		u = handle_new(HANDLE_LOG_USER, sizeof *u);
	if (!s && !u)
		s = fn ? CU_MEMORY_ALLOCATION : CU_INVALID_VALUE;
	if (!s && out)
		*out = u;
	return rt_leave(s);
}

API int
cudaLogsUnregisterCallback(void *user)
{
	const int s = rt_enter();
	struct log_user *u = handle_get(user, HANDLE_LOG_USER);
	if (!s && u)
		handle_free(u);
	return rt_leave(s ? s : u ? CU_OK : CU_INVALID_VALUE);
}

API int
cudaLogsCurrent(unsigned *at, unsigned flags)
{
	if (!at || flags)
		return rt_latch(CU_INVALID_VALUE);
	*at = 0;
	return CU_OK;
}

API int
cudaLogsDumpToFile(const unsigned *at, const char *path, unsigned flags)
{
	(void)at;
	if (!path || flags)
		return rt_latch(CU_INVALID_VALUE);
	FILE *f = fopen(path, "a");
	return rt_latch(!f || fclose(f) ? CU_INVALID_VALUE : CU_OK);
}

API int
cudaLogsDumpToMemory(const unsigned *at, char *text, size_t *bytes, unsigned flags)
{
	(void)at;
	if (!text || !bytes || !*bytes || flags)
		return rt_latch(CU_INVALID_VALUE);
	*text = 0;
	*bytes = 0;
	return CU_OK;
}

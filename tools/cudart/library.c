/* Libraries: code that a program loads while it runs, from memory or a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "queue/queue.h"

struct library {
	struct handle handle;
	struct module *module;
};

static int
library_new(void **out, const void *data, size_t bytes)
{
	struct library *l = handle_new(HANDLE_LIBRARY, sizeof *l);
	if (!l)
		return CU_MEMORY_ALLOCATION;
	const int s = module_load_data(data, bytes, &l->module);
	if (s)
		handle_free(l);
	else
		*out = l;
	return s;
}

/* Options are about compiling, and about when. */
API int
cudaLibraryLoadData(void **out, const void *code, int *jit, void **jit_values, unsigned n_jit,
    int *option, void **values, unsigned n)
{
	RT_CALLED;
	const int s = rt_enter();
	(void)jit, (void)jit_values, (void)n_jit, (void)option, (void)values, (void)n;
	return rt_leave(s ? s : out && code ? library_new(out, code, 0) : CU_INVALID_VALUE);
}

char *
library_read(const char *path, size_t *bytes, int *status)
{
	enum { STEP = 1 << 16 };
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t n = 0, got = STEP;
	*status = f ? CU_OK : CU_FILE_NOT_FOUND;
	while (f && got == STEP) {
		char *more = realloc(data, n + STEP + 1);
		if (!more) {
			*status = CU_MEMORY_ALLOCATION;
			break;
		}
		data = more;
		got = fread(data + n, 1, STEP, f);
		n += got;
	}
	if (f && !*status && ferror(f))
		*status = CU_OPERATING_SYSTEM;
	if (f)
		fclose(f);
	if (*status) {
		free(data);
		return NULL;
	}
	data[n] = 0;
	*bytes = n;
	return data;
}

API int
cudaLibraryLoadFromFile(void **out, const char *path, int *jit, void **jit_values, unsigned n_jit,
    int *option, void **values, unsigned n)
{
	RT_CALLED;
	int s = rt_enter();
	size_t bytes = 0;
	(void)jit, (void)jit_values, (void)n_jit, (void)option, (void)values, (void)n;
	if (s || !out || !path)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	char *data = library_read(path, &bytes, &s);
	if (data)
		s = library_new(out, data, bytes);
	else
		rt_complain("%s: %s", path, strerror(errno));
	free(data);
	return rt_leave(s);
}

struct search {
	const struct module *module;
	void *found;
};

static void
compare(void *object, void *arg)
{
	struct search *s = arg;
	const struct library *l = object;
	if (l->module == s->module)
		s->found = object;
}

void *
library_with(const struct module *m)
{
	struct search s = {m, NULL};
	handle_each(HANDLE_LIBRARY, compare, &s);
	return s.found;
}

static int
enter_library(void *handle, const void *out, struct library **l)
{
	const int s = rt_enter();
	*l = handle_get(handle, HANDLE_LIBRARY);
	return s ? s : !*l ? CU_INVALID_RESOURCE_HANDLE : out ? CU_OK : CU_INVALID_VALUE;
}

API int
cudaLibraryUnload(void *handle)
{
	int s = queue_enter();
	struct library *l = handle_get(handle, HANDLE_LIBRARY);
	if (!s && !l)
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s) {
		module_forget(l->module);
		handle_free(l);
	}
	return rt_leave(s);
}

API int
cudaLibraryGetKernel(void **out, void *handle, const char *name)
{
	struct library *l;
	struct kernel *k = NULL;
	int s = enter_library(handle, out, &l);
	if (!s)
		s = name ? module_named_kernel(l->module, name, &k) : CU_INVALID_VALUE;
	if (!s)
		*out = k;
	return rt_leave(s);
}

static int
get_variable(void **out, size_t *bytes, void *handle, const char *name, bool managed)
{
	struct library *l;
	struct wcp_error e;
	struct wcp_device_allocation found;
	uint64_t address = 0, n = 0;
	int s = enter_library(handle, name, &l);
	if (!s && wcp_module_variable(rt.device, module_code(l->module), name, &address, &n, &e))
		s = CU_SYMBOL_NOT_FOUND;
	union {
		uint64_t number;
		void *pointer;
	} at = {address};
	if (!s && managed && memory_type(at.pointer, &found) != CU_MEMORY_MANAGED)
		s = CU_SYMBOL_NOT_FOUND;
	if (!s && out)
		*out = at.pointer;
	if (!s && bytes)
		*bytes = n;
	return rt_leave(s);
}

API int
cudaLibraryGetGlobal(void **out, size_t *bytes, void *handle, const char *name)
{
	return get_variable(out, bytes, handle, name, false);
}

API int
cudaLibraryGetManaged(void **out, size_t *bytes, void *handle, const char *name)
{
	return get_variable(out, bytes, handle, name, true);
}

API int
cudaLibraryGetKernelCount(unsigned *out, void *handle)
{
	struct library *l;
	const int s = enter_library(handle, out, &l);
	if (!s)
		*out = wcp_module_kernels(module_code(l->module), NULL, 0);
	return rt_leave(s);
}

API int
cudaLibraryEnumerateKernels(void **out, unsigned most, void *handle)
{
	struct library *l;
	int s = enter_library(handle, out, &l);
	const struct wcp_module *code = s ? NULL : module_code(l->module);
	const unsigned there = s ? 0 : wcp_module_kernels(code, NULL, 0);
	const unsigned n = most < there ? most : there;
	const char **name = s ? NULL : calloc(n + 1ul, sizeof *name);
	if (!s && !name)
		s = CU_MEMORY_ALLOCATION;
	if (!s)
		wcp_module_kernels(code, name, n);
	for (unsigned i = 0; i < n && !s; i++) {
		struct kernel *k;
		s = module_named_kernel(l->module, name[i], &k);
		out[i] = k;
	}
	free(name);
	return rt_leave(s);
}

/* The driver's linker: PTX texts, linked by name when the image that they make is loaded. */
#include <stdlib.h>
#include <string.h>
#include "driver/driver.h"

enum { INPUT_PTX = 1, INPUT_LIBRARY = 4 };

struct linking {
	struct handle handle;
	struct linked_image *image; /* NULL: no text yet */
};

API int
cuLinkCreate_v2(unsigned n, int *option, void **value, void **out)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	const int s = rt_enter();
	struct linking *l = s || !out ? NULL : handle_new(HANDLE_LINKING, sizeof *l);
	driver_logs(n, option, value, "");
	if (l)
		*out = l;
	return driver_answer(rt_leave(s	     ? s
				      : !out ? CU_INVALID_VALUE
				      : l    ? CU_OK
					     : CU_MEMORY_ALLOCATION));
}

static int
add(struct linking *l, const char *text, size_t bytes)
{
	const size_t had = l->image ? l->image->bytes : 0;
	struct linked_image *image = realloc(l->image, sizeof *image + had + bytes + 1);
	if (!image)
		return CU_MEMORY_ALLOCATION;
	if (!had)
		*image = (struct linked_image){.magic = LINKED_MAGIC};
	memcpy(image->text + had, text, bytes);
	image->text[had + bytes] = 0;
	image->bytes = had + bytes + 1;
	image->n++;
	l->image = image;
	return CU_OK;
}

API int
cuLinkAddData_v2(void *state, int type, const char *data, size_t bytes, const char *name,
    unsigned n, int *option, void **value)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	struct linking *l = handle_get(state, HANDLE_LINKING);
	(void)name, (void)n, (void)option, (void)value;
	if (!s && (!l || !data || !bytes))
		s = l ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!s)
		s = type == INPUT_PTX ? add(l, data, strnlen(data, bytes)) : CU_NO_KERNEL_IMAGE;
	return driver_answer(rt_leave(s));
}

/* The library of the device runtime, whose functions the executor has. */
static bool
is_device_runtime(const char *path)
{
	const char *slash = strrchr(path, '/');
	return !strncmp(slash ? slash + 1 : path, "libcudadevrt", strlen("libcudadevrt"));
}

static bool
is_linking(void *state)
{
	rt_lock();
	const bool is = handle_get(state, HANDLE_LINKING) != NULL;
	rt_unlock();
	return is;
}

API int
cuLinkAddFile_v2(void *state, int type, const char *path, unsigned n, int *option, void **value)
{
	size_t bytes = 0;
	int s = CU_OK;
	if (path && type == INPUT_LIBRARY && is_device_runtime(path) && is_linking(state))
		return CU_OK;
	char *data = path ? library_read(path, &bytes, &s) : NULL;
	if (data)
		s = cuLinkAddData_v2(state, type, data, bytes, path, n, option, value);
	free(data);
	return path ? s : CU_INVALID_VALUE;
}

API int
cuLinkCreate(unsigned n, int *option, void **value, void **out)
{
	return cuLinkCreate_v2(n, option, value, out);
}

API int
cuLinkAddData(void *state, int type, const char *data, size_t bytes, const char *name, unsigned n,
    int *option, void **value)
{
	return cuLinkAddData_v2(state, type, data, bytes, name, n, option, value);
}

API int
cuLinkAddFile(void *state, int type, const char *path, unsigned n, int *option, void **value)
{
	return cuLinkAddFile_v2(state, type, path, n, option, value);
}

/* The image is the linker's. */
API int
cuLinkComplete(void *state, void **image, size_t *bytes)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	const struct linking *l = handle_get(state, HANDLE_LINKING);
	if (!s && (!l || !l->image || !image))
		s = l ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE;
	if (!s)
		*image = l->image;
	if (!s && bytes)
		*bytes = sizeof *l->image + l->image->bytes;
	return driver_answer(rt_leave(s));
}

API int
cuLinkDestroy(void *state)
{
	if (driver_enter(__func__, __builtin_return_address(0)))
		return CU_INITIALIZATION_ERROR;
	int s = rt_enter();
	struct linking *l = handle_get(state, HANDLE_LINKING);
	if (!s && !l)
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s) {
		free(l->image);
		handle_free(l);
	}
	return driver_answer(rt_leave(s));
}

/* What the program brought along: fat binaries, the stubs of its kernels, its variables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "runtime.h"
#include "warpcap/fatbin.h"

#define WRAPPER_MAGIC	0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

struct module {
	struct module *next;
	const void *wrapper;
	struct wcp_module *code;
	bool loaded;
	int status;	       /* of loading it */
	struct kernel *kernel; /* newest first */
	struct variable *variable;
};

static struct module *modules;
static struct table kernels, variables, kernel_handles;
static struct module *loading; /* whose variables are being placed */

/* Registration happens before main and cannot fail: without memory a launch fails later. */
API void **
__cudaRegisterFatBinary(void *wrapper)
{
	struct module *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	rt_lock();
	m->wrapper = wrapper;
	m->next = modules;
	modules = m;
	rt_unlock();
	return (void **)m;
}

API void
__cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Its code stays: a launch may still come from elsewhere. Its stubs may be unmapped. */
API void
__cudaUnregisterFatBinary(void **handle)
{
	struct module *m = (struct module *)(void *)handle;
	rt_lock();
	for (struct kernel *k = m ? m->kernel : NULL; k; k = k->next)
		if (table_get(&kernels, k->host) == k)
			table_remove(&kernels, k->host);
	for (struct variable *v = m ? m->variable : NULL; v; v = v->next)
		if (table_get(&variables, v->host) == v)
			table_remove(&variables, v->host);
	rt_unlock();
}

struct kernel *
module_add_kernel(struct module *m, const void *host, const char *name)
{
	struct kernel *k = calloc(1, sizeof *k);
	if (!k || !(k->name = strdup(name))) {
		free(k);
		return NULL;
	}
	k->module = m;
	k->host = host;
	k->carveout = -1;
	k->next = m->kernel;
	m->kernel = k;
	table_set(&kernel_handles, k, k);
	if (host)
		table_set(&kernels, host, k);
	return k;
}

API void
__cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
    int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp_size)
{
	struct module *m = (struct module *)(void *)handle;
	(void)device, (void)thread_limit, (void)tid, (void)bid;
	(void)block, (void)grid, (void)warp_size;
	rt_lock();
	if (m)
		module_add_kernel(m, host, name);
	rt_unlock();
}

static struct variable *
add_variable(void **handle, const void *host, const char *name, size_t bytes, bool constant)
{
	struct module *m = (struct module *)(void *)handle;
	struct variable *v = m ? calloc(1, sizeof *v) : NULL;
	if (!v || !(v->name = strdup(name))) {
		free(v);
		return NULL;
	}
	v->module = m;
	v->host = host;
	v->bytes = bytes;
	v->constant = constant;
	v->next = m->variable;
	m->variable = v;
	table_set(&variables, host, v);
	return v;
}

API void
__cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
    size_t bytes, int constant, int global)
{
	(void)device, (void)external, (void)global;
	rt_lock();
	add_variable(handle, host, name, bytes, constant);
	rt_unlock();
}

API void
__cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
    size_t bytes, int constant, int global)
{
	(void)device, (void)external, (void)global;
	rt_lock();
	struct variable *v = add_variable(handle, (const void *)host, name, bytes, constant);
	if (v)
		v->managed_pointer = host;
	rt_unlock();
}

API void
__cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
    int dimensions, int normalized, int external)
{
	(void)handle, (void)host, (void)device, (void)name;
	(void)dimensions, (void)normalized, (void)external;
}

API void
__cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
    int dimensions, int external)
{
	(void)handle, (void)host, (void)device, (void)name, (void)dimensions, (void)external;
}

API void
__cudaRegisterHostVar(void **handle, const char *name, char *variable, size_t bytes)
{
	(void)handle, (void)name, (void)variable, (void)bytes;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Managed variables lie where the host can use them too; the program's own know where. */
uint64_t
module_place(void *arg, const char *name, uint64_t bytes, bool managed)
{
	void *p;
	(void)arg;
	for (struct variable *v = loading ? loading->variable : NULL; v; v = v->next) {
		if (!v->managed_pointer || strcmp(v->name, name) != 0)
			continue;
		if (managed_new(&p, bytes, name))
			return 0;
		*v->managed_pointer = p;
		v->address = (uint64_t)(uintptr_t)p;
		return v->address;
	}
	return managed && !managed_new(&p, bytes, name) ? (uint64_t)(uintptr_t)p : 0;
}

static struct wcp_error last_error; /* of loading code */

const char *
module_load_error(void)
{
	return last_error.text;
}

static int
fail_load(struct module *m, const struct wcp_error *e, int status)
{
	last_error = *e;
	link_note(LINK_LEVEL_ERROR, false, "device code of '%s': %s", program_invocation_short_name,
	    e->text);
	m->status = status;
	return status;
}

/* The texts of a module's containers, one each. */
struct texts {
	struct wcp_ptx_text *text; /* [n] */
	char **owned;		   /* [n] */
	uint32_t n;
};

static void
texts_release(struct texts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->text);
}

static int
texts_add(struct texts *t, struct module *m, const struct wcp_fatbin *f, uint32_t container)
{
	struct wcp_error e = {0};
	const int best = wcp_fatbin_best_ptx(f, container, rt.settings.device.capability, &e);
	if (best < 0)
		return best == WCP_ENO ? CU_OK : fail_load(m, &e, CU_NO_KERNEL_IMAGE);
	size_t bytes;
	char *text = wcp_fatbin_unpack(&f->entry[best], &bytes, &e);
	if (!text)
		return fail_load(m, &e, CU_INVALID_KERNEL_IMAGE);
	if (wcp_fatbin_is_device_runtime(text, bytes)) {
		free(text);
		return CU_OK;
	}
	t->owned[t->n] = text;
	t->text[t->n++] = (struct wcp_ptx_text){text, bytes, program_invocation_short_name};
	return CU_OK;
}

static int
load_texts(struct module *m, const struct wcp_fatbin *f)
{
	struct wcp_error e = {0};
	struct texts t = {.text = calloc(f->n_container + 1ul, sizeof *t.text),
	    .owned = calloc(f->n_container + 1ul, sizeof *t.owned)};
	if (!t.text || !t.owned)
		m->status = CU_MEMORY_ALLOCATION;
	for (uint32_t i = 0; i < f->n_container && !m->status; i++)
		texts_add(&t, m, f, i);
	if (t.n && !m->status) {
		m->code =
		    wcp_device_link(rt.device, t.text, t.n, program_invocation_short_name, &e);
		if (!m->code)
			fail_load(m, &e, rt_status(&e, CU_INVALID_PTX));
	}
	texts_release(&t);
	return m->status;
}

static void
load_ptx(struct module *m, const char *ptx, size_t bytes)
{
	const struct wcp_ptx_text text = {ptx, bytes, program_invocation_short_name};
	struct wcp_error e = {0};
	m->code = wcp_device_link(rt.device, &text, 1, program_invocation_short_name, &e);
	if (!m->code)
		fail_load(m, &e, rt_status(&e, CU_INVALID_PTX));
}

static void
load_linked(struct module *m, const struct linked_image *image)
{
	struct wcp_ptx_text *text = calloc(image->n, sizeof *text);
	struct wcp_error e = {0};
	const char *at = image->text;
	for (uint32_t i = 0; text && i < image->n; i++) {
		text[i] = (struct wcp_ptx_text){at, strlen(at), program_invocation_short_name};
		at += text[i].bytes + 1;
	}
	m->code =
	    text ? wcp_device_link(rt.device, text, image->n, program_invocation_short_name, &e)
		 : NULL;
	if (!m->code)
		fail_load(m, &e, rt_status(&e, CU_INVALID_PTX));
	free(text);
}

static void
load_containers(struct module *m, const void *data, size_t bytes)
{
	const struct wcp_fatbin_wrapper bare = {WRAPPER_MAGIC, 1, data, NULL};
	struct wcp_error e = {0};
	struct wcp_fatbin f;
	uint32_t magic;
	memcpy(&magic, data, sizeof magic);
	wcp_fatbin_init(&f);
	const void *wrapper = magic == WRAPPER_MAGIC ? data : &bare;
	const int n = bytes ? wcp_fatbin_read(&f, data, bytes, &e)
			    : wcp_fatbin_read_wrapper(&f, wrapper, rt_readable, &e);
	if (n < 0)
		fail_load(m, &e, CU_INVALID_KERNEL_IMAGE);
	else
		load_texts(m, &f);
	wcp_fatbin_release(&f);
}

int
module_load_data(const void *data, size_t bytes, struct module **loaded)
{
	static const char elf[] = {0x7f, 'E', 'L', 'F'};
	struct module *m = calloc(1, sizeof *m);
	struct wcp_error e = {0};
	uint32_t magic = 0;
	if (!m)
		return CU_MEMORY_ALLOCATION;
	memcpy(&magic, data, bytes && bytes < sizeof magic ? bytes : sizeof magic);
	m->loaded = true;
	if (!memcmp(&magic, elf, sizeof elf)) {
		wcp_fail(&e, WCP_EDATA,
		    "machine code without PTX cannot be executed here; "
		    "where NVRTC makes it, compile for compute_N, not sm_N, and take "
		    "nvrtcGetPTX's");
		fail_load(m, &e, CU_NO_KERNEL_IMAGE);
	} else if (magic == CONTAINER_MAGIC || (magic == WRAPPER_MAGIC && !bytes)) {
		load_containers(m, data, bytes);
	} else if (magic == LINKED_MAGIC && !bytes) {
		load_linked(m, data);
	} else {
		load_ptx(m, data, strnlen(data, bytes ? bytes : SIZE_MAX));
	}
	const int s = m->status ? m->status : m->code ? CU_OK : CU_NO_KERNEL_IMAGE;
	if (s) {
		free(m);
		return s;
	}
	m->next = modules;
	modules = m;
	*loaded = m;
	return CU_OK;
}

void
module_forget(struct module *m)
{
	for (struct kernel *k = m->kernel; k; k = k->next)
		table_remove(&kernel_handles, k);
}

struct wcp_module *
module_code(const struct module *m)
{
	return m->code;
}

int
module_load(struct module *m)
{
	struct wcp_fatbin f;
	struct wcp_error e = {0};
	if (m->loaded)
		return m->status;
	m->loaded = true;
	wcp_fatbin_init(&f);
	loading = m;
	if (wcp_fatbin_read_wrapper(&f, m->wrapper, rt_readable, &e) < 0)
		fail_load(m, &e, CU_INVALID_KERNEL_IMAGE);
	else
		load_texts(m, &f);
	loading = NULL;
	wcp_fatbin_release(&f);
	return m->status;
}

int
modules_load(void)
{
	int status = CU_OK;
	for (struct module *m = modules; m; m = m->next)
		if (module_load(m) && !status)
			status = m->status;
	return status;
}

/* nvcc's code calls it before the host touches a managed variable. */
API char
__cudaInitModule(void **handle)
{
	struct module *m = (struct module *)(void *)handle;
	int s = rt_enter();
	if (!s && m)
		s = module_load(m);
	return rt_leave(s) == CU_OK;
}

static int
look_up(struct kernel *k)
{
	struct wcp_error e = {0};
	k->looked_up = true;
	k->status = module_load(k->module);
	k->code = k->module->code;
	if (!k->status && !k->code) {
		k->status = CU_INVALID_DEVICE_FUNCTION;
		link_note(LINK_LEVEL_ERROR, false,
		    "kernel '%s': the program's fat binary holds no device code", k->name);
	}
	if (k->status)
		return k->status;
	const int r = wcp_kernel_info(rt.device, k->code, k->name, &k->info, &e);
	if (r == WCP_EUSAGE)
		k->status = CU_INVALID_DEVICE_FUNCTION;
	else if (r < 0)
		k->status = rt_status(&e, CU_NOT_SUPPORTED);
	if (r < 0)
		link_note(LINK_LEVEL_ERROR, false, "%s", e.text);
	return k->status;
}

int
module_named_kernel(struct module *m, const char *name, struct kernel **found)
{
	struct kernel *k = m->kernel;
	while (k && strcmp(k->name, name) != 0)
		k = k->next;
	if (!k && !wcp_module_has_kernel(m->code, name))
		return CU_SYMBOL_NOT_FOUND;
	if (!k && !(k = module_add_kernel(m, NULL, name)))
		return CU_MEMORY_ALLOCATION;
	*found = k;
	return CU_OK;
}

int
module_kernel(const void *function, struct kernel **found)
{
	struct kernel *k = table_get(&kernels, function);
	if (!k)
		k = table_get(&kernel_handles, function);
	*found = k;
	if (!k)
		return CU_INVALID_DEVICE_FUNCTION;
	return k->looked_up ? k->status : look_up(k);
}

int
module_variable(const void *symbol, struct variable **found)
{
	struct wcp_error e = {0};
	struct variable *v = table_get(&variables, symbol);
	*found = v;
	if (!v)
		return CU_INVALID_SYMBOL;
	const int s = module_load(v->module);
	if (s || v->address)
		return s;
	if (!v->module->code ||
	    wcp_module_variable(rt.device, v->module->code, v->name, &v->address, &v->bytes, &e))
		return CU_INVALID_SYMBOL;
	return CU_OK;
}

API int
__cudaGetKernel(void **handle, const void *function)
{
	rt_lock();
	struct kernel *k = table_get(&kernels, function);
	*handle = k;
	rt_unlock();
	return k ? CU_OK : rt_latch(CU_INVALID_DEVICE_FUNCTION);
}

#include <stdlib.h>
#include <string.h>
#include "exec/device.h"
#include "exec/lower/lower.h"

#define GAP_BYTES 4096u

static int
choose_level(struct wcp_device *d, struct wcp_error *e)
{
	const unsigned best = lanes_best_level(), wanted = d->options.isa_level;
	if (wanted > best)
		return wcp_fail(
		    e, WCP_EUSAGE, "this CPU has instruction set level %u, not %u", best, wanted);
	d->isa = wanted ? wanted : best;
	d->isa = d->isa >= 4 ? 4 : d->isa >= 3 ? 3 : 1;
	d->level = d->isa == 4 ? &exec_level_v4 : d->isa == 3 ? &exec_level_v3 : &exec_level_v1;
	return 0;
}

struct wcp_device *
wcp_device_new(const struct wcp_device_options *options, struct wcp_error *e)
{
	struct wcp_device *d = calloc(1, sizeof *d);
	if (!d) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	if (options)
		d->options = *options;
	d->options.regs_per_sm = d->options.regs_per_sm ? d->options.regs_per_sm : 65536;
	d->heap_bytes = d->options.heap_bytes ? d->options.heap_bytes : 8u << 20;
	if (choose_level(d, e) ||
	    exec_memory_init(&d->memory, d->options.memory_bytes, d->options.hide_memory, e)) {
		free(d);
		return NULL;
	}
	d->memory.gap_bytes = d->options.check_memory ? GAP_BYTES : 0;
	return d;
}

static void
free_module(struct wcp_module *m)
{
	for (uint32_t i = 0; m->code && i < m->ptx->n_func; i++)
		exec_code_free(m->code[i]);
	free(m->code);
	free(m->name);
	if (m->ptx)
		ptx_free(m->ptx);
	free(m);
}

void
wcp_device_free(struct wcp_device *d)
{
	if (!d)
		return;
	for (struct wcp_module *m = d->module, *next; m; m = next) {
		next = m->next;
		free_module(m);
	}
	exec_memory_release(&d->memory);
	exec_textures_release(d);
	exec_grid_release(d);
	exec_children_release(d);
	free(d);
}

int
exec_host_op(struct wcp_device *d, enum wcp_host_kind kind, uint64_t address, uint64_t bytes,
    uint64_t value, const char *label, struct wcp_error *e)
{
	const struct wcp_sink *s = &d->options.sink;
	const struct wcp_host_op op = {.kind = kind,
	    .address = address,
	    .bytes = bytes,
	    .value = value,
	    .label = label ? label : ""};
	return s->host ? s->host(s->arg, &op, e) : 0;
}

/* Takes ptx, which may be NULL when e says why. */
static struct wcp_module *
new_module(struct wcp_device *d, struct ptx_module *ptx, const char *name, struct wcp_error *e)
{
	struct wcp_module *m = ptx ? calloc(1, sizeof *m) : NULL;
	if (!m || !(m->name = strdup(name ? name : ""))) {
		free(m);
		if (ptx)
			wcp_fail(e, WCP_ESYS, "out of memory");
		ptx_free(ptx);
		return NULL;
	}
	m->ptx = ptx;
	if (ptx->address_size == 32) {
		wcp_fail(e, WCP_EDATA,
		    "32-bit addresses are not supported; compile for .address_size 64");
	} else if (!(m->code = calloc(ptx->n_func + 1ul, sizeof *m->code))) {
		wcp_fail(e, WCP_ESYS, "out of memory");
	} else if (!exec_place_globals(d, m, e)) {
		m->next = d->module;
		d->module = m;
		return m;
	}
	free_module(m);
	return NULL;
}

struct wcp_module *
wcp_device_load(
    struct wcp_device *d, const char *text, size_t bytes, const char *name, struct wcp_error *e)
{
	return new_module(d, ptx_parse(text, bytes, e), name, e);
}

struct wcp_module *
wcp_device_link(struct wcp_device *d, const struct wcp_ptx_text *text, uint32_t n, const char *name,
    struct wcp_error *e)
{
	struct ptx_module **part = calloc(n + 1ul, sizeof *part), *ptx = NULL;
	const char **names = calloc(n + 1ul, sizeof *names);
	uint32_t parsed = 0;
	if (!part || !names)
		wcp_fail(e, WCP_ESYS, "out of memory");
	for (; part && names && parsed < n; parsed++) {
		names[parsed] = text[parsed].name ? text[parsed].name : "";
		part[parsed] = ptx_parse(text[parsed].text, text[parsed].bytes, e);
		if (!part[parsed]) {
			struct wcp_error why = e ? *e : (struct wcp_error){0};
			wcp_fail(e, why.status, "module '%.100s': %.300s", names[parsed], why.text);
			break;
		}
	}
	if (part && names && parsed == n)
		ptx = ptx_link(part, names, n, e);
	else
		while (parsed)
			ptx_free(part[--parsed]);
	free(part);
	free(names);
	return new_module(d, ptx, name, e);
}

int
wcp_module_variable(struct wcp_device *d, struct wcp_module *m, const char *name, uint64_t *address,
    uint64_t *bytes, struct wcp_error *e)
{
	const struct ptx_symbol *s = ptx_find(m->ptx, name);
	(void)d;
	if (!s || s->kind != PTX_SYM_VAR || !s->user ||
	    (s->space != WCP_SPACE_GLOBAL && s->space != WCP_SPACE_CONST))
		return wcp_fail(e, WCP_EUSAGE, "module '%s' has no .global or .const variable '%s'",
		    m->name, name);
	*address = s->user;
	*bytes = s->bytes;
	return 0;
}

static const struct ptx_func *
kernel_at(const struct wcp_module *m, uint32_t i)
{
	const struct ptx_func *f = m->ptx->func[i];
	return f->is_entry && !f->is_extern ? f : NULL;
}

bool
wcp_module_has_kernel(const struct wcp_module *m, const char *name)
{
	for (uint32_t i = 0; i < m->ptx->n_func; i++)
		if (kernel_at(m, i) && !strcmp(kernel_at(m, i)->name, name))
			return true;
	return false;
}

uint32_t
wcp_module_kernels(const struct wcp_module *m, const char **name, uint32_t most)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->ptx->n_func; i++)
		if (kernel_at(m, i)) {
			if (n < most)
				name[n] = kernel_at(m, i)->name;
			n++;
		}
	return n;
}

/* Levenshtein distance, for "did you mean"; long names are cut. */
static unsigned
distance(const char *a, const char *b)
{
	unsigned row[65];
	const size_t n = strnlen(b, 64);
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i] && i < 64; i++) {
		unsigned corner = row[0];
		row[0] = i + 1;
		for (unsigned j = 1; j <= n; j++) {
			unsigned best = corner + (a[i] != b[j - 1]);
			corner = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

static int
no_such_kernel(const struct wcp_module *m, const char *name, struct wcp_error *e)
{
	const char *near = NULL;
	unsigned least = 0;
	for (uint32_t i = 0; i < m->ptx->n_func; i++) {
		const struct ptx_func *f = m->ptx->func[i];
		if (!f->is_entry || !f->has_body)
			continue;
		unsigned d = distance(name, f->name);
		if (!near || d < least) {
			near = f->name;
			least = d;
		}
	}
	if (!near)
		return wcp_fail(e, WCP_EUSAGE, "module '%s' has no kernels", m->name);
	return wcp_fail(e, WCP_EUSAGE, "module '%s' has no kernel '%s'; the nearest name is '%s'",
	    m->name, name, near);
}

struct exec_code *
exec_kernel(struct wcp_device *d, struct wcp_module *m, const char *name, struct wcp_error *e)
{
	for (uint32_t i = 0; i < m->ptx->n_func; i++) {
		const struct ptx_func *f = m->ptx->func[i];
		if (!f->is_entry || !f->has_body || strcmp(f->name, name) != 0)
			continue;
		if (!m->code[i] &&
		    !(m->code[i] = exec_lower(m->ptx, f, d->level, d->isa, d->options.regs_per_sm)))
			wcp_fail(e, WCP_ESYS, "out of memory");
		return m->code[i];
	}
	no_such_kernel(m, name, e);
	return NULL;
}

uint64_t
wcp_device_alloc(struct wcp_device *d, uint64_t bytes, const char *label, struct wcp_error *e)
{
	uint64_t a = exec_memory_alloc(&d->memory, bytes, label, e);
	if (a && exec_host_op(d, WCP_HOST_ALLOC, a, bytes, 0, label, e))
		return 0;
	return a;
}

int
wcp_device_release(struct wcp_device *d, uint64_t address, struct wcp_error *e)
{
	int r = exec_memory_free(&d->memory, address, e);
	return r ? r : exec_host_op(d, WCP_HOST_FREE, address, 0, 0, NULL, e);
}

void *
wcp_device_host(struct wcp_device *d, uint64_t address, uint64_t bytes)
{
	const struct exec_alloc *a = exec_memory_find(&d->memory, address, bytes);
	return a ? exec_alloc_at(a, address) : NULL;
}

int
wcp_device_attach(
    struct wcp_device *d, void *memory, uint64_t bytes, const char *label, struct wcp_error *e)
{
	const uint64_t at = (uint64_t)(uintptr_t)memory;
	int r = exec_memory_attach(&d->memory, at, bytes, label, e);
	return r ? r : exec_host_op(d, WCP_HOST_ALLOC, at, bytes, 0, label, e);
}

int
wcp_device_detach(struct wcp_device *d, void *memory, struct wcp_error *e)
{
	const uint64_t at = (uint64_t)(uintptr_t)memory;
	int r = exec_memory_detach(&d->memory, at, e);
	return r ? r : exec_host_op(d, WCP_HOST_FREE, at, 0, 0, NULL, e);
}

bool
wcp_device_allocation(
    const struct wcp_device *d, uint64_t address, struct wcp_device_allocation *found)
{
	const struct exec_alloc *a = exec_memory_find(&d->memory, address, 1);
	if (a)
		*found = (struct wcp_device_allocation){a->base, a->bytes, a->label, a->attached};
	return a != NULL;
}

int
wcp_device_share(struct wcp_device *d, uint64_t address, uint64_t *offset, struct wcp_error *e)
{
	const struct exec_alloc *a = exec_memory_find(&d->memory, address, 1);
	if (!a || a->attached)
		return wcp_fail(
		    e, WCP_EUSAGE, "0x%llx is not in device memory", (unsigned long long)address);
	return exec_memory_share(&d->memory, a, offset, e);
}

static void *
must_be_inside(
    struct wcp_device *d, uint64_t address, uint64_t bytes, const char *what, struct wcp_error *e)
{
	void *p = wcp_device_host(d, address, bytes);
	if (!p)
		wcp_fail(e, WCP_EUSAGE, "%s of %llu bytes at 0x%llx is not inside an allocation",
		    what, (unsigned long long)bytes, (unsigned long long)address);
	return p;
}

int
wcp_device_copy_in(
    struct wcp_device *d, uint64_t to, const void *from, uint64_t bytes, struct wcp_error *e)
{
	void *p = must_be_inside(d, to, bytes, "a copy to the device", e);
	if (!p)
		return WCP_EUSAGE;
	memcpy(p, from, bytes);
	return exec_host_op(d, WCP_HOST_COPY_IN, to, bytes, 0, NULL, e);
}

int
wcp_device_copy_out(
    struct wcp_device *d, void *to, uint64_t from, uint64_t bytes, struct wcp_error *e)
{
	const void *p = must_be_inside(d, from, bytes, "a copy from the device", e);
	if (!p)
		return WCP_EUSAGE;
	memcpy(to, p, bytes);
	return exec_host_op(d, WCP_HOST_COPY_OUT, from, bytes, 0, NULL, e);
}

int
wcp_device_set(
    struct wcp_device *d, uint64_t to, uint8_t value, uint64_t bytes, struct wcp_error *e)
{
	void *p = must_be_inside(d, to, bytes, "a memset", e);
	if (!p)
		return WCP_EUSAGE;
	memset(p, value, bytes);
	return exec_host_op(d, WCP_HOST_MEMSET, to, bytes, value, NULL, e);
}

enum wcp_fault
wcp_device_fault(const struct wcp_device *d)
{
	return d->fault;
}

void
wcp_device_set_heap(struct wcp_device *d, uint64_t bytes)
{
	d->heap_bytes = bytes;
}

void
wcp_device_set_pending(struct wcp_device *d, uint32_t launches)
{
	d->options.pending_launches = launches;
}

uint64_t
wcp_device_heap_used(const struct wcp_device *d)
{
	return d->heap_used;
}

bool
wcp_device_heap_next(
    const struct wcp_device *d, uint64_t after, struct wcp_device_allocation *found)
{
	const struct exec_alloc *a = exec_memory_heap_next(&d->memory, after);
	if (a)
		*found = (struct wcp_device_allocation){
		    .base = a->base, .bytes = a->bytes, .label = a->label};
	return a != NULL;
}

void
wcp_device_counts(const struct wcp_device *d, struct wcp_device_counts *counts)
{
	*counts = d->counts;
}

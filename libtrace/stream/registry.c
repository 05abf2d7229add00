#include <stdlib.h>
#include "base/buf.h"
#include "stream/format.h"
#include "stream/registry.h"

void
stream_registry_release(struct registry *r)
{
	for (uint32_t i = 0; i < r->n_program; i++) {
		stream_marks_release(&r->program[i]->marks);
		free(r->program[i]->program);
		free(r->program[i]);
	}
	for (uint32_t i = 0; i < r->n_kernel; i++) {
		free(r->kernel[i]->kernel);
		free(r->kernel[i]);
	}
	free(r->program);
	free(r->kernel);
	*r = (struct registry){0};
}

/* First place whose id is not below id. Both element types begin with the id. */
#define PLACE(array, count, wanted)                \
	uint32_t lo = 0, hi = (count);             \
	while (lo < hi) {                          \
		uint32_t mid = lo + (hi - lo) / 2; \
		if ((array)[mid]->id < (wanted))   \
			lo = mid + 1;              \
		else                               \
			hi = mid;                  \
	}

static uint32_t
program_place(const struct registry *r, uint32_t id)
{
	PLACE(r->program, r->n_program, id)
	return lo;
}

static uint32_t
kernel_place(const struct registry *r, uint32_t id)
{
	PLACE(r->kernel, r->n_kernel, id)
	return lo;
}

struct known_program *
stream_registry_program(const struct registry *r, uint32_t id)
{
	uint32_t at = program_place(r, id);
	return at < r->n_program && r->program[at]->id == id ? r->program[at] : NULL;
}

struct known_kernel *
stream_registry_kernel(const struct registry *r, uint32_t id)
{
	uint32_t at = kernel_place(r, id);
	return at < r->n_kernel && r->kernel[at]->id == id ? r->kernel[at] : NULL;
}

uint32_t
stream_registry_programs(const struct registry *r)
{
	return r->n_program ? r->program[r->n_program - 1]->id + 1 : 0;
}

uint32_t
stream_registry_kernels(const struct registry *r)
{
	return r->n_kernel ? r->kernel[r->n_kernel - 1]->id + 1 : 0;
}

/* Makes room at place `at` of an array of pointers. */
static int
insert(void *array, uint32_t *n, uint32_t *cap, uint32_t at, void *item)
{
	if (base_grow(array, cap, (uint64_t)*n + 1, sizeof(void *)) < 0)
		return WCP_ESYS;
	char *base;
	memcpy(&base, array, sizeof base);
	char *p = base + at * sizeof(void *);
	memmove(p + sizeof(void *), p, (*n - at) * sizeof(void *));
	memcpy(p, &item, sizeof item);
	++*n;
	return 0;
}

int
stream_registry_add_program(struct registry *r, const struct wcp_program *p,
    struct wcp_program *owned, enum wcp_status status, struct wcp_error *e)
{
	if (p->id >= STREAM_ID_MAX || stream_registry_program(r, p->id))
		return wcp_fail(e, status, "program %u is %s", p->id,
		    p->id >= STREAM_ID_MAX ? "numbered too high" : "there twice");
	struct known_program *known = calloc(1, sizeof *known);
	if (!known)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	known->id = p->id;
	int s = stream_marks_init(&known->marks, p, e);
	if (s == 0 && insert(&r->program, &r->n_program, &r->program_cap, program_place(r, p->id),
			  known) < 0) {
		stream_marks_release(&known->marks);
		s = wcp_fail(e, WCP_ESYS, "out of memory");
	}
	if (s < 0)
		free(known);
	else
		known->program = owned;
	return s;
}

static int
kernel_sound(const struct registry *r, const struct wcp_kernel *k, enum wcp_status status,
    struct wcp_error *e)
{
	if (k->id >= STREAM_ID_MAX || stream_registry_kernel(r, k->id))
		return wcp_fail(e, status, "kernel %u is %s", k->id,
		    k->id >= STREAM_ID_MAX ? "numbered too high" : "there twice");
	if (k->program != WCP_NONE32 && !stream_registry_program(r, k->program))
		return wcp_fail(
		    e, status, "kernel %u comes before its program %u", k->id, k->program);
	return 0;
}

int
stream_registry_add_kernel(struct registry *r, const struct wcp_kernel *k, struct wcp_kernel *owned,
    enum wcp_status status, struct wcp_error *e)
{
	int s = kernel_sound(r, k, status, e);
	if (s < 0)
		return s;
	struct known_kernel *known = calloc(1, sizeof *known);
	if (!known ||
	    insert(&r->kernel, &r->n_kernel, &r->kernel_cap, kernel_place(r, k->id), known) < 0) {
		free(known);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
	*known = (struct known_kernel){.id = k->id, .kernel = owned};
	known->program = k->program == WCP_NONE32 ? NULL : stream_registry_program(r, k->program);
	known->ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	known->warps = (uint32_t)((threads + WCP_LANES - 1) / WCP_LANES);
	return 0;
}

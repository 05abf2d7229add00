/* Programs and kernels by id. What is handed out stays where it is until the registry is released.
 */
#ifndef STREAM_REGISTRY_H
#define STREAM_REGISTRY_H

#include "stream/marks.h"
#include "warpcap/program.h"

struct known_program {
	uint32_t id;
	struct marks marks;
	struct wcp_program *program; /* freed with the registry; NULL in a writer */
};

struct known_kernel {
	uint32_t id;
	struct known_program *program; /* NULL in an ACCESS stream without programs */
	struct wcp_kernel *kernel;     /* freed with the registry; NULL in a writer */
	uint64_t ctas;
	uint32_t warps; /* of a CTA */
};

struct registry {
	struct known_program **program; /* by rising id */
	struct known_kernel **kernel;
	uint32_t n_program, program_cap, n_kernel, kernel_cap;
};

void stream_registry_release(struct registry *r);
/* NULL if unknown. */
struct known_program *stream_registry_program(const struct registry *r, uint32_t id);
struct known_kernel *stream_registry_kernel(const struct registry *r, uint32_t id);
/* Ids are below these. */
uint32_t stream_registry_programs(const struct registry *r);
uint32_t stream_registry_kernels(const struct registry *r);
/* Keeps owned (may be NULL) on success. status: what to fail with when the id is taken or too
 * large. */
int stream_registry_add_program(struct registry *r, const struct wcp_program *p,
    struct wcp_program *owned, enum wcp_status status, struct wcp_error *e);
int stream_registry_add_kernel(struct registry *r, const struct wcp_kernel *k,
    struct wcp_kernel *owned, enum wcp_status status, struct wcp_error *e);

#endif

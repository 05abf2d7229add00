/* Executing a launch file against a module. */
#ifndef RUN_H
#define RUN_H

#include "../capture.h"
#include "launch.h"

/* Are the kernels, their arguments' number and the variables that the file names in the module? */
int launch_check(const struct launch_file *f, const struct ptx_module *ptx, struct wcp_error *e);

/*
 * Runs it from first to last line. An expectation that is not met is said on standard error, and
 * the rest still runs. 0: all was as expected; 1: it was not; negative: stopped, e says where.
 */
int launch_run(struct capture *c, struct launch_file *f, const char *file,
    const struct ptx_module *ptx, struct wcp_module *module, struct wcp_error *e);

#endif

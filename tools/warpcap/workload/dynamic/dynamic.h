/*
 * Workloads whose kernels launch kernels. Each has three forms from one source
 * (share/workload/launch.h): a kernel NAME that launches is there as NAME_flat, NAME_child and
 * NAME_fallback.
 */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include "workload/workload.h"

/* Rows of a table of parameters; what says what THRESHOLD counts. */
#define FORM_PARAMETERS(threshold, what)                                                           \
	{"FORM",                                                                                   \
	    "who does what is above THRESHOLD: the thread, a child kernel, a child kernel unless " \
	    "refused",                                                                             \
	    PARAMETER_CHOICE, 1, 0, 0, dynamic_forms},                                             \
	    {"THRESHOLD", what, PARAMETER_INTEGER, threshold, 0, 1 << 30, NULL},                   \
	{                                                                                          \
		"PENDING", "launches that may wait, more are refused; 0: any number",              \
		    PARAMETER_INTEGER, 0, 0, 1 << 20, NULL                                         \
	}
extern const char *const dynamic_forms[];

/* Launches the kernel in the form that is asked for. */
void dynamic_launch(struct host *h, const char *kernel, struct host_shape shape,
    const void *const *arg, uint32_t n_arg);

/* Refuses what share/workload/dynamic/quarters.h does not divide: N must be a multiple of SQUARE,
 * that one of LEAF, both powers of two. To be a workload's prepare. */
void *dynamic_squares(struct host *h);

#endif

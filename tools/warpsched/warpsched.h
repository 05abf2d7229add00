/* What a run leaves, and how it is reported. */
#ifndef WARPSCHED_H
#define WARPSCHED_H

#include "gpu/gpu.h"
#include "policy/policy.h"
#include "report.h"

struct run_result {
	uint64_t cycles; /* of all kernels, one after the other */
	uint64_t kernels;
	struct sm_counts sm; /* summed over SMs */
	struct wcp_nb_counts l1d, l1c, l1i, l2;
	struct wcp_dram_counts dram;
};

void result_collect(struct run_result *r, const struct gpu *g);
int print_results(struct tool *t, const struct gpu_config *set, const struct choice *choice,
    const struct run_result *result, unsigned n);

#endif

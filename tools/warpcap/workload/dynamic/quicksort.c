#include "sort.h"

WORKLOAD_PTX(quicksort, "dynamic/quicksort.ptx");

static const struct parameter parameter[] = {
    {"N", "keys", PARAMETER_INTEGER, 65536, 1, 1 << 26, NULL},
    {"RANGE", "keys are drawn from 0 up to below this", PARAMETER_INTEGER, 1 << 30, 1, 1 << 30,
	NULL},
    FORM_PARAMETERS(2048, "keys of a part above which it is a child kernel's"),
    {NULL},
};

static void
run(struct host *h)
{
	const uint64_t n = (uint64_t)host_integer(h, "N");
	int32_t *key = host_integers(h, n, 1, 0, (int32_t)host_integer(h, "RANGE") - 1);
	sort_run(h, "quicksort", key, 0);
}

const struct workload workload_quicksort = {
    .name = "quicksort",
    .summary = "quicksort, a child kernel for each long side of a part",
    .origin = "Tang, Quick Sort; CUDA samples, cdpSimpleQuicksort",
    .parameter = parameter,
    .small = "N=3000 THRESHOLD=90",
    .paper = "N=65536",
    .footprint = "8 N",
    .check = "equal",
    .ptx = quicksort_ptx,
    .ptx_end = quicksort_ptx_end,
    .footprint_bytes = sort_footprint,
    .prepare = sort_prepare,
    .run = run,
};

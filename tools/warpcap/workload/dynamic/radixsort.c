#include "sort.h"

WORKLOAD_PTX(radixsort, "dynamic/radixsort.ptx");

static const char *const keys[] = {"skewed", "uniform", NULL};

static const struct parameter parameter[] = {
    {"N", "keys", PARAMETER_INTEGER, 262144, 1, 1 << 26, NULL},
    {"BITS", "of a key", PARAMETER_INTEGER, 30, 1, 30, NULL},
    {"KEYS", "how keys are drawn: skewed ones are fourth powers", PARAMETER_CHOICE, 0, 0, 0, keys},
    FORM_PARAMETERS(80, "keys of a part above which it is a child kernel's"),
    {NULL},
};

static void
run(struct host *h)
{
	const uint64_t n = (uint64_t)host_integer(h, "N"), seed = random_at(host_seed(h), 1);
	const bool skewed = host_chosen(h, "KEYS", "skewed");
	const int32_t bits = (int32_t)host_integer(h, "BITS");
	int32_t *key = host_memory(h, n, sizeof *key);
	for (uint64_t k = 0; key && k < n; k++) {
		double u = random_unit(seed, k);
		key[k] = (int32_t)((skewed ? u * u * u * u : u) * (double)(1 << bits));
	}
	sort_run(h, "radixsort", key, bits - 1);
}

const struct workload workload_radixsort = {
    .name = "radixsort",
    .summary = "radix sort from the highest bit, a child kernel for each long half of a part",
    .origin = "Tang, Radix Sort",
    .parameter = parameter,
    .small = "N=3000 BITS=14 THRESHOLD=40",
    .paper = "N=262144",
    .footprint = "8 N",
    .check = "equal",
    .ptx = radixsort_ptx,
    .ptx_end = radixsort_ptx_end,
    .footprint_bytes = sort_footprint,
    .prepare = sort_prepare,
    .run = run,
};

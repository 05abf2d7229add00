#include "workload/workload.h"

WORKLOAD_PTX(lud, "rodinia/lud.ptx");

static const struct parameter parameter[] = {
    {"N", "rows and columns, a multiple of 16", PARAMETER_INTEGER, 256, 16, 16384, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 4 * n * n;
}

enum { SIDE = 16 };

static void *
prepare(struct host *h)
{
	if (host_integer(h, "N") % SIDE)
		host_fail(h, WCP_EUSAGE, "lud: N is no multiple of %d", SIDE);
	return NULL;
}

/* Doolittle, in twice the precision. */
static void
reference(double *a, int32_t n)
{
	for (int32_t k = 0; k < n; k++)
		for (int32_t i = k + 1; i < n; i++) {
			double factor = a[(size_t)i * n + k] /= a[(size_t)k * n + k];
			for (int32_t j = k + 1; j < n; j++)
				a[(size_t)i * n + j] -= factor * a[(size_t)k * n + j];
		}
}

static void
verify(struct host *h, float *m, uint64_t dm, int32_t n)
{
	uint64_t elements = (uint64_t)n * (uint64_t)n;
	double *exact = host_memory(h, elements, sizeof *exact);
	if (!exact)
		return;
	for (uint64_t k = 0; k < elements; k++)
		exact[k] = (double)m[k];
	reference(exact, n);
	for (uint64_t k = 0; k < elements; k++)
		m[k] = (float)exact[k];
	host_expect_near(h, "m", dm, m, elements, 1e-4, 1e-5);
}

static void
decompose(struct host *h, uint64_t dm, int32_t n)
{
	for (int32_t offset = 0; offset < n; offset += SIDE) {
		uint32_t rest = (uint32_t)(n - offset) / SIDE - 1;
		host_launch(h, "lud_diagonal", SHAPE(1, SIDE), ARGUMENTS(&dm, &n, &offset));
		if (!rest)
			break;
		host_launch(h, "lud_perimeter",
		    (struct host_shape){{rest, 1, 1}, {2 * SIDE, 1, 1}, 0},
		    ARGUMENTS(&dm, &n, &offset));
		host_launch(h, "lud_internal",
		    (struct host_shape){{rest, rest, 1}, {SIDE, SIDE, 1}, 0},
		    ARGUMENTS(&dm, &n, &offset));
	}
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t elements = (uint64_t)n * (uint64_t)n;
	float *m = host_uniform(h, elements, 0, 0, 1);
	if (!m)
		return;
	for (int32_t k = 0; k < n; k++)
		m[(size_t)k * n + k] += (float)n; /* no pivot is small */
	uint64_t dm = host_input(h, "m", m, 4 * elements);
	decompose(h, dm, n);
	host_download(h, dm, 4 * elements);
	if (host_verifies(h))
		verify(h, m, dm, n);
}

const struct workload workload_lud = {
    .name = "lud",
    .summary = "LU decomposition in tiles: diagonal, perimeter and inner tiles in shared memory",
    .origin = "Rodinia, lud",
    .parameter = parameter,
    .small = "N=64",
    .paper = "N=80",
    .footprint = "4 N N",
    .check = "within 1e-4 of a decomposition in double precision",
    .ptx = lud_ptx,
    .ptx_end = lud_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

#include "workload/reference.h"
#include <string.h>
#include "workload/workload.h"

WORKLOAD_PTX(kmeans, "rodinia/kmeans.ptx");

static const char *const layouts[] = {"rows", "columns", NULL};

static const struct parameter parameter[] = {
    {"N", "points", PARAMETER_INTEGER, 16384, 1, 1 << 24, NULL},
    {"FEATURES", "of a point", PARAMETER_INTEGER, 34, 1, 1024, NULL},
    {"CLUSTERS", "wanted", PARAMETER_INTEGER, 5, 1, 1024, NULL},
    {"ITERATIONS", "of assigning points and moving centres", PARAMETER_INTEGER, 2, 1, 1000, NULL},
    {"LAYOUT", "points as rows, or transposed", PARAMETER_CHOICE, 0, 0, 0, layouts},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"),
		 features = (uint64_t)host_integer(h, "FEATURES"),
		 clusters = (uint64_t)host_integer(h, "CLUSTERS");
	uint64_t copies = host_chosen(h, "LAYOUT", "columns") ? 2 : 1;
	return 4 * (copies * n * features + clusters * features + n);
}

struct clustering {
	float *feature; /* [n][features] */
	float *centre;	/* [clusters][features] */
	int32_t *member;
	int32_t n, features, clusters;
};

static void *
prepare(struct host *h)
{
	if (host_integer(h, "N") * host_integer(h, "FEATURES") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "kmeans: N times FEATURES is not below 2^31");
	else if (host_integer(h, "CLUSTERS") > host_integer(h, "N"))
		host_fail(h, WCP_EUSAGE, "kmeans: more CLUSTERS than points");
	return NULL;
}

/* Each centre becomes the mean of its points; one without points stays. */
static void
move_centres(const struct clustering *k, double *sum, uint32_t *count)
{
	uint64_t cells = (uint64_t)k->clusters * (uint64_t)k->features;
	memset(sum, 0, cells * sizeof *sum);
	memset(count, 0, (size_t)k->clusters * sizeof *count);
	for (int32_t p = 0; p < k->n; p++) {
		int32_t c = k->member[p];
		count[c]++;
		for (int32_t f = 0; f < k->features; f++)
			sum[c * k->features + f] += (double)k->feature[(size_t)p * k->features + f];
	}
	for (uint64_t at = 0; at < cells; at++) {
		uint32_t points = count[at / (uint64_t)k->features];
		if (points)
			k->centre[at] = (float)(sum[at] / points);
	}
}

static void
verify(struct host *h, const struct clustering *k, uint64_t dmember)
{
	for (int32_t p = 0; p < k->n; p++)
		k->member[p] = reference_nearest(
		    k->feature + (size_t)p * k->features, k->centre, k->features, k->clusters);
	host_expect_s32(h, "member", dmember, k->member, (uint64_t)k->n);
}

static uint64_t
transpose(struct host *h, const struct clustering *k, uint64_t drows, uint64_t bytes)
{
	uint64_t dcolumns = host_device(h, "columns", bytes);
	host_launch(h, "kmeans_transpose", SHAPE(k->n, 256),
	    ARGUMENTS(&drows, &dcolumns, &k->n, &k->features));
	return dcolumns;
}

static void
run(struct host *h)
{
	struct clustering k = {.n = (int32_t)host_integer(h, "N"),
	    .features = (int32_t)host_integer(h, "FEATURES"),
	    .clusters = (int32_t)host_integer(h, "CLUSTERS")};
	uint64_t n = (uint64_t)k.n, values = n * (uint64_t)k.features,
		 cells = (uint64_t)k.clusters * (uint64_t)k.features;
	bool columns = host_chosen(h, "LAYOUT", "columns");
	k.feature = host_uniform(h, values, 0, 0, 1);
	k.centre = host_memory(h, cells, sizeof *k.centre);
	k.member = host_memory(h, n, sizeof *k.member);
	double *sum = host_memory(h, cells, sizeof *sum);
	uint32_t *count = host_memory(h, (uint64_t)k.clusters, sizeof *count);
	if (host_failed(h))
		return;
	memcpy(k.centre, k.feature, cells * sizeof *k.centre);
	uint64_t dfeature = host_input(h, "features", k.feature, 4 * values);
	uint64_t dcentre = host_input(h, "centres", k.centre, 4 * cells),
		 dmember = host_device(h, "member", 4 * n);
	if (columns)
		dfeature = transpose(h, &k, dfeature, 4 * values);
	for (int64_t i = host_integer(h, "ITERATIONS"); i > 0 && !host_failed(h); i--) {
		host_write(h, dcentre, k.centre, 4 * cells);
		host_launch(h, columns ? "kmeans_columns" : "kmeans_rows", SHAPE(k.n, 256),
		    ARGUMENTS(&dfeature, &dcentre, &dmember, &k.n, &k.features, &k.clusters));
		host_read(h, k.member, dmember, 4 * n);
		if (i == 1 && host_verifies(h))
			verify(h, &k, dmember);
		move_centres(&k, sum, count);
	}
}

const struct workload workload_kmeans = {
    .name = "kmeans",
    .summary = "k-means clustering: a thread a point, lanes a row of features apart",
    .origin = "Rodinia, kmeans, with the features read as CCWS and CIAO read them",
    .parameter = parameter,
    .small = "N=500 FEATURES=7 CLUSTERS=3",
    .paper = "N=494020 FEATURES=34 CLUSTERS=5",
    .footprint =
	"4 (N FEATURES + CLUSTERS FEATURES + N), and 4 N FEATURES more with LAYOUT=columns",
    .check = "equal",
    .ptx = kmeans_ptx,
    .ptx_end = kmeans_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

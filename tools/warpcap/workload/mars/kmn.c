#include "workload/reference.h"
#include <string.h>
#include "workload/mars/mars.h"
#include "workload/workload.h"

WORKLOAD_PTX(kmn, "mars/kmn.ptx");

static const struct parameter parameter[] = {
    {"N", "points", PARAMETER_INTEGER, 5376, 1, 1 << 24, NULL},
    {"FEATURES", "of a point", PARAMETER_INTEGER, 8, 1, 64, NULL},
    {"CLUSTERS", "wanted", PARAMETER_INTEGER, 24, 1, 1024, NULL},
    {"ITERATIONS", "of map, sort and reduce", PARAMETER_INTEGER, 3, 1, 1000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"),
		 features = (uint64_t)host_integer(h, "FEATURES"),
		 clusters = (uint64_t)host_integer(h, "CLUSTERS"), room = 256;
	while (room < n)
		room *= 2;
	return 4 * (n + clusters) * features + 8 * room;
}

static void *
prepare(struct host *h)
{
	if (host_integer(h, "CLUSTERS") > host_integer(h, "N"))
		host_fail(h, WCP_EUSAGE, "kmn: more CLUSTERS than points");
	return NULL;
}

struct points {
	float *point, *centre; /* [n][features], [clusters][features] */
	int32_t n, clusters, features;
};

/* One step; wanted becomes the pairs. */
static void
reference(struct points *p, uint64_t *wanted)
{
	for (int32_t i = 0; i < p->n; i++)
		wanted[i] =
		    mars_pair((uint32_t)reference_nearest(p->point + (size_t)i * p->features,
				  p->centre, p->features, p->clusters),
			(uint32_t)i);
	for (int32_t at = 0; at < p->clusters * p->features; at++) {
		uint32_t c = (uint32_t)(at / p->features), points = 0;
		float sum = 0;
		for (int32_t i = 0; i < p->n; i++)
			if (wanted[i] >> 32 == c) {
				sum += p->point[i * p->features + at % p->features];
				points++;
			}
		if (points)
			p->centre[at] = sum / (float)points;
	}
}

static void
verify(struct host *h, struct points *p, const struct mars *m, uint64_t dcentre)
{
	uint64_t *wanted = host_memory(h, (uint64_t)p->n, sizeof *wanted);
	if (!wanted)
		return;
	for (int64_t i = host_integer(h, "ITERATIONS"); i > 0; i--)
		reference(p, wanted);
	mars_expect_pairs(h, m, wanted, (uint64_t)p->n);
	host_expect_f32(
	    h, "centre", dcentre, p->centre, (uint64_t)p->clusters * (uint64_t)p->features, 0);
}

static void
run(struct host *h)
{
	struct points p = {.n = (int32_t)host_integer(h, "N"),
	    .clusters = (int32_t)host_integer(h, "CLUSTERS"),
	    .features = (int32_t)host_integer(h, "FEATURES")};
	uint64_t values = (uint64_t)p.n * (uint64_t)p.features,
		 cells = (uint64_t)p.clusters * (uint64_t)p.features;
	struct mars m = {0};
	p.point = host_uniform(h, values, 0, 0, 1);
	p.centre = host_memory(h, cells, sizeof *p.centre);
	if (host_failed(h))
		return;
	memcpy(p.centre, p.point, cells * sizeof *p.centre);
	uint64_t dpoint = host_input(h, "points", p.point, 4 * values),
		 dcentre = host_input(h, "centres", p.centre, 4 * cells);
	mars_take_pairs(h, &m, (uint32_t)p.n);
	for (int64_t i = host_integer(h, "ITERATIONS"); i > 0 && !host_failed(h); i--) {
		host_set(h, m.pair, 0xff, 8 * (uint64_t)m.room);
		host_launch(h, "kmn_map", SHAPE(p.n, 256),
		    ARGUMENTS(&dpoint, &dcentre, &m.pair, &p.n, &p.clusters, &p.features));
		mars_sort(h, &m, 1);
		host_launch(h, "kmn_reduce", SHAPE(p.clusters, 256),
		    ARGUMENTS(&dpoint, &m.pair, &dcentre, &p.n, &p.clusters, &p.features));
	}
	host_download(h, dcentre, 4 * cells);
	if (host_verifies(h))
		verify(h, &p, &m, dcentre);
}

const struct workload workload_kmn = {
    .name = "kmn",
    .summary =
	"k-means clustering by MapReduce: a thread a point; sort by centre; a thread a centre",
    .origin = "Mars, K-means",
    .parameter = parameter,
    .small = "N=700 CLUSTERS=5 FEATURES=3 ITERATIONS=2",
    .paper = "N=2688 FEATURES=16 CLUSTERS=24 ITERATIONS=3",
    .footprint = "4 (N FEATURES + CLUSTERS FEATURES) + 8 N, N rounded up to a power of two",
    .check = "equal, centres bit for bit",
    .ptx = kmn_ptx,
    .ptx_end = kmn_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

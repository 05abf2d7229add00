#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(streamcluster, "rodinia/streamcluster.ptx");

static const struct parameter parameter[] = {
    {"N", "points", PARAMETER_INTEGER, 8192, 16, 1 << 20, NULL},
    {"DIMENSIONS", "of a point", PARAMETER_INTEGER, 32, 1, 1024, NULL},
    {"CANDIDATES", "for new centres, one after the other", PARAMETER_INTEGER, 5, 1, 1000, NULL},
    {"CENTRES", "open at first", PARAMETER_INTEGER, 10, 1, 256, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"),
		 dimensions = (uint64_t)host_integer(h, "DIMENSIONS"),
		 centres = (uint64_t)host_integer(h, "CENTRES");
	return n * (4 * dimensions + 41 + 4 * (centres + 1));
}

struct point {
	float weight;
	int32_t pad;
	int64_t coordinates;
	int64_t assigned; /* the point that is its centre */
	float cost;
	int32_t pad2;
};

struct stream {
	float *coordinate; /* [dimensions][n] */
	struct point *point;
	int32_t *slot; /* of points that are centres */
	uint64_t dcoordinate, dpoint, dslot, dwork, dmoves;
	int32_t n, dimensions, centres, stride;
};

static void *
prepare(struct host *h)
{
	if (host_integer(h, "CENTRES") > host_integer(h, "N"))
		host_fail(h, WCP_EUSAGE, "streamcluster: more CENTRES than points");
	else if (host_integer(h, "N") * host_integer(h, "DIMENSIONS") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "streamcluster: N times DIMENSIONS is not below 2^31");
	return NULL;
}

static float
distance(const struct stream *s, int32_t a, int32_t b)
{
	float sum = 0;
	for (int32_t d = 0; d < s->dimensions; d++) {
		const float *row = s->coordinate + (size_t)d * s->n;
		sum = fmaf(row[a] - row[b], row[a] - row[b], sum);
	}
	return sum;
}

/* Centres are the first points; each point goes to one of them, whichever. */
static bool
set_out(struct host *h, struct stream *s)
{
	uint64_t n = (uint64_t)s->n, which = random_at(host_seed(h), 1);
	s->coordinate = host_uniform(h, n * (uint64_t)s->dimensions, 0, 0, 1);
	s->point = host_memory(h, n, sizeof *s->point);
	s->slot = host_memory(h, n, sizeof *s->slot);
	if (host_failed(h))
		return false;
	for (int32_t i = 0; i < s->n; i++) {
		struct point *p = &s->point[i];
		p->assigned = i < s->centres ? i
					     : (int64_t)random_below(random_at(which, (uint64_t)i),
						   (uint64_t)s->centres);
		p->weight = 1;
		p->cost = distance(s, i, (int32_t)p->assigned);
		s->slot[i] = i < s->centres ? i : 0;
	}
	s->dcoordinate =
	    host_input(h, "coordinates", s->coordinate, 4 * n * (uint64_t)s->dimensions);
	s->dpoint = host_input(h, "points", s->point, n * sizeof *s->point);
	s->dslot = host_input(h, "centre slots", s->slot, 4 * n);
	s->dwork = host_device(h, "work", 4 * n * (uint64_t)s->stride);
	s->dmoves = host_device(h, "moves", n);
	return !host_failed(h);
}

/* Points that are nearer to x go there; x gets no slot of its own but stands for point 0, the
 * first centre, so that there are as many centres as before. */
static void
open_centre(struct stream *s, int32_t x, const int8_t *moves)
{
	for (int32_t i = 0; i < s->n; i++)
		if (moves[i]) {
			s->point[i].cost = distance(s, i, x) * s->point[i].weight;
			s->point[i].assigned = 0;
		}
}

static void
verify(struct host *h, const struct stream *s, int32_t x, const int8_t *moves)
{
	uint64_t cells = (uint64_t)s->n * (uint64_t)s->stride, wrong = 0;
	float *work = host_memory(h, cells, sizeof *work);
	if (!work)
		return;
	for (int32_t i = 0; i < s->n; i++) {
		const struct point *p = &s->point[i];
		float cost = distance(s, i, x) * p->weight, *row = work + (size_t)i * s->stride;
		wrong += (cost < p->cost) != moves[i];
		row[cost < p->cost ? s->centres : s->slot[p->assigned]] = -fabsf(cost - p->cost);
	}
	if (wrong)
		host_fail(h, WCP_ENO, "%llu points move that should not, or stay",
		    (unsigned long long)wrong);
	host_expect_f32(h, "work", s->dwork, work, cells, 0);
}

static void
ask(struct host *h, struct stream *s, int32_t x, int8_t *moves, bool last)
{
	uint64_t n = (uint64_t)s->n;
	host_write(h, s->dpoint, s->point, n * sizeof *s->point);
	host_set(h, s->dwork, 0, 4 * n * (uint64_t)s->stride);
	host_set(h, s->dmoves, 0, n);
	host_launch(h, "streamcluster_gain", SHAPE(s->n, 512),
	    ARGUMENTS(&s->n, &s->dimensions, &x, &s->dpoint, &s->centres, &s->stride,
		&s->dcoordinate, &s->dwork, &s->dslot, &s->dmoves));
	host_read(h, moves, s->dmoves, n);
	host_download(h, s->dwork, 4 * n * (uint64_t)s->stride);
	if (last && host_verifies(h))
		verify(h, s, x, moves);
}

static void
run(struct host *h)
{
	struct stream s = {.n = (int32_t)host_integer(h, "N"),
	    .dimensions = (int32_t)host_integer(h, "DIMENSIONS"),
	    .centres = (int32_t)host_integer(h, "CENTRES")};
	int64_t candidates = host_integer(h, "CANDIDATES");
	uint64_t which = random_at(host_seed(h), 2);
	s.stride = s.centres + 1;
	int8_t *moves = host_memory(h, (uint64_t)s.n, 1);
	if (!moves || !set_out(h, &s))
		return;
	for (int64_t c = 0; c < candidates && !host_failed(h); c++) {
		int32_t x = (int32_t)random_below(random_at(which, (uint64_t)c), (uint64_t)s.n);
		ask(h, &s, x, moves, c + 1 == candidates);
		open_centre(&s, x, moves);
	}
}

const struct workload workload_streamcluster = {
    .name = "streamcluster",
    .summary = "what a new centre would gain: candidate in shared memory, a row of sums a thread",
    .origin = "Rodinia, streamcluster",
    .parameter = parameter,
    .small = "N=700 DIMENSIONS=9 CANDIDATES=3",
    .paper = "N=65536 DIMENSIONS=256 CANDIDATES=5 CENTRES=10",
    .footprint = "4 N DIMENSIONS + 41 N + 4 N (CENTRES + 1)",
    .check = "bit for bit",
    .ptx = streamcluster_ptx,
    .ptx_end = streamcluster_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

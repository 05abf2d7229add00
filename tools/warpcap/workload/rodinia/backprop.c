#include <math.h>
#include <stddef.h>
#include "workload/workload.h"

WORKLOAD_PTX(backprop, "rodinia/backprop.ptx");

static const struct parameter parameter[] = {
    {"IN", "units of the input layer, a multiple of 16", PARAMETER_INTEGER, 16384, 16, 1 << 20,
	NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t in = (uint64_t)host_integer(h, "IN");
	return 4 * (34 * (in + 1) + in + 1 + in + 17);
}

enum { HIDDEN = 16, ROW = HIDDEN + 1, SIDE = 16 };

struct net {
	float *input, *weight, *change, *partial; /* [in + 1], [in + 1][ROW] twice, [in] */
	float delta[ROW];
	int32_t in;
};

static void *
prepare(struct host *h)
{
	if (host_integer(h, "IN") % SIDE)
		host_fail(h, WCP_EUSAGE, "backprop: IN is no multiple of %d", SIDE);
	return NULL;
}

/* The tile of weights times inputs, folded as the kernel folds it; it is left in the weights. */
static void
forward_tile(const struct net *n, int32_t tile)
{
	float(*w)[ROW] = (float(*)[ROW])n->weight + (ptrdiff_t)tile * SIDE + 1;
	for (int y = 0; y < SIDE; y++)
		for (int x = 1; x < ROW; x++)
			w[y][x] *= n->input[tile * SIDE + y + 1];
	for (int step = 2; step <= SIDE; step *= 2)
		for (int y = 0; y < SIDE; y += step)
			for (int x = 1; x < ROW; x++)
				w[y][x] += w[y + step / 2][x];
	for (int x = 1; x < ROW; x++)
		n->partial[tile * HIDDEN + x - 1] = w[0][x];
}

static void
adjust(const struct net *n)
{
	for (int32_t i = 0; i <= n->in; i++)
		for (int x = 1; x < ROW; x++) {
			ptrdiff_t at = (ptrdiff_t)i * ROW + x;
			float gradient = i ? 0.3f * n->delta[x] * n->input[i] : 0.3f * n->delta[x];
			float step = fmaf(0.3f, n->change[at], gradient);
			n->weight[at] += step;
			n->change[at] = step;
		}
}

/* What the host does between the kernels: hidden units from partial sums, and how far they are off.
 */
static void
make_delta(struct net *n)
{
	for (int x = 0; x < HIDDEN; x++) {
		double sum = 0;
		for (int32_t tile = 0; tile < n->in / SIDE; tile++)
			sum += (double)n->partial[tile * HIDDEN + x];
		double unit = 1 / (1 + fabs(sum));
		n->delta[x + 1] = (float)(unit * (1 - unit) * (0.1 - unit));
	}
}

static void
run(struct host *h)
{
	struct net n = {.in = (int32_t)host_integer(h, "IN")};
	uint64_t in = (uint64_t)n.in, weights = (in + 1) * ROW;
	int32_t hidden = HIDDEN;
	n.input = host_uniform(h, in + 1, 0, 0, 1);
	n.weight = host_uniform(h, weights, 1, -0.01, 0.01);
	n.change = host_memory(h, weights, sizeof *n.change);
	n.partial = host_memory(h, in, sizeof *n.partial);
	uint64_t dinput = host_input(h, "input", n.input, 4 * (in + 1)),
		 dweight = host_input(h, "weights", n.weight, 4 * weights),
		 dchange = host_input(h, "changes", n.change, 4 * weights),
		 dpartial = host_device(h, "partial sums", 4 * in),
		 ddelta = host_device(h, "delta", sizeof n.delta);
	struct host_shape shape = {{1, (uint32_t)(n.in / SIDE), 1}, {SIDE, SIDE, 1}, 0};

	host_launch(h, "backprop_forward", shape, ARGUMENTS(&dinput, &dweight, &dpartial, &hidden));
	host_read(h, n.partial, dpartial, 4 * in);
	if (host_failed(h))
		return;
	make_delta(&n);
	host_write(h, ddelta, n.delta, sizeof n.delta);
	host_launch(
	    h, "backprop_adjust", shape, ARGUMENTS(&ddelta, &dinput, &dweight, &dchange, &hidden));
	host_download(h, dweight, 4 * weights);
	if (!host_verifies(h))
		return;
	for (int32_t tile = 0; tile < n.in / SIDE; tile++)
		forward_tile(&n, tile);
	host_expect_f32(h, "partial", dpartial, n.partial, in, 0);
	adjust(&n);
	host_expect_f32(h, "weight", dweight, n.weight, weights, 0);
	host_expect_f32(h, "change", dchange, n.change, weights, 0);
}

const struct workload workload_backprop = {
    .name = "backprop",
    .summary = "training step of a layered network: tiles of weights, tree sums in shared memory",
    .origin = "Rodinia, backprop",
    .parameter = parameter,
    .small = "IN=96",
    .paper = "IN=65536",
    .footprint = "4 (2 * 17 (IN + 1) + 2 IN + 18)",
    .check = "bit for bit",
    .ptx = backprop_ptx,
    .ptx_end = backprop_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

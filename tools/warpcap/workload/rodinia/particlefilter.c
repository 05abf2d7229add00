#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(particlefilter, "rodinia/particlefilter.ptx");

static const struct parameter parameter[] = {
    {"N", "particles", PARAMETER_INTEGER, 1000, 1, 1 << 20, NULL},
    {"FRAMES", "pictures", PARAMETER_INTEGER, 5, 1, 10000, NULL},
    {"SIDE", "of a picture", PARAMETER_INTEGER, 128, 32, 4096, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N"), side = (uint64_t)host_integer(h, "SIDE");
	return 308 * n + side * side;
}

enum { RADIUS = 5, POINTS_MAX = 121, BLOCK = 256 };

struct filter {
	float *x, *y, *weight, *distribution, *old_x, *old_y;
	uint32_t *seed;
	uint8_t *picture;
	int32_t disk[2 * POINTS_MAX];
	int32_t n, points, side, ctas;
	uint64_t dx[2], dy[2], dweight, ddistribution, dseed, dpicture, ddisk, dindex, dpartial;
};

/* ---- the reference, in the kernels' order ---- */

static float
uniform(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (float)(*seed >> 8) * 5.9604645e-8f;
}

static float
normal(uint32_t *seed)
{
	float sum = uniform(seed);
	for (int k = 1; k < 4; k++)
		sum += uniform(seed);
	return (sum - 2.0f) * 1.7320508f;
}

static float
exponential(float x)
{
	float power = fmaf(x, 0.0009765625f, 1.0f);
	for (int k = 0; k < 10; k++)
		power *= power;
	return power;
}

static float
likelihood(const struct filter *f, float x, float y)
{
	float sum = 0;
	for (int32_t k = 0; k < f->points; k++) {
		int32_t at = ((int32_t)(y + 0.5f) + f->disk[2 * k + 1]) * f->side +
			     (int32_t)(x + 0.5f) + f->disk[2 * k];
		float pixel = (float)f->picture[at < 0 || at >= f->side * f->side ? 0 : at];
		float dark = pixel - 100, bright = pixel - 228;
		sum += (dark * dark - bright * bright) * 0.0005f;
	}
	return sum / (float)f->points;
}

static float
sum_of_weights(const struct filter *f)
{
	float sum = 0;
	for (int32_t cta = 0; cta < f->ctas; cta++) {
		float cell[BLOCK] = {0};
		for (int32_t t = 0; t < BLOCK && cta * BLOCK + t < f->n; t++)
			cell[t] = f->weight[cta * BLOCK + t];
		for (int width = BLOCK / 2; width > 0; width /= 2)
			for (int t = 0; t < width; t++)
				cell[t] += cell[t + width];
		sum += cell[0];
	}
	return sum;
}

static void
resample(struct filter *f, float offset)
{
	for (int32_t i = 0; i < f->n; i++) {
		f->old_x[i] = f->x[i];
		f->old_y[i] = f->y[i];
	}
	for (int32_t i = 0; i < f->n; i++) {
		float wanted = offset + (float)i / (float)f->n;
		int32_t found = 0;
		while (found < f->n - 1 && f->distribution[found] < wanted)
			found++;
		f->x[i] = f->old_x[found];
		f->y[i] = f->old_y[found];
		f->weight[i] = 1.0f / (float)f->n;
	}
}

static void
reference_step(struct filter *f, float offset)
{
	for (int32_t i = 0; i < f->n; i++) {
		f->x[i] += fmaf(2.0f, normal(&f->seed[i]), 1.0f);
		f->y[i] += fmaf(2.0f, normal(&f->seed[i]), -1.0f);
		f->weight[i] *= exponential(likelihood(f, f->x[i], f->y[i]));
	}
	float all = sum_of_weights(f), sum = 0;
	for (int32_t i = 0; i < f->n; i++) {
		sum += f->weight[i] / all;
		f->distribution[i] = sum;
	}
	resample(f, offset);
}

/* ---- the filter on the device ---- */

static bool
set_out(struct host *h, struct filter *f)
{
	uint64_t n = (uint64_t)f->n, bytes = 4 * n, pixels = (uint64_t)f->side * (uint64_t)f->side;
	f->x = host_memory(h, n, 4);
	f->y = host_memory(h, n, 4);
	f->old_x = host_memory(h, n, 4);
	f->old_y = host_memory(h, n, 4);
	f->weight = host_memory(h, n, 4);
	f->distribution = host_memory(h, n, 4);
	f->seed = host_memory(h, n, 4);
	f->picture = host_memory(h, pixels, 1);
	if (host_failed(h))
		return false;
	for (int32_t i = 0; i < f->n; i++) {
		f->x[i] = f->y[i] = (float)f->side / 2;
		f->weight[i] = 1.0f / (float)f->n;
		f->seed[i] = (uint32_t)random_at(host_seed(h), (uint64_t)i);
	}
	for (int32_t y = -RADIUS; y <= RADIUS; y++)
		for (int32_t x = -RADIUS; x <= RADIUS; x++)
			if (x * x + y * y < RADIUS * RADIUS) {
				f->disk[2 * f->points] = x;
				f->disk[2 * f->points++ + 1] = y;
			}
	for (int k = 0; k < 2; k++) {
		f->dx[k] = host_input(h, k ? "next x" : "x", f->x, bytes);
		f->dy[k] = host_input(h, k ? "next y" : "y", f->y, bytes);
	}
	f->dweight = host_input(h, "weights", f->weight, bytes);
	f->ddistribution = host_device(h, "distribution", bytes);
	f->dseed = host_input(h, "seeds", f->seed, bytes);
	f->dpicture = host_device(h, "picture", pixels);
	f->ddisk = host_input(h, "disk", f->disk, sizeof f->disk);
	f->dindex = host_device(h, "pixels under the disk", bytes * (uint64_t)f->points);
	f->dpartial = host_device(h, "partial sums", 4 * (uint64_t)f->ctas);
	return !host_failed(h);
}

/* Picture t: noise about 100, and about 228 where the disk is, which moves a pixel a picture. */
static void
draw_picture(struct host *h, struct filter *f, int64_t t)
{
	uint64_t seed = random_at(host_seed(h), (uint64_t)t + (1u << 30));
	int32_t cx = f->side / 2 + (int32_t)(t % (f->side / 4)),
		cy = f->side / 2 - (int32_t)(t % (f->side / 4));
	for (int32_t k = 0; k < f->side * f->side; k++) {
		int32_t x = k % f->side - cx, y = k / f->side - cy;
		uint64_t noise = random_below(random_at(seed, (uint64_t)k), 21);
		f->picture[k] = (uint8_t)((x * x + y * y < RADIUS * RADIUS ? 218 : 90) + noise);
	}
	host_write(h, f->dpicture, f->picture, (uint64_t)f->side * (uint64_t)f->side);
}

static void
device_step(struct host *h, const struct filter *f, float offset)
{
	struct host_shape shape = SHAPE(f->n, BLOCK);
	host_launch(h, "particlefilter_likelihood", shape,
	    ARGUMENTS(&f->dx[0], &f->dy[0], &f->dseed, &f->dpicture, &f->ddisk, &f->dindex,
		&f->dweight, &f->dpartial, &f->n, &f->points, &f->side));
	host_launch(h, "particlefilter_sum", SHAPE(1, 32), ARGUMENTS(&f->dpartial, &f->ctas));
	host_launch(
	    h, "particlefilter_normalise", shape, ARGUMENTS(&f->dweight, &f->dpartial, &f->n));
	host_launch(h, "particlefilter_distribution", SHAPE(1, 32),
	    ARGUMENTS(&f->dweight, &f->ddistribution, &f->n));
	host_launch(h, "particlefilter_resample", shape,
	    ARGUMENTS(&f->dx[0], &f->dy[0], &f->ddistribution, &f->dx[1], &f->dy[1], &f->dweight,
		&offset, &f->n));
}

static void
run(struct host *h)
{
	struct filter f = {
	    .n = (int32_t)host_integer(h, "N"), .side = (int32_t)host_integer(h, "SIDE")};
	uint64_t offsets = random_at(host_seed(h), 1u << 29);
	f.ctas = (int32_t)host_blocks(f.n, BLOCK);
	if (!set_out(h, &f))
		return;
	for (int64_t t = 0; t < host_integer(h, "FRAMES") && !host_failed(h); t++) {
		float offset = (float)(random_unit(offsets, (uint64_t)t) / f.n);
		draw_picture(h, &f, t);
		device_step(h, &f, offset);
		for (int k = 0; k < 2; k++) {
			uint64_t *d = k ? f.dy : f.dx, swap = d[0];
			d[0] = d[1];
			d[1] = swap;
		}
		if (host_verifies(h))
			reference_step(&f, offset);
	}
	host_download(h, f.dx[0], 4 * (uint64_t)f.n);
	host_download(h, f.dy[0], 4 * (uint64_t)f.n);
	if (!host_verifies(h))
		return;
	host_expect_f32(h, "x", f.dx[0], f.x, (uint64_t)f.n, 0);
	host_expect_f32(h, "y", f.dy[0], f.y, (uint64_t)f.n, 0);
}

const struct workload workload_particlefilter = {
    .name = "particlefilter",
    .summary = "particle filter: rows of indices a thread, gathers, a search from the start",
    .origin = "Rodinia, particlefilter",
    .parameter = parameter,
    .small = "N=300 FRAMES=3 SIDE=64",
    .paper = "N=1000 FRAMES=40 SIDE=128",
    .footprint = "about 308 N + SIDE SIDE",
    .check = "bit for bit",
    .ptx = particlefilter_ptx,
    .ptx_end = particlefilter_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};

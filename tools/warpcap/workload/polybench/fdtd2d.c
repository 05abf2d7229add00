#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(fdtd2d, "polybench/fdtd2d.ptx");

static const struct parameter parameter[] = {
    {"NX", "rows", PARAMETER_INTEGER, 512, 1, 32767, NULL},
    {"NY", "columns", PARAMETER_INTEGER, 512, 1, 32000, NULL},
    {"STEPS", "in time", PARAMETER_INTEGER, 4, 1, 100000, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t nx = (uint64_t)host_integer(h, "NX"), ny = (uint64_t)host_integer(h, "NY");
	return 4 * (nx * (ny + 1) + (nx + 1) * ny + nx * ny + (uint64_t)host_integer(h, "STEPS"));
}

struct field {
	float *ex, *ey, *hz, *source;
	uint64_t dex, dey, dhz, dsource;
	int32_t nx, ny, steps;
};

static void
reference_step(struct field *f, int32_t t)
{
	int32_t nx = f->nx, ny = f->ny;
	float *ex = f->ex, *ey = f->ey, *hz = f->hz;
	for (int32_t j = 0; j < ny; j++)
		ey[j] = f->source[t];
	for (int32_t k = ny; k < nx * ny; k++)
		ey[k] = fmaf(-0.5f, hz[k] - hz[k - ny], ey[k]);
	for (int32_t i = 0; i < nx; i++)
		for (int32_t j = 1; j < ny; j++) {
			float *at = &ex[i * (ny + 1) + j];
			*at = fmaf(-0.5f, hz[i * ny + j] - hz[i * ny + j - 1], *at);
		}
	for (int32_t i = 0; i < nx; i++)
		for (int32_t j = 0; j < ny; j++) {
			const float *x = &ex[i * (ny + 1) + j], *y = &ey[i * ny + j];
			float *at = &hz[i * ny + j];
			*at = fmaf(-0.7f, x[1] - x[0] + y[ny] - y[0], *at);
		}
}

static void
device_step(struct host *h, const struct field *f, int32_t t)
{
	struct host_shape shape = SHAPE_2D(f->ny, f->nx, 32, 8);
	host_launch(
	    h, "fdtd_ey", shape, ARGUMENTS(&f->dsource, &f->dey, &f->dhz, &f->nx, &f->ny, &t));
	host_launch(h, "fdtd_ex", shape, ARGUMENTS(&f->dex, &f->dhz, &f->nx, &f->ny));
	host_launch(h, "fdtd_hz", shape, ARGUMENTS(&f->dex, &f->dey, &f->dhz, &f->nx, &f->ny));
}

static void
run(struct host *h)
{
	struct field f = {.nx = (int32_t)host_integer(h, "NX"),
	    .ny = (int32_t)host_integer(h, "NY"),
	    .steps = (int32_t)host_integer(h, "STEPS")};
	uint64_t nx = (uint64_t)f.nx, ny = (uint64_t)f.ny, steps = (uint64_t)f.steps;
	f.ex = host_uniform(h, nx * (ny + 1), 0, 0, 1);
	f.ey = host_uniform(h, (nx + 1) * ny, 1, 0, 1);
	f.hz = host_uniform(h, nx * ny, 2, 0, 1);
	f.source = host_uniform(h, steps, 3, 0, 1);
	f.dex = host_input(h, "ex", f.ex, 4 * nx * (ny + 1));
	f.dey = host_input(h, "ey", f.ey, 4 * (nx + 1) * ny);
	f.dhz = host_input(h, "hz", f.hz, 4 * nx * ny);
	f.dsource = host_input(h, "source", f.source, 4 * steps);

	for (int32_t t = 0; t < f.steps; t++)
		device_step(h, &f, t);
	host_download(h, f.dhz, 4 * nx * ny);
	if (!host_verifies(h))
		return;
	for (int32_t t = 0; t < f.steps; t++)
		reference_step(&f, t);
	host_expect_f32(h, "ex", f.dex, f.ex, nx * (ny + 1), 0);
	host_expect_f32(h, "ey", f.dey, f.ey, (nx + 1) * ny, 0);
	host_expect_f32(h, "hz", f.dhz, f.hz, nx * ny, 0);
}

const struct workload workload_fdtd2d = {
    .name = "fdtd2d",
    .summary =
	"two-dimensional finite differences in time: three kernels a step, straight from memory",
    .origin = "PolyBench/GPU, FDTD-2D",
    .parameter = parameter,
    .small = "NX=50 NY=70 STEPS=3",
    .paper = "NX=2048 NY=2048 STEPS=4",
    .footprint = "4 (NX (NY + 1) + (NX + 1) NY + NX NY + STEPS)",
    .check = "bit for bit",
    .ptx = fdtd2d_ptx,
    .ptx_end = fdtd2d_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};

#include <stddef.h>
#include "workload/workload.h"

WORKLOAD_PTX(lbm, "shoc/lbm.ptx");

static const struct parameter parameter[] = {
    {"NX", "cells along x, one CTA", PARAMETER_INTEGER, 64, 1, 512, NULL},
    {"NY", "cells along y", PARAMETER_INTEGER, 32, 1, 4096, NULL},
    {"NZ", "cells along z", PARAMETER_INTEGER, 32, 1, 4096, NULL},
    {"STEPS", "in time", PARAMETER_INTEGER, 2, 1, 100000, NULL},
    {"SOLID", "share of cells that are obstacles", PARAMETER_REAL, 0.05, 0, 1, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t nx = (uint64_t)host_integer(h, "NX"), ny = (uint64_t)host_integer(h, "NY"),
		 nz = (uint64_t)host_integer(h, "NZ");
	return 153 * nx * ny * nz;
}

enum { DIRECTIONS = 19 };

static const int8_t direction[DIRECTIONS][3] = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
    {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 0, 1},
    {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

struct lattice {
	float *from, *to; /* [DIRECTIONS][cells] */
	uint8_t *solid;
	int32_t n[3];
	ptrdiff_t cells;
};

static void *
prepare(struct host *h)
{
	int64_t cells = host_integer(h, "NX") * host_integer(h, "NY") * host_integer(h, "NZ");
	if (cells * DIRECTIONS >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "lbm: 19 NX NY NZ is not below 2^31");
	return NULL;
}

static double
weight_of(int i)
{
	return i == 0 ? 1.0 / 3 : i < 7 ? 1.0 / 18 : 1.0 / 36;
}

/* Relaxes one cell towards equilibrium, in twice the precision. */
static void
collide(double f[DIRECTIONS])
{
	double density = 0, u[3] = {0}, square = 0;
	for (int i = 0; i < DIRECTIONS; i++) {
		density += f[i];
		for (int a = 0; a < 3; a++)
			u[a] += direction[i][a] * f[i];
	}
	for (int a = 0; a < 3; a++) {
		u[a] /= density;
		square += u[a] * u[a];
	}
	for (int i = 0; i < DIRECTIONS; i++) {
		double along = 0;
		for (int a = 0; a < 3; a++)
			along += direction[i][a] * u[a];
		double rest =
		    weight_of(i) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
		f[i] += 1.95 * (rest - f[i]);
	}
}

/* The cell that lies in a direction, or against it; the lattice is closed on itself. */
static ptrdiff_t
neighbour(const struct lattice *l, ptrdiff_t cell, int i, int sign)
{
	ptrdiff_t rest = cell, at[3];
	for (int a = 0; a < 3; a++) {
		at[a] = (rest % l->n[a] + sign * direction[i][a] + l->n[a]) % l->n[a];
		rest /= l->n[a];
	}
	return (at[2] * l->n[1] + at[1]) * l->n[0] + at[0];
}

static void
reference_step(struct lattice *l)
{
	for (ptrdiff_t cell = 0; cell < l->cells; cell++) {
		double f[DIRECTIONS];
		bool wall = l->solid[cell];
		for (int i = 0; i < DIRECTIONS; i++)
			f[i] = (double)l->from[i * l->cells + cell];
		if (!wall)
			collide(f);
		for (int i = 0; i < DIRECTIONS; i++) {
			int back = i == 0 ? 0 : i % 2 ? i + 1 : i - 1;
			ptrdiff_t to = neighbour(l, cell, i, wall ? -1 : 1);
			l->to[(wall ? back : i) * l->cells + to] = (float)f[i];
		}
	}
	float *swap = l->from;
	l->from = l->to;
	l->to = swap;
}

static void
fill(struct host *h, struct lattice *l)
{
	uint64_t seed = random_at(host_seed(h), 0), walls = random_at(host_seed(h), 1);
	double solid = host_real(h, "SOLID");
	uint64_t cells = (uint64_t)l->cells;
	l->from = host_memory(h, cells * DIRECTIONS, sizeof *l->from);
	l->to = host_memory(h, cells * DIRECTIONS, sizeof *l->to);
	l->solid = host_memory(h, cells, 1);
	if (host_failed(h))
		return;
	for (uint64_t k = 0; k < cells * DIRECTIONS; k++)
		l->from[k] =
		    (float)(weight_of((int)(k / cells)) * (0.95 + 0.1 * random_unit(seed, k)));
	for (uint64_t k = 0; k < cells; k++)
		l->solid[k] = random_unit(walls, k) < solid;
}

static void
run(struct host *h)
{
	struct lattice l = {.n = {(int32_t)host_integer(h, "NX"), (int32_t)host_integer(h, "NY"),
				(int32_t)host_integer(h, "NZ")}};
	l.cells = (ptrdiff_t)l.n[0] * l.n[1] * l.n[2];
	uint64_t values = (uint64_t)l.cells * DIRECTIONS, d[2];
	int64_t steps = host_integer(h, "STEPS");
	fill(h, &l);
	d[0] = host_input(h, "lattice", l.from, 4 * values);
	d[1] = host_device(h, "next lattice", 4 * values);
	uint64_t dsolid = host_input(h, "obstacles", l.solid, (uint64_t)l.cells);
	struct host_shape shape = {
	    {(uint32_t)l.n[1], (uint32_t)l.n[2], 1}, {(uint32_t)l.n[0], 1, 1}, 0};
	for (int64_t t = 0; t < steps; t++)
		host_launch(h, "lbm_step", shape,
		    ARGUMENTS(&d[t % 2], &d[(t + 1) % 2], &dsolid, &l.n[0], &l.n[1], &l.n[2]));
	host_download(h, d[steps % 2], 4 * values);
	if (!host_verifies(h))
		return;
	for (int64_t t = 0; t < steps; t++)
		reference_step(&l);
	host_expect_near(h, "lattice", d[steps % 2], l.from, values, 1e-4, 1e-6);
}

const struct workload workload_lbm = {
    .name = "lbm",
    .summary = "lattice Boltzmann, 19 directions: coalesced loads, stores to neighbours",
    .origin = "Parboil, lbm",
    .parameter = parameter,
    .small = "NX=16 NY=9 NZ=7 STEPS=3",
    .paper = "NX=120 NY=120 NZ=150 STEPS=2",
    .footprint = "153 NX NY NZ",
    .check = "within 1e-4 of double precision a step",
    .ptx = lbm_ptx,
    .ptx_end = lbm_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

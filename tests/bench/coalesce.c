/* Transactions a second out of the coalescer, beside one that compares every lane with every line
 * found so far. */
#include <stdio.h>
#include <time.h>
#include "warpcap/coalesce.h"

static double
now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static uint32_t
naive(const struct wcp_mem *m, uint32_t bytes, struct wcp_transaction *t)
{
	uint32_t n = 0, k = 0;
	for (uint32_t l = 0; l < 32; l++) {
		if (!(m->mask >> l & 1))
			continue;
		uint64_t a =
		    m->shape == WCP_MEM_LIST ? m->addr[k++] : m->base + (uint64_t)m->stride * l;
		uint64_t line = a & ~127ull;
		uint32_t i = 0;
		while (i < n && t[i].line != line)
			i++;
		if (i == n)
			t[n++] = (struct wcp_transaction){.line = line};
		t[i].lanes |= 1u << l;
		t[i].sectors |= 1u << (a - line) / 32;
		t[i].bytes += bytes;
	}
	return n;
}

static void
measure(const char *name, struct wcp_mem m, double floor_per_second)
{
	enum { ROUNDS = 400000 };
	uint64_t addr[32], sum = 0;
	struct wcp_transaction t[64];
	struct wcp_transaction out[WCP_COALESCE_MAX];
	for (uint32_t i = 0; i < 32; i++)
		addr[i] = (i * 2654435761u) % 1000000 * 4;
	m.addr = addr;
	double start = now();
	for (int i = 0; i < ROUNDS; i++, m.base += 128)
		sum += wcp_coalesce_mem(&WCP_COALESCE_DEFAULT, &m, 4, out);
	double ours = (double)sum / (now() - start);
	sum = 0;
	start = now();
	for (int i = 0; i < ROUNDS; i++, m.base += 128)
		sum += naive(&m, 4, t);
	double theirs = (double)sum / (now() - start);
	printf("coalesce-%s %.1f M-transactions/s %.0f lines-only %.1f\n", name, ours / 1e6,
	    floor_per_second / 1e6, theirs / 1e6);
}

int
main(void)
{
	const uint32_t all = WCP_FULL_MASK;
	measure("row", (struct wcp_mem){.mask = all, .base = 4096, .stride = 4}, 15e6);
	measure("broadcast", (struct wcp_mem){.mask = all, .base = 4096}, 15e6);
	measure("stride-8", (struct wcp_mem){.mask = all, .base = 4096, .stride = 8}, 15e6);
	measure("column", (struct wcp_mem){.mask = all, .base = 4096, .stride = 4096}, 15e6);
	measure("gather", (struct wcp_mem){.mask = all, .shape = WCP_MEM_LIST}, 15e6);
	return 0;
}

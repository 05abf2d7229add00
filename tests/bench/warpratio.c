/*
 * Speed of warpratio, in millions of accesses a second of processor time, reading and all: a kernel
 * whose warps walk tiles and read neighbours' lines, and 16,000 children of one CTA that work on
 * the edges of a graph, a few of whose vertices are everybody's, exact and by sketches; beside it
 * reading the stream alone. A line each: name value unit floor comparison-name comparison-value.
 */
#include <stdio.h>
#include <string.h>
#include "access_kit.h"
#include "bench_fork.h"
#include "warpcap/stream.h"

enum { RECORDS = 4 << 20, BATCH = 1 << 15, WARPS = 16, CTAS = 128, CHILDREN = 16000 };

static void
check(int status, const struct wcp_error *e)
{
	if (status < 0) {
		fprintf(stderr, "warpratio: %s\n", e->text);
		exit(4);
	}
}

/* Of a walk: 2048 warps, each over a tile of its own and one in eight into the next one's. */
static uint64_t
walk_line(uint64_t n, uint64_t r, uint64_t warp)
{
	uint64_t step = n / (CTAS * WARPS), tile = r % 8 ? warp : warp + 1;
	return tile * 512 + step / 4 % 512;
}

/* Of a child: its own edges, vertices near it, and those that many have an edge to. */
static uint64_t
graph_line(uint64_t r, uint64_t child)
{
	double u = (double)(r >> 20 & 0xffffff) / 0x1000000;
	if (r % 4 < 2)
		return 1 << 24 | (child * 16 + (r >> 8) % 16);
	if (r % 4 == 2)
		return 1 << 26 | (child * 2 + (r >> 8) % 64);
	return 1 << 27 | (uint64_t)(65536 * u * u * u * u);
}

static void
fill(struct wcp_access_batch *b, uint64_t first, uint32_t children)
{
	static uint64_t random = 1;
	check(wcp_access_batch_reserve(b, BATCH), &(struct wcp_error){.text = "out of memory"});
	for (uint32_t i = 0; i < BATCH; i++) {
		uint64_t n = first + i, warp = n % (CTAS * WARPS), child = n * children / RECORDS;
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t r = random >> 20;
		access_kit_record(b, i, n);
		b->sm[i] = (uint16_t)(n % 15);
		b->kernel[i] = children ? (uint32_t)child + 1 : 0;
		b->cta[i] = children ? 0 : (uint32_t)(warp / WARPS);
		b->warp[i] = (uint16_t)(children ? r % 2 : warp % WARPS);
		b->line[i] = 128 * (children ? graph_line(r, child) : walk_line(n, r, warp));
		b->flags[i] = WCP_ACCESS_FIRST;
	}
	b->n = BATCH;
}

static void
make_stream(const char *path, uint32_t children)
{
	struct wcp_write_options options = {.level = 1};
	struct wcp_error e;
	struct wcp_program program = {.name = "k"};
	struct wcp_access_batch b;
	struct wcp_writer *w = wcp_writer_open(path, WCP_LINK_ACCESS, &options, &e);
	check(w ? 0 : WCP_ESYS, &e);
	check(wcp_writer_program(w, &program, &e), &e);
	for (uint32_t i = 0; i <= children; i++) {
		struct wcp_kernel k = {.id = i,
		    .name = "k",
		    .grid = {CTAS, 1, 1},
		    .block = {32 * WARPS, 1, 1},
		    .parent = i ? 0 : WCP_NONE32,
		    .depth = i > 0};
		check(wcp_writer_kernel(w, &k, &e), &e);
	}
	wcp_access_batch_init(&b);
	for (uint64_t n = 0; n < RECORDS; n += BATCH) {
		fill(&b, n, children);
		check(wcp_writer_access(w, &b, &e), &e);
	}
	wcp_access_batch_release(&b);
	check(wcp_writer_close(w, 0, &e), &e);
}

static double
speed(const char *const *argv)
{
	return RECORDS / bench_best(bench_run, argv).cpu_s / 1e6;
}

int
main(void)
{
	char path[] = "/tmp/warpratio.XXXXXX";
	const char *all[] = {"warpratio", path, NULL},
		   *sketch[] = {"warpratio", "--approx=64", path, NULL},
		   *reading[] = {"warpinfo", "--summary", path, NULL};
	int fd = mkstemp(path);
	if (fd < 0)
		return 4;
	close(fd);
	make_stream(path, 0);
	printf("warpratio_walk %.1f M/s 5 reading %.1f\n", speed(all), speed(reading));
	fflush(stdout);
	make_stream(path, CHILDREN);
	double exact = speed(all);
	printf("warpratio_children %.2f M/s - reading %.1f\n", exact, speed(reading));
	printf("warpratio_children_time %.2f s 60\n", RECORDS / exact / 1e6);
	printf("warpratio_children_sketches %.2f M/s - exact %.2f\n", speed(sketch), exact);
	unlink(path);
	return 0;
}

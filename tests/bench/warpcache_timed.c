/*
 * Speed of warpcache with time, in millions of accesses a second of processor time, reading and
 * all: 15 SMs of 48 warps that walk lines of their own and gather now and then, MSHRs and figures
 * by warp; beside it the same without time. A line each: name value unit floor comparison-name
 * comparison-value.
 */
#include <stdio.h>
#include <string.h>
#include "access_kit.h"
#include "bench_fork.h"
#include "warpcap/stream.h"

enum { RECORDS = 3000000, BATCH = 1 << 15, SMS = 15, WARPS = 48 };

static void
check(int status, const struct wcp_error *e)
{
	if (status < 0) {
		fprintf(stderr, "warpcache_timed: %s\n", e->text);
		exit(4);
	}
}

static void
fill(struct wcp_access_batch *b, uint64_t first, uint32_t gathers)
{
	static uint64_t random = 1;
	check(wcp_access_batch_reserve(b, BATCH), &(struct wcp_error){.text = "out of memory"});
	for (uint32_t i = 0; i < BATCH; i++) {
		uint64_t n = first + i, warp = n / SMS % WARPS, step = n / SMS / WARPS;
		random = random * 6364136223846793005u + 1442695040888963407u;
		uint64_t r = random >> 33, walk = warp * 1031 + step / 16 + (r & 1);
		uint64_t line = (r >> 8) % 64 < gathers ? 1 << 18 | (r >> 14 & 0xffff) : walk;
		access_kit_record(b, i, n);
		b->sm[i] = (uint16_t)(n % SMS);
		b->cta[i] = (uint32_t)(n % SMS);
		b->warp[i] = b->slot[i] = (uint16_t)warp;
		b->pc[i] = (uint32_t)(r % 20);
		b->line[i] = 0x200000000000 + line * 128;
		b->kind[i] = r % 16 ? WCP_LOAD : WCP_STORE;
		b->flags[i] = WCP_ACCESS_FIRST;
	}
	b->n = BATCH;
}

static void
make_stream(const char *path, uint32_t gathers)
{
	struct wcp_write_options options = {.level = 1};
	struct wcp_error e;
	struct wcp_program program = {.name = "k"};
	struct wcp_kernel kernel = {
	    .name = "k", .grid = {SMS, 1, 1}, .block = {1536, 1, 1}, .parent = WCP_NONE32};
	struct wcp_access_batch b;
	struct wcp_writer *w = wcp_writer_open(path, WCP_LINK_ACCESS, &options, &e);
	check(w ? 0 : WCP_ESYS, &e);
	check(wcp_writer_program(w, &program, &e), &e);
	check(wcp_writer_kernel(w, &kernel, &e), &e);
	wcp_access_batch_init(&b);
	for (uint64_t n = 0; n < RECORDS; n += BATCH) {
		fill(&b, n, gathers);
		check(wcp_writer_access(w, &b, &e), &e);
	}
	wcp_access_batch_release(&b);
	check(wcp_writer_close(w, 0, &e), &e);
}

static double
speed(const char *const *argv)
{
	uint64_t records = (RECORDS + BATCH - 1) / BATCH * (uint64_t)BATCH;
	return (double)records / bench_best(bench_run, argv).cpu_s / 1e6;
}

int
main(void)
{
	char path[] = "/tmp/warpcache_timed.XXXXXX";
	static const struct {
		const char *name, *floor;
		uint32_t gathers;
		const char *allocate;
	} shape[] = {{"warpcache_timed_mostly_hits", "15", 1, "miss"},
	    {"warpcache_timed_mixed", "15", 16, "miss"},
	    {"warpcache_timed_mixed_on_fill", "15", 16, "fill"}};
	int fd = mkstemp(path);
	if (fd < 0)
		return 4;
	close(fd);
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		const char *timed[] = {"warpcache", "--sets", "64", "--ways", "8", "--mshr", "32x8",
		    "--miss-queue", "8", "--fill-latency", "200", "--by", "warp", "--allocate",
		    shape[i].allocate, path, NULL};
		const char *untimed[] = {
		    "warpcache", "--sets", "64", "--ways", "8", "--by", "warp", path, NULL};
		make_stream(path, shape[i].gathers);
		printf("%s %.1f M/s %s untimed %.1f\n", shape[i].name, speed(timed), shape[i].floor,
		    speed(untimed));
	}
	unlink(path);
	return 0;
}

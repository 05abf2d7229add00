/*
 * What a pipe between two tools costs. One process decodes a compressed ACCESS stream and measures
 * reuse distances; two do the same with a raw stream in a pipe between them, as a tool that passes
 * a stream on and warpreuse would. Wall time on two processors and processor time, both as a share
 * of the one process's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "bench_fork.h"
#include "warpcap/reuse.h"
#include "warpcap/stream.h"

enum { RECORDS = 6000000, BATCH = 1 << 15, LINES = 1 << 20 };

static void
check(int status, const struct wcp_error *e)
{
	if (status < 0) {
		fprintf(stderr, "pipe: %s\n", e->text);
		exit(4);
	}
}

static void
fill(struct wcp_access_batch *b, uint64_t first, uint64_t *random)
{
	check(wcp_access_batch_reserve(b, BATCH), &(struct wcp_error){.text = "out of memory"});
	for (uint32_t i = 0; i < BATCH; i++) {
		uint64_t n = first + i;
		*random = *random * 6364136223846793005u + 1442695040888963407u;
		uint64_t far = *random >> 40;
		b->cycle[i] = b->id[i] = n;
		b->sm[i] = (uint16_t)(n % 15);
		b->kernel[i] = 0;
		b->cta[i] = (uint32_t)(n / 15 % 4096);
		b->warp[i] = (uint16_t)(n / 7 % 8);
		b->slot[i] = (uint16_t)(n / 7 % 48);
		b->pc[i] = (uint32_t)(n / 100 % 20);
		b->line[i] = 0x200000000000 + (far % 8 ? n * 3 % LINES : far % LINES) * 128;
		b->sectors[i] = far % 16 ? 0xf : 1;
		b->lanes[i] = WCP_FULL_MASK;
		b->kind[i] = n % 9 == 0 ? WCP_STORE : WCP_LOAD;
		b->space[i] = WCP_SPACE_GLOBAL;
		b->flags[i] = WCP_ACCESS_FIRST;
		b->outcome[i] = b->tag[i] = 0;
		b->victim[i] = ~0ull;
		b->victim_owner[i] = WCP_NONE32;
		b->bytes[i] = 128;
	}
	b->n = BATCH;
}

static void
make_stream(const char *path)
{
	struct wcp_write_options options = {.level = 1};
	struct wcp_error e;
	struct wcp_writer *w = wcp_writer_open(path, WCP_LINK_ACCESS, &options, &e);
	check(w ? 0 : WCP_ESYS, &e);
	struct wcp_kernel k = {
	    .name = "k", .program = WCP_NONE32, .grid = {4096, 1, 1}, .block = {256, 1, 1}};
	k.parent = WCP_NONE32;
	check(wcp_writer_kernel(w, &k, &e), &e);
	struct wcp_access_batch b;
	uint64_t random = 1;
	wcp_access_batch_init(&b);
	for (uint64_t n = 0; n < RECORDS; n += BATCH) {
		wcp_access_batch_clear(&b);
		fill(&b, n, &random);
		check(wcp_writer_access(w, &b, &e), &e);
	}
	check(wcp_writer_close(w, 0, &e), &e);
	wcp_access_batch_release(&b);
}

static struct wcp_reader *
open_stream(const char *path, uint32_t columns)
{
	struct wcp_error e;
	struct wcp_reader *r =
	    wcp_reader_open(path, &(struct wcp_read_options){.columns = columns}, &e);
	check(r ? 0 : WCP_ESYS, &e);
	return r;
}

static void
measure_reuse(const char *path, uint32_t columns)
{
	static uint32_t distance[1 << 20];
	struct wcp_reader *r = open_stream(path, columns);
	struct wcp_error e;
	struct wcp_item item;
	struct wcp_reuse *u = wcp_reuse_new(&e);
	int got;
	while ((got = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_ACCESS)
			check(wcp_reuse_batch(u, item.access->line, item.access->n, distance, &e),
			    &e);
	}
	check(got, &e);
	wcp_reuse_free(u);
	wcp_reader_close(r);
}

static void
pass_on(const void *path)
{
	struct wcp_reader *r = open_stream(path, 0);
	struct wcp_error e;
	struct wcp_item item;
	struct wcp_writer *w =
	    wcp_writer_open("-", WCP_LINK_ACCESS, &(struct wcp_write_options){.level = 0}, &e);
	int got;
	check(w ? 0 : WCP_ESYS, &e);
	while ((got = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_KERNEL)
			check(wcp_writer_kernel(w, item.kernel, &e), &e);
		if (item.type == WCP_ITEM_ACCESS)
			check(wcp_writer_access(w, item.access, &e), &e);
	}
	check(got, &e);
	check(wcp_writer_close(w, 0, &e), &e);
}

static void
one_process(const void *path)
{
	measure_reuse(path, 0);
}

static void
measure_stdin(const void *path)
{
	(void)path;
	measure_reuse("-", WCP_COL(LINE));
}

static void
two_processes(const void *path)
{
	bench_piped(pass_on, measure_stdin, path);
}

int
main(void)
{
	char path[] = "/tmp/bench_pipe.XXXXXX";
	if (mkstemp(path) < 0)
		return 4;
	make_stream(path);
	struct bench_cost one = bench_best(one_process, path),
			  two = bench_best(two_processes, path);
	unlink(path);
	printf("pipeline-wall %.1f %% 115 one-process-s %.3f\n", 100 * two.wall_s / one.wall_s,
	    one.wall_s);
	printf("pipeline-cpu %.1f %% 115 one-process-s %.3f\n", 100 * two.cpu_s / one.cpu_s,
	    one.cpu_s);
	return 0;
}

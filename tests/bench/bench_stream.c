/*
 * Stream size and speed. Prints `name value unit floor` a line.
 * WARP data: a loop of ten instructions with three memory instructions, regular (rows of a matrix,
 * a shared tile, an output) or with one of them a gather of unrelated lanes from 64 K elements, so
 * that every tenth warp instruction gathers. ACCESS data: lines of interleaved warps over 15 SMs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "warpcap/stream.h"

enum { INSNS = 12, WARPS = 8, LOOPS = 64, CTAS = 512, ACCESSES = 4 << 20 };

static struct wcp_error e;
static uint64_t state = 1;

static uint32_t
noise(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double
wall_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
check(int s)
{
	if (s < 0) {
		fprintf(stderr, "bench_stream: %s\n", e.text);
		exit(-s);
	}
}

/* ---- data ---------------------------------------------------------------------------------- */

static void
add_mem(struct wcp_warp_batch *b, uint32_t pc, uint64_t base, int64_t stride, uint8_t space)
{
	check(wcp_warp_batch_reserve_mem(b, 1));
	uint32_t i = b->n_mem++;
	b->mem_pc[i] = pc;
	b->mem_mask[i] = WCP_FULL_MASK;
	b->mem_shape[i] = WCP_MEM_AFFINE;
	b->mem_space[i] = space;
	b->mem_flags[i] = 0;
	b->mem_base[i] = base;
	b->mem_stride[i] = stride;
	b->mem_pitch[i] = 0;
	b->mem_addr[i] = 0;
}

static void
add_gather(struct wcp_warp_batch *b, uint32_t pc)
{
	add_mem(b, pc, 0, 0, WCP_SPACE_GLOBAL);
	check(wcp_warp_batch_reserve_addr(b, WCP_LANES));
	b->mem_shape[b->n_mem - 1] = WCP_MEM_LIST;
	b->mem_addr[b->n_mem - 1] = b->n_addr;
	for (int l = 0; l < WCP_LANES; l++)
		b->addr[b->n_addr++] = 0x200010000000u + 4 * (noise() & 0x3fff);
}

static void
add_run(struct wcp_warp_batch *b, uint32_t pc, uint32_t len)
{
	check(wcp_warp_batch_reserve_run(b, 1));
	b->run_pc[b->n_run] = pc;
	b->run_len[b->n_run] = len;
	b->run_mask[b->n_run++] = WCP_FULL_MASK;
}

static void
add_warp(struct wcp_warp_batch *b, uint32_t cta, uint16_t warp, bool gather)
{
	uint8_t flags = WCP_SEG_WARP_BEGIN | WCP_SEG_WARP_END |
			(warp == 0 ? WCP_SEG_CTA_BEGIN : 0) |
			(warp == WARPS - 1 ? WCP_SEG_CTA_END : 0);
	uint64_t row = 0x200000000000u + ((uint64_t)cta * WARPS + warp) * 32 * 4096;
	check(wcp_warp_batch_segment(b, cta, warp, flags, 0));
	add_run(b, 0, 1);
	for (uint32_t i = 0; i < LOOPS; i++) {
		add_run(b, 1, 10);
		add_mem(b, 2, row + 4 * i, 4096, WCP_SPACE_GLOBAL);
		if (gather)
			add_gather(b, 4);
		else
			add_mem(b, 4, 4 * i, 128, WCP_SPACE_SHARED);
		add_mem(b, 8, 0x200020000000u + ((uint64_t)cta * WARPS + warp) * 128 + 0x100000 * i,
		    4, WCP_SPACE_GLOBAL);
	}
	add_run(b, 11, 1);
}

static void
fill_access(struct wcp_access_batch *a)
{
	check(wcp_access_batch_reserve(a, ACCESSES));
	memset(a->kernel, 0, ACCESSES * sizeof *a->kernel);
	for (uint32_t i = 0; i < ACCESSES; i++) {
		uint32_t insn = i / 4, warp = insn % 720;
		a->cycle[i] = i + i / 7;
		a->sm[i] = (uint16_t)(warp % 15);
		a->cta[i] = warp / 8 + 90 * (insn / 72000);
		a->warp[i] = (uint16_t)(warp % 8);
		a->slot[i] = (uint16_t)(warp / 15);
		a->pc[i] = 4 + 3 * (insn / 720 % 8);
		a->line[i] =
		    0x200000000000u + 128ull * ((i & 3) + (noise() & 3 ? insn : noise() & 0xffff));
		a->sectors[i] = 15;
		a->lanes[i] = 0xffu << 8 * (i & 3);
		a->kind[i] = insn / 720 % 8 == 7 ? WCP_STORE : WCP_LOAD;
		a->space[i] = WCP_SPACE_GLOBAL;
		a->flags[i] =
		    (i & 3) == 0 ? WCP_ACCESS_FIRST | WCP_ACCESS_DIVERGENT : WCP_ACCESS_DIVERGENT;
		a->id[i] = i;
		a->outcome[i] = 0;
		a->tag[i] = 0;
		a->victim[i] = UINT64_MAX;
		a->victim_owner[i] = WCP_NONE32;
		a->bytes[i] = 128;
	}
	a->n = ACCESSES;
}

/* ---- one measurement ----------------------------------------------------------------------- */

struct result {
	uint64_t records, insns, bytes;
	double cpu, wall;
};

static struct wcp_writer *
start(const char *path, enum wcp_link link, int level, unsigned threads)
{
	static struct wcp_insn insn[INSNS];
	static const char strings[] = "op";
	struct wcp_write_options o = {.level = level, .threads = threads};
	for (int i = 0; i < INSNS; i++)
		insn[i].target = insn[i].reconverge = insn[i].file = WCP_NONE32;
	insn[2].flags = insn[4].flags = insn[8].flags = WCP_INSN_MEMORY;
	struct wcp_program p = {.name = "loop",
	    .n_insn = INSNS,
	    .insn = insn,
	    .n_string = sizeof strings,
	    .strings = strings};
	struct wcp_kernel k = {.name = "loop",
	    .grid = {CTAS, 1, 1},
	    .block = {WARPS * WCP_LANES, 1, 1},
	    .parent = WCP_NONE32};
	struct wcp_writer *w = wcp_writer_open(path, link, &o, &e);
	check(w ? 0 : e.status);
	check(wcp_writer_program(w, &p, &e));
	check(wcp_writer_kernel(w, &k, &e));
	return w;
}

static struct result
write_stream(const char *path, const struct wcp_warp_batch *warp,
    const struct wcp_access_batch *access, int level, unsigned threads)
{
	struct result r = {.cpu = cpu_seconds(), .wall = wall_seconds()};
	struct wcp_writer *w = start(path, warp ? WCP_LINK_WARP : WCP_LINK_ACCESS, level, threads);
	for (uint32_t c = 0; warp && c < CTAS / 64; c++) {
		check(wcp_writer_warp(w, &warp[c], &e));
		r.records += warp[c].n_run + warp[c].n_mem;
	}
	if (access) {
		check(wcp_writer_access(w, access, &e));
		r.records += access->n;
	}
	check(wcp_writer_close(w, 0, &e));
	r.cpu = cpu_seconds() - r.cpu;
	r.wall = wall_seconds() - r.wall;
	return r;
}

static struct result
read_stream(const char *path, uint32_t columns, unsigned threads)
{
	struct result r = {.cpu = cpu_seconds(), .wall = wall_seconds()};
	struct wcp_read_options o = {.columns = columns, .threads = threads};
	struct wcp_reader *in = wcp_reader_open(path, &o, &e);
	struct wcp_item item;
	check(in ? 0 : e.status);
	int s;
	while ((s = wcp_reader_next(in, &item, &e)) == 1)
		if (item.type == WCP_ITEM_END) {
			r.records = item.end->records;
			r.insns = item.end->warp_insns;
		}
	check(s);
	wcp_reader_position(in, &r.bytes);
	wcp_reader_close(in);
	r.cpu = cpu_seconds() - r.cpu;
	r.wall = wall_seconds() - r.wall;
	return r;
}

static void
say(const char *kind, const char *what, double value, const char *unit, double floor)
{
	printf("stream-%s-%s %.3g %s %g\n", kind, what, value, unit, floor);
	fflush(stdout);
}

static void
measure(const char *kind, const char *path, const struct wcp_warp_batch *warp,
    const struct wcp_access_batch *access, double size_floor)
{
	struct result w = write_stream(path, warp, access, WCP_LEVEL_DEFAULT, 1);
	struct result w2 = write_stream(path, warp, access, WCP_LEVEL_DEFAULT, 2);
	struct result r = read_stream(path, 0, 1), r2 = read_stream(path, 0, 2);
	double n = (double)w.records / 1e6;
	if (warp)
		say(kind, "size", (double)r.bytes / (double)r.insns, "B/warp-insn", size_floor);
	else
		say(kind, "size", (double)r.bytes / (double)r.records, "B/record", size_floor);
	say(kind, "write", n / w.cpu, "M/s", 8);
	say(kind, "write-2-threads", n / w2.wall, "M/s", 8);
	say(kind, "read", n / r.cpu, "M/s", 15);
	say(kind, "read-2-threads", n / r2.wall, "M/s", 15);
	if (access)
		say(kind, "read-4-columns",
		    n / read_stream(
			    path, WCP_COL(LINE) | WCP_COL(SM) | WCP_COL(KIND) | WCP_COL(KERNEL), 1)
			    .cpu,
		    "M/s", 80);
	w = write_stream(path, warp, access, 0, 1);
	say(kind, "write-raw", n / w.cpu, "M/s", 8);
	say(kind, "read-raw", n / read_stream(path, 0, 1).cpu, "M/s", 15);
}

int
main(void)
{
	static struct wcp_warp_batch warp[CTAS / 64];
	struct wcp_access_batch access;
	char path[] = "/tmp/bench_streamXXXXXX";
	int fd = mkstemp(path);
	check(fd < 0 ? -WCP_ESYS : 0);
	for (int gather = 0; gather < 2; gather++) {
		for (uint32_t c = 0; c < CTAS; c++) {
			if (c % 64 == 0) {
				wcp_warp_batch_clear(&warp[c / 64]);
				warp[c / 64].kernel = 0;
			}
			for (uint32_t i = 0; i < WARPS; i++)
				add_warp(&warp[c / 64], c, (uint16_t)i, gather);
		}
		measure(
		    gather ? "warp-gather" : "warp-regular", path, warp, NULL, gather ? 6 : 1.5);
	}
	wcp_access_batch_init(&access);
	fill_access(&access);
	measure("access", path, NULL, &access, 8);
	wcp_access_batch_release(&access);
	for (uint32_t c = 0; c < CTAS / 64; c++)
		wcp_warp_batch_release(&warp[c]);
	close(fd);
	return unlink(path) ? 4 : 0;
}

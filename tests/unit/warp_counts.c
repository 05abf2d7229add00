/*
 * Reads a WARP stream and prints, a line a kernel, what its records add up to, counted here from
 * runs, guard masks and expanded addresses; says where the totals that the stream carries differ.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/stream.h"

struct counts {
	uint64_t warp_insns, thread_insns, mem_insns, ctas;
	uint64_t records[WCP_SPACE_COUNT], lines[WCP_SPACE_COUNT];
};

static uint64_t
count_lines(const uint64_t *address, uint32_t mask, uint32_t bytes)
{
	uint64_t line[2 * WCP_LANES];
	uint32_t n = 0;
	for (uint32_t l = 0; l < WCP_LANES; l++)
		for (uint32_t end = 0; end < 2 && (mask >> l & 1); end++) {
			uint64_t at = (address[l] + (end ? bytes - 1 : 0)) / 128;
			uint32_t k = 0;
			while (k < n && line[k] != at)
				k++;
			if (k == n)
				line[n++] = at;
		}
	return n;
}

static void
count_batch(const struct wcp_program *p, const struct wcp_warp_batch *b, struct counts *c)
{
	for (uint32_t s = 0; s < b->n_seg; s++) {
		uint32_t guard = b->seg_guard[s];
		c->ctas += (b->seg_flags[s] & WCP_SEG_CTA_END) != 0;
		for (uint32_t r = b->seg_run[s]; r < b->seg_run[s + 1]; r++)
			for (uint32_t k = 0; k < b->run_len[r]; k++) {
				uint32_t mask = b->run_mask[r], pc = b->run_pc[r] + k;
				if (p->insn[pc].flags & WCP_INSN_GUARDED)
					mask = b->guard_mask[guard++];
				c->warp_insns++;
				c->thread_insns += (uint64_t)__builtin_popcount(mask);
				c->mem_insns += (p->insn[pc].flags & WCP_INSN_MEMORY) && mask;
			}
	}
	for (uint32_t m = 0; m < b->n_mem; m++) {
		uint64_t address[WCP_LANES] = {0};
		wcp_mem_expand(b, m, address);
		c->records[b->mem_space[m]]++;
		c->lines[b->mem_space[m]] +=
		    count_lines(address, b->mem_mask[m], p->insn[b->mem_pc[m]].bytes);
	}
}

static void
print_counts(const struct wcp_kernel *k, const struct counts *c, const struct wcp_kernel_end *end)
{
	printf("%s ctas %" PRIu64 " warp %" PRIu64 " thread %" PRIu64, k->name, c->ctas,
	    c->warp_insns, c->thread_insns);
	for (int s = 1; s < WCP_SPACE_COUNT; s++)
		if (c->records[s])
			printf(" %s %" PRIu64 "/%" PRIu64, wcp_space_name((enum wcp_space)s),
			    c->records[s], c->lines[s]);
	printf("%s\n", c->warp_insns != end->warp_insns || c->thread_insns != end->thread_insns ||
			       c->mem_insns != end->mem_insns
			   ? " TOTALS DIFFER"
			   : "");
}

int
main(int argc, char **argv)
{
	struct wcp_error e = {0};
	struct wcp_reader *r = wcp_reader_open(argc > 1 ? argv[1] : "-", NULL, &e);
	struct wcp_item item;
	struct counts c = {0};
	int status = r ? 1 : e.status;
	while (status > 0 && (status = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_KERNEL)
			c = (struct counts){0};
		if (item.type == WCP_ITEM_WARP)
			count_batch(
			    wcp_reader_program(r, wcp_reader_kernel(r, item.warp->kernel)->program),
			    item.warp, &c);
		if (item.type == WCP_ITEM_KERNEL_END)
			print_counts(
			    wcp_reader_kernel(r, item.kernel_end->kernel), &c, item.kernel_end);
		if (item.type == WCP_ITEM_HOST)
			printf("host %d 0x%" PRIx64 " %" PRIu64 " %s\n", (int)item.host->kind,
			    item.host->address, item.host->bytes,
			    item.host->label ? item.host->label : "");
		if (item.type == WCP_ITEM_END)
			printf("end flags %u\n", item.end->flags);
	}
	if (status < 0)
		printf("error: %s\n", e.text);
	wcp_reader_close(r);
	return status < 0;
}

/* Records of ACCESS streams for tests and benchmarks that make them. */
#ifndef ACCESS_KIT_H
#define ACCESS_KIT_H

#include <stdio.h>
#include "warpcap/stream.h"

/* Record at of b, for which there is room: number i of its stream, a load by all lanes of the whole
 * line 0 in global memory, by warp 0 of CTA 0 of kernel 0 on SM 0. The caller sets what differs. */
static inline void
access_kit_record(struct wcp_access_batch *b, uint32_t at, uint64_t i)
{
	b->cycle[at] = b->id[at] = i;
	b->kernel[at] = b->cta[at] = b->pc[at] = 0;
	b->sm[at] = b->warp[at] = 0;
	b->slot[at] = WCP_NONE16;
	b->line[at] = 0;
	b->sectors[at] = 0xf;
	b->lanes[at] = WCP_FULL_MASK;
	b->kind[at] = WCP_LOAD;
	b->space[at] = WCP_SPACE_GLOBAL;
	b->flags[at] = 0;
	b->outcome[at] = b->tag[at] = 0;
	b->victim[at] = UINT64_MAX;
	b->victim_owner[at] = WCP_NONE32;
	b->bytes[at] = 128;
}

/* Writes a stream to standard output: kernels that are like one, one after the other, with as many
 * of the records each; put appends record i, by chance. 0, or e's status. */
static inline int
access_kit_write(const struct wcp_kernel *like, uint32_t kernels, uint32_t records,
    void (*put)(struct wcp_access_batch *b, uint32_t i, uint64_t *random), uint64_t seed,
    struct wcp_error *e)
{
	struct wcp_write_options o = {.level = 1};
	struct wcp_writer *w = wcp_writer_open("-", WCP_LINK_ACCESS, &o, e);
	struct wcp_access_batch b;
	wcp_access_batch_init(&b);
	if (!w || wcp_access_batch_reserve(&b, records) < 0)
		return e->status;
	for (uint32_t k = 0, i = 0; k < kernels; k++) {
		struct wcp_kernel kernel = *like;
		kernel.id = k;
		if (wcp_writer_kernel(w, &kernel, e) < 0)
			return e->status;
		for (; (uint64_t)i * kernels / records == k; i++)
			put(&b, i, &seed);
		struct wcp_kernel_end end = {.kernel = k,
		    .warp_insns = 9000 + 1000ull * k,
		    .thread_insns = 10000,
		    .accesses = b.n};
		if (wcp_writer_access(w, &b, e) < 0 || wcp_writer_kernel_end(w, &end, e) < 0)
			return e->status;
		wcp_access_batch_clear(&b);
	}
	wcp_access_batch_release(&b);
	return wcp_writer_close(w, 0, e);
}

/* Says what happened; exit status. */
static inline int
access_kit_fail(const char *program, const struct wcp_error *e)
{
	fprintf(stderr, "%s: %s\n", program, e->text);
	return -e->status;
}

/* The same of equal kernels of ctas CTAs of so many warps; exit status. */
static inline int
access_kit_make(const char *program, uint32_t kernels, uint32_t ctas, uint32_t warps,
    uint32_t records, void (*put)(struct wcp_access_batch *b, uint32_t i, uint64_t *random),
    uint64_t seed)
{
	struct wcp_error e;
	const struct wcp_kernel kernel = {.program = WCP_NONE32,
	    .name = "k",
	    .grid = {ctas, 1, 1},
	    .block = {32 * warps, 1, 1},
	    .parent = WCP_NONE32};
	return access_kit_write(&kernel, kernels, records, put, seed, &e) < 0
		   ? access_kit_fail(program, &e)
		   : 0;
}

/* Standard input's records and ends of kernels, in order; exit status. */
static inline int
access_kit_read(const char *program, void (*take)(const struct wcp_access_batch *b),
    void (*end)(const struct wcp_kernel_end *k))
{
	struct wcp_error e;
	struct wcp_item item;
	int more = -1;
	struct wcp_reader *r = wcp_reader_open("-", NULL, &e);
	if (!r)
		return access_kit_fail(program, &e);
	while ((more = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_ACCESS)
			take(item.access);
		if (item.type == WCP_ITEM_KERNEL_END)
			end(item.kernel_end);
	}
	wcp_reader_close(r);
	return more < 0 ? access_kit_fail(program, &e) : 0;
}

#endif

/* The filter language of warpcap-filter(7): compiled once, verified, run per batch. */
#ifndef WARPCAP_FILTER_H
#define WARPCAP_FILTER_H

#include "warpcap/stream.h"

struct wcp_filter;

/* Compiles expression for streams of one kind (a term the kind cannot answer is an error). On
 * failure NULL; e->offset is the byte in expression at which a caret belongs. */
struct wcp_filter *
wcp_filter_compile(const char *expression, enum wcp_link link, struct wcp_error *e);
void wcp_filter_free(struct wcp_filter *f);

/* ACCESS columns the filter looks at: ask the reader for at least these. */
uint32_t wcp_filter_columns(const struct wcp_filter *f);

/* A filter looks names and source lines up in the reader's kernels and programs; call at every
 * KERNEL item. */
int wcp_filter_kernel(struct wcp_filter *f, const struct wcp_kernel *k, const struct wcp_program *p,
    struct wcp_error *e);

/* Could any record of the block match? For wcp_read_options.want. */
bool wcp_filter_block(const struct wcp_filter *f, const struct wcp_block_info *info);

/* Writes the numbers of matching records, ascending, to index[batch->n]; returns how many. */
uint32_t wcp_filter_access(
    const struct wcp_filter *f, const struct wcp_access_batch *batch, uint32_t *index);

/* Appends to out (same kernel) the instructions of in that match: runs are split where instructions
 * in between do not match; segments left without instructions are dropped unless they carry flags.
 */
int
wcp_filter_warp(const struct wcp_filter *f, const struct wcp_program *p, const struct wcp_kernel *k,
    const struct wcp_warp_batch *in, struct wcp_warp_batch *out, struct wcp_error *e);

#endif

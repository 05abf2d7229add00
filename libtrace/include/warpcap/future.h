/*
 * When each line is used next: what OPT (Belady's MIN) must know of an access. A use is an access
 * that would bring the line in if it missed: a load, a prefetch, and under write-back and
 * write-validate stores, atomics and write-backs. A line that is dropped before its next use (by a
 * store under write-evict, an atomic under write-through, when the caches are emptied) has none.
 */
#ifndef WARPCAP_FUTURE_H
#define WARPCAP_FUTURE_H

#include "warpcap/cache.h"

struct wcp_future;

/* For caches of these options; copies may be any later. NULL on failure. */
struct wcp_future *wcp_future_new(const struct wcp_cache_options *o, struct wcp_error *e);
void wcp_future_free(struct wcp_future *f);
/*
 * Batches come from the last to the first; access i of one has number first + i, numbers only
 * ascend in the stream. Writes to next[in->n] the number of the next use of each access's line in
 * its copy, or WCP_NEVER. Memory is proportional to the lines touched. 0 or WCP_ESYS.
 */
int wcp_future_run(struct wcp_future *f, const struct wcp_cache_batch *in, uint64_t first,
    uint64_t *next, struct wcp_error *e);
/* Here, between the batches before and behind, the caches are emptied. */
void wcp_future_invalidate(struct wcp_future *f);

#endif

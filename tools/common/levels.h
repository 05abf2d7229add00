/* Levels of cache, from a machine file to what the models of warpcap/cache.h take. */
#ifndef COMMON_LEVELS_H
#define COMMON_LEVELS_H

#include "machine.h"
#include "warpcap/batch.h"
#include "warpcap/cache.h"

/* Section name ("l1") of m, with its sets from its size and at least one slice; 0 or an exit status
 * after saying why. A cache without bound is refused. */
int level_read(const struct tool *t, const struct wcp_machine *m, const char *name,
    struct wcp_level_config *config);

/* One of its slices, one copy, without owners. */
struct wcp_cache_options level_options(const struct wcp_level_config *config);

/* A record's 32-byte sectors, of a line at address line, as those of a cache whose lines may be
 * longer. */
uint32_t level_sectors(const struct wcp_cache_options *o, uint64_t line, uint32_t sectors);

/* The cache's sectors as a record's; none for none. */
uint32_t level_stream_sectors(const struct wcp_cache_options *o, uint32_t sectors);

/* Does a record's line end within the cache's? */
static inline bool
level_holds(const struct wcp_cache_options *o, uint64_t line, uint32_t sectors)
{
	uint64_t left = o->index.line_bytes - (line & (o->index.line_bytes - 1));
	return left >= 1024 || !(sectors >> left / WCP_SECTOR_BYTES);
}

/* Of batches, the records that L1D is asked for: of some kinds, and of global or local memory. */
struct level_pick {
	uint32_t kinds;	 /* bit per enum wcp_access_kind */
	uint64_t others; /* left out so far */
	struct wcp_access_batch batch;
	uint32_t *index;
	uint32_t cap_index;
};
void level_pick_init(struct level_pick *p, uint32_t kinds);
void level_pick_release(struct level_pick *p);
/* b itself if that is all; else valid until the next call. NULL on WCP_ESYS. */
const struct wcp_access_batch *
level_pick(struct level_pick *p, const struct wcp_access_batch *b, struct wcp_error *e);

/* How many of records first to first + n come before one of no SM, or whose line is longer than the
 * cache's; if not all, e says why. */
uint32_t level_check(const struct wcp_cache_options *o, const struct wcp_access_batch *b,
    uint32_t first, uint32_t n, struct wcp_error *e);

/* The lines of records first to first + n, as the cache's, and which of its sectors they want;
 * where a line is one sector, sectors is not written. */
void level_lines(const struct wcp_cache_options *o, const struct wcp_access_batch *b,
    uint32_t first, uint32_t n, uint64_t *line, uint32_t *sectors);

/* Sectors of a whole line. */
uint32_t level_all_sectors(const struct wcp_cache_options *o);

#endif

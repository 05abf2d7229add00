/* Levels of cache, from a machine file to what the models of warpcap/cache.h take. */
#ifndef COMMON_LEVELS_H
#define COMMON_LEVELS_H

#include "machine.h"
#include "warpcap/cache.h"

/* Section name ("l1") of m, with its sets from its size and at least one slice; 0 or an exit status
 * after saying why. */
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

#endif

#include "levels.h"

int
level_read(
    const struct tool *t, const struct wcp_machine *m, const char *name, struct wcp_level_config *c)
{
	struct wcp_index_options *x = &c->cache.index;
	*c = (struct wcp_level_config){.slices = 1};
	if (!tool_machine_bind(m, name, c))
		return tool_usage(t, "the machine has no [%s]", name);
	if (!c->slices)
		c->slices = 1;
	if (!x->line_bytes)
		x->line_bytes = WCP_LINE_BYTES;
	if (!c->cache.ways)
		return tool_usage(t, "[%s]: ways = 0 is a cache without bound", name);
	uint64_t set_bytes = (uint64_t)c->cache.ways * x->line_bytes * c->slices;
	if (!x->sets)
		x->sets = c->size_bytes / set_bytes;
	if (!x->sets || (c->size_bytes && c->size_bytes % set_bytes))
		return tool_usage(t,
		    "[%s]: %llu bytes are no whole number of sets of %u lines of %u bytes", name,
		    (unsigned long long)c->size_bytes, c->cache.ways, x->line_bytes);
	return 0;
}

struct wcp_cache_options
level_options(const struct wcp_level_config *config)
{
	const struct wcp_nb_options *o = &config->cache;
	return (struct wcp_cache_options){.index = o->index,
	    .ways = o->ways,
	    .sector_bytes = o->sector_bytes,
	    .replacement = o->replacement,
	    .global_write = o->global_write,
	    .local_write = o->local_write,
	    .bypass_uncached = o->bypass_uncached,
	    .store_around = o->store_around,
	    .copies = 1,
	    .seed = o->seed};
}

uint32_t
level_sectors(const struct wcp_cache_options *o, uint64_t line, uint32_t sectors)
{
	uint32_t mask = 0;
	if (!o->sector_bytes || o->sector_bytes == o->index.line_bytes)
		return 1;
	uint32_t within = (uint32_t)(line & (o->index.line_bytes - 1)) / WCP_SECTOR_BYTES;
	uint32_t each = o->sector_bytes / WCP_SECTOR_BYTES;
	uint64_t touched = (uint64_t)sectors << within;
	for (unsigned s = 0; touched; s++, touched >>= each)
		if (touched & ((1u << each) - 1))
			mask |= 1u << s;
	return mask;
}

static uint32_t
line_sectors(const struct wcp_cache_options *o)
{
	return UINT32_MAX >> (32 - o->index.line_bytes / WCP_SECTOR_BYTES);
}

uint32_t
level_stream_sectors(const struct wcp_cache_options *o, uint32_t sectors)
{
	uint32_t bytes = o->sector_bytes, mask = 0;
	if (!bytes || bytes == o->index.line_bytes)
		return sectors ? line_sectors(o) : 0;
	uint32_t each = bytes / WCP_SECTOR_BYTES;
	for (unsigned i = 0; i < 32 && sectors >> i; i++)
		if (sectors >> i & 1)
			mask |= ((1u << each) - 1) << i * each;
	return mask;
}

/* Unused shared memory as a cache: tags in an array, their places in shared memory computed. */
#include "warpcap/smcache.h"

#include <stdlib.h>

enum {
	GROUP_BYTES = 16 * WCP_SMCACHE_ROW,	    /* a row of one bank group: a line */
	TAGS_A_ROW = GROUP_BYTES / WCP_SMCACHE_TAG, /* of one bank group */
	BOTH_BYTES = 2 * GROUP_BYTES,
};

#define NO_LINE UINT64_MAX

struct entry {
	uint64_t line; /* number */
	uint32_t owner;
};

struct wcp_smcache {
	uint32_t lines, max;
	uint32_t data_row, tag_row; /* the offset registers of Fig. 7c */
	struct entry *entry;	    /* [max] */
};

uint32_t
wcp_smcache_lines(uint32_t unused_bytes)
{
	uint32_t fit = unused_bytes / (WCP_SMCACHE_LINE + WCP_SMCACHE_TAG);
	return fit ? 1u << (31 - (unsigned)__builtin_clz(fit)) : 0;
}

struct wcp_smcache *
wcp_smcache_new(uint32_t shared_bytes, struct wcp_error *e)
{
	struct wcp_smcache *c = calloc(1, sizeof *c);
	uint32_t max = wcp_smcache_lines(shared_bytes);
	if (c && max)
		c->entry = calloc(max, sizeof *c->entry);
	if (c && (c->entry || !max)) {
		c->max = max;
		return c;
	}
	free(c);
	wcp_fail(e, WCP_ESYS, "out of memory");
	return NULL;
}

void
wcp_smcache_free(struct wcp_smcache *c)
{
	if (!c)
		return;
	free(c->entry);
	free(c);
}

void
wcp_smcache_resize(struct wcp_smcache *c, uint32_t first, uint32_t unused_bytes)
{
	uint32_t lines = wcp_smcache_lines(unused_bytes);
	c->lines = lines < c->max ? lines : c->max;
	c->data_row = (first + BOTH_BYTES - 1) / BOTH_BYTES;
	c->tag_row = c->data_row + (c->lines + 1) / 2;
	for (uint32_t i = 0; i < c->lines; i++)
		c->entry[i].line = NO_LINE;
}

uint32_t
wcp_smcache_capacity(const struct wcp_smcache *c)
{
	return c->lines;
}

static struct entry *
entry_of(const struct wcp_smcache *c, uint64_t number)
{
	return &c->entry[number & (c->lines - 1)];
}

bool
wcp_smcache_find(const struct wcp_smcache *c, uint64_t line, uint32_t *owner)
{
	uint64_t number = line / WCP_SMCACHE_LINE;
	if (!c->lines || entry_of(c, number)->line != number)
		return false;
	if (owner)
		*owner = entry_of(c, number)->owner;
	return true;
}

bool
wcp_smcache_fill(
    struct wcp_smcache *c, uint64_t line, uint32_t owner, uint64_t *victim, uint32_t *victim_owner)
{
	uint64_t number = line / WCP_SMCACHE_LINE;
	if (!c->lines)
		return false;
	struct entry *e = entry_of(c, number);
	bool evicts = e->line != NO_LINE && e->line != number;
	if (evicts) {
		*victim = e->line * WCP_SMCACHE_LINE;
		*victim_owner = e->owner;
	}
	*e = (struct entry){number, owner};
	return evicts;
}

bool
wcp_smcache_drop(struct wcp_smcache *c, uint64_t line)
{
	if (!wcp_smcache_find(c, line, NULL))
		return false;
	entry_of(c, line / WCP_SMCACHE_LINE)->line = NO_LINE;
	return true;
}

/* The row of a line among those of data is its index without the lowest bit, which is G. The lowest
 * five bits of the row choose among the 32 tags of a row of the other group, the rest is the row.
 */
void
wcp_smcache_translate(const struct wcp_smcache *c, uint64_t address, struct wcp_smcache_place *data,
    struct wcp_smcache_place *tag)
{
	uint32_t index = (uint32_t)(address / WCP_SMCACHE_LINE) & (c->lines - 1);
	uint32_t byte = (uint32_t)address % WCP_SMCACHE_LINE, row = index / 2;
	*data = (struct wcp_smcache_place){
	    .offset = byte % WCP_SMCACHE_ROW,
	    .bank = byte / WCP_SMCACHE_ROW,
	    .group = index % 2,
	    .row = c->data_row + row,
	};
	uint32_t at = row % TAGS_A_ROW * WCP_SMCACHE_TAG;
	*tag = (struct wcp_smcache_place){
	    .offset = at % WCP_SMCACHE_ROW,
	    .bank = at / WCP_SMCACHE_ROW,
	    .group = !data->group,
	    .row = c->tag_row + row / TAGS_A_ROW,
	};
}

#include "warpcap/coalesce.h"

#include <string.h>

enum { TABLE = 1024, LANE_WORD = 4 };

/*
 * Most instructions touch memory in ascending order of lanes; then the line of an access is the
 * last one made or a new one. From the first access that goes back, lines are found through a hash
 * table.
 */
struct builder {
	const struct wcp_coalesce *c;
	struct wcp_transaction *out;
	uint32_t n;
	uint64_t end; /* while ascending: first byte past what was touched */
	bool ascending;
	uint64_t first[WCP_LANES]; /* each lane's address in the pass that is under way */
	uint16_t table[TABLE];	   /* 1 + number in out; 0: free. Valid unless ascending */
};

static uint32_t
hash(uint64_t line)
{
	return (uint32_t)((line >> 5) * 0x9e3779b97f4a7c15u >> 54);
}

static void
enter(struct builder *b, uint32_t number)
{
	uint32_t h = hash(b->out[number].line);
	while (b->table[h])
		h = (h + 1) % TABLE;
	b->table[h] = (uint16_t)(number + 1);
}

static void
build_table(struct builder *b)
{
	b->ascending = false;
	memset(b->table, 0, sizeof b->table);
	for (uint32_t i = 0; i < b->n; i++)
		enter(b, i);
}

static struct wcp_transaction *
open_line(struct builder *b, uint64_t line)
{
	struct wcp_transaction *t = &b->out[b->n++];
	*t = (struct wcp_transaction){.line = line};
	if (!b->ascending)
		enter(b, b->n - 1);
	return t;
}

static struct wcp_transaction *
find_line(struct builder *b, uint64_t line)
{
	if (b->n && b->out[b->n - 1].line == line)
		return &b->out[b->n - 1];
	if (b->ascending)
		return open_line(b, line);
	for (uint32_t h = hash(line); b->table[h]; h = (h + 1) % TABLE)
		if (b->out[b->table[h] - 1].line == line)
			return &b->out[b->table[h] - 1];
	return open_line(b, line);
}

/* Did another lane of the transaction access the very same place? */
static bool
seen(const struct builder *b, const struct wcp_transaction *t, unsigned lane, uint64_t address)
{
	for (uint32_t m = t->lanes & ~(1u << lane); m; m &= m - 1)
		if (b->first[__builtin_ctz(m)] == address)
			return true;
	return false;
}

static uint32_t
fresh_bytes(struct builder *b, const struct wcp_transaction *t, unsigned lane, uint64_t address,
    uint32_t bytes)
{
	if (!b->ascending)
		return seen(b, t, lane, b->first[lane]) ? 0 : bytes;
	uint64_t from = address > b->end ? address : b->end, to = address + bytes;
	b->end = to > b->end ? to : b->end;
	return to > from ? (uint32_t)(to - from) : 0;
}

static uint32_t
sector_mask(const struct wcp_coalesce *c, uint32_t offset, uint32_t bytes)
{
	uint32_t first = offset / c->sector_bytes, last = (offset + bytes - 1) / c->sector_bytes;
	return (UINT32_MAX >> (31 - last + first)) << first;
}

static void
touch(struct builder *b, unsigned lane, uint64_t address, uint32_t bytes)
{
	b->first[lane] = address;
	while (bytes) {
		uint32_t offset = (uint32_t)(address & (b->c->line_bytes - 1));
		uint32_t part = b->c->line_bytes - offset;
		part = part < bytes ? part : bytes;
		if (b->ascending && b->n && address < b->out[b->n - 1].line)
			build_table(b);
		struct wcp_transaction *t = find_line(b, address - offset);
		uint32_t fresh = fresh_bytes(b, t, lane, address, part);
		t->bytes += fresh;
		if (t->bytes > b->c->line_bytes)
			t->bytes = b->c->line_bytes;
		t->sectors |= sector_mask(b->c, offset, part);
		t->lanes |= 1u << lane;
		address += part;
		bytes -= part;
	}
}

/* Local memory ascends word by word only if all lanes are at one offset. */
static bool
is_ascending(uint32_t mask, const uint64_t address[WCP_LANES], bool local)
{
	uint64_t last = mask ? address[__builtin_ctz(mask)] : 0;
	for (; mask; mask &= mask - 1) {
		uint64_t a = address[__builtin_ctz(mask)];
		if (a < last || (local && a != last))
			return false;
		last = a;
	}
	return true;
}

/* Words of all lanes, one after the other: lanes at one offset then ascend together. */
static void
touch_local(struct builder *b, uint32_t mask, const uint64_t offset[WCP_LANES], uint32_t bytes,
    uint64_t base)
{
	for (uint32_t done = 0; done < bytes;) {
		uint32_t step = bytes - done < LANE_WORD ? bytes - done : LANE_WORD;
		for (uint32_t m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctz(m);
			uint64_t o = offset[lane] + done;
			touch(b, lane,
			    base + o / LANE_WORD * (LANE_WORD * WCP_LANES) + lane * LANE_WORD +
				o % LANE_WORD,
			    step);
		}
		done += step;
	}
}

uint32_t
wcp_coalesce(const struct wcp_coalesce *c, const struct wcp_warp_batch *batch, uint32_t i,
    uint32_t bytes, uint64_t local_base, struct wcp_transaction *out)
{
	struct builder b;
	uint64_t address[WCP_LANES];
	uint32_t mask = batch->mem_mask[i];
	b.c = c;
	b.out = out;
	b.n = 0;
	b.end = 0;
	bytes = bytes == 0 ? 1 : bytes > WCP_COALESCE_BYTES_MAX ? WCP_COALESCE_BYTES_MAX : bytes;
	wcp_mem_expand(batch, i, address);
	bool local = batch->mem_space[i] == WCP_SPACE_LOCAL;
	b.ascending = is_ascending(mask, address, local);
	if (!b.ascending)
		build_table(&b);
	if (local) {
		touch_local(&b, mask, address, bytes, local_base);
		return b.n;
	}
	for (; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctz(mask);
		touch(&b, lane, address[lane], bytes);
	}
	return b.n;
}

/*
 * A cache written for being read: one access at a time, a struct a line, nothing clever. It says
 * what the model under test must say; the benchmark runs it beside the model.
 */
#ifndef CACHE_NAIVE_H
#define CACHE_NAIVE_H

#include <stdlib.h>
#include "warpcap/cache.h"

struct naive_line {
	bool used;
	uint64_t number, last_use, came, next;
	uint32_t valid, dirty, owner;
};

struct naive_cache {
	struct wcp_cache_options o;
	uint64_t now;
	struct naive_line *line; /* [copies][sets][ways] */
	bool *upper;   /* [copies][sets][ways] PLRU: by node, the victim is in its upper half */
	uint64_t next; /* OPT: next use of the line that is accessed */
};

struct naive_result {
	uint8_t result;
	uint64_t victim;
	uint32_t missing, victim_sectors, victim_owner;
};

static inline struct naive_cache
naive_new(const struct wcp_cache_options *o)
{
	size_t lines = o->copies * o->index.sets * o->ways;
	struct naive_cache n = {
	    *o, 0, calloc(lines, sizeof *n.line), calloc(lines, sizeof *n.upper), WCP_NEVER};
	return n;
}

static inline void
naive_free(struct naive_cache *n)
{
	free(n->line);
	free(n->upper);
}

static uint64_t
naive_set(const struct wcp_index_options *o, uint64_t address)
{
	uint64_t line = address / o->line_bytes, sets = o->sets;
	if (o->kind == WCP_INDEX_MODULO)
		return line % sets;
	if (o->kind == WCP_INDEX_XOR)
		return line % sets ^ line / sets % sets;
	if (o->kind == WCP_INDEX_FERMI) {
		uint64_t a = address;
		uint64_t hash = (a >> 19 & 1) << 4 | (a >> 17 & 1) << 3 | (a >> 15 & 1) << 2 |
				(a >> 14 & 1) << 1 | (a >> 13 & 1);
		return ((a >> 7 & 31) ^ hash) | (sets == 64 ? (a >> 12 & 1) << 5 : 0);
	}
	/* long division of polynomials, from the top */
	if (o->address_bits && o->address_bits < 64)
		line = (address & ((1ull << o->address_bits) - 1)) / o->line_bytes;
	uint64_t divisor = o->polynomial;
	unsigned degree = 0;
	while (2ull << degree <= divisor)
		degree++;
	for (int bit = 63; bit >= (int)degree; bit--)
		if (line >> bit & 1)
			line ^= divisor << (bit - (int)degree);
	return line;
}

static uint64_t
naive_random(uint64_t seed, uint64_t now)
{
	uint64_t x = seed + (now + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Node of the ways from low to high points away from way, and so do those below on its side. */
static void
naive_point_away(bool *upper, unsigned node, uint32_t low, uint32_t high, uint32_t way)
{
	uint32_t middle = (low + high) / 2;
	if (high - low == 1)
		return;
	upper[node] = way < middle;
	if (way < middle)
		naive_point_away(upper, 2 * node, low, middle, way);
	else
		naive_point_away(upper, 2 * node + 1, middle, high, way);
}

static uint32_t
naive_pointed_at(const bool *upper, unsigned node, uint32_t low, uint32_t high)
{
	uint32_t middle = (low + high) / 2;
	if (high - low == 1)
		return low;
	return upper[node] ? naive_pointed_at(upper, 2 * node + 1, middle, high)
			   : naive_pointed_at(upper, 2 * node, low, middle);
}

/* Does a leave before b? */
static bool
naive_leaves_first(
    const struct naive_cache *n, const struct naive_line *a, const struct naive_line *b)
{
	if (n->o.replacement == WCP_FIFO)
		return a->came < b->came;
	if (n->o.replacement == WCP_OPT && a->next != b->next)
		return a->next > b->next;
	return a->last_use < b->last_use;
}

static struct naive_line *
naive_victim(struct naive_cache *n, struct naive_line *set, struct naive_result *r)
{
	struct naive_line *v = set;
	for (uint32_t w = 0; w < n->o.ways; w++)
		if (!set[w].used)
			return &set[w];
	for (uint32_t w = 1; w < n->o.ways; w++)
		if (naive_leaves_first(n, &set[w], v))
			v = &set[w];
	if (n->o.replacement == WCP_RANDOM)
		v = &set[(naive_random(n->o.seed, n->now) >> 32) * n->o.ways >> 32];
	if (n->o.replacement == WCP_PLRU)
		v = set + naive_pointed_at(n->upper + (set - n->line), 1, 0, n->o.ways);
	r->result |= WCP_CACHE_VICTIM;
	r->victim = v->number * n->o.index.line_bytes;
	r->victim_sectors = v->dirty;
	r->victim_owner = v->owner;
	if (v->dirty)
		r->result |= WCP_CACHE_DIRTY;
	return v;
}

static void
naive_use(struct naive_cache *n, struct naive_line *set, struct naive_line *l)
{
	l->last_use = n->now;
	l->next = n->next;
	if (n->o.replacement == WCP_PLRU)
		naive_point_away(n->upper + (set - n->line), 1, 0, n->o.ways, (uint32_t)(l - set));
}

static inline struct naive_result
naive_access(struct naive_cache *n, uint64_t address, uint32_t sectors, enum wcp_access_kind kind,
    bool local, bool uncached, uint32_t copy, uint32_t owner)
{
	struct naive_result r = {.result = WCP_OUT_NONE};
	const struct wcp_cache_options *o = &n->o;
	uint32_t all =
	    o->sector_bytes ? (uint32_t)((1ull << o->index.line_bytes / o->sector_bytes) - 1) : 1;
	uint32_t want = sectors & all ? sectors & all : all;
	uint64_t number = address / o->index.line_bytes;
	struct naive_line *set = n->line +
				 (copy * o->index.sets + naive_set(&o->index, address)) * o->ways,
			  *l = NULL;
	enum wcp_write_policy write = local ? o->local_write : o->global_write;
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	bool reads = kind == WCP_LOAD || kind == WCP_PREFETCH;
	bool atomic = kind == WCP_ATOMIC || kind == WCP_REDUCE;
	n->now++;
	if (kind == WCP_FILL)
		return r;
	if (uncached && o->bypass_uncached && kind != WCP_WRITEBACK) {
		r.result = WCP_OUT_BYPASS | WCP_CACHE_PASS;
		return r;
	}
	for (uint32_t w = 0; w < o->ways; w++)
		if (set[w].used && set[w].number == number)
			l = &set[w];
	bool whole = l && !(want & ~l->valid);
	r.missing = l ? want & ~l->valid : want;
	bool around = kind == WCP_STORE && keeps && o->store_around;
	if ((!reads && !keeps) || (around && !whole)) {
		r.result =
		    (uint8_t)(WCP_OUT_FORWARD | WCP_CACHE_PASS | (whole ? WCP_CACHE_PRESENT : 0));
		bool drops = atomic || (write == WCP_WRITE_EVICT && kind == WCP_STORE);
		drops = drops && !keeps;
		if (l && drops && !o->keeps_dropped)
			l->used = false;
		else if (l)
			naive_use(n, set, l);
		return r;
	}
	bool fetches = reads || atomic || (kind == WCP_STORE && write == WCP_WRITE_BACK);
	r.result = (uint8_t)(whole ? WCP_OUT_HIT | WCP_CACHE_PRESENT
			     : l   ? WCP_OUT_SECTOR
				   : WCP_OUT_MISS);
	if (!whole && fetches)
		r.result |= WCP_CACHE_PASS;
	if (!l) {
		n->now--;
		l = naive_victim(n, set, &r);
		n->now++;
		*l = (struct naive_line){
		    .used = true, .number = number, .came = n->now, .owner = owner};
	}
	naive_use(n, set, l);
	l->valid |= want;
	l->dirty |= reads ? 0 : want;
	return r;
}

#endif

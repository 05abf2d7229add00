/* What accesses do here, by kind, space and write policy. */
#include "cache/policy.h"

const char *
wcp_write_name(enum wcp_write_policy w)
{
	static const char *const name[] = {"through", "evict", "back", "validate"};
	return (unsigned)w < WCP_WRITE_COUNT ? name[w] : "?";
}

enum { PASS = WCP_CACHE_PASS, HIT = WCP_OUT_HIT | WCP_CACHE_PRESENT };

static struct cache_action
read_action(void)
{
	return (struct cache_action){.hit = HIT,
	    .sector = WCP_OUT_SECTOR | PASS,
	    .miss = WCP_OUT_MISS | PASS,
	    .looks_up = true,
	    .allocates = true};
}

/* A store or atomic that goes on whatever is here. */
static struct cache_action
forward_action(bool drops)
{
	return (struct cache_action){.hit = WCP_OUT_FORWARD | PASS | WCP_CACHE_PRESENT,
	    .sector = WCP_OUT_FORWARD | PASS,
	    .miss = WCP_OUT_FORWARD | PASS,
	    .looks_up = true,
	    .drops = drops};
}

/* A store that stays here until its line is evicted. */
static struct cache_action
keep_action(bool fetches)
{
	struct cache_action a = read_action();
	a.dirties = true;
	if (!fetches) {
		a.sector = WCP_OUT_SECTOR;
		a.miss = WCP_OUT_MISS;
	}
	return a;
}

/* The same, but only where its line is. */
static struct cache_action
around_action(void)
{
	struct cache_action a = keep_action(false);
	a.sector = a.miss = WCP_OUT_FORWARD | PASS;
	a.allocates = false;
	return a;
}

static struct cache_action
action_of(enum wcp_access_kind kind, enum wcp_write_policy write)
{
	bool keeps = write == WCP_WRITE_BACK || write == WCP_WRITE_VALIDATE;
	switch (kind) {
	case WCP_LOAD:
	case WCP_PREFETCH: return read_action();
	case WCP_STORE:
		return keeps ? keep_action(write == WCP_WRITE_BACK)
			     : forward_action(write == WCP_WRITE_EVICT);
	case WCP_ATOMIC:
	case WCP_REDUCE: return keeps ? keep_action(true) : forward_action(true);
	case WCP_WRITEBACK: return keeps ? keep_action(false) : forward_action(false);
	case WCP_FILL:
	case WCP_KIND_COUNT: break;
	}
	return (struct cache_action){.miss = WCP_OUT_NONE};
}

void
cache_fill_actions(struct wcp_cache *c)
{
	static const struct cache_action bypass = {.miss = WCP_OUT_BYPASS | PASS};
	for (unsigned i = 0; i < CACHE_ACTIONS; i++) {
		unsigned kind = i & 7;
		enum wcp_write_policy write =
		    i & CACHE_LOCAL ? c->o.local_write : c->o.global_write;
		c->action[i] = action_of((enum wcp_access_kind)kind, write);
		if (i & CACHE_UNCACHED && c->o.bypass_uncached && kind < WCP_WRITEBACK)
			c->action[i] = bypass;
		if (kind == WCP_STORE && c->o.store_around && c->action[i].allocates)
			c->action[i] = around_action();
		if (c->o.keeps_dropped)
			c->action[i].drops = false;
		struct cache_action *a = &c->action[i];
		a->leaves[0] = !a->looks_up || !a->allocates;
		a->leaves[1] = !a->looks_up || a->drops;
	}
}

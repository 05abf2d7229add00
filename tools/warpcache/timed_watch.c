/*
 * Classes and victim tags of a level with time. The caches that tell classes apart know no time:
 * they see the accesses in the stream's order. Victim tags see lines come and leave as they do
 * here.
 */
#include <stdlib.h>
#include "timed.h"

static struct watch_line
line_of(const struct timed *d, const struct port *p, uint64_t place, uint32_t owner)
{
	uint16_t copy = (uint16_t)(p - d->port);
	return (struct watch_line){.line = port_address(d, p, place),
	    .place = place,
	    .sm = d->level.set->shared ? 0 : copy,
	    .copy = copy,
	    .owner = owner,
	    .index = wcp_nbcache_index(p->cache)};
}

static void
must(int status, const struct wcp_error *e)
{
	if (!status)
		return;
	fprintf(stderr, "warpcache: %s\n", e->text);
	exit(-WCP_ESYS);
}

void
victims_fill(struct timed *d, const struct port *p, const struct wcp_nb_victim *v)
{
	struct watch_line l = line_of(d, p, v->line, v->owner);
	struct wcp_error e;
	must(watch_leaves(d->watch, &l, v->evictor, &e), &e);
}

void
victims_access(struct timed *d, const struct port *p, uint32_t k, uint32_t owner,
    const struct wcp_nb_result *r)
{
	struct wcp_error e;
	if (r->outcome == WCP_OUT_MISS) {
		struct watch_line l = line_of(d, p, d->pick.place[k], owner);
		must(watch_comes(d->watch, &l, &d->work.note[k], &e), &e);
	}
	if (r->bits & WCP_NB_VICTIM)
		victims_fill(d, p, &r->victim);
}

int
classes_run(struct timed *d, const struct wcp_access_batch *b, struct wcp_error *e)
{
	const struct pick *w = &d->pick;
	struct wcp_cache_batch in = {.n = w->n,
	    .line = w->line,
	    .kind = w->kind,
	    .space = w->space,
	    .flags = w->flags,
	    .copy = w->sm};
	struct wcp_cache_result out = {.result = d->work.result};
	struct watch_batch x = {.in = &in,
	    .at = w->at,
	    .b = b,
	    .out = &out,
	    .caches = d->level.set->shared ? 1 : w->copies};
	return d->level.set->classes ? watch_classes(d->watch, &x, d->work.note, e) : 0;
}

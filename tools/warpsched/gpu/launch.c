#include "gpu/brood.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

struct pending {
	struct feed_command command;
	struct pending *next;
};

/* Decoded stream that may be held so that a kernel behind others can be found. */
#define AHEAD_BYTES ((uint64_t)256 << 20)

void
launcher_init(struct launcher *l)
{
	*l = (struct launcher){.last = &l->first, .changed = true};
}

void
launcher_release(struct launcher *l)
{
	for (struct pending *p = l->first, *next; p; p = next) {
		next = p->next;
		free(p->command.label);
		free(p);
	}
	for (uint32_t i = 0; i < l->cap; i++) {
		if (l->child[i].brood)
			brood_done(l->child[i].brood, l->child[i].number);
	}
	free(l->child);
}

/* NULL without memory. */
static struct child *
child_of(struct launcher *l, uint32_t kernel)
{
	if (kernel >= l->cap) {
		uint64_t cap = (uint64_t)kernel + kernel / 2 + 64;
		cap = cap < WCP_NONE32 ? cap : WCP_NONE32;
		struct child *grown = realloc(l->child, cap * sizeof *grown);
		if (!grown)
			return NULL;
		memset(grown + l->cap, 0, (cap - l->cap) * sizeof *grown);
		l->child = grown;
		l->cap = (uint32_t)cap;
	}
	return &l->child[kernel];
}

int
launcher_child(struct launcher *l, const struct wcp_kernel *k, struct brood *brood)
{
	struct child *c = child_of(l, k->id);
	if (!c)
		return -1;
	if (c->launched || c->started)
		return 0;
	c->launched = true;
	c->parent = k->parent;
	if (k->stream != WCP_STREAM_TAIL) {
		c->brood = brood;
		c->number = brood_add(brood);
	}
	l->changed = true;
	return 1;
}

bool
launcher_child_done(struct launcher *l, const struct wcp_kernel *k)
{
	struct child *c = k->id < l->cap ? &l->child[k->id] : NULL;
	if (!c)
		return false;
	if (c->brood)
		brood_done(c->brood, c->number);
	c->brood = NULL;
	return c->launched;
}

/* ---- what has to wait ----------------------------------------------------------------------- */

static bool
is_child(const struct wcp_kernel *k)
{
	return k->parent != WCP_NONE32;
}

static const struct wcp_kernel *
kernel_of(const struct pending *p)
{
	return p->command.kernel ? p->command.kernel->kernel : NULL;
}

static uint64_t
stream_of(const struct pending *p)
{
	const struct wcp_host_op *op = &p->command.host;
	if (p->command.kernel)
		return kernel_of(p)->stream;
	return op->kind == WCP_HOST_EVENT || op->kind == WCP_HOST_WAIT ? op->value : op->stream;
}

/* WCP_NONE32: nobody has. */
static uint32_t
launched_by(const struct launcher *l, uint32_t kernel)
{
	return kernel < l->cap && l->child[kernel].launched ? l->child[kernel].parent : WCP_NONE32;
}

/* Launched by kernel, or by what it launched, and so on; or kernel itself? */
static bool
comes_of(const struct launcher *l, uint32_t id, uint32_t kernel)
{
	while (id != kernel && id != WCP_NONE32)
		id = launched_by(l, id);
	return id == kernel;
}

/* Launched into one queue: that of a CTA and its stream. */
static bool
siblings(const struct wcp_kernel *a, const struct wcp_kernel *b)
{
	return a->parent == b->parent && a->parent_cta == b->parent_cta && a->stream == b->stream;
}

/* Does a launched kernel wait for another? is_earlier: in the order of the stream. */
static bool
child_follows(const struct launcher *l, const struct wcp_kernel *k, const struct wcp_kernel *o,
    bool is_earlier)
{
	if (k->stream == WCP_STREAM_FORGET)
		return false;
	if (k->stream != WCP_STREAM_TAIL)
		return is_earlier && siblings(k, o);
	bool is_tail = o->parent == k->parent && o->stream == WCP_STREAM_TAIL;
	return is_tail ? is_earlier : comes_of(l, o->id, k->parent);
}

static bool
waits_for_pending(
    const struct launcher *l, const struct wcp_kernel *k, const struct pending *q, bool is_earlier)
{
	const struct wcp_kernel *o = kernel_of(q);
	return o && is_child(o) && child_follows(l, k, o, is_earlier);
}

static bool
child_waits(const struct gpu *g, const struct pending *p)
{
	const struct launcher *l = &g->launcher;
	const struct wcp_kernel *k = kernel_of(p);
	if (launched_by(l, k->id) == WCP_NONE32)
		return true;
	for (const struct running *r = g->running; r; r = r->next) {
		if (child_follows(l, k, r->kernel, true))
			return true;
	}
	for (const struct pending *q = l->first; q != p; q = q->next) {
		if (waits_for_pending(l, k, q, true))
			return true;
	}
	for (const struct pending *q = p->next; q && k->stream == WCP_STREAM_TAIL; q = q->next) {
		if (waits_for_pending(l, k, q, false))
			return true;
	}
	return false;
}

static bool
streams_order(uint64_t a, uint64_t b)
{
	return a == b || !a || !b;
}

/* Does a command wait for one that was given before it and is not done? */
static bool
follows(const struct pending *p, const struct pending *before)
{
	const struct wcp_host_op *b = &before->command.host, *own = &p->command.host;
	if (kernel_of(before) && is_child(kernel_of(before)))
		return false;
	if (!before->command.kernel && b->kind == WCP_HOST_SYNC)
		return true;
	if (!p->command.kernel && own->kind == WCP_HOST_SYNC)
		return own->value == WCP_NONE32 || streams_order(own->value, stream_of(before));
	if (!p->command.kernel && own->kind == WCP_HOST_WAIT && !before->command.kernel &&
	    b->kind == WCP_HOST_EVENT && b->address == own->address)
		return true;
	return streams_order(stream_of(p), stream_of(before));
}

static bool
waits_for_kernel(const struct pending *p, const struct wcp_kernel *running)
{
	const struct wcp_host_op *own = &p->command.host;
	if (is_child(running))
		return false;
	if (!p->command.kernel && own->kind == WCP_HOST_SYNC)
		return own->value == WCP_NONE32 || streams_order(own->value, running->stream);
	return streams_order(stream_of(p), running->stream);
}

static bool
waits(const struct gpu *g, const struct pending *p)
{
	if (kernel_of(p) && is_child(kernel_of(p)))
		return child_waits(g, p);
	for (const struct running *r = g->running; r; r = r->next) {
		if (waits_for_kernel(p, r->kernel))
			return true;
	}
	for (const struct pending *q = g->launcher.first; q != p; q = q->next) {
		if (follows(p, q))
			return true;
	}
	return false;
}

/* ---- doing ---------------------------------------------------------------------------------- */

static void
apply(struct gpu *g, const struct wcp_host_op *op)
{
	if (!g->set->memory.preload)
		return;
	if (op->kind == WCP_HOST_COPY_IN)
		memory_preload(&g->memory, op->address, op->bytes);
	else if (op->kind == WCP_HOST_COPY_DEVICE)
		memory_preload(&g->memory, op->value, op->bytes);
}

static int
execute(struct gpu *g, struct pending **at, struct wcp_error *e)
{
	struct launcher *l = &g->launcher;
	struct pending *p = *at;
	const struct wcp_kernel *k = kernel_of(p);
	bool child = k && is_child(k);
	int status = 0;
	struct child *c = child ? child_of(l, k->id) : NULL;
	if (c)
		c->started = true;
	if (child && !c)
		status = wcp_fail(e, WCP_ESYS, "out of memory");
	else if (k)
		status = gpu_start(g, p->command.kernel, e);
	else
		apply(g, &p->command.host);
	if (!p->command.kernel)
		tap_host(g->tap, &p->command.host);
	l->n -= !child;
	*at = p->next;
	if (!p->next)
		l->last = at;
	free(p->command.label);
	free(p);
	return status;
}

/* One more command from the stream; false: there is no need, or none. */
static bool
look_ahead(struct gpu *g, struct wcp_error *e, int *status)
{
	struct launcher *l = &g->launcher;
	struct feed_command c;
	/* What a warp waits for may be behind others. */
	if (l->ended || (l->n >= g->set->sm.queues && !g->waits))
		return false;
	if (!feed_command(g->feed, &c, l->first || g->kernels ? AHEAD_BYTES : UINT64_MAX)) {
		l->ended = feed_ended(g->feed);
		l->held_up = !l->ended;
		return false;
	}
	/* They take no time and nobody waits for them. */
	if (!c.kernel && (c.host.kind == WCP_HOST_ALLOC || c.host.kind == WCP_HOST_FREE)) {
		tap_host(g->tap, &c.host);
		free(c.label);
		return true;
	}
	struct pending *p = calloc(1, sizeof *p);
	if (!p) {
		free(c.label);
		*status = wcp_fail(e, WCP_ESYS, "out of memory");
		return false;
	}
	p->command = c;
	*l->last = p;
	l->last = &p->next;
	l->n += !kernel_of(p) || !is_child(kernel_of(p));
	return true;
}

/* Kernels that run, without those all of whose CTAs are saved. */
static uint32_t
at_work(const struct gpu *g)
{
	uint32_t n = g->kernels;
	for (const struct running *r = g->running; r && g->saved; r = r->next)
		n -= r->no_more && r->saved && r->saved == r->ctas;
	return n;
}

/* Does the first command that need not wait; false: there is none. forced: the first kernel, if
 * there is one, whatever it waits for. */
static bool
do_one(struct gpu *g, bool forced, struct wcp_error *e, int *status)
{
	/* What is left of the SMs is for others only when all CTAs have been handed out. */
	bool full = g->handing || at_work(g) >= g->set->sm.kernels;
	for (struct pending **p = &g->launcher.first; *p; p = &(*p)->next) {
		bool kernel = (*p)->command.kernel != NULL;
		if (kernel && full)
			continue;
		if (forced ? kernel : !waits(g, *p)) {
			*status = execute(g, p, e);
			return !*status;
		}
	}
	return false;
}

int
launcher_run(struct gpu *g, struct wcp_error *e)
{
	struct launcher *l = &g->launcher;
	int status = 0;
	if (!l->changed && (!l->held_up || feed_bytes(g->feed) > AHEAD_BYTES))
		return 0;
	l->changed = l->held_up = false;
	do {
		while (do_one(g, false, e, &status))
			;
	} while (!status && !g->handing && look_ahead(g, e, &status));
	/* What waits for a launch or for a child that the stream does not tell. */
	if (!status && !g->kernels)
		do_one(g, true, e, &status);
	return status;
}

/* Divergence: paths, joins, and when lanes stop waiting for each other. */
#include <string.h>
#include "exec/warp.h"

static uint8_t
new_join(struct warp *w, const struct insn *at, const struct path *p)
{
	/* A join names at least one lane that its children lack, so there are fewer than lanes. */
	const uint8_t i = (uint8_t)__builtin_ctzll(~w->joins);
	w->joins |= 1ull << i;
	w->join[i] = (struct join){at, p->mask, 0, p->frame, p->join};
	return i;
}

static void
end_join(struct warp *w, uint8_t i)
{
	w->joins &= ~(1ull << i);
}

static struct path *
push(struct warp *w, const struct insn *in, uint32_t mask, uint32_t frame, uint8_t join)
{
	struct path *p = &w->path[w->n_path++];
	*p = (struct path){
	    .in = in, .mask = mask, .frame = frame, .join = join, .state = PATH_READY};
	return p;
}

static void
remove_path(struct warp *w, uint32_t i)
{
	w->n_path--;
	memmove(&w->path[i], &w->path[i + 1], (w->n_path - i) * sizeof *w->path);
}

static void
raise_path(struct warp *w, uint32_t i)
{
	struct path p = w->path[i];
	if (i + 1 == w->n_path)
		return;
	remove_path(w, i);
	w->path[w->n_path++] = p;
}

bool
exec_pick(struct warp *w)
{
	for (;;) {
		for (uint32_t i = w->n_path; i-- > 0;)
			if (w->path[i].state == PATH_READY) {
				raise_path(w, i);
				return true;
			}
		/* Lanes that gather for a .sync operation: those they wait for may stand at a join.
		 * Whoever is then still missing waits at a barrier and will not come. */
		uint32_t i = w->n_path;
		while (i-- > 0 && w->path[i].state != PATH_GATHER)
			;
		if (i == WCP_NONE32)
			return false;
		if (exec_release(w))
			continue;
		w->path[i].state = PATH_READY;
		w->path[i].released = true;
	}
}

/* Joins that only this path's lanes are still expected at hold nobody up. */
static void
drop_own_joins(struct warp *w, struct path *p)
{
	while (p->join != EXEC_NO_JOIN && w->join[p->join].expected == p->mask) {
		end_join(w, p->join);
		p->join = w->join[p->join].parent;
	}
}

void
exec_split(struct warp *w, uint32_t taken, const struct insn *target, const struct insn *next,
    const struct insn *meet)
{
	struct path *p = exec_top(w);
	const uint32_t rest = p->mask & ~taken;
	if (meet) {
		const struct join *j = p->join == EXEC_NO_JOIN ? NULL : &w->join[p->join];
		if (!j || j->at != meet || j->frame != p->frame) {
			drop_own_joins(w, p);
			p->join = new_join(w, meet, p);
		}
		if (next == meet || target == meet) {
			w->join[p->join].arrived |= next == meet ? rest : taken;
			p->mask = next == meet ? taken : rest;
			p->in = next == meet ? target : next;
			return;
		}
	}
	p->mask = taken;
	p->in = target;
	push(w, next, rest, p->frame, p->join);
}

bool
exec_meet(struct warp *w)
{
	struct path *p = exec_top(w);
	const struct insn *in = p->in;
	while (p->join != EXEC_NO_JOIN) {
		struct join *j = &w->join[p->join];
		if (j->at != in || j->frame != p->frame)
			break;
		j->arrived |= p->mask;
		if (j->arrived != j->expected) {
			w->n_path--;
			return false;
		}
		p->mask = j->arrived;
		end_join(w, p->join);
		p->join = j->parent;
	}
	p->in = in + 1;
	return true;
}

/* Lanes are no longer expected at the joins from first outwards, up to and without last. */
static void
leave_joins(struct warp *w, uint8_t first, uint8_t last, uint32_t lanes)
{
	for (uint8_t i = first; i != last; i = w->join[i].parent)
		w->join[i].expected &= ~lanes;
	for (uint8_t i = first; i != last; i = w->join[i].parent) {
		struct join *j = &w->join[i];
		if (j->expected != j->arrived)
			return;
		end_join(w, i);
		if (j->expected) {
			push(w, j->at, j->arrived, j->frame, j->parent);
			return;
		}
	}
}

void
exec_end_lanes(struct warp *w, uint32_t mask)
{
	struct path *p = exec_top(w);
	const uint8_t join = p->join;
	exec_leave_frames(w, p->frame, mask);
	p->mask &= ~mask;
	w->live &= ~mask;
	if (!p->mask)
		w->n_path--;
	leave_joins(w, join, EXEC_NO_JOIN, mask);
}

bool
exec_release(struct warp *w)
{
	bool any = false;
	for (uint64_t left = w->joins; left; left &= left - 1) {
		struct join *j = &w->join[__builtin_ctzll(left)];
		if (!j->arrived)
			continue;
		push(w, j->at, j->arrived, j->frame, j->parent);
		j->expected &= ~j->arrived;
		j->arrived = 0;
		any = true;
	}
	return any;
}

static bool
encloses(const struct warp *w, uint8_t outer, uint8_t inner)
{
	while (inner != outer && inner != EXEC_NO_JOIN)
		inner = w->join[inner].parent;
	return inner == outer;
}

/* Path i becomes part of the running path: both leave the joins that they do not have in common. */
static void
absorb(struct warp *w, uint32_t i)
{
	struct path q = w->path[i];
	remove_path(w, i);
	struct path *p = exec_top(w);
	struct path mine = *p;
	uint8_t common = p->join;
	while (!encloses(w, common, q.join))
		common = w->join[common].parent;
	p->mask |= q.mask;
	p->join = common;
	exec_merge_frames(w, q.frame, p->frame, q.mask);
	const uint32_t at = w->n_path - 1;
	leave_joins(w, mine.join, common, mine.mask);
	leave_joins(w, q.join, common, q.mask);
	raise_path(w, at);
}

/* Does path q stand where in's lanes gather? bar.warp.sync may be passed at different places. */
static bool
gathers_with(const struct warp *w, const struct path *q, const struct insn *in, uint32_t frame)
{
	if (q->state != PATH_GATHER)
		return false;
	return (q->in == in && exec_same_frames(w, q->frame, frame)) || (q->in->aux && in->aux);
}

/* The lanes of a gathering path that have all lanes they name beside them. */
static uint32_t
complete(const struct warp *w, const struct path *q, uint32_t there)
{
	const uint32_t *member = (const uint32_t *)(const void *)(w->file + q->in->a);
	uint32_t go = 0;
	for (unsigned l = 0; l < WCP_LANES; l++)
		if (!(member[l] & w->live & ~there))
			go |= 1u << l;
	return go & q->mask;
}

/* Path i falls in two: rest stays where it is, i becomes i + 1. */
static void
set_apart(struct warp *w, uint32_t i, uint32_t rest)
{
	memmove(&w->path[i + 1], &w->path[i], (w->n_path - i) * sizeof *w->path);
	w->n_path++;
	w->path[i].mask = rest;
	w->path[i + 1].mask &= ~rest;
}

/* Of all that gather for in, lanes whose partners are there go on; returns those that stand at in.
 * Tiles of a warp name different lanes at one instruction, so a path may go in part. */
static uint32_t
let_go(struct warp *w, const struct insn *in, uint32_t frame, uint32_t there)
{
	uint32_t together = 0;
	for (uint32_t i = 0; i < w->n_path; i++) {
		if (!gathers_with(w, &w->path[i], in, frame))
			continue;
		const uint32_t mask = w->path[i].mask, go = complete(w, &w->path[i], there);
		if (!go)
			continue;
		if (go != mask)
			set_apart(w, i++, mask & ~go);
		struct path *q = &w->path[i];
		together |= q->in == in && exec_same_frames(w, q->frame, frame) ? go : 0;
		q->state = PATH_READY;
		q->in++;
	}
	return together;
}

bool
exec_gather(struct warp *w, const struct insn *in)
{
	struct path *p = exec_top(w);
	uint32_t there = p->released ? exec_members(w->file, in, p->mask) : 0;
	p->released = false;
	p->in = in;
	p->state = PATH_GATHER;
	for (uint32_t i = 0; i < w->n_path; i++)
		if (gathers_with(w, &w->path[i], in, p->frame))
			there |= w->path[i].mask;
	const uint32_t together = let_go(w, in, p->frame, there);
	if (exec_top(w)->state != PATH_READY)
		return false;
	for (uint32_t i = 0; i + 1 < w->n_path;)
		if (w->path[i].mask & together)
			absorb(w, i);
		else
			i++;
	return true;
}

/* A kernel that waits for the host: how it looks again, and when it is given up. */
#include <dirent.h>
#include "memory.h"
#include "queue/parts.h"

/* Instructions of each warp that are executed before the program is let in unsettled. */
#define SPENT_MAX 4194304.0
/* Microseconds between two looks at the memory that a kernel waits for. */
#define PAUSE_MIN_US 20
#define PAUSE_MAX_US 1000

/* Nobody is left who could write what kernels wait for: the program's threads all wait for them.
 * What processes share might be written by others. */
static bool
is_hopeless(void)
{
	unsigned threads = 0;
	if (!queue.blocked || memory_is_shared() || player_next(NULL, player_is_away) ||
	    player_next(NULL, player_may_look) || item_ready())
		return false;
	for (const struct player *p = queue.player; p; p = p->next)
		threads--;
	DIR *d = opendir("/proc/self/task");
	for (const struct dirent *e; d && (e = readdir(d));)
		threads += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return d && threads == queue.blocked;
}

/* Slices at barriers look like waiting for a while, and a thread may write and end between a look
 * and the count of threads: so it takes many looks, and one more than it takes to doubt. */
static void
look_in_vain(struct player *p)
{
	enum { LOOKS = 64 };
	const unsigned twice = 2 * p->pause_us;
	p->vain = p->seen == queue.done ? p->vain + 1 : 0;
	p->seen = queue.done;
	p->pause_us = twice > PAUSE_MAX_US ? PAUSE_MAX_US : twice;
	if (p->vain % LOOKS == LOOKS - 2)
		p->doubt = is_hopeless();
	else if (p->vain % LOOKS == LOOKS - 1 && p->doubt && is_hopeless())
		p->stop = true;
}

static bool
on_yield(void *arg, enum wcp_yield_at at, uint64_t insns)
{
	struct player *p = arg;
	turn_lock();
	queue.spent += (double)insns / p->warps;
	queue.loose |= queue.spent > SPENT_MAX;
	switch (at) {
	case WCP_YIELD_RUNS: p->state = PLAYER_RUNS; break;
	case WCP_YIELD_WAITS:
		p->state = PLAYER_WAITS;
		p->seen = ++queue.done;
		p->pause_us = PAUSE_MIN_US;
		p->vain = 0;
		break;
	case WCP_YIELD_STILL: look_in_vain(p); break;
	}
	if (!p->stop && (at != WCP_YIELD_RUNS || queue.loose)) {
		queue.done += at == WCP_YIELD_RUNS;
		turn_give(p);
		turn_await(p);
	}
	const bool on = !p->stop;
	turn_unlock();
	return on;
}

bool
queue_recording(void)
{
	return this_player ? this_player->item->recording : rt.recording;
}

void
queue_beside(struct wcp_launch *l)
{
	if (!this_player)
		return;
	const double ctas = (double)l->grid[0] * l->grid[1] * l->grid[2];
	const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	const uint32_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	this_player->warps = ctas * warps;
	l->yield = on_yield;
	l->yield_arg = this_player;
}

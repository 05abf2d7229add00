/* The players, and whose turn it is: theirs or the program's. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include "queue/parts.h"

_Thread_local struct player *this_player;
static _Thread_local bool held; /* the mutex, by this thread */

/* ---- players -------------------------------------------------------------------------------- */

bool
player_may_look(const struct player *p)
{
	return p->state == PLAYER_RUNS || (p->state == PLAYER_WAITS && p->seen != queue.done);
}

/* The first of those after p, around. */
struct player *
player_next(struct player *p, bool (*is)(const struct player *))
{
	struct player *at = p ? p->next : NULL;
	for (unsigned lap = 0; lap < 2; lap++, at = queue.player)
		for (; at; at = at->next)
			if (is(at))
				return at;
	return NULL;
}

static bool
runs(const struct player *p)
{
	return p->state == PLAYER_RUNS;
}

static bool
is_idle(const struct player *p)
{
	return p->state == PLAYER_IDLE;
}

bool
player_is_away(const struct player *p)
{
	return p->state == PLAYER_AWAY;
}

static void *play_all(void *arg);

/* Signals are for the program's threads, but for those that a thread brings upon itself. */
static bool
start_thread(struct player *p)
{
	sigset_t all, old;
	pthread_t thread;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	const bool ok = pthread_create(&thread, NULL, play_all, p) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ok)
		pthread_detach(thread);
	return ok;
}

/* Pauses are told by a clock that nobody sets. */
static void
choose_clock(void)
{
	pthread_condattr_t a;
	if (queue.has_clock)
		return;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&queue.players, &a);
	pthread_condattr_destroy(&a);
	queue.has_clock = true;
}

static struct player *
new_player(void)
{
	struct player *p = calloc(1, sizeof *p);
	choose_clock();
	if (!p || !start_thread(p)) {
		free(p);
		return NULL;
	}
	p->next = queue.player;
	queue.player = p;
	return p;
}

void
queue_fail(int status)
{
	queue.status = queue.status ? queue.status : status;
}

static struct player *
assign(struct queued *q)
{
	struct player *p = player_next(NULL, is_idle);
	if (!p && !(p = new_player())) {
		queue_fail(CU_MEMORY_ALLOCATION);
		item_remove(q);
		item_free(q);
		return NULL;
	}
	p->item = q;
	p->state = PLAYER_RUNS;
	q->plays = true;
	return p;
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* Nobody has the turn: who has it next? Before it is settled, who runs goes on, then comes what is
 * ready, then those that wait look; afterwards, or without an end of it, the program is let in. */
void
turn_pass(struct player *last)
{
	struct player *p = NULL;
	struct queued *q;
	if (queue.turn)
		return;
	if (!queue.loose || !queue.callers) {
		p = queue.loose ? NULL : player_next(last, runs);
		while (!p && (q = item_ready()))
			p = assign(q);
		if (!p)
			p = player_next(last, player_may_look);
		if (!p) {
			queue.spent = 0;
			queue.loose = false;
		}
	}
	queue.turn = p;
	if (p)
		pthread_cond_broadcast(&queue.players);
	else if (queue.callers)
		pthread_cond_broadcast(&queue.host);
}

/* A thread of the program waits until it may have the lock. */
void
turn_await_lock(void)
{
	queue.callers++;
	turn_pass(NULL);
	while (queue.turn)
		pthread_cond_wait(&queue.host, &rt.lock);
	queue.callers--;
}

static void
wait_us(unsigned us)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += 1000l * us;
	if (t.tv_nsec >= 1000000000l) {
		t.tv_nsec -= 1000000000l;
		t.tv_sec++;
	}
	pthread_cond_timedwait(&queue.players, &rt.lock, &t);
}

static bool
past(const struct timespec *begin, unsigned us)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - begin->tv_sec) * 1000000l + (t.tv_nsec - begin->tv_nsec) / 1000 >=
	       (long)us;
}

/* Until a player has the turn, and something to play; one that waits takes it by itself after a
 * pause. */
void
turn_await(struct player *p)
{
	struct timespec begin;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (queue.turn != p || !p->item) {
		if (p->state != PLAYER_WAITS) {
			pthread_cond_wait(&queue.players, &rt.lock);
			continue;
		}
		if (!queue.turn && !queue.callers && past(&begin, p->pause_us))
			queue.turn = p;
		else
			wait_us(p->pause_us);
	}
}

void
turn_give(struct player *p)
{
	queue.turn = NULL;
	turn_pass(p);
}

void
turn_lock(void)
{
	pthread_mutex_lock(&rt.lock);
	held = true;
}

void
turn_unlock(void)
{
	held = false;
	pthread_mutex_unlock(&rt.lock);
}

void
rt_lock(void)
{
	turn_lock();
	if (this_player && queue.turn != this_player) {
		this_player->state = PLAYER_RUNS;
		turn_pass(this_player);
		turn_await(this_player);
	} else if (!this_player && queue.first) {
		turn_await_lock();
	}
}

void
rt_unlock(void)
{
	if (this_player) {
		this_player->state = PLAYER_AWAY;
		turn_give(this_player);
	} else if (queue.first) {
		turn_pass(NULL);
	}
	turn_unlock();
}

bool
rt_let_go(void)
{
	const bool was = held;
	if (!was)
		turn_lock();
	rt_unlock();
	return was;
}

void
rt_take_back(bool was)
{
	rt_lock();
	if (!was)
		turn_unlock();
}

/* ---- playing -------------------------------------------------------------------------------- */

/* After a fault nothing is played any more. What goes with an item may be the program's to end, so
 * that comes last. */
void
turn_drop_all(void)
{
	struct queued *next, *gone = NULL;
	for (struct queued *q = queue.first; q; q = next) {
		next = q->next;
		if (!q->plays) {
			item_remove(q);
			q->next = gone;
			gone = q;
		}
	}
	for (struct player *p = queue.player; p; p = p->next)
		if (p->state == PLAYER_WAITS || p->state == PLAYER_RUNS) {
			p->stop = true;
			p->state = PLAYER_RUNS;
		}
	for (; gone; gone = next) {
		next = gone->next;
		item_free(gone);
	}
}

static void
play(struct player *p)
{
	struct queued *q = p->item;
	int status = CU_OK;
	rt_latch(CU_OK);
	if (q->call.name)
		rt_called(q->call.name, q->call.place);
	if (q->op.type == CU_NODE_WAIT_EVENT)
		link_host(WCP_HOST_WAIT, q->event, 0, q->as.id, q->as.id, NULL);
	else
		status = op_run(&q->op, &q->as);
	op_release(&q->op);
	turn_lock();
	if (status)
		queue_fail(status);
	if (rt.fault)
		turn_drop_all();
	item_remove(q);
	item_free(q);
	p->item = NULL;
	p->state = PLAYER_IDLE;
	p->stop = false;
	turn_give(p);
}

static void *
play_all(void *arg)
{
	struct player *p = this_player = arg;
	turn_lock();
	for (;;) {
		turn_await(p);
		turn_unlock();
		play(p);
	}
	return NULL;
}

/* What waits to be played, the players, and whose turn it is. */
#include "queue.h"
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "graph/graph.h"
#include "memory.h"

/* Instructions of each warp that are executed before the program is let in unsettled. */
#define SPENT_MAX 4194304.0
/* Microseconds between two looks at the memory that a kernel waits for. */
#define PAUSE_MIN_US 20
#define PAUSE_MAX_US 1000

struct queued {
	struct queued *next;
	uint64_t number;  /* from 1, in the order of submission */
	struct op op;	  /* its own */
	struct stream as; /* id and flags */
	uint64_t behind;  /* number of the record that a wait is for; 0: none is left */
	uint64_t event;	  /* that a wait is for, as the recorder knows it */
	void *bytes;	  /* that a copy from the program's memory takes instead; NULL: none */
	struct rt_call call;
	bool recording, plays;
};

enum player_state {
	PLAYER_IDLE,
	PLAYER_RUNS,
	PLAYER_WAITS, /* for memory that others write */
	PLAYER_AWAY,  /* in a function of the program */
};

struct player {
	struct player *next;
	enum player_state state;
	struct queued *item;
	uint64_t seen;	   /* of what was done, when it last looked in vain */
	unsigned pause_us; /* until it looks again by itself */
	unsigned vain;	   /* looks in a row */
	bool doubt;	   /* it was hopeless before the last of them */
	double warps;	   /* of the launch under way */
	bool stop;
};

static struct {
	struct queued *first, *last;
	uint64_t number, done; /* submitted; what might help those that wait */
	uint64_t removed;      /* items */
	struct player *player; /* all of them */
	struct player *turn;
	unsigned callers; /* threads of the program that want the lock */
	unsigned blocked; /* and that wait for the queue, and have looked since an item went */
	double spent;	  /* instructions of a warp since it was settled */
	bool loose;	  /* that was too much */
	int status;	  /* of what failed without a fault, until somebody is told */
	bool has_clock;
	pthread_cond_t host, players;
} queue = {.host = PTHREAD_COND_INITIALIZER, .players = PTHREAD_COND_INITIALIZER};
static _Thread_local struct player *me;
static _Thread_local uint64_t mine; /* number of the last that this thread had queued */

/* ---- order ---------------------------------------------------------------------------------- */

enum { NON_BLOCKING = 1 };

/* Is b ordered behind a, which came before it? */
static bool
is_behind(const struct queued *a, const struct queued *b)
{
	if (a->as.id == b->as.id || (b->behind && b->behind == a->number))
		return true;
	if (!a->as.id)
		return !(b->as.flags & NON_BLOCKING);
	return !b->as.id && !(a->as.flags & NON_BLOCKING);
}

static struct queued *
find_ready(void)
{
	for (struct queued *b = queue.first; b; b = b->next) {
		const struct queued *a = queue.first;
		if (b->plays)
			continue;
		while (a != b && !is_behind(a, b))
			a = a->next;
		if (a == b)
			return b;
	}
	return NULL;
}

/* Is it of a stream or, for the legacy one, of a stream that blocks? */
static bool
is_of(const struct queued *q, const struct stream *s)
{
	return q->as.id == s->id || (!s->id && !(q->as.flags & NON_BLOCKING));
}

bool
queue_holds(const struct stream *s)
{
	const struct queued *q = queue.first;
	while (q && s && !is_of(q, s))
		q = q->next;
	return q != NULL;
}

static bool
holds_number(uint64_t number)
{
	const struct queued *q = queue.first;
	while (q && q->number != number)
		q = q->next;
	return number && q;
}

bool
queue_holds_event(const struct event *e)
{
	return holds_number(e->queued);
}

/* ---- turns ---------------------------------------------------------------------------------- */

static bool
may_look(const struct player *p)
{
	return p->state == PLAYER_RUNS || (p->state == PLAYER_WAITS && p->seen != queue.done);
}

/* The first of those after p, around. */
static struct player *
next_of(struct player *p, bool (*is)(const struct player *))
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

static bool
is_away(const struct player *p)
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

static void
remove_item(struct queued *q)
{
	struct queued **at = &queue.first, *before = NULL;
	while (*at != q) {
		before = *at;
		at = &before->next;
	}
	*at = q->next;
	if (queue.last == q)
		queue.last = before;
	queue.done++;
	queue.removed++;
	queue.blocked = 0;
	pthread_cond_broadcast(&queue.host);
}

static void
free_item(struct queued *q)
{
	op_release(&q->op);
	free(q->bytes);
	free(q);
}

static void
fail(int status)
{
	queue.status = queue.status ? queue.status : status;
}

static struct player *
assign(struct queued *q)
{
	struct player *p = next_of(NULL, is_idle);
	if (!p && !(p = new_player())) {
		fail(CU_MEMORY_ALLOCATION);
		remove_item(q);
		free_item(q);
		return NULL;
	}
	p->item = q;
	p->state = PLAYER_RUNS;
	q->plays = true;
	return p;
}

/* Nobody has the turn: who has it next? Before it is settled, who runs goes on, then comes what is
 * ready, then those that wait look; afterwards, or without an end of it, the program is let in. */
static void
pass_turn(struct player *last)
{
	struct player *p = NULL;
	struct queued *q;
	if (queue.turn)
		return;
	if (!queue.loose || !queue.callers) {
		p = queue.loose ? NULL : next_of(last, runs);
		while (!p && (q = find_ready()))
			p = assign(q);
		if (!p)
			p = next_of(last, may_look);
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
static void
await_lock(void)
{
	queue.callers++;
	pass_turn(NULL);
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

/* Until a player has the turn; one that waits takes it by itself after a pause. */
static void
await_turn(struct player *p)
{
	struct timespec begin;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (queue.turn != p) {
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

static void
give_turn(struct player *p)
{
	queue.turn = NULL;
	pass_turn(p);
}

void
rt_lock(void)
{
	pthread_mutex_lock(&rt.lock);
	if (me && queue.turn != me) {
		me->state = PLAYER_RUNS;
		pass_turn(me);
		await_turn(me);
	} else if (!me && queue.first) {
		await_lock();
	}
}

void
rt_unlock(void)
{
	if (me) {
		me->state = PLAYER_AWAY;
		give_turn(me);
	} else if (queue.first) {
		pass_turn(NULL);
	}
	pthread_mutex_unlock(&rt.lock);
}

void
rt_let_go(void)
{
	if (me)
		pthread_mutex_lock(&rt.lock);
	rt_unlock();
}

void
rt_take_back(void)
{
	rt_lock();
	if (me)
		pthread_mutex_unlock(&rt.lock);
}

/* ---- playing -------------------------------------------------------------------------------- */

/* After a fault nothing is played any more. */
static void
drop_all(void)
{
	struct queued *next;
	for (struct queued *q = queue.first; q; q = next) {
		next = q->next;
		if (!q->plays) {
			remove_item(q);
			free_item(q);
		}
	}
	for (struct player *p = queue.player; p; p = p->next)
		if (p->state == PLAYER_WAITS || p->state == PLAYER_RUNS) {
			p->stop = true;
			p->state = PLAYER_RUNS;
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
	pthread_mutex_lock(&rt.lock);
	if (status)
		fail(status);
	remove_item(q);
	free_item(q);
	p->item = NULL;
	p->state = PLAYER_IDLE;
	p->stop = false;
	if (rt.fault)
		drop_all();
	give_turn(p);
}

static void *
play_all(void *arg)
{
	struct player *p = me = arg;
	pthread_mutex_lock(&rt.lock);
	for (;;) {
		await_turn(p);
		pthread_mutex_unlock(&rt.lock);
		play(p);
	}
	return NULL;
}

/* Nobody is left who could write what kernels wait for: the program's threads all wait for them.
 * What processes share might be written by others. */
static bool
is_hopeless(void)
{
	unsigned threads = 0;
	if (!queue.blocked || memory_is_shared() || next_of(NULL, is_away) ||
	    next_of(NULL, may_look) || find_ready())
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
	pthread_mutex_lock(&rt.lock);
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
		give_turn(p);
		await_turn(p);
	}
	const bool on = !p->stop;
	pthread_mutex_unlock(&rt.lock);
	return on;
}

bool
queue_recording(void)
{
	return me ? me->item->recording : rt.recording;
}

void
queue_beside(struct wcp_launch *l)
{
	if (!me)
		return;
	const double ctas = (double)l->grid[0] * l->grid[1] * l->grid[2];
	const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	const uint32_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	me->warps = ctas * warps;
	l->yield = on_yield;
	l->yield_arg = me;
}

/* ---- submitting ----------------------------------------------------------------------------- */

static bool graph_may_wait(const struct graph *g);

static bool
op_may_wait(const struct op *op)
{
	bool may = op->type == CU_NODE_KERNEL && op->of.kernel.launch.kernel->info.may_wait;
	if (op->type == CU_NODE_GRAPH)
		may = graph_may_wait(op->of.graph);
	for (uint32_t i = 0; op->type == CU_NODE_CONDITIONAL && i < op->of.choice.n && !may; i++)
		may = graph_may_wait(op->of.choice.body[i]);
	return may;
}

static bool
graph_may_wait(const struct graph *g)
{
	bool may = false;
	for (uint32_t i = 0; i < g->n && !may; i++)
		may = op_may_wait(&g->node[i]->op);
	return may;
}

bool
queue_takes(const struct op *op)
{
	return queue.first || op_may_wait(op);
}

static void
append(struct queued *q, const struct stream *s)
{
	q->number = mine = ++queue.number;
	q->as = (struct stream){.handle = s->handle, .id = s->id, .flags = s->flags};
	q->call = rt_call_under_way();
	q->recording = rt.recording;
	if (queue.last)
		queue.last->next = q;
	else
		queue.first = q;
	queue.last = q;
}

static int
take_status(void)
{
	const int s = rt.fault ? rt.fault : queue.status;
	queue.status = CU_OK;
	return s;
}

static int
settle(void)
{
	if (me)
		return CU_OK;
	await_lock();
	const int s = queue.status;
	queue.status = CU_OK;
	return s;
}

/* Waits while something of a kind is left, and then for the lock. */
static int
wait_for(bool (*is_left)(const void *arg), const void *arg)
{
	if (me)
		return is_left(arg) ? CU_NOT_PERMITTED : CU_OK;
	uint64_t counted = UINT64_MAX;
	pass_turn(NULL);
	while (is_left(arg)) {
		queue.blocked += counted != queue.removed;
		counted = queue.removed;
		pthread_cond_wait(&queue.host, &rt.lock);
	}
	await_lock();
	return take_status();
}

static bool
number_left(const void *arg)
{
	const uint64_t *n = arg;
	return holds_number(*n);
}

static bool
stream_left(const void *arg)
{
	return queue_holds(arg);
}

/* Another thread may destroy what this one waits for. */
int
queue_wait(const struct stream *s)
{
	struct stream as = {.id = 0};
	if (s)
		as = (struct stream){.id = s->id, .flags = s->flags};
	return queue.first || queue.status ? wait_for(stream_left, s ? &as : NULL) : CU_OK;
}

int
queue_wait_event(const struct event *e)
{
	const uint64_t number = e->queued;
	return queue.first || queue.status ? wait_for(number_left, &number) : CU_OK;
}

int
queue_enter(void)
{
	const int s = rt_enter();
	return s ? s : queue_wait(NULL);
}

int
queue_finish(int status)
{
	if (status)
		return status;
	const int s = rt_enter();
	if (s || (!queue.first && !queue.status))
		return rt_leave(s);
	return rt_leave(wait_for(number_left, &mine));
}

/* Records of events in an operation, graphs and all: number is that of the last one or, where it is
 * 0, those of e are taken out. */
static void
each_record(struct op *op, uint64_t number, const struct event *e)
{
	const struct graph *g = op->type == CU_NODE_GRAPH ? op->of.graph : NULL;
	if (op->type == CU_NODE_EVENT_RECORD && number)
		op->of.event->queued = number;
	else if (op->type == CU_NODE_EVENT_RECORD && op->of.event == e)
		op->type = CU_NODE_EMPTY;
	for (uint32_t i = 0; g && i < g->n; i++)
		each_record(&g->node[i]->op, number, e);
	for (uint32_t k = 0; op->type == CU_NODE_CONDITIONAL && k < op->of.choice.n; k++)
		for (uint32_t i = 0; i < op->of.choice.body[k]->n; i++)
			each_record(&op->of.choice.body[k]->node[i]->op, number, e);
}

int
queue_add(const struct stream *s, const struct op *op)
{
	struct queued *q = calloc(1, sizeof *q);
	bool waits = op->type == CU_NODE_KERNEL && rt.blocking;
	int status = q ? op_keep(&q->op, op) : CU_MEMORY_ALLOCATION;
	if (!status && op->type == CU_NODE_MEMCPY)
		status = copy_keep(&q->op.of.copy, &q->bytes, &waits);
	if (status) {
		if (q)
			free(q->bytes);
		free(q);
		return status;
	}
	append(q, s);
	const uint64_t number = q->number;
	each_record(&q->op, number, NULL);
	status = settle();
	return status || !waits ? status : wait_for(number_left, &number);
}

int
queue_add_wait(const struct stream *s, struct event *e)
{
	struct queued *q = calloc(1, sizeof *q);
	if (!q)
		return CU_MEMORY_ALLOCATION;
	q->op.type = CU_NODE_WAIT_EVENT;
	q->behind = queue_holds_event(e) ? e->queued : 0;
	q->event = e->number;
	append(q, s);
	return settle();
}

/* ---- ends ----------------------------------------------------------------------------------- */

void
queue_forget_event(const struct event *e)
{
	for (struct queued *q = queue.first; q; q = q->next)
		each_record(&q->op, 0, e);
}

void
queue_end(void)
{
	if (me)
		return;
	pthread_mutex_lock(&rt.lock);
	queue.done++;
	queue.spent = 0;
	queue.loose = false;
	await_lock();
	drop_all();
	pass_turn(NULL);
	queue.callers++; /* told when nobody has the turn */
	while (queue.turn || (queue.first && !next_of(NULL, is_away)))
		pthread_cond_wait(&queue.host, &rt.lock);
	queue.callers--;
	queue.status = CU_OK;
	pthread_mutex_unlock(&rt.lock);
}

void
queue_forget(void)
{
	const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
	memset(&queue, 0, sizeof queue);
	queue.host = queue.players = fresh;
	me = NULL;
}

#include <pthread.h>
#include <stdlib.h>
#include "base/pool.h"

struct worker {
	pthread_t thread;
	struct pool *pool;
	unsigned number;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct pool_task *first, **last;
	bool stop;
	unsigned threads;
	struct worker worker[];
};

static struct pool_task *
next_task(struct pool *p)
{
	while (!p->first && !p->stop)
		pthread_cond_wait(&p->work, &p->lock);
	struct pool_task *t = p->first;
	if (t) {
		p->first = t->next;
		if (!p->first)
			p->last = &p->first;
	}
	return t;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	pthread_mutex_lock(&p->lock);
	for (struct pool_task *t; (t = next_task(p));) {
		pthread_mutex_unlock(&p->lock);
		t->run(t, w->number);
		pthread_mutex_lock(&p->lock);
		t->done = true;
		pthread_cond_broadcast(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *
pool_new(unsigned threads)
{
	struct pool *p = calloc(1, sizeof *p + threads * sizeof *p->worker);
	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->last = &p->first;
	for (; p->threads < threads; p->threads++) {
		struct worker *w = &p->worker[p->threads];
		w->pool = p;
		w->number = p->threads;
		if (pthread_create(&w->thread, NULL, work, w) != 0)
			break;
	}
	if (!p->threads) {
		pool_free(p);
		return NULL;
	}
	return p;
}

void
pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->threads; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void
pool_submit(struct pool *p, struct pool_task *t)
{
	t->done = false;
	t->next = NULL;
	if (!p) {
		t->run(t, 0);
		t->done = true;
		return;
	}
	pthread_mutex_lock(&p->lock);
	*p->last = t;
	p->last = &t->next;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

void
pool_wait(struct pool *p, struct pool_task *t)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	while (!t->done)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

bool
pool_done(struct pool *p, const struct pool_task *t)
{
	if (!p)
		return t->done;
	pthread_mutex_lock(&p->lock);
	bool done = t->done;
	pthread_mutex_unlock(&p->lock);
	return done;
}

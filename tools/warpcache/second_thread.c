#include "second_thread.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct second_thread {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t told;
	void (*run)(void *arg); /* NULL: nothing to do */
	void *arg;
	bool stop;
};

static void *
work(void *arg)
{
	struct second_thread *h = arg;
	pthread_mutex_lock(&h->lock);
	while (!h->stop) {
		if (!h->run) {
			pthread_cond_wait(&h->told, &h->lock);
			continue;
		}
		pthread_mutex_unlock(&h->lock);
		h->run(h->arg);
		pthread_mutex_lock(&h->lock);
		h->run = NULL;
		pthread_cond_signal(&h->told);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void
release(struct second_thread *h)
{
	pthread_cond_destroy(&h->told);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

struct second_thread *
second_thread_new(void)
{
	struct second_thread *h = calloc(1, sizeof *h);
	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->told, NULL);
	if (!pthread_create(&h->thread, NULL, work, h))
		return h;
	release(h);
	return NULL;
}

void
second_thread_free(struct second_thread *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->stop = true;
	pthread_cond_signal(&h->told);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	release(h);
}

void
second_thread_start(struct second_thread *h, void (*run)(void *arg), void *arg)
{
	pthread_mutex_lock(&h->lock);
	h->run = run;
	h->arg = arg;
	pthread_cond_signal(&h->told);
	pthread_mutex_unlock(&h->lock);
}

void
second_thread_wait(struct second_thread *h)
{
	pthread_mutex_lock(&h->lock);
	while (h->run)
		pthread_cond_wait(&h->told, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

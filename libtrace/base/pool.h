/* Threads that run tasks in the order of submission; each knows its number, for state of its own.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>

struct pool_task {
	void (*run)(struct pool_task *t, unsigned worker);
	struct pool_task *next;
	bool done; /* read it through pool_done or after pool_wait */
};

struct pool;

/* NULL when threads cannot be had; callers then run everything themselves. */
struct pool *pool_new(unsigned threads);
/* Waits for everything submitted. */
void pool_free(struct pool *p);
/* Without a pool (NULL) the task runs at once as worker 0. */
void pool_submit(struct pool *p, struct pool_task *t);
void pool_wait(struct pool *p, struct pool_task *t);
bool pool_done(struct pool *p, const struct pool_task *t);

#endif

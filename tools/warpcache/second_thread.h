/* A thread that does one thing at a time beside its owner. */
#ifndef SECOND_THREAD_H
#define SECOND_THREAD_H

struct second_thread;

/* NULL when no thread can be had. */
struct second_thread *second_thread_new(void);
/* Nothing may be under way. h may be NULL. */
void second_thread_free(struct second_thread *h);
/* Begins run(arg); nothing else may be under way. */
void second_thread_start(struct second_thread *h, void (*run)(void *arg), void *arg);
/* Until it has ended. */
void second_thread_wait(struct second_thread *h);

#endif

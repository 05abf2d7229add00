/* A thread that does one thing at a time beside its owner. */
#ifndef HELPER_H
#define HELPER_H

struct helper;

/* NULL when no thread can be had. */
struct helper *helper_new(void);
/* Nothing may be under way. h may be NULL. */
void helper_free(struct helper *h);
/* Begins run(arg); nothing else may be under way. */
void helper_start(struct helper *h, void (*run)(void *arg), void *arg);
/* Until it has ended. */
void helper_wait(struct helper *h);

#endif

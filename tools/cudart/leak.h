/* With --check=mem: what was allocated and never freed. The lock is held. */
#ifndef CUDART_LEAK_H
#define CUDART_LEAK_H

#include "runtime.h"

/* The program has bytes at p, called label in messages, and gives them back. */
void leak_remember(const void *p, uint64_t bytes, const char *label);
void leak_forget(const void *p);
/* Says what is left, each once, what kernels allocated last, and counts it as found. After a fault
 * of a kernel nothing is said. */
void leak_report(void);

#endif

/* Memory that is freed all at once. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena;
struct arena *arena_new(void); /* NULL: no memory */
void arena_free(struct arena *a);
void *arena_take(struct arena *a, size_t bytes); /* zeroed, aligned for any type; NULL: no memory */

#endif

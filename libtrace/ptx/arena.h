/* Memory that lives and dies with a parsed module: pieces are never freed one by one. */
#ifndef PTX_ARENA_H
#define PTX_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct binding;
struct opcode;
struct ptx_symbol;

/* A spelling that occurs in the text; each is kept once, so that equal names are equal pointers. */
struct name {
	struct name *next; /* same hash bucket */
	uint32_t hash, bytes;
	struct binding *bound;	   /* what it means here: innermost scope first */
	struct binding *range;	   /* as the stem of "%r<10>" */
	struct opcode *opcode;	   /* as an instruction's spelling, split on first use */
	struct ptx_symbol *symbol; /* at module scope */
	char text[];		   /* ends in NUL */
};

struct ptx_arena {
	struct arena_block *block;
	char *at, *end;
	struct name **bucket; /* [n_bucket], a power of two; NULL before the first name */
	size_t n_bucket, n_name;
};

/* Zeroed, aligned for any type; NULL without memory. */
void *pt_arena_alloc(struct ptx_arena *a, size_t bytes);
/* The name spelled text[0..bytes); NULL without memory. */
struct name *pt_arena_name(struct ptx_arena *a, const char *text, size_t bytes);
/* The same without making it: NULL if it does not occur. */
struct name *pt_arena_find(const struct ptx_arena *a, const char *text, size_t bytes);
void pt_arena_release(struct ptx_arena *a);

#endif

/*
 * Blocks of bytes kept, compressed, in an unlinked file under TMPDIR (/tmp without), to be read
 * back in any order: for tools that must see a pipe twice.
 */
#ifndef COMMON_SPOOL_H
#define COMMON_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include "warpcap/error.h"

/* A new file of that kind, empty, for who keeps something else in one: its descriptor, or negative.
 */
int spool_file(struct wcp_error *e);

struct spool;

/* NULL on failure: no memory, or no file can be made there. */
struct spool *spool_new(struct wcp_error *e);
void spool_free(struct spool *s);
/* Adds a block; *number is what it is read back by. 0 or negative. */
int spool_put(struct spool *s, const void *bytes, size_t n, uint64_t *number, struct wcp_error *e);
/* The block's bytes, aligned to 64, valid until the next call; *n of them. NULL on failure. */
const void *spool_get(struct spool *s, uint64_t number, size_t *n, struct wcp_error *e);

#endif

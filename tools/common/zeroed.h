/* Large arrays that begin as zero: fresh pages need no clearing, and large pages are a tenth of the
 * faults. */
#ifndef ZEROED_H
#define ZEROED_H

#include <stddef.h>
#include <stdint.h>

/* Ends the process as must_alloc() does. */
void *zeroed_new(size_t bytes);
void zeroed_free(void *p, size_t bytes); /* p may be NULL */

/* Room for n items or more in old, which has room for *had and may be NULL; the new ones are
 * zero. */
void *zeroed_grow(void *old, size_t item_bytes, uint64_t *had, uint64_t n);

#endif

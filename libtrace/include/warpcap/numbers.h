/*
 * Numbers for what occurs in a stream, lines for instance: the first key gets 0, the next that is
 * new 1, and so on, so that what is known of them can be kept in arrays. Keys next to
 * each other, such as line numbers, share room: each takes 9 to 18 bytes, one that stands alone
 * among its neighbours 36 to 72.
 */
#ifndef WARPCAP_NUMBERS_H
#define WARPCAP_NUMBERS_H

#include <stdint.h>
#include "warpcap/error.h"

struct wcp_numbers;

/* NULL on WCP_ESYS. */
struct wcp_numbers *wcp_numbers_new(struct wcp_error *e);
void wcp_numbers_free(struct wcp_numbers *t);
/* Writes the number of each of n keys, any 64 bits, in order. 0; or WCP_ESYS for want of memory, or
 * if there were more than 2^32 - 2 keys: then nothing was written. */
int wcp_numbers_get(
    struct wcp_numbers *t, const uint64_t *key, uint32_t n, uint32_t *number, struct wcp_error *e);
/* How many there are: all numbers are below. */
uint32_t wcp_numbers_count(const struct wcp_numbers *t);

#endif

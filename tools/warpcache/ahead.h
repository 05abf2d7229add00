/*
 * What a level that must know the future is given is held back until the stream has ended, looked
 * at from the last item to the first, and then played: see level_type.foresee.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "level.h"
#include "warpcap/stream.h"

struct ahead;

struct ahead *ahead_new(struct wcp_error *e);
void ahead_free(struct ahead *a);
/* Keeps a copy; programs and kernels must live on. 0 or negative. */
int ahead_put(struct ahead *a, const struct wcp_item *item, struct wcp_error *e);
/* Sends everything on in its order, with l->next set. */
int ahead_play(struct ahead *a, struct level *l,
    int (*send)(void *arg, const struct wcp_item *item), void *arg, struct wcp_error *e);

#endif

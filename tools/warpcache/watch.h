/*
 * Caches and tag arrays beside a level's own that see the same accesses, to say why it misses:
 * three classes of misses, victim tags, and the two caches between which every other lies.
 */
#ifndef WATCH_H
#define WATCH_H

#include "settings.h"
#include "tally.h"

struct watch;

/* NULL on failure. */
struct watch *watch_new(const struct settings *s, struct wcp_error *e);
void watch_free(struct watch *w);

/* The accesses a level has looked up, and what became of them. */
struct watch_batch {
	const struct wcp_cache_batch *in; /* copy: the SM of a private cache, 0 of a shared one */
	const uint32_t *at;		  /* records of b */
	const struct wcp_access_batch *b;
	const struct wcp_cache_result
	    *out;		  /* with missing and, for victim tags, victim and owner */
	const uint16_t *set_copy; /* of the level's model, for sets */
	const struct wcp_setindex *index;
	uint32_t caches; /* in->copy is below */
};
/* Writes each access's notes. 0 or negative. */
int watch_run(
    struct watch *w, const struct watch_batch *b, uint8_t *note /* [in->n] */, struct wcp_error *e);
/* For a level with time, which tells of victims as they leave: classes alone, or'ed to the notes.
 */
int watch_classes(struct watch *w, const struct watch_batch *b, uint8_t *note, struct wcp_error *e);

/* A line that comes or leaves, for victim tags. */
struct watch_line {
	uint64_t line;	/* in the stream */
	uint64_t place; /* its address in its slice */
	uint16_t sm;	/* 0 of a shared cache */
	uint16_t copy;	/* of the level's model */
	uint32_t owner; /* pass_owner() */
	const struct wcp_setindex *index;
};
/* Writes what is known of a line that comes (NOTE_VTA...), before its victim leaves. */
int watch_comes(struct watch *w, const struct watch_line *line, uint8_t *note, struct wcp_error *e);
/* evictor: pass_owner() of the access that it makes room for. */
int
watch_leaves(struct watch *w, const struct watch_line *line, uint32_t evictor, struct wcp_error *e);

/* The caches are emptied. */
void watch_invalidate(struct watch *w);
/* One dirty line left the level then. */
void watch_flushed(struct watch *w, uint32_t sectors);

/* The table of scenarios. */
struct level;
void watch_report(const struct watch *w, const struct level *l, struct report *out);

#endif

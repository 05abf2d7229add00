/* Inside the non-blocking cache: what its files share. */
#ifndef NBCACHE_MODEL_H
#define NBCACHE_MODEL_H

#include "nbcache/mshr.h"
#include "nbcache/tags.h"
#include "warpcap/nbplay.h"

enum nb_op {
	OP_NONE,
	OP_BYPASS,
	OP_TAGS,
	OP_REDIRECT,
	OP_FORWARD, /* goes on */
	OP_FETCH,   /* answered when all of it is here */
	OP_KEEP,    /* stays at once */
};

/* What an access does, by route and sort (warpcap/nbplay.h): looked up, not decided again for each.
 */
struct nb_action {
	uint8_t op;
	bool dirties, drops;
	bool around; /* goes on where it does not hit */
	bool places; /* a miss gets a line */
};
enum { ACTIONS = 32 }; /* sorts */

struct nb_queue {
	struct wcp_nb_message *message; /* [mask + 1] a ring */
	uint32_t mask, first, n;
	uint32_t limit; /* UINT32_MAX: none */
};

struct wcp_nbcache {
	struct wcp_nb_options o;
	struct wcp_setindex index;
	struct tags tags;
	struct mshrs mshrs;
	struct nb_queue queue;
	uint32_t all_sectors; /* mask */
	uint32_t sectors;     /* of a line */
	uint32_t sector_bytes;
	bool on_miss, is_unlimited;    /* something may have to grow */
	bool direct;		       /* MSHRs of lines reserved are found by them */
	bool is_modulo;		       /* by a power of two */
	bool is_plain;		       /* small sets without a tree: for quick.c */
	uint64_t n;		       /* accesses accepted */
	uint64_t data_free, fill_free; /* cycles from which the ports are */
	uint32_t port_cycles[33];      /* that so many sectors hold one */
	struct nb_action action[WCP_NB_ROUTE_COUNT][ACTIONS];
	struct wcp_nb_counts counts;
};

struct nb_found {
	uint64_t set;
	uint32_t place; /* TAGS_NONE */
};

/* wcp_nbcache_access in all its cases. known: where the line was found, or NULL. */
int nb_access(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct nb_found *known,
    struct wcp_nb_result *r);
/* Tries what is most common of wcp_nbcache_fill; false: nothing has changed. */
bool nb_fill_whole(struct wcp_nbcache *c, uint64_t number, uint32_t sectors);
int nb_queue_grow(struct nb_queue *q);
/* Counts the refusal; the cause. */
int nb_refuse(struct wcp_nbcache *c, bool again, enum wcp_nb_fail cause);

static inline const struct nb_action *
nb_action_of(const struct wcp_nbcache *c, const struct wcp_nb_access *a)
{
	return &c->action[a->route][wcp_nbplay_sort(a->kind, a->space, a->flags)];
}

static inline bool
nb_has_room(const struct nb_queue *q, uint32_t n)
{
	return q->limit - q->n >= n;
}

/* A message at the queue's end, to be filled in where it stands. */
static inline struct wcp_nb_message *
nb_push(struct wcp_nbcache *c)
{
	struct nb_queue *q = &c->queue;
	struct wcp_nb_message *m = &q->message[(q->first + q->n++) & q->mask];
	if (q->n > c->counts.queue_peak)
		c->counts.queue_peak = q->n;
	return m;
}

uint64_t nb_set_slow(const struct wcp_nbcache *c, uint64_t number);

/* Functions that are sums of bits are looked up by bytes of the line number, as many as those of
 * most addresses have. */
static inline uint64_t
nb_set(const struct wcp_nbcache *c, uint64_t number)
{
	const uint16_t(*part)[256] = c->index.part;
	if (c->is_modulo)
		return number & (c->tags.sets - 1);
	if (!c->index.bits || number >> 48)
		return nb_set_slow(c, number);
	return (uint64_t)(part[0][number & 255] ^ part[1][number >> 8 & 255] ^
			  part[2][number >> 16 & 255] ^ part[3][number >> 24 & 255] ^
			  part[4][number >> 32 & 255] ^ part[5][number >> 40]);
}

/* The sectors meant by a mask of some, or by 0: all. */
static inline uint32_t
nb_sectors(const struct wcp_nbcache *c, uint32_t sectors)
{
	sectors &= c->all_sectors;
	return sectors ? sectors : c->all_sectors;
}

static inline uint64_t
nb_key(const struct wcp_nbcache *c, uint64_t number, uint32_t sectors)
{
	return c->o.mshr_by_sector ? number * c->sectors + (uint32_t)__builtin_ctz(sectors)
				   : number;
}

static inline uint64_t
nb_port_cycles(const struct wcp_nbcache *c, uint32_t sectors)
{
	return c->port_cycles[sectors & (sectors - 1) ? __builtin_popcount(sectors) : sectors != 0];
}

/* Gives a line of which nothing is known the place room, whose line (if any) is clean, and an MSHR.
 * dirties: the access does. Sets what is missing of it and the victim. */
static inline void
nb_place(struct wcp_nbcache *c, const struct wcp_nb_access *a, const struct nb_found *f,
    uint32_t room, bool dirties, struct wcp_nb_result *r)
{
	struct tags *t = &c->tags;
	struct tags_line *l = &t->line[room];
	uint64_t number = a->line >> c->index.line_shift;
	uint64_t way = 1ull << (room - (uint32_t)f->set * t->stride);
	uint32_t want = nb_sectors(c, a->sectors);
	if (l->number != TAGS_NO_NUMBER) {
		r->victim =
		    (struct wcp_nb_victim){l->number << c->index.line_shift, 0, l->owner, a->owner};
		r->bits |= WCP_NB_VICTIM;
		c->counts.evictions++;
	}
	tags_take_over(t, f->set, room, number, a->owner, a->space);
	l->reserved = want;
	t->set[f->set].reserved |= way;
	uint32_t entry = mshrs_take_direct(&c->mshrs, number);
	t->mshr[room] = entry;
	struct mshr *e = &c->mshrs.entry[entry];
	e->asked = want;
	e->owner = a->owner;
	e->handle = a->handle;
	e->space = a->space;
	e->places = true;
	e->place = room;
	e->set = f->set;
	mshrs_add(&c->mshrs, entry, a->handle, want, dirties ? want : 0);
	r->missing = want;
}

/* The access that sent a fetch for a line placed. */
static inline void
nb_count_fetch(struct wcp_nbcache *c)
{
	if (c->mshrs.used > c->counts.mshrs_peak)
		c->counts.mshrs_peak = c->mshrs.used;
	c->counts.fetches++;
	c->counts.outcome[WCP_OUT_MISS]++;
	c->n++;
}

/* Takes the line at a place out to make room; *v tells of it. Its space; the write-back is the
 * caller's to send. */
uint8_t nb_evict(
    struct wcp_nbcache *c, uint64_t set, uint32_t place, uint32_t evictor, struct wcp_nb_victim *v);
void
nb_write_back(struct wcp_nbcache *c, const struct wcp_nb_victim *v, uint8_t space, uint32_t handle);

/* A line goes, save what of it is to come. */
static inline void
nb_drop(struct wcp_nbcache *c, uint64_t set, uint32_t place)
{
	if (!c->tags.line[place].reserved) {
		tags_drop(&c->tags, set, place);
		return;
	}
	tags_set_valid(&c->tags, set, place, 0);
	c->tags.line[place].dirty = 0;
}

/* Is there a dirty line at the place? */
static inline bool
nb_is_dirty(const struct wcp_nbcache *c, uint32_t place)
{
	return place != TAGS_NONE && c->tags.line[place].dirty;
}

#endif

/*
 * What the encoder and the decoder of WARP blocks both keep while they walk a block: the masks seen
 * lately, and per memory instruction (site) the guess at its next addresses. warpcap-stream(5)
 * specifies every rule here.
 */
#ifndef STREAM_MODEL_H
#define STREAM_MODEL_H

#include "stream/format.h"
#include "stream/marks.h"
#include "warpcap/batch.h"

enum warp_column {
	WARP_INFO, /* enum warp_info */
	WARP_SEG_CTA,
	WARP_SEG_WARP,
	WARP_SEG_FLAGS,
	WARP_SEG_ALT,
	WARP_SEG_RUNS,
	WARP_SEG_EVENTS,
	WARP_DICT_PC,
	WARP_DICT_LEN,
	WARP_RUN_CODE,
	WARP_MASK_CODE,
	WARP_MASK,
	WARP_GUARD,
	WARP_MEM_CODE,
	WARP_MEM_FORM,
	WARP_MEM_RESIDUAL,
	WARP_MEM_MASK,
	WARP_FORM_SHAPE,
	WARP_FORM_SPACE,
	WARP_FORM_FLAGS,
	WARP_FORM_STRIDE,
	WARP_FORM_PITCH,
	WARP_LIST_SITE,
	WARP_LIST_MIN,
	WARP_LIST_SHIFT,
	WARP_LIST_WIDTH,
	WARP_LIST_HITS,
	WARP_LIST_NEAR,
	WARP_LIST_PLANE, /* eight of them */
	WARP_EVENT_KIND = WARP_LIST_PLANE + 8,
	WARP_EVENT_LANE,
	WARP_EVENT_AT,
	WARP_EVENT_ARG,
	WARP_COLUMNS
};

enum warp_info {
	INFO_KERNEL,
	INFO_FIRST_CTA,
	INFO_LAST_CTA,
	INFO_RUNS,
	INFO_GUARDS,
	INFO_MEMS,
	INFO_ADDRS,
	INFO_RESIDUAL_SHIFT,
	INFO_COUNT
};

/* A record's code byte. */
enum mem_code {
	MEM_NEW_FORM = 1,   /* its form is the next of WARP_MEM_FORM, else the site's last one */
	MEM_MISS = 2,	    /* not a list: the next of WARP_MEM_RESIDUAL is added to the guess */
	MEM_LIST_SHIFT = 1, /* a list: enum list_mode in bits 1..2 */
};

enum list_mode {
	LIST_GUESSED, /* every lane as guessed */
	LIST_FULL,    /* every lane from the planes */
	LIST_NEAR,    /* first lane from the planes, each other a signed byte from the one before */
	LIST_PARTLY,  /* the next of WARP_LIST_HITS says which lanes are as guessed; the rest from
			 the planes */
};

/* Everything of a memory record but pc, lanes and place. */
struct form {
	uint8_t shape, space, flags;
	int64_t stride, pitch;
};

/* Masks seen lately, newest first. */
enum { RECENT_MASKS = 8, MASK_REST = RECENT_MASKS, MASK_NEW };
struct recent_masks {
	uint32_t mask[RECENT_MASKS];
};

/* A stride is believed when it is seen twice in a row. */
struct stride {
	uint64_t believed, last;
};

struct site {
	uint32_t form;
	struct stride delta;  /* between executions of one warp */
	uint64_t first;	      /* base of the latest first execution by a warp */
	uint64_t first_delta; /* its distance to the one before */
	uint32_t lists;	      /* 1 + index of its list state, 0: none yet */
};

/* A site's latest base in one warp. */
struct latest {
	uint64_t owner, base;
};

struct list_state {
	uint64_t owner;
	uint32_t seen; /* lanes with an address */
	struct stride step;
	uint64_t addr[WCP_LANES];
	uint64_t min;
	uint8_t shift, width;
};

enum { MODEL_SLOTS = 64, MODEL_LATEST = 1 << 16 };

struct model {
	const struct marks *marks;
	struct recent_masks masks;
	struct site *site; /* [marks->n_site] */
	uint32_t site_cap;
	struct latest *latest; /* [slots][marks->n_site] */
	uint32_t latest_cap, slots;
	struct list_state *list;
	uint32_t n_list, list_cap;
	uint64_t owners; /* owner numbers given out, never reused while the model lives */
	struct {
		uint64_t owner;
		uint32_t cta;
		uint16_t warp;
		bool used;
	} slot[MODEL_SLOTS];
	uint64_t owner;		    /* of the current segment */
	struct latest *slot_latest; /* [marks->n_site] of the current segment */
};

/* Before each block. */
int stream_model_begin(struct model *m, const struct marks *marks);
void stream_model_release(struct model *m);
/* Before each segment. */
void stream_model_segment(struct model *m, uint32_t cta, uint16_t warp);
/* The site's list state, made when first asked for; NULL without memory. */
struct list_state *stream_model_list(struct model *m, uint32_t site);

static inline void
stride_learn(struct stride *s, uint64_t seen)
{
	if (seen == s->last)
		s->believed = seen;
	s->last = seen;
}

static inline uint64_t
model_guess(const struct model *m, uint32_t site)
{
	const struct site *s = &m->site[site];
	const struct latest *l = &m->slot_latest[site];
	return l->owner == m->owner ? l->base + s->delta.believed : s->first + s->first_delta;
}

static inline void
model_learn(struct model *m, uint32_t site, uint64_t base)
{
	struct site *s = &m->site[site];
	struct latest *l = &m->slot_latest[site];
	if (l->owner == m->owner) {
		stride_learn(&s->delta, base - l->base);
	} else {
		s->first_delta = base - s->first;
		s->first = base;
		l->owner = m->owner;
	}
	l->base = base;
}

/* The guess at a list's lanes holds only for those in seen. */
static inline void
list_owner(struct list_state *l, uint64_t owner)
{
	if (l->owner != owner) {
		l->owner = owner;
		l->seen = 0;
	}
}

static inline void
masks_front(struct recent_masks *r, unsigned from, uint32_t mask)
{
	for (unsigned i = from; i > 0; i--)
		r->mask[i] = r->mask[i - 1];
	r->mask[0] = mask;
}

#endif

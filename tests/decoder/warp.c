#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "decoder.h"

#define EVENT_KIND_LAST 4 /* others are passed over */

/* Column ids of a WARP block. */
enum {
	INFO,
	SEG_CTA,
	SEG_WARP,
	SEG_FLAGS,
	SEG_ALT,
	SEG_RUNS,
	SEG_EVENTS,
	DICT_PC,
	DICT_LEN,
	RUN_CODE,
	MASK_CODE,
	MASK,
	GUARD,
	MEM_CODE,
	MEM_FORM,
	RESIDUAL,
	MEM_MASK,
	FORM_SHAPE,
	FORM_SPACE,
	FORM_FLAGS,
	FORM_STRIDE,
	FORM_PITCH,
	LIST_SITE,
	LIST_MIN,
	LIST_SHIFT,
	LIST_WIDTH,
	LIST_HITS,
	LIST_NEAR,
	LIST_PLANE,
	EVENT_KIND = LIST_PLANE + 8,
	EVENT_LANE,
	EVENT_AT,
	EVENT_ARG
};
enum { AFFINE, LIST = 5, GUARDED = 1, MEMORY = 2, MORE = 1, CTA_BEGIN = 1 };
enum { F_FLAGS = 5 }; /* of an instruction's fields */

struct predictor {
	uint64_t believed, last;
};

/* What is remembered of one memory instruction of the program. */
struct site {
	uint64_t form, first, first_delta;
	struct predictor delta, step;
	bool has[SLOTS]; /* a base is known for the warp in that slot */
	uint64_t base[SLOTS];
	bool listed;
	uint64_t min, shift, width;
	unsigned lane_slot; /* the lanes' addresses belong to this slot's warp */
	uint64_t lane_stay; /* and to this stay of it in the slot */
	bool known[LANES];
	uint64_t lane[LANES];
};

struct slot {
	bool used;
	uint64_t cta, warp, stay;
};

struct walk {
	const struct block *b;
	const struct program *p;
	struct site *site;
	uint32_t *site_of; /* [p->n] */
	unsigned slots, slot;
	struct slot slots_of[SLOTS];
	uint64_t stays;
	uint64_t recent[8];
	uint32_t next[COLUMN_IDS]; /* elements taken of each column */
	struct sums *sums;
	/* Lines are printed runs first, then guards, then memory records. */
	char *guards, *mems;
	size_t guards_n, mems_n;
	FILE *guard_file, *mem_file;
};

static uint64_t
take(struct walk *w, unsigned column)
{
	if (w->next[column] >= length(w->b, column))
		die("WARP block: column %u ends early", column);
	return at(w->b, column, w->next[column]++);
}

static void
learn(struct predictor *p, uint64_t seen)
{
	if (seen == p->last)
		p->believed = seen;
	p->last = seen;
}

static uint64_t
from_planes(struct walk *w, const struct site *s)
{
	uint64_t v = 0;
	for (unsigned k = 0; k < s->width; k++)
		v |= take(w, LIST_PLANE + k) << (8 * k);
	return s->min + (v << s->shift);
}

static void
get_list(struct walk *w, struct site *s, uint32_t mask, unsigned mode, uint64_t out[LANES])
{
	if (!s->listed)
		die("WARP block: a list at a site without");
	uint64_t stay = w->slots_of[w->slot].stay;
	if (s->lane_stay != stay)
		memset(s->known, 0, sizeof s->known);
	s->lane_stay = stay;
	uint64_t hits = mode == 0 ? mask : mode == 3 ? take(w, LIST_HITS) : 0;
	int first_known = -1, previous = -1;
	for (int l = 0; l < LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (hits >> l & 1) {
			if (!s->known[l])
				die("WARP block: a guess without ground");
			out[l] = s->lane[l] + s->step.believed;
		} else if (mode == 2 && previous >= 0) {
			out[l] = out[previous] + ((uint64_t)(int8_t)take(w, LIST_NEAR) << s->shift);
		} else {
			out[l] = from_planes(w, s);
		}
		previous = l;
		if (s->known[l] && first_known < 0)
			first_known = l;
	}
	if (hits & ~(uint64_t)mask)
		die("WARP block: guessed lanes that are not active");
	if (first_known >= 0)
		learn(&s->step, out[first_known] - s->lane[first_known]);
	for (int l = 0; l < LANES; l++)
		if (mask >> l & 1) {
			s->known[l] = true;
			s->lane[l] = out[l];
		}
}

static uint64_t
get_base(struct walk *w, struct site *s, bool miss)
{
	uint64_t base = s->first + s->first_delta;
	if (s->has[w->slot])
		base = s->base[w->slot] + s->delta.believed;
	if (miss) {
		uint64_t z = take(w, RESIDUAL);
		base += (z & 1 ? ~(z >> 1) : z >> 1) << at(w->b, INFO, 7);
	}
	if (s->has[w->slot]) {
		learn(&s->delta, base - s->base[w->slot]);
	} else {
		s->first_delta = base - s->first;
		s->first = base;
		s->has[w->slot] = true;
	}
	s->base[w->slot] = base;
	return base;
}

/* One execution: records until one without MORE. */
static void
get_execution(struct walk *w, uint32_t pc, uint32_t active)
{
	struct site *s = &w->site[w->site_of[pc]];
	for (bool more = true; more;) {
		uint64_t code = take(w, MEM_CODE), lane[LANES];
		if (code & 1)
			s->form = take(w, MEM_FORM);
		uint32_t f = (uint32_t)s->form;
		uint64_t shape = at(w->b, FORM_SHAPE, f), flags = at(w->b, FORM_FLAGS, f);
		more = flags & MORE;
		uint32_t mask = more ? (uint32_t)take(w, MEM_MASK) : active;
		if (mask & ~active || !mask)
			die("WARP block: lanes of a memory record");
		active &= ~mask;
		fprintf(w->mem_file, "  mem %u %08x shape %u space %u flags %u", pc, mask,
		    (unsigned)shape, (unsigned)at(w->b, FORM_SPACE, f), (unsigned)flags);
		if (shape == LIST) {
			get_list(w, s, mask, code >> 1 & 3, lane);
			for (int l = 0; l < LANES; l++)
				if (mask >> l & 1)
					fprintf(w->mem_file, " %" PRIx64, lane[l]);
		} else {
			fprintf(w->mem_file, " %" PRIx64 " %" PRId64, get_base(w, s, code >> 1 & 1),
			    (int64_t)at(w->b, FORM_STRIDE, f));
			if (shape != AFFINE)
				fprintf(w->mem_file, " %" PRId64, (int64_t)at(w->b, FORM_PITCH, f));
		}
		fprintf(w->mem_file, "\n");
		w->sums->records++;
	}
	w->sums->mem_insns++;
}

static uint32_t
get_mask(struct walk *w)
{
	uint64_t code = take(w, MASK_CODE), mask;
	if (code < 8)
		mask = w->recent[code];
	else if (code == 8)
		mask = w->recent[1] & ~w->recent[0];
	else
		mask = take(w, MASK);
	for (unsigned i = code < 8 ? (unsigned)code : 7; i > 0; i--)
		w->recent[i] = w->recent[i - 1];
	w->recent[0] = mask;
	return (uint32_t)mask;
}

static void
get_run(struct walk *w)
{
	uint32_t code = (uint32_t)take(w, RUN_CODE), mask = get_mask(w);
	uint32_t pc = (uint32_t)at(w->b, DICT_PC, code), len = (uint32_t)at(w->b, DICT_LEN, code);
	if (code >= length(w->b, DICT_PC) || !len || pc >= w->p->n || len > w->p->n - pc)
		die("WARP block: a run leaves the program");
	printf("  run %u %u %08x\n", pc, len, mask);
	w->sums->records++;
	for (uint32_t i = pc; i < pc + len; i++) {
		uint32_t active = mask;
		if (w->p->insn[i].field[F_FLAGS] & GUARDED) {
			active ^= (uint32_t)take(w, GUARD);
			fprintf(w->guard_file, "  guard %08x\n", active);
		}
		if (w->p->insn[i].field[F_FLAGS] & MEMORY && active)
			get_execution(w, i, active);
		w->sums->warp_insns++;
		w->sums->thread_insns += (unsigned)__builtin_popcount(active);
	}
}

/* The warp of a segment takes its slot; who was there before is forgotten. */
static void
enter(struct walk *w, uint64_t cta, uint64_t warp)
{
	w->slot = (unsigned)(warp % w->slots);
	struct slot *s = &w->slots_of[w->slot];
	if (s->used && s->cta == cta && s->warp == warp)
		return;
	*s = (struct slot){true, cta, warp, ++w->stays};
	for (uint32_t i = 0; i < w->p->n; i++)
		w->site[i].has[w->slot] = false;
}

static void
get_segment(struct walk *w, uint32_t i, uint32_t kernel, uint32_t kernel_base)
{
	uint64_t cta = at(w->b, SEG_CTA, i), warp = at(w->b, SEG_WARP, i),
		 flags = at(w->b, SEG_FLAGS, i);
	struct sums before = *w->sums;
	enter(w, cta, warp);
	w->sums->ctas += flags & CTA_BEGIN;
	printf("seg %u cta %u warp %u flags %u alt %u\n", kernel, (unsigned)cta, (unsigned)warp,
	    (unsigned)flags, (unsigned)at(w->b, SEG_ALT, i));
	w->guard_file = open_memstream(&w->guards, &w->guards_n);
	w->mem_file = open_memstream(&w->mems, &w->mems_n);
	if (!w->guard_file || !w->mem_file)
		die("out of memory");
	for (uint64_t r = at(w->b, SEG_RUNS, i); r > 0; r--)
		get_run(w);
	if (at(w->b, SEG_ALT, i)) {
		before.records = w->sums->records;
		*w->sums = before;
	}
	fclose(w->guard_file);
	fclose(w->mem_file);
	fputs(w->guards, stdout);
	fputs(w->mems, stdout);
	free(w->guards);
	free(w->mems);
	for (uint64_t e = at(w->b, SEG_EVENTS, i); e > 0; e--) {
		unsigned kind = (unsigned)take(w, EVENT_KIND), lane = (unsigned)take(w, EVENT_LANE);
		unsigned where = (unsigned)take(w, EVENT_AT);
		uint64_t arg = take(w, EVENT_ARG) + (kind == 1 ? kernel_base : 0);
		if (kind <= EVENT_KIND_LAST)
			printf(
			    "  event %u lane %u at %u arg %" PRIx64 "\n", kind, lane, where, arg);
	}
}

void
print_warp(const struct block *b, const struct program *p, uint32_t kernel, uint32_t kernel_base,
    struct sums *sums)
{
	struct walk w = {.b = b, .p = p, .slots = SLOTS, .sums = sums, .recent = {0xffffffffu}};
	uint32_t sites = 0;
	w.site_of = need((p->n + 1) * sizeof *w.site_of);
	w.site = need((p->n + 1) * sizeof *w.site);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->insn[i].field[F_FLAGS] & MEMORY)
			w.site_of[i] = sites++;
	while (w.slots > 1 && (uint64_t)w.slots * sites > 65536)
		w.slots /= 2;
	for (uint32_t i = 0; i < length(b, LIST_SITE); i++) {
		uint64_t site = at(b, LIST_SITE, i);
		if (site >= sites || at(b, LIST_SHIFT, i) > 63 || at(b, LIST_WIDTH, i) > 8)
			die("WARP block: list site");
		w.site[site].listed = true;
		w.site[site].min = at(b, LIST_MIN, i);
		w.site[site].shift = at(b, LIST_SHIFT, i);
		w.site[site].width = at(b, LIST_WIDTH, i);
	}
	for (uint32_t i = 0; i < length(b, SEG_CTA); i++)
		get_segment(&w, i, kernel, kernel_base);
	free(w.site);
	free(w.site_of);
}

/*
 * Units that figures are attributed to: an SM, a kernel, a CTA, a warp, an instruction. Every unit
 * that occurs gets a number, so that figures are arrays; keys say what a number stands for and how
 * a report shows it.
 */
#ifndef UNIT_H
#define UNIT_H

#include "report.h"

enum unit { UNIT_NONE, UNIT_SM, UNIT_KERNEL, UNIT_CTA, UNIT_WARP, UNIT_PC, UNIT_COUNT };
extern const char *const unit_name[UNIT_COUNT];
/* The unit of that name; 0, or an exit status after saying why. */
int unit_option(const struct tool *t, const char *option, const char *name, enum unit *unit);
/* Likewise among those from first to last; unit_named() says nothing. */
int unit_option_among(const struct tool *t, const char *option, const char *name, enum unit first,
    enum unit last, enum unit *unit);
bool unit_named(const char *name, enum unit first, enum unit last, enum unit *unit);

struct key {
	uint32_t group; /* kernel; program for pc; 0 for sm */
	uint32_t cta;	/* 0 where the unit is not within one */
	uint32_t unit;	/* SM, warp or pc; else 0 */
};

struct key_slot {
	struct key key;
	uint32_t number; /* 1 + number, 0: free */
};

/* Keys numbered densely in the order they came. */
struct keys {
	enum unit what;
	uint32_t n, cap;
	struct key *key;
	char **source;	       /* [cap] "file:line" of a pc, NULL if unknown */
	struct key_slot *slot; /* [mask + 1] hash table, keys and all */
	uint32_t mask;
	unsigned shift; /* 64 - the logarithm of mask + 1 */
	uint32_t last;	/* the number asked for last */
};

void keys_init(struct keys *k, enum unit what);
void keys_release(struct keys *k);
uint32_t keys_number(struct keys *k, struct key key);

static inline bool
key_equal(struct key a, struct key b)
{
	return a.group == b.group && a.cta == b.cta && a.unit == b.unit;
}

/* The slot where the search for a key begins. Two neighbours of one CTA are side by side; pairs are
 * in order of a hash, so that a larger table is filled from one end to the other. */
static inline uint32_t
keys_home(const struct keys *k, struct key key)
{
	uint64_t h = ((uint64_t)key.group << 32 | key.cta) * 0x9e3779b97f4a7c15u +
		     (key.unit >> 1) * 0xd6e8feb86659fd93u;
	uint32_t at = (uint32_t)((h ^ h >> 32) * 0xd6e8feb86659fd93u >> k->shift);
	return at ^ (key.unit & 1);
}

/* keys_number, quick where the key stands in its first slot. */
static inline uint32_t
keys_number_fast(struct keys *k, struct key key)
{
	const struct key_slot *s = k->n ? &k->slot[keys_home(k, key)] : NULL;
	return s && s->number && key_equal(s->key, key) ? s->number - 1 : keys_number(k, key);
}

/* Numbers in order of their keys, in a new array. */
uint32_t *keys_sorted(const struct keys *k);

struct names {
	char **name; /* [n] NULL where unknown */
	uint32_t n;
};
void names_set(struct names *names, uint32_t id, const char *name);
const char *names_get(const struct names *names, uint32_t id); /* NULL if unknown */
void names_release(struct names *names);

/* ---- from ACCESS streams ------------------------------------------------------------------ */

uint32_t unit_columns(enum unit unit); /* that its keys are made of, WCP_COL() */
/* Writes the key numbers of records index[n] of b, or of the first n, to number. */
void unit_numbers(struct keys *keys, const struct wcp_reader *r, const struct wcp_access_batch *b,
    const uint32_t *index, uint32_t n, uint32_t *number);
/* Remembers a kernel's name and its program's. */
void unit_kernel(struct names *kernels, struct names *programs, const struct wcp_reader *r,
    const struct wcp_kernel *k);
/* Finds the source lines of pcs. */
void unit_sources(struct keys *keys, const struct wcp_reader *r);

/* ---- in reports ----------------------------------------------------------------------------- */

enum { UNIT_REPORT_COLUMNS = 4 }; /* at most */
/* The columns of a unit's key, then rest, up to and with its last (of NULL name). */
void
unit_report_columns(struct report_column *out, enum unit unit, const struct report_column *rest);
/* The key's cells of the row begun. */
void unit_report_key(struct report *r, const struct keys *keys, const struct names *kernels,
    const struct names *programs, uint32_t number);

#endif

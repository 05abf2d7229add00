/* A mapping while it is being read: which address bit is which bit of which field. */
#ifndef DRAM_MAPPING_H
#define DRAM_MAPPING_H

#include "dram/dram.h"

enum { BIT_NONE = 0xff, BIT_INSIDE = 0xfe }; /* owner: nobody; the atom */

struct mapping_plan {
	const struct wcp_dram_organisation *o;
	struct wcp_error *e;
	uint32_t atom_shift;
	uint32_t width[DRAM_FIELDS]; /* bits a field must have; the divided one none */
	uint32_t group_bits;	     /* of F_BANK's, on top */
	bool group_low; /* the low bits of a mask's B are the group, not the high ones */
	uint32_t chips, divide_at;
	bool divides, placed; /* a division is needed; its place is known */
	uint8_t owner[64], index[64];
};

/* The forms; each fills owner and index, and divide_at if it divides. */
int mapping_fields(struct mapping_plan *p, const char *text);
int mapping_bits(struct mapping_plan *p, const char *text);
int mapping_mask(struct mapping_plan *p, const char *text);
bool mapping_is_mask(const char *text);

/* A field as mappings spell it; "group" and "bank" are parts of F_BANK. */
struct mapping_word {
	enum dram_field field;
	uint32_t first, bits; /* of the field */
};
/* The word's field; has_group: the mapping names the group. False: no such field. */
bool mapping_word(const struct mapping_plan *p, const char *text, size_t n, bool has_group,
    struct mapping_word *w);
int mapping_own(struct mapping_plan *p, uint32_t bit, enum dram_field field, uint32_t index);
uint32_t mapping_log2(uint32_t n); /* of a power of two */

#endif

/* Where an address lies, bit by bit, from the text of warpcap/dram.h. */
#ifndef DRAM_MAP_H
#define DRAM_MAP_H

#include "warpcap/dram.h"

enum map_field {
	MAP_CHANNEL,
	MAP_PSEUDO,
	MAP_RANK,
	MAP_GROUP,
	MAP_BANK,
	MAP_ROW,
	MAP_COLUMN, /* of atoms */
	MAP_FIELDS
};

struct map {
	const struct wcp_dram_config *c;
	bool division;	 /* the number of channels is no power of two */
	unsigned above;	 /* the bit from which it is divided */
	bool chips;	 /* the channel field counts pseudo-channels too */
	bool whole_bank; /* the bank field has the group's bits on top */
	unsigned bits[MAP_FIELDS];
	unsigned bit[MAP_FIELDS][64]; /* lowest first, of the quotient if there is a division */
};

/* The mappings that the tests make are all good; false if the text is none that this knows. */
bool map_new(struct map *m, const struct wcp_dram_config *c);
struct wcp_dram_place map_locate(const struct map *m, uint64_t address);
unsigned map_log2(uint64_t x);
uint64_t map_capacity(const struct wcp_dram_config *c);
uint32_t map_atom(const struct wcp_dram_config *c);

#endif

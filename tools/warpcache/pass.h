/*
 * The records that a level passes on. Sectors in them are the stream's, of 32 bytes; those of the
 * arguments are the level's own. All append to out and end the program when memory runs out; the
 * new record is the last of out, whose cycle a level with time may change.
 */
#ifndef PASS_H
#define PASS_H

#include "level.h"

/* What became of an access: a cache model's result, with its victim where that has one. */
struct pass_result {
	uint8_t result; /* outcome and wcp_cache_result_bits */
	uint32_t missing;
	uint64_t victim;
	uint32_t victim_sectors, victim_owner; /* owner: pass_owner() */
	uint16_t copy;
};

/* Who brings a line: its hardware slot, or its warp where slots are not known, and the line's
 * space. */
#define PASS_OWNER_WARP 0xffffffu /* of that number; the space is above */
uint32_t pass_owner(const struct wcp_access_batch *b, uint32_t at);

/* Record at of in as it is. */
void pass_record(struct wcp_access_batch *out, const struct wcp_access_batch *in, uint32_t at);
/* The same with its outcome at this level and its victim. */
void pass_outcome(const struct level *l, struct wcp_access_batch *out,
    const struct wcp_access_batch *in, uint32_t at, const struct pass_result *r);
/* As the next level sees it: what misses is a load of the line, or of the sectors that are missing;
 * line is this level's. */
void pass_miss(const struct level *l, struct wcp_access_batch *out,
    const struct wcp_access_batch *in, uint32_t at, uint64_t line, const struct pass_result *r);
/* Sectors of a line come for record at of in. */
void pass_fill(struct level *l, struct wcp_access_batch *out, const struct wcp_access_batch *in,
    uint32_t at, uint64_t line, uint32_t sectors);
/* A dirty line leaves. */
void pass_write_back(struct level *l, struct wcp_access_batch *out,
    const struct wcp_cache_line *line, uint64_t cycle, uint32_t kernel);

/* ---- and their way in: see levels.h ---------------------------------------------------------- */

/* Can a cache of such lines be asked about record at? 0 or WCP_EUSAGE. */
int pass_check(
    const struct level *l, const struct wcp_access_batch *b, uint32_t at, struct wcp_error *e);

#endif

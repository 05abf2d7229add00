/* The parts of one exact stack. */
#ifndef REUSE_STACK_H
#define REUSE_STACK_H

#include "model/reuse_rank.h"
#include "model/reuse_table.h"
#include "warpcap/reuse.h"

enum { REUSE_BATCH = 64 }; /* references handled against one frozen state */

/*
 * Every line's last reference is marked in rank, at the position that table holds for it. Positions
 * only grow until they reach the end of rank; then the marked ones move together (compaction).
 */
struct wcp_reuse {
	struct reuse_table table;
	struct reuse_rank rank;
	uint32_t now; /* next position; 0 is none */
	uint32_t end; /* positions are below it */
};

#endif

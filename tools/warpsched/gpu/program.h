#ifndef WARPSCHED_PROGRAM_H
#define WARPSCHED_PROGRAM_H

#include "gpu/sm.h"

struct op_timing {
	uint16_t latency, interval;
	uint8_t unit;
};

/* Instructions whose latency is not their class's: matched against the whole opcode, the first that
 * does holds. */
enum { OP_EXCEPTIONS_MAX = 64 };
struct op_exceptions {
	unsigned n;
	struct op_exception {
		char pattern[40]; /* of fnmatch(3) */
		struct op_timing timing;
	} exception[OP_EXCEPTIONS_MAX];
};

/* All of the machine's, in order. 0 or WCP_EUSAGE. */
int op_exceptions_init(
    struct op_exceptions *x, const struct wcp_latency_config *c, struct wcp_error *e);

/* p may be NULL. */
int program_init(struct program *out, const struct gpu_config *set, const struct op_exceptions *x,
    const struct wcp_program *p, struct wcp_error *e);
void program_release(struct program *p);

#endif

/* The slow side of memory accesses: what one test over all lanes could not settle. */
#ifndef EXEC_ACCESS_H
#define EXEC_ACCESS_H

#include "exec/warp.h"

/*
 * The window of device memory, or through generic addresses of shared or parameter space, that
 * holds [lo, hi). Remembers device memory in the warp's cache. False if no single one does.
 */
bool exec_window(struct warp *w, const struct insn *in, uint64_t lo, uint64_t hi,
    struct window *out, uint8_t *space);

/* One lane: its host address, the space it hit and the address there. False: w->fault says why not.
 */
bool exec_lane(struct warp *w, const struct insn *in, uint32_t lane, uint64_t address, char **at,
    uint8_t *space, uint64_t *bias);

/* n bytes of shared memory; NULL: there are none at that address. An address below
 * 1 << EXEC_RANK_SHIFT is one of the CTA's own. */
#define EXEC_RANK_SHIFT 24
char *exec_shared_at(const struct cta *c, uint64_t address, uint64_t n);
/* The same address in the CTA of that rank. */
static inline uint64_t
exec_shared_in(uint64_t address, uint32_t rank)
{
	const uint64_t mask = (1ull << EXEC_RANK_SHIFT) - 1;
	return (address & mask) | (uint64_t)(rank + 1) << EXEC_RANK_SHIFT;
}
/* With check_shared: n bytes at host address at are written now. */
void exec_shared_wrote(const struct cta *c, const char *at, uint64_t n);

void exec_fault(struct warp *w, enum fault_kind kind, const struct insn *in, uint32_t lane,
    uint64_t address, uint8_t space);

/* With check_shared: true if every byte was written before; stores mark them. */
bool exec_check_shared(struct warp *w, const struct insn *in, uint32_t mask, bool store);

#endif

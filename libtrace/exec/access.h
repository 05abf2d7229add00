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

void exec_fault(struct warp *w, enum fault_kind kind, const struct insn *in, uint32_t lane,
    uint64_t address, uint8_t space);

/* With check_shared: true if every byte was written before; stores mark them. */
bool exec_check_shared(struct warp *w, const struct insn *in, uint32_t mask, bool store);

#endif

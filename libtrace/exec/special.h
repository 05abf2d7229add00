#ifndef EXEC_SPECIAL_H
#define EXEC_SPECIAL_H

#include "exec/warp.h"

/* Fills the slots of special registers: all of them, or those that differ from CTA to CTA. */
void exec_fill_specials(struct warp *w, bool all);

/* Shared memory that a kernel has for the system where it asks for it: cooperative groups keep the
 * barriers of groups larger than a warp there. */
enum { EXEC_RESERVED_BYTES = 1024 };

#endif

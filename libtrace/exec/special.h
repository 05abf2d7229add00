#ifndef EXEC_SPECIAL_H
#define EXEC_SPECIAL_H

#include "exec/warp.h"

/* Fills the slots of special registers: all of them, or those that differ from CTA to CTA. */
void exec_fill_specials(struct warp *w, bool all);

#endif

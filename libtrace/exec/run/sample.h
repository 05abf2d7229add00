/* Texture fetches of a warp whose lanes are fetched together. */
#ifndef EXEC_RUN_SAMPLE_H
#define EXEC_RUN_SAMPLE_H

#include "texel.h"

/* Wrapping and mirroring are for normalized coordinates only. */
static inline enum wcp_address_mode
sample_mode(const struct wcp_texture *t, unsigned axis, bool normalized)
{
	const enum wcp_address_mode m = (enum wcp_address_mode)t->address[axis];
	return !normalized && (m == WCP_ADDRESS_WRAP || m == WCP_ADDRESS_MIRROR) ? WCP_ADDRESS_CLAMP
										 : m;
}

/* Can this fetch be done so: one level, no cube, nothing rare? */
bool LEVELED(run_sample_fits)(const struct view *v, const struct exec_fetch *f);
/* Fetches; fills w->addr. All lanes of mask name the view v. */
void LEVELED(run_sample)(
    struct warp *w, const struct exec_fetch *f, const struct view *v, uint32_t mask);

#endif

/* From options and machine to what the runtime is told. */
#include <stdio.h>
#include <string.h>
#include "../../cudart/preset.h"
#include "machine.h"
#include "program.h"
#include "warpcap/dram.h"
#include "warpcap/gpu.h"

static uint32_t
flags_of(const struct capture_options *o, bool window)
{
	return (o->no_stream ? 0 : (uint32_t)LINK_RECORD) |
	       (o->relaxed ? (uint32_t)LINK_RELAXED : 0) |
	       (o->alternatives ? (uint32_t)LINK_ALTERNATIVES : 0) |
	       (o->check_shared ? (uint32_t)LINK_CHECK_SHARED : 0) |
	       (o->check_memory ? (uint32_t)LINK_CHECK_MEMORY : 0) |
	       (o->check_sync ? (uint32_t)LINK_CHECK_SYNC : 0) |
	       (o->cta_given ? (uint32_t)LINK_CTAS : 0) | (window ? (uint32_t)LINK_WINDOW : 0);
}

/* Shared memory beyond what every device has is there for the asking, but for what the system
 * keeps of it. */
static void
set_sm(struct link_device *d, const struct wcp_sm_config *sm)
{
	d->sms = sm->sms;
	d->max_threads_per_sm = sm->threads;
	d->max_blocks_per_sm = sm->ctas;
	d->regs_per_sm = d->regs_per_block = sm->registers;
	d->shared_per_sm = sm->shared_bytes;
	d->shared_per_block = sm->shared_bytes < 48u << 10 ? sm->shared_bytes : 48u << 10;
	d->shared_reserved = sm->shared_bytes > 64u << 10 ? 1u << 10 : 0;
	d->shared_per_block_optin = sm->shared_bytes - d->shared_reserved;
	if (d->max_threads_per_block > sm->threads)
		d->max_threads_per_block = sm->threads;
}

/* CUDA's memory clock is one of two beats a cycle. */
static void
set_memory(struct link_device *d, const struct wcp_dram_config *dram)
{
	const struct wcp_dram_organisation *o = &dram->organisation;
	const uint32_t halves = o->pseudo_channels ? o->pseudo_channels : 1;
	const uint64_t bytes =
	    (uint64_t)o->channels * halves * o->ranks * o->banks * o->rows * o->row_bytes;
	if (bytes)
		d->memory_bytes = bytes;
	if (o->channels && o->bus_bits)
		d->bus_bits = o->channels * halves * o->bus_bits;
	if (o->rate && dram->timing.t_ck_ns > 0)
		d->memory_khz = (uint32_t)(1e6 / dram->timing.t_ck_ns * o->rate / 2);
}

/* Values that the machine says nothing of stay those of the default. */
static int
apply_machine(struct tool *t, struct link_device *d)
{
	int status = 0;
	struct wcp_machine *m = tool_machine(t, NULL, &status);
	if (!m)
		return status;
	struct wcp_sm_config sm = {.sms = d->sms,
	    .threads = d->max_threads_per_sm,
	    .ctas = d->max_blocks_per_sm,
	    .registers = d->regs_per_sm,
	    .shared_bytes = d->shared_per_sm};
	struct wcp_clock_config clock = {.core_mhz = d->core_khz / 1e3};
	struct wcp_level_config l2 = {.size_bytes = d->l2_bytes};
	struct wcp_dram_config dram = {.organisation = {.channels = 0}};
	if (tool_machine_bind(m, "sm", &sm))
		set_sm(d, &sm);
	tool_machine_bind(m, "clock", &clock);
	tool_machine_bind(m, "l2", &l2);
	if (tool_machine_bind(m, "dram", &dram))
		set_memory(d, &dram);
	d->core_khz = (uint32_t)(clock.core_mhz * 1e3);
	if (l2.size_bytes && l2.size_bytes <= UINT32_MAX)
		d->l2_bytes = (uint32_t)l2.size_bytes;
	if (*wcp_machine_name(m))
		snprintf(
		    d->name, sizeof d->name, "%s, %.80s", wcp_machine_name(m), preset_default.name);
	wcp_machine_free(m);
	return 0;
}

int
program_settings(struct tool *t, const struct capture_options *o, const struct program_wishes *w,
    struct link_settings *s)
{
	*s = (struct link_settings){.version = LINK_VERSION,
	    .flags = flags_of(o, w->window),
	    .threads = t->threads,
	    .verbose = t->verbose,
	    .launch_last = UINT64_MAX,
	    .cta_first = o->cta_first,
	    .cta_last = o->cta_last,
	    .skip_insns = o->skip_insns,
	    .max_insns = o->max_insns,
	    .limit_insns = o->limit_insns,
	    .limit_warp_insns = o->limit_warp_insns,
	    .device = preset_default};
	if (w->launches) {
		const int status =
		    tool_range(t, "--launch", w->launches, &s->launch_first, &s->launch_last);
		if (status)
			return status;
	}
	if (s->launch_first < w->skip_launches)
		s->launch_first = w->skip_launches;
	if (o->kernel && strlen(o->kernel) >= sizeof s->kernel)
		return tool_usage(t, "--kernel: the pattern is too long");
	if (o->kernel)
		strcpy(s->kernel, o->kernel);
	if (w->capability)
		s->device.capability = (uint32_t)w->capability;
	return t->machine || t->n_set ? apply_machine(t, &s->device) : 0;
}

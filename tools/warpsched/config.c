/* From a machine file to the GPU that it describes, with what a file need not say. */
#include "gpu/config.h"

static void
defaults(struct gpu_config *c)
{
	*c = (struct gpu_config){0};
	c->sm = (struct wcp_sm_config){
	    .sms = 15,
	    .kernels = 16,
	    .queues = 1,
	    .threads = 1536,
	    .warps = 48,
	    .ctas = 8,
	    .registers = 32768,
	    .register_unit = 1,
	    .shared_bytes = 48 * 1024,
	    .schedulers = 2,
	    .insn_bytes = 8,
	    .result_buses = 2,
	    .shared_ck = 26,
	    .shared_banks = 32,
	    .invalidate_l1 = true,
	};
	for (unsigned u = 0; u < WCP_UNIT_COUNT; u++)
		c->sm.unit[u] = (struct wcp_unit_config){
		    .units = u == UNIT_SP ? 2 : 1, .width = 2, .collectors = 8, .ports = 2};
	for (unsigned i = 0; i < WCP_OP_COUNT; i++) {
		c->latency.ck[i] = 4;
		c->interval.ck[i] = 1;
	}
	c->icnt = (struct wcp_icnt_config){32, 8, 8, 64, 16};
	c->memory = (struct wcp_memory_config){64, 64, 64, 100, WCP_LINE_BYTES, false};
	c->l2.slices = 1;
	c->dram.organisation.pseudo_channels = c->dram.organisation.ranks = 1;
	c->dram.organisation.bank_groups = 1;
	c->dram.controller.requesters = 1;
}

/* The caches of one SM or one slice, from sizes. */
static int
level(struct tool *t, const char *name, struct wcp_level_config *l, bool wanted)
{
	struct wcp_nb_options *o = &l->cache;
	uint32_t slices = l->slices ? l->slices : 1;
	if (!o->index.line_bytes)
		o->index.line_bytes = WCP_LINE_BYTES;
	if (!o->index.sets && l->size_bytes && o->ways)
		o->index.sets = l->size_bytes / slices / o->ways / o->index.line_bytes;
	if (!o->index.sets && (wanted || l->size_bytes))
		return tool_fail(t, -WCP_EUSAGE, "the machine says nothing of [%s]", name);
	return 0;
}

/* What parts must have in common to work together. */
static int
check(struct tool *t, const struct gpu_config *c)
{
	uint32_t flits =
	    (c->icnt.header_bytes + WCP_LINE_BYTES + c->icnt.flit_bytes - 1) / c->icnt.flit_bytes;
	uint32_t request = c->memory.request_bytes;
	if (c->l1.cache.index.line_bytes != WCP_LINE_BYTES ||
	    c->l2.cache.index.line_bytes != WCP_LINE_BYTES)
		return tool_fail(t, -WCP_EUSAGE,
		    "l1.line = %u and l2.line = %u: lines are of %u bytes",
		    c->l1.cache.index.line_bytes, c->l2.cache.index.line_bytes, WCP_LINE_BYTES);
	if (request != WCP_LINE_BYTES && request != WCP_SECTOR_BYTES)
		return tool_fail(t, -WCP_EUSAGE,
		    "memory.request = %u is neither a sector, %u, nor a line, %u", request,
		    WCP_SECTOR_BYTES, WCP_LINE_BYTES);
	if (c->l2.cache.mshr_by_sector && request != WCP_SECTOR_BYTES)
		return tool_fail(t, -WCP_EUSAGE,
		    "l2.mshr_by_sector needs requests of a sector, but memory.request = %u",
		    request);
	if (flits > c->icnt.buffer_flits)
		return tool_fail(t, -WCP_EUSAGE,
		    "icnt.buffer = %u flits: a packet with a line has %u", c->icnt.buffer_flits,
		    flits);
	return 0;
}

int
config_read(struct gpu_config *c, struct tool *t, const struct wcp_machine *m)
{
	defaults(c);
	tool_machine_bind(m, "clock", &c->clock);
	tool_machine_bind(m, "sm", &c->sm);
	tool_machine_bind(m, "latency", &c->latency);
	tool_machine_bind(m, "interval", &c->interval);
	tool_machine_bind(m, "l1", &c->l1);
	tool_machine_bind(m, "l1c", &c->l1c);
	tool_machine_bind(m, "l1t", &c->l1t);
	tool_machine_bind(m, "l1i", &c->l1i);
	tool_machine_bind(m, "l2", &c->l2);
	tool_machine_bind(m, "icnt", &c->icnt);
	tool_machine_bind(m, "memory", &c->memory);
	if (!tool_machine_bind(m, "dram", &c->dram) || c->clock.core_mhz <= 0)
		return tool_fail(t, -WCP_EUSAGE, "the machine says nothing of [dram] or [clock]");
	int status = level(t, "l1", &c->l1, true);
	if (!status)
		status = level(t, "l1c", &c->l1c, false);
	if (!status)
		status = level(t, "l1t", &c->l1t, false);
	if (!status)
		status = level(t, "l1i", &c->l1i, false);
	if (!status)
		status = level(t, "l2", &c->l2, true);
	if (status)
		return status;
	/* The shift line before L1 has a place for each cycle of latency. */
	if (c->l1.hit_ck > L1_LATENCY_MAX)
		return tool_fail(t, -WCP_EUSAGE, "l1.hit_latency = %u is more than %d",
		    c->l1.hit_ck, L1_LATENCY_MAX);
	if (!c->l1.hit_ck)
		c->l1.hit_ck = 1;
	uint32_t channels = c->dram.organisation.channels * c->dram.organisation.pseudo_channels;
	if (!channels || c->l2.slices % channels)
		return tool_fail(t, -WCP_EUSAGE,
		    "%u slices of L2 cannot be shared out to %u DRAM channels", c->l2.slices,
		    channels);
	c->slices = c->l2.slices / channels;
	return check(t, c);
}

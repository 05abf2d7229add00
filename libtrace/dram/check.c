/* What an organisation and a controller cannot be. */
#include <stdio.h>
#include "dram/dram.h"

static bool
is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

static int
check_powers(const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	const struct {
		const char *name;
		uint32_t value;
	} power[] = {{"pseudo_channels", o->pseudo_channels}, {"ranks", o->ranks},
	    {"bank_groups", o->bank_groups}, {"banks", o->banks}, {"rows", o->rows},
	    {"row_bytes", o->row_bytes}, {"bus_bits", o->bus_bits},
	    {"burst_length", o->burst_length}, {"rate", o->rate}};
	for (size_t i = 0; i < sizeof power / sizeof *power; i++)
		if (!is_power(power[i].value))
			return wcp_fail(e, WCP_EUSAGE, "%s = %u is no power of two", power[i].name,
			    power[i].value);
	return 0;
}

int
dram_check_organisation(const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	if (!o->channels || o->channels > 1 << 16)
		return wcp_fail(e, WCP_EUSAGE, "channels = %u is not from 1 to 65536", o->channels);
	if (check_powers(o, e))
		return e ? e->status : WCP_EUSAGE;
	if (o->bank_groups > o->banks)
		return wcp_fail(e, WCP_EUSAGE, "bank_groups = %u are more than banks = %u",
		    o->bank_groups, o->banks);
	if ((uint64_t)o->ranks * o->banks > DRAM_BANKS_MAX)
		return wcp_fail(e, WCP_EUSAGE, "ranks = %u of banks = %u are more than %d banks",
		    o->ranks, o->banks, DRAM_BANKS_MAX);
	if ((uint64_t)o->channels * o->pseudo_channels > 1 << 16)
		return wcp_fail(e, WCP_EUSAGE, "channels = %u of pseudo_channels = %u are too many",
		    o->channels, o->pseudo_channels);
	uint64_t bits = (uint64_t)o->burst_length * o->bus_bits;
	if (bits < 8)
		return wcp_fail(e, WCP_EUSAGE,
		    "burst_length = %u on bus_bits = %u moves less than a byte", o->burst_length,
		    o->bus_bits);
	if (bits / 8 > o->row_bytes)
		return wcp_fail(e, WCP_EUSAGE, "row_bytes = %u holds no burst of %llu bytes",
		    o->row_bytes, (unsigned long long)bits / 8);
	return 0;
}

static int
check_queues(const struct wcp_dram_controller *c, struct wcp_error *e)
{
	if (!c->read_queue || c->read_queue > DRAM_QUEUE_MAX)
		return wcp_fail(e, WCP_EUSAGE, "read_queue = %u is not from 1 to %d", c->read_queue,
		    DRAM_QUEUE_MAX);
	if (c->write_queue > DRAM_QUEUE_MAX)
		return wcp_fail(e, WCP_EUSAGE, "write_queue = %u is more than %d", c->write_queue,
		    DRAM_QUEUE_MAX);
	if (c->write_queue && c->write_high > c->write_queue)
		return wcp_fail(e, WCP_EUSAGE, "write_high = %u is more than write_queue = %u",
		    c->write_high, c->write_queue);
	if (c->write_queue && c->write_low >= c->write_high)
		return wcp_fail(e, WCP_EUSAGE, "write_low = %u is not below write_high = %u",
		    c->write_low, c->write_high);
	return 0;
}

static int
unknown_scheduler(const char *name, struct wcp_error *e)
{
	char known[200] = "";
	for (size_t i = 0, n = 0; wcp_dram_scheduler_table[i].name && n < sizeof known; i++)
		n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "",
		    wcp_dram_scheduler_table[i].name);
	return wcp_fail(
	    e, WCP_EUSAGE, "scheduler = %s is none of %s", name ? name : "(none)", known);
}

static int
check_scheduler(const struct wcp_dram_controller *c, struct wcp_error *e)
{
	const struct dram_scheduler *s = c->scheduler ? dram_scheduler_named(c->scheduler) : NULL;
	if (!s)
		return unknown_scheduler(c->scheduler, e);
	if (c->requesters > 4096)
		return wcp_fail(e, WCP_EUSAGE, "requesters = %u are more than 4096", c->requesters);
	if (!s->check)
		return 0;
	if (!c->requesters)
		return wcp_fail(e, WCP_EUSAGE, "requesters = 0 leaves nobody to rank");
	return s->check(c, e);
}

int
dram_check_controller(struct wcp_dram_controller *c, struct wcp_error *e)
{
	if ((unsigned)c->page > WCP_PAGE_TIMEOUT)
		return wcp_fail(e, WCP_EUSAGE, "page = %d is no page policy", (int)c->page);
	int status = check_queues(c, e);
	return status ? status : check_scheduler(c, e);
}

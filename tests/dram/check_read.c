/* Logs as text: "# key=value" lines of the config, then a line for each command. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

struct field {
	const char *name;
	size_t at;
};

#define T(f)                                            \
	{                                               \
#f, offsetof(struct wcp_dram_timing, f) \
	}
#define O(f)                                                  \
	{                                                     \
#f, offsetof(struct wcp_dram_organisation, f) \
	}
static const struct field timing[] = {T(t_cl), T(t_cwl), T(t_rcd), T(t_rcdwr), T(t_rp), T(t_ras),
    T(t_rc), T(t_rrd_s), T(t_rrd_l), T(t_faw), T(t_ccd_s), T(t_ccd_l), T(t_rtp), T(t_wr),
    T(t_wtr_s), T(t_wtr_l), T(t_rtw), T(t_rtrs), T(t_ppd), T(t_refi), T(t_rfc), T(t_rfc_pb),
    T(t_rrefd), {NULL, 0}};
static const struct field organisation[] = {O(channels), O(pseudo_channels), O(ranks),
    O(bank_groups), O(banks), O(rows), O(row_bytes), O(bus_bits), O(burst_length), O(rate),
    {NULL, 0}};

static const struct field *
find(const struct field *table, const char *name, size_t length)
{
	for (const struct field *f = table; f->name; f++)
		if (strlen(f->name) == length && !strncmp(f->name, name, length))
			return f;
	return NULL;
}

const uint32_t *
check_field(const struct wcp_dram_timing *t, const char *name, size_t length)
{
	const struct field *f = find(timing, name, length);
	return f ? (const uint32_t *)(const void *)((const char *)t + f->at) : NULL;
}

bool
check_set(
    struct wcp_dram_organisation *o, struct wcp_dram_timing *t, const char *key, const char *value)
{
	static const char *const refresh[] = {"none", "all-bank", "per-bank"};
	char *end;
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(key, "refresh") && !strcmp(value, refresh[i])) {
			t->refresh = (enum wcp_dram_refresh)i;
			return true;
		}
	unsigned long number = strtoul(value, &end, 10);
	if (*end || end == value || number > UINT32_MAX)
		return false;
	const struct field *f = find(timing, key, strlen(key));
	if (f) {
		*(uint32_t *)(void *)((char *)t + f->at) = (uint32_t)number;
		return true;
	}
	f = find(organisation, key, strlen(key));
	if (f)
		*(uint32_t *)(void *)((char *)o + f->at) = (uint32_t)number;
	else if (!strcmp(key, "dual_command"))
		t->dual_command = number;
	else
		return false;
	return true;
}

bool
check_ignored(const char *key)
{
	static const char *const keys[] = {"t_ck_ns", "mapping", "bank_hash", "beyond",
	    "read_queue", "write_queue", "write_high", "write_low", "page", "page_timeout_ck",
	    "scheduler", "frfcfs_cap", "parbs_cap", "tcm_quantum_ck", "tcm_shuffle_ck",
	    "tcm_cluster", "requesters", "seed", "machine"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static const char *const kinds[WCP_CMD_COUNT] = {
    "ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REF", "REFpb"};

bool
check_parse(const char *line, struct wcp_dram_command *c)
{
	char kind[8];
	int64_t handle;
	*c = (struct wcp_dram_command){.kind = WCP_CMD_COUNT};
	if (sscanf(line, "%" SCNu64 "\t%7s\t%u\t%u\t%u\t%u\t%u\t%" SCNd64, &c->cycle, kind,
		&c->channel, &c->rank, &c->bank, &c->row, &c->column, &handle) != 8)
		return false;
	c->handle = (uint64_t)handle;
	for (uint8_t k = 0; k < WCP_CMD_COUNT; k++)
		if (!strcmp(kind, kinds[k]))
			c->kind = k;
	return c->kind != WCP_CMD_COUNT;
}

void
check_write(FILE *f, const struct wcp_dram_command *c)
{
	fprintf(f, "%" PRIu64 "\t%s\t%u\t%u\t%u\t%u\t%u\t%" PRId64 "\n", c->cycle, kinds[c->kind],
	    c->channel, c->rank, c->bank, c->row, c->column, (int64_t)c->handle);
}

static void
write_fields(FILE *f, const struct field *table, const void *from)
{
	for (; table->name; table++)
		fprintf(f, "# %s=%u\n", table->name,
		    *(const uint32_t *)(const void *)((const char *)from + table->at));
}

void
check_write_head(FILE *f, const struct wcp_dram_organisation *o, const struct wcp_dram_timing *t)
{
	static const char *const refresh[] = {"none", "all-bank", "per-bank"};
	write_fields(f, organisation, o);
	write_fields(f, timing, t);
	fprintf(f, "# refresh=%s\n# dual_command=%d\n", refresh[t->refresh], t->dual_command);
	fputs("#cycle\tkind\tchannel\trank\tbank\trow\tcolumn\thandle\n", f);
}

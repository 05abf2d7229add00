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
	    "read_queue", "write_queue", "write_high", "write_low", "frees_at_act", "page",
	    "page_timeout_ck", "scheduler", "frfcfs_cap", "parbs_cap", "tcm_quantum_ck",
	    "tcm_shuffle_ck", "tcm_cluster", "requesters", "seed", "machine"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static const char *const kinds[WCP_CMD_COUNT] = {
    "ACT", "PRE", "PREA", "RD", "RDA", "WR", "WRA", "REF", "REFpb"};

/* The next field, which it ends; NULL if there is none. */
static char *
next_field(char **at)
{
	char *field = *at, *tab = field ? strchr(field, '\t') : NULL;
	*at = tab ? tab + 1 : NULL;
	if (tab)
		*tab = 0;
	return field;
}

static bool
number(char **at, uint64_t *value)
{
	char *field = next_field(at), *end;
	if (!field || !(*field >= '0' && *field <= '9')) {
		*value = UINT64_MAX;
		return field && *field == '-';
	}
	*value = strtoull(field, &end, 10);
	return !*end;
}

static bool
kind_named(const char *name, uint8_t *kind)
{
	for (uint8_t k = 0; name && k < WCP_CMD_COUNT; k++)
		if (!strcmp(name, kinds[k])) {
			*kind = k;
			return true;
		}
	return false;
}

bool
check_parse(const char *line, struct wcp_dram_command *c)
{
	char copy[256], *at = copy;
	uint64_t channel, place[4];
	snprintf(copy, sizeof copy, "%s", line);
	copy[strcspn(copy, "\r\n")] = 0;
	*c = (struct wcp_dram_command){.kind = WCP_CMD_COUNT};
	if (!number(&at, &c->cycle) || !at)
		return false;
	bool kind_first = *at < '0' || *at > '9';
	if (kind_first && !kind_named(next_field(&at), &c->kind))
		return false;
	if (!number(&at, &channel) || (!kind_first && !kind_named(next_field(&at), &c->kind)))
		return false;
	for (int i = 0; i < 4; i++)
		if (!number(&at, &place[i]) || place[i] > UINT32_MAX)
			return false;
	c->channel = (uint32_t)channel;
	c->rank = (uint32_t)place[0];
	c->bank = (uint32_t)place[1];
	c->row = (uint32_t)place[2];
	c->column = (uint32_t)place[3];
	return number(&at, &c->handle) && !at && channel <= UINT32_MAX;
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

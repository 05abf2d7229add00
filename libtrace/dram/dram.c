/* A model: its configuration and its channels. */
#include <stdlib.h>
#include <string.h>
#include "dram/dram.h"

static int
fill(struct wcp_dram *d, const struct wcp_dram_config *config, struct wcp_error *e)
{
	int status;
	d->config = *config;
	if ((status = dram_check_organisation(&d->config.organisation, e)) ||
	    (status = dram_derive(&d->config, &d->gaps, e)) ||
	    (status = dram_check_controller(&d->config.controller, e)) ||
	    (status = dram_mapping_init(&d->mapping, &d->config, e)))
		return status;
	d->scheduler = dram_scheduler_named(config->controller.scheduler);
	d->mapping_text = strdup(config->mapping);
	d->scheduler_text = strdup(config->controller.scheduler);
	if (!d->mapping_text || !d->scheduler_text)
		return wcp_fail(e, WCP_ESYS, "no memory for a DRAM model");
	d->config.mapping = d->mapping_text;
	d->config.controller.scheduler = d->scheduler_text;
	return 0;
}

static int
make_union(struct wcp_dram *d)
{
	if (d->n_channel < 2)
		return 0;
	d->all = calloc(1, sizeof *d->all);
	return d->all ? dram_union_init(d->all, d->n_channel) : -1;
}

static int
make_channels(struct wcp_dram *d, struct wcp_error *e)
{
	uint32_t n = d->config.organisation.channels * d->config.organisation.pseudo_channels;
	d->channel = calloc(n, sizeof *d->channel);
	d->n_channel = d->channel ? n : 0;
	int status = d->channel ? make_union(d) : -1;
	for (uint32_t i = 0; i < n && !status; i++)
		status = dram_channel_init(&d->channel[i], d, i);
	return status ? wcp_fail(e, WCP_ESYS, "no memory for %u channels", n) : 0;
}

struct wcp_dram *
wcp_dram_new(const struct wcp_dram_config *config, struct wcp_error *e)
{
	struct wcp_dram *d = calloc(1, sizeof *d);
	if (!d) {
		wcp_fail(e, WCP_ESYS, "no memory for a DRAM model");
		return NULL;
	}
	if (fill(d, config, e) || make_channels(d, e)) {
		wcp_dram_free(d);
		return NULL;
	}
	return d;
}

void
wcp_dram_free(struct wcp_dram *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->n_channel; i++)
		dram_channel_release(&d->channel[i]);
	free(d->channel);
	if (d->all)
		dram_union_release(d->all);
	free(d->all);
	dram_mapping_release(&d->mapping);
	free(d->mapping_text);
	free(d->scheduler_text);
	free(d);
}

const struct wcp_dram_config *
wcp_dram_config(const struct wcp_dram *d)
{
	return &d->config;
}

uint64_t
wcp_dram_capacity(const struct wcp_dram *d)
{
	return d->mapping.capacity;
}

uint32_t
wcp_dram_channels(const struct wcp_dram *d)
{
	return d->n_channel;
}

uint32_t
wcp_dram_atom_bytes(const struct wcp_dram *d)
{
	return 1u << d->mapping.atom_shift;
}

void
wcp_dram_on_command(
    struct wcp_dram *d, void (*log)(void *arg, const struct wcp_dram_command *c), void *arg)
{
	d->log = log;
	d->log_arg = arg;
}

int
wcp_dram_locate(const struct wcp_dram *d, const uint64_t *address, size_t n,
    struct wcp_dram_place *place, size_t *which)
{
	bool wraps = d->config.beyond == WCP_BEYOND_WRAP;
	uint64_t capacity = d->mapping.capacity;
	struct mapping_chunk c;
	for (size_t at = 0; at < n; at += MAPPING_CHUNK) {
		uint32_t k = n - at < MAPPING_CHUNK ? (uint32_t)(n - at) : MAPPING_CHUNK;
		for (uint32_t i = 0; i < k; i++) {
			uint64_t a = address[at + i];
			c.address[i] = a < capacity ? a : a % capacity;
			if (a < capacity || wraps)
				continue;
			if (which)
				*which = at + i;
			return WCP_EDATA;
		}
		dram_mapping_places(&d->mapping, &c, k, place + at);
	}
	return 0;
}

uint64_t
wcp_dram_address(const struct wcp_dram *d, const struct wcp_dram_place *place)
{
	return dram_mapping_address(&d->mapping, place);
}

uint32_t
wcp_dram_run(const struct wcp_dram *d, uint64_t address, uint32_t max)
{
	uint32_t atoms = 1u << d->mapping.run_bits;
	uint32_t left = atoms - ((uint32_t)(address >> d->mapping.atom_shift) & (atoms - 1));
	return left < max ? left : max;
}

/*
 * Memories of any sizes, timings and mappings: numbers first, then the mapping's text. What is
 * taken has a place for every address and no place twice, and serves what is asked of it.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/dram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

/* A byte: small numbers mostly, powers of two and huge ones too. */
static uint32_t
number(struct input *in)
{
	if (!in->size)
		return 1;
	uint8_t b = *in->data++;
	in->size--;
	if (b < 128)
		return b;
	return b < 160 ? 1u << (b - 128) : b < 192 ? (1u << (b - 160)) - 1 : (b - 191u) * 100;
}

static struct wcp_dram_config
config(struct input *in)
{
	static const char *const scheduler[] = {"fcfs", "frfcfs", "parbs", "tcm"};
	struct wcp_dram_config c = {0};
	uint32_t *field = (uint32_t *)&c.organisation;
	for (size_t i = 0; i < sizeof c.organisation / sizeof *field; i++)
		field[i] = number(in);
	field = (uint32_t *)((char *)&c.timing + offsetof(struct wcp_dram_timing, t_cl));
	size_t bytes =
	    offsetof(struct wcp_dram_timing, t_rrefd) - offsetof(struct wcp_dram_timing, t_cl);
	for (size_t i = 0; i <= bytes / sizeof *field; i++)
		field[i] = number(in) % 4096; /* longer ones are no other, but slow */
	c.timing.t_ck_ns = number(in) / 7.0;
	c.timing.refresh = (enum wcp_dram_refresh)(number(in) % 3);
	c.timing.dual_command = number(in) & 1;
	c.bank_hash = (enum wcp_dram_hash)(number(in) % 3);
	c.beyond = (enum wcp_dram_beyond)(number(in) & 1);
	c.controller = (struct wcp_dram_controller){.read_queue = number(in),
	    .write_queue = number(in),
	    .write_high = number(in),
	    .write_low = number(in),
	    .page = (enum wcp_dram_page)(number(in) % 3),
	    .page_timeout_ck = number(in),
	    .scheduler = scheduler[number(in) % 4],
	    .frfcfs_cap = number(in),
	    .parbs_cap = number(in),
	    .tcm_quantum_ck = number(in) | 64,
	    .tcm_shuffle_ck = number(in) | 16,
	    .tcm_cluster = number(in) / 100.0,
	    .requesters = number(in),
	    .frees_at_act = number(in) & 1};
	return c;
}

static bool
outside(const struct wcp_dram_config *c, const struct wcp_dram_place *p)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	return p->channel >= o->channels * o->pseudo_channels || p->rank >= o->ranks ||
	       p->bank >= o->banks || p->row >= o->rows ||
	       p->column >= o->row_bytes / (o->burst_length * o->bus_bits / 8);
}

static void
places(const struct wcp_dram *d, const struct wcp_dram_config *c)
{
	uint64_t capacity = wcp_dram_capacity(d), atom = wcp_dram_atom_bytes(d),
		 x = 88172645463325252u;
	struct wcp_dram_place p[2];
	for (int i = 0; i < 50; i++) {
		uint64_t a[2];
		for (int k = 0; k < 2; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			a[k] = (x >> x % 60) % capacity;
		}
		if (wcp_dram_locate(d, a, 2, p, NULL) < 0 || outside(c, &p[0]) || outside(c, &p[1]))
			abort();
		if (a[0] / atom != a[1] / atom && !memcmp(&p[0], &p[1], sizeof p[0]))
			abort();
		uint32_t run = wcp_dram_run(d, a[0], 9);
		if (run < 1 || run > 9)
			abort();
	}
	uint64_t past = capacity + x % atom;
	size_t which;
	int status = past < capacity ? 0 : wcp_dram_locate(d, &past, 1, p, &which);
	if (past >= capacity && (status < 0) != (c->beyond == WCP_BEYOND_FAIL))
		abort();
}

static void
play(struct wcp_dram *d, const struct wcp_dram_config *c)
{
	uint32_t requesters = c->controller.requesters ? c->controller.requesters : 1;
	uint64_t atom = wcp_dram_atom_bytes(d), pushed = 0, served = 0, now = 0;
	for (uint32_t i = 0; i < 40; i++) {
		struct wcp_dram_request r = {
		    .handle = i, .requester = i % requesters, .bursts = 1, .write = i % 3 == 0};
		uint64_t address = i * (i % 5 ? atom : atom * 1021) % wcp_dram_capacity(d);
		if (wcp_dram_locate(d, &address, 1, &r.place, NULL) < 0)
			abort();
		r.place.channel = 0;
		now = wcp_dram_advance_to_room(d, 0, r.write, UINT64_MAX);
		r.arrival = now + i % 7;
		pushed++;
		if (!wcp_dram_push(d, &r))
			abort();
	}
	wcp_dram_drain(d, 0);
	struct wcp_dram_served done[7];
	for (size_t n; (n = wcp_dram_done(d, 0, done, 7, false));)
		served += n;
	if (served != pushed || wcp_dram_next(d, 0) != UINT64_MAX)
		abort();
}

/* Refreshes as often as they may come, where none are given. */
static void
hurry(struct wcp_dram_config *c)
{
	uint32_t low = 0, high = 1 << 20;
	struct wcp_error e;
	while (low + 1 < high) {
		c->timing.t_refi = low + (high - low) / 2;
		struct wcp_dram *d = wcp_dram_new(c, &e);
		*(d ? &high : &low) = c->timing.t_refi;
		wcp_dram_free(d);
	}
	c->timing.t_refi = high;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct wcp_error e = {0};
	struct wcp_dram_config c = config(&in);
	char *text = malloc(in.size + 1);
	if (!text)
		return 0;
	memcpy(text, in.data, in.size);
	text[in.size] = 0;
	c.mapping = in.size ? text : "page";
	/* memory for each is no mistake, but slow */
	uint64_t banks = (uint64_t)c.organisation.channels * c.organisation.pseudo_channels *
			 c.organisation.ranks * c.organisation.banks;
	if (banks > 1 << 13 || c.controller.requesters > 64) {
		free(text);
		return 0;
	}
	if (!c.timing.t_refi && c.timing.refresh != WCP_REFRESH_NONE && banks <= 256)
		hurry(&c);
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (d) {
		places(d, wcp_dram_config(d));
		play(d, wcp_dram_config(d));
	}
	wcp_dram_free(d);
	free(text);
	return 0;
}

#include "traffic.h"

uint64_t
traffic_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint32_t
traffic_below(uint64_t *state, uint32_t n)
{
	return n ? (uint32_t)((traffic_random(state) >> 32) * n >> 32) : 0;
}

uint32_t
traffic_range(uint64_t *state, uint32_t low, uint32_t high)
{
	return low + traffic_below(state, high - low + 1);
}

static bool
once_in(uint64_t *s, uint32_t n)
{
	return !traffic_below(s, n);
}

static uint32_t
power(uint64_t *s, unsigned low, unsigned high)
{
	return 1u << traffic_range(s, low, high);
}

static struct wcp_dram_organisation
organisation(uint64_t *s)
{
	struct wcp_dram_organisation o = {.channels = traffic_range(s, 1, 3),
	    .pseudo_channels = power(s, 0, 1),
	    .ranks = power(s, 0, 2),
	    .banks = power(s, 0, 4),
	    .rows = power(s, 1, 14),
	    .bus_bits = power(s, 3, 7),
	    .burst_length = power(s, 0, 4),
	    .rate = power(s, 0, 2)};
	o.bank_groups = power(s, 0, 2);
	if (o.bank_groups > o.banks)
		o.bank_groups = o.banks;
	o.row_bytes = o.burst_length * o.bus_bits / 8 * power(s, 1, 6);
	return o;
}

/* 0 now and then: no constraint, or the default. */
static uint32_t
or_0(uint64_t *s, uint32_t value)
{
	return once_in(s, 4) ? 0 : value;
}

static void
columns(uint64_t *s, struct wcp_dram_timing *t, uint32_t scale, uint32_t burst)
{
	t->t_cl = traffic_range(s, 1, 2 * scale);
	t->t_cwl = traffic_range(s, 1, 2 * scale);
	t->t_ccd_s = or_0(s, traffic_range(s, 1, burst + 2));
	t->t_ccd_l = or_0(s, traffic_range(s, t->t_ccd_s > burst ? t->t_ccd_s : burst, burst + 4));
	t->t_wtr_s = traffic_below(s, scale);
	t->t_wtr_l = or_0(s, t->t_wtr_s + traffic_below(s, scale));
	if (once_in(s, 3))
		t->t_rtw = (t->t_cl + burst > t->t_cwl ? t->t_cl + burst - t->t_cwl : 1) +
			   traffic_below(s, 4);
	t->t_rtrs = traffic_below(s, 4);
}

static void
rows(uint64_t *s, struct wcp_dram_timing *t, uint32_t scale)
{
	t->t_rcd = traffic_range(s, 1, 2 * scale);
	t->t_rcdwr = or_0(s, traffic_range(s, 1, 2 * scale));
	t->t_rp = traffic_range(s, 1, 2 * scale);
	t->t_ras = traffic_range(s, 1, 4 * scale);
	t->t_rc = or_0(s, t->t_ras + t->t_rp + traffic_below(s, scale));
	t->t_rrd_s = traffic_below(s, scale);
	t->t_rrd_l = or_0(s, t->t_rrd_s + traffic_below(s, scale));
	t->t_faw = or_0(s, 4 * t->t_rrd_s + traffic_below(s, 2 * scale));
	t->t_rtp = traffic_below(s, scale);
	t->t_wr = traffic_below(s, scale);
	t->t_ppd = or_0(s, traffic_below(s, 5));
}

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The shortest interval that leaves time to use a row: dram.h's formula, rfc and bus as the kind of
 * refresh has them. */
static uint32_t
least_interval(const struct wcp_dram_timing *t, uint32_t burst, uint32_t rfc, uint32_t bus)
{
	uint32_t closed = t->t_cwl + burst + t->t_wr;
	closed = larger(closed, larger(t->t_ras, larger(t->t_rtp, t->t_ppd))) + t->t_rp + rfc;
	uint32_t again = larger(larger(t->t_rc, t->t_faw), larger(t->t_rrd_s, t->t_rrd_l));
	return larger(closed, again) + larger(t->t_rcd, t->t_rcdwr) + bus;
}

/* Now and then as often as can be. */
static void
refreshes(
    uint64_t *s, struct wcp_dram_timing *t, uint32_t scale, const struct wcp_dram_organisation *o)
{
	t->refresh = (enum wcp_dram_refresh)traffic_below(s, 3);
	if (t->refresh == WCP_REFRESH_NONE)
		return;
	t->t_rrefd = or_0(s, traffic_range(s, 1, scale));
	t->t_rfc = traffic_range(s, 1, 10 * scale);
	t->t_rfc_pb = traffic_range(s, scale, 5 * scale);
	uint32_t row = t->t_ras + t->t_rp + t->t_rcd + 20 * scale;
	uint32_t burst = (o->burst_length + o->rate - 1) / o->rate;
	uint32_t rrefd = t->t_rrefd ? t->t_rrefd : larger(t->t_rrd_s, t->t_rrd_l);
	bool all = t->refresh == WCP_REFRESH_ALL_BANK;
	uint32_t bus =
	    all ? o->ranks * (o->banks + 2) : o->banks * (larger(rrefd, t->t_ppd) + 3 * o->ranks);
	uint32_t least = least_interval(t, burst, all ? t->t_rfc : t->t_rfc_pb, bus);
	t->t_refi = all ? traffic_range(s, 2, 20) * (t->t_rfc + row)
			: traffic_range(s, 2, 6) * (t->t_rfc_pb + row) * o->banks;
	t->t_refi += traffic_below(s, 10);
	if (once_in(s, 3) || t->t_refi < least)
		t->t_refi = least + traffic_below(s, 3);
}

void
traffic_controller(uint64_t *s, struct wcp_dram_config *c, const char *scheduler)
{
	struct wcp_dram_controller *k = &c->controller;
	*k = (struct wcp_dram_controller){.read_queue = traffic_range(s, 1, 40),
	    .scheduler = scheduler,
	    .page = (enum wcp_dram_page)traffic_below(s, 3),
	    .page_timeout_ck = traffic_below(s, 60),
	    .frfcfs_cap = or_0(s, traffic_range(s, 1, 8)),
	    .parbs_cap = traffic_range(s, 1, 6),
	    .tcm_quantum_ck = traffic_range(s, 50, 3000),
	    .tcm_cluster = traffic_below(s, 11) / 10.0,
	    .requesters = traffic_range(s, 1, 12),
	    .seed = traffic_random(s)};
	k->frees_at_act = k->seed % 3 == 0;
	k->tcm_shuffle_ck = traffic_range(s, 1, k->tcm_quantum_ck);
	if (once_in(s, 3))
		return;
	k->write_queue = traffic_range(s, 1, 40);
	k->write_high = traffic_range(s, 1, k->write_queue);
	k->write_low = traffic_below(s, k->write_high);
}

struct wcp_dram_config
traffic_config(uint64_t seed, const char *scheduler)
{
	uint64_t s = seed * 2 + 1;
	struct wcp_dram_config c = {
	    .organisation = organisation(&s), .mapping = "page", .beyond = WCP_BEYOND_WRAP};
	uint32_t burst =
	    (c.organisation.burst_length + c.organisation.rate - 1) / c.organisation.rate;
	uint32_t scale = traffic_range(&s, 2, 12);
	c.timing.t_ck_ns = 1;
	c.timing.dual_command = once_in(&s, 3);
	columns(&s, &c.timing, scale, burst);
	rows(&s, &c.timing, scale);
	refreshes(&s, &c.timing, scale, &c.organisation);
	traffic_controller(&s, &c, scheduler);
	return c;
}

/* ---- requests ------------------------------------------------------------------------------- */

struct traffic
traffic_new(const struct wcp_dram_config *c, uint64_t seed)
{
	uint64_t s = seed * 2;
	struct traffic t = {.c = c,
	    .kind = (enum traffic_kind)traffic_below(&s, TRAFFIC_COUNT),
	    .channels = c->organisation.channels * c->organisation.pseudo_channels,
	    .writes = traffic_below(&s, 4) * 25 + traffic_below(&s, 26),
	    .gap = once_in(&s, 6) ? 600 : traffic_below(&s, 30),
	    .burst = once_in(&s, 3) ? traffic_range(&s, 2, 64) : 1,
	    .longest = once_in(&s, 2) ? 1 : traffic_range(&s, 1, 5)};
	t.state = s;
	return t;
}

static void
split(const struct wcp_dram_organisation *o, struct wcp_dram_place *p, uint64_t bank)
{
	p->bank = (uint32_t)(bank % o->banks);
	p->rank = (uint32_t)(bank / o->banks % o->ranks);
}

static struct wcp_dram_place
place(struct traffic *t, uint32_t requester, uint32_t atoms)
{
	const struct wcp_dram_organisation *o = &t->c->organisation;
	uint64_t *s = &t->state, i = t->count;
	struct wcp_dram_place p = {.channel = traffic_below(s, t->channels),
	    .rank = traffic_below(s, o->ranks),
	    .bank = traffic_below(s, o->banks),
	    .row = traffic_below(s, o->rows),
	    .column = traffic_below(s, atoms)};
	switch (t->kind) {
	case TRAFFIC_SEQUENTIAL:
		p.channel = (uint32_t)(i % t->channels);
		p.column = (uint32_t)(i / t->channels % atoms);
		split(o, &p, i / t->channels / atoms);
		p.row = (uint32_t)(i / 4096 % o->rows);
		break;
	case TRAFFIC_CONFLICT: p.rank = p.bank = 0; break;
	case TRAFFIC_FEW_ROWS:
		split(o, &p, traffic_below(s, 3));
		p.row = traffic_below(s, 2);
		break;
	case TRAFFIC_OWN_BANKS:
		split(o, &p, requester);
		p.row = requester % o->rows;
		break;
	case TRAFFIC_RANKS:
		p.rank = (uint32_t)(i % o->ranks);
		p.row = 0;
		break;
	case TRAFFIC_RANDOM:
	case TRAFFIC_COUNT: break;
	}
	return p;
}

struct wcp_dram_request
traffic_next(struct traffic *t)
{
	const struct wcp_dram_organisation *o = &t->c->organisation;
	uint32_t atoms = o->row_bytes / (o->burst_length * o->bus_bits / 8);
	uint64_t *s = &t->state;
	if (t->left)
		t->left--;
	else if (t->gap) {
		t->now += traffic_below(s, t->gap + 1) * t->burst;
		t->left = t->burst - 1;
	}
	struct wcp_dram_request r = {.arrival = t->now,
	    .handle = t->count,
	    .requester = traffic_below(s, t->c->controller.requesters),
	    .write = traffic_below(s, 100) < t->writes};
	r.place = place(t, r.requester, atoms);
	uint32_t room = atoms - r.place.column;
	r.bursts = (uint16_t)traffic_range(s, 1, t->longest < room ? t->longest : room);
	t->count++;
	return r;
}

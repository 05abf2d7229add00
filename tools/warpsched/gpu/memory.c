#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>
#include "warpcap/exec.h"

/* ---- queues --------------------------------------------------------------------------------- */

static uint32_t
pool_new(struct memory *m, struct slice *s)
{
	if (s->free == NONE) {
		uint32_t cap = s->cap ? 2 * s->cap : 128;
		struct piece_request *grown = realloc(s->pool, cap * sizeof *grown);
		if (!grown) {
			m->failed = true;
			return NONE;
		}
		s->pool = grown;
		for (uint32_t i = s->cap; i < cap; i++)
			grown[i].next = i + 1 < cap ? i + 1 : NONE;
		s->free = s->cap;
		s->cap = cap;
	}
	uint32_t n = s->free;
	s->free = s->pool[n].next;
	return n;
}

static void
pool_free(struct slice *s, uint32_t n)
{
	s->pool[n].next = s->free;
	s->free = n;
}

static void
push(struct slice *s, struct queue *q, uint32_t n)
{
	s->pool[n].next = NONE;
	if (q->n++)
		s->pool[q->last].next = n;
	else
		q->first = n;
	q->last = n;
}

static uint32_t
shift(struct slice *s, struct queue *q)
{
	uint32_t n = q->first;
	q->first = s->pool[n].next;
	q->n--;
	return n;
}

/* ---- addresses ------------------------------------------------------------------------------ */

uint32_t
memory_pieces(const struct memory *m, uint32_t sectors)
{
	static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
	return m->set->memory.request_bytes < WCP_LINE_BYTES ? bits[sectors & 15] : 1;
}

/* Bits of the bank's number from the lowest address bit up. The lowest ones tell a channel's slices
 * apart; the others order the rows within a slice. */
static void
find_bank_order(struct memory *m)
{
	uint32_t n = 0, banks = m->set->dram.organisation.banks, seen = 0;
	uint64_t zero = 0;
	struct wcp_dram_place first, at;
	wcp_dram_locate(m->dram, &zero, 1, &first, NULL);
	for (uint32_t b = 0; b < 48; b++) {
		for (uint32_t k = 0; k < 2; k++) {
			uint64_t a = (1ull << b) * (k ? m->n_channel : 1);
			if (wcp_dram_locate(m->dram, &a, 1, &at, NULL))
				continue;
			uint32_t changed = at.bank ^ first.bank;
			bool alone = at.channel == first.channel && at.row == first.row &&
				     at.rank == first.rank && at.column == first.column;
			if (!alone || !changed || changed & (changed - 1) || changed & seen)
				continue;
			seen |= changed;
			m->bank_bit[n++] = (uint8_t)__builtin_ctz(changed);
		}
	}
	for (uint32_t b = 0; 1u << b < banks; b++) {
		if (!(seen >> b & 1))
			m->bank_bit[n++] = (uint8_t)b;
	}
	m->bank_bits = n;
}

static uint32_t
bank_to_order(const struct memory *m, uint32_t bank)
{
	uint32_t order = 0;
	for (uint32_t i = 0; i < m->bank_bits; i++)
		order |= (bank >> m->bank_bit[i] & 1) << i;
	return order;
}

static uint32_t
bank_from_order(const struct memory *m, uint32_t order)
{
	uint32_t bank = 0;
	for (uint32_t i = 0; i < m->bank_bits; i++)
		bank |= (order >> i & 1) << m->bank_bit[i];
	return bank;
}

/* Addresses past the capacity wrap around in DRAM, but are lines of their own in L2. */
static uint64_t
rows_a_bank(const struct memory *m)
{
	const struct wcp_dram_organisation *o = &m->set->dram.organisation;
	return (uint64_t)o->rows * o->ranks;
}

/* Of a slice: its banks' rows one after the other, so that it is dense and keeps lines together. */
uint32_t
memory_place(const struct memory *m, uint64_t address, uint64_t *line)
{
	const struct wcp_dram_organisation *o = &m->set->dram.organisation;
	uint32_t slices = m->set->slices, atom = wcp_dram_atom_bytes(m->dram);
	uint64_t capacity = wcp_dram_capacity(m->dram), round = 0;
	struct wcp_dram_place place;
	/* Device memory begins where DRAM does. */
	address -= address >= WCP_DEVICE_BASE ? WCP_DEVICE_BASE : 0;
	if (address >= capacity) {
		round = address / capacity;
		address %= capacity;
	}
	wcp_dram_locate(m->dram, &address, 1, &place, NULL);
	uint32_t bank = bank_to_order(m, place.bank);
	uint64_t row = round * rows_a_bank(m) + (uint64_t)place.row * o->ranks + place.rank;
	row = row * (o->banks / slices) + bank / slices;
	*line = row * o->row_bytes + (uint64_t)place.column * atom + address % atom;
	return place.channel * slices + bank % slices;
}

static struct wcp_dram_place
place_of(const struct memory *m, const struct slice *s, uint64_t line)
{
	const struct wcp_dram_organisation *o = &m->set->dram.organisation;
	uint32_t slices = m->set->slices, banks = o->banks / slices;
	uint64_t row = line / o->row_bytes;
	return (struct wcp_dram_place){
	    .channel = s->number / slices,
	    .rank = (uint32_t)(row / banks % o->ranks),
	    .bank = bank_from_order(m, (uint32_t)(row % banks) * slices + s->number % slices),
	    .row = (uint32_t)(row / banks / o->ranks % o->rows),
	    .column = (uint32_t)(line % o->row_bytes) / wcp_dram_atom_bytes(m->dram),
	};
}

uint64_t
memory_address(const struct memory *m, const struct slice *s, uint64_t line)
{
	const struct wcp_dram_organisation *o = &m->set->dram.organisation;
	struct wcp_dram_place place = place_of(m, s, line);
	uint64_t round = line / o->row_bytes / (o->banks / m->set->slices) / rows_a_bank(m);
	uint64_t address = wcp_dram_address(m->dram, &place) + round * wcp_dram_capacity(m->dram) +
			   line % wcp_dram_atom_bytes(m->dram);
	/* Instructions lie below device memory and behind all that DRAM could hold. */
	bool code = address >= MEMORY_CODE_BASE && address < 2 * MEMORY_CODE_BASE;
	return address + (code ? 0 : WCP_DEVICE_BASE);
}

/* ---- from the network to L2 ----------------------------------------------------------------- */

static void
enter(struct memory *m, struct slice *s, const struct packet *p, uint32_t sectors, uint64_t now)
{
	uint32_t n = pool_new(m, s);
	if (n == NONE)
		return;
	s->pool[n] = (struct piece_request){
	    .line = p->line,
	    .ready = now + m->set->l2.hit_ck,
	    .taken = (uint32_t)now,
	    .sectors = sectors,
	    .handle = p->handle,
	    .sm = p->from,
	    .type = p->type,
	    .kind = p->kind,
	    .cache = p->cache,
	};
	push(s, &s->delay, n);
}

static void
take_packet(struct memory *m, struct slice *s, uint64_t now)
{
	struct packet p;
	bool ready = s->delay.n < m->set->memory.in_queue + m->set->l2.hit_ck;
	if (!receiver_cycle(&s->in, now, ready, &p))
		return;
	gpu_request_taken(m->gpu, s->number, now, &p);
	if (memory_pieces(m, p.sectors) == 1) {
		enter(m, s, &p, p.sectors, now);
		return;
	}
	for (uint32_t b = p.sectors; b; b &= b - 1)
		enter(m, s, &p, b & -b, now);
}

/* ---- L2 ------------------------------------------------------------------------------------- */

static bool
wants_reply(const struct piece_request *r)
{
	return r->handle != NONE;
}

static void
answered(struct slice *s, uint32_t n, uint64_t now)
{
	s->pool[n].done = (uint32_t)now;
	if (wants_reply(&s->pool[n]))
		push(s, &s->reply, n);
	else
		pool_free(s, n);
}

static void
look_up(struct memory *m, struct slice *s, uint64_t now)
{
	if (!s->delay.n || s->pool[s->delay.first].ready > now ||
	    s->reply.n >= m->set->memory.out_queue)
		return;
	uint32_t n = s->delay.first;
	struct piece_request *r = &s->pool[n];
	struct wcp_nb_result result;
	struct wcp_nb_access a = {
	    .line = r->line,
	    .cycle = now,
	    .handle = n,
	    .owner = r->sm,
	    .sectors = r->sectors,
	    .kind = r->type == PACKET_WRITE ? WCP_STORE : r->kind,
	    .space = WCP_SPACE_GLOBAL,
	    .again = r->again,
	};
	int fail = wcp_nbcache_access(s->l2, &a, &result);
	if (fail) {
		m->failed |= fail < 0;
		r->again = true;
		return;
	}
	shift(s, &s->delay);
	r->outcome = result.outcome;
	r->looked = (uint32_t)now;
	tap_l2(m->gpu->tap, s, r, &result, now);
	if (!(result.bits & WCP_NB_WAITS))
		answered(s, n, now);
}

static void
fill(struct memory *m, struct slice *s, uint64_t now)
{
	uint32_t n = s->returned.first;
	const struct piece_request *r = &s->pool[n];
	int refused = wcp_nbcache_fill(s->l2, r->line, r->fetched, now, NULL, NULL);
	m->failed |= refused == WCP_ESYS;
	m->astray |= refused == WCP_EUSAGE;
	if (refused)
		return;
	shift(s, &s->returned);
	pool_free(s, n);
}

static void
collect(struct slice *s, uint64_t now)
{
	uint32_t handle[32], n;
	while ((n = wcp_nbcache_answers(s->l2, handle, 32))) {
		for (uint32_t i = 0; i < n; i++)
			answered(s, handle[i], now);
	}
}

static void
reply(struct memory *m, struct slice *s, uint64_t now)
{
	const struct wcp_icnt_config *net = &m->set->icnt;
	struct packet p;
	if (s->reply.n) {
		const struct piece_request *r = &s->pool[s->reply.first];
		uint32_t bytes = r->type == PACKET_WRITE ? 0 : m->set->memory.request_bytes;
		p = (struct packet){
		    .at = {.taken = r->taken, .looked = r->looked},
		    .answered = r->done,
		    .handle = r->handle,
		    .node = r->sm,
		    .flits = net_flits(net, bytes),
		    .type = r->type == PACKET_WRITE ? PACKET_ACK : PACKET_DATA,
		    .cache = r->cache,
		};
		if (sender_room(&s->out, p.flits, net->inject_flits)) {
			sender_put(&s->out, &p);
			s->flits += p.flits;
			pool_free(s, shift(s, &s->reply));
		}
	}
	if (sender_cycle(&s->out, now, &p))
		gpu_send_reply(m->gpu, s->number, now, &p);
}

/* ---- DRAM ----------------------------------------------------------------------------------- */

static uint64_t
dram_cycle(const struct memory *m, uint64_t now)
{
	return (uint64_t)((double)now * m->dram_clock);
}

/* Sectors of 32 bytes that L2's own sectors, or its whole lines, are made of. */
static uint32_t
in_sectors(const struct memory *m, uint32_t of_l2)
{
	const struct wcp_nb_options *o = &m->set->l2.cache;
	uint32_t bytes = o->sector_bytes ? o->sector_bytes : o->index.line_bytes;
	uint32_t each = bytes / WCP_SECTOR_BYTES, sectors = 0;
	if (each <= 1)
		return of_l2;
	for (; of_l2; of_l2 &= of_l2 - 1)
		sectors |= ((1u << each) - 1) << ((uint32_t)__builtin_ctz(of_l2) * each);
	return sectors;
}

static void
miss(struct memory *m, struct slice *s, uint64_t now)
{
	struct wcp_nb_message msg;
	if (s->to_dram.n >= m->set->memory.dram_queue || !wcp_nbcache_pop(s->l2, &msg))
		return;
	uint32_t n = pool_new(m, s);
	if (n == NONE)
		return;
	bool own = msg.type == WCP_NB_FETCH; /* of a request that waits */
	s->pool[n] = (struct piece_request){
	    .line = msg.line,
	    .handle = own ? s->pool[msg.handle].handle : WCP_NONE32,
	    .sm = own ? s->pool[msg.handle].sm : 0,
	    .outcome = own ? s->pool[msg.handle].outcome : 0,
	    .ready = now + m->set->memory.dram_ck,
	    .sectors = in_sectors(m, msg.sectors),
	    .fetched = msg.sectors,
	    .kind = msg.kind,
	    .type = msg.type == WCP_NB_FETCH ? PACKET_READ : PACKET_WRITE,
	};
	push(s, &s->to_dram, n);
}

/* Atoms that the sectors of a line lie in. */
static uint32_t
bursts(const struct memory *m, uint64_t line, uint32_t sectors, uint64_t *first)
{
	uint32_t atom = wcp_dram_atom_bytes(m->dram);
	uint32_t low = (uint32_t)__builtin_ctz(sectors) * WCP_SECTOR_BYTES;
	uint32_t high = (32 - (uint32_t)__builtin_clz(sectors)) * WCP_SECTOR_BYTES;
	*first = line + low / atom * atom;
	return (high + atom - 1) / atom - low / atom;
}

static bool
push_dram(struct memory *m, struct slice *s, uint64_t now)
{
	if (!s->to_dram.n || s->pool[s->to_dram.first].ready > now)
		return false;
	uint32_t n = s->to_dram.first;
	struct piece_request *r = &s->pool[n];
	uint64_t first;
	struct wcp_dram_request q = {
	    .bursts = (uint16_t)bursts(m, r->line, r->sectors, &first),
	    .arrival = dram_cycle(m, now),
	    .handle = (uint64_t)s->number << 32 | n,
	    .write = r->type == PACKET_WRITE,
	};
	q.place = place_of(m, s, first);
	if (!wcp_dram_push(m->dram, &q))
		return false;
	tap_dram(m->gpu->tap, s, r, now);
	shift(s, &s->to_dram);
	return true;
}

/* Requests that the controller has served go back to their slices. */
static void
take_served(struct memory *m, struct channel *c, uint64_t now)
{
	struct wcp_dram_served done[8];
	size_t n;
	wcp_dram_advance(m->dram, c->number, dram_cycle(m, now));
	while ((n = wcp_dram_done(m->dram, c->number, done, 8, false))) {
		for (size_t i = 0; i < n; i++) {
			struct slice *s = &m->slice[done[i].handle >> 32];
			uint32_t r = (uint32_t)done[i].handle;
			c->in_dram--;
			if (done[i].write) {
				pool_free(s, r);
			} else {
				push(s, &s->returned, r);
				s->wake = now + 1;
			}
		}
	}
}

/* One request a cycle enters the controller; the slices take turns. */
static void
dram(struct memory *m, struct channel *c, uint64_t now)
{
	uint32_t slices = m->set->slices;
	if (c->in_dram)
		take_served(m, c, now);
	for (uint32_t i = 0, s = c->turn; i < slices; i++) {
		struct slice *from = &c->slice[s];
		s = s + 1 < slices ? s + 1 : 0;
		if (push_dram(m, from, now)) {
			c->turn = s;
			c->in_dram++;
			break;
		}
	}
}

/* ---- a channel ------------------------------------------------------------------------------ */

/* The first cycle from now on in which a slice has something to do; what comes from the network
 * or from DRAM says so itself. */
static uint64_t
slice_wake(const struct slice *s, uint64_t now)
{
	if (s->reply.n || s->returned.n || s->out.n || wcp_nbcache_queued(s->l2) ||
	    wcp_nbcache_answerable(s->l2))
		return now;
	uint64_t wake = way_next(&s->in.way);
	if (s->delay.n && s->pool[s->delay.first].ready < wake)
		wake = s->pool[s->delay.first].ready;
	return wake < now ? now : wake;
}

static void
play_slice(struct memory *m, struct slice *s, uint64_t now)
{
	if (s->reply.n || s->out.n)
		reply(m, s, now);
	if (wcp_nbcache_answerable(s->l2))
		collect(s, now);
	if (s->returned.n)
		fill(m, s, now);
	look_up(m, s, now);
	if (wcp_nbcache_queued(s->l2))
		miss(m, s, now);
	take_packet(m, s, now);
	s->wake = slice_wake(s, now + 1);
}

static void
play(struct memory *m, struct channel *c, uint64_t now)
{
	for (uint32_t i = 0; i < m->set->slices; i++) {
		if (c->slice[i].wake <= now)
			play_slice(m, &c->slice[i], now);
	}
	dram(m, c, now);
}

static uint64_t
next_cycle(const struct memory *m, const struct channel *c, uint64_t now)
{
	uint64_t wake = UINT64_MAX;
	for (uint32_t i = 0; i < m->set->slices; i++) {
		const struct slice *s = &c->slice[i];
		wake = s->wake < wake ? s->wake : wake;
		if (s->to_dram.n && s->pool[s->to_dram.first].ready < wake)
			wake = s->pool[s->to_dram.first].ready;
	}
	if (wake > now && c->in_dram) {
		uint64_t next = wcp_dram_next(m->dram, c->number);
		uint64_t core = (uint64_t)((double)next * 1.0 / m->dram_clock);
		wake = core < wake ? core : wake;
	}
	return wake < now ? now : wake;
}

void
memory_run(struct memory *m, uint32_t channel, uint64_t until)
{
	struct channel *c = &m->channel[channel];
	while (c->wake < until) {
		uint64_t now = c->wake;
		if (now >= c->sample_at)
			series_channel(&m->gpu->series, m, c, now);
		play(m, c, now);
		c->wake = next_cycle(m, c, now + 1);
	}
}

void
memory_settle(const struct memory *m, uint64_t now)
{
	for (uint32_t c = 0; c < m->n_channel; c++)
		wcp_dram_advance(m->dram, c, dram_cycle(m, now));
}

void
memory_busy(const struct memory *m, double *l2, double *dram)
{
	const struct wcp_dram_organisation *o = &m->set->dram.organisation;
	uint64_t flits = 0, bursts_sent = 0;
	for (uint32_t i = 0; i < m->n_slice; i++)
		flits += m->slice[i].flits;
	for (uint32_t c = 0; c < m->n_channel; c++) {
		const struct wcp_dram_counts *d = wcp_dram_counts(m->dram, c);
		bursts_sent += d->read_bursts + d->write_bursts;
	}
	*l2 = (double)flits / m->n_slice;
	*dram = (double)bursts_sent / m->n_channel * o->burst_length / o->rate / m->dram_clock;
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool
slice_init(struct memory *m, struct slice *s, uint32_t number, struct wcp_error *e)
{
	const struct wcp_icnt_config *net = &m->set->icnt;
	s->number = number;
	s->free = NONE;
	s->wake = UINT64_MAX;
	s->l2 = wcp_nbcache_new(&m->set->l2.cache, e);
	if (!s->l2)
		return false;
	if (!sender_init(&s->out, net->buffer_flits, net->inject_flits + 1)) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return false;
	}
	return true;
}

bool
memory_init(struct memory *m, struct gpu *g, const struct gpu_config *set, struct wcp_error *e)
{
	m->set = set;
	m->gpu = g;
	m->dram = wcp_dram_new(&set->dram, e);
	if (!m->dram)
		return false;
	m->dram_clock = 1000.0 / set->dram.timing.t_ck_ns / set->clock.core_mhz;
	m->n_channel = wcp_dram_channels(m->dram);
	m->n_slice = m->n_channel * set->slices;
	find_bank_order(m);
	m->channel = calloc(m->n_channel, sizeof *m->channel);
	m->slice = calloc(m->n_slice, sizeof *m->slice);
	if (!m->channel || !m->slice) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return false;
	}
	for (uint32_t c = 0; c < m->n_channel; c++) {
		m->channel[c].number = c;
		m->channel[c].wake = m->channel[c].sample_at = UINT64_MAX;
		m->channel[c].slice = m->slice + (size_t)c * set->slices;
	}
	for (uint32_t s = 0; s < m->n_slice; s++) {
		if (!slice_init(m, &m->slice[s], s, e))
			return false;
	}
	return true;
}

void
memory_release(struct memory *m)
{
	for (uint32_t s = 0; m->slice && s < m->n_slice; s++) {
		wcp_nbcache_free(m->slice[s].l2);
		receiver_release(&m->slice[s].in);
		sender_release(&m->slice[s].out);
		free(m->slice[s].pool);
	}
	free(m->slice);
	free(m->channel);
	wcp_dram_free(m->dram);
}

void
memory_preload(struct memory *m, uint64_t address, uint64_t bytes)
{
	for (uint64_t a = address & ~31ull; a < address + bytes; a += WCP_SECTOR_BYTES) {
		uint64_t line;
		uint32_t s = memory_place(m, a & ~127ull, &line);
		wcp_nbcache_preload(m->slice[s].l2, line, 1u << a / WCP_SECTOR_BYTES % 4, 0);
	}
}

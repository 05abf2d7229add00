#include <stdlib.h>
#include <string.h>
#include "timed.h"

/* ---- requests ------------------------------------------------------------------------------- */

void
requests_grow(struct timed *d)
{
	uint32_t had = d->cap_request, cap = had ? had * 2 : 1024;
	d->request = must_alloc(d->request, cap * sizeof *d->request);
	for (uint32_t i = had; i < cap; i++)
		d->request[i] = (struct request){.next_free = i + 1 < cap ? i + 1 : UINT32_MAX};
	d->free_request = had;
	d->cap_request = cap;
	if (!d->passes)
		return;
	if (wcp_access_batch_reserve(&d->store, cap - had))
		out_of_memory();
	d->store.n = cap;
}

/* ---- time at a port ------------------------------------------------------------------------- */

void
port_count_mshrs(struct timed *d, struct port *p, uint64_t cycle)
{
	if (p->mshrs && cycle > p->mshrs_from) {
		d->counts.mshr_cycles += p->mshrs * (cycle - p->mshrs_from);
		series_mshrs(&d->series, p->mshrs_from, cycle, p->mshrs);
	}
	p->mshrs_from = cycle;
}

static void
await_fill(struct port *p, const struct fill *f)
{
	if (p->n_fill > p->fill_mask || !p->fill) {
		uint32_t n = p->fill ? (p->fill_mask + 1) * 2 : 64;
		struct fill *ring = must_alloc(NULL, n * sizeof *ring);
		for (uint32_t i = 0; p->fill && i < p->n_fill; i++)
			ring[i] = p->fill[(p->first_fill + i) & p->fill_mask];
		free(p->fill);
		p->fill = ring;
		p->fill_mask = n - 1;
		p->first_fill = 0;
	}
	p->fill[(p->first_fill + p->n_fill++) & p->fill_mask] = *f;
}

static uint32_t
number_of(const struct timed *d, const struct port *p)
{
	return (uint32_t)(p - d->port);
}

uint64_t
port_address(const struct timed *d, const struct port *p, uint64_t line)
{
	return d->level.set->slice.slices > 1
		   ? wcp_slice_address(&d->slice, (uint16_t)number_of(d, p), line)
		   : line;
}

static void
count_passed(struct timed *d, const struct wcp_nb_message *m)
{
	uint32_t line_bytes = d->options.index.line_bytes;
	uint32_t sector_bytes = d->options.sector_bytes ? d->options.sector_bytes : line_bytes;
	d->counts.passed++;
	if (m->type != WCP_NB_PASS) /* that one's bytes are the record's, counted with it */
		d->counts.passed_bytes += (uint32_t)__builtin_popcount(m->sectors) * sector_bytes;
}

static void
pass_on(struct timed *d, struct port *p, const struct wcp_nb_message *m, uint64_t cycle)
{
	if (d->level.set->counts_passed)
		count_passed(d, m);
	if (!d->passes || d->pass_all)
		return;
	struct departure v = {.line = port_address(d, p, m->line),
	    .handle = m->handle,
	    .sectors = m->sectors,
	    .owner = m->owner,
	    .kernel = p->kernel,
	    .port = number_of(d, p),
	    .type = LEAVE_MISS};
	if (m->type == WCP_NB_WRITE_BACK) {
		v.type = LEAVE_WRITE_BACK;
		v.sm = d->level.set->shared ? WCP_NONE16 : (uint16_t)v.port;
	} else {
		v.sm = d->store.sm[m->handle];
	}
	order_add(&d->order, cycle, &v);
}

static void
leave(struct timed *d, struct port *p, uint64_t cycle)
{
	struct wcp_nb_message m;
	wcp_nbcache_pop(p->cache, &m);
	p->leaves = p->free = cycle + 1;
	p->queued--;
	pass_on(d, p, &m, cycle);
	if (m.type == WCP_NB_FETCH) {
		uint64_t due = cycle + d->level.set->fill_latency;
		await_fill(p, &(struct fill){due, m.line, m.sectors, m.handle});
	}
}

static void
answer(struct timed *d, struct port *p, uint64_t cycle)
{
	uint32_t handle[32], n;
	while ((n = wcp_nbcache_answers(p->cache, handle, 32)) > 0)
		for (uint32_t i = 0; i < n; i++) {
			const struct request *r = &d->request[handle[i]];
			uint64_t latency = cycle - r->accepted;
			d->counts.latency_cycles += latency;
			d->counts.answered++;
			if (d->ages.wanted && r->took)
				d->ages.row[r->row].mshr_cycles += latency;
			request_drop(d, handle[i]);
		}
}

static void
come(struct timed *d, struct port *p, uint64_t cycle)
{
	struct fill f = p->fill[p->first_fill & p->fill_mask];
	uint8_t bits;
	struct wcp_nb_victim victim;
	port_count_mshrs(d, p, cycle);
	int refused = wcp_nbcache_fill(p->cache, f.line, f.sectors, cycle, &bits, &victim);
	if (refused > 0) {
		p->refill = refused == WCP_NB_QUEUE ? p->leaves : cycle + 1;
		return;
	}
	if (refused < 0)
		out_of_memory();
	p->refill = cycle; /* those behind it come no earlier */
	p->first_fill++;
	p->n_fill--;
	if (cycle > d->last)
		d->last = cycle;
	if (bits & WCP_NB_VICTIM && d->level.set->vta_entries)
		victims_fill(d, p, &victim);
	if (bits & WCP_NB_DIRTY) {
		port_sent(p, 1, cycle);
		d->level.tally.all.writebacks++;
	}
	if (d->pass_fills)
		order_add(&d->order, cycle,
		    &(struct departure){.line = port_address(d, p, f.line),
			.handle = f.handle,
			.sectors = f.sectors,
			.port = number_of(d, p),
			.sm = d->store.sm[f.handle],
			.type = LEAVE_FILL});
	answer(d, p, cycle);
	p->mshrs = wcp_nbcache_mshrs(p->cache);
}

void
port_advance(struct timed *d, struct port *p, uint64_t cycle)
{
	while (p->next <= cycle) {
		bool leaves = p->queued && p->leaves == p->next;
		(leaves ? leave : come)(d, p, p->next);
		port_plan(p);
	}
}

struct flush {
	struct timed *timed;
	struct port *port;
	uint64_t cycle;
};

static int
flush_line(void *arg, const struct wcp_nb_victim *v)
{
	struct flush *f = arg;
	struct wcp_nb_message m = {
	    .line = v->line, .sectors = v->sectors, .owner = v->owner, .type = WCP_NB_WRITE_BACK};
	tally_flushed(&f->timed->level.tally);
	pass_on(f->timed, f->port, &m, f->cycle++);
	return 0;
}

uint64_t
port_invalidate(struct timed *d, struct port *p, uint64_t cycle)
{
	uint64_t from = p->play ? wcp_nbplay_send(p->play, cycle, 0) : p->free;
	struct flush f = {d, p, cycle > from ? cycle : from};
	wcp_nbcache_invalidate(p->cache, flush_line, &f);
	p->free = f.cycle;
	if (p->play)
		wcp_nbplay_send(p->play, f.cycle, 0);
	return f.cycle;
}

/* ---- making and freeing ---------------------------------------------------------------------- */

void
port_make(struct timed *d, uint32_t n)
{
	if (n <= d->ports)
		return;
	d->port = must_alloc(d->port, n * sizeof *d->port);
	memset(d->port + d->ports, 0, (n - d->ports) * sizeof *d->port);
	for (; d->ports < n; d->ports++) {
		struct wcp_error e;
		d->port[d->ports].kernel = WCP_NONE32;
		d->port[d->ports].next = NEVER;
		d->port[d->ports].cache = wcp_nbcache_new(&d->options, &e);
		if (!d->port[d->ports].cache)
			out_of_memory();
		if (!d->plays)
			continue;
		d->port[d->ports].play =
		    wcp_nbplay_new(d->port[d->ports].cache, d->level.set->fill_latency);
		if (!d->port[d->ports].play)
			out_of_memory();
	}
}

void
ports_release(struct timed *d)
{
	for (uint32_t i = 0; i < d->ports; i++) {
		wcp_nbplay_free(d->port[i].play);
		wcp_nbcache_free(d->port[i].cache);
		free(d->port[i].fill);
	}
	free(d->port);
	free(d->request);
	wcp_access_batch_release(&d->store);
}

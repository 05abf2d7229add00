/*
 * What a record asks of the memory: the atoms that its bytes lie in, each stretch of neighbours in
 * one row a request of its own.
 */
#include "warpdram.h"

static inline uint32_t
atoms_between(const struct run *r, uint64_t begin, uint64_t end)
{
	return (uint32_t)((end - begin) >> __builtin_ctz(r->play.atom_bytes));
}

/* The next run of sectors as atoms; one that shares an atom with the run before begins behind it.
 */
static inline void
next_stretch(const struct run *r, struct parts *p, const struct record *record)
{
	uint32_t atom = r->play.atom_bytes, sectors = p->sectors;
	uint32_t first = (uint32_t)__builtin_ctz(sectors);
	uint32_t n = (uint32_t)__builtin_ctzll(~((uint64_t)sectors >> first));
	p->sectors = n == 32 ? 0 : sectors & ~(((1u << n) - 1) << first);
	uint64_t from = record->address + first * WCP_SECTOR_BYTES;
	uint64_t last = from + n * WCP_SECTOR_BYTES - 1;
	uint64_t begin = from & -(uint64_t)atom, end = last & -(uint64_t)atom;
	if (p->any && begin < p->address)
		begin = p->address;
	p->any = true;
	p->atoms = end < begin ? 0 : atoms_between(r, begin, end) + 1;
	p->address = begin;
}

void
parts_start(const struct run *r, struct parts *p, const struct record *record)
{
	uint32_t atom = r->play.atom_bytes, bytes = record->bytes ? record->bytes : 1;
	*p = (struct parts){.sectors = record->sectors};
	if (record->sectors) {
		next_stretch(r, p, record);
		return;
	}
	uint64_t begin = record->address & -(uint64_t)atom;
	uint64_t last = record->address + (bytes - 1);
	p->address = begin;
	p->atoms = last < record->address ? 1 : atoms_between(r, begin, last) + 1;
}

/* Whom the scheduler takes it for: the unit that the report counts by, else the core. */
static uint32_t
requester_of(const struct run *r, const struct record *record)
{
	return r->set->by ? record->unit : record->core;
}

int
parts_next(
    const struct run *r, struct parts *p, const struct record *record, struct wcp_dram_request *q)
{
	size_t which;
	while (!p->atoms && p->sectors)
		next_stretch(r, p, record);
	if (!p->atoms)
		return 0;
	q->write = record->write;
	q->marks = record->marks;
	q->requester = r->play.requesters ? requester_of(r, record) : 0;
	if (r->play.requesters && q->requester >= r->play.requesters)
		return WCP_EUSAGE;
	q->bursts = 1;
	if (record->placed) {
		q->place = record->place;
		p->atoms = 0;
		return 1;
	}
	if (p->first)
		q->place = *p->first;
	else if (wcp_dram_locate(r->play.dram, &p->address, 1, &q->place, &which) < 0)
		return WCP_EDATA;
	p->first = NULL;
	if (p->atoms > 1) {
		uint32_t max = p->atoms < 65535 ? p->atoms : 65535;
		q->bursts = (uint16_t)wcp_dram_run(r->play.dram, p->address, max);
	}
	p->atoms -= q->bursts;
	p->address += (uint64_t)q->bursts * r->play.atom_bytes;
	return 1;
}

/*
 * What a record asks of the memory: the atoms that its bytes lie in, each stretch of neighbours in
 * one row a request of its own.
 */
#ifndef PART_H
#define PART_H

#include "warpdram.h"

struct parts {				    /* goes through a record's atoms */
	uint64_t address;		    /* of the next atom */
	uint32_t atoms;			    /* left of this stretch, from address on */
	uint32_t sectors;		    /* not gone through yet */
	const struct wcp_dram_place *first; /* of the atom at address, if known; its user sets it */
};

static inline uint32_t
atoms_between(const struct run *r, uint64_t begin, uint64_t end)
{
	return (uint32_t)((end - begin) >> r->play.atom_shift);
}

/* The next run of sectors as atoms; one that shares an atom with the run before begins behind it.
 */
static inline void
next_stretch(const struct run *r, struct parts *p, const struct record *record)
{
	uint64_t atom = r->play.atom_bytes, sectors = p->sectors;
	uint64_t low = sectors & -sectors, above = sectors + low;
	uint64_t from = record->address + (uint64_t)__builtin_ctzll(low) * WCP_SECTOR_BYTES;
	uint64_t to = record->address + (uint64_t)__builtin_ctzll(above) * WCP_SECTOR_BYTES;
	uint64_t begin = from & -atom, last = (to - 1) & -atom;
	begin = begin < p->address ? p->address : begin;
	p->sectors = (uint32_t)(sectors & above);
	p->atoms = last < begin ? 0 : atoms_between(r, begin, last) + 1;
	p->address = begin;
}

static inline void
parts_start(const struct run *r, struct parts *p, const struct record *record)
{
	p->first = NULL;
	p->sectors = record->sectors;
	p->address = 0;
	if (record->sectors) {
		next_stretch(r, p, record);
		return;
	}
	uint32_t atom = r->play.atom_bytes, bytes = record->bytes ? record->bytes : 1;
	uint64_t begin = record->address & -(uint64_t)atom;
	uint64_t last = record->address + (bytes - 1);
	p->address = begin;
	p->atoms = last < record->address ? 1 : atoms_between(r, begin, last) + 1;
}

/* Whom the scheduler takes it for: the unit that the report counts by, else the core. */
static inline uint32_t
requester_of(const struct run *r, const struct record *record)
{
	return r->set->by ? record->unit : record->core;
}

/* 1: q filled; 0: no more; negative: see play_refused. */
static inline int
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

#endif

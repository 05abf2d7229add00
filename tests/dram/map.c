#include "map.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[MAP_FIELDS] = {
    "channel", "pseudo", "rank", "group", "bank", "row", "column"};

unsigned
map_log2(uint64_t x)
{
	unsigned bits = 0;
	while (x >> bits > 1)
		bits++;
	return bits;
}

uint32_t
map_atom(const struct wcp_dram_config *c)
{
	return c->organisation.burst_length * c->organisation.bus_bits / 8;
}

uint64_t
map_capacity(const struct wcp_dram_config *c)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	return (uint64_t)o->channels * o->pseudo_channels * o->ranks * o->banks * o->rows *
	       o->row_bytes;
}

/* Bits that the organisation gives each field; group and bank apart. */
static void
sizes(const struct wcp_dram_config *c, unsigned *bits)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	bits[MAP_CHANNEL] = map_log2(o->channels);
	bits[MAP_PSEUDO] = map_log2(o->pseudo_channels);
	bits[MAP_RANK] = map_log2(o->ranks);
	bits[MAP_GROUP] = map_log2(o->bank_groups);
	bits[MAP_BANK] = map_log2(o->banks / o->bank_groups);
	bits[MAP_ROW] = map_log2(o->rows);
	bits[MAP_COLUMN] = map_log2(o->row_bytes / map_atom(c));
}

static int
field_named(const char *name, size_t length)
{
	for (int f = 0; f < MAP_FIELDS; f++)
		if (strlen(names[f]) == length && !strncmp(names[f], name, length))
			return f;
	return -1;
}

/* ---- fields from the top down --------------------------------------------------------------- */

static bool
fields(struct map *m, const char *text)
{
	unsigned size[MAP_FIELDS], at = map_log2(map_atom(m->c));
	sizes(m->c, size);
	m->whole_bank = !strstr(text, "group");
	if (m->whole_bank)
		size[MAP_BANK] += size[MAP_GROUP];
	for (const char *end = text + strlen(text); end > text;) {
		const char *s = end;
		while (s > text && s[-1] != ' ')
			s--;
		size_t length = strcspn(s, ": ");
		int f = field_named(s, length);
		if (f < 0 || s == end)
			return false;
		unsigned take = size[f] - m->bits[f];
		if (s[length] == ':')
			take = (unsigned)strtoul(s + length + 1, NULL, 10);
		if (f == MAP_CHANNEL && m->division) {
			m->above = at;
			take = 0;
		}
		while (take--)
			m->bit[f][m->bits[f]++] = at++;
		end = s > text ? s - 1 : text;
	}
	return true;
}

/* ---- lists of bits -------------------------------------------------------------------------- */

static bool
lists(struct map *m, const char *text)
{
	m->whole_bank = !strstr(text, "group=");
	while (*text) {
		size_t length = strcspn(text, "=");
		int f = field_named(text, length);
		if (f < 0)
			return false;
		char *s;
		text += length;
		do {
			unsigned long first = strtoul(text + 1, &s, 10), last = first;
			if (*s == '-')
				last = strtoul(s + 1, &s, 10);
			for (unsigned long b = first; b <= last; b++)
				m->bit[f][m->bits[f]++] = (unsigned)b;
			text = s;
		} while (*text == ',');
		text += strspn(text, " ");
	}
	if (m->division) {
		m->above = m->bit[MAP_CHANNEL][0];
		m->bits[MAP_CHANNEL] = 0;
	}
	return true;
}

/* ---- GPGPU-Sim's masks ---------------------------------------------------------------------- */

static void
mask_bit(struct map *m, char what, unsigned at, unsigned atom)
{
	int f = what == 'R' ? MAP_ROW : what == 'B' ? MAP_BANK : what == 'D' ? MAP_CHANNEL : -1;
	if (f >= 0)
		m->bit[f][m->bits[f]++] = at;
	else if (what == 'C' || what == 'S') {
		/* a column in bytes: its lowest bits are inside the atom */
		if (m->bits[MAP_COLUMN] >= atom)
			m->bit[MAP_COLUMN][m->bits[MAP_COLUMN] - atom] = at;
		m->bits[MAP_COLUMN]++;
	}
}

static bool
mask(struct map *m, const char *text)
{
	const struct wcp_dram_organisation *o = &m->c->organisation;
	uint32_t chips = o->channels * o->pseudo_channels;
	unsigned atom = map_log2(map_atom(m->c)), at = 0, inserted = 0, from = 64;
	m->chips = m->whole_bank = true;
	m->division = false;
	if (!strncmp(text, "dramid@", 7)) {
		from = (unsigned)strtoul(text + 7, NULL, 10);
		text = strchr(text, ';') + 1;
		if (chips & (chips - 1)) {
			m->division = true;
			m->above = from;
		} else
			inserted = map_log2(chips);
		for (unsigned i = 0; i < inserted; i++)
			m->bit[MAP_CHANNEL][m->bits[MAP_CHANNEL]++] = from + i;
	}
	for (const char *s = text + strlen(text); s-- > text;) {
		if (strchr(".| ", *s))
			continue;
		mask_bit(
		    m, (char)toupper((unsigned char)*s), at >= from ? at + inserted : at, atom);
		at++;
	}
	m->bits[MAP_COLUMN] -= atom;
	return at == 64;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool
line(struct map *m, const char *bytes)
{
	char text[100];
	unsigned k = map_log2(strtoull(bytes, NULL, 10) / map_atom(m->c));
	snprintf(text, sizeof text, "row column bank rank channel pseudo column:%u", k);
	return fields(m, text);
}

bool
map_new(struct map *m, const struct wcp_dram_config *c)
{
	const char *text = c->mapping;
	uint32_t channels = c->organisation.channels;
	*m = (struct map){.c = c, .division = (channels & (channels - 1)) != 0};
	if (!strcmp(text, "page"))
		return fields(m, "row bank rank channel pseudo column");
	if (!strncmp(text, "line:", 5))
		return line(m, text + 5);
	if (!strncmp(text, "bits ", 5))
		return lists(m, text + 5);
	if (!strncmp(text, "gpgpusim ", 9))
		return mask(m, text + 9);
	if (!strncmp(text, "dramid@", 7) || strchr(text, '.'))
		return mask(m, text);
	return fields(m, text);
}

/* ---- addresses ------------------------------------------------------------------------------ */

static uint32_t
gather(const struct map *m, enum map_field f, uint64_t address)
{
	uint32_t value = 0;
	for (unsigned i = 0; i < m->bits[f]; i++)
		value |= (uint32_t)(address >> m->bit[f][i] & 1) << i;
	return value;
}

/* Remainder of two polynomials over GF(2). */
static uint64_t
remainder_of(uint64_t a, uint64_t p)
{
	for (int bit = 63; bit >= (int)map_log2(p); bit--)
		if (a >> bit & 1)
			a ^= p << (bit - (int)map_log2(p));
	return a;
}

/* The smallest polynomial of that degree that no smaller one divides. */
static uint64_t
smallest_irreducible(unsigned degree)
{
	for (uint64_t p = 1ull << degree;; p++) {
		bool divided = false;
		for (uint64_t q = 2; map_log2(q) * 2 <= degree; q++)
			divided |= !remainder_of(p, q);
		if (!divided && degree)
			return p;
	}
}

static uint32_t
hash(const struct wcp_dram_config *c, uint32_t bank, uint32_t row)
{
	unsigned bits = map_log2(c->organisation.banks);
	if (!bits || c->bank_hash == WCP_DRAM_HASH_NONE)
		return bank;
	if (c->bank_hash == WCP_DRAM_HASH_XOR)
		return bank ^ (row & (c->organisation.banks - 1));
	return (uint32_t)remainder_of((uint64_t)row << bits | bank, smallest_irreducible(bits));
}

struct wcp_dram_place
map_locate(const struct map *m, uint64_t address)
{
	const struct wcp_dram_organisation *o = &m->c->organisation;
	struct wcp_dram_place p = {0};
	uint32_t divisor = o->channels * (m->chips ? o->pseudo_channels : 1), channel;
	address %= map_capacity(m->c);
	if (m->division) {
		uint64_t high = address >> m->above;
		channel = (uint32_t)(high % divisor);
		address = (high / divisor) << m->above | (address & ((1ull << m->above) - 1));
	} else
		channel = gather(m, MAP_CHANNEL, address);
	p.channel =
	    m->chips ? channel : channel * o->pseudo_channels + gather(m, MAP_PSEUDO, address);
	p.rank = gather(m, MAP_RANK, address);
	p.row = gather(m, MAP_ROW, address);
	p.column = gather(m, MAP_COLUMN, address);
	p.bank = gather(m, MAP_BANK, address);
	if (!m->whole_bank)
		p.bank += gather(m, MAP_GROUP, address) * (o->banks / o->bank_groups);
	p.bank = hash(m->c, p.bank, p.row);
	return p;
}

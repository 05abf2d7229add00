/* From an address to a place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/mapping.h"
#include "warpcap/setindex.h"

static const char *const field_name[DRAM_FIELDS] = {
    "channel", "pseudo", "rank", "bank", "row", "column"};

uint32_t
mapping_log2(uint32_t n)
{
	return (uint32_t)__builtin_ctz(n);
}

bool
mapping_word(const struct mapping_plan *p, const char *text, size_t n, bool has_group,
    struct mapping_word *w)
{
	uint32_t bank_bits = p->width[F_BANK] - p->group_bits;
	if (n == 5 && !memcmp(text, "group", 5)) {
		*w = (struct mapping_word){F_BANK, bank_bits, p->group_bits};
		return true;
	}
	for (unsigned f = 0; f < DRAM_FIELDS; f++) {
		if (strlen(field_name[f]) != n || memcmp(text, field_name[f], n))
			continue;
		*w = (struct mapping_word){(enum dram_field)f, 0, p->width[f]};
		if (f == F_BANK && has_group)
			w->bits = bank_bits;
		return true;
	}
	return false;
}

int
mapping_own(struct mapping_plan *p, uint32_t bit, enum dram_field field, uint32_t index)
{
	if (bit >= 63)
		return wcp_fail(
		    p->e, WCP_EUSAGE, "mapping gives %s a bit above bit 62", field_name[field]);
	if (bit < p->atom_shift)
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping gives %s bit %u, which is inside an atom of %u bytes",
		    field_name[field], bit, 1u << p->atom_shift);
	if (p->owner[bit] != BIT_NONE)
		return wcp_fail(p->e, WCP_EUSAGE, "mapping uses bit %u for %s and for %s", bit,
		    field_name[p->owner[bit]], field_name[field]);
	p->owner[bit] = (uint8_t)field;
	p->index[bit] = (uint8_t)index;
	return 0;
}

/* Every field has its bits, each once, and no address bit below the top is lost. */
static int
check_plan(const struct mapping_plan *p)
{
	uint32_t count[DRAM_FIELDS] = {0}, top = p->atom_shift;
	uint64_t seen[DRAM_FIELDS] = {0};
	for (uint32_t b = p->atom_shift; b < 63; b++) {
		if (p->owner[b] == BIT_NONE)
			continue;
		if (b > top)
			return wcp_fail(
			    p->e, WCP_EUSAGE, "mapping loses bit %u: no field has it", top);
		top = b + 1;
		count[p->owner[b]]++;
		seen[p->owner[b]] |= 1ull << p->index[b];
	}
	for (unsigned f = 0; f < DRAM_FIELDS; f++)
		if (count[f] != p->width[f] || seen[f] != (1ull << p->width[f]) - 1)
			return wcp_fail(p->e, WCP_EUSAGE,
			    "mapping gives %s %u bits where the organisation has %u", field_name[f],
			    count[f], p->width[f]);
	if (p->divides && !p->placed)
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping has no place for channels = %u, which is no power of two", p->chips);
	if (p->divides && (p->divide_at < p->atom_shift || p->divide_at > top))
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping has channels at bit %u, not from %u to %u", p->divide_at,
		    p->atom_shift, top);
	return 0;
}

static int
read_form(struct mapping_plan *p, const char *text)
{
	const struct wcp_dram_organisation *o = p->o;
	uint64_t line;
	char order[80], *end;
	if (!text || !*text)
		return wcp_fail(p->e, WCP_EUSAGE, "mapping is empty");
	if (!strncmp(text, "bits ", 5))
		return mapping_bits(p, text + 5);
	if (!strcmp(text, "gpgpusim") || !strcmp(text, "gpgpusim-low"))
		return wcp_fail(p->e, WCP_EUSAGE, "mapping gpgpusim has no mask behind it");
	if (!strncmp(text, "gpgpusim ", 9))
		return mapping_mask(p, text + 9);
	if (!strncmp(text, "gpgpusim-low ", 13)) {
		p->group_low = true;
		return mapping_mask(p, text + 13);
	}
	if (mapping_is_mask(text))
		return mapping_mask(p, text);
	if (!strcmp(text, "page"))
		return mapping_fields(p, "row bank rank channel pseudo column");
	if (strncmp(text, "line:", 5))
		return mapping_fields(p, text);
	line = strtoull(text + 5, &end, 10);
	if (end == text + 5 || *end || !line || line & (line - 1) || line < 1u << p->atom_shift ||
	    line > o->row_bytes)
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping line:%s is no power of two from an atom's %u to row_bytes = %u",
		    text + 5, 1u << p->atom_shift, o->row_bytes);
	snprintf(order, sizeof order, "row column bank rank channel pseudo column:%u",
	    mapping_log2((uint32_t)line) - p->atom_shift);
	return mapping_fields(p, order);
}

/* Bits that keep their distance become one run. */
static void
make_runs(struct dram_mapping *m, const struct mapping_plan *p)
{
	for (uint32_t b = p->atom_shift; b < 63 && p->owner[b] != BIT_NONE; b++) {
		struct dram_run *r = m->n_run ? &m->run[m->n_run - 1] : NULL;
		bool joins = r && r->field == p->owner[b] && p->index[b] - p->index[b - 1] == 1 &&
			     p->owner[b - 1] == r->field;
		if (!joins) {
			r = &m->run[m->n_run++];
			*r = (struct dram_run){(uint8_t)((b - p->index[b]) & 63), p->owner[b], 0};
		}
		r->mask |= 1ull << p->index[b];
	}
	while (m->atom_shift + m->run_bits < (p->divides ? p->divide_at : 63)) {
		uint32_t b = m->atom_shift + m->run_bits;
		if (p->owner[b] != F_COLUMN || p->index[b] != m->run_bits)
			break;
		m->run_bits++;
	}
}

/* What row bit i adds to the bank. */
static uint32_t
hash_bit(enum wcp_dram_hash kind, uint32_t bank_bits, uint32_t i)
{
	if (kind == WCP_DRAM_HASH_XOR)
		return i < bank_bits ? 1u << i : 0;
	uint32_t p = wcp_gf2_smallest(bank_bits), x = 1;
	for (uint32_t n = 0; n < bank_bits + i; n++) {
		x <<= 1;
		if (x >> bank_bits)
			x ^= p;
	}
	return x;
}

static int
make_hash(struct dram_mapping *m, const struct wcp_dram_config *c, struct wcp_error *e)
{
	uint32_t bits = mapping_log2(c->organisation.banks);
	if ((unsigned)c->bank_hash > WCP_DRAM_HASH_POLY)
		return wcp_fail(e, WCP_EUSAGE, "bank_hash = %d is no hash", (int)c->bank_hash);
	if (c->bank_hash == WCP_DRAM_HASH_NONE || !bits)
		return 0;
	m->hash = calloc(4 * 256, sizeof *m->hash);
	if (!m->hash)
		return wcp_fail(e, WCP_ESYS, "no memory for a hash");
	for (uint32_t bit = 0; bit < 32; bit++) {
		uint16_t adds = (uint16_t)hash_bit(c->bank_hash, bits, bit);
		for (uint32_t v = 0; v < 256; v++)
			if (v >> (bit & 7) & 1)
				m->hash[bit / 8 * 256 + v] ^= adds;
	}
	return 0;
}

static int
make_capacity(struct dram_mapping *m, const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	uint64_t per_channel = 1;
	uint32_t factor[] = {o->pseudo_channels, o->ranks, o->banks, o->rows, o->row_bytes};
	bool is_over = false;
	for (size_t i = 0; i < sizeof factor / sizeof *factor; i++)
		is_over |= __builtin_mul_overflow(per_channel, factor[i], &per_channel);
	is_over |= __builtin_mul_overflow(per_channel, o->channels, &m->capacity);
	if (is_over || m->capacity >> 62)
		return wcp_fail(e, WCP_EUSAGE,
		    "rows = %u of row_bytes = %u in all banks are more than 2^62 bytes", o->rows,
		    o->row_bytes);
	return 0;
}

static void
plan_init(struct mapping_plan *p, const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	uint64_t atom = (uint64_t)o->burst_length * o->bus_bits / 8;
	*p = (struct mapping_plan){.o = o, .e = e};
	p->atom_shift = mapping_log2((uint32_t)atom);
	p->divides = o->channels & (o->channels - 1);
	p->chips = o->channels;
	p->width[F_CHANNEL] = p->divides ? 0 : mapping_log2(o->channels);
	p->width[F_PSEUDO] = mapping_log2(o->pseudo_channels);
	p->width[F_RANK] = mapping_log2(o->ranks);
	p->width[F_BANK] = mapping_log2(o->banks);
	p->width[F_ROW] = mapping_log2(o->rows);
	p->width[F_COLUMN] = mapping_log2(o->row_bytes) - p->atom_shift;
	p->group_bits = mapping_log2(o->bank_groups);
	memset(p->owner, BIT_NONE, sizeof p->owner);
}

int
dram_mapping_init(struct dram_mapping *m, const struct wcp_dram_config *c, struct wcp_error *e)
{
	struct mapping_plan p;
	int status = make_capacity(m, &c->organisation, e);
	if (status)
		return status;
	if ((unsigned)c->beyond > WCP_BEYOND_FAIL)
		return wcp_fail(
		    e, WCP_EUSAGE, "beyond = %d is neither wrap nor fail", (int)c->beyond);
	plan_init(&p, &c->organisation, e);
	if (read_form(&p, c->mapping) || check_plan(&p))
		return WCP_EUSAGE;
	m->atom_shift = p.atom_shift;
	m->pseudo_channels = c->organisation.pseudo_channels;
	m->bank_mask = c->organisation.banks - 1;
	if (p.divides) {
		m->chips = p.chips;
		m->chips_are_pseudo = p.chips != c->organisation.channels;
		m->divide_at = p.divide_at;
		m->reciprocal = UINT64_MAX / p.chips + 1;
	}
	make_runs(m, &p);
	return make_hash(m, c, e);
}

void
dram_mapping_release(struct dram_mapping *m)
{
	free(m->hash);
}

/* The quotient takes the bits from divide_at up; returns the remainder. */
static inline uint32_t
divide(const struct dram_mapping *m, uint64_t *a)
{
	uint64_t high = *a >> m->divide_at, low = *a & ((1ull << m->divide_at) - 1), q;
	if (high >> 32)
		q = high / m->chips;
	else
		q = (uint64_t)((unsigned __int128)high * m->reciprocal >> 64);
	*a = q << m->divide_at | low;
	return (uint32_t)(high - q * m->chips);
}

static inline uint32_t
hash_of(const struct dram_mapping *m, uint32_t row)
{
	return m->hash[row & 255] ^ m->hash[256 + (row >> 8 & 255)] ^
	       m->hash[512 + (row >> 16 & 255)] ^ m->hash[768 + (row >> 24)];
}

/* Field by field, so that the compiler can take several addresses at a time. */
static inline void
fields(const struct dram_mapping *m, struct mapping_chunk *c, uint32_t n)
{
	uint64_t *restrict address = c->address;
	for (unsigned f = 0; f < DRAM_FIELDS; f++)
		for (uint32_t i = 0; i < n; i++)
			c->field[f][i] = 0;
	/* Their remainder takes no bits. */
	uint64_t *restrict chip = c->field[m->chips_are_pseudo ? F_PSEUDO : F_CHANNEL];
	for (uint32_t i = 0; m->chips && i < n; i++)
		chip[i] = divide(m, &address[i]);
	for (uint32_t k = 0; k < m->n_run; k++) {
		const struct dram_run *r = &m->run[k];
		uint64_t *restrict field = c->field[r->field], mask = r->mask;
		uint32_t right = r->right, left = -right & 63;
		for (uint32_t i = 0; i < n; i++)
			field[i] |= (address[i] >> right | address[i] << left) & mask;
	}
	for (uint32_t i = 0; m->hash && i < n; i++)
		c->field[F_BANK][i] ^= hash_of(m, (uint32_t)c->field[F_ROW][i]);
}

static inline void
places(
    const struct dram_mapping *m, struct mapping_chunk *c, uint32_t n, struct wcp_dram_place *place)
{
	uint32_t pseudo = m->chips_are_pseudo ? 1 : m->pseudo_channels;
	fields(m, c, n);
	for (uint32_t i = 0; i < n; i++) {
		place[i].channel =
		    (uint32_t)c->field[F_CHANNEL][i] * pseudo + (uint32_t)c->field[F_PSEUDO][i];
		place[i].rank = (uint32_t)c->field[F_RANK][i];
		place[i].bank = (uint32_t)c->field[F_BANK][i];
		place[i].row = (uint32_t)c->field[F_ROW][i];
		place[i].column = (uint32_t)c->field[F_COLUMN][i];
	}
}

void
dram_mapping_places(
    const struct dram_mapping *m, struct mapping_chunk *c, uint32_t n, struct wcp_dram_place *place)
{
	if (n == MAPPING_CHUNK)
		places(m, c, MAPPING_CHUNK, place);
	else if (n == 1)
		places(m, c, 1, place);
	else
		places(m, c, n, place);
}

uint64_t
dram_mapping_address(const struct dram_mapping *m, const struct wcp_dram_place *place)
{
	uint32_t pseudo = m->chips_are_pseudo ? 1 : m->pseudo_channels;
	uint64_t address = 0, field[DRAM_FIELDS] = {
				  [F_CHANNEL] = m->chips ? 0 : place->channel / pseudo,
				  [F_PSEUDO] = place->channel % pseudo,
				  [F_RANK] = place->rank,
				  [F_BANK] = place->bank,
				  [F_ROW] = place->row,
				  [F_COLUMN] = place->column,
			      };
	if (m->hash)
		field[F_BANK] ^= hash_of(m, place->row);
	for (uint32_t k = 0; k < m->n_run; k++) {
		const struct dram_run *r = &m->run[k];
		uint64_t bits = field[r->field] & r->mask;
		address |= bits << r->right | bits >> (-(unsigned)r->right & 63);
	}
	if (!m->chips)
		return address;
	uint64_t low = address & ((1ull << m->divide_at) - 1);
	uint64_t high = (address >> m->divide_at) * m->chips + place->channel / pseudo;
	return high << m->divide_at | low;
}

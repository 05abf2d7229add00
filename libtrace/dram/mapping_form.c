/* The spellings of a mapping. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "dram/mapping.h"

/* ---- fields from the top down ---- */

struct part {
	struct mapping_word word;
	const char *text; /* as spelt, of length bytes */
	size_t length;
	uint32_t bits;
	bool is_sized;
};

enum { PARTS = 64 };

static int
read_part(struct mapping_plan *p, const char *text, size_t n, bool has_group, struct part *part)
{
	const char *colon = memchr(text, ':', n);
	size_t name = colon ? (size_t)(colon - text) : n;
	*part = (struct part){.text = text, .length = n, .is_sized = colon};
	if (!mapping_word(p, text, name, has_group, &part->word))
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping has a field \"%.*s\", not row, rank, bank, group, column, channel or "
		    "pseudo",
		    (int)name, text);
	part->bits = part->word.bits;
	if (!colon)
		return 0;
	char *end;
	unsigned long bits = strtoul(colon + 1, &end, 10);
	if (part->word.field != F_COLUMN || !isdigit((unsigned char)colon[1]) || end != text + n ||
	    bits > 62)
		return wcp_fail(p->e, WCP_EUSAGE, "mapping cannot split \"%.*s\"", (int)n, text);
	part->bits = (uint32_t)bits;
	return 0;
}

static bool
names_group(const char *text)
{
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t n = strcspn(text, " \t");
		if (n == 5 && !memcmp(text, "group", 5))
			return true;
		text += n;
	}
	return false;
}

static int
read_parts(struct mapping_plan *p, const char *text, struct part *part, uint32_t *n_part)
{
	bool has_group = names_group(text);
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t n = strcspn(text, " \t");
		if (*n_part == PARTS)
			return wcp_fail(p->e, WCP_EUSAGE, "mapping has too many fields");
		if (read_part(p, text, n, has_group, &part[*n_part]))
			return WCP_EUSAGE;
		++*n_part;
		text += n;
	}
	return 0;
}

/* One column of no given size has what the others leave. */
static int
size_columns(struct mapping_plan *p, struct part *part, uint32_t n)
{
	uint32_t sum = 0;
	struct part *open = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (part[i].word.field != F_COLUMN)
			continue;
		if (part[i].is_sized)
			sum += part[i].bits;
		else if (open)
			return wcp_fail(p->e, WCP_EUSAGE, "mapping has column twice");
		else
			open = &part[i];
	}
	if (sum > p->width[F_COLUMN])
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping gives column %u bits where the organisation has %u", sum,
		    p->width[F_COLUMN]);
	if (open)
		open->bits = p->width[F_COLUMN] - sum;
	return 0;
}

static int
check_once(struct mapping_plan *p, const struct part *part, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (part[i].word.field != F_COLUMN &&
			    part[i].word.field == part[j].word.field &&
			    (part[i].word.first == part[j].word.first &&
				part[i].word.bits == part[j].word.bits) &&
			    (part[i].word.bits || part[i].word.field == F_CHANNEL))
				return wcp_fail(p->e, WCP_EUSAGE, "mapping has %.*s twice",
				    (int)part[i].length, part[i].text);
	return 0;
}

int
mapping_fields(struct mapping_plan *p, const char *text)
{
	struct part part[PARTS];
	uint32_t n = 0, bit = p->atom_shift, column = 0;
	if (read_parts(p, text, part, &n) || size_columns(p, part, n) || check_once(p, part, n))
		return WCP_EUSAGE;
	while (n--) {
		const struct mapping_word *w = &part[n].word;
		uint32_t first = w->field == F_COLUMN ? column : w->first;
		if (w->field == F_CHANNEL && p->divides) {
			p->divide_at = bit;
			p->placed = true;
		}
		for (uint32_t i = 0; i < part[n].bits; i++)
			if (mapping_own(p, bit++, w->field, first + i))
				return WCP_EUSAGE;
		if (w->field == F_COLUMN)
			column += part[n].bits;
	}
	return 0;
}

/* ---- bits of each field ---- */

static int
read_number(struct mapping_plan *p, const char **text, uint32_t *n)
{
	char *end;
	if (!isdigit((unsigned char)**text))
		return wcp_fail(p->e, WCP_EUSAGE, "mapping has \"%.20s\" for a bit number", *text);
	unsigned long v = strtoul(*text, &end, 10);
	if (v > 62)
		return wcp_fail(p->e, WCP_EUSAGE, "mapping has bit %lu, above bit 62", v);
	*n = (uint32_t)v;
	*text = end;
	return 0;
}

static int
read_range(struct mapping_plan *p, const char **text, uint32_t *from, uint32_t *to)
{
	if (read_number(p, text, from))
		return WCP_EUSAGE;
	*to = *from;
	if (**text != '-')
		return 0;
	++*text;
	if (read_number(p, text, to))
		return WCP_EUSAGE;
	if (*to < *from)
		return wcp_fail(
		    p->e, WCP_EUSAGE, "mapping has bits %u-%u, lowest first", *from, *to);
	return 0;
}

/* The i-th of the bits that the list called name gives a field. */
static int
take_bit(struct mapping_plan *p, const struct mapping_word *w, uint32_t bit, uint32_t i,
    uint64_t *seen, const char *name, int length)
{
	if (*seen >> bit & 1)
		return wcp_fail(
		    p->e, WCP_EUSAGE, "mapping has bit %u twice for %.*s", bit, length, name);
	*seen |= 1ull << bit;
	if (i >= w->bits)
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping gives %.*s bit %u where the organisation has %u bits for it", length,
		    name, bit, w->bits);
	return mapping_own(p, bit, w->field, w->first + i);
}

static int
read_list(struct mapping_plan *p, const char **text, const struct mapping_word *w)
{
	uint32_t n = 0, from = 0, to = 0;
	uint64_t seen = 0;
	const char *name = *text;
	int length = (int)strcspn(name, "=");
	*text += length + 1;
	do {
		if (read_range(p, text, &from, &to))
			return WCP_EUSAGE;
		for (uint32_t b = from; b <= to; b++)
			if (take_bit(p, w, b, n++, &seen, name, length))
				return WCP_EUSAGE;
	} while (**text == ',' && (++*text, true));
	return 0;
}

static bool
lists_group(const char *text)
{
	const char *at = strstr(text, "group=");
	return at && (at == text || isspace((unsigned char)at[-1]));
}

int
mapping_bits(struct mapping_plan *p, const char *text)
{
	bool has_group = lists_group(text);
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t n = strcspn(text, "= \t");
		struct mapping_word w;
		if (text[n] != '=' || !mapping_word(p, text, n, has_group, &w))
			return wcp_fail(p->e, WCP_EUSAGE,
			    "mapping has \"%.*s\" where FIELD=BITS was expected", (int)n, text);
		if (w.field == F_CHANNEL && p->divides) {
			if (p->placed)
				return wcp_fail(p->e, WCP_EUSAGE, "mapping has channel twice");
			p->placed = true;
			text += n + 1;
			if (read_number(p, &text, &p->divide_at))
				return WCP_EUSAGE;
		} else if (read_list(p, &text, &w)) {
			return WCP_EUSAGE;
		}
		if (*text && *text != ' ' && *text != '\t')
			return wcp_fail(
			    p->e, WCP_EUSAGE, "mapping has \"%.20s\" after a bit number", text);
	}
	return 0;
}

/* ---- GPGPU-Sim's ---- */

bool
mapping_is_mask(const char *text)
{
	return !strncasecmp(text, "dramid@", 7) || !text[strspn(text, "rRbBcCsSdD0.| \t")];
}

/* The letters of a mask, bit 0 first. */
static int
read_letters(struct mapping_plan *p, const char *text, char *letter)
{
	uint32_t n = 0;
	for (; *text; text++) {
		if (strchr(".| \t", *text))
			continue;
		if (!strchr("RBCSD0", toupper((unsigned char)*text)))
			return wcp_fail(p->e, WCP_EUSAGE, "mapping's mask has \"%c\"", *text);
		if (n == 64)
			return wcp_fail(
			    p->e, WCP_EUSAGE, "mapping's mask has more than 64 letters");
		letter[63 - n++] = (char)toupper((unsigned char)*text);
	}
	if (n != 64)
		return wcp_fail(p->e, WCP_EUSAGE, "mapping's mask has %u letters, not 64", n);
	return 0;
}

/* Chips are channels and pseudo-channels as one number. */
static int
own_chip(struct mapping_plan *p, uint32_t bit, uint32_t index)
{
	uint32_t pseudo = p->width[F_PSEUDO];
	if (index < pseudo)
		return mapping_own(p, bit, F_PSEUDO, index);
	return mapping_own(p, bit, F_CHANNEL, index - pseudo);
}

static int
own_column(struct mapping_plan *p, uint32_t bit, uint32_t index)
{
	if (index >= p->atom_shift)
		return mapping_own(p, bit, F_COLUMN, index - p->atom_shift);
	if (bit != index)
		return wcp_fail(p->e, WCP_EUSAGE,
		    "mapping's mask has bit %u of an atom of %u bytes at bit %u", index,
		    1u << p->atom_shift, bit);
	return 0;
}

/* The i-th lowest bit of B: of the group first where the plan says so. */
static int
own_bank(struct mapping_plan *p, uint32_t bit, uint32_t i)
{
	uint32_t inner = p->width[F_BANK] - p->group_bits;
	if (p->group_low && i < p->width[F_BANK])
		i = i < p->group_bits ? inner + i : i - p->group_bits;
	return mapping_own(p, bit, F_BANK, i);
}

static int
own_letter(struct mapping_plan *p, char letter, uint32_t bit, uint32_t n[128])
{
	switch (letter) {
	case 'R': return mapping_own(p, bit, F_ROW, n['R']++);
	case 'B': return own_bank(p, bit, n['B']++);
	case 'C':
	case 'S': return own_column(p, bit, n['C']++);
	case 'D': return own_chip(p, bit, n['D']++);
	default: return 0;
	}
}

static int
read_dramid(struct mapping_plan *p, const char **text, uint32_t *at)
{
	*text += strlen("dramid@");
	if (read_number(p, text, at))
		return WCP_EUSAGE;
	if (**text != ';')
		return wcp_fail(p->e, WCP_EUSAGE, "mapping has no ';' after dramid@%u", *at);
	++*text;
	return 0;
}

int
mapping_mask(struct mapping_plan *p, const char *text)
{
	char letter[64];
	uint32_t n[128] = {0}, at = 64, chip_bits = p->width[F_CHANNEL] + p->width[F_PSEUDO];
	text += strspn(text, " \t");
	if (!strncasecmp(text, "dramid@", 7) && read_dramid(p, &text, &at))
		return WCP_EUSAGE;
	if (read_letters(p, text, letter))
		return WCP_EUSAGE;
	if (at < 64 && memchr(letter, 'D', sizeof letter))
		return wcp_fail(p->e, WCP_EUSAGE, "mapping has dramid@ and letters D");
	if (at < 64 && p->divides) {
		p->divide_at = at;
		p->placed = true;
		p->chips = p->o->channels * p->o->pseudo_channels;
		p->width[F_PSEUDO] = chip_bits = 0;
	}
	for (uint32_t i = 0; at < 64 && i < chip_bits; i++)
		if (own_chip(p, at + i, i))
			return WCP_EUSAGE;
	for (uint32_t b = 0; b < 64; b++)
		if (own_letter(p, letter[b], b < at ? b : b + chip_bits, n))
			return WCP_EUSAGE;
	return 0;
}

/* Lines of other programs' traces. */
#include <string.h>
#include "warpdram.h"

const char *
format_name(enum format f)
{
	static const char *const name[] = {"auto", "stream", "ramulator1", "loadstore", "readwrite",
	    "dramsim3", "stl", "usimm", "din", "lackey"};
	return (unsigned)f < FORMAT_COUNT ? name[f] : "?";
}

static const char *
blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* A number in a base from 10 to 16, base 0: hexadecimal behind 0x, else decimal. NULL if there is
 * none or it does not fit. */
static const char *
number(const char *p, unsigned base, uint64_t *value)
{
	bool prefixed = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
	if (prefixed && base != 10) {
		p += 2;
		base = 16;
	}
	base = base ? base : 10;
	const char *begin = p;
	uint64_t n = 0;
	for (;; p++) {
		unsigned c = (unsigned char)*p, digit = c - '0';
		if (digit > 9)
			digit = (c | 32) - 'a' < 6 ? (c | 32) - 'a' + 10 : 99;
		if (digit >= base)
			break;
		if (n > (UINT64_MAX - digit) / base)
			return NULL;
		n = n * base + digit;
	}
	*value = n;
	return p > begin ? p : NULL;
}

/* One of two words, ended by a blank or the line's end. */
static const char *
word(const char *p, const char *no, const char *yes, bool *which)
{
	for (int i = 0; i < 2; i++) {
		const char *w = i ? yes : no;
		size_t n = strlen(w);
		if (!strncmp(p, w, n) && (!p[n] || p[n] == ' ' || p[n] == '\t')) {
			*which = i;
			return p + n;
		}
	}
	return NULL;
}

static bool
ends(const char *p)
{
	return p && !*blanks(p);
}

static bool
read_ramulator1(const char *p, struct record *r)
{
	if (p[0] != '0' || (p[1] | 32) != 'x' || !(p = number(p, 0, &r->address)))
		return false;
	return ends(word(blanks(p), "R", "W", &r->write));
}

static bool
read_loadstore(const char *p, struct record *r)
{
	p = word(p, "LD", "ST", &r->write);
	return p && ends(number(blanks(p), 0, &r->address));
}

/* channel, rank, [bank group,] bank, row, column */
static bool
read_readwrite(const char *p, struct record *r)
{
	uint64_t v[6];
	unsigned n = 0;
	p = word(p, "R", "W", &r->write);
	if (!p)
		return false;
	for (p = blanks(p); n < 6; p = blanks(p + 1)) {
		if (!(p = number(p, 0, &v[n])) || v[n] >= UINT32_MAX)
			return false;
		n++;
		p = blanks(p);
		if (*p != ',')
			break;
	}
	if (n < 5 || *p)
		return false;
	bool grouped = n == 6;
	r->placed = true;
	r->group = grouped ? (uint32_t)v[2] + 1 : 0;
	r->place = (struct wcp_dram_place){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2 + grouped],
	    (uint32_t)v[3 + grouped], (uint32_t)v[4 + grouped]};
	return true;
}

static bool
read_dramsim3(const char *p, struct record *r)
{
	if (!(p = number(p, 16, &r->address)) || !(p = word(blanks(p), "READ", "WRITE", &r->write)))
		return false;
	return ends(number(blanks(p), 10, &r->cycle));
}

/* "cycle:\t[(bytes) ]read|write\t0xADDR[\tdata]" */
static bool
read_stl(const char *p, struct record *r)
{
	uint64_t bytes = 0;
	if (!(p = number(p, 10, &r->cycle)) || *p != ':')
		return false;
	p = blanks(p + 1);
	if (*p == '(') {
		if (!(p = number(p + 1, 10, &bytes)) || *p != ')' || bytes > 1 << 20)
			return false;
		p = blanks(p + 1);
	}
	r->bytes = (uint32_t)bytes;
	if (!(p = word(p, "read", "write", &r->write)))
		return false;
	p = number(blanks(p), 0, &r->address);
	return p && (!*p || *p == ' ' || *p == '\t');
}

/* "gap R addr pc", "gap W addr" */
static bool
read_usimm(const char *p, struct record *r)
{
	uint64_t gap, pc;
	if (!(p = number(p, 10, &gap)) || !(p = word(blanks(p), "R", "W", &r->write)))
		return false;
	if (!(p = number(blanks(p), 0, &r->address)))
		return false;
	r->gap = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
	return ends(p) || ends(number(blanks(p), 0, &pc));
}

static bool
read_din(const char *p, struct record *r)
{
	uint64_t label;
	if (!(p = number(p, 10, &label)) || label > 2 || (*p != ' ' && *p != '\t'))
		return false;
	r->write = label == 1;
	return ends(number(blanks(p), 16, &r->address));
}

/* "I  addr,size", " L addr,size", " S", " M": a modification is a load and a store */
static bool
read_lackey(const char *p, struct record *r, bool *again)
{
	uint64_t size;
	char kind = *p;
	if (!kind || !strchr("ILSM", kind) || (p[1] != ' ' && p[1] != '\t'))
		return false;
	if (!(p = number(blanks(p + 1), 16, &r->address)) || *p != ',' ||
	    !ends(number(p + 1, 10, &size)) || size > 1 << 20)
		return false;
	r->bytes = (uint32_t)size;
	*again = kind == 'M' && !*again;
	r->write = kind == 'S' || (kind == 'M' && !*again);
	return true;
}

bool
format_line(enum format f, const char *line, struct record *r, bool *again)
{
	const char *p = blanks(line);
	if (f != FORMAT_LACKEY)
		*again = false;
	switch (f) {
	case FORMAT_RAMULATOR1: return read_ramulator1(p, r);
	case FORMAT_LOADSTORE: return read_loadstore(p, r);
	case FORMAT_READWRITE: return read_readwrite(p, r);
	case FORMAT_DRAMSIM3: return read_dramsim3(p, r);
	case FORMAT_STL: return read_stl(p, r);
	case FORMAT_USIMM: return read_usimm(p, r);
	case FORMAT_DIN: return read_din(p, r);
	case FORMAT_LACKEY: return read_lackey(p, r, again);
	case FORMAT_AUTO:
	case FORMAT_STREAM:
	case FORMAT_COUNT: break;
	}
	return false;
}

#include "genome.h"
#include <ctype.h>
#include <string.h>

enum { STREAM_GENOME = 300, STREAM_PLACE, STREAM_ERROR };

enum { OTHER = 4 };

static uint8_t
draw_base(uint64_t seed, uint64_t n)
{
	double u = random_unit(seed, n);
	return u < 0.32 ? 0 : u < 0.5 ? 1 : u < 0.68 ? 2 : 3;
}

/* One of the three others. */
static uint8_t
change(uint8_t base, uint64_t bits)
{
	return (uint8_t)((base + 1 + random_below(bits, 3)) % 4);
}

void
genome_draw(struct host *h, struct genome *g, uint32_t bases)
{
	uint64_t seed = random_at(host_seed(h), STREAM_GENOME), draw = 0;
	*g = (struct genome){host_memory(h, bases, 1), bases};
	for (uint32_t at = 0; g->base && at < bases;) {
		uint64_t bits = random_at(seed, draw++);
		uint32_t length = 64 + (uint32_t)(bits & 1023);
		bool copy = (bits >> 10) % 3 == 0 && at > 4096;
		uint32_t from =
		    copy ? (uint32_t)random_below(random_at(seed, draw++), at - length) : 0;
		for (uint32_t k = 0; k < length && at < bases; k++, at++) {
			uint64_t n = random_at(seed, draw++);
			if (!copy)
				g->base[at] = draw_base(seed, draw++);
			else
				g->base[at] =
				    n % 32 ? g->base[from + k] : change(g->base[from + k], n);
		}
	}
}

/* IUPAC letters; a gap or a stop is none. */
static int
base_of(int letter)
{
	static const char known[] = "ACGTURYKMSWBDHVN";
	letter = toupper(letter);
	const char *at = letter ? strchr(known, letter) : NULL;
	if (!at)
		return -1;
	return at - known < 4 ? (int)(at - known) : letter == 'U' ? 3 : OTHER;
}

static bool
load_line(
    struct host *h, struct genome *g, const char *path, uint64_t line, const char *text, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		int base = base_of((unsigned char)text[k]);
		if (base < 0 && !isspace((unsigned char)text[k])) {
			host_fail_at(h, path, line, "byte %zu is no base", k + 1);
			return false;
		}
		if (base >= 0)
			g->base[g->bases++] = (uint8_t)base;
	}
	return true;
}

static void
load_lines(struct host *h, struct genome *g, const char *path, const char *text, const char *end)
{
	for (uint64_t line = 1; text < end && !host_failed(h); line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text);
		bool header = *text == '>' || *text == ';';
		if (line == 1 && !header)
			host_fail_at(h, path, line, "a header wanted, which begins with >");
		else if (!header)
			load_line(h, g, path, line, text, n);
		text = stop ? stop + 1 : end;
	}
}

void
genome_load(struct host *h, struct genome *g, const char *path)
{
	uint64_t bytes = 0;
	const char *text = (const char *)host_read_file(h, path, &bytes);
	*g = (struct genome){text ? host_memory(h, bytes + 1, 1) : NULL, 0};
	if (!text || !g->base)
		return;
	if (bytes >= INT32_MAX)
		host_fail_at(h, path, 0, "the file has 2^31 bytes or more");
	load_lines(h, g, path, text, text + bytes);
	if (!host_failed(h) && g->bases == 0)
		host_fail_at(h, path, 0, "the file has no bases");
}

void
genome_reads(struct host *h, struct reads *r, const struct genome *g, uint32_t reads,
    uint32_t length, double errors)
{
	uint64_t places = random_at(host_seed(h), STREAM_PLACE),
		 seed = random_at(host_seed(h), STREAM_ERROR);
	*r = (struct reads){.base = host_memory(h, (uint64_t)reads * length, 1),
	    .place = host_memory(h, reads, sizeof *r->place),
	    .reads = reads,
	    .length = length};
	if (!r->base || !r->place)
		return;
	for (uint64_t k = 0; k < reads; k++) {
		r->place[k] = (uint32_t)random_below(random_at(places, k), g->bases - length + 1);
		for (uint64_t b = 0; b < length; b++) {
			uint64_t n = k * length + b;
			uint8_t base = g->base[r->place[k] + b];
			bool wrong = random_unit(seed, 2 * n) < errors && base < OTHER;
			r->base[n] = wrong ? change(base, random_at(seed, 2 * n + 1)) : base;
		}
	}
}

/*
 * usage: dram_map same COUNT   random memories, mappings of every form and addresses: the places of
 *                              wcp_dram_locate and those found bit by bit; runs; capacity
 *        dram_map all          small memories: every atom has a place of its own
 *        dram_map gpgpusim     masks of 6, 8 and 11 channels against the formula
 *        dram_map bad          texts that are no mappings, each with what is said about it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/map.h"
#include "dram/traffic.h"

static int failures;

static void
fail(const struct wcp_dram_config *c, uint64_t address, const char *what)
{
	if (failures++ < 10)
		printf(
		    "%s: %s at %#" PRIx64 ", hash %d\n", c->mapping, what, address, c->bank_hash);
}

static bool
same_place(const struct wcp_dram_place *a, const struct wcp_dram_place *b)
{
	return a->channel == b->channel && a->rank == b->rank && a->bank == b->bank &&
	       a->row == b->row && a->column == b->column;
}

/* ---- random mappings ------------------------------------------------------------------------ */

struct need {
	const char *name;
	unsigned bits;
};

static unsigned
needs(const struct wcp_dram_config *c, struct need *n, bool groups)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	bool power = !(o->channels & (o->channels - 1));
	unsigned count = 0;
	n[count++] = (struct need){"channel", power ? map_log2(o->channels) : 0};
	n[count++] = (struct need){"pseudo", map_log2(o->pseudo_channels)};
	n[count++] = (struct need){"rank", map_log2(o->ranks)};
	n[count++] = (struct need){"row", map_log2(o->rows)};
	n[count++] = (struct need){"column", map_log2(o->row_bytes / map_atom(c))};
	n[count++] = (struct need){"bank", map_log2(groups ? o->banks / o->bank_groups : o->banks)};
	if (groups)
		n[count++] = (struct need){"group", map_log2(o->bank_groups)};
	return count;
}

static void
swap(struct need *a, struct need *b)
{
	struct need x = *a;
	*a = *b;
	*b = x;
}

static void
random_fields(uint64_t *s, const struct wcp_dram_config *c, FILE *f)
{
	struct need n[8];
	unsigned count = needs(c, n, traffic_below(s, 2)), split = 0, low = 0;
	for (unsigned i = count; i > 1; i--)
		swap(&n[i - 1], &n[traffic_below(s, i)]);
	for (unsigned i = 0; i < count; i++) { /* the column in two: the part below it */
		bool column = !strcmp(n[i].name, "column") && n[i].bits > 1;
		if (column && traffic_below(s, 2)) {
			low = traffic_range(s, 1, n[i].bits - 1);
			split = traffic_range(s, i, count - 1);
		}
	}
	for (unsigned i = 0; i < count; i++) {
		bool one = !n[i].bits &&
			   (strcmp(n[i].name, "channel") != 0 || c->organisation.channels == 1);
		if (!one || traffic_below(s, 2))
			fprintf(f, "%s%s", ftell(f) ? " " : "", n[i].name);
		if (low && i == split)
			fprintf(f, " column:%u", low);
	}
}

static void
random_bits(uint64_t *s, const struct wcp_dram_config *c, FILE *f)
{
	struct need n[8];
	unsigned count = needs(c, n, traffic_below(s, 2)), bit[64], bits = 0, next = 0;
	unsigned atom = map_log2(map_atom(c));
	for (unsigned i = 0; i < count; i++)
		bits += n[i].bits;
	for (unsigned i = 0; i < bits; i++) {
		unsigned j = traffic_below(s, i + 1);
		bit[i] = bit[j];
		bit[j] = atom + i;
	}
	fprintf(f, "bits");
	for (unsigned i = 0; i < count; i++) {
		uint32_t channels = c->organisation.channels;
		bool divide = !strcmp(n[i].name, "channel") && (channels & (channels - 1));
		if (divide)
			fprintf(f, " channel=%u", traffic_range(s, atom, atom + bits));
		else if (n[i].bits)
			fprintf(f, " %s=", n[i].name);
		for (unsigned k = 0; k < n[i].bits; k++)
			fprintf(f, "%s%u", k ? "," : "", bit[next++]);
	}
}

static void
random_mask(uint64_t *s, const struct wcp_dram_config *c, FILE *f)
{
	const struct wcp_dram_organisation *o = &c->organisation;
	uint32_t chips = o->channels * o->pseudo_channels;
	bool named = chips & (chips - 1) || traffic_below(s, 2);
	unsigned atom = map_log2(map_atom(c)), n = 0;
	char kind[64];
	for (unsigned i = 0; i < map_log2(o->rows); i++)
		kind[n++] = "Rr"[traffic_below(s, 2)];
	for (unsigned i = 0; i < map_log2(o->banks); i++)
		kind[n++] = "Bb"[traffic_below(s, 2)];
	for (unsigned i = 0; i < map_log2(o->row_bytes) - atom; i++)
		kind[n++] = 'C';
	for (unsigned i = 0; !named && i < map_log2(chips); i++)
		kind[n++] = 'D';
	for (unsigned i = n; i > 1; i--) {
		unsigned j = traffic_below(s, i);
		char x = kind[i - 1];
		kind[i - 1] = kind[j];
		kind[j] = x;
	}
	if (traffic_below(s, 2))
		fprintf(f, "gpgpusim ");
	if (named)
		fprintf(f, "dramid@%u;", traffic_range(s, atom, atom + n));
	for (unsigned i = 0; i < 64; i++) {
		fputc(i < 64 - n - atom ? '0' : i < 64 - atom ? kind[i - (64 - n - atom)] : 'S', f);
		if (i % 8 == 7 && i < 63)
			fputc(".| "[traffic_below(s, 3)], f);
	}
}

/* A good mapping of a random form for the memory; the caller frees it. */
static char *
random_mapping(uint64_t *s, struct wcp_dram_config *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	uint32_t form = traffic_below(s, 6);
	unsigned columns = map_log2(c->organisation.row_bytes / map_atom(c));
	if (form == 5)
		c->organisation.ranks = 1;
	if (form == 0)
		fprintf(f, "page");
	else if (form == 1)
		fprintf(f, "line:%u", map_atom(c) << traffic_range(s, 0, columns));
	else if (form == 2 || form == 3)
		random_fields(s, c, f);
	else if (form == 4)
		random_bits(s, c, f);
	else
		random_mask(s, c, f);
	fclose(f);
	return text;
}

static struct wcp_dram_config
random_memory(uint64_t *s)
{
	static const uint32_t channels[] = {1, 2, 3, 4, 5, 6, 8, 11, 12, 16, 24};
	struct wcp_dram_config c = traffic_config(traffic_random(s) >> 32, "fcfs");
	c.organisation.channels = channels[traffic_below(s, 11)];
	c.timing.refresh = WCP_REFRESH_NONE;
	c.bank_hash = (enum wcp_dram_hash)traffic_below(s, 3);
	return c;
}

/* ---- same ----------------------------------------------------------------------------------- */

/* Atoms of one row that follow each other, from an address. */
static uint32_t
run_of(const struct map *m, uint64_t address, uint32_t max)
{
	struct wcp_dram_place first = map_locate(m, address);
	uint32_t n = 1;
	for (; n < max && address + (uint64_t)n * map_atom(m->c) < map_capacity(m->c); n++) {
		struct wcp_dram_place p = map_locate(m, address + (uint64_t)n * map_atom(m->c));
		p.column -= n;
		if (!same_place(&p, &first))
			break;
	}
	return n;
}

static void
check_address(const struct wcp_dram *d, const struct map *m, uint64_t address, uint32_t max)
{
	struct wcp_dram_place model, slow = map_locate(m, address);
	size_t which;
	if (wcp_dram_locate(d, &address, 1, &model, &which) < 0)
		fail(m->c, address, "no place");
	else if (!same_place(&model, &slow)) {
		fail(m->c, address, "places differ");
		if (failures < 5)
			printf("  channel %u %u rank %u %u bank %u %u row %u %u column %u %u\n",
			    model.channel, slow.channel, model.rank, slow.rank, model.bank,
			    slow.bank, model.row, slow.row, model.column, slow.column);
	}
	uint64_t atom = address % map_capacity(m->c) / map_atom(m->c) * map_atom(m->c);
	if (wcp_dram_address(d, &slow) != atom)
		fail(m->c, address, "place and address differ");
	if (address < map_capacity(m->c) &&
	    wcp_dram_run(d, address, max) != run_of(m, address, max))
		fail(m->c, address, "run differs");
}

static void
same_one(uint64_t *s)
{
	struct wcp_error e = {0};
	struct wcp_dram_config c = random_memory(s);
	char *text = random_mapping(s, &c);
	struct map m;
	c.mapping = text;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (!d || !map_new(&m, &c)) {
		fail(&c, 0, d ? "not known here" : e.text);
	} else {
		if (wcp_dram_capacity(d) != map_capacity(&c))
			fail(&c, wcp_dram_capacity(d), "capacity");
		for (int i = 0; i < 200; i++) {
			uint64_t address = traffic_random(s) >> traffic_below(s, 64);
			check_address(d, &m, address, traffic_range(s, 1, 70));
			check_address(d, &m, address % map_capacity(&c), traffic_range(s, 1, 70));
		}
	}
	wcp_dram_free(d);
	free(text);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void
all_one(uint64_t *s)
{
	struct wcp_error e = {0};
	struct wcp_dram_config c = random_memory(s);
	c.organisation.rows = 1u << traffic_range(s, 1, 3);
	char *text = random_mapping(s, &c);
	c.mapping = text;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	uint32_t atom = map_atom(&c), columns = c.organisation.row_bytes / atom;
	uint64_t atoms = map_capacity(&c) / atom;
	bool *seen = calloc(atoms, 1);
	for (uint64_t i = 0; d && i < atoms; i++) {
		struct wcp_dram_place p;
		uint64_t address = i * atom;
		wcp_dram_locate(d, &address, 1, &p, NULL);
		uint64_t at = p.channel;
		at = at * c.organisation.ranks + p.rank;
		at = at * c.organisation.banks + p.bank;
		at = at * c.organisation.rows + p.row;
		at = at * columns + p.column;
		if (at >= atoms || seen[at]) {
			fail(&c, address, at >= atoms ? "outside" : "a place twice");
			break;
		}
		seen[at] = true;
	}
	if (!d)
		fail(&c, 0, e.text);
	free(seen);
	wcp_dram_free(d);
	free(text);
}

/* ---- masks of GPGPU-Sim --------------------------------------------------------------------- */

static struct wcp_dram_config
gtx480(uint32_t channels, const char *mask)
{
	struct wcp_dram_config c = {{channels, 1, 1, 4, 16, 4096, 4096, 64, 8, 4}, {.t_ck_ns = 1},
	    mask, WCP_DRAM_HASH_NONE, WCP_BEYOND_FAIL,
	    {.read_queue = 16, .scheduler = "frfcfs", .requesters = 1}};
	c.timing.t_cl = c.timing.t_rcd = c.timing.t_rp = 12;
	c.timing.t_cwl = 4;
	c.timing.t_ras = 28;
	return c;
}

/* The GTX 480's mask by arithmetic: the address without its chip is
 * 0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS. */
static void
gpgpusim_one(uint64_t *s, uint32_t channels)
{
	struct wcp_error e;
	struct wcp_dram_config c = gtx480(channels, "dramid@8;00000000.00000000.00000000.00000000."
						    "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS");
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (!d) {
		fail(&c, channels, e.text);
		return;
	}
	for (int i = 0; i < 10000; i++) {
		uint64_t a = traffic_random(s) % map_capacity(&c), high = a >> 8;
		uint64_t rest = high / channels << 8 | (a & 255);
		uint32_t r = (uint32_t)rest;
		struct wcp_dram_place p, x = {.channel = (uint32_t)(high % channels),
					     .row = r >> 16,
					     .bank = (r >> 13 & 7) << 1 | (r >> 8 & 1),
					     .column = (r >> 9 & 15) << 2 | (r >> 6 & 3)};
		if (wcp_dram_locate(d, &a, 1, &p, NULL) < 0 || !same_place(&p, &x))
			fail(&c, a, "not where the formula has it");
	}
	uint64_t beyond[2] = {map_capacity(&c) - 1, map_capacity(&c)};
	struct wcp_dram_place p[2];
	size_t which = 7;
	if (wcp_dram_locate(d, beyond, 2, p, &which) >= 0 || which != 1)
		fail(&c, beyond[1], "beyond the capacity");
	wcp_dram_free(d);
}

/* ---- bad ------------------------------------------------------------------------------------ */

static int
bad(void)
{
	static const char *const text[] = {"", " ", "row", "rows bank group column channel",
	    "row bank column channel row", "row bank group column:9 column channel",
	    "row column:3 bank group column:9 channel", "row bank group column:0 channel",
	    "row bank group column: channel", "row bank group column:-1 column channel",
	    "row:3 bank group column channel", "row bank group column", "bits", "bits row=1",
	    "bits channel=8", "bits channel=8 column=6,7,9-12 bank=13-16 row=17-27",
	    "bits channel=8 column=6,7,9-12 bank=13-16 row=17-29",
	    "bits channel=8 column=6,7,9-12 bank=13-16 row=17-26,13",
	    "bits channel=8 column=6,7,9-12 bank=13-16,15 row=17-28",
	    "bits channel=8 column=6,7,9-12 bank=13-16 row=28-17",
	    "bits channel=8 column=5,7,9-12 bank=13-16 row=17-28",
	    "bits channel=8 column=6,7,9-12 bank=13-16 row=17-99999999999",
	    "bits channel=8 column=6,7,9-12 bank=13-16 row=17-28,", "bits channel=x",
	    "bits channel=8 8", "bits channel= column", "line:", "line:0", "line:63", "line:64x",
	    "line:32", "line:8192", "line:99999999999999999999", "line:-64", "page 1", "pages",
	    "gpgpusim", "gpgpusim ", "gpgpusim RRRR",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSS",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSSS",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSXS",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBCCCCB.CCSSSSSS",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCC0.CCSSSSSS",
	    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCD.CCSSSSSS",
	    "dramid@64;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
	    "dramid@3;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
	    "dramid@;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
	    "dramid@8", "dramid@8;",
	    "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
	    "row bank group column row channel", "row bank group column channel ranks",
	    "row bank group column channel 1"};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct wcp_error e = {0};
		struct wcp_dram_config c = gtx480(6, text[i]);
		struct wcp_dram *d = wcp_dram_new(&c, &e);
		printf("%s\t%s\n", text[i], d ? "taken" : e.text);
		failures += d || e.status != WCP_EUSAGE;
		wcp_dram_free(d);
	}
	return failures > 0;
}

int
main(int argc, char **argv)
{
	uint64_t s = 1;
	const char *more = getenv("DRAM_MAP");
	long times = (argc > 2 ? atol(argv[2]) : 300) * (more ? atol(more) : 1);
	const char *what = argc > 1 ? argv[1] : "";
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "bad"))
		return bad();
	if (!strcmp(what, "gpgpusim")) {
		gpgpusim_one(&s, 6);
		gpgpusim_one(&s, 8);
		gpgpusim_one(&s, 11);
	} else if (!strcmp(what, "same"))
		while (times-- > 0)
			same_one(&s);
	else if (!strcmp(what, "all"))
		while (times-- > 0)
			all_one(&s);
	else
		return 2;
	return failures > 0;
}

/*
 * usage: warpdram_slow MACHINE.conf window|stall N GAP <records
 * Records "CYCLE CORE ADDRESS load|store" of 128-byte lines, replayed as warpdram does with --clock
 * dram, but cycle by cycle and asking everybody every time. Prints the commands like --commands.
 * In mode stall N = 0 is no window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/machine.h"

enum { CORES = 8, MAX = 20000 };

struct line {
	uint64_t cycle, address, due, end;
	bool write, begun, issued;
	uint32_t part, done; /* requests pushed; served */
	uint32_t parts;
	struct wcp_dram_request q[2];
	uint32_t core;
};

static struct line line[MAX];
static uint32_t n_line, first[CORES]; /* the next of each core: index in line, MAX: none */
static uint32_t on_way[CORES];
static uint64_t start[CORES], shift[CORES];
static bool stall;
static uint32_t window;
static uint64_t gap;
static struct wcp_dram *dram;

static uint32_t
next_of(uint32_t core, uint32_t from)
{
	while (from < n_line && line[from].core != core)
		from++;
	return from < n_line ? from : MAX;
}

/* Cores are numbered as they come. */
static uint32_t
number_of(uint32_t core)
{
	static uint32_t known[CORES], n;
	for (uint32_t i = 0; i < n; i++)
		if (known[i] == core)
			return i;
	if (n == CORES)
		exit(2);
	known[n] = core;
	return n++;
}

static void
read_lines(void)
{
	char kind[16];
	while (
	    n_line < MAX && scanf("%" SCNu64 " %" SCNu32 " %" SCNx64 " %15s", &line[n_line].cycle,
				&line[n_line].core, &line[n_line].address, kind) == 4) {
		struct line *l = &line[n_line];
		l->write = kind[0] == 's';
		l->core = number_of(l->core);
		for (uint32_t i = 0; i < 2; i++) {
			uint64_t address = l->address + 64 * i;
			struct wcp_dram_request q = {
			    .handle = n_line, .bursts = 1, .write = l->write};
			struct wcp_dram_place *p = &q.place, *before = &l->q[0].place;
			if (wcp_dram_locate(dram, &address, 1, p, NULL) < 0)
				exit(3);
			if (i && p->channel == before->channel && p->rank == before->rank &&
			    p->bank == before->bank && p->row == before->row &&
			    p->column == before->column + 1)
				l->q[0].bursts = 2;
			else
				l->q[l->parts++] = q;
		}
		n_line++;
	}
}

static void
set_due(uint32_t core)
{
	if (first[core] == MAX)
		return;
	struct line *l = &line[first[core]];
	l->due = start[core];
	if (stall && l->cycle + shift[core] > l->due)
		l->due = l->cycle + shift[core];
}

/* Tries a core's first record at cycle t; did anything of it go on? */
static bool
try_core(uint32_t core, uint64_t t)
{
	struct line *l = &line[first[core]];
	if (!l->begun) {
		if (window && on_way[core] >= window)
			return false;
		l->begun = true;
		on_way[core]++;
		if (!stall)
			l->due = t;
	}
	uint32_t before = l->part;
	while (l->part < l->parts) {
		l->q[l->part].arrival = t;
		if (!wcp_dram_push(dram, &l->q[l->part]))
			return l->part > before;
		l->part++;
	}
	l->issued = true;
	shift[core] += t - l->due;
	start[core] = stall ? t : t + gap;
	first[core] = next_of(core, first[core] + 1);
	set_due(core);
	return true;
}

/* Who is due first, then who has the lower number; each that cannot go on is passed over. */
static void
issue_all(uint64_t t)
{
	bool stuck[CORES] = {false};
	for (;;) {
		uint32_t best = CORES;
		for (uint32_t c = 0; c < CORES; c++)
			if (first[c] != MAX && !stuck[c] && line[first[c]].due <= t &&
			    (best == CORES || line[first[c]].due < line[first[best]].due))
				best = c;
		if (best == CORES)
			return;
		uint32_t was = first[best];
		try_core(best, t);
		stuck[best] = first[best] == was;
	}
}

static uint32_t
collect(uint64_t t)
{
	uint32_t left = 0;
	struct wcp_dram_served done[8];
	size_t n;
	for (uint32_t c = 0; c < wcp_dram_channels(dram); c++) {
		wcp_dram_advance(dram, c, t);
		while ((n = wcp_dram_done(dram, c, done, 8, true)))
			for (size_t i = 0; i < n; i++) {
				struct line *l = &line[done[i].handle];
				l->done++;
				l->end = done[i].end > l->end ? done[i].end : l->end;
			}
	}
	for (uint32_t i = 0; i < n_line; i++) {
		struct line *l = &line[i];
		bool over = l->issued && l->done == l->parts;
		if (over && l->end == t)
			on_way[l->core]--;
		left += !over || l->end > t;
	}
	return left;
}

static void
print(void *arg, const struct wcp_dram_command *c)
{
	(void)arg;
	printf("%" PRIu64 "\t%u\t%s\t%u\t%u\t%u\t%u\t", c->cycle, c->channel,
	    wcp_dram_command_name((enum wcp_dram_command_kind)c->kind), c->rank, c->bank, c->row,
	    c->column);
	if (c->handle == UINT64_MAX)
		puts("-");
	else
		printf("%" PRIu64 "\n", c->handle);
}

int
main(int argc, char **argv)
{
	struct wcp_error e;
	struct wcp_dram_config config;
	if (argc != 5)
		return 2;
	struct wcp_machine *m = wcp_machine_open(argv[1], NULL, 0, &e);
	if (!m)
		return 2;
	stall = !strcmp(argv[2], "stall");
	window = (uint32_t)strtoul(argv[3], NULL, 10);
	gap = strtoull(argv[4], NULL, 10);
	wcp_machine_dram(m, &config);
	dram = wcp_dram_new(&config, &e);
	if (!dram)
		return 2;
	wcp_dram_on_command(dram, print, NULL);
	read_lines();
	for (uint32_t c = 0; c < CORES; c++) {
		first[c] = next_of(c, 0);
		set_due(c);
	}
	for (uint64_t t = 0; collect(t); t++)
		issue_all(t);
	wcp_dram_free(dram);
	wcp_machine_free(m);
	return 0;
}

/*
 * Streams of three kernels in which slots are used again, and a slow measurement of who evicts
 * whose lines: caches, tags and counts are searched from end to end.
 *
 *	intf_slow make SEED                             writes an ACCESS stream
 *	intf_slow SETS WAYS WRITE TAGS BY EPOCH <STREAM prints rows of warpintf's tables
 *
 * A row begins with its table's name: matrix; interfered as far as lost; list as SM, slot, VTA
 * hits, IRS, looks, agreements, most hits, list, counter; own, the hits of own L1Ds.
 *
 * WRITE is evict, through or back, for global memory. TAGS is a warp's victim tags, FIFO, 0 for
 * exact. BY is slot, warp or pc. Indices are modulo, replacement is LRU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "access_kit.h"
#include "reuse_naive.h"
#include "warpcap/stream.h"

enum {
	KERNELS = 3,
	CTAS = 12,
	WARPS = 4,
	SMS = 3,
	SLOTS = 8,
	PLACES = SMS * SLOTS,
	RECORDS = 6000,
	LINES = 4096,
	WARPS_ALL = KERNELS * CTAS * WARPS,
	PCS = 3,
	UNITS = WARPS_ALL * PCS
};
enum { EVICT, THROUGH, BACK };
enum { BY_SLOT, BY_WARP, BY_PC };

/* ---- making ---------------------------------------------------------------------------------- */

/* Two waves of CTAs a kernel, each CTA on its SM and in its half of the slots; a few come early. */
static void
put(struct wcp_access_batch *b, uint32_t i, uint64_t *random)
{
	static const uint8_t kind[8] = {
	    WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_STORE, WCP_LOAD, WCP_ATOMIC};
	uint64_t r = naive_random(random), u = naive_random(random);
	uint32_t at = b->n++, wave = i * KERNELS * 2 / RECORDS % 2;
	access_kit_record(b, at, i);
	b->kernel[at] = i * KERNELS / RECORDS;
	b->cta[at] = (uint32_t)(r >> 8) % (CTAS / 2) + ((r & 63) ? wave : 1) * (CTAS / 2);
	b->sm[at] = (uint16_t)(b->cta[at] % SMS);
	b->warp[at] = (uint16_t)((r >> 16) % WARPS);
	b->slot[at] = (uint16_t)(b->cta[at] / SMS % 2 * WARPS + b->warp[at]);
	b->pc[at] = (uint32_t)(r >> 24) % PCS;
	b->space[at] = (r >> 40) % 10 ? WCP_SPACE_GLOBAL : WCP_SPACE_LOCAL;
	uint64_t own = (uint64_t)b->cta[at] * WARPS + b->warp[at];
	b->line[at] = 128 * (u % 4 < 2	     ? own * 16 + (u >> 8) % 8
				: u % 4 == 2 ? 1000 + (i / 8 + (u >> 8) % 4) % 60
					     : 2000 + (u >> 8) % 100);
	b->kind[at] = kind[(r >> 48) % 8];
	b->flags[at] = (r >> 56) % 3 ? WCP_ACCESS_FIRST : 0;
}

/* ---- what there is --------------------------------------------------------------------------- */

struct who {
	uint32_t place, warp, unit;
	uint64_t line;
};

struct line {
	uint64_t number, used; /* used 0: not there */
	struct who owner;
};

struct cache {
	struct line line[256]; /* [sets][ways] */
};

struct tag {
	uint64_t number;
	struct who by;
};

/* A line that a warp has brought into its place. */
struct brought {
	uint32_t place;
	uint64_t number;
	struct who who, evictor;
	bool lost;
};

static uint32_t sets, ways, tags, by, epoch;
static int write_policy;
static struct cache l1[SMS], own[PLACES];
static struct tag vta[PLACES][64]; /* the latest first */
static uint32_t n_vta[PLACES];
static struct brought brought[RECORDS];
static uint32_t n_brought;
static uint64_t now, own_hits;
static uint32_t occupant[PLACES];
static uint64_t evictions[UNITS][UNITS], hits[UNITS][UNITS], unit[UNITS][3];

static struct line *
find(struct cache *c, uint64_t number)
{
	struct line *set = c->line + number % sets * ways;
	for (uint32_t w = 0; w < ways; w++)
		if (set[w].used && set[w].number == number)
			return &set[w];
	return NULL;
}

enum result { HIT, MISS, PASSED };

/* An access; what had to go is left in *gone. */
static enum result
play(struct cache *c, const struct who *who, unsigned kind, bool local, struct line *gone)
{
	struct line *l = find(c, who->line);
	int p = local ? BACK : write_policy;
	now++;
	*gone = (struct line){0};
	if (kind != WCP_LOAD && p != BACK) {
		if (l)
			l->used = p == EVICT || kind == WCP_ATOMIC ? 0 : now;
		return PASSED;
	}
	if (l) {
		l->used = now;
		return HIT;
	}
	l = c->line + who->line % sets * ways;
	for (uint32_t w = 1; w < ways; w++)
		if (c->line[who->line % sets * ways + w].used < l->used)
			l = &c->line[who->line % sets * ways + w];
	*gone = *l;
	*l = (struct line){who->line, now, *who};
	return MISS;
}

static struct brought *
brought_of(const struct who *who)
{
	uint32_t i = 0;
	while (i < n_brought && (brought[i].place != who->place || brought[i].number != who->line))
		i++;
	if (i == n_brought)
		brought[n_brought++] = (struct brought){.place = who->place, .number = who->line};
	return &brought[i];
}

/* ---- epochs ---------------------------------------------------------------------------------- */

struct entry {
	uint64_t all, hits, looks, agrees, last_hits;
	int list, last_list;
	unsigned counter, last_counter;
	double raw, irs;
	bool active;
};
static struct entry entry[PLACES];
static uint64_t by_place[PLACES][PLACES]; /* [interfering][interfered] in this kernel */
static uint32_t insns[SMS], epoch_insns[SMS];
static uint64_t kernel_insns;

static uint64_t
most_of(uint32_t place)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < PLACES; i++)
		most = by_place[i][place] > most ? by_place[i][place] : most;
	return most;
}

static void
end_epoch(uint32_t sm)
{
	double active = 0;
	for (uint32_t p = sm * SLOTS; p < (sm + 1) * SLOTS; p++)
		active += entry[p].active;
	for (uint32_t p = sm * SLOTS; p < (sm + 1) * SLOTS; p++) {
		struct entry *e = &entry[p];
		double raw = (double)e->hits * active / insns[sm];
		if (e->active || e->hits)
			e->raw = raw > e->raw ? raw : e->raw;
		e->active = false;
		if (!most_of(p))
			continue;
		e->looks++;
		e->agrees += by_place[e->list][p] == most_of(p);
	}
	epoch_insns[sm] = 0;
}

static void
note(uint32_t place, uint32_t other)
{
	struct entry *e = &entry[place];
	e->all++;
	e->hits++;
	by_place[other][place]++;
	if (e->list < 0)
		e->list = (int)other;
	else if (e->list == (int)other)
		e->counter = e->counter == 3 ? 3 : e->counter + 1;
	else if (e->counter > 0)
		e->counter--;
	else
		e->list = (int)other;
}

static void
forget(void)
{
	for (uint32_t p = 0; p < PLACES; p++) {
		struct entry *e = &entry[p];
		e->list = -1;
		e->counter = 0;
		e->hits = 0;
		e->raw = -1;
		e->active = false;
		occupant[p] = UINT32_MAX;
	}
	memset(by_place, 0, sizeof by_place);
	memset(insns, 0, sizeof insns);
	memset(epoch_insns, 0, sizeof epoch_insns);
	memset(l1, 0, sizeof l1);
	memset(own, 0, sizeof own);
	memset(n_vta, 0, sizeof n_vta);
	n_brought = 0;
	kernel_insns = 0;
}

static void
end_kernel(const struct wcp_kernel_end *end)
{
	double each = (double)end->warp_insns / (double)kernel_insns;
	for (uint32_t sm = 0; sm < SMS; sm++)
		if (epoch_insns[sm])
			end_epoch(sm);
	for (uint32_t p = 0; p < PLACES; p++) {
		struct entry *e = &entry[p];
		if (e->raw >= 0 && e->raw / each > e->irs)
			e->irs = e->raw / each;
		if (!most_of(p))
			continue;
		e->last_hits = most_of(p);
		e->last_list = e->list % SLOTS;
		e->last_counter = e->counter;
	}
	forget();
}

/* ---- an access ------------------------------------------------------------------------------- */

static void
missed(const struct who *who)
{
	struct brought *b = brought_of(who);
	bool found = false;
	struct who culprit = b->evictor;
	bool lost = b->lost && b->who.warp == who->warp;
	unit[who->unit][2] += lost;
	for (uint32_t i = 0; tags && i < n_vta[who->place] && !found; i++) {
		found = vta[who->place][i].number == who->line;
		culprit = vta[who->place][i].by;
	}
	if (tags ? found : lost) {
		hits[culprit.unit][who->unit]++;
		note(who->place, culprit.place);
	}
	b->who = *who;
	b->lost = false;
}

static void
evicted(const struct line *gone, const struct who *who)
{
	struct brought *b = brought_of(&gone->owner);
	struct tag *tag = vta[gone->owner.place];
	uint32_t *n = &n_vta[gone->owner.place], i = 0;
	b->lost = true;
	b->evictor = *who;
	evictions[who->unit][gone->owner.unit]++;
	if (!tags)
		return;
	while (i < *n && tag[i].number != gone->number)
		i++;
	if (i == *n && *n < tags)
		++*n;
	memmove(tag + 1, tag, (i < *n ? i : *n - 1) * sizeof *tag);
	tag[0] = (struct tag){gone->number, *who};
}

static void
one(const struct wcp_access_batch *b, uint32_t i)
{
	uint32_t sm = b->sm[i], place = sm * SLOTS + b->slot[i],
		 warp = (b->kernel[i] * CTAS + b->cta[i]) * WARPS + b->warp[i];
	struct who who = {.place = place,
	    .warp = warp,
	    .unit = by == BY_SLOT   ? b->slot[i]
		    : by == BY_WARP ? warp
				    : b->kernel[i] * PCS + b->pc[i],
	    .line = b->line[i] / 128};
	struct line gone;
	bool local = b->space[i] == WCP_SPACE_LOCAL;
	if (occupant[place] != warp)
		n_vta[place] = 0;
	occupant[place] = warp;
	if (b->flags[i] & WCP_ACCESS_FIRST) {
		if (epoch_insns[sm] == epoch)
			end_epoch(sm);
		insns[sm]++;
		epoch_insns[sm]++;
		kernel_insns++;
		entry[place].active = true;
	}
	own_hits += play(&own[place], &who, b->kind[i], local, &gone) == HIT;
	enum result r = play(&l1[sm], &who, b->kind[i], local, &gone);
	unit[who.unit][0] += r != PASSED;
	unit[who.unit][1] += r == MISS;
	if (r == MISS)
		missed(&who);
	if (gone.used)
		evicted(&gone, &who);
}

/* ---- printing -------------------------------------------------------------------------------- */

static void
label(uint32_t u)
{
	if (by == BY_SLOT)
		printf("\t%" PRIu32, u);
	else if (by == BY_WARP)
		printf("\t%" PRIu32 "/%" PRIu32 "/%" PRIu32, u / WARPS / CTAS, u / WARPS % CTAS,
		    u % WARPS);
	else
		printf("\t%" PRIu32 ":k:%" PRIu32, u / PCS, u % PCS);
}

static void
print(void)
{
	for (uint32_t i = 0; i < UNITS; i++) {
		for (uint32_t k = 0; k < UNITS; k++) {
			if (!evictions[i][k] && !hits[i][k])
				continue;
			printf("matrix");
			label(i);
			label(k);
			printf("\t%" PRIu64 "\t%" PRIu64 "\n", evictions[i][k], hits[i][k]);
		}
		if (!unit[i][0])
			continue;
		printf("interfered");
		label(i);
		printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", unit[i][0], unit[i][1],
		    unit[i][2]);
	}
	for (uint32_t p = 0; p < PLACES; p++) {
		const struct entry *e = &entry[p];
		printf("list\t%u\t%u\t%" PRIu64 "\t%.6f\t%" PRIu64 "\t%" PRIu64, p / SLOTS,
		    p % SLOTS, e->all, e->irs, e->looks, e->agrees);
		printf("\t%" PRIu64 "\t%d\t%u\n", e->last_hits, e->last_list, e->last_counter);
	}
	printf("own\t%" PRIu64 "\n", own_hits);
}

static void
take(const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		one(b, i);
}

static int
measure(char **argv)
{
	static const char *const policy[] = {"evict", "through", "back"};
	static const char *const units[] = {"slot", "warp", "pc"};
	sets = (uint32_t)atoi(argv[1]);
	ways = (uint32_t)atoi(argv[2]);
	while (strcmp(policy[write_policy], argv[3]))
		write_policy++;
	tags = (uint32_t)atoi(argv[4]);
	while (strcmp(units[by], argv[5]))
		by++;
	epoch = (uint32_t)atoi(argv[6]);
	forget();
	int status = access_kit_read("intf_slow", take, end_kernel);
	if (!status)
		print();
	return status;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "make"))
		return access_kit_make(
		    "intf_slow", KERNELS, CTAS, WARPS, RECORDS, put, strtoull(argv[2], NULL, 0));
	if (argc == 7)
		return measure(argv);
	fputs("usage: intf_slow make SEED | SETS WAYS WRITE TAGS BY EPOCH\n", stderr);
	return 2;
}

/*
 * Streams of three kernels to look for locality in, and a slow measurement of it: every line of
 * every cache is looked for one by one.
 *
 *	local_slow make SEED                                      writes an ACCESS stream
 *	local_slow L1SETS L1WAYS L1WRITE L2SETS L2WAYS <STREAM    prints the rows of warplocal's
 *	            tables "locality" (without the ratio) and "lost" (without the share)
 *
 * L1WRITE is through, evict, back or validate for global memory; local memory is always written
 * back. L2 is written back. Indices are modulo, replacement is LRU, L1s are emptied with a kernel.
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
	CTAS = 6,
	WARPS = 4,
	SMS = 3,
	RECORDS = 6000,
	MAX_LINES = 4096,
	CLASSES = 6,
	SCOPES = 5
};
enum { THROUGH, EVICT, BACK, VALIDATE };

/* ---- making ---------------------------------------------------------------------------------- */

static void
put(struct wcp_access_batch *b, uint32_t i, uint64_t *random)
{
	static const uint8_t kind[8] = {
	    WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_LOAD, WCP_PREFETCH, WCP_STORE, WCP_STORE, WCP_ATOMIC};
	uint64_t r = naive_random(random), u = naive_random(random);
	uint32_t at = b->n++;
	access_kit_record(b, at, i);
	b->kernel[at] = i * KERNELS / RECORDS;
	b->cta[at] = (uint32_t)(r >> 8) % CTAS;
	b->sm[at] = (uint16_t)(b->cta[at] % SMS);
	b->warp[at] = (uint16_t)(r >> 16) % WARPS;
	b->space[at] = (r >> 40) % 10 ? WCP_SPACE_GLOBAL : WCP_SPACE_LOCAL;
	uint64_t own = (uint64_t)b->cta[at] * WARPS + b->warp[at];
	b->line[at] = 128 * (b->space[at] == WCP_SPACE_LOCAL ? 1 << 20 | (own * 4 + u % 4)
				: u % 4 < 2		     ? own * 16 + (u >> 8) % 16
				: u % 4 == 2		     ? 1000 + (i / 8 + (u >> 8) % 4) % 200
							     : 2000 + (u >> 8) % 300);
	b->sectors[at] = 1;
	b->lanes[at] = 1u << (u >> 32) % 4 | 1u << (u >> 40) % 4;
	b->kind[at] = kind[(r >> 48) % 8];
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct who {
	bool known;
	uint32_t kernel, cta, warp, sm, lanes;
};

struct line {
	uint64_t number;
	uint64_t used; /* when, 0: not there */
	bool dirty, local;
};

struct cache {
	uint32_t sets, ways;
	struct line line[MAX_LINES]; /* [sets][ways] */
};

static struct cache l1[SMS], full[SMS], ever[SMS], l2, ever2;
static struct memory { /* by line: who touched it last, where, and who drove it out */
	uint64_t number[MAX_LINES];
	struct who all[MAX_LINES], at[SMS][MAX_LINES], at_l2[MAX_LINES], evictor[SMS][MAX_LINES];
	uint32_t n;
} memory;
static uint64_t now, count[SCOPES][2 + CLASSES], lost[2][5];
static int write_policy;

static uint32_t
number_of(uint64_t line)
{
	uint32_t i = 0;
	while (i < memory.n && memory.number[i] != line)
		i++;
	if (i == memory.n)
		memory.number[memory.n++] = line;
	return i;
}

static struct line *
find(struct cache *c, uint64_t number)
{
	struct line *set = c->line + number % c->sets * c->ways;
	for (uint32_t w = 0; w < c->ways; w++)
		if (set[w].used && set[w].number == number)
			return &set[w];
	return NULL;
}

/* Brings a line in; what had to go, where something had to, is left in *gone. */
static struct line *
bring(struct cache *c, uint64_t number, struct line *gone)
{
	struct line *set = c->line + number % c->sets * c->ways, *least = set;
	for (uint32_t w = 0; w < c->ways; w++)
		least = set[w].used < least->used ? &set[w] : least;
	*gone = *least;
	*least = (struct line){.number = number};
	return least;
}

struct step {
	bool hit, passes; /* as a load of the line if it fetches */
	bool fetches;
	struct line gone; /* used: a line was driven out */
};

static struct step
play(struct cache *c, uint64_t number, unsigned kind, bool local, int policy)
{
	struct line *l = find(c, number);
	struct step s = {.hit = l};
	int p = local ? BACK : policy;
	bool write = kind == WCP_STORE || kind == WCP_WRITEBACK, atomic = kind == WCP_ATOMIC,
	     keeps = p == BACK || p == VALIDATE;
	now++;
	if ((write || atomic) && !keeps) {
		s.passes = true;
		if (l)
			l->used = p == EVICT || atomic ? 0 : now;
		return s;
	}
	s.fetches = s.passes =
	    !l && !(kind == WCP_WRITEBACK || (kind == WCP_STORE && p == VALIDATE));
	if (!l)
		l = bring(c, number, &s.gone);
	l->used = now;
	l->dirty |= write || atomic;
	l->local = local;
	return s;
}

static int
class_of(const struct who *a, const struct who *b)
{
	if (a->kernel != b->kernel)
		return 5;
	if (a->cta == b->cta)
		return a->warp != b->warp ? 2 : a->lanes & b->lanes ? 0 : 1;
	return a->sm == b->sm ? 3 : 4;
}

static void
add(int scope, const struct who *before, const struct who *who, bool hit)
{
	count[scope][0]++;
	count[scope][1] += hit;
	if (hit)
		count[scope][2 + class_of(before, who)]++;
}

static void
below(uint64_t number, unsigned kind, bool local, const struct who *who)
{
	uint32_t n = number_of(number);
	struct step a = play(&l2, number, kind, local, BACK),
		    b = play(&ever2, number, kind, local, BACK);
	if (kind == WCP_WRITEBACK) {
		if (!memory.at_l2[n].known)
			memory.at_l2[n] = *who;
		return;
	}
	add(3, &memory.at_l2[n], who, b.hit);
	add(4, &memory.at_l2[n], who, a.hit);
	memory.at_l2[n] = *who;
}

static void
write_back(uint32_t sm, const struct line *l)
{
	below(l->number, WCP_WRITEBACK, l->local, &memory.at[sm][number_of(l->number)]);
}

static int
culprit_of(const struct who *evictor, const struct who *who)
{
	static const int by_class[CLASSES] = {0, 0, 1, 2, 2, 3};
	return evictor->known ? by_class[class_of(evictor, who)] : 4;
}

static void
one(uint64_t number, unsigned kind, bool local, const struct who *who)
{
	uint32_t n = number_of(number), sm = who->sm;
	struct who *at = &memory.at[sm][n];
	add(0, &memory.all[n], who, memory.all[n].known);
	memory.all[n] = *who;
	struct step bounded = play(&l1[sm], number, kind, local, write_policy);
	struct step whole = play(&full[sm], number, kind, local, write_policy);
	struct step unbounded = play(&ever[sm], number, kind, local, write_policy);
	add(1, at, who, unbounded.hit);
	add(2, at, who, bounded.hit);
	if ((kind == WCP_LOAD || kind == WCP_PREFETCH) && unbounded.hit && !bounded.hit)
		lost[!whole.hit][culprit_of(&memory.evictor[sm][n], who)]++;
	if (find(&l1[sm], number))
		memory.evictor[sm][n].known = false;
	*at = *who;
	if (bounded.gone.used)
		memory.evictor[sm][number_of(bounded.gone.number)] = *who;
	if (bounded.passes)
		below(
		    number, bounded.fetches && kind != WCP_PREFETCH ? WCP_LOAD : kind, local, who);
	if (bounded.gone.used && bounded.gone.dirty)
		write_back(sm, &bounded.gone);
}

static void
take(const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		one(b->line[i] / 128, b->kind[i], b->space[i] == WCP_SPACE_LOCAL,
		    &(struct who){
			true, b->kernel[i], b->cta[i], b->warp[i], b->sm[i], b->lanes[i]});
}

static void
empty(const struct wcp_kernel_end *end)
{
	(void)end;
	for (uint32_t s = 0; s < SMS; s++) {
		for (uint32_t i = 0; i < l1[s].sets * l1[s].ways; i++) {
			if (l1[s].line[i].used && l1[s].line[i].dirty)
				write_back(s, &l1[s].line[i]);
			l1[s].line[i] = (struct line){0};
		}
		memset(full[s].line, 0, sizeof full[s].line);
		memset(ever[s].line, 0, sizeof ever[s].line);
	}
}

static void
print(void)
{
	static const char *const scope[] = {
	    "reuse", "l1_unbounded", "l1_bounded", "l2_unbounded", "l2_bounded"};
	for (int s = 0; s < SCOPES; s++) {
		printf("%s", scope[s]);
		for (int i = 0; i < 2 + CLASSES; i++)
			printf("\t%" PRIu64, count[s][i]);
		puts("");
	}
	for (int l = 0; l < 2; l++) {
		uint64_t all = 0;
		for (int i = 0; i < 5; i++)
			all += lost[l][i];
		printf("%s\t%" PRIu64, l ? "capacity" : "conflict", all);
		for (int i = 0; i < 5; i++)
			printf("\t%" PRIu64, lost[l][i]);
		puts("");
	}
}

static void
set_up(char **argv)
{
	static const char *const policy[] = {"through", "evict", "back", "validate"};
	for (uint32_t s = 0; s < SMS; s++) {
		l1[s].sets = (uint32_t)atoi(argv[1]);
		l1[s].ways = (uint32_t)atoi(argv[2]);
		full[s].sets = ever[s].sets = 1;
		full[s].ways = l1[s].sets * l1[s].ways;
		ever[s].ways = MAX_LINES;
	}
	while (strcmp(policy[write_policy], argv[3]))
		write_policy++;
	l2.sets = (uint32_t)atoi(argv[4]);
	l2.ways = (uint32_t)atoi(argv[5]);
	ever2.sets = 1;
	ever2.ways = MAX_LINES;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "make"))
		return access_kit_make(
		    "local_slow", KERNELS, CTAS, WARPS, RECORDS, put, strtoull(argv[2], NULL, 0));
	if (argc != 6) {
		fputs(
		    "usage: local_slow make SEED | L1SETS L1WAYS L1WRITE L2SETS L2WAYS\n", stderr);
		return 2;
	}
	set_up(argv);
	int status = access_kit_read("local_slow", take, empty);
	if (!status)
		print();
	return status;
}

/*
 * Streams with children to measure reuse ratios on, and a slow measurement of them: every unit is
 * compared with every other, record by record.
 *
 *	ratio_slow make SEED            writes an ACCESS stream
 *	ratio_slow LEVEL <STREAM        prints of that level the reuse ratios' rows without means,
 *then "reuse" rows, "chains" and "pairs", tab-separated
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "access_kit.h"
#include "reuse_naive.h"
#include "warpcap/stream.h"

enum { KERNELS = 14, CTAS = 4, WARPS = 3, RECORDS = 1500, MAX = 100000, BINS = 10 };
enum relation { SELF, WITHIN, PARENT_CHILD, SIBLING, RELATIONS };

static const char *const name[3][RELATIONS] = {{"self", NULL, "parent-child", "sibling"},
    {"self", "intra-kernel", "parent-child", "sibling"}, {"intra-warp", "inter-warp", NULL, NULL}};
static const char *const level_name[3] = {"kernel", "cta", "warp"};

static int
fail(const struct wcp_error *e)
{
	fprintf(stderr, "ratio_slow: %s\n", e->text);
	return -e->status;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int
write_kernels(struct wcp_writer *w, uint64_t *random, struct wcp_error *e)
{
	struct wcp_insn insn = {.op_class = WCP_OP_LAUNCH,
	    .target = WCP_NONE32,
	    .reconverge = WCP_NONE32,
	    .file = WCP_NONE32};
	struct wcp_program p = {
	    .name = "p", .n_insn = 1, .insn = &insn, .n_string = 1, .strings = ""};
	if (wcp_writer_program(w, &p, e) < 0)
		return -1;
	for (uint32_t i = 0; i < KERNELS; i++) {
		uint64_t r = naive_random(random);
		struct wcp_kernel k = {.id = i,
		    .name = "k",
		    .grid = {CTAS, 1, 1},
		    .block = {32 * WARPS, 1, 1},
		    .parent = WCP_NONE32};
		if (i && r % 5) {
			k.parent = (r >> 8) % 3 ? 0 : (uint32_t)(r >> 16) % i;
			k.parent_cta = (uint32_t)(r >> 32) % 3;
			k.depth = 1;
		}
		if (wcp_writer_kernel(w, &k, e) < 0)
			return -1;
	}
	return 0;
}

static void
put(struct wcp_access_batch *b, uint32_t i, uint64_t *random)
{
	uint64_t r = naive_random(random), u = naive_random(random);
	uint32_t at = b->n++, kernel = (uint32_t)r % KERNELS;
	access_kit_record(b, at, i);
	b->kernel[at] = kernel;
	b->cta[at] = (uint32_t)(r >> 8) % CTAS;
	b->warp[at] = (uint16_t)(r >> 16) % WARPS;
	/* a line of the warp, of the kernel, of all; some that every unit touches */
	uint64_t own = (kernel * CTAS + b->cta[at]) * WARPS + b->warp[at];
	b->line[at] = 128 * (u % 8 == 0	    ? 1 + (u >> 8) % 2
				: u % 8 < 3 ? 10000 + own * 8 + (u >> 8) % 8
				: u % 8 < 6 ? 20000 + kernel / 2 * 40 + (u >> 8) % 40
					    : 30000 + (u >> 8) % 300);
	b->space[at] = (r >> 40) % 12  ? WCP_SPACE_GLOBAL
		       : (r >> 48) % 2 ? WCP_SPACE_SHARED
				       : WCP_SPACE_LOCAL;
}

static int
make(uint64_t seed)
{
	struct wcp_error e;
	struct wcp_write_options o = {.level = 1};
	struct wcp_writer *w = wcp_writer_open("-", WCP_LINK_ACCESS, &o, &e);
	struct wcp_access_batch b;
	wcp_access_batch_init(&b);
	if (!w || write_kernels(w, &seed, &e) < 0 || wcp_access_batch_reserve(&b, RECORDS) < 0)
		return fail(&e);
	for (uint32_t i = 0; i < RECORDS; i++)
		put(&b, i, &seed);
	if (wcp_writer_access(w, &b, &e) < 0)
		return fail(&e);
	wcp_access_batch_release(&b);
	return wcp_writer_close(w, 0, &e) < 0 ? fail(&e) : 0;
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct record {
	uint32_t unit[3]; /* by level: kernel, its CTA, its warp */
	uint64_t line;
	uint32_t number; /* of the line's first record */
};
static struct record record[MAX];
static uint32_t n_record;
static struct {
	uint32_t parent, cta;
} kernel[KERNELS];
static bool touches[KERNELS * CTAS * WARPS][RECORDS]; /* [unit][line's number] */
static uint32_t up[KERNELS * CTAS * WARPS], size[KERNELS * CTAS * WARPS], n_unit;

static void
take(const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		if (b->space[i] == WCP_SPACE_SHARED)
			continue;
		uint32_t k = b->kernel[i], c = k * CTAS + b->cta[i];
		record[n_record++] = (struct record){{k, c, c * WARPS + b->warp[i]},
		    b->line[i] / 128 + (b->space[i] == WCP_SPACE_LOCAL ? (k + 1) * 1000000ull : 0),
		    0};
	}
}

static void
number_lines(uint32_t level)
{
	for (uint32_t i = 0; i < n_record; i++) {
		uint32_t k = 0;
		while (record[k].line != record[i].line)
			k++;
		record[i].number = k;
		touches[record[i].unit[level]][k] = true;
		size[record[i].unit[level]]++;
	}
}

static enum relation
relation_of(uint32_t level, uint32_t x, uint32_t y)
{
	uint32_t per = level == 0 ? 1 : level == 1 ? CTAS : CTAS * WARPS, a = x / per, b = y / per;
	if (x == y)
		return SELF;
	if (a == b)
		return WITHIN;
	if (level == 2)
		return RELATIONS;
	if (kernel[a].parent == b && (level == 0 || y == b * CTAS + kernel[a].cta))
		return PARENT_CHILD;
	bool siblings = kernel[a].parent != WCP_NONE32 && kernel[a].parent == kernel[b].parent &&
			kernel[a].cta == kernel[b].cta;
	return siblings ? SIBLING : RELATIONS;
}

static uint32_t
shared_by(uint32_t level, uint32_t x, uint32_t y, uint32_t *any, enum relation r)
{
	uint32_t n = 0;
	bool seen[RECORDS] = {0};
	for (uint32_t i = 0; i < n_record; i++) {
		uint32_t line;
		if (record[i].unit[level] != x)
			continue;
		line = record[i].number;
		bool counts = r == SELF ? seen[line] : touches[y][line];
		seen[line] = true;
		n += counts;
		any[i] |= counts ? 1u << r : 0;
	}
	return n;
}

static uint32_t
root(uint32_t x)
{
	while (up[x] != x)
		x = up[x];
	return x;
}

static void
unit_text(char *text, uint32_t level, uint32_t x)
{
	if (level == 0)
		sprintf(text, "%u", x);
	else if (level == 1)
		sprintf(text, "%u\t%u", x / CTAS, x % CTAS);
	else
		sprintf(text, "%u\t%u\t%u", x / CTAS / WARPS, x / WARPS % CTAS, x % WARPS);
}

static void
print_chains(uint32_t level)
{
	uint32_t length[KERNELS * CTAS * WARPS] = {0}, chains = 0, longest = 0, linked = 0;
	for (uint32_t x = 0; x < n_unit; x++)
		length[root(x)] += size[x] > 0;
	for (uint32_t x = 0; x < n_unit; x++) {
		chains += length[x] > 0;
		linked += length[x] > 1;
		longest = length[x] > longest ? length[x] : longest;
	}
	printf("chains\t%s\t%u\t%u\t%u\n", level_name[level], chains, longest, linked);
}

static void
measure(uint32_t level)
{
	uint32_t count[RELATIONS][3 + BINS] = {{0}};
	static uint32_t any[MAX];
	n_unit = level == 0 ? KERNELS : level == 1 ? KERNELS * CTAS : KERNELS * CTAS * WARPS;
	number_lines(level);
	for (uint32_t x = 0; x < n_unit; x++)
		up[x] = x;
	for (uint32_t x = 0; x < n_unit; x++) {
		for (uint32_t y = 0; y < n_unit; y++) {
			enum relation r = relation_of(level, x, y);
			if (!size[x] || !size[y] || r == RELATIONS)
				continue;
			uint32_t n = shared_by(level, x, y, any, r), *c = count[r];
			bool high = n * 10 > size[x] * 4;
			c[0]++;
			c[1] += !n;
			c[2] += high;
			c[3 + (n == size[x] ? BINS - 1 : n * BINS / size[x])]++;
			if (high && root(x) != root(y))
				up[root(x)] = root(y);
			char a[64], b[64];
			unit_text(a, level, x);
			unit_text(b, level, y);
			if (n)
				printf("pairs\t%s\t%s\t%s\t%u\t%u\n", name[level][r], a, b, n,
				    size[x]);
		}
	}
	for (enum relation r = SELF; r < RELATIONS; r++) {
		uint32_t reused = 0;
		if (!name[level][r])
			continue;
		printf("ratio\t%s\t%s", level_name[level], name[level][r]);
		for (uint32_t i = 0; i < 3 + BINS; i++)
			printf("\t%u", count[r][i]);
		for (uint32_t i = 0; i < n_record; i++)
			reused += any[i] >> r & 1;
		printf("\nreuse\t%s\t%s\t%u\n", level_name[level], name[level][r], reused);
	}
	print_chains(level);
}

int
main(int argc, char **argv)
{
	struct wcp_error e;
	struct wcp_item item;
	int more = -1;
	if (argc == 3 && !strcmp(argv[1], "make"))
		return make(strtoull(argv[2], NULL, 0));
	uint32_t level = 0;
	while (argc == 2 && level < 3 && strcmp(argv[1], level_name[level]))
		level++;
	if (argc != 2 || level == 3) {
		fputs("usage: ratio_slow make SEED | kernel|cta|warp\n", stderr);
		return 2;
	}
	struct wcp_reader *r = wcp_reader_open("-", NULL, &e);
	if (!r)
		return fail(&e);
	while ((more = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_ACCESS)
			take(item.access);
		if (item.type == WCP_ITEM_KERNEL) {
			kernel[item.kernel->id].parent = item.kernel->parent;
			kernel[item.kernel->id].cta = item.kernel->parent_cta;
		}
	}
	wcp_reader_close(r);
	if (more < 0)
		return fail(&e);
	measure(level);
	return 0;
}

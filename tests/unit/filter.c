/*
 * The filter compiler against an evaluator of its own kind: random expressions are made as trees,
 * written out as text for the library, and walked record by record here. Also its speed on columns,
 * when asked.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "warpcap/filter.h"

enum { RECORDS = 3000, KERNELS = 4, EXPRESSIONS = 400 };

enum shape { LEAF, NOT, AND, OR };

struct node {
	enum shape shape;
	unsigned term, style;
	uint64_t lo, hi;
	struct node *left, *right;
};

static uint64_t state = 88172645463325252u;

static uint64_t
rnd(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static const char *const kernel_name[KERNELS] = {"atax_k1", "atax_k2", "bfs", "bicg"};
static const char *const pattern[] = {"atax*", "b*", "*k?", "bfs", "none", "[a-b]?[^a]*"};
static const uint32_t grid[KERNELS][3] = {{4, 2, 1}, {2, 2, 2}, {8, 1, 1}, {1, 8, 1}};

static const char strings[] = "\0a/x.cu\0a/y.cu";
static struct wcp_insn insn[KERNELS][8];
static struct wcp_program program[KERNELS];
static struct wcp_kernel kernel[KERNELS];
static struct wcp_access_batch batch;

/* One row a term: how it is written and what it means, apart from the library's table. */
struct meaning {
	const char *word;
	uint64_t range; /* values are below this; 0: takes none */
	bool relation;
	bool (*is)(const struct node *n, uint32_t i);
};

static bool
in(const struct node *n, uint64_t v)
{
	return v >= n->lo && v <= n->hi;
}

static bool
is_cycle(const struct node *n, uint32_t i)
{
	return in(n, batch.cycle[i]);
}
static bool
is_sm(const struct node *n, uint32_t i)
{
	return in(n, batch.sm[i]);
}
static bool
is_kernel(const struct node *n, uint32_t i)
{
	return in(n, batch.kernel[i]);
}
static bool
is_cta(const struct node *n, uint32_t i)
{
	return in(n, batch.cta[i]);
}
static bool
is_warp(const struct node *n, uint32_t i)
{
	return in(n, batch.warp[i]);
}
static bool
is_pc(const struct node *n, uint32_t i)
{
	return in(n, batch.pc[i]);
}
static bool
is_tag(const struct node *n, uint32_t i)
{
	return in(n, batch.tag[i]);
}
static bool
is_id(const struct node *n, uint32_t i)
{
	return in(n, batch.id[i]);
}
static bool
is_bytes(const struct node *n, uint32_t i)
{
	return in(n, batch.bytes[i]);
}

static bool
is_lanes(const struct node *n, uint32_t i)
{
	uint64_t count = 0;
	for (unsigned b = 0; b < 32; b++)
		count += batch.lanes[i] >> b & 1;
	return in(n, count);
}

static bool
is_sectors(const struct node *n, uint32_t i)
{
	uint64_t count = 0;
	for (unsigned b = 0; b < 32; b++)
		count += batch.sectors[i] >> b & 1;
	return in(n, count);
}

static bool
is_addr(const struct node *n, uint32_t i)
{
	bool any = false;
	for (uint64_t b = 0; b < 1024; b++)
		if (batch.sectors[i] >> b / 32 & 1)
			any |= in(n, batch.line[i] + b);
	for (uint64_t b = 0; b < 128 && batch.sectors[i] == 0; b++)
		any |= in(n, batch.line[i] + b);
	return any;
}

static bool
is_line(const struct node *n, uint32_t i)
{
	const struct wcp_insn *p = &insn[batch.kernel[i]][batch.pc[i] % 8];
	return batch.pc[i] < 8 && p->file != WCP_NONE32 && in(n, p->line);
}

static bool
is_load(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.kind[i] == WCP_LOAD;
}
static bool
is_store(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.kind[i] == WCP_STORE;
}
static bool
is_global(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.space[i] == WCP_SPACE_GLOBAL;
}
static bool
is_local(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.space[i] == WCP_SPACE_LOCAL;
}
static bool
is_divergent(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.flags[i] & WCP_ACCESS_DIVERGENT;
}
static bool
is_first(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.flags[i] & WCP_ACCESS_FIRST;
}
static bool
is_evict(const struct node *n, uint32_t i)
{
	(void)n;
	return batch.victim[i] != UINT64_MAX;
}

static bool
level_is(uint32_t i, unsigned level, unsigned a, unsigned b, unsigned c)
{
	unsigned o = batch.outcome[i] >> 4 * level & 15;
	return o == a || o == b || o == c;
}

static bool
is_hit(const struct node *n, uint32_t i)
{
	bool any = false;
	(void)n;
	for (unsigned l = 0; l < 8; l++)
		any |= level_is(i, l, WCP_OUT_HIT, WCP_OUT_REDIRECT, WCP_OUT_HIT);
	return any;
}
static bool
is_miss_l2(const struct node *n, uint32_t i)
{
	(void)n;
	return level_is(i, 1, WCP_OUT_MISS, WCP_OUT_SECTOR, WCP_OUT_REDIRECT_MISS);
}

static bool
is_named(const struct node *n, uint32_t i)
{
	return fnmatch(pattern[n->lo], kernel_name[batch.kernel[i]], 0) == 0;
}

static bool
is_cta_at(const struct node *n, uint32_t i)
{
	const uint32_t *g = grid[batch.kernel[i]];
	uint32_t c = batch.cta[i];
	return c % g[0] == n->lo && c / g[0] % g[1] == n->hi && c / g[0] / g[1] == 0;
}

static const struct meaning term[] = {
    {"kernel", 0, false, is_named},
    {"kernel", KERNELS + 1, true, is_kernel},
    {"cta", 0, false, is_cta_at},
    {"cta", 10, true, is_cta},
    {"cycle", 4000, true, is_cycle},
    {"sm", 18, true, is_sm},
    {"warp", 34, true, is_warp},
    {"pc", 10, true, is_pc},
    {"line", 12, true, is_line},
    {"tag", 5, true, is_tag},
    {"id", RECORDS, true, is_id},
    {"bytes", 130, true, is_bytes},
    {"lanes", 33, true, is_lanes},
    {"sectors", 6, true, is_sectors},
    {"addr", 1 << 15, true, is_addr},
    {"load", 0, false, is_load},
    {"store", 0, false, is_store},
    {"space global", 0, false, is_global},
    {"local", 0, false, is_local},
    {"divergent", 0, false, is_divergent},
    {"first", 0, false, is_first},
    {"evict", 0, false, is_evict},
    {"hit", 0, false, is_hit},
    {"miss l2", 0, false, is_miss_l2},
};
enum { TERMS = sizeof term / sizeof *term };

static struct node *
new_node(enum shape shape)
{
	struct node *n = calloc(1, sizeof *n);
	if (!n)
		abort();
	n->shape = shape;
	return n;
}

static struct node *
make(unsigned depth)
{
	if (depth == 0 || rnd(4) == 0) {
		struct node *n = new_node(LEAF);
		n->term = (unsigned)rnd(TERMS);
		const struct meaning *t = &term[n->term];
		n->style = (unsigned)rnd(6);
		if (t->is == is_named)
			n->lo = rnd(sizeof pattern / sizeof *pattern);
		else if (t->is == is_cta_at) {
			n->lo = rnd(5);
			n->hi = rnd(3);
		} else if (t->range) {
			n->lo = rnd(t->range);
			n->hi = n->style < 2 ? n->lo + rnd(t->range) : n->lo;
		}
		return n;
	}
	struct node *n = new_node(NOT + (enum shape)rnd(3));
	n->left = make(depth - 1);
	if (n->shape != NOT)
		n->right = make(depth - 1);
	return n;
}

/* Relations change what the node means: < v and so on become ranges, != keeps its own style. */
static void
write_leaf(FILE *f, struct node *n)
{
	const struct meaning *t = &term[n->term];
	unsigned long long lo = n->lo, hi = n->hi;
	if (t->is == is_named)
		fprintf(f, "kernel \"%s\"", pattern[lo]);
	else if (t->is == is_cta_at)
		fprintf(f, "cta %llu,%llu,0", lo, hi);
	else if (!t->range)
		fputs(t->word, f);
	else if (n->style < 2)
		fprintf(f, n->style ? "%s 0x%llx-0x%llx" : "%s %llu-%llu", t->word, lo, hi);
	else if (n->style == 2)
		fprintf(f, "%s %llu", t->word, lo);
	else if (n->style == 3) {
		fprintf(f, "%s >= %llu", t->word, lo);
		n->hi = UINT64_MAX;
	} else if (n->style == 4) {
		fprintf(f, "%s<%llu", t->word, lo + 1);
		n->lo = 0;
	} else
		fprintf(f, "%s = %llu", t->word, lo);
}

static void
write_tree(FILE *f, struct node *n, bool inside)
{
	static const char *const and[] = {" and ", " && ", " "};
	if (n->shape == LEAF) {
		write_leaf(f, n);
	} else if (n->shape == NOT) {
		fputs(n->style ? "not " : "!", f);
		bool parens = n->left->shape == AND || n->left->shape == OR;
		fputs(parens ? "(" : "", f);
		write_tree(f, n->left, false);
		fputs(parens ? ")" : "", f);
	} else {
		/* Parentheses only where precedence asks for them: this tests precedence. */
		bool parens = inside && n->shape == OR;
		fputs(parens ? "(" : "", f);
		write_tree(f, n->left, n->shape == AND);
		fputs(n->shape == AND ? and[rnd(3)] : rnd(2) ? " or " : "||", f);
		write_tree(f, n->right, n->shape == AND);
		fputs(parens ? ")" : "", f);
	}
}

static bool
walk(const struct node *n, uint32_t i)
{
	switch (n->shape) {
	case LEAF: return term[n->term].is(n, i);
	case NOT: return !walk(n->left, i);
	case AND: return walk(n->left, i) && walk(n->right, i);
	case OR: break;
	}
	return walk(n->left, i) || walk(n->right, i);
}

static void
release(struct node *n)
{
	if (!n)
		return;
	release(n->left);
	release(n->right);
	free(n);
}

static void
fill(void)
{
	static const uint16_t sizes[] = {4, 32, 64, 128};
	wcp_access_batch_init(&batch);
	if (wcp_access_batch_reserve(&batch, RECORDS) < 0)
		abort();
	batch.n = RECORDS;
	for (uint32_t i = 0; i < RECORDS; i++) {
		batch.cycle[i] = i;
		batch.id[i] = RECORDS - i;
		batch.sm[i] = (uint16_t)(rnd(20) == 0 ? WCP_NONE16 : rnd(16));
		batch.kernel[i] = (uint32_t)rnd(KERNELS);
		batch.cta[i] = (uint32_t)rnd(8);
		batch.warp[i] = (uint16_t)rnd(32);
		batch.slot[i] = WCP_NONE16;
		batch.pc[i] = (uint32_t)rnd(9);
		batch.line[i] = rnd(256) * 128;
		batch.sectors[i] = (uint32_t)rnd(16);
		batch.lanes[i] = (uint32_t)(rnd(3) ? rnd(1ull << 32) : WCP_FULL_MASK);
		batch.kind[i] = (uint8_t)rnd(WCP_KIND_COUNT);
		batch.space[i] = (uint8_t)rnd(WCP_SPACE_COUNT);
		batch.flags[i] = (uint16_t)rnd(128);
		batch.outcome[i] = (uint32_t)(rnd(9) | rnd(9) << 4 | rnd(9) << 8);
		batch.tag[i] = (uint32_t)rnd(4);
		batch.victim[i] = rnd(2) ? UINT64_MAX : rnd(1 << 20);
		batch.victim_owner[i] = WCP_NONE32;
		batch.bytes[i] = sizes[rnd(4)];
	}
	for (uint32_t k = 0; k < KERNELS; k++) {
		for (uint32_t pc = 0; pc < 8; pc++)
			insn[k][pc] = (struct wcp_insn){
			    .file = rnd(4) ? 1 : WCP_NONE32, .line = (uint32_t)rnd(12)};
		program[k] = (struct wcp_program){.id = k,
		    .name = kernel_name[k],
		    .n_insn = 8,
		    .insn = insn[k],
		    .n_string = sizeof strings,
		    .strings = strings};
		kernel[k] = (struct wcp_kernel){.id = k, .program = k, .name = kernel_name[k]};
		memcpy(kernel[k].grid, grid[k], sizeof grid[k]);
	}
}

static struct wcp_filter *
compile(const char *text)
{
	struct wcp_error e;
	struct wcp_filter *f = wcp_filter_compile(text, WCP_LINK_ACCESS, &e);
	if (!f) {
		fprintf(stderr, "%s\n%*s^ %s\n", text, (int)e.offset, "", e.text);
		exit(1);
	}
	for (uint32_t k = 0; k < KERNELS; k++)
		if (wcp_filter_kernel(f, &kernel[k], &program[k], &e) < 0) {
			fprintf(stderr, "%s\n", e.text);
			exit(1);
		}
	return f;
}

/* Does a block that holds a match say so, whatever its bounds? */
static void
check_block(const struct wcp_filter *f, const char *text, const uint32_t *index, uint32_t n)
{
	for (uint32_t first = 0; first < RECORDS; first += 500) {
		struct wcp_block_info info = {.type = WCP_ITEM_ACCESS,
		    .kernel = WCP_NONE32,
		    .lo = first,
		    .hi = first + 499,
		    .records = 500};
		bool any = false;
		for (uint32_t i = 0; i < n; i++)
			any |= index[i] >= first && index[i] < first + 500;
		if (any && !wcp_filter_block(f, &info)) {
			fprintf(stderr, "block from %u would be skipped: %s\n", first, text);
			exit(1);
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		struct wcp_block_info one = {.type = WCP_ITEM_ACCESS,
		    .kernel = batch.kernel[index[i]],
		    .lo = index[i],
		    .hi = index[i]};
		if (!wcp_filter_block(f, &one)) {
			fprintf(stderr, "record %u would be skipped: %s\n", index[i], text);
			exit(1);
		}
	}
}

static void
check(struct node *tree)
{
	static uint32_t index[RECORDS];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		abort();
	write_tree(out, tree, false);
	fclose(out);
	struct wcp_filter *f = compile(text);
	uint32_t n = wcp_filter_access(f, &batch, index), k = 0;
	for (uint32_t i = 0; i < RECORDS; i++) {
		bool mine = walk(tree, i), theirs = k < n && index[k] == i;
		k += theirs;
		if (mine != theirs) {
			fprintf(
			    stderr, "record %u: %d here, %d there: %s\n", i, mine, theirs, text);
			exit(1);
		}
	}
	check_block(f, text, index, n);
	wcp_filter_free(f);
	free(text);
}

static double
seconds(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int
speed(const char *text)
{
	static uint32_t index[RECORDS];
	struct wcp_filter *f = compile(text);
	double start = seconds();
	uint64_t rounds = 0, found = 0;
	while (seconds() - start < 0.5)
		for (unsigned k = 0; k < 100; k++, rounds++)
			found += wcp_filter_access(f, &batch, index);
	double s = seconds() - start;
	printf("%7.0f M records/s, %4.1f %% kept: %s\n", 1e-6 * (double)(rounds * RECORDS) / s,
	    100.0 * (double)found / (double)(rounds * RECORDS), text);
	wcp_filter_free(f);
	return 0;
}

int
main(int argc, char **argv)
{
	fill();
	if (argc > 1)
		return speed(argv[1]);
	for (unsigned i = 0; i < EXPRESSIONS; i++) {
		struct node *tree = make((unsigned)rnd(7));
		check(tree);
		release(tree);
	}
	printf("%d expressions agree on %d records\n", EXPRESSIONS, RECORDS);
	wcp_access_batch_release(&batch);
	return 0;
}

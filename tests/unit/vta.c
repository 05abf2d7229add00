/*
 * usage: vta fig3    CIAO Fig. 3: two warps, one set
 *        vta random  the array against a list of evictions that is searched from its end
 *        vta wrong   options that cannot be
 * Prints what it found; 1 if a check failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/vta.h"

/* W0 brings D0, W1 evicts it with D4, W0 misses D0 and evicts D4, W1 misses D4. */
static int
fig3(void)
{
	const struct wcp_vta_options o = {.keys = 48, .entries = 8, .line_bytes = 128};
	struct wcp_vta *v = wcp_vta_new(&o, NULL);
	const uint64_t d0 = 0, d4 = 4 * 128;
	uint32_t evictor = 99;
	if (!v)
		return 1;
	printf("W0 finds D0: %d\n", wcp_vta_probe(v, 0, d0, &evictor));
	wcp_vta_insert(v, 0, d0, 1); /* b: W1's D4 takes the place of W0's D0 */
	printf("W1 finds D0: %d\n", wcp_vta_probe(v, 1, d0, &evictor));
	printf("W0 finds D0: %d", wcp_vta_probe(v, 0, d0, &evictor));
	printf(", evicted by W%" PRIu32 "\n", evictor);
	wcp_vta_insert(v, 1, d4, 0); /* e: W0's D0 takes it back */
	printf("W1 finds D4: %d", wcp_vta_probe(v, 1, d4, &evictor));
	printf(", evicted by W%" PRIu32 "\n", evictor);
	wcp_vta_clear_key(v, 1);
	printf("W1 finds D4: %d, W0 D0: %d\n", wcp_vta_probe(v, 1, d4, NULL),
	    wcp_vta_probe(v, 0, d0, NULL));
	wcp_vta_free(v);
	return 0;
}

/* ---- the naive one: every tag with the time it came or was used, the lowest of a full set leaves
 * -- */

struct naive_tag {
	bool used;
	uint64_t line, time;
	uint32_t evictor;
};

struct naive {
	struct wcp_vta_options o;
	struct naive_tag *tag; /* [keys][entries] */
	uint64_t now;
};

static bool
same_set(const struct naive *n, uint64_t a, uint64_t b)
{
	uint32_t sets = n->o.ways ? n->o.entries / n->o.ways : 1;
	return a / n->o.line_bytes % sets == b / n->o.line_bytes % sets;
}

static struct naive_tag *
naive_find(struct naive *n, uint32_t key, uint64_t line)
{
	for (uint32_t i = 0; i < n->o.entries; i++) {
		struct naive_tag *t = &n->tag[key * n->o.entries + i];
		if (t->used && t->line == line)
			return t;
	}
	return NULL;
}

static void
naive_insert(struct naive *n, uint32_t key, uint64_t line, uint32_t evictor)
{
	struct naive_tag *t = naive_find(n, key, line), *oldest = NULL, *spare = NULL;
	uint32_t in_set = 0;
	for (uint32_t i = 0; i < n->o.entries && !t; i++) {
		struct naive_tag *x = &n->tag[key * n->o.entries + i];
		if (!x->used) {
			spare = x;
		} else if (same_set(n, x->line, line)) {
			in_set++;
			oldest = !oldest || x->time < oldest->time ? x : oldest;
		}
	}
	if (!t)
		t = in_set == (n->o.ways ? n->o.ways : n->o.entries) ? oldest : spare;
	*t = (struct naive_tag){true, line, ++n->now, evictor};
}

static bool
naive_probe(struct naive *n, uint32_t key, uint64_t line, uint32_t *evictor)
{
	struct naive_tag *t = naive_find(n, key, line);
	if (!t)
		return false;
	*evictor = t->evictor;
	if (n->o.removes_hit)
		t->used = false;
	else if (n->o.order == WCP_VTA_LRU)
		t->time = ++n->now;
	return true;
}

static uint64_t
random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static bool
agree(const struct wcp_vta_options *o, uint64_t *state)
{
	struct wcp_vta_options first = *o;
	first.keys = 1; /* the others come later */
	struct wcp_vta *v = wcp_vta_new(&first, NULL);
	struct naive n = {*o, calloc((size_t)o->keys * o->entries, sizeof *n.tag), 0};
	bool same = v && n.tag && !wcp_vta_grow(v, o->keys, NULL);
	for (unsigned i = 0; i < 4000 && same; i++) {
		uint32_t key = (uint32_t)(random_next(state) % o->keys), who[2] = {7, 7};
		uint64_t line = random_next(state) % (2 * o->entries + 3) * o->line_bytes;
		if (random_next(state) & 1) {
			bool is_new = !naive_find(&n, key, line);
			if (is_new && i % 3 == 0)
				wcp_vta_insert_new(v, key, line, i);
			else
				same = wcp_vta_insert(v, key, line, i) == is_new;
			naive_insert(&n, key, line, i);
		} else {
			bool found = wcp_vta_probe(v, key, line, &who[0]);
			same = found == naive_probe(&n, key, line, &who[1]) && who[0] == who[1];
		}
		if (random_next(state) % 512 == 0) {
			wcp_vta_clear_key(v, key);
			for (uint32_t k = 0; k < o->entries; k++)
				n.tag[key * o->entries + k].used = false;
		}
	}
	free(n.tag);
	wcp_vta_free(v);
	return same;
}

static int
random_arrays(void)
{
	uint64_t state = 1;
	unsigned n = 0;
	for (uint32_t entries = 1; entries <= 24; entries++)
		for (uint32_t ways = 0; ways <= entries; ways++)
			for (unsigned mode = 0; mode < 4; mode++) {
				struct wcp_vta_options o = {1 + entries % 5, entries, ways,
				    32u << entries % 4, mode & 1 ? WCP_VTA_LRU : WCP_VTA_FIFO,
				    mode & 2};
				if (ways && entries % ways)
					continue;
				n++;
				if (!agree(&o, &state)) {
					printf(
					    "%u tags in %u ways, mode %u\n", entries, ways, mode);
					return 1;
				}
			}
	printf("%u arrays agree\n", n);
	return 0;
}

static int
wrong(void)
{
	static const struct wcp_vta_options o[] = {{0, 8, 0, 128, WCP_VTA_FIFO, false},
	    {4, 0, 0, 128, WCP_VTA_FIFO, false}, {4, 8, 3, 128, WCP_VTA_FIFO, false},
	    {4, 8, 16, 128, WCP_VTA_FIFO, false}, {4, 1u << 20, 0, 128, WCP_VTA_FIFO, false},
	    {4, 8, 0, 96, WCP_VTA_FIFO, false}};
	for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
		struct wcp_error e = {0};
		if (wcp_vta_new(&o[i], &e) || e.status != WCP_EUSAGE)
			return 1;
		printf("%s\n", e.text);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "fig3"))
		return fig3();
	if (!strcmp(what, "random"))
		return random_arrays();
	return strcmp(what, "wrong") ? 2 : wrong();
}

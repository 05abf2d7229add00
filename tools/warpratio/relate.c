/* Across kernels, when all have ended: parents with children, children of one CTA with each other.
 */
#include <stdlib.h>
#include "ratio.h"

/* Children in order of their parent and the CTA that launched them. */
static int
by_parent(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a, *y = *(struct kernel *const *)b;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->parent_cta != y->parent_cta)
		return x->parent_cta < y->parent_cta ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static struct kernel **
find_children(const struct ratio *r, uint32_t *n)
{
	struct kernel **child = must_alloc(NULL, r->n_kernel * sizeof *child);
	*n = 0;
	for (uint32_t i = 0; i < r->n_kernel; i++)
		if (r->kernel[i] && r->kernel[i]->parent != WCP_NONE32 && r->kernel[i]->n_cta)
			child[(*n)++] = r->kernel[i];
	qsort(child, *n, sizeof *child, by_parent);
	return child;
}

/* One parent, whose lines are marked, and one child: Eq. 3.2. */
struct couple {
	enum level level;
	const struct footprint *parent, *child;
	struct key parent_key, child_key;
	uint32_t parent_node, child_node;
};

static void
couple(struct ratio *r, const struct couple *c)
{
	struct tally *t = &r->tally[c->level][PARENT_CHILD];
	uint64_t part, whole;
	double variance;
	engine_marked(r->engine, c->parent, c->child, &part, &whole, &variance);
	if (!whole)
		return; /* sketches that do not overlap tell nothing */
	double ratio = (double)part / (double)whole;
	t->variance += variance;
	t->estimated += variance > 0;
	t->reused += whole == c->child->size ? (double)part : ratio * (double)c->child->size;
	if (tally_add(t, &r->set, part, whole, 1))
		chains_join(&r->chains[c->level], c->parent_node, c->child_node);
	if (r->set.list == c->level && part)
		ratio_list(r,
		    &(struct pair){c->child_key, c->parent_key, PARENT_CHILD, part, whole, ratio});
}

static void
with_parent(struct ratio *r, const struct kernel *p, struct kernel *const *child, uint32_t n)
{
	if (!p->lines.size)
		return;
	engine_mark(r->engine, &p->lines, true);
	for (uint32_t i = 0; i < n; i++)
		couple(r, &(struct couple){LEVEL_KERNEL, &p->lines, &child[i]->lines,
			      {p->id, WCP_NONE32, WCP_NONE16},
			      {child[i]->id, WCP_NONE32, WCP_NONE16}, p->node, child[i]->node});
	engine_mark(r->engine, &p->lines, false);
}

static const struct cta *
cta_of(const struct kernel *k, uint32_t number)
{
	for (uint32_t low = 0, high = k->n_cta; low < high;) {
		uint32_t middle = low + (high - low) / 2;
		if (k->cta[middle].number == number)
			return &k->cta[middle];
		if (k->cta[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The CTA that launched them and their CTAs. */
static void
with_parent_cta(struct ratio *r, const struct kernel *parent, const struct cta *p,
    struct kernel *const *child, uint32_t n)
{
	if (!p || !p->lines.size)
		return;
	engine_mark(r->engine, &p->lines, true);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < child[i]->n_cta; j++) {
			const struct cta *c = &child[i]->cta[j];
			couple(r, &(struct couple){LEVEL_CTA, &p->lines, &c->lines,
				      {parent->id, p->number, WCP_NONE16},
				      {child[i]->id, c->number, WCP_NONE16}, p->node, c->node});
		}
	}
	engine_mark(r->engine, &p->lines, false);
}

struct units { /* of siblings */
	struct footprint **lines;
	uint32_t *family, *node;
	struct key *key;
	uint32_t n, cap;
};

static void
add_unit(struct units *u, struct footprint *lines, uint32_t family, uint32_t node, struct key key)
{
	if (u->n == u->cap) {
		u->cap = u->cap ? u->cap * 2 : 64;
		u->lines = must_alloc(u->lines, u->cap * sizeof *u->lines);
		u->family = must_alloc(u->family, u->cap * sizeof *u->family);
		u->node = must_alloc(u->node, u->cap * sizeof *u->node);
		u->key = must_alloc(u->key, u->cap * sizeof *u->key);
	}
	u->lines[u->n] = lines;
	u->family[u->n] = family;
	u->node[u->n] = node;
	u->key[u->n++] = key;
}

static void
pair_siblings(struct ratio *r, enum level level, struct units *u)
{
	struct pair_task t = {u->n, u->lines, u->family, u->key, level, SIBLING};
	const uint32_t *root;
	engine_run(r->engine, &t, &root);
	for (uint32_t i = 0; i < u->n; i++)
		chains_join(&r->chains[level], u->node[i], u->node[root[i]]);
	u->n = 0;
}

/* Children of one CTA: they are siblings. */
static void
siblings(struct ratio *r, struct kernel *const *child, uint32_t n, struct units *u)
{
	if (n < 2)
		return;
	if (r->set.levels >> LEVEL_KERNEL & 1) {
		for (uint32_t i = 0; i < n; i++)
			add_unit(u, &child[i]->lines, i, child[i]->node,
			    (struct key){child[i]->id, WCP_NONE32, WCP_NONE16});
		pair_siblings(r, LEVEL_KERNEL, u);
	}
	if (r->set.levels >> LEVEL_CTA & 1) {
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t j = 0; j < child[i]->n_cta; j++) {
				struct cta *c = &child[i]->cta[j];
				add_unit(u, &c->lines, i, c->node,
				    (struct key){child[i]->id, c->number, WCP_NONE16});
			}
		}
		pair_siblings(r, LEVEL_CTA, u);
	}
}

/* All children of one parent. */
static void
family(struct ratio *r, struct kernel *const *child, uint32_t n, struct units *u)
{
	const struct kernel *p =
	    child[0]->parent < r->n_kernel ? r->kernel[child[0]->parent] : NULL;
	if (p && r->set.levels >> LEVEL_KERNEL & 1)
		with_parent(r, p, child, n);
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && child[next]->parent_cta == child[i]->parent_cta;)
			next++;
		if (p && r->set.levels >> LEVEL_CTA & 1)
			with_parent_cta(r, p, cta_of(p, child[i]->parent_cta), child + i, next - i);
		siblings(r, child + i, next - i, u);
	}
}

void
ratio_relate(struct ratio *r)
{
	uint32_t n;
	struct kernel **child = find_children(r, &n);
	struct units u = {0};
	for (uint32_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && child[next]->parent == child[i]->parent;)
			next++;
		family(r, child + i, next - i, &u);
	}
	free(u.lines);
	free(u.family);
	free(u.node);
	free(u.key);
	free(child);
	chains_fold(&r->chains[LEVEL_KERNEL]);
	chains_fold(&r->chains[LEVEL_CTA]);
}

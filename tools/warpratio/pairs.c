/*
 * Pairs. A line concerns only the units that touch it, and lines touched by exactly the same units
 * are one to all of their pairs: they are joined into a class, whose list of units is gone through
 * once for each unit in it, not once for each line. A class that most units are in is counted for
 * all, and taken back from the few that are not. What is left is the work that pairs that do share
 * something take; those that share nothing are only counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ratio.h"

struct line {
	uint64_t sign; /* sum of its units' hashes: the same for the same units */
	uint32_t units;
	uint32_t family; /* 1 + the first; 0: untouched */
	uint32_t class;	 /* 1 + number; 0: none yet */
	bool shared;	 /* by several families */
	bool marked;
};

struct class
{
	uint64_t sign;
	uint32_t units, filled;
	uint32_t entry; /* the last unit's */
	uint64_t first; /* of its list in member */
	bool most;	/* its list holds who is not in it */
};

struct entry { /* of a unit: accesses to a class */
	uint32_t class;
	uint64_t weight;
};

/* The pairs of one unit x with all others. */
struct row {
	uint32_t x;
	uint64_t base;	      /* accesses shared with all, but for what stands in shared[] */
	uint64_t whole;	      /* accesses of x */
	uint64_t bound[BINS]; /* the least number of shared accesses that is in a bin */
	uint64_t high;	      /* that is high */
	uint64_t *weight;     /* with sketches: [n + 1] accesses to its first lines */
	double *square;	      /* likewise, of their squares */
	uint64_t sum;
};

struct engine {
	struct ratio *r;
	struct line *line; /* [cap_line] by number */
	uint32_t cap_line;
	struct class *class; /* [n_class] */
	uint32_t n_class, cap_class;
	uint32_t *slot; /* [slots] hash table of classes: 1 + number */
	uint64_t slots;
	uint32_t *member; /* [n_member] units of classes, ascending */
	uint64_t n_member, cap_member;
	struct entry *entry; /* [n_entry] by unit */
	uint64_t n_entry, cap_entry;
	/* by unit, [cap_unit] */
	uint64_t *first; /* of its entries; [n + 1] */
	int64_t *shared; /* accesses of x to lines of y, where seen[y] is 1 + x */
	uint32_t *seen, *touched, *up, *root, *others;
	uint32_t cap_unit, n_touched;
	uint32_t components;
	struct row row;
	uint32_t cap_row;
};

struct engine *
engine_new(struct ratio *r)
{
	struct engine *e = must_alloc(NULL, sizeof *e);
	*e = (struct engine){.r = r};
	return e;
}

void
engine_free(struct engine *e)
{
	free(e->line);
	free(e->class);
	free(e->slot);
	free(e->member);
	free(e->entry);
	free(e->first);
	free(e->shared);
	free(e->seen);
	free(e->touched);
	free(e->up);
	free(e->root);
	free(e->others);
	free(e->row.weight);
	free(e->row.square);
	free(e);
}

/* Room for the states of lines with numbers below n. */
static void
reserve_lines(struct engine *e, uint32_t n)
{
	if (n <= e->cap_line)
		return;
	uint64_t more = n + n / 4ull;
	uint32_t cap = more < UINT32_MAX ? (uint32_t)more : UINT32_MAX;
	e->line = must_alloc(e->line, cap * sizeof *e->line);
	memset(e->line + e->cap_line, 0, (cap - e->cap_line) * sizeof *e->line);
	e->cap_line = cap;
}

enum { FEW = 64 };

/* The states of the first few of n postings' lines, until the next call; how many. */
static uint32_t
lines_of(struct engine *e, const struct posting *p, uint32_t n, struct line **line)
{
	uint64_t key[FEW];
	uint32_t number[FEW];
	n = n < FEW ? n : FEW;
	for (uint32_t i = 0; i < n; i++)
		key[i] = number[i] = p[i].key;
	if (e->r->set.sketch && wcp_numbers_get(e->r->table, key, n, number, NULL))
		out_of_memory();
	reserve_lines(e, wcp_numbers_count(e->r->table));
	for (uint32_t i = 0; i < n; i++)
		line[i] = &e->line[number[i]];
	return n;
}

/* Lines of f below limit. */
static uint32_t
lines_below(const struct footprint *f, uint64_t limit)
{
	uint32_t low = 0, high = f->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (f->p[middle].key < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t
unit_hash(uint32_t unit)
{
	uint64_t h = (unit + 1ull) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
	return h ^ h >> 32;
}

static uint32_t
family_of(const struct pair_task *t, uint32_t x)
{
	return t->family ? t->family[x] : x;
}

static void
reserve_units(struct engine *e, uint32_t n)
{
	if (n > e->cap_unit) {
		uint32_t cap = n + n / 2;
		e->first = must_alloc(e->first, (cap + 1ull) * sizeof *e->first);
		e->shared = must_alloc(e->shared, cap * sizeof *e->shared);
		e->seen = must_alloc(e->seen, cap * sizeof *e->seen);
		e->touched = must_alloc(e->touched, cap * sizeof *e->touched);
		e->up = must_alloc(e->up, cap * sizeof *e->up);
		e->root = must_alloc(e->root, cap * sizeof *e->root);
		e->others = must_alloc(e->others, cap * sizeof *e->others);
		e->cap_unit = cap;
	}
	memset(e->seen, 0, n * sizeof *e->seen);
	for (uint32_t i = 0; i < n; i++)
		e->up[i] = i;
	e->components = n;
}

/* ---- lines into classes ---------------------------------------------------------------------- */

static void
look_at_lines(struct engine *e, const struct pair_task *t)
{
	for (uint32_t x = 0; x < t->n; x++) {
		uint64_t hash = unit_hash(x);
		uint32_t family = family_of(t, x) + 1;
		const struct footprint *f = t->lines[x];
		struct line *line[FEW];
		for (uint32_t i = 0, n; i < f->n; i += n) {
			n = lines_of(e, f->p + i, f->n - i, line);
			for (uint32_t k = 0; k < n; k++) {
				struct line *l = line[k];
				l->sign += hash;
				l->units++;
				l->shared |= l->family && l->family != family;
				l->family = family;
			}
		}
	}
}

static void
forget_lines(struct engine *e, const struct pair_task *t)
{
	for (uint32_t x = 0; x < t->n; x++) {
		const struct footprint *f = t->lines[x];
		struct line *line[FEW];
		for (uint32_t i = 0, n; i < f->n; i += n) {
			n = lines_of(e, f->p + i, f->n - i, line);
			for (uint32_t k = 0; k < n; k++)
				*line[k] = (struct line){0};
		}
	}
}

static void
grow_classes(struct engine *e)
{
	if (e->n_class == e->cap_class) {
		e->cap_class = e->cap_class ? e->cap_class * 2 : 256;
		e->class = must_alloc(e->class, e->cap_class * sizeof *e->class);
	}
	if (e->n_class * 2ull < e->slots)
		return;
	e->slots = e->slots ? e->slots * 2 : 1024;
	e->slot = must_alloc(e->slot, e->slots * sizeof *e->slot);
	memset(e->slot, 0, e->slots * sizeof *e->slot);
	for (uint32_t i = 0; i < e->n_class; i++) {
		uint64_t at = e->class[i].sign & (e->slots - 1);
		while (e->slot[at])
			at = (at + 1) & (e->slots - 1);
		e->slot[at] = i + 1;
	}
}

static struct class *
class_of(struct engine *e, struct line *l)
{
	if (l->class)
		return &e->class[l->class - 1];
	grow_classes(e);
	uint64_t at = l->sign & (e->slots - 1);
	for (; e->slot[at]; at = (at + 1) & (e->slots - 1)) {
		struct class *c = &e->class[e->slot[at] - 1];
		if (c->sign == l->sign && c->units == l->units) {
			l->class = e->slot[at];
			return c;
		}
	}
	e->class[e->n_class] =
	    (struct class){.sign = l->sign, .units = l->units, .first = e->n_member};
	e->n_member += l->units;
	l->class = e->slot[at] = ++e->n_class;
	return &e->class[e->n_class - 1];
}

static void
forget_classes(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_class; i++) {
		uint64_t at = e->class[i].sign & (e->slots - 1);
		for (; e->slot[at]; at = (at + 1) & (e->slots - 1))
			e->slot[at] = 0;
	}
	if (e->slots > 1u << 20 && e->n_class < e->slots / 64) {
		free(e->slot);
		e->slot = NULL;
		e->slots = 0;
	}
	e->n_class = 0;
	e->n_member = e->n_entry = 0;
}

static void
reserve_members(struct engine *e)
{
	if (e->n_member <= e->cap_member)
		return;
	e->cap_member = e->n_member + e->n_member / 2;
	e->member = must_alloc(e->member, e->cap_member * sizeof *e->member);
}

static void
add_entry(struct engine *e, struct class *c, uint32_t x, uint32_t count)
{
	if (c->filled && e->member[c->first + c->filled - 1] == x) {
		e->entry[c->entry].weight += count;
		return;
	}
	if (e->n_entry == e->cap_entry) {
		e->cap_entry = e->cap_entry ? e->cap_entry * 2 : 1024;
		e->entry = must_alloc(e->entry, e->cap_entry * sizeof *e->entry);
	}
	e->member[c->first + c->filled++] = x;
	c->entry = (uint32_t)e->n_entry;
	e->entry[e->n_entry++] = (struct entry){(uint32_t)(c - e->class), count};
}

/* Fig. 3.4: accesses to lines that another unit touches too; with sketches, as far as all know. */
static void
add_reused(struct engine *e, const struct pair_task *t, uint32_t x, uint64_t least)
{
	const struct footprint *f = t->lines[x];
	struct line *line[FEW];
	uint64_t part = 0, whole = 0;
	uint32_t all = lines_below(f, least);
	for (uint32_t i = 0, n; i < all; i += n) {
		n = lines_of(e, f->p + i, all - i, line);
		for (uint32_t k = 0; k < n; k++) {
			part += line[k]->shared ? f->p[i + k].count : 0;
			whole += f->p[i + k].count;
		}
	}
	double reused = least == NO_LIMIT ? (double)part
			: whole		  ? (double)part / (double)whole * (double)f->size
					  : 0;
	e->r->tally[t->level][t->relation].reused += reused;
}

static void
make_entries(struct engine *e, const struct pair_task *t)
{
	uint64_t least = NO_LIMIT;
	for (uint32_t x = 0; x < t->n; x++)
		least = t->lines[x]->limit < least ? t->lines[x]->limit : least;
	for (uint32_t x = 0; x < t->n; x++) {
		const struct footprint *f = t->lines[x];
		e->first[x] = e->n_entry;
		struct line *line[FEW];
		for (uint32_t i = 0, n; i < f->n; i += n) {
			n = lines_of(e, f->p + i, f->n - i, line);
			for (uint32_t k = 0; k < n; k++) {
				if (!line[k]->shared)
					continue;
				struct class *c = class_of(e, line[k]);
				reserve_members(e);
				add_entry(e, c, x, f->p[i + k].count);
			}
		}
		add_reused(e, t, x, least);
	}
	e->first[t->n] = e->n_entry;
}

/* Lists of those who are not in a class, where they are fewer. A sketch does not know what a unit
 * has not touched. */
static void
turn_round(struct engine *e, uint32_t n)
{
	uint64_t old = e->n_member;
	for (uint32_t i = 0; i < e->n_class; i++) {
		struct class *c = &e->class[i];
		if (e->r->set.sketch || c->units <= n / 2)
			continue;
		uint64_t first = old;
		old += n - c->units;
		e->n_member = old;
		reserve_members(e);
		uint32_t k = 0;
		for (uint32_t y = 0, at = 0; y < n; y++) {
			if (at < c->units && e->member[c->first + at] == y)
				at++;
			else
				e->member[first + k++] = y;
		}
		c->first = first;
		c->filled = k;
		c->most = true;
	}
}

/* ---- one unit with all others ---------------------------------------------------------------- */

static uint32_t
root_of(struct engine *e, uint32_t x)
{
	while (e->up[x] != x)
		x = e->up[x] = e->up[e->up[x]];
	return x;
}

static void
join(struct engine *e, uint32_t x, uint32_t y)
{
	if (e->components == 1)
		return;
	x = root_of(e, x);
	y = root_of(e, y);
	e->components -= x != y;
	e->up[x > y ? x : y] = x > y ? y : x;
}

/* Accesses of x to a class go to all units on its list. */
static void
gather_few(struct engine *e, const struct class *c, int64_t weight)
{
	const uint32_t *member = e->member + c->first;
	for (uint32_t k = 0; k < c->filled; k++) {
		uint32_t y = member[k];
		if (e->seen[y] != e->row.x + 1) {
			e->seen[y] = e->row.x + 1;
			e->shared[y] = 0;
			e->touched[e->n_touched++] = y;
		}
		e->shared[y] += weight;
	}
}

/* The same where most units will be touched: all count as such. */
static void
gather_many(struct engine *e, const struct class *c, int64_t weight)
{
	const uint32_t *member = e->member + c->first;
	int64_t *shared = e->shared;
	uint32_t n = c->filled;
	for (uint32_t k = 0; k < n; k++)
		shared[member[k]] += weight;
}

static void
touch_all(struct engine *e, uint32_t n)
{
	for (uint32_t y = 0; y < n; y++) {
		e->seen[y] = e->row.x + 1;
		e->touched[y] = y;
		e->shared[y] = 0;
	}
	e->n_touched = n;
}

static void
gather(struct engine *e, uint32_t n)
{
	struct row *row = &e->row;
	uint64_t work = 0;
	for (uint64_t i = e->first[row->x]; i < e->first[row->x + 1]; i++)
		work += e->class[e->entry[i].class].filled;
	bool many = work > n / 4;
	e->n_touched = 0;
	row->base = 0;
	if (many)
		touch_all(e, n);
	for (uint64_t i = e->first[row->x]; i < e->first[row->x + 1]; i++) {
		const struct class *c = &e->class[e->entry[i].class];
		int64_t weight = (int64_t)e->entry[i].weight;
		row->base += c->most ? (uint64_t)weight : 0;
		weight = c->most ? -weight : weight;
		if (many)
			gather_many(e, c, weight);
		else
			gather_few(e, c, weight);
	}
}

static void
start_row(struct engine *e, const struct pair_task *t, uint32_t x)
{
	const struct footprint *f = t->lines[x];
	struct row *row = &e->row;
	row->x = x;
	row->whole = f->size;
	row->sum = 0;
	for (unsigned b = 0; b < BINS; b++)
		row->bound[b] = (uint64_t)(((unsigned __int128)f->size * b + BINS - 1) / BINS);
	row->high = (uint64_t)((unsigned __int128)f->size * e->r->set.threshold / 1000000) + 1;
	if (!e->r->set.sketch)
		return;
	if (f->n >= e->cap_row) {
		e->cap_row = f->n + 1;
		row->weight = must_alloc(row->weight, (e->cap_row) * sizeof *row->weight);
		row->square = must_alloc(row->square, (e->cap_row) * sizeof *row->square);
	}
	row->weight[0] = 0;
	row->square[0] = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		double count = f->p[i].count;
		row->weight[i + 1] = row->weight[i] + f->p[i].count;
		row->square[i + 1] = row->square[i] + count * count;
	}
}

/* Of a ratio estimated from accesses to a sample of lines: weight^2 / square is how many lines of
 * equal weight say as much; a ratio of none or all is not certain for that. */
static double
variance_of(uint64_t part, uint64_t weight, double square)
{
	double n = square > 0 ? (double)weight * (double)weight / square : 1;
	double ratio = ((double)part / (double)weight * n + 1) / (n + 2);
	return ratio * (1 - ratio) / n;
}

static void
list_pair(struct engine *e, const struct pair_task *t, uint32_t y, uint64_t part, uint64_t whole)
{
	if (t->key && part && e->r->set.list == t->level)
		ratio_list(e->r, &(struct pair){t->key[e->row.x], t->key[y], t->relation, part,
				     whole, (double)part / (double)whole});
}

static bool
exact_pair(struct engine *e, struct tally *tally, uint64_t part)
{
	struct row *row = &e->row;
	unsigned bin = 0;
	for (unsigned b = 1; b < BINS; b++)
		bin += part >= row->bound[b];
	bool high = part >= row->high;
	tally->pairs++;
	tally->zero += !part;
	tally->bin[bin]++;
	tally->high += high;
	row->sum += part;
	return high;
}

static bool
sketched_pair(
    struct engine *e, const struct pair_task *t, struct tally *tally, uint32_t y, uint64_t part)
{
	const struct footprint *x = t->lines[e->row.x];
	uint64_t limit = t->lines[y]->limit;
	uint32_t n = limit < x->limit ? lines_below(x, limit) : x->n;
	uint64_t whole = e->row.weight[n];
	if (x->limit != NO_LIMIT || limit != NO_LIMIT) {
		tally->variance += variance_of(part, whole, e->row.square[n]);
		tally->estimated++;
	}
	list_pair(e, t, y, part, whole);
	return tally_add(tally, &e->r->set, part, whole, 1);
}

static void
touched_pairs(struct engine *e, const struct pair_task *t, struct tally *tally, uint64_t *left)
{
	bool sketch = e->r->set.sketch, lists = t->key && e->r->set.list == t->level;
	uint32_t x = e->row.x, family = family_of(t, x);
	for (uint32_t i = 0; i < e->n_touched; i++) {
		uint32_t y = e->touched[i];
		if (family_of(t, y) == family)
			continue;
		uint64_t part = e->row.base + (uint64_t)e->shared[y];
		if (sketch && !part)
			continue;
		bool high =
		    sketch ? sketched_pair(e, t, tally, y, part) : exact_pair(e, tally, part);
		if (lists && !sketch)
			list_pair(e, t, y, part, e->row.whole);
		if (high)
			join(e, x, y);
		--*left;
	}
}

/* Those that share the same with x. */
static void
other_pairs(struct engine *e, const struct pair_task *t, struct tally *tally, uint64_t left)
{
	uint32_t x = e->row.x, family = family_of(t, x);
	uint64_t base = e->row.base;
	if (!left)
		return;
	bool high = tally_add(tally, &e->r->set, base, e->row.whole, left);
	bool lists = base && t->key && e->r->set.list == t->level;
	if (!lists && (!high || e->components == 1))
		return;
	for (uint32_t y = 0; y < t->n; y++) {
		if (e->seen[y] == x + 1 || family_of(t, y) == family)
			continue;
		if (high)
			join(e, x, y);
		list_pair(e, t, y, base, e->row.whole);
	}
}

static void
count_others(struct engine *e, const struct pair_task *t)
{
	for (uint32_t x = 0, next; x < t->n; x = next) {
		for (next = x + 1; next < t->n && family_of(t, next) == family_of(t, x);)
			next++;
		for (uint32_t i = x; i < next; i++)
			e->others[i] = t->n - (next - x);
	}
}

void
engine_run(struct engine *e, const struct pair_task *t, const uint32_t **root)
{
	struct tally *tally = &e->r->tally[t->level][t->relation];
	reserve_units(e, t->n);
	if (t->n > 1) {
		look_at_lines(e, t);
		make_entries(e, t);
		turn_round(e, t->n);
		count_others(e, t);
		for (uint32_t x = 0; x < t->n; x++) {
			uint64_t left = e->others[x];
			start_row(e, t, x);
			gather(e, t->n);
			touched_pairs(e, t, tally, &left);
			tally->sum += (double)e->row.sum / (double)e->row.whole;
			other_pairs(e, t, tally, left);
		}
		forget_lines(e, t);
		forget_classes(e);
	}
	for (uint32_t x = 0; x < t->n; x++)
		e->root[x] = root_of(e, x);
	*root = e->root;
}

/* ---- a parent and its children --------------------------------------------------------------- */

void
engine_mark(struct engine *e, const struct footprint *p, bool marked)
{
	struct line *line[FEW];
	for (uint32_t i = 0, n; i < p->n; i += n) {
		n = lines_of(e, p->p + i, p->n - i, line);
		for (uint32_t k = 0; k < n; k++)
			line[k]->marked = marked;
	}
}

void
engine_marked(struct engine *e, const struct footprint *p, const struct footprint *c,
    uint64_t *part, uint64_t *whole, double *variance)
{
	uint32_t n = lines_below(c, p->limit);
	struct line *line[FEW];
	double square = 0;
	*part = *whole = 0;
	for (uint32_t i = 0, few; i < n; i += few) {
		few = lines_of(e, c->p + i, n - i, line);
		for (uint32_t k = 0; k < few; k++) {
			double count = c->p[i + k].count;
			*part += line[k]->marked ? c->p[i + k].count : 0;
			*whole += c->p[i + k].count;
			square += count * count;
		}
	}
	bool estimates = p->limit != NO_LIMIT || c->limit != NO_LIMIT;
	*variance = estimates && *whole ? variance_of(*part, *whole, square) : 0;
}

/* From records to footprints of warps, CTAs and kernels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ratio.h"

void
ratio_init(struct ratio *r, struct tool *t, const struct settings *s)
{
	*r = (struct ratio){.tool = t, .set = *s, .whole = true, .sorter.keep = s->sketch};
	r->engine = engine_new(r);
	r->table = wcp_numbers_new(NULL);
	if (!r->table)
		out_of_memory();
}

static void
drop_ctas(struct kernel *k)
{
	for (uint32_t i = 0; i < k->n_cta; i++)
		footprint_release(&k->cta[i].lines);
	free(k->cta);
	k->cta = NULL;
	k->n_cta = 0;
}

static void
drop_warps(struct kernel *k)
{
	for (uint32_t i = 0; i < k->key.n; i++)
		footprint_release(&k->warp[i]);
	free(k->warp);
	k->warp = NULL;
	k->cap_warp = 0;
	keys_release(&k->key);
}

void
ratio_release(struct ratio *r)
{
	for (uint32_t i = 0; i < r->n_kernel; i++) {
		struct kernel *k = r->kernel[i];
		if (!k)
			continue;
		drop_warps(k);
		drop_ctas(k);
		footprint_release(&k->lines);
		free(k);
	}
	free(r->kernel);
	wcp_numbers_free(r->table);
	free(r->sorter.p);
	for (enum level l = 0; l < LEVELS; l++)
		chains_release(&r->chains[l]);
	engine_free(r->engine);
	free(r->pair);
}

/* ---- a kernel's end -------------------------------------------------------------------------- */

static void
add_self(struct ratio *r, enum level level, const struct footprint *f, struct key key)
{
	double lines = footprint_lines(f);
	uint64_t repeated = lines < (double)f->size ? f->size - (uint64_t)(lines + 0.5) : 0;
	struct tally *t = &r->tally[level][SELF];
	r->units[level]++;
	tally_add(t, &r->set, repeated, f->size, 1);
	t->reused += (double)repeated;
	if (f->limit != NO_LIMIT) {
		/* the relative error of an estimate from n least hashes is 1 / sqrt(n - 1) */
		double error = lines / (double)f->size;
		t->variance += error * error / (f->n > 1 ? f->n - 1 : 1);
		t->estimated++;
	}
	if (r->set.list == level)
		ratio_list(r, &(struct pair){key, key, SELF, repeated, f->size,
				  (double)repeated / (double)f->size});
}

/* Units of one kernel among themselves; their chains go to nodes, or are counted and forgotten. */
static void
pair_within(struct ratio *r, enum level level, struct footprint *const *lines,
    const struct key *key, const uint32_t *node, uint32_t n)
{
	const uint32_t *root;
	struct pair_task t = {
	    .n = n, .lines = lines, .key = key, .level = level, .relation = WITHIN};
	engine_run(r->engine, &t, &root);
	for (uint32_t i = 0; i < n; i++)
		chains_join(&r->chains[level], node[i], node[root[i]]);
}

static struct footprint **
warps_in_order(struct ratio *r, struct kernel *k, struct key *key)
{
	uint32_t *order = keys_sorted(&k->key);
	struct footprint **lines = must_alloc(NULL, k->key.n * sizeof *lines);
	for (uint32_t i = 0; i < k->key.n; i++) {
		key[i] = k->key.key[order[i]];
		key[i].group = k->id;
		lines[i] = &k->warp[order[i]];
		footprint_settle(lines[i], &r->sorter);
	}
	free(order);
	return lines;
}

static void
close_warps(struct ratio *r, struct kernel *k, struct footprint **lines, const struct key *key)
{
	struct chains *c = &r->chains[LEVEL_WARP];
	uint32_t n = k->key.n, *node = must_alloc(NULL, n * sizeof *node);
	for (uint32_t i = 0; i < n; i++) {
		add_self(r, LEVEL_WARP, lines[i], key[i]);
		node[i] = chains_node(c);
	}
	pair_within(r, LEVEL_WARP, lines, key, node, n);
	chains_fold(c);
	free(node);
}

static void
make_ctas(struct ratio *r, struct kernel *k, struct footprint **warp, const struct key *key)
{
	k->cta = must_alloc(NULL, k->key.n * sizeof *k->cta);
	for (uint32_t i = 0, next; i < k->key.n; i = next) {
		struct cta *c = &k->cta[k->n_cta++];
		for (next = i + 1; next < k->key.n && key[next].cta == key[i].cta;)
			next++;
		*c = (struct cta){.number = key[i].cta};
		footprint_init(&c->lines);
		if (next == i + 1) {
			c->lines = *warp[i];
			footprint_init(warp[i]);
		} else {
			footprint_sum(&c->lines, warp + i, next - i, &r->sorter);
		}
		for (uint32_t w = i; w < next; w++)
			footprint_release(warp[w]);
	}
	k->cta = must_alloc(k->cta, k->n_cta * sizeof *k->cta);
}

static void
close_ctas(struct ratio *r, struct kernel *k, struct footprint *const *lines)
{
	struct key *key = must_alloc(NULL, k->n_cta * sizeof *key);
	uint32_t *node = must_alloc(NULL, k->n_cta * sizeof *node);
	for (uint32_t i = 0; i < k->n_cta; i++) {
		key[i] = (struct key){k->id, k->cta[i].number, WCP_NONE16};
		node[i] = k->cta[i].node = chains_node(&r->chains[LEVEL_CTA]);
		add_self(r, LEVEL_CTA, lines[i], key[i]);
	}
	pair_within(r, LEVEL_CTA, lines, key, node, k->n_cta);
	free(key);
	free(node);
}

static bool
wants(const struct ratio *r, enum level level)
{
	return r->set.levels >> level & 1;
}

void
kernel_close(struct ratio *r, struct kernel *k)
{
	if (k->closed)
		return;
	k->closed = true;
	if (!k->key.n)
		return;
	struct key *key = must_alloc(NULL, k->key.n * sizeof *key);
	struct footprint **lines = warps_in_order(r, k, key);
	if (wants(r, LEVEL_WARP))
		close_warps(r, k, lines, key);
	make_ctas(r, k, lines, key);
	for (uint32_t i = 0; i < k->n_cta; i++)
		lines[i] = &k->cta[i].lines;
	if (wants(r, LEVEL_KERNEL)) {
		footprint_sum(&k->lines, lines, k->n_cta, &r->sorter);
		k->node = chains_node(&r->chains[LEVEL_KERNEL]);
		add_self(r, LEVEL_KERNEL, &k->lines, (struct key){k->id, WCP_NONE32, WCP_NONE16});
	}
	if (wants(r, LEVEL_CTA))
		close_ctas(r, k, lines);
	free(key);
	free(lines);
	drop_warps(k);
	k->dropped = k->dropped && !k->keeps;
	if (k->dropped) {
		drop_ctas(k);
		footprint_release(&k->lines);
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct kernel *
kernel_of(struct ratio *r, uint32_t id)
{
	if (id >= r->n_kernel) {
		uint32_t n = id + 1 > r->n_kernel * 2 ? id + 1 : r->n_kernel * 2;
		r->kernel = must_alloc(r->kernel, n * sizeof *r->kernel);
		memset(r->kernel + r->n_kernel, 0, (n - r->n_kernel) * sizeof *r->kernel);
		r->n_kernel = n;
	}
	struct kernel **k = &r->kernel[id];
	if (!*k) {
		*k = must_alloc(NULL, sizeof **k);
		**k = (struct kernel){.id = id, .parent = WCP_NONE32};
		footprint_init(&(*k)->lines);
	}
	return *k;
}

/* Could it launch others? A program that is lost could. */
static bool
may_launch(const struct wcp_program *p)
{
	for (uint32_t pc = 0; p && pc < p->n_insn; pc++)
		if (p->insn[pc].op_class == WCP_OP_LAUNCH || p->insn[pc].op_class == WCP_OP_CALL)
			return true;
	return !p;
}

static void
begin_kernel(struct ratio *r, const struct tap *in, const struct wcp_kernel *from)
{
	struct kernel *k = kernel_of(r, from->id);
	k->known = true;
	k->parent = from->parent;
	k->parent_cta = from->parent_cta;
	k->dropped = from->parent == WCP_NONE32 &&
		     !may_launch(wcp_reader_program(in->reader, from->program));
	if (from->parent == WCP_NONE32)
		return;
	r->children++;
	if (from->parent >= from->id) { /* parents come first */
		r->orphans++;
		return;
	}
	struct kernel *parent = kernel_of(r, from->parent);
	r->orphans += !parent->known;
	r->late_parents += parent->closed && parent->dropped;
	parent->keeps = true;
}

struct batch {
	uint64_t *line;
	uint32_t *number;
	uint32_t cap;
};

/* Line numbers, or with sketches their hashes. Local memory is laid out from one place in every
 * kernel, but is no other kernel's: the kernel is put above its 46 bits of address. */
static int
number_lines(
    struct ratio *r, const struct wcp_access_batch *b, struct batch *w, struct wcp_error *e)
{
	unsigned shift = (unsigned)__builtin_ctz(r->set.line_bytes);
	if (b->n > w->cap) {
		w->cap = b->n;
		w->line = must_alloc(w->line, w->cap * sizeof *w->line);
		w->number = must_alloc(w->number, w->cap * sizeof *w->number);
	}
	for (uint32_t i = 0; i < b->n; i++) {
		w->line[i] = b->line[i] >> shift;
		if (b->space[i] == WCP_SPACE_LOCAL)
			w->line[i] ^= (b->kernel[i] + 1ull) << (47 - shift);
	}
	if (!r->set.sketch)
		return wcp_numbers_get(r->table, w->line, b->n, w->number, e);
	for (uint32_t i = 0; i < b->n; i++)
		w->number[i] = line_hash(w->line[i], r->set.seed);
	return 0;
}

static struct footprint *
warp_of(struct kernel *k, struct key key)
{
	uint32_t number = keys_number_fast(&k->key, key);
	if (number >= k->cap_warp) {
		uint32_t cap = k->cap_warp ? k->cap_warp * 2 : 4;
		k->warp = must_alloc(k->warp, cap * sizeof *k->warp);
		for (uint32_t i = k->cap_warp; i < cap; i++)
			footprint_init(&k->warp[i]);
		k->cap_warp = cap;
	}
	return &k->warp[number];
}

static int
add_batch(struct ratio *r, const struct wcp_access_batch *b, struct batch *w)
{
	struct kernel *k = NULL;
	struct footprint *f = NULL;
	struct key last = {0, 0, 0};
	struct wcp_error e;
	if (number_lines(r, b, w, &e))
		return tool_fail(
		    r->tool, -WCP_ESYS, "numbering lines: %s; --approx needs less", e.text);
	for (uint32_t i = 0; i < b->n; i++) {
		struct key key = {0, b->cta[i], b->warp[i]};
		if (b->kernel[i] == WCP_NONE32 || key.cta == WCP_NONE32) {
			r->nobodys++;
			continue;
		}
		if (!k || k->id != b->kernel[i]) {
			k = kernel_of(r, b->kernel[i]);
			f = NULL;
			if (k->closed)
				return tool_fail(r->tool, -WCP_EDATA,
				    "%s: an access of kernel %" PRIu32 " after its end",
				    tool_input_name(r->tool, 0), k->id);
		}
		if (!f || !key_equal(key, last))
			f = warp_of(k, key);
		last = key;
		footprint_add(f, w->number[i], &r->sorter);
		r->accesses++;
	}
	return 0;
}

static void
close_all(struct ratio *r)
{
	for (uint32_t i = 0; i < r->n_kernel; i++)
		if (r->kernel[i])
			kernel_close(r, r->kernel[i]);
}

static int
read_all(struct ratio *r, struct tap *in)
{
	struct tap_item item;
	struct batch work = {0};
	int more, status = 0;
	while (!status && (more = tap_next(in, &item)) == 1) {
		if (item.kernel)
			begin_kernel(r, in, item.kernel);
		else if (item.kernel_end)
			kernel_close(r, kernel_of(r, item.kernel_end->kernel));
		else
			status = add_batch(r, item.access, &work);
	}
	free(work.line);
	free(work.number);
	return status ? status : more;
}

int
ratio_read(struct ratio *r)
{
	struct tap in;
	struct tap_options o = {.columns = WCP_COL(CTA) | WCP_COL(WARP),
	    .line_bytes = r->set.line_bytes,
	    .kinds = r->set.kinds};
	int status = tap_open(&in, r->tool, &o);
	if (!status) {
		status = read_all(r, &in);
		close_all(r);
	}
	r->warp = in.warp;
	r->whole = in.whole && !status;
	r->finer = in.finer;
	tap_close(&in);
	return status;
}

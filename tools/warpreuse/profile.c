#include <stdlib.h>
#include <string.h>
#include "warpreuse.h"

void
refs_reserve(struct refs *r, size_t n)
{
	if (r->n + n <= r->cap)
		return;
	r->cap = r->cap * 2 > r->n + n ? r->cap * 2 : r->n + n;
	r->line = must_alloc(r->line, r->cap * sizeof *r->line);
	r->by = must_alloc(r->by, r->cap * sizeof *r->by);
	r->stack = must_alloc(r->stack, r->cap * sizeof *r->stack);
	r->who = must_alloc(r->who, r->cap * sizeof *r->who);
}

void
refs_release(struct refs *r)
{
	free(r->line);
	free(r->by);
	free(r->stack);
	free(r->who);
	*r = (struct refs){0};
}

int
profile_init(struct profile *p, struct settings *s, uint64_t seed, struct wcp_error *e)
{
	*p = (struct profile){.set = s, .seed = seed, .whole = true};
	keys_init(&p->by, s->by);
	keys_init(&p->stacks, s->stacks);
	keys_init(&p->who, s->relation);
	if (s->relation || s->footprint || s->working_set)
		p->history = history_new(s);
	p->keep_first = s->partial;
	p->part_exact = s->partial || s->merge || s->bins != BINS_LOG2 || s->sizes;
	wcp_reuse_hist_init(&p->all, true);
	p->stack = wcp_reuse_set_new(e);
	return p->stack ? 0 : -1;
}

void
profile_release(struct profile *p)
{
	keys_release(&p->by);
	keys_release(&p->stacks);
	keys_release(&p->who);
	history_free(p->history);
	names_release(&p->kernels);
	names_release(&p->programs);
	wcp_reuse_set_free(p->stack);
	for (uint32_t i = 0; i < p->n_shards; i++)
		wcp_shards_free(p->shards[i]);
	free(p->shards);
	wcp_reuse_hist_release(&p->all);
	for (uint32_t i = 0; i < p->n_part; i++)
		wcp_reuse_hist_release(&p->part[i]);
	free(p->part);
	refs_release(&p->first);
	free(p->distance);
	free(p->filter);
}

struct wcp_reuse_hist *
profile_part(struct profile *p, uint32_t number)
{
	if (number >= p->cap_part) {
		p->cap_part = p->cap_part * 2 > number ? p->cap_part * 2 : number + 16;
		p->part = must_alloc(p->part, p->cap_part * sizeof *p->part);
	}
	while (p->n_part <= number)
		wcp_reuse_hist_init(&p->part[p->n_part++], p->part_exact);
	return &p->part[number];
}

/* Runs of references with one key are counted together. */
static int
attribute(struct profile *p, const struct refs *r, struct wcp_error *e)
{
	for (size_t i = 0, next; i < r->n; i = next) {
		for (next = i + 1; next < r->n && r->by[next] == r->by[i];)
			next++;
		int status =
		    wcp_reuse_hist_add(profile_part(p, r->by[i]), p->distance + i, next - i, e);
		if (status < 0)
			return status;
	}
	return 0;
}

static void
remember_first(struct profile *p, const struct refs *r)
{
	struct refs *f = &p->first;
	for (size_t i = 0; i < r->n; i++) {
		if (p->distance[i] != WCP_REUSE_COLD)
			continue;
		refs_reserve(f, 1);
		f->line[f->n] = r->line[i];
		f->by[f->n] = p->set->by ? r->by[i] : 0;
		f->stack[f->n++] = p->set->stacks ? r->stack[i] : 0;
	}
}

static int
add_exact(struct profile *p, const struct refs *r, struct wcp_error *e)
{
	if (r->n > p->cap_distance) {
		p->cap_distance = r->n;
		p->distance = must_alloc(p->distance, r->n * sizeof *p->distance);
	}
	const uint32_t *owner = p->set->stacks ? r->stack : NULL;
	int status = wcp_reuse_set_batch(p->stack, r->line, owner, r->n, p->distance, e);
	if (status >= 0)
		status = wcp_reuse_hist_add(&p->all, p->distance, r->n, e);
	if (status >= 0 && p->set->by)
		status = attribute(p, r, e);
	if (status >= 0 && p->history)
		status = history_add(p->history, &p->who, r, p->distance, e);
	if (status >= 0 && p->keep_first)
		remember_first(p, r);
	return status;
}

static struct wcp_shards *
sampler(struct profile *p, uint32_t number, struct wcp_error *e)
{
	while (p->n_shards <= number) {
		struct wcp_shards_options o = {p->set->rate, p->set->max_lines, p->seed};
		p->shards = must_alloc(p->shards, (p->n_shards + 1ull) * sizeof *p->shards);
		p->shards[p->n_shards] = wcp_shards_new(&o, e);
		if (!p->shards[p->n_shards])
			return NULL;
		p->n_shards++;
	}
	return p->shards[number];
}

static int
add_sampled(struct profile *p, const struct refs *r, struct wcp_error *e)
{
	bool shared = p->set->stacks == UNIT_NONE;
	int status = 0;
	for (size_t i = 0, next; i < r->n && status >= 0; i = next) {
		next = shared ? r->n : i + 1;
		while (next < r->n && r->stack[next] == r->stack[i])
			next++;
		struct wcp_shards *s = sampler(p, shared ? 0 : r->stack[i], e);
		if (!s)
			return e->status;
		status = wcp_shards_batch(s, r->line + i, next - i, e);
	}
	return status;
}

int
profile_add(struct profile *p, const struct refs *r, struct wcp_error *e)
{
	return p->set->sampled ? add_sampled(p, r, e) : add_exact(p, r, e);
}

static bool
is_in_kernel(enum unit unit)
{
	return unit == UNIT_KERNEL || unit == UNIT_CTA || unit == UNIT_WARP;
}

bool
profile_has_kernels(const struct profile *p)
{
	return is_in_kernel(p->by.what) || is_in_kernel(p->stacks.what);
}

uint64_t
profile_bytes(const struct profile *p)
{
	uint64_t bytes = wcp_reuse_set_bytes(p->stack);
	for (uint32_t i = 0; i < p->n_shards; i++) {
		struct wcp_shards_info info;
		wcp_shards_info(p->shards[i], &info);
		bytes += info.bytes;
	}
	return bytes + p->all.n_page * sizeof *p->all.page +
	       p->first.cap * (sizeof(uint64_t) + 2 * sizeof(uint32_t));
}

/* The stream that goes on: what the next level sees, or everything with its outcome. */
#include <string.h>
#include "warpcache.h"

enum { FLUSH = 1 << 15 };

/* An owner's number in the model: whose slot or warp it is, and the line's space. */
#define OWNER_SPACE_SHIFT 24
#define OWNER_WARP	  0xffffffu

static int
no_memory(struct run *r)
{
	return wcp_fail(&r->error, WCP_ESYS, "out of memory");
}

int
pass_flush(struct run *r)
{
	int status = r->writer && r->out.n ? wcp_writer_access(r->writer, &r->out, &r->error) : 0;
	wcp_access_batch_clear(&r->out);
	return status;
}

static void
count_passed(struct run *r, uint32_t kernel)
{
	if (kernel == WCP_NONE32)
		return;
	if (kernel >= r->n_passed) {
		r->passed = must_have(r->passed, (kernel + 1ull) * sizeof *r->passed);
		memset(
		    r->passed + r->n_passed, 0, (kernel + 1ull - r->n_passed) * sizeof *r->passed);
		r->n_passed = kernel + 1;
	}
	r->passed[kernel]++;
}

static uint32_t
line_sectors(const struct run *r)
{
	return UINT32_MAX >> (32 - r->set->cache.index.line_bytes / WCP_SECTOR_BYTES);
}

/* The model's sectors as the stream's, of 32 bytes. */
static uint32_t
stream_sectors(const struct run *r, uint32_t sectors)
{
	uint32_t bytes = r->set->cache.sector_bytes, mask = 0;
	if (!bytes || bytes == r->set->cache.index.line_bytes)
		return sectors ? line_sectors(r) : 0;
	uint32_t each = bytes / WCP_SECTOR_BYTES;
	for (unsigned i = 0; i < 32 && sectors >> i; i++)
		if (sectors >> i & 1)
			mask |= ((1u << each) - 1) << i * each;
	return mask;
}

static int
write_back(struct run *r, const struct wcp_cache_line *line, uint64_t cycle, uint32_t kernel)
{
	struct wcp_access_batch *o = &r->out;
	if (wcp_access_batch_reserve(o, 1))
		return no_memory(r);
	uint32_t i = o->n++, sectors = stream_sectors(r, line->sectors);
	o->cycle[i] = cycle;
	o->sm[i] = r->set->shared ? WCP_NONE16 : (uint16_t)line->copy;
	o->kernel[i] = kernel;
	o->cta[i] = o->pc[i] = WCP_NONE32;
	o->warp[i] = o->slot[i] = WCP_NONE16;
	o->line[i] = line->line;
	o->sectors[i] = sectors;
	o->lanes[i] = 0;
	o->kind[i] = WCP_WRITEBACK;
	o->space[i] = (uint8_t)(line->owner >> OWNER_SPACE_SHIFT);
	o->flags[i] = WCP_ACCESS_FIRST;
	o->id[i] = r->new_id++;
	o->outcome[i] = 0;
	o->tag[i] = 0;
	o->victim[i] = ~0ull;
	o->victim_owner[i] = WCP_NONE32;
	o->bytes[i] = (uint16_t)(__builtin_popcount(sectors) * WCP_SECTOR_BYTES);
	count_passed(r, kernel);
	return 0;
}

/* What a miss asks of the next level: a load of the line, or of the sectors that are missing. */
static void
make_fetch(
    const struct run *r, struct wcp_access_batch *o, uint32_t i, const struct work *w, uint32_t k)
{
	uint32_t sectors = stream_sectors(r, w->missing[k]);
	o->line[i] = w->line[k];
	o->sectors[i] = sectors;
	o->bytes[i] = (uint16_t)(__builtin_popcount(sectors) * WCP_SECTOR_BYTES);
	if (o->kind[i] != WCP_PREFETCH)
		o->kind[i] = WCP_LOAD;
}

static int
pass_one(struct run *r, const struct wcp_access_batch *b, uint32_t k)
{
	const struct work *w = &r->work;
	struct wcp_access_batch *o = &r->out;
	uint8_t result = w->result[k];
	unsigned outcome = result & WCP_CACHE_OUTCOME, shift = 4 * r->set->level;
	bool fetches = outcome == WCP_OUT_MISS || outcome == WCP_OUT_SECTOR;
	if (wcp_access_batch_append(o, b, w->at[k], 1))
		return no_memory(r);
	uint32_t i = o->n - 1;
	o->outcome[i] = (o->outcome[i] & ~(15u << shift)) | outcome << shift;
	o->flags[i] &= (uint16_t)~WCP_ACCESS_DIRTY;
	o->victim[i] = ~0ull;
	o->victim_owner[i] = WCP_NONE32;
	if (result & WCP_CACHE_VICTIM) {
		o->victim[i] = w->victim[k];
		o->victim_owner[i] = w->victim_owner[k] & OWNER_WARP;
	}
	if (result & WCP_CACHE_DIRTY)
		o->flags[i] |= WCP_ACCESS_DIRTY;
	if (fetches && !r->set->pass_all)
		make_fetch(r, o, i, w, k);
	count_passed(r, b->kernel[w->at[k]]);
	return 0;
}

/* Record at of b, which the cache did not look up. */
static int
pass_other(struct run *r, const struct wcp_access_batch *b, uint32_t at)
{
	count_passed(r, b->kernel[at]);
	return wcp_access_batch_append(&r->out, b, at, 1) ? no_memory(r) : 0;
}

/* Every record in its place; the others' numbers ascend, as those of the work do. */
static int
pass_all(struct run *r, const struct wcp_access_batch *b)
{
	uint32_t other = 0;
	int status = 0;
	for (uint32_t k = 0; k <= r->work.n && !status; k++) {
		uint32_t before = k < r->work.n ? r->work.at[k] : b->n;
		while (other < r->n_other && r->match[other] < before && !status)
			status = pass_other(r, b, r->match[other++]);
		if (k < r->work.n && !status)
			status = pass_one(r, b, k);
		if (!status && r->out.n >= FLUSH)
			status = pass_flush(r);
	}
	return status;
}

/* What the next level is asked, and the write-backs behind what caused them. */
static int
pass_misses(struct run *r, const struct wcp_access_batch *b)
{
	const struct work *w = &r->work;
	int status = 0;
	for (uint32_t k = 0; k < w->n && !status; k++) {
		uint32_t at = w->at[k];
		if (w->result[k] & WCP_CACHE_PASS)
			status = pass_one(r, b, k);
		if (!status && w->result[k] & WCP_CACHE_DIRTY) {
			struct wcp_cache_line line = {
			    w->victim[k], w->victim_sectors[k], w->victim_owner[k], w->copy[k]};
			status = write_back(r, &line, b->cycle[at], b->kernel[at]);
		}
		if (!status && r->out.n >= FLUSH)
			status = pass_flush(r);
	}
	return status;
}

int
pass_results(struct run *r, const struct wcp_access_batch *b)
{
	if (!r->writer)
		return 0;
	return r->set->pass_all ? pass_all(r, b) : pass_misses(r, b);
}

struct leaving {
	struct run *r;
	uint32_t kernel;
};

static int
leave(void *arg, const struct wcp_cache_line *line)
{
	struct leaving *l = arg;
	struct run *r = l->r;
	r->flushed++;
	r->all.writebacks++;
	if (!r->writer || r->set->pass_all)
		return 0;
	int status = write_back(r, line, r->last_cycle, l->kernel);
	return !status && r->out.n >= FLUSH ? pass_flush(r) : status;
}

int
pass_invalidate(struct run *r, uint32_t kernel)
{
	struct leaving l = {r, kernel};
	return wcp_cache_invalidate(r->cache, leave, &l);
}

int
pass_kernel_end(struct run *r, const struct wcp_kernel_end *end)
{
	struct wcp_kernel_end out = *end;
	int status = pass_flush(r);
	if (!r->writer || status)
		return status;
	out.accesses = end->kernel < r->n_passed ? r->passed[end->kernel] : 0;
	return wcp_writer_kernel_end(r->writer, &out, &r->error);
}

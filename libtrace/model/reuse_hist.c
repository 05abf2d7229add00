#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/reuse.h"

enum { PAGE_SHIFT = 8, PAGE = 1 << PAGE_SHIFT };

void
wcp_reuse_hist_init(struct wcp_reuse_hist *h, bool exact)
{
	*h = (struct wcp_reuse_hist){.exact = exact};
}

void
wcp_reuse_hist_release(struct wcp_reuse_hist *h)
{
	for (uint32_t i = 0; i < h->n_page; i++)
		free(h->page[i]);
	free(h->page);
	free(h->carry);
	*h = (struct wcp_reuse_hist){.exact = h->exact};
}

unsigned
wcp_reuse_bin(uint32_t distance)
{
	return distance ? 32 - (unsigned)__builtin_clz(distance) : 0;
}

uint32_t
wcp_reuse_bin_first(unsigned bin)
{
	return bin ? 1u << (bin - 1) : 0;
}

uint32_t
wcp_reuse_bin_last(unsigned bin)
{
	return bin ? (1u << (bin - 1)) * 2 - 1 : 0;
}

/* The page that counts distance, made if need be; NULL when memory runs out. */
static uint32_t *
make_page(struct wcp_reuse_hist *h, uint32_t distance)
{
	uint32_t at = distance >> PAGE_SHIFT;
	if (at >= h->n_page) {
		uint32_t n = h->n_page * 2 > at + 1 ? h->n_page * 2 : at + 1;
		uint32_t **page = realloc(h->page, n * sizeof *page);
		if (!page)
			return NULL;
		memset(page + h->n_page, 0, (n - h->n_page) * sizeof *page);
		h->page = page;
		h->n_page = n;
	}
	if (!h->page[at])
		h->page[at] = calloc(PAGE, sizeof **h->page);
	return h->page[at];
}

static int
out_of_memory(struct wcp_error *e)
{
	return wcp_fail_errno(e, "no memory for a histogram");
}

static bool
add_carry(struct wcp_reuse_hist *h, uint32_t distance)
{
	uint32_t *carry = realloc(h->carry, (h->n_carry + 1) * sizeof *carry);
	if (!carry)
		return false;
	h->carry = carry;
	h->carry[h->n_carry++] = distance;
	return true;
}

static inline bool
add_exact(struct wcp_reuse_hist *h, uint32_t distance)
{
	uint32_t at = distance >> PAGE_SHIFT;
	uint32_t *page = at < h->n_page ? h->page[at] : NULL;
	if (!page && !(page = make_page(h, distance)))
		return false;
	return ++page[distance & (PAGE - 1)] || add_carry(h, distance);
}

int
wcp_reuse_hist_add(
    struct wcp_reuse_hist *h, const uint32_t *distance, size_t n, struct wcp_error *e)
{
	uint64_t cold = 0;
	for (size_t i = 0; i < n; i++) {
		if (distance[i] == WCP_REUSE_COLD) {
			cold++;
			continue;
		}
		h->bin[wcp_reuse_bin(distance[i])]++;
		h->sum += distance[i];
		if (h->exact && !add_exact(h, distance[i]))
			return out_of_memory(e);
	}
	h->cold += cold;
	h->accesses += n;
	return 0;
}

int
wcp_reuse_hist_count(
    struct wcp_reuse_hist *h, uint32_t distance, uint64_t count, struct wcp_error *e)
{
	h->accesses += count;
	h->bin[wcp_reuse_bin(distance)] += count;
	h->sum += distance * count;
	if (!h->exact)
		return 0;
	uint32_t *page = make_page(h, distance);
	if (!page)
		return out_of_memory(e);
	uint64_t total = page[distance & (PAGE - 1)] + count;
	page[distance & (PAGE - 1)] = (uint32_t)total;
	for (uint64_t carries = total >> 32; carries; carries--)
		if (!add_carry(h, distance))
			return out_of_memory(e);
	return 0;
}

int
wcp_reuse_hist_merge(
    struct wcp_reuse_hist *dst, const struct wcp_reuse_hist *src, struct wcp_error *e)
{
	dst->cold += src->cold;
	dst->accesses += src->cold;
	if (src->exact) {
		for (uint32_t d = wcp_reuse_hist_next(src, 0); d != WCP_REUSE_COLD;
		     d = wcp_reuse_hist_next(src, d + 1)) {
			int status = wcp_reuse_hist_count(dst, d, wcp_reuse_hist_at(src, d), e);
			if (status < 0)
				return status;
		}
		return 0;
	}
	dst->accesses += src->accesses - src->cold;
	dst->sum += src->sum;
	for (unsigned b = 0; b < WCP_REUSE_BINS; b++)
		dst->bin[b] += src->bin[b];
	return 0;
}

uint64_t
wcp_reuse_hist_at(const struct wcp_reuse_hist *h, uint32_t distance)
{
	uint32_t at = distance >> PAGE_SHIFT;
	if (at >= h->n_page || !h->page[at])
		return 0;
	uint64_t count = h->page[at][distance & (PAGE - 1)];
	for (uint32_t i = 0; i < h->n_carry; i++)
		if (h->carry[i] == distance)
			count += 1ull << 32;
	return count;
}

uint32_t
wcp_reuse_hist_next(const struct wcp_reuse_hist *h, uint32_t from)
{
	for (uint32_t at = from >> PAGE_SHIFT; at < h->n_page; at++, from = at << PAGE_SHIFT) {
		if (!h->page[at])
			continue;
		for (uint32_t i = from & (PAGE - 1); i < PAGE; i++) {
			uint32_t distance = at << PAGE_SHIFT | i;
			if (h->page[at][i] || (h->n_carry && wcp_reuse_hist_at(h, distance)))
				return distance;
		}
	}
	return WCP_REUSE_COLD;
}

uint32_t
wcp_reuse_hist_quantile(const struct wcp_reuse_hist *h, double share)
{
	uint64_t warm = h->accesses - h->cold;
	double need = ceil(share * (double)warm);
	uint64_t seen = 0;
	for (uint32_t d = wcp_reuse_hist_next(h, 0); d != WCP_REUSE_COLD;
	     d = wcp_reuse_hist_next(h, d + 1)) {
		seen += wcp_reuse_hist_at(h, d);
		if ((double)seen >= need)
			return d;
	}
	return WCP_REUSE_COLD;
}

#include "warpcap/slice.h"

int
wcp_slice_init(struct wcp_slice *s, const struct wcp_slice_options *o, struct wcp_error *e)
{
	struct wcp_index_options index = {.kind = o->kind,
	    .sets = o->slices,
	    .line_bytes = o->chunk_bytes,
	    .polynomial = o->polynomial,
	    .address_bits = o->address_bits};
	if (!o->slices || o->slices > 65535)
		return wcp_fail(e, WCP_EUSAGE, "a cache cannot have %u slices", o->slices);
	if (o->kind == WCP_INDEX_FERMI)
		return wcp_fail(e, WCP_EUSAGE, "index fermi does not choose slices");
	return wcp_setindex_init(&s->select, &index, e);
}

void
wcp_slice_run(
    const struct wcp_slice *s, const uint64_t *address, size_t n, uint16_t *slice, uint64_t *within)
{
	enum { PART = 256 };
	uint64_t chunk[PART], set[PART], slices = s->select.options.sets;
	unsigned shift = s->select.line_shift;
	for (size_t first = 0; first < n; first += PART) {
		size_t m = n - first < PART ? n - first : PART;
		for (size_t i = 0; i < m; i++)
			chunk[i] = address[first + i] >> shift;
		wcp_setindex_run(&s->select, chunk, m, set);
		for (size_t i = 0; i < m; i++) {
			uint64_t rest = address[first + i] & ((1ull << shift) - 1);
			slice[first + i] = (uint16_t)set[i];
			if (within)
				within[first + i] = chunk[i] / slices << shift | rest;
		}
	}
}

/* All functions take the low bits as they are once those above are known, so that the lowest chunk
 * of a row tells how the row is permuted: by xor with its own slice. */
uint64_t
wcp_slice_address(const struct wcp_slice *s, uint16_t slice, uint64_t within)
{
	unsigned shift = s->select.line_shift;
	uint64_t slices = s->select.options.sets, rest = within & ((1ull << shift) - 1), turn = 0;
	uint64_t row = (within >> shift) * slices;
	if (s->select.bits)
		wcp_setindex_run(&s->select, &row, 1, &turn);
	return (row + (slice ^ turn)) << shift | rest;
}

#include "level.h"

const struct level_type *
level_type_of(const struct settings *s)
{
	return s->timed ? &level_timed : &level_untimed;
}

void
level_init(struct level *l, const struct level_type *type, const struct settings *s)
{
	l->type = type;
	l->set = s;
	tally_init(&l->tally, s->by);
	l->tally.classes = s->classes;
	l->tally.vta = s->vta_entries > 0;
}

void
level_release(struct level *l)
{
	tally_release(&l->tally);
}

uint64_t
level_new_id(struct level *l)
{
	return 1ull << 63 | (uint64_t)l->set->level << 56 | l->new_ids++;
}

void
level_table(const struct level *l, struct report *out, const char *name, const char *title,
    const struct report_column *columns)
{
	char full_name[64], full_title[128];
	snprintf(full_name, sizeof full_name, "%s%s%s", l->alone ? "" : l->set->name,
	    l->alone ? "" : "_", name);
	snprintf(full_title, sizeof full_title, "%s%s%s", l->alone ? "" : l->set->name,
	    l->alone ? "" : ": ", title);
	report_table(out, full_name, full_title, columns);
}

void
level_print_units(const struct level *l, struct report *out)
{
	struct report_column column[TALLY_COLUMNS];
	if (l->tally.by.what == UNIT_NONE)
		return;
	tally_columns(&l->tally, column);
	level_table(l, out, "by", "By unit", column);
	tally_print_rows(&l->tally, out);
}

/* The set function with what follows from the options filled in. */
static struct wcp_setindex
index_of(const struct level *l)
{
	struct wcp_setindex x = {.irreducible = true};
	wcp_setindex_init(&x, &l->set->cache.index, NULL); /* it did for the cache */
	return x;
}

void
level_print_cache(const struct level *l, struct report *out, uint32_t caches)
{
	const struct wcp_cache_options *o = &l->set->cache;
	uint32_t slices = l->set->slice.slices;
	report_pair_u64(out, "caches", NULL, caches);
	report_pair_u64(
	    out, "size", "bytes", o->index.sets * o->ways * o->index.line_bytes * slices);
	if (slices > 1)
		report_pair_u64(out, "slices", NULL, slices);
	report_pair_u64(out, "sets", NULL, o->index.sets);
	report_pair_u64(out, "ways", NULL, o->ways);
	report_pair_u64(out, "line", "bytes", o->index.line_bytes);
	report_pair_u64(
	    out, "sector", "bytes", o->sector_bytes ? o->sector_bytes : o->index.line_bytes);
	report_pair_text(out, "replacement", wcp_replacement_name(o->replacement));
	report_pair_text(out, "index", wcp_index_name(o->index.kind));
	if (o->index.kind == WCP_INDEX_POLY)
		report_pair_u64(out, "polynomial", NULL, index_of(l).options.polynomial);
	report_pair_text(out, "write_global", wcp_write_name(o->global_write));
	report_pair_text(out, "write_local", wcp_write_name(o->local_write));
}

void
level_print_notes(const struct level *l, struct report *out, uint64_t other_spaces)
{
	struct wcp_setindex x = index_of(l);
	const char *of = l->alone ? "" : l->set->name;
	const char *colon = l->alone ? "" : ": ";
	if (x.options.kind == WCP_INDEX_POLY && !x.irreducible)
		report_note(out,
		    "%s%spolynomial %u is reducible: some strides do not spread over all sets", of,
		    colon, x.options.polynomial);
	if (other_spaces)
		report_note(out, "%s%s%llu accesses to other spaces were not looked up", of, colon,
		    (unsigned long long)other_spaces);
	if (l->tally.flushed)
		report_note(out,
		    "%s%s%llu write-backs come from emptying the caches when kernels end", of,
		    colon, (unsigned long long)l->tally.flushed);
}

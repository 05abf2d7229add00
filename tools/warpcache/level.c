#include "level.h"

const struct level_type *
level_type_of(const struct settings *s)
{
	(void)s;
	return &level_untimed;
}

void
level_init(struct level *l, const struct level_type *type, const struct settings *s)
{
	l->type = type;
	l->set = s;
	tally_init(&l->tally, s->by);
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

#include "unit.h"

static const struct report_column key_column[UNIT_COUNT][UNIT_REPORT_COLUMNS] = {
    [UNIT_SM] = {{"sm", NULL, REPORT_U64, 0}},
    [UNIT_KERNEL] = {{"kernel", NULL, REPORT_U64, 0}, {"name", NULL, REPORT_TEXT, 0}},
    [UNIT_CTA] = {{"kernel", NULL, REPORT_U64, 0}, {"cta", NULL, REPORT_U64, 0}},
    [UNIT_WARP] = {{"kernel", NULL, REPORT_U64, 0}, {"cta", NULL, REPORT_U64, 0},
	{"warp", NULL, REPORT_U64, 0}},
    [UNIT_PC] = {{"program", NULL, REPORT_TEXT, 0}, {"pc", NULL, REPORT_U64, 0},
	{"source", NULL, REPORT_TEXT, 0}},
};

void
unit_report_columns(struct report_column *out, enum unit unit, const struct report_column *rest)
{
	unsigned n = 0;
	for (unsigned i = 0; i < UNIT_REPORT_COLUMNS && key_column[unit][i].name; i++)
		out[n++] = key_column[unit][i];
	while (rest->name)
		out[n++] = *rest++;
	out[n] = *rest;
}

static void
id_or_missing(struct report *r, uint32_t id, uint32_t none)
{
	if (id == none)
		report_missing(r);
	else
		report_u64(r, id);
}

void
unit_report_key(struct report *r, const struct keys *keys, const struct names *kernels,
    const struct names *programs, uint32_t number)
{
	const struct key *k = &keys->key[number];
	switch (keys->what) {
	case UNIT_SM: id_or_missing(r, k->unit, WCP_NONE16); break;
	case UNIT_KERNEL:
		id_or_missing(r, k->group, WCP_NONE32);
		report_text(r, names_get(kernels, k->group));
		break;
	case UNIT_CTA:
		id_or_missing(r, k->group, WCP_NONE32);
		id_or_missing(r, k->cta, WCP_NONE32);
		break;
	case UNIT_WARP:
		id_or_missing(r, k->group, WCP_NONE32);
		id_or_missing(r, k->cta, WCP_NONE32);
		id_or_missing(r, k->unit, WCP_NONE16);
		break;
	case UNIT_PC:
		if (k->group >> 31)
			report_text(r, names_get(kernels, k->group & ~(1u << 31)));
		else
			report_text(r, names_get(programs, k->group));
		id_or_missing(r, k->unit, WCP_NONE32);
		report_text(r, keys->source[number]);
		break;
	case UNIT_NONE:
	case UNIT_COUNT: break;
	}
}

/* ACCESS records, one a line. */
#include <stdlib.h>
#include <string.h>
#include "dump.h"

static const char *const column_name[COLUMN_COUNT] = {
    [WCP_COL_CYCLE] = "cycle",
    [WCP_COL_SM] = "sm",
    [WCP_COL_KERNEL] = "kernel",
    [WCP_COL_CTA] = "cta",
    [WCP_COL_WARP] = "warp",
    [WCP_COL_SLOT] = "slot",
    [WCP_COL_PC] = "pc",
    [WCP_COL_LINE] = "line",
    [WCP_COL_SECTORS] = "sectors",
    [WCP_COL_LANES] = "lanes",
    [WCP_COL_KIND] = "kind",
    [WCP_COL_SPACE] = "space",
    [WCP_COL_FLAGS] = "flags",
    [WCP_COL_ID] = "id",
    [WCP_COL_OUTCOME] = "outcome",
    [WCP_COL_TAG] = "tag",
    [WCP_COL_VICTIM] = "victim",
    [WCP_COL_VICTIM_OWNER] = "owner",
    [WCP_COL_BYTES] = "bytes",
    [COLUMN_NAME] = "name",
    [COLUMN_OPCODE] = "opcode",
    [COLUMN_SOURCE] = "source",
};

static const char default_columns[] =
    "cycle,sm,kernel,cta,warp,pc,kind,space,line,sectors,lanes,flags,outcome";
static const char more_columns[] = "cycle,sm,slot,kernel,cta,warp,pc,kind,space,line,sectors,lanes,"
				   "bytes,flags,outcome,id,tag,victim,owner";

static uint32_t
needs(unsigned column)
{
	if (column == COLUMN_NAME)
		return WCP_COL(KERNEL);
	if (column == COLUMN_OPCODE || column == COLUMN_SOURCE)
		return WCP_COL(KERNEL) | WCP_COL(PC);
	return 1u << column;
}

static int
add_column(struct dump *d, const char *name, size_t len)
{
	for (unsigned c = 0; c < COLUMN_COUNT; c++) {
		if (strlen(column_name[c]) != len || memcmp(column_name[c], name, len) != 0)
			continue;
		if (memchr(d->column, (int)c, d->n_column))
			return tool_usage(d->tool, "--columns: %s comes twice", column_name[c]);
		d->column[d->n_column++] = (uint8_t)c;
		d->needed |= needs(c);
		return 0;
	}
	return tool_usage(d->tool, "--columns: there is no column '%.*s'", (int)len, name);
}

int
access_columns(struct dump *d)
{
	const char *s = d->columns ? d->columns : d->tool->verbose ? more_columns : default_columns;
	int status = 0;
	while (status == 0) {
		size_t len = strcspn(s, ",");
		status = add_column(d, s, len);
		if (s[len] == 0)
			break;
		s += len + 1;
	}
	return status;
}

void
access_header(struct dump *d)
{
	struct out *o = &d->out;
	out_begin(o, NULL);
	for (unsigned i = 0; i < d->n_column; i++)
		out_text(o, "", "", column_name[d->column[i]]);
	out_end(o);
	o->lines = 0;
}

static const char *const flag_name[] = {
    "divergent", "first", "prefetch", "lock", "critical", "uncached", "dirty"};
static const char *const outcome_name[] = {
    "none", "hit", "miss", "sector", "pending", "bypass", "redirect", "redirect_miss", "forward"};

/* Adds word to the text that ends at end, after a separator unless it is the first. */
static char *
append(char *text, char *end, char separator, const char *word)
{
	size_t n = strlen(word);
	if (end != text)
		*end++ = separator;
	memcpy(end, word, n + 1);
	return end + n;
}

static void
put_flags(struct out *o, unsigned flags)
{
	char text[96], *end = text;
	char separator = o->format == TOOL_TEXT ? ' ' : ',';
	for (unsigned i = 0; i < sizeof flag_name / sizeof *flag_name; i++)
		if (flags >> i & 1)
			end = append(text, end, separator, flag_name[i]);
	if (end == text)
		out_none(o, "flags");
	else
		out_word(o, "flags", "", text);
}

static void
put_outcome(struct out *o, uint32_t outcome)
{
	char text[192], *end = text;
	char separator = o->format == TOOL_TEXT ? ' ' : ',';
	for (unsigned level = 0; outcome >> 4 * level; level++) {
		unsigned what = WCP_OUTCOME(outcome, level);
		char name[] = {'l', (char)('1' + level), ':', 0};
		if (what != WCP_OUT_NONE) {
			end = append(text, end, separator, name);
			end =
			    append(end, end, ' ', what < WCP_OUT_COUNT ? outcome_name[what] : "?");
		}
		if (level == 7)
			break;
	}
	if (end == text)
		out_none(o, "outcome");
	else
		out_word(o, "outcome", "", text);
}

static void
put_known(struct out *o, const char *name, const char *label, uint64_t value, uint64_t none)
{
	if (value == none)
		out_none(o, name);
	else
		out_u64(o, name, label, value);
}

static void
put_text(struct out *o, const char *name, const char *text)
{
	if (text)
		out_text(o, name, "", text);
	else
		out_none(o, name);
}

/* What the program says of the record's pc. */
static void
put_static(struct dump *d, const struct wcp_access_batch *b, uint32_t i, unsigned column)
{
	const struct wcp_kernel *k = wcp_reader_kernel(d->reader, b->kernel[i]);
	const struct wcp_program *p =
	    k && k->program != WCP_NONE32 ? wcp_reader_program(d->reader, k->program) : NULL;
	char text[512];
	if (column == COLUMN_NAME)
		put_text(&d->out, "name", k ? k->name : NULL);
	else if (column == COLUMN_OPCODE)
		put_text(&d->out, "opcode", p ? meta_opcode(p, b->pc[i]) : NULL);
	else
		put_text(&d->out, "source",
		    p && meta_source(p, b->pc[i], text, sizeof text) ? text : NULL);
}

static void
put_column(struct dump *d, const struct wcp_access_batch *b, uint32_t i, unsigned column)
{
	struct out *o = &d->out;
	switch (column) {
	case WCP_COL_CYCLE: out_u64(o, "cycle", "", b->cycle[i]); break;
	case WCP_COL_SM: put_known(o, "sm", "sm ", b->sm[i], WCP_NONE16); break;
	case WCP_COL_KERNEL: out_u64(o, "kernel", "kernel ", b->kernel[i]); break;
	case WCP_COL_CTA: out_u64(o, "cta", "cta ", b->cta[i]); break;
	case WCP_COL_WARP: out_u64(o, "warp", "warp ", b->warp[i]); break;
	case WCP_COL_SLOT: put_known(o, "slot", "slot ", b->slot[i], WCP_NONE16); break;
	case WCP_COL_PC: out_u64(o, "pc", "pc ", b->pc[i]); break;
	case WCP_COL_LINE: out_hex(o, "line", "", b->line[i]); break;
	case WCP_COL_SECTORS: out_hex(o, "sectors", "sectors ", b->sectors[i]); break;
	case WCP_COL_LANES: out_hex(o, "lanes", "lanes ", b->lanes[i]); break;
	case WCP_COL_KIND: out_word(o, "kind", "", wcp_kind_name(b->kind[i])); break;
	case WCP_COL_SPACE: out_word(o, "space", "", wcp_space_name(b->space[i])); break;
	case WCP_COL_FLAGS: put_flags(o, b->flags[i]); break;
	case WCP_COL_ID: out_u64(o, "id", "id ", b->id[i]); break;
	case WCP_COL_OUTCOME: put_outcome(o, b->outcome[i]); break;
	case WCP_COL_TAG: out_u64(o, "tag", "tag ", b->tag[i]); break;
	case WCP_COL_VICTIM:
		if (b->victim[i] == UINT64_MAX)
			out_none(o, "victim");
		else
			out_hex(o, "victim", "victim ", b->victim[i]);
		break;
	case WCP_COL_VICTIM_OWNER:
		put_known(o, "owner", "owner ", b->victim_owner[i], WCP_NONE32);
		break;
	case WCP_COL_BYTES: out_u64(o, "bytes", "bytes ", b->bytes[i]); break;
	default: put_static(d, b, i, column); break;
	}
}

static void
put_record(struct dump *d, const struct wcp_access_batch *b, uint32_t i)
{
	out_begin(&d->out, "access");
	for (unsigned c = 0; c < d->n_column; c++)
		put_column(d, b, i, d->column[c]);
	out_end(&d->out);
}

int
access_batch(struct dump *d, const struct wcp_access_batch *b, struct wcp_error *e)
{
	if (!d->filter) {
		for (uint32_t i = 0; i < b->n && !out_full(&d->out); i++)
			put_record(d, b, i);
		return 0;
	}
	if (d->cap_index < b->n) {
		free(d->index);
		d->cap_index = 0;
		if (!(d->index = malloc(b->n * sizeof *d->index)))
			return wcp_fail(e, WCP_ESYS, "out of memory");
		d->cap_index = b->n;
	}
	uint32_t n = wcp_filter_access(d->filter, b, d->index);
	for (uint32_t i = 0; i < n && !out_full(&d->out); i++)
		put_record(d, b, d->index[i]);
	return 0;
}

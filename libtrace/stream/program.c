#include <stdlib.h>
#include "stream/meta.h"

enum { PROGRAM_FIELDS, PROGRAM_NAME, PROGRAM_STRINGS, PROGRAM_REG, PROGRAM_INSN };
enum { INSN_MAX = 1 << 20 };

/* The columns of an instruction, from PROGRAM_INSN on. */
struct insn_col {
	size_t offset, size;
};
#define COL(x)                                                                \
	{                                                                     \
		offsetof(struct wcp_insn, x), sizeof((struct wcp_insn *)0)->x \
	}
static const struct insn_col insn_col[] = {COL(opcode), COL(op_class), COL(space), COL(kind),
    COL(ndst), COL(nsrc), COL(flags), COL(bytes), COL(bar_id), COL(bar_count), COL(target),
    COL(reconverge), COL(regs), COL(file), COL(line), COL(ptx_line)};
enum { INSN_COLS = sizeof insn_col / sizeof *insn_col };

int
stream_program_encode(
    const struct wcp_program *p, struct block_out *b, struct buf *out, struct wcp_error *e)
{
	uint64_t id = p->id;
	uint8_t *room = malloc((size_t)p->n_insn * 4 + 1);
	if (!room)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	stream_block_begin(b, out, PROGRAM_INSN + INSN_COLS);
	stream_column_put(b, PROGRAM_FIELDS, &id, 8, 1);
	stream_column_put_bytes(
	    b, PROGRAM_NAME, p->name ? p->name : "", p->name ? strlen(p->name) : 0);
	stream_column_put_bytes(b, PROGRAM_STRINGS, p->strings, p->n_string);
	stream_column_put(b, PROGRAM_REG, p->reg, 2, p->n_reg);
	for (unsigned c = 0; c < INSN_COLS; c++) {
		size_t size = insn_col[c].size;
		for (uint32_t i = 0; i < p->n_insn; i++)
			memcpy(
			    room + i * size, (const char *)&p->insn[i] + insn_col[c].offset, size);
		stream_column_put(b, PROGRAM_INSN + c, room, (unsigned)size, p->n_insn);
	}
	free(room);
	return stream_block_finish(b, BLOCK_PROGRAM, p->n_insn, e);
}

static bool
insn_sound(const struct wcp_program *p, const struct wcp_insn *i)
{
	return i->opcode < p->n_string && (i->file == WCP_NONE32 || i->file < p->n_string) &&
	       (uint64_t)i->regs + i->ndst + i->nsrc <= p->n_reg && i->space < WCP_SPACE_COUNT &&
	       i->kind < WCP_KIND_COUNT && (i->target == WCP_NONE32 || i->target < p->n_insn) &&
	       (i->reconverge == WCP_NONE32 || i->reconverge < p->n_insn);
}

bool
stream_program_sound(const struct wcp_program *p)
{
	if (p->n_insn > INSN_MAX || (p->n_string && p->strings[p->n_string - 1]))
		return false;
	for (uint32_t i = 0; i < p->n_insn; i++)
		if (!insn_sound(p, &p->insn[i]))
			return false;
	return true;
}

/* A program under construction: one allocation of struct, instructions, registers, strings, name.
 */
struct draft {
	struct wcp_program *program;
	struct wcp_insn *insn;
	uint16_t *reg;
	char *strings, *name;
};

static bool
draft_new(struct draft *d, uint32_t n_insn, uint32_t n_reg, uint32_t n_string, uint32_t n_name)
{
	size_t insn = sizeof *d->program, reg = insn + n_insn * sizeof *d->insn;
	size_t strings = reg + n_reg * sizeof *d->reg, name = strings + n_string;
	char *at = calloc(1, name + n_name + 1);
	if (!at)
		return false;
	*d =
	    (struct draft){(struct wcp_program *)(void *)at, (struct wcp_insn *)(void *)(at + insn),
		(uint16_t *)(void *)(at + reg), at + strings, at + name};
	*d->program =
	    (struct wcp_program){0, d->name, n_insn, d->insn, n_reg, d->reg, n_string, d->strings};
	return true;
}

static int
get_insns(const struct block_in *in, struct wcp_insn *insn, uint32_t n, struct wcp_error *e)
{
	uint8_t *room = malloc((size_t)n * 4 + 1);
	if (!room)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	int s = 0;
	for (unsigned c = 0; s == 0 && c < INSN_COLS; c++) {
		size_t size = insn_col[c].size;
		s = stream_column_get(in, PROGRAM_INSN + c, room, (unsigned)size, n, e);
		for (uint32_t i = 0; s == 0 && i < n; i++)
			memcpy((char *)&insn[i] + insn_col[c].offset, room + i * size, size);
	}
	free(room);
	for (uint32_t i = 0; s == 0 && i < n; i++)
		if (insn[i].op_class >= WCP_OP_COUNT)
			insn[i].op_class = WCP_OP_OTHER;
	return s;
}

static int
fill(const struct block_in *in, const struct draft *d, struct wcp_error *e)
{
	struct wcp_program *p = d->program;
	uint32_t n;
	uint64_t id;
	int s = stream_column_get(in, PROGRAM_FIELDS, &id, 8, 1, e);
	if (s == 0)
		s = stream_column_get(in, PROGRAM_REG, d->reg, 2, p->n_reg, e);
	if (s == 0)
		s = get_insns(in, d->insn, p->n_insn, e);
	if (s < 0)
		return s;
	p->id = id < STREAM_ID_MAX ? (uint32_t)id : WCP_NONE32;
	memcpy(d->strings, stream_column_bytes(in, PROGRAM_STRINGS, &n), p->n_string);
	const uint8_t *name = stream_column_bytes(in, PROGRAM_NAME, &n);
	memcpy(d->name, name, n);
	return stream_program_sound(p) ? 0 : wcp_fail(e, WCP_EDATA, "PROGRAM block damaged");
}

struct wcp_program *
stream_program_decode(const struct block_in *in, struct wcp_error *e)
{
	struct draft d;
	uint32_t n_string, n_name;
	(void)stream_column_bytes(in, PROGRAM_STRINGS, &n_string);
	(void)stream_column_bytes(in, PROGRAM_NAME, &n_name);
	const struct column_in *reg = stream_column_find(in, PROGRAM_REG);
	uint32_t n_reg = reg ? reg->count : 0;
	if (in->records > INSN_MAX || n_reg > 32u * INSN_MAX) {
		wcp_fail(e, WCP_EDATA, "PROGRAM block of %u instructions", in->records);
		return NULL;
	}
	if (!draft_new(&d, in->records, n_reg, n_string, n_name)) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	if (fill(in, &d, e) < 0) {
		free(d.program);
		return NULL;
	}
	return d.program;
}

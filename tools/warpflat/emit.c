/* From a warp's memory instruction to the records of its transactions. */
#include "flat.h"

enum { BATCH = 1 << 15 };

int
emit_start(struct flat *f, struct wcp_error *e)
{
	struct wcp_access_batch *b = &f->out;
	wcp_access_batch_init(b);
	if (wcp_access_batch_reserve(b, BATCH + WCP_COALESCE_MAX))
		return wcp_fail(e, WCP_ESYS, "out of memory");
	/* Nothing has happened to the accesses yet: these columns stay as they are. */
	for (uint32_t i = 0; i < BATCH + WCP_COALESCE_MAX; i++) {
		b->outcome[i] = 0;
		b->tag[i] = 0;
		b->victim[i] = ~0ull;
		b->victim_owner[i] = WCP_NONE32;
	}
	return 0;
}

int
emit_flush(struct flat *f, struct wcp_error *e)
{
	int status = 0;
	if (f->out.n)
		status = wcp_writer_access(f->writer, &f->out, e);
	wcp_access_batch_clear(&f->out);
	return status;
}

static void
put(struct flat *f, const struct launch *l, const struct place *where, uint32_t pc,
    const struct wcp_insn *insn, uint8_t space, uint16_t flags, const struct wcp_transaction *t)
{
	struct wcp_access_batch *b = &f->out;
	uint32_t i = b->n++;
	b->cycle[i] = f->written;
	b->sm[i] = where->sm;
	b->kernel[i] = l->kernel->id;
	b->cta[i] = where->cta;
	b->warp[i] = where->warp;
	b->slot[i] = where->slot;
	b->pc[i] = pc;
	b->line[i] = t->line;
	b->sectors[i] = t->sectors;
	b->lanes[i] = t->lanes;
	b->kind[i] = insn->kind;
	b->space[i] = space;
	b->flags[i] = flags;
	b->id[i] = f->written++;
	b->bytes[i] = (uint16_t)t->bytes;
}

int
emit(struct flat *f, struct launch *l, const struct place *where, const struct record *r,
    uint16_t more_flags, struct wcp_error *e)
{
	static const struct wcp_insn unknown = {.kind = WCP_LOAD, .bytes = 4};
	struct wcp_transaction t[WCP_COALESCE_MAX];
	const struct wcp_insn *insn =
	    l->program && r->pc < l->program->n_insn ? &l->program->insn[r->pc] : &unknown;
	uint32_t n;
	int status;
	if (r->space == WCP_SPACE_LOCAL)
		n = wcp_coalesce_local(&f->set.coalesce, &r->mem, insn->bytes,
		    wcp_local_base(l->kernel, where->cta, where->warp), t);
	else
		n = wcp_coalesce_mem(&f->set.coalesce, &r->mem, insn->bytes, t);
	if (f->out.n + n > BATCH && (status = emit_flush(f, e)))
		return status;
	bool divergent = n > WCP_DIVERGENT_LINES;
	uint16_t flags = (uint16_t)((divergent ? WCP_ACCESS_DIVERGENT : 0) |
				    (insn->flags & WCP_INSN_UNCACHED ? WCP_ACCESS_UNCACHED : 0));
	if (insn->kind == WCP_PREFETCH)
		flags |= WCP_ACCESS_PREFETCH;
	for (uint32_t i = 0; i < n; i++) {
		put(f, l, where, r->pc, insn, r->space, (uint16_t)(flags | (i ? 0 : more_flags)),
		    &t[i]);
		l->sectors += (uint32_t)__builtin_popcount(t[i].sectors);
		l->bytes += t[i].bytes;
	}
	l->transactions += n;
	l->insns += (more_flags & WCP_ACCESS_FIRST) != 0;
	l->divergent += divergent;
	return 0;
}

#include "gpu/gpu.h"
#include "gpu/states.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 14, STATES = 1 << 12 };

struct tap {
	struct wcp_writer *writer;
	const struct wcp_reader *reader;
	enum tap_level level;
	const struct gpu *gpu;
	struct tap_record *record; /* [cap] of cycles that are not over */
	uint32_t n, cap;
	struct wcp_access_batch out;
	struct states states;
	uint64_t id;
	uint64_t *written; /* [kernels] records of each */
	bool *program;	   /* [programs] written */
	uint32_t kernels, programs;
	struct wcp_error error;
};

struct tap *
tap_new(struct wcp_writer *w, const struct wcp_reader *r, enum tap_level level)
{
	struct tap *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	*t = (struct tap){.writer = w, .reader = r, .level = level};
	wcp_access_batch_init(&t->out);
	if (!wcp_access_batch_reserve(&t->out, BATCH))
		return t;
	tap_free(t);
	return NULL;
}

void
tap_free(struct tap *t)
{
	if (!t)
		return;
	wcp_access_batch_release(&t->out);
	states_release(&t->states);
	free(t->record);
	free(t->written);
	free(t->program);
	free(t);
}

void
tap_of(struct tap *t, const struct gpu *g)
{
	t->gpu = g;
}

int
tap_status(const struct tap *t, struct wcp_error *e)
{
	if (t->error.status)
		*e = t->error;
	return (int)t->error.status;
}

/* ---- out ------------------------------------------------------------------------------------ */

static void
write_out(struct tap *t)
{
	if (t->out.n && !t->error.status)
		wcp_writer_access(t->writer, &t->out, &t->error);
	wcp_access_batch_clear(&t->out);
}

static void
write_states(struct tap *t)
{
	struct states *s = &t->states;
	if (s->failed)
		wcp_fail(&t->error, WCP_ESYS, "out of memory");
	if (s->n_out && !t->error.status)
		wcp_writer_state(t->writer, s->out, s->n_out, &t->error);
	s->n_out = 0;
}

static void
append(struct tap *t, const struct tap_record *r)
{
	struct wcp_access_batch *b = &t->out;
	if (b->n == BATCH)
		write_out(t);
	uint32_t i = b->n++;
	b->cycle[i] = r->cycle;
	b->sm[i] = r->sm;
	b->kernel[i] = r->kernel;
	b->cta[i] = r->cta;
	b->warp[i] = r->warp;
	b->slot[i] = r->slot;
	b->pc[i] = r->pc;
	b->line[i] = r->line;
	b->sectors[i] = r->sectors;
	b->lanes[i] = r->lanes;
	b->kind[i] = r->kind;
	b->space[i] = r->space;
	b->flags[i] = r->flags;
	b->id[i] = t->id++;
	b->outcome[i] = r->outcome;
	b->tag[i] = 0;
	b->victim[i] = r->victim;
	b->victim_owner[i] = r->victim_owner;
	b->bytes[i] = r->bytes;
	if (r->kernel < t->kernels)
		t->written[r->kernel]++;
}

static int
by_cycle(const void *a, const void *b)
{
	const struct tap_record *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
tap_flush(struct tap *t)
{
	if (!t)
		return;
	if (t->states.n)
		states_flush(&t->states);
	if (t->states.n_out >= STATES)
		write_states(t);
	if (t->n)
		qsort(t->record, t->n, sizeof *t->record, by_cycle);
	for (uint32_t i = 0; i < t->n; i++)
		append(t, &t->record[i]);
	t->n = 0;
}

void
tap_state(struct tap *t, struct sm *sm, uint32_t slot, enum wcp_state_kind kind)
{
	if (t)
		states_add(&t->states, sm, slot, kind);
}

void
tap_look(struct tap *t, struct sm *sm)
{
	if (t)
		states_look(&t->states, sm);
}

static struct tap_record *
room(struct tap *t)
{
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 256;
		struct tap_record *grown = realloc(t->record, cap * sizeof *grown);
		if (!grown) {
			wcp_fail(&t->error, WCP_ESYS, "out of memory");
			return NULL;
		}
		t->record = grown;
		t->cap = cap;
	}
	t->record[t->n].order = t->n;
	return &t->record[t->n++];
}

/* ---- what is not a record ------------------------------------------------------------------- */

void
tap_host(struct tap *t, const struct wcp_host_op *op)
{
	if (t && !t->error.status)
		wcp_writer_host(t->writer, op, &t->error);
}

static bool
grow(struct tap *t, void *array, uint32_t *n, uint32_t want, size_t bytes)
{
	void **p = array;
	if (want <= *n)
		return true;
	uint32_t cap = want + want / 2;
	void *grown = realloc(*p, cap * bytes);
	if (!grown) {
		wcp_fail(&t->error, WCP_ESYS, "out of memory");
		return false;
	}
	memset((char *)grown + *n * bytes, 0, (cap - *n) * bytes);
	*p = grown;
	*n = cap;
	return true;
}

static void
write_program(struct tap *t, uint32_t id)
{
	const struct wcp_program *p = wcp_reader_program(t->reader, id);
	if (!p || !grow(t, &t->program, &t->programs, id + 1, sizeof *t->program) || t->program[id])
		return;
	t->program[id] = true;
	wcp_writer_program(t->writer, p, &t->error);
}

void
tap_kernel(struct tap *t, const struct wcp_kernel *k)
{
	if (!t || t->error.status)
		return;
	write_out(t);
	write_program(t, k->program);
	if (grow(t, &t->written, &t->kernels, k->id + 1, sizeof *t->written) && !t->error.status)
		wcp_writer_kernel(t->writer, k, &t->error);
}

void
tap_kernel_end(struct tap *t, const struct wcp_kernel_end *end)
{
	if (!t || t->error.status)
		return;
	tap_flush(t);
	write_out(t);
	write_states(t);
	struct wcp_kernel_end out = *end;
	out.accesses = t->written[end->kernel];
	if (!t->error.status)
		wcp_writer_kernel_end(t->writer, &out, &t->error);
}

/* ---- records -------------------------------------------------------------------------------- */

/* Whose access it is; the request belongs to the SM. */
static void
describe(struct tap_record *t, const struct sm *sm, const struct request *r)
{
	const struct cta *c = sm->warp[r->slot].cta;
	*t = (struct tap_record){
	    .victim = ~0ull,
	    .victim_owner = WCP_NONE32,
	    .order = t->order,
	    .line = r->line,
	    .sectors = r->sectors,
	    .lanes = r->lanes,
	    .bytes = r->bytes,
	    .pc = r->pc,
	    .kernel = c ? c->run->kernel->id : WCP_NONE32,
	    .cta = c ? c->feed->linear : 0,
	    .warp = sm->seen[r->slot].warp,
	    .sm = (uint16_t)sm->number,
	    .slot = r->slot,
	    .kind = r->kind,
	    .space = r->space,
	    .flags =
		(uint16_t)(r->flags | (r->lines > WCP_DIVERGENT_LINES ? WCP_ACCESS_DIVERGENT : 0) |
			   (r->first ? WCP_ACCESS_FIRST : 0)),
	    .outcome = WCP_OUTCOME_SET(0, r->outcome),
	};
}

/* A line that goes back to the level below, or what is passed on: nobody waits for it. */
static void
describe_passed(struct tap_record *t, uint64_t line, uint32_t sectors, uint8_t kind)
{
	*t = (struct tap_record){
	    .victim = ~0ull,
	    .victim_owner = WCP_NONE32,
	    .order = t->order,
	    .line = line,
	    .sectors = sectors,
	    .bytes = (uint16_t)(WCP_SECTOR_BYTES * (unsigned)__builtin_popcount(sectors)),
	    .kernel = WCP_NONE32,
	    .sm = WCP_NONE16,
	    .slot = WCP_NONE16,
	    .kind = kind,
	    .space = WCP_SPACE_GLOBAL,
	};
}

static void
evict(struct tap_record *t, const struct wcp_nb_victim *v, bool dirty)
{
	t->victim = v->line;
	t->victim_owner = v->owner;
	t->flags |= dirty ? WCP_ACCESS_DIRTY : 0;
}

void
tap_l1(struct tap *t, const struct sm *sm, uint32_t n, uint8_t outcome,
    const struct wcp_nb_victim *victim, bool dirty)
{
	struct tap_record *out = t && t->level == TAP_L1 ? room(t) : NULL;
	if (!out)
		return;
	describe(out, sm, &sm->request[n]);
	out->cycle = sm->now;
	out->outcome = WCP_OUTCOME_SET(0, outcome);
	if (victim)
		evict(out, victim, dirty);
}

void
tap_l1_fill(
    struct tap *t, const struct sm *sm, uint32_t n, const struct wcp_nb_victim *victim, bool dirty)
{
	struct tap_record *out = t && t->level == TAP_L1 ? room(t) : NULL;
	if (!out)
		return;
	describe(out, sm, &sm->request[n]);
	out->cycle = sm->now;
	out->kind = WCP_FILL;
	out->outcome =
	    sm->request[n].route == WCP_NB_REDIRECT ? WCP_OUTCOME_SET(0, WCP_OUT_REDIRECT_MISS) : 0;
	evict(out, victim, dirty);
}

/* A request that is under way below L1. */
static void
describe_below(struct tap_record *out, const struct tap *t, const struct slice *s,
    const struct piece_request *r)
{
	const struct memory *m = &t->gpu->memory;
	uint64_t line = memory_address(m, s, r->line);
	if (r->handle == WCP_NONE32) {
		describe_passed(out, line, r->sectors, r->kind);
		return;
	}
	describe(out, &t->gpu->sm[r->sm], &t->gpu->sm[r->sm].request[r->handle]);
	out->line = line;
	out->sectors = r->sectors;
}

void
tap_l2(struct tap *t, const struct slice *s, const struct piece_request *r,
    const struct wcp_nb_result *result, uint64_t cycle)
{
	struct tap_record *out = t && t->level == TAP_L2 ? room(t) : NULL;
	if (!out)
		return;
	describe_below(out, t, s, r);
	out->cycle = cycle;
	out->outcome |= WCP_OUTCOME_SET(1, result->outcome);
	if (!(result->bits & WCP_NB_VICTIM))
		return;
	struct wcp_nb_victim v = result->victim;
	v.line = memory_address(&t->gpu->memory, s, v.line);
	evict(out, &v, result->bits & WCP_NB_DIRTY);
}

void
tap_dram(struct tap *t, const struct slice *s, const struct piece_request *r, uint64_t cycle)
{
	struct tap_record *out = t && t->level == TAP_DRAM ? room(t) : NULL;
	if (!out)
		return;
	describe_below(out, t, s, r);
	out->cycle = cycle;
	if (r->type == PACKET_READ)
		out->outcome |= WCP_OUTCOME_SET(1, r->outcome);
}

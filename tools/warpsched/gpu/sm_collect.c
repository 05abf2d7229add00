/*
 * Operand collection, as GPGPU-Sim's specialised collectors do it: an instruction gets a collector,
 * reads its operands, and leaves when it has them all; a register bank gives one operand a cycle to
 * all collectors together.
 */
#include "gpu/sm.h"

static void
stage_push(struct stage *s, uint32_t op)
{
	s->op[s->n++] = op;
}

static uint32_t
stage_take(struct stage *s, uint32_t i)
{
	uint32_t op = s->op[i];
	s->n--;
	for (; i < s->n; i++)
		s->op[i] = s->op[i + 1];
	return op;
}

/* Those that have all their operands go on. */
static void
dispatch(struct sm *sm, struct lane *l, const struct wcp_unit_config *u)
{
	uint32_t ports = u->ports;
	for (uint32_t i = 0; i < l->collecting.n && ports && l->collected.n < u->width;) {
		if (sm->op[l->collecting.op[i]].n_read) {
			i++;
			continue;
		}
		stage_push(&l->collected, stage_take(&l->collecting, i));
		sm->moved = true;
		ports--;
	}
}

static void
read_operands(struct sm *sm, struct lane *l, uint64_t *banks)
{
	for (uint32_t i = 0; i < l->collecting.n; i++) {
		struct op *op = &sm->op[l->collecting.op[i]];
		sm->moved |= op->n_read != 0;
		if (!sm->set->register_banks)
			op->n_read = 0;
		for (uint32_t k = op->n_read; k-- > 0;) {
			if (*banks >> op->read[k] & 1)
				continue;
			*banks |= 1ull << op->read[k];
			op->read[k] = op->read[--op->n_read];
		}
	}
}

static void
allocate(struct sm *sm, struct lane *l, const struct wcp_unit_config *u)
{
	for (uint32_t i = 0; i < u->ports && l->issued.n && l->collecting.n < u->collectors; i++) {
		stage_push(&l->collecting, stage_take(&l->issued, 0));
		sm->moved = true;
	}
}

void
sm_collect(struct sm *sm)
{
	uint64_t banks = 0; /* that have given an operand in this cycle */
	for (unsigned left = sm->lanes; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		if (sm->lane[k].collecting.n)
			dispatch(sm, &sm->lane[k], &sm->set->unit[k]);
	}
	for (unsigned left = sm->lanes; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		if (sm->lane[k].collecting.n)
			read_operands(sm, &sm->lane[k], &banks);
		if (sm->lane[k].issued.n)
			allocate(sm, &sm->lane[k], &sm->set->unit[k]);
	}
}

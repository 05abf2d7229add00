/*
 * Operand collection, as GPGPU-Sim's specialised collectors do it: an instruction gets a collector,
 * reads its operands, and leaves when it has them all; a register bank gives one operand a cycle to
 * all collectors together.
 */
#include "gpu/sm.h"

/* Operands whose bank has given one in this cycle stay to be read. */
static void
read_banks(struct op *op, uint64_t *banks)
{
	for (uint32_t k = op->n_read; k-- > 0;) {
		if (*banks >> op->read[k] & 1)
			continue;
		*banks |= 1ull << op->read[k];
		op->read[k] = op->read[--op->n_read];
	}
}

/* Those that had all their operands go on, the others read some. */
static void
dispatch(struct sm *sm, struct lane *l, const struct wcp_unit_config *u, uint64_t *banks)
{
	uint32_t room = u->width - l->collected.n, n = l->collecting.n, kept = 0;
	room = room < u->ports ? room : u->ports;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = l->collecting.op[i];
		struct op *op = &sm->op[number];
		if (room && !op->n_read) {
			l->collected.op[l->collected.n++] = number;
			sm->moved = true;
			room--;
			continue;
		}
		l->collecting.op[kept++] = number;
		if (!op->n_read)
			continue;
		sm->moved = true;
		if (sm->set->register_banks)
			read_banks(op, banks);
		else
			op->n_read = 0;
	}
	l->collecting.n = kept;
}

static void
allocate(struct sm *sm, struct lane *l, const struct wcp_unit_config *u)
{
	uint32_t n = u->collectors - l->collecting.n;
	n = n < u->ports ? n : u->ports;
	n = n < l->issued.n ? n : l->issued.n;
	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++)
		l->collecting.op[l->collecting.n++] = l->issued.op[i];
	l->issued.n -= n;
	for (uint32_t i = 0; i < l->issued.n; i++)
		l->issued.op[i] = l->issued.op[i + n];
	sm->moved = true;
}

void
sm_collect(struct sm *sm)
{
	uint64_t banks = 0; /* that have given an operand in this cycle */
	for (unsigned left = sm->lanes; left; left &= left - 1) {
		unsigned k = (unsigned)__builtin_ctz(left);
		struct lane *l = &sm->lane[k];
		const struct wcp_unit_config *u = &sm->set->unit[k];
		if (l->collecting.n)
			dispatch(sm, l, u, &banks);
		if (l->issued.n)
			allocate(sm, l, u);
		if (l->issued.n < u->width)
			sm->crowded &= (uint8_t) ~(1u << k);
		if (!l->issued.n && !l->collecting.n && !l->collected.n)
			sm->lanes &= (uint8_t) ~(1u << k);
	}
}

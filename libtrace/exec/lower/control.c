/* Branches, calls, returns, barriers and what has no effect here. PTX ISA 9.0 sections 9.7.12
 * and 9.7.13. */
#include <string.h>
#include "exec/builtin.h"
#include "exec/lower/lower.h"

static bool
branch(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const struct cfg_block *b = &l->cfg.block[l->cfg.block_of[l->index]];
	l->op_class = WCP_OP_BRANCH;
	if (p->n_op < 1 || p->op[0].kind != PTX_OP_LABEL)
		return lower_unsupported(l), true;
	struct insn *in = lower_emit(l, p->guard == WCP_NONE32 ? DO_JUMP : DO_BRANCH, NULL);
	in->imm = p->op[0].integer;
	if (p->guard != WCP_NONE32)
		in->b = b->ipdom; /* a block until the function is whole */
	lower_patch(l, in);
	return true;
}

static bool
branch_table(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const struct ptx_table *t = cfg_table(l->fn, p);
	struct exec_code *c = l->code;
	l->op_class = WCP_OP_BRANCH;
	if (p->n_op < 2 || !t || !t->target || !ptx_has(p, "idx") || p->guard != WCP_NONE32)
		return lower_unsupported(l), true;
	uint32_t index = lower_source(l, &p->op[0], PTX_U32);
	struct insn *in = lower_emit(l, DO_BRANCH_TABLE, NULL);
	in->a = index;
	in->imm = c->n_table;
	in->c = 1;
	if (!lower_grow(l, &c->table, c->n_table, &l->cap_table, sizeof *c->table))
		return true;
	struct exec_table *to = &c->table[c->n_table++];
	*to = (struct exec_table){.n = t->n,
	    .target = exec_arena_alloc(c->arena, (t->n + 1) * sizeof *to->target),
	    .meet = l->cfg.block[l->cfg.block_of[l->index]].ipdom};
	if (!to->target)
		return lower_fail(l, WCP_ESYS, "out of memory");
	memcpy(to->target, t->target, t->n * sizeof *to->target);
	lower_patch(l, in);
	return true;
}

static bool
ends(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	const bool trap = !strcmp(p->base, "trap");
	if (strcmp(p->base, "ret") != 0 || l->func == 0) {
		l->op_class = WCP_OP_EXIT;
		lower_emit(l, trap ? DO_TRAP : DO_EXIT, NULL);
		return true;
	}
	l->op_class = WCP_OP_CALL;
	struct insn *in = lower_emit(l, p->guard == WCP_NONE32 ? DO_JUMP : DO_RETURN_IF, NULL);
	in->imm = l->fn->n_insn; /* the common return stands behind the last instruction */
	lower_patch(l, in);
	return true;
}

/* ---- calls ---- */

static const struct ptx_symbol *
param_symbol(const struct ptx_operand *op)
{
	return op->kind == PTX_OP_SYMBOL && op->sym && op->sym->kind == PTX_SYM_PARAM ? op->sym
										      : NULL;
}

static uint32_t
units_of(const struct ptx_symbol *s)
{
	return s->bytes ? (uint32_t)((s->bytes + 7) / 8) : 1;
}

/* An argument that is no .param variable: one unit of its own. */
static uint32_t
scratch_unit(struct lower *l)
{
	uint32_t at = l->file_bytes;
	l->file_bytes += 256;
	return at;
}

static void
register_param(
    struct lower *l, const struct ptx_operand *op, enum ptx_type type, uint32_t area, bool store)
{
	struct mem_op m = {.space = WCP_SPACE_PARAM, .n = 1, .type = (uint8_t)type};
	m.size = (uint8_t)ptx_type_bytes(type);
	if (store) {
		m.reg[0] = lower_source(l, op, type);
		m.reg_bytes[0] = (uint8_t)lower_width(type);
	} else if (op->kind == PTX_OP_REG) {
		m.reg[0] = l->slot[op->reg];
		m.reg_bytes[0] = (uint8_t)lower_width(l->fn->reg[op->reg].type);
	}
	struct insn *in =
	    lower_emit(l, DO_LANES, store ? l->level->param_store : l->level->param_load);
	in->hidden = 1;
	in->pc = store ? l->pc : l->pc + 1;
	in->a = area;
	*lower_mem(l, in) = m;
}

static enum ptx_type
argument_type(const struct lower *l, const struct ptx_operand *op, const struct ptx_signature *sig,
    bool ret, uint32_t i)
{
	if (sig && i < (ret ? sig->n_ret : sig->n_param))
		return (ret ? sig->ret : sig->param)[i]->type;
	return op->kind == PTX_OP_REG ? l->fn->reg[op->reg].type : PTX_B64;
}

static struct call_copy *
arguments(struct lower *l, const struct ptx_operand *list, const struct ptx_signature *sig,
    bool ret, uint32_t *n)
{
	*n = list ? list->n_sub : 0;
	struct call_copy *copy = exec_arena_alloc(l->code->arena, (*n + 1) * sizeof *copy);
	for (uint32_t i = 0; copy && i < *n; i++) {
		const struct ptx_operand *op = &list->sub[i];
		const struct ptx_symbol *s = param_symbol(op);
		uint32_t area = s ? (uint32_t)s->user : scratch_unit(l);
		if (!s && !ret)
			register_param(l, op, argument_type(l, op, sig, ret, i), area, true);
		*(ret ? &copy[i].to : &copy[i].from) = area;
		copy[i].units = s ? units_of(s) : 1;
	}
	if (!copy)
		lower_fail(l, WCP_ESYS, "out of memory");
	return copy;
}

static uint32_t
function_index(const struct lower *l, const struct ptx_func *f)
{
	for (uint32_t i = 0; i < l->code->n_func; i++)
		if (l->code->func[i].ptx == f)
			return i;
	return WCP_NONE32;
}

struct call_parts {
	const struct ptx_operand *ret, *callee, *arg, *shape;
};

static bool
take_apart(const struct ptx_insn *p, struct call_parts *c)
{
	uint32_t i = 0;
	*c = (struct call_parts){0};
	if (i < p->n_op && p->op[i].kind == PTX_OP_LIST)
		c->ret = &p->op[i++];
	if (i < p->n_op && (p->op[i].kind == PTX_OP_SYMBOL || p->op[i].kind == PTX_OP_REG))
		c->callee = &p->op[i++];
	if (i < p->n_op && p->op[i].kind == PTX_OP_LIST)
		c->arg = &p->op[i++];
	if (i < p->n_op)
		c->shape = &p->op[i++];
	return c->callee != NULL;
}

static void
lower_no_body(struct lower *l, const struct ptx_operand *callee)
{
	const char *module = callee->sym ? callee->sym->module : NULL;
	lower_fail(l, WCP_EDATA, "PTX line %u: call of function '%s', which has no body%s%s%s",
	    l->in->line, callee->name ? callee->name : "?", module ? " (declared in module '" : "",
	    module ? module : "", module ? "')" : "");
}

/* A call of what no PTX defines; false: the executor has nothing of that name either. */
static bool
builtin(struct lower *l, const struct call_parts *parts)
{
	struct exec_code *code = l->code;
	const struct exec_builtin *what = exec_builtin_named(parts->callee->name);
	const struct ptx_func *f = parts->callee->sym ? parts->callee->sym->func : NULL;
	const struct ptx_signature *sig = f ? &f->sig : NULL;
	struct builtin_call b = {.what = what};
	uint32_t n_arg, n_ret, wanted = 0;
	if (!what)
		return false;
	l->op_class = what->op_class;
	const struct call_copy *arg = arguments(l, parts->arg, sig, false, &n_arg);
	const struct call_copy *ret = arguments(l, parts->ret, sig, true, &n_ret);
	while (wanted < EXEC_BUILTIN_ARGS && what->arg_bytes[wanted])
		wanted++;
	bool fits = n_arg == wanted && n_ret <= (what->ret_bytes != 0);
	for (uint32_t i = 0; fits && arg && i < n_arg; i++) {
		b.arg[i] = arg[i].from;
		fits = 8 * arg[i].units >= what->arg_bytes[i];
	}
	if (!fits)
		return lower_fail(l, WCP_EDATA,
			   "PTX line %u: call of '%s' with other parameters than it has",
			   l->in->line, what->name),
		       true;
	b.ret = n_ret && ret ? ret[0].to : FILE_NONE;
	struct insn *in = lower_emit(l, DO_BUILTIN, NULL);
	in->imm = code->n_builtin;
	code->one_by_one |= what->one_by_one;
	if (!lower_grow(l, &code->builtin, code->n_builtin, &l->cap_builtin, sizeof b))
		return true;
	code->builtin[code->n_builtin++] = b;
	if (n_ret && !param_symbol(&parts->ret->sub[0]))
		register_param(l, &parts->ret->sub[0],
		    argument_type(l, &parts->ret->sub[0], sig, true, 0), b.ret, false);
	return true;
}

static bool
call(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	struct exec_code *code = l->code;
	struct call_parts parts;
	l->op_class = WCP_OP_CALL;
	if (!take_apart(p, &parts))
		return lower_unsupported(l), true;
	const bool direct = parts.callee->kind == PTX_OP_SYMBOL;
	const struct ptx_func *f = direct && parts.callee->sym ? parts.callee->sym->func : NULL;
	if (direct && (!f || !f->has_body) && parts.callee->name && builtin(l, &parts))
		return true;
	if (direct && (!f || !f->has_body))
		return lower_no_body(l, parts.callee), true;
	const struct ptx_signature *sig =
	    f ? &f->sig
	    : parts.shape && parts.shape->sym && parts.shape->sym->func
		? &parts.shape->sym->func->sig
		: NULL;
	struct exec_call c = {.target = f ? function_index(l, f) : WCP_NONE32, .caller = l->func};
	c.arg = arguments(l, parts.arg, sig, false, &c.n_arg);
	c.ret = arguments(l, parts.ret, sig, true, &c.n_ret);
	uint32_t address = direct ? FILE_NONE : lower_source(l, parts.callee, PTX_U64);
	struct insn *in = lower_emit(l, DO_CALL, NULL);
	in->a = address;
	in->imm = code->n_call;
	if (!c.arg || !c.ret || !lower_grow(l, &code->call, code->n_call, &l->cap_call, sizeof c))
		return true;
	code->call[code->n_call++] = c;
	if (!direct || p->guard != WCP_NONE32) {
		in = lower_emit(l, DO_RECONVERGE, NULL);
		in->guard = 0;
		in->hidden = 1;
		in->pc = l->pc + 1;
	}
	for (uint32_t i = 0; parts.ret && i < parts.ret->n_sub; i++)
		if (!param_symbol(&parts.ret->sub[i]))
			register_param(l, &parts.ret->sub[i],
			    argument_type(l, &parts.ret->sub[i], sig, true, i), c.ret[i].to, false);
	return true;
}

/* ---- barriers ---- */

static bool
cluster_barrier(struct lower *l)
{
	const bool wait = ptx_has(l->in, "wait");
	l->op_class = wait ? WCP_OP_BARRIER : WCP_OP_FENCE;
	struct insn *in = lower_emit(l, DO_BARRIER, NULL);
	in->aux = BAR_CLUSTER;
	in->aux |= wait ? BAR_SYNC : BAR_ARRIVE;
	if (ptx_has(l->in, "aligned"))
		in->aux |= BAR_ALIGNED;
	l->code->has_barrier = l->code->has_cluster_barrier = true;
	return true;
}

static bool
barrier(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	unsigned what = BAR_SYNC;
	uint32_t k = 0, id, threads = FILE_NONE, predicate = FILE_NONE, result = FILE_NONE;
	bool red = ptx_has(p, "red"), arrive = ptx_has(p, "arrive");
	l->op_class = WCP_OP_BARRIER;
	if (ptx_has(p, "cluster"))
		return cluster_barrier(l);
	if (p->n_op < (red ? 3u : arrive ? 2u : 1u))
		return lower_unsupported(l), true;
	if (red) {
		what = ptx_has(p, "popc") ? BAR_POPC : ptx_has(p, "and") ? BAR_AND : BAR_OR;
		result = lower_result(l, &p->op[k++], what == BAR_POPC ? PTX_U32 : PTX_PRED);
	} else if (arrive) {
		what = BAR_ARRIVE;
	}
	const struct ptx_operand *id_op = &p->op[k++], *count_op = NULL;
	id = lower_source(l, id_op, PTX_U32);
	if (k + red < p->n_op) {
		count_op = &p->op[k++];
		threads = lower_source(l, count_op, PTX_U32);
	}
	if (red) {
		what |= p->op[k].negated ? BAR_NEGATED : 0;
		predicate = lower_source(l, &p->op[k], PTX_PRED);
	}
	if (id_op->kind != PTX_OP_INT || (count_op && count_op->kind != PTX_OP_INT))
		what |= BAR_DYNAMIC;
	if (p->base[3] == 0 || ptx_has(p, "aligned"))
		what |= BAR_ALIGNED; /* bar is barrier.aligned */
	struct insn *in = lower_emit(l, DO_BARRIER, NULL);
	in->a = id;
	in->b = threads;
	in->c = predicate;
	in->d = result;
	in->aux = (uint16_t)what;
	l->code->has_barrier = true;
	return true;
}

/* Before a .sync operation: the lanes of its member mask meet, wherever divergence has put them. */
static void
gather(struct lower *l, const struct ptx_operand *member, bool anywhere)
{
	uint32_t slot = lower_source(l, member, PTX_B32);
	struct insn *in = lower_emit(l, DO_GATHER, NULL);
	in->guard = 0;
	in->hidden = 1;
	in->aux = anywhere;
	in->a = slot;
}

/* These are executed by all lanes together, without naming them. */
static bool
is_matrix(const struct ptx_insn *p)
{
	static const char *const list[] = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(p->base, list[i]))
			return true;
	return false;
}

static bool
has_no_effect(struct lower *l)
{
	static const struct {
		const char *base;
		uint8_t op_class;
	} list[] = {{"membar", WCP_OP_FENCE}, {"fence", WCP_OP_FENCE}, {"brkpt", WCP_OP_OTHER},
	    {"pmevent", WCP_OP_OTHER}, {"prefetchu", WCP_OP_OTHER}, {"applypriority", WCP_OP_OTHER},
	    {"discard", WCP_OP_OTHER}, {"griddepcontrol", WCP_OP_OTHER},
	    {"setmaxnreg", WCP_OP_OTHER}};
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (!strcmp(l->in->base, list[i].base)) {
			l->op_class = list[i].op_class;
			lower_emit(l, DO_NOTHING, NULL);
			return true;
		}
	return false;
}

bool
lower_control(struct lower *l)
{
	const struct ptx_insn *p = l->in;
	if (!strcmp(p->base, "bra"))
		return branch(l);
	if (!strcmp(p->base, "brx"))
		return branch_table(l);
	if (cfg_ends_lanes(p))
		return ends(l);
	if (!strcmp(p->base, "call"))
		return call(l);
	if (!strcmp(p->base, "bar") && ptx_has(p, "warp") && p->n_op) {
		gather(l, &p->op[0], true);
		l->op_class = WCP_OP_BARRIER;
		lower_emit(l, DO_NOTHING, NULL);
		return true;
	}
	if (!strcmp(p->base, "bar") || !strcmp(p->base, "barrier"))
		return barrier(l);
	if (has_no_effect(l))
		return true;
	/* shfl, vote, match, redux: the member mask is the last operand; the lanes do the rest */
	if (ptx_has(p, "sync") && p->n_op && !is_matrix(p)) {
		gather(l, &p->op[p->n_op - 1], false);
		return false;
	}
	if (!strcmp(p->base, "nanosleep") && p->n_op == 1) {
		const uint32_t ns = lower_source(l, &p->op[0], PTX_U32);
		lower_emit(l, DO_LANES, l->level->sleep)->a = ns;
		return true;
	}
	return false;
}

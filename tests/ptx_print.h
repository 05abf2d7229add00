/*
 * A parsed module as PTX again, in one canonical form: scopes are gone, every register, local and
 * label is called by its number, initialisers are flat lists. Parsing that gives the same module,
 * so printing twice gives the same text. Used by tests and fuzzers only.
 */
#ifndef PTX_PRINT_H
#define PTX_PRINT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "warpcap/ptx.h"

static void
print_symbol_name(FILE *f, const struct ptx_func *fn, const struct ptx_symbol *sym)
{
	bool is_local = false;
	for (uint32_t i = 0; fn && i < fn->n_local; i++)
		is_local |= fn->local[i] == sym;
	if (sym->kind == PTX_SYM_PROTO)
		fprintf(f, "$P%" PRIu64, sym->user);
	else if (is_local)
		fprintf(f, "$local_%u", sym->index);
	else
		fputs(sym->name, f);
}

static void
print_offset(FILE *f, int64_t offset)
{
	if (offset)
		fprintf(f, "+%" PRId64, offset);
}

static void print_operand(FILE *f, const struct ptx_func *fn, const struct ptx_operand *op);

static void
print_operands(FILE *f, const struct ptx_func *fn, const struct ptx_operand *op, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		print_operand(f, fn, &op[i]);
	}
}

static void
print_memory(FILE *f, const struct ptx_func *fn, const struct ptx_operand *op)
{
	fputc('[', f);
	if (op->has_reg)
		fprintf(f, "%%v%u", op->reg);
	else if (op->sym)
		print_symbol_name(f, fn, op->sym);
	if (op->has_reg || op->sym)
		print_offset(f, op->integer);
	else
		fprintf(f, "%" PRId64, op->integer);
	if (op->n_sub)
		fputs(", ", f);
	print_operands(f, fn, op->sub, op->n_sub);
	fputc(']', f);
}

static void
print_float(FILE *f, const struct ptx_operand *op)
{
	if (op->is_f32)
		fprintf(f, "0f%08" PRIX64, (uint64_t)op->integer);
	else
		fprintf(f, "0d%016" PRIX64, (uint64_t)op->integer);
}

static void
print_operand(FILE *f, const struct ptx_func *fn, const struct ptx_operand *op)
{
	if (op->negated)
		fputc('!', f);
	switch (op->kind) {
	case PTX_OP_REG:
		fprintf(f, "%%v%u", op->reg);
		if (op->selector)
			fprintf(f, ".%s", op->selector);
		return;
	case PTX_OP_INT: fprintf(f, "%" PRId64, op->integer); return;
	case PTX_OP_FLOAT: print_float(f, op); return;
	case PTX_OP_SYMBOL:
		print_symbol_name(f, fn, op->sym);
		print_offset(f, op->integer);
		return;
	case PTX_OP_MEMORY: print_memory(f, fn, op); return;
	case PTX_OP_VECTOR:
	case PTX_OP_LIST:
		fputc(op->kind == PTX_OP_LIST ? '(' : '{', f);
		print_operands(f, fn, op->sub, op->n_sub);
		fputc(op->kind == PTX_OP_LIST ? ')' : '}', f);
		return;
	case PTX_OP_LABEL: fprintf(f, "$L%" PRId64, op->integer); return;
	case PTX_OP_SPECIAL: fprintf(f, "%%%s", op->name); return;
	case PTX_OP_PAIR:
		print_operand(f, fn, &op->sub[0]);
		fputc('|', f);
		print_operand(f, fn, &op->sub[1]);
		return;
	case PTX_OP_SINK: fputc('_', f); return;
	case PTX_OP_TABLE: fprintf(f, "$T%" PRId64, op->integer); return;
	}
}

static void
print_value(FILE *f, enum ptx_type type, const struct ptx_init *init)
{
	if (init->mask_shift)
		fprintf(f, "0x%" PRIx64 "(", init->mask_shift);
	if (init->sym) {
		fprintf(f, init->generic ? "generic(%s)" : "%s", init->sym->name);
		print_offset(f, (int64_t)init->bits);
	} else if (type == PTX_F32) {
		fprintf(f, "0f%08" PRIX64, init->bits);
	} else if (type == PTX_F64) {
		fprintf(f, "0d%016" PRIX64, init->bits);
	} else {
		fprintf(f, "%" PRIu64, init->bits);
	}
	if (init->mask_shift)
		fputc(')', f);
}

/* All elements up to the last given one; elements left out are zeros. */
static void
print_init(FILE *f, const struct ptx_symbol *sym)
{
	static const struct ptx_init zero;
	unsigned element = ptx_type_bytes(sym->type);
	bool is_list = sym->is_array || sym->bytes > element;
	uint64_t place = 0;
	if (!sym->n_init)
		return;
	fputs(is_list ? " = {" : " = ", f);
	for (uint32_t i = 0; i < sym->n_init; i++) {
		for (; place * element < sym->init[i].offset; place++) {
			print_value(f, sym->type, &zero);
			fputs(", ", f);
		}
		print_value(f, sym->type, &sym->init[i]);
		fputs(i + 1 < sym->n_init ? ", " : "", f);
		place++;
	}
	fputs(is_list ? "}" : "", f);
}

static void
print_variable(FILE *f, const struct ptx_func *fn, const struct ptx_symbol *sym)
{
	fprintf(f, "%s%s%s%s", sym->is_visible ? ".visible " : "", sym->is_extern ? ".extern " : "",
	    sym->is_weak ? ".weak " : "", sym->is_common ? ".common " : "");
	unsigned element = ptx_type_bytes(sym->type);
	uint64_t n = sym->bytes / element;
	bool is_vector = !sym->is_array && n > 1;
	fprintf(f, ".%s .align %u ",
	    sym->space == WCP_SPACE_NONE ? "reg" : wcp_space_name(sym->space), sym->align);
	if (is_vector)
		fprintf(f, ".v%" PRIu64 " ", n);
	fprintf(f, ".%s ", ptx_type_name(sym->type));
	print_symbol_name(f, fn, sym);
	if (sym->is_array && (sym->bytes || sym->is_extern))
		fprintf(f, sym->bytes ? "[%" PRIu64 "]" : "[]", n);
	else if (sym->is_array)
		fputs("[0]", f);
	print_init(f, sym);
}

static void
print_parameters(FILE *f, struct ptx_symbol *const *sym, uint32_t n)
{
	fputc('(', f);
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		if (sym[i]->space == WCP_SPACE_NONE)
			fprintf(f, ".reg .%s %%v%u", ptx_type_name(sym[i]->type), sym[i]->reg);
		else
			print_variable(f, NULL, sym[i]);
	}
	fputc(')', f);
}

static void
print_insn(FILE *f, const struct ptx_func *fn, const struct ptx_insn *in)
{
	const struct ptx_insn *before = in > fn->insn ? in - 1 : NULL;
	if (before ? before->loc_line != in->loc_line || before->loc_file != in->loc_file
		   : in->loc_line)
		fprintf(f, "\t.loc %u %u 0\n", in->loc_file, in->loc_line);
	fputc('\t', f);
	if (in->guard != WCP_NONE32)
		fprintf(f, "@%s%%v%u ", in->guard_negated ? "!" : "", in->guard);
	fprintf(f, "%s%s", in->opcode, in->n_op ? " " : "");
	print_operands(f, fn, in->op, in->n_op);
	fputs(";\n", f);
}

static void
print_table(FILE *f, const struct ptx_table *t, uint32_t i)
{
	fprintf(f, "$T%u: .%s ", i, t->callee ? "calltargets" : "branchtargets");
	for (uint32_t k = 0; k < t->n; k++)
		if (t->callee)
			fprintf(f, "%s%s", k ? ", " : "", t->callee[k]->name);
		else
			fprintf(f, "%s$L%u", k ? ", " : "", t->target[k]);
	fputs(";\n", f);
}

/* Numbers and prints those that calls name, each once. */
static void
print_prototypes(FILE *f, const struct ptx_func *fn)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < fn->n_insn; i++)
		for (uint32_t k = 0; k < fn->insn[i].n_op; k++) {
			struct ptx_symbol *sym = fn->insn[i].op[k].sym;
			if (!sym || sym->kind != PTX_SYM_PROTO || sym->user)
				continue;
			sym->user = ++n;
			fprintf(f, "$P%" PRIu64 ": .callprototype ", n);
			if (sym->func->sig.n_ret)
				print_parameters(f, sym->func->sig.ret, sym->func->sig.n_ret);
			fputs(" _ ", f);
			print_parameters(f, sym->func->sig.param, sym->func->sig.n_param);
			fputs(sym->func->is_noreturn ? " .noreturn;\n" : ";\n", f);
		}
}

static uint32_t
register_parameters(const struct ptx_func *fn)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < fn->sig.n_ret; i++)
		n += fn->sig.ret[i]->reg != WCP_NONE32;
	for (uint32_t i = 0; i < fn->sig.n_param; i++)
		n += fn->sig.param[i]->reg != WCP_NONE32;
	return n;
}

static void
print_body(FILE *f, const struct ptx_func *fn)
{
	fputs("\n{\n", f);
	for (uint32_t i = register_parameters(fn); i < fn->n_reg; i++)
		fprintf(f, "\t.reg .%s %%v%u;\n", ptx_type_name(fn->reg[i].type), i);
	for (uint32_t i = 0; i < fn->n_local; i++) {
		fputc('\t', f);
		print_variable(f, fn, fn->local[i]);
		fputs(";\n", f);
	}
	for (uint32_t i = 0; i < fn->n_table; i++)
		print_table(f, &fn->table[i], i);
	print_prototypes(f, fn);
	for (uint32_t i = 0; i < fn->n_insn; i++) {
		fprintf(f, "$L%u:", i);
		print_insn(f, fn, &fn->insn[i]);
	}
	fprintf(f, "$L%u:\n}\n", fn->n_insn);
}

static void
print_function(FILE *f, const struct ptx_func *fn, const char *name)
{
	fprintf(f, "%s%s%s.%s ", fn->is_visible ? ".visible " : "", fn->is_extern ? ".extern " : "",
	    fn->is_weak ? ".weak " : "", fn->is_entry ? "entry" : "func");
	if (fn->sig.n_ret)
		print_parameters(f, fn->sig.ret, fn->sig.n_ret);
	fprintf(f, " %s ", name);
	print_parameters(f, fn->sig.param, fn->sig.n_param);
	if (fn->is_noreturn)
		fputs(" .noreturn", f);
	if (fn->maxntid[0])
		fprintf(f, " .maxntid %u, %u, %u", fn->maxntid[0], fn->maxntid[1], fn->maxntid[2]);
	if (fn->reqntid[0])
		fprintf(f, " .reqntid %u, %u, %u", fn->reqntid[0], fn->reqntid[1], fn->reqntid[2]);
	if (fn->minnctapersm)
		fprintf(f, " .minnctapersm %u", fn->minnctapersm);
	if (fn->maxnctapersm)
		fprintf(f, " .maxnctapersm %u", fn->maxnctapersm);
	if (fn->maxnreg)
		fprintf(f, " .maxnreg %u", fn->maxnreg);
}

static void
print_module(FILE *f, const struct ptx_module *m)
{
	fprintf(f, ".version %u.%u\n.target %s\n.address_size %u\n", m->version_major,
	    m->version_minor, m->target, m->address_size);
	for (uint32_t i = 0; i < m->n_file; i++)
		if (m->file[i][0])
			fprintf(f, ".file %u \"%s\"\n", i, m->file[i]);
	for (uint32_t i = 0; i < m->n_sym; i++)
		if (m->sym[i]->kind == PTX_SYM_FUNC) {
			print_function(f, m->sym[i]->func, m->sym[i]->name);
			fputs(";\n", f);
		} else {
			print_variable(f, NULL, m->sym[i]);
			fputs(";\n", f);
		}
	for (uint32_t i = 0; i < m->n_func; i++)
		if (m->func[i]->has_body) {
			print_function(f, m->func[i], m->func[i]->name);
			print_body(f, m->func[i]);
		}
	for (uint32_t i = 0; i < m->n_sym; i++)
		if (m->sym[i]->kind == PTX_SYM_FUNC &&
		    strcmp(m->sym[i]->name, m->sym[i]->func->name))
			fprintf(f, ".alias %s, %s;\n", m->sym[i]->name, m->sym[i]->func->name);
}

#endif

/* Functions: header, directives, body. PTX ISA sections 5.1, 7 and 11.1 to 11.5. */
#include <string.h>
#include "ptx/parse.h"

/* Up to three numbers behind a directive; into[3], missing ones of an extent are 1. */
static void
numbers(struct parser *p, uint32_t *into, uint32_t most)
{
	for (uint32_t i = 0; i < most; i++) {
		uint64_t n = pt_expect_int(p, "a number after the directive");
		if (n > UINT32_MAX)
			pt_fail(p, "number %llu does not fit 32 bits", (unsigned long long)n);
		into[i] = (uint32_t)n;
		if (i + 1 < most && !pt_accept(p, ',')) {
			while (++i < most)
				into[i] = 1;
			return;
		}
	}
}

void
pt_function_directives(struct parser *p, struct ptx_func *f)
{
	uint32_t ignored[3];
	const struct {
		const char *name;
		uint32_t *into, most;
	} known[] = {{"maxntid", f->maxntid, 3}, {"reqntid", f->reqntid, 3},
	    {"minnctapersm", &f->minnctapersm, 1}, {"maxnctapersm", &f->maxnctapersm, 1},
	    {"maxnreg", &f->maxnreg, 1}, {"reqnctapercluster", f->cluster, 3},
	    {"maxclusterrank", ignored, 1}, {"abi_preserve", ignored, 1},
	    {"abi_preserve_control", ignored, 1}, {"explicitcluster", NULL, 0},
	    {"blocksareclusters", NULL, 0}, {"noinline", NULL, 0}};
	size_t i, n = sizeof known / sizeof *known;
	while (p->tok.kind == TOK_DOT) {
		const char *word = p->tok.name->text;
		for (i = 0; i < n && strcmp(word, known[i].name);)
			i++;
		if (i < n) {
			pt_next(p);
			numbers(p, known[i].into, known[i].most);
		} else if (!strcmp(word, "noreturn")) {
			f->is_noreturn = true;
			pt_next(p);
		} else if (!strcmp(word, "pragma")) {
			pt_pragma(p);
		} else if (!strcmp(word, "attribute")) {
			pt_attribute(p);
		} else if (!strcmp(word, "loc")) {
			pt_loc(p);
		} else {
			pt_expected(p, "'{', ';' or a directive");
		}
	}
}

static void
body_directive(struct parser *p)
{
	static const struct ptx_symbol no_linkage;
	const char *word = p->tok.name->text;
	if (!strcmp(word, "reg"))
		pt_declare_registers(p);
	else if (!strcmp(word, "loc"))
		pt_loc(p);
	else if (!strcmp(word, "pragma"))
		pt_pragma(p);
	else if (!strcmp(word, "file"))
		pt_file(p);
	else if (!strcmp(word, "section"))
		pt_section(p);
	else if (pt_space_named(word) != WCP_SPACE_NONE)
		pt_declare_variables(p, &no_linkage);
	else
		pt_expected(p, "an instruction or a declaration");
}

/* Is the word at the current token a label's? */
static bool
before_colon(struct parser *p)
{
	if (p->at < p->end && *p->at == '.')
		return false;
	pt_skip_space(p);
	return p->at < p->end && *p->at == ':' && (p->end - p->at == 1 || p->at[1] != ':');
}

static void
statement(struct parser *p)
{
	if (p->tok.kind == TOK_DOT)
		body_directive(p);
	else if (p->tok.kind == TOK_WORD && before_colon(p))
		pt_label(p);
	else if (p->tok.kind == TOK_WORD || pt_is(p, '@'))
		pt_instruction(p);
	else if (!pt_accept(p, ';'))
		pt_expected(p, "an instruction, a declaration or '}'");
}

/* From "{" to its "}". */
static void
body(struct parser *p)
{
	int outside = p->depth;
	do {
		if (pt_is(p, '{')) {
			pt_open_scope(p);
			pt_next(p);
		} else if (pt_is(p, '}')) {
			pt_close_scope(p);
			if (p->depth == outside)
				break;
			pt_next(p);
		} else {
			statement(p);
		}
	} while (p->tok.kind != TOK_END);
	if (p->tok.kind == TOK_END)
		pt_expected(p, "'}' at the end of the function");
	pt_next(p);
}

static void
bind_parameters(struct parser *p, struct ptx_symbol **sym, uint32_t n)
{
	for (uint32_t i = 0; i < n && !p->failed; i++) {
		bool is_reg = sym[i]->space == WCP_SPACE_NONE;
		struct name *name = pt_arena_find(p->arena, sym[i]->name, strlen(sym[i]->name));
		if (!name || !strcmp(name->text, "_"))
			continue;
		struct binding *b = pt_bind(p, name, is_reg ? BOUND_REG : BOUND_SYMBOL);
		if (!b)
			return;
		b->sym = sym[i];
		b->type = sym[i]->type;
		unsigned bytes = ptx_type_bytes(sym[i]->type);
		if (is_reg) {
			b->vector =
			    bytes && sym[i]->bytes > bytes ? (uint32_t)(sym[i]->bytes / bytes) : 0;
			sym[i]->reg = pt_register(p, b);
		}
	}
}

static void
define(struct parser *p, struct ptx_func *f)
{
	if (f->has_body) {
		pt_fail(p, "%s has a body already", f->name);
		return;
	}
	f->has_body = true;
	p->fn = f;
	p->reg.n = p->local.n = p->insn.n = p->table.n = 0;
	p->loc = p->inlined = (struct place){0, 0};
	pt_open_scope(p);
	bind_parameters(p, f->sig.ret, f->sig.n_ret);
	bind_parameters(p, f->sig.param, f->sig.n_param);
	body(p);
	pt_close_scope(p);
	f->reg = pt_take(p, &p->reg, 0, sizeof *f->reg, &f->n_reg);
	f->local = pt_take(p, &p->local, 0, sizeof *f->local, &f->n_local);
	f->insn = pt_take(p, &p->insn, 0, sizeof *f->insn, &f->n_insn);
	f->table = pt_take(p, &p->table, 0, sizeof *f->table, &f->n_table);
	p->fn = NULL;
}

static struct ptx_symbol *
new_function(struct parser *p, struct name *name, bool is_entry)
{
	struct binding *b = pt_bind(p, name, BOUND_SYMBOL);
	struct ptx_symbol *sym = pt_alloc(p, sizeof *sym);
	struct ptx_func *f = pt_alloc(p, sizeof *f);
	struct ptx_symbol **slot = pt_push(p, &p->sym, sizeof *slot);
	struct ptx_func **fslot = pt_push(p, &p->func, sizeof *fslot);
	if (!b || !sym || !f || !slot || !fslot)
		return NULL;
	*sym = (struct ptx_symbol){.kind = PTX_SYM_FUNC, .name = name->text, .func = f};
	sym->reg = WCP_NONE32;
	f->name = name->text;
	f->is_entry = is_entry;
	b->sym = name->symbol = *slot = sym;
	*fslot = f;
	return sym;
}

static struct ptx_symbol *
declared(struct parser *p, struct name *name, bool is_entry)
{
	const struct binding *b = name->bound;
	if (!b)
		return new_function(p, name, is_entry);
	if (b->kind == BOUND_SYMBOL && b->sym->kind == PTX_SYM_FUNC &&
	    b->sym->func->is_entry == is_entry)
		return b->sym;
	pt_fail(p, "%s is declared before as something else", name->text);
	return NULL;
}

static void
link_function(struct ptx_symbol *sym, const struct ptx_symbol *linkage, uint32_t line)
{
	struct ptx_func *f = sym->func;
	sym->is_visible |= linkage->is_visible;
	sym->is_weak |= linkage->is_weak;
	sym->is_extern = linkage->is_extern && !f->has_body;
	f->is_visible = sym->is_visible;
	f->is_weak = sym->is_weak;
	f->is_extern = sym->is_extern;
	f->line = sym->line = line;
}

void
pt_function(struct parser *p, const struct ptx_symbol *linkage, bool is_entry)
{
	struct ptx_signature sig = {0};
	struct ptx_func scratch = {0};
	pt_function_directives(p, &scratch);
	uint32_t line = p->tok.line;
	if (pt_is(p, '(') && !is_entry)
		pt_signature_list(p, &sig.ret, &sig.n_ret);
	struct name *name = pt_expect_word(p, "a function name");
	struct ptx_symbol *sym = name ? declared(p, name, is_entry) : NULL;
	if (!sym)
		return;
	if (pt_is(p, '('))
		pt_signature_list(p, &sig.param, &sig.n_param);
	struct ptx_func *f = sym->func;
	if (!f->has_body) {
		f->sig = sig;
		link_function(sym, linkage, line);
	}
	pt_function_directives(p, f);
	f->is_noreturn |= scratch.is_noreturn;
	if (pt_is(p, '{'))
		define(p, f);
	else
		pt_expect(p, ';', "'{' or ';'");
}

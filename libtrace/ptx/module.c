/* What stands at module level. PTX ISA sections 11.1, 11.5 and 11.6. */
#include <stdlib.h>
#include <string.h>
#include "ptx/parse.h"

#define FILES_MAX 65536u

/* Makes room for file number i and returns its place. */
static const char **
file_slot(struct parser *p, uint64_t i)
{
	if (i >= FILES_MAX) {
		pt_fail(p, "file number %llu is past %u", (unsigned long long)i, FILES_MAX - 1);
		return NULL;
	}
	while (p->file.n <= i) {
		const char **slot = pt_push(p, &p->file, sizeof *slot);
		if (!slot)
			return NULL;
		*slot = "";
	}
	return (const char **)p->file.item + i;
}

/* .file 1 "name.cu", timestamp, size */
void
pt_file(struct parser *p)
{
	pt_next(p);
	const char **slot = file_slot(p, pt_expect_int(p, "a file number"));
	if (p->tok.kind != TOK_STRING)
		pt_expected(p, "a file name");
	else if (slot)
		*slot = p->tok.name->text;
	pt_next(p);
	while (pt_accept(p, ','))
		pt_expect_int(p, "a number");
}

/* file line column */
static struct place
place(struct parser *p)
{
	struct place at = {0, 0};
	const uint64_t file = pt_expect_int(p, "a file number");
	const uint64_t line = pt_expect_int(p, "a line number");
	if (p->tok.kind == TOK_INT)
		pt_next(p);
	if (file_slot(p, file))
		at = (struct place){(uint32_t)file, (uint32_t)line};
	return at;
}

/* .loc PLACE, function_name label + n, inlined_at PLACE */
void
pt_loc(struct parser *p)
{
	struct place inlined = {0, 0};
	pt_next(p);
	const struct place at = place(p);
	while (pt_accept(p, ',')) {
		const struct name *what = pt_expect_word(p, "function_name or inlined_at");
		bool is_name = what && !strcmp(what->text, "function_name");
		if (is_name && (p->tok.kind == TOK_DOT || p->tok.kind == TOK_WORD))
			pt_next(p);
		if (is_name && pt_accept(p, '+'))
			pt_expect_int(p, "an offset");
		if (!is_name && p->tok.kind == TOK_INT)
			inlined = place(p);
	}
	if (p->failed)
		return;
	p->loc = at;
	p->inlined = inlined;
}

/* .pragma "a", "b"; */
void
pt_pragma(struct parser *p)
{
	do {
		pt_next(p);
		if (p->tok.kind != TOK_STRING)
			pt_expected(p, "a string after .pragma");
		pt_next(p);
	} while (pt_is(p, ','));
	pt_expect(p, ';', "';' after the pragma");
}

/* .section .debug_info { ... }: for debuggers, not for us */
void
pt_section(struct parser *p)
{
	pt_next(p);
	if (p->tok.kind != TOK_DOT && p->tok.kind != TOK_WORD && p->tok.kind != TOK_STRING)
		pt_expected(p, "a section name");
	pt_next(p);
	if (!pt_is(p, '{'))
		pt_expected(p, "'{' of the section");
	else
		pt_skip_braces(p);
}

/* .version 8.7: the digits themselves, since 8.10 is not 8.1 */
static void
version(struct parser *p)
{
	pt_next(p);
	const char *text = p->tok.at, *point = memchr(text, '.', p->tok.bytes);
	if (p->tok.kind != TOK_FLOAT || !point || p->tok.bytes > 12) {
		pt_expected(p, "a version number like 7.0");
		return;
	}
	for (const char *c = text; c < text + p->tok.bytes; c++) {
		uint32_t *part = c < point ? &p->module->version_major : &p->module->version_minor;
		if (*c >= '0' && *c <= '9')
			*part = *part * 10 + (uint32_t)(*c - '0');
	}
	pt_next(p);
}

/* .target sm_75, texmode_independent, debug */
static void
target(struct parser *p)
{
	do {
		pt_next(p);
		struct name *name = pt_expect_word(p, "a target like sm_75");
		if (!name || strncmp(name->text, "sm_", 3))
			continue;
		p->module->target = name->text;
		for (const char *c = name->text + 3;
		     *c >= '0' && *c <= '9' && p->module->sm < 10000; c++)
			p->module->sm = p->module->sm * 10 + (uint32_t)(*c - '0');
	} while (pt_is(p, ','));
	if (!p->module->sm)
		pt_fail(p, "expected a target like sm_75");
}

static void
address_size(struct parser *p)
{
	pt_next(p);
	uint64_t bits = pt_expect_int(p, "32 or 64");
	if (bits != 32 && bits != 64)
		pt_fail(p, "address size %llu is neither 32 nor 64", (unsigned long long)bits);
	p->module->address_size = (uint32_t)bits;
}

static struct ptx_symbol *
function_named(struct parser *p)
{
	struct name *name = pt_expect_word(p, "a function name");
	if (!name)
		return NULL;
	if (name->symbol && name->symbol->kind == PTX_SYM_FUNC)
		return name->symbol;
	pt_fail(p, "function %s is not declared", name->text);
	return NULL;
}

/* .alias name, function; */
static void
alias(struct parser *p)
{
	pt_next(p);
	struct ptx_symbol *name = function_named(p);
	pt_expect(p, ',', "',' in .alias");
	const struct ptx_symbol *is = function_named(p);
	if (name && is)
		name->func = is->func;
	pt_expect(p, ';', "';' after .alias");
}

static void
declaration(struct parser *p)
{
	struct ptx_symbol linkage = {0};
	const struct {
		const char *name;
		bool *flag;
	} known[] = {{"visible", &linkage.is_visible}, {"extern", &linkage.is_extern},
	    {"weak", &linkage.is_weak}, {"common", &linkage.is_common}};
	for (size_t i = 0; i < 4;)
		if (pt_is_dot(p, known[i].name)) {
			*known[i].flag = true;
			pt_next(p);
			i = 0;
		} else {
			i++;
		}
	bool is_entry = pt_is_dot(p, "entry");
	if (is_entry || pt_is_dot(p, "func")) {
		pt_next(p);
		pt_function(p, &linkage, is_entry);
	} else if (p->tok.kind == TOK_DOT && pt_space_named(p->tok.name->text) != WCP_SPACE_NONE) {
		pt_declare_variables(p, &linkage);
	} else {
		pt_expected(p, "a variable, a function or a directive");
	}
}

static void
module_statement(struct parser *p)
{
	static const struct {
		const char *name;
		void (*read)(struct parser *p);
	} directive[] = {{"target", target}, {"address_size", address_size}, {"file", pt_file},
	    {"loc", pt_loc}, {"section", pt_section}, {"pragma", pt_pragma}, {"alias", alias}};
	for (size_t i = 0; i < sizeof directive / sizeof *directive; i++)
		if (pt_is_dot(p, directive[i].name)) {
			directive[i].read(p);
			return;
		}
	if (pt_is(p, '@')) { /* @@DWARF .byte ...: debug data before PTX 2.0 */
		pt_skip_line(p);
		pt_next(p);
	} else if (!pt_accept(p, ';')) {
		declaration(p);
	}
}

static void
module(struct parser *p)
{
	pt_next(p);
	if (!pt_is_dot(p, "version"))
		pt_expected(p, ".version at the start of PTX");
	version(p);
	while (p->tok.kind != TOK_END)
		module_statement(p);
	if (!p->module->sm)
		pt_fail(p, ".target is missing");
	pt_resolve_module(p);
	struct ptx_module *m = p->module;
	m->file = pt_take(p, &p->file, 0, sizeof *m->file, &m->n_file);
	m->sym = pt_take(p, &p->sym, 0, sizeof *m->sym, &m->n_sym);
	m->func = pt_take(p, &p->func, 0, sizeof *m->func, &m->n_func);
}

static void
release(struct parser *p)
{
	struct list *list[] = {&p->fixup, &p->opstack, &p->init, &p->init_name, &p->sym, &p->func,
	    &p->file, &p->reg, &p->local, &p->insn, &p->table};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		pt_free_list(list[i]);
	pt_arena_release(&p->scratch);
	free(p);
}

struct ptx_module *
ptx_parse(const char *text, size_t bytes, struct wcp_error *e)
{
	struct parser *p = calloc(1, sizeof *p);
	struct ptx_module *m = calloc(1, sizeof *m);
	struct ptx_arena *arena = calloc(1, sizeof *arena);
	if (!p || !m || !arena) {
		free(p);
		free(m);
		free(arena);
		wcp_fail(e, WCP_ESYS, "no memory");
		return NULL;
	}
	m->arena = p->arena = arena;
	m->address_size = 32; /* PTX ISA section 11.1.3: unless .address_size says otherwise */
	m->target = "";
	const char *nul = memchr(text, 0, bytes);
	p->text = p->at = text;
	p->end = nul ? nul : text + bytes;
	p->line = 1;
	p->error = e;
	p->module = m;
	module(p);
	bool failed = p->failed;
	release(p);
	if (failed) {
		ptx_free(m);
		return NULL;
	}
	return m;
}

void
ptx_free(struct ptx_module *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_part; i++)
		ptx_free(m->part[i]);
	free(m->part);
	pt_arena_release(m->arena);
	free(m->arena);
	free(m);
}

struct ptx_symbol *
ptx_find(const struct ptx_module *m, const char *name)
{
	const struct name *n = pt_arena_find(m->arena, name, strlen(name));
	return n ? n->symbol : NULL;
}

/* The statements of the launch file. */
#include <stdlib.h>
#include <string.h>
#include "parser.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

enum { ARGUMENTS_MAX = 4096 };

static struct statement *parse_block(struct parser *p, const char *what, uint32_t line);

uint32_t
parser_find_scalar(const struct parser *p, const char *name)
{
	for (uint32_t s = p->file->n_scalar; s-- > 0;)
		if (p->file->scalar[s].in_scope && !strcmp(p->file->scalar[s].name, name))
			return s;
	return WCP_NONE32;
}

uint32_t
parser_find_buffer(const struct parser *p, const char *name)
{
	for (uint32_t b = 0; b < p->file->n_buffer; b++)
		if (!strcmp(p->file->buffer[b].name, name))
			return b;
	return WCP_NONE32;
}

/* Grows one of the file's tables, which malloc owns until launch_free. */
static void *
grow(struct parser *p, void *table, uint32_t *cap, uint32_t n, size_t bytes)
{
	if (n < *cap)
		return table;
	uint32_t wanted = *cap ? *cap * 2 : 16;
	void *grown = realloc(table, wanted * bytes);
	if (!grown) {
		p->failed = true;
		wcp_fail(p->error, WCP_ESYS, "out of memory");
		return NULL;
	}
	*cap = wanted;
	return grown;
}

/* Is the token a name that may be declared? */
static bool
name_is_free(struct parser *p, const struct token *t)
{
	if (t->kind != TOKEN_NAME)
		return parser_fail(p, t, "a name wanted") != NULL;
	if (parser_reserved(t->text))
		return parser_fail(p, t, "the name is a word of the language") != NULL;
	if (parser_find_scalar(p, t->text) != WCP_NONE32 ||
	    parser_find_buffer(p, t->text) != WCP_NONE32)
		return parser_fail(p, t, "the name is taken") != NULL;
	return true;
}

uint32_t
parser_scalar(struct parser *p, const struct token *name, enum scalar_kind kind)
{
	struct launch_file *f = p->file;
	if (p->failed || !name_is_free(p, name))
		return WCP_NONE32;
	struct scalar *grown = grow(p, f->scalar, &p->cap_scalar, f->n_scalar, sizeof *grown);
	if (!grown)
		return WCP_NONE32;
	f->scalar = grown;
	f->scalar[f->n_scalar] =
	    (struct scalar){.name = name->text, .kind = kind, .in_scope = true};
	return f->n_scalar++;
}

/* An expression in which i is the number of an element, or none is. */
static struct node *
expr_at(struct parser *p, bool index, bool random, bool address)
{
	p->index_known = index;
	p->random_known = random;
	p->address_known = address;
	struct node *n = parser_expr(p);
	p->index_known = p->random_known = p->address_known = false;
	return n;
}

static const char *
parse_path(struct parser *p)
{
	const struct token *t = parser_next(p);
	if (t->kind != TOKEN_STRING)
		return parser_fail(p, t, "a file name in quotes wanted");
	if (!t->text[0])
		return parser_fail(p, t, "the file has no name");
	return t->text;
}

/* zero | iota | raw "FILE" | text "FILE" | EXPR [seed EXPR] */
static bool
parse_init(struct parser *p, struct init *init, bool random)
{
	static const struct {
		const char *word;
		enum init_kind kind;
	} word[] = {{"zero", INIT_ZERO}, {"raw", INIT_RAW}, {"text", INIT_TEXT}};
	for (size_t k = 0; k < COUNT(word); k++)
		if (parser_accept(p, word[k].word)) {
			init->kind = word[k].kind;
			return init->kind == INIT_ZERO || (init->path = parse_path(p)) != NULL;
		}
	init->kind = INIT_EXPR;
	p->n_random = 0;
	if (parser_accept(p, "iota")) {
		init->expr = parser_constant(p, (struct value){0});
		if (init->expr)
			init->expr->kind = NODE_INDEX;
		return init->expr != NULL;
	}
	init->expr = expr_at(p, true, random, true);
	if (init->expr && random && parser_accept(p, "seed"))
		init->seed = expr_at(p, false, false, false);
	return !p->failed;
}

static bool
parse_assigned_scalar(struct parser *p, struct statement *s)
{
	const struct token *name = parser_next(p);
	bool param = s->kind == STATEMENT_PARAM;
	uint32_t known = name->kind == TOKEN_NAME ? parser_find_scalar(p, name->text) : WCP_NONE32;
	bool again = !param && known != WCP_NONE32 && p->file->scalar[known].kind == SCALAR_LET;
	if (!parser_expect(p, "=", "after the name"))
		return false;
	s->expr = expr_at(p, false, false, false);
	if (!s->expr)
		return false;
	s->scalar = again ? known : parser_scalar(p, name, param ? SCALAR_PARAM : SCALAR_LET);
	if (s->scalar == WCP_NONE32 || !param || !parser_accept(p, "from"))
		return !p->failed;
	p->file->scalar[s->scalar].from = expr_at(p, false, false, false);
	if (p->failed || !parser_expect(p, "to", "after the least value"))
		return false;
	p->file->scalar[s->scalar].to = expr_at(p, false, false, false);
	return !p->failed;
}

static enum ptx_type
parse_type(struct parser *p)
{
	const struct token *t = parser_next(p);
	enum ptx_type type = t->kind == TOKEN_NAME ? parser_type(t->text) : PTX_NONE;
	if (type == PTX_NONE)
		parser_fail(p, t, "a type wanted: u8 to u64, s8 to s64, f16, bf16, f32, f64");
	return type;
}

/* buffer NAME TYPE[COUNT] [= INIT]; variable NAME TYPE [= INIT] */
static bool
parse_declared_buffer(struct parser *p, struct statement *s)
{
	struct launch_file *f = p->file;
	const struct token *name = parser_next(p);
	if (!name_is_free(p, name))
		return false;
	struct buffer *grown = grow(p, f->buffer, &p->cap_buffer, f->n_buffer, sizeof *grown);
	if (!grown)
		return false;
	f->buffer = grown;
	struct buffer b = {
	    .name = name->text, .line = name->line, .is_variable = s->kind == STATEMENT_VARIABLE};
	b.type = parse_type(p);
	if (p->failed)
		return false;
	if (!b.is_variable) {
		if (!parser_expect(p, "[", "before the buffer's length"))
			return false;
		b.count = expr_at(p, false, false, false);
		if (!b.count || !parser_expect(p, "]", "after the buffer's length"))
			return false;
	}
	if (parser_accept(p, "="))
		parse_init(p, &s->init, true);
	s->buffer = f->n_buffer;
	if (!p->failed)
		f->buffer[f->n_buffer++] = b;
	return !p->failed;
}

static bool
parse_known_buffer(struct parser *p, uint32_t *buffer)
{
	const struct token *t = parser_next(p);
	*buffer = t->kind == TOKEN_NAME ? parser_find_buffer(p, t->text) : WCP_NONE32;
	if (*buffer == WCP_NONE32)
		parser_fail(p, t, "no buffer has this name");
	return *buffer != WCP_NONE32;
}

static bool
parse_fill(struct parser *p, struct statement *s)
{
	return parse_known_buffer(p, &s->buffer) && parser_expect(p, "=", "after the buffer") &&
	       parse_init(p, &s->init, true);
}

static bool
parse_place(struct parser *p, uint32_t *buffer, struct node **at)
{
	if (!parse_known_buffer(p, buffer))
		return false;
	if (!parser_accept(p, "["))
		return true;
	*at = expr_at(p, false, false, false);
	return *at && parser_expect(p, "]", "after the first element's number");
}

/* copy TO[FIRST] = FROM[FIRST] count N */
static bool
parse_copy(struct parser *p, struct statement *s)
{
	if (!parse_place(p, &s->buffer, &s->expr) ||
	    !parser_expect(p, "=", "after where it is copied to") ||
	    !parse_place(p, &s->buffer2, &s->expr2))
		return false;
	if (parser_accept(p, "count"))
		s->count = expr_at(p, false, false, false);
	return !p->failed;
}

static bool
parse_argument(struct parser *p, struct argument *a, bool member)
{
	if (!member && parser_accept(p, "{")) {
		a->member = parser_take(p, ARGUMENTS_MAX / 16 * sizeof *a->member);
		if (!a->member)
			return false;
		do {
			if (a->n_member == ARGUMENTS_MAX / 16)
				return parser_fail(p, parser_peek(p), "too many members") != NULL;
			if (!parse_argument(p, &a->member[a->n_member++], true))
				return false;
		} while (parser_accept(p, ","));
		return parser_expect(p, "}", "after the structure's last member");
	}
	bool typed = parser_peek(p)->kind == TOKEN_NAME &&
		     parser_type(parser_peek(p)->text) != PTX_NONE &&
		     strcmp(p->token[p->at + 1].text, "(");
	if (member && !typed)
		return parser_fail(p, parser_peek(p),
			   "a member of a structure begins with its type") != NULL;
	if (typed && (a->type = parse_type(p)) == PTX_NONE)
		return false;
	a->expr = expr_at(p, false, false, true);
	return a->expr != NULL;
}

static bool
parse_arguments(struct parser *p, struct statement *s)
{
	uint32_t cap = 0;
	if (!parser_expect(p, "(", "before the kernel's arguments"))
		return false;
	if (parser_accept(p, ")"))
		return true;
	do {
		if (s->n_arg == cap) {
			struct argument *more = parser_take(p, (cap ? cap * 2 : 8) * sizeof *more);
			if (!more || s->n_arg >= ARGUMENTS_MAX)
				return parser_fail(p, parser_peek(p), "too many arguments") != NULL;
			if (cap)
				memcpy(more, s->arg, cap * sizeof *more);
			s->arg = more;
			cap = cap ? cap * 2 : 8;
		}
		if (!parse_argument(p, &s->arg[s->n_arg++], false))
			return false;
	} while (parser_accept(p, ","));
	return parser_expect(p, ")", "after the kernel's arguments");
}

static bool
parse_shape(struct parser *p, struct shape *shape)
{
	shape->n = 0;
	do {
		if (shape->n == 3)
			return parser_fail(p, parser_peek(p), "more than three sizes") != NULL;
		shape->size[shape->n] = expr_at(p, false, false, false);
		if (!shape->size[shape->n++])
			return false;
	} while (parser_accept(p, ","));
	return true;
}

/* launch KERNEL(ARGUMENTS) grid X[,Y[,Z]] block X[,Y[,Z]] [shared N] [regs N] [stream N]
 * [unrecorded] */
static bool
parse_launch(struct parser *p, struct statement *s)
{
	const struct token *name = parser_next(p);
	if (name->kind != TOKEN_NAME && name->kind != TOKEN_STRING)
		return parser_fail(p, name, "the name of a kernel wanted") != NULL;
	s->kernel = name->text;
	if (!parse_arguments(p, s))
		return false;
	while (!p->failed && parser_peek(p)->kind == TOKEN_NAME) {
		struct node **single = NULL;
		if (parser_accept(p, "unrecorded")) {
			s->unrecorded = true;
			continue;
		}
		if (parser_accept(p, "grid")) {
			parse_shape(p, &s->grid);
			continue;
		}
		if (parser_accept(p, "block")) {
			parse_shape(p, &s->block);
			continue;
		}
		if (parser_accept(p, "shared"))
			single = &s->shared;
		else if (parser_accept(p, "regs"))
			single = &s->regs;
		else if (parser_accept(p, "stream"))
			single = &s->stream;
		else
			return parser_fail(p, parser_peek(p), "no part of a launch") != NULL;
		*single = expr_at(p, false, false, false);
	}
	if (!p->failed && (!s->grid.n || !s->block.n))
		parser_fail(
		    p, parser_peek(p), "the launch has no '%s'", s->grid.n ? "block" : "grid");
	return !p->failed;
}

/* expect BUFFER = INIT [for N] [within X] [relative X]; expect EXPR */
static bool
parse_expect(struct parser *p, struct statement *s)
{
	const struct token *t = parser_peek(p);
	s->buffer = WCP_NONE32;
	bool whole = t->kind == TOKEN_NAME && p->token[p->at + 1].kind == TOKEN_PUNCT &&
		     !strcmp(p->token[p->at + 1].text, "=");
	if (!whole)
		return (s->expr = expr_at(p, false, false, false)) != NULL;
	if (!parse_known_buffer(p, &s->buffer) || !parser_expect(p, "=", "after the buffer") ||
	    !parse_init(p, &s->init, false))
		return false;
	while (!p->failed && parser_peek(p)->kind == TOKEN_NAME) {
		struct node **to;
		if (parser_accept(p, "for"))
			to = &s->count;
		else if (parser_accept(p, "within"))
			to = &s->within;
		else if (parser_accept(p, "relative"))
			to = &s->relative;
		else
			return parser_fail(p, parser_peek(p), "no part of a check") != NULL;
		*to = expr_at(p, false, false, false);
	}
	return !p->failed;
}

/* dump BUFFER raw|text "FILE" [for N] */
static bool
parse_dump(struct parser *p, struct statement *s)
{
	if (!parse_known_buffer(p, &s->buffer))
		return false;
	s->text = parser_accept(p, "text");
	if (!s->text && !parser_expect(p, "raw", "or 'text' after the buffer"))
		return false;
	s->path = parse_path(p);
	if (s->path && parser_accept(p, "for"))
		s->count = expr_at(p, false, false, false);
	return !p->failed;
}

/* repeat N [as NAME] ... end; while EXPR ... end */
static bool
parse_loop(struct parser *p, struct statement *s)
{
	const struct token *word = &p->token[p->at - 1];
	bool repeat = s->kind == STATEMENT_REPEAT;
	s->scalar = WCP_NONE32;
	s->expr = expr_at(p, false, false, false);
	if (!s->expr)
		return false;
	if (repeat && parser_accept(p, "as")) {
		s->scalar = parser_scalar(p, parser_next(p), SCALAR_LOOP);
		if (s->scalar == WCP_NONE32)
			return false;
	}
	if (parser_peek(p)->kind != TOKEN_NEWLINE)
		return parser_fail(p, parser_peek(p), "the line should end here") != NULL;
	if (p->depth >= PARSER_DEPTH)
		return parser_fail(p, word, "blocks nested more than %d deep", PARSER_DEPTH) !=
		       NULL;
	parser_next(p);
	p->depth++;
	s->body = parse_block(p, word->text, word->line);
	p->depth--;
	if (s->scalar != WCP_NONE32)
		p->file->scalar[s->scalar].in_scope = false;
	return !p->failed;
}

static const struct {
	const char *word;
	enum statement_kind kind;
	bool (*parse)(struct parser *p, struct statement *s);
	bool once; /* not inside a block */
} rule[] = {
    {"param", STATEMENT_PARAM, parse_assigned_scalar, true},
    {"let", STATEMENT_LET, parse_assigned_scalar, false},
    {"buffer", STATEMENT_BUFFER, parse_declared_buffer, true},
    {"variable", STATEMENT_VARIABLE, parse_declared_buffer, true},
    {"fill", STATEMENT_FILL, parse_fill, false},
    {"copy", STATEMENT_COPY, parse_copy, false},
    {"launch", STATEMENT_LAUNCH, parse_launch, false},
    {"expect", STATEMENT_EXPECT, parse_expect, false},
    {"dump", STATEMENT_DUMP, parse_dump, false},
    {"repeat", STATEMENT_REPEAT, parse_loop, false},
    {"while", STATEMENT_WHILE, parse_loop, false},
};

static struct statement *
parse_statement(struct parser *p)
{
	const struct token *t = parser_next(p);
	size_t k = 0;
	while (k < COUNT(rule) && !(t->kind == TOKEN_NAME && !strcmp(t->text, rule[k].word)))
		k++;
	if (k == COUNT(rule))
		return parser_fail(p, t, "no statement begins like this");
	if (rule[k].once && p->depth)
		return parser_fail(p, t, "cannot stand inside a block");
	struct statement *s = parser_take(p, sizeof *s);
	if (!s)
		return NULL;
	s->kind = rule[k].kind;
	s->line = t->line;
	if (!rule[k].parse(p, s))
		return NULL;
	if (parser_peek(p)->kind != TOKEN_NEWLINE)
		return parser_fail(p, parser_peek(p), "the line should end here");
	parser_next(p);
	return s;
}

/* Statements up to the end of the file, or, within a block that the word what opened, up to its
 * 'end'. */
static struct statement *
parse_block(struct parser *p, const char *what, uint32_t line)
{
	struct statement *first = NULL, **tail = &first;
	for (;;) {
		const struct token *t = parser_peek(p);
		if (t->kind == TOKEN_END) {
			if (what)
				parser_fail(p, t, "the '%s' of line %u has no 'end'", what, line);
			return first;
		}
		if (what && parser_accept(p, "end"))
			return first;
		struct statement *s = parse_statement(p);
		if (!s)
			return NULL;
		*tail = s;
		tail = &s->next;
	}
}

struct launch_file *
launch_parse(const char *text, size_t bytes, struct wcp_error *e)
{
	struct launch_file *f = calloc(1, sizeof *f);
	struct parser p = {.file = f, .error = e};
	if (f)
		p.arena = f->arena = arena_new();
	if (!p.arena) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		launch_free(f);
		return NULL;
	}
	if (parser_tokens(&p, text, bytes) == 0)
		f->first = parse_block(&p, NULL, 0);
	free(p.token);
	if (p.failed) {
		launch_free(f);
		return NULL;
	}
	return f;
}

void
launch_free(struct launch_file *f)
{
	if (!f)
		return;
	arena_free(f->arena);
	free(f->scalar);
	free(f->buffer);
	free(f);
}

static struct scalar *
find_param(struct launch_file *f, const char *name, size_t n)
{
	for (uint32_t s = 0; s < f->n_scalar; s++) {
		const struct scalar *c = &f->scalar[s];
		if (c->kind == SCALAR_PARAM && strlen(c->name) == n && !memcmp(c->name, name, n))
			return &f->scalar[s];
	}
	return NULL;
}

int
launch_define(struct launch_file *f, const char *definition, struct wcp_error *e)
{
	const char *equals = strchr(definition, '=');
	if (!equals || equals == definition)
		return wcp_fail(e, WCP_EUSAGE, "-D %s: NAME=VALUE wanted", definition);
	size_t n = (size_t)(equals - definition);
	struct scalar *to = find_param(f, definition, n);
	if (!to)
		return wcp_fail(e, WCP_EUSAGE, "-D %s: the launch file has no param '%.*s'",
		    definition, (int)n, definition);
	/* The names of the file mean nothing here: parse against an empty one that shares its
	 * memory. */
	struct launch_file empty = {.arena = f->arena};
	struct wcp_error why = {0};
	struct parser p = {.file = &empty, .arena = f->arena, .error = &why};
	if (parser_tokens(&p, equals + 1, strlen(equals + 1)) == 0) {
		to->given = parser_expr(&p);
		if (!p.failed && parser_peek(&p)->kind != TOKEN_NEWLINE)
			parser_fail(&p, parser_peek(&p), "no constant");
	}
	free(p.token);
	free(empty.scalar);
	if (p.failed || empty.n_scalar)
		return wcp_fail(
		    e, WCP_EUSAGE, "-D %s: the value is no constant expression", definition);
	return 0;
}

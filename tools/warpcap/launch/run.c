#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "argument.h"
#include "data.h"
#include "element.h"
#include "run.h"
#include "../random.h"

struct runner {
	struct capture *capture;
	const struct launch_file *file;
	const char *name; /* of the launch file */
	const struct ptx_module *ptx;
	struct wcp_module *module;
	struct eval v;
	struct wcp_error *error;
	bool unmet; /* an expectation was not met */
};

static int run_block(struct runner *r, const struct statement *s);

/* Puts the statement's line before what the executor said. */
static int
at_line(struct runner *r, const struct statement *s, int status)
{
	struct wcp_error *e = r->error;
	char text[sizeof e->text];
	if (status < 0 && !r->capture->writer_failed) {
		snprintf(text, sizeof text, "line %u: %.440s", s->line, e->text);
		memcpy(e->text, text, sizeof text);
	}
	return status;
}

static int
no_memory(struct runner *r, const struct statement *s)
{
	return wcp_fail(r->error, WCP_ESYS, "line %u: out of memory", s->line);
}

/* ---- scalars ------------------------------------------------------------------------------- */

static int
check_limits(struct runner *r, const struct statement *s, struct value x)
{
	const struct scalar *c = &r->file->scalar[s->scalar];
	double from, to;
	if (!c->from)
		return 0;
	if (eval_real(&r->v, c->from, &from) < 0 || eval_real(&r->v, c->to, &to) < 0)
		return r->error->status;
	double given = value_real(x);
	if (given >= from && given <= to)
		return 0;
	return wcp_fail(r->error, c->given ? WCP_EUSAGE : WCP_EDATA,
	    "line %u: param %s is %.15g, not between %.15g and %.15g", s->line, c->name, given,
	    from, to);
}

static int
run_scalar(struct runner *r, const struct statement *s)
{
	const struct scalar *c = &r->file->scalar[s->scalar];
	struct value x = {0};
	int status = eval_node(&r->v, c->given ? c->given : s->expr, &x);
	if (status == 0)
		status = check_limits(r, s, x);
	if (status == 0)
		r->v.scalar[s->scalar] = x;
	return status;
}

/* ---- buffers ------------------------------------------------------------------------------- */

/* The seed of a buffer whose initialiser gives none. */
static uint64_t
default_seed(const struct runner *r, uint32_t buffer)
{
	return random_at(r->capture->tool->seed, buffer);
}

/* What an initialiser makes, in memory of its own; NULL with r->error filled. */
static void *
make(struct runner *r, const struct statement *s, uint64_t count)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	void *data = malloc(count * ptx_type_bytes(b->type));
	if (!data) {
		no_memory(r, s);
		return NULL;
	}
	if (data_make(&r->v, &s->init, s->line, default_seed(r, s->buffer), b->type, count, data) <
	    0) {
		free(data);
		return NULL;
	}
	return data;
}

static int
fill(struct runner *r, const struct statement *s)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	uint64_t bytes = b->count * ptx_type_bytes(b->type);
	if (s->init.kind == INIT_NONE)
		return 0;
	if (s->init.kind == INIT_ZERO)
		return at_line(
		    r, s, wcp_device_set(r->capture->device, b->address, 0, bytes, r->error));
	void *data = make(r, s, b->count);
	if (!data)
		return r->error->status;
	int status = wcp_device_copy_in(r->capture->device, b->address, data, bytes, r->error);
	free(data);
	return at_line(r, s, status);
}

static int
keep_initial(struct runner *r, const struct statement *s)
{
	struct bound *b = &r->v.buffer[s->buffer];
	uint64_t bytes = b->count * ptx_type_bytes(b->type);
	if (!r->file->buffer[s->buffer].keeps_initial)
		return 0;
	b->initial = malloc(bytes);
	if (!b->initial)
		return no_memory(r, s);
	memcpy(b->initial, b->now, bytes);
	return 0;
}

static int
declare(struct runner *r, const struct statement *s, uint64_t address, uint64_t count)
{
	const struct buffer *d = &r->file->buffer[s->buffer];
	struct bound *b = &r->v.buffer[s->buffer];
	b->type = d->type;
	b->address = address;
	b->count = count;
	b->now = wcp_device_host(r->capture->device, address, count * ptx_type_bytes(d->type));
	if (!b->now)
		return wcp_fail(
		    r->error, WCP_EDATA, "line %u: '%s' has no memory", s->line, d->name);
	int status = fill(r, s); /* its own elements are not there yet for the initialiser */
	if (status < 0)
		return status;
	b->exists = true;
	return keep_initial(r, s);
}

static int
run_buffer(struct runner *r, const struct statement *s)
{
	const struct buffer *d = &r->file->buffer[s->buffer];
	int64_t count;
	int status =
	    eval_integer(&r->v, d->count, "the buffer's length", 1, (int64_t)1 << 40, &count);
	if (status < 0)
		return status;
	uint64_t bytes = (uint64_t)count * ptx_type_bytes(d->type);
	uint64_t address = wcp_device_alloc(r->capture->device, bytes, d->name, r->error);
	if (!address)
		return at_line(r, s, r->error->status);
	return declare(r, s, address, (uint64_t)count);
}

static int
run_variable(struct runner *r, const struct statement *s)
{
	const struct buffer *d = &r->file->buffer[s->buffer];
	uint64_t address, bytes;
	int status =
	    wcp_module_variable(r->capture->device, r->module, d->name, &address, &bytes, r->error);
	if (status < 0)
		return at_line(r, s, status);
	return declare(r, s, address, bytes / ptx_type_bytes(d->type));
}

/* copy's side: buffer[first]; how many elements are left there */
static int
place(struct runner *r, const struct statement *s, uint32_t buffer, const struct node *at,
    int64_t *first)
{
	const struct bound *b = &r->v.buffer[buffer];
	*first = 0;
	if (!b->exists)
		return wcp_fail(r->error, WCP_EDATA, "line %u: '%s' is used before it is declared",
		    s->line, b->name);
	return at ? eval_integer(
			&r->v, at, "the first element's number", 0, (int64_t)b->count - 1, first)
		  : 0;
}

static int
run_copy(struct runner *r, const struct statement *s)
{
	const struct bound *to = &r->v.buffer[s->buffer], *from = &r->v.buffer[s->buffer2];
	int64_t to_first, from_first, count;
	if (place(r, s, s->buffer, s->expr, &to_first) < 0 ||
	    place(r, s, s->buffer2, s->expr2, &from_first) < 0)
		return r->error->status;
	unsigned bytes = ptx_type_bytes(to->type);
	if (bytes != ptx_type_bytes(from->type))
		return wcp_fail(r->error, WCP_EDATA,
		    "line %u: elements of '%s' and '%s' differ in size", s->line, to->name,
		    from->name);
	int64_t to_left = (int64_t)to->count - to_first,
		from_left = (int64_t)from->count - from_first;
	count = from_left;
	if (s->count && eval_integer(&r->v, s->count, "the count", 1, from_left, &count) < 0)
		return r->error->status;
	if (count > to_left)
		return wcp_fail(r->error, WCP_EDATA,
		    "line %u: %" PRId64 " elements do not fit into '%s', which has %" PRId64
		    " there",
		    s->line, count, to->name, to_left);
	return at_line(r, s,
	    capture_copy(r->capture, to->address + (uint64_t)to_first * bytes,
		from->address + (uint64_t)from_first * bytes, (uint64_t)count * bytes, r->error));
}

/* ---- launches ------------------------------------------------------------------------------ */

static int
eval_shape(struct runner *r, const struct shape *shape, const char *what, uint32_t size[3])
{
	for (uint32_t k = 0; k < 3; k++) {
		int64_t n = 1;
		if (k < shape->n && eval_integer(&r->v, shape->size[k], what, 1, INT32_MAX, &n) < 0)
			return r->error->status;
		size[k] = (uint32_t)n;
	}
	return 0;
}

static int
eval_optional(struct runner *r, const struct node *n, const char *what, int64_t *value)
{
	*value = 0;
	return n ? eval_integer(&r->v, n, what, 0, INT32_MAX, value) : 0;
}

static int
encode_arguments(struct runner *r, const struct statement *s, const struct ptx_func *kernel,
    char *bytes, const void **arg)
{
	for (uint32_t k = 0; k < s->n_arg; k++) {
		const struct ptx_symbol *param = kernel->sig.param[k];
		arg[k] = bytes;
		if (argument_encode(&r->v, &s->arg[k], param, k + 1, s->line, bytes) < 0)
			return r->error->status;
		bytes += (param->bytes + 15) / 16 * 16;
	}
	return 0;
}

static int
launch(struct runner *r, const struct statement *s, const struct ptx_func *kernel,
    struct wcp_launch *l)
{
	size_t total = 16;
	for (uint32_t k = 0; k < s->n_arg; k++)
		total += (kernel->sig.param[k]->bytes + 15) / 16 * 16;
	char *bytes = calloc(1, total);
	const void **arg = calloc(s->n_arg + 1, sizeof *arg);
	int status = bytes && arg ? encode_arguments(r, s, kernel, bytes, arg) : no_memory(r, s);
	if (status == 0) {
		l->arg = arg;
		l->n_arg = s->n_arg;
		status = at_line(r, s, capture_launch(r->capture, l, r->error));
	}
	free(bytes);
	free(arg);
	return status;
}

static int
run_launch(struct runner *r, const struct statement *s)
{
	const struct ptx_func *kernel = ptx_find(r->ptx, s->kernel)->func;
	struct wcp_launch l = {.module = r->module, .kernel = s->kernel, .record = !s->unrecorded};
	int64_t shared, regs, stream;
	if (eval_shape(r, &s->grid, "a size of the grid", l.grid) < 0 ||
	    eval_shape(r, &s->block, "a size of the block", l.block) < 0 ||
	    eval_optional(r, s->shared, "the shared memory", &shared) < 0 ||
	    eval_optional(r, s->regs, "the number of registers", &regs) < 0 ||
	    eval_optional(r, s->stream, "the stream", &stream) < 0)
		return r->error->status;
	l.dynamic_shared_bytes = (uint32_t)shared;
	l.regs_per_thread = (uint32_t)regs;
	l.stream = (uint64_t)stream;
	return launch(r, s, kernel, &l);
}

/* ---- results ------------------------------------------------------------------------------- */

static int
eval_count(struct runner *r, const struct statement *s, uint64_t *count)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	int64_t n = (int64_t)b->count;
	if (!b->exists)
		return wcp_fail(r->error, WCP_EDATA, "line %u: '%s' is used before it is declared",
		    s->line, b->name);
	if (s->count && eval_integer(&r->v, s->count, "the number of elements", 1, n, &n) < 0)
		return r->error->status;
	*count = (uint64_t)n;
	return 0;
}

static void
say_unmet(
    struct runner *r, const struct statement *s, uint64_t count, const struct data_difference *d)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	char got[32], wanted[32];
	data_format(b->type, d->got, got);
	data_format(b->type, d->wanted, wanted);
	r->unmet = true;
	tool_fail(r->capture->tool, 1,
	    "%s: line %u: %s[%" PRIu64 "] is %s, expected %s (%" PRIu64 " of %" PRIu64
	    " elements differ)",
	    r->name, s->line, b->name, d->first, got, wanted, d->differ, count);
}

static int
expect_buffer(struct runner *r, const struct statement *s)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	uint64_t count = 0;
	double within = 0, relative = 0;
	if (eval_count(r, s, &count) < 0 ||
	    (s->within && eval_real(&r->v, s->within, &within) < 0) ||
	    (s->relative && eval_real(&r->v, s->relative, &relative) < 0))
		return r->error->status;
	void *wanted = make(r, s, count);
	if (!wanted)
		return r->error->status;
	struct data_difference d;
	data_compare(b->type, b->now, wanted, count, within, relative, &d);
	free(wanted);
	if (d.differ)
		say_unmet(r, s, count, &d);
	return 0;
}

static int
run_expect(struct runner *r, const struct statement *s)
{
	struct value x = {0};
	if (s->buffer != WCP_NONE32)
		return expect_buffer(r, s);
	int status = eval_node(&r->v, s->expr, &x);
	if (status == 0 && value_real(x) == 0) {
		r->unmet = true;
		tool_fail(r->capture->tool, 1, "%s: line %u: what was expected is not so", r->name,
		    s->line);
	}
	return status;
}

static int
run_dump(struct runner *r, const struct statement *s)
{
	const struct bound *b = &r->v.buffer[s->buffer];
	uint64_t count = 0;
	int status = eval_count(r, s, &count);
	if (status < 0)
		return status;
	const char *out = r->capture->tool->output;
	if (!strcmp(s->path, "-") && r->capture->writer && (!out || !strcmp(out, "-")))
		return wcp_fail(r->error, WCP_EUSAGE,
		    "line %u: standard output is taken by the stream: use -o FILE", s->line);
	uint64_t bytes = count * ptx_type_bytes(b->type);
	void *data = malloc(bytes);
	if (!data)
		return no_memory(r, s);
	status = wcp_device_copy_out(r->capture->device, data, b->address, bytes, r->error);
	if (status == 0)
		status = data_dump(s->path, s->text, b->type, data, count, r->error);
	free(data);
	return at_line(r, s, status);
}

/* ---- control ------------------------------------------------------------------------------- */

static int
run_loop(struct runner *r, const struct statement *s)
{
	int64_t times = INT64_MAX;
	struct value again = value_of_integer(1);
	int status = 0;
	bool repeat = s->kind == STATEMENT_REPEAT;
	if (repeat)
		status =
		    eval_integer(&r->v, s->expr, "the number of repetitions", 0, INT64_MAX, &times);
	for (int64_t k = 0; status == 0 && k < times; k++) {
		if (tool_interrupted())
			return wcp_fail(r->error, WCP_ENO, "line %u: interrupted", s->line);
		if (!repeat)
			status = eval_node(&r->v, s->expr, &again);
		if (status < 0 || value_real(again) == 0)
			break;
		if (s->scalar != WCP_NONE32)
			r->v.scalar[s->scalar] = value_of_integer(k);
		status = run_block(r, s->body);
	}
	return status;
}

static int
run_statement(struct runner *r, const struct statement *s)
{
	switch (s->kind) {
	case STATEMENT_PARAM:
	case STATEMENT_LET: return run_scalar(r, s);
	case STATEMENT_BUFFER: return run_buffer(r, s);
	case STATEMENT_VARIABLE: return run_variable(r, s);
	case STATEMENT_FILL: return fill(r, s);
	case STATEMENT_COPY: return run_copy(r, s);
	case STATEMENT_LAUNCH: return run_launch(r, s);
	case STATEMENT_EXPECT: return run_expect(r, s);
	case STATEMENT_DUMP: return run_dump(r, s);
	case STATEMENT_REPEAT:
	case STATEMENT_WHILE: break;
	}
	return run_loop(r, s);
}

static int
run_block(struct runner *r, const struct statement *s)
{
	int status = 0;
	for (; s && status == 0; s = s->next)
		status = run_statement(r, s);
	return status;
}

int
launch_run(struct capture *c, struct launch_file *f, const char *file, const struct ptx_module *ptx,
    struct wcp_module *module, struct wcp_error *e)
{
	struct runner r = {
	    .capture = c, .file = f, .name = file, .ptx = ptx, .module = module, .error = e};
	r.v.error = e;
	r.v.scalar = calloc(f->n_scalar + 1, sizeof *r.v.scalar);
	r.v.buffer = calloc(f->n_buffer + 1, sizeof *r.v.buffer);
	int status = WCP_ESYS;
	if (r.v.scalar && r.v.buffer) {
		for (uint32_t b = 0; b < f->n_buffer; b++)
			r.v.buffer[b].name = f->buffer[b].name;
		status = run_block(&r, f->first);
	} else {
		wcp_fail(e, WCP_ESYS, "out of memory");
	}
	for (uint32_t b = 0; r.v.buffer && b < f->n_buffer; b++)
		free(r.v.buffer[b].initial);
	free(r.v.buffer);
	free(r.v.scalar);
	return status < 0 ? status : r.unmet;
}

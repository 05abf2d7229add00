/* Outputs: each numbers its own programs and kernels, and counts what it holds of each kernel. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cut.h"

static const char **
provenance(struct cut *c, size_t *n)
{
	const char **all = NULL;
	*n = 0;
	for (uint32_t i = 0; i < c->n_input; i++) {
		size_t more;
		const char *const *line = wcp_reader_provenance(c->input[i].reader, &more);
		const char **grown = realloc(all, (*n + more + 1) * sizeof *all);
		if (!grown) {
			free(all);
			return NULL;
		}
		all = grown;
		for (size_t k = 0; k < more; k++)
			all[(*n)++] = line[k];
	}
	if (all)
		all[(*n)++] = c->tool->command_line;
	return all;
}

/* The pattern with %n as the key, %% as %. */
static char *
expand(const struct cut *c, uint64_t key)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	for (const char *s = c->tool->output ? c->tool->output : "-"; *s; s++) {
		if (c->split == SPLIT_NONE || s[0] != '%' || (s[1] != 'n' && s[1] != '%')) {
			fputc(*s, f);
			continue;
		}
		s++;
		if (*s == '%')
			fputc('%', f);
		else if (c->split == SPLIT_SM && key == WCP_NONE16)
			fputs("none", f);
		else
			fprintf(f, "%llu", (unsigned long long)key);
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* An error of a writer names its file: outputs may be many. */
static int
written(struct cut *c, const struct output *o, int r)
{
	struct wcp_error e = c->error;
	if (r < 0)
		wcp_fail(&c->error, e.status, "%.200s: %.250s",
		    strcmp(o->path, "-") ? o->path : "standard output", e.text);
	return r;
}

static int
open_writer(struct cut *c, struct output *o)
{
	struct wcp_write_options options = {
	    .level = c->tool->level, .threads = c->split == SPLIT_NONE ? c->tool->threads : 1};
	const char **line = provenance(c, &options.n_provenance);
	if (!line)
		return cut_fail(c, WCP_ESYS, "out of memory");
	options.provenance = line;
	o->writer = wcp_writer_open(o->path, c->link, &options, &c->error);
	free(line);
	return o->writer ? 0 : written(c, o, (int)c->error.status);
}

static void
output_free(struct cut *c, struct output *o)
{
	for (uint32_t i = 0; o->slot && i < c->n_input; i++)
		free(o->slot[i]);
	free(o->slot);
	free(o->n_slot);
	free(o->program);
	free(o->index);
	free(o->path);
	free(o);
}

static struct output *
output_new(struct cut *c, uint64_t key)
{
	struct output **grown = realloc(c->output, (c->n_output + 1) * sizeof(struct output *));
	struct output *o = calloc(1, sizeof *o);
	if (grown)
		c->output = grown;
	if (!grown || !o) {
		free(o);
		cut_fail(c, WCP_ESYS, "out of memory");
		return NULL;
	}
	o->key = key;
	o->path = expand(c, key);
	o->slot = calloc(c->n_input, sizeof(struct slot *));
	o->n_slot = calloc(c->n_input, sizeof *o->n_slot);
	if (!o->path || !o->slot || !o->n_slot)
		cut_fail(c, WCP_ESYS, "out of memory");
	if (!o->path || !o->slot || !o->n_slot || open_writer(c, o) < 0) {
		output_free(c, o);
		return NULL;
	}
	c->output[c->n_output++] = o;
	return o;
}

struct output *
output_for(struct cut *c, uint64_t key)
{
	/* The latest is the likeliest. */
	for (uint32_t i = c->n_output; i-- > 0;)
		if (c->split == SPLIT_NONE || c->output[i]->key == key)
			return c->output[i];
	return output_new(c, key);
}

int
output_program(struct cut *c, struct output *o, uint32_t program)
{
	int r = cut_grow(c, &o->program, &o->n_program, program, sizeof *o->program);
	if (r < 0 || o->program[program])
		return r;
	struct wcp_program p = *c->program[program];
	p.id = o->programs++;
	o->program[program] = p.id + 1;
	return written(c, o, wcp_writer_program(o->writer, &p, &c->error));
}

struct slot *
output_slot(struct cut *c, struct output *o, const struct input *in, uint32_t kernel)
{
	uint32_t i = in->number;
	if (cut_grow(c, &o->slot[i], &o->n_slot[i], kernel, sizeof **o->slot) < 0)
		return NULL;
	return &o->slot[i][kernel];
}

static uint32_t
number_here(const struct output *o, const struct input *in, uint32_t kernel)
{
	uint32_t i = in->number;
	return kernel < o->n_slot[i] && o->slot[i][kernel].id ? o->slot[i][kernel].id - 1
							      : WCP_NONE32;
}

int
output_kernel(struct cut *c, struct output *o, struct input *in, uint32_t kernel)
{
	struct slot *s = output_slot(c, o, in, kernel);
	const struct wcp_kernel *from = wcp_reader_kernel(in->reader, kernel);
	if (!s || s->id)
		return s ? 0 : (int)c->error.status;
	if (!from)
		return cut_fail(c, WCP_EDATA, "a record belongs to a kernel that has not begun");
	struct wcp_kernel k = *from;
	k.id = o->kernels++;
	s->id = k.id + 1;
	s->total.kernel = k.id;
	if (k.program < in->n_program && in->program[k.program]) {
		uint32_t program = in->program[k.program] - 1;
		int r = output_program(c, o, program);
		if (r < 0)
			return r;
		k.program = o->program[program] - 1;
	}
	if (k.parent != WCP_NONE32)
		k.parent = number_here(o, in, k.parent);
	if (k.parent == WCP_NONE32)
		k.depth = 0;
	return written(c, o, wcp_writer_kernel(o->writer, &k, &c->error));
}

/* A child's number follows from the order when nothing is left out; else it is known once the child
 * has begun. */
static uint32_t
child_here(const struct cut *c, const struct output *o, const struct input *in, uint64_t kernel)
{
	if (!c->n_kernel && c->split == SPLIT_NONE)
		return in->first_kernel + (uint32_t)kernel;
	return number_here(o, in, (uint32_t)kernel);
}

static void
count_warp(struct wcp_kernel_end *total, const struct wcp_warp_batch *b)
{
	total->warp_insns += b->warp_insns;
	total->thread_insns += b->thread_insns;
	for (uint32_t i = 0; i < b->n_mem; i++)
		total->mem_insns += !(b->mem_flags[i] & WCP_MEM_MORE);
	for (uint32_t i = 0; i < b->n_seg; i++)
		total->ctas += b->seg_flags[i] & WCP_SEG_CTA_BEGIN ? 1 : 0;
}

int
output_warp(struct cut *c, struct output *o, struct input *in, struct wcp_warp_batch *b)
{
	int r = output_kernel(c, o, in, b->kernel);
	struct slot *s = r < 0 ? NULL : output_slot(c, o, in, b->kernel);
	if (!s)
		return (int)c->error.status;
	count_warp(&s->total, b);
	b->kernel = s->id - 1;
	for (uint32_t i = 0; i < b->n_event; i++)
		if (b->event_kind[i] == WCP_EVENT_LAUNCH)
			b->event_arg[i] = child_here(c, o, in, b->event_arg[i]);
	c->taken += b->warp_insns;
	return written(c, o, wcp_writer_warp(o->writer, b, &c->error));
}

/* Request ids stay as they are, except where several inputs' would meet: then records are counted
 * anew. */
int
output_merged(struct cut *c, struct output *o, const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; c->n_input > 1 && i < b->n; i++)
		b->id[i] = c->next_id++;
	c->taken += b->n;
	return written(c, o, wcp_writer_access(o->writer, b, &c->error));
}

int
output_renumber(
    struct cut *c, struct output *o, struct input *in, struct wcp_access_batch *b, uint32_t first)
{
	struct slot *s = NULL;
	uint32_t last = 0;
	for (uint32_t i = first; i < b->n; i++) {
		if (!s || b->kernel[i] != last) {
			last = b->kernel[i];
			if (output_kernel(c, o, in, last) < 0 || !(s = output_slot(c, o, in, last)))
				return (int)c->error.status;
		}
		s->total.accesses++;
		b->kernel[i] = s->id - 1;
	}
	return 0;
}

int
output_access(struct cut *c, struct output *o, struct input *in, struct wcp_access_batch *b)
{
	int r = output_renumber(c, o, in, b, 0);
	return r < 0 ? r : output_merged(c, o, b);
}

/* What an ACCESS stream says of a kernel's execution does not change with the records that are
 * left. */
int
output_kernel_end(
    struct cut *c, struct output *o, struct input *in, const struct wcp_kernel_end *end)
{
	struct slot *s = output_slot(c, o, in, end->kernel);
	if (!s || !s->id || s->ended)
		return s ? 0 : (int)c->error.status;
	s->ended = true;
	if (c->link == WCP_LINK_ACCESS) {
		uint64_t accesses = s->total.accesses;
		s->total = *end;
		s->total.kernel = s->id - 1;
		s->total.accesses = accesses;
	}
	return written(c, o, wcp_writer_kernel_end(o->writer, &s->total, &c->error));
}

int
output_end_kernels(struct cut *c, struct output *o)
{
	int r = 0;
	for (uint32_t i = 0; i < c->n_input; i++)
		for (uint32_t k = 0; k < o->n_slot[i] && r == 0; k++)
			if (o->slot[i][k].id && !o->slot[i][k].ended)
				r = written(c, o,
				    wcp_writer_kernel_end(
					o->writer, &o->slot[i][k].total, &c->error));
	return r;
}

int
output_close(struct cut *c, struct output *o, bool keep)
{
	int r = 0;
	if (keep)
		r = written(c, o, wcp_writer_close(o->writer, c->end_flags, &c->error));
	else
		wcp_writer_abort(o->writer);
	uint32_t i = 0;
	while (i < c->n_output && c->output[i] != o)
		i++;
	for (; i + 1 < c->n_output; i++)
		c->output[i] = c->output[i + 1];
	c->n_output--;
	output_free(c, o);
	return r;
}

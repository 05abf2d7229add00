#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "partial.h"
#include "warpreuse.h"

struct output {
	FILE *file;
	XXH3_state_t *hash;
	size_t used;
	char buffer[1 << 16];
};

static void
drain(struct output *o)
{
	XXH3_64bits_update(o->hash, o->buffer, o->used);
	fwrite(o->buffer, 1, o->used, o->file);
	o->used = 0;
}

static void
put(struct output *o, const char *text, size_t n)
{
	for (size_t some; n; n -= some, text += some) {
		if (o->used == sizeof o->buffer)
			drain(o);
		some = sizeof o->buffer - o->used < n ? sizeof o->buffer - o->used : n;
		memcpy(o->buffer + o->used, text, some);
		o->used += some;
	}
}

static void WCP_PRINTF(2, 3) putf(struct output *o, const char *format, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	put(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* A text and the end of its line. */
static void
put_text(struct output *o, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\n')
			put(o, "\\n", 2);
		else if (*text == '\\')
			put(o, "\\\\", 2);
		else
			put(o, text, 1);
	}
	put(o, "\n", 1);
}

static void
put_names(struct output *o, const char *what, const struct names *names)
{
	for (uint32_t i = 0; i < names->n; i++) {
		if (!names->name[i])
			continue;
		putf(o, "%s %" PRIu32 " ", what, i);
		put_text(o, names->name[i]);
	}
}

static void
put_head(struct output *o, const struct profile *p)
{
	const struct settings *s = p->set;
	putf(o, "%s\nline %" PRIu32 "\nkinds %" PRIu32 "\nby %s\nprivate %s\n", PARTIAL_MAGIC,
	    s->line_bytes, s->kinds, unit_name[s->by], unit_name[s->stacks]);
	putf(o, "input %s\nwhole %d\norigin %016" PRIx64 "\nfilter ", p->warp ? "warp" : "access",
	    p->whole, p->origin);
	put_text(o, s->filter);
	if (profile_has_kernels(p) || s->by == UNIT_PC)
		put_names(o, "kernel", &p->kernels);
	if (s->by == UNIT_PC)
		put_names(o, "program", &p->programs);
	for (uint32_t i = 0; i < p->by.n; i++) {
		const struct key *k = &p->by.key[i];
		putf(o, "by %" PRIu32 " %" PRIu32 " %" PRIu32 " ", k->group, k->cta, k->unit);
		put_text(o, p->by.source[i]);
	}
}

static void
put_line(struct output *o, uint64_t line, const uint32_t *by)
{
	static const char digit[] = "0123456789abcdef";
	char text[17];
	int at = sizeof text;
	do
		text[--at] = digit[line & 15];
	while (line >>= 4);
	put(o, text + at, sizeof text - (size_t)at);
	if (by)
		putf(o, " %" PRIu32, *by);
	put(o, "\n", 1);
}

/* First references of one stack lie at order[from..to). */
static void
put_stack(struct output *o, const struct profile *p, uint32_t stack, const size_t *order,
    size_t from, size_t to)
{
	const struct wcp_reuse *r = wcp_reuse_set_stack(p->stack, stack);
	struct key k = p->set->stacks ? p->stacks.key[stack] : (struct key){0, 0, 0};
	uint64_t *line = must_alloc(NULL, (to - from) * sizeof *line);
	putf(o, "stack %" PRIu32 " %" PRIu32 " %" PRIu32 " %zu\n", k.group, k.cta, k.unit,
	    to - from);
	for (size_t i = from; i < to; i++)
		put_line(o, p->first.line[order[i]], p->set->by ? &p->first.by[order[i]] : NULL);
	wcp_reuse_stack(r, line);
	for (size_t i = 0; i < to - from; i++)
		put_line(o, line[i], NULL);
	free(line);
}

static void
put_stacks(struct output *o, const struct profile *p)
{
	uint32_t stacks = wcp_reuse_set_owners(p->stack);
	size_t n = p->first.n, *end = must_alloc(NULL, (stacks + 1ull) * sizeof *end);
	size_t *order = must_alloc(NULL, n * sizeof *order);
	memset(end, 0, (stacks + 1ull) * sizeof *end);
	for (size_t i = 0; i < n; i++)
		end[p->first.stack[i] + 1]++;
	for (uint32_t s = 0; s < stacks; s++)
		end[s + 1] += end[s];
	for (size_t i = 0; i < n; i++)
		order[end[p->first.stack[i]]++] = i;
	/* by now end[s] is where stack s ends */
	for (uint32_t s = 0; s < stacks; s++)
		put_stack(o, p, s, order, s ? end[s - 1] : 0, end[s]);
	free(end);
	free(order);
}

static void
put_hist(struct output *o, const struct wcp_reuse_hist *h)
{
	uint32_t d, n = 0;
	for (d = wcp_reuse_hist_next(h, 0); d != WCP_REUSE_COLD; d = wcp_reuse_hist_next(h, d + 1))
		n++;
	putf(o, "%" PRIu32 "\n", n);
	for (d = wcp_reuse_hist_next(h, 0); d != WCP_REUSE_COLD; d = wcp_reuse_hist_next(h, d + 1))
		putf(o, "%" PRIu32 " %" PRIu64 "\n", d, wcp_reuse_hist_at(h, d));
}

static void
put_all(struct output *o, const struct profile *p)
{
	put_head(o, p);
	put_stacks(o, p);
	putf(o, "hist all ");
	put_hist(o, &p->all);
	for (uint32_t i = 0; i < p->n_part; i++) {
		putf(o, "hist %" PRIu32 " ", i);
		put_hist(o, &p->part[i]);
	}
	drain(o);
	fprintf(o->file, "end %016" PRIx64 "\n", (uint64_t)XXH3_64bits_digest(o->hash));
}

static int
write_file(struct output *o, const struct profile *p, struct tool *t)
{
	char *beside = must_alloc(NULL, strlen(t->report) + 32);
	sprintf(beside, "%s.%ld.tmp", t->report, (long)getpid());
	o->file = fopen(beside, "wx");
	int status = 0;
	if (o->file) {
		put_all(o, p);
		bool bad = ferror(o->file);
		bad |= fclose(o->file) != 0;
		if (bad || rename(beside, t->report))
			status = tool_fail(t, -WCP_ESYS, "%s: %s", t->report, strerror(errno));
		if (status)
			unlink(beside);
	} else {
		status = tool_fail(t, -WCP_ESYS, "%s: %s", t->report, strerror(errno));
	}
	free(beside);
	return status;
}

int
partial_write(const struct profile *p, struct tool *t)
{
	struct output *o = must_alloc(NULL, sizeof *o);
	int status = 0;
	*o = (struct output){.hash = XXH3_createState(), .file = stdout};
	XXH3_64bits_reset(o->hash);
	if (t->report && strcmp(t->report, "-"))
		status = write_file(o, p, t);
	else
		put_all(o, p); /* tool_finish checks standard output */
	XXH3_freeState(o->hash);
	free(o);
	return status;
}

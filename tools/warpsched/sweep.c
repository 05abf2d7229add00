/* Policies of the command line: lists of them, and sweeps over a key. */
#include <stdlib.h>
#include <string.h>
#include "warpsched.h"

enum { POINTS_MAX = 4096 };

static int
choice_add(struct tool *t, struct command *c, const char *text)
{
	struct choice *grown = realloc(c->choice, (c->n_choice + 1) * sizeof *grown);
	if (!grown)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	c->choice = grown;
	grown[c->n_choice] = (struct choice){0};
	return choice_parse(t, &grown[c->n_choice++], text);
}

int
choices_add(struct tool *t, struct command *c, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	int status = copy ? 0 : tool_fail(t, -WCP_ESYS, "out of memory");
	while (!status && (word = strsep(&rest, ",")))
		status = choice_add(t, c, word);
	free(copy);
	return status;
}

/* A range within the text of a sweep. */
struct range {
	size_t from, to; /* offsets of its first character and past its last */
	double low, high, step;
};

static int
range_parse(struct tool *t, const char *text, struct range *r)
{
	char *end;
	const char *at = text + r->from;
	r->low = strtod(at, &end);
	/* The number before ".." takes the first point with it. */
	if (end > at && end[-1] == '.')
		end--;
	bool ok = end > at && !strncmp(end, "..", 2);
	at = end + 2;
	r->high = ok ? strtod(at, &end) : 0;
	if (ok && end > at && end[-1] == '.')
		end--;
	ok = ok && end > at;
	r->step = 1;
	if (ok && !strncmp(end, "..", 2)) {
		at = end + 2;
		r->step = strtod(at, &end);
		ok = end > at;
	}
	if (!ok || end != text + r->to)
		return tool_usage(t, "--sweep %s: '%.*s' is not FROM..TO or FROM..TO..STEP", text,
		    (int)(r->to - r->from), text + r->from);
	if (!(r->step > 0) || !(r->high >= r->low) || (r->high - r->low) / r->step >= POINTS_MAX)
		return tool_usage(
		    t, "--sweep %s: not from 1 to %d steps upwards", text, POINTS_MAX);
	return 0;
}

/* The one word of the text that holds a range. */
static int
range_find(struct tool *t, const char *text, struct range *r)
{
	unsigned found = 0;
	const char *word = strchr(text, ':');
	while (word) {
		const char *end = strchr(++word, ':'), *eq = strchr(word, '=');
		size_t length = end ? (size_t)(end - word) : strlen(word);
		const char *dots = memmem(word, length, "..", 2);
		if (dots && eq && eq < dots) {
			found++;
			r->from = (size_t)(eq + 1 - text);
			r->to = (size_t)(word - text) + length;
		}
		word = end;
	}
	if (found != 1)
		return tool_usage(t, "--sweep %s: %s", text,
		    found ? "more than one key has a range" : "no key has a range FROM..TO");
	return range_parse(t, text, r);
}

static int
sweep_points(
    struct tool *t, struct command *c, struct sweep *s, const char *text, const struct range *r)
{
	size_t room = strlen(text) + 40;
	char *point = malloc(room);
	int status = point ? 0 : tool_fail(t, -WCP_ESYS, "out of memory");
	for (unsigned i = 0; !status && i < s->n; i++) {
		s->value[i] = r->low + i * r->step;
		snprintf(point, room, "%.*s%.10g%s", (int)r->from, text, s->value[i], text + r->to);
		status = choice_add(t, c, point);
	}
	free(point);
	return status;
}

int
sweep_parse(struct tool *t, struct command *c, const char *text)
{
	struct range r = {0};
	int status = range_find(t, text, &r);
	if (status)
		return status;
	struct sweep *grown = realloc(c->sweep, (c->n_sweep + 1) * sizeof *grown);
	if (!grown)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	c->sweep = grown;
	struct sweep *s = &grown[c->n_sweep++];
	*s = (struct sweep){
	    .first = c->n_choice, .n = (unsigned)((r.high - r.low) / r.step + 1e-9) + 1};
	s->value = calloc(s->n, sizeof *s->value);
	s->label = malloc(strlen(text) + 8);
	if (!s->value || !s->label)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	sprintf(s->label, "%.*sbest%s", (int)r.from, text, text + r.to);
	return sweep_points(t, c, s, text, &r);
}

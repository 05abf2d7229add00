#include <stdlib.h>
#include <string.h>
#include "warpcap/reuse.h"

enum { CHUNK = 1 << 15 }; /* references sorted by owner at a time */

struct wcp_reuse_set {
	uint32_t n_owner, cap_owner;
	struct wcp_reuse **stack; /* [cap_owner] */
	uint32_t *count; /* [cap_owner] references in the chunk, then where the next one goes */
	/* [CHUNK] */
	uint32_t *present; /* owners of the chunk in order of appearance */
	uint32_t *place;   /* where a reference was sorted to */
	uint64_t *line;
	uint32_t *distance;
};

struct wcp_reuse_set *
wcp_reuse_set_new(struct wcp_error *e)
{
	struct wcp_reuse_set *s = calloc(1, sizeof *s);
	if (s) {
		s->present = malloc(CHUNK * sizeof *s->present);
		s->place = malloc(CHUNK * sizeof *s->place);
		s->line = malloc(CHUNK * sizeof *s->line);
		s->distance = malloc(CHUNK * sizeof *s->distance);
		if (s->present && s->place && s->line && s->distance)
			return s;
	}
	wcp_fail_errno(e, "no memory for reuse stacks");
	wcp_reuse_set_free(s);
	return NULL;
}

void
wcp_reuse_set_free(struct wcp_reuse_set *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_owner; i++)
		wcp_reuse_free(s->stack[i]);
	free(s->stack);
	free(s->count);
	free(s->present);
	free(s->place);
	free(s->line);
	free(s->distance);
	free(s);
}

static bool
grow(struct wcp_reuse_set *s, uint32_t owner)
{
	uint32_t cap = s->cap_owner * 2 > owner ? s->cap_owner * 2 : owner + 1;
	struct wcp_reuse **stack = realloc(s->stack, cap * sizeof *stack);
	if (!stack)
		return false;
	s->stack = stack;
	uint32_t *count = realloc(s->count, cap * sizeof *count);
	if (!count)
		return false;
	s->count = count;
	memset(stack + s->cap_owner, 0, (cap - s->cap_owner) * sizeof *stack);
	memset(count + s->cap_owner, 0, (cap - s->cap_owner) * sizeof *count);
	s->cap_owner = cap;
	return true;
}

/* Makes owner's stack unless it is there. */
static int
make_stack(struct wcp_reuse_set *s, uint32_t owner, struct wcp_error *e)
{
	if (owner >= s->cap_owner && !grow(s, owner))
		return wcp_fail_errno(e, "no memory for %u reuse stacks", owner + 1);
	if (owner >= s->n_owner)
		s->n_owner = owner + 1;
	if (!s->stack[owner] && !(s->stack[owner] = wcp_reuse_new(e)))
		return e ? e->status : WCP_ESYS;
	return 0;
}

/* Counts the chunk's references by owner and lists the owners; returns how many, or an error. */
static int
count_owners(struct wcp_reuse_set *s, const uint32_t *owner, size_t n, struct wcp_error *e)
{
	int present = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t o = owner[i];
		if (o >= s->n_owner || !s->stack[o]) {
			int status = make_stack(s, o, e);
			if (status < 0)
				return status;
		}
		if (!s->count[o]++)
			s->present[present++] = o;
	}
	return present;
}

static void
sort_by_owner(
    struct wcp_reuse_set *s, const uint64_t *line, const uint32_t *owner, size_t n, int present)
{
	uint32_t start = 0;
	for (int i = 0; i < present; i++) {
		uint32_t *count = &s->count[s->present[i]];
		uint32_t here = *count;
		*count = start;
		start += here;
	}
	for (size_t i = 0; i < n; i++) {
		s->place[i] = s->count[owner[i]]++;
		s->line[s->place[i]] = line[i];
	}
}

/* Runs each owner's references through its stack; counts are ends of owners by now, and become 0.
 */
static int
run_owners(struct wcp_reuse_set *s, int present, struct wcp_error *e)
{
	uint32_t start = 0;
	int status = 0;
	for (int i = 0; i < present; i++) {
		uint32_t *end = &s->count[s->present[i]];
		if (!status)
			status = wcp_reuse_batch(s->stack[s->present[i]], s->line + start,
			    *end - start, s->distance + start, e);
		start = *end;
		*end = 0;
	}
	return status;
}

static int
run_chunk(struct wcp_reuse_set *s, const uint64_t *line, const uint32_t *owner, size_t n,
    uint32_t *distance, struct wcp_error *e)
{
	int present = count_owners(s, owner, n, e);
	if (present < 0)
		return present;
	if (present == 1) {
		s->count[owner[0]] = 0;
		return wcp_reuse_batch(s->stack[owner[0]], line, n, distance, e);
	}
	sort_by_owner(s, line, owner, n, present);
	int status = run_owners(s, present, e);
	for (size_t i = 0; i < n; i++)
		distance[i] = s->distance[s->place[i]];
	return status;
}

int
wcp_reuse_set_batch(struct wcp_reuse_set *s, const uint64_t *line, const uint32_t *owner, size_t n,
    uint32_t *distance, struct wcp_error *e)
{
	int status = 0;
	if (!owner) {
		status = n ? make_stack(s, 0, e) : 0;
		return status < 0 || !n ? status
					: wcp_reuse_batch(s->stack[0], line, n, distance, e);
	}
	for (size_t i = 0; i < n && status >= 0; i += CHUNK) {
		size_t some = n - i < CHUNK ? n - i : CHUNK;
		status = run_chunk(s, line + i, owner + i, some, distance + i, e);
	}
	return status;
}

uint32_t
wcp_reuse_set_owners(const struct wcp_reuse_set *s)
{
	return s->n_owner;
}

const struct wcp_reuse *
wcp_reuse_set_stack(const struct wcp_reuse_set *s, uint32_t owner)
{
	return owner < s->n_owner ? s->stack[owner] : NULL;
}

uint64_t
wcp_reuse_set_lines(const struct wcp_reuse_set *s)
{
	uint64_t lines = 0;
	for (uint32_t i = 0; i < s->n_owner; i++)
		lines += s->stack[i] ? wcp_reuse_lines(s->stack[i]) : 0;
	return lines;
}

size_t
wcp_reuse_set_bytes(const struct wcp_reuse_set *s)
{
	size_t bytes = sizeof *s + s->cap_owner * (sizeof *s->stack + sizeof *s->count) +
		       CHUNK * (3 * sizeof(uint32_t) + sizeof(uint64_t));
	for (uint32_t i = 0; i < s->n_owner; i++)
		bytes += s->stack[i] ? wcp_reuse_bytes(s->stack[i]) : 0;
	return bytes;
}

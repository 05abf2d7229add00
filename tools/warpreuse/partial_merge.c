#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "partial.h"
#include "warpreuse.h"

enum { CHUNK = 1 << 16 };

struct source {
	struct profile *p;
	struct tool *tool;
	const char *name;
	FILE *file;
	char *text; /* the current line, without its end */
	size_t cap;
	uint64_t line; /* its number */
	XXH3_state_t *hash;
	uint64_t before;       /* hash of the lines before it */
	bool same_origin;      /* as the files before: so are numbers of kernels and programs */
	struct names programs; /* of another origin */
	uint32_t *by;	       /* [n_by] numbers here to numbers of the whole */
	uint32_t n_by;
	struct refs refs;
};

static int
bad(const struct source *s, const char *what)
{
	return tool_fail(s->tool, -WCP_EDATA, "%s: line %" PRIu64 ": %s", s->name, s->line, what);
}

static int
next_line(struct source *s)
{
	ssize_t n = getline(&s->text, &s->cap, s->file);
	s->line++;
	if (n < 0 && ferror(s->file))
		return tool_fail(s->tool, -WCP_ESYS, "%s: %s", s->name, strerror(errno));
	if (n <= 0 || s->text[n - 1] != '\n')
		return bad(s, "truncated: the file ends before its end line");
	s->before = XXH3_64bits_digest(s->hash);
	XXH3_64bits_update(s->hash, s->text, (size_t)n);
	s->text[n - 1] = 0;
	return 0;
}

/* Skips word and the blank behind it. */
static bool
take(char **at, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*at, word, n) || ((*at)[n] && (*at)[n] != ' '))
		return false;
	*at += n + ((*at)[n] == ' ');
	return true;
}

static bool
take_number(char **at, int base, uint64_t most, uint64_t *value)
{
	char *end;
	if (!strchr("0123456789abcdef", **at) || !**at)
		return false;
	errno = 0;
	*value = strtoull(*at, &end, base);
	if (errno || *value > most || (*end && *end != ' '))
		return false;
	*at = end + (*end == ' ');
	return true;
}

static bool
take_key(char **at, struct key *key)
{
	uint64_t group, cta, unit;
	if (!take_number(at, 10, UINT32_MAX, &group) || !take_number(at, 10, UINT32_MAX, &cta) ||
	    !take_number(at, 10, UINT32_MAX, &unit))
		return false;
	*key = (struct key){(uint32_t)group, (uint32_t)cta, (uint32_t)unit};
	return true;
}

static void
unescape(char *text)
{
	char *to = text;
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			*to++ = *++text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	}
	*to = 0;
}

struct head {
	uint64_t line, kinds, whole, origin;
	enum unit by, stacks;
	bool warp;
	char *filter;
};

/* One field of the head into h; false if it is none or wrong. */
static bool
head_field(struct source *s, unsigned number, struct head *h)
{
	char *at = s->text;
	switch (number) {
	case 0:
		return take(&at, "line") && take_number(&at, 10, 1u << 30, &h->line) && h->line &&
		       !(h->line & (h->line - 1));
	case 1: return take(&at, "kinds") && take_number(&at, 10, UINT32_MAX, &h->kinds);
	case 2: return take(&at, "by") && unit_named(at, UNIT_NONE, UNIT_PC, &h->by);
	case 3: return take(&at, "private") && unit_named(at, UNIT_NONE, UNIT_WARP, &h->stacks);
	case 4: h->warp = !strcmp(at, "input warp"); return h->warp || !strcmp(at, "input access");
	case 5: return take(&at, "whole") && take_number(&at, 10, 1, &h->whole);
	case 6: return take(&at, "origin") && take_number(&at, 16, UINT64_MAX, &h->origin);
	default:
		if (!take(&at, "filter"))
			return false;
		unescape(at);
		h->filter = strcpy(must_alloc(NULL, strlen(at) + 1), at);
		return true;
	}
}

/* What the whole was filtered by: told only if it was the same for all. */
static void
join_filters(struct profile *p, struct head *h)
{
	if (p->filter && strcmp(p->filter, h->filter)) {
		free(h->filter);
		h->filter = strcpy(must_alloc(NULL, sizeof "(several)"), "(several)");
	}
	free(p->filter);
	p->set->filter = p->filter = h->filter;
	h->filter = NULL;
}

/* The first file's settings are those of the whole; the others must have the same. */
static int
apply_head(struct source *s, struct head *h, bool is_first)
{
	struct profile *p = s->p;
	struct settings *set = p->set;
	if (is_first) {
		set->line_bytes = (uint32_t)h->line;
		set->kinds = (uint32_t)h->kinds;
		set->by = p->by.what = h->by;
		set->stacks = p->stacks.what = h->stacks;
		p->warp = h->warp;
		p->origin = h->origin;
	}
	p->whole &= h->whole == 1;
	const char *differs = set->line_bytes != h->line ? "line size"
			      : set->kinds != h->kinds	 ? "kinds"
			      : set->by != h->by	 ? "--by"
			      : set->stacks != h->stacks ? "--private"
			      : p->warp != h->warp	 ? "kind of input"
							 : NULL;
	if (differs)
		return tool_fail(s->tool, -WCP_EDATA,
		    "%s: its %s is not that of the files before it", s->name, differs);
	s->same_origin = p->origin == h->origin;
	if (!s->same_origin && profile_has_kernels(p))
		return tool_fail(s->tool, -WCP_EDATA,
		    "%s: another stream than the files before it, which may number kernels "
		    "otherwise; "
		    "cut pieces by -F",
		    s->name);
	if (!s->same_origin)
		p->origin = XXH3_64bits_withSeed(&h->origin, sizeof h->origin, p->origin);
	join_filters(p, h);
	return 0;
}

static int
read_head(struct source *s, bool is_first)
{
	struct head h = {.filter = NULL};
	int status = next_line(s);
	if (status)
		return status;
	if (strcmp(s->text, PARTIAL_MAGIC))
		return bad(s, "no partial report of warpreuse, or of another version");
	for (unsigned i = 0; i < 8; i++) {
		if ((status = next_line(s)))
			return status;
		if (!head_field(s, i, &h))
			return bad(s, "not what belongs here");
	}
	status = apply_head(s, &h, is_first);
	free(h.filter);
	return status ? status : next_line(s);
}

/* Files of one origin have one name for a number. */
static int
add_name(struct source *s, char *at, struct names *names)
{
	uint64_t id;
	if (!take_number(&at, 10, 1u << 28, &id))
		return bad(s, "not a number and a name");
	unescape(at);
	if (id < names->n && names->name[id] && strcmp(names->name[id], at))
		return bad(s, "the same number has another name in an earlier file");
	names_set(names, (uint32_t)id, at);
	return 0;
}

/* Names of another origin count for programs alone. */
static int
add_foreign(struct source *s, char *at, bool program)
{
	return program ? add_name(s, at, &s->programs) : 0;
}

/* The number that a program of another origin has in the whole; by its name. */
static bool
find_program(struct source *s, uint32_t *id)
{
	const char *name = names_get(&s->programs, *id);
	struct names *known = &s->p->programs;
	if (!name)
		return false;
	for (*id = 0; *id < known->n; ++*id)
		if (known->name[*id] && !strcmp(known->name[*id], name))
			return true;
	names_set(known, *id, name);
	return true;
}

static int
add_by(struct source *s, char *at)
{
	struct keys *k = &s->p->by;
	struct key key;
	if (!k->what || !take_key(&at, &key))
		return bad(s, "not a key");
	if (k->what == UNIT_PC && !s->same_origin && !find_program(s, &key.group))
		return bad(s, "a program without a name, in another stream than the files before");
	uint32_t number = keys_number(k, key);
	unescape(at);
	if (*at && !k->source[number])
		k->source[number] = strcpy(must_alloc(NULL, strlen(at) + 1), at);
	s->by = must_alloc(s->by, (s->n_by + 1ull) * sizeof *s->by);
	s->by[s->n_by++] = number;
	profile_part(s->p, number);
	return 0;
}

/* Names and keys; ends at the line after them. */
static int
read_keys(struct source *s)
{
	for (int status = 0;;) {
		char *at = s->text;
		if (take(&at, "kernel"))
			status = s->same_origin ? add_name(s, at, &s->p->kernels)
						: add_foreign(s, at, false);
		else if (take(&at, "program"))
			status = s->same_origin ? add_name(s, at, &s->p->programs)
						: add_foreign(s, at, true);
		else if (take(&at, "by"))
			status = add_by(s, at);
		else
			return 0;
		if (status || (status = next_line(s)))
			return status;
	}
}

static int
add_refs(struct source *s, uint32_t stack, bool count)
{
	struct wcp_error e;
	struct profile *p = s->p;
	struct refs *r = &s->refs;
	for (size_t i = 0; i < r->n; i++)
		r->stack[i] = stack;
	if (r->n > p->cap_distance) {
		p->cap_distance = r->n;
		p->distance = must_alloc(p->distance, r->n * sizeof *p->distance);
	}
	int status = count
			 ? profile_add(p, r, &e)
			 : wcp_reuse_set_batch(p->stack, r->line, r->stack, r->n, p->distance, &e);
	r->n = 0;
	return status < 0 ? tool_error(s->tool, s->name, &e) : 0;
}

/* n lines; those of first references say by whom and are counted. */
static int
read_lines(struct source *s, uint32_t stack, uint64_t n, bool first)
{
	int status = 0;
	bool has_by = first && s->p->set->by;
	refs_reserve(&s->refs, CHUNK);
	for (uint64_t i = 0; i < n && !status; i++) {
		uint64_t line, by = 0;
		if ((status = next_line(s)))
			return status;
		char *at = s->text;
		if (!take_number(&at, 16, UINT64_MAX, &line) ||
		    (has_by && !take_number(&at, 10, UINT32_MAX, &by)) || *at)
			return bad(s, "not a line number");
		if (has_by && by >= s->n_by)
			return bad(s, "a key that is not in the file");
		s->refs.line[s->refs.n] = line;
		s->refs.by[s->refs.n++] = has_by ? s->by[by] : 0;
		if (s->refs.n == CHUNK)
			status = add_refs(s, stack, first);
	}
	return status ? status : add_refs(s, stack, first);
}

static int
read_stacks(struct source *s)
{
	for (int status = 0;;) {
		char *at = s->text;
		struct key key;
		uint64_t n;
		if (!take(&at, "stack"))
			return 0;
		if (!take_key(&at, &key) || !take_number(&at, 10, WCP_REUSE_MAX_LINES, &n) || *at)
			return bad(s, "not a stack");
		uint32_t stack = s->p->stacks.what ? keys_number(&s->p->stacks, key) : 0;
		if ((status = read_lines(s, stack, n, true)) ||
		    (status = read_lines(s, stack, n, false)) || (status = next_line(s)))
			return status;
	}
}

static int
read_counts(struct source *s, struct wcp_reuse_hist *h, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t distance, count;
		struct wcp_error e;
		int status = next_line(s);
		if (status)
			return status;
		char *at = s->text;
		if (!take_number(&at, 10, WCP_REUSE_MAX_LINES, &distance) ||
		    !take_number(&at, 10, 1ull << 50, &count) || *at)
			return bad(s, "not a distance and a count");
		if (wcp_reuse_hist_count(h, (uint32_t)distance, count, &e) < 0)
			return tool_error(s->tool, s->name, &e);
	}
	return 0;
}

static int
read_hists(struct source *s)
{
	for (int status = 0;;) {
		char *at = s->text;
		uint64_t by = 0, n;
		if (!take(&at, "hist"))
			return 0;
		bool all = take(&at, "all");
		if ((!all && !take_number(&at, 10, UINT32_MAX, &by)) ||
		    !take_number(&at, 10, WCP_REUSE_MAX_LINES, &n) || *at)
			return bad(s, "not a histogram");
		if (!all && by >= s->n_by)
			return bad(s, "a key that is not in the file");
		struct wcp_reuse_hist *h = all ? &s->p->all : profile_part(s->p, s->by[by]);
		if ((status = read_counts(s, h, n)) || (status = next_line(s)))
			return status;
	}
}

static int
read_end(struct source *s)
{
	char want[32];
	snprintf(want, sizeof want, "end %016" PRIx64, s->before);
	if (strncmp(s->text, "end ", 4))
		return bad(s, "not what belongs here");
	if (strcmp(s->text, want))
		return bad(s, "checksum mismatch");
	if (getc(s->file) != EOF)
		return bad(s, "something after the end line");
	return 0;
}

static int
read_file(struct source *s, bool is_first)
{
	int status = read_head(s, is_first);
	if (!status)
		status = read_keys(s);
	if (!status)
		status = read_stacks(s);
	if (!status)
		status = read_hists(s);
	return status ? status : read_end(s);
}

static int
merge_one(struct profile *p, struct tool *t, int index)
{
	const char *path = t->argv[index];
	bool standard = !strcmp(path, "-");
	struct source s = {.p = p, .tool = t, .name = standard ? "standard input" : path};
	s.file = standard ? stdin : fopen(path, "r");
	if (!s.file)
		return tool_fail(t, -WCP_ESYS, "%s: %s", path, strerror(errno));
	s.hash = XXH3_createState();
	XXH3_64bits_reset(s.hash);
	int status = read_file(&s, index == 0);
	if (!standard)
		fclose(s.file);
	XXH3_freeState(s.hash);
	refs_release(&s.refs);
	names_release(&s.programs);
	free(s.text);
	free(s.by);
	return status;
}

int
partial_merge(struct profile *p, struct tool *t)
{
	int status = 0;
	for (int i = 0; i < t->argc && !status; i++)
		status = merge_one(p, t, i);
	return status;
}

/* Which PTX is for a device, and what to say when none is. */
#include <stdio.h>
#include "fatbin/fatbin.h"

static bool
suits(const struct wcp_fatbin_entry *en, uint32_t sm)
{
	if (en->kind != WCP_FATBIN_PTX || en->sm > sm)
		return false;
	if (en->flags & WCP_FATBIN_EXACT)
		return en->sm == sm;
	if (en->flags & WCP_FATBIN_FAMILY)
		return en->sm / 10 == sm / 10;
	return true;
}

static bool
better(const struct wcp_fatbin_entry *a, const struct wcp_fatbin_entry *b)
{
	const uint64_t special = WCP_FATBIN_EXACT | WCP_FATBIN_FAMILY;
	if (a->sm != b->sm)
		return a->sm > b->sm;
	return !(a->flags & special) && (b->flags & special);
}

int
fatbin_best(const struct wcp_fatbin *f, uint32_t container, uint32_t sm, bool *any)
{
	int best = -1;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct wcp_fatbin_entry *en = &f->entry[i];
		if (container != FATBIN_ALL && en->container != container)
			continue;
		*any = true;
		if (suits(en, sm) && (best < 0 || better(en, &f->entry[best])))
			best = (int)i;
	}
	return best;
}

struct text {
	char at[256];
	size_t n;
};

static void
add_name(struct text *t, const struct wcp_fatbin_entry *en)
{
	const char *prefix = en->kind == WCP_FATBIN_PTX	    ? "compute_"
			     : en->kind == WCP_FATBIN_CUBIN ? "sm_"
							    : "lto_";
	const char *suffix = en->flags & WCP_FATBIN_EXACT    ? "a"
			     : en->flags & WCP_FATBIN_FAMILY ? "f"
							     : "";
	char name[40];
	snprintf(name, sizeof name, "%s%u%s", prefix, en->sm, suffix);
	/* a whole word already said? */
	for (const char *s = t->at; (s = strstr(s, name)); s++)
		if ((s == t->at || s[-1] == ' ') && strchr(", ", s[strlen(name)]))
			return;
	if (t->n + sizeof name + 8 > sizeof t->at) {
		if (t->at[t->n - 1] != '.')
			t->n += (size_t)snprintf(t->at + t->n, sizeof t->at - t->n, ", ...");
		return;
	}
	t->n += (size_t)snprintf(t->at + t->n, sizeof t->at - t->n, "%s%s", t->n ? ", " : "", name);
}

/* What the oldest PTX that CUDA 13 writes is for; it suits every later device, and no earlier. */
enum { OLDEST_PTX = 75 };

int
fatbin_no_ptx(const struct wcp_fatbin *f, uint32_t container, uint32_t sm, struct wcp_error *e)
{
	struct text t = {.n = 0};
	uint32_t ptx = 0; /* the newest there is */
	char advice[128];
	for (uint32_t i = 0; i < f->n; i++)
		if (container == FATBIN_ALL || f->entry[i].container == container) {
			add_name(&t, &f->entry[i]);
			if (f->entry[i].kind == WCP_FATBIN_PTX && f->entry[i].sm > ptx)
				ptx = f->entry[i].sm;
		}
	const int n = !ptx ? 0
			   : snprintf(advice, sizeof advice, "take --capability %u%s", ptx,
				 sm < OLDEST_PTX ? "" : ", or ");
	if (!ptx || sm >= OLDEST_PTX)
		snprintf(advice + n, sizeof advice - (size_t)n,
		    "build it with -gencode arch=compute_%d,code=compute_%d%s", OLDEST_PTX,
		    OLDEST_PTX, sm < OLDEST_PTX ? " and take --capability 75 or more" : "");
	return wcp_fail(e, WCP_EDATA, "the program's device code has no PTX%s%s; it is for: %s; %s",
	    ptx ? " for compute capability " : "", ptx ? fatbin_capability(sm).text : "", t.at,
	    advice);
}

struct capability
fatbin_capability(uint32_t sm)
{
	struct capability c;
	snprintf(c.text, sizeof c.text, "%u.%u", sm / 10, sm % 10);
	return c;
}

int
wcp_fatbin_best_ptx(
    const struct wcp_fatbin *f, uint32_t container, uint32_t sm, struct wcp_error *e)
{
	bool any = false;
	const int best = fatbin_best(f, container, sm, &any);
	if (best >= 0)
		return best;
	return any ? fatbin_no_ptx(f, container, sm, e) : WCP_ENO;
}

/* From machine and options to levels. */
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#include "settings.h"
#include "tally.h"

void
plan_keep(struct plan *p, int id, const char *value)
{
	if (p->n_given == p->cap_given) {
		p->cap_given = p->cap_given ? 2 * p->cap_given : 32;
		p->given = must_alloc(p->given, p->cap_given * sizeof *p->given);
	}
	p->given[p->n_given++] = (struct given){id, value, p->n};
}

void
plan_release(struct plan *p)
{
	wcp_machine_free(p->machine);
	free(p->given);
}

static void
add_level(struct plan *p, uint32_t level)
{
	struct settings *s = &p->level[p->n++];
	settings_init(s);
	settings_set_level(s, level);
	s->level_given = true;
}

/* "2" or "l2" */
int
settings_level(struct tool *t, struct plan *p, const char *value)
{
	const char *digit = value + (value[0] == 'l' || value[0] == 'L');
	if (digit[0] < '1' || digit[0] > '0' + LEVELS_MAX || digit[1])
		return tool_usage(t, "-L: '%s' is no level from 1 to %d", value, LEVELS_MAX);
	uint32_t level = (uint32_t)(digit[0] - '1');
	if (p->n && level <= p->level[p->n - 1].level)
		return tool_usage(t, "-L: level %u cannot come behind level %u", level + 1,
		    p->level[p->n - 1].level + 1);
	add_level(p, level);
	return 0;
}

static const struct wcp_machine_section *
section_of(uint32_t level)
{
	const char name[] = {'l', (char)('1' + level), 0};
	return wcp_machine_section_named(name);
}

/* The machine's section, with what the settings say where it says nothing. */
static size_t
bind(const struct wcp_machine *m, uint32_t level, struct wcp_level_config *c)
{
	const struct wcp_machine_section *section = section_of(level);
	return m && section ? wcp_machine_bind(m, section, c) : 0;
}

static bool
says(const struct wcp_machine *m, const struct settings *s, const char *key)
{
	return wcp_machine_find(m, s->name, key) != NULL;
}

static void
from_machine(const struct wcp_machine *m, struct settings *s)
{
	struct wcp_cache_options *o = &s->cache;
	struct wcp_level_config c = {
	    .cache = {.index = o->index, .ways = o->ways, .local_write = o->local_write},
	    .slices = 1};
	if (!bind(m, s->level, &c))
		return;
	s->time = c.cache;
	o->index = c.cache.index;
	o->ways = c.cache.ways;
	o->sector_bytes = c.cache.sector_bytes;
	o->replacement = c.cache.replacement;
	o->global_write = c.cache.global_write;
	o->local_write = c.cache.local_write;
	o->bypass_uncached = c.cache.bypass_uncached;
	o->store_around = c.cache.store_around;
	s->global_write_given = says(m, s, "write");
	s->slice.slices = c.slices;
	if (says(m, s, "shared"))
		s->shared = c.shared;
	s->size_bytes = c.size_bytes;
	s->size_by = says(m, s, "size") ? BY_MACHINE : BY_DEFAULT;
	s->sets_by = says(m, s, "sets") ? BY_MACHINE : BY_DEFAULT;
	/* What a level with time knows of those below: the next one's hit. */
	struct wcp_level_config below = {.hit_ck = 0};
	if (bind(m, s->level + 1, &below) && below.hit_ck)
		s->fill_latency = below.hit_ck + c.fill_ck;
}

/* Without -L: the machine's levels; else one, which any option may describe. */
static void
find_levels(struct plan *p)
{
	struct wcp_level_config c;
	for (uint32_t level = 0; p->machine && level < LEVELS_MAX; level++)
		if (bind(p->machine, level, &c))
			add_level(p, level);
	if (!p->n) {
		add_level(p, 0);
		p->level[0].level_given = false;
	}
}

static int
finish_level(struct tool *t, struct plan *p, uint32_t i,
    int (*apply)(struct tool *t, struct settings *s, int id, const char *value))
{
	struct settings *s = &p->level[i];
	int status = 0;
	if (p->machine)
		from_machine(p->machine, s);
	for (uint32_t scope = 0; scope < 2; scope++) {
		s->scope = scope ? FOR_LEVEL : FOR_ALL;
		for (size_t k = 0; k < p->n_given && !status; k++)
			if (p->given[k].level == (scope ? i + 1 : 0))
				status = apply(t, s, p->given[k].id, p->given[k].value);
	}
	if (!status)
		status = settings_finish(t, s);
	bool last = i + 1 == p->n;
	s->passes = !last || t->output;
	s->pass_all = s->pass_all && last && s->passes;
	s->pass_fills = s->pass_fills && last;
	for (uint32_t k = 0; k < i && !status && s->series; k++)
		if (p->level[k].series && !strcmp(p->level[k].series, s->series))
			status = tool_usage(t, "--series: %s and %s cannot write the same file",
			    p->level[k].name, s->name);
	return status;
}

/* Options that say more of something that no level has: they hold for all levels, so that it is
 * enough if one has it. */
static int
find_idle(struct tool *t, const struct plan *p)
{
	bool series = false, interval = false, vta = false, vta_given = false;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct settings *s = &p->level[i];
		series = series || s->series;
		interval = interval || s->interval_given;
		vta = vta || s->vta_entries;
		vta_given = vta_given || s->vta_given;
	}
	if (interval && !series)
		return tool_usage(t, "--interval: there is no --series");
	if (vta_given && !vta)
		return tool_usage(t, "--vta-ways, --vta-order and --vta-key: there is no --vta");
	return 0;
}

int
plan_finish(struct tool *t, struct plan *p,
    int (*apply)(struct tool *t, struct settings *s, int id, const char *value))
{
	int status = 0;
	if (t->machine || t->n_set)
		p->machine = tool_machine(t, NULL, &status);
	if (!status && !p->n)
		find_levels(p);
	for (uint32_t i = 0; i < p->n && !status; i++)
		status = finish_level(t, p, i, apply);
	return status ? status : find_idle(t, p);
}

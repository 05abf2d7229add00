#include <stdlib.h>
#include <string.h>
#include "private.h"
#include "unit.h"
#include "zeroed.h"

enum { MAP_BYTES = 1 << 20 }; /* from here on slots are mapped */

const char *const unit_name[UNIT_COUNT] = {"none", "sm", "kernel", "cta", "warp", "pc"};

bool
unit_named(const char *name, enum unit first, enum unit last, enum unit *unit)
{
	for (enum unit u = first; u <= last; u++) {
		if (!strcmp(name, unit_name[u])) {
			*unit = u;
			return true;
		}
	}
	return false;
}

int
unit_option_among(const struct tool *t, const char *option, const char *name, enum unit first,
    enum unit last, enum unit *unit)
{
	char known[64] = "";
	if (unit_named(name, first, last, unit))
		return 0;
	for (enum unit u = first; u <= last; u++) {
		strcat(known, u == first ? "" : ", ");
		strcat(known, unit_name[u]);
	}
	return tool_usage(t, "%s: '%s' is none of %s", option, name, known);
}

int
unit_option(const struct tool *t, const char *option, const char *name, enum unit *unit)
{
	return unit_option_among(t, option, name, UNIT_NONE, UNIT_PC, unit);
}

void
keys_init(struct keys *k, enum unit what)
{
	*k = (struct keys){.what = what};
}

static void
release_slots(struct keys *k)
{
	size_t bytes = k->slot ? (k->mask + 1ull) * sizeof *k->slot : 0;
	if (bytes < MAP_BYTES)
		free(k->slot);
	else
		zeroed_free(k->slot, bytes);
}

static void
make_slots(struct keys *k, uint32_t n)
{
	size_t bytes = n * sizeof *k->slot;
	k->mask = n - 1;
	k->shift = 64 - (unsigned)__builtin_ctz(n);
	k->slot = bytes < MAP_BYTES ? memset(must_alloc(NULL, bytes), 0, bytes) : zeroed_new(bytes);
}

void
keys_release(struct keys *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		free(k->source[i]);
	free(k->source);
	free(k->key);
	release_slots(k);
	*k = (struct keys){.what = k->what};
}

static uint32_t
find_slot(const struct keys *k, struct key key)
{
	uint32_t at = keys_home(k, key);
	while (k->slot[at].number && !key_equal(k->slot[at].key, key))
		at = (at + 1) & k->mask;
	return at;
}

static void
grow(struct keys *k)
{
	uint32_t cap = k->cap ? k->cap * 2 : 16;
	k->key = must_alloc(k->key, cap * sizeof *k->key);
	k->source = must_alloc(k->source, cap * sizeof *k->source);
	struct keys old = *k;
	make_slots(k, cap * 4);
	for (uint32_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].number)
			k->slot[find_slot(k, old.slot[i].key)] = old.slot[i];
	release_slots(&old);
	k->cap = cap;
}

uint32_t
keys_number(struct keys *k, struct key key)
{
	if (k->n && key_equal(k->key[k->last], key))
		return k->last;
	if (k->n == k->cap)
		grow(k);
	uint32_t at = find_slot(k, key);
	if (!k->slot[at].number) {
		k->key[k->n] = key;
		k->source[k->n] = NULL;
		k->slot[at] = (struct key_slot){key, ++k->n};
	}
	k->last = k->slot[at].number - 1;
	return k->last;
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct keys *k = arg;
	struct key x = k->key[*(const uint32_t *)a], y = k->key[*(const uint32_t *)b];
	if (x.group != y.group)
		return x.group < y.group ? -1 : 1;
	if (x.cta != y.cta)
		return x.cta < y.cta ? -1 : 1;
	return (x.unit > y.unit) - (x.unit < y.unit);
}

uint32_t *
keys_sorted(const struct keys *k)
{
	uint32_t *number = must_alloc(NULL, k->n * sizeof *number);
	for (uint32_t i = 0; i < k->n; i++)
		number[i] = i;
	struct keys sorting = *k;
	qsort_r(number, k->n, sizeof *number, by_key, &sorting);
	return number;
}

void
names_set(struct names *names, uint32_t id, const char *name)
{
	if (id >= names->n) {
		names->name = must_alloc(names->name, (id + 1ull) * sizeof *names->name);
		memset(names->name + names->n, 0, (id + 1ull - names->n) * sizeof *names->name);
		names->n = id + 1;
	}
	if (!names->name[id])
		names->name[id] = strcpy(must_alloc(NULL, strlen(name) + 1), name);
}

const char *
names_get(const struct names *names, uint32_t id)
{
	return id < names->n ? names->name[id] : NULL;
}

void
names_release(struct names *names)
{
	for (uint32_t i = 0; i < names->n; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct names){0};
}

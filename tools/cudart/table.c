/* A hash table from addresses; linear probing, deletion moves followers up. */
#include <stdlib.h>
#include "runtime.h"

static uint32_t
slot_of(const struct table *t, const void *key)
{
	const uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & t->mask;
	while (t->key[i] && t->key[i] != key)
		i = (i + 1) & t->mask;
	return i;
}

static bool
grow(struct table *t)
{
	const struct table old = *t;
	const uint32_t slots = old.key ? 2 * (old.mask + 1) : 64;
	t->key = calloc(slots, sizeof *t->key);
	t->value = calloc(slots, sizeof *t->value);
	if (!t->key || !t->value) {
		free(t->key);
		free(t->value);
		*t = old;
		return false;
	}
	t->mask = slots - 1;
	for (uint32_t i = 0; old.key && i <= old.mask; i++)
		if (old.key[i]) {
			const uint32_t to = slot_of(t, old.key[i]);
			t->key[to] = old.key[i];
			t->value[to] = old.value[i];
		}
	free(old.key);
	free(old.value);
	return true;
}

bool
table_set(struct table *t, const void *key, void *value)
{
	if ((!t->key || t->n > t->mask / 2) && !grow(t))
		return false;
	const uint32_t i = slot_of(t, key);
	t->n += !t->key[i];
	t->key[i] = key;
	t->value[i] = value;
	return true;
}

void *
table_get(const struct table *t, const void *key)
{
	return t->key && key ? t->value[slot_of(t, key)] : NULL;
}

void
table_remove(struct table *t, const void *key)
{
	uint32_t hole = t->key && key ? slot_of(t, key) : 0;
	if (!t->key || !key || !t->key[hole])
		return;
	t->n--;
	for (uint32_t i = hole;;) {
		t->key[hole] = NULL;
		t->value[hole] = NULL;
		do {
			i = (i + 1) & t->mask;
			if (!t->key[i])
				return;
		} while (slot_of(t, t->key[i]) == i);
		const uint32_t to = slot_of(t, t->key[i]);
		t->key[to] = t->key[i];
		t->value[to] = t->value[i];
		hole = i;
	}
}

void
table_release(struct table *t)
{
	free(t->key);
	free(t->value);
	*t = (struct table){0};
}

/* ---- handles -------------------------------------------------------------------------------- */

static struct table handles;

void *
handle_new(enum handle_kind kind, size_t bytes)
{
	struct handle *h = calloc(1, bytes);
	if (h && !table_set(&handles, h, h)) {
		free(h);
		return NULL;
	}
	if (h)
		h->kind = kind;
	return h;
}

void *
handle_get(const void *handle, enum handle_kind kind)
{
	struct handle *h = table_get(&handles, handle);
	return h && h->kind == kind ? h : NULL;
}

void
handle_free(void *handle)
{
	table_remove(&handles, handle);
	free(handle);
}

void
handle_each(enum handle_kind kind, void (*fn)(void *object, void *arg), void *arg)
{
	for (uint32_t i = 0; handles.key && i <= handles.mask; i++) {
		struct handle *h = handles.value[i];
		if (h && h->kind == kind)
			fn(h, arg);
	}
}

/* With checks on: what was allocated and never freed. */
#include <stdlib.h>
#include <stdio.h>
#include "leak.h"

struct allocation {
	uint64_t number, bytes; /* in the order of the calls */
	char label[120];
};
struct leak {
	const void *at;
	const struct allocation *what;
};

static struct table allocations; /* by address */
static uint64_t n_remembered;
static uint64_t heap_told; /* of malloc in kernels all up to here is told */

static bool
checks(void)
{
	return rt.settings.flags & LINK_CHECK_MEMORY;
}

void
leak_remember(const void *p, uint64_t bytes, const char *label)
{
	struct allocation *a = checks() ? calloc(1, sizeof *a) : NULL;
	if (!a)
		return;
	a->number = n_remembered++;
	a->bytes = bytes;
	snprintf(a->label, sizeof a->label, "%s", label);
	if (!table_set(&allocations, p, a))
		free(a);
}

void
leak_forget(const void *p)
{
	free(table_get(&allocations, p));
	table_remove(&allocations, p);
}

static int
compare(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;
	return (x->what->number > y->what->number) - (x->what->number < y->what->number);
}

/* In the order of the calls; NULL: there are none, or no memory. */
static struct leak *
list(void)
{
	const struct table *t = &allocations;
	struct leak *all = t->n ? malloc(t->n * sizeof *all) : NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; all && i <= t->mask; i++)
		if (t->value[i])
			all[n++] = (struct leak){t->key[i], t->value[i]};
	if (all)
		qsort(all, n, sizeof *all, compare);
	return all;
}

enum { SHOWN_MAX = 20 };

static void
say(uint64_t n, const char *label, uint64_t bytes, uint64_t address)
{
	rt.found++;
	if (n < SHOWN_MAX)
		link_note(LINK_LEVEL_ERROR, false, "'%s' was never freed: %llu bytes at 0x%llx",
		    label, (unsigned long long)bytes, (unsigned long long)address);
}

static void
say_total(uint64_t n, uint64_t bytes, const char *by)
{
	if (n > 1)
		link_note(LINK_LEVEL_ERROR, false,
		    "%llu allocations by %s were never freed: %llu bytes", (unsigned long long)n,
		    by, (unsigned long long)bytes);
}

static void
report_host(bool each)
{
	struct leak *all = list();
	uint64_t bytes = 0;
	const uint32_t n = all ? allocations.n : 0;
	for (uint32_t i = 0; i < n; i++) {
		bytes += all[i].what->bytes;
		if (each)
			say(i, all[i].what->label, all[i].what->bytes, (uintptr_t)all[i].at);
		leak_forget(all[i].at);
	}
	free(all);
	if (each)
		say_total(n, bytes, "the program");
}

static void
report_heap(bool each)
{
	struct wcp_device_allocation a;
	uint64_t n = 0, bytes = 0;
	for (; wcp_device_heap_next(rt.device, heap_told, &a); n++, bytes += a.bytes) {
		if (each)
			say(n, a.label, a.bytes, a.base);
		heap_told = a.base;
	}
	if (each)
		say_total(n, bytes, "malloc in kernels");
}

/* A program that ends because a kernel went wrong has no time to free anything. */
void
leak_report(void)
{
	if (!rt.ready || !checks())
		return;
	report_host(!rt.fault);
	report_heap(!rt.fault);
}

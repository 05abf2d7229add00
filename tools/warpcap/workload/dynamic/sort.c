#include "sort.h"
#include <stdlib.h>

enum { THREADS = 128, BUBBLE_MAX = 65536 };

/* The kernels' structures. */
struct part {
	int32_t first, keys, digit;
};

struct sort {
	uint64_t key, spare;
	int32_t threshold;
};

uint64_t
sort_footprint(const struct host *h)
{
	return 8 * (uint64_t)host_integer(h, "N");
}

void *
sort_prepare(struct host *h)
{
	const int64_t n = host_integer(h, "N"), threshold = host_integer(h, "THRESHOLD");
	if (n > BUBBLE_MAX && threshold > BUBBLE_MAX)
		host_fail(h, WCP_EUSAGE, "%s: THRESHOLD above %d: bubble sort of so many keys",
		    host_subject(h), BUBBLE_MAX);
	return NULL;
}

static int
ascending(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

void
sort_run(struct host *h, const char *kernel, int32_t *key, int32_t digit)
{
	const uint64_t n = (uint64_t)host_integer(h, "N");
	const struct sort s = {.key = host_input(h, "keys", key, 4 * n),
	    .spare = host_device(h, "spare", 4 * n),
	    .threshold = (int32_t)host_integer(h, "THRESHOLD")};
	const struct part p = {0, (int32_t)n, digit};
	const int32_t depth = 0;
	dynamic_launch(h, kernel, SHAPE(THREADS, THREADS), ARGUMENTS(&s, &p, &depth));
	host_download(h, s.key, 4 * n);
	if (!host_verifies(h))
		return;
	qsort(key, n, sizeof *key, ascending);
	host_expect_s32(h, "key", s.key, key, n);
}

#include <stdlib.h>
#include "dynamic.h"

WORKLOAD_PTX(join, "dynamic/join.ptx");

enum { STREAM_FIRST = 1, STREAM_SECOND };

static const char *const keys[] = {"uniform", "gaussian", NULL};

static const struct parameter parameter[] = {
    {"R", "tuples of the first relation", PARAMETER_INTEGER, 204800, 1, 1 << 27, NULL},
    {"S", "tuples of the second relation", PARAMETER_INTEGER, 204800, 1, 1 << 27, NULL},
    {"BUCKETS", "of keys", PARAMETER_INTEGER, 6724, 1, 1 << 24, NULL},
    {"WIDTH", "keys of a bucket", PARAMETER_INTEGER, 64, 1, 1 << 24, NULL},
    {"KEYS", "how keys are drawn", PARAMETER_CHOICE, 0, 0, 0, keys},
    {"SIGMA", "standard deviation of KEYS=gaussian, in buckets", PARAMETER_REAL, 24, 0, 1 << 24,
	NULL},
    {"ROOM", "pairs that there is room for at first", PARAMETER_INTEGER, 1 << 20, 1, 1 << 30, NULL},
    FORM_PARAMETERS(16, "tuples of a bucket above which they are a child kernel's"),
    {NULL},
};

struct tuple {
	int32_t key, value;
};

struct task {
	struct tuple *first, *second; /* by key */
	uint64_t pairs;
};

/* The kernels' struct join. */
struct join {
	uint64_t first_key, first_value, second_key, second_value, pair, pairs;
	int32_t firsts, seconds, buckets, keys;
	uint32_t room;
};

static uint64_t
footprint(const struct host *h)
{
	return 8 * (uint64_t)(host_integer(h, "R") + host_integer(h, "S") +
			      host_integer(h, "ROOM")) +
	       5;
}

/* About 0, standard deviation 1: a sum of twelve, which is the same on every machine. */
static double
bell(uint64_t seed, uint64_t n)
{
	double sum = -6;
	for (uint64_t k = 0; k < 12; k++)
		sum += random_unit(seed, 12 * n + k);
	return sum;
}

static int
by_key(const void *a, const void *b)
{
	const struct tuple *x = a, *y = b;
	int order = (x->key > y->key) - (x->key < y->key);
	return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* A tuple's value is its number before they were sorted. */
static struct tuple *
draw(struct host *h, uint64_t tuples, uint64_t stream)
{
	const uint64_t seed = random_at(host_seed(h), stream);
	const int64_t buckets = host_integer(h, "BUCKETS"), width = host_integer(h, "WIDTH");
	const bool gaussian = host_chosen(h, "KEYS", "gaussian");
	const double sigma = host_real(h, "SIGMA") * (double)width,
		     last = (double)(buckets * width - 1);
	struct tuple *t = host_memory(h, tuples, sizeof *t);
	for (uint64_t k = 0; t && k < tuples; k++) {
		double key =
		    gaussian ? last / 2 + sigma * bell(seed, k) : (last + 1) * random_unit(seed, k);
		t[k] = (struct tuple){(int32_t)(key < 0 ? 0 : key > last ? last : key), (int32_t)k};
	}
	if (t)
		qsort(t, tuples, sizeof *t, by_key);
	return t;
}

/* Every pair of equal keys, told to pair; returns how many. */
static uint64_t
merge(const struct host *h, const struct task *t, uint64_t *pair)
{
	const uint64_t r = (uint64_t)host_integer(h, "R"), s = (uint64_t)host_integer(h, "S");
	uint64_t pairs = 0;
	for (uint64_t a = 0, b = 0, end = 0; a < r; a++) {
		const int32_t key = t->first[a].key;
		for (; b < s && t->second[b].key < key; b++)
			;
		for (end = end < b ? b : end; end < s && t->second[end].key == key; end++)
			;
		for (uint64_t k = b; pair && k < end; k++)
			pair[pairs + k - b] = (uint64_t)(uint32_t)t->second[k].value << 32 |
					      (uint32_t)t->first[a].value;
		pairs += end - b;
	}
	return pairs;
}

static void *
prepare(struct host *h)
{
	struct task *t = host_memory(h, 1, sizeof *t);
	if (host_integer(h, "BUCKETS") * host_integer(h, "WIDTH") >= INT32_MAX)
		host_fail(h, WCP_EUSAGE, "join: BUCKETS times WIDTH is not below 2^31 - 1");
	if (host_failed(h))
		return NULL;
	t->first = draw(h, (uint64_t)host_integer(h, "R"), STREAM_FIRST);
	t->second = draw(h, (uint64_t)host_integer(h, "S"), STREAM_SECOND);
	if (host_failed(h))
		return NULL;
	t->pairs = merge(h, t, NULL);
	if (t->pairs > 1 << 30)
		host_fail(h, WCP_EUSAGE, "join: %.3g pairs are more than 2^30", (double)t->pairs);
	return t;
}

static void
upload(
    struct host *h, const char *label[2], const struct tuple *tuple, int32_t tuples, uint64_t to[2])
{
	const uint64_t n = (uint64_t)tuples;
	int32_t *column = host_memory(h, n, sizeof *column);
	if (!column)
		return;
	for (uint64_t k = 0; k < n; k++)
		column[k] = tuple[k].key;
	to[0] = host_input(h, label[0], column, 4 * n);
	for (uint64_t k = 0; k < n; k++)
		column[k] = tuple[k].value;
	to[1] = host_input(h, label[1], column, 4 * n);
}

static int
ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Pairs come in any order. */
static void
verify(struct host *h, const struct join *j, uint64_t *got)
{
	const struct task *t = host_prepared(h);
	const int32_t pairs = (int32_t)t->pairs;
	uint64_t *wanted = host_memory(h, t->pairs + 1, sizeof *wanted);
	if (!wanted)
		return;
	merge(h, t, wanted);
	host_expect_s32(h, "pairs", j->pairs, &pairs, 1);
	qsort(wanted, t->pairs, sizeof *wanted, ascending);
	qsort(got, t->pairs, sizeof *got, ascending);
	host_same_s32(h, "pair", (const int32_t *)got, (const int32_t *)wanted, 2 * t->pairs);
}

/* Again with more room, if there was too little. */
static void
join(struct host *h, struct join *j)
{
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	const uint64_t flag = host_device(h, "more", 1);
	j->room = (uint32_t)host_integer(h, "ROOM");
	for (uint8_t more = 1; more && !host_failed(h);) {
		j->pair = host_device(h, "pair", 8 * (uint64_t)j->room);
		host_set(h, j->pairs, 0, 4);
		dynamic_launch(h, "join_buckets", SHAPE(j->buckets, 128), ARGUMENTS(j, &threshold));
		host_launch(h, "join_barrier", SHAPE(1, 32), ARGUMENTS(j, &flag));
		host_read(h, &more, flag, 1);
		if (more)
			host_read(h, &j->room, j->pairs, 4);
	}
}

static void
run(struct host *h)
{
	const struct task *t = host_prepared(h);
	struct join j = {.firsts = (int32_t)host_integer(h, "R"),
	    .seconds = (int32_t)host_integer(h, "S"),
	    .buckets = (int32_t)host_integer(h, "BUCKETS"),
	    .keys = (int32_t)host_integer(h, "WIDTH")};
	uint64_t first[2] = {0}, second[2] = {0};
	upload(h, (const char *[]){"first keys", "first values"}, t->first, j.firsts, first);
	upload(h, (const char *[]){"second keys", "second values"}, t->second, j.seconds, second);
	j.first_key = first[0], j.first_value = first[1];
	j.second_key = second[0], j.second_value = second[1];
	j.pairs = host_device(h, "pairs", 4);
	join(h, &j);
	uint64_t *got = host_memory(h, t->pairs + 1, sizeof *got);
	host_read(h, got, j.pair, 8 * t->pairs);
	if (host_verifies(h))
		verify(h, &j, got);
}

const struct workload workload_join = {
    .name = "join",
    .summary = "inner join of sorted relations, child kernels for buckets of many tuples",
    .origin = "Tang, relational join (JOIN); Diamos et al., PPoPP 2013",
    .parameter = parameter,
    .small = "R=3000 S=2000 BUCKETS=100 ROOM=700 KEYS=gaussian SIGMA=9",
    .paper = "R=204800 S=204800",
    .footprint = "8 R + 8 S + 8 ROOM + 5",
    .check = "equal, in any order",
    .ptx = join_ptx,
    .ptx_end = join_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

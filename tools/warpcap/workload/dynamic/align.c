#include "dynamic.h"
#include "workload/input/genome.h"

WORKLOAD_PTX(align, "dynamic/align.ptx");

static const struct parameter parameter[] = {
    {"BASES", "of the genome", PARAMETER_INTEGER, 1 << 20, 1, 1 << 29, NULL},
    {"READS", "reads to align", PARAMETER_INTEGER, 16384, 1, 1 << 24, NULL},
    {"LENGTH", "bases of a read", PARAMETER_INTEGER, 64, 1, 64, NULL},
    {"RATE", "of wrong bases in reads", PARAMETER_REAL, 0.02, 0, 1, NULL},
    {"SEED", "bases of a seed", PARAMETER_INTEGER, 11, 1, 14, NULL},
    {"ERRORS", "edits up to which a place is one of the read's", PARAMETER_INTEGER, 4, 0, 64, NULL},
    {"SECTION", "reads of a parent thread", PARAMETER_INTEGER, 8, 1, 1 << 24, NULL},
    {"FILE", "FASTA file with the genome instead", PARAMETER_FILE, 0, 0, 0, NULL},
    FORM_PARAMETERS(256, "candidates of a read above which they are a child kernel's"),
    {NULL},
};

struct task {
	struct genome genome;
	struct reads reads;
	int32_t *first, *place; /* [4^SEED + 1], [first[4^SEED]]: where each seed is */
};

/* The kernels' struct align. */
struct align {
	uint64_t genome, read, first, place, best, hits;
	int32_t bases, reads, length, section, seed, errors;
};

static uint64_t
footprint(const struct host *h)
{
	return 5 * (uint64_t)host_integer(h, "BASES") +
	       (uint64_t)host_integer(h, "READS") * (uint64_t)(host_integer(h, "LENGTH") + 12) +
	       ((uint64_t)4 << 2 * host_integer(h, "SEED")) + 4;
}

static uint64_t
seeds(const struct host *h)
{
	return (uint64_t)1 << 2 * host_integer(h, "SEED");
}

/* Calls for every place whose seed has no unknown base: counts it, or puts it where it belongs. */
static void
scan(const struct host *h, struct task *t, bool put)
{
	const uint64_t mask = seeds(h) - 1;
	const uint32_t length = (uint32_t)host_integer(h, "SEED");
	uint64_t seed = 0;
	uint32_t known = 0; /* bases, in a row, up to here */
	for (uint32_t at = 0; at < t->genome.bases; at++) {
		const uint8_t base = t->genome.base[at];
		known = base < 4 ? known + 1 : 0;
		seed = (seed << 2 | (base & 3)) & mask;
		if (known < length)
			continue;
		if (put)
			t->place[t->first[seed]++] = (int32_t)(at + 1 - length);
		else
			t->first[seed + 1]++;
	}
}

static void
make_index(struct host *h, struct task *t)
{
	const uint64_t n = seeds(h);
	t->first = host_memory(h, n + 1, sizeof *t->first);
	t->place = host_memory(h, t->genome.bases, sizeof *t->place);
	if (host_failed(h))
		return;
	scan(h, t, false);
	for (uint64_t s = 0; s < n; s++)
		t->first[s + 1] += t->first[s];
	scan(h, t, true);
	for (uint64_t s = n; s > 0; s--)
		t->first[s] = t->first[s - 1];
	t->first[0] = 0;
}

static void
refuse(struct host *h)
{
	const int64_t length = host_integer(h, "LENGTH");
	if (host_integer(h, "SEED") > length)
		host_fail(h, WCP_EUSAGE, "align: SEED is above LENGTH");
	else if (host_integer(h, "ERRORS") >= length)
		host_fail(h, WCP_EUSAGE, "align: ERRORS is not below LENGTH");
	else if (host_integer(h, "READS") * length >= 1 << 30)
		host_fail(h, WCP_EUSAGE, "align: READS times LENGTH is not below 2^30");
}

static void *
prepare(struct host *h)
{
	const char *path = host_file(h, "FILE");
	struct task *t = host_memory(h, 1, sizeof *t);
	refuse(h);
	if (host_failed(h))
		return NULL;
	if (path)
		genome_load(h, &t->genome, path);
	else
		genome_draw(h, &t->genome, (uint32_t)host_integer(h, "BASES"));
	const uint32_t length = (uint32_t)host_integer(h, "LENGTH");
	if (!host_failed(h) && t->genome.bases < length) {
		if (path)
			host_fail_at(
			    h, path, 0, "fewer bases (%u) than a read has", t->genome.bases);
		else
			host_fail(h, WCP_EUSAGE, "align: BASES is below LENGTH");
	}
	if (host_failed(h))
		return NULL;
	genome_reads(h, &t->reads, &t->genome, (uint32_t)host_integer(h, "READS"), length,
	    host_real(h, "RATE"));
	make_index(h, t);
	return t;
}

/* Sellers, J. Algorithms 1 (1980): row by row, the whole table. */
static int32_t
distance(const uint8_t *read, int32_t length, const uint8_t *text, int64_t n)
{
	int32_t row[2][3 * 64 + 1] = {{0}}, least = length;
	for (int32_t i = 1; i <= length; i++) {
		int32_t *above = row[(i - 1) & 1], *here = row[i & 1];
		here[0] = i;
		for (int64_t k = 1; k <= n; k++) {
			int32_t same = read[i - 1] == text[k - 1] && read[i - 1] < 4;
			int32_t d = above[k - 1] + !same;
			d = above[k] + 1 < d ? above[k] + 1 : d;
			here[k] = here[k - 1] + 1 < d ? here[k - 1] + 1 : d;
		}
	}
	for (int64_t k = 0; k <= n; k++)
		least = row[length & 1][k] < least ? row[length & 1][k] : least;
	return least;
}

/* The seed at a read's bases, or none. */
static bool
seed_of(const uint8_t *base, int32_t length, uint64_t *seed)
{
	*seed = 0;
	for (int32_t k = 0; k < length; k++) {
		if (base[k] > 3)
			return false;
		*seed = *seed << 2 | base[k];
	}
	return true;
}

static void
align_seed(const struct task *t, const struct align *a, int32_t read, int32_t k, uint64_t *best,
    int32_t *hits)
{
	const uint8_t *base = t->reads.base + (int64_t)read * a->length;
	uint64_t seed;
	if (!seed_of(base + k, a->seed, &seed))
		return;
	for (int32_t n = t->first[seed]; n < t->first[seed + 1]; n++) {
		int64_t begin = (int64_t)t->place[n] - k, from = begin - a->errors,
			to = begin + a->length + a->errors;
		from = from < 0 ? 0 : from;
		to = to > a->bases ? a->bases : to;
		int32_t d = distance(base, a->length, t->genome.base + from, to - from);
		if (d > a->errors)
			continue;
		uint64_t found = (uint64_t)d << 32 | (uint32_t)begin;
		*best = found < *best ? found : *best;
		++*hits;
	}
}

static void
verify(struct host *h, const struct task *t, const struct align *a)
{
	const uint64_t n = t->reads.reads;
	uint64_t *best = host_memory(h, n, sizeof *best);
	int32_t *hits = host_memory(h, n, sizeof *hits);
	if (host_failed(h))
		return;
	for (int32_t read = 0; read < a->reads; read++) {
		best[read] = UINT64_MAX;
		for (int32_t k = 0; k + a->seed <= a->length; k += a->seed)
			align_seed(t, a, read, k, &best[read], &hits[read]);
	}
	host_expect_s32(h, "best", a->best, (const int32_t *)best, 2 * n);
	host_expect_s32(h, "hits", a->hits, hits, n);
}

static void
run(struct host *h)
{
	const struct task *t = host_prepared(h);
	const uint64_t n = t->reads.reads, places = (uint64_t)t->first[seeds(h)];
	const int32_t threshold = (int32_t)host_integer(h, "THRESHOLD");
	struct align a = {.genome = host_input(h, "genome", t->genome.base, t->genome.bases),
	    .read = host_input(h, "reads", t->reads.base, n * t->reads.length),
	    .first = host_input(h, "first", t->first, 4 * (seeds(h) + 1)),
	    .place = host_input(h, "place", t->place, 4 * (places ? places : 1)),
	    .best = host_device(h, "best", 8 * n),
	    .hits = host_device(h, "hits", 4 * n),
	    .bases = (int32_t)t->genome.bases,
	    .reads = (int32_t)n,
	    .length = (int32_t)t->reads.length,
	    .section = (int32_t)host_integer(h, "SECTION"),
	    .seed = (int32_t)host_integer(h, "SEED"),
	    .errors = (int32_t)host_integer(h, "ERRORS")};
	host_set(h, a.best, 0xff, 8 * n);
	const int64_t parents = (a.reads + a.section - 1) / a.section;
	dynamic_launch(h, "align_sections", SHAPE(parents, 64), ARGUMENTS(&a, &threshold));
	host_download(h, a.best, 8 * n);
	host_download(h, a.hits, 4 * n);
	if (host_verifies(h))
		verify(h, t, &a);
}

const struct workload workload_align = {
    .name = "align",
    .summary = "reads aligned with a genome, child kernels for reads of many candidates",
    .origin = "Tang, Sequence Alignment (SA); Cheng et al., BitMapper, BMC Bioinformatics 2015",
    .parameter = parameter,
    .small = "BASES=9000 READS=60 SEED=5 THRESHOLD=110",
    .paper = "BASES=119146348 READS=16384 SEED=12",
    .footprint = "about 5 BASES + READS (LENGTH + 12) + 4 4^SEED + 4",
    .check = "equal",
    .ptx = align_ptx,
    .ptx_end = align_ptx_end,
    .footprint_bytes = footprint,
    .prepare = prepare,
    .run = run,
};

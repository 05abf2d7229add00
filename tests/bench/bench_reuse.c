/*
 * Speed of reuse distances, exact and sampled, in millions of references a second of one core's
 * time. A line each: name value unit floor comparison-name comparison-value.
 */
#include <math.h>
#include <time.h>
#include "reuse_naive.h"
#include "warpcap/reuse.h"

enum { CHUNK = 1 << 20, WARPS = 1024 };

/*
 * uniform: any line of the set. loop: all in turn. kernel: a thousand warps take turns; each walks
 * its tile, goes back over it three times, gathers from a table where few lines are hot, and now
 * and then reads what another warp wrote.
 */
enum kind { UNIFORM, LOOP, KERNEL };

struct source {
	enum kind kind;
	uint64_t lines, n, random;
	uint32_t step[WARPS];
};

static uint64_t
kernel_line(struct source *s)
{
	uint64_t r = naive_random(&s->random), tile = s->lines / 2 / WARPS,
		 table = s->lines - tile * WARPS;
	uint64_t warp = (s->n / 4 + (r & 7)) % WARPS, step = s->step[warp]++;
	unsigned what = r >> 8 & 15;
	uint64_t walk = (step / (4 * 64) * 64 + step % 64) % tile;
	if (what < 10)
		return warp * tile + walk;
	if (what < 11)
		return (warp + 1) % WARPS * tile + walk;
	double u = (double)(r >> 12) / 4503599627370496.0;
	return tile * WARPS + (uint64_t)((double)table * u * u * u);
}

static void
fill(struct source *s, uint64_t *line, size_t n)
{
	for (size_t i = 0; i < n; i++, s->n++) {
		switch (s->kind) {
		case UNIFORM: line[i] = naive_random(&s->random) % s->lines; break;
		case LOOP: line[i] = s->n % s->lines; break;
		case KERNEL: line[i] = kernel_line(s); break;
		}
	}
}

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct buffers {
	uint64_t line[CHUNK];
	uint32_t distance[CHUNK];
};

/* Seconds for n references; *bytes_per_line may be NULL. */
static double
time_exact(struct buffers *b, enum kind kind, uint64_t lines, uint64_t n, double *bytes_per_line)
{
	struct source source = {.kind = kind, .lines = lines, .random = 1};
	struct wcp_error e;
	struct wcp_reuse *r = wcp_reuse_new(&e);
	double seconds = 0;
	for (uint64_t i = 0; i < n; i += CHUNK) {
		size_t some = n - i < CHUNK ? n - i : CHUNK;
		fill(&source, b->line, some);
		double start = cpu_seconds();
		if (!r || wcp_reuse_batch(r, b->line, some, b->distance, &e) < 0)
			exit(4);
		seconds += cpu_seconds() - start;
	}
	if (bytes_per_line)
		*bytes_per_line = (double)wcp_reuse_bytes(r) / (double)wcp_reuse_lines(r);
	wcp_reuse_free(r);
	return seconds;
}

static double
time_naive(struct buffers *b, enum kind kind, uint64_t lines, uint32_t n)
{
	struct source source = {.kind = kind, .lines = lines, .random = 1};
	struct naive_tree tree;
	naive_tree_init(&tree, n, 23);
	double seconds = 0;
	for (uint32_t i = 0; i < n; i += CHUNK) {
		size_t some = n - i < CHUNK ? n - i : CHUNK;
		fill(&source, b->line, some);
		double start = cpu_seconds();
		for (size_t k = 0; k < some; k++)
			b->distance[k] = naive_tree_touch(&tree, b->line[k]);
		seconds += cpu_seconds() - start;
	}
	naive_tree_release(&tree);
	return seconds;
}

static double
time_sampled(struct buffers *b, const struct wcp_shards_options *o, uint64_t lines, uint64_t n)
{
	struct source source = {.kind = KERNEL, .lines = lines, .random = 1};
	struct wcp_error e;
	struct wcp_shards *s = wcp_shards_new(o, &e);
	double seconds = 0;
	for (uint64_t i = 0; i < n; i += CHUNK) {
		fill(&source, b->line, CHUNK);
		double start = cpu_seconds();
		if (!s || wcp_shards_batch(s, b->line, CHUNK, &e) < 0)
			exit(4);
		seconds += cpu_seconds() - start;
	}
	wcp_shards_free(s);
	return seconds;
}

static void
bench_exact(struct buffers *b)
{
	static const struct {
		const char *name;
		enum kind kind;
		uint64_t lines;
	} c[] = {
	    {"reuse-kernel-100k-lines", KERNEL, 100000},
	    {"reuse-kernel-4M-lines", KERNEL, 4000000},
	    {"reuse-uniform-4M-lines", UNIFORM, 4000000},
	    {"reuse-loop-4M-lines", LOOP, 4000000},
	};
	const uint32_t n = 40u << 20, naive = 6u << 20;
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		double bytes;
		double mine = n / time_exact(b, c[i].kind, c[i].lines, n, &bytes) / 1e6;
		double other = naive / time_naive(b, c[i].kind, c[i].lines, naive) / 1e6;
		printf("%s %.1f M/s 10 fenwick-tree %.2f\n", c[i].name, mine, other);
		printf("%s-memory %.1f B/line 40 fenwick-tree-per-access 4\n", c[i].name, bytes);
		fflush(stdout);
	}
}

/* Time a reference at 10^7 and 10^8 against that at 10^6: 1 is linear. */
static void
bench_growth(struct buffers *b)
{
	double base = 0;
	for (int power = 6; power <= 8; power++) {
		double n = pow(10, power);
		double each = time_exact(b, KERNEL, 200000, (uint64_t)n, NULL) / n;
		base = power == 6 ? each : base;
		printf(
		    "reuse-growth-1e%d %.3f ratio 1.2 M/s %.1f\n", power, each / base, 1e-6 / each);
		fflush(stdout);
	}
}

static void
bench_sampled(struct buffers *b)
{
	const uint64_t n = 80u << 20;
	const struct wcp_shards_options fixed = {.rate = 0.01, .seed = 1};
	const struct wcp_shards_options bound = {.rate = 1, .max_lines = 8192, .seed = 1};
	double exact = 1e7 / time_exact(b, KERNEL, 1000000, 10000000, NULL) / 1e6;
	printf("reuse-sampled-rate-0.01 %.0f M/s 150 exact %.1f\n",
	    (double)n / time_sampled(b, &fixed, 1000000, n) / 1e6, exact);
	printf("reuse-sampled-8192-lines %.0f M/s 150 exact %.1f\n",
	    (double)n / time_sampled(b, &bound, 1000000, n) / 1e6, exact);
}

int
main(void)
{
	struct buffers *b = naive_alloc(1, sizeof *b);
	bench_exact(b);
	bench_growth(b);
	bench_sampled(b);
	free(b);
	return 0;
}

/*
 * Speed of the non-blocking cache in millions of accesses a second of one core's time, beside the
 * readable one: an access a cycle, retried while it is refused, a message a cycle off the queue, a
 * line 200 cycles later. Cycles in which nothing happens are skipped by both. Then the same played
 * alone, from arrays. A line each: name value unit floor comparison-name comparison-value.
 */
#include <stdio.h>
#include <time.h>
#include "nbcache_naive.h"
#include "warpcap/nbplay.h"

enum { N = 1 << 19, ROUNDS = 8, LATENCY = 200, FLYING = 1 << 12 };

struct flight {
	uint64_t due, line;
};

struct run {
	struct wcp_nbcache *model; /* or */
	struct naive_nb *naive;
	struct flight flight[FLYING];
	uint32_t first, n;
	uint64_t cycle, answered;
};

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 48 warps take turns: each walks lines of its own, goes back over the last few, and gathers now
 * and then. */
static void
make_accesses(uint64_t *line, uint8_t *kind, uint32_t gather_share)
{
	for (uint32_t i = 0; i < N; i++) {
		uint64_t r = naive_random(1, i), warp = i % 48, step = i / 48;
		uint64_t walk = warp * 1031 + step / 16 + (r & 1);
		uint64_t gather = 1 << 18 | (r >> 16 & 0xffff);
		line[i] = 0x200000000000 + 128 * ((r >> 8) % 64 >= gather_share ? walk : gather);
		kind[i] = (r >> 40 & 15) ? WCP_LOAD : WCP_STORE;
	}
}

static void
come(struct run *r)
{
	uint32_t handle[64];
	uint8_t bits;
	struct wcp_nb_victim v;
	const struct flight *f = &r->flight[r->first % FLYING];
	if (!r->n || f->due > r->cycle)
		return;
	if (r->model) {
		wcp_nbcache_fill(r->model, f->line, 0, r->cycle, NULL, NULL);
		r->answered += wcp_nbcache_answers(r->model, handle, 64);
	} else {
		naive_nb_fill(r->naive, f->line, 0, r->cycle, &bits, &v);
		r->answered += naive_nb_answers(r->naive, handle, 64);
	}
	r->first++;
	r->n--;
}

/* A cycle's first half; true if a message left. */
static bool
move(struct run *r)
{
	struct wcp_nb_message m;
	bool left = r->model ? wcp_nbcache_pop(r->model, &m) : naive_nb_pop(r->naive, &m);
	if (left && m.type == WCP_NB_FETCH)
		r->flight[(r->first + r->n++) % FLYING] =
		    (struct flight){r->cycle + LATENCY, m.line};
	come(r);
	return left;
}

static void
play(struct run *r, const uint64_t *line, const uint8_t *kind)
{
	struct wcp_nb_result result;
	for (uint32_t i = 0; i < N; i++) {
		struct wcp_nb_access a = {
		    .line = line[i], .handle = i, .kind = kind[i], .space = WCP_SPACE_GLOBAL};
		bool left = move(r);
		while ((r->model ? wcp_nbcache_access(r->model, &a, &result)
				 : naive_nb_access(r->naive, &a, &result)) > 0) {
			a.again = true;
			uint64_t due = r->n ? r->flight[r->first % FLYING].due : 0;
			r->cycle = !left && due > r->cycle ? due : r->cycle + 1;
			left = move(r);
		}
		r->cycle++;
	}
}

static double
speed(const struct wcp_nb_options *o, bool naive, const uint64_t *line, const uint8_t *kind)
{
	double best = 0;
	for (int round = 0; round < (naive ? 2 : ROUNDS); round++) {
		struct naive_nb slow = naive_nb_new(o);
		struct run r = {.model = naive ? NULL : wcp_nbcache_new(o, NULL), .naive = &slow};
		double start = cpu_seconds();
		play(&r, line, kind);
		double rate = N / (cpu_seconds() - start) / 1e6;
		best = rate > best && r.answered ? rate : best;
		wcp_nbcache_free(r.model);
		naive_nb_free(&slow);
	}
	return best;
}

static double
speed_played(const struct wcp_nb_options *o, const uint64_t *line, const uint8_t *kind)
{
	static uint64_t due[N], cycle[N];
	static uint8_t sort[N], result[N];
	double best = 0;
	for (uint32_t i = 0; i < N; i++) {
		due[i] = i;
		sort[i] = wcp_nbplay_sort(kind[i], WCP_SPACE_GLOBAL, 0);
	}
	for (int round = 0; round < ROUNDS; round++) {
		struct wcp_nbcache *c = wcp_nbcache_new(o, NULL);
		struct wcp_nbplay *p = wcp_nbplay_new(c, LATENCY);
		double start = cpu_seconds();
		int status = wcp_nbplay_run(p, &(struct wcp_nbplay_batch){N, due, line, NULL, sort,
						   WCP_NB_LOOKUP, cycle, result});
		double rate = N / (cpu_seconds() - start) / 1e6;
		best = rate > best && !status ? rate : best;
		wcp_nbplay_free(p);
		wcp_nbcache_free(c);
	}
	return best;
}

int
main(void)
{
	static uint64_t line[N];
	static uint8_t kind[N];
	static const struct {
		const char *name, *floor;
		uint32_t gathers; /* of 64 */
		uint64_t sets;
		uint32_t ways, entries, merges, queue;
		enum wcp_nb_allocate allocate;
	} shape[] = {
	    {"nbcache_mostly_hits", "15", 1, 64, 8, 32, 8, 8, WCP_NB_ON_MISS},
	    {"nbcache_mixed", "15", 16, 32, 4, 64, 8, 8, WCP_NB_ON_MISS},
	    {"nbcache_mixed_on_fill", "15", 16, 32, 4, 64, 8, 8, WCP_NB_ON_FILL},
	    {"nbcache_all_miss", "15", 64, 32, 4, 32, 8, 8, WCP_NB_ON_MISS},
	};
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		struct wcp_nb_options o = {
		    .index = {.kind = WCP_INDEX_XOR, .sets = shape[i].sets, .line_bytes = 128},
		    .ways = shape[i].ways,
		    .local_write = WCP_WRITE_BACK,
		    .allocate = shape[i].allocate,
		    .mshr_entries = shape[i].entries,
		    .mshr_merges = shape[i].merges,
		    .miss_queue = shape[i].queue,
		    .worst_case_room = true};
		make_accesses(line, kind, shape[i].gathers);
		double naive = speed(&o, true, line, kind);
		printf("%s %.1f M/s %s naive %.1f\n", shape[i].name, speed(&o, false, line, kind),
		    shape[i].floor, naive);
		printf("%s_played %.1f M/s %s naive %.1f\n", shape[i].name,
		    speed_played(&o, line, kind), shape[i].floor, naive);
	}
	return 0;
}

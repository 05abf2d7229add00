#include <stdlib.h>
#include <string.h>
#include "model/reuse_stack.h"

/* Positions a line, when compaction has just been: more of them compact less often and cost cache.
 */
enum { FIRST_BLOCKS = 2, BLOCK_SLACK = 8 };

static bool
make_positions(struct wcp_reuse *r, uint64_t lines)
{
	uint64_t blocks = FIRST_BLOCKS + lines * BLOCK_SLACK / RANK_BLOCK_MARKS;
	uint64_t most = (1ull << 31) >> RANK_BLOCK_SHIFT;
	if (blocks > most)
		blocks = most;
	if (!reuse_rank_init(&r->rank, (uint32_t)blocks))
		return false;
	reuse_rank_fill(&r->rank, (uint32_t)lines);
	r->now = reuse_rank_position((uint32_t)lines + 1);
	r->end = (uint32_t)(blocks << RANK_BLOCK_SHIFT);
	return true;
}

struct wcp_reuse *
wcp_reuse_new(struct wcp_error *e)
{
	struct wcp_reuse *r = calloc(1, sizeof *r);
	if (r && reuse_table_init(&r->table) && make_positions(r, 0))
		return r;
	wcp_reuse_free(r);
	wcp_fail_errno(e, "no memory for a reuse stack");
	return NULL;
}

void
wcp_reuse_free(struct wcp_reuse *r)
{
	if (!r)
		return;
	reuse_table_release(&r->table);
	reuse_rank_release(&r->rank);
	free(r);
}

uint64_t
wcp_reuse_lines(const struct wcp_reuse *r)
{
	return r->table.lines;
}

size_t
wcp_reuse_bytes(const struct wcp_reuse *r)
{
	return sizeof *r + reuse_table_bytes(&r->table) + r->rank.bytes;
}

void
wcp_reuse_stack(const struct wcp_reuse *r, uint64_t *line)
{
	for (uint64_t b = 0; b <= r->table.mask; b++) {
		const struct reuse_bucket *p = &r->table.bucket[b];
		for (unsigned i = 0; i < p->used; i++)
			line[reuse_rank_of(&r->rank, p->value[i]) - 1] = p->key[i];
	}
}

/* A line's new position follows from its rank. */
static bool
compact(struct wcp_reuse *r)
{
	enum { AHEAD = 8 };
	uint64_t mask = r->table.mask;
	for (uint64_t b = 0; b <= mask; b++) {
		struct reuse_bucket *p = &r->table.bucket[b];
		const struct reuse_bucket *next = &r->table.bucket[(b + AHEAD) & mask];
		for (unsigned i = 0; i < TABLE_SLOTS; i++)
			__builtin_prefetch(r->rank.block[next->value[i] >> RANK_BLOCK_SHIFT]);
		for (unsigned i = 0; i < p->used; i++)
			p->value[i] = reuse_rank_position(reuse_rank_of(&r->rank, p->value[i]));
	}
	reuse_rank_release(&r->rank);
	return make_positions(r, r->table.lines);
}

typedef int32_t i32x8 __attribute__((vector_size(32)));

/*
 * distance[i] += how many j < i have prev[j] < prev[i]: the lines that the batch itself brought
 * above prev[i]. Rows of eight at once; only the row's own square needs masks.
 */
static inline __attribute__((always_inline)) void
count_within(const int32_t prev[REUSE_BATCH], unsigned n, int32_t distance[REUSE_BATCH])
{
	const i32x8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
	for (unsigned row = 0; row < n; row += 8) {
		i32x8 mine = *(const i32x8 *)(prev + row);
		i32x8 sum = *(i32x8 *)(distance + row);
		for (unsigned j = 0; j < row; j++)
			sum -= (i32x8)(prev[j] - (i32x8){0} < mine);
		for (int j = 0; j < 8; j++)
			sum -= (i32x8)(prev[row + (unsigned)j] - (i32x8){0} < mine) & (lane > j);
		*(i32x8 *)(distance + row) = sum;
	}
}

/* Looks n lines up and gives them positions from now on; prev 0 is a first reference. */
static inline __attribute__((always_inline)) void
look_up(struct wcp_reuse *r, const uint64_t *line, unsigned n, int32_t prev[REUSE_BATCH])
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t *position = reuse_table_find(&r->table, line[i]);
		prev[i] = (int32_t)*position;
		*position = r->now + i;
		reuse_rank_prefetch(&r->rank, (uint32_t)prev[i] & -((uint32_t)prev[i] < r->now));
	}
}

/* Takes the marks of earlier references away and sets those of the batch. */
static inline __attribute__((always_inline)) void
move_marks(struct wcp_reuse *r, unsigned n, const int32_t prev[REUSE_BATCH])
{
	uint32_t old[REUSE_BATCH];
	unsigned olds = 0;
	uint64_t marks = n < 64 ? (1ull << n) - 1 : ~0ull;
	for (unsigned i = 0; i < n; i++) {
		uint32_t p = (uint32_t)prev[i];
		uint64_t within = p >= r->now;
		marks &= ~(within << ((p - r->now) & 63));
		old[olds] = p;
		olds += p && !within;
	}
	for (unsigned i = 0; i < olds; i++)
		reuse_rank_clear(&r->rank, old[i]);
	reuse_rank_set_word(&r->rank, r->now, marks << (r->now & 63));
}

/*
 * n references that fit in one word of positions. With the state frozen at their start, a
 * reference's distance is the marks after its earlier one plus the lines that the batch moved up
 * from below it.
 */
static inline __attribute__((always_inline)) void
batch(struct wcp_reuse *r, const uint64_t *line, unsigned n, uint32_t *distance)
{
	int32_t prev[REUSE_BATCH] __attribute__((aligned(32)));
	int32_t above[REUSE_BATCH] __attribute__((aligned(32)));
	uint32_t lines = (uint32_t)r->table.lines;
	if (n < REUSE_BATCH) {
		memset(prev, 0, sizeof prev);
		memset(above, 0, sizeof above);
	}
	look_up(r, line, n, prev);
	for (unsigned i = 0; i < n; i++) {
		uint32_t p = (uint32_t)prev[i];
		/* a reference within the batch has its whole beginning below it, itself included */
		uint32_t within = p >= r->now ? p - r->now + 1 : 0;
		uint32_t rank = within ? lines : reuse_rank_of(&r->rank, p);
		above[i] = (int32_t)(lines - rank - within);
	}
	count_within(prev, n, above);
	for (unsigned i = 0; i < n; i++)
		distance[i] = prev[i] ? (uint32_t)above[i] : WCP_REUSE_COLD;
	move_marks(r, n, prev);
	r->now += n;
	if ((r->now >> 6 & 7) == 7)
		r->now += 64;
}

static inline __attribute__((always_inline)) void
prefetch_homes(const struct wcp_reuse *r, const uint64_t *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&r->table.bucket[reuse_table_home(&r->table, line[i])], 1);
}

static inline __attribute__((always_inline)) bool
run(struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance)
{
	prefetch_homes(r, line, n < REUSE_BATCH ? n : REUSE_BATCH);
	for (size_t i = 0; i < n;) {
		if (r->now >= r->end && !compact(r))
			return false;
		size_t some = REUSE_BATCH - (r->now & 63);
		if (some > n - i)
			some = n - i;
		if (!reuse_table_reserve(&r->table, some))
			return false;
		size_t ahead = n - i - some;
		prefetch_homes(r, line + i + some, ahead < REUSE_BATCH ? ahead : REUSE_BATCH);
		batch(r, line + i, (unsigned)some, distance + i);
		i += some;
	}
	return true;
}

static bool
run_plain(struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance)
{
	return run(r, line, n, distance);
}

#ifdef __x86_64__
__attribute__((target("avx2,popcnt,bmi,bmi2,lzcnt"))) static bool
run_avx2(struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance)
{
	return run(r, line, n, distance);
}

static bool
run_best(struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")
		   ? run_avx2(r, line, n, distance)
		   : run_plain(r, line, n, distance);
}
#else
#define run_best run_plain
#endif

int
wcp_reuse_batch(
    struct wcp_reuse *r, const uint64_t *line, size_t n, uint32_t *distance, struct wcp_error *e)
{
	if (r->table.lines + n > WCP_REUSE_MAX_LINES) {
		/* most of n will be known lines: count the new ones as they come */
		for (size_t i = 0; i < n && n > REUSE_BATCH; i += REUSE_BATCH) {
			size_t some = n - i < REUSE_BATCH ? n - i : REUSE_BATCH;
			int status = wcp_reuse_batch(r, line + i, some, distance + i, e);
			if (status < 0)
				return status;
		}
		if (n > REUSE_BATCH)
			return 0;
		if (r->table.lines + n > WCP_REUSE_MAX_LINES)
			return wcp_fail(
			    e, WCP_ESYS, "more than %u distinct lines", WCP_REUSE_MAX_LINES);
	}
	if (!run_best(r, line, n, distance))
		return wcp_fail_errno(
		    e, "no memory for %llu distinct lines", (unsigned long long)r->table.lines);
	return 0;
}

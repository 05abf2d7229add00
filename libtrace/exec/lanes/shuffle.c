/*
 * Lanes that talk to each other: shfl, vote, match, redux, elect, activemask. PTX ISA 9.0
 * sections 9.7.9.5 and 9.7.13. Only lanes of mask take part; where PTX leaves a value open (a
 * shuffle from a lane that does not take part) the register's content is read, so that runs repeat.
 */
#include "lanes.h"
#include "families.h"
#include "pick.h"

static inline const uint32_t *
words(char *file, uint32_t offset)
{
	return (const uint32_t *)(const void *)(file + offset);
}

/*
 * shfl d|p, a, b, c: b is the offset or lane, c holds clamp (bits 0-4) and segment mask (bits
 * 8-12). Where each lane reads is computed first, all lanes at once.
 */
#define SHUFFLE(name, source, valid)                                                           \
	static void name(LANE_ARGS)                                                            \
	{                                                                                      \
		uint32_t *d = lane_pred(file, in->d), a[WCP_LANES], inside = 0;                \
		const uint32_t *b = words(file, in->b), *c = words(file, in->c);               \
		int32_t from[WCP_LANES];                                                       \
		memcpy(a, file + in->a, sizeof a);                                             \
		EACH_LANE                                                                      \
		{                                                                              \
			int32_t lane = (int32_t)l, segment = c[l] >> 8 & 31, bval = b[l] & 31; \
			int32_t last = (lane & segment) | ((int32_t)(c[l] & 31) & ~segment);   \
			int32_t j = source;                                                    \
			inside |= (valid) ? lane_bit[l] : 0;                                   \
			from[l] = (valid) ? j & 31 : lane;                                     \
		}                                                                              \
		EACH_LANE                                                                      \
		{                                                                              \
			uint32_t r = a[from[l]];                                               \
			d[l] = mask & lane_bit[l] ? r : d[l];                                  \
		}                                                                              \
		if (in->d2)                                                                    \
			lane_put_pred(file, in->d2, mask, inside);                             \
	}
SHUFFLE(shfl_up, lane - bval, j >= last)
SHUFFLE(shfl_down, lane + bval, j <= last)
SHUFFLE(shfl_bfly, lane ^ bval, j <= last)
SHUFFLE(shfl_idx, (lane & segment) | (bval & ~segment), j <= last)

/* vote: among the active lanes, or with .sync (aux) those of them that b names */
static inline uint32_t
ballot(const struct insn *in, char *file)
{
	return *lane_pred(file, in->a) ^ (in->negate & 1 ? WCP_FULL_MASK : 0);
}
static void
vote_ballot(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d), votes = ballot(in, file) & mask;
	const uint32_t *member = words(file, in->b);
	uint32_t everyone = in->aux ? 0 : WCP_FULL_MASK;
	EACH_LANE d[l] = mask & lane_bit[l] ? votes & (member[l] | everyone) : d[l];
}
#define VOTE(name, test)                                                                          \
	static void name(LANE_ARGS)                                                               \
	{                                                                                         \
		uint32_t votes = ballot(in, file), everyone = in->aux ? 0 : WCP_FULL_MASK, r = 0; \
		const uint32_t *member = words(file, in->b);                                      \
		EACH_LANE                                                                         \
		{                                                                                 \
			uint32_t group = mask & (member[l] | everyone);                           \
			r |= (test) ? lane_bit[l] : 0;                                            \
		}                                                                                 \
		lane_put_pred(file, in->d, mask, r);                                              \
	}
VOTE(vote_all, (group & ~votes) == 0)
VOTE(vote_any, (group & votes) != 0)
VOTE(vote_uni, (group & ~votes) == 0 || (group & votes) == 0)

static int
finish_sync(const struct ptx_insn *in, const struct lane_match *m, struct lane_code *code,
    struct wcp_error *e)
{
	(void)m, (void)e;
	code->aux = ptx_has(in, "sync");
	return 0;
}

#define MATCH(width, T)                                                             \
	static inline uint32_t equals_##width(const T *a, T value, uint32_t group)  \
	{                                                                           \
		uint32_t same = 0;                                                  \
		for (unsigned k = 0; k < WCP_LANES; k++)                            \
			same |= a[k] == value ? lane_bit[k] : 0;                    \
		return same & group;                                                \
	}                                                                           \
	static void match_any_##width(LANE_ARGS)                                    \
	{                                                                           \
		T a[WCP_LANES];                                                     \
		uint32_t *d = lane_pred(file, in->d);                               \
		const uint32_t *group = words(file, in->b);                         \
		memcpy(a, file + in->a, sizeof a);                                  \
		for (unsigned l = 0; l < WCP_LANES; l++)                            \
			if (mask >> l & 1)                                          \
				d[l] = equals_##width(a, a[l], mask & group[l]);    \
	}                                                                           \
	static void match_all_##width(LANE_ARGS)                                    \
	{                                                                           \
		T a[WCP_LANES];                                                     \
		uint32_t *d = lane_pred(file, in->d), all = 0;                      \
		const uint32_t *member = words(file, in->b);                        \
		memcpy(a, file + in->a, sizeof a);                                  \
		for (unsigned l = 0; l < WCP_LANES; l++) {                          \
			uint32_t group = mask & member[l];                          \
			if (!(mask >> l & 1))                                       \
				continue;                                           \
			d[l] = equals_##width(a, a[l], group) == group ? group : 0; \
			all |= d[l] ? lane_bit[l] : 0;                              \
		}                                                                   \
		if (in->d2)                                                         \
			lane_put_pred(file, in->d2, mask, all);                     \
	}
MATCH(32, uint32_t)
MATCH(64, uint64_t)

/* redux: what op makes of all values of the group, once for the lanes in a row that name the same
 */
#define REDUX(name, T, start, expr)                                          \
	static void name(LANE_ARGS)                                          \
	{                                                                    \
		T a[WCP_LANES], *d = (T *)(void *)(file + in->d), r = start; \
		const uint32_t *member = words(file, in->b);                 \
		uint32_t group = 0;                                          \
		memcpy(a, file + in->a, sizeof a);                           \
		for (uint32_t left = mask; left; left &= left - 1) {         \
			const unsigned l = (unsigned)__builtin_ctz(left);    \
			if (group != (mask & member[l])) {                   \
				group = mask & member[l];                    \
				r = start;                                   \
				for (uint32_t m = group; m; m &= m - 1) {    \
					T x = a[__builtin_ctz(m)];           \
					r = (T)(expr);                       \
				}                                            \
			}                                                    \
			d[l] = r;                                            \
		}                                                            \
	}
REDUX(redux_add, uint32_t, 0, r + x)
REDUX(redux_min_u32, uint32_t, UINT32_MAX, x < r ? x : r)
REDUX(redux_max_u32, uint32_t, 0, x > r ? x : r)
REDUX(redux_min_s32, int32_t, INT32_MAX, x < r ? x : r)
REDUX(redux_max_s32, int32_t, INT32_MIN, x > r ? x : r)
REDUX(redux_and, uint32_t, UINT32_MAX, r &x)
REDUX(redux_or, uint32_t, 0, r | x)
REDUX(redux_xor, uint32_t, 0, r ^ x)
/* A NaN is where nothing is known yet: it loses. */
#define REDUX_F32(op, max, worst)                                                              \
	REDUX(redux_##op##_f32, uint32_t, 0x7fffffff, pick(x, r, max, false))                  \
	REDUX(redux_##op##_nan_f32, uint32_t, worst, pick(x, r, max, true))                    \
	REDUX(redux_##op##_abs_f32, uint32_t, 0x7fffffff, pick(x & 0x7fffffff, r, max, false)) \
	REDUX(redux_##op##_abs_nan_f32, uint32_t, worst, pick(x & 0x7fffffff, r, max, true))
REDUX_F32(min, false, 0x7f800000)
REDUX_F32(max, true, 0xff800000)

/* elect: the lowest lane of the group leads; d is its number. */
static void
elect(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d), leads = 0;
	const uint32_t *member = words(file, in->a);
	for (unsigned l = 0; l < WCP_LANES; l++) {
		uint32_t group = mask & member[l];
		if (!(mask >> l & 1))
			continue;
		d[l] = group ? (uint32_t)__builtin_ctz(group) : 0;
		leads |= d[l] == l ? lane_bit[l] : 0;
	}
	if (in->d2)
		lane_put_pred(file, in->d2, mask, leads);
}

static void
activemask(LANE_ARGS)
{
	uint32_t *d = lane_pred(file, in->d);
	EACH_LANE d[l] = mask & lane_bit[l] ? mask : d[l];
}

#define ROWS_SHUFFLE(mode)                                                   \
	ROW_ONE("shfl.sync." #mode ".b32", "t|:tiii", SHUFFLE, shfl_##mode), \
	    ROW_ONE("shfl." #mode ".b32", "t|:tii", SHUFFLE, shfl_##mode)
#define ROWS_VOTE(mode, type, args)                                                               \
	ROW_FINISH("vote.sync." #mode "." type, args "i", SHUFFLE, vote_##mode, finish_sync),     \
	    ROW_FINISH("vote." #mode ".sync." type, args "i", SHUFFLE, vote_##mode, finish_sync), \
	    ROW_FINISH("vote." #mode "." type, args, SHUFFLE, vote_##mode, finish_sync)
#define ROWS_REDUX_F32(op)                                                                \
	ROW_ONE("redux.sync." #op ".f32", "t:ti", SHUFFLE, redux_##op##_f32),             \
	    ROW_ONE("redux.sync." #op ".NaN.f32", "t:ti", SHUFFLE, redux_##op##_nan_f32), \
	    ROW_ONE("redux.sync." #op ".abs.f32", "t:ti", SHUFFLE, redux_##op##_abs_f32), \
	    ROW_ONE("redux.sync." #op ".abs.NaN.f32", "t:ti", SHUFFLE, redux_##op##_abs_nan_f32)

const struct lane_row LEVELED(lanes_shuffle)[] = {
    ROWS_SHUFFLE(idx),
    ROWS_SHUFFLE(up),
    ROWS_SHUFFLE(down),
    ROWS_SHUFFLE(bfly),
    ROWS_VOTE(ballot, "b32", "i:n"),
    ROWS_VOTE(all, "pred", "p:n"),
    ROWS_VOTE(any, "pred", "p:n"),
    ROWS_VOTE(uni, "pred", "p:n"),
    ROW_ONE("match.any.sync.b32", "i:ti", SHUFFLE, match_any_32),
    ROW_ONE("match.any.sync.b64", "i:ti", SHUFFLE, match_any_64),
    ROW_ONE("match.all.sync.b32", "i|:ti", SHUFFLE, match_all_32),
    ROW_ONE("match.all.sync.b64", "i|:ti", SHUFFLE, match_all_64),
    ROW_ONE("redux.sync.add.u32|s32", "t:ti", SHUFFLE, redux_add),
    ROW_ONE("redux.sync.min.u32", "t:ti", SHUFFLE, redux_min_u32),
    ROW_ONE("redux.sync.max.u32", "t:ti", SHUFFLE, redux_max_u32),
    ROW_ONE("redux.sync.min.s32", "t:ti", SHUFFLE, redux_min_s32),
    ROW_ONE("redux.sync.max.s32", "t:ti", SHUFFLE, redux_max_s32),
    ROW_ONE("redux.sync.and.b32", "t:ti", SHUFFLE, redux_and),
    ROW_ONE("redux.sync.or.b32", "t:ti", SHUFFLE, redux_or),
    ROW_ONE("redux.sync.xor.b32", "t:ti", SHUFFLE, redux_xor),
    ROWS_REDUX_F32(min),
    ROWS_REDUX_F32(max),
    ROW_ONE("elect.sync", "i|:i", SHUFFLE, elect),
    ROW_ONE("activemask.b32", "i:", SHUFFLE, activemask),
    ROW_END,
};

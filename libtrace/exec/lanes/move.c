/* Moving and selecting. PTX ISA 9.0 sections 9.7.9.2 (mov of one scalar) and 9.7.7 (selp, slct). */
#include "lanes.h"
#include "families.h"

OP1(mov_16, uint16_t, uint16_t, a)
OP1(mov_32, uint32_t, uint32_t, a)
OP1(mov_64, uint64_t, uint64_t, a)

static void
mov_pred(LANE_ARGS)
{
	lane_put_pred(file, in->d, mask, *lane_pred(file, in->a));
}

/* selp: a where the predicate c is set, else b */
#define SELP(name, T)                                                \
	static void name##_all(LANE_ARGS)                            \
	{                                                            \
		T *d = (T *)(void *)(file + in->d);                  \
		const T *a = (const T *)(void *)(file + in->a);      \
		const T *b = (const T *)(void *)(file + in->b);      \
		uint32_t select = *lane_pred(file, in->c);           \
		(void)mask;                                          \
		EACH_LANE d[l] = select & lane_bit[l] ? a[l] : b[l]; \
	}                                                            \
	static void name##_some(LANE_ARGS)                           \
	{                                                            \
		T *d = (T *)(void *)(file + in->d);                  \
		const T *a = (const T *)(void *)(file + in->a);      \
		const T *b = (const T *)(void *)(file + in->b);      \
		uint32_t select = *lane_pred(file, in->c);           \
		EACH_LANE                                            \
		{                                                    \
			T r = select & lane_bit[l] ? a[l] : b[l];    \
			d[l] = mask & lane_bit[l] ? r : d[l];        \
		}                                                    \
	}
SELP(selp_16, uint16_t)
SELP(selp_32, uint32_t)
SELP(selp_64, uint64_t)

/* slct: a where c >= 0, else b; a float c counts -0 as 0 and NaN as negative */
#define SLCT(width, T)                                          \
	OP3(slct_s32_##width, T, T, T, int32_t, c >= 0 ? a : b) \
	FOP3(slct_f32_##width, T, T, T, float, c >= 0 ? a : b)
SLCT(16, uint16_t)
SLCT(32, uint32_t)
SLCT(64, uint64_t)

#define B16 ".b16|u16|s16|f16|bf16"
#define B32 ".b32|u32|s32|f32|f16x2|bf16x2"
#define B64 ".b64|u64|s64|f64"
#define ROWS_SLCT(type, width)                                    \
	ROW("slct" type ".s32", "t:ttu", MOVE, slct_s32_##width), \
	    ROW("slct.ftz?" type ".f32", "t:ttu", MOVE, slct_f32_##width)

const struct lane_row LEVELED(lanes_move)[] = {
    ROW("mov" B32, "t:t", MOVE, mov_32),
    ROW("mov" B64, "t:t", MOVE, mov_64),
    ROW("mov" B16, "t:t", MOVE, mov_16),
    ROW_ONE("mov.pred", "p:p", MOVE, mov_pred),
    ROW("selp" B32, "t:ttp", MOVE, selp_32),
    ROW("selp" B64, "t:ttp", MOVE, selp_64),
    ROW("selp" B16, "t:ttp", MOVE, selp_16),
    ROWS_SLCT(B16, 16),
    ROWS_SLCT(B32, 32),
    ROWS_SLCT(B64, 64),
    ROW_END,
};

#include "filter/terms.h"

#include <string.h>

#define BIT(x) (1u << (x))
#define RANGE(col)                             \
	{                                      \
		FILTER_RANGE, WCP_COL_##col, 0 \
	}
#define COUNT(col)                                \
	{                                         \
		FILTER_POPCOUNT, WCP_COL_##col, 0 \
	}
#define MEMBER(col, x)                               \
	{                                            \
		FILTER_MEMBER, WCP_COL_##col, BIT(x) \
	}
#define BITS(col, x)                          \
	{                                     \
		FILTER_BITS, WCP_COL_##col, x \
	}
#define STATIC(test, x)                \
	{                              \
		FILTER_STATIC, test, x \
	}
#define NEVER                      \
	{                          \
		FILTER_CONST, 0, 0 \
	}

#define KIND(name, kind)                                                           \
	{                                                                          \
		name, SHAPE_FLAG, MEMBER(KIND, kind), STATIC(TEST_KIND, BIT(kind)) \
	}
#define MOVED(name, kind)                                   \
	{                                                   \
		name, SHAPE_FLAG, MEMBER(KIND, kind), NEVER \
	}
#define SPACE(name, space)                              \
	{                                               \
		name, SHAPE_FLAG, MEMBER(SPACE, space), \
		{                                       \
			FILTER_SPACE, 0, BIT(space)     \
		}                                       \
	}
#define FLAG(name, flag)                                   \
	{                                                  \
		name, SHAPE_FLAG, BITS(FLAGS, flag), NEVER \
	}
#define OUTCOME(name, set)                                                       \
	{                                                                        \
		name, SHAPE_LEVEL, {FILTER_OUTCOME, WCP_COL_OUTCOME, set}, NEVER \
	}

static const struct term term[] = {
    /* where */
    {"kernel", SHAPE_KERNEL, RANGE(KERNEL), RANGE(KERNEL)},
    {"cta", SHAPE_CTA, RANGE(CTA), RANGE(CTA)},
    {"warp", SHAPE_NUMBER, RANGE(WARP), RANGE(WARP)},
    {"sm", SHAPE_NUMBER, RANGE(SM), NEVER},
    {"slot", SHAPE_NUMBER, RANGE(SLOT), NEVER},
    {"pc", SHAPE_NUMBER, RANGE(PC), RANGE(PC)},
    {"line", SHAPE_LINE, STATIC(TEST_LINE, 0), STATIC(TEST_LINE, 0)},
    /* when */
    {"cycle", SHAPE_NUMBER, RANGE(CYCLE), NEVER},
    {"id", SHAPE_NUMBER, RANGE(ID), NEVER},
    {"tag", SHAPE_NUMBER, RANGE(TAG), NEVER},
    /* what */
    KIND("load", WCP_LOAD),
    KIND("store", WCP_STORE),
    KIND("atomic", WCP_ATOMIC),
    KIND("reduce", WCP_REDUCE),
    {"prefetch", SHAPE_FLAG, MEMBER(KIND, WCP_PREFETCH), STATIC(TEST_KIND, BIT(WCP_PREFETCH))},
    MOVED("writeback", WCP_WRITEBACK),
    MOVED("fill", WCP_FILL),
    {"memory", SHAPE_FLAG, {FILTER_CONST, 0, 1}, STATIC(TEST_FLAGS, WCP_INSN_MEMORY)},
    {"class", SHAPE_CLASS, NEVER, STATIC(TEST_CLASS, 0)},
    {"opcode", SHAPE_OPCODE, NEVER, STATIC(TEST_OPCODE, 0)},
    {"guarded", SHAPE_FLAG, NEVER, STATIC(TEST_FLAGS, WCP_INSN_GUARDED)},
    {"volatile", SHAPE_FLAG, NEVER, STATIC(TEST_FLAGS, WCP_INSN_VOLATILE)},
    {"readonly", SHAPE_FLAG, NEVER, STATIC(TEST_FLAGS, WCP_INSN_READONLY)},
    {"uncached", SHAPE_FLAG, BITS(FLAGS, WCP_ACCESS_UNCACHED),
	STATIC(TEST_FLAGS, WCP_INSN_UNCACHED)},
    /* which memory */
    {"space", SHAPE_SPACE, MEMBER(SPACE, 0), {FILTER_SPACE, 0, 0}},
    SPACE("global", WCP_SPACE_GLOBAL),
    SPACE("shared", WCP_SPACE_SHARED),
    SPACE("local", WCP_SPACE_LOCAL),
    SPACE("const", WCP_SPACE_CONST),
    SPACE("param", WCP_SPACE_PARAM),
    SPACE("texture", WCP_SPACE_TEXTURE),
    SPACE("surface", WCP_SPACE_SURFACE),
    {"addr", SHAPE_NUMBER, {FILTER_TOUCH, WCP_COL_LINE, 0}, {FILTER_TOUCH, 0, 0}},
    {"bytes", SHAPE_NUMBER, RANGE(BYTES), STATIC(TEST_BYTES, 0)},
    {"sectors", SHAPE_NUMBER, COUNT(SECTORS), NEVER},
    {"lanes", SHAPE_NUMBER, COUNT(LANES), COUNT(LANES)},
    {"divergent", SHAPE_FLAG, BITS(FLAGS, WCP_ACCESS_DIVERGENT), {FILTER_DIVERGENT, 0, 0}},
    FLAG("first", WCP_ACCESS_FIRST),
    FLAG("prefetched", WCP_ACCESS_PREFETCH),
    FLAG("lock", WCP_ACCESS_LOCK),
    FLAG("critical", WCP_ACCESS_CRITICAL),
    FLAG("dirty", WCP_ACCESS_DIRTY),
    {"evict", SHAPE_FLAG, RANGE(VICTIM), NEVER},
    /* what became of it */
    OUTCOME("hit", BIT(WCP_OUT_HIT) | BIT(WCP_OUT_REDIRECT)),
    OUTCOME("miss", BIT(WCP_OUT_MISS) | BIT(WCP_OUT_SECTOR) | BIT(WCP_OUT_REDIRECT_MISS)),
    OUTCOME("pending", BIT(WCP_OUT_PENDING)),
    OUTCOME("bypass", BIT(WCP_OUT_BYPASS)),
    OUTCOME("redirect", BIT(WCP_OUT_REDIRECT) | BIT(WCP_OUT_REDIRECT_MISS)),
    OUTCOME("forward", BIT(WCP_OUT_FORWARD)),
};

const struct term *
term_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof term / sizeof term[0]; i++)
		if (strlen(term[i].name) == len && memcmp(term[i].name, name, len) == 0)
			return &term[i];
	return NULL;
}

/* What the files of the interpreter share. Compiled once per instruction-set level. */
#ifndef EXEC_RUN_RUN_H
#define EXEC_RUN_RUN_H

#include <stddef.h>
#include <string.h>
#include "exec/warp.h"

#define RUN_PASTE_(name, level) name##_v##level
#define RUN_PASTE(name, level)	RUN_PASTE_(name, level)
#define LEVELED(name)		RUN_PASTE(name, LANE_LEVEL)

#ifdef __clang__
#define EACH_PRAGMA _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define EACH_PRAGMA _Pragma("GCC ivdep")
#endif
#define EACH_LANE EACH_PRAGMA for (unsigned l = 0; l < WCP_LANES; l++)
#define EACH_SET(l, set)                                                               \
	for (uint32_t left = (set), l; left && (l = (uint32_t)__builtin_ctz(left), 1); \
	     left &= left - 1)

#define RUN_ARGS    const struct insn *in, char *file, uint32_t mask
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline struct warp *
run_warp(char *file)
{
	return (struct warp *)(void *)(file - offsetof(struct warp, file));
}

/* Host addresses are computed as numbers: a window's base may lie far outside of any object. */
static inline void *
run_host(uint64_t address)
{
	return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static inline uint32_t *
run_pred(char *file, uint32_t offset)
{
	return (uint32_t *)(void *)(file + offset);
}

static inline uint32_t *
run_32(char *file, uint32_t offset)
{
	return (uint32_t *)(void *)(file + offset);
}

static inline uint64_t *
run_64(char *file, uint32_t offset)
{
	return (uint64_t *)(void *)(file + offset);
}

/* One lane of a slot whose registers are 2, 4 or 8 bytes wide. */
static inline uint64_t
run_get(const char *file, uint32_t offset, unsigned bytes, unsigned lane)
{
	uint64_t v = 0;
	if (bytes == 8)
		memcpy(&v, file + offset + 8 * lane, 8);
	else if (bytes == 4)
		memcpy(&v, file + offset + 4 * lane, 4);
	else
		memcpy(&v, file + offset + 2 * lane, 2);
	return v;
}

static inline void
run_put(char *file, uint32_t offset, unsigned bytes, unsigned lane, uint64_t v)
{
	if (bytes == 8)
		memcpy(file + offset + 8 * lane, &v, 8);
	else if (bytes == 4)
		memcpy(file + offset + 4 * lane, &v, 4);
	else
		memcpy(file + offset + 2 * lane, &v, 2);
}

/* The low value_bytes of v, sign-extended or not. */
static inline uint64_t
run_extend(uint64_t v, unsigned value_bytes, bool is_signed)
{
	unsigned shift = 64 - 8 * value_bytes;
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

lane_fn LEVELED(run_load_some), LEVELED(run_load_all), LEVELED(run_store_some),
    LEVELED(run_store_all);

#endif

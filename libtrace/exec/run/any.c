/* Loads and stores of every width, vector and space, and the prefetch that only leaves a record. */
#include "access.h"
#include "exec/access.h"

/* With check_shared the lanes' places are looked up in w->at. */
static bool
shared_is_checked(
    struct warp *w, const struct insn *in, uint32_t mask, const struct spot *s, bool store)
{
	if (LIKELY(!w->cta->shared_written))
		return true;
	run_list_spot(s, w->at);
	return exec_check_shared(w, in, mask, store);
}

/* ---- elements between memory and rows of 32 ---- */

/* As many as lie side by side, in one go; then lane by lane, so that where lanes overlap the
 * highest lane's value stays. */
#define ROWS(bits, type)                                                                           \
	static void load_rows##bits(                                                               \
	    const struct spot *s, uint32_t mask, unsigned n, char *const *row)                     \
	{                                                                                          \
		type *r0 = (type *)(void *)row[0], *r1 = (type *)(void *)row[1],                   \
		     *r2 = (type *)(void *)row[2], *r3 = (type *)(void *)row[3];                   \
		const type *from = run_host(s->host);                                              \
		const bool full = mask == WCP_FULL_MASK,                                           \
			   packed = full && s->straight && s->step == (int64_t)(n * sizeof *r0);   \
		if (packed && n == 1) {                                                            \
			memcpy(r0, from, WCP_LANES * sizeof *r0);                                  \
		} else if (packed && n == 2) {                                                     \
			EACH_LANE                                                                  \
			{                                                                          \
				r0[l] = from[2 * l];                                               \
				r1[l] = from[2 * l + 1];                                           \
			}                                                                          \
		} else if (full && s->straight && !s->step && n == 1) {                            \
			const type v = *from;                                                      \
			EACH_LANE r0[l] = v;                                                       \
		} else if (full && n == 1) {                                                       \
			EACH_LANE r0[l] = *(const type *)(const void *)run_at(s, l);               \
		} else if (n == 2) {                                                               \
			EACH_SET(l, mask)                                                          \
			{                                                                          \
				const type *v = (const type *)(const void *)run_at(s, l);          \
				r0[l] = v[0];                                                      \
				r1[l] = v[1];                                                      \
			}                                                                          \
		} else if (n == 4) {                                                               \
			EACH_SET(l, mask)                                                          \
			{                                                                          \
				const type *v = (const type *)(const void *)run_at(s, l);          \
				r0[l] = v[0];                                                      \
				r1[l] = v[1];                                                      \
				r2[l] = v[2];                                                      \
				r3[l] = v[3];                                                      \
			}                                                                          \
		} else {                                                                           \
			EACH_SET(l, mask)                                                          \
			{                                                                          \
				const type *v = (const type *)(const void *)run_at(s, l);          \
				for (unsigned k = 0; k < n; k++)                                   \
					((type *)(void *)row[k])[l] = v[k];                        \
			}                                                                          \
		}                                                                                  \
	}                                                                                          \
	static void store_rows##bits(                                                              \
	    const struct spot *s, uint32_t mask, unsigned n, char *const *row)                     \
	{                                                                                          \
		const type *r0 = (const type *)(void *)row[0], *r1 = (const type *)(void *)row[1], \
			   *r2 = (const type *)(void *)row[2], *r3 = (const type *)(void *)row[3]; \
		type *to = run_host(s->host);                                                      \
		const bool full = mask == WCP_FULL_MASK,                                           \
			   packed = full && s->straight && s->step == (int64_t)(n * sizeof *r0);   \
		if (packed && n == 1) {                                                            \
			memcpy(to, r0, WCP_LANES * sizeof *r0);                                    \
		} else if (packed && n == 2) {                                                     \
			EACH_LANE                                                                  \
			{                                                                          \
				to[2 * l] = r0[l];                                                 \
				to[2 * l + 1] = r1[l];                                             \
			}                                                                          \
		} else if (full && n == 1) {                                                       \
			for (unsigned l = 0; l < WCP_LANES; l++)                                   \
				*(type *)(void *)run_at(s, l) = r0[l];                             \
		} else if (n == 4) {                                                               \
			EACH_SET(l, mask)                                                          \
			{                                                                          \
				type *v = (type *)(void *)run_at(s, l);                            \
				v[0] = r0[l];                                                      \
				v[1] = r1[l];                                                      \
				v[2] = r2[l];                                                      \
				v[3] = r3[l];                                                      \
			}                                                                          \
		} else {                                                                           \
			EACH_SET(l, mask)                                                          \
			{                                                                          \
				type *v = (type *)(void *)run_at(s, l);                            \
				for (unsigned k = 0; k < n; k++)                                   \
					v[k] = ((const type *)(void *)row[k])[l];                  \
			}                                                                          \
		}                                                                                  \
	}
ROWS(8, uint8_t)
ROWS(16, uint16_t)
ROWS(32, uint32_t)
ROWS(64, uint64_t)

/* Four words of every lane: squares of four lanes are turned over. */
typedef uint32_t word4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline void
turn(word4 x[4])
{
	const word4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5),
		    b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7),
		    c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5),
		    d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
	x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
	x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
	x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
	x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static void
load_fours(const struct spot *s, char *const *row)
{
	for (unsigned l = 0; l < WCP_LANES; l += 4) {
		word4 x[4];
		for (unsigned i = 0; i < 4; i++)
			x[i] = *(const word4 *)(const void *)run_at(s, l + i);
		turn(x);
		for (unsigned i = 0; i < 4; i++)
			memcpy(row[i] + 4 * l, &x[i], sizeof x[i]);
	}
}

static void
store_fours(const struct spot *s, char *const *row)
{
	for (unsigned l = 0; l < WCP_LANES; l += 4) {
		word4 x[4];
		for (unsigned i = 0; i < 4; i++)
			memcpy(&x[i], row[i] + 4 * l, sizeof x[i]);
		turn(x);
		for (unsigned i = 0; i < 4; i++)
			*(word4 *)(void *)run_at(s, l + i) = x[i];
	}
}

static bool
is_fours(const struct mem_op *op, uint32_t mask)
{
	return op->size == 4 && op->n == 4 && mask == WCP_FULL_MASK;
}

/* ---- between rows of elements and registers of another width ---- */

#define WIDEN(from, to)                                                     \
	static void from##_to_##to(char *d_, const char *a_, uint32_t mask) \
	{                                                                   \
		to##_t *d = (to##_t *)(void *)d_;                           \
		const from##_t *a = (const from##_t *)(const void *)a_;     \
		EACH_LANE d[l] = mask >> l & 1 ? (to##_t)a[l] : d[l];       \
	}
WIDEN(uint8, uint16)
WIDEN(uint8, uint32)
WIDEN(uint8, uint64)
WIDEN(int8, int16)
WIDEN(int8, int32)
WIDEN(int8, int64)
WIDEN(uint16, uint32)
WIDEN(uint16, uint64)
WIDEN(int16, int32)
WIDEN(int16, int64)
WIDEN(uint32, uint64)
WIDEN(int32, int64)
WIDEN(uint16, uint8)
WIDEN(uint32, uint8)
WIDEN(uint64, uint8)
WIDEN(uint32, uint16)
WIDEN(uint64, uint16)
WIDEN(uint64, uint32)

/* log2 of 1, 2, 4, 8 */
static unsigned
width(unsigned bytes)
{
	return (unsigned)__builtin_ctz(bytes);
}

typedef void row_fn(char *d, const char *a, uint32_t mask);
/* [signed][from][to], by width */
static row_fn *const extend[2][4][4] = {
    {{NULL, uint8_to_uint16, uint8_to_uint32, uint8_to_uint64},
	{uint16_to_uint8, NULL, uint16_to_uint32, uint16_to_uint64},
	{uint32_to_uint8, uint32_to_uint16, NULL, uint32_to_uint64},
	{uint64_to_uint8, uint64_to_uint16, uint64_to_uint32, NULL}},
    {{NULL, int8_to_int16, int8_to_int32, int8_to_int64},
	{uint16_to_uint8, NULL, int16_to_int32, int16_to_int64},
	{uint32_to_uint8, uint32_to_uint16, NULL, int32_to_int64},
	{uint64_to_uint8, uint64_to_uint16, uint64_to_uint32, NULL}}};

typedef void rows_fn(const struct spot *s, uint32_t mask, unsigned n, char *const *row);
static rows_fn *const load_rows[4] = {load_rows8, load_rows16, load_rows32, load_rows64};
static rows_fn *const store_rows[4] = {store_rows8, store_rows16, store_rows32, store_rows64};

#define ROW_BYTES (WCP_LANES * 8)

/* Registers as wide as their elements are rows themselves; row[k]: the register or one of room. */
static void
rows_of(const struct mem_op *op, char *file, char (*room)[ROW_BYTES], char **row)
{
	for (unsigned k = 0; k < op->n; k++)
		row[k] = op->reg_bytes[k] == op->size ? file + op->reg[k] : room[k];
}

void
LEVELED(run_load_some)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	_Alignas(64) char room[EXEC_VECTOR_MAX][ROW_BYTES];
	char *row[EXEC_VECTOR_MAX];
	struct spot s;
	if (!LEVELED(run_find)(
		in, file, mask, run_addresses(in, file, op->addr_bytes, w->addr), &s) ||
	    !shared_is_checked(w, in, mask, &s, false))
		return;
	w->polls += op->flags & MEM_POLL;
	rows_of(op, file, room, row);
	if (is_fours(op, mask))
		load_fours(&s, row);
	else
		load_rows[width(op->size)](&s, mask, op->n, row);
	for (unsigned k = 0; k < op->n; k++) {
		if (!op->reg_bytes[k] || op->reg_bytes[k] == op->size)
			continue;
		extend[op->is_signed][width(op->size)][width(op->reg_bytes[k])](
		    file + op->reg[k], room[k], mask);
	}
}

void
LEVELED(run_load_all)(RUN_ARGS)
{
	LEVELED(run_load_some)(in, file, mask);
}

static bool
changes(const struct spot *s, uint32_t mask, const struct mem_op *op, char *const *row)
{
	bool differs = false;
	EACH_SET(l, mask)
	for (unsigned k = 0; k < op->n; k++)
		differs |= memcmp((const char *)run_at(s, l) + k * op->size, row[k] + l * op->size,
			       op->size) != 0;
	return differs;
}

void
LEVELED(run_store_some)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	_Alignas(64) char room[EXEC_VECTOR_MAX][ROW_BYTES];
	char *row[EXEC_VECTOR_MAX];
	struct spot s;
	if (!LEVELED(run_find)(
		in, file, mask, run_addresses(in, file, op->addr_bytes, w->addr), &s) ||
	    !shared_is_checked(w, in, mask, &s, true))
		return;
	rows_of(op, file, room, row);
	for (unsigned k = 0; k < op->n; k++)
		if (op->reg_bytes[k] && op->reg_bytes[k] != op->size)
			extend[0][width(op->reg_bytes[k])][width(op->size)](
			    room[k], file + op->reg[k], WCP_FULL_MASK);
	w->progress += !(op->flags & MEM_COMPARE) || changes(&s, mask, op, row);
	if (is_fours(op, mask))
		store_fours(&s, row);
	else
		store_rows[width(op->size)](&s, mask, op->n, row);
}

void
LEVELED(run_store_all)(RUN_ARGS)
{
	LEVELED(run_store_some)(in, file, mask);
}

lane_fn LEVELED(run_prefetch), LEVELED(run_load_param);

/* A prefetch never faults: what it names may lie anywhere. */
void
LEVELED(run_prefetch)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	struct place p = {.space = op->space == WCP_SPACE_GENERIC ? WCP_SPACE_GLOBAL : op->space};
	run_shape_some(run_addresses(in, file, op->addr_bytes, w->addr), mask, &p);
	run_record(w, in, mask, &p, 0, 0);
}

/* A kernel parameter at a fixed offset, checked at decode: the same for all lanes. */
void
LEVELED(run_load_param)(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct mem_op *op = &w->code->mem[in->e];
	const struct place p = {
	    .shape = WCP_MEM_AFFINE, .space = WCP_SPACE_PARAM, .base = (uint64_t)in->imm};
	const char *from = w->cta->run->param + in->imm;
	run_record(w, in, mask, &p, 0, 0);
	for (unsigned k = 0; k < op->n; k++, from += op->size) {
		const uint32_t to = op->reg[k];
		const unsigned wide = op->reg_bytes[k], size = op->size;
		uint64_t v = 0;
		if (!wide)
			continue;
		if (size == 8)
			memcpy(&v, from, 8);
		else if (size == 4)
			memcpy(&v, from, 4);
		else
			memcpy(&v, from, size);
		v = run_extend(v, size, op->is_signed);
		uint64_t *d64 = run_64(file, to);
		uint32_t *d32 = run_32(file, to);
		if (mask == WCP_FULL_MASK && wide == 8)
			EACH_LANE d64[l] = v;
		else if (mask == WCP_FULL_MASK && wide == 4)
			EACH_LANE d32[l] = (uint32_t)v;
		else
			EACH_SET(l, mask) run_put(file, to, wide, l, v);
	}
}

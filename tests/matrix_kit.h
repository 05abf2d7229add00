/*
 * What tests of matrix instructions share: numbers of every element type as bits, matrices a, b, c
 * and what their product is, the text of a kernel with four buffers, and its running.
 */
#ifndef MATRIX_KIT_H
#define MATRIX_KIT_H

#include <stdarg.h>
#include "exec_kit.h"

enum type { F16, BF16, TF32, F32, F64, S32, S8, U8, S4, U4, B1, TYPES };
static const struct {
	const char *name;
	unsigned bits;
} types[TYPES] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64}, {"s32", 32},
    {"s8", 8}, {"u8", 8}, {"s4", 4}, {"u4", 4}, {"b1", 1}};

static uint32_t state = 1;

static uint32_t
next(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static int
value_for(enum type t)
{
	switch (t) {
	case U8: return (int)(next() % 256);
	case S8: return (int)(next() % 256) - 128;
	case U4: return (int)(next() % 16);
	case S4: return (int)(next() % 16) - 8;
	case B1: return (int)(next() % 2);
	case S32: return (int)(next() % 20001) - 10000;
	case F16:
	case BF16:
	case TF32:
	case F32:
	case F64:
	case TYPES: break;
	}
	return (int)(next() % 9) - 4;
}

/* A small integer as the bits of a type */
static uint64_t
encode(enum type t, int v)
{
	const float f = (float)v;
	const double d = v;
	uint32_t u;
	uint64_t w;
	memcpy(&u, &f, 4);
	memcpy(&w, &d, 8);
	switch (t) {
	case F16: return v ? (u >> 16 & 0x8000) | ((u >> 13 & 0x3ffff) - (112u << 10)) : 0;
	case BF16: return u >> 16;
	case TF32:
	case F32: return u;
	case F64: return w;
	case S32: return (uint32_t)v;
	case S8:
	case U8: return (uint8_t)v;
	case S4:
	case U4: return (unsigned)v & 15;
	case B1: return (unsigned)v & 1;
	case TYPES: break;
	}
	return 0;
}

#define DIM   32
#define DEPTH 256
static int a[DIM][DEPTH], b[DEPTH][DIM], c[DIM][DIM], want[DIM][DIM];

static void
fill(unsigned m, unsigned n, unsigned k, enum type ab, enum type cd, bool xor)
{
	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < k; j++)
			a[i][j] = value_for(ab);
	for (unsigned i = 0; i < k; i++)
		for (unsigned j = 0; j < n; j++)
			b[i][j] = value_for(ab);
	for (unsigned i = 0; i < m; i++)
		for (unsigned j = 0; j < n; j++) {
			want[i][j] = c[i][j] = value_for(cd);
			for (unsigned x = 0; x < k; x++)
				want[i][j] += xor? a[i][x] ^ b[x][j] : a[i][x] * b[x][j];
		}
}

static void
put(uint8_t *memory, uint64_t index, enum type t, int v)
{
	const unsigned bits = types[t].bits;
	const uint64_t at = index * bits, x = encode(t, v);
	for (unsigned i = 0; i < bits; i++)
		memory[(at + i) / 8] = (uint8_t)((memory[(at + i) / 8] & ~(1u << (at + i) % 8)) |
						 (unsigned)(x >> i & 1) << (at + i) % 8);
}

static uint64_t
get(const uint8_t *memory, uint64_t index, enum type t)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < types[t].bits; i++) {
		const uint64_t at = index * types[t].bits + i;
		v |= (uint64_t)(memory[at / 8] >> at % 8 & 1) << i;
	}
	return v;
}

/* ---- text ---- */

static char text[65536];
static size_t n_text;

static void WCP_PRINTF(1, 2) say(const char *format, ...);

static void
say(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	n_text += (size_t)vsnprintf(text + n_text, sizeof text - n_text, format, ap);
	va_end(ap);
}

static void
head(void)
{
	n_text = 0;
	say(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pa, "
	    ".param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n.reg .b32 %%r<99>;\n.reg .b64 "
	    "%%rd<99>;\n.reg .f64 %%fd<99>;\nld.param.u64 %%rd1, [pa];\nld.param.u64 %%rd2, "
	    "[pb];\nld.param.u64 %%rd3, [pc];\nld.param.u64 %%rd4, [pd];\nmov.u32 %%r90, "
	    "%%laneid;\n");
}

static void
vector(enum type t, unsigned first, unsigned n)
{
	const char *reg = t == F64 ? "fd" : "r";
	say("{");
	for (unsigned i = 0; i < n; i++)
		say("%s%%%s%u", i ? ", " : "", reg, first + i);
	say("}");
}

/* ---- running ---- */

#define BYTES 65536
static uint64_t at[4];
static uint8_t *host[4];

static bool
run(struct kit *k, const char *what, unsigned block)
{
	kit_open(k, text, (struct wcp_device_options){0});
	uint8_t *kept[4];
	memcpy(kept, host, sizeof kept);
	for (unsigned i = 0; i < 4; i++) {
		at[i] = kit_buffer(k, BYTES, "matrix");
		host[i] = wcp_device_host(k->device, at[i], BYTES);
		memcpy(host[i], kept[i], BYTES);
		free(kept[i]);
	}
	const int r = kit_launch(k, "k", 1, block, 0, at, 4);
	CHECK(r == 0, "%s: %s", what, k->error.text);
	return r == 0;
}

static void
prepare(void)
{
	for (unsigned i = 0; i < 4; i++) {
		host[i] = calloc(1, BYTES);
		if (!host[i])
			exit(1);
	}
}

#endif

/*
 * Loads and stores of every element type, vector length, register width and space, in every pattern
 * of addresses that a warp can make and for warps with lanes missing, against a model of a lane at
 * a time, on every instruction set level.
 */
#include "exec_kit.h"

enum { LANES = 32, BYTES = 2304, FURTHER = 1024, SPACES = 4 };

static const struct element {
	const char *name;
	unsigned bytes;
	bool sign;
} element[] = {{"u8", 1, false}, {"s8", 1, true}, {"u16", 2, false}, {"s16", 2, true},
    {"b32", 4, false}, {"s32", 4, true}, {"b64", 8, false}};
static const char *const space[SPACES] = {"global", "shared", "local", ""};
static const uint32_t masks[] = {
    0xffffffff, 0x0000ffff, 0x80000001, 0x00f0a504, 0x55555555, 1u << 9};
#define MASKS (sizeof masks / sizeof *masks)

/* Element units from the start of the buffer, fewer than 64 of them. */
static uint32_t
place(unsigned pattern, uint32_t l)
{
	static const uint8_t shuffled[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8,
	    4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
	switch (pattern) {
	case 0: return l;
	case 1: return 5;
	case 2: return 31 - l;
	case 3: return 2 * l;
	case 4: return l % 16 + l / 16 * 40;
	case 5: return l / 8 * 9 + 1;
	case 6: return l % 4 + l / 4 * 6;
	case 7: return l % 2 * 3 + l / 2 * 4;
	case 8: return l / 16 * 7;
	default: return shuffled[l];
	}
}
#define PATTERNS 10

static unsigned char memory[LANES * BYTES], want[LANES * BYTES];

static char *
registers(char *at, unsigned n, const char *kind)
{
	for (unsigned k = 0; k < n; k++)
		at += sprintf(at, "%s%%%s%u", k ? ", " : n > 1 ? "{" : "", kind, 20 + k);
	return at + sprintf(at, n > 1 ? "}" : "");
}

/* Copies BYTES from one address to another. */
static char *
copy(char *at, const char *label, const char *from, const char *to, const char *load,
    const char *store)
{
	return at +
	       sprintf(at,
		   "mov.u32 %%r4, 0;\n%s:\ncvt.u64.u32 %%rd8, %%r4;\nadd.u64 %%rd9, %s, %%rd8;\n"
		   "add.u64 %%rd10, %s, %%rd8;\nld.%s.u64 %%rd11, [%%rd9];\nst.%s.u64 [%%rd10], "
		   "%%rd11;\n"
		   "add.u32 %%r4, %%r4, 8;\nsetp.ne.u32 %%p1, %%r4, %d;\n@%%p1 bra %s;\n",
		   label, from, to, load, store, BYTES, label);
}

/*
 * Arguments: memory, byte offsets of the lanes, results [element][lane], which lanes take part.
 * Those load, store what came FURTHER on and tell it widened. In shared and local memory that is
 * done in a copy, which then goes back, of each lane of local memory to a place of its own.
 */
static void
kernel(char *at, const struct element *e, unsigned n, unsigned reg_bytes, unsigned where)
{
	const char *const kind = reg_bytes == 2 ? "h" : reg_bytes == 4 ? "r" : "rd";
	const char *const dot = *space[where] ? "." : "";
	const bool copies = where == 1 || where == 2;
	char vector[8] = "";
	if (n > 1)
		sprintf(vector, ".v%u", n);
	at += sprintf(at,
	    HEAD
	    ".visible .entry k(.param .u64 m, .param .u64 o, .param .u64 out, .param .u64 "
	    "mask)\n{\n"
	    ".reg .b32 %%r<40>;\n.reg .b64 %%rd<60>;\n.reg .b16 %%h<40>;\n.reg .pred %%p<4>;\n"
	    ".%s .align 16 .b8 buffer[%d];\n"
	    "ld.param.u64 %%rd1, [m];\nld.param.u64 %%rd2, [o];\nld.param.u64 %%rd3, [out];\n"
	    "ld.param.u32 %%r3, [mask];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd4, %%r1, 4;\n"
	    "add.u64 %%rd5, %%rd2, %%rd4;\nld.global.u32 %%r2, [%%rd5];\ncvt.u64.u32 %%rd6, %%r2;\n"
	    "mov.u64 %%rd7, %s;\n",
	    where == 2 ? "local" : "shared", BYTES, copies ? "buffer" : "%rd1");
	if (copies)
		at = copy(at, "THERE", "%rd1", "%rd7", "global", space[where]);
	at += sprintf(at,
	    "add.u64 %%rd6, %%rd6, %%rd7;\nshr.u32 %%r5, %%r3, %%r1;\nand.b32 %%r5, %%r5, 1;\n"
	    "setp.eq.u32 %%p2, %%r5, 0;\n@%%p2 bra DONE;\nld%s%s%s.%s ",
	    dot, space[where], vector, e->name);
	at = registers(at, n, kind);
	at += sprintf(at, ", [%%rd6+16];\nst%s%s%s.%s [%%rd6+%d], ", dot, space[where], vector,
	    e->name, 16 + FURTHER);
	at = registers(at, n, kind);
	at += sprintf(at, ";\nmad.wide.u32 %%rd12, %%r1, 8, %%rd3;\n");
	for (unsigned k = 0; k < n; k++) {
		if (reg_bytes < 8)
			at += sprintf(at, "cvt.u64.u%u %%rd%u, %%%s%u;\n", 8 * reg_bytes, 20 + k,
			    kind, 20 + k);
		at += sprintf(at, "st.global.u64 [%%rd12+%u], %%rd%u;\n", 256 * k, 20 + k);
	}
	at += sprintf(at,
	    "DONE:\nbar.sync 0;\nmul.wide.u32 %%rd13, %%r1, %d;\nadd.u64 %%rd13, %%rd13, %%rd1;\n",
	    where == 2 ? BYTES : 0);
	if (copies)
		at = copy(at, "BACK", "%rd7", "%rd13", space[where], "global");
	sprintf(at, "ret;\n}\n");
}

static uint64_t
extended(uint64_t v, const struct element *e, unsigned reg_bytes)
{
	const unsigned drop = 64 - 8 * e->bytes, keep = 64 - 8 * reg_bytes;
	v = e->sign ? (uint64_t)((int64_t)(v << drop) >> drop) : v << drop >> drop;
	return v << keep >> keep;
}

/* One launch, and what every lane alone would have done. */
static void
launch(struct kit *k, const uint64_t *arg, const struct element *e, unsigned n, unsigned reg_bytes,
    unsigned where, unsigned pattern, uint32_t mask)
{
	unsigned char *at = wcp_device_host(k->device, arg[0], sizeof memory);
	uint32_t *offset = wcp_device_host(k->device, arg[1], 4 * LANES);
	uint64_t *out = wcp_device_host(k->device, arg[2], 8 * 4 * LANES);
	for (uint32_t i = 0; i < sizeof memory; i++)
		memory[i] = i < BYTES ? (unsigned char)((i * 37 + 11) ^ i >> 3) : 0;
	memcpy(at, memory, sizeof memory);
	memcpy(want, memory, sizeof memory);
	memset(out, 0xa5, 8 * 4 * LANES);
	for (uint32_t l = 0; l < LANES; l++)
		offset[l] = place(pattern, l) * n * e->bytes;
	CHECK(kit_launch(k, "k", 1, LANES, 0, arg, 4) == 0, "%s", k->error.text);
	for (uint32_t l = 0; l < LANES; l++) {
		if (where == 2)
			memcpy(want + l * BYTES, memory, BYTES);
		for (unsigned j = 0; j < n; j++) {
			const uint32_t from = 16 + offset[l] + j * e->bytes;
			uint64_t v = 0, expected = 0xa5a5a5a5a5a5a5a5;
			memcpy(&v, memory + from, e->bytes);
			if (mask >> l & 1) {
				expected = extended(v, e, reg_bytes);
				memcpy(want + (where == 2 ? l * BYTES : 0) + FURTHER + from, &v,
				    e->bytes);
			}
			CHECK(out[j * LANES + l] == expected,
			    "%s x%u into %u bytes, %s, pattern %u, mask %x, lane %u: %" PRIx64
			    ", not %" PRIx64,
			    e->name, n, reg_bytes, space[where], pattern, mask, l,
			    out[j * LANES + l], expected);
		}
	}
	CHECK(!memcmp(at, want, sizeof want),
	    "%s x%u from %u bytes, %s, pattern %u, mask %x: stores", e->name, n, reg_bytes,
	    space[where], pattern, mask);
}

static void
one(const struct element *e, unsigned n, unsigned reg_bytes, unsigned where, unsigned level)
{
	static char ptx[8192];
	struct kit k;
	uint64_t arg[4];
	kernel(ptx, e, n, reg_bytes, where);
	kit_open(&k, ptx, (struct wcp_device_options){.isa_level = level});
	arg[0] = kit_buffer(&k, sizeof memory, "memory");
	arg[1] = kit_buffer(&k, 4 * LANES, "offsets");
	arg[2] = kit_buffer(&k, 8 * 4 * LANES, "results");
	for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
		arg[3] = masks[0];
		launch(&k, arg, e, n, reg_bytes, where, pattern, masks[0]);
		arg[3] = masks[(pattern + n + reg_bytes + where) % MASKS];
		launch(&k, arg, e, n, reg_bytes, where, pattern, (uint32_t)arg[3]);
	}
	kit_close(&k);
}

int
main(void)
{
	static const unsigned level[] = {1, 3, 4};
	for (unsigned i = 0; i < 3; i++) {
		struct wcp_device *probe =
		    wcp_device_new(&(struct wcp_device_options){.isa_level = level[i]}, NULL);
		if (!probe)
			continue; /* this CPU has no such level */
		wcp_device_free(probe);
		for (const struct element *e = element;
		     e < element + sizeof element / sizeof *element; e++)
			for (unsigned n = 1; n <= 4 && n * e->bytes <= 16; n *= 2)
				for (unsigned reg = e->bytes < 2 ? 2 : e->bytes; reg <= 8; reg *= 2)
					for (unsigned where = 0; where < SPACES; where++)
						one(e, n, reg, where, level[i]);
	}
	puts(kit_failures ? "failed" : "ok");
	return kit_failures != 0;
}

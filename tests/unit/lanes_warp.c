/*
 * Operations that look at other lanes, video instructions, and what decoding refuses. Lanes are
 * compared with definitions written lane by lane from the pseudocode of the manual.
 */
#include "lanes_check.h"

static int failures;

static void
expect(bool ok, const char *what, unsigned level, unsigned lane)
{
	if (!ok && failures++ < 20)
		printf("%s: level %u, lane %u\n", what, level, lane);
}

/* ---- shuffles: whole warps, so with a check of their own ---- */

struct warp {
	struct lane_run run;
	uint32_t *d, *a, *b, *c, *e; /* [lane] */
	uint32_t p;
	uint32_t mask;
};

static void
execute(struct warp *w, const char *text, unsigned level, uint32_t mask)
{
	struct lane_run *r = &w->run;
	char *file = r->after;
	if (!lane_decode(r, text, level))
		exit(1);
	lane_setup(r, false);
	lane_fill(r);
	w->d = (uint32_t *)(void *)(file + r->insn.d);
	w->a = (uint32_t *)(void *)(file + r->insn.a);
	w->b = (uint32_t *)(void *)(file + r->insn.b);
	w->c = (uint32_t *)(void *)(file + r->insn.c);
	w->mask = mask;
}

static void
call(struct warp *w)
{
	w->run.insn.fn[w->mask == WCP_FULL_MASK](&w->run.insn, w->run.after, w->mask);
	memcpy(&w->p, w->run.after + w->run.insn.d2, 4);
}

/* The pseudocode of shfl.sync; mode 0 up, 1 down, 2 bfly, 3 idx */
static bool
shuffle_from(int mode, int lane, uint32_t b, uint32_t c, int *from)
{
	int bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
	int max = (lane & segment) | (cval & ~segment), min = lane & segment, j;
	bool p;
	switch (mode) {
	case 0:
		j = lane - bval;
		p = j >= max;
		break;
	case 1:
		j = lane + bval;
		p = j <= max;
		break;
	case 2:
		j = lane ^ bval;
		p = j <= max;
		break;
	default:
		j = min | (bval & ~segment);
		p = j <= max;
		break;
	}
	*from = p ? j : lane;
	return p;
}

static void
check_shuffle(unsigned level)
{
	static const char *const text[] = {"shfl.sync.up.b32 d|p a b c e",
	    "shfl.sync.down.b32 d|p a b c e", "shfl.sync.bfly.b32 d|p a b c e",
	    "shfl.idx.b32 d|p a b c"};
	static const uint32_t clamp[] = {0, 31, 0x1c1f, 0x181f, 0x1000, 0x1f1f, 0x101f};
	static struct warp w;
	for (unsigned i = 0; i < 4 * 200; i++) {
		uint32_t old[32], a[32];
		execute(&w, text[i % 4], level, lane_mask(i / 4));
		for (unsigned l = 0; l < 32; l++)
			w.b[l] = lane_random() & 31, w.c[l] = clamp[lane_random() % 7];
		memcpy(old, w.d, sizeof old);
		memcpy(a, w.a, sizeof a);
		call(&w);
		for (int l = 0; l < 32; l++) {
			int from;
			bool p = shuffle_from(i % 4, l, w.b[l], w.c[l], &from);
			uint32_t want = w.mask >> l & 1 ? a[from] : old[l];
			expect(w.d[l] == want, text[i % 4], level, (unsigned)l);
			if (w.mask >> l & 1)
				expect((w.p >> l & 1) == p, "shfl: p", level, (unsigned)l);
		}
	}
}

/* A butterfly onto its own register sums a warp: the destination is the source. */
static void
check_shuffle_onto_itself(unsigned level)
{
	static struct warp w;
	uint32_t want = 0;
	execute(&w, "shfl.sync.bfly.b32 d a b c e", level, WCP_FULL_MASK);
	w.run.insn.d = w.run.insn.a;
	for (unsigned l = 0; l < 32; l++) {
		w.a[l] = (uint32_t)lane_random();
		want += w.a[l];
		w.c[l] = 31;
	}
	for (unsigned step = 16; step; step /= 2) {
		uint32_t mine[32];
		memcpy(mine, w.a, sizeof mine);
		for (unsigned l = 0; l < 32; l++)
			w.b[l] = step;
		call(&w);
		for (unsigned l = 0; l < 32; l++)
			w.a[l] += mine[l];
	}
	for (unsigned l = 0; l < 32; l++)
		expect(w.a[l] == want, "a sum by butterflies", level, l);
}

/* ---- votes, matches, reductions: groups of lanes that name each other ---- */

static void
name_groups(uint32_t *member, uint32_t mask)
{
	uint32_t one = (uint32_t)lane_random() & mask, other = mask & ~one;
	for (unsigned l = 0; l < 32; l++)
		member[l] = one >> l & 1 ? one : other;
}

static void
check_votes(unsigned level)
{
	static const char *const text[] = {"vote.sync.ballot.b32 d !a b",
	    "vote.all.sync.pred d a b", "vote.sync.any.pred d a b", "vote.sync.uni.pred d a b",
	    "vote.ballot.b32 d a"};
	static struct warp w;
	for (unsigned i = 0; i < 5 * 60; i++) {
		uint32_t votes, old, r;
		execute(&w, text[i % 5], level, lane_mask(i / 5));
		name_groups(w.b, w.mask);
		votes = i % 7 == 0 ? 0 : i % 7 == 1 ? WCP_FULL_MASK : *w.a;
		*w.a = votes;
		memcpy(&old, w.d, 4);
		call(&w);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t group = w.mask & w.b[l], yes = votes & group;
			bool want = i % 5 == 1	 ? yes == group
				    : i % 5 == 2 ? yes != 0
						 : yes == group || yes == 0;
			r = i % 5 == 0 ? ~votes & group : votes & w.mask;
			if (i % 5 == 0 || i % 5 == 4)
				expect(!(w.mask >> l & 1) || w.d[l] == r, text[i % 5], level, l);
			else
				expect((*w.d >> l & 1) == (w.mask >> l & 1 ? want : old >> l & 1),
				    text[i % 5], level, l);
		}
	}
}

static void
check_match(unsigned level)
{
	static struct warp w;
	for (unsigned i = 0; i < 120; i++) {
		bool any = i & 1;
		uint32_t a[32], old[32];
		execute(&w, any ? "match.any.sync.b32 d a b" : "match.all.sync.b32 d|p a b", level,
		    lane_mask(i / 2));
		name_groups(w.b, w.mask);
		for (unsigned l = 0; l < 32; l++)
			w.a[l] = i % 3 ? lane_random() & 1 : 7;
		memcpy(a, w.a, sizeof a);
		memcpy(old, w.d, sizeof old);
		call(&w);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t group = w.mask & w.b[l], same = 0;
			for (unsigned k = 0; k < 32; k++)
				same |= (group >> k & 1 && a[k] == a[l]) ? 1u << k : 0;
			uint32_t want = any ? same : same == group ? group : 0;
			expect(w.d[l] == (w.mask >> l & 1 ? want : old[l]), "match", level, l);
			if (!any && w.mask >> l & 1)
				expect((w.p >> l & 1) == (same == group), "match.all: p", level, l);
		}
	}
}

static uint32_t
fold(unsigned op, uint32_t x, uint32_t y)
{
	switch (op) {
	case 0: return x + y;
	case 1: return x < y ? x : y;
	case 2: return x > y ? x : y;
	case 3: return (int32_t)x < (int32_t)y ? x : y;
	case 4: return (int32_t)x > (int32_t)y ? x : y;
	case 5: return x & y;
	case 6: return x | y;
	default: return x ^ y;
	}
}

/* The least or the greatest of the group's f32, or of their magnitudes; one NaN is enough or all
 * must be. The operands are few, with signed zeros and NaNs among them. */
static void
check_redux_f32(unsigned level)
{
	static const char *const text[] = {"redux.sync.min.f32 d a b", "redux.sync.max.f32 d a b",
	    "redux.sync.min.NaN.f32 d a b", "redux.sync.max.NaN.f32 d a b",
	    "redux.sync.min.abs.f32 d a b", "redux.sync.max.abs.f32 d a b",
	    "redux.sync.min.abs.NaN.f32 d a b", "redux.sync.max.abs.NaN.f32 d a b"};
	static const uint32_t number[] = {0x7fc00000, 0xff800000, 0xbf800000, 0x80000001,
	    0x80000000, 0, 1, 0x3f800000, 0x7f800000}; /* but for the first, in order */
	static struct warp w;
	for (unsigned i = 0; i < 8 * 30; i++) {
		const bool max = i & 1, nan_wins = i & 2, magnitudes = i & 4;
		uint32_t a[32];
		execute(&w, text[i % 8], level, lane_mask(i / 8));
		name_groups(w.b, w.mask);
		for (unsigned l = 0; l < 32; l++)
			w.a[l] = a[l] = number[lane_random() % (i % 3 ? 9 : 2)];
		call(&w);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t want = 0x7fffffff;
			int best = -1;
			bool nan = false;
			for (unsigned k = 0; k < 32; k++) {
				int place = 0;
				if (!(w.mask & w.b[l] & 1u << k))
					continue;
				const uint32_t x = magnitudes ? a[k] & 0x7fffffff : a[k];
				while (number[place] != x)
					place++;
				nan |= !place;
				if (place && (best < 0 || (max ? place > best : place < best)))
					best = place;
			}
			if (best > 0 && !(nan && nan_wins))
				want = number[best];
			expect(!(w.mask >> l & 1) || w.d[l] == want, text[i % 8], level, l);
		}
	}
}

static void
check_redux(unsigned level)
{
	static const char *const text[] = {"redux.sync.add.s32 d a b", "redux.sync.min.u32 d a b",
	    "redux.sync.max.u32 d a b", "redux.sync.min.s32 d a b", "redux.sync.max.s32 d a b",
	    "redux.sync.and.b32 d a b", "redux.sync.or.b32 d a b", "redux.sync.xor.b32 d a b"};
	static struct warp w;
	for (unsigned i = 0; i < 8 * 30; i++) {
		execute(&w, text[i % 8], level, lane_mask(i / 8));
		name_groups(w.b, w.mask);
		call(&w);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t want = 0;
			bool first = true;
			if (!(w.mask >> l & 1))
				continue;
			for (unsigned k = 0; k < 32; k++)
				if (w.mask & w.b[l] & 1u << k) {
					want = first ? w.a[k] : fold(i % 8, want, w.a[k]);
					first = false;
				}
			expect(w.d[l] == want, text[i % 8], level, l);
		}
	}
}

static void
check_leaders(unsigned level)
{
	static struct warp w;
	for (unsigned i = 0; i < 60; i++) {
		execute(&w, "elect.sync d|p a", level, lane_mask(i));
		name_groups(w.a, w.mask);
		call(&w);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t group = w.mask & w.a[l], lowest = group & (0 - group);
			if (!(w.mask >> l & 1))
				continue;
			expect(1u << w.d[l] == lowest, "elect", level, l);
			expect((w.p >> l & 1) == (1u << l == lowest), "elect: p", level, l);
		}
		execute(&w, "activemask.b32 d", level, lane_mask(i));
		call(&w);
		for (unsigned l = 0; l < 32; l++)
			expect(!(w.mask >> l & 1) || w.d[l] == w.mask, "activemask", level, l);
	}
}

/* ---- video: values worked by hand from the manual's description ---- */

static uint32_t
one_lane(const char *text, const char *const selector[3], uint32_t a, uint32_t b, uint32_t c)
{
	static struct warp w;
	struct lane_text t;
	struct wcp_error e;
	execute(&w, text, lanes_best_level(), 1u << 9);
	lane_parse(&t, text);
	for (unsigned i = 0; i < 3 && selector; i++)
		t.op[i].selector = selector[i];
	if (lanes_decode(&t.in, lanes_best_level(), &w.run.code, &e) != 1) {
		printf("%s: %s\n", text, e.text);
		failures++;
		return 0;
	}
	w.run.insn.imm = w.run.code.imm;
	w.a[9] = a;
	w.b[9] = b;
	w.c[9] = c;
	call(&w);
	return w.d[9];
}

static void
check_video(void)
{
	static const struct {
		const char *text, *selector[3];
		uint32_t a, b, c, want;
	} example[] = {
	    {"vabsdiff4.u32.u32.u32.add d a b c", {0}, 0x01ff1005, 0x04000510, 100,
		100 + 3 + 255 + 11 + 11},
	    {"vabsdiff4.s32.s32.s32.add d a b c", {0}, 0x01ff1005, 0x04000510, 0, 3 + 1 + 11 + 11},
	    {"vabsdiff4.u32.u32.u32 d a b c", {0}, 0x01ff1005, 0x04000510, 0, 0x03ff0b0b},
	    {"vadd4.u32.u32.u32 d a b c", {0}, 0xff010203, 0x02010101, 0, 0x01020304},
	    {"vadd4.u32.u32.u32.sat d a b c", {0}, 0xff010203, 0x02010101, 0, 0xff020304},
	    {"vadd4.s32.s32.s32.sat d a b c", {0}, 0x7f80ff01, 0x01ff0101, 0, 0x7f800002},
	    {"vadd4.u32.u32.u32 d a b c", {"b20", NULL, NULL}, 0x01010101, 0x02020202, 0xaabbccdd,
		0xaa03cc03},
	    {"vadd4.u32.u32.u32 d a b c", {NULL, "b0123", "b3210"}, 0x04030201, 0, 0, 0x05050505},
	    {"vsub2.s32.s32.s32.sat d a b c", {0}, 0x80007fff, 0x0001ffff, 0, 0x80007fff},
	    {"vsub2.u32.u32.u32.sat d a b c", {0}, 0x00018000, 0x00020001, 0, 0x00007fff},
	    {"vavrg2.s32.s32.s32 d a b c", {0}, 0x0003fffe, 0x0004ffff, 0, 0x0004fffe},
	    {"vmin4.s32.s32.s32 d a b c", {0}, 0x017f80ff, 0xff800001, 0, 0xff8080ff},
	    {"vmax4.u32.u32.u32 d a b c", {0}, 0x017f80ff, 0xff800001, 0, 0xff8080ff},
	    {"vset4.u32.u32.lt d a b c", {0}, 0x01020304, 0x02020202, 0, 0x01000000},
	    {"vset2.s32.s32.ge.add d a b c", {0}, 0x0005ffff, 0x00050000, 7, 8},
	    {"vadd.s32.s32.s32 d a b", {NULL, "b1", "h1"}, 0x0000ff00, 0xfffe0000, 0, 0xfffffffd},
	    {"vadd.u32.u32.s32.sat d a b", {NULL, "h0", NULL}, 5, 0xfffffff0, 0, 0},
	    {"vadd.s32.u32.u32.sat d a b", {0}, 0xffffffff, 1, 0, 0x7fffffff},
	    {"vadd.u32.u32.u32.sat d a b c", {"b2", NULL, NULL}, 300, 1, 0x11223344, 0x11ff3344},
	    {"vsub.s32.u32.u32.add d a b c", {0}, 3, 5, 10, 8},
	    {"vabsdiff.u32.s32.s32 d a b", {0}, 0x80000000, 0x7fffffff, 0, 0xffffffff},
	    {"vmin.s32.s32.u32.max d a b c", {0}, 0xffffffff, 4, 2, 2},
	    {"vshl.u32.u32.u32.clamp d a b", {0}, 1, 33, 0, 0},
	    {"vshl.u32.u32.u32.wrap d a b", {0}, 1, 33, 0, 2},
	    {"vshr.s32.s32.u32.clamp d a b", {0}, 0x80000000, 40, 0, 0xffffffff},
	    {"vset.s32.s32.lt.add d a b c", {0}, 0xffffffff, 0, 41, 42},
	    {"vmad.u32.u32.u32.shr7 d a b c", {NULL, "b3", NULL}, 0x80000000, 256, 128, 257},
	    {"vmad.s32.s32.s32.po d a b c", {0}, 0xffffffff, 3, 10, 8},
	    {"vmad.s32.s32.s32.sat d a b c", {0}, 0x40000000, 0x40000000, 0, 0x7fffffff},
	};
	for (unsigned i = 0; i < sizeof example / sizeof example[0]; i++) {
		uint32_t got = one_lane(
		    example[i].text, example[i].selector, example[i].a, example[i].b, example[i].c);
		if (got != example[i].want && failures++ < 20)
			printf("%s: %08x, not %08x\n", example[i].text, got, example[i].want);
	}
}

/* ---- decoding ---- */

static void
check_decoding(void)
{
	static const struct {
		const char *text;
		int status;
	} example[] = {{"frobnicate.u32 d a", 0}, {"ld.global.u32 d a", 0},
	    {"add.f32.s32 d a b", WCP_EDATA}, {"add.s8 d a b", WCP_EDATA},
	    {"add.s32 d a", WCP_EDATA}, {"add.s32 d a b c", WCP_EDATA},
	    {"add.s32 d|p a b", WCP_EDATA}, {"add.s32 d a !b", WCP_EDATA},
	    {"setp.ltu.s32 d a b", WCP_EDATA}, {"setp.frob.s32 d a b", WCP_EDATA},
	    {"lop3.b32 d a b c e", WCP_EDATA}, {"lop3.and.b32 d a b c 3 p", WCP_EDATA},
	    {"cvt.rn.s32.f32 d a", WCP_EDATA}, {"fma.f32 d a b c", WCP_EDATA},
	    {"shfl.sync.sideways.b32 d a b c e", WCP_EDATA}, {"add.s32.s32 d a b", WCP_EDATA},
	    {"adds.s32 d a b", 0}, {"ad.s32 d a b", 0}, {"add.s32 d a b", 1},
	    {"addc.cc.u32 d a b", 1}};
	for (unsigned i = 0; i < sizeof example / sizeof example[0]; i++) {
		struct lane_text t;
		struct lane_code code;
		struct wcp_error e = {0};
		lane_parse(&t, example[i].text);
		int status = lanes_decode(&t.in, 1, &code, &e);
		bool says = status >= 0 || strstr(e.text, t.in.base);
		if ((status != example[i].status || !says) && failures++ < 20)
			printf("%s: %d %s\n", example[i].text, status, e.text);
	}
}

int
main(void)
{
	static const unsigned level[] = {1, 3, 4};
	for (unsigned i = 0; i < 3 && level[i] <= lanes_best_level(); i++) {
		check_shuffle(level[i]);
		check_shuffle_onto_itself(level[i]);
		check_votes(level[i]);
		check_match(level[i]);
		check_redux(level[i]);
		check_redux_f32(level[i]);
		check_leaders(level[i]);
	}
	check_video();
	check_decoding();
	printf("%d wrong\n", failures);
	return failures != 0;
}

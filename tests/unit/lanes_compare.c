/* setp, set, selp, slct and mov against comparisons spelled out. */
#include "lanes_check.h"
#include "lanes_soft.h"

/* -1, 0, 1, 2: unordered */
static int
order(enum ptx_type type, uint64_t a, uint64_t b, bool ftz)
{
	static const struct soft_format *const format[PTX_TYPE_COUNT] = {[PTX_F16] = &SOFT_F16,
	    [PTX_BF16] = &SOFT_BF16,
	    [PTX_F32] = &SOFT_F32,
	    [PTX_F64] = &SOFT_F64};
	const struct soft_format *f = format[type];
	unsigned shift = 64 - lane_bits(type);
	bool is_signed = type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
	if (f)
		return soft_compare(soft_decode(ftz ? soft_flush(a, *f) : a, *f),
		    soft_decode(ftz ? soft_flush(b, *f) : b, *f));
	int64_t x = (int64_t)(a << shift) >> shift, y = (int64_t)(b << shift) >> shift;
	return is_signed ? (x > y) - (x < y) : (a > b) - (a < b);
}

static const struct {
	const char *name;
	bool less, equal, greater, unordered;
} relation[] = {{"eq", 0, 1, 0, 0}, {"ne", 1, 0, 1, 0}, {"lt", 1, 0, 0, 0}, {"le", 1, 1, 0, 0},
    {"gt", 0, 0, 1, 0}, {"ge", 0, 1, 1, 0}, {"lo", 1, 0, 0, 0}, {"ls", 1, 1, 0, 0},
    {"hi", 0, 0, 1, 0}, {"hs", 0, 1, 1, 0}, {"equ", 0, 1, 0, 1}, {"neu", 1, 0, 1, 1},
    {"ltu", 1, 0, 0, 1}, {"leu", 1, 1, 0, 1}, {"gtu", 0, 0, 1, 1}, {"geu", 0, 1, 1, 1},
    {"num", 1, 1, 1, 0}, {"nan", 0, 0, 0, 1}};

/* What the reference of the moment compares */
static struct {
	enum ptx_type type;
	unsigned relation;
	bool ftz;
	int bool_op;  /* 0 none, 1 and, 2 or, 3 xor */
	uint64_t one; /* of set */
} now;

static bool
holds(uint64_t a, uint64_t b)
{
	switch (order(now.type, a, b, now.ftz)) {
	case -1: return relation[now.relation].less;
	case 0: return relation[now.relation].equal;
	case 1: return relation[now.relation].greater;
	default: return relation[now.relation].unordered;
	}
}
static bool
combined(bool x, bool y)
{
	return now.bool_op == 0	  ? x
	       : now.bool_op == 1 ? x && y
	       : now.bool_op == 2 ? x || y
				  : x != y;
}
static void
ref_setp(const uint64_t *s, uint64_t *d)
{
	d[0] = combined(holds(s[0], s[1]), s[2]);
	d[1] = combined(!holds(s[0], s[1]), s[2]);
}
static void
ref_set(const uint64_t *s, uint64_t *d)
{
	d[0] = combined(holds(s[0], s[1]), s[2]) ? now.one : 0;
}
static void
ref_setp_pair(const uint64_t *s, uint64_t *d)
{
	d[0] = combined(holds(s[0] & 0xffff, s[1] & 0xffff), s[2]);
	d[1] = combined(holds(s[0] >> 16, s[1] >> 16), s[2]);
}
static void
ref_set_pair(const uint64_t *s, uint64_t *d)
{
	d[0] = combined(holds(s[0] & 0xffff, s[1] & 0xffff), s[2]) ? now.one : 0;
	d[0] |= combined(holds(s[0] >> 16, s[1] >> 16), s[2]) ? now.one << 16 : 0;
}

static unsigned n_checked;
static void
check(reference *ref, const char *head, const char *tail, const char *type, const char *operands)
{
	char text[96];
	snprintf(text, sizeof text, "%s.%s%s.%s %s", head, relation[now.relation].name, tail, type,
	    operands);
	lane_check(text, ref, 12);
	n_checked++;
}

static void
check_relation(const char *name, bool is_float)
{
	now.bool_op = 0;
	now.one = UINT32_MAX;
	check(ref_setp, "setp", "", name, "d a b");
	check(ref_setp, "setp", "", name, "d|p a b");
	check(ref_set, "set", ".u32", name, "d a b");
	now.one = 0x3f800000;
	check(ref_set, "set", ".f32", name, "d a b");
	now.bool_op = 1;
	check(ref_setp, "setp", ".and", name, "d|p a b !c");
	check(ref_set, "set", ".and.f32", name, "d a b c");
	now.bool_op = 2;
	check(ref_setp, "setp", ".or", name, "d a b c");
	now.bool_op = 3;
	check(ref_setp, "setp", ".xor", name, "d|p a b c");
	now.bool_op = 0;
	now.ftz = is_float;
	if (is_float)
		check(ref_setp, "setp", ".ftz", name, "d|p a b");
	now.ftz = false;
}

static void
check_types(void)
{
	static const char *const type[] = {
	    "s16", "u16", "b16", "s32", "u32", "b32", "s64", "u64", "b64", "f32", "f64"};
	for (unsigned t = 0; t < sizeof type / sizeof type[0]; t++) {
		bool is_float = type[t][0] == 'f', is_signed = type[t][0] == 's';
		unsigned n = is_float ? 18 : is_signed ? 6 : 10;
		now.type = ptx_type_named(type[t]);
		for (now.relation = 0; now.relation < n; now.relation++)
			if (!is_float || now.relation < 6 || now.relation > 9)
				check_relation(type[t], is_float && now.type == PTX_F32);
	}
}

static void
check_halves(const char *single, const char *pair, uint64_t one)
{
	now.type = ptx_type_named(single);
	for (now.relation = 0; now.relation < 18; now.relation++) {
		if (now.relation >= 6 && now.relation <= 9)
			continue;
		now.bool_op = 0;
		check(ref_setp, "setp", "", single, "d a b");
		check(ref_setp_pair, "setp", "", pair, "d|p a b");
		now.one = one;
		check(ref_set_pair, "set", one == 0x3c00 ? ".f16x2" : ".bf16x2", pair, "d a b");
		now.one = UINT16_MAX;
		check(ref_set, "set", ".u16", single, "d a b");
		check(ref_set_pair, "set", ".u32", pair, "d a b");
		now.bool_op = 2;
		check(ref_setp_pair, "setp", ".or", pair, "d|p a b !c");
	}
}

REF(mov, a)
REF(selp, c ? a : b)
REF(slct_s32, (int32_t)c >= 0 ? a : b)
REF(slct_f32, (c & 0x7fffffff) > 0x7f800000 || (c >> 31 && c << 33) ? b : a)
REF(slct_ftz_f32, (c & 0x7fffffff) > 0x7f800000 || (c >> 31 && c & 0x7f800000) ? b : a)
static const struct lane_test test[] = {
    {"mov.u16 d a", ref_mov},
    {"mov.b32 d a", ref_mov},
    {"mov.f32 d a", ref_mov},
    {"mov.s64 d a", ref_mov},
    {"mov.pred d a", ref_mov},
    {"selp.b16 d a b c", ref_selp},
    {"selp.f32 d a b c", ref_selp},
    {"selp.u64 d a b c", ref_selp},
    {"slct.u16.s32 d a b c", ref_slct_s32},
    {"slct.b32.s32 d a b c", ref_slct_s32},
    {"slct.f64.s32 d a b c", ref_slct_s32},
    {"slct.b16.f32 d a b c", ref_slct_f32},
    {"slct.f32.f32 d a b c", ref_slct_f32},
    {"slct.ftz.b64.f32 d a b c", ref_slct_ftz_f32},
};

int
main(void)
{
	check_types();
	check_halves("f16", "f16x2", 0x3c00);
	check_halves("bf16", "bf16x2", 0x3f80);
	printf("%u comparisons\n", n_checked);
	return lane_run_tests(test, sizeof test / sizeof test[0], 150);
}

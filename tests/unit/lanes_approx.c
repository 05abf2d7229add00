/*
 * The approximate functions against long double over dense samples: within 0.51 units in the last
 * place of f32, inside what NVIDIA documents, the same bits at every level, and their values at the
 * ends.
 */
#include <math.h>
#include "lanes_check.h"

static int failures;
static const double whole = 0.51; /* units in the last place; only the final rounding may cost */

static float
float_of(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, 4);
	return x;
}
static uint32_t
bits_of(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, 4);
	return bits;
}

/* a[] -> d[] at a level */
static void
run(const char *text, unsigned level, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
	static struct lane_run r;
	static char current[96];
	static unsigned current_level;
	if (strcmp(text, current) != 0 || level != current_level) {
		if (!lane_decode(&r, text, level))
			exit(1);
		lane_setup(&r, false);
		snprintf(current, sizeof current, "%s", text);
		current_level = level;
	}
	memcpy(r.after + r.insn.a, a, 128);
	if (r.insn.b)
		memcpy(r.after + r.insn.b, b, 128);
	r.insn.fn[1](&r.insn, r.after, WCP_FULL_MASK);
	memcpy(d, r.after + r.insn.d, 128);
}

static double
units(float got, long double want)
{
	int exponent;
	frexpl(want, &exponent);
	if (exponent < -125)
		exponent = -125;
	return (double)(fabsl(want - (long double)got) / ldexpl(1, exponent - 24));
}

static void
complain(const char *text, uint32_t a, uint32_t got, const char *what)
{
	if (failures++ < 20)
		printf("%s: of %08x (%a) got %08x: %s\n", text, a, (double)float_of(a), got, what);
}

static uint32_t reached[3]; /* per level, a checksum of the results so far */

/* Samples floats whose bits run from first to last, and their negatives if asked. */
static double
sweep(const char *text, long double (*truth)(long double), float first, float last, bool negative)
{
	static const unsigned level[] = {1, 3, 4};
	uint32_t low = bits_of(first), high = bits_of(last), step = (high - low) / 300000 + 1;
	uint32_t a[32], d[32];
	double worst = 0;
	for (uint32_t x = low; x < high; x += 32 * step)
		for (unsigned i = 0; i < 3 && level[i] <= lanes_best_level(); i++) {
			for (uint32_t l = 0; l < 32; l++)
				a[l] = (x + l * step < high ? x + l * step : high) ^
				       (negative && l & 1 ? 0x80000000 : 0);
			run(text, level[i], a, a, d);
			for (uint32_t l = 0; l < 32; l++) {
				reached[i] = reached[i] * 31 + d[l];
				if (i > 0)
					continue;
				double u =
				    units(float_of(d[l]), truth((long double)float_of(a[l])));
				if (!(u <= whole))
					complain(text, a[l], d[l], "error too large");
				worst = u > worst ? u : worst;
			}
			if (reached[i] != reached[0])
				complain(text, a[0], d[0], "levels differ");
		}
	printf(
	    "%-24s %10.3g to %-10.3g worst error %.4f\n", text, (double)first, (double)last, worst);
	return worst;
}

static long double
rsqrt(long double x)
{
	return 1 / sqrtl(x);
}
static long double
rcp(long double x)
{
	return 1 / x;
}

/* ---- values at the ends ---- */

static void
check_values(void)
{
	static const struct {
		const char *text;
		uint32_t a, want;
	} example[] = {
	    {"lg2.approx.f32.ftz d a", 0x41000000, 0x40400000}, /* modifiers in another order */
	    {"sin.approx.f32 d a", 0x80000000, 0x80000000},
	    {"sin.approx.f32 d a", 0x00000001, 0x00000001},
	    {"sin.approx.ftz.f32 d a", 0x80000001, 0x80000000},
	    {"sin.approx.f32 d a", 0x7f800000, 0x7fffffff},
	    {"cos.approx.f32 d a", 0x00000000, 0x3f800000},
	    {"cos.approx.f32 d a", 0xff800000, 0x7fffffff},
	    {"cos.approx.f32 d a", 0x7fc12345, 0x7fffffff},
	    {"ex2.approx.f32 d a", 0x7f800000, 0x7f800000},
	    {"ex2.approx.f32 d a", 0xff800000, 0x00000000},
	    {"ex2.approx.f32 d a", 0x80000001, 0x3f800000},
	    {"ex2.approx.f32 d a", 0xc3150000, 0x00000001}, /* 2^-149 */
	    {"ex2.approx.ftz.f32 d a", 0xc3150000, 0x00000000},
	    {"ex2.approx.f32 d a", 0x43000000, 0x7f800000},
	    {"ex2.approx.f32 d a", 0xffc00000, 0x7fffffff},
	    {"lg2.approx.f32 d a", 0x00000000, 0xff800000},
	    {"lg2.approx.f32 d a", 0x80000000, 0xff800000},
	    {"lg2.approx.f32 d a", 0x00000001, 0xc3150000},
	    {"lg2.approx.ftz.f32 d a", 0x00000001, 0xff800000},
	    {"lg2.approx.f32 d a", 0x3f800000, 0x00000000},
	    {"lg2.approx.f32 d a", 0xbf800000, 0x7fffffff},
	    {"lg2.approx.f32 d a", 0x7f800000, 0x7f800000},
	    {"tanh.approx.f32 d a", 0x7f800000, 0x3f800000},
	    {"tanh.approx.f32 d a", 0xff800000, 0xbf800000},
	    {"tanh.approx.f32 d a", 0x80000000, 0x80000000},
	    {"tanh.approx.f32 d a", 0x7f812345, 0x7fffffff},
	    {"rcp.approx.f32 d a", 0x80000000, 0xff800000},
	    {"rcp.approx.ftz.f32 d a", 0x80000001, 0xff800000},
	    {"rcp.approx.f32 d a", 0xff800000, 0x80000000},
	    {"rsqrt.approx.f32 d a", 0x80000000, 0xff800000},
	    {"rsqrt.approx.f32 d a", 0x7f800000, 0x00000000},
	    {"rsqrt.approx.f32 d a", 0xbf800000, 0x7fffffff},
	    {"rsqrt.approx.ftz.f32 d a", 0x00000001, 0x7f800000},
	    {"sqrt.approx.f32 d a", 0x80000000, 0x80000000},
	    {"sqrt.approx.f32 d a", 0xbf800000, 0x7fffffff},
	};
	static const unsigned level[] = {1, 3, 4};
	for (unsigned i = 0; i < 3 && level[i] <= lanes_best_level(); i++)
		for (unsigned k = 0; k < sizeof example / sizeof example[0]; k++) {
			uint32_t a[32], d[32];
			for (unsigned l = 0; l < 32; l++)
				a[l] = example[k].a;
			run(example[k].text, level[i], a, a, d);
			if (d[0] != example[k].want || d[31] != example[k].want)
				complain(example[k].text, a[0], d[0], "value at an end");
		}
}

/* ---- f64: 2^-20 of the result with the lower half zero; division seeds of compilers rely on it
 * ---- */

static bool
gross(double got, double want)
{
	uint64_t bits;
	memcpy(&bits, &got, 8);
	return (uint32_t)bits == 0 && (got == want || fabs(got - want) <= 0x1p-20 * fabs(want));
}

static void
check_double(const char *text, double (*truth)(double), const double *end, const double *want)
{
	static struct lane_run r;
	double *a, *d;
	if (!lane_decode(&r, text, lanes_best_level()))
		exit(1);
	lane_setup(&r, false);
	a = (double *)(void *)(r.after + r.insn.a);
	d = (double *)(void *)(r.after + r.insn.d);
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned l = 0; l < 32; l++)
			a[l] = i ? ldexp(1 + (double)(lane_random() >> 12) * 0x1p-52,
				       (int)(lane_random() % 1800) - 900)
				 : end[l % 4];
		r.insn.fn[1](&r.insn, r.after, WCP_FULL_MASK);
		for (unsigned l = 0; l < 32; l++)
			if (!gross(d[l], i ? truth(a[l]) : want[l % 4]) && failures++ < 20)
				printf("%s: of %a got %a\n", text, a[l], d[l]);
	}
}
static double
rcp_double(double x)
{
	return 1 / x;
}
static double
rsqrt_double(double x)
{
	return 1 / sqrt(x);
}

int
main(void)
{
	static const double end[] = {-0.0, INFINITY, 0x1p-1060, 0x1p1023};
	static const double rcp_end[] = {-INFINITY, 0, INFINITY, 0};
	static const double rsqrt_end[] = {-INFINITY, 0, INFINITY, 0x1.6a09e667f3bcdp-512};
	sweep("sin.approx.f32 d a", sinl, 0x1p-140f, 6.2831855f, true);
	sweep("sin.approx.f32 d a", sinl, 6.2831855f, 314.15927f, true);
	sweep("sin.approx.f32 d a", sinl, 314.15927f, 0x1.fffffep127f, true);
	sweep("cos.approx.f32 d a", cosl, 0x1p-30f, 6.2831855f, true);
	sweep("cos.approx.f32 d a", cosl, 6.2831855f, 0x1.fffffep127f, true);
	sweep("ex2.approx.f32 d a", exp2l, 0x1p-30f, 127.9f, true);
	sweep("ex2.approx.f32 d a", exp2l, 120.0f, 127.999f, true);
	sweep("lg2.approx.f32 d a", log2l, 0x1p-149f, 0x1.fffffep127f, false);
	sweep("lg2.approx.f32 d a", log2l, 0.99f, 1.01f, false);
	sweep("tanh.approx.f32 d a", tanhl, 0x1p-140f, 40, true);
	sweep("tanh.approx.f32 d a", tanhl, 0x1p-14f, 0x1p-10f, true);
	sweep("rsqrt.approx.f32 d a", rsqrt, 0x1p-149f, 0x1.fffffep127f, false);
	sweep("sqrt.approx.f32 d a", sqrtl, 0x1p-149f, 0x1.fffffep127f, false);
	sweep("rcp.approx.f32 d a", rcp, 0x1p-126f, 0x1.fffffep127f, true);
	check_values();
	check_double("rcp.approx.ftz.f64 d a", rcp_double, end, rcp_end);
	check_double("rsqrt.approx.ftz.f64 d a", rsqrt_double, end, rsqrt_end);
	printf("%d wrong\n", failures);
	return failures != 0;
}

/* Nanoseconds of 32 lanes of an operation, masked and full, at each level of this CPU.
 * Informational. */
#include <time.h>
#include "lanes_check.h"

static double
now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Ordinary values: subnormal operands would measure the CPU's traps. */
static void
fill_ordinary(struct lane_run *r)
{
	const uint32_t *src[4] = {&r->insn.a, &r->insn.b, &r->insn.c, &r->insn.e};
	lane_fill(r);
	for (unsigned i = 0; i < r->code.n_src; i++)
		for (unsigned l = 0; l < WCP_LANES; l++) {
			enum ptx_type type = r->code.src[i];
			uint64_t f64 = 0x3ff8000000000000u + ((uint64_t)l << 40);
			uint64_t value = type == PTX_F32   ? 0x3fc00000u + (l << 12)
					 : type == PTX_F64 ? f64
					 : type == PTX_F16 ? 0x3e00 + l
							   : l * 0x01234567u + 3;
			lane_put(r->after, *src[i], type, l, type == PTX_PRED ? l & 1 : value);
		}
}

static double
measure(const char *text, unsigned level, uint32_t mask)
{
	static struct lane_run r;
	enum { TIMES = 20000 };
	double best = 1e9;
	if (!lane_decode(&r, text, level))
		exit(1);
	lane_setup(&r, false);
	fill_ordinary(&r);
	for (unsigned turn = 0; turn < 5; turn++) {
		double start = now_ns(), ns;
		for (unsigned i = 0; i < TIMES; i++)
			r.insn.fn[mask == WCP_FULL_MASK](&r.insn, r.after, mask);
		ns = (now_ns() - start) / TIMES;
		best = ns < best ? ns : best;
	}
	return best;
}

int
main(void)
{
	static const char *const op[] = {"mov.b32 d a", "add.s32 d a b", "add.s64 d a b",
	    "mad.lo.s32 d a b c", "mul.wide.s32 d a b", "shl.b32 d a b", "div.u32 d a b",
	    "rem.s64 d a b", "setp.lt.s32 d a b", "setp.gt.f64 d a b", "selp.b32 d a b c",
	    "add.f32 d a b", "add.ftz.f32 d a b", "fma.rn.f32 d a b c", "fma.rz.f32 d a b c",
	    "div.rn.f32 d a b", "fma.rn.f64 d a b c", "sin.approx.f32 d a", "ex2.approx.f32 d a",
	    "rsqrt.approx.f32 d a", "cvt.rn.f32.s32 d a", "cvt.rzi.s32.f32 d a", "cvt.f64.f32 d a",
	    "add.f16 d a b", "popc.b32 d a", "bfe.u32 d a b c", "prmt.b32 d a b c",
	    "shfl.sync.bfly.b32 d a b c e", "vote.sync.ballot.b32 d a b",
	    "match.any.sync.b32 d a b"};
	static const unsigned level[] = {1, 3, 4};
	printf("%-30s", "ns for 32 lanes, full/masked");
	for (unsigned k = 0; k < 3 && level[k] <= lanes_best_level(); k++)
		printf("        level %u", level[k]);
	printf("\n");
	for (unsigned i = 0; i < sizeof op / sizeof op[0]; i++) {
		printf("%-30s", op[i]);
		for (unsigned k = 0; k < 3 && level[k] <= lanes_best_level(); k++)
			printf(" %7.1f/%7.1f", measure(op[i], level[k], WCP_FULL_MASK),
			    measure(op[i], level[k], 0x5a5ac3c3));
		printf("\n");
	}
	return 0;
}

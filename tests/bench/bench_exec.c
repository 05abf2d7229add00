/*
 * Functional execution with recording and compression on, one core: thread instructions a second
 * for four kinds of kernel. Prints "name value unit floor", the best of five runs.
 */
#include "exec_kit.h"

/* y = 3 x + y over a grid-stride loop: loads and stores of whole lines */
static const char coalesced[] = HEAD KERNEL
    "mov.u32 %r5, %nctaid.x;\nmul.lo.s32 %r5, %r5, %r3;\nmul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, "
    "%rd1, %rd3;\n"
    "add.s64 %rd5, %rd2, %rd3;\nmul.wide.s32 %rd6, %r5, 4;\n"
    "LOOP:\nsetp.ge.s32 %p1, %r4, %r10;\n@%p1 bra DONE;\nld.global.f32 %f1, [%rd4];\nld.global.f32 "
    "%f2, [%rd5];\n"
    "fma.rn.f32 %f2, %f1, 0f40400000, %f2;\nst.global.f32 [%rd5], %f2;\nadd.s64 %rd4, %rd4, %rd6;\n"
    "add.s64 %rd5, %rd5, %rd6;\nadd.s32 %r4, %r4, %r5;\nbra LOOP;\nDONE:\nret;\n}\n";

static const char alu[] =
    HEAD KERNEL "cvt.rn.f32.s32 %f1, %r4;\nmov.f32 %f2, 0f3F000000;\nmov.u32 %r5, 0;\nmov.u32 %r6, "
		"%r4;\nmov.u32 %r7, 1;\n"
		"LOOP:\nfma.rn.f32 %f1, %f1, %f2, %f2;\nadd.f32 %f3, %f1, %f2;\nmul.f32 %f4, %f3, "
		"%f2;\nadd.s32 %r6, %r6, %r5;\n"
		"xor.b32 %r7, %r7, %r6;\nshl.b32 %r8, %r7, 1;\nmad.lo.s32 %r6, %r8, 3, "
		"%r6;\nadd.f32 %f1, %f1, %f4;\n"
		"mul.f32 %f1, %f1, 0f3E800000;\nadd.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, "
		"%r10;\n@%p1 bra LOOP;\n"
		"cvt.rn.f32.s32 %f5, %r6;\nadd.f32 %f1, %f1, %f5;\nmul.wide.s32 %rd3, %r4, "
		"4;\nadd.s64 %rd3, %rd1, %rd3;\n"
		"st.global.f32 [%rd3], %f1;\nret;\n}\n";

/* trip counts from data, an if/else in the loop, masked loads */
static const char divergent[] = HEAD KERNEL
    "mul.lo.s32 %r5, %r4, -1640531527;\nshr.u32 %r6, %r5, 26;\nadd.s32 %r6, %r6, 4;\nmov.u32 %r7, "
    "0;\n"
    "LOOP:\nmad.lo.s32 %r5, %r5, 1664525, 1013904223;\nshr.u32 %r8, %r5, 16;\nsetp.gt.u32 %p1, "
    "%r8, 32768;\n@%p1 bra ELSE;\n"
    "and.b32 %r9, %r8, 16383;\nmul.wide.u32 %rd3, %r9, 4;\nadd.s64 %rd3, %rd1, "
    "%rd3;\nld.global.u32 %r11, [%rd3];\n"
    "add.s32 %r7, %r7, %r11;\nbra.uni JOIN;\nELSE:\nxor.b32 %r7, %r7, %r8;\nadd.s32 %r7, %r7, "
    "3;\nshl.b32 %r12, %r7, 3;\n"
    "add.s32 %r7, %r7, %r12;\nJOIN:\nadd.s32 %r6, %r6, -1;\nsetp.ne.s32 %p2, %r6, 0;\n@%p2 bra "
    "LOOP;\n"
    "mul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r7;\nret;\n}\n";

/* every lane its own random word, again and again */
static const char gather[] = HEAD KERNEL
    "mul.lo.s32 %r5, %r4, -1640531527;\nmov.u32 %r6, 64;\nmov.u32 %r7, 0;\n"
    "LOOP:\nmad.lo.s32 %r5, %r5, 1664525, 1013904223;\nshr.u32 %r8, %r5, 12;\nmul.wide.u32 %rd3, "
    "%r8, 4;\n"
    "add.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r9, [%rd3];\nadd.s32 %r7, %r7, %r9;\nadd.s32 %r6, "
    "%r6, -1;\n"
    "setp.ne.s32 %p2, %r6, 0;\n@%p2 bra LOOP;\n"
    "mul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r7;\nret;\n}\n";

int
main(int argc, char **argv)
{
	static const struct bench_kernel kernel[] = {
	    {"coalesced", coalesced, 64, 1 << 20, 400, 1.5, false},
	    {"alu", alu, 64, 2000, 800, 1.5, false},
	    {"branch-divergent", divergent, 512, 0, 80, 6, false},
	    {"random-gather", gather, 512, 0, 120, 6, false}};
	rate_kernels(kernel, sizeof kernel / sizeof kernel[0], argc > 1 ? argv[1] : NULL, 5);
	return 0;
}

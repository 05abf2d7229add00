/*
 * Loops of patterns that CUDA programs are full of beside those of bench_exec: small and vector
 * elements, tiles in shared memory, lanes that read one word, textures, shuffles of halves, packed
 * bytes, atomics, matrix fragments. Prints "name value unit floor", the best of three runs.
 */
#include "exec_kit.h"

#define LOOP                                                                                       \
	"mov.u32 %r6, 96;\nmul.wide.u32 %rd3, %r4, 16;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, " \
	"%rd2, %rd3;\n"                                                                            \
	"mov.f32 %f1, 0f00000000;\ncvt.rn.f32.u32 %f2, %r1;\nLOOP:\n"
#define END                                                                                       \
	"add.s32 %r6, %r6, -1;\nsetp.ne.s32 %p1, %r6, 0;\n@%p1 bra LOOP;\nst.global.f32 [%rd5], " \
	"%f1;\nret;\n}\n"

/* a tile of 16 rows times another, blocks of 16 x 16 threads */
static const char tiles[] = HEAD
    ".shared .align 4 .b8 sh[8192];\n" KERNEL
    "shr.u32 %r11, %r1, 4;\nand.b32 %r12, %r1, 15;\nmov.u32 %r13, sh;\nshl.b32 %r14, %r11, 6;\n"
    "add.s32 %r14, %r14, %r13;\nshl.b32 %r15, %r12, 2;\nadd.s32 %r15, %r15, %r13;\n" LOOP
    "ld.shared.f32 %f3, [%r14+4];\nld.shared.f32 %f4, [%r15+1024];\nfma.rn.f32 %f1, %f3, %f4, "
    "%f1;\n"
    "ld.shared.f32 %f3, [%r14+8];\nld.shared.f32 %f4, [%r15+1088];\nfma.rn.f32 %f1, %f3, %f4, "
    "%f1;\n" END;

/* whole rows of shared memory and words that all lanes read */
static const char rows[] = HEAD
    ".shared .align 4 .b8 sh[8192];\n" KERNEL
    "mov.u32 %r13, sh;\nshl.b32 %r15, %r1, 2;\nadd.s32 %r15, %r15, %r13;\n" LOOP
    "ld.shared.f32 %f3, [%r15+64];\nld.shared.f32 %f4, [sh+8];\nfma.rn.f32 %f1, %f3, %f4, %f1;\n"
    "ld.shared.f32 %f5, [%r15+128];\nld.shared.f32 %f4, [sh+12];\nfma.rn.f32 %f1, %f5, %f4, %f1;\n"
    "st.shared.f32 [%r15+4096], %f1;\n" END;

static const char bytes[] = HEAD KERNEL
    "cvt.u64.u32 %rd6, %r4;\nadd.s64 %rd7, %rd1, %rd6;\nadd.s64 %rd8, %rd2, %rd6;\n.reg .b16 "
    "%h<4>;\n" LOOP
    "ld.global.u8 %h1, [%rd7];\nld.global.s8 %r11, [%rd8+65536];\nadd.s16 %h1, %h1, 3;\n"
    "add.s32 %r12, %r12, %r11;\nst.global.u8 [%rd8], %h1;\nst.global.u8 [%rd8+131072], %r12;\n" END;

static const char vectors[] =
    HEAD KERNEL LOOP "ld.global.v4.f32 {%f3, %f4, %f5, %f6}, [%rd4];\nadd.f32 %f3, %f3, "
		     "%f2;\nadd.f32 %f5, %f5, %f6;\n"
		     "ld.global.v2.u32 {%r11, %r12}, [%rd4+65536];\nst.global.v4.f32 "
		     "[%rd5+262144], {%f3, %f4, %f5, %f6};\n" END;

/* some lanes only, all at one word, as tables of generators are read */
static const char one_word[] = HEAD KERNEL
    "mul.lo.s32 %r11, %r1, -1640531527;\nmul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd6, "
    "%rd1;\nmov.u32 %r14, 0;\n" LOOP "and.b32 %r12, %r6, 31;\nshr.u32 %r12, %r11, %r12;\nand.b32 "
    "%r12, %r12, 1;\nsetp.eq.u32 %p2, %r12, 0;\n@%p2 bra NEXT;\n"
    "ld.global.u32 %r13, [%rd6];\nxor.b32 %r14, %r14, %r13;\nld.global.u32 %r13, "
    "[%rd6+4];\nxor.b32 %r14, %r14, %r13;\n"
    "ld.global.u32 %r13, [%rd6+8];\nxor.b32 %r14, %r14, %r13;\nNEXT:\n" END;

static const char filtered[] = HEAD KERNEL
    "shr.u32 %r11, %r4, 5;\nand.b32 %r12, %r4, 31;\ncvt.rn.f32.u32 %f8, %r11;\ncvt.rn.f32.u32 %f7, "
    "%r12;\n" LOOP "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f7, %f8}];\nadd.f32 %f1, %f1, "
    "%f3;\nadd.f32 %f7, %f7, 0f3FA00000;\n" END;

static const char shuffled[] =
    HEAD KERNEL ".reg .f64 %d<4>;\ncvt.rn.f64.u32 %d1, %r1;\n" LOOP
		"mov.b64 {%r11, %r12}, %d1;\nshfl.sync.down.b32 %r13|%p2, %r11, 8, 31, -1;\n"
		"shfl.sync.down.b32 %r14|%p2, %r12, 8, 31, -1;\nmov.b64 %d2, {%r13, "
		"%r14};\nadd.f64 %d1, %d1, %d2;\n" END;

static const char packed[] =
    HEAD KERNEL "mov.u32 %r12, 7;\n" LOOP "vabsdiff4.u32.u32.u32.add %r12, %r12, %r1, "
		"%r12;\nvadd4.u32.u32.u32 %r11, %r12, %r1, %r1;\n" END;

/* a histogram in shared memory, as random as bytes of text are not */
static const char counted[] =
    HEAD ".shared .align 4 .b8 sh[1024];\n" KERNEL
	 "mul.lo.s32 %r5, %r4, -1640531527;\nmov.u32 %r13, sh;\n" LOOP
	 "mad.lo.s32 %r5, %r5, 1664525, 1013904223;\nshr.u32 %r8, %r5, 24;\nshl.b32 %r8, %r8, 2;\n"
	 "add.s32 %r8, %r8, %r13;\natom.shared.add.u32 %r9, [%r8], 1;\n" END;

static const char matrices[] = HEAD KERNEL
    ".reg .b32 %h<8>;\nmov.u32 %h1, 0x3c003c00;\n" LOOP
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f10, %f11, %f12, %f13, %f14, %f15, %f16, "
    "%f17}, "
    "{%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1}, {%h1, %h1, %h1, %h1, %h1, %h1, %h1, %h1}, "
    "{%f10, %f11, %f12, %f13, %f14, %f15, %f16, %f17};\n" END;

int
main(int argc, char **argv)
{
	static const struct bench_kernel kernel[] = {{"shared-tiles", tiles, 64, 0, 400, 0, false},
	    {"shared-rows", rows, 64, 0, 400, 0, false}, {"bytes", bytes, 64, 0, 300, 0, false},
	    {"vectors", vectors, 64, 0, 300, 0, false},
	    {"one-word", one_word, 64, 0, 200, 0, false},
	    {"filtered", filtered, 64, 0, 50, 0, true},
	    {"shuffled-halves", shuffled, 64, 0, 200, 0, false},
	    {"packed-bytes", packed, 64, 0, 100, 0, false},
	    {"counted", counted, 64, 0, 100, 0, false}, {"matrices", matrices, 16, 0, 5, 0, false}};
	rate_kernels(kernel, sizeof kernel / sizeof kernel[0], argc > 1 ? argv[1] : NULL, 3);
	return 0;
}

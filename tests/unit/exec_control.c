/* Control flow of the executor: what each thread computes must be what it would compute alone. */
#include "exec_kit.h"

#define THREADS 96u

typedef uint32_t expect_fn(uint32_t thread);

static void
run(const char *name, const char *ptx, expect_fn *expect)
{
	uint32_t out[THREADS] = {0};
	int r = kit_words(ptx, 3, THREADS / 3, out, NULL);
	CHECK(r == 0, "%s: status %d", name, r);
	for (uint32_t i = 0; r == 0 && i < THREADS; i++)
		CHECK(out[i] == expect(i), "%s: thread %u: got %u, want %u", name, i, out[i],
		    expect(i));
}

/* if (t & 1) { if (t & 2) x = 10; else x = 20; x += 1 } else if (t % 3 == 0) x = 30; out = x + t */
static const char nested[] =
    HEAD KERNEL("k") "mov.u32 %r4, 0;\n"
		     "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra EVEN;\n"
		     "and.b32 %r6, %r1, 2;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra TWO;\n"
		     "mov.u32 %r4, 10;\nbra JOIN;\nTWO:\nmov.u32 %r4, 20;\nJOIN:\n"
		     "add.u32 %r4, %r4, 1;\nbra OUT;\n"
		     "EVEN:\nrem.u32 %r7, %r1, 3;\nsetp.ne.u32 %p3, %r7, 0;\n@%p3 bra OUT;\n"
		     "mov.u32 %r4, 30;\nOUT:\nadd.u32 %r4, %r4, %r1;\n" PUT("%r4") END;
static uint32_t
expect_nested(uint32_t t)
{
	uint32_t x = t & 1 ? (t & 2 ? 10u : 20u) + 1 : t % 3 == 0 ? 30u : 0;
	return x + t;
}

/* a loop that each thread leaves after its own number of rounds, with a continue and a break */
static const char loops[] = HEAD KERNEL(
    "k") "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
	 "LOOP:\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n"
	 "add.u32 %r5, %r5, 1;\nand.b32 %r6, %r5, 3;\nsetp.eq.u32 %p2, %r6, 0;\n"
	 "@%p2 bra LOOP;\nadd.u32 %r4, %r4, %r5;\nsetp.gt.u32 %p3, %r4, 500;\n"
	 "@%p3 bra BREAK;\nbra LOOP;\nBREAK:\nadd.u32 %r4, %r4, 100000;\nDONE:\n" PUT("%r4") END;
static uint32_t
expect_loops(uint32_t t)
{
	uint32_t sum = 0, i = 0;
	while (i < t) {
		i++;
		if ((i & 3) == 0)
			continue;
		sum += i;
		if (sum > 500)
			return sum + 100000;
	}
	return sum;
}

/* two entries into a loop: not reducible */
static const char irreducible[] = HEAD KERNEL(
    "k") "mov.u32 %r4, 0;\nmov.u32 %r5, %r1;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 "
	 "bra B;\n"
	 "A:\nadd.u32 %r4, %r4, 3;\n"
	 "B:\nadd.u32 %r4, %r4, 5;\nsetp.lt.u32 %p2, %r5, 4;\n@%p2 bra OUT;\nsub.u32 %r5, %r5, 4;\n"
	 "and.b32 %r6, %r5, 2;\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra B;\nbra A;\nOUT:\n" PUT("%r4")
	     END;
static uint32_t
expect_irreducible(uint32_t t)
{
	uint32_t x = 0, n = t;
	bool a = t & 1;
	for (;;) {
		x += a ? 8 : 5;
		if (n < 4)
			return x;
		n -= 4;
		a = n & 2;
	}
}

/* threads end inside a loop, at different rounds; the rest goes on and meets again */
static const char exits[] = HEAD KERNEL(
    "k") "mov.u32 %r4, 0;\n"
	 "LOOP:\nadd.u32 %r4, %r4, 1;\nsetp.eq.u32 %p1, %r4, %r1;\n" PUT(
	     "%r4") "@%p1 exit;\n"
		    "setp.lt.u32 %p2, %r4, 40;\n@%p2 bra LOOP;\nadd.u32 %r4, %r4, 1000;\n" PUT(
			"%r4") END;
static uint32_t
expect_exits(uint32_t t)
{
	return t >= 1 && t <= 40 ? t : 1040;
}

/* guards on arithmetic and memory, negated and not */
static const char guards[] = HEAD KERNEL(
    "k") "rem.u32 %r4, %r1, 5;\nsetp.lt.u32 %p1, %r4, 2;\nmov.u32 %r5, 7;\n"
	 "@%p1 add.u32 %r5, %r5, 100;\n@!%p1 mul.lo.u32 %r5, %r5, 3;\n" PUT(
	     "%r1") "@%p1 st.global.u32 [%rd2], %r5;\n"
		    "@!%p1 ld.global.u32 %r6, [%rd2];\n@!%p1 st.global.u32 [%rd2], %r5;\n" END;
static uint32_t
expect_guards(uint32_t t)
{
	return t % 5 < 2 ? 107 : 21;
}

static const char table[] =
    HEAD KERNEL("k") "rem.u32 %r4, %r1, 4;\n"
		     "T: .branchtargets A, B, C, B;\nbrx.idx %r4, T;\n"
		     "A:\nmov.u32 %r5, 11;\nbra OUT;\nB:\nmov.u32 %r5, 22;\nbra OUT;\n"
		     "C:\nmov.u32 %r5, 33;\nOUT:\nadd.u32 %r5, %r5, %r1;\n" PUT("%r5") END;
static uint32_t
expect_table(uint32_t t)
{
	static const uint32_t value[] = {11, 22, 33, 22};
	return value[t % 4] + t;
}

/* fib by two recursive calls under divergence, with a local array in every frame */
static const char recursion[] =
    HEAD ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg "
	 ".pred %p<2>;\n"
	 ".local .align 4 .b8 keep[8];\n"
	 "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\nmov.u32 %r2, %r1;\n@%p1 bra BASE;\n"
	 "mov.u64 %rd1, keep;\nst.local.u32 [%rd1+4], %r1;\nsub.u32 %r3, %r1, 1;\n"
	 "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r3;\ncall.uni (b), fib, "
	 "(a);\nld.param.b32 %r4, [b]; }\n"
	 "ld.local.u32 %r5, [keep+4];\nsub.u32 %r5, %r5, 2;\n"
	 "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r5;\ncall.uni (b), fib, "
	 "(a);\nld.param.b32 %r6, [b]; }\n"
	 "add.u32 %r2, %r4, %r6;\nBASE:\nst.param.b32 [r], %r2;\nret;\n}\n" KERNEL(
	     "k") "rem.u32 %r4, %r1, 12;\n{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], "
		  "%r4;\ncall.uni (b), fib, (a);\n"
		  "ld.param.b32 %r5, [b]; }\n" PUT("%r5") END;
static uint32_t
expect_fib(uint32_t t)
{
	uint32_t a = 0, b = 1;
	for (uint32_t n = t % 12; n; n--) {
		uint32_t c = a + b;
		a = b;
		b = c;
	}
	return a;
}

/* early returns from a function called by some lanes, a guarded ret, a guarded call */
static const char functions[] = HEAD
    ".func (.param .b32 r) f(.param .b32 n, .param .align 8 .b8 s[16])\n{\n.reg .b32 %r<8>;\n.reg "
    ".b64 %rd<4>;\n"
    ".reg .pred %p<4>;\n"
    "ld.param.u32 %r1, [n];\nld.param.u64 %rd1, [s+8];\ncvt.u32.u64 %r2, %rd1;\nadd.u32 %r2, %r2, "
    "%r1;\n"
    "st.param.b32 [r], %r2;\nand.b32 %r3, %r1, 4;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 ret;\n"
    "and.b32 %r3, %r1, 8;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra L;\nadd.u32 %r2, %r2, 1000;\n"
    "st.param.b32 [r], %r2;\nret;\nL:\nadd.u32 %r2, %r2, 2000;\nst.param.b32 [r], "
    "%r2;\nret;\n}\n" KERNEL(
	"k") "mov.u32 %r5, 5;\nand.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 1;\nmov.u64 %rd5, 77;\n"
	     "{ .param .b32 a; .param .align 8 .b8 s[16]; .param .b32 b;\nst.param.b32 [a], %r1;\n"
	     "st.param.v2.b64 [s], {%rd2, %rd5};\n@%p1 call (b), f, (a, s);\n@%p1 ld.param.b32 "
	     "%r5, [b]; }\n" PUT("%r5") END;
static uint32_t
expect_functions(uint32_t t)
{
	if (!(t & 1))
		return 5;
	return 77 + t + (t & 4 ? 0 : t & 8 ? 2000 : 1000);
}

static const char indirect[] =
    HEAD ".func (.param .b32 r) twice(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
	 "shl.b32 %r1, %r1, 1;\nst.param.b32 [r], %r1;\nret;\n}\n"
	 ".func (.param .b32 r) plus9(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
	 "add.u32 %r1, %r1, 9;\nst.param.b32 [r], %r1;\nret;\n}\n"
	 ".global .align 8 .u64 vt[2] = {twice, plus9};\n" KERNEL(
	     "k") "rem.u32 %r4, %r1, 3;\nsetp.eq.u32 %p1, %r4, 0;\nselp.u32 %r5, 1, 0, "
		  "%p1;\nmul.wide.u32 %rd3, %r5, 8;\n"
		  "mov.u64 %rd4, vt;\nadd.u64 %rd4, %rd4, %rd3;\nld.global.u64 %rd5, [%rd4];\n"
		  "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\n"
		  "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd5, (a), P;\n"
		  "ld.param.b32 %r6, [b]; }\n" PUT("%r6") END;
static uint32_t
expect_indirect(uint32_t t)
{
	return t % 3 == 0 ? t + 9 : 2 * t;
}

/* lanes that a divergent branch parts are together again at a .sync operation in the common code */
static const char votes[] = HEAD KERNEL(
    "k") "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\nmov.u32 %r5, 0;\n@%p1 bra A;\n"
	 "mov.u32 %r5, 3;\nA:\nvote.sync.ballot.b32 %r6, %p1, 0xffffffff;\n"
	 "popc.b32 %r6, %r6;\nadd.u32 %r5, %r5, %r6;\n" PUT("%r5") END;
static uint32_t
expect_votes(uint32_t t)
{
	return t & 1 ? 19 : 16;
}

/* the same place in both arms: bar.warp.sync and shfl.sync of all lanes inside a divergent region
 */
static const char inside[] = HEAD KERNEL(
    "k") "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\nmov.u32 %r7, %laneid;\n@%p1 bra A;\n"
	 "bar.warp.sync 0xffffffff;\nadd.u32 %r5, %r7, 100;\nbra OUT;\n"
	 "A:\nbar.warp.sync 0xffffffff;\nadd.u32 %r5, %r7, 200;\nOUT:\n" PUT("%r5") END;
static uint32_t
expect_inside(uint32_t t)
{
	return t % 32 + (t & 1 ? 100 : 200);
}

/* both sides end: the branch has no place to meet */
static const char no_meet[] =
    HEAD KERNEL("k") "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra A;\n" PUT(
	"1") "ret;\nA:\n"
	     "and.b32 %r4, %r1, 2;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra B;\nadd.u32 %r1, %r1, "
	     "1;\nB:\n" PUT("%r1") END;
static uint32_t
expect_no_meet(uint32_t t)
{
	return t & 1 ? 1 : t & 2 ? t + 1 : t;
}

/* a function that takes the address of a struct it was passed, and indexes it by lane */
static const char spilled[] = HEAD
    ".func (.param .b32 r) pick(.param .b32 n, .param .align 8 .b8 s[16])\n{\n.reg .b32 %r<8>;\n"
    ".reg .b64 %rd<8>;\nmov.b64 %rd1, s;\ncvta.local.u64 %rd1, %rd1;\nld.param.u32 %r1, [n];\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\nld.u32 %r2, [%rd1];\n"
    "st.param.b32 [r], %r2;\nret;\n}\n" KERNEL(
	"k") "and.b32 %r4, %r1, 3;\nadd.u32 %r5, %r1, 50;\n"
	     "{ .param .b32 a; .param .align 8 .b8 s[16]; .param .b32 b;\nst.param.b32 [a], %r4;\n"
	     "st.param.v4.b32 [s], {%r1, %r4, %r5, 7};\ncall (b), pick, (a, s);\nld.param.b32 %r6, "
	     "[b]; }\n" PUT("%r6") END;
static uint32_t
expect_spilled(uint32_t t)
{
	const uint32_t s[] = {t, t & 3, t + 50, 7};
	return s[t & 3];
}

/* lanes come one by one, out of order, to collectives of their tile of 8: in the kernel, then in a
 * function, in a frame of their own each */
#define SUM_OF_TILE(reg)                                                                  \
	"shfl.sync.bfly.b32 %r9, " reg ", 1, 0x181f, %r8;\nadd.u32 " reg ", " reg         \
	", %r9;\nshfl.sync.bfly.b32 %r9, " reg ", 2, 0x181f, %r8;\nadd.u32 " reg ", " reg \
	", %r9;\nshfl.sync.bfly.b32 %r9, " reg ", 4, 0x181f, %r8;\nadd.u32 " reg ", " reg \
	", %r9;\n"
static const char tiles[] =
    HEAD ".func (.reg .u32 %out) sum(.reg .u32 %v, .reg .u32 %r8)\n{\n.reg .u32 "
	 "%r9;\n" SUM_OF_TILE("%v") "mov.u32 %out, %v;\nret;\n}\n" KERNEL(
	     "k") ".shared .align 4 .u32 turn;\nmov.u32 %r4, %laneid;\nmul.lo.u32 %r5, %r4, "
		  "5;\n"
		  "and.b32 %r5, %r5, 31;\nmov.u32 %r6, turn;\n"
		  "LOOP:\nld.volatile.shared.u32 %r7, [%r6];\nsetp.ne.u32 %p1, %r7, %r5;\n@%p1 "
		  "bra LOOP;\n"
		  "add.u32 %r7, %r7, 1;\nst.volatile.shared.u32 [%r6], %r7;\n"
		  "and.b32 %r8, %r4, 24;\nmov.u32 %r10, 255;\nshl.b32 %r8, %r10, %r8;\n"
		  "mul.lo.u32 %r11, %r1, %r1;\n" SUM_OF_TILE("%r11")
		      PUT("%r11") "sub.u32 %r5, %r5, 32;\n"
				  "AGAIN:\nld.volatile.shared.u32 %r7, [%r6];\nsub.u32 %r7, %r7, "
				  "64;\n"
				  "setp.ne.u32 %p1, %r7, %r5;\n@%p1 bra AGAIN;\n"
				  "add.u32 %r7, %r7, 65;\nst.volatile.shared.u32 [%r6], %r7;\n"
				  "call (%r12), sum, (%r1, %r8);\nadd.u32 %r11, %r11, %r12;\n" PUT(
				      "%r11") END;
static uint32_t
expect_tiles(uint32_t t)
{
	uint32_t sum = 0;
	for (uint32_t i = t / 8 * 8; i < t / 8 * 8 + 8; i++)
		sum += i * i + i;
	return sum;
}

/* 2^15 calls without a branch, and a loop closed by a branch table: a slice ends there too */
static void
no_branches(void)
{
	static char ptx[8192];
	char *p = ptx + sprintf(ptx, "%s",
			    HEAD ".func (.reg .u32 %o) f0(.reg .u32 %a)\n{\n"
				 "add.u32 %o, %a, 1;\nret;\n}\n");
	for (unsigned k = 1; k <= 15; k++)
		p += sprintf(p,
		    ".func (.reg .u32 %%o) f%u(.reg .u32 %%a)\n{\n.reg .u32 %%x;\n"
		    "call (%%x), f%u, (%%a);\ncall (%%o), f%u, (%%x);\nret;\n}\n",
		    k, k - 1, k - 1);
	sprintf(p, "%s",
	    KERNEL(
		"k") "call (%r4), f15, (%r1);\nmov.u32 %r5, 0;\n"
		     "T: .branchtargets A, B;\nA:\nadd.u32 %r5, %r5, 1;\nsetp.ge.u32 %p1, %r5, "
		     "9999;\n"
		     "selp.u32 %r6, 1, 0, %p1;\nbrx.idx %r6, T;\nB:\nadd.u32 %r4, %r4, %r5;\n" PUT(
			 "%r4") END);
	struct kit k;
	uint64_t sum = 0;
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 1u << 24});
	const uint64_t a = kit_buffer(&k, 128, "out");
	const int r = kit_launch(&k, "k", 1, 32, 0, &a, 1);
	CHECK(r == 0, "%s", k.error.text);
	const uint32_t *out = wcp_device_host(k.device, a, 128);
	for (uint32_t i = 0; i < 32; i++)
		CHECK(out[i] == i + 32768 + 9999, "thread %u: %u", i, out[i]);
	for (uint32_t i = 0; i < k.all.n_run; i++)
		sum += k.all.run_len[i];
	/* a pair of instructions in each f0, three in each other; four a round; 12 around them */
	CHECK(sum == k.end.warp_insns, "%" PRIu64 " recorded of %" PRIu64, sum, k.end.warp_insns);
	CHECK(sum == 2 * 32768 + 3 * 32767 + 4 * 9999 + 12, "%" PRIu64 " instructions", sum);
	kit_close(&k);
}

int
main(void)
{
	run("nested", nested, expect_nested);
	run("loops", loops, expect_loops);
	run("irreducible", irreducible, expect_irreducible);
	run("exits", exits, expect_exits);
	run("guards", guards, expect_guards);
	run("table", table, expect_table);
	run("recursion", recursion, expect_fib);
	run("functions", functions, expect_functions);
	run("indirect", indirect, expect_indirect);
	run("spilled", spilled, expect_spilled);
	run("votes", votes, expect_votes);
	run("inside", inside, expect_inside);
	run("no_meet", no_meet, expect_no_meet);
	run("tiles", tiles, expect_tiles);
	no_branches();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}

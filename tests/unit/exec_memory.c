/* Memory of the executor: every space and width, atomics, and what is said about wrong accesses. */
#include "exec_kit.h"

static uint32_t out[4096];
static char text[480];

static int
words(const char *ptx, uint32_t grid, uint32_t block)
{
	memset(out, 0, sizeof out);
	return kit_words(ptx, grid, block, out, text);
}

/* bytes and halves, signed and not, into registers of other widths */
static void
widths(void)
{
	static const char ptx[] =
	    HEAD ".const .align 4 .b8 c[8] = {0x80, 0xff, 0x7f, 1, 2, 3, 4, 0xfe};\n" KERNEL(
		"k") "mov.u64 %rd3, c;\nand.b32 %r4, %r1, 3;\ncvt.u64.u32 %rd4, %r4;\nadd.u64 "
		     "%rd5, %rd3, %rd4;\n"
		     "ld.const.s8 %r5, [%rd5];\nld.const.u8 %r6, [%rd5];\nadd.u32 %r7, %r5, %r6;\n"
		     "ld.const.u8 %h1, [c+7];\ncvt.u32.u16 %r8, %h1;\nadd.u32 %r7, %r7, %r8;\n"
		     "ld.const.s16 %rd6, [c];\ncvt.u32.u64 %r9, %rd6;\nadd.u32 %r7, %r7, "
		     "%r9;\n" PUT("%r7") END;
	static const int8_t c[] = {-128, -1, 127, 1};
	CHECK(words(ptx, 1, 32) == 0, "%s", text);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t want = (uint32_t)c[i & 3] + (uint8_t)c[i & 3] + 0xfe + 0xffffff80u;
		CHECK(out[i] == want, "thread %u: %x, not %x", i, out[i], want);
	}
}

static void
vectors(void)
{
	static const char ptx[] = HEAD ".global .align 16 .b8 g[2048];\n" KERNEL(
	    "k") "mov.u64 %rd3, g;\nmul.wide.u32 %rd4, %r1, 16;\nadd.u64 %rd4, %rd3, %rd4;\n"
		 "add.u32 %r4, %r1, 1;\nadd.u32 %r5, %r1, 2;\nadd.u32 %r6, %r1, 3;\n"
		 "st.global.v4.u32 [%rd4], {%r1, %r4, %r5, %r6};\n"
		 "ld.global.v2.u64 {%rd5, %rd6}, [%rd4];\nadd.u64 %rd5, %rd5, %rd6;\n"
		 "mov.b64 {%r7, %r8}, %rd5;\nadd.u32 %r7, %r7, %r8;\n"
		 "ld.global.v4.u8 {%h1, _, %h3, %h4}, [%rd4+4];\ncvt.u32.u16 %r9, %h1;\nadd.u32 "
		 "%r7, %r7, %r9;\n"
		 "ld.global.v2.u16 {%h1, %h2}, [%rd4+12];\nmov.b32 %r9, {%h1, %h2};\nadd.u32 %r7, "
		 "%r7, %r9;\n" PUT("%r7") END;
	CHECK(words(ptx, 1, 64) == 0, "%s", text);
	for (uint32_t i = 0; i < 64; i++)
		CHECK(out[i] == 4 * i + 6 + i + 1 + i + 3, "thread %u: %u", i, out[i]);
}

/* lanes of one generic access in shared, local and global memory at once; cvta both ways; isspacep
 */
static void
generic(void)
{
	static const char ptx[] = HEAD KERNEL(
	    "k") ".shared .align 8 .b8 s[256];\n.local .align 8 .b8 d[16];\n"
		 "mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nmul.wide.u32 %rd9, %r1, "
		 "4;\nadd.u64 %rd4, %rd4, %rd9;\n"
		 "mov.u64 %rd5, d;\ncvta.local.u64 %rd6, %rd5;\nadd.u64 %rd6, %rd6, 4;\n"
		 "rem.u32 %r4, %r1, 3;\nsetp.eq.u32 %p1, %r4, 0;\nsetp.eq.u32 %p2, %r4, 1;\n"
		 "selp.b64 %rd7, %rd4, %rd6, %p1;\nselp.b64 %rd7, %rd2, %rd7, %p2;\n"
		 "add.u32 %r5, %r1, 100;\nst.u32 [%rd7], %r5;\nld.u32 %r6, [%rd7];\n"
		 "isspacep.shared %p3, %rd7;\n@%p3 add.u32 %r6, %r6, 1000;\n"
		 "isspacep.local %p4, %rd7;\n@%p4 add.u32 %r6, %r6, 2000;\n"
		 "isspacep.global %p5, %rd7;\n@%p5 add.u32 %r6, %r6, 3000;\n"
		 "cvta.to.shared.u64 %rd8, %rd7;\n@%p3 ld.shared.u32 %r7, [%rd8];\n@%p3 add.u32 "
		 "%r6, %r6, %r7;\n" PUT("%r6") END;
	CHECK(words(ptx, 1, 48) == 0, "%s", text);
	for (uint32_t i = 0; i < 48; i++) {
		uint32_t want = i + 100 + (i % 3 == 0 ? 1000 + i + 100 : i % 3 == 1 ? 3000 : 2000);
		CHECK(out[i] == want, "thread %u: %u, not %u", i, out[i], want);
	}
}

/* parameters: a struct read through its address, widths, special registers in three dimensions */
static void
parameters(void)
{
	static const char ptx[] =
	    HEAD ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24], .param .u8 c, "
		 ".param .f64 x)\n{\n"
		 ".reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .b16 %h<4>;\n.reg .f64 %fd<4>;\n"
		 "ld.param.u64 %rd1, [out];\nmov.b64 %rd2, s;\ncvta.param.u64 %rd3, %rd2;\n"
		 "mov.u32 %r1, %tid.y;\nmul.wide.u32 %rd4, %r1, 8;\nadd.u64 %rd3, %rd3, "
		 "%rd4;\nld.u32 %r2, [%rd3];\n"
		 "ld.param.u32 %r3, [s+12];\nld.param.u8 %h1, [c];\ncvt.u32.u16 %r4, "
		 "%h1;\nld.param.f64 %fd1, [x];\n"
		 "cvt.rzi.u32.f64 %r5, %fd1;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, "
		 "%r4;\nadd.u32 %r2, %r2, %r5;\n"
		 "mov.u32 %r6, %tid.x;\nmov.u32 %r7, %ntid.x;\nmov.u32 %r8, %ntid.y;\nmov.u32 %r9, "
		 "%tid.z;\n"
		 "mad.lo.u32 %r10, %r9, %r8, %r1;\nmad.lo.u32 %r10, %r10, %r7, %r6;\n"
		 "mul.wide.u32 %rd5, %r10, 4;\nadd.u64 %rd5, %rd1, %rd5;\nst.global.u32 [%rd5], "
		 "%r2;\nret;\n}\n";
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){0});
	uint64_t a = kit_buffer(&k, 4 * 3 * 3 * 4, "out");
	const uint32_t s[6] = {1, 2, 30, 400, 5000, 6};
	const uint8_t c = 200;
	const double x = 1e5;
	const void *arg[] = {&a, s, &c, &x};
	struct wcp_launch l = {.module = k.module,
	    .kernel = "k",
	    .grid = {1, 1, 1},
	    .block = {3, 3, 4},
	    .arg = arg,
	    .n_arg = 4};
	CHECK(wcp_device_launch(k.device, &l, &k.error) == 0, "%s", k.error.text);
	const uint32_t *o = wcp_device_host(k.device, a, 144);
	for (uint32_t i = 0; i < 36; i++) {
		uint32_t y = i / 3 % 3, want = s[2 * y] + 400 + 200 + 100000;
		CHECK(o[i] == want, "thread %u: %u, not %u", i, o[i], want);
	}
	struct wcp_kernel_info info;
	CHECK(wcp_kernel_info(k.device, k.module, "k", &info, &k.error) == 0 && info.n_param == 4 &&
		  info.param_offset[1] == 8 && info.param_offset[2] == 32 &&
		  info.param_offset[3] == 40 && info.param_total_bytes == 48,
	    "kernel info");
	kit_close(&k);
}

/* all lanes of three CTAs on one word */
struct atom_case {
	const char *op, *type, *value;
	uint64_t start, want;
};

static void
one_atomic(const struct atom_case *c, bool reduce, unsigned threads)
{
	static const char prepare[] =
	    HEAD KERNEL("k") "add.u32 %r4, %r1, 1;\ncvt.u64.u32 %rd4, %r4;\ncvt.rn.f32.u32 %f4, "
			     "%r4;\ncvt.rn.f64.u32 %fd4, %r4;\n";
	char ptx[2048];
	const bool wide = strstr(c->type, "64") != NULL;
	const char *d = !strcmp(c->type, "f32")	  ? "%f9,"
			: !strcmp(c->type, "f64") ? "%fd9,"
			: wide			  ? "%rd9,"
						  : "%r9,";
	snprintf(ptx, sizeof ptx, "%s%s.global.%s.%s %s [%%rd1], %s;\n%s", prepare,
	    reduce ? "red" : "atom", c->op, c->type, reduce ? "" : d, c->value, END);
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){.threads = threads, .relaxed = threads > 1});
	uint64_t a = kit_buffer(&k, 8, "word");
	uint64_t *w = wcp_device_host(k.device, a, 8);
	*w = c->start;
	CHECK(kit_launch(&k, "k", 3, 64, 0, &a, 1) == 0, "%s.%s: %s", c->op, c->type, k.error.text);
	CHECK(*w == c->want, "%s.%s: got %" PRIx64 ", want %" PRIx64, c->op, c->type, *w, c->want);
	kit_close(&k);
}

static void
atomics(void)
{
	/* 192 threads with values 1 to 192: their sum is 18528 */
	static const struct atom_case c[] = {
	    {"add", "u32", "%r4", 5, 18533},
	    {"add", "u64", "%rd4", 1ull << 40, (1ull << 40) + 18528},
	    {"add", "f32", "%f4", 0, 0x4690c000},
	    {"add", "f64", "%fd4", 0, 0x40d2180000000000},
	    {"min", "s32", "%r4", 0xfffffff0, 0xfffffff0},
	    {"min", "u32", "%r4", 0xfffffff0, 1},
	    {"max", "s32", "%r4", 0xfffffff0, 192},
	    {"max", "u64", "%rd4", 7, 192},
	    {"min", "s64", "%rd4", (uint64_t)-3, (uint64_t)-3},
	    {"inc", "u32", "150", 0, 192 - 151},
	    {"dec", "u32", "150", 0, 151 - 41},
	    {"and", "b32", "%r4", 0xffffff00, 0},
	    {"or", "b64", "%rd4", 1ull << 50, (1ull << 50) | 255},
	    {"xor", "b32", "%r4", 0, 192 ^ 0},
	};
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		one_atomic(&c[i], false, 1);
		one_atomic(&c[i], true, 1);
		one_atomic(&c[i], true, 4);
	}
	/* f16x2: 1.0 and -2.0 added 32 times; old values come back in lane order */
	static const char half[] = HEAD KERNEL(
	    "k") "mov.b32 %r4, 0xc0003c00;\natom.global.add.noftz.f16x2 %r5, [%rd1+128], %r4;\n"
		 "atom.global.add.u32 %r6, [%rd1+132], 3;\nand.b32 %r5, %r5, 0;\nadd.u32 %r6, %r6, "
		 "%r5;\n"
		 "setp.lt.u32 %p1, %r1, 32;\n@%p1 st.global.u32 [%rd2], %r6;\n" END;
	CHECK(words(half, 1, 64) == 0, "%s", text);
	CHECK(out[32] == 0xd8005400, "f16x2: %x", out[32]);
	for (uint32_t i = 0; i < 32; i++)
		CHECK(out[i] == 3 * i, "old value of lane %u: %u", i, out[i]);
}

static void
faults(void)
{
	static const char begin[] = HEAD KERNEL("k");
	static const struct {
		const char *body, *want;
	} c[] = {
	    {"setp.eq.u32 %p1, %r1, 37;\nmul.wide.u32 %rd5, %r1, 4;\nmov.u32 %r4, 0;\n@%p1 add.u64 "
	     "%rd2, %rd1, 260;\n"
	     "ld.global.u32 %r4, [%rd2];\n",
		"CTA (1,0,0) thread (5,0,0): load of 4 bytes at 0x200000000104 out of bounds: 8 "
		"bytes past the end of 'out' "
		"(256 bytes at 0x200000000000); PTX line 23"},
	    {"setp.eq.u32 %p1, %r1, 3;\n@%p1 add.u64 %rd2, %rd2, 2;\nst.global.u32 [%rd2], 1;\n",
		"CTA (0,0,0) thread (3,0,0): misaligned store of 4 bytes at 0x20000000000e; PTX "
		"line 21"},
	    {"mov.u64 %rd5, 16;\nld.u8 %r4, [%rd5+4];\n",
		"CTA (0,0,0) thread (0,0,0): load of 1 byte at 0x14 out of bounds: a null "
		"pointer; PTX line 20"},
	    /* two lanes at either end of all addresses */
	    {"setp.gt.u32 %p1, %r1, 1;\n@%p1 bra OUT;\nmul.wide.u32 %rd5, %r1, 4;\n"
	     "ld.global.u32 %r4, [%rd5+-4];\nOUT:\n",
		"CTA (0,0,0) thread (0,0,0): load of 4 bytes at 0xfffffffffffffffc out of bounds: "
		"no device address; PTX line 22"},
	    {".shared .b8 s[64];\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra OUT;\nmov.u32 %r5, s;\n"
	     "mul.wide.u32 %rd5, %r1, 4;\nst.shared.u16 [%rd5+-4], 7;\nOUT:\n",
		"CTA (0,0,0) thread (0,0,0): store of 2 bytes at shared address 0xfffffffffffffffc "
		"out of bounds: the CTA has 64 bytes; PTX line 24"},
	    {".shared .b8 s[64];\nmov.u32 %r5, s;\nmul.lo.u32 %r6, %r1, 4;\nadd.u32 %r5, %r5, "
	     "%r6;\n"
	     "red.shared.add.u32 [%r5], 1;\n",
		"CTA (0,0,0) thread (16,0,0): atomic of 4 bytes at shared address 0x40 out of "
		"bounds: the CTA has 64 bytes; "
		"PTX line 23"},
	    {".local .b8 d[8];\nmov.u32 %r5, d;\nst.local.u64 [%r5+8], %rd1;\n",
		"CTA (0,0,0) thread (0,0,0): store of 8 bytes at local address 0x8 out of bounds: "
		"the thread has 8 bytes; "
		"PTX line 21"},
	    {"setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;\n",
		"CTA (0,0,0) thread (9,0,0): trap; PTX line 20"},
	    {"bar.sync 16;\n", "CTA (0,0,0) thread (0,0,0): barrier 16: there are 16; PTX line 19"},
	    {"mov.u64 %rd5, 1234;\nP: .callprototype _ ();\ncall %rd5, P;\n",
		"CTA (0,0,0) thread (0,0,0): call of 0x4d2, which is no function that can be "
		"called here; PTX line 21"},
	};
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char ptx[2048], want[480];
		snprintf(ptx, sizeof ptx, "%s%s%s", begin, c[i].body, END);
		snprintf(want, sizeof want, "kernel 'k': %s", c[i].want);
		int r = words(ptx, 2, 32);
		CHECK(r == WCP_ENO && !strcmp(text, want), "case %zu: %d %s", i, r, text);
	}
}

/* a source line, a freed buffer, shared memory nobody wrote */
static void
more_faults(void)
{
	static const char ptx[] = HEAD ".file 1 \"atax.cu\"\n" KERNEL(
	    "k") ".loc 1 12 3\nld.global.u32 %r4, [%rd2];\n" PUT("%r4") END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){0});
	uint64_t a = kit_buffer(&k, 4096, "gone"), b = kit_buffer(&k, 128, "kept");
	CHECK(wcp_device_release(k.device, a, &k.error) == 0, "%s", k.error.text);
	int r = kit_launch(&k, "k", 1, 32, 0, &a, 1);
	CHECK(r == WCP_ENO &&
		  !strcmp(k.error.text, "kernel 'k': CTA (0,0,0) thread (0,0,0): load of 4 bytes "
					"at 0x200000000000 out of "
					"bounds: in 'gone' (4096 bytes at 0x200000000000), which "
					"was freed; atax.cu:12, PTX line 21"),
	    "%d %s", r, k.error.text);
	CHECK(wcp_device_release(k.device, a, &k.error) == WCP_EUSAGE, "freed twice");
	CHECK(kit_buffer(&k, 1, "new") > b, "a freed address came back at once");
	CHECK(kit_launch(&k, "k", 1, 32, 0, &b, 1) == 0, "%s", k.error.text);
	CHECK(kit_launch(&k, "q", 1, 32, 0, &b, 1) == WCP_EUSAGE &&
		  strstr(k.error.text, "nearest name is 'k'"),
	    "%s", k.error.text);
	CHECK(kit_launch(&k, "k", 1, 1025, 0, &b, 1) == WCP_EUSAGE, "block of 1025");
	CHECK(kit_launch(&k, "k", 0, 32, 0, &b, 1) == WCP_EUSAGE, "empty grid");
	CHECK(kit_launch(&k, "k", 1, 32, 300000, &b, 1) == WCP_EUSAGE, "shared memory");
	CHECK(kit_launch(&k, "k", 1, 32, 0, &b, 0) == WCP_EUSAGE, "no argument");
	kit_close(&k);
	static const char shared[] = HEAD ".extern .shared .align 4 .b8 s[];\n" KERNEL(
	    "k") "mov.u32 %r5, s;\nmov.u32 %r6, %tid.x;\n"
		 "shl.b32 %r6, %r6, 2;\nadd.u32 %r5, %r5, %r6;\nsetp.ne.u32 %p1, %r6, 20;\n"
		 "@%p1 st.shared.u32 [%r5], 1;\nld.shared.u32 %r7, [%r5];\n" PUT("%r7") END;
	for (unsigned check = 0; check < 2; check++) {
		kit_open(&k, shared, (struct wcp_device_options){.check_shared = check});
		a = kit_buffer(&k, 128, "out");
		r = kit_launch(&k, "k", 1, 32, 128, &a, 1);
		CHECK(r == (check ? WCP_ENO : 0), "status %d %s", r, k.error.text);
		CHECK(!check || strstr(k.error.text, "thread (5,0,0): load of 4 bytes at shared "
						     "address 0x14 that nothing has written"),
		    "%s", k.error.text);
		kit_close(&k);
	}
}

/* What cannot be run is refused when the kernel that reaches it is launched, not before. */
static void
refusals(void)
{
	static const char ptx[] =
	    HEAD ".extern .func (.param .b32 r) expf(.param .b32 x);\n" KERNEL("good")
		END KERNEL("bad") "frobnicate.u32 %r4, %r5;\n" END
		    KERNEL("dead") "bra L;\nfrobnicate.u32 %r4, %r5;\nL:\n" END KERNEL(
			"calls") "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\ncall "
				 "(b), expf, (a);\n}\n" END;
	struct kit k;
	kit_open(&k, ptx, (struct wcp_device_options){0});
	uint64_t a = kit_buffer(&k, 128, "out");
	CHECK(kit_launch(&k, "good", 1, 32, 0, &a, 1) == 0, "%s", k.error.text);
	CHECK(kit_launch(&k, "dead", 1, 32, 0, &a, 1) == 0, "%s", k.error.text);
	int r = kit_launch(&k, "bad", 1, 32, 0, &a, 1);
	CHECK(r == WCP_EDATA &&
		  !strcmp(k.error.text,
		      "kernel 'bad': PTX line 37: instruction 'frobnicate.u32' is not supported"),
	    "%d %s", r, k.error.text);
	r = kit_launch(&k, "calls", 1, 32, 0, &a, 1);
	CHECK(r == WCP_EDATA && strstr(k.error.text, "call of function 'expf', which has no body"),
	    "%d %s", r, k.error.text);
	kit_close(&k);
}

int
main(void)
{
	widths();
	vectors();
	generic();
	parameters();
	atomics();
	faults();
	more_faults();
	refusals();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}

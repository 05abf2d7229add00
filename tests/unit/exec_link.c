/*
 * usage: exec_link LEFT RIGHT: fat binaries of left.cu and right.cu
 * Modules that refer to each other's names become one: which definition holds, what is a module's
 * own, what cannot be linked.
 */
#include "exec_kit.h"
#include "warpcap/fatbin.h"

#define ENTRY(name)                                                  \
	".visible .entry " name "(.param .u64 out)\n{\n"             \
	".reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .pred %p<2>;\n" \
	"ld.param.u64 %rd1, [out];\n"
#define STORE(reg, at) "st.global.u32 [%rd1+" #at "], " reg ";\n"
#define CALL(f, reg)   "call.uni (" reg "), " f ", ();\n"
#define GIVES(n)       "(.reg .b32 r) "
#define BODY(n)	       "()\n{\nmov.u32 r, " #n ";\nret;\n}\n"

static struct wcp_error error;

/* Links texts named a, b, c, runs kernel "k" of one thread, out is four words. */
static int
run(const char *const *ptx, uint32_t n, uint32_t out[4])
{
	static const char *const name[] = {"a", "b", "c"};
	struct wcp_ptx_text text[3];
	struct wcp_device *d = wcp_device_new(NULL, &error);
	error.text[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		text[i] = (struct wcp_ptx_text){ptx[i], strlen(ptx[i]), name[i]};
	struct wcp_module *m = wcp_device_link(d, text, n, "whole", &error);
	int r = m ? 0 : error.status;
	const uint64_t buffer = wcp_device_alloc(d, 16, "out", NULL);
	const void *arg = &buffer;
	const struct wcp_launch l = {.module = m,
	    .kernel = "k",
	    .grid = {1, 1, 1},
	    .block = {1, 1, 1},
	    .arg = &arg,
	    .n_arg = 1};
	if (m)
		r = wcp_device_launch(d, &l, &error);
	memcpy(out, wcp_device_host(d, buffer, 16), 16);
	wcp_device_free(d);
	return r;
}

static void
expect(const char *name, const char *const *ptx, uint32_t n, uint32_t o0, uint32_t o1)
{
	uint32_t out[4];
	const int r = run(ptx, n, out);
	CHECK(r == 0, "%s: %s", name, error.text);
	CHECK(r || (out[0] == o0 && out[1] == o1), "%s: %u %u, not %u %u", name, out[0], out[1], o0,
	    o1);
}

static void
refused(const char *name, const char *const *ptx, uint32_t n, const char *says)
{
	uint32_t out[4];
	const int r = run(ptx, n, out);
	CHECK(r == WCP_EDATA, "%s: %d", name, r);
	CHECK(!strcmp(error.text, says), "%s: %s", name, error.text);
}

#define N(x) (sizeof(x) / sizeof *(x))

static void
definitions(void)
{
	/* a function and a variable of another module; the entry stands in the last one */
	static const char *const plain[] = {
	    HEAD ".visible .func " GIVES(1) "f" BODY(5),
	    HEAD ".visible .global .u32 v = 6;\n.visible .const .u32 c[2] = {0, 4};\n",
	    HEAD ".extern .func " GIVES(
		1) "f();\n.extern .global .u32 v;\n.extern .const .u32 "
		   "c[];\n" ENTRY("k") CALL("f", "%r1")
		       STORE("%r1", 0) "ld.global.u32 %r2, [v];\nld.const.u32 %r3, [c+4];\nadd.u32 "
				       "%r2, %r2, %r3;\n" STORE("%r2", 4) "ret;\n}\n",
	};
	expect("plain", plain, N(plain), 5, 10);
	/* of weak ones the first, unless there is a strong one; of common ones the largest */
	static const char *const weak[] = {
	    HEAD ".weak .func " GIVES(1) "f" BODY(1) ".weak .func " GIVES(1) "g" BODY(
		1) ".common .global .u32 big;\n",
	    HEAD ".weak .func " GIVES(1) "f" BODY(2) ".visible .func " GIVES(1) "g" BODY(
		2) ".common .global .u32 big[8];\n",
	    HEAD ".weak .func " GIVES(1) "f" BODY(3) ".weak .func " GIVES(1) "g" BODY(
		3) ".common .global .u32 big[2];\n" ENTRY("k") CALL("f", "%r1") STORE("%r1",
		0) CALL("g",
		"%r2") "st.global.u32 [big+28], %r2;\nld.global.u32 %r3, [big+28];\n" STORE("%r3",
		4) "ret;\n}\n",
	};
	expect("weak and common", weak, N(weak), 1, 2);
	/* a loser's own names go with it, the others' are apart */
	static const char *const own[] = {
	    HEAD ".global .u32 s = 10;\n.func " GIVES(1) "h()\n{\nld.global.u32 r, [s];\nret;\n}\n"
							 ".visible .func " GIVES(1) "f()\n{\n" CALL(
							     "h", "r") "ret;\n}\n",
	    HEAD ".extern .func " GIVES(1) "f();\n.global .u32 s = 20;\n.func " GIVES(
		1) "h()\n{\nld.global.u32 r, [s];\nadd.u32 r, r, 1;\nret;\n}\n" ENTRY("k")
		CALL("f", "%r1") STORE("%r1", 0) CALL("h", "%r2") STORE("%r2", 4) "ret;\n}\n",
	};
	expect("own names", own, N(own), 10, 21);
}

static void
addresses(void)
{
	/* pointers in initialisers: to another module's variable and function, called indirectly */
	static const char *const pointers[] = {
	    HEAD ".extern .global .u32 v[4];\n.extern .func " GIVES(
		1) "f();\n.visible .global .u64 table[2] = {v+8, f};\n",
	    HEAD
	    ".visible .global .u32 v[4] = {1, 2, 3, 4};\n.visible .func " GIVES(1) "f" BODY(77),
	    HEAD ".extern .global .u64 table[2];\n" ENTRY(
		"k") "P: .callprototype (.reg .b32 _) _ ();\nld.global.u64 %rd2, [table];\n"
		     "ld.global.u32 %r1, [%rd2];\n" STORE(
			 "%r1", 0) "ld.global.u64 %rd3, [table+8];\ncall (%r2), %rd3, (), "
				   "P;\n" STORE("%r2", 4) "ret;\n}\n",
	};
	expect("pointers", pointers, N(pointers), 3, 77);
	/* dynamic shared memory has one name in both, with sizes of their own */
	static const char *const shared[] = {
	    HEAD ".extern .shared .align 4 .b8 s[];\n.visible .func " GIVES(
		1) "f()\n{\n.reg .b64 %rd<3>;\nmov.u64 %rd1, s;\ncvt.u32.u64 r, %rd1;\nret;\n}\n",
	    HEAD ".extern .shared .align 16 .b8 s[];\n.extern .func " GIVES(
		1) "f();\n"
		   ".shared .u32 own[5];\n" ENTRY("k") CALL(
		       "f", "%r1") "mov.u32 %r2, s;\nst.shared.u32 [own], %r2;\n" STORE("%r1", 0)
		       STORE("%r2", 4) "ret;\n}\n",
	};
	expect("shared", shared, N(shared), 32, 32);
}

static void
failures(void)
{
	static const char *const twice[] = {
	    HEAD ".visible .global .u32 v;\n", HEAD ".visible .global .u32 v;\n"};
	refused("twice", twice, 2, "'v' is defined in module 'a' and in module 'b'");
	static const char *const kind[] = {HEAD ".visible .func " GIVES(1) "f" BODY(1),
	    HEAD ".visible .global .u32 w;\n.extern .global .u32 f;\n"};
	refused("kind", kind, 2,
	    "'f' is in module 'a' and in module 'b' a function in one and a variable in the other");
	static const char *const shape[] = {
	    HEAD ".visible .func " GIVES(1) "f" BODY(1), HEAD ".extern .func f(.param .b64 x);\n"};
	refused(
	    "shape", shape, 2, "'f' is in module 'a' and in module 'b' with different parameters");
	static const char *const space[] = {
	    HEAD ".visible .const .u32 v;\n", HEAD ".extern .global .u32 v;\n"};
	refused(
	    "space", space, 2, "'v' is in module 'a' and in module 'b' in different state spaces");
	static const char *const size[] = {
	    HEAD ".visible .global .u32 v[2];\n", HEAD ".extern .global .u32 v[3];\n"};
	refused("size", size, 2, "'v' is in module 'a' and in module 'b' with different sizes");
	static const char *const wide[] = {HEAD, ".version 7.0\n.target sm_70\n.address_size 32\n"};
	refused("address size", wide, 2, "module 'a' has addresses of 64 bits, module 'b' of 32");
	static const char *const syntax[] = {HEAD, HEAD ".visible .global .u32 v\n"};
	refused("syntax", syntax, 2,
	    "module 'b': line 5: expected ',' or ';' after the variable, found the end of the "
	    "text");
	static const char *const missing[] = {HEAD,
	    HEAD ".extern .func " GIVES(1) "gone();\n.extern .global .u32 lost;\n" ENTRY("k")
		CALL("gone", "%r1") "ret;\n}\n"};
	refused("missing function", missing, 2,
	    "kernel 'k': PTX line 12: call of function 'gone', which has no body (declared in "
	    "module "
	    "'b')");
	static const char *const lost[] = {HEAD
	    ".extern .global .u32 lost;\n" ENTRY("k") "ld.global.u32 %r1, [lost];\nret;\n}\n",
	    HEAD};
	refused("missing variable", lost, 2,
	    "kernel 'k': variable 'lost' is declared in module 'a' but not defined");
}

static char *
text_of(const char *path, struct wcp_ptx_text *text)
{
	FILE *f = fopen(path, "rb");
	static char data[2][1 << 16];
	static unsigned used;
	struct wcp_fatbin fat;
	wcp_fatbin_init(&fat);
	if (!f)
		exit(4);
	const size_t n = fread(data[used % 2], 1, sizeof data[0], f);
	fclose(f);
	if (wcp_fatbin_read(&fat, data[used++ % 2], n, &error) != 1)
		exit(3);
	text->name = path;
	char *ptx = wcp_fatbin_unpack(&fat.entry[0], &text->bytes, &error);
	text->text = ptx;
	wcp_fatbin_release(&fat);
	return ptx;
}

static void
launch(struct wcp_device *d, struct wcp_module *m, const char *kernel, uint64_t buffer)
{
	const void *arg = &buffer;
	const struct wcp_launch l = {.module = m,
	    .kernel = kernel,
	    .grid = {1, 1, 1},
	    .block = {32, 1, 1},
	    .arg = &arg,
	    .n_arg = 1};
	CHECK(!wcp_device_launch(d, &l, &error), "%s", error.text);
}

/* What nvcc makes of two files, in either order. */
static void
compiled(const char *left, const char *right)
{
	for (unsigned order = 0; order < 2; order++) {
		struct wcp_ptx_text text[2];
		char *a = text_of(left, &text[order]), *b = text_of(right, &text[!order]);
		struct wcp_device *d = wcp_device_new(NULL, &error);
		struct wcp_module *m = wcp_device_link(d, text, 2, "both", &error);
		CHECK(m, "%s", error.text);
		if (!m)
			exit(1);
		const uint64_t buffer = wcp_device_alloc(d, 256, "out", &error);
		launch(d, m, "left", buffer);
		launch(d, m, "right", buffer + 128);
		const uint32_t *out = wcp_device_host(d, buffer, 256);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t l = i * i + 1000 * (1 + i % 4) + i + 1 + 100;
			const uint32_t r = (i + 1) * 7 + 3000 + 32;
			CHECK(out[i] == l, "left %u: %u, not %u", i, out[i], l);
			CHECK(out[32 + i] == r, "right %u: %u, not %u", i, out[32 + i], r);
		}
		wcp_device_free(d);
		free(a);
		free(b);
	}
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	definitions();
	addresses();
	failures();
	compiled(argv[1], argv[2]);
	if (!kit_failures)
		puts("ok");
	return kit_failures != 0;
}

/* usage: exec_builtin FILE.ptx: what kernels call that no PTX defines, against the host's own
 * answer; FILE is tests/exec/builtin.cu. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec_kit.h"

#define THREADS 256u

struct printed {
	char text[2][65536];
	size_t n[2];
};

static void
on_print(void *arg, bool error, const char *text, size_t n)
{
	struct printed *p = arg;
	if (p->n[error] + n < sizeof p->text[0])
		memcpy(p->text[error] + p->n[error], text, n);
	p->n[error] += n;
	p->text[error][p->n[error]] = 0;
}

static char *
read_text(const char *path)
{
	struct stat st;
	const int fd = open(path, O_RDONLY);
	char *text = fd < 0 || fstat(fd, &st) ? NULL : malloc((size_t)st.st_size + 1);
	if (!text || read(fd, text, (size_t)st.st_size) != st.st_size) {
		printf("%s: cannot be read\n", path);
		exit(1);
	}
	text[st.st_size] = 0;
	close(fd);
	return text;
}

static struct printed printed;
static uint64_t out_at;
static int *out;

static int
launch(struct kit *k, const char *kernel, uint32_t grid, uint32_t block)
{
	memset(&printed, 0, sizeof printed);
	memset(out, 0, 4 * THREADS);
	return kit_launch(k, kernel, grid, block, 0, &out_at, 1);
}

/* The same text by the host's printf */
static void
prints(struct kit *k)
{
	char want[65536];
	size_t n = 0;
	CHECK(launch(k, "k_print", 4, 64) == 0, "%s", k->error.text);
	for (unsigned t = 0; t < THREADS; t++) {
		/* a warp prints its first statement for all lanes before its second */
		if (t % 32 == 0)
			for (unsigned u = t; u < t + 32; u++)
				if (u % 100 < 2)
					n += (size_t)snprintf(want + n, sizeof want - n,
					    "%u|%5.2f|%s|%c|%lld|%-4u|%06d|%x|%%|%e|%*u|%.3s|%hhd|%"
					    "u|"
					    "%lu|%+g|%#o|%p\n",
					    u, u * 1.5, u == 1 ? "one" : "other",
					    'a' + (int)(u % 26), (long long)u << 40, u, -(int)u,
					    255 + u, 1e10 * u, 5, u, "abcdef", (signed char)300,
					    ~0u, 1ul << 60, 2.5, 8u, (void *)0x1234);
		if (t % 32 == 31)
			for (unsigned u = t - 31; u <= t; u++)
				if (u % 100 == 3)
					n += (size_t)snprintf(want + n, sizeof want - n, "x1 2\n");
		CHECK(out[t] == (t % 100 == 3 ? 2 : 0), "printf returned %d", out[t]);
	}
	CHECK(!strcmp(printed.text[0], want), "got:\n%s\nwant:\n%s", printed.text[0], want);
	CHECK(printed.n[1] == 0, "text on the other side");
}

static void
heap(struct kit *k)
{
	CHECK(launch(k, "k_heap", 4, 64) == 0, "%s", k->error.text);
	for (int t = 0; t < (int)THREADS; t++)
		CHECK(out[t] == (t & 1 ? t + 7 : t * 9), "thread %d: %d", t, out[t]);
	CHECK(wcp_device_heap_used(k->device) == 0, "%" PRIu64 " bytes are left",
	    wcp_device_heap_used(k->device));
	/* 8 MiB, then no more; a larger limit counts from the next launch on */
	CHECK(launch(k, "k_leak", 1, 32) == 0, "%s", k->error.text);
	for (int t = 0; t < 32; t++)
		CHECK(out[t] == (t < 8), "thread %d: %d", t, out[t]);
	struct wcp_device_allocation left = {.base = 0};
	unsigned n = 0;
	while (wcp_device_heap_next(k->device, left.base, &left))
		n += !strcmp(left.label, "malloc in a kernel");
	CHECK(n == 8, "%u are left", n);
	struct wcp_error e;
	const uint64_t before = wcp_device_heap_used(k->device);
	wcp_device_heap_next(k->device, 0, &left);
	CHECK(wcp_device_release(k->device, left.base, &e) == WCP_EUSAGE, "freed by the host");
	CHECK(wcp_device_heap_used(k->device) == before, "freed by the host");
	wcp_device_set_heap(k->device, 12u << 20);
	CHECK(launch(k, "k_leak", 1, 32) == 0, "%s", k->error.text);
	for (int t = 0; t < 32; t++)
		CHECK(out[t] == (t < 4), "thread %d: %d", t, out[t]);
	wcp_device_set_heap(k->device, 64u << 20);
	CHECK(launch(k, "k_twice", 1, 32) == WCP_ENO, "free twice");
	CHECK(strstr(k->error.text, "thread (5,0,0): free of 0x2") &&
		  strstr(k->error.text, "which was freed before"),
	    "%s", k->error.text);
	CHECK(wcp_device_fault(k->device) == WCP_FAULT_ADDRESS, "fault");
}

static void
assertion(struct kit *k)
{
	CHECK(launch(k, "k_assert", 1, 64) == WCP_ENO, "passed");
	CHECK(wcp_device_fault(k->device) == WCP_FAULT_ASSERT, "fault");
	CHECK(strstr(k->error.text, "CTA (0,0,0) thread (40,0,0): assertion 't < 40 && \"must be "
				    "small\"' failed at tests/exec/builtin.cu:"),
	    "%s", k->error.text);
	const char *line = printed.text[1];
	for (int t = 40; t < 64; t++) {
		char want[128];
		snprintf(want, sizeof want,
		    ": void k_assert(int *): block: [0,0,0], thread: [%d,0,0] Assertion "
		    "`t < 40 && \"must be small\"` failed.\n",
		    t);
		const char *end = strchr(line, '\n'), *found = strstr(line, want);
		CHECK(found && end && found < end, "thread %d: %s", t, line);
		line = end ? end + 1 : line;
	}
}

static int
fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void
control(struct kit *k)
{
	CHECK(launch(k, "k_pointers", 1, 96) == 0, "%s", k->error.text);
	for (int t = 0; t < 96; t++) {
		const int x = t % 12, want = t % 3 == 0 ? fib(x) : t % 3 == 1 ? x * x : x * x * x;
		CHECK(out[t] == want, "pointers: thread %d: %d, want %d", t, out[t], want);
	}
	CHECK(launch(k, "k_clock", 1, 64) == 0, "%s", k->error.text);
	for (int t = 0; t < 64; t++)
		CHECK(out[t] == 1, "clock: thread %d", t);
	CHECK(launch(k, "k_alloca", 1, 64) == 0, "%s", k->error.text);
	for (int t = 0; t < 64; t++) {
		const int n = t % 20 + 1, want = 1000 * (n * (n - 1) / 2 + n);
		CHECK(out[t] == want, "alloca: thread %d: %d, want %d", t, out[t], want);
	}
}

static void
grid(struct kit *k)
{
	const void *arg[] = {&out_at};
	const struct wcp_launch l = {.module = k->module,
	    .kernel = "k_grid",
	    .grid = {16, 1, 1},
	    .block = {16, 1, 1},
	    .arg = arg,
	    .n_arg = 1,
	    .record = true,
	    .cooperative = true};
	for (int round = 0; round < 2; round++) {
		memset(out, 0, 4 * THREADS);
		CHECK(wcp_device_launch(k->device, &l, &k->error) == 0, "%s", k->error.text);
		for (int t = 0; t < (int)THREADS; t++)
			CHECK(out[t] == 5, "grid: thread %d: %d", t, out[t]);
	}
}

int
main(int argc, char **argv)
{
	struct kit k;
	if (argc != 2)
		return 2;
	char *text = read_text(argv[1]);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		kit_open(&k, text,
		    (struct wcp_device_options){
			.threads = threads, .print = on_print, .print_arg = &printed});
		out_at = kit_buffer(&k, 4 * THREADS, "out");
		out = wcp_device_host(k.device, out_at, 4 * THREADS);
		prints(&k);
		heap(&k);
		assertion(&k);
		control(&k);
		grid(&k);
		kit_close(&k);
	}
	free(text);
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}

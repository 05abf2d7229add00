/* usage: stream_make [-aetu] [-s SEED] [-n SIZE] [-j THREADS] [-Z LEVEL] FILE
 * Writes a random stream (ACCESS with -a, a few KB with -t) and prints its records as text. SIZE
 * scales the data. With -u some events are of a kind that nobody knows, which is not printed. With
 * -e it is the example of warpcap-stream(5). */
#include <unistd.h>
#include "stream_gen.h"
#include "stream_text.h"

static struct wcp_writer *w;
static struct wcp_error e;
static bool tiny;

static void
check(int s)
{
	if (s < 0) {
		fprintf(stderr, "stream_make: %s\n", e.text);
		wcp_writer_abort(w);
		exit(-s);
	}
}

static void
put_host(void)
{
	static const char *const label[] = {"", "A", "a long buffer name"};
	struct wcp_host_op op = {(enum wcp_host_kind)gen_below(WCP_HOST_COUNT), gen_any(),
	    gen_any(), gen_any(), gen_any(), label[gen_below(3)]};
	check(wcp_writer_host(w, &op, &e));
	text_host(stdout, &op);
}

static void
put_warps(const struct wcp_kernel *k, const struct wcp_program *p, uint32_t size)
{
	struct gen_site sites[GEN_INSNS];
	struct wcp_warp_batch b;
	uint32_t ctas = k->grid[0] * k->grid[1], step;
	for (uint32_t i = 0; i < GEN_INSNS; i++)
		gen_site(&sites[i]);
	wcp_warp_batch_init(&b);
	for (uint32_t c = 0; c < ctas; c += step) {
		step = 1 + gen_below(3);
		step = step > ctas - c ? ctas - c : step;
		wcp_warp_batch_clear(&b);
		check(gen_warp(&b, k, p, sites, c, step, gen_below(20) ? size : 20 * size));
		check(wcp_writer_warp(w, &b, &e));
		text_warp(stdout, &b);
	}
	wcp_warp_batch_release(&b);
}

static void
put_accesses(uint32_t kernels, uint32_t size)
{
	struct wcp_access_batch a;
	struct wcp_state s[5];
	wcp_access_batch_init(&a);
	for (uint32_t i = gen_below(4); i; i--) {
		wcp_access_batch_clear(&a);
		check(gen_access(&a, gen_below(size * 1000), kernels));
		check(wcp_writer_access(w, &a, &e));
		text_access(stdout, &a);
		for (int j = 0; j < 5; j++)
			s[j] = (struct wcp_state){gen_any(), kernels - 1, (uint32_t)gen_any(),
			    (uint16_t)gen_any(), (uint16_t)gen_any(), (uint16_t)gen_any(),
			    (uint16_t)gen_below(8)};
		if (gen_below(2))
			continue;
		check(wcp_writer_state(w, s, 5, &e));
		text_state(stdout, s, 5);
	}
	wcp_access_batch_release(&a);
}

static void
put_kernels(uint32_t kernels, bool access, uint32_t size)
{
	for (uint32_t i = 0; i < kernels; i++) {
		struct gen_program g;
		gen_program(&g, i);
		check(wcp_writer_program(w, &g.program, &e));
		text_program(stdout, &g.program);
		if (gen_below(2))
			put_host();
		struct wcp_kernel k = gen_kernel(i, i);
		if (tiny)
			k.grid[0] = k.grid[1] = k.block[1] = 1;
		check(wcp_writer_kernel(w, &k, &e));
		text_kernel(stdout, &k);
		if (access)
			put_accesses(i + 1, size);
		else
			put_warps(&k, &g.program, size);
		struct wcp_kernel_end end = {
		    i, gen_any(), gen_any(), gen_any(), gen_any(), gen_any()};
		check(wcp_writer_kernel_end(w, &end, &e));
		text_kernel_end(stdout, &end);
	}
}

/* Three loads of one warp: of its first 64 bytes, of the rest of that line, of the next line. */
static void
put_example(void)
{
	static uint64_t cycle[] = {10, 12, 20},
			line[] = {0x200000000000u, 0x200000000000u, 0x200000000080u};
	static uint32_t sectors[] = {3, 12, 15};
	struct wcp_kernel k = {.program = WCP_NONE32,
	    .name = "walk",
	    .grid = {1, 1, 1},
	    .block = {32, 1, 1},
	    .parent = WCP_NONE32};
	struct wcp_access_batch a = {.n = 3, .cycle = cycle, .line = line, .sectors = sectors};
	check(wcp_writer_kernel(w, &k, &e));
	text_kernel(stdout, &k);
	check(wcp_writer_access(w, &a, &e));
	struct wcp_access_batch all;
	wcp_access_batch_init(&all);
	check(wcp_access_batch_append(&all, &a, 0, 3));
	text_access(stdout, &all);
	wcp_access_batch_release(&all);
}

int
main(int argc, char **argv)
{
	struct wcp_write_options o = {.level = WCP_LEVEL_DEFAULT};
	static const char *const lines[] = {"stream_make", "and \"more\" of it"};
	bool access = false, example = false;
	uint32_t size = 1;
	o.provenance = lines;
	for (int c; (c = getopt(argc, argv, "aetus:n:j:Z:")) != -1;) {
		switch (c) {
		case 'a': access = true; break;
		case 'e': example = access = true; break;
		case 't': tiny = true; break;
		case 'u': gen_later = text_known = true; break;
		case 's': gen_state = strtoull(optarg, NULL, 0); break;
		case 'n': size = (uint32_t)atoi(optarg); break;
		case 'j': o.threads = (unsigned)atoi(optarg); break;
		case 'Z': o.level = atoi(optarg); break;
		default: return 2;
		}
	}
	o.n_provenance = example ? 0 : gen_below(3);
	w = wcp_writer_open(
	    optind < argc ? argv[optind] : "-", access ? WCP_LINK_ACCESS : WCP_LINK_WARP, &o, &e);
	check(w ? 0 : e.status);
	for (size_t i = 0; i < o.n_provenance; i++)
		printf("by %s\n", lines[i]);
	if (example)
		put_example();
	else
		put_kernels(1 + gen_below(tiny ? 2 : 4), access, size);
	struct wcp_writer *whole = w;
	w = NULL;
	check(wcp_writer_close(whole, example ? 0 : gen_below(8), &e));
	return 0;
}

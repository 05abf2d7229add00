/* The stream library called directly: what bats cannot reach through a file. Prints nothing and
 * ends 0, or names the check that failed. usage: stream CHECK */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "stream_gen.h"
#include "stream_text.h"

#define CHECK(x)                                                            \
	do {                                                                \
		if (!(x)) {                                                 \
			printf("line %d: %s (%s)\n", __LINE__, #x, e.text); \
			return 1;                                           \
		}                                                           \
	} while (0)

static struct wcp_error e;
static struct gen_program program;

/* A stream of one program with the given kernels; their grids are of 64 CTAs of 2 warps. */
static struct wcp_writer *
begin(const char *path, enum wcp_link link, uint32_t kernels, int level)
{
	struct wcp_write_options o = {.level = level, .threads = 2};
	struct wcp_writer *w = wcp_writer_open(path, link, &o, &e);
	gen_state = 7;
	gen_program(&program, 0);
	if (!w || wcp_writer_program(w, &program.program, &e) < 0)
		return NULL;
	for (uint32_t i = 0; i < kernels; i++) {
		struct wcp_kernel k = {.id = i,
		    .name = "k",
		    .grid = {64, 1, 1},
		    .block = {64, 1, 1},
		    .parent = i ? i - 1 : WCP_NONE32};
		if (wcp_writer_kernel(w, &k, &e) < 0)
			return NULL;
	}
	return w;
}

/* ---- a segment larger than any block comes back whole -------------------------------------- */

static int
same_lists(const struct wcp_warp_batch *a, const struct wcp_warp_batch *b)
{
	CHECK(a->n_run == b->n_run && a->n_guard == b->n_guard && a->n_mem == b->n_mem &&
	      a->n_addr == b->n_addr);
	CHECK(!memcmp(a->run_pc, b->run_pc, a->n_run * sizeof *a->run_pc));
	CHECK(!memcmp(a->run_len, b->run_len, a->n_run * sizeof *a->run_len));
	CHECK(!memcmp(a->run_mask, b->run_mask, a->n_run * sizeof *a->run_mask));
	CHECK(!memcmp(a->guard_mask, b->guard_mask, a->n_guard * sizeof *a->guard_mask));
	CHECK(!memcmp(a->mem_pc, b->mem_pc, a->n_mem * sizeof *a->mem_pc));
	CHECK(!memcmp(a->mem_mask, b->mem_mask, a->n_mem * sizeof *a->mem_mask));
	CHECK(!memcmp(a->addr, b->addr, a->n_addr * sizeof *a->addr));
	return 0;
}

static int
read_joined(
    const char *path, struct wcp_warp_batch *all, uint32_t *blocks, uint8_t *first, uint8_t *last)
{
	struct wcp_read_options o = {.threads = 3, .link = WCP_LINK_WARP};
	struct wcp_reader *r = wcp_reader_open(path, &o, &e);
	struct wcp_item item;
	int s;
	CHECK(r);
	while ((s = wcp_reader_next(r, &item, &e)) == 1) {
		if (item.type != WCP_ITEM_WARP)
			continue;
		uint32_t insns = (uint32_t)all->warp_insns;
		if (!(*blocks)++)
			*first = item.warp->seg_flags[0];
		*last = item.warp->seg_flags[item.warp->n_seg - 1];
		all->kernel = item.warp->kernel;
		for (uint32_t i = 0; i < item.warp->n_seg; i++) {
			for (uint32_t v = item.warp->seg_event[i]; v < item.warp->seg_event[i + 1];
			     v++)
				item.warp->event_at[v] += insns;
			for (uint32_t v = item.warp->seg_run[i]; v < item.warp->seg_run[i + 1]; v++)
				insns += item.warp->run_len[v];
		}
		CHECK(wcp_warp_batch_append(all, item.warp, 0, item.warp->n_seg) == 0);
	}
	CHECK(s == 0);
	wcp_reader_close(r);
	return 0;
}

static int
check_large(void)
{
	struct gen_site sites[GEN_INSNS];
	struct wcp_warp_batch b, all;
	uint32_t blocks = 0;
	uint8_t first = 0, last = 0;
	wcp_warp_batch_init(&b);
	wcp_warp_batch_init(&all);
	struct wcp_writer *w = begin("large.wcp", WCP_LINK_WARP, 1, 1);
	CHECK(w);
	for (int i = 0; i < GEN_INSNS; i++)
		gen_site(&sites[i]);
	b.kernel = 0;
	CHECK(wcp_warp_batch_segment(&b, 3, 1, 15, 0) == 0);
	uint64_t insns = 0;
	for (int i = 0; i < 530000; i++) {
		CHECK(gen_run(&b, &program.program, sites, gen_mask()) == 0);
		insns += b.run_len[b.n_run - 1];
		if (i % 1000 == 0) {
			CHECK(gen_event(&b) == 0);
			b.event_at[b.n_event - 1] = (uint32_t)insns - 1;
		}
	}
	CHECK(b.n_run + b.n_mem > 1 << 19);
	CHECK(wcp_writer_warp(w, &b, &e) == 0 && wcp_writer_close(w, 0, &e) == 0);
	if (read_joined("large.wcp", &all, &blocks, &first, &last))
		return 1;
	CHECK(blocks > 4 && first == (WCP_SEG_CTA_BEGIN | WCP_SEG_WARP_BEGIN));
	CHECK(last == (WCP_SEG_CTA_END | WCP_SEG_WARP_END) && all.warp_insns == insns);
	CHECK(all.n_event == b.n_event);
	CHECK(!memcmp(all.event_at, b.event_at, b.n_event * sizeof *b.event_at));
	int bad = same_lists(&b, &all);
	wcp_warp_batch_release(&b);
	wcp_warp_batch_release(&all);
	return bad;
}

/* ---- blocks nobody wants ------------------------------------------------------------------- */

static uint32_t asked, kernels_before;

static bool
only_kernel_2(void *arg, const struct wcp_block_info *info)
{
	struct wcp_reader **r = arg;
	asked++;
	/* the KERNEL item has been delivered before its blocks are asked for */
	if (*r)
		kernels_before += wcp_reader_kernel(*r, info->kernel) != NULL;
	return info->kernel == 2;
}

static int
put_kernels(struct wcp_writer *w)
{
	struct wcp_access_batch a;
	wcp_access_batch_init(&a);
	for (uint32_t i = 0; i < 4; i++) {
		struct wcp_kernel k = {.id = i,
		    .program = WCP_NONE32,
		    .name = "k",
		    .grid = {1, 1, 1},
		    .block = {32, 1, 1},
		    .parent = WCP_NONE32};
		CHECK(wcp_writer_kernel(w, &k, &e) == 0);
		wcp_access_batch_clear(&a);
		CHECK(gen_access(&a, 200000, i + 1) == 0);
		for (uint32_t j = 0; j < a.n; j++)
			a.kernel[j] = i;
		CHECK(wcp_writer_access(w, &a, &e) == 0);
	}
	wcp_access_batch_release(&a);
	return 0;
}

static int
read_wanted(const char *path, unsigned threads, uint64_t *position)
{
	struct wcp_reader *r = NULL;
	struct wcp_read_options o = {.threads = threads, .want = only_kernel_2, .want_arg = &r};
	struct wcp_item item;
	uint64_t records = 0;
	int s;
	asked = kernels_before = 0;
	r = wcp_reader_open(path, &o, &e);
	CHECK(r);
	while ((s = wcp_reader_next(r, &item, &e)) == 1)
		if (item.type == WCP_ITEM_ACCESS) {
			records += item.access->n;
			CHECK(item.access->kernel[0] == 2);
		}
	CHECK(s == 0 && records == 200000 && asked == 16 && kernels_before == 16);
	wcp_reader_position(r, position);
	wcp_reader_close(r);
	return 0;
}

static int
check_want(void)
{
	static const char *const path[] = {"raw.wcp", "packed.wcp"};
	uint64_t end;
	for (int level = 0; level < 2; level++) {
		struct wcp_write_options o = {.level = level};
		struct wcp_writer *w = wcp_writer_open(path[level], WCP_LINK_ACCESS, &o, &e);
		CHECK(w);
		if (put_kernels(w))
			return 1;
		CHECK(wcp_writer_close(w, 0, &e) == 0);
		if (read_wanted(path[level], 1, &end) || read_wanted(path[level], 4, &end))
			return 1;
	}
	return 0;
}

/* A damaged block that the index lets us pass over is not read at all. */
static int
check_index(void)
{
	uint64_t end;
	if (check_want())
		return 1;
	int fd = open("packed.wcp", O_RDWR);
	struct stat st;
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	uint8_t zeros[4096] = {0};
	CHECK(pwrite(fd, zeros, sizeof zeros, st.st_size / 8) == sizeof zeros);
	close(fd);
	return read_wanted("packed.wcp", 1, &end) || read_wanted("packed.wcp", 4, &end);
}

/* ---- projection ---------------------------------------------------------------------------- */

static int
check_columns(void)
{
	struct wcp_write_options o = {.level = 1};
	struct wcp_writer *w = wcp_writer_open("columns.wcp", WCP_LINK_ACCESS, &o, &e);
	CHECK(w);
	if (put_kernels(w))
		return 1;
	CHECK(wcp_writer_close(w, 0, &e) == 0);
	for (int c = 0; c < WCP_ACCESS_COLS; c++) {
		struct wcp_read_options all = {0}, one = {.columns = 1u << c};
		struct wcp_reader *ra = wcp_reader_open("columns.wcp", &all, &e);
		struct wcp_reader *ro = wcp_reader_open("columns.wcp", &one, &e);
		struct wcp_item a, b;
		struct wcp_access_batch x, y;
		CHECK(ra && ro);
		while (wcp_reader_next(ra, &a, &e) == 1 && wcp_reader_next(ro, &b, &e) == 1) {
			CHECK(a.type == b.type);
			if (a.type != WCP_ITEM_ACCESS)
				continue;
			wcp_access_batch_init(&x);
			wcp_access_batch_init(&y);
			CHECK(wcp_access_batch_append(&x, b.access, 0, b.access->n) == 0);
			CHECK(wcp_access_batch_append(&y, a.access, 0, a.access->n) == 0);
			/* the first column differs from its default somewhere, or is all default */
			void *const px[] = {x.cycle, x.sm, x.kernel, x.cta, x.warp, x.slot, x.pc,
			    x.line, x.sectors, x.lanes, x.kind, x.space, x.flags, x.id, x.outcome,
			    x.tag, x.victim, x.victim_owner, x.bytes};
			void *const py[] = {y.cycle, y.sm, y.kernel, y.cta, y.warp, y.slot, y.pc,
			    y.line, y.sectors, y.lanes, y.kind, y.space, y.flags, y.id, y.outcome,
			    y.tag, y.victim, y.victim_owner, y.bytes};
			static const size_t size[] = {
			    8, 2, 4, 4, 2, 2, 4, 8, 4, 4, 1, 1, 2, 8, 4, 4, 8, 4, 2};
			CHECK(!memcmp(px[c], py[c], size[c] * x.n));
			CHECK((b.access->cycle != NULL) == (c == WCP_COL_CYCLE));
			CHECK((b.access->bytes != NULL) == (c == WCP_COL_BYTES));
			wcp_access_batch_release(&x);
			wcp_access_batch_release(&y);
		}
		wcp_reader_close(ra);
		wcp_reader_close(ro);
	}
	return 0;
}

/* ---- what a writer refuses ----------------------------------------------------------------- */

static int
check_refusals(void)
{
	struct wcp_warp_batch b;
	struct wcp_kernel k = {
	    .id = 1, .program = 9, .name = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
	struct wcp_writer *w = begin("refused.wcp", WCP_LINK_WARP, 1, 1);
	CHECK(w);
	CHECK(wcp_writer_kernel(w, &k, &e) == WCP_EUSAGE &&
	      strstr(e.text, "comes before its program 9"));
	k.id = 0;
	CHECK(wcp_writer_kernel(w, &k, &e) == WCP_EUSAGE && strstr(e.text, "there twice"));
	CHECK(wcp_writer_program(w, &program.program, &e) == WCP_EUSAGE);
	wcp_warp_batch_init(&b);
	b.kernel = 5;
	CHECK(wcp_writer_warp(w, &b, &e) == WCP_EUSAGE && strstr(e.text, "kernel 5"));
	b.kernel = 0;
	CHECK(wcp_warp_batch_segment(&b, 64, 0, 0, 0) == 0);
	CHECK(wcp_writer_warp(w, &b, &e) == WCP_EUSAGE && strstr(e.text, "no CTA 64"));
	wcp_warp_batch_clear(&b);
	CHECK(
	    wcp_warp_batch_segment(&b, 0, 0, 0, 0) == 0 && wcp_warp_batch_reserve_run(&b, 1) == 0);
	b.run_pc[0] = program.program.n_insn;
	b.run_len[0] = 1;
	b.run_mask[0] = 1;
	b.n_run = 1;
	int s = wcp_writer_warp(w, &b, &e);
	s = s ? s : wcp_writer_close(w, 0, &e);
	CHECK(s == WCP_EUSAGE && strstr(e.text, "a run leaves the program"));
	CHECK(access("refused.wcp", F_OK) < 0);
	wcp_warp_batch_release(&b);
	return 0;
}

/* An aborted stream leaves nothing; a finished one replaces the file of that name, which keeps its
 * mode. */
static int
check_names(void)
{
	struct stat st;
	struct wcp_writer *w = begin("name.wcp", WCP_LINK_WARP, 1, 1);
	CHECK(w && access("name.wcp", F_OK) < 0);
	wcp_writer_abort(w);
	CHECK(access("name.wcp", F_OK) < 0);
	int fd = open("name.wcp", O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0 && write(fd, "old", 3) == 3 && close(fd) == 0 &&
	      symlink("name.wcp", "link.wcp") == 0);
	w = begin("link.wcp", WCP_LINK_WARP, 1, 1);
	CHECK(w && stat("name.wcp", &st) == 0 && st.st_size == 3);
	CHECK(wcp_writer_close(w, 0, &e) == 0);
	CHECK(stat("name.wcp", &st) == 0 && st.st_size > 100 && (st.st_mode & 0777) == 0600);
	CHECK(lstat("link.wcp", &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(!wcp_writer_open("no/such/dir.wcp", WCP_LINK_WARP, NULL, &e) && e.status == WCP_ESYS);
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} check[] = {{"large", check_large}, {"want", check_want}, {"index", check_index},
	    {"columns", check_columns}, {"refusals", check_refusals}, {"names", check_names}};
	for (size_t i = 0; argc > 1 && i < sizeof check / sizeof *check; i++)
		if (strcmp(argv[1], check[i].name) == 0)
			return check[i].run();
	return 2;
}

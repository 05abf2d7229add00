/*
 * Streams to measure reuse on, and a slow measurement of them.
 *
 *	reuse_stream make N LINES SEED [FROM TO]   writes an ACCESS stream of N records, or a part
 *of it reuse_stream naive BY PRIVATE <STREAM      prints for each record: key, tab, distance or
 *"cold"
 *
 * Three kernels of two programs; SMs, CTAs, warps, pcs and kinds at random; a tenth of the records
 *are to shared memory, which is not counted.
 */
#include <inttypes.h>
#include "reuse_naive.h"
#include "warpcap/stream.h"

enum { CTAS = 5, WARPS = 3, INSNS = 6, SMS = 4, KERNELS = 3, BATCH = 1000 };

static int
fail(const struct wcp_error *e)
{
	fprintf(stderr, "reuse_stream: %s\n", e->text);
	return -e->status;
}

static int
write_kernels(struct wcp_writer *w, struct wcp_error *e)
{
	static const char strings[] = "\0ld.global.u32\0a.cu";
	static const char *const name[] = {"first", "second", "third"};
	struct wcp_insn insn[INSNS] = {{0}};
	for (uint32_t i = 0; i < INSNS; i++)
		insn[i] = (struct wcp_insn){.opcode = 1,
		    .op_class = WCP_OP_LOAD,
		    .space = WCP_SPACE_GLOBAL,
		    .flags = WCP_INSN_MEMORY,
		    .bytes = 4,
		    .target = WCP_NONE32,
		    .reconverge = WCP_NONE32,
		    .file = i == 3 ? WCP_NONE32 : 15,
		    .line = 10 + i};
	for (uint32_t i = 0; i < KERNELS; i++) {
		struct wcp_program p = {.id = i,
		    .name = i ? "prog b" : "prog\\a",
		    .n_insn = INSNS,
		    .insn = insn,
		    .n_string = sizeof strings,
		    .strings = strings};
		struct wcp_kernel k = {.id = i,
		    .program = i ? 1 : 0,
		    .name = name[i],
		    .grid = {CTAS, 1, 1},
		    .block = {32 * WARPS, 1, 1},
		    .parent = WCP_NONE32};
		if ((i < 2 && wcp_writer_program(w, &p, e) < 0) || wcp_writer_kernel(w, &k, e) < 0)
			return -1;
	}
	return 0;
}

/* Record i of n into b; the same whichever part is written. */
static void
put_record(struct wcp_access_batch *b, uint64_t i, uint64_t n, uint64_t lines, uint64_t *random)
{
	uint64_t r = naive_random(random), u = naive_random(random);
	uint32_t at = b->n++;
	b->cycle[at] = b->id[at] = i;
	b->kernel[at] = (uint32_t)(i * KERNELS / n);
	b->sm[at] = r % SMS;
	b->cta[at] = (uint32_t)(r >> 8) % CTAS;
	b->warp[at] = (uint16_t)(r >> 16) % WARPS;
	b->slot[at] = WCP_NONE16;
	b->pc[at] = (uint32_t)(r >> 24) % INSNS;
	b->line[at] = 128 * (u >> 63 ? u % lines : (i / 3 + (u >> 8) % 5) % lines) + (1ull << 40);
	b->sectors[at] = 1;
	b->lanes[at] = 1;
	b->kind[at] = (r >> 32) % 4 ? WCP_LOAD : WCP_STORE;
	b->space[at] = (r >> 40) % 10 ? WCP_SPACE_GLOBAL : WCP_SPACE_SHARED;
	b->flags[at] = 0;
	b->outcome[at] = b->tag[at] = 0;
	b->victim[at] = UINT64_MAX;
	b->victim_owner[at] = WCP_NONE32;
	b->bytes[at] = 4;
}

static int
make(uint64_t n, uint64_t lines, uint64_t seed, uint64_t from, uint64_t to)
{
	struct wcp_error e;
	struct wcp_write_options o = {.level = 1};
	struct wcp_writer *w = wcp_writer_open("-", WCP_LINK_ACCESS, &o, &e);
	struct wcp_access_batch b;
	wcp_access_batch_init(&b);
	if (!w || write_kernels(w, &e) < 0)
		return fail(&e);
	for (uint64_t i = 0; i < to; i++) {
		if (wcp_access_batch_reserve(&b, 1) < 0)
			return 4;
		put_record(&b, i, n, lines, &seed);
		if (i < from)
			b.n = 0;
		if (b.n == BATCH || i + 1 == to) {
			if (wcp_writer_access(w, &b, &e) < 0)
				return fail(&e);
			wcp_access_batch_clear(&b);
		}
	}
	wcp_access_batch_release(&b);
	return wcp_writer_close(w, 0, &e) < 0 ? fail(&e) : 0;
}

static void
key_text(char *text, const char *unit, const struct wcp_reader *r, const struct wcp_access_batch *b,
    uint32_t i)
{
	uint32_t kernel = b->kernel[i];
	const struct wcp_kernel *k = wcp_reader_kernel(r, kernel);
	const struct wcp_program *p = k ? wcp_reader_program(r, k->program) : NULL;
	*text = 0;
	if (!strcmp(unit, "sm"))
		sprintf(text, "%u", b->sm[i]);
	if (!strcmp(unit, "kernel"))
		sprintf(text, "%u %s", kernel, k ? k->name : "?");
	if (!strcmp(unit, "cta"))
		sprintf(text, "%u %u", kernel, b->cta[i]);
	if (!strcmp(unit, "warp"))
		sprintf(text, "%u %u %u", kernel, b->cta[i], b->warp[i]);
	if (!strcmp(unit, "pc"))
		sprintf(text, "%s %u", p ? p->name : "?", b->pc[i]);
}

static uint32_t
touch(const char *key, uint64_t line)
{
	static struct {
		char key[80];
		struct naive_list list;
	} stack[1000];
	size_t i = 0;
	while (*stack[i].key && strcmp(stack[i].key, key))
		i++;
	strcpy(stack[i].key, key);
	return naive_list_touch(&stack[i].list, line);
}

static void
measure(const struct wcp_reader *r, const struct wcp_access_batch *b, const char *by,
    const char *private)
{
	for (uint32_t i = 0; i < b->n; i++) {
		char who[64], stack[80] = "x";
		if (b->space[i] == WCP_SPACE_SHARED)
			continue;
		key_text(who, by, r, b, i);
		key_text(stack + 1, private, r, b, i);
		uint32_t d = touch(stack, b->line[i] / 128);
		printf(d == 0xffffffffu ? "%s\tcold\n" : "%s\t%u\n", who, d);
	}
}

static int
naive(const char *by, const char *private)
{
	struct wcp_error e;
	struct wcp_item item;
	struct wcp_reader *r = wcp_reader_open("-", NULL, &e);
	int more = -1;
	if (!r)
		return fail(&e);
	while ((more = wcp_reader_next(r, &item, &e)) > 0)
		if (item.type == WCP_ITEM_ACCESS)
			measure(r, item.access, by, private);
	wcp_reader_close(r);
	return more < 0 ? fail(&e) : 0;
}

int
main(int argc, char **argv)
{
	uint64_t v[5] = {0};
	for (int i = 2; i < argc && i < 7; i++)
		v[i - 2] = strtoull(argv[i], NULL, 0);
	if ((argc == 5 || argc == 7) && !strcmp(argv[1], "make"))
		return make(v[0], v[1], v[2], v[3], argc == 7 ? v[4] : v[0]);
	if (argc == 4 && !strcmp(argv[1], "naive"))
		return naive(argv[2], argv[3]);
	fputs("usage: reuse_stream make N LINES SEED [FROM TO] | naive BY PRIVATE\n", stderr);
	return 2;
}

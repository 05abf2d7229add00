#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include "decoder.h"

enum { END = 1, PROVENANCE, PROGRAM, KERNEL, KERNEL_END, HOST, INDEX, WARP = 16, ACCESS, STATE };
enum { MAGIC = 0x50435257 };
#define NONE 0xffffffffu

static bool explain;

void
die(const char *format, ...)
{
	va_list ap;
	fflush(stdout);
	va_start(ap, format);
	fprintf(stderr, "decoder: ");
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(3);
}

void *
need(size_t bytes)
{
	void *p = calloc(1, bytes);
	if (!p)
		die("out of memory");
	return p;
}

/* ---- the input ----------------------------------------------------------------------------- */

struct bytes {
	uint8_t *data;
	size_t n, cap;
};

static void
room(struct bytes *b, size_t n)
{
	if (b->cap - b->n >= n)
		return;
	b->cap = 2 * b->cap + n;
	b->data = realloc(b->data, b->cap);
	if (!b->data)
		die("out of memory");
}

static struct bytes
slurp(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	struct bytes b = {0};
	if (!f)
		die("%s: cannot open", path);
	for (size_t got = 1; got > 0; b.n += got) {
		room(&b, 65536);
		got = fread(b.data + b.n, 1, b.cap - b.n, f);
	}
	if (f != stdin)
		fclose(f);
	return b;
}

/* What zstd -d gives. */
static struct bytes
unpacked(struct bytes in)
{
	uint32_t magic = in.n >= 4 ? (uint32_t)number(in.data, 4, false) : 0;
	if (magic != 0xfd2fb528u && (magic & ~15u) != 0x184d2a50u)
		return in;
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer from = {in.data, in.n, 0};
	struct bytes out = {0};
	size_t more = 0;
	while (from.pos < from.size) {
		room(&out, ZSTD_DStreamOutSize());
		ZSTD_outBuffer to = {out.data, out.cap, out.n};
		more = ZSTD_decompressStream(z, &to, &from);
		out.n = to.pos;
		if (ZSTD_isError(more))
			die("zstd: %s", ZSTD_getErrorName(more));
	}
	while (more > 0) {
		room(&out, ZSTD_DStreamOutSize());
		ZSTD_outBuffer to = {out.data, out.cap, out.n};
		size_t had = out.n;
		more = ZSTD_decompressStream(z, &to, &from);
		out.n = to.pos;
		if (ZSTD_isError(more) || out.n == had)
			die("truncated frame");
	}
	ZSTD_freeDStream(z);
	free(in.data);
	return out;
}

/* ---- what a stream has said ---------------------------------------------------------------- */

struct stream {
	bool swapped, open;
	struct program *program; /* of all parts */
	struct kernel *kernel;
	uint32_t programs, kernels, program_base, kernel_base;
	uint32_t program_end, kernel_end; /* ids are below */
	struct sums sums;
	uint64_t flags;
};

static uint32_t
rebased(uint64_t id, uint32_t base)
{
	return (uint32_t)id == NONE ? NONE : (uint32_t)id + base;
}

static const struct program *
program_of(const struct stream *s, uint32_t kernel)
{
	for (uint32_t i = 0; i < s->kernels; i++)
		for (uint32_t j = 0; s->kernel[i].id == kernel && j < s->programs; j++)
			if (s->program[j].id == s->kernel[i].program)
				return &s->program[j];
	die("kernel %u has no program", kernel);
}

static char *
string_at(const struct block *b, uint64_t offset)
{
	char *all = text(b, 2), *s;
	if (offset >= length(b, 2))
		die("PROGRAM block: a string that is not there");
	s = strdup(all + offset);
	free(all);
	return s;
}

static void
print_insn(const struct program *p, uint32_t i)
{
	const uint64_t *f = p->insn[i].field;
	printf(" insn %u %s class %u space %u kind %u flags %u bytes %u bar %u %u target %u %u", i,
	    p->insn[i].text, (unsigned)f[0], (unsigned)f[1], (unsigned)f[2], (unsigned)f[5],
	    (unsigned)f[6], (unsigned)f[7], (unsigned)f[8], (unsigned)f[9], (unsigned)f[10]);
	printf(" loc %s %u ptx %u regs %u+%u", p->insn[i].file ? p->insn[i].file : "-",
	    (unsigned)f[13], (unsigned)f[14], (unsigned)f[3], (unsigned)f[4]);
	for (uint64_t r = 0; r < f[3] + f[4]; r++)
		printf(" %u", (unsigned)p->reg[f[11] + r]);
	printf("\n");
}

static void
read_program(struct stream *s, const struct block *b)
{
	s->program = realloc(s->program, (s->programs + 1) * sizeof *s->program);
	struct program *p = &s->program[s->programs++];
	uint32_t regs = length(b, 3);
	*p = (struct program){
	    .id = (uint32_t)at(b, 0, 0) + s->program_base, .n = b->records, .name = text(b, 1)};
	p->insn = need((p->n + 1) * sizeof *p->insn);
	p->reg = need((regs + 1) * sizeof *p->reg);
	for (uint32_t i = 0; i < regs; i++)
		p->reg[i] = at(b, 3, i);
	printf("program %u %s\n", p->id, p->name);
	for (uint32_t i = 0; i < p->n; i++) {
		for (unsigned c = 0; c < 15; c++)
			p->insn[i].field[c] = at(b, 5 + c, i);
		p->insn[i].text = string_at(b, at(b, 4, i));
		p->insn[i].file =
		    p->insn[i].field[12] == NONE ? NULL : string_at(b, p->insn[i].field[12]);
		if (p->insn[i].field[11] + p->insn[i].field[3] + p->insn[i].field[4] > regs)
			die("PROGRAM block: registers that are not there");
		print_insn(p, i);
	}
	if (p->id >= s->program_end)
		s->program_end = p->id + 1;
}

static uint64_t
field(const struct block *b, uint32_t i)
{
	return i < length(b, 0) ? at(b, 0, i) : 0;
}

static void
read_kernel(struct stream *s, const struct block *b)
{
	uint64_t f[24];
	char *name = text(b, 1);
	for (uint32_t i = 0; i < 24; i++)
		f[i] = field(b, i);
	s->kernel = realloc(s->kernel, (s->kernels + 1) * sizeof *s->kernel);
	struct kernel k = {(uint32_t)f[0] + s->kernel_base, rebased(f[1], s->program_base)};
	s->kernel[s->kernels++] = k;
	s->sums.kernels++;
	if (k.id >= s->kernel_end)
		s->kernel_end = k.id + 1;
	printf("kernel %u program %u %s grid", k.id, k.program, name);
	for (int i = 2; i < 5; i++)
		printf(" %u", (unsigned)f[i]);
	printf(" block");
	for (int i = 5; i < 8; i++)
		printf(" %u", (unsigned)f[i]);
	printf(" regs %u shared %u %u local %u param %u flags %u", (unsigned)f[8], (unsigned)f[9],
	    (unsigned)f[10], (unsigned)f[11], (unsigned)f[12], (unsigned)f[13]);
	printf(" stream %" PRIu64 " depth %u parent %u", f[22], (unsigned)f[14],
	    rebased(f[15], s->kernel_base));
	printf(" %u %u %u pc %u order %u site %u workload %" PRIu64 "\n", (unsigned)f[16],
	    (unsigned)f[17], (unsigned)f[18], (unsigned)f[19], (unsigned)f[20], (unsigned)f[21],
	    f[23]);
	free(name);
}

static void
read_warp(struct stream *s, const struct block *b)
{
	uint32_t kernel = (uint32_t)at(b, 0, 0) + s->kernel_base;
	print_warp(b, program_of(s, kernel), kernel, s->kernel_base, &s->sums);
}

/* A column that is not there: all bits set for those that say "unknown" so, else 0. */
static uint64_t
access_value(const struct block *b, unsigned c, uint32_t i)
{
	if (b->column[c].there)
		return at(b, c, i);
	return c == 1 || c == 5 ? 0xffff : c == 16 ? UINT64_MAX : c == 17 ? NONE : 0;
}

static void
read_access(struct stream *s, const struct block *b)
{
	static const bool hex[] = {[7] = true, [8] = true, [14] = true, [16] = true};
	for (uint32_t i = 0; i < b->records; i++) {
		printf("access");
		for (unsigned c = 0; c < 19; c++) {
			uint64_t v = access_value(b, c, i);
			if (c == 2)
				v = rebased(v, s->kernel_base);
			if (c == 9)
				printf(" %08x", (unsigned)v);
			else
				printf(c < sizeof hex && hex[c] ? " %" PRIx64 : " %" PRIu64, v);
		}
		printf("\n");
	}
	s->sums.records += b->records;
	s->sums.accesses += b->records;
}

static void
read_state(const struct stream *s, const struct block *b)
{
	for (uint32_t i = 0; i < b->records; i++) {
		printf("state %" PRIu64 " %u", at(b, 0, i), rebased(at(b, 1, i), s->kernel_base));
		for (unsigned c = 2; c < 7; c++)
			printf(" %u", (unsigned)at(b, c, i));
		printf("\n");
	}
}

static void
read_provenance(const struct block *b)
{
	char *all = text(b, 1);
	for (uint32_t i = 0; i < length(b, 1); i += (uint32_t)strlen(all + i) + 1)
		printf("by %s\n", all + i);
	free(all);
}

static void
read_host(const struct block *b)
{
	char *label = text(b, 1);
	printf("host %d %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", (int)field(b, 0),
	    field(b, 1), field(b, 2), field(b, 3), field(b, 4), label);
	free(label);
}

static void
read_kernel_end(const struct stream *s, const struct block *b)
{
	printf("kernel_end %u", (unsigned)field(b, 0) + s->kernel_base);
	for (uint32_t i = 1; i < 6; i++)
		printf(" %" PRIu64, field(b, i));
	printf("\n");
}

static void
read_end(struct stream *s, const struct block *b)
{
	const struct sums *t = &s->sums;
	uint64_t mine[] = {t->records, t->kernels, t->warp_insns, t->thread_insns, t->mem_insns,
	    t->ctas, t->accesses};
	for (uint32_t i = 0; i < 7; i++)
		if (field(b, 1 + i) != mine[i])
			die("END block: total %u is %" PRIu64 ", counted %" PRIu64, i,
			    field(b, 1 + i), mine[i]);
	s->flags |= field(b, 8);
	s->open = false;
}

static void
read_block(struct stream *s, const struct block *b)
{
	switch (b->type) {
	case END: read_end(s, b); break;
	case PROVENANCE: read_provenance(b); break;
	case PROGRAM: read_program(s, b); break;
	case KERNEL: read_kernel(s, b); break;
	case KERNEL_END: read_kernel_end(s, b); break;
	case HOST: read_host(b); break;
	case WARP: read_warp(s, b); break;
	case ACCESS: read_access(s, b); break;
	case STATE: read_state(s, b); break;
	default: break; /* INDEX, and what later versions bring */
	}
}

static size_t
read_header(struct stream *s, const uint8_t *p, uint64_t offset)
{
	s->swapped = number(p, 4, false) != MAGIC;
	unsigned major = (unsigned)number(p + 4, 2, s->swapped),
		 minor = (unsigned)number(p + 6, 2, s->swapped);
	unsigned link = (unsigned)number(p + 8, 4, s->swapped);
	if (major != 1 && major != 2)
		die("version %u", major);
	if (explain)
		hex_line(offset, p, 16, "file header: magic, version %u.%u, kind %u, flags", major,
		    minor, link);
	s->open = true;
	s->program_base = s->program_end;
	s->kernel_base = s->kernel_end;
	return 16;
}

static void
add(struct sums *total, const struct sums *part)
{
	total->records += part->records;
	total->kernels += part->kernels;
	total->warp_insns += part->warp_insns;
	total->thread_insns += part->thread_insns;
	total->mem_insns += part->mem_insns;
	total->ctas += part->ctas;
	total->accesses += part->accesses;
}

static size_t
next_block(struct stream *s, const uint8_t *p, size_t left, uint64_t offset)
{
	static struct block b;
	static const char *const name[] = {[END] = "END",
	    [PROVENANCE] = "PROVENANCE",
	    [PROGRAM] = "PROGRAM",
	    [KERNEL] = "KERNEL",
	    [KERNEL_END] = "KERNEL_END",
	    [HOST] = "HOST",
	    [INDEX] = "INDEX",
	    [WARP] = "WARP",
	    [ACCESS] = "ACCESS",
	    [STATE] = "STATE"};
	unsigned columns = (unsigned)number(p + 2, 2, s->swapped);
	uint32_t bytes = (uint32_t)number(p + 4, 4, s->swapped);
	if (bytes > left - 16)
		die("truncated");
	b.type = p[0];
	b.records = (uint32_t)number(p + 8, 4, s->swapped);
	if (explain)
		hex_line(offset, p, 16, "%s block: %u columns, %u bytes, %u records",
		    p[0] < sizeof name / sizeof *name && name[p[0]] ? name[p[0]] : "unknown",
		    columns, bytes, b.records);
	read_columns(&b, p + 16, bytes, columns, s->swapped, explain, offset + 16);
	if (!explain)
		read_block(s, &b);
	else if (b.type == END)
		s->open = false;
	free_columns(&b);
	return 16 + (size_t)bytes;
}

static void
print_end(const struct sums *t, uint64_t flags)
{
	printf("end records %" PRIu64 " kernels %" PRIu64 " insns %" PRIu64 " %" PRIu64 " %" PRIu64,
	    t->records, t->kernels, t->warp_insns, t->thread_insns, t->mem_insns);
	printf(" ctas %" PRIu64 " accesses %" PRIu64 " flags %u\n", t->ctas, t->accesses,
	    (unsigned)flags);
}

int
main(int argc, char **argv)
{
	static struct stream s; /* what it holds lives as long as the process */
	static struct bytes in;
	struct sums total = {0};
	for (int c; (c = getopt(argc, argv, "x")) != -1;) {
		if (c != 'x')
			return 2;
		explain = true;
	}
	in = unpacked(slurp(optind < argc ? argv[optind] : "-"));
	for (size_t i = 0; i < in.n;) {
		const uint8_t *p = in.data + i;
		if (in.n - i < 16)
			die("truncated");
		uint32_t magic = (uint32_t)number(p, 4, false);
		if (magic == MAGIC || magic == __builtin_bswap32(MAGIC)) {
			if (s.open)
				die("a stream without END");
			i += read_header(&s, p, i);
			continue;
		}
		if (!s.open)
			die("not a stream");
		i += next_block(&s, p, in.n - i, i);
		if (!s.open) {
			add(&total, &s.sums);
			s.sums = (struct sums){0};
		}
	}
	if (s.open || !in.n)
		die("truncated: no END block");
	if (!explain)
		print_end(&total, s.flags);
	return 0;
}

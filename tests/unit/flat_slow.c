/*
 * usage: flat_slow ORDER SMS CTAS_PER_SM LINE SECTOR FILE    what warpflat should make of a WARP
 * stream flat_slow -p FILE                                   an ACCESS stream in the same words
 *
 * Written from warpflat(1) alone: whole launches in memory, one loop per rule, every byte of every
 * lane.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/stream.h"
#include "warpcap/walk.h"

enum { MAX_CTA = 512, MAX_WARP = 32, MAX_LINES = 1024, LOCAL_ROW = 128 };

struct insn {
	uint32_t pc, mask, barrier_warps;
	int barrier; /* -1: memory */
	bool continues;
	uint8_t space;
	uint64_t address[32];
};

struct warp {
	struct insn *insn;
	uint32_t n, at;
	int waits; /* barrier, -1: none */
	bool ended;
};

struct cta {
	uint32_t linear;
	struct warp warp[MAX_WARP];
	uint32_t arrived[16];
};

static struct cta cta[MAX_CTA];
static uint32_t n_cta, n_warp, sms, ctas_per_sm, line_bytes, sector_bytes;
static const struct wcp_kernel *kernel;
static const struct wcp_program *program;
static uint64_t written;

static _Noreturn void
die(const char *text)
{
	fprintf(stderr, "flat_slow: %s\n", text);
	exit(3);
}

static void
print(uint64_t cycle, uint32_t sm, uint32_t slot, uint32_t cta_linear, uint32_t warp, uint32_t pc,
    uint64_t line, uint32_t sectors, uint32_t lanes, uint32_t bytes, uint32_t kind, uint32_t space,
    uint32_t flags)
{
	printf("%" PRIu64 " sm %u slot %u cta %u warp %u pc %u line %" PRIx64
	       " sectors %x lanes %08x bytes %u kind %u "
	       "space %u flags %x\n",
	    cycle, sm, slot, cta_linear, warp, pc, line, sectors, lanes, bytes, kind, space, flags);
}

static struct cta *
find_cta(uint32_t linear)
{
	for (uint32_t i = 0; i < n_cta; i++) {
		if (cta[i].linear == linear)
			return &cta[i];
	}
	if (n_cta == MAX_CTA)
		die("too many CTAs");
	cta[n_cta] = (struct cta){.linear = linear};
	for (int w = 0; w < MAX_WARP; w++)
		cta[n_cta].warp[w].waits = -1;
	return &cta[n_cta++];
}

static void
add(struct warp *w, const struct insn *in)
{
	if ((w->n & (w->n - 1)) == 0)
		w->insn = realloc(w->insn, (w->n ? 2 * w->n : 1) * sizeof w->insn[0]);
	w->insn[w->n++] = *in;
}

static void
load(const struct wcp_warp_batch *b)
{
	for (uint32_t s = 0; s < b->n_seg; s++) {
		struct warp *warp = &find_cta(b->seg_cta[s])->warp[b->seg_warp[s]];
		struct wcp_walk w;
		wcp_walk_start(&w, b, program, s);
		while (wcp_walk_next(&w)) {
			for (uint32_t i = w.mem_first; i < w.mem_first + w.n_mem; i++) {
				struct insn in = {
				    .pc = w.pc, .mask = b->mem_mask[i], .barrier = -1};
				in.space = b->mem_space[i];
				in.continues = i > w.mem_first;
				wcp_mem_expand(b, i, in.address);
				if (in.space == WCP_SPACE_GLOBAL || in.space == WCP_SPACE_LOCAL)
					add(warp, &in);
			}
			if (w.insn && w.insn->op_class == WCP_OP_BARRIER && w.mask)
				add(warp, &(struct insn){.pc = w.pc,
					      .barrier = w.insn->bar_id,
					      .barrier_warps = (w.insn->bar_count + 31u) / 32});
		}
	}
}

/* The bytes of the instruction, in the order that the manual says, into lines. */
static void
coalesce(const struct insn *in, uint32_t sm, uint32_t slot, const struct cta *c, uint32_t warp)
{
	static uint64_t line[MAX_LINES];
	static uint32_t lanes[MAX_LINES], sectors[MAX_LINES], bytes[MAX_LINES];
	static uint8_t touched[MAX_LINES][4096];
	uint32_t n = 0, width = program->insn[in->pc].bytes;
	uint64_t row = ((uint64_t)(kernel->local_bytes + 3) / 4 * LOCAL_ROW + 4095) / 4096 * 4096;
	uint64_t local = 0x400000000000 + ((uint64_t)c->linear * n_warp + warp) * row;
	bool is_local = in->space == WCP_SPACE_LOCAL;
	for (uint32_t word = 0; word <= (is_local ? width / 4 + 1 : 0); word++) {
		for (uint32_t l = 0; l < 32; l++) {
			for (uint32_t b = 0; b < width && (in->mask >> l & 1); b++) {
				uint64_t a = in->address[l] + b;
				if (is_local && a / 4 - in->address[l] / 4 != word)
					continue;
				if (is_local)
					a = local + a / 4 * LOCAL_ROW + l * 4 + a % 4;
				uint32_t i = 0;
				while (i < n && line[i] != a - a % line_bytes)
					i++;
				if (i == n) {
					line[n] = a - a % line_bytes;
					lanes[n] = sectors[n] = bytes[n] = 0;
					memset(touched[n++], 0, line_bytes);
				}
				bytes[i] += !touched[i][a % line_bytes];
				touched[i][a % line_bytes] = 1;
				lanes[i] |= 1u << l;
				sectors[i] |= 1u << a % line_bytes / sector_bytes;
			}
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t flags = n > 2 ? WCP_ACCESS_DIVERGENT : 0;
		if (i == 0 && !in->continues)
			flags |= WCP_ACCESS_FIRST;
		if (program->insn[in->pc].flags & WCP_INSN_UNCACHED)
			flags |= WCP_ACCESS_UNCACHED;
		print(written++, sm, slot, c->linear, warp, in->pc, line[i], sectors[i], lanes[i],
		    bytes[i], program->insn[in->pc].kind, in->space, flags);
	}
}

static uint32_t
live(const struct cta *c)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < n_warp; w++)
		n += !c->warp[w].ended;
	return n;
}

/* Opens the barriers that enough warps have come to; all of them if nobody else can move. */
static void
open_barriers(struct cta *c)
{
	uint32_t waiting = 0;
	for (uint32_t w = 0; w < n_warp; w++)
		waiting += c->warp[w].waits >= 0;
	for (int b = 0; b < 16; b++) {
		bool open =
		    (c->arrived[b] && c->arrived[b] >= live(c)) || (waiting && waiting == live(c));
		for (uint32_t w = 0; open && w < n_warp; w++) {
			if (c->warp[w].waits == b)
				c->warp[w].waits = -1;
		}
		if (open)
			c->arrived[b] = 0;
	}
}

/* 1: issued a memory instruction; 0: came to a barrier or to its end; -1: cannot move */
static int
step(struct cta *c, uint32_t w, uint32_t sm, uint32_t slot, bool minds_barriers)
{
	struct warp *warp = &c->warp[w];
	if (warp->waits >= 0 || warp->ended)
		return -1;
	while (!minds_barriers && warp->at < warp->n && warp->insn[warp->at].barrier >= 0)
		warp->at++;
	if (warp->at == warp->n) {
		warp->ended = true;
		open_barriers(c);
		return 0;
	}
	struct insn *in = &warp->insn[warp->at++];
	if (in->barrier >= 0) {
		warp->waits = in->barrier;
		c->arrived[in->barrier]++;
		open_barriers(c);
		return 0;
	}
	coalesce(in, sm, slot, c, w);
	while (warp->at < warp->n && warp->insn[warp->at].continues)
		coalesce(&warp->insn[warp->at++], sm, slot, c, w);
	return 1;
}

static void
round_robin(void)
{
	static struct cta *resident[64][64];
	static uint32_t next[64];
	uint32_t dealt = 0, slots = ctas_per_sm * n_warp;
	memset(next, 0, sizeof next);
	for (uint32_t p = 0; p < ctas_per_sm; p++) {
		for (uint32_t s = 0; s < sms; s++)
			resident[s][p] = dealt < n_cta ? &cta[dealt++] : NULL;
	}
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t s = 0; s < sms; s++) {
			for (uint32_t tried = 0; tried < slots; tried++) {
				uint32_t slot = next[s], p = slot / n_warp;
				next[s] = (slot + 1) % slots;
				if (!resident[s][p])
					continue;
				int did = step(resident[s][p], slot % n_warp, s, slot, true);
				if (did == 0)
					tried = UINT32_MAX;
				if (did == 0 && live(resident[s][p]) == 0) {
					resident[s][p] = dealt < n_cta ? &cta[dealt++] : NULL;
					next[s] = p * n_warp;
				}
				if (did == 1) {
					moved = true;
					break;
				}
			}
		}
	}
}

static void
run(const char *order)
{
	if (!strcmp(order, "rr")) {
		round_robin();
	} else if (!strcmp(order, "cta")) {
		for (uint32_t i = 0; i < n_cta; i++) {
			for (uint32_t w = 0; live(&cta[i]); w = (w + 1) % n_warp)
				step(&cta[i], w, i % sms, w, true);
		}
	} else {
		for (uint32_t i = 0; i < n_cta; i++) {
			for (uint32_t w = 0; w < n_warp; w++) {
				while (step(&cta[i], w, i % sms, w, false) >= 0)
					continue;
			}
		}
	}
	for (uint32_t i = 0; i < n_cta; i++) {
		for (uint32_t w = 0; w < MAX_WARP; w++)
			free(cta[i].warp[w].insn);
	}
	n_cta = 0;
}

static void
print_access(const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		print(b->cycle[i], b->sm[i], b->slot[i], b->cta[i], b->warp[i], b->pc[i],
		    b->line[i], b->sectors[i], b->lanes[i], b->bytes[i], b->kind[i], b->space[i],
		    b->flags[i]);
		if (b->id[i] != b->cycle[i])
			die("id and cycle differ");
	}
}

int
main(int argc, char **argv)
{
	struct wcp_error e = {0};
	struct wcp_item item;
	struct wcp_reader *r = wcp_reader_open(argv[argc - 1], NULL, &e);
	int got;
	if (!r)
		die(e.text);
	if (argc == 7) {
		sms = (uint32_t)atoi(argv[2]);
		ctas_per_sm = (uint32_t)atoi(argv[3]);
		line_bytes = (uint32_t)atoi(argv[4]);
		sector_bytes = (uint32_t)atoi(argv[5]);
	}
	while ((got = wcp_reader_next(r, &item, &e)) > 0) {
		if (item.type == WCP_ITEM_KERNEL) {
			kernel = item.kernel;
			program = wcp_reader_program(r, kernel->program);
			n_warp = (kernel->block[0] * kernel->block[1] * kernel->block[2] + 31) / 32;
		} else if (item.type == WCP_ITEM_WARP) {
			load(item.warp);
		} else if (item.type == WCP_ITEM_KERNEL_END && argc == 7) {
			run(argv[1]);
		} else if (item.type == WCP_ITEM_ACCESS) {
			print_access(item.access);
		}
	}
	if (got < 0)
		die(e.text);
	wcp_reader_close(r);
	return 0;
}

/*
 * usage: walk SEED    random segments walked one instruction at a time, and with plain ones walked
 *                     past: the same instructions, lanes, records and events
 * Prints how many there were and how many were walked past; 1 if a walk differed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "stream_gen.h"
#include "warpcap/walk.h"

enum { ROUNDS = 200 };

static uint64_t walked, passed;

/* Instructions behind pc that have neither guard nor memory records. */
static uint32_t
plain_behind(const struct wcp_program *p, uint32_t pc)
{
	uint32_t n = 0;
	while (pc + 1 + n < p->n_insn &&
	       !(p->insn[pc + 1 + n].flags & (WCP_INSN_GUARDED | WCP_INSN_MEMORY)))
		n++;
	return n;
}

static bool
same(const struct wcp_walk *a, const struct wcp_walk *b)
{
	return a->at == b->at && a->pc == b->pc && a->mask == b->mask && a->run == b->run &&
	       a->n_mem == b->n_mem && a->mem_first == b->mem_first && a->n_event == b->n_event &&
	       a->event_first == b->event_first && a->insn == b->insn;
}

/* What was walked past is what the other walk finds: lanes of the run and nothing else. */
static bool
is_plain(const struct wcp_walk *w, const struct wcp_walk *leader, uint32_t behind)
{
	return w->pc == leader->pc + behind && w->run == leader->run && !w->n_mem && !w->n_event &&
	       w->mask == w->batch->run_mask[w->run];
}

static bool
segment(const struct wcp_warp_batch *b, const struct wcp_program *p, uint32_t s)
{
	struct wcp_walk one, some;
	wcp_walk_start(&one, b, p, s);
	wcp_walk_start(&some, b, p, s);
	while (wcp_walk_next(&some)) {
		if (!wcp_walk_next(&one) || !same(&one, &some))
			return false;
		uint32_t n = wcp_walk_past(&some, gen_below(plain_behind(p, some.pc) + 1));
		for (uint32_t i = 1; i <= n; i++) {
			if (!wcp_walk_next(&one) || !is_plain(&one, &some, i))
				return false;
		}
		walked += 1 + n;
		passed += n;
	}
	return !wcp_walk_next(&one);
}

int
main(int argc, char **argv)
{
	static struct gen_program program;
	static struct gen_site site[GEN_INSNS];
	struct wcp_warp_batch b;
	gen_state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	wcp_warp_batch_init(&b);
	bool ok = true;
	for (unsigned r = 0; r < ROUNDS && ok; r++) {
		gen_program(&program, 0);
		for (unsigned i = 0; i < GEN_INSNS; i++)
			gen_site(&site[i]);
		struct wcp_kernel k = gen_kernel(0, 0);
		k.block[0] = 64;
		k.block[1] = k.block[2] = 1;
		wcp_warp_batch_clear(&b);
		if (gen_warp(&b, &k, &program.program, site, 0, 3, 4) < 0)
			return 2;
		for (uint32_t i = 0; i < b.n_event; i++)
			b.event_at[i] = gen_below(100);
		for (uint32_t s = 0; s < b.n_seg && ok; s++)
			ok = segment(&b, &program.program, s);
	}
	wcp_warp_batch_release(&b);
	printf("%" PRIu64 " instructions, %" PRIu64 " walked past: %s\n", walked, passed,
	    ok ? "the same" : "not the same");
	return !ok;
}

/* Live registers, backwards over basic blocks until nothing changes. */
#include <stdlib.h>
#include <string.h>
#include "exec/lower/cfg.h"

bool cfg_liveness(struct cfg *c);

static void
set_bit(uint64_t *set, uint32_t i)
{
	set[i / 64] |= 1ull << i % 64;
}

static void
clear_bit(uint64_t *set, uint32_t i)
{
	set[i / 64] &= ~(1ull << i % 64);
}

/* live: after in; becomes before it. What a guard may leave as it was stays live. */
static void
step_back(const struct ptx_insn *in, uint64_t *live)
{
	struct cfg_regs r;
	cfg_insn_regs(in, &r);
	if (in->guard == WCP_NONE32)
		for (uint32_t i = 0; i < r.n_dst; i++)
			clear_bit(live, r.dst[i]);
	for (uint32_t i = 0; i < r.n_src; i++)
		set_bit(live, r.src[i]);
}

/* gen: read before written in the block; kill: written for certain. */
static void
summarise(const struct cfg *c, const struct cfg_block *b, uint64_t *gen, uint64_t *kill)
{
	for (uint32_t i = b->end; i-- > b->first;) {
		const struct ptx_insn *in = &c->fn->insn[i];
		struct cfg_regs r;
		step_back(in, gen);
		cfg_insn_regs(in, &r);
		for (uint32_t k = 0; in->guard == WCP_NONE32 && k < r.n_dst; k++)
			set_bit(kill, r.dst[k]);
	}
}

static bool
update(struct cfg *c, uint32_t b, const uint64_t *gen, const uint64_t *kill)
{
	uint64_t *in = c->live_in + (size_t)b * c->words, *out = c->live_out + (size_t)b * c->words;
	bool changed = false;
	for (uint32_t i = 0; i < c->block[b].n_succ; i++) {
		const uint64_t *s = c->live_in + (size_t)c->edge[c->block[b].succ + i] * c->words;
		for (uint32_t k = 0; k < c->words; k++)
			out[k] |= s[k];
	}
	for (uint32_t k = 0; k < c->words; k++) {
		uint64_t now = gen[k] | (out[k] & ~kill[k]);
		changed |= now != in[k];
		in[k] = now;
	}
	return changed;
}

bool
cfg_liveness(struct cfg *c)
{
	c->words = c->fn->n_reg / 64 + 1;
	const size_t n = (size_t)c->n_block * c->words;
	uint64_t *gen = calloc(n + 1, 8), *kill = calloc(n + 1, 8);
	c->live_in = calloc(n + 1, 8);
	c->live_out = calloc(n + 1, 8);
	bool ok = gen && kill && c->live_in && c->live_out;
	for (uint32_t b = 0; ok && b < c->n_block; b++)
		summarise(c, &c->block[b], gen + (size_t)b * c->words, kill + (size_t)b * c->words);
	for (bool changed = ok; changed;) {
		changed = false;
		for (uint32_t b = c->n_block; b-- > 0;)
			changed |=
			    update(c, b, gen + (size_t)b * c->words, kill + (size_t)b * c->words);
	}
	free(gen);
	free(kill);
	return ok;
}

void
cfg_each_live(const struct cfg *c, cfg_visit *visit, void *arg)
{
	uint64_t *live = calloc(c->words + 1, 8);
	for (uint32_t b = c->n_block; live && b-- > 0;) {
		if (!c->block[b].reached)
			continue;
		memcpy(live, c->live_out + (size_t)b * c->words, c->words * 8ul);
		for (uint32_t i = c->block[b].end; i-- > c->block[b].first;) {
			visit(arg, i, live);
			step_back(&c->fn->insn[i], live);
		}
	}
	free(live);
}

uint32_t
cfg_weight(const struct cfg *c, const uint64_t *live)
{
	uint32_t weight = 0;
	for (uint32_t k = 0; k < c->words; k++)
		for (uint64_t left = live[k]; left; left &= left - 1) {
			uint32_t r = 64 * k + (uint32_t)__builtin_ctzll(left);
			unsigned bytes = ptx_type_bytes(c->fn->reg[r].type);
			weight += bytes > 8 ? 4 : bytes > 4 ? 2 : bytes > 0;
		}
	return weight;
}

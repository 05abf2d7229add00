/* Shared memory: which banks the lanes of one request need, and how often. */
#include "warpcap/coalesce.h"

enum {
	BANKS_MAX = 64,
	WORDS_MAX = WCP_LANES * (WCP_COALESCE_BYTES_MAX / 4 + 1),
};

struct words {
	uint32_t n, most;			     /* words in all; of one bank */
	uint16_t first[BANKS_MAX], count[BANKS_MAX]; /* 1 + number of a bank's latest word */
	uint16_t next[WORDS_MAX];
	uint64_t word[WORDS_MAX];
};

static void
add(struct words *w, uint64_t word, uint32_t banks)
{
	uint32_t bank = (uint32_t)(word % banks);
	for (uint32_t i = w->first[bank]; i; i = w->next[i - 1])
		if (w->word[i - 1] == word)
			return;
	w->word[w->n] = word;
	w->next[w->n] = w->first[bank];
	w->first[bank] = (uint16_t)++w->n;
	w->most = ++w->count[bank] > w->most ? w->count[bank] : w->most;
}

uint32_t
wcp_bank_passes(const struct wcp_warp_batch *b, uint32_t record, uint32_t bytes, uint32_t banks,
    uint32_t *fewest)
{
	uint64_t address[WCP_LANES];
	struct words w;
	w.n = w.most = 0;
	banks = banks < 1 ? 1 : banks > BANKS_MAX ? BANKS_MAX : banks;
	bytes = bytes < 1 ? 1 : bytes > WCP_COALESCE_BYTES_MAX ? WCP_COALESCE_BYTES_MAX : bytes;
	for (uint32_t i = 0; i < banks; i++)
		w.first[i] = w.count[i] = 0;
	wcp_mem_expand(b, record, address);
	for (uint32_t m = b->mem_mask[record]; m; m &= m - 1) {
		uint64_t from = address[__builtin_ctz(m)], last = (from + bytes - 1) / 4;
		for (uint64_t word = from / 4; word <= last; word++)
			add(&w, word, banks);
	}
	if (fewest)
		*fewest = (w.n + banks - 1) / banks;
	return w.most;
}

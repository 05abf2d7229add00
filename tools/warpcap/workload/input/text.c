#include "workload/input/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OCTAVES = 14, STREAM_TEXT = 200, LINE_MAX_BYTES = 8192 };

/* A text that grows; what is drawn comes from one sequence. */
struct drawing {
	struct text *t;
	uint64_t seed, draw;
};

static uint64_t
below(struct drawing *d, uint64_t span)
{
	return random_below(random_at(d->seed, d->draw++), span);
}

static void
put(struct drawing *d, const char *bytes, size_t n)
{
	memcpy(d->t->byte + d->t->bytes, bytes, n);
	d->t->bytes += n;
}

/* The rank of a word: an octave, then a rank of it. */
static uint64_t
draw_rank(struct drawing *d)
{
	uint64_t octave = below(d, OCTAVES);
	return ((uint64_t)1 << octave) + below(d, (uint64_t)1 << octave) - 1;
}

/* Ranks are spelt in syllables, frequent words are short. */
static void
put_word(struct drawing *d, uint64_t rank)
{
	static const char consonant[] = "bdfgklmnprstvzwh", vowel[] = "aeio";
	do {
		char syllable[2] = {consonant[rank % 16], vowel[rank / 16 % 4]};
		put(d, syllable, 2);
		rank /= 64;
	} while (rank);
}

static void
end_record(struct drawing *d)
{
	put(d, "\n", 1);
	d->t->first[++d->t->records] = (int32_t)d->t->bytes;
}

static bool
begin(struct host *h, struct drawing *d, struct text *t, uint64_t bytes, uint64_t shortest)
{
	*t = (struct text){.byte = host_memory(h, bytes + LINE_MAX_BYTES, 1),
	    .first = host_memory(h, (bytes + LINE_MAX_BYTES) / shortest + 2, sizeof *t->first)};
	*d = (struct drawing){t, random_at(host_seed(h), STREAM_TEXT), 0};
	return !host_failed(h);
}

void
text_words(struct host *h, struct text *t, uint64_t bytes)
{
	struct drawing d;
	uint64_t most = (uint64_t)host_integer(h, "WORDS"), least = most / 4 + 1;
	if (!begin(h, &d, t, bytes, 2))
		return;
	while (t->bytes < bytes) {
		for (uint64_t words = least + below(&d, most - least + 1); words > 0; words--) {
			put_word(&d, draw_rank(&d));
			put(&d, words > 1 ? " " : ".", 1);
		}
		end_record(&d);
	}
}

static void
put_address(struct drawing *d)
{
	put(d, "http://www.", 11);
	put_word(d, draw_rank(d));
	put(d, ".org/", 5);
	put_word(d, draw_rank(d) % 8);
}

void
text_html(struct host *h, struct text *t, uint64_t bytes)
{
	struct drawing d;
	if (!begin(h, &d, t, bytes, 16))
		return;
	while (t->bytes < bytes) {
		put(&d, "<p>", 3);
		for (uint64_t words = 12 + below(&d, 30); words > 0; words--) {
			put_word(&d, draw_rank(&d));
			put(&d, " ", 1);
		}
		if (below(&d, 4) == 0) {
			put(&d, "<a href=\"", 9);
			put_address(&d);
			put(&d, "\">", 2);
			put_word(&d, draw_rank(&d));
			put(&d, "</a>", 4);
		}
		put(&d, "</p>", 4);
		end_record(&d);
	}
}

void
text_log(struct host *h, struct text *t, uint64_t bytes)
{
	struct drawing d;
	if (!begin(h, &d, t, bytes, 16))
		return;
	while (t->bytes < bytes) {
		char rest[240];
		unsigned client = (unsigned)below(&d, 1 << 24);
		put_address(&d);
		int n = snprintf(rest, sizeof rest,
		    "\t10.%u.%u.%u\tid=%016" PRIx64 "%016" PRIx64 "; lang=en; seen=%08x; "
		    "agent=Surfer/%u.%u (compatible; reads pages; any system); from=search",
		    client >> 16, client >> 8 & 255, client & 255, random_at(d.seed, client),
		    random_at(d.seed + 1, client), (unsigned)t->records, client % 7, client % 10);
		put(&d, rest, (size_t)n);
		end_record(&d);
	}
}

static void
split(struct host *h, struct text *t)
{
	uint64_t lines = 1;
	for (uint64_t k = 0; k < t->bytes; k++)
		lines += t->byte[k] == '\n';
	t->first = host_memory(h, lines + 1, sizeof *t->first);
	if (!t->first)
		return;
	for (uint64_t k = 0; k < t->bytes; k++)
		if (t->byte[k] == '\n' || k + 1 == t->bytes)
			t->first[++t->records] = (int32_t)(k + 1);
}

void
text_load(struct host *h, struct text *t, const char *path)
{
	*t = (struct text){0};
	t->byte = host_read_file(h, path, &t->bytes);
	if (!t->byte)
		return;
	if (t->bytes == 0)
		host_fail_at(h, path, 0, "the file is empty");
	else if (t->bytes >= INT32_MAX)
		host_fail_at(h, path, 0, "the file has 2^31 bytes or more");
	else
		split(h, t);
}

struct text *
text_prepare(struct host *h, void (*draw)(struct host *h, struct text *t, uint64_t bytes))
{
	struct text *t = host_memory(h, 1, sizeof *t);
	const char *path = host_file(h, "FILE");
	if (t && path)
		text_load(h, t, path);
	else if (t)
		draw(h, t, (uint64_t)host_integer(h, "BYTES"));
	return t;
}

uint32_t
text_hash(const uint8_t *from, const uint8_t *to, uint8_t fold)
{
	uint32_t hash = 2166136261u;
	for (; from < to; from++)
		hash = (hash ^ (uint8_t)(*from | fold)) * 16777619u;
	return hash;
}

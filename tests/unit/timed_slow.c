/*
 * usage: timed_slow FILE KEY=NUMBER...
 * What warpcache says of a level with time, found cycle by cycle with the readable cache: each
 * cycle, in each cache, a message leaves, a line comes, an access tries. Prints what is passed on,
 * "CYCLE SM KIND LINE SECTORS", then the sums. Keys: sets ways sector write local entries merges
 * queue latency fill worst around port shared turn(=1: one access a cycle an SM).
 */
#include <inttypes.h>
#include <stdio.h>
#include "nbcache_naive.h"
#include "warpcap/stream.h"

enum { SMS = 64, RECORDS = 1 << 16, OUT = 1 << 18 };

struct record {
	uint64_t cycle, line, accepted;
	uint32_t sectors;
	uint16_t sm;
	uint8_t kind, space;
};

struct coming {
	uint64_t due, line;
	uint32_t sectors;
};

struct slow_cache {
	struct naive_nb nb;
	uint64_t pushed_until; /* messages that were there before this cycle may leave in it */
	uint32_t n_coming, movable;
	struct coming coming[RECORDS];
	uint32_t waiting[RECORDS], n_waiting, next; /* records in order */
	bool again;
};

static struct record record[RECORDS];
static uint32_t n_record;
static struct wcp_nb_options o;
static uint64_t latency, turn, shared;
static struct slow_cache *cache[SMS];

struct passed {
	uint64_t cycle, line;
	uint32_t sectors;
	uint16_t sm;
	uint8_t kind;
};
static struct passed out[OUT];
static uint32_t n_out;
static uint64_t refused[WCP_NB_FAIL_COUNT], latencies, last;

static void
read_options(int argc, char **argv)
{
	uint32_t worst = 0, around = 0, write = 0, local = 2, fill = 0, late = 0, is_shared = 0,
		 by_turn = 0, sets = 1;
	struct {
		const char *name;
		uint32_t *to;
	} key[] = {{"sets", &sets}, {"ways", &o.ways}, {"sector", &o.sector_bytes},
	    {"write", &write}, {"local", &local}, {"entries", &o.mshr_entries},
	    {"merges", &o.mshr_merges}, {"queue", &o.miss_queue}, {"latency", &late},
	    {"fill", &fill}, {"worst", &worst}, {"around", &around}, {"port", &o.port_bytes},
	    {"shared", &is_shared}, {"turn", &by_turn}};
	for (int i = 2; i < argc; i++)
		for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
			size_t length = strlen(key[k].name);
			if (!strncmp(argv[i], key[k].name, length) && argv[i][length] == '=')
				*key[k].to = (uint32_t)atoi(argv[i] + length + 1);
		}
	o.index = (struct wcp_index_options){.sets = sets, .line_bytes = 128};
	o.global_write = (enum wcp_write_policy)write;
	o.local_write = (enum wcp_write_policy)local;
	o.allocate = fill ? WCP_NB_ON_FILL : WCP_NB_ON_MISS;
	o.worst_case_room = worst;
	o.store_around = around;
	latency = late;
	shared = is_shared;
	turn = by_turn;
}

static void
read_records(const char *path)
{
	static uint64_t turns[SMS], latest;
	struct wcp_error e;
	struct wcp_item item;
	struct wcp_reader *r = wcp_reader_open(path, NULL, &e);
	while (r && wcp_reader_next(r, &item, &e) > 0) {
		const struct wcp_access_batch *b = item.access;
		for (uint32_t i = 0; item.type == WCP_ITEM_ACCESS && i < b->n; i++) {
			uint64_t cycle = b->cycle[i];
			if (turn) {
				uint64_t *t = &turns[b->sm[i]];
				cycle = *t > latest ? *t : latest;
				*t = cycle + 1;
			}
			latest = cycle;
			record[n_record++] = (struct record){
			    cycle, b->line[i], 0, b->sectors[i], b->sm[i], b->kind[i], b->space[i]};
		}
	}
	wcp_reader_close(r);
}

static void
pass(uint64_t cycle, uint16_t sm, uint8_t kind, uint64_t line, uint32_t sectors)
{
	out[n_out++] = (struct passed){cycle, line, sectors, sm, kind};
}

static void
one_leaves(struct slow_cache *c, uint64_t t, uint16_t number)
{
	struct wcp_nb_message m;
	if (!c->movable || !naive_nb_pop(&c->nb, &m))
		return;
	uint16_t sm =
	    m.type == WCP_NB_WRITE_BACK ? (shared ? WCP_NONE16 : number) : record[m.handle].sm;
	last = t;
	if (m.type == WCP_NB_PASS)
		pass(t, sm, m.kind, record[m.handle].line, record[m.handle].sectors);
	else
		pass(t, sm, m.kind, m.line, o.sector_bytes ? m.sectors : 15);
	if (m.type == WCP_NB_FETCH)
		c->coming[c->n_coming++] = (struct coming){t + latency, m.line, m.sectors};
}

static void
one_comes(struct slow_cache *c, uint64_t t)
{
	uint8_t bits;
	struct wcp_nb_victim v;
	uint32_t handle;
	if (!c->n_coming || c->coming[0].due > t)
		return;
	if (naive_nb_fill(&c->nb, c->coming[0].line, c->coming[0].sectors, t, &bits, &v))
		return;
	memmove(c->coming, c->coming + 1, --c->n_coming * sizeof *c->coming);
	while (naive_nb_answers(&c->nb, &handle, 1))
		latencies += t - record[handle].accepted;
}

static void
one_tries(struct slow_cache *c, uint64_t t)
{
	struct wcp_nb_result r;
	uint32_t i = c->next < c->n_waiting ? c->waiting[c->next] : RECORDS;
	if (i == RECORDS || record[i].cycle > t)
		return;
	struct wcp_nb_access a = {.line = record[i].line,
	    .cycle = t,
	    .handle = i,
	    .sectors = o.sector_bytes ? record[i].sectors : 1,
	    .kind = record[i].kind,
	    .space = record[i].space};
	int cause = naive_nb_access(&c->nb, &a, &r);
	if (cause) {
		refused[cause]++;
		return;
	}
	record[i].accepted = t;
	c->next++;
}

static bool
is_busy(const struct slow_cache *c)
{
	return c->next < c->n_waiting || c->n_coming || c->nb.n_queue;
}

static int
by_time(const void *a, const void *b)
{
	const struct passed *x = a, *y = b;
	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return (x->sm > y->sm) - (x->sm < y->sm);
}

static void
play(void)
{
	bool busy = true;
	for (uint64_t t = 0; busy; t++) {
		busy = false;
		for (unsigned i = 0; i < SMS; i++) {
			struct slow_cache *c = cache[i];
			if (!c || !is_busy(c))
				continue;
			busy = true;
			c->movable = c->nb.n_queue;
			one_leaves(c, t, (uint16_t)i);
			one_comes(c, t);
			one_tries(c, t);
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	read_options(argc, argv);
	read_records(argv[1]);
	for (uint32_t i = 0; i < n_record; i++) {
		struct slow_cache **c = &cache[shared ? 0 : record[i].sm];
		if (!*c) {
			*c = calloc(1, sizeof **c);
			(*c)->nb = naive_nb_new(&o);
		}
		(*c)->waiting[(*c)->n_waiting++] = i;
	}
	play();
	qsort(out, n_out, sizeof *out, by_time);
	for (uint32_t i = 0; i < n_out; i++)
		printf("%" PRIu64 " %u %s 0x%" PRIx64 " 0x%x\n", out[i].cycle, out[i].sm,
		    wcp_kind_name((enum wcp_access_kind)out[i].kind), out[i].line, out[i].sectors);
	printf("latency %" PRIu64, latencies);
	for (int i = WCP_NB_PORT; i < WCP_NB_FAIL_COUNT; i++)
		printf(" %s %" PRIu64, wcp_nb_fail_name((enum wcp_nb_fail)i), refused[i]);
	putchar('\n');
	for (int i = 0; i < SMS; i++)
		if (cache[i])
			naive_nb_free(&cache[i]->nb);
	return 0;
}

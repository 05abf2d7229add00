/*
 * usage: nbcache_play KEY=NUMBER... < SCRIPT
 * Plays a script on a non-blocking cache of 128-byte lines and says what happens. Keys are sets
 * ways sectors(=bytes) write(=enum wcp_write_policy, both spaces) fill entries merges queue worst
 * bysector port around. Script, a command a line; an access's handle counts up from 0:
 *	load|store|atomic LINE [SECTORS [PARTIAL]]
 *	noplace|around|tags|redirect LINE	a load by that route
 *	pop; fill LINE [SECTORS]; answers; remove LINE; at CYCLE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/nbcache.h"

static const char *const outcome[WCP_OUT_COUNT] = {
    "none", "hit", "miss", "sector", "pending", "bypass", "redirect", "redirect miss", "forward"};

struct play {
	struct wcp_nbcache *c;
	uint32_t handle;
	uint64_t cycle;
};

static struct wcp_nb_options
options(int argc, char **argv)
{
	struct wcp_nb_options o = {.index = {.sets = 1, .line_bytes = 128}, .ways = 1};
	struct {
		const char *name;
		uint32_t *to;
	} key[] = {{"ways", &o.ways}, {"sectors", &o.sector_bytes}, {"entries", &o.mshr_entries},
	    {"merges", &o.mshr_merges}, {"queue", &o.miss_queue}, {"port", &o.port_bytes}};
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		size_t length = value ? (size_t)(value - argv[i]) : 0;
		uint32_t v = value ? (uint32_t)atoi(value + 1) : 0;
		for (size_t k = 0; k < sizeof key / sizeof *key; k++)
			if (length && !strncmp(argv[i], key[k].name, length))
				*key[k].to = v;
		if (!strncmp(argv[i], "sets=", 5))
			o.index.sets = v;
		if (!strncmp(argv[i], "write=", 6))
			o.global_write = o.local_write = (enum wcp_write_policy)v;
		o.worst_case_room |= !strcmp(argv[i], "worst=1");
		o.mshr_by_sector |= !strcmp(argv[i], "bysector=1");
		o.store_around |= !strcmp(argv[i], "around=1");
		if (!strcmp(argv[i], "fill=1"))
			o.allocate = WCP_NB_ON_FILL;
	}
	return o;
}

static void
say_victim(uint8_t bits, const struct wcp_nb_victim *v)
{
	if (bits & WCP_NB_VICTIM)
		printf(", evicts %" PRIu64 "%s of %u for %u", v->line / 128,
		    bits & WCP_NB_DIRTY ? " dirty" : "", v->owner, v->evictor);
}

static void
play_access(struct play *p, struct wcp_nb_access a)
{
	struct wcp_nb_result r;
	a.handle = a.owner = p->handle;
	a.cycle = p->cycle;
	int cause = wcp_nbcache_access(p->c, &a, &r);
	printf("%u: ", p->handle);
	if (cause) {
		printf("refused: %s\n", wcp_nb_fail_name((enum wcp_nb_fail)cause));
		return;
	}
	p->handle++;
	printf("%s%s%s%s", outcome[r.outcome],
	    r.bits & WCP_NB_PRESENT && r.outcome != WCP_OUT_HIT ? ", present" : "",
	    r.bits & WCP_NB_SENT ? ", sent" : "", r.bits & WCP_NB_WAITS ? ", waits" : "");
	say_victim(r.bits, &r.victim);
	printf("  [%u MSHRs, %u queued]\n", wcp_nbcache_mshrs(p->c), wcp_nbcache_queued(p->c));
}

static void
play_pop(struct play *p)
{
	static const char *const type[] = {"fetch", "pass", "write back"};
	struct wcp_nb_message m;
	if (wcp_nbcache_pop(p->c, &m))
		printf("%s %s %" PRIu64 " sectors %x for %u\n", type[m.type],
		    wcp_kind_name((enum wcp_access_kind)m.kind), m.line / 128, m.sectors, m.handle);
	else
		puts("queue empty");
}

static void
play_fill(struct play *p, uint64_t line, uint32_t sectors)
{
	uint8_t bits;
	struct wcp_nb_victim v;
	int cause = wcp_nbcache_fill(p->c, line * 128, sectors, p->cycle, &bits, &v);
	if (cause > 0)
		printf("refused: %s\n", wcp_nb_fail_name((enum wcp_nb_fail)cause));
	if (cause)
		return;
	printf("filled, %u to answer", wcp_nbcache_answerable(p->c));
	say_victim(bits, &v);
	putchar('\n');
}

static void
play_answers(struct play *p)
{
	uint32_t handle;
	printf("answers");
	while (wcp_nbcache_answers(p->c, &handle, 1))
		printf(" %u", handle);
	printf("  [%u MSHRs]\n", wcp_nbcache_mshrs(p->c));
}

static void
play(struct play *p, const char *what, uint64_t line, uint32_t sectors, uint32_t partial)
{
	static const char *const kind[] = {"load", "store", "atomic"};
	static const char *const route[] = {"", "noplace", "around", "tags", "redirect"};
	struct wcp_nb_victim v;
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(what, kind[i]))
			play_access(p, (struct wcp_nb_access){.line = line * 128,
					   .sectors = sectors,
					   .partial = partial,
					   .kind = (uint8_t)i,
					   .space = WCP_SPACE_GLOBAL});
	for (unsigned i = 1; i < WCP_NB_ROUTE_COUNT; i++)
		if (!strcmp(what, route[i]))
			play_access(
			    p, (struct wcp_nb_access){.line = line * 128, .route = (uint8_t)i});
	if (!strcmp(what, "pop"))
		play_pop(p);
	if (!strcmp(what, "fill"))
		play_fill(p, line, sectors);
	if (!strcmp(what, "answers"))
		play_answers(p);
	if (!strcmp(what, "remove"))
		puts(wcp_nbcache_remove(p->c, line * 128, &v) ? "removed" : "not removed");
	if (!strcmp(what, "at"))
		printf("at %" PRIu64 "\n", p->cycle = line);
}

int
main(int argc, char **argv)
{
	struct wcp_error e;
	struct wcp_nb_options o = options(argc, argv);
	struct play p = {.c = wcp_nbcache_new(&o, &e)};
	char text[100], what[20];
	if (!p.c) {
		puts(e.text);
		return 2;
	}
	while (fgets(text, sizeof text, stdin)) {
		uint64_t line = 0;
		uint32_t sectors = 0, partial = 0;
		if (sscanf(text, "%19s %" SCNu64 " %x %x", what, &line, &sectors, &partial) > 0)
			play(&p, what, line, sectors, partial);
	}
	wcp_nbcache_free(p.c);
	return 0;
}

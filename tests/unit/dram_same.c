/*
 * usage: dram_same run FIRST COUNT REQUESTS   random memories, controllers and traffic from seeds
 *        dram_same gaps FIRST COUNT REQUESTS  the same, idle for many refresh intervals now and
 *                                             then; nothing is logged, so that they are left out
 *        dram_same one SCHEDULER SEED REQUESTS   one of them
 *        dram_same show SCHEDULER SEED REQUESTS  its config and requests
 * The model against the naive channels: all schedulers, each also played in random pieces; the
 * commands go through the checker. With DRAM_SAME=N, N times as many. Prints what differs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/stage.h"

static uint64_t commands, refused;
static bool gaps;

/* Many intervals; without refresh they are TCM's quanta. */
static uint64_t
gap_of(const struct wcp_dram_config *c, uint64_t *random)
{
	uint32_t interval =
	    c->timing.refresh == WCP_REFRESH_NONE ? c->controller.tcm_quantum_ck : c->timing.t_refi;
	return traffic_below(random, 3) ? 0 : traffic_below(random, 10 * interval);
}

/* 0 same, 1 different, 2 not a memory */
static int
play(const char *scheduler, uint64_t seed, uint32_t requests)
{
	struct wcp_dram_config c = traffic_config(seed, scheduler);
	char why[500];
	struct stage *s = stage_new(&c, why, sizeof why);
	if (!s) {
		if (getenv("DRAM_SAME_WHY"))
			printf("%s %" PRIu64 ": %s\n", scheduler, seed, why);
		return 2;
	}
	struct traffic t = traffic_new(&c, seed);
	stage_restless(s, seed, seed % 2 ? 50 : 0);
	uint64_t random = seed;
	if (gaps)
		stage_silence(s);
	for (uint32_t i = 0; i < requests && stage_push(s, traffic_next(&t)); i++)
		t.now += gaps ? gap_of(&c, &random) : 0;
	bool same = stage_end(s);
	commands += check_commands(stage_check(s));
	if (!same)
		printf("%s %" PRIu64 ": %s\n", scheduler, seed, stage_difference(s));
	stage_free(s);
	return !same;
}

/* What to write a scenario from. */
static void
describe(const char *scheduler, uint64_t seed, uint32_t requests)
{
	struct wcp_dram_config c = traffic_config(seed, scheduler);
	struct traffic t = traffic_new(&c, seed);
	const struct wcp_dram_controller *k = &c.controller;
	check_write_head(stdout, &c.organisation, &c.timing);
	printf("page %d timeout %u queues %u %u%s watermarks %u %u cap %u parbs %u tcm %u %u %g "
	       "requesters %u\n",
	    k->page, k->page_timeout_ck, k->read_queue, k->write_queue,
	    k->frees_at_act ? " until ACT" : "", k->write_high, k->write_low, k->frfcfs_cap,
	    k->parbs_cap, k->tcm_quantum_ck, k->tcm_shuffle_ck, k->tcm_cluster, k->requesters);
	for (uint32_t i = 0; i < requests; i++) {
		struct wcp_dram_request r = traffic_next(&t);
		printf("%c%u.%u:%u:%u@%" PRIu64 "*%u#%u channel %u\n", r.write ? 'W' : 'R',
		    r.place.rank, r.place.bank, r.place.row, r.place.column, r.arrival, r.bursts,
		    r.requester, r.place.channel);
	}
}

static int
run(uint64_t first, uint64_t count, uint32_t requests)
{
	uint64_t different = 0;
	for (uint64_t seed = first; seed < first + count; seed++)
		for (size_t i = 0; wcp_dram_scheduler_table[i].name; i++) {
			int result = play(wcp_dram_scheduler_table[i].name, seed, requests);
			refused += result == 2;
			different += result == 1;
			if (different >= 10)
				return 1;
		}
	if (refused > count)
		printf("%" PRIu64 " memories are refused\n", refused);
	if (getenv("DRAM_SAME"))
		printf("%" PRIu64 " commands, %" PRIu64 " refused\n", commands, refused);
	return different || refused > count;
}

int
main(int argc, char **argv)
{
	const char *more = getenv("DRAM_SAME");
	uint64_t times = more ? strtoull(more, NULL, 10) : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	gaps = argc == 5 && !strcmp(argv[1], "gaps");
	if (argc == 5 && (gaps || !strcmp(argv[1], "run")))
		return run(strtoull(argv[2], NULL, 10), times * strtoull(argv[3], NULL, 10),
		    (uint32_t)atoi(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "one"))
		return play(argv[2], strtoull(argv[3], NULL, 10), (uint32_t)atoi(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "show")) {
		describe(argv[2], strtoull(argv[3], NULL, 10), (uint32_t)atoi(argv[4]));
		return 0;
	}
	fputs("usage: dram_same run|gaps FIRST COUNT REQUESTS | one SCHEDULER SEED REQUESTS | show "
	      "SCHEDULER SEED REQUESTS\n",
	    stderr);
	return 2;
}

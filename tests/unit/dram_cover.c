/*
 * usage: dram_cover DIRECTORY REQUESTS
 * Every machine file of the directory that has a memory: traffic of all kinds under all schedulers
 * and with rows left open and closed, REQUESTS a run (times DRAM_COVER), through the checker. No
 * rule between commands is broken, and every rule that the memory has is met at its exact minimum
 * somewhere, but for those that cannot be, which are told with the reason. -v prints the tallies.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/stage.h"
#include "warpcap/machine.h"

enum { SEEDS = 12 };

struct sum {
	struct check_tally tally[CHECK_RULES_MAX];
	uint64_t commands;
	char wrong[600];
};

static void
add(struct sum *all, struct stage *s)
{
	struct check *k = stage_check(s);
	all->commands += check_commands(k);
	for (size_t i = 0; check_rules[i].name; i++) {
		const struct check_tally *y = check_tally(k, i);
		struct check_tally *a = &all->tally[i];
		a->value = y->value;
		a->pairs += y->pairs;
		a->bound += y->bound;
		a->exact += y->exact;
	}
	if (*stage_difference(s) && !*all->wrong)
		snprintf(all->wrong, sizeof all->wrong, "%s", stage_difference(s));
}

static void
play(struct sum *all, const struct wcp_dram_config *c, uint64_t seed, uint32_t requests)
{
	char why[500];
	struct stage *s = stage_new_alone(c, why, sizeof why);
	if (!s) {
		snprintf(all->wrong, sizeof all->wrong, "refused: %s", why);
		return;
	}
	struct traffic t = traffic_new(c, seed);
	for (uint32_t i = 0; i < requests; i++)
		if (!stage_push(s, traffic_next(&t)))
			break;
	stage_end(s);
	add(all, s);
	stage_free(s);
}

/* A bank opened just before its rank is due, and reads just before a refresh: what chance meets
 * rarely where refreshes are far apart. */
static void
play_refresh(struct sum *all, const struct wcp_dram_config *c)
{
	char why[500];
	struct stage *s = stage_new_alone(c, why, sizeof why);
	uint64_t refi = c->timing.t_refi;
	for (uint64_t k = 1; s && refi && k < 400; k++)
		for (uint32_t bank = 0; bank < 2; bank++) {
			struct wcp_dram_request r = {.arrival = k * refi - k / 4,
			    .place = {.bank = bank, .row = (uint32_t)k % 2},
			    .handle = 2 * (k - 1) + bank,
			    .bursts = 1,
			    .write = k & 2};
			stage_push(s, r);
		}
	if (!s)
		return;
	stage_end(s);
	add(all, s);
	stage_free(s);
}

/* Why no traffic can meet the rule at its minimum; NULL: some can. */
static const char *
unreachable(
    const struct check_rule *r, const struct check_tally *y, const struct wcp_dram_config *c)
{
	const struct wcp_dram_timing *t = &c->timing;
	const struct wcp_dram_organisation *o = &c->organisation;
	int64_t burst = (o->burst_length + o->rate - 1) / o->rate;
	uint32_t ccd = o->bank_groups > 1 ? t->t_ccd_s : t->t_ccd_l ? t->t_ccd_l : t->t_ccd_s;
	if (!y->value)
		return "constrains nothing";
	if (r->scope == OTHER_RANK && o->ranks == 1)
		return "one rank";
	if (r->scope == OTHER_GROUP && o->bank_groups == 1)
		return "no groups";
	if ((r->before == EV_REF || r->after == EV_REF) && t->refresh != WCP_REFRESH_ALL_BANK)
		return "no REF";
	if ((r->before == EV_REFPB || r->after == EV_REFPB) && t->refresh != WCP_REFRESH_PER_BANK)
		return "no REFpb";
	if (!strncmp(r->name, "burst", 5) && ccd > burst)
		return "tCCD is longer";
	if (r->before == EV_REF && r->after == EV_REF)
		return "no refresh is that late";
	if (r->before == r->after && r->before == EV_REFPB && r->scope != OTHER_BANK &&
	    t->t_refi > y->value + 2 * (t->t_ras + t->t_rp + t->t_cwl + burst + t->t_wr))
		return "no refresh of a bank is ever that late";
	if (r->after == EV_ACT && r->before == EV_ACT && r->scope == SAME_GROUP &&
	    o->banks == o->bank_groups)
		return "a group is one bank";
	if (r->scope == FOURTH && t->t_faw < 4 * t->t_rrd_s)
		return "four tRRD are longer";
	if (r->scope == FOURTH && t->t_faw < ((4 + o->banks) / o->banks - 1) * (t->t_ras + t->t_rp))
		return "tRC of so few banks is longer";
	return NULL;
}

static int
judge(const char *name, const struct sum *all, const struct wcp_dram_config *c, bool verbose)
{
	int bad = *all->wrong != 0;
	printf("%s: %" PRIu64 " commands%s%s\n", name, all->commands, bad ? ": " : "", all->wrong);
	for (size_t i = 0; check_rules[i].name; i++) {
		const struct check_tally *y = &all->tally[i];
		const char *why = unreachable(&check_rules[i], y, c);
		if (verbose && y->value)
			printf("  %-18s %4" PRId64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %s\n",
			    check_rules[i].name, y->value, y->pairs, y->bound, y->exact,
			    why ? why : "");
		if (!why && !y->exact) {
			printf("%s: %s, %" PRId64 " cycles, was never met at its minimum\n", name,
			    check_rules[i].name, y->value);
			bad = 1;
		}
		if (why && y->exact && strcmp(why, "no refresh of a bank is ever that late") != 0) {
			printf("%s: %s was met although: %s\n", name, check_rules[i].name, why);
			bad = 1;
		}
	}
	return bad;
}

static int
cover(const char *name, struct wcp_dram_config c, uint32_t requests, bool verbose)
{
	struct sum all = {0};
	static const enum wcp_dram_page page[] = {WCP_PAGE_OPEN, WCP_PAGE_CLOSED, WCP_PAGE_TIMEOUT};
	if (!c.mapping)
		c.mapping = "page";
	c.controller.requesters = 8;
	c.controller.parbs_cap = 5;
	c.controller.tcm_quantum_ck = 5000;
	c.controller.tcm_shuffle_ck = 200;
	c.controller.tcm_cluster = 0.2;
	c.controller.page_timeout_ck = 40;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		for (size_t i = 0; wcp_dram_scheduler_table[i].name; i++) {
			c.controller.scheduler = wcp_dram_scheduler_table[i].name;
			c.controller.page = page[(seed + i) % 3];
			play(&all, &c, seed * 8 + i, requests);
		}
	for (unsigned i = 0; i < 3; i++) {
		c.controller.page = page[i];
		play_refresh(&all, &c);
	}
	return judge(name, &all, &c, verbose);
}

static int
machine(const char *directory, const char *name, uint32_t requests, bool verbose)
{
	struct wcp_error e = {0};
	struct wcp_dram_config c = {0};
	c.organisation.pseudo_channels = 1;
	struct wcp_machine *m = wcp_machine_open(name, &directory, 1, &e);
	if (!m) {
		puts(e.text);
		return 1;
	}
	int bad = 0;
	if (wcp_machine_bind(m, wcp_machine_section_named("dram"), &c) > 5)
		bad = cover(name, c, requests, verbose);
	wcp_machine_free(m);
	return bad;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int
main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	const char *more = getenv("DRAM_COVER");
	struct dirent **entry;
	int bad = 0, n;
	argv += verbose;
	if (argc != 3 + verbose || (n = scandir(argv[1], &entry, NULL, by_name)) < 0) {
		fputs("usage: dram_cover [-v] DIRECTORY REQUESTS\n", stderr);
		return 2;
	}
	uint32_t requests = (uint32_t)(atol(argv[2]) * (more ? atol(more) : 1));
	for (int i = 0; i < n; i++) {
		char *dot = strstr(entry[i]->d_name, ".conf");
		if (dot && !dot[5]) {
			*dot = 0;
			bad |= machine(argv[1], entry[i]->d_name, requests, verbose);
		}
		free(entry[i]);
	}
	free(entry);
	return bad;
}

/*
 * usage: policies NAME
 * Plays the policies but CIAO's on an SM that is nothing but masks, and prints what they choose.
 */
#include <stdio.h>
#include <string.h>
#include "policy_kit.h"

extern const struct wcp_policy policy_lrr, policy_gto, policy_oldest, policy_two_level, policy_swl,
    policy_ccws, policy_statpcal;

/* Slots, the first to be the lowest. */
static void
print_mask(const char *what, uint64_t mask)
{
	printf("%s", what);
	for (; mask; mask &= mask - 1)
		printf(" %d", __builtin_ctzll(mask));
	printf("\n");
}

/* Whom the policy chooses, n times, while these are ready. */
static void
picks(uint64_t ready, unsigned n)
{
	printf("%llx:", (unsigned long long)ready);
	while (n--)
		printf(" %u", g.policy->pick(g.state, &g.sm, 0, ready));
	printf("\n");
}

static void
order(void)
{
	const struct wcp_policy *all[] = {&policy_lrr, &policy_gto, &policy_oldest};
	for (unsigned p = 0; p < 3; p++) {
		printf("%s\n", all[p]->name);
		kit_start(all[p], NULL, 64);
		g.warp[5].age = 100; /* younger than 63 */
		picks(0x8000000000000031, 5);
		picks(0x8000000000000020, 2);
		picks(0x8000000000000031, 1);
		picks(0x31, 2);
		kit_end(0); /* and another takes the slot */
		kit_come(0, 101);
		picks(0x31, 2);
	}
}

static void
two_level(void)
{
	const double active[] = {2};
	kit_start(&policy_two_level, active, 6);
	picks(0x3f, 3); /* 0 and 1 have the places */
	picks(0x3e, 2); /* 0 waits and keeps its own */
	picks(0x3c, 3); /* both wait: 2 and 3 take their places */
	picks(0x3f, 2);
	picks(0x31, 3); /* these two wait: 4 and 5, and not 0, as it is their turn */
	kit_end(5);
	picks(0x1f, 3); /* 5's place is 0's */
	kit_come(5, 9);
	picks(0x3f, 2);
}

static void
swl(void)
{
	const double two[] = {2, 0}, two_each[] = {2, 1};
	kit_start(&policy_swl, two, 5);
	print_mask("stalled:", g.sm.stalled);
	kit_barrier(0x1);
	print_mask("0 at a barrier:", g.sm.stalled);
	kit_barrier(0x7);
	print_mask("0 to 2 at a barrier:", g.sm.stalled);
	kit_barrier(0);
	print_mask("passed:", g.sm.stalled);
	kit_end(1);
	kit_come(1, 9);
	print_mask("1 is another, the youngest:", g.sm.stalled);
	kit_start(&policy_swl, two_each, 7);
	print_mask("of each scheduler:", g.sm.stalled);
}

static void
busy(const char *when, double l2, double dram, uint64_t until)
{
	g.sm.l2_busy += l2;
	g.sm.dram_busy += dram;
	kit_run(until);
	print_mask(when, g.sm.stalled);
}

static unsigned
route(unsigned slot, uint8_t kind, uint8_t space)
{
	const struct wcp_policy_access a = {.slot = (uint8_t)slot, .kind = kind, .space = space};
	return g.policy->route(g.state, &g.sm, &a);
}

static void
print_routes(const char *when)
{
	printf("%s: 0 %u, 3 %u, its local loads %u, its stores %u\n", when,
	    route(0, WCP_LOAD, WCP_SPACE_GLOBAL), route(3, WCP_LOAD, WCP_SPACE_GLOBAL),
	    route(3, WCP_LOAD, WCP_SPACE_LOCAL), route(3, WCP_STORE, WCP_SPACE_GLOBAL));
}

static void
statpcal(void)
{
	const double look[] = {2, 0.7, 100, 1}, each[] = {2, 0.7, 1, 0};
	double around[] = {2, 0.7, 100, 0};
	kit_start(&policy_statpcal, around, 4);
	busy("begin:", 0, 0, 99);
	g.sm.now = 999; /* nothing was in flight for so long */
	busy("half used:", 500, 500, 1000);
	kit_barrier(0x1);
	print_routes("0 at a barrier");
	kit_barrier(0);
	busy("DRAM used:", 50, 70, 1100);
	busy("L2 used:", 70, 50, 1200);
	busy("neither:", 69, 69, 1300);
	print_routes("2 tokens");
	kit_start(&policy_statpcal, look, 4);
	print_routes("may look");
	kit_start(&policy_statpcal, each, 4);
	busy("period 1:", 1, 0, 1);
	busy("then:", 0, 0, 2);
}

static void
scores(const char *when, uint64_t until)
{
	kit_run(until);
	printf("%s, cycle %llu:", when, (unsigned long long)until);
	print_mask("", g.sm.no_load);
}

/* Base 100 and 4 warps: a cutoff of 400. */
static void
ccws(void)
{
	const double parameter[] = {8, 100};
	kit_start(&policy_ccws, parameter, 4);
	kit_issue(1000);
	kit_lose(1, 2, 5); /* 5 / 1000 * 8 * 400 = 16: the base */
	scores("base", 0);
	kit_lose(1, 2, 70); /* 75 / 1000 * 8 * 400 = 240, and the oldest's 100 */
	scores("240", 0);
	kit_lose(1, 3, 1); /* 76 / 1000 * 8 * 400 = 243, and 240: 483 */
	scores("243 and 240", 0);
	scores("still 323", 80);
	scores("100 more fit after 92 cycles, looked at after 96", 95);
	scores("now", 96);
	scores("all fit after 142, looked at after 144", 143);
	scores("now", 144);
	kit_issue(100);
	kit_lose(0, 1, 724); /* 800 / 1100 * 8 * 400 = 2327 */
	scores("one has more than all", 160);
	kit_end(1);
	scores("it has ended", 160);
	kit_come(1, 9);
	scores("another begins", 160);
	printf("wake %llu\n", (unsigned long long)g.sm.wake);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"order", order}, {"two-level", two_level}, {"swl", swl},
	    {"statpcal", statpcal}, {"ccws", ccws}};
	for (unsigned i = 0; argc == 2 && i < sizeof test / sizeof test[0]; i++) {
		if (strcmp(argv[1], test[i].name))
			continue;
		test[i].run();
		free(g.state);
		return 0;
	}
	return 2;
}

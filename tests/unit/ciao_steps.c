/*
 * usage: ciao_steps fig4c|fig6|algorithm|order|both|epoch|slots
 * Plays CIAO's policies on an SM that is nothing but masks, and prints their lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../tools/warpsched/policy/ciao.h"
#include "policy_kit.h"

extern const struct wcp_policy policy_ciao_p, policy_ciao_t, policy_ciao_c;

/* Slots 0 to warps - 1 have warps, the lowest the oldest. */
static void
start(const struct wcp_policy *p, unsigned warps, double high, double low, double high_epoch,
    double low_epoch, double by_epoch)
{
	const double parameter[] = {high, low, high_epoch, low_epoch, by_epoch};
	kit_start(p, parameter, warps);
}

static void
print_list(const char *when, unsigned slot)
{
	struct ciao_entry e = ciao_entry(g.state, slot);
	printf("%s: W%u %u%u\n", when, e.interferer, e.counter >> 1, e.counter & 1);
}

static void
print_pair(const char *when, unsigned slot)
{
	struct ciao_entry e = ciao_entry(g.state, slot);
	printf("%s: W%u V=%d I=%d", when, slot, !(g.sm.stalled >> slot & 1),
	    (int)(g.sm.isolated >> slot & 1));
	printf(e.isolated_for == WCP_NO_SLOT ? " [-1" : " [W%u", e.isolated_for);
	printf(e.stalled_for == WCP_NO_SLOT ? " -1]\n" : " W%u]\n", e.stalled_for);
}

static void
fig4c(void)
{
	start(&policy_ciao_c, 48, 1e9, 0, 5000, 100, 0);
	kit_lose(32, 34, 1);
	print_list("stored", 34);
	kit_lose(32, 34, 5);
	print_list("1", 34);
	kit_lose(42, 34, 1);
	print_list("2", 34);
	kit_lose(32, 34, 1);
	print_list("3", 34);
	kit_lose(42, 34, 3);
	print_list("down", 34);
	kit_lose(42, 34, 1);
	print_list("replaced", 34);
}

/* W1 disturbs W0 and is isolated, disturbs W3 and is stalled; W3's and then W0's interference
 * comes down. */
static void
fig6(void)
{
	start(&policy_ciao_c, 4, 0.05, 0.025, 100, 10, 0);
	print_pair("begin", 1);
	kit_lose(1, 0, 2);
	kit_issue(100); /* W0: 2 * 4 / 100 */
	print_pair("isolated", 1);
	kit_lose(1, 3, 8);
	kit_issue(100); /* W3: 8 * 4 / 200, W0: 2 * 4 / 200 */
	print_pair("stalled", 1);
	kit_lose(0, 0, 30); /* W0 by itself: it suffers on, and nobody is to blame */
	kit_issue(750);
	print_pair("at 950", 1);
	kit_issue(10); /* W3: 8 * 3 / 960 */
	print_pair("at 960", 1);
	kit_issue(4150);
	print_pair("at 5110", 1);
	kit_issue(10); /* W0: 32 * 4 / 5120 */
	print_pair("at 5120", 1);
}

/* What each policy makes of a warp that disturbs another in two epochs. */
static void
algorithm(void)
{
	const struct wcp_policy *all[] = {&policy_ciao_p, &policy_ciao_t, &policy_ciao_c};
	for (unsigned p = 0; p < 3; p++) {
		start(all[p], 4, 0.01, 0.005, 100, 10, 0);
		kit_lose(2, 0, 50);
		kit_lose(1, 1, 50); /* its own: never acted on */
		kit_issue(99);
		print_pair(all[p]->name, 2);
		kit_issue(1);
		print_pair("  one epoch", 2);
		print_pair("  by itself", 1);
		kit_issue(100);
		print_pair("  two epochs", 2);
		kit_end(0);
		kit_issue(10);
		print_pair("  W0 has ended", 2);
		kit_issue(10);
		print_pair("  later", 2);
	}
}

/* W2 and then W3 are stalled. The last stalled goes on first, which makes one more active warp, too
 * many for the first. */
static void
order(void)
{
	start(&policy_ciao_t, 8, 0.1, 0.05, 100, 50, 0);
	kit_lose(2, 0, 4);
	kit_issue(100); /* W0: 4 * 8 / 100 */
	print_pair("at 100", 2);
	kit_lose(3, 1, 7);
	kit_lose(3, 0, 3); /* not enough for another name in W0's entry */
	kit_issue(100);	   /* W1: 7 * 7 / 200 */
	print_pair("at 200", 3);
	kit_issue(600);
	print_pair("at 800", 2);
	print_pair("at 800", 3);
	kit_issue(50); /* each 7 * 6 / 850, but with W3 again 7 * 7 / 850 */
	print_pair("at 850", 2);
	print_pair("at 850", 3);
	kit_issue(100);
	print_pair("at 950", 2);
	kit_issue(50); /* 7 * 7 / 1000 */
	print_pair("at 1000", 2);
}

/* Two warps say at the end of one epoch that W2 disturbs them: it is isolated, and not stalled
 * before that can have helped. */
static void
both(void)
{
	start(&policy_ciao_c, 4, 0.01, 0.005, 100, 10, 0);
	kit_lose(2, 0, 50);
	kit_lose(2, 1, 50);
	kit_issue(100);
	print_pair("one epoch", 2);
	kit_issue(100);
	print_pair("two epochs", 2);
}

/* Within epochs a burst is forgotten, from the kernel's beginning it stays. */
static void
epoch(void)
{
	for (unsigned by_epoch = 0; by_epoch < 2; by_epoch++) {
		start(&policy_ciao_t, 4, 0.01, 0.005, 100, 10, by_epoch);
		kit_lose(2, 0, 50);
		kit_issue(100);
		print_pair("burst", 2);
		kit_issue(10);
		print_pair(by_epoch ? "by epoch" : "by kernel", 2);
	}
}

/* A slot that is used again: V, I and the pair list begin anew, the interference list goes on. */
static void
slots(void)
{
	start(&policy_ciao_c, 4, 0.01, 0.005, 100, 10, 0);
	kit_lose(2, 0, 50);
	kit_issue(200);
	print_pair("stalled", 2);
	kit_end(2);
	kit_come(2, 9);
	print_pair("another", 2);
	print_list("W0's list", 0);
	kit_issue(100);
	print_pair("an epoch later", 2);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} test[] = {{"fig4c", fig4c}, {"fig6", fig6}, {"algorithm", algorithm}, {"order", order},
	    {"both", both}, {"epoch", epoch}, {"slots", slots}};
	for (unsigned i = 0; argc == 2 && i < sizeof test / sizeof test[0]; i++) {
		if (strcmp(argv[1], test[i].name))
			continue;
		test[i].run();
		free(g.state);
		return 0;
	}
	return 2;
}

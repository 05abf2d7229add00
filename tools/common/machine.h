/* Machine parameters of a tool: -m and --set, and how a report shows them. */
#ifndef COMMON_MACHINE_H
#define COMMON_MACHINE_H

#include "report.h"
#include "warpcap/machine.h"

/*
 * Reads t->machine (or fallback without -m; NULL for none) and applies t->set. A name is looked up
 * in the directories of $WARPCAP_MACHINE_PATH, then where machine files are installed or, for
 * programs that are run where they were built, in the source's share/machine. On failure it has
 * said why: NULL, *status set.
 */
struct wcp_machine *tool_machine(struct tool *t, const char *fallback, int *status);

/* Fills config with the section's values over what it holds. A section that the machine says
 * nothing of is left alone: false. */
bool tool_machine_bind(const struct wcp_machine *m, const char *section, void *config);

/* Says what a model refused, at the place of the key it names; the exit status. */
int tool_machine_error(
    const struct tool *t, const struct wcp_machine *m, const char *section, struct wcp_error *e);

/* The table "machine": the keys of a section, all of them, as config has them, with unit, source
 * and place. */
void tool_machine_report(
    struct report *r, const struct wcp_machine *m, const char *section, const void *config);

#endif

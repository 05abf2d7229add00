/* All sections. A model that reads a section of its own adds its table here. */
#include <string.h>
#include "machine/machine.h"

static const struct wcp_machine_section *const table[] = {
    &keys_clock,
    &keys_sm,
    &keys_latency,
    &keys_interval,
    &keys_l1,
    &keys_l1c,
    &keys_l1t,
    &keys_l1i,
    &keys_l2,
    &keys_l3,
    &keys_icnt,
    &keys_memory,
    &keys_dram,
};

const struct wcp_machine_section *
wcp_machine_section(size_t i)
{
	return i < sizeof table / sizeof table[0] ? table[i] : NULL;
}

const struct wcp_machine_section *
wcp_machine_section_named(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (!strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

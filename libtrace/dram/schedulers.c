#include <string.h>
#include "dram/dram.h"

const struct wcp_dram_scheduler_info wcp_dram_scheduler_table[] = {
    {"fcfs", "each bank's requests in order of arrival", "Rixner et al., ISCA 2000"},
    {"frfcfs", "requests whose row is open first, then the oldest", "Rixner et al., ISCA 2000"},
    {"parbs", "batches, in them the requester that is done soonest first",
	"Mutlu and Moscibroda, ISCA 2008"},
    {"tcm", "light requesters first, heavy ones in turn by niceness", "Kim et al., MICRO 2010"},
    {NULL, NULL, NULL},
};

/* In the order of the table. */
static const struct dram_scheduler *const scheduler[] = {
    &dram_fcfs, &dram_frfcfs, &dram_parbs, &dram_tcm};

const struct dram_scheduler *
dram_scheduler_named(const char *name)
{
	for (size_t i = 0; wcp_dram_scheduler_table[i].name; i++)
		if (!strcmp(wcp_dram_scheduler_table[i].name, name))
			return scheduler[i];
	return NULL;
}

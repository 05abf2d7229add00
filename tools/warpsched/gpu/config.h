/* What the simulated GPU is made of: the sections of a machine file, together. */
#ifndef WARPSCHED_CONFIG_H
#define WARPSCHED_CONFIG_H

#include "machine.h"
#include "warpcap/dram.h"
#include "warpcap/gpu.h"
#include "warpcap/nbcache.h"
#include "warpcap/policy.h"
#include "warpcap/types.h"

#define UNIT_SP	 WCP_UNIT_SP
#define UNIT_SFU WCP_UNIT_SFU
#define UNIT_DP	 WCP_UNIT_DP
#define UNIT_MEM WCP_UNIT_MEM

enum { SCHEDULERS_MAX = WCP_SCHEDULERS_MAX, SLOTS_MAX = 64, L1_LATENCY_MAX = 64 };
enum { LATENCY_MAX = 800 }; /* of an instruction, as machine files may have it */

struct gpu_config {
	struct wcp_clock_config clock;
	struct wcp_sm_config sm;
	struct wcp_latency_config latency;
	struct wcp_interval_config interval;
	struct wcp_level_config l1, l1c, l1t, l1i, l2;
	struct wcp_icnt_config icnt;
	struct wcp_memory_config memory;
	struct wcp_dram_config dram;
	bool l1_apart;	  /* each warp has an L1D of its own */
	bool l1_bypassed; /* nothing is looked up in L1D */
	uint32_t slices;  /* of L2 per DRAM channel: follows from the above */
};

/* Everything from the machine file; 0, or an exit status after saying why. */
int config_read(struct gpu_config *c, struct tool *t, const struct wcp_machine *m);

#endif

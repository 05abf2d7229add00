#include "dram/sched_frfcfs.h"

const struct dram_scheduler dram_frfcfs = {
    .pick = dram_frfcfs_pick,
    .key = dram_frfcfs_key,
};

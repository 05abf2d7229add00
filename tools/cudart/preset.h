/* The device that is reported when no machine is named: limits of a large server GPU, compute
 * capability of the newest PTX that current compilers write. */
#ifndef CUDART_PRESET_H
#define CUDART_PRESET_H

#include "link.h"

static const struct link_device preset_default = {
    .name = "warpcap SM executor",
    .memory_bytes = 16ull << 30,
    .capability = 121,
    .sms = 80,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .regs_per_sm = 65536,
    .regs_per_block = 65536,
    .shared_per_sm = 228 << 10,
    .shared_per_block = 48 << 10,
    .shared_per_block_optin = 227 << 10,
    .shared_reserved = 1 << 10,
    .l2_bytes = 40 << 20,
    .const_bytes = 64 << 10,
    .core_khz = 1500000,
    .memory_khz = 1000000,
    .bus_bits = 4096,
};

#endif

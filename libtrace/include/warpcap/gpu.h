/*
 * What a GPU is made of beside its caches and its DRAM: the sections [sm], [icnt], [memory],
 * [latency] and [interval] of a machine file, as plain structs. warpcap-machine(5) describes each
 * key.
 */
#ifndef WARPCAP_GPU_H
#define WARPCAP_GPU_H

#include <stdbool.h>
#include "warpcap/types.h"

/* Execution units of an SM. */
enum wcp_unit { WCP_UNIT_SP, WCP_UNIT_SFU, WCP_UNIT_DP, WCP_UNIT_MEM, WCP_UNIT_COUNT };
const char *wcp_unit_name(enum wcp_unit unit); /* "sp"; "?" past the end */

/* The way to one kind of unit. */
struct wcp_unit_config {
	uint32_t units;	     /* side by side; DP 0: double precision runs on the SFU */
	uint32_t width;	     /* instructions that wait between issue and collectors, and between
				collectors and units */
	uint32_t collectors; /* instructions whose operands are being read */
	uint32_t ports;	     /* instructions that enter and leave the collectors in a cycle */
};

struct wcp_sm_config {
	uint32_t sms;		  /* of the GPU */
	uint32_t kernels, queues; /* that run at once; of commands from the host */
	/* what can be resident */
	uint32_t threads, warps, ctas, registers, register_unit, shared_bytes;
	/* front end */
	uint32_t schedulers;  /* warp w belongs to scheduler w % schedulers */
	bool alternate;	      /* which scheduler goes first changes every cycle */
	uint32_t fetch_insns; /* fetched for a warp at once, one warp a cycle; 0: takes no time */
	uint32_t insn_bytes;
	uint32_t code_start; /* byte address of a kernel's first instruction, in its line */
	/* operands and units */
	uint32_t register_banks; /* each gives one operand a cycle; 0: no conflicts */
	struct wcp_unit_config unit[WCP_UNIT_COUNT];
	uint32_t result_buses; /* results that leave the arithmetic units in a cycle */
	/* memory */
	uint32_t shared_ck, shared_banks;
	bool invalidate_l1; /* when the SM has no warp left */
};

struct wcp_icnt_config {
	uint32_t flit_bytes, header_bytes;
	uint32_t latency_ck;   /* of a packet's head through an empty network */
	uint32_t buffer_flits; /* at a receiver, for each sender */
	uint32_t inject_flits; /* that wait at a sender's port */
};

/* Between the network and DRAM. */
struct wcp_memory_config {
	uint32_t in_queue, out_queue; /* requests before L2, replies behind it; of a slice */
	uint32_t dram_queue;	      /* requests from L2 to DRAM */
	uint32_t dram_ck;	      /* from L2 to the controller, core cycles */
	uint32_t request_bytes;	      /* L2 works on requests of this size: a line or a sector */
	bool preload;		      /* a copy from the host leaves its lines in L2 */
};

/* By enum wcp_op_class, in core cycles: until the result is there, and until the unit takes the
 * next instruction. */
struct wcp_latency_config {
	uint32_t ck[WCP_OP_COUNT];
	/* Exceptions by opcode, in this order: "PATTERN=LATENCY/INTERVAL@UNIT ..."; NULL: none. */
	const char *int_opcodes, *f32_opcodes, *f64_opcodes, *other_opcodes;
};
struct wcp_interval_config {
	uint32_t ck[WCP_OP_COUNT];
};

#endif

#include "machine/machine.h"
#include "warpcap/gpu.h"

const char *
wcp_unit_name(enum wcp_unit unit)
{
	static const char *const name[] = {"sp", "sfu", "dp", "mem"};
	return (unsigned)unit < WCP_UNIT_COUNT ? name[unit] : "?";
}

#define N(key)	  (sizeof key / sizeof key[0])
#define SM(field) WCP_KEY_U32, offsetof(struct wcp_sm_config, field)
#define UNIT(u)   offsetof(struct wcp_sm_config, unit[WCP_UNIT_##u]
static const struct wcp_machine_key sm_key[] = {
    {"sms", SM(sms), NULL, 1, 1024, .help = "SMs of the GPU"},
    {"threads", SM(threads), NULL, 32, 2048, .help = "resident at once"},
    {"warps", SM(warps), NULL, 1, 64, .help = "resident at once: slots"},
    {"ctas", SM(ctas), NULL, 1, 64, .help = "resident at once"},
    {"registers", SM(registers), NULL, 1, 1 << 24, .help = "32-bit registers"},
    {"kernels", SM(kernels), NULL, 1, 128, .help = "that run at once on the GPU"},
    {"queues", SM(queues), NULL, 1, 1024,
	.help = "of commands from the host: so many are looked at for one that need not wait"},
    {"register_unit", SM(register_unit), NULL, 1, 256,
	.help = "a thread's registers are rounded up to a multiple of it"},
    {"shared", SM(shared_bytes), "B", 0, 1 << 24, .help = "shared memory"},
    {"schedulers", SM(schedulers), NULL, 1, 4, .help = "warp schedulers, one issue each a cycle"},
    {"alternate", WCP_KEY_BOOL, offsetof(struct wcp_sm_config, alternate),
	.help = "which scheduler goes first changes every cycle"},
    {"fetch", SM(fetch_insns), NULL, 0, 16,
	.help = "instructions fetched for one warp a cycle; 0: fetch takes no time"},
    {"insn_size", SM(insn_bytes), "B", 1, 128, .help = "size of an instruction in memory"},
    {"code_start", SM(code_start), "B", 0, 4096, .help = "where a kernel's code begins in a line"},
    {"register_banks", SM(register_banks), NULL, 0, 64,
	.help = "each gives one operand a cycle; 0: operands cause no conflicts"},
    {"sp_units", SM(unit[WCP_UNIT_SP].units), NULL, 1, 16, .help = "SP units"},
    {"sp_width", SM(unit[WCP_UNIT_SP].width), NULL, 1, 8,
	.help = "instructions that wait before and behind the collectors"},
    {"sp_collectors", SM(unit[WCP_UNIT_SP].collectors), NULL, 1, 16,
	.help = "instructions whose operands are being read"},
    {"sp_ports", SM(unit[WCP_UNIT_SP].ports), NULL, 1, 8,
	.help = "instructions that enter and leave the collectors in a cycle"},
    {"sfu_units", SM(unit[WCP_UNIT_SFU].units), NULL, 1, 16, .help = "SFU units"},
    {"sfu_width", SM(unit[WCP_UNIT_SFU].width), NULL, 1, 8,
	.help = "instructions that wait before and behind the collectors"},
    {"sfu_collectors", SM(unit[WCP_UNIT_SFU].collectors), NULL, 1, 16,
	.help = "instructions whose operands are being read"},
    {"sfu_ports", SM(unit[WCP_UNIT_SFU].ports), NULL, 1, 8,
	.help = "instructions that enter and leave the collectors in a cycle"},
    {"dp_units", SM(unit[WCP_UNIT_DP].units), NULL, 0, 16, .help = "DP units"},
    {"dp_width", SM(unit[WCP_UNIT_DP].width), NULL, 1, 8,
	.help = "instructions that wait before and behind the collectors"},
    {"dp_collectors", SM(unit[WCP_UNIT_DP].collectors), NULL, 1, 16,
	.help = "instructions whose operands are being read"},
    {"dp_ports", SM(unit[WCP_UNIT_DP].ports), NULL, 1, 8,
	.help = "instructions that enter and leave the collectors in a cycle"},
    {"mem_width", SM(unit[WCP_UNIT_MEM].width), NULL, 1, 8,
	.help = "instructions that wait before and behind the collectors"},
    {"mem_collectors", SM(unit[WCP_UNIT_MEM].collectors), NULL, 1, 16,
	.help = "instructions whose operands are being read"},
    {"mem_ports", SM(unit[WCP_UNIT_MEM].ports), NULL, 1, 8,
	.help = "instructions that enter and leave the collectors in a cycle"},
    {"result_buses", SM(result_buses), NULL, 1, 16, .help = "arithmetic results a cycle"},
    {"shared_latency", SM(shared_ck), "ck", 1, 400, .help = "of a load of shared memory"},
    {"shared_banks", SM(shared_banks), NULL, 1, 64, .help = "of 4 bytes"},
    {"invalidate_l1", WCP_KEY_BOOL, offsetof(struct wcp_sm_config, invalidate_l1),
	.help = "when the SM has no warp left"},
};
#undef SM
#undef UNIT
const struct wcp_machine_section keys_sm = {
    "sm", "streaming multiprocessors", sm_key, N(sm_key), sizeof(struct wcp_sm_config)};

#define ICNT(field) WCP_KEY_U32, offsetof(struct wcp_icnt_config, field)
static const struct wcp_machine_key icnt_key[] = {
    {"flit", ICNT(flit_bytes), "B", 1, 1024, .help = "what a port takes in a cycle"},
    {"header", ICNT(header_bytes), "B", 0, 1024, .help = "of a packet"},
    {"latency", ICNT(latency_ck), "ck", 2, 60, .help = "of a packet's head, unloaded"},
    {"buffer", ICNT(buffer_flits), "flits", 8, 65536, .help = "at each end of the crossbar"},
    {"inject", ICNT(inject_flits), "flits", 1, 1024, .help = "that wait at a sender's port"},
};
#undef ICNT
const struct wcp_machine_section keys_icnt = {"icnt", "interconnect between SMs and L2", icnt_key,
    N(icnt_key), sizeof(struct wcp_icnt_config)};

#define MEM(field) WCP_KEY_U32, offsetof(struct wcp_memory_config, field)
static const struct wcp_machine_key memory_key[] = {
    {"in_queue", MEM(in_queue), NULL, 1, 65536, .help = "requests before a slice of L2"},
    {"out_queue", MEM(out_queue), NULL, 1, 65536, .help = "replies behind a slice of L2"},
    {"dram_queue", MEM(dram_queue), NULL, 1, 65536, .help = "requests from a slice to DRAM"},
    {"dram_latency", MEM(dram_ck), "ck", 0, 4096, .help = "from L2 to the DRAM controller"},
    {"request", MEM(request_bytes), "B", 32, 128,
	.help = "what L2 works on: 32 cuts a line into sectors"},
    {"preload", WCP_KEY_BOOL, offsetof(struct wcp_memory_config, preload),
	.help = "a copy from the host leaves its lines in L2"},
};
#undef MEM
const struct wcp_machine_section keys_memory = {"memory", "between network and DRAM", memory_key,
    N(memory_key), sizeof(struct wcp_memory_config)};

#define OP(name, what) \
	WCP_KEY_U32, offsetof(struct wcp_##what##_config, ck[WCP_OP_##name]), "ck", 1, 800
#define OPCODES(which)                                                      \
	{                                                                   \
#which "_opcodes", WCP_KEY_TEXT,                            \
		    offsetof(struct wcp_latency_config, which##_opcodes),   \
		    .help = "exceptions: PATTERN=LATENCY/INTERVAL@UNIT ..." \
	}
static const struct wcp_machine_key latency_key[] = {
    {"move", OP(MOVE, latency), .help = "class move"},
    {"int", OP(INT, latency), .help = "class int"},
    {"imul", OP(IMUL, latency), .help = "class imul"},
    {"idiv", OP(IDIV, latency), .help = "class idiv"},
    {"fadd", OP(FADD, latency), .help = "class fadd"},
    {"fmul", OP(FMUL, latency), .help = "class fmul"},
    {"fma", OP(FMA, latency), .help = "class fma"},
    {"fdiv", OP(FDIV, latency), .help = "class fdiv"},
    {"sfu", OP(SFU, latency), .help = "class sfu"},
    {"half", OP(HALF, latency), .help = "class half"},
    {"dadd", OP(DADD, latency), .help = "class dadd"},
    {"ddiv", OP(DDIV, latency), .help = "class ddiv"},
    {"cvt", OP(CVT, latency), .help = "class cvt"},
    {"tensor", OP(TENSOR, latency), .help = "class tensor"},
    {"shuffle", OP(SHUFFLE, latency), .help = "class shuffle"},
    {"barrier", OP(BARRIER, latency), .help = "class barrier"},
    {"fence", OP(FENCE, latency), .help = "class fence"},
    {"branch", OP(BRANCH, latency), .help = "class branch"},
    {"call", OP(CALL, latency), .help = "class call"},
    {"launch", OP(LAUNCH, latency), .help = "class launch"},
    {"exit", OP(EXIT, latency), .help = "class exit"},
    {"other", OP(OTHER, latency), .help = "class other"},
    OPCODES(int),
    OPCODES(f32),
    OPCODES(f64),
    OPCODES(other),
};
const struct wcp_machine_section keys_latency = {"latency", "until a result is there", latency_key,
    N(latency_key), sizeof(struct wcp_latency_config)};

static const struct wcp_machine_key interval_key[] = {
    {"move", OP(MOVE, interval), .help = "class move"},
    {"int", OP(INT, interval), .help = "class int"},
    {"imul", OP(IMUL, interval), .help = "class imul"},
    {"idiv", OP(IDIV, interval), .help = "class idiv"},
    {"fadd", OP(FADD, interval), .help = "class fadd"},
    {"fmul", OP(FMUL, interval), .help = "class fmul"},
    {"fma", OP(FMA, interval), .help = "class fma"},
    {"fdiv", OP(FDIV, interval), .help = "class fdiv"},
    {"sfu", OP(SFU, interval), .help = "class sfu"},
    {"half", OP(HALF, interval), .help = "class half"},
    {"dadd", OP(DADD, interval), .help = "class dadd"},
    {"ddiv", OP(DDIV, interval), .help = "class ddiv"},
    {"cvt", OP(CVT, interval), .help = "class cvt"},
    {"tensor", OP(TENSOR, interval), .help = "class tensor"},
    {"shuffle", OP(SHUFFLE, interval), .help = "class shuffle"},
    {"barrier", OP(BARRIER, interval), .help = "class barrier"},
    {"fence", OP(FENCE, interval), .help = "class fence"},
    {"branch", OP(BRANCH, interval), .help = "class branch"},
    {"call", OP(CALL, interval), .help = "class call"},
    {"launch", OP(LAUNCH, interval), .help = "class launch"},
    {"exit", OP(EXIT, interval), .help = "class exit"},
    {"other", OP(OTHER, interval), .help = "class other"},
};
const struct wcp_machine_section keys_interval = {"interval", "until a unit takes the next",
    interval_key, N(interval_key), sizeof(struct wcp_interval_config)};

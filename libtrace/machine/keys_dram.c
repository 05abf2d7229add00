#include "machine/machine.h"
#include "warpcap/dram.h"

static const char *
refresh_choice(unsigned i)
{
	static const char *const name[] = {"none", "all-bank", "per-bank"};
	return i < sizeof name / sizeof name[0] ? name[i] : "?";
}

static const char *
hash_choice(unsigned i)
{
	static const char *const name[] = {"none", "xor", "poly"};
	return i < sizeof name / sizeof name[0] ? name[i] : "?";
}

static const char *
page_choice(unsigned i)
{
	static const char *const name[] = {"open", "closed", "timeout"};
	return i < sizeof name / sizeof name[0] ? name[i] : "?";
}

#define ORG(field)  WCP_KEY_U32, offsetof(struct wcp_dram_config, organisation.field)
#define TIME(field) WCP_KEY_U32, offsetof(struct wcp_dram_config, timing.field), "ck", 0, 1e9
#define CTRL(field) WCP_KEY_U32, offsetof(struct wcp_dram_config, controller.field)
#define AT(field)   offsetof(struct wcp_dram_config, field)
static const struct wcp_machine_key key[] = {
    {"channels", ORG(channels), NULL, 1, 65536, .help = "channels, any number"},
    {"pseudo_channels", ORG(pseudo_channels), NULL, 1, 16, .help = "of a channel"},
    {"ranks", ORG(ranks), NULL, 1, 256, .help = "of a (pseudo-)channel"},
    {"bank_groups", ORG(bank_groups), NULL, 1, 256, .help = "of a rank; 1: no groups"},
    {"banks", ORG(banks), NULL, 1, 1024, .help = "of a rank, those of all groups together"},
    {"rows", ORG(rows), NULL, 1, 1u << 31, .help = "of a bank"},
    {"row_bytes", ORG(row_bytes), "B", 1, 1 << 30,
	.help = "of a bank over all chips of the rank: the page"},
    {"bus_bits", ORG(bus_bits), "bit", 8, 1 << 16, .help = "data bus of the (pseudo-)channel"},
    {"burst_length", ORG(burst_length), NULL, 1, 256, .help = "beats of a column command"},
    {"rate", ORG(rate), NULL, 1, 64, .help = "beats a cycle: 2 for DDR, 4 for GDDR5"},
    {"tCK", WCP_KEY_DOUBLE, AT(timing.t_ck_ns), "ns", 0.001, 1e6,
	.help = "command clock: its period, or its frequency in MHz"},
    {"tCL", TIME(t_cl), .help = "RD to the first beat"},
    {"tCWL", TIME(t_cwl), .help = "WR to the first beat"},
    {"tRCD", TIME(t_rcd), .help = "ACT to RD of the bank"},
    {"tRCDWR", TIME(t_rcdwr), .help = "ACT to WR of the bank; 0: tRCD"},
    {"tRP", TIME(t_rp), .help = "PRE to ACT of the bank"},
    {"tRAS", TIME(t_ras), .help = "ACT to PRE of the bank"},
    {"tRC", TIME(t_rc), .help = "ACT to ACT of the bank; 0: tRAS + tRP"},
    {"tRRD_S", TIME(t_rrd_s), .help = "ACT to ACT of the rank, other group"},
    {"tRRD_L", TIME(t_rrd_l), .help = "the same, same group; 0: tRRD_S"},
    {"tFAW", TIME(t_faw), .help = "at most four ACT of a rank in this time; 0: any number"},
    {"tCCD_S", TIME(t_ccd_s), .help = "RD to RD, WR to WR of a rank, other group; 0: the burst"},
    {"tCCD_L", TIME(t_ccd_l), .help = "the same, same group; 0: tCCD_S"},
    {"tRTP", TIME(t_rtp), .help = "RD to PRE of the bank"},
    {"tWR", TIME(t_wr), .help = "last beat written to PRE of the bank"},
    {"tWTR_S", TIME(t_wtr_s), .help = "last beat written to RD of the rank, other group"},
    {"tWTR_L", TIME(t_wtr_l), .help = "the same, same group; 0: tWTR_S"},
    {"tRTW", TIME(t_rtw), .help = "RD to WR of a rank; 0: tCL + burst + 2 - tCWL"},
    {"tRTRS", TIME(t_rtrs), .help = "data bus idle between bursts of two ranks"},
    {"tPPD", TIME(t_ppd), .help = "PRE to PRE of a rank"},
    {"tREFI", TIME(t_refi), .help = "between two refreshes of a rank"},
    {"tRFC", TIME(t_rfc), .help = "REF to ACT or REF of the rank"},
    {"tRFCpb", TIME(t_rfc_pb), .help = "REFpb to ACT of the bank"},
    {"tRREFD", TIME(t_rrefd), .help = "REFpb to ACT or REFpb of another bank; 0: tRRD_L"},
    {"refresh", WCP_KEY_ENUM, AT(timing.refresh), .choice = refresh_choice,
	.help = "how rows are refreshed"},
    {"dual_command", WCP_KEY_BOOL, AT(timing.dual_command),
	.help = "a row and a column command in one cycle"},
    {"mapping", WCP_KEY_TEXT, AT(mapping), .help = "where an address lies"},
    {"bank_hash", WCP_KEY_ENUM, AT(bank_hash), .choice = hash_choice,
	.help = "how the row changes the bank"},
    {"read_queue", CTRL(read_queue), NULL, 1, 4096, .help = "entries a channel"},
    {"write_queue", CTRL(write_queue), NULL, 0, 4096,
	.help = "entries a channel; 0: writes share the read queue"},
    {"write_high", CTRL(write_high), NULL, 0, 4096, .help = "this many writes begin a drain"},
    {"write_low", CTRL(write_low), NULL, 0, 4096, .help = "this many end it"},
    {"frees_at_act", WCP_KEY_BOOL, AT(controller.frees_at_act),
	.help = "a request leaves its queue when its row is opened"},
    {"page", WCP_KEY_ENUM, AT(controller.page), .choice = page_choice,
	.help = "when a row without work is closed"},
    {"page_timeout", CTRL(page_timeout_ck), "ck", 0, 1e9, .help = "page timeout: after this long"},
    {"scheduler", WCP_KEY_TEXT, AT(controller.scheduler), .help = "which request goes first"},
    {"frfcfs_cap", CTRL(frfcfs_cap), NULL, 0, 1e9,
	.help = "frfcfs: hits of a row past an older request; 0: any number"},
    {"parbs_cap", CTRL(parbs_cap), NULL, 0, 1e9,
	.help = "parbs: requests marked per requester and bank"},
    {"tcm_quantum", CTRL(tcm_quantum_ck), "ck", 0, 1e9, .help = "tcm: between two clusterings"},
    {"tcm_shuffle", CTRL(tcm_shuffle_ck), "ck", 0, 1e9, .help = "tcm: between two shuffles"},
    {"tcm_cluster", WCP_KEY_DOUBLE, AT(controller.tcm_cluster), NULL, 0, 1,
	.help = "tcm: share of bandwidth of the latency cluster"},
};

const struct wcp_machine_section keys_dram = {"dram", "memory and its controllers", key,
    sizeof key / sizeof key[0], sizeof(struct wcp_dram_config)};

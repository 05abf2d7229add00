/* Minimum distances between commands: JESD79-4 (DDR4), JESD212 (GDDR5), JESD235 (HBM). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

const struct check_rule check_rules[] = {
    {"tRCD", EV_ACT, EV_RD, SAME_BANK, "t_rcd"},
    {"tRCDWR", EV_ACT, EV_WR, SAME_BANK, "t_rcdwr|t_rcd"},
    {"tRAS", EV_ACT, EV_PRE, SAME_BANK, "t_ras"},
    {"tRC", EV_ACT, EV_ACT, SAME_BANK, "t_rc or t_ras+t_rp"},
    {"tRRD_S", EV_ACT, EV_ACT, OTHER_GROUP, "t_rrd_s"},
    {"tRRD_L", EV_ACT, EV_ACT, SAME_GROUP, "t_rrd_l|t_rrd_s"},
    {"tFAW", EV_ACT, EV_ACT, FOURTH, "t_faw"},
    {"tRTP", EV_RD, EV_PRE, SAME_BANK, "t_rtp"},
    {"tWR", EV_WR, EV_PRE, SAME_BANK, "t_cwl+B+t_wr"},
    {"tRP", EV_PRE, EV_ACT, SAME_BANK, "t_rp"},
    {"tRP after RDA", EV_AUTO_R, EV_ACT, SAME_BANK, "t_rp"},
    {"tRP after WRA", EV_AUTO_W, EV_ACT, SAME_BANK, "t_rp"},
    {"tPPD", EV_PRE, EV_PRE, SAME_RANK, "t_ppd"},
    {"tCCD_S read", EV_RD, EV_RD, OTHER_GROUP, "t_ccd_s|B"},
    {"tCCD_L read", EV_RD, EV_RD, SAME_GROUP, "t_ccd_l|t_ccd_s|B"},
    {"tCCD_S write", EV_WR, EV_WR, OTHER_GROUP, "t_ccd_s|B"},
    {"tCCD_L write", EV_WR, EV_WR, SAME_GROUP, "t_ccd_l|t_ccd_s|B"},
    {"burst read", EV_RD, EV_RD, SAME_RANK, "B"},
    {"burst write", EV_WR, EV_WR, SAME_RANK, "B"},
    {"tWTR_S", EV_WR, EV_RD, OTHER_GROUP, "t_cwl+B+t_wtr_s"},
    {"tWTR_L", EV_WR, EV_RD, SAME_GROUP, "t_cwl+B+t_wtr_l|t_wtr_s"},
    {"tRTW", EV_RD, EV_WR, SAME_RANK, "t_rtw or t_cl+B+2-t_cwl"},
    {"tRTRS read read", EV_RD, EV_RD, OTHER_RANK, "B+t_rtrs"},
    {"tRTRS write write", EV_WR, EV_WR, OTHER_RANK, "B+t_rtrs"},
    {"tRTRS read write", EV_RD, EV_WR, OTHER_RANK, "t_cl+B+t_rtrs-t_cwl"},
    {"tRTRS write read", EV_WR, EV_RD, OTHER_RANK, "t_cwl+B+t_rtrs-t_cl"},
    {"tRP to REF", EV_PRE, EV_REF, SAME_RANK, "t_rp"},
    {"tRP RDA to REF", EV_AUTO_R, EV_REF, SAME_RANK, "t_rp"},
    {"tRP WRA to REF", EV_AUTO_W, EV_REF, SAME_RANK, "t_rp"},
    {"tRFC", EV_REF, EV_ACT, SAME_RANK, "t_rfc"},
    {"tRFC to REF", EV_REF, EV_REF, SAME_RANK, "t_rfc"},
    {"tRP to REFpb", EV_PRE, EV_REFPB, SAME_BANK, "t_rp"},
    {"tRP RDA to REFpb", EV_AUTO_R, EV_REFPB, SAME_BANK, "t_rp"},
    {"tRP WRA to REFpb", EV_AUTO_W, EV_REFPB, SAME_BANK, "t_rp"},
    {"tRFCpb", EV_REFPB, EV_ACT, SAME_BANK, "t_rfc_pb"},
    {"tRFCpb to REFpb", EV_REFPB, EV_REFPB, SAME_BANK, "t_rfc_pb"},
    {"tRREFD", EV_REFPB, EV_ACT, OTHER_BANK, "t_rrefd|t_rrd_l|t_rrd_s"},
    {"tRREFD to REFpb", EV_REFPB, EV_REFPB, OTHER_BANK, "t_rrefd|t_rrd_l|t_rrd_s"},
    {NULL, EV_COUNT, EV_COUNT, SAME_BANK, NULL},
};

/* The first alternative that is not 0: "t_ccd_l|t_ccd_s|B". */
static int64_t
term(const char **at, const struct wcp_dram_timing *t, uint32_t burst)
{
	int64_t value = 0;
	for (const char *s = *at;; s++) {
		size_t length = strcspn(s, "|+- ");
		const uint32_t *field = check_field(t, s, length);
		int64_t v = field		       ? *field
			    : !strncmp(s, "B", length) ? burst
						       : strtoll(s, NULL, 10);
		value = value ? value : v;
		s += length;
		if (*s != '|') {
			*at = s;
			return value;
		}
	}
}

static int64_t
sum(const char **at, const struct wcp_dram_timing *t, uint32_t burst)
{
	int64_t value = term(at, t, burst);
	bool difference = false;
	while (**at == '+' || **at == '-') {
		bool minus = *(*at)++ == '-';
		int64_t v = term(at, t, burst);
		value += minus ? -v : v;
		difference |= minus;
	}
	return difference && value < 1 ? 1 : value;
}

int64_t
check_value(const struct check_rule *r, const struct wcp_dram_timing *t, uint32_t burst)
{
	const char *at = r->formula;
	int64_t value = sum(&at, t, burst);
	if (value || strncmp(at, " or ", 4) != 0)
		return value;
	at += 4;
	return sum(&at, t, burst);
}

/* Timing: defaults, what cannot be, and the gaps between commands. */
#include <math.h>
#include <stddef.h>
#include "dram/dram.h"

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t
at_least_1(int64_t n)
{
	return n > 1 ? (uint32_t)n : 1;
}

#define FIELD(key, f)                                    \
	{                                                \
		key, offsetof(struct wcp_dram_timing, f) \
	}
/* By the names that machine files have for them. */
static const struct {
	const char *name;
	size_t offset;
} field[] = {FIELD("tCL", t_cl), FIELD("tCWL", t_cwl), FIELD("tRCD", t_rcd),
    FIELD("tRCDWR", t_rcdwr), FIELD("tRP", t_rp), FIELD("tRAS", t_ras), FIELD("tRC", t_rc),
    FIELD("tRRD_S", t_rrd_s), FIELD("tRRD_L", t_rrd_l), FIELD("tFAW", t_faw),
    FIELD("tCCD_S", t_ccd_s), FIELD("tCCD_L", t_ccd_l), FIELD("tRTP", t_rtp), FIELD("tWR", t_wr),
    FIELD("tWTR_S", t_wtr_s), FIELD("tWTR_L", t_wtr_l), FIELD("tRTW", t_rtw),
    FIELD("tRTRS", t_rtrs), FIELD("tPPD", t_ppd), FIELD("tREFI", t_refi), FIELD("tRFC", t_rfc),
    FIELD("tRFCpb", t_rfc_pb), FIELD("tRREFD", t_rrefd)};

static int
check_ranges(const struct wcp_dram_timing *t, struct wcp_error *e)
{
	if (!(t->t_ck_ns > 0) || !isfinite(t->t_ck_ns))
		return wcp_fail(e, WCP_EUSAGE, "tCK = %g is no length of a cycle", t->t_ck_ns);
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		uint32_t v = *(const uint32_t *)(const void *)((const char *)t + field[i].offset);
		if (v > DRAM_TIME_MAX)
			return wcp_fail(e, WCP_EUSAGE, "%s = %u is more than %d cycles",
			    field[i].name, v, DRAM_TIME_MAX);
	}
	if ((unsigned)t->refresh > WCP_REFRESH_PER_BANK)
		return wcp_fail(
		    e, WCP_EUSAGE, "refresh = %d is no kind of refresh", (int)t->refresh);
	return 0;
}

static void
fill(struct wcp_dram_timing *t, uint32_t burst)
{
	if (!t->t_rcdwr)
		t->t_rcdwr = t->t_rcd;
	if (!t->t_rc)
		t->t_rc = t->t_ras + t->t_rp;
	if (!t->t_rrd_l)
		t->t_rrd_l = t->t_rrd_s;
	if (!t->t_ccd_s)
		t->t_ccd_s = burst;
	if (!t->t_ccd_l)
		t->t_ccd_l = t->t_ccd_s;
	if (!t->t_wtr_l)
		t->t_wtr_l = t->t_wtr_s;
	if (!t->t_rtw)
		t->t_rtw = at_least_1((int64_t)t->t_cl + burst + 2 - t->t_cwl);
	if (!t->t_rrefd)
		t->t_rrefd = t->t_rrd_l;
}

static int
check_pair(uint32_t s, uint32_t l, const char *name, struct wcp_error *e)
{
	if (l >= s)
		return 0;
	return wcp_fail(e, WCP_EUSAGE, "%s_L = %u is less than %s_S = %u", name, l, name, s);
}

/*
 * From a refresh that falls due to the first column command behind it, at worst: a row opened, used
 * or closed in the cycle before is to be waited for, or its ACT keeps others back; and
 * every other bank's ACT and every rank's refreshes have the bus. If the next refresh falls due
 * before that, a row may be opened and closed for ever without being used.
 */
static uint64_t
refresh_takes(const struct wcp_dram_timing *t, uint32_t burst, uint32_t rfc, uint64_t bus)
{
	uint32_t close = larger(larger(t->t_ras, t->t_rtp), t->t_cwl + burst + t->t_wr);
	close = larger(close, t->t_ppd);
	uint32_t act = larger(larger(t->t_rc, t->t_rrd_l), t->t_faw);
	return larger(close + t->t_rp + rfc, act) + larger(t->t_rcd, t->t_rcdwr) + bus;
}

static int
check_all_bank(const struct wcp_dram_timing *t, uint32_t burst,
    const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	uint64_t bus = o->ranks * (o->banks + 2ull);
	uint64_t takes = refresh_takes(t, burst, t->t_rfc, bus);
	if (!t->t_rfc)
		return wcp_fail(e, WCP_EUSAGE, "tRFC = 0 with refresh");
	if (t->t_refi >= takes)
		return 0;
	return wcp_fail(e, WCP_EUSAGE,
	    "tREFI = %u leaves no time to use a row between refreshes: with tRFC = %u, tRP = %u, "
	    "tRAS = %u and tRCD = %u it is at least %llu",
	    t->t_refi, t->t_rfc, t->t_rp, t->t_ras, t->t_rcd, (unsigned long long)takes);
}

/* The other banks' turns may come one right after the other, late ones. */
static int
check_per_bank(const struct wcp_dram_timing *t, uint32_t burst,
    const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	uint64_t turns = o->banks * (larger(t->t_rrefd, t->t_ppd) + 3ull * o->ranks);
	uint64_t takes = refresh_takes(t, burst, t->t_rfc_pb, turns);
	if (!t->t_rfc_pb)
		return wcp_fail(e, WCP_EUSAGE, "tRFCpb = 0 with refresh");
	if (t->t_rfc_pb < t->t_rrefd)
		return wcp_fail(
		    e, WCP_EUSAGE, "tRFCpb = %u is less than tRREFD = %u", t->t_rfc_pb, t->t_rrefd);
	if (t->t_refi >= takes)
		return 0;
	return wcp_fail(e, WCP_EUSAGE,
	    "tREFI = %u leaves no time to use a row between refreshes: with tRFCpb = %u, "
	    "tRP = %u, tRAS = %u, tRCD = %u and tRREFD = %u for each of banks = %u it is at least "
	    "%llu",
	    t->t_refi, t->t_rfc_pb, t->t_rp, t->t_ras, t->t_rcd, t->t_rrefd, o->banks,
	    (unsigned long long)takes);
}

static int
check_refresh(const struct wcp_dram_timing *t, uint32_t burst,
    const struct wcp_dram_organisation *o, struct wcp_error *e)
{
	if (t->refresh == WCP_REFRESH_NONE)
		return 0;
	if (!t->t_refi)
		return wcp_fail(e, WCP_EUSAGE, "tREFI = 0 with refresh");
	return t->refresh == WCP_REFRESH_ALL_BANK ? check_all_bank(t, burst, o, e)
						  : check_per_bank(t, burst, o, e);
}

static int
check(const struct wcp_dram_timing *t, uint32_t burst, const struct wcp_dram_organisation *o,
    struct wcp_error *e)
{
	if (t->t_ras + t->t_rp > t->t_rc)
		return wcp_fail(e, WCP_EUSAGE, "tRAS + tRP = %u + %u is more than tRC = %u",
		    t->t_ras, t->t_rp, t->t_rc);
	if (check_pair(t->t_rrd_s, t->t_rrd_l, "tRRD", e) ||
	    check_pair(t->t_ccd_s, t->t_ccd_l, "tCCD", e) ||
	    check_pair(t->t_wtr_s, t->t_wtr_l, "tWTR", e))
		return WCP_EUSAGE;
	if ((int64_t)t->t_rtw < (int64_t)t->t_cl + burst - t->t_cwl)
		return wcp_fail(e, WCP_EUSAGE,
		    "tRTW = %u lets a write's data meet a read's: tCL = %u, burst %u, tCWL = %u",
		    t->t_rtw, t->t_cl, burst, t->t_cwl);
	return check_refresh(t, burst, o, e);
}

static void
bank_gaps(const struct wcp_dram_timing *t, struct dram_gaps *g)
{
	g->bank[S_ACT][S_RD] = at_least_1(t->t_rcd);
	g->bank[S_ACT][S_WR] = at_least_1(t->t_rcdwr);
	g->bank[S_ACT][S_PRE] = at_least_1(t->t_ras);
	g->bank[S_ACT][S_ACT] = at_least_1(t->t_rc);
	g->bank[S_PRE][S_ACT] = at_least_1(t->t_rp);
	g->bank[S_RD][S_PRE] = t->t_rtp;
	g->bank[S_WR][S_PRE] = at_least_1((int64_t)g->end[1] + t->t_wr);
}

static void
set(struct dram_gaps *g, enum dram_step from, enum dram_step to, uint32_t same_group,
    uint32_t same_rank, uint32_t other_rank)
{
	g->near[from][to][SAME_GROUP] = same_group;
	g->near[from][to][SAME_RANK] = same_rank;
	g->near[from][to][OTHER_RANK] = other_rank;
}

static void
near_gaps(const struct wcp_dram_timing *t, struct dram_gaps *g)
{
	uint32_t b = g->burst, rank = b + t->t_rtrs;
	uint32_t l = larger(t->t_ccd_l, b), s = larger(t->t_ccd_s, b);
	set(g, S_RD, S_RD, l, s, rank);
	set(g, S_WR, S_WR, l, s, rank);
	set(g, S_RD, S_WR, t->t_rtw, t->t_rtw,
	    at_least_1((int64_t)g->end[0] + t->t_rtrs - t->t_cwl));
	set(g, S_WR, S_RD, g->end[1] + t->t_wtr_l, g->end[1] + t->t_wtr_s,
	    at_least_1((int64_t)g->end[1] + t->t_rtrs - t->t_cl));
	set(g, S_ACT, S_ACT, t->t_rrd_l, t->t_rrd_s, 0);
	set(g, S_PRE, S_PRE, t->t_ppd, t->t_ppd, 0);
}

int
dram_derive(struct wcp_dram_config *c, struct dram_gaps *g, struct wcp_error *e)
{
	struct wcp_dram_timing *t = &c->timing;
	const struct wcp_dram_organisation *o = &c->organisation;
	int status = check_ranges(t, e);
	if (status)
		return status;
	*g = (struct dram_gaps){.burst = (o->burst_length + o->rate - 1) / o->rate};
	if (g->burst > DRAM_TIME_MAX)
		return wcp_fail(e, WCP_EUSAGE, "burst_length = %u is too long", o->burst_length);
	fill(t, g->burst);
	status = check(t, g->burst, o, e);
	if (status)
		return status;
	g->data[0] = t->t_cl;
	g->data[1] = t->t_cwl;
	g->end[0] = t->t_cl + g->burst;
	g->end[1] = t->t_cwl + g->burst;
	g->faw = t->t_faw;
	g->rp = at_least_1(t->t_rp);
	g->rfc = t->t_rfc;
	g->rfc_pb = t->t_rfc_pb;
	g->rrefd = t->t_rrefd;
	bank_gaps(t, g);
	near_gaps(t, g);
	return 0;
}

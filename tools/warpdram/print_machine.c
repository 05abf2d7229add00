/* What the machine file gave, and what follows from it. */
#include "warpdram.h"

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

static void
row(struct run *r, struct report *out, const char *what, uint32_t cycles, const char *formula)
{
	report_text(out, what);
	report_u64(out, cycles);
	report_double(out, cycles * wcp_dram_config(r->play.dram)->timing.t_ck_ns);
	report_text(out, formula);
	report_row(out);
}

static void
print_latencies(struct run *r, struct report *out, const struct wcp_dram_timing *t, uint32_t b)
{
	row(r, out, "burst", b, "burst_length / rate");
	row(r, out, "read, row open", t->t_cl + b, "tCL + burst");
	row(r, out, "read, bank closed", t->t_rcd + t->t_cl + b, "tRCD + tCL + burst");
	row(r, out, "read, another row open", t->t_rp + t->t_rcd + t->t_cl + b,
	    "tRP + tRCD + tCL + burst");
	row(r, out, "write, row open", t->t_cwl + b, "tCWL + burst");
	row(r, out, "write, bank closed", t->t_rcdwr + t->t_cwl + b, "tRCDWR + tCWL + burst");
	row(r, out, "write, another row open", t->t_rp + t->t_rcdwr + t->t_cwl + b,
	    "tRP + tRCDWR + tCWL + burst");
}

static void
print_bank(struct run *r, struct report *out, const struct wcp_dram_timing *t, uint32_t b)
{
	uint32_t wr = t->t_cwl + b + t->t_wr;
	row(r, out, "ACT to RD of the bank", t->t_rcd, "tRCD");
	row(r, out, "ACT to WR of the bank", t->t_rcdwr, "tRCDWR (tRCD where not given)");
	row(r, out, "ACT to PRE of the bank", t->t_ras, "tRAS");
	row(r, out, "ACT to ACT of the bank", t->t_rc, "tRC (tRAS + tRP where not given)");
	row(r, out, "PRE to ACT of the bank", t->t_rp, "tRP");
	row(r, out, "RD to PRE of the bank", t->t_rtp, "tRTP");
	row(r, out, "WR to PRE of the bank", wr, "tCWL + burst + tWR");
	row(r, out, "RDA to ACT of the bank", t->t_rtp + t->t_rp, "tRTP + tRP");
	row(r, out, "WRA to ACT of the bank", wr + t->t_rp, "tCWL + burst + tWR + tRP");
}

static void
print_rank(struct run *r, struct report *out, const struct wcp_dram_timing *t)
{
	row(r, out, "ACT to ACT, same group", t->t_rrd_l, "tRRD_L (tRRD_S where not given)");
	row(r, out, "ACT to ACT, other group", t->t_rrd_s, "tRRD_S");
	row(r, out, "ACT to fifth ACT of the rank", t->t_faw, "tFAW");
	row(r, out, "PRE to PRE of the rank", t->t_ppd, "tPPD");
}

static void
print_columns(struct run *r, struct report *out, const struct wcp_dram_timing *t, uint32_t b)
{
	static const char *const name[2][3] = {
	    {"RD to RD, same group", "RD to RD, other group", "RD to RD, other rank"},
	    {"WR to WR, same group", "WR to WR, other group", "WR to WR, other rank"}};
	for (int w = 0; w < 2; w++) {
		row(r, out, name[w][0], larger(t->t_ccd_l, b), "max(tCCD_L, burst)");
		row(r, out, name[w][1], larger(t->t_ccd_s, b), "max(tCCD_S, burst)");
		row(r, out, name[w][2], b + t->t_rtrs, "burst + tRTRS");
	}
}

static void
print_turnarounds(struct run *r, struct report *out, const struct wcp_dram_timing *t, uint32_t b)
{
	row(r, out, "WR to RD, same group", t->t_cwl + b + t->t_wtr_l,
	    "tCWL + burst + tWTR_L (tWTR_S where not given)");
	row(r, out, "WR to RD, other group", t->t_cwl + b + t->t_wtr_s, "tCWL + burst + tWTR_S");
	row(r, out, "WR to RD, other rank", at_least_1((int64_t)t->t_cwl + b + t->t_rtrs - t->t_cl),
	    "max(1, tCWL + burst + tRTRS - tCL)");
	row(r, out, "RD to WR, same rank", t->t_rtw,
	    "tRTW (tCL + burst + 2 - tCWL where not given)");
	row(r, out, "RD to WR, other rank", at_least_1((int64_t)t->t_cl + b + t->t_rtrs - t->t_cwl),
	    "max(1, tCL + burst + tRTRS - tCWL)");
}

static void
print_refreshes(struct run *r, struct report *out, const struct wcp_dram_timing *t)
{
	if (t->refresh == WCP_REFRESH_NONE)
		return;
	row(r, out, "refreshes fall due every", t->t_refi, "tREFI");
	if (t->refresh == WCP_REFRESH_ALL_BANK) {
		row(r, out, "PRE to REF of the rank", t->t_rp, "tRP");
		row(r, out, "REF to ACT of the rank", t->t_rfc, "tRFC");
		row(r, out, "REF to REF of the rank", t->t_rfc, "tRFC");
		return;
	}
	row(r, out, "PRE to REFpb of the bank", t->t_rp, "tRP");
	row(r, out, "REFpb to ACT of the bank", t->t_rfc_pb, "tRFCpb");
	row(r, out, "REFpb to REFpb of the bank", t->t_rfc_pb, "tRFCpb");
	row(r, out, "REFpb to ACT, another bank", t->t_rrefd, "tRREFD (tRRD_L where not given)");
	row(r, out, "REFpb to REFpb, another bank", t->t_rrefd, "tRREFD (tRRD_L where not given)");
}

void
print_machine(struct run *r, const struct wcp_machine *m, struct report *out)
{
	static const struct report_column column[] = {
	    {"timing", NULL, REPORT_TEXT, 0},
	    {"cycles", "ck", REPORT_U64, 0},
	    {"time", "ns", REPORT_DOUBLE, 3},
	    {"formula", NULL, REPORT_TEXT, 0},
	    {NULL},
	};
	const struct wcp_dram_config *c = wcp_dram_config(r->play.dram);
	const struct wcp_dram_organisation *o = &c->organisation;
	report_pair_text(out, "about", wcp_machine_about(m));
	report_pair_u64(out, "capacity", "bytes", wcp_dram_capacity(r->play.dram));
	report_pair_u64(
	    out, "banks_in_all", NULL, (uint64_t)r->play.channels * o->ranks * o->banks);
	report_pair_u64(out, "atom", "bytes", r->play.atom_bytes);
	tool_machine_report(out, m, "dram", c);
	report_table(out, "timing", "Timings and their formulas", column);
	print_latencies(r, out, &c->timing, r->play.burst_ck);
	print_bank(r, out, &c->timing, r->play.burst_ck);
	print_rank(r, out, &c->timing);
	print_columns(r, out, &c->timing, r->play.burst_ck);
	print_turnarounds(r, out, &c->timing, r->play.burst_ck);
	print_refreshes(r, out, &c->timing);
}

/* Times between commands, bank against bank. */
#include "naive_state.h"

struct wcp_dram_config
naive_defaults(const struct wcp_dram_config *config)
{
	struct wcp_dram_config c = *config;
	struct wcp_dram_timing *t = &c.timing;
	uint32_t burst = naive_burst(config);
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
		t->t_rtw = t->t_cl + burst + 2 > t->t_cwl + 1 ? t->t_cl + burst + 2 - t->t_cwl : 1;
	if (!t->t_rrefd)
		t->t_rrefd = t->t_rrd_l;
	return c;
}

uint32_t
naive_burst(const struct wcp_dram_config *config)
{
	const struct wcp_dram_organisation *o = &config->organisation;
	return (o->burst_length + o->rate - 1) / o->rate;
}

static int64_t
at_least_1(int64_t x)
{
	return x < 1 ? 1 : x;
}

/* From a RD of p to a RD or WR of b. */
static int64_t
after_read(
    const struct naive *n, const struct naive_bank *p, const struct naive_bank *b, bool write)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	if (p->rank != b->rank)
		return write ? at_least_1((int64_t)c->t_cl + n->burst + c->t_rtrs - c->t_cwl)
			     : n->burst + c->t_rtrs;
	if (write)
		return c->t_rtw;
	int64_t ccd = p->group == b->group ? c->t_ccd_l : c->t_ccd_s;
	return ccd > n->burst ? ccd : n->burst;
}

/* From a WR of p to a RD or WR of b. */
static int64_t
after_write(
    const struct naive *n, const struct naive_bank *p, const struct naive_bank *b, bool write)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	if (write)
		return after_read(n, p, b, false);
	if (p->rank != b->rank)
		return at_least_1((int64_t)c->t_cwl + n->burst + c->t_rtrs - c->t_cl);
	return c->t_cwl + n->burst + (p->group == b->group ? c->t_wtr_l : c->t_wtr_s);
}

static bool
column_legal(const struct naive *n, const struct naive_bank *b, bool write)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	if (n->t < b->act + (write ? c->t_rcdwr : c->t_rcd))
		return false;
	for (uint32_t i = 0; i < n->banks; i++) {
		const struct naive_bank *p = &n->bank[i];
		if (n->t < p->rd + after_read(n, p, b, write) ||
		    n->t < p->wr + after_write(n, p, b, write))
			return false;
	}
	return true;
}

static bool
act_legal(const struct naive *n, const struct naive_bank *b)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	const struct naive_rank *r = &n->rank[b->rank];
	if (n->t < b->pre + c->t_rp || n->t < b->act + c->t_rc || n->t < b->ref_pb + c->t_rfc_pb ||
	    n->t < r->act[0] + c->t_faw || n->t < r->ref + c->t_rfc)
		return false;
	for (uint32_t i = 0; i < n->banks; i++) {
		const struct naive_bank *p = &n->bank[i];
		if (p->rank != b->rank)
			continue;
		if (n->t < p->act + (p->group == b->group ? c->t_rrd_l : c->t_rrd_s))
			return false;
		if (p != b && n->t < p->ref_pb + c->t_rrefd)
			return false;
	}
	return true;
}

static bool
pre_legal(const struct naive *n, const struct naive_bank *b)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	return n->t >= b->act + c->t_ras && n->t >= b->rd + c->t_rtp &&
	       n->t >= b->wr + c->t_cwl + n->burst + c->t_wr &&
	       n->t >= n->rank[b->rank].pre + c->t_ppd;
}

static bool
ref_legal(const struct naive *n, uint32_t rank)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	for (uint32_t i = 0; i < n->banks; i++)
		if (n->bank[i].rank == rank && n->t < n->bank[i].pre + c->t_rp)
			return false;
	return n->t >= n->rank[rank].ref + c->t_rfc;
}

static bool
refpb_legal(const struct naive *n, const struct naive_bank *b)
{
	const struct wcp_dram_timing *c = &n->c.timing;
	for (uint32_t i = 0; i < n->banks; i++) {
		const struct naive_bank *p = &n->bank[i];
		if (p->rank == b->rank && n->t < p->ref_pb + (p == b ? c->t_rfc_pb : c->t_rrefd))
			return false;
	}
	return n->t >= b->pre + c->t_rp;
}

/* Two commands of a bank are a cycle or more apart. */
static bool
apart(const struct naive *n, const struct naive_bank *b)
{
	return n->t > b->act && n->t > b->rd && n->t > b->wr && n->t > b->ref_pb;
}

bool
naive_legal(const struct naive *n, enum wcp_dram_command_kind kind, const struct naive_bank *b)
{
	if (!apart(n, b))
		return false;
	switch (kind) {
	case WCP_CMD_ACT: return act_legal(n, b);
	case WCP_CMD_PRE: return pre_legal(n, b);
	case WCP_CMD_PREA:
		for (uint32_t i = 0; i < n->banks; i++)
			if (n->bank[i].rank == b->rank && n->bank[i].open &&
			    !pre_legal(n, &n->bank[i]))
				return false;
		return true;
	case WCP_CMD_RD:
	case WCP_CMD_RDA: return column_legal(n, b, false);
	case WCP_CMD_WR:
	case WCP_CMD_WRA: return column_legal(n, b, true);
	case WCP_CMD_REF: return ref_legal(n, b->rank);
	case WCP_CMD_REFPB: return refpb_legal(n, b);
	case WCP_CMD_COUNT: break;
	}
	return false;
}

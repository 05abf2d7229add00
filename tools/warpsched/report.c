/* From counters to the report. */
#include <stdlib.h>
#include "warpsched.h"

/* All counters are uint64_t: a struct of them is an array. */
static void
add(void *to, const void *from, size_t bytes)
{
	uint64_t *a = to;
	const uint64_t *b = from;
	for (size_t i = 0; i < bytes / sizeof *a; i++)
		a[i] += b[i];
}

static void
add_cache(struct wcp_nb_counts *to, const struct wcp_nbcache *c)
{
	if (c)
		add(to, wcp_nbcache_counts(c), offsetof(struct wcp_nb_counts, mshrs_peak));
}

void
result_collect(struct run_result *r, const struct gpu *g)
{
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		const struct sm *sm = &g->sm[i];
		add(&r->sm, &sm->counts, sizeof r->sm);
		add_cache(&r->l1d, sm->l1[L1D]);
		add_cache(&r->l1c, sm->l1[L1C]);
		add_cache(&r->l1i, sm->l1[L1I]);
	}
	for (uint32_t s = 0; s < g->memory.n_slice; s++)
		add_cache(&r->l2, g->memory.slice[s].l2);
	for (uint32_t c = 0; c < g->memory.n_channel; c++) {
		const struct wcp_dram_counts *d = wcp_dram_counts(g->memory.dram, c);
		r->dram.reads += d->reads;
		r->dram.writes += d->writes;
		for (unsigned i = 0; i < 3; i++)
			r->dram.row[i] += d->row[i];
	}
}

static void
print_cache(struct report *r, const char *name, const struct wcp_nb_counts *c)
{
	char text[64];
	uint64_t all = 0;
	for (unsigned o = WCP_OUT_HIT; o < WCP_OUT_COUNT; o++)
		all += c->outcome[o];
	static const struct {
		enum wcp_outcome outcome;
		const char *text;
	} row[] = {{WCP_OUT_HIT, "hits"}, {WCP_OUT_PENDING, "merges"}, {WCP_OUT_MISS, "misses"},
	    {WCP_OUT_SECTOR, "sector_misses"}, {WCP_OUT_FORWARD, "forwarded"},
	    {WCP_OUT_BYPASS, "bypassed"}};
	snprintf(text, sizeof text, "%s_accesses", name);
	report_pair_u64(r, text, NULL, all);
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		snprintf(text, sizeof text, "%s_%s", name, row[i].text);
		report_pair_u64(r, text, NULL, c->outcome[row[i].outcome]);
	}
	for (unsigned f = WCP_NB_PORT; f < WCP_NB_FAIL_COUNT; f++) {
		snprintf(
		    text, sizeof text, "%s_fail_%s", name, wcp_nb_fail_name((enum wcp_nb_fail)f));
		report_pair_u64(r, text, NULL, c->refused[f]);
	}
}

double
result_ipc(const struct run_result *r)
{
	return (double)r->sm.thread_insns / (double)r->cycles;
}

void
result_release(struct run_result *r)
{
	for (uint64_t k = 0; k < r->kernels; k++)
		free(r->kernel[k].name);
	free(r->kernel);
}

static void
print_scheduling(struct report *r, const struct gpu_config *set, const struct run_result *x)
{
	char text[64];
	report_pair_double(r, "occupancy", "%",
	    100.0 * (double)x->sm.occupancy / (double)x->sm.cycles_active / set->sm.warps, 2);
	report_pair_double(
	    r, "active_warps", NULL, (double)x->sm.active / (double)x->sm.cycles_active, 2);
	for (unsigned i = 0; i < SLOT_COUNT; i++) {
		snprintf(text, sizeof text, "slots_%s", slot_use_text[i]);
		report_pair_u64(r, text, NULL, x->sm.slot[i]);
	}
	for (unsigned i = 0; i < LDST_COUNT; i++) {
		snprintf(text, sizeof text, "ldst_%s", ldst_stall_text[i]);
		report_pair_u64(r, text, "ck", x->sm.ldst[i]);
	}
	report_pair_double(
	    r, "load_latency", "ck", (double)x->sm.request_cycles / (double)x->sm.requests, 1);
	report_pair_u64(r, "releases", NULL, x->sm.releases);
}

static void
print_shared_cache(struct report *r, const struct sm_counts *c)
{
	report_pair_u64(r, "smem_hits", NULL, c->smem_hits);
	report_pair_u64(r, "smem_misses", NULL, c->smem_misses);
	report_pair_u64(r, "smem_merges", NULL, c->smem_merges);
	report_pair_u64(r, "smem_migrations", NULL, c->smem_migrations);
	report_pair_u64(r, "smem_evictions", NULL, c->smem_evictions);
	report_pair_u64(r, "double_copies", NULL, c->double_copies);
}

static void
print_one(struct report *r, const struct job *j)
{
	const struct run_result *x = &j->result;
	report_pair_text(r, "policy", j->choice->label);
	report_pair_u64(r, "kernels", NULL, x->kernels);
	report_pair_u64(r, "cycles", NULL, x->cycles);
	report_pair_u64(r, "warp_instructions", NULL, x->sm.warp_insns);
	report_pair_u64(r, "thread_instructions", NULL, x->sm.thread_insns);
	report_pair_double(r, "ipc", NULL, result_ipc(x), 3);
	report_pair_double(r, "ipc_warp", NULL, (double)x->sm.warp_insns / (double)x->cycles, 4);
	print_scheduling(r, j->set, x);
	if (j->choice->policy->vta_entries)
		report_pair_u64(r, "vta_hits", NULL, x->sm.vta_hits);
	if (j->choice->policy->shared_cache)
		print_shared_cache(r, &x->sm);
	print_cache(r, "l1d", &x->l1d);
	print_cache(r, "l1c", &x->l1c);
	print_cache(r, "l1i", &x->l1i);
	print_cache(r, "l2", &x->l2);
	report_pair_u64(r, "dram_reads", NULL, x->dram.reads);
	report_pair_u64(r, "dram_writes", NULL, x->dram.writes);
	report_pair_u64(r, "dram_row_hits", NULL, x->dram.row[WCP_ROW_HIT]);
}

enum { KERNELS_SHOWN = 50 }; /* in text */

static void
print_kernels(struct report *r, const struct tool *t, const struct job *j)
{
	static const struct report_column column[] = {{"kernel", NULL, REPORT_U64, 0},
	    {"name", NULL, REPORT_TEXT, 0}, {"parent", NULL, REPORT_U64, 0},
	    {"stream", NULL, REPORT_U64, 0}, {"begin", "ck", REPORT_U64, 0},
	    {"cycles", "ck", REPORT_U64, 0}, {"ctas", NULL, REPORT_U64, 0},
	    {"warp_instructions", NULL, REPORT_U64, 0}, {"ipc", NULL, REPORT_DOUBLE, 3}, {0}};
	char name[32];
	bool cut = t->format == TOOL_TEXT && j->result.kernels > KERNELS_SHOWN;
	snprintf(name, sizeof name, "%s%skernels", j->table, *j->table ? "_" : "");
	report_table(r, name, cut ? "The first kernels" : "Kernels", column);
	for (uint64_t i = 0; i < (cut ? KERNELS_SHOWN : j->result.kernels); i++) {
		const struct kernel_result *k = &j->result.kernel[i];
		report_u64(r, k->id);
		report_text(r, k->name);
		if (k->parent == WCP_NONE32)
			report_missing(r);
		else
			report_u64(r, k->parent);
		report_u64(r, k->stream);
		report_u64(r, k->begin);
		report_u64(r, k->end - k->begin);
		report_u64(r, k->ctas);
		report_u64(r, k->warp_insns);
		report_double(r, (double)k->thread_insns / (double)(k->end - k->begin));
		report_row(r);
	}
}

/* Everything of each run that is no point of a sweep. */
static void
print_details(struct report *r, const struct tool *t, const struct command *c, struct job *job)
{
	unsigned number = 0;
	for (unsigned i = 0; i < c->n_input * c->n_choice; i++) {
		struct job *j = &job[i];
		if (i % c->n_choice >= c->n_policy)
			continue;
		number++;
		if (c->n_input * c->n_choice > 1) {
			snprintf(j->table, sizeof j->table, "run%u", number);
			snprintf(j->title, sizeof j->title, "%s under %s", j->input->name,
			    j->choice->label);
			report_pairs(r, j->table, j->title);
		}
		if (!j->played)
			continue;
		print_one(r, j);
		print_kernels(r, t, j);
	}
	report_pairs(r, NULL, NULL);
}

/* What was simulated, value by value with its source. */
static void
print_machine(struct report *r, const struct wcp_machine *m, const struct gpu_config *set)
{
	tool_machine_report(r, m, "clock", &set->clock);
	tool_machine_report(r, m, "sm", &set->sm);
	tool_machine_report(r, m, "latency", &set->latency);
	tool_machine_report(r, m, "interval", &set->interval);
	tool_machine_report(r, m, "l1", &set->l1);
	tool_machine_report(r, m, "l1c", &set->l1c);
	tool_machine_report(r, m, "l1t", &set->l1t);
	tool_machine_report(r, m, "l1i", &set->l1i);
	tool_machine_report(r, m, "l2", &set->l2);
	tool_machine_report(r, m, "icnt", &set->icnt);
	tool_machine_report(r, m, "memory", &set->memory);
	tool_machine_report(r, m, "dram", &set->dram);
}

int
print_results(struct tool *t, const struct command *c, struct job *job)
{
	struct report *r = report_open(t, false, NULL);
	if (!r)
		return -WCP_ESYS;
	if (c->n_input * c->n_choice > 1)
		print_comparison(r, c, job);
	print_details(r, t, c, job);
	if (t->verbose)
		print_machine(r, c->machine, job->set);
	return report_close(r);
}

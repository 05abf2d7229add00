/* From counters to the report. */
#include <math.h>
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

static uint32_t
larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void
add_cache(struct wcp_nb_counts *to, const struct wcp_nbcache *c)
{
	if (!c)
		return;
	const struct wcp_nb_counts *n = wcp_nbcache_counts(c);
	add(to, n, offsetof(struct wcp_nb_counts, mshrs_peak));
	to->mshrs_peak = larger(to->mshrs_peak, n->mshrs_peak);
	to->queue_peak = larger(to->queue_peak, n->queue_peak);
}

static void
collect_dram(struct run_result *r, const struct gpu *g)
{
	memory_settle(&g->memory, g->now);
	for (uint32_t c = 0; c < g->memory.n_channel; c++)
		add(&r->dram, wcp_dram_counts(g->memory.dram, c),
		    offsetof(struct wcp_dram_counts, queued));
	wcp_dram_overall(g->memory.dram, &r->banks);
}

void
result_collect(struct run_result *r, const struct gpu *g)
{
	for (uint32_t i = 0; i < g->set->sm.sms; i++) {
		const struct sm *sm = &g->sm[i];
		add(&r->sm, &sm->counts, sizeof r->sm);
		add_cache(&r->l1d, sm->l1[L1D]);
		for (unsigned s = 0; sm->own && s < SLOTS_MAX; s++)
			add_cache(&r->l1d, sm->own[s]);
		add_cache(&r->l1c, sm->l1[L1C]);
		add_cache(&r->l1t, sm->l1[L1T]);
		add_cache(&r->l1i, sm->l1[L1I]);
	}
	for (uint32_t s = 0; s < g->memory.n_slice; s++)
		add_cache(&r->l2, g->memory.slice[s].l2);
	collect_dram(r, g);
	r->request = g->request_traffic;
	r->reply = g->reply_traffic;
	r->cycles = gpu_cycles(g);
	r->total_cycles = g->now;
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
	snprintf(text, sizeof text, "%s_mshrs_peak", name);
	report_pair_u64(r, text, NULL, c->mshrs_peak);
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
	series_release(&r->series);
	watch_release(&r->watch);
	names_release(&r->programs);
}

static void
print_ratio(
    struct report *r, const char *name, const char *unit, double scale, uint64_t of, uint64_t all)
{
	report_pair_double(
	    r, name, unit, all ? scale * (double)of / (double)all : (double)NAN, scale > 1 ? 2 : 1);
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
	print_ratio(r, "load_latency", "ck", 1, x->sm.request_cycles, x->sm.requests);
	report_pair_u64(r, "releases", NULL, x->sm.releases);
}

/* OAWS sec. 3: coherent and divergent loads apart. */
static void
print_loads(struct report *r, const struct sm_counts *n)
{
	static const char *const sort[] = {"coherent", "divergent"};
	char text[64];
	for (unsigned d = 0; d < 2; d++) {
		snprintf(text, sizeof text, "loads_%s", sort[d]);
		report_pair_u64(r, text, NULL, n->loads[d]);
		snprintf(text, sizeof text, "fully_cached_%s", sort[d]);
		print_ratio(r, text, "%", 100, n->fully_cached[d], n->loads[d]);
		snprintf(text, sizeof text, "accesses_%s", sort[d]);
		report_pair_u64(r, text, NULL, n->accesses[d]);
		snprintf(text, sizeof text, "latency_%s", sort[d]);
		print_ratio(r, text, "ck", 1, n->latency[d], n->accesses[d]);
		snprintf(text, sizeof text, "occlusion_%s", sort[d]);
		print_ratio(r, text, "%", 100, n->occluded[d], n->latency[d]);
	}
	report_pair_u64(r, "misses_staged", NULL, n->staged);
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		snprintf(text, sizeof text, "stage_%s", stage_text[i]);
		print_ratio(r, text, "ck", 1, n->stage[i], n->staged);
	}
}

static void
print_network(struct report *r, const struct gpu_config *set, const struct run_result *x)
{
	uint64_t slices = set->l2.slices, cycles = x->total_cycles;
	report_pair_u64(r, "icnt_request_packets", NULL, x->request.packets);
	report_pair_u64(r, "icnt_request_flits", NULL, x->request.flits);
	print_ratio(r, "icnt_request_use", "%", 100, x->request.flits, cycles * slices);
	report_pair_u64(r, "icnt_reply_packets", NULL, x->reply.packets);
	report_pair_u64(r, "icnt_reply_flits", NULL, x->reply.flits);
	print_ratio(r, "icnt_reply_use", "%", 100, x->reply.flits, cycles * set->sm.sms);
}

static void
print_dram(struct report *r, const struct run_result *x)
{
	const struct wcp_dram_counts *d = &x->dram;
	const struct wcp_dram_mean *blp = &x->banks.service, *mlp = &x->banks.requests;
	uint64_t busy = d->cycles_transferring + d->cycles_waiting_column + d->cycles_waiting_row;
	report_pair_u64(r, "dram_reads", NULL, d->reads);
	report_pair_u64(r, "dram_writes", NULL, d->writes);
	report_pair_u64(r, "dram_bursts", NULL, d->read_bursts + d->write_bursts);
	report_pair_u64(r, "dram_row_hits", NULL, d->row[WCP_ROW_HIT]);
	report_pair_u64(r, "dram_row_misses", NULL, d->row[WCP_ROW_MISS]);
	report_pair_u64(r, "dram_row_conflicts", NULL, d->row[WCP_ROW_CONFLICT]);
	print_ratio(r, "dram_bus_use", "%", 100, d->cycles_transferring, busy + d->cycles_idle);
	print_ratio(r, "dram_efficiency", "%", 100, d->cycles_transferring, busy);
	print_ratio(r, "dram_blp", NULL, 1, blp->sum, blp->cycles);
	print_ratio(r, "dram_mlp", NULL, 1, mlp->sum, mlp->cycles);
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
	print_loads(r, &x->sm);
	if (j->choice->policy->vta_entries)
		report_pair_u64(r, "vta_hits", NULL, x->sm.vta_hits);
	if (j->choice->policy->shared_cache)
		print_shared_cache(r, &x->sm);
	print_cache(r, "l1d", &x->l1d);
	print_cache(r, "l1c", &x->l1c);
	if (j->set->l1t.cache.index.sets)
		print_cache(r, "l1t", &x->l1t);
	print_cache(r, "l1i", &x->l1i);
	print_cache(r, "l2", &x->l2);
	print_network(r, j->set, x);
	print_dram(r, x);
}

enum { KERNELS_SHOWN = 50 }; /* in text */

static void
print_kernels(struct report *r, const struct tool *t, const struct job *j)
{
	static const struct report_column column[] = {{"kernel", NULL, REPORT_U64, 0},
	    {"name", NULL, REPORT_TEXT, 0}, {"parent", NULL, REPORT_U64, 0},
	    {"stream", NULL, REPORT_U64, 0}, {"begin", "ck", REPORT_U64, 0},
	    {"cycles", "ck", REPORT_U64, 0}, {"ctas", NULL, REPORT_U64, 0},
	    {"warp_instructions", NULL, REPORT_U64, 0},
	    {"thread_instructions", NULL, REPORT_U64, 0}, {"ipc", NULL, REPORT_DOUBLE, 3}, {0}};
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
		report_u64(r, k->thread_insns);
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
		print_watch(r, j);
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

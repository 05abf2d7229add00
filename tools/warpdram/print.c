/* The report. */
#include <math.h>
#include <stdlib.h>
#include "warpdram.h"

static double
ratio(uint64_t part, uint64_t whole, double scale)
{
	return whole ? scale * (double)part / (double)whole : NAN;
}

static double
mean(struct wcp_dram_mean m)
{
	return ratio(m.sum, m.cycles, 1);
}

static uint64_t
all_columns(const struct wcp_dram_counts *c)
{
	return c->command[WCP_CMD_RD] + c->command[WCP_CMD_RDA] + c->command[WCP_CMD_WR] +
	       c->command[WCP_CMD_WRA];
}

static uint64_t
all_cycles(const struct wcp_dram_counts *c)
{
	return c->cycles_transferring + c->cycles_waiting_column + c->cycles_waiting_row +
	       c->cycles_idle;
}

/* All channels' counts; the means' are left out. */
static struct wcp_dram_counts
total(const struct run *r)
{
	struct wcp_dram_counts t = {0};
	for (uint32_t i = 0; i < r->play.channels; i++) {
		const struct wcp_dram_counts *c = wcp_dram_counts(r->play.dram, i);
		t.reads += c->reads;
		t.writes += c->writes;
		t.read_bursts += c->read_bursts;
		t.write_bursts += c->write_bursts;
		for (int k = 0; k < 3; k++)
			t.row[k] += c->row[k];
		for (int k = 0; k < WCP_CMD_COUNT; k++)
			t.command[k] += c->command[k];
		t.cycles_transferring += c->cycles_transferring;
		t.cycles_waiting_column += c->cycles_waiting_column;
		t.cycles_waiting_row += c->cycles_waiting_row;
		t.cycles_idle += c->cycles_idle;
	}
	return t;
}

static double
cycle_ns(const struct run *r)
{
	return wcp_dram_config(r->play.dram)->timing.t_ck_ns;
}

static void
print_input(const struct run *r, struct report *out, const struct wcp_dram_counts *t)
{
	static const char *const mode[] = {"?", "open", "stall", "window"};
	const struct counts *c = &r->counts;
	report_pair_text(out, "format", format_name(r->input.format));
	report_pair_text(out, "mode", mode[r->set->mode]);
	if (r->set->window)
		report_pair_u64(out, "window", "records", r->set->window);
	report_pair_double(out, "record_clock", "MHz", r->play.record_mhz, 3);
	report_pair_u64(out, "records", NULL, c->record_latency.n);
	report_pair_u64(out, "requests", NULL, r->play.served);
	report_pair_u64(out, "reads", NULL, t->reads);
	report_pair_u64(out, "writes", NULL, t->writes);
	report_pair_u64(out, "read_bytes", "bytes", t->read_bursts * r->play.atom_bytes);
	report_pair_u64(out, "write_bytes", "bytes", t->write_bursts * r->play.atom_bytes);
}

static void
print_speed(const struct run *r, struct report *out, const struct wcp_dram_counts *t)
{
	const struct wcp_dram_organisation *o = &wcp_dram_config(r->play.dram)->organisation;
	double ns = (double)r->play.end * cycle_ns(r),
	       peak = o->bus_bits / 8. * o->rate * r->play.channels / cycle_ns(r);
	uint64_t bytes = (t->read_bursts + t->write_bursts) * r->play.atom_bytes;
	report_pair_u64(out, "cycles", "ck", r->play.end);
	report_pair_double(out, "time", "ns", ns, 1);
	report_pair_double(out, "bandwidth", "GB/s", ns > 0 ? (double)bytes / ns : NAN, 3);
	report_pair_double(out, "peak_bandwidth", "GB/s", peak, 3);
	report_pair_double(
	    out, "utilisation", "%", ratio(t->cycles_transferring, all_cycles(t), 100), 2);
}

static void
print_rows(struct report *out, const struct wcp_dram_counts *t)
{
	uint64_t requests = t->reads + t->writes, columns = all_columns(t);
	report_pair_u64(out, "row_hits", NULL, t->row[WCP_ROW_HIT]);
	report_pair_u64(out, "row_misses", NULL, t->row[WCP_ROW_MISS]);
	report_pair_u64(out, "row_conflicts", NULL, t->row[WCP_ROW_CONFLICT]);
	report_pair_double(out, "row_hit_rate", "%", ratio(t->row[WCP_ROW_HIT], requests, 100), 2);
	report_pair_u64(out, "activates", NULL, t->command[WCP_CMD_ACT]);
	report_pair_double(out, "row_hit_rate_by_activates", "%",
	    columns ? 100 - ratio(t->command[WCP_CMD_ACT], columns, 100) : NAN, 2);
}

static void
print_parallelism(const struct run *r, struct report *out)
{
	struct wcp_dram_overall o;
	wcp_dram_overall(r->play.dram, &o);
	report_pair_double(out, "blp", "banks in service", mean(o.service), 3);
	report_pair_double(out, "blp_assigned", "banks", mean(o.assigned), 3);
	report_pair_double(out, "blp_queued", "banks", mean(o.queued), 3);
	report_pair_double(out, "mlp", "requests", mean(o.requests), 3);
}

static void
print_latency(const struct run *r, struct report *out)
{
	static const struct report_column column[] = {
	    {"of", NULL, REPORT_TEXT, 0},
	    {"number", NULL, REPORT_U64, 0},
	    {"mean", "ck", REPORT_DOUBLE, 2},
	    {"p50", "ck", REPORT_U64, 0},
	    {"p90", "ck", REPORT_U64, 0},
	    {"p95", "ck", REPORT_U64, 0},
	    {"p99", "ck", REPORT_U64, 0},
	    {"max", "ck", REPORT_U64, 0},
	    {"mean_ns", "ns", REPORT_DOUBLE, 2},
	    {"p50_ns", "ns", REPORT_DOUBLE, 2},
	    {"p95_ns", "ns", REPORT_DOUBLE, 2},
	    {"p99_ns", "ns", REPORT_DOUBLE, 2},
	    {NULL},
	};
	static const double share[] = {.5, .9, .95, .99};
	const struct hist *hist[] = {
	    &r->counts.latency[0], &r->counts.latency[1], &r->counts.record_latency};
	static const char *const name[] = {"reads", "writes", "records"};
	report_table(out, "latency", "Latency", column);
	for (int i = 0; i < 3; i++) {
		const struct hist *h = hist[i];
		double average = ratio(h->sum, h->n, 1), ns = cycle_ns(r);
		if (!h->n)
			continue;
		report_text(out, name[i]);
		report_u64(out, h->n);
		report_double(out, average);
		for (int k = 0; k < 4; k++)
			report_u64(out, hist_percentile(h, share[k]));
		report_u64(out, h->max);
		report_double(out, average * ns);
		report_double(out, (double)hist_percentile(h, .5) * ns);
		report_double(out, (double)hist_percentile(h, .95) * ns);
		report_double(out, (double)hist_percentile(h, .99) * ns);
		report_row(out);
	}
}

static void
print_cycles(struct report *out, const struct wcp_dram_counts *t)
{
	static const struct report_column column[] = {
	    {"cycles", NULL, REPORT_TEXT, 0},
	    {"number", "ck", REPORT_U64, 0},
	    {"share", "%", REPORT_DOUBLE, 2},
	    {NULL},
	};
	const struct {
		const char *name;
		uint64_t n;
	} class[] = {{"transferring", t->cycles_transferring},
	    {"waiting_column", t->cycles_waiting_column}, {"waiting_row", t->cycles_waiting_row},
	    {"idle", t->cycles_idle}};
	report_table(out, "cycles", "Cycles of all channels", column);
	for (int i = 0; i < 4; i++) {
		report_text(out, class[i].name);
		report_u64(out, class[i].n);
		report_double(out, ratio(class[i].n, all_cycles(t), 100));
		report_row(out);
	}
}

static void
print_commands(struct report *out, const struct wcp_dram_counts *t)
{
	static const struct report_column column[] = {
	    {"command", NULL, REPORT_TEXT, 0},
	    {"number", NULL, REPORT_U64, 0},
	    {NULL},
	};
	report_table(out, "commands", "Commands", column);
	for (int i = 0; i < WCP_CMD_COUNT; i++) {
		report_text(out, wcp_dram_command_name((enum wcp_dram_command_kind)i));
		report_u64(out, t->command[i]);
		report_row(out);
	}
}

static void
print_channels(const struct run *r, struct report *out)
{
	static const struct report_column column[] = {
	    {"channel", NULL, REPORT_U64, 0},
	    {"reads", NULL, REPORT_U64, 0},
	    {"writes", NULL, REPORT_U64, 0},
	    {"row_hits", NULL, REPORT_U64, 0},
	    {"row_misses", NULL, REPORT_U64, 0},
	    {"row_conflicts", NULL, REPORT_U64, 0},
	    {"activates", NULL, REPORT_U64, 0},
	    {"utilisation", "%", REPORT_DOUBLE, 2},
	    {"blp", NULL, REPORT_DOUBLE, 3},
	    {"blp_assigned", NULL, REPORT_DOUBLE, 3},
	    {"blp_queued", NULL, REPORT_DOUBLE, 3},
	    {"mlp", NULL, REPORT_DOUBLE, 3},
	    {NULL},
	};
	report_table(out, "channels", "Channels", column);
	for (uint32_t i = 0; i < r->play.channels; i++) {
		const struct wcp_dram_counts *c = wcp_dram_counts(r->play.dram, i);
		report_u64(out, i);
		report_u64(out, c->reads);
		report_u64(out, c->writes);
		for (int k = 0; k < 3; k++)
			report_u64(out, c->row[k]);
		report_u64(out, c->command[WCP_CMD_ACT]);
		report_double(out, ratio(c->cycles_transferring, all_cycles(c), 100));
		report_double(out, mean(c->service));
		report_double(out, mean(c->assigned));
		report_double(out, mean(c->queued));
		report_double(out, mean(c->requests));
		report_row(out);
	}
}

/* The heat map: every bank that was used. */
static void
print_banks(const struct run *r, struct report *out)
{
	static const struct report_column column[] = {
	    {"channel", NULL, REPORT_U64, 0},
	    {"rank", NULL, REPORT_U64, 0},
	    {"bank", NULL, REPORT_U64, 0},
	    {"columns", NULL, REPORT_U64, 0},
	    {"activates", NULL, REPORT_U64, 0},
	    {"conflicts", NULL, REPORT_U64, 0},
	    {"busy", "%", REPORT_DOUBLE, 2},
	    {NULL},
	};
	const struct wcp_dram_organisation *o = &wcp_dram_config(r->play.dram)->organisation;
	report_table(out, "banks", "Banks", column);
	for (uint32_t i = 0; i < r->play.channels; i++) {
		const struct wcp_dram_bank_counts *b = wcp_dram_bank_counts(r->play.dram, i);
		for (uint32_t k = 0; k < o->ranks * o->banks; k++) {
			report_u64(out, i);
			report_u64(out, k / o->banks);
			report_u64(out, k % o->banks);
			report_u64(out, b[k].columns);
			report_u64(out, b[k].activates);
			report_u64(out, b[k].conflicts);
			report_double(out, ratio(b[k].busy_cycles, r->play.time[i], 100));
			report_row(out);
		}
	}
}

static void
print_unit(const struct run *r, struct report *out, uint32_t number)
{
	const struct row *a = &r->counts.unit[number];
	uint64_t requests = a->reads + a->writes;
	unit_report_key(out, &r->by, &r->kernels, &r->programs, number);
	report_u64(out, a->records);
	report_u64(out, a->reads);
	report_u64(out, a->writes);
	for (int k = 0; k < 3; k++)
		report_u64(out, a->row[k]);
	report_double(out, ratio(a->latency, requests, 1));
	report_u64(out, a->latency_max);
	report_double(out, ratio(a->alone, requests, 1));
	report_double(out, ratio(a->latency, a->alone, 1));
	report_row(out);
}

/* Of the slowdowns: the largest over the smallest, and Jain's index. */
static void
print_fairness(const struct run *r, struct report *out)
{
	double low = INFINITY, high = 0, sum = 0, squares = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->by.n; i++) {
		const struct row *a = &r->counts.unit[i];
		double slowdown = ratio(a->latency, a->alone, 1);
		if (isnan(slowdown))
			continue;
		low = slowdown < low ? slowdown : low;
		high = slowdown > high ? slowdown : high;
		sum += slowdown;
		squares += slowdown * slowdown;
		n++;
	}
	report_pair_double(out, "unfairness", "max/min slowdown", n ? high / low : NAN, 3);
	report_pair_double(out, "fairness", "Jain", n ? sum * sum / (n * squares) : NAN, 4);
}

static void
print_units(struct run *r, struct report *out)
{
	static const struct report_column rest[] = {
	    {"records", NULL, REPORT_U64, 0},
	    {"reads", NULL, REPORT_U64, 0},
	    {"writes", NULL, REPORT_U64, 0},
	    {"row_hits", NULL, REPORT_U64, 0},
	    {"row_misses", NULL, REPORT_U64, 0},
	    {"row_conflicts", NULL, REPORT_U64, 0},
	    {"latency", "ck", REPORT_DOUBLE, 2},
	    {"latency_max", "ck", REPORT_U64, 0},
	    {"latency_alone", "ck", REPORT_DOUBLE, 2},
	    {"slowdown", NULL, REPORT_DOUBLE, 3},
	    {NULL},
	};
	struct report_column column[UNIT_REPORT_COLUMNS + sizeof rest / sizeof rest[0]];
	if (r->input.reader)
		unit_sources(&r->by, r->input.reader);
	unit_report_columns(column, r->by.what, rest);
	report_table(out, "by", "By requester", column);
	uint32_t *order = keys_sorted(&r->by);
	for (uint32_t i = 0; i < r->by.n; i++)
		if (order[i] < r->counts.cap_unit)
			print_unit(r, out, order[i]);
	free(order);
}

static void
print_notes(const struct run *r, struct report *out)
{
	const struct input *in = &r->input;
	if (in->hits)
		report_note(out, "%llu accesses that a cache had answered were not replayed",
		    (unsigned long long)in->hits);
	if (in->spaces)
		report_note(out, "%llu accesses that are not the memory's were not replayed",
		    (unsigned long long)in->spaces);
	if (in->format == FORMAT_STREAM && !in->timed)
		report_note(out, "the stream has no times: its cycles are record numbers");
}

void
print_report(struct run *r, const struct wcp_machine *m, struct report *out)
{
	struct wcp_dram_counts t = total(r);
	count_end(&r->counts);
	report_pair_text(out, "machine", wcp_machine_name(m));
	print_input(r, out, &t);
	print_speed(r, out, &t);
	print_rows(out, &t);
	print_parallelism(r, out);
	report_pair_u64(out, "waited_for_room", "ck", r->counts.waited);
	if (r->set->by)
		print_fairness(r, out);
	print_latency(r, out);
	print_cycles(out, &t);
	print_commands(out, &t);
	print_channels(r, out);
	if (r->set->by)
		print_units(r, out);
	if (r->set->banks)
		print_banks(r, out);
	if (r->tool->verbose)
		print_machine(r, m, out);
	print_notes(r, out);
}

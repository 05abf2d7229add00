#include <math.h>
#include "timed.h"

static double
per(uint64_t part, uint64_t whole, double scale)
{
	return whole ? scale * (double)part / (double)whole : NAN;
}

struct sums {
	uint64_t refused[WCP_NB_FAIL_COUNT], refused_first[WCP_NB_FAIL_COUNT];
	uint64_t merges, fetches, passes, stalled;
	uint32_t mshrs_peak, queue_peak;
};

static struct sums
add_up(const struct timed *d)
{
	struct sums s = {.stalled = 0};
	for (uint32_t p = 0; p < d->ports; p++) {
		const struct wcp_nb_counts *c = wcp_nbcache_counts(d->port[p].cache);
		for (int i = 0; i < WCP_NB_FAIL_COUNT; i++) {
			s.refused[i] += c->refused[i];
			s.refused_first[i] += c->refused_first[i];
			s.stalled += c->refused_first[i];
		}
		s.merges += c->outcome[WCP_OUT_PENDING];
		s.fetches += c->fetches;
		s.passes += c->passes;
		s.mshrs_peak = c->mshrs_peak > s.mshrs_peak ? c->mshrs_peak : s.mshrs_peak;
		s.queue_peak = c->queue_peak > s.queue_peak ? c->queue_peak : s.queue_peak;
	}
	return s;
}

static void
limit(struct report *out, const char *name, uint32_t n)
{
	if (n)
		report_pair_u64(out, name, NULL, n);
	else
		report_pair_text(out, name, "unlimited");
}

static void
print_machine(const struct timed *d, struct report *out)
{
	const struct wcp_nb_options *o = &d->options;
	level_print_cache(&d->level, out, d->level.set->shared ? 1 : d->ports);
	if (d->level.set->run_as != RUN_BOUNDED)
		report_pair_text(out, "run_as",
		    d->level.set->run_as == RUN_UNBOUNDED ? "unbounded" : "bypass-all");
	report_pair_text(out, "allocate", o->allocate == WCP_NB_ON_FILL ? "fill" : "miss");
	limit(out, "mshr_entries", o->mshr_entries);
	limit(out, "mshr_merges", o->mshr_merges);
	limit(out, "miss_queue", o->miss_queue);
	report_pair_u64(out, "fill_latency", "cycles", d->level.set->fill_latency);
}

static void
print_time(const struct timed *d, const struct sums *s, struct report *out)
{
	const struct timed_counts *c = &d->counts;
	const struct row all = tally_all(&d->level.tally);
	uint64_t cycles = d->any ? d->last - d->first + 1 : 0;
	report_pair_u64(out, "cycles", NULL, cycles);
	report_pair_u64(out, "merges", NULL, s->merges);
	report_pair_u64(out, "fetches", NULL, s->fetches);
	report_pair_u64(out, "passed_on", NULL, s->passes);
	report_pair_double(
	    out, "miss_latency", "cycles", per(c->latency_cycles, c->answered, 1), 2);
	report_pair_double(
	    out, "delay", "cycles", per(c->delay_cycles, all.accesses + all.bypassed, 1), 2);
	report_pair_u64(out, "stall_cycles", NULL, c->refused_cycles);
	report_pair_u64(out, "stalled_accesses", NULL, s->stalled);
	report_pair_double(
	    out, "mshrs_mean", NULL, per(c->mshr_cycles, cycles * (d->ports ? d->ports : 1), 1), 2);
	report_pair_u64(out, "mshrs_max", NULL, s->mshrs_peak);
	report_pair_u64(out, "miss_queue_max", NULL, s->queue_peak);
}

static void
print_fails(const struct timed *d, const struct sums *s, struct report *out)
{
	static const struct report_column column[] = {{"cause", NULL, REPORT_TEXT, 0},
	    {"cycles", NULL, REPORT_U64, 0}, {"accesses", NULL, REPORT_U64, 0},
	    {"per_kilocycle", NULL, REPORT_DOUBLE, 2}, {NULL, NULL, REPORT_TEXT, 0}};
	uint64_t cycles = d->any ? d->last - d->first + 1 : 0;
	level_table(&d->level, out, "fails", "Reservation fails by cause", column);
	for (int i = WCP_NB_PORT; i < WCP_NB_FAIL_COUNT; i++) {
		if (i == WCP_NB_PORT && !d->options.port_bytes)
			continue;
		report_text(out, wcp_nb_fail_name((enum wcp_nb_fail)i));
		report_u64(out, s->refused[i]);
		report_u64(out, s->refused_first[i]);
		report_double(out, per(s->refused[i], cycles, 1000));
		report_row(out);
	}
}

void
timed_report(const struct level *l, struct report *out)
{
	const struct timed *d = (const struct timed *)l;
	struct sums s = add_up(d);
	print_machine(d, out);
	tally_print(&l->tally, out);
	print_time(d, &s, out);
	print_fails(d, &s, out);
	level_print_units(l, out);
	beside_print(d, out);
	ages_print(&d->ages, l, out);
	level_print_notes(l, out, d->counts.other_spaces);
	if (d->counts.early)
		report_note(out,
		    "%s%s%llu accesses had times before those of accesses ahead of them: they "
		    "came with these",
		    l->alone ? "" : l->set->name, l->alone ? "" : ": ",
		    (unsigned long long)d->counts.early);
}

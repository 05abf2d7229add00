/* The report, section by section. */
#include <math.h>
#include <string.h>
#include "info.h"
#include "report.h"

static double
ratio(double a, double b)
{
	return b != 0 ? a / b : NAN;
}

static double
percent(double a, double b)
{
	return 100 * ratio(a, b);
}

struct sums {
	uint64_t requests, transactions, sectors, useful_bytes, asked_bytes;
	uint64_t loads, divergent_loads;
};

static struct sums
sum_lines(const struct info *in)
{
	struct sums s = {0};
	for (unsigned space = 0; space < WCP_SPACE_COUNT; space++)
		for (unsigned kind = 0; kind < WCP_KIND_COUNT; kind++) {
			const struct info_access *a = &in->access[space][kind];
			if (!info_in_lines(space))
				continue;
			s.requests += a->requests;
			s.transactions += a->transactions;
			s.sectors += a->sectors;
			s.useful_bytes += a->useful_bytes;
			s.asked_bytes += a->asked_bytes;
			s.loads += kind == WCP_LOAD ? a->requests : 0;
			s.divergent_loads += kind == WCP_LOAD ? a->divergent : 0;
		}
	return s;
}

static void
say_whole(struct report *r, const struct info *in, const struct wcp_error *fault)
{
	char text[160] = "yes";
	if (fault)
		snprintf(text, sizeof text, "no: %.140s", fault->text);
	else if (in->end.flags)
		snprintf(text, sizeof text, "yes%s%s%s",
		    in->end.flags & WCP_END_PARTIAL ? ", records were left out on purpose" : "",
		    in->end.flags & WCP_END_INTERRUPTED ? ", recording was interrupted" : "",
		    in->end.flags & WCP_END_FAULT ? ", ends where a kernel faulted" : "");
	report_pair_text(r, "whole", text);
}

static uint32_t
kernels(const struct info *in)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < in->n_kernel; i++)
		n += in->kernel[i].known;
	return n;
}

static uint64_t
footprint_lines(const struct info *in)
{
	uint64_t n = 0;
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++)
		n += info_in_lines(s) ? in->footprint[s].lines : 0;
	return n;
}

static void
print_summary(struct report *r, const struct info *in, const struct wcp_error *fault)
{
	struct sums s = sum_lines(in);
	uint64_t size, read = wcp_reader_position(in->reader, &size);
	bool warp = in->link == WCP_LINK_WARP;
	bool requests = warp || in->has_first;
	double threads = (double)in->thread_insns, warps = (double)in->warp_insns;
	report_pair_text(r, "kind", warp ? "WARP" : "ACCESS");
	say_whole(r, in, fault);
	report_pair_u64(r, "stream_bytes", "B", size ? size : read);
	report_pair_u64(r, "kernels", NULL, kernels(in));
	if (in->children) {
		report_pair_u64(r, "launched_by_kernels", NULL, in->children);
		report_pair_u64(r, "launch_depth", NULL, in->launch_depth);
	}
	if (!warp) {
		report_pair_u64(r, "sms", NULL, in->sms);
		report_pair_u64(r, "first_cycle", NULL, in->first_cycle);
		report_pair_u64(r, "last_cycle", NULL, in->last_cycle);
	}
	report_pair_u64(r, "warp_instructions", NULL, in->warp_insns);
	report_pair_u64(r, "thread_instructions", NULL, in->thread_insns);
	report_pair_double(r, "lanes_per_instruction", NULL, ratio(threads, warps), 2);
	report_pair_u64(r, "memory_instructions", NULL, in->mem_insns);
	if (warp)
		report_pair_double(r, "bytes_per_warp_instruction", "B",
		    ratio((double)(size ? size : read), warps), 3);
	report_pair_u64(r, "accesses", "lines", s.transactions);
	report_pair_double(r, "apki", "per 1000 thread instructions",
	    1000 * ratio((double)s.transactions, threads), 3);
	report_pair_double(r, "apki_warp", "per 1000 warp instructions",
	    1000 * ratio((double)s.transactions, warps), 3);
	report_pair_double(r, "lines_per_request", NULL,
	    requests ? ratio((double)s.transactions, (double)s.requests) : NAN, 3);
	report_pair_double(r, "sector_efficiency", "%",
	    percent((double)s.useful_bytes, 32 * (double)s.sectors), 1);
	report_pair_double(r, "line_efficiency", "%",
	    percent((double)s.useful_bytes, 128 * (double)s.transactions), 1);
	report_pair_double(r, "divergent_loads", "%",
	    requests ? percent((double)s.divergent_loads, (double)s.loads) : NAN, 1);
	report_pair_u64(r, "footprint", "lines", footprint_lines(in));
	report_pair_u64(r, "footprint_bytes", "B", 128 * footprint_lines(in));
}

static void
print_provenance(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {
	    {"step", NULL, REPORT_U64, 0}, {"command", NULL, REPORT_TEXT, 0}, {0}};
	size_t n;
	const char *const *line = wcp_reader_provenance(in->reader, &n);
	report_table(r, "provenance", "Provenance", column);
	for (size_t i = 0; i < n; i++) {
		report_u64(r, i + 1);
		report_text(r, line[i]);
		report_row(r);
	}
}

static void
put_size(struct report *r, const uint32_t v[3])
{
	char text[48];
	snprintf(text, sizeof text, "%u,%u,%u", v[0], v[1], v[2]);
	report_text(r, text);
}

static void
print_kernels(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {{"id", NULL, REPORT_U64, 0},
	    {"name", NULL, REPORT_TEXT, 0}, {"grid", NULL, REPORT_TEXT, 0},
	    {"block", NULL, REPORT_TEXT, 0}, {"regs", NULL, REPORT_U64, 0},
	    {"shared", "B", REPORT_U64, 0}, {"ctas", NULL, REPORT_U64, 0},
	    {"warp_insns", NULL, REPORT_U64, 0}, {"thread_insns", NULL, REPORT_U64, 0},
	    {"mem_insns", NULL, REPORT_U64, 0}, {"accesses", "lines", REPORT_U64, 0},
	    {"apki", NULL, REPORT_DOUBLE, 2}, {0}};
	report_table(r, "kernels", "Kernels", column);
	for (uint32_t i = 0; i < in->n_kernel; i++) {
		const struct info_kernel *k = &in->kernel[i];
		if (!k->known)
			continue;
		report_u64(r, i);
		report_text(r, k->name);
		put_size(r, k->grid);
		put_size(r, k->block);
		report_u64(r, k->regs);
		report_u64(r, k->shared_bytes);
		report_u64(r, k->ctas);
		report_u64(r, k->warp_insns);
		report_u64(r, k->thread_insns);
		report_u64(r, k->mem_insns);
		report_u64(r, k->transactions);
		report_double(r, 1000 * ratio((double)k->transactions, (double)k->thread_insns));
		report_row(r);
	}
}

static void
print_classes(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {{"class", NULL, REPORT_TEXT, 0},
	    {"warp_insns", NULL, REPORT_U64, 0}, {"share", "%", REPORT_DOUBLE, 1},
	    {"thread_insns", NULL, REPORT_U64, 0}, {"lanes", "per insn", REPORT_DOUBLE, 2}, {0}};
	if (in->link != WCP_LINK_WARP)
		return;
	report_table(r, "classes", "Executed instructions by class", column);
	for (unsigned c = 0; c < WCP_OP_COUNT; c++) {
		if (!in->class_warp[c])
			continue;
		report_text(r, wcp_op_class_name((enum wcp_op_class)c));
		report_u64(r, in->class_warp[c]);
		report_double(r, percent((double)in->class_warp[c], (double)in->warp_insns));
		report_u64(r, in->class_thread[c]);
		report_double(r, ratio((double)in->class_thread[c], (double)in->class_warp[c]));
		report_row(r);
	}
}

static void
put_or_missing(struct report *r, bool known, uint64_t value)
{
	if (known)
		report_u64(r, value);
	else
		report_missing(r);
}

static void
print_accesses(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {{"space", NULL, REPORT_TEXT, 0},
	    {"kind", NULL, REPORT_TEXT, 0}, {"requests", NULL, REPORT_U64, 0},
	    {"lanes", "per request", REPORT_DOUBLE, 2}, {"requested", "B", REPORT_U64, 0},
	    {"accesses", "lines", REPORT_U64, 0}, {"sectors", NULL, REPORT_U64, 0},
	    {"divergent", NULL, REPORT_U64, 0}, {0}};
	bool warp = in->link == WCP_LINK_WARP, requests = warp || in->has_first;
	report_table(r, "accesses", "Memory accesses by space and kind", column);
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++)
		for (unsigned k = 0; k < WCP_KIND_COUNT; k++) {
			const struct info_access *a = &in->access[s][k];
			bool lines = !warp || info_in_lines(s);
			if (!a->requests && !a->transactions)
				continue;
			report_text(r, wcp_space_name((enum wcp_space)s));
			report_text(r, wcp_kind_name((enum wcp_access_kind)k));
			put_or_missing(r, requests, a->requests);
			report_double(
			    r, requests ? ratio((double)a->lanes, (double)a->requests) : NAN);
			put_or_missing(r, warp, a->asked_bytes);
			put_or_missing(r, lines, a->transactions);
			put_or_missing(r, lines, a->sectors);
			put_or_missing(r, lines && requests, a->divergent);
			report_row(r);
		}
}

static void
print_coalescing(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {{"space", NULL, REPORT_TEXT, 0},
	    {"kind", NULL, REPORT_TEXT, 0}, {"lines", "per request", REPORT_DOUBLE, 3},
	    {"sectors", "per request", REPORT_DOUBLE, 3}, {"ideal", "lines", REPORT_DOUBLE, 3},
	    {"useful", "B", REPORT_U64, 0}, {"sector_efficiency", "%", REPORT_DOUBLE, 1},
	    {"line_efficiency", "%", REPORT_DOUBLE, 1}, {"divergent", "%", REPORT_DOUBLE, 1}, {0}};
	bool requests = in->link == WCP_LINK_WARP || in->has_first;
	report_table(r, "coalescing", "Coalescing into 128-byte lines", column);
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++)
		for (unsigned k = 0; k < WCP_KIND_COUNT; k++) {
			const struct info_access *a = &in->access[s][k];
			double n = requests ? (double)a->requests : 0;
			if (!a->transactions || !info_in_lines(s))
				continue;
			report_text(r, wcp_space_name((enum wcp_space)s));
			report_text(r, wcp_kind_name((enum wcp_access_kind)k));
			report_double(r, ratio((double)a->transactions, n));
			report_double(r, ratio((double)a->sectors, n));
			report_double(r, ratio((double)a->useful_bytes / 128, n));
			report_u64(r, a->useful_bytes);
			report_double(r, percent((double)a->useful_bytes, 32 * (double)a->sectors));
			report_double(
			    r, percent((double)a->useful_bytes, 128 * (double)a->transactions));
			report_double(r, percent((double)a->divergent, n));
			report_row(r);
		}
}

static void
print_footprint(struct report *r, const struct info *in)
{
	static const struct report_column column[] = {{"space", NULL, REPORT_TEXT, 0},
	    {"lines", NULL, REPORT_U64, 0}, {"line_bytes", "B", REPORT_U64, 0},
	    {"sectors", NULL, REPORT_U64, 0}, {"sector_bytes", "B", REPORT_U64, 0}, {0}};
	report_table(r, "footprint", "Distinct 128-byte lines and 32-byte sectors touched", column);
	for (unsigned s = 0; s < WCP_SPACE_COUNT; s++) {
		uint64_t lines = in->footprint[s].lines;
		if (!lines)
			continue;
		uint64_t sectors = footprint_sectors(&in->footprint[s]);
		report_text(r, wcp_space_name((enum wcp_space)s));
		report_u64(r, lines);
		report_u64(r, 128 * lines);
		report_u64(r, sectors);
		report_u64(r, 32 * sectors);
		report_row(r);
	}
}

static void
print_outcomes(struct report *r, const struct info *in)
{
	static const char *const name[WCP_OUT_COUNT] = {"none", "hit", "miss", "sector", "pending",
	    "bypass", "redirect", "redirect_miss", "forward"};
	static const struct report_column column[] = {{"level", NULL, REPORT_U64, 0},
	    {"outcome", NULL, REPORT_TEXT, 0}, {"accesses", NULL, REPORT_U64, 0},
	    {"share", "%", REPORT_DOUBLE, 1}, {0}};
	bool begun = false;
	for (unsigned level = 0; level < 8; level++) {
		uint64_t all = 0;
		for (unsigned o = 1; o < WCP_OUT_COUNT; o++)
			all += in->level[level].count[o];
		for (unsigned o = 1; o < WCP_OUT_COUNT; o++) {
			uint64_t n = in->level[level].count[o];
			if (!n)
				continue;
			if (!begun)
				report_table(r, "outcomes", "What the levels passed did", column);
			begun = true;
			report_u64(r, level + 1);
			report_text(r, name[o]);
			report_u64(r, n);
			report_double(r, percent((double)n, (double)all));
			report_row(r);
		}
	}
}

static void
print_host(struct report *r, const struct info *in)
{
	static const char *const name[WCP_HOST_COUNT] = {"alloc", "free", "copy_in", "copy_out",
	    "copy_device", "memset", "sync", "event", "wait"};
	static const struct report_column column[] = {{"operation", NULL, REPORT_TEXT, 0},
	    {"count", NULL, REPORT_U64, 0}, {"bytes", "B", REPORT_U64, 0}, {0}};
	bool begun = false;
	for (unsigned i = 0; i < WCP_HOST_COUNT; i++) {
		if (!in->host_ops[i])
			continue;
		if (!begun)
			report_table(r, "host", "What the host did", column);
		begun = true;
		report_text(r, name[i]);
		report_u64(r, in->host_ops[i]);
		put_or_missing(r, i <= WCP_HOST_MEMSET && i != WCP_HOST_FREE, in->host_bytes[i]);
		report_row(r);
	}
}

static bool
asked(const struct info *in, enum info_section s)
{
	return in->sections >> s & 1;
}

int
print_report(struct info *in, const struct wcp_error *fault)
{
	struct wcp_error e = {0};
	struct report *r = report_open(in->tool, false, &e);
	if (!r)
		return tool_error(in->tool, NULL, &e);
	if (asked(in, SECTION_SUMMARY))
		print_summary(r, in, fault);
	if (asked(in, SECTION_PROVENANCE))
		print_provenance(r, in);
	if (asked(in, SECTION_KERNELS))
		print_kernels(r, in);
	if (asked(in, SECTION_CLASSES))
		print_classes(r, in);
	if (asked(in, SECTION_ACCESSES))
		print_accesses(r, in);
	if (asked(in, SECTION_COALESCING))
		print_coalescing(r, in);
	if (asked(in, SECTION_FOOTPRINT))
		print_footprint(r, in);
	if (asked(in, SECTION_OUTCOMES))
		print_outcomes(r, in);
	if (asked(in, SECTION_HOST))
		print_host(r, in);
	return report_close(r);
}

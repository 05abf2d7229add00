/* --series and --commands: what happened when, beside the report. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "warpdram.h"

/* An interval that some channels have gone through. */
struct series_row {
	uint32_t channels;		/* that have */
	struct wcp_dram_counts *counts; /* [channels] what happened in it */
};

static FILE *
open_file(struct run *r, const char *option, const char *path, int *status)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!f)
		*status = tool_fail(r->tool, -WCP_ESYS, "%s %s: %s", option, path, strerror(errno));
	return f;
}

static int
close_file(struct run *r, FILE *f, const char *path)
{
	errno = 0;
	bool failed = fflush(f) != 0 || ferror(f);
	int number = errno;
	if (f != stdout && fclose(f) && !failed) {
		failed = true;
		number = errno;
	}
	if (!failed || f == stdout)
		return 0; /* standard output is looked at when the tool ends */
	return tool_fail(
	    r->tool, -WCP_ESYS, "%s: %s", path, number ? strerror(number) : "write failed");
}

int
series_open(struct run *r)
{
	struct series *s = &r->series;
	int status = 0;
	if (!r->set->series)
		return 0;
	s->file = open_file(r, "--series", r->set->series, &status);
	if (!s->file)
		return status;
	uint32_t n = r->play.channels;
	s->interval = r->set->interval;
	s->next = must_alloc(NULL, n * sizeof *s->next);
	s->last = must_alloc(NULL, n * sizeof *s->last);
	memset(s->last, 0, n * sizeof *s->last);
	for (uint32_t c = 0; c < n; c++)
		s->next[c] = s->interval;
	s->first = s->interval;
	fprintf(s->file, "cycle\tchannel\treads\twrites\tbytes\tutilisation\tactivates\trow_hits\t"
			 "row_misses\trow_conflicts\tblp\tblp_assigned\tblp_queued\tmlp\t"
			 "transferring\twaiting_column\twaiting_row\tidle\n");
	return 0;
}

static struct wcp_dram_mean
mean_of(struct wcp_dram_mean now, struct wcp_dram_mean then)
{
	return (struct wcp_dram_mean){now.sum - then.sum, now.cycles - then.cycles, now.max};
}

static void
add_mean(struct wcp_dram_mean *a, struct wcp_dram_mean b)
{
	a->sum += b.sum;
	a->cycles += b.cycles;
}

static struct wcp_dram_counts
difference(const struct wcp_dram_counts *now, const struct wcp_dram_counts *then)
{
	struct wcp_dram_counts d = {.reads = now->reads - then->reads,
	    .writes = now->writes - then->writes,
	    .read_bursts = now->read_bursts - then->read_bursts,
	    .write_bursts = now->write_bursts - then->write_bursts,
	    .cycles_transferring = now->cycles_transferring - then->cycles_transferring,
	    .cycles_waiting_column = now->cycles_waiting_column - then->cycles_waiting_column,
	    .cycles_waiting_row = now->cycles_waiting_row - then->cycles_waiting_row,
	    .cycles_idle = now->cycles_idle - then->cycles_idle,
	    .queued = mean_of(now->queued, then->queued),
	    .assigned = mean_of(now->assigned, then->assigned),
	    .service = mean_of(now->service, then->service),
	    .requests = mean_of(now->requests, then->requests)};
	for (int i = 0; i < 3; i++)
		d.row[i] = now->row[i] - then->row[i];
	d.command[WCP_CMD_ACT] = now->command[WCP_CMD_ACT] - then->command[WCP_CMD_ACT];
	return d;
}

static void
add(struct wcp_dram_counts *a, const struct wcp_dram_counts *b)
{
	a->reads += b->reads;
	a->writes += b->writes;
	a->read_bursts += b->read_bursts;
	a->write_bursts += b->write_bursts;
	a->cycles_transferring += b->cycles_transferring;
	a->cycles_waiting_column += b->cycles_waiting_column;
	a->cycles_waiting_row += b->cycles_waiting_row;
	a->cycles_idle += b->cycles_idle;
	for (int i = 0; i < 3; i++)
		a->row[i] += b->row[i];
	a->command[WCP_CMD_ACT] += b->command[WCP_CMD_ACT];
	add_mean(&a->queued, b->queued);
	add_mean(&a->assigned, b->assigned);
	add_mean(&a->service, b->service);
	add_mean(&a->requests, b->requests);
}

static void
print_mean(FILE *f, struct wcp_dram_mean m)
{
	if (m.cycles)
		fprintf(f, "\t%.6g", (double)m.sum / (double)m.cycles);
	else
		fprintf(f, "\t");
}

static void
print_row(struct run *r, uint64_t cycle, const char *channel, const struct wcp_dram_counts *d)
{
	FILE *f = r->series.file;
	uint64_t all = d->cycles_transferring + d->cycles_waiting_column + d->cycles_waiting_row +
		       d->cycles_idle;
	fprintf(f,
	    "%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.6g\t%" PRIu64 "\t%" PRIu64
	    "\t%" PRIu64 "\t%" PRIu64,
	    cycle, channel, d->reads, d->writes,
	    (d->read_bursts + d->write_bursts) * r->play.atom_bytes,
	    all ? (double)d->cycles_transferring / (double)all : 0., d->command[WCP_CMD_ACT],
	    d->row[WCP_ROW_HIT], d->row[WCP_ROW_MISS], d->row[WCP_ROW_CONFLICT]);
	print_mean(f, d->service);
	print_mean(f, d->assigned);
	print_mean(f, d->queued);
	print_mean(f, d->requests);
	fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", d->cycles_transferring,
	    d->cycles_waiting_column, d->cycles_waiting_row, d->cycles_idle);
}

/* Every channel has gone through the first row's interval. The last of them stands at its end, so
 * that the cycles in which any channel counts are those up to there. */
static void
print_first(struct run *r)
{
	struct series *s = &r->series;
	struct series_row *row = &s->row[0];
	struct wcp_dram_overall o;
	struct wcp_dram_counts all = {0};
	char name[16];
	wcp_dram_overall(r->play.dram, &o);
	for (uint32_t c = 0; c < r->play.channels; c++)
		add(&all, &row->counts[c]);
	all.queued.cycles = o.queued.cycles - s->overall.queued.cycles;
	all.assigned.cycles = o.assigned.cycles - s->overall.assigned.cycles;
	all.service.cycles = o.service.cycles - s->overall.service.cycles;
	all.requests.cycles = o.requests.cycles - s->overall.requests.cycles;
	s->overall = o;
	print_row(r, s->first, "all", &all);
	for (uint32_t c = 0; c < r->play.channels; c++) {
		snprintf(name, sizeof name, "%" PRIu32, c);
		print_row(r, s->first, name, &row->counts[c]);
	}
	free(row->counts);
	memmove(s->row, s->row + 1, --s->n_row * sizeof *s->row);
	s->first += s->interval;
}

static struct series_row *
row_at(struct run *r, uint64_t boundary)
{
	struct series *s = &r->series;
	uint64_t at = (boundary - s->first) / s->interval;
	while (s->n_row <= at) {
		if (s->n_row == s->cap_row) {
			s->cap_row = s->cap_row ? 2 * s->cap_row : 8;
			s->row = must_alloc(s->row, s->cap_row * sizeof *s->row);
		}
		s->row[s->n_row++] = (struct series_row){
		    .counts = must_alloc(NULL, r->play.channels * sizeof *s->last)};
	}
	return &s->row[at];
}

void
series_sample(struct run *r, uint32_t channel)
{
	struct series *s = &r->series;
	const struct wcp_dram_counts *now = wcp_dram_counts(r->play.dram, channel);
	struct series_row *row = row_at(r, s->next[channel]);
	row->counts[channel] = difference(now, &s->last[channel]);
	s->last[channel] = *now;
	s->next[channel] += s->interval;
	if (++row->channels == r->play.channels)
		print_first(r);
}

int
series_close(struct run *r)
{
	struct series *s = &r->series;
	if (!s->file)
		return 0;
	/* What is left of the last interval. */
	uint64_t end = r->play.time[0];
	if (end > s->first - s->interval && !s->n_row) {
		for (uint32_t c = 0; c < r->play.channels; c++) {
			const struct wcp_dram_counts *now = wcp_dram_counts(r->play.dram, c);
			struct series_row *row = row_at(r, s->first);
			row->counts[c] = difference(now, &s->last[c]);
		}
		s->first = end;
		print_first(r);
	}
	for (uint32_t i = 0; i < s->n_row; i++)
		free(s->row[i].counts);
	free(s->row);
	free(s->next);
	free(s->last);
	return close_file(r, s->file, r->set->series);
}

static void
log_command(void *arg, const struct wcp_dram_command *c)
{
	struct run *r = arg;
	fprintf(r->commands,
	    "%" PRIu64 "\t%" PRIu32 "\t%s\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t",
	    c->cycle, c->channel, wcp_dram_command_name((enum wcp_dram_command_kind)c->kind),
	    c->rank, c->bank, c->row, c->column);
	if (c->handle == UINT64_MAX)
		fputs("-\n", r->commands);
	else
		fprintf(r->commands, "%" PRIu64 "\n", r->play.pending[c->handle].number);
}

int
commands_open(struct run *r)
{
	int status = 0;
	if (!r->set->commands)
		return 0;
	r->commands = open_file(r, "--commands", r->set->commands, &status);
	if (!r->commands)
		return status;
	fprintf(r->commands, "cycle\tchannel\tcommand\trank\tbank\trow\tcolumn\trecord\n");
	wcp_dram_on_command(r->play.dram, log_command, r);
	return 0;
}

int
commands_close(struct run *r)
{
	return r->commands ? close_file(r, r->commands, r->set->commands) : 0;
}

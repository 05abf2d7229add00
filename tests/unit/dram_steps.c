/*
 * usage: dram_steps [NAME]
 *        dram_steps banks                 all cores in one bank, and each in one of its own
 *        dram_steps try MEMORY REQUESTS   what happens, in the table's words
 * Scenarios worked out by hand, cycle for cycle: the model and the naive channel both issue just
 * the commands that the table has. Prints what differs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dram/stage.h"
#include "dram/steps.h"

static const struct wcp_dram_config ddr4 = {{1, 1, 1, 4, 16, 65536, 8192, 64, 8, 2},
    {.t_ck_ns = 1 / 1.2,
	.t_cl = 17,
	.t_cwl = 12,
	.t_rcd = 17,
	.t_rp = 17,
	.t_ras = 39,
	.t_rc = 56,
	.t_rrd_s = 4,
	.t_rrd_l = 6,
	.t_faw = 26,
	.t_ccd_s = 4,
	.t_ccd_l = 6,
	.t_rtp = 9,
	.t_wr = 18,
	.t_wtr_s = 3,
	.t_wtr_l = 9,
	.t_rtrs = 2},
    "page", WCP_DRAM_HASH_NONE, WCP_BEYOND_WRAP,
    {.read_queue = 32,
	.scheduler = "frfcfs",
	.requesters = 1,
	.parbs_cap = 5,
	.tcm_quantum_ck = 1000,
	.tcm_shuffle_ck = 100}};

static const struct wcp_dram_config gddr5 = {{1, 1, 1, 4, 16, 4096, 4096, 64, 8, 4},
    {.t_ck_ns = 1,
	.t_cl = 12,
	.t_cwl = 4,
	.t_rcd = 12,
	.t_rcdwr = 7,
	.t_rp = 12,
	.t_ras = 28,
	.t_rc = 40,
	.t_rrd_s = 6,
	.t_ccd_s = 2,
	.t_ccd_l = 3,
	.t_rtp = 2,
	.t_wr = 12,
	.t_wtr_s = 5},
    "page", WCP_DRAM_HASH_NONE, WCP_BEYOND_WRAP,
    {.read_queue = 32,
	.scheduler = "frfcfs",
	.requesters = 1,
	.parbs_cap = 5,
	.tcm_quantum_ck = 1000,
	.tcm_shuffle_ck = 100}};

static void
broken(const char *what, const char *text)
{
	printf("%s: %s\n", what, text);
	exit(1);
}

static const char *
scheduler_named(const char *name)
{
	for (size_t i = 0; wcp_dram_scheduler_table[i].name; i++)
		if (!strcmp(wcp_dram_scheduler_table[i].name, name))
			return wcp_dram_scheduler_table[i].name;
	broken("no scheduler", name);
	return NULL;
}

static bool
set_controller(struct wcp_dram_controller *c, const char *key, const char *value)
{
	static const char *const page[] = {"open", "closed", "timeout"};
	const struct {
		const char *key;
		uint32_t *field;
	} number[] = {{"read_queue", &c->read_queue}, {"write_queue", &c->write_queue},
	    {"write_high", &c->write_high}, {"write_low", &c->write_low},
	    {"page_timeout_ck", &c->page_timeout_ck}, {"frfcfs_cap", &c->frfcfs_cap},
	    {"parbs_cap", &c->parbs_cap}, {"tcm_quantum_ck", &c->tcm_quantum_ck},
	    {"tcm_shuffle_ck", &c->tcm_shuffle_ck}, {"requesters", &c->requesters}};
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(key, "page") && !strcmp(value, page[i])) {
			c->page = (enum wcp_dram_page)i;
			return true;
		}
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		if (!strcmp(key, number[i].key)) {
			*number[i].field = (uint32_t)strtoul(value, NULL, 10);
			return true;
		}
	if (!strcmp(key, "scheduler"))
		c->scheduler = scheduler_named(value);
	else if (!strcmp(key, "frees_at_act"))
		c->frees_at_act = !strcmp(value, "yes");
	else if (!strcmp(key, "tcm_cluster"))
		c->tcm_cluster = strtod(value, NULL);
	else
		return false;
	return true;
}

static struct wcp_dram_config
memory(const char *text)
{
	char copy[800], *save = NULL;
	struct wcp_dram_config c = !strncmp(text, "gddr5", 5) ? gddr5 : ddr4;
	snprintf(copy, sizeof copy, "%s", text);
	strtok_r(copy, " ", &save);
	for (char *key; (key = strtok_r(NULL, " ", &save));) {
		char *value = strchr(key, '=');
		if (!value)
			broken("no value", key);
		*value++ = 0;
		if (!set_controller(&c.controller, key, value) &&
		    !check_set(&c.organisation, &c.timing, key, value))
			broken("no such key", key);
	}
	return c;
}

/* "W16:2:1@100*2#3" */
static struct wcp_dram_request
request(const struct wcp_dram_config *c, const char *text)
{
	char *s;
	struct wcp_dram_request r = {.write = *text == 'W', .bursts = 1};
	uint32_t bank = (uint32_t)strtoul(text + 1, &s, 10);
	r.place.rank = bank / c->organisation.banks;
	r.place.bank = bank % c->organisation.banks;
	r.place.row = (uint32_t)strtoul(s + 1, &s, 10);
	r.place.column = (uint32_t)strtoul(s + 1, &s, 10);
	while (*s) {
		char what = *s;
		unsigned long value = strtoul(s + 1, &s, 10);
		if (what == '@')
			r.arrival = value;
		else if (what == '*')
			r.bursts = (uint16_t)value;
		else if (what == '#')
			r.requester = (uint32_t)value;
		else
			broken("request", text);
	}
	return r;
}

static void
play(struct stage *s, const struct wcp_dram_config *c, const char *requests)
{
	char copy[800], *save = NULL;
	uint64_t handle = 0;
	snprintf(copy, sizeof copy, "%s", requests);
	for (char *r = strtok_r(copy, " ", &save); r; r = strtok_r(NULL, " ", &save)) {
		struct wcp_dram_request q = request(c, r);
		q.handle = handle++;
		stage_push(s, q);
	}
}

static char *
commands(const struct stage *s, const struct wcp_dram_config *c)
{
	size_t n, size;
	const struct wcp_dram_command *k = stage_commands(s, 0, &n);
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s.%u@%" PRIu64, i ? " " : "",
		    wcp_dram_command_name((enum wcp_dram_command_kind)k[i].kind),
		    k[i].rank * c->organisation.banks + k[i].bank, k[i].cycle);
	fclose(f);
	return text;
}

static char *
ends(const struct naive_result *r, bool handles)
{
	size_t size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);
	for (size_t i = 0; i < r->served_count; i++) {
		fprintf(f, i ? " " : "");
		if (handles)
			fprintf(f, "%" PRIu64 ":", r->served[i].handle);
		fprintf(f, "%" PRIu64, r->served[i].end);
	}
	fclose(f);
	return text;
}

static bool
scenario(const struct step_case *x)
{
	char why[500];
	struct wcp_dram_config c = memory(x->memory);
	struct stage *s = stage_new(&c, why, sizeof why);
	if (!s) {
		printf("%s: refused: %s\n", x->name, why);
		return false;
	}
	play(s, &c, x->requests);
	bool same = stage_end(s);
	char *got = commands(s, &c), *end = ends(stage_naive(s, 0), strchr(x->ends, ':'));
	if (!same)
		printf("%s: %s\n", x->name, stage_difference(s));
	if (strcmp(got, x->commands) != 0 || strcmp(end, x->ends) != 0) {
		printf("%s\n  is %s; %s\n  not %s; %s\n", x->name, got, end, x->commands, x->ends);
		same = false;
	}
	free(got);
	free(end);
	stage_free(s);
	return same;
}

static int
try(const char *text, const char *requests)
{
	char why[500];
	struct wcp_dram_config c = memory(text);
	struct stage *s = stage_new(&c, why, sizeof why);
	if (!s) {
		puts(why);
		return 1;
	}
	play(s, &c, requests);
	bool same = stage_end(s);
	char *got = commands(s, &c), *end = ends(stage_naive(s, 0), true);
	printf("%s; %s\n", got, end);
	if (!same)
		puts(stage_difference(s));
	free(got);
	free(end);
	stage_free(s);
	return !same;
}

/* Rows of one bank, or rows of as many banks as there are cores, one request a core at a time:
 * cycles until the last is served. */
static uint64_t
cores(uint32_t count, bool own, double *blp)
{
	char why[500];
	struct wcp_dram_config c = memory("ddr4");
	struct stage *s = stage_new(&c, why, sizeof why);
	if (!s)
		broken("refused", why);
	for (uint32_t round = 0; round < 50; round++)
		for (uint32_t core = 0; core < count; core++) {
			struct wcp_dram_request r = {.bursts = 1,
			    .handle = round * count + core,
			    .place = {.bank = own ? core * 4 % 16 + core / 4 : 0,
				.row = own ? round : round * count + core}};
			stage_push(s, r);
		}
	if (!stage_end(s))
		broken("cores", stage_difference(s));
	const struct wcp_dram_counts *n = wcp_dram_counts(stage_model(s), 0);
	*blp = (double)n->service.sum / (double)n->service.cycles;
	uint64_t cycles = n->cycles_transferring + n->cycles_waiting_column +
			  n->cycles_waiting_row + n->cycles_idle;
	stage_free(s);
	return cycles;
}

static int
banks(void)
{
	for (uint32_t n = 2; n <= 8; n *= 2) {
		double one, own;
		uint64_t slow = cores(n, false, &one), fast = cores(n, true, &own);
		printf("%u cores: one bank %" PRIu64 " cycles, BLP %.2f; own banks %" PRIu64
		       " cycles, BLP %.2f\n",
		    n, slow, one, fast, own);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "banks"))
		return banks();
	if (argc == 4 && !strcmp(argv[1], "try"))
		return try(argv[2], argv[3]);
	const struct step_case *const table[] = {
	    step_columns, step_rows, step_refresh, step_control};
	size_t count = 0, bad = 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (const struct step_case *x = table[i]; x->name; x++)
			if (argc < 2 || !strcmp(argv[1], x->name)) {
				count++;
				bad += !scenario(x);
			}
	printf("%zu scenarios, %zu differ\n", count, bad);
	return bad > 0;
}

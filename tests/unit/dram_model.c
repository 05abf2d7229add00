/*
 * usage: dram_model parbs     stall times of four threads, as Mutlu and Moscibroda tell them
 *        dram_model batch     the same with row hits: their Fig. 3, under three schedulers
 *        dram_model light     latency of a light requester among heavy ones, by scheduler
 *        dram_model bad       configurations that cannot be, each with what is said about it
 *        dram_model threads   channels played by a thread each: as by one
 *        dram_model apart     channels played one after the other: the means over all stay
 *        dram_model idle      refresh alone, for long
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/dram.h"

/* Banks that take 1000 cycles an access and share a bus that is next to nothing. */
static struct wcp_dram_config
slow_banks(const char *scheduler)
{
	return (struct wcp_dram_config){.organisation = {1, 1, 1, 1, 4, 64, 1024, 64, 8, 8},
	    .timing = {.t_ck_ns = 1,
		.t_cl = 1,
		.t_cwl = 1,
		.t_rcd = 1,
		.t_rp = 1,
		.t_ras = 998,
		.t_rc = 1000,
		.t_rtp = 1},
	    .mapping = "row bank column",
	    .controller = {.read_queue = 64,
		.scheduler = scheduler,
		.parbs_cap = 5,
		.requesters = 8,
		.tcm_quantum_ck = 20000,
		.tcm_shuffle_ck = 1000,
		.tcm_cluster = 0.2}};
}

static struct wcp_dram *
made(const struct wcp_dram_config *c)
{
	struct wcp_error e;
	struct wcp_dram *d = wcp_dram_new(c, &e);
	if (!d) {
		puts(e.text);
		exit(1);
	}
	return d;
}

static uint64_t
random64(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* When each thread's last request is served. */
static void
last_ends(struct wcp_dram *d, uint64_t last[5])
{
	struct wcp_dram_served done[64];
	wcp_dram_drain(d, 0);
	size_t n = wcp_dram_done(d, 0, done, 64, false);
	for (size_t i = 0; i < n; i++)
		if (done[i].end > last[done[i].requester])
			last[done[i].requester] = done[i].end;
}

/* ---- PAR-BS sec. 4.3, Fig. 3, without row hits ---------------------------------------------- */

/*
 * Four threads whose fullest bank and whole load are the paper's (1 of 3, 2 of 4, 2 of 6, 5 of 9);
 * in which banks they lie is ours. First come, first served they are done after 4, 4, 5 and 7
 * accesses, in the batch's ranking after 1, 2, 4 and 7: 5 and 3.5 in the mean.
 */
static void
stall_times(const char *scheduler)
{
	static const char *const bank[] = {"3321", "3312", "4314344", "4422444"};
	struct wcp_dram_config c = slow_banks(scheduler);
	struct wcp_dram *d = made(&c);
	uint64_t last[5] = {0}, handle = 0;
	for (uint32_t age = 0; age < 7; age++)
		for (uint32_t b = 0; b < 4; b++) {
			if (age >= strlen(bank[b]))
				continue;
			struct wcp_dram_request r = {.place = {0, 0, b, age, 0},
			    .handle = handle,
			    .requester = (uint32_t)(bank[b][age] - '0'),
			    .bursts = 1};
			if (!wcp_dram_push(d, &r))
				abort();
			handle++;
		}
	last_ends(d, last);
	printf("%s", scheduler);
	for (int t = 1; t <= 4; t++)
		printf(" %" PRIu64, last[t] / 1000 + 1);
	printf("\n");
	wcp_dram_free(d);
}

static int
parbs(void)
{
	stall_times("fcfs");
	stall_times("parbs");
	return 0;
}

/* ---- PAR-BS Fig. 3
 * -------------------------------------------------------------------------------
 */

/*
 * The paper's: four threads with 1 of 3, 2 of 4, 2 of 6 and 5 of 9 requests in their fullest bank
 * and in all, all there at once; an access takes 1, a row hit half of it; the threads' stall times
 * are 4 4 5 7 first come, first served, 5.5 3 4.5 4.5 under FR-FCFS, and 1 2 4 5.5 in a batch.
 * Derived: where the requests lie, one of the layouts with those loads, no row of two threads, in
 * which the paper's rules give all twelve times by hand; each bank is a group of its own, so that
 * tCCD_L is what a hit takes. A request is its thread and row, oldest first.
 */
static const char *const fig3[] = {"3c1a2a3b", "3c2c4c2c3a", "4a2c3a1b4a4a", "4a3b4c1a4c4a4c"};

static void
stall_halves(const char *scheduler)
{
	struct wcp_dram_config c = slow_banks(scheduler);
	c.organisation.bank_groups = 4;
	c.timing.t_rcd = 998;
	c.timing.t_ras = 1;
	c.timing.t_rc = 0;
	c.timing.t_ccd_s = 1;
	c.timing.t_ccd_l = 500;
	struct wcp_dram *d = made(&c);
	uint64_t last[5] = {0}, handle = 0, sum = 0;
	for (uint32_t age = 0; age < 7; age++)
		for (uint32_t b = 0; b < 4; b++) {
			if (2 * age >= strlen(fig3[b]))
				continue;
			uint32_t thread = (uint32_t)(fig3[b][2 * age] - '0');
			uint32_t row = (uint32_t)(fig3[b][2 * age + 1] - 'a');
			struct wcp_dram_request r = {.place = {0, 0, b, 8 * thread + row, 0},
			    .handle = handle,
			    .requester = thread,
			    .bursts = 1};
			if (!wcp_dram_push(d, &r))
				abort();
			handle++;
		}
	last_ends(d, last);
	printf("%s", scheduler);
	for (int t = 1; t <= 4; t++) {
		uint64_t halves = (last[t] + 250) / 500;
		printf(" %g", (double)halves / 2);
		sum += halves;
	}
	printf(", mean %g\n", (double)sum / 8);
	wcp_dram_free(d);
}

static int
batch(void)
{
	stall_halves("fcfs");
	stall_halves("frfcfs");
	stall_halves("parbs");
	return 0;
}

/* ---- a light requester ---------------------------------------------------------------------- */

/* Requester 0 asks now and then; 1 to 4 keep the queue full. */
static double
latency_of_light(const char *scheduler)
{
	struct wcp_dram_config c = slow_banks(scheduler);
	struct wcp_dram *d = made(&c);
	struct wcp_dram_served done[256];
	uint64_t state = 1, sum = 0, n = 0;
	for (uint64_t i = 0; i < 4000; i++) {
		uint64_t x = random64(&state);
		struct wcp_dram_request r = {
		    .place = {0, 0, (uint32_t)x & 3, (uint32_t)(x >> 8) & 63, 0},
		    .requester = i % 40 ? 1 + (uint32_t)(x >> 16) % 4 : 0,
		    .bursts = 1};
		r.arrival = wcp_dram_advance_to_room(d, 0, false, UINT64_MAX);
		if (!wcp_dram_push(d, &r))
			abort();
		size_t k = wcp_dram_done(d, 0, done, 256, true);
		for (size_t j = 0; j < k; j++)
			if (!done[j].requester) {
				sum += done[j].end - done[j].arrival;
				n++;
			}
	}
	wcp_dram_free(d);
	return (double)sum / (double)n;
}

static int
light(void)
{
	double fcfs = latency_of_light("fcfs"), parbs_ = latency_of_light("parbs"),
	       tcm = latency_of_light("tcm");
	printf("%s\n", tcm < parbs_ && parbs_ < fcfs ? "tcm < parbs < fcfs" : "not in that order");
	return 0;
}

/* ---- what cannot be ------------------------------------------------------------------------- */

static struct wcp_dram_config
good(void)
{
	return (struct wcp_dram_config){.organisation = {2, 1, 2, 4, 16, 1024, 1024, 64, 8, 2},
	    .timing = {.t_ck_ns = 0.833,
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
		.t_rtrs = 2,
		.t_refi = 9364,
		.t_rfc = 420,
		.t_rfc_pb = 200,
		.refresh = WCP_REFRESH_ALL_BANK},
	    .mapping = "row rank bank group column channel",
	    .controller = {.read_queue = 32,
		.write_queue = 32,
		.write_high = 24,
		.write_low = 8,
		.scheduler = "frfcfs",
		.parbs_cap = 5,
		.requesters = 8,
		.tcm_quantum_ck = 1000,
		.tcm_shuffle_ck = 100,
		.tcm_cluster = 0.2}};
}

static void
tell(struct wcp_dram_config c)
{
	struct wcp_error e = {0};
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (d)
		printf("taken\n");
	else
		printf("%d %s\n", (int)e.status, e.text);
	wcp_dram_free(d);
}

#define WITH(...)                                  \
	do {                                       \
		struct wcp_dram_config c = good(); \
		c.__VA_ARGS__;                     \
		tell(c);                           \
	} while (0)

static void
bad_timing(void)
{
	WITH(timing.t_rc = 55);
	WITH(timing.t_ck_ns = 0);
	WITH(timing.t_rrd_l = 3);
	WITH(timing.t_ccd_l = 3);
	WITH(timing.t_wtr_l = 2);
	WITH(timing.t_rtw = 8);
	WITH(timing.t_refi = 0);
	WITH(timing.t_rfc = 0);
	/* 420 + 17 + 39 + 17 + 2 * (16 + 2) */
	WITH(timing.t_rfc = 420, c.timing.t_refi = 529);
	WITH(timing.t_rfc = 420, c.timing.t_refi = 528);
	WITH(timing.t_faw = 1u << 30);
	WITH(timing.refresh = WCP_REFRESH_PER_BANK, c.timing.t_rfc_pb = 0);
	WITH(timing.refresh = WCP_REFRESH_PER_BANK, c.timing.t_rrefd = 300);
	/* 200 + 17 + 39 + 17 + 16 * (20 + 3 * 2) */
	WITH(timing.refresh = WCP_REFRESH_PER_BANK, c.timing.t_refi = 689, c.timing.t_rrefd = 20);
	WITH(timing.refresh = WCP_REFRESH_PER_BANK, c.timing.t_refi = 688, c.timing.t_rrefd = 20);
}

static void
bad_memory(void)
{
	WITH(organisation.channels = 0);
	WITH(organisation.banks = 0);
	WITH(organisation.rows = 1000);
	WITH(organisation.bank_groups = 32);
	WITH(organisation.row_bytes = 32);
	WITH(organisation.bus_bits = 0);
	WITH(organisation.ranks = 1024);
	WITH(organisation.rows = 1u << 31, c.organisation.row_bytes = 1u << 31);
	WITH(mapping = "row rank bank group channel");
	WITH(bank_hash = (enum wcp_dram_hash)7);
}

static int
bad(void)
{
	tell(good());
	bad_timing();
	bad_memory();
	WITH(controller.read_queue = 0);
	WITH(controller.write_queue = 5000);
	WITH(controller.write_high = 33);
	WITH(controller.write_low = 24);
	WITH(controller.scheduler = "frfcf");
	WITH(controller.scheduler = "parbs", c.controller.parbs_cap = 0);
	WITH(controller.scheduler = "parbs", c.controller.requesters = 0);
	WITH(controller.scheduler = "tcm", c.controller.tcm_quantum_ck = 0);
	WITH(controller.scheduler = "tcm", c.controller.tcm_shuffle_ck = 0);
	WITH(controller.scheduler = "tcm", c.controller.tcm_cluster = 1.5);
	return 0;
}

/* ---- channels and time ---------------------------------------------------------------------- */

enum { CHANNELS = 5, REQUESTS = 30000 };

struct share {
	struct wcp_dram *d;
	uint32_t channel;
	uint64_t until;
};

static void *
play(void *arg)
{
	struct share *s = arg;
	uint64_t state = s->channel, t = 0;
	struct wcp_dram_served done[64];
	for (int i = 0; i < REQUESTS; i++) {
		uint64_t x = random64(&state);
		struct wcp_dram_request r = {
		    .place = {s->channel, (uint32_t)x & 1, (uint32_t)(x >> 1) & 15,
			(uint32_t)(x >> 8) & 3, 0},
		    .bursts = 1 + (x >> 20 & 1),
		    .write = x >> 30 & 1};
		t += x >> 40 & 1 ? 0 : x >> 41 & 255;
		r.arrival = wcp_dram_advance_to_room(s->d, s->channel, r.write, UINT64_MAX);
		t = r.arrival = r.arrival > t ? r.arrival : t;
		if (!wcp_dram_push(s->d, &r))
			abort();
		while (wcp_dram_done(s->d, s->channel, done, 64, true))
			;
	}
	wcp_dram_drain(s->d, s->channel);
	wcp_dram_advance(s->d, s->channel, s->until);
	return NULL;
}

static struct wcp_dram *
many_channels(struct share *s)
{
	struct wcp_dram_config c = good();
	c.organisation.channels = CHANNELS;
	struct wcp_dram *d = made(&c);
	for (uint32_t i = 0; i < CHANNELS; i++)
		s[i] = (struct share){d, i, 10000000};
	return d;
}

static bool
same(const struct wcp_dram *a, const struct wcp_dram *b)
{
	struct wcp_dram_overall x, y;
	wcp_dram_overall(a, &x);
	wcp_dram_overall(b, &y);
	bool is = x.queued.sum == y.queued.sum && x.queued.cycles == y.queued.cycles &&
		  x.queued.max == y.queued.max && x.service.sum == y.service.sum &&
		  x.service.cycles == y.service.cycles && x.assigned.cycles == y.assigned.cycles &&
		  x.requests.cycles == y.requests.cycles && x.requests.sum == y.requests.sum;
	for (uint32_t i = 0; i < CHANNELS; i++) {
		const struct wcp_dram_counts *p = wcp_dram_counts(a, i), *q = wcp_dram_counts(b, i);
		is &= p->reads + p->writes == REQUESTS && p->reads == q->reads &&
		      p->cycles_waiting_row == q->cycles_waiting_row &&
		      p->cycles_idle == q->cycles_idle;
	}
	return is;
}

/* One after the other, and each by its own thread. */
static int
threads(void)
{
	struct share one[CHANNELS], own[CHANNELS];
	struct wcp_dram *a = many_channels(one), *b = many_channels(own);
	pthread_t thread[CHANNELS];
	for (int i = 0; i < CHANNELS; i++)
		play(&one[i]);
	for (int i = 0; i < CHANNELS; i++)
		if (pthread_create(&thread[i], NULL, play, &own[i]))
			abort();
	for (int i = 0; i < CHANNELS; i++)
		pthread_join(thread[i], NULL);
	puts(same(a, b) ? "same" : "different");
	wcp_dram_free(a);
	wcp_dram_free(b);
	return 0;
}

/* A channel busy for long before another begins: cycles with any are those of both. */
static int
apart(void)
{
	struct wcp_dram_config c = good();
	c.timing.refresh = WCP_REFRESH_NONE;
	struct wcp_dram *d = made(&c);
	struct wcp_dram_overall o;
	struct wcp_dram_served done[2];
	uint64_t service = 0;
	for (uint32_t channel = 0; channel < 2; channel++) {
		for (uint64_t i = 0; i < 50000; i++) {
			/* the second one's lie half a period later */
			struct wcp_dram_request r = {.place = {channel, 0, 0, (uint32_t)i & 7, 0},
			    .arrival = i * 1000 + 500 * channel,
			    .bursts = 1};
			if (!wcp_dram_push(d, &r))
				abort();
		}
		wcp_dram_advance(d, channel, 50001000);
		service += wcp_dram_counts(d, channel)->service.cycles;
		while (wcp_dram_done(d, channel, done, 2, false))
			;
	}
	wcp_dram_overall(d, &o);
	puts(o.service.cycles == service && o.service.sum == service && o.service.max == 1
		 ? "cycles of both"
		 : "not the cycles of both");
	wcp_dram_free(d);
	return 0;
}

static int
idle(void)
{
	struct wcp_dram_config c = good();
	struct wcp_dram *d = made(&c);
	wcp_dram_advance(d, 0, 9364ull * 1000000 + 9364);
	const struct wcp_dram_counts *n = wcp_dram_counts(d, 0);
	printf("%" PRIu64 " refreshes, %" PRIu64 " cycles idle, next %d\n", n->command[WCP_CMD_REF],
	    n->cycles_idle, wcp_dram_next(d, 0) == UINT64_MAX);
	wcp_dram_free(d);
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} part[] = {{"parbs", parbs}, {"batch", batch}, {"light", light}, {"bad", bad},
	    {"threads", threads}, {"apart", apart}, {"idle", idle}};
	for (size_t i = 0; argc == 2 && i < sizeof part / sizeof *part; i++)
		if (!strcmp(argv[1], part[i].name))
			return part[i].run();
	fputs("usage: dram_model parbs | batch | light | bad | threads | apart | idle\n", stderr);
	return 2;
}

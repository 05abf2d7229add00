/* Requests a second through the DRAM model at full queues, and cycles a second of idle memory,
 * beside a channel that looks at every request in every cycle. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "dram/naive.h"

enum { BATCH = 1024, BATCHES = 16, ROUNDS = 125, SERVED = 256 };

static double
now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* GDDR5 as in the papers of GPUs, with refresh; write queue of its own. */
static struct wcp_dram_config
gddr5(const char *scheduler)
{
	return (struct wcp_dram_config){.organisation = {6, 1, 1, 4, 16, 4096, 2048, 64, 8, 4},
	    .timing = {.t_ck_ns = 1.08,
		.t_cl = 12,
		.t_cwl = 4,
		.t_rcd = 12,
		.t_rp = 12,
		.t_ras = 28,
		.t_rc = 40,
		.t_rrd_s = 6,
		.t_ccd_s = 2,
		.t_ccd_l = 3,
		.t_rtp = 2,
		.t_wr = 12,
		.t_wtr_s = 5,
		.t_faw = 26,
		.t_refi = 3600,
		.t_rfc = 120,
		.refresh = WCP_REFRESH_ALL_BANK},
	    .mapping = "row bank column:3 group channel column:2",
	    .controller = {.read_queue = 64,
		.write_queue = 64,
		.write_high = 48,
		.write_low = 16,
		.scheduler = scheduler,
		.parbs_cap = 5,
		.requesters = 16,
		.tcm_quantum_ck = 1000000,
		.tcm_shuffle_ck = 800,
		.tcm_cluster = 0.25}};
}

static uint64_t
random64(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct load {
	bool is_random;
	uint32_t writes; /* per cent */
	uint64_t at, state;
};

static void
addresses(struct load *l, uint64_t *address, bool *write)
{
	for (int i = 0; i < BATCH * BATCHES; i++) {
		uint64_t r = random64(&l->state);
		address[i] = l->is_random ? r >> 8 << 6 : 64 * l->at++;
		write[i] = (r & 0xff) * 100 < l->writes * 256;
	}
}

/* Each request as soon as its queue takes it, in order for each channel. */
static uint64_t
serve(struct wcp_dram *d, const struct wcp_dram_place *place, const bool *write, uint64_t handle)
{
	struct wcp_dram_served done[SERVED];
	uint64_t sum = 0;
	for (int i = 0; i < BATCH; i++) {
		struct wcp_dram_request r = {.place = place[i],
		    .handle = handle + (uint64_t)i,
		    .requester = (uint32_t)(place[i].row & 15),
		    .bursts = 1,
		    .write = write[i]};
		r.arrival = wcp_dram_advance_to_room(d, r.place.channel, r.write, UINT64_MAX);
		if (!wcp_dram_push(d, &r))
			abort();
	}
	for (uint32_t c = 0; c < wcp_dram_channels(d); c++)
		for (size_t n; (n = wcp_dram_done(d, c, done, SERVED, true));)
			for (size_t i = 0; i < n; i++)
				sum += done[i].end - done[i].arrival;
	return sum;
}

static double
served_per_second(struct wcp_dram *d, struct load l)
{
	static uint64_t address[BATCH * BATCHES];
	static struct wcp_dram_place place[BATCH];
	static bool write[BATCH * BATCHES];
	addresses(&l, address, write);
	double start = now();
	for (uint64_t i = 0; i < ROUNDS * BATCHES; i++) {
		size_t at = i % BATCHES * BATCH;
		wcp_dram_locate(d, address + at, BATCH, place, NULL);
		serve(d, place, write + at, i * BATCH);
	}
	for (uint32_t c = 0; c < wcp_dram_channels(d); c++)
		wcp_dram_drain(d, c);
	return (double)ROUNDS * BATCHES * BATCH / (now() - start);
}

/* The same requests through the naive channels. */
static double
naive_per_second(const struct wcp_dram *d, struct load l)
{
	static uint64_t address[BATCH * BATCHES];
	static bool write[BATCH * BATCHES];
	struct wcp_dram_place place[BATCH];
	struct naive *channel[64];
	uint32_t n = wcp_dram_channels(d);
	addresses(&l, address, write);
	wcp_dram_locate(d, address, BATCH, place, NULL);
	for (uint32_t c = 0; c < n; c++)
		channel[c] = naive_new(wcp_dram_config(d), c);
	double start = now();
	for (int i = 0; i < BATCH; i++) {
		struct naive *c = channel[place[i].channel];
		while (!naive_room(c, write[i]))
			naive_advance(c, naive_time(c) + 1);
		struct wcp_dram_request r = {.place = place[i],
		    .arrival = naive_time(c),
		    .requester = (uint32_t)(place[i].row & 15),
		    .bursts = 1,
		    .write = write[i]};
		naive_push(c, &r);
	}
	for (uint32_t c = 0; c < n; c++)
		naive_drain(channel[c]);
	double rate = BATCH / (now() - start);
	for (uint32_t c = 0; c < n; c++)
		naive_free(channel[c]);
	return rate;
}

static void
measure(const char *name, const char *scheduler, struct load l, const char *floor)
{
	struct wcp_dram_config c = gddr5(scheduler);
	struct wcp_error e;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (!d) {
		puts(e.text);
		exit(1);
	}
	double naive = naive_per_second(d, l), rate = served_per_second(d, l);
	printf("dram-%s %.2f M-requests/s %s naive %.4f\n", name, rate / 1e6, floor, naive / 1e6);
	wcp_dram_free(d);
}

static void
idle(void)
{
	struct wcp_dram_config c = gddr5("frfcfs");
	struct wcp_error e;
	c.organisation.channels = 1;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	uint64_t cycles = 4000000000u, few = 100000;
	double start = now();
	for (uint64_t t = 0; t < cycles; t += 1000000)
		wcp_dram_advance(d, 0, t);
	double rate = (double)cycles / (now() - start);
	struct naive *n = naive_new(wcp_dram_config(d), 0);
	start = now();
	naive_advance(n, few);
	printf("dram-idle %.0f M-cycles/s 300 naive %.2f\n", rate / 1e6,
	    (double)few / (now() - start) / 1e6);
	naive_free(n);
	wcp_dram_free(d);
}

int
main(void)
{
	measure("streaming", "frfcfs", (struct load){false, 0, 0, 1}, "8");
	measure("streaming-copy", "frfcfs", (struct load){false, 33, 0, 1}, "-");
	measure("random", "frfcfs", (struct load){true, 0, 0, 1}, "3");
	measure("random-writes", "frfcfs", (struct load){true, 33, 0, 1}, "-");
	measure("streaming-parbs", "parbs", (struct load){false, 0, 0, 1}, "-");
	measure("random-parbs", "parbs", (struct load){true, 0, 0, 1}, "-");
	measure("streaming-tcm", "tcm", (struct load){false, 0, 0, 1}, "-");
	measure("random-tcm", "tcm", (struct load){true, 0, 0, 1}, "-");
	idle();
	return 0;
}

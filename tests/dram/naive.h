/*
 * A channel of DRAM written for being read: plain arrays, every request and every bank looked at in
 * every cycle, nothing remembered that could be looked up. It says what the model under test must
 * say, and is written from the text of warpcap/dram.h alone.
 */
#ifndef DRAM_NAIVE_H
#define DRAM_NAIVE_H

#include "warpcap/dram.h"

/* How many banks, and requests, are in each state after the commands of a cycle. */
struct naive_sample {
	uint32_t queued, assigned, service, requests;
};

struct naive_result {
	struct wcp_dram_command *command; /* in order of time */
	size_t commands;
	struct wcp_dram_served *served; /* in order of end */
	size_t served_count;
	struct naive_sample *sample; /* [cycles played] */
	struct wcp_dram_counts counts;
	struct wcp_dram_bank_counts *bank; /* [ranks * banks] */
};

struct naive;

/* The config with the defaults of the header in place of zeros. */
struct wcp_dram_config naive_defaults(const struct wcp_dram_config *config);
uint32_t naive_burst(const struct wcp_dram_config *config); /* cycles of a column command's data */

struct naive *naive_new(const struct wcp_dram_config *config, uint32_t channel);
void naive_free(struct naive *n);
uint64_t naive_time(const struct naive *n);
bool naive_room(const struct naive *n, bool write);
/* The request arrives now. */
bool naive_push(struct naive *n, const struct wcp_dram_request *r);
void naive_advance(struct naive *n, uint64_t until);
size_t naive_queued(const struct naive *n);
bool naive_busy(const struct naive *n); /* something is queued or in flight */
uint64_t naive_drain(struct naive *n);
const struct naive_result *naive_result(struct naive *n);

/* Means over n channels that have played the same number of cycles. */
struct wcp_dram_overall naive_overall(struct naive *const *channel, uint32_t n);

#endif

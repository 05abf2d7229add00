/*
 * The model and the naive channels beside each other: the same requests go to both, and all that
 * they tell must be the same to the last number. The model's commands go through the checker too.
 */
#ifndef DRAM_STAGE_H
#define DRAM_STAGE_H

#include "check.h"
#include "naive.h"
#include "traffic.h"

struct stage;

/* NULL: the model does not take the config; why says the reason. */
struct stage *stage_new(const struct wcp_dram_config *c, char *why, size_t size);
/* Without naive channels: the model and the checker alone. */
struct stage *stage_new_alone(const struct wcp_dram_config *c, char *why, size_t size);
void stage_free(struct stage *s);
/* How often between requests the model is advanced for no reason, asked and emptied; per cent. */
void stage_restless(struct stage *s, uint64_t seed, unsigned percent);
/* The model logs no commands from now on: they are counted only. */
void stage_silence(struct stage *s);
/* The request enters at its arrival, or when there is room. False: they differ. */
bool stage_push(struct stage *s, struct wcp_dram_request r);
/* Idle until that cycle. */
bool stage_wait(struct stage *s, uint64_t until);
/* Drains and compares all. */
bool stage_end(struct stage *s);
const char *stage_difference(const struct stage *s); /* "" if none */
struct check *stage_check(struct stage *s);
const struct naive_result *stage_naive(struct stage *s, uint32_t channel);
struct wcp_dram *stage_model(struct stage *s);
/* The commands of the channel so far. */
const struct wcp_dram_command *stage_commands(const struct stage *s, uint32_t channel, size_t *n);

#endif

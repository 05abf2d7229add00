/* What the parts of the naive channel share. Times are signed: NEVER is long ago. */
#ifndef DRAM_NAIVE_STATE_H
#define DRAM_NAIVE_STATE_H

#include "naive.h"

#define NEVER (-(1ll << 40))

struct naive_request {
	struct wcp_dram_request r;
	struct wcp_dram_served s; /* filled in as it happens */
	uint64_t order;		  /* of arrival */
	uint32_t left;		  /* column commands */
	bool started, marked;
	bool opened;	      /* frees_at_act: it is in no queue any more */
	uint64_t last_column; /* once served */
};

struct naive_bank {
	uint32_t rank, group, bank;
	bool open;
	uint32_t row, columns;		  /* columns: since ACT */
	bool owed;			  /* the row was opened for a request, */
	uint64_t opener;		  /* of this order, that had no column yet */
	int64_t act, pre, rd, wr, ref_pb; /* when last; pre: also by itself, then maybe to come */
};

struct naive_rank {
	int64_t act[4]; /* the last four, oldest first */
	int64_t pre;	/* last PRE or PREA */
	int64_t ref;
	uint64_t refreshed; /* refreshes done, of the rank or of its banks */
};

enum naive_scheduler { ORDER_FCFS, ORDER_FRFCFS, ORDER_PARBS, ORDER_TCM };

struct naive {
	struct wcp_dram_config c;
	int64_t burst;		 /* cycles */
	uint32_t channel, banks; /* banks of all ranks */
	int64_t t;
	bool draining;
	enum naive_scheduler order;
	struct naive_request *queue; /* in order of arrival */
	size_t queued;
	uint64_t arrivals;
	struct naive_request *flying; /* served, last beat not yet past */
	size_t flights;
	struct naive_bank *bank; /* [ranks * banks] */
	struct naive_rank *rank;
	uint32_t *parbs_place; /* [requesters] 0 first */
	struct naive_tcm *tcm;
	struct naive_result out;
	size_t command_room, served_room, sample_room;
	bool *seen; /* [3][banks] of count.c */
};

struct naive_bank *naive_bank_of(const struct naive *n, const struct wcp_dram_place *p);

/* naive_legal.c: may the command be issued at n->t as far as times go? */
bool
naive_legal(const struct naive *n, enum wcp_dram_command_kind kind, const struct naive_bank *b);

/* naive_order.c */
bool naive_hit(const struct naive *n, const struct naive_request *q);
bool naive_considered(const struct naive *n, const struct naive_request *q);
void naive_order_new(struct naive *n);
void naive_order_free(struct naive *n);
void naive_order_begin(struct naive *n); /* before step 1 */
void naive_order_arrived(struct naive *n, const struct naive_request *q);
void naive_order_cycle(struct naive *n); /* between steps 2 and 3 */
void naive_order_served(struct naive *n, const struct naive_request *q);
void naive_order_sample(struct naive *n); /* at the end of a cycle */
bool
naive_before(const struct naive *n, const struct naive_request *a, const struct naive_request *b);

/* naive_tcm.c */
struct naive_tcm *naive_tcm_new(const struct naive *n);
void naive_tcm_free(struct naive_tcm *s);
void naive_tcm_begin(struct naive *n);
void naive_tcm_arrived(struct naive *n, const struct naive_request *q);
void naive_tcm_served(struct naive *n, const struct naive_request *q);
void naive_tcm_sample(struct naive *n);
uint32_t naive_tcm_place(const struct naive *n, uint32_t requester); /* 0 first */

/* naive_count.c */
void naive_count_cycle(struct naive *n);
void naive_count_command(struct naive *n, const struct wcp_dram_command *c);
void naive_count_served(struct naive *n, const struct naive_request *q);

#endif

/* TCM (Kim et al., MICRO 2010) as warpcap/dram.h has it. */
#include <stdlib.h>
#include <string.h>
#include "naive_state.h"

struct seen { /* of a requester in a quantum */
	uint64_t arrived, near, bandwidth, banks, cycles;
};

struct naive_tcm {
	uint32_t requesters;
	struct seen *seen;
	int64_t *row;	 /* [requesters][banks] of the previous arrival, -1 none */
	uint32_t *place; /* [requesters] 0 first */
	int64_t begin;	 /* of the quantum */
	bool ranked;	 /* not the first quantum */
	/* from the quantum before: */
	struct seen *was;
	uint32_t latency, *cluster_latency; /* ids, first first */
	uint32_t n, *array; /* ids of the bandwidth cluster; array[n - 1] ranks highest */
	int *nice;	    /* [requesters] */
	bool insertion;
	uint64_t steps; /* of insertion shuffle done */
	uint64_t random;
};

struct naive_tcm *
naive_tcm_new(const struct naive *n)
{
	struct naive_tcm *s = calloc(1, sizeof *s);
	uint32_t count = s->requesters = n->c.controller.requesters;
	s->seen = calloc(count + 1, sizeof *s->seen);
	s->was = calloc(count + 1, sizeof *s->was);
	s->place = calloc(count + 1, sizeof *s->place);
	s->cluster_latency = calloc(count + 1, sizeof *s->cluster_latency);
	s->array = calloc(count + 1, sizeof *s->array);
	s->nice = calloc(count + 1, sizeof *s->nice);
	s->row = calloc((size_t)count * n->banks + 1, sizeof *s->row);
	memset(s->row, 0xff, (size_t)count * n->banks * sizeof *s->row);
	s->random = n->c.controller.seed + n->channel;
	return s;
}

void
naive_tcm_free(struct naive_tcm *s)
{
	free(s->seen);
	free(s->was);
	free(s->place);
	free(s->cluster_latency);
	free(s->array);
	free(s->nice);
	free(s->row);
	free(s);
}

uint32_t
naive_tcm_place(const struct naive *n, uint32_t requester)
{
	return n->tcm->place[requester];
}

/* ---- what is seen --------------------------------------------------------------------------- */

void
naive_tcm_arrived(struct naive *n, const struct naive_request *q)
{
	struct seen *x = &n->tcm->seen[q->r.requester];
	int64_t *row = &n->tcm->row[(size_t)q->r.requester * n->banks +
				    (size_t)(naive_bank_of(n, &q->r.place) - n->bank)];
	x->arrived++;
	x->near += *row == q->r.place.row;
	*row = q->r.place.row;
}

void
naive_tcm_served(struct naive *n, const struct naive_request *q)
{
	n->tcm->seen[q->r.requester].bandwidth += q->s.end - q->s.first_command;
}

void
naive_tcm_sample(struct naive *n)
{
	bool *has = calloc((size_t)n->tcm->requesters * n->banks, sizeof *has);
	for (size_t j = 0; j < n->queued; j++)
		has[(size_t)n->queue[j].r.requester * n->banks +
		    (size_t)(naive_bank_of(n, &n->queue[j].r.place) - n->bank)] = true;
	for (uint32_t i = 0; i < n->tcm->requesters; i++) {
		struct seen *x = &n->tcm->seen[i];
		uint64_t before = x->banks;
		for (uint32_t b = 0; b < n->banks; b++)
			x->banks += has[i * n->banks + b];
		x->cycles += x->banks > before;
	}
	free(has);
}

/* a / b, but 0 / 0 is 0 */
static double
share(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static double
blp(const struct naive_tcm *s, uint32_t i)
{
	return share(s->was[i].banks, s->was[i].cycles);
}

static double
rbl(const struct naive_tcm *s, uint32_t i)
{
	return share(s->was[i].near, s->was[i].arrived);
}

/* a/b - c/d > tenths/10, exactly */
static bool
exceeds(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t tenths)
{
	b = b ? b : 1;
	d = d ? d : 1;
	return 10 * ((__int128)a * d - (__int128)c * b) > (__int128)tenths * b * d;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

static void
place(struct naive_tcm *s)
{
	for (uint32_t i = 0; i < s->latency; i++)
		s->place[s->cluster_latency[i]] = i;
	for (uint32_t i = 0; i < s->n; i++)
		s->place[s->array[i]] = s->latency + s->n - 1 - i;
}

static void
clusters(struct naive_tcm *s, double threshold)
{
	uint64_t all = 0, sum = 0;
	uint32_t *by = calloc(s->requesters, sizeof *by);
	for (uint32_t i = 0; i < s->requesters; i++) {
		uint32_t at = i;
		for (; at && s->was[by[at - 1]].arrived > s->was[i].arrived; at--)
			by[at] = by[at - 1];
		by[at] = i;
		all += s->was[i].bandwidth;
	}
	s->latency = s->n = 0;
	for (uint32_t i = 0; i < s->requesters; i++) {
		sum += s->was[by[i]].bandwidth;
		if (!s->n && (double)sum <= threshold * (double)all)
			s->cluster_latency[s->latency++] = by[i];
		else
			s->array[s->n++] = by[i];
	}
	free(by);
}

static void
niceness(struct naive_tcm *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t x = s->array[i];
		s->nice[x] = 0;
		for (uint32_t j = 0; j < s->n; j++) {
			uint32_t y = s->array[j];
			s->nice[x] += blp(s, y) < blp(s, x) || (blp(s, y) == blp(s, x) && y < x);
			s->nice[x] -= rbl(s, y) < rbl(s, x) || (rbl(s, y) == rbl(s, x) && y < x);
		}
	}
}

/* Should x stand before y? */
static bool
first(const struct naive_tcm *s, uint32_t x, uint32_t y, bool increasing)
{
	if (s->nice[x] != s->nice[y])
		return increasing ? s->nice[x] < s->nice[y] : s->nice[x] > s->nice[y];
	return increasing ? x > y : x < y;
}

/* Places from to to, from 1. */
static void
sort(struct naive_tcm *s, uint32_t from, uint32_t to, bool increasing)
{
	for (uint32_t i = from; i <= to; i++)
		for (uint32_t j = i;
		     j > from && first(s, s->array[j - 1], s->array[j - 2], increasing); j--) {
			uint32_t x = s->array[j - 1];
			s->array[j - 1] = s->array[j - 2];
			s->array[j - 2] = x;
		}
}

static void
diversity(const struct naive *n, struct naive_tcm *s)
{
	bool banks = false, rows = false;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++) {
			const struct seen *x = &s->was[s->array[i]], *y = &s->was[s->array[j]];
			banks |= exceeds(x->banks, x->cycles, y->banks, y->cycles, n->banks);
			rows |= exceeds(x->near, x->arrived, y->near, y->arrived, 1);
		}
	s->insertion = banks && rows;
}

static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void
shuffle(struct naive_tcm *s)
{
	if (!s->n)
		return;
	if (s->insertion) {
		uint32_t step = (uint32_t)(s->steps++ % (2ull * s->n));
		if (step < s->n)
			sort(s, s->n - step, s->n, false);
		else
			sort(s, 1, step - s->n + 1, true);
		return;
	}
	for (uint32_t i = s->n; i >= 2; i--) {
		uint32_t j = 1 + (uint32_t)(splitmix64(&s->random) % i), x = s->array[i - 1];
		s->array[i - 1] = s->array[j - 1];
		s->array[j - 1] = x;
	}
}

static void
begin_quantum(struct naive *n, struct naive_tcm *s)
{
	memcpy(s->was, s->seen, s->requesters * sizeof *s->was);
	memset(s->seen, 0, s->requesters * sizeof *s->seen);
	clusters(s, n->c.controller.tcm_cluster);
	niceness(s);
	if (s->n)
		sort(s, 1, s->n, true);
	diversity(n, s);
	s->begin = n->t;
	s->ranked = true;
	s->steps = 0;
}

void
naive_tcm_begin(struct naive *n)
{
	struct naive_tcm *s = n->tcm;
	if (n->t == s->begin + n->c.controller.tcm_quantum_ck)
		begin_quantum(n, s);
	else if (s->ranked && (n->t - s->begin) % n->c.controller.tcm_shuffle_ck == 0)
		shuffle(s);
	else
		return;
	place(s);
}

/* What the parts of warpdram share. */
#ifndef WARPDRAM_H
#define WARPDRAM_H

#include "machine.h"
#include "unit.h"
#include "warpcap/dram.h"

enum format {
	FORMAT_AUTO,
	FORMAT_STREAM,
	FORMAT_RAMULATOR1,
	FORMAT_LOADSTORE,
	FORMAT_READWRITE,
	FORMAT_DRAMSIM3,
	FORMAT_STL,
	FORMAT_USIMM,
	FORMAT_DIN,
	FORMAT_LACKEY,
	FORMAT_COUNT
};
const char *format_name(enum format f); /* "?" past the end */

enum mode {
	MODE_AUTO,
	MODE_OPEN,   /* at recorded times; who finds no room waits outside */
	MODE_STALL,  /* at recorded times; who finds no room delays all that its core does later */
	MODE_WINDOW, /* each core as fast as its window lets it */
};

struct settings {
	struct wcp_dram_config config;
	enum format format;
	enum mode mode;
	uint32_t window;  /* 0: no limit */
	uint64_t gap;	  /* record cycles */
	double clock_mhz; /* of the records; 0: from the machine; negative: the memory's */
	bool clock_given, gap_given, interval_given, all, banks, show;
	enum wcp_dram_beyond beyond;
	enum unit by;
	uint32_t requesters;
	const char *series, *commands;
	uint64_t interval; /* memory cycles */
};

/* ---- records -------------------------------------------------------------------------------- */

struct chunk;

struct record {
	uint64_t cycle;	  /* of the records' clock */
	uint64_t address; /* first byte */
	uint64_t number;  /* in the input: record, or line of text from 1 */
	struct chunk *chunk;
	struct record *next; /* of the same core, in a loop */
	uint32_t bytes;	     /* 0: the atom at address */
	uint32_t sectors;    /* of 32 bytes from address on; 0: bytes says */
	uint32_t row;	     /* in the chunk's rows */
	uint32_t unit, core, gap;
	uint32_t group; /* with placed: 1 + the bank group that bank is in, 0: bank is the rank's */
	bool write, placed, located;
	uint8_t marks;
	struct wcp_dram_place place; /* with placed; with located: of its first atom */
};

/* Records that were read together; kept until the last of them is served. */
struct chunk {
	struct record *record;	      /* [n] */
	uint32_t n, left;	      /* left: not served yet, with -o not written yet */
	struct wcp_access_batch rows; /* what is written with -o */
};

struct run;

/* ---- the input (input.c, stream.c, text.c) --------------------------------------------------- */

struct text;

struct input {
	enum format format;
	bool timed; /* its records have times */
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct text *text;
	uint32_t *match; /* [cap_match] */
	uint32_t cap_match;
	uint32_t n_match, at_match;	      /* of the batch: records to replay, taken already */
	const struct wcp_access_batch *batch; /* the reader's; NULL: none yet */
	uint64_t batch_number;		      /* of its first record */
	uint32_t *core, *unit;		      /* [cap_match] numbers of those to replay */
	bool has_cores;			      /* core is filled */
	struct keys cores;		      /* SMs; for streams */
	uint64_t read, hits, spaces; /* records; not replayed: hit in a cache, other spaces */
	uint64_t last_cycle;
	struct chunk *held; /* read already */
	uint32_t end_flags;
	bool first, failed, ended;
	int status; /* with failed, said already */
};

int input_open(struct run *r);
/* The next records, NULL at the end or on failure (input.failed, said already). */
struct chunk *input_next(struct run *r);
void input_close(struct run *r);
struct chunk *chunk_new(uint32_t n);
void chunk_free(struct chunk *c);
void chunk_release(struct chunk *c); /* one record fewer; the last one frees it */
/* Names the place of a record for messages: "record 7" or "FILE:7". */
void input_place(const struct run *r, const struct record *record, char *text, size_t bytes);

struct text *text_open(struct run *r, const char *path);
struct chunk *text_next(struct run *r);
void text_close(struct text *t);
/* Recognizes text by its beginning. */
bool text_likely(const unsigned char *head, size_t n);

/* formats.c: one line; false if it is none of the format. */
bool format_line(enum format f, const char *line, struct record *record, bool *again);

/* ---- playing (play.c, open.c, loop.c) ------------------------------------------------------- */

struct pending {	       /* a record on its way */
	struct record *record; /* NULL: it is not looked at again */
	uint64_t number;       /* of the record in the input */
	uint64_t due, end;     /* memory cycles; end of the last part */
	uint32_t unit;
	uint32_t parts; /* in the memory, and one while not all have been pushed; only: any */
	uint32_t next_free;
	bool only; /* it has one part, which is in the memory or about to be */
};

struct served_row { /* for -o */
	uint64_t cycle, order;
	struct chunk *chunk;
	uint32_t row;
};

struct play {
	struct wcp_dram *dram;
	uint32_t channels, atom_bytes, atom_shift;
	uint64_t *time;		       /* [channels] advanced to */
	struct pending *pending;       /* [cap] */
	uint32_t cap, free;	       /* 1 + first free one, 0: none */
	uint64_t clock_num, clock_den; /* memory cycles = record cycles * num / den */
	uint64_t pushed, served;       /* requests */
	uint64_t end;		       /* last beat */
	uint32_t burst_ck, step_ck;    /* a burst; from one to the next in a row */
	uint32_t alone_ck[2][3];       /* what one takes alone: read, write; by enum wcp_dram_row */
	uint32_t requesters;	       /* that the scheduler tells apart; 0: none */
	double record_mhz;
	struct loop *loop; /* told when records are done; NULL: nobody */
	bool keeps;	   /* records are looked at until they are served */
};

int play_open(struct run *r, const struct wcp_machine *m);
void play_close(struct run *r);
void play_clock(struct run *r, const struct wcp_machine *m); /* once the input is known */
/* For any time beyond it: a few of them add up without overflow. */
#define PLAY_PAST (2 * WCP_DRAM_CYCLE_MAX - 1)
uint64_t play_converted(const struct play *p, uint64_t cycle);
static inline uint64_t
play_to_memory(const struct play *p, uint64_t cycle)
{
	if (p->clock_num != p->clock_den)
		return play_converted(p, cycle);
	return cycle < PLAY_PAST ? cycle : PLAY_PAST;
}
uint64_t play_to_record(const struct play *p, uint64_t memory_cycle); /* rounded up */
/* A place for a record that has been read; all parts are in when it is begun. */
uint32_t play_begin(struct run *r, struct record *record, uint64_t due);
void play_begun(struct run *r, uint32_t slot);
/* Plays a channel to a time, with the series. */
void play_advance(struct run *r, uint32_t channel, uint64_t until);
bool play_push(struct run *r, struct wcp_dram_request *q, uint64_t time);
void play_collect(struct run *r, uint32_t channel);
/* Advances all channels to a time and collects. */
void play_all(struct run *r, uint64_t until);
void play_drain(struct run *r);
/* Says why parts_next had none: WCP_EDATA, the address is past the capacity; WCP_EUSAGE, too many
 * requesters. Exit status. */
int play_refused(const struct run *r, const struct record *record, int why);

/* A time that the memory cannot be played to; exit status. */
int play_past(const struct run *r, const struct record *record, uint64_t time);
/* 0, or exit status: so long a gap between records is too much for --commands or --series. */
enum { GAP_LINES = 1 << 28 };
int play_gap(const struct run *r, const struct record *record, uint64_t from, uint64_t to);

struct loop;
void loop_done(struct run *r, const struct record *record, uint64_t end);

int open_run(struct run *r); /* open loop; exit status */
/* After how many records of a chunk an open loop brings the channels to the same time. */
uint32_t open_sync_records(const struct run *r);
int loop_run(struct run *r); /* the others */

/* ---- counting (count.c) --------------------------------------------------------------------- */

enum { HIST_EXACT = 1 << 14, HIST_BUCKETS = HIST_EXACT + 50 * (HIST_EXACT / 2) };

struct hist {
	uint64_t n, sum, max;
	uint64_t *bucket; /* [HIST_BUCKETS] */
};
uint64_t hist_percentile(const struct hist *h, double share);

struct row { /* of a requester */
	uint64_t records, reads, writes, row[3];
	uint64_t latency, latency_max, alone; /* memory cycles, summed over requests */
};

struct counts {
	struct hist latency[2];	    /* requests: read, write; with count_end those of only, too */
	struct hist record_latency; /* likewise */
	struct hist only[2];	    /* requests that are all of their record */
	uint64_t waited;	    /* cycles outside of full queues */
	struct row *unit;	    /* [cap_unit] by key number */
	uint32_t cap_unit;
};
void count_served(struct run *r, const struct pending *p, const struct wcp_dram_served *s);
void count_record(struct run *r, const struct pending *p);
/* Both but for the latency, for a record of one request and by unit. */
void count_by(struct run *r, const struct pending *p, const struct wcp_dram_served *s);
void count_end(struct counts *c); /* before anything is reported */
void count_release(struct counts *c);

/* ---- files beside the report (series.c, commands.c, out.c) ---------------------------------- */

struct series {
	FILE *file;
	uint64_t interval;
	uint64_t *next;		      /* [channels] boundary */
	struct wcp_dram_counts *last; /* [channels] */
	struct wcp_dram_overall overall;
	struct series_row *row; /* rows begun, by boundary */
	uint32_t n_row, cap_row;
	uint64_t first; /* boundary of row 0 */
};
int series_open(struct run *r);
void series_sample(struct run *r, uint32_t channel); /* its time is its next boundary */
int series_close(struct run *r);

int commands_open(struct run *r);
int commands_close(struct run *r);

int out_open(struct run *r);
void out_chunk(struct run *r, const struct chunk *c); /* its records have been read */
void out_record(struct run *r, const struct record *record, uint64_t end);
/* Writes what was served up to a memory cycle; 0 or negative, r->error filled. */
int out_flush(struct run *r, uint64_t safe);
const char *out_name(const struct run *r);
int out_close(struct run *r, int status); /* exit status */
int out_item(struct run *r, const struct wcp_item *item);

struct out {
	struct wcp_writer *writer; /* NULL: none */
	struct served_row *row;
	uint32_t n, cap;
	uint64_t order;
	struct wcp_access_batch batch;
	uint64_t *passed;	      /* [n_kernel] records written; */
	uint64_t *begun;	      /* [n_kernel] records read */
	struct wcp_kernel_end *ended; /* [n_ended] kernels whose records are not all written */
	uint32_t n_kernel, n_ended, cap_ended;
};

struct run {
	struct tool *tool;
	struct settings *set;
	struct input input;
	struct play play;
	struct counts counts;
	struct series series;
	FILE *commands;
	struct out out;
	struct keys by;
	struct names kernels, programs;
	struct wcp_error error;
};

int run_all(struct run *r, const struct wcp_machine *m);
void print_report(struct run *r, const struct wcp_machine *m, struct report *out);
void print_machine(struct run *r, const struct wcp_machine *m, struct report *out);

#endif

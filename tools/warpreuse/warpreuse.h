/* What the parts of warpreuse share. */
#ifndef WARPREUSE_H
#define WARPREUSE_H

#include "tap.h"
#include "unit.h"
#include "warpcap/reuse.h"

enum bins { BINS_LOG2, BINS_EXACT, BINS_WIDE };

struct settings {
	enum unit by, stacks;
	uint32_t kinds; /* bit per enum wcp_access_kind */
	uint32_t line_bytes;
	enum bins bins;
	uint32_t bin_lines; /* width of BINS_WIDE */
	bool bins_given;
	const char *sizes; /* as given to --mrc, NULL if not */
	bool all_sizes;
	uint64_t *size; /* [n_size] lines, ascending */
	size_t n_size;
	enum unit relation; /* NONE, or kernel, cta, warp: whose reuse it is */
	uint64_t footprint; /* accesses between two rows; 0: none */
	bool working_set;
	bool by_source;	    /* by is PC: summed up by source line */
	const char *filter; /* "" if none */
	bool sampled;
	double rate;
	uint32_t max_lines; /* 0: fixed rate */
	bool partial, merge;
	bool input_given; /* an option that --merge takes from its files */
};

/* Options to settings; 0 or an exit status. Sizes are read last: they may be bytes. */
int settings_by(struct tool *t, struct settings *s, const char *text);
int settings_line(struct tool *t, struct settings *s, const char *text);
int settings_bins(struct tool *t, struct settings *s, const char *text);
int settings_sample(struct tool *t, struct settings *s, const char *text);
int settings_sizes(struct tool *t, struct settings *s);
int settings_check(struct tool *t, const struct settings *s);
/* The powers of two up to the first that is not below most. */
void settings_default_sizes(struct settings *s, uint64_t most);

/* ---- who referenced a line before, and when -------------------------------------------------- */

struct history;
struct refs;

struct history *history_new(const struct settings *s);
void history_free(struct history *h);
/* Who launched it. */
void history_kernel(struct history *h, const struct wcp_kernel *k);
/* References with their distances; 0 or negative. */
int history_add(struct history *h, const struct keys *who, const struct refs *r,
    const uint32_t *distance, struct wcp_error *e);
void history_print(struct history *h, struct report *r);

/* ---- references and what they add up to ---------------------------------------------------- */

struct refs {
	size_t n, cap;
	uint64_t *line;	 /* line numbers */
	uint32_t *by;	 /* key numbers; unused when not attributed */
	uint32_t *stack; /* likewise */
	uint32_t *who;	 /* likewise: units that relations are among */
};

void refs_reserve(struct refs *r, size_t n);
void refs_release(struct refs *r);

struct profile {
	struct settings *set;
	struct keys by, stacks, who;
	struct history *history; /* NULL: none wanted */
	struct names kernels, programs;
	struct wcp_reuse_set *stack; /* exact */
	struct wcp_shards **shards;  /* [n_shards] sampled, by stack number */
	uint32_t n_shards;
	uint64_t seed;
	struct wcp_reuse_hist all;
	struct wcp_reuse_hist *part; /* [cap_part] by key number, those below n_part in use */
	uint32_t n_part, cap_part;
	bool part_exact;
	struct refs first; /* with keep_first: each stack's first references */
	bool keep_first;
	bool warp; /* made from WARP: the order is assumed */
	bool whole;
	uint64_t origin;       /* hash of the input's provenance */
	char *filter;	       /* merged: what set->filter points to */
	uint64_t finer;	       /* references whose line address is no multiple of the line size */
	uint64_t address_bits; /* all line addresses or-ed */
	uint32_t *distance;    /* [cap_distance] */
	size_t cap_distance;
};

int profile_init(struct profile *p, struct settings *s, uint64_t seed, struct wcp_error *e);
void profile_release(struct profile *p);
int profile_add(struct profile *p, const struct refs *r, struct wcp_error *e);
/* The histogram of a key number, made if need be. */
struct wcp_reuse_hist *profile_part(struct profile *p, uint32_t number);
uint64_t profile_bytes(const struct profile *p);

/* Reads operand 0 to its end; exit status. What came before a fault has been added. */
int profile_read(struct profile *p, struct tool *t);

/* References of one WARP batch, coalesced in stream order. */
struct warp_source {
	const struct wcp_kernel *kernel;
	const struct wcp_program *program;
};
int warp_refs(struct profile *p, const struct warp_source *from, const struct wcp_warp_batch *b,
    struct refs *r, struct wcp_error *e);

int print_exact(struct profile *p, struct tool *t);
int print_sampled(struct profile *p, struct tool *t);
void print_notes(const struct profile *p, struct report *r);

/* Do keys hold numbers of kernels? */
bool profile_has_kernels(const struct profile *p);

/* Partial reports; exit status. */
int partial_write(const struct profile *p, struct tool *t);
int partial_merge(struct profile *p, struct tool *t);

#endif

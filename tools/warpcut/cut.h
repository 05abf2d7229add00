/*
 * warpcut: inputs are read item by item, reduced (filter, sample, count) and written to one output
 * or, when split, to one for each kernel or SM. Ids are each output's own: kernels and programs get
 * them in the order in which they are first written.
 */
#ifndef WARPCUT_CUT_H
#define WARPCUT_CUT_H

#include "tool.h"
#include "warpcap/stream.h"

enum cut_split { SPLIT_NONE, SPLIT_KERNEL, SPLIT_SM };
enum cut_sample { SAMPLE_DEFAULT, SAMPLE_CTA, SAMPLE_LINE, SAMPLE_RECORD };

struct input {
	const char *name;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct wcp_filter *kernel_filter; /* --kernel alone */
	uint32_t number;		  /* place among the inputs */
	uint32_t first_kernel;		  /* number of kernels in the output when it began */
	uint32_t *program;		  /* [n_program]: 1 + number in cut.program, 0: not seen */
	uint32_t n_program;
	uint32_t *ordinal; /* [n_kernel]: 1 + running number over all inputs, 0: not wanted */
	uint32_t n_kernel;
	uint64_t records; /* ACCESS: read so far */
	bool ended;
	struct wcp_error fault; /* status 0: none */
	/* merge by cycle */
	struct wcp_access_batch ready;
	uint32_t at;
};

struct slot {
	uint32_t id; /* 1 + id in the output, 0: not there */
	bool ended;
	struct wcp_kernel_end total;
};

struct output {
	struct wcp_writer *writer;
	char *path;
	uint64_t key;	   /* kernel's ordinal or SM when split */
	uint32_t *program; /* [n_program]: 1 + id here of cut.program, 0: not written */
	uint32_t n_program, programs;
	struct slot **slot; /* [inputs][n_slot] */
	uint32_t *n_slot;
	uint32_t kernels;
	uint32_t *index; /* [cap_index]: records of the batch at hand */
	uint32_t n_index, cap_index;
};

struct cut {
	struct tool *tool;
	enum wcp_link link;
	/* what was asked for */
	const char **kernel; /* [n_kernel] --kernel */
	uint32_t n_kernel;
	bool has_cta, has_cycle, by_cycle;
	uint64_t cta_first, cta_last, cycle_first, cycle_last;
	uint64_t sample_take, sample_of; /* 0: all */
	enum cut_sample sample_by;
	uint64_t limit; /* 0: none */
	enum cut_split split;
	/* how it stands */
	struct input *input; /* [n_input] */
	uint32_t n_input;
	const struct wcp_program **program; /* [n_program] distinct ones */
	uint32_t n_program;
	uint32_t n_ordinal;
	struct output **output; /* [n_output] */
	uint32_t n_output;
	uint64_t taken, offered; /* ACCESS records or warp instructions: written; in the inputs, by
				    their ends */
	uint64_t next_id;
	uint32_t end_flags;
	bool left_out, full;
	uint32_t *index; /* [cap_index] */
	uint32_t cap_index;
	struct wcp_access_batch access;
	struct wcp_warp_batch warp, sampled;
	struct wcp_error error;
};

/* Everything below returns 0, or a negative wcp_status with cut.error filled. */

/* Opens all inputs with the filter that the options make; false after having said why. */
bool input_open_all(struct cut *c, int *status);
void input_close_all(struct cut *c);
int input_learn_program(struct cut *c, struct input *in, const struct wcp_program *p);
/* Decides whether the kernel is wanted: ordinal stays 0 if not. */
int input_learn_kernel(struct cut *c, struct input *in, const struct wcp_kernel *k);
bool input_wants(const struct input *in, uint32_t kernel);

/* The output for a key, opened when first asked for; NULL on failure. */
struct output *output_for(struct cut *c, uint64_t key);
int output_program(struct cut *c, struct output *o, uint32_t program);
/* Writes the kernel's descriptor unless it is there. */
int output_kernel(struct cut *c, struct output *o, struct input *in, uint32_t kernel);
/* The place of a kernel in an output, which need not be there yet; NULL without memory. */
struct slot *output_slot(struct cut *c, struct output *o, const struct input *in, uint32_t kernel);
int output_warp(struct cut *c, struct output *o, struct input *in, struct wcp_warp_batch *b);
/* Gives records from first on the output's kernel numbers, and counts them for their kernels. */
int output_renumber(
    struct cut *c, struct output *o, struct input *in, struct wcp_access_batch *b, uint32_t first);
/* Kernel numbers are the input's. */
int output_access(struct cut *c, struct output *o, struct input *in, struct wcp_access_batch *b);
/* Records whose kernel numbers are the output's already. */
int output_merged(struct cut *c, struct output *o, const struct wcp_access_batch *b);
int output_kernel_end(
    struct cut *c, struct output *o, struct input *in, const struct wcp_kernel_end *end);
/* Ends the kernels that no item ended: their input broke off, or enough was taken. */
int output_end_kernels(struct cut *c, struct output *o);
int output_close(struct cut *c, struct output *o, bool keep);

/* One item of an input, to wherever it belongs. */
int cut_item(struct cut *c, struct input *in, const struct wcp_item *item);
/* Reduces a batch to what is wanted: c->access holds it, or b itself is returned when all of it
 * stays. */
struct wcp_access_batch *cut_reduce(struct cut *c, struct input *in, struct wcp_access_batch *b);
int cut_merge_by_cycle(struct cut *c);

int cut_fail(struct cut *c, enum wcp_status status, const char *what);
/* Makes room for entry i of a zeroed array. */
int cut_grow(struct cut *c, void *array, uint32_t *n, uint32_t i, size_t size);

#endif

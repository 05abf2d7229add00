/* What is asked of warpsched, the runs that follow from it, and what they leave. */
#ifndef WARPSCHED_H
#define WARPSCHED_H

#include "gpu/gpu.h"
#include "policy/policy.h"
#include "report.h"

struct run_result {
	uint64_t cycles; /* in which a kernel ran */
	uint64_t kernels;
	struct sm_counts sm; /* summed over SMs */
	struct wcp_nb_counts l1d, l1c, l1t, l1i, l2;
	struct wcp_dram_counts dram; /* summed over channels */
	struct wcp_dram_overall banks;
	struct traffic request, reply;
	uint64_t total_cycles; /* of the machine's clock */
	struct series series;
	struct watch watch; /* with the programs' names and source lines */
	struct names programs;
	struct kernel_result *kernel; /* [kernels] */
};

/* One key of one policy, from a value to another. Its points are choices like any other. */
struct sweep {
	char *label;	   /* "swl:n" and what else was fixed */
	unsigned first, n; /* choices */
	double *value;	   /* [n] */
};

struct source {
	const char *name; /* for messages and tables */
	const char *path; /* as many readers open it as like */
	char spooled[32]; /* path of a pipe's copy */
	int fd;		  /* of the copy, or negative */
};

/* The command: policies, points of sweeps behind them, and inputs. */
struct command {
	struct choice *choice;	     /* [n_choice] */
	unsigned n_choice, n_policy; /* the first n_policy are not of a sweep */
	struct sweep *sweep;
	unsigned n_sweep;
	struct source *input;
	unsigned n_input;
	enum tap_level tap;
	const struct wcp_machine *machine; /* as read */
	bool ages, interference;
	const char *series; /* file; NULL: none */
	uint64_t interval;
};

/* One input under one policy. */
struct job {
	const struct gpu_config *set;
	const struct choice *choice;
	const struct source *input;
	unsigned threads;    /* of the reader */
	struct tool *output; /* whose -o gets the stream of accesses; NULL: none */
	const struct command *command;
	struct run_result result;
	bool played;	/* the result says something, if not of all */
	bool bad_input; /* the error is the input's */
	int said;	/* exit status of what was said already */
	struct wcp_error error;
	char table[16], title[200]; /* of the report */
};

/* "NAME:KEY=FROM..TO[..STEP][:KEY=VALUE...]"; 0 or an exit status. */
int sweep_parse(struct tool *t, struct command *c, const char *text);
/* Takes the choices of a comma-separated list. */
int choices_add(struct tool *t, struct command *c, const char *list);

/* Operands, or standard input; a pipe that will be read more than once is copied to an unlinked
 * file. */
int inputs_open(struct tool *t, struct command *c);
void inputs_close(struct command *c);

/* Runs them on as many threads as t has; the results do not depend on it. */
void jobs_run(struct tool *t, struct job *job, unsigned n);
/* Says what went wrong, in the order of the jobs; the exit status. */
int jobs_status(struct tool *t, const struct job *job, unsigned n);

void result_collect(struct run_result *r, const struct gpu *g);
void result_release(struct run_result *r);
double result_ipc(const struct run_result *r); /* thread instructions a cycle */
/* job: [n_input][n_choice] */
int print_results(struct tool *t, const struct command *c, struct job *job);
/* What the policies need to store; nothing is replayed. */
int print_costs(struct tool *t, const struct command *c, const struct gpu_config *set);
/* --ages and --interference of a run. */
void print_watch(struct report *r, const struct job *j);
/* --series; 0 or an exit status. */
int write_series(struct tool *t, const struct command *c, const struct job *job);
/* What several runs have in common: tables of comparison, means and sweeps. */
void print_comparison(struct report *r, const struct command *c, const struct job *job);

#endif

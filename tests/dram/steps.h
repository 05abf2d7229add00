/* A scenario: a memory, requests, and each command with its cycle as worked out by hand. */
#ifndef DRAM_STEPS_H
#define DRAM_STEPS_H

struct step_case {
	const char *name;
	/* "ddr4", "gddr5" or "hbm", then key=value of what differs */
	const char *memory;
	/* R or W, bank (rank * banks + bank), row, column; when, unless 0; bursts; requester:
	 * "R0:5:0 W16:2:1@100*2#3" */
	const char *requests;
	const char *commands; /* "ACT.0@0 RD.0@17", in order; bank as above */
	const char *ends;     /* "38 44" */
};

/* Parts of the tables; each ends with a NULL name. */
extern const struct step_case step_columns[], step_rows[], step_refresh[], step_control[];

#endif

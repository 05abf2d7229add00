/* What the parts of warpdump share. */
#ifndef WARPDUMP_DUMP_H
#define WARPDUMP_DUMP_H

#include "out.h"
#include "warpcap/stream.h"

/* Columns that a stream does not store but its kernels and programs tell. */
enum {
	COLUMN_NAME = WCP_ACCESS_COLS, /* kernel's name */
	COLUMN_OPCODE,
	COLUMN_SOURCE, /* file:line */
	COLUMN_COUNT
};

struct dump {
	struct tool *tool;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	struct out out;
	const char *columns; /* as given, NULL: the default */
	uint8_t column[COLUMN_COUNT];
	unsigned n_column;
	uint32_t needed; /* WCP_COL set, 0: all */
	bool expand, program, records;
	uint64_t limit;
	uint32_t *index; /* [cap_index], matches of an ACCESS batch */
	uint32_t cap_index;
	struct wcp_warp_batch matched; /* the part of a WARP batch that the filter left */
};

/* Reads --columns; 0 or tool_usage(). */
int access_columns(struct dump *d);
void access_header(struct dump *d); /* TSV */
int access_batch(struct dump *d, const struct wcp_access_batch *b, struct wcp_error *e);

void warp_header(struct dump *d); /* TSV */
int warp_batch(struct dump *d, const struct wcp_warp_batch *b, struct wcp_error *e);

void meta_program(struct dump *d, const struct wcp_program *p);
void meta_kernel(struct dump *d, const struct wcp_kernel *k);
void meta_kernel_end(struct dump *d, const struct wcp_kernel_end *end);
void meta_host(struct dump *d, const struct wcp_host_op *op);
void meta_states(struct dump *d, const struct wcp_state *state, uint32_t n);
void meta_end(struct dump *d, const struct wcp_totals *end);

/* "file:line" of an instruction; false if it has none. */
bool meta_source(const struct wcp_program *p, uint32_t pc, char *text, size_t room);
const char *meta_opcode(const struct wcp_program *p, uint32_t pc); /* NULL if unknown */

#endif

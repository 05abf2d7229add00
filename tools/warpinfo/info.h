/* What warpinfo counts, and who counts it. */
#ifndef WARPINFO_INFO_H
#define WARPINFO_INFO_H

#include "footprint.h"
#include "tool.h"
#include "warpcap/stream.h"

/* Accesses of one space and kind. A request is a warp instruction; a transaction is a line of one.
 */
struct info_access {
	uint64_t requests, lanes;
	uint64_t asked_bytes;  /* lanes x bytes a lane moves; WARP only */
	uint64_t useful_bytes; /* distinct bytes in each transaction */
	uint64_t transactions, sectors, divergent;
};

struct info_kernel {
	bool known, ended;
	uint32_t program;
	char *name;
	uint32_t grid[3], block[3], regs, flags;
	uint64_t shared_bytes;
	uint64_t warp_insns, thread_insns, mem_insns, ctas;
	uint64_t requests, transactions; /* of memory that comes in lines */
	uint64_t local_base;		 /* where its threads' local memory is put */
	uint64_t local_warp_bytes;
};

/* A request that may come again: the last of an instruction. */
struct info_request {
	uint64_t sector; /* of lane 0 */
	int64_t stride;
	uint32_t mask;
	uint8_t space;
	uint32_t lines, sectors, bytes;
};

struct info_program {
	struct info_request *last; /* [n_insn] */
	uint32_t n_insn;
	uint8_t *op_class;	/* [n_insn] */
	uint32_t *next_guarded; /* [n_insn + 1]: first guarded pc from here on */
	int64_t *warp_step;	/* [n_insn + 1]: executions at pc, less those at pc - 1 */
	int64_t *thread_step;	/* [n_insn + 1]: the same for lanes before guards */
	uint64_t *guarded_off;	/* [n_insn]: lanes that guards took away */
};

struct info_outcome {
	uint64_t count[16];
};

struct info {
	struct tool *tool;
	struct wcp_reader *reader;
	struct wcp_filter *filter;
	enum wcp_link link;
	unsigned sections; /* bits of enum info_section */
	uint32_t columns;

	struct info_kernel *kernel; /* [n_kernel] */
	uint32_t n_kernel;
	uint32_t children, launch_depth; /* launched by kernels, and how deep they nest */
	struct info_program *program;	 /* [n_program] */
	uint32_t n_program;
	struct info_access access[WCP_SPACE_COUNT][WCP_KIND_COUNT];
	struct footprint footprint[WCP_SPACE_COUNT];
	struct info_outcome level[8];
	uint64_t host_ops[WCP_HOST_COUNT], host_bytes[WCP_HOST_COUNT];
	uint64_t warp_insns, thread_insns, mem_insns, records;
	uint64_t class_warp[WCP_OP_COUNT], class_thread[WCP_OP_COUNT];
	uint64_t first_cycle, last_cycle, sms;
	uint64_t next_local;
	uint8_t sm_seen[1 << 16];
	bool has_first; /* ACCESS: some record says that it is the first of its instruction */
	bool ended;
	struct wcp_totals end;

	uint32_t *index;
	uint32_t cap_index;
	struct wcp_warp_batch matched;
};

enum info_section {
	SECTION_SUMMARY,
	SECTION_PROVENANCE,
	SECTION_KERNELS,
	SECTION_CLASSES,
	SECTION_ACCESSES,
	SECTION_COALESCING,
	SECTION_FOOTPRINT,
	SECTION_OUTCOMES,
	SECTION_HOST,
	SECTION_COUNT
};

/* Does a space come in lines through a cache? Shared memory and parameters do not. */
static inline bool
info_in_lines(unsigned space)
{
	return space != WCP_SPACE_SHARED && space != WCP_SPACE_PARAM && space != WCP_SPACE_NONE;
}

/* Counting; 0 or negative with e filled. */
int count_program(struct info *in, const struct wcp_program *p, struct wcp_error *e);
int count_kernel(struct info *in, const struct wcp_kernel *k, struct wcp_error *e);
void count_kernel_end(struct info *in, const struct wcp_kernel_end *end);
int count_warp(struct info *in, const struct wcp_warp_batch *b, struct wcp_error *e);
int count_access(struct info *in, const struct wcp_access_batch *b, struct wcp_error *e);
void count_classes(struct info *in); /* once, at the end */
void count_release(struct info *in);

/* An exit status. fault: what the reader said when it failed, NULL if all is whole. */
int print_report(struct info *in, const struct wcp_error *fault);

#endif

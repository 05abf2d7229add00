/*
 * Reading and writing streams. The bytes are specified in warpcap-stream(5).
 *
 * Compressed and raw streams, files and pipes are told apart by the library. With more than one
 * thread blocks are decoded and encoded ahead, in order; the bytes written and the items read are
 * the same for any number of threads.
 */
#ifndef WARPCAP_STREAM_H
#define WARPCAP_STREAM_H

#include "warpcap/batch.h"
#include "warpcap/error.h"
#include "warpcap/program.h"

enum wcp_link {
	WCP_LINK_ANY = 0,
	WCP_LINK_WARP = 1,
	WCP_LINK_ACCESS = 2,
};

enum wcp_item_type {
	WCP_ITEM_PROGRAM,
	WCP_ITEM_KERNEL,
	WCP_ITEM_KERNEL_END,
	WCP_ITEM_HOST,
	WCP_ITEM_WARP,
	WCP_ITEM_ACCESS,
	WCP_ITEM_STATE, /* optional events of an ACCESS stream: CTA start and end, warp state
			   changes */
	WCP_ITEM_END,
};

enum wcp_state_kind {
	WCP_STATE_CTA_BEGIN,
	WCP_STATE_CTA_END,
	WCP_STATE_WARP_BEGIN,
	WCP_STATE_WARP_END,
	WCP_STATE_ACTIVE,
	WCP_STATE_ISOLATED,
	WCP_STATE_STALLED,
	WCP_STATE_BARRIER,
};

struct wcp_state {
	uint64_t cycle;
	uint32_t kernel, cta;
	uint16_t sm, warp, slot;
	uint16_t kind; /* enum wcp_state_kind */
};

/* One item of a stream. Pointers belong to the reader: programs and kernels live as long as it, the
 * rest until the next call. */
struct wcp_item {
	enum wcp_item_type type;
	uint64_t block;	 /* number of the block it came from */
	uint64_t offset; /* byte offset of that block in the input */
	const struct wcp_program *program;
	const struct wcp_kernel *kernel;
	const struct wcp_kernel_end *kernel_end;
	const struct wcp_host_op *host;
	struct wcp_warp_batch *warp;
	struct wcp_access_batch *access;
	const struct wcp_state *state;
	uint32_t n_state;
	const struct wcp_totals *end;
};

/* What the index of a regular file says of a block before it is read. */
struct wcp_block_info {
	enum wcp_item_type type;
	uint32_t kernel; /* WCP_NONE32 if several */
	uint64_t lo, hi; /* WARP: first and last CTA; ACCESS: first and last cycle */
	uint64_t records;
};

struct wcp_read_options {
	enum wcp_link link; /* refuse the other kind with a clear message; ANY takes both */
	unsigned threads;   /* 0 or 1: decode in the caller's thread */
	uint32_t columns;   /* ACCESS columns to decode, 0: all */
	/* Optional: skip data blocks that are not wanted. Called for each WARP and ACCESS block
	 * before it is decoded; on a regular file with an index, before it is even read. */
	bool (*want)(void *arg, const struct wcp_block_info *info);
	void *want_arg;
};

struct wcp_reader;

/* path "-" is standard input. options may be NULL. NULL on failure, e filled. */
struct wcp_reader *
wcp_reader_open(const char *path, const struct wcp_read_options *options, struct wcp_error *e);
void wcp_reader_close(struct wcp_reader *r);

/*
 * 1: item filled; 0: the stream ended as it should (its END item has been delivered); negative: an
 * error, after everything before it was delivered. A stream without END is WCP_EDATA with
 * "truncated" in the text. Concatenated streams read as one: kernel and program ids of later parts
 * are renumbered, one END is delivered.
 */
int wcp_reader_next(struct wcp_reader *r, struct wcp_item *item, struct wcp_error *e);

enum wcp_link wcp_reader_link(const struct wcp_reader *r);
/* Everything seen so far, by id; NULL if unknown. */
const struct wcp_program *wcp_reader_program(const struct wcp_reader *r, uint32_t id);
const struct wcp_kernel *wcp_reader_kernel(const struct wcp_reader *r, uint32_t id);
uint32_t wcp_reader_kernels(const struct wcp_reader *r); /* ids are below this */
/* The command lines that made the stream, oldest first; *n entries. */
const char *const *wcp_reader_provenance(const struct wcp_reader *r, size_t *n);
/* Compressed bytes read so far, and the file's size (0 for a pipe): for progress. */
uint64_t wcp_reader_position(const struct wcp_reader *r, uint64_t *size);

struct wcp_write_options {
	int level;	  /* zstd level; 0: raw; WCP_LEVEL_DEFAULT */
	unsigned threads; /* 0 or 1: encode in the caller's thread */
	/* The command lines that made the input, oldest first, then this one. */
	const char *const *provenance;
	size_t n_provenance;
};
#define WCP_LEVEL_DEFAULT 1

struct wcp_writer;

/*
 * path "-" is standard output. A file is written beside its name and renamed by _close, so that a
 * name never holds half a stream. NULL on failure.
 */
struct wcp_writer *wcp_writer_open(const char *path, enum wcp_link link,
    const struct wcp_write_options *options, struct wcp_error *e);

/* The writer copies what it is given. A kernel's program must have been written before the kernel,
 * the kernel before its batches; KERNEL_END closes it. Batches of any size are welcome: blocks are
 * cut by the writer, at places that depend on the records alone. */
int
wcp_writer_program(struct wcp_writer *w, const struct wcp_program *program, struct wcp_error *e);
int wcp_writer_kernel(struct wcp_writer *w, const struct wcp_kernel *kernel, struct wcp_error *e);
int
wcp_writer_kernel_end(struct wcp_writer *w, const struct wcp_kernel_end *end, struct wcp_error *e);
int wcp_writer_host(struct wcp_writer *w, const struct wcp_host_op *op, struct wcp_error *e);
int wcp_writer_warp(struct wcp_writer *w, const struct wcp_warp_batch *batch, struct wcp_error *e);
int
wcp_writer_access(struct wcp_writer *w, const struct wcp_access_batch *batch, struct wcp_error *e);
int wcp_writer_state(
    struct wcp_writer *w, const struct wcp_state *state, uint32_t n, struct wcp_error *e);

/* Blocks that wait for others to be compressed with go to a pipe's reader now: for a writer that
 * will wait itself. A regular file is not touched, its bytes depend on the records alone. */
int wcp_writer_push(struct wcp_writer *w, struct wcp_error *e);

/* Writes END with flags (enum wcp_end_flags), index and seek table, syncs and renames; frees w in
 * any case. */
int wcp_writer_close(struct wcp_writer *w, uint32_t flags, struct wcp_error *e);
/* Drops the stream and its unfinished file. */
void wcp_writer_abort(struct wcp_writer *w);
/* Bytes written to the output so far. */
uint64_t wcp_writer_bytes(const struct wcp_writer *w);

#endif

/* The inside of a reader, shared by the files that make it up. */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include <zstd.h>
#include "base/pool.h"
#include "stream/access_codec.h"
#include "stream/fetch.h"
#include "stream/index.h"
#include "stream/meta.h"
#include "stream/registry.h"
#include "stream/warp.h"

/*
 * A block passes four stages, all but the second and third in the order of the input:
 *   fetched     by the caller's thread
 *   unpacked    by any thread: decompressed or its checksum verified, directory read
 *   classified  by the caller's thread: programs and kernels are registered, a data block learns
 * what it needs of them, want() is asked
 *   decoded     by any thread, data blocks only
 * and is then delivered. The blocks of one frame are one job, which is classified again for each:
 * nothing behind it is classified before its last one.
 */
enum stage { STAGE_UNPACKING, STAGE_UNPACKED, STAGE_DECODING, STAGE_READY };

struct job {
	struct pool_task task; /* first: a task is cast to its job */
	struct wcp_reader *r;
	enum stage stage;
	bool part, skip;    /* part: not a block but the beginning of a stream */
	bool wanted;	    /* want() was asked before it was read */
	enum wcp_link link; /* of a part */
	bool packed, swap;
	bool damaged;	   /* found when it was unpacked: error has the reason only */
	bool shared, more; /* other blocks of its frame follow, from byte next on */
	size_t next;
	uint64_t passed; /* blocks before it that the index let us pass over */
	uint64_t number, offset;
	struct buf bytes, unpacked;
	const uint8_t *payload;
	struct block_in in;
	int status;
	struct wcp_error error;
	/* what classification found */
	struct known_program *program;
	struct known_kernel *kernel;
	uint32_t kernel_base, kernels; /* ids of this part begin at; ids are below */
	void *owned;		       /* host operation, provenance text */
	size_t lines;
	struct wcp_kernel_end kernel_end;
	struct wcp_totals end;
	/* decoded data */
	struct wcp_warp_batch warp;
	struct warp_totals warp_totals;
	struct wcp_access_batch access;
	struct wcp_state *state;
	uint32_t state_cap;
};

struct codec {
	struct warp_decoder *warp;
	ZSTD_DCtx *zstd;
};

struct wcp_reader {
	struct fetch fetch;
	struct wcp_read_options options;
	enum wcp_link link;
	struct pool *pool;
	struct codec *codec; /* [codecs], the last one is the caller's own */
	unsigned codecs;
	struct job *job; /* ring [jobs] */
	unsigned jobs, head, in_flight, classified;
	bool delivered;	 /* the job at the head was handed out and is to be recycled */
	bool ended;	 /* nothing more will be fetched */
	bool part_open;	 /* between a file header and its END, as classified */
	uint64_t blocks; /* classified */
	uint64_t passed; /* by the index, since the block fetched last */
	struct registry known;
	uint32_t kernel_base, program_base;
	uint32_t seen_kernels, seen_programs; /* delivered */
	char **text;			      /* provenance as read, [n_text] */
	uint32_t n_text, text_cap;
	const char **line; /* [n_line] */
	uint32_t n_line, line_cap;
	struct indexed *index;
	uint32_t n_index, index_at;
	struct wcp_totals read, told, sum; /* of this part as read; as its END says; of all parts */
	bool skipped, end_seen, end_delivered;
	int status;
	struct wcp_error error;
};

/* Fails the job with the reason, its block's number and place; returns status. */
int stream_fail_block(struct job *j, enum wcp_status status, const char *why);
/* The next block of a job's frame. */
void stream_next_block(struct job *j);
/* The task of a job: unpacks or decodes, by its stage. */
void stream_run_job(struct pool_task *t, unsigned worker);
bool stream_job_is_data(const struct job *j);
/* Renumbers kernel ids for concatenation; true if all of them are below kernels or none. */
bool stream_rebase(uint32_t *id, uint32_t n, uint32_t base, uint32_t kernels);

/* Has everything before ring position n that want() may depend on been delivered? */
bool stream_only_data_before(const struct wcp_reader *r, unsigned n);
/* Classifies what can be, in order, and sends data blocks to be decoded. */
void stream_classify(struct wcp_reader *r);

#endif

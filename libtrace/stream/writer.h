/* The inside of a writer, shared by the files that make it up. */
#ifndef STREAM_WRITER_H
#define STREAM_WRITER_H

#include <zstd.h>
#include "base/pool.h"
#include "stream/meta.h"
#include "stream/output.h"
#include "stream/registry.h"
#include "stream/warp.h"

/* A data block is closed when it holds this many records; a list of addresses counts for more. */
enum { BLOCK_RECORDS = 1 << 16, ADDRS_A_RECORD = 8 };
/* Data blocks of fewer records and blocks without data share frames, which are closed when they
 * hold that many bytes: each frame costs time and starts compression anew. */
enum { SMALL_RECORDS = 1 << 9, SHARED_BYTES = 1 << 16 };

/* What a thread needs to encode. */
struct codec {
	struct warp_encoder *warp;
	struct block_out block;
	ZSTD_CCtx *zstd;
};

/* What is to be remembered of a block when it is written. */
struct block_note {
	enum block_type type;
	struct warp_totals totals;
	struct wcp_block_info info;
};

/* One frame on its way out: a data block, or blocks that are encoded already. */
struct job {
	struct pool_task task; /* first: a task is cast to its job */
	struct wcp_writer *w;
	bool data; /* a data block, not yet encoded */
	const struct marks *marks;
	struct wcp_warp_batch warp;
	struct wcp_access_batch access;
	struct buf raw, packed;
	struct block_note *note; /* [n_note] the blocks */
	uint32_t n_note, note_cap;
	int status;
	struct wcp_error error;
};

struct frame_size {
	uint32_t packed, raw;
};

struct wcp_writer {
	struct output out;
	enum wcp_link link;
	int level;
	struct registry known;
	struct pool *pool;
	struct codec *codec; /* [codecs] */
	unsigned codecs;
	struct job *job;   /* [jobs + 2] */
	struct job **ring; /* [jobs] */
	unsigned jobs, head, in_flight;
	struct job *data, *shared; /* those outside of the ring, being filled */
	struct job *open;	   /* data while it has a block, else NULL */
	uint64_t weight;	   /* of the open WARP block, and of its last CTA's part */
	uint64_t tail_weight;
	uint32_t tail; /* open WARP block: first segment of the CTA at its end */
	struct wcp_totals totals;
	uint64_t blocks; /* of any type */
	uint32_t frames;
	struct index_entry *index;
	uint32_t n_index, index_cap;
	struct frame_size *frame;
	uint32_t n_frame, frame_cap;
	int status; /* first failure; everything after it fails alike */
	struct wcp_error error;
};

/* Begins a data block, which becomes the open one; NULL without memory, the writer has failed then.
 */
struct job *stream_writer_begin(struct wcp_writer *w, enum block_type type);
/* Sends the open data block on its way. */
void stream_writer_flush(struct wcp_writer *w);
/* Keeps the first failure; later calls fail alike. */
int stream_writer_fail(struct wcp_writer *w, const struct wcp_error *why, int status);
/* The failure so far, into e (not NULL), or 0. */
int stream_writer_report(const struct wcp_writer *w, struct wcp_error *e);

#endif

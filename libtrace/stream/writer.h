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

/* What a thread needs to encode. */
struct codec {
	struct warp_encoder *warp;
	struct block_out block;
	ZSTD_CCtx *zstd;
};

/* One block on its way out. */
struct job {
	struct pool_task task; /* first: a task is cast to its job */
	struct wcp_writer *w;
	enum block_type type;
	const struct marks *marks;
	struct wcp_warp_batch warp;
	struct wcp_access_batch access;
	struct buf raw, packed;
	struct warp_totals totals;
	struct wcp_block_info info;
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
	struct job *job; /* ring [jobs] */
	unsigned jobs, head, in_flight;
	struct job *open; /* data block being filled, NULL if none */
	uint64_t weight;  /* of the open WARP block, and of its last CTA's part */
	uint64_t tail_weight;
	uint32_t tail; /* open WARP block: first segment of the CTA at its end */
	struct wcp_totals totals;
	uint64_t blocks; /* of any type */
	struct index_entry *index;
	uint32_t n_index, index_cap;
	struct frame_size *frame;
	uint32_t n_frame, frame_cap;
	int status; /* first failure; everything after it fails alike */
	struct wcp_error error;
};

/* An empty job for a block of that type; may wait for older ones. */
struct job *stream_writer_acquire(struct wcp_writer *w, enum block_type type);
/* Sends the open data block on its way. */
void stream_writer_flush(struct wcp_writer *w);
/* Keeps the first failure; later calls fail alike. */
int stream_writer_fail(struct wcp_writer *w, const struct wcp_error *why, int status);
/* The failure so far, into e (not NULL), or 0. */
int stream_writer_report(const struct wcp_writer *w, struct wcp_error *e);

#endif

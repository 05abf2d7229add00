/*
 * One recording: a device, the stream its launches are written to, and which part of them is
 * wanted. Both doors, workloads and launch files, drive it.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "tool.h"
#include "warpcap/exec.h"

struct capture_options {
	const char *kernel; /* record only kernels this pattern of fnmatch(3) matches, NULL: all */
	bool cta_given;
	uint64_t cta_first, cta_last;	/* linear, last included */
	uint64_t skip_insns, max_insns; /* thread instructions of a launch to leave out, then to
					   record; 0: no limit */
	uint64_t limit_insns; /* thread instructions after which a launch is stopped, 0: none */
	uint64_t limit_warp_insns; /* warp instructions of one warp, likewise */
	uint64_t memory_bytes;	   /* of the device, 0: its default */
	bool relaxed, alternatives, check_shared, check_sync, check_memory;
	bool no_stream; /* execute only */
	bool verify;
};

struct capture {
	struct tool *tool;
	struct capture_options options;
	struct wcp_device *device;
	struct wcp_writer *writer; /* NULL: nothing is recorded */
	bool writer_failed;	   /* the last error is the stream's, not the kernel's */
	bool faulted;		   /* a launch stopped before its end */
	uint64_t thread_insns;	   /* of the launches that ended */
	uint64_t ctas;		   /* of the launch under way */
};

/* Opens device and stream. 0, or an exit status after saying why. */
int capture_open(struct capture *c, struct tool *t, const struct capture_options *options);

/* wcp_device_launch under the options. */
int capture_launch(struct capture *c, struct wcp_launch *launch, struct wcp_error *e);

/* Copies within the device and records it. */
int
capture_copy(struct capture *c, uint64_t to, uint64_t from, uint64_t bytes, struct wcp_error *e);

/* Says what went wrong, in terms of the stream when that is where it was, else of file (may be
 * NULL); the exit status. */
int capture_error(const struct capture *c, const char *file, const struct wcp_error *e);

/* Ends the stream so that what was recorded can be read, whatever status says, and frees the
 * device. Returns the exit status, which is status unless that was 0. After an interrupt the
 * process ends by the signal that came. */
int capture_close(struct capture *c, int status);

/* All of a file; NULL after saying why in e. The caller frees it; a NUL follows the last byte. */
char *capture_read_file(const char *path, size_t *bytes, struct wcp_error *e);

#endif

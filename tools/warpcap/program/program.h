/*
 * The third door: a program that uses CUDA runs as it is, with a runtime in it that executes its
 * kernels and says over a link what they did; the stream is written here, so that it is whole
 * whatever becomes of the program.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../../cudart/link.h"
#include "../capture.h"

struct program_options {
	struct link_settings settings;
	bool no_stream;
};

/* What only programs take. */
struct program_wishes {
	const char *launches; /* "A-B", counted from 0; NULL: all */
	uint64_t skip_launches;
	bool window;
	uint64_t capability; /* 0: the default */
};

/* All that was asked for, with the machine of -m and --set, as the runtime is told it. 0, or an
 * exit status after saying why not. */
int program_settings(struct tool *t, const struct capture_options *options,
    const struct program_wishes *wishes, struct link_settings *settings);

/* Runs t->argv and returns its exit status, or one of ours after saying why. Dies of the signal
 * that the program died of. */
int program_run(struct tool *t, const struct program_options *options);

/* ---- check.c -------------------------------------------------------------------------------- */

/* The runtime library's path, which the caller frees; NULL after saying that it is not there. */
char *program_library(const struct tool *t, int *status);
/* The file that a command names, as execvp(3) finds it; NULL after saying why not. The caller
 * frees it. */
char *program_find(const struct tool *t, const char *name, int *status);
/* Can it be run with the library in it? 0, or an exit status after saying why not. */
int program_check(
    const struct tool *t, const char *path, char **argv, char **environment, uint32_t capability);
/* The environment with our variables in it, in one piece that the caller frees. */
char **program_environment(const char *library, const char *link);

/* ---- record.c ------------------------------------------------------------------------------- */

struct recorder {
	struct tool *tool;
	struct wcp_writer *writer; /* NULL: notes only */
	const struct link_settings *settings;
	struct connection *first;
	struct connection *busy; /* is within a kernel: the others wait */
	uint32_t n_programs, n_kernels;
	uint32_t flags;	   /* enum wcp_end_flags */
	uint64_t found;	   /* by checks */
	uint64_t launches; /* of programs that have ended in order */
	bool failed;	   /* the stream cannot be written any more; the error has been told */
	bool used;	   /* some process has used CUDA */
};

/* A process comes; it is told the settings. */
void recorder_accept(struct recorder *r, int fd);
/* Descriptors to wait for, at most room. */
struct pollfd;
unsigned recorder_poll(struct recorder *r, struct pollfd *out, unsigned room);
/* Takes what has come in on a descriptor that recorder_poll named. */
void recorder_read(struct recorder *r, int fd);
/* Nothing comes in for now: what was taken goes on to whoever reads the stream. */
void recorder_push(struct recorder *r);

#endif

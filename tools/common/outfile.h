/* Files that tools write besides streams: whole or not at all. */
#ifndef COMMON_OUTFILE_H
#define COMMON_OUTFILE_H

#include "tool.h"

struct outfile {
	FILE *file;
	char *path, *temporary; /* a regular file is written beside its name */
};

/* "-" is standard output. A device or a pipe is written to, another file beside its name. 0 or
 * negative with e filled. */
int outfile_open(struct outfile *o, const char *path, struct wcp_error *e);
/* Renames what is whole to its name; if keep is false or writing failed, removes it. 0, or an errno
 * value of what failed. Standard output is flushed and stays open. */
int outfile_close(struct outfile *o, bool keep);

#endif

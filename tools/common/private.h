/* What the files of the tools' skeleton share among themselves. */
#ifndef COMMON_PRIVATE_H
#define COMMON_PRIVATE_H

#include "tool.h"

/* Parses argv into t by the spec's table; 0, or an exit status after saying why. -h and -V exit. */
int options_parse(struct tool *t, int argc, char **argv);

/* Takes the progress line off the terminal, so that a message can stand there. */
void progress_wipe(const struct tool *t);

/* Frees the readers' filter links. */
void streams_release(struct tool *t);

#endif

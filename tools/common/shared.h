/* Files that are installed with the tools: share/warpcap, or share of the source for programs that
 * are run where they were built. */
#ifndef COMMON_SHARED_H
#define COMMON_SHARED_H

#include <stdio.h>

/* Opens NAME in the directories of the environment's variable (colons between; NULL: none), then in
 * that directory of what is shared. NULL with errno set if it is nowhere. */
FILE *shared_open(const char *variable, const char *directory, const char *name);

#endif

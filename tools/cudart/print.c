/* What kernels print. It is shown where CUDA's buffer is emptied: when the host waits, and before
 * the next launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

static char *waiting;
static size_t n_waiting, cap_waiting;

void
print_add(void *arg, bool error, const char *text, size_t bytes)
{
	(void)arg;
	if (error) {
		fwrite(text, 1, bytes, stderr);
		return;
	}
	if (n_waiting + bytes > cap_waiting) {
		const size_t cap = 2 * (n_waiting + bytes) + 4096;
		char *p = realloc(waiting, cap);
		if (!p) {
			print_flush();
			fwrite(text, 1, bytes, stdout);
			return;
		}
		waiting = p;
		cap_waiting = cap;
	}
	memcpy(waiting + n_waiting, text, bytes);
	n_waiting += bytes;
}

void
print_flush(void)
{
	if (!n_waiting)
		return;
	fwrite(waiting, 1, n_waiting, stdout);
	n_waiting = 0;
	fflush(stdout);
}

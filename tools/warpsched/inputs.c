/* The streams that are replayed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "spool.h"
#include "warpsched.h"

/* A pipe's bytes, as they are, in a file that readers open by its descriptor. */
static int
spool_input(struct tool *t, struct source *in)
{
	static const size_t room = 1 << 16;
	struct wcp_error e = {0};
	char *buffer = malloc(room);
	ssize_t got = 1;
	if (!buffer)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	if ((in->fd = spool_file(&e)) < 0) {
		free(buffer);
		return tool_error(t, NULL, &e);
	}
	while (got && !tool_interrupted()) {
		got = read(STDIN_FILENO, buffer, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || write(in->fd, buffer, (size_t)got) != got)
			break;
	}
	free(buffer);
	if (got)
		return tool_fail(
		    t, -WCP_ESYS, "standard input: cannot be copied: %s", strerror(errno));
	snprintf(in->spooled, sizeof in->spooled, "/proc/self/fd/%d", in->fd);
	in->path = in->spooled;
	return 0;
}

int
inputs_open(struct tool *t, struct command *c)
{
	unsigned n = t->argc ? (unsigned)t->argc : 1, pipes = 0;
	int status = 0;
	c->input = calloc(n, sizeof *c->input);
	if (!c->input)
		return tool_fail(t, -WCP_ESYS, "out of memory");
	c->n_input = n;
	for (unsigned i = 0; i < n; i++)
		c->input[i].fd = -1;
	for (unsigned i = 0; !status && i < n; i++) {
		struct source *in = &c->input[i];
		in->name = tool_input_name(t, (int)i);
		in->path = t->argc ? t->argv[i] : "-";
		if (strcmp(in->path, "-") != 0)
			continue;
		if (pipes++)
			status = tool_usage(t, "standard input is given twice");
		else if (isatty(STDIN_FILENO))
			status = tool_usage(
			    t, "standard input is a terminal; name a file, or pipe a stream in");
		else if (c->n_choice > 1)
			status = spool_input(t, in);
	}
	return status;
}

void
inputs_close(struct command *c)
{
	for (unsigned i = 0; i < c->n_input; i++) {
		if (c->input[i].fd >= 0)
			close(c->input[i].fd);
	}
	free(c->input);
}

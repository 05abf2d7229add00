/* gnuplot as a child: its input and outputs are unlinked files, so nothing is left behind. */
#include "warpplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "spool.h"

struct child {
	int in, out, err;
};

static int
write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t got = write(fd, bytes, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		bytes += got;
		n -= (size_t)got;
	}
	return 0;
}

static char *
read_back(int fd, size_t *n)
{
	off_t end = lseek(fd, 0, SEEK_END);
	size_t bytes = end > 0 ? (size_t)end : 0, done = 0;
	char *text = must_alloc(NULL, bytes + 1);
	ssize_t got;
	while (done < bytes && (got = pread(fd, text + done, bytes - done, (off_t)done)) > 0)
		done += (size_t)got;
	text[done] = 0;
	*n = done;
	return text;
}

static void
become_gnuplot(const struct child *c)
{
	if (dup2(c->in, 0) >= 0 && dup2(c->out, 1) >= 0 && dup2(c->err, 2) >= 0) {
		unsetenv("GNUTERM");
		execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
	}
	_exit(errno == ENOENT ? 127 : 126);
}

/* Its complaint in one line: the last that says something, without the place in our script. */
static void
one_line(char *text)
{
	char *best = text;
	for (char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		char *next = line + n + (line[n] == '\n'), *colon;
		line[n] = 0;
		if ((colon = strstr(line, "line ")) && (colon = strstr(colon, ": ")))
			best = colon + 2;
		else if (strspn(line, " \t^") < n && best == text)
			best = line;
		line = next;
	}
	memmove(text, best, strlen(best) + 1);
}

static int
complain(struct tool *t, int how, char *said)
{
	one_line(said);
	if (WIFEXITED(how) && WEXITSTATUS(how) == 127 && !*said)
		return tool_fail(t, -WCP_ESYS,
		    "gnuplot is not installed (apt-get install gnuplot-nox); --script writes what "
		    "it would be told");
	if (WIFSIGNALED(how))
		return tool_fail(t, -WCP_ESYS, "gnuplot: killed by signal %d", WTERMSIG(how));
	return tool_fail(t, -WCP_ESYS, "gnuplot: %s", *said ? said : "failed without a word");
}

static int
wait_for(struct tool *t, const struct child *c, pid_t pid, char **picture, size_t *n)
{
	int how;
	size_t said_bytes;
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return tool_fail(t, -WCP_ESYS, "waitpid: %s", strerror(errno));
	char *said = read_back(c->err, &said_bytes);
	*picture = read_back(c->out, n);
	int status = 0;
	if (!WIFEXITED(how) || WEXITSTATUS(how) != 0 || !*n) {
		status = complain(t, how, said);
	} else if (said_bytes) {
		one_line(said);
		tool_note(t, 1, "gnuplot: %s", said);
	}
	free(said);
	return status;
}

int
run_gnuplot(struct tool *t, const char *script, char **picture, size_t *n)
{
	struct wcp_error e;
	struct child c = {spool_file(&e), spool_file(&e), spool_file(&e)};
	int status = 0;
	*picture = NULL;
	if (c.in < 0 || c.out < 0 || c.err < 0)
		status = tool_error(t, NULL, &e);
	else if (write_all(c.in, script, strlen(script)) || lseek(c.in, 0, SEEK_SET))
		status = tool_fail(t, -WCP_ESYS, "temporary file: %s", strerror(errno));
	fflush(stdout);
	pid_t pid = status ? -1 : fork();
	if (pid == 0)
		become_gnuplot(&c);
	if (!status && pid < 0)
		status = tool_fail(t, -WCP_ESYS, "fork: %s", strerror(errno));
	if (!status)
		status = wait_for(t, &c, pid, picture, n);
	for (int i = 0; i < 3; i++) {
		int fd = i == 0 ? c.in : i == 1 ? c.out : c.err;
		if (fd >= 0)
			close(fd);
	}
	return status;
}

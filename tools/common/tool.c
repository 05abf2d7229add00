#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "private.h"

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int number)
{
	interrupted = number;
}

/* A second interrupt finds the default action again and ends the process at once. Reads are
 * restarted: the library never sees a half-done call. */
static void
catch_interrupts(void)
{
	struct sigaction sa = {
	    .sa_handler = on_interrupt, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
	sigemptyset(&sa.sa_mask);
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct sigaction old;
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
	}
	/* A file that may not grow further is an error of write(2), told like any other. */
	signal(SIGXFSZ, SIG_IGN);
}

/* A standard stream that is closed fails as one: its number must not go to the next file opened. */
static void
hold_standard_streams(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_RDWR};
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", mode[fd]);
}

bool
tool_interrupted(void)
{
	return interrupted != 0;
}

_Noreturn void
out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(-WCP_ESYS);
}

void *
must_alloc(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

static bool
needs_quotes(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "@%+=:,./_-";
	return !*word || word[strspn(word, plain)];
}

static char *
quote_word(char *to, const char *word)
{
	if (!needs_quotes(word))
		return stpcpy(to, word);
	*to++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	}
	*to++ = '\'';
	*to = 0;
	return to;
}

/* How many words from argv[0] on say the number of threads. */
static int
thread_words(char **argv)
{
	if (!strcmp(argv[0], "-j") || !strcmp(argv[0], "--threads"))
		return argv[1] ? 2 : 1;
	bool joined = !strncmp(argv[0], "-j", 2) && strspn(argv[0] + 2, "0123456789");
	return joined || !strncmp(argv[0], "--threads=", 10) ? 1 : 0;
}

/* The command as a shell would take it again; the program goes by its name, not its path, and the
 * number of threads is left out, so that a stream depends on neither. */
static char *
quote_command(const char *name, int argc, char **argv)
{
	size_t bytes = strlen(name) + 1;
	for (int i = 1; i < argc; i++)
		bytes += 4 * strlen(argv[i]) + 3;
	char *line = must_alloc(NULL, bytes);
	char *end = stpcpy(line, name);
	bool options = true;
	for (int i = 1; i < argc; i++) {
		options = options && strcmp(argv[i], "--");
		int skip = options ? thread_words(argv + i) : 0;
		i += skip ? skip - 1 : 0;
		if (skip)
			continue;
		*end++ = ' ';
		end = quote_word(end, argv[i]);
	}
	return line;
}

void
tool_start(struct tool *t, const struct tool_spec *spec, int argc, char **argv)
{
	void *arg = t->arg;
	hold_standard_streams();
	*t = (struct tool){
	    .spec = spec,
	    .arg = arg,
	    .threads = 1,
	    .level = WCP_LEVEL_DEFAULT,
	    .seed = 1,
	    .progress = -1,
	};
	t->command_line = quote_command(spec->name, argc, argv);
	int status = options_parse(t, argc, argv);
	if (status)
		exit(status);
	catch_interrupts();
}

int
tool_finish(struct tool *t, int status)
{
	progress_wipe(t);
	t->progress_shown = false;
	errno = 0;
	if ((fflush(stdout) || ferror(stdout)) && status != -WCP_ESYS) {
		if (errno)
			status = tool_fail(t, -WCP_ESYS, "standard output: %s", strerror(errno));
		else
			status = tool_fail(t, -WCP_ESYS, "standard output: write failed");
	}
	free(t->command_line);
	free(t->set);
	streams_release(t);
	if (interrupted) {
		tool_warn(t, "interrupted; the output covers what was done until then");
		raise(interrupted); /* its action was reset when it came */
	}
	return status;
}

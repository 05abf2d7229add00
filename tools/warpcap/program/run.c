/* Starts the program, passes signals on, and writes down what it says until it has ended. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

enum { CONNECTIONS_MAX = 4096 };

struct run {
	struct tool *tool;
	struct recorder recorder;
	sigset_t before; /* the signals that were blocked when we came */
	int signals;	 /* descriptor */
	int listener;
	int spare; /* a descriptor to give up when there are no more */
	bool told; /* that there were no more */
	char link[64];
	pid_t child;
	bool ended;
	int outcome; /* as waitpid(2) has it */
};

static int
listen_at(struct run *r)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	snprintf(r->link, sizeof r->link, "warpcap-%ld", (long)getpid());
	memcpy(a.sun_path + 1, r->link, strlen(r->link));
	r->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->spare >= 0 && r->listener >= 0 &&
	    bind(r->listener, (const struct sockaddr *)&a,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(r->link))) == 0 &&
	    listen(r->listener, 64) == 0)
		return 0;
	return tool_fail(r->tool, -WCP_ESYS, "cannot listen: %s", strerror(errno));
}

static int
hold_signals(struct run *r)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
		sigaddset(&set, held[i]);
	sigprocmask(SIG_BLOCK, &set, &r->before);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return r->signals >= 0
		   ? 0
		   : tool_fail(r->tool, -WCP_ESYS, "cannot wait for signals: %s", strerror(errno));
}

/* In the child. The program's output stays out of a stream that goes to standard output. */
static void
become(const struct run *r, const char *path, char **argv, char **environment, bool move_output,
    pid_t parent)
{
	static const int reset[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
	for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++) {
		struct sigaction old;
		if (sigaction(reset[i], NULL, &old) == 0 &&
		    (old.sa_handler != SIG_IGN || reset[i] == SIGXFSZ))
			signal(reset[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	if (move_output)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execve(path, argv, environment);
	fprintf(stderr, "warpcap: %s: %s\n", path, strerror(errno));
	_exit(126);
}

static int
start(struct run *r, const char *path, char **environment, bool move_output)
{
	const pid_t own = getpid();
	fflush(stdout);
	r->child = fork();
	if (r->child == 0)
		become(r, path, r->tool->argv, environment, move_output, own);
	return r->child > 0
		   ? 0
		   : tool_fail(r->tool, -WCP_ESYS, "cannot start a process: %s", strerror(errno));
}

/* What the terminal sends reaches the program too; what was sent to us alone is passed on. */
static void
take_signal(struct run *r)
{
	struct signalfd_siginfo s;
	if (read(r->signals, &s, sizeof s) != (ssize_t)sizeof s)
		return;
	if (s.ssi_signo != SIGCHLD) {
		if (s.ssi_code != SI_KERNEL && !r->ended)
			kill(r->child, (int)s.ssi_signo);
		return;
	}
	int outcome;
	pid_t pid;
	while ((pid = waitpid(-1, &outcome, WNOHANG)) > 0)
		if (pid == r->child) {
			r->ended = true;
			r->outcome = outcome;
		}
}

/* Nobody is left waiting for an answer. */
static void
turn_away(struct run *r)
{
	close(r->spare);
	const int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	r->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r->recorder.flags |= WCP_END_INTERRUPTED;
	if (!r->told)
		tool_warn(r->tool, "more processes than there may be open files: some are not "
				   "recorded");
	r->told = true;
}

static void
take_connections(struct run *r)
{
	int fd;
	do {
		while ((fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
			recorder_accept(&r->recorder, fd);
		if (errno == EMFILE || errno == ENFILE)
			turn_away(r);
	} while ((errno == EMFILE || errno == ENFILE) && r->spare >= 0);
}

/* Each process that is recorded takes two descriptors here; the program keeps its own limit. */
static void
allow_descriptors(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Until the program has ended and nobody that it started is connected any more. */
static void
attend(struct run *r)
{
	struct pollfd p[CONNECTIONS_MAX + 2];
	for (;;) {
		p[0] = (struct pollfd){.fd = r->signals, .events = POLLIN};
		p[1] = (struct pollfd){.fd = r->listener, .events = POLLIN};
		const unsigned n = recorder_poll(&r->recorder, p + 2, CONNECTIONS_MAX);
		if (r->ended && !n) {
			take_connections(r);
			if (!r->recorder.first)
				return;
			continue;
		}
		int ready = poll(p, n + 2, 0);
		if (ready == 0) {
			recorder_push(&r->recorder);
			ready = poll(p, n + 2, -1);
		}
		if (ready < 0 && errno != EINTR)
			return;
		if (p[0].revents)
			take_signal(r);
		if (p[1].revents)
			take_connections(r);
		for (unsigned i = 0; i < n; i++)
			if (p[i + 2].revents)
				recorder_read(&r->recorder, p[i + 2].fd);
	}
}

static bool
writes_to_stdout(const struct tool *t)
{
	return !t->output || !strcmp(t->output, "-");
}

static int
open_stream(struct run *r, const struct program_options *o)
{
	int status = 0;
	if (o->no_stream)
		return 0;
	if (!r->tool->output && isatty(STDOUT_FILENO))
		return tool_usage(r->tool,
		    "standard output is a terminal: say -o FILE, or -n to run without recording");
	r->recorder.writer = tool_open_writer(r->tool, WCP_LINK_WARP, NULL, &status);
	return status;
}

static int
close_stream(struct run *r, int status)
{
	struct wcp_error e;
	struct recorder *rec = &r->recorder;
	const char *path = writes_to_stdout(r->tool) ? "standard output" : r->tool->output;
	if (!rec->writer)
		return status;
	if (WIFSIGNALED(r->outcome))
		rec->flags |= WCP_END_INTERRUPTED;
	if (rec->failed)
		wcp_writer_abort(rec->writer);
	else if (wcp_writer_close(rec->writer, rec->flags, &e) < 0) {
		rec->failed = true;
		tool_error(r->tool, path, &e);
	}
	return rec->failed && !status ? -WCP_ESYS : status;
}

static void
tell_of_nothing(const struct run *r)
{
	const struct recorder *rec = &r->recorder;
	const struct link_settings *s = rec->settings;
	const char *name = r->tool->argv[0];
	const bool chosen =
	    *s->kernel || s->launch_first || s->launch_last != UINT64_MAX || s->flags & LINK_WINDOW;
	if (!rec->used)
		tool_warn(r->tool, "'%s' has not used CUDA's runtime: nothing was recorded", name);
	else if (rec->writer && chosen && rec->launches && !rec->n_kernels)
		tool_warn(r->tool,
		    "'%s' launched %llu kernel%s, none of which --kernel, --launch, "
		    "--skip-launches or --window selects: nothing was recorded",
		    name, (unsigned long long)rec->launches, rec->launches == 1 ? "" : "s");
}

/* The program's own outcome; a recording that failed, or what checks found, shows only where the
 * program says that all is well. */
static int
finish(struct run *r)
{
	int status = WIFEXITED(r->outcome) ? WEXITSTATUS(r->outcome) : 0;
	status = close_stream(r, status);
	tell_of_nothing(r);
	if (WIFSIGNALED(r->outcome)) {
		const int number = WTERMSIG(r->outcome);
		tool_warn(r->tool, "'%s' was ended by signal %d (%s)", r->tool->argv[0], number,
		    strsignal(number));
		prctl(PR_SET_DUMPABLE, 0);
		signal(number, SIG_DFL);
		sigset_t all;
		sigemptyset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		raise(number);
	}
	return status || !r->recorder.found ? status : -WCP_ENO;
}

static int
run_with(struct run *r, const struct program_options *o, const char *library)
{
	int status = listen_at(r);
	char *path = status ? NULL : program_find(r->tool, r->tool->argv[0], &status);
	char **environment = path ? program_environment(library, r->link) : NULL;
	if (environment)
		status = program_check(
		    r->tool, path, r->tool->argv, environment, o->settings.device.capability);
	if (!status && environment)
		status = hold_signals(r); /* before the stream's threads are there: they must not
					     take them */
	if (!status && environment)
		status = open_stream(r, o);
	if (!status && environment)
		status =
		    start(r, path, environment, r->recorder.writer && writes_to_stdout(r->tool));
	if (!status && environment) {
		allow_descriptors();
		attend(r);
		status = finish(r);
	} else if (r->recorder.writer) {
		wcp_writer_abort(r->recorder.writer);
	}
	free(environment);
	free(path);
	return status;
}

int
program_run(struct tool *t, const struct program_options *o)
{
	struct run r = {.tool = t,
	    .recorder = {.tool = t, .settings = &o->settings},
	    .signals = -1,
	    .listener = -1,
	    .spare = -1};
	int status = 0;
	char *library = program_library(t, &status);
	if (library)
		status = run_with(&r, o, library);
	free(library);
	if (r.listener >= 0)
		close(r.listener);
	if (r.signals >= 0)
		close(r.signals);
	if (r.spare >= 0)
		close(r.spare);
	return status;
}

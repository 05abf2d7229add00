/* For benchmarks that measure whole processes: two joined by a pipe, and the time that one and its
 * children take. */
#ifndef BENCH_FORK_H
#define BENCH_FORK_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bench_cost {
	double wall_s, cpu_s;
};

/* producer in a child, its standard output consumer's standard input. */
static inline void
bench_piped(void (*producer)(const void *), void (*consumer)(const void *), const void *arg)
{
	int end[2];
	if (pipe(end))
		exit(4);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(end[1], STDOUT_FILENO);
		close(end[0]);
		close(end[1]);
		producer(arg);
		_exit(0);
	}
	close(end[1]);
	dup2(end[0], STDIN_FILENO);
	consumer(arg);
	waitpid(pid, NULL, 0);
}

/* For bench_best: argv (a NULL-terminated array of const char *) as a process, its output dropped.
 */
static inline void
bench_run(const void *argv)
{
	const char *const *word = argv;
	char *copy[32];
	int n = 0, status, nowhere = open("/dev/null", O_WRONLY);
	for (; word[n] && n < 31; n++)
		copy[n] = strdup(word[n]);
	copy[n] = NULL;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(nowhere, STDOUT_FILENO);
		execvp(copy[0], copy);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (status)
		_exit(1);
}

/* The best of five runs, each a process of its own, so that its memory is new. */
static inline struct bench_cost
bench_best(void (*what)(const void *), const void *arg)
{
	struct bench_cost least = {1e9, 1e9};
	for (int i = 0; i < 5; i++) {
		struct timespec a, b;
		struct rusage u;
		clock_gettime(CLOCK_MONOTONIC, &a);
		pid_t pid = fork();
		if (pid == 0) {
			what(arg);
			_exit(0);
		}
		if (pid < 0 || wait4(pid, NULL, 0, &u) < 0)
			exit(4);
		clock_gettime(CLOCK_MONOTONIC, &b);
		double wall =
		    (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
		double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			     1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
		least.wall_s = wall < least.wall_s ? wall : least.wall_s;
		least.cpu_s = cpu < least.cpu_s ? cpu : least.cpu_s;
	}
	return least;
}

#endif

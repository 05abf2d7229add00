/* What can be known of a program before it runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"
#include "warpcap/fatbin.h"

#define LIBRARY "libcudart.so.13"
#define DRIVER	"libcuda.so.1" /* beside it */
#define VERSION 13u

extern char **environ;

/* Beside the directory of this tool: the same place in a build and where it is installed. */
char *
program_library(const struct tool *t, int *status)
{
	char own[4096];
	const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 64);
	char *slash = NULL;
	if (n > 0) {
		own[n] = 0;
		slash = strrchr(own, '/');
	}
	if (slash) {
		strcpy(slash, "/../lib/warpcap/" LIBRARY);
		char *path = realpath(own, NULL);
		if (path && !strpbrk(path, " :"))
			return path;
		free(path);
	}
#ifdef WARPCAP_LIBDIR
	if (access(WARPCAP_LIBDIR "/warpcap/" LIBRARY, R_OK) == 0)
		return strdup(WARPCAP_LIBDIR "/warpcap/" LIBRARY);
#endif
	*status = tool_fail(
	    t, -WCP_ESYS, "the runtime library %s is not where warpcap is installed", LIBRARY);
	return NULL;
}

static bool
is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *
join(const char *directory, size_t n, const char *name)
{
	char *path = malloc(n + strlen(name) + 3);
	if (path)
		sprintf(path, "%.*s%s%s", (int)n, directory, n ? "/" : "", name);
	return path;
}

char *
program_find(const struct tool *t, const char *name, int *status)
{
	struct stat st;
	const char *path = getenv("PATH");
	if (strchr(name, '/')) {
		if (is_program(name))
			return strdup(name);
		errno = stat(name, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : EACCES;
		*status = tool_fail(t, -WCP_EUSAGE, "%s: %s", name, strerror(errno));
		return NULL;
	}
	for (const char *at = path ? path : "/bin:/usr/bin"; *name; at++) {
		const size_t n = strcspn(at, ":");
		char *full = join(at, n, name);
		if (full && is_program(full))
			return full;
		free(full);
		at += n;
		if (!*at)
			break;
	}
	*status = tool_fail(t, -WCP_EUSAGE, "there is no program '%s'", name);
	return NULL;
}

static char *
variable(const char *name, const char *value)
{
	char *text = NULL;
	return asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text;
}

/* The runtime's library and the driver's, then what was there; NULL: no memory. */
static char *
preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	const int directory = (int)(strlen(library) - strlen(LIBRARY));
	char *text = NULL;
	if (asprintf(&text, "LD_PRELOAD=%s:%.*s" DRIVER "%s%s", library, directory, library,
		before && *before ? ":" : "", before ? before : "") < 0)
		return NULL;
	return text;
}

char **
program_environment(const char *library, const char *link)
{
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **e = calloc(n + 3, sizeof *e);
	if (!e)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
		    strncmp(environ[i], LINK_ENVIRONMENT "=", sizeof LINK_ENVIRONMENT) != 0)
			e[kept++] = environ[i];
	e[kept++] = preload(library);
	e[kept++] = variable(LINK_ENVIRONMENT, link);
	return e;
}

/* ---- missing libraries ---------------------------------------------------------------------- */

/* The loader lists what it would load, as ldd(1) has it do; *pid is the process that says it. */
static FILE *
list_libraries(const char *path, char **argv, char **environment, pid_t *pid)
{
	int ends[2];
	size_t n = 0;
	while (environment[n])
		n++;
	char **e = calloc(n + 2, sizeof *e);
	static char ask[] = "LD_TRACE_LOADED_OBJECTS=1";
	if (!e || pipe2(ends, O_CLOEXEC)) {
		free(e);
		return NULL;
	}
	memcpy(e, environment, n * sizeof *e);
	e[n] = ask;
	*pid = fork();
	if (*pid == 0) {
		const int nothing = open("/dev/null", O_RDWR);
		dup2(nothing, 0);
		dup2(ends[1], 1);
		dup2(nothing, 2);
		execve(path, argv, e);
		_exit(127);
	}
	free(e);
	close(ends[1]);
	FILE *f = *pid > 0 ? fdopen(ends[0], "r") : NULL;
	if (!f)
		close(ends[0]);
	return f;
}

static int
check_libraries(const struct tool *t, const char *path, char **argv, char **environment)
{
	char line[4096], missing[1024] = "";
	size_t used = 0;
	pid_t pid;
	FILE *f = list_libraries(path, argv, environment, &pid);
	while (f && fgets(line, sizeof line, f)) {
		char *name = line + strspn(line, " \t");
		if (!strstr(name, "=> not found"))
			continue;
		name[strcspn(name, " ")] = 0;
		if (used < sizeof missing && !strstr(missing, name))
			used += (size_t)snprintf(
			    missing + used, sizeof missing - used, "%s%s", used ? ", " : "", name);
	}
	if (f) {
		fclose(f);
		waitpid(pid, NULL, 0);
	}
	if (!*missing)
		return 0;
	return tool_fail(
	    t, -WCP_EDATA, "%s: libraries that it needs are not installed here: %s", path, missing);
}

/* ---- the file ------------------------------------------------------------------------------- */

static int
check_bytes(
    const struct tool *t, const char *path, const void *data, size_t bytes, uint32_t capability)
{
	struct wcp_error e = {0};
	struct wcp_cuda_file c;
	int status = 0;
	if (wcp_cuda_file_read(&c, data, bytes, &e) < 0)
		return tool_error(t, path, &e);
	if (wcp_cuda_file_check(&c, capability, &e) < 0)
		status = tool_error(t, path, &e);
	else if (c.runtime_version && c.runtime_version != VERSION)
		status = tool_fail(t, -WCP_EDATA,
		    "%s: loads the CUDA runtime of version %u; there is version %u here: rebuild "
		    "it with nvcc %u",
		    path, c.runtime_version, VERSION, VERSION);
	wcp_fatbin_release(&c.fatbin);
	return status;
}

/* Of another user or group than ours. */
static bool
takes_rights(const struct stat *st)
{
	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != getegid());
}

static int
check_file(const struct tool *t, const char *path, uint32_t capability, bool *is_script)
{
	struct stat st = {0};
	struct wcp_error e = {0};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED) {
		if (fd >= 0 && !st.st_size)
			wcp_fail(&e, WCP_EUSAGE, "the file is empty");
		else
			wcp_fail_errno(&e, "cannot read");
		return tool_error(t, path, &e);
	}
	if (takes_rights(&st)) {
		wcp_fail(&e, WCP_EDATA,
		    "runs with its owner's rights (setuid or setgid): no library can be put before "
		    "its own; run a copy without them");
		munmap(p, (size_t)st.st_size);
		return tool_error(t, path, &e);
	}
	*is_script = st.st_size > 2 && !memcmp(p, "#!", 2);
	const int status = *is_script ? 0 : check_bytes(t, path, p, (size_t)st.st_size, capability);
	munmap(p, (size_t)st.st_size);
	return status;
}

int
program_check(
    const struct tool *t, const char *path, char **argv, char **environment, uint32_t capability)
{
	bool is_script = false;
	const int status = check_file(t, path, capability, &is_script);
	return status || is_script ? status : check_libraries(t, path, argv, environment);
}

/*
 * Does work grow as streams do? A launch that adds vectors is repeated 10, 100 and 1000 times (10^6
 * to 10^8 accesses) and recorded, flattened and sent through a cache and a reuse stack. Processor
 * time an access, as a multiple of that at 10^6, and the largest memory of a process at 10^8 beside
 * that at 10^6. The tools are taken from PATH.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct cost {
	double seconds;
	double peak_mib;
};

static struct cost
run(const char *command)
{
	int status;
	struct rusage u;
	pid_t pid = fork();
	if (pid == 0) {
		execlp("bash", "bash", "-o", "pipefail", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &u) < 0 || status != 0) {
		fprintf(stderr, "growth: failed: %s\n", command);
		exit(4);
	}
	return (struct cost){
	    .seconds = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
	    .peak_mib = (double)u.ru_maxrss / 1024,
	};
}

static const struct step {
	const char *name, *command;
} steps[] = {
    {"warpcap", "warpcap --no-progress --ptx a.ptx --launch a$N.launch -o a.wcp"},
    {"warpflat", "warpflat -q a.wcp -o b.wcp"},
    {"warpreuse", "warpreuse b.wcp -r /dev/null"},
    {"warpcache", "warpcache b.wcp -r /dev/null"},
};

enum { STEPS = sizeof steps / sizeof steps[0], SIZES = 3 };

static void
write_launch(int repeats)
{
	char name[40];
	snprintf(name, sizeof name, "a%d.launch", repeats);
	FILE *f = fopen(name, "w");
	if (!f)
		exit(4);
	fprintf(f,
	    "buffer a f32[1048576] = i\nbuffer b f32[1048576] = i\nbuffer c f32[1048576]\n"
	    "repeat %d\nlaunch vectoradd(&a, &b, &c, 1048576) grid 4096 block 256\nend\n",
	    repeats);
	fclose(f);
}

int
main(void)
{
	static const int repeats[SIZES] = {10, 100, 1000};
	char directory[] = "/tmp/bench_growth.XXXXXX";
	struct cost cost[STEPS][SIZES];
	if (!mkdtemp(directory) || chdir(directory))
		return 4;
	run("warpcap -w vectoradd --print-ptx >a.ptx");
	for (int size = 0; size < SIZES; size++) {
		write_launch(repeats[size]);
		for (int s = 0; s < STEPS; s++) {
			char command[200];
			snprintf(
			    command, sizeof command, "N=%d; %s", repeats[size], steps[s].command);
			cost[s][size] = run(command);
		}
	}
	for (int s = 0; s < STEPS; s++) {
		double first = cost[s][0].seconds / repeats[0];
		for (int size = 1; size < SIZES; size++)
			printf("growth-%s-1e%d %.3f ratio 1.2\n", steps[s].name, 6 + size,
			    cost[s][size].seconds / repeats[size] / first);
		printf("peak-memory-%s-1e8 %.0f MiB - at-1e6 %.0f\n", steps[s].name,
		    cost[s][2].peak_mib, cost[s][0].peak_mib);
	}
	run("rm -rf \"$PWD\"");
	return 0;
}

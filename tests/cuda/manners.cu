// nvcc -Xcompiler -pthread
// Programs that start others, leave early or handle signals: manners WAY.
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include "check.h"

extern char **environ;
static char *self;

__global__ void
add(int *p, int n)
{
	atomicAdd(p, n);
}

// One kernel, by this process.
static void
work(int n)
{
	int *p, got;
	OK(cudaMalloc(&p, sizeof *p));
	OK(cudaMemset(p, 0, sizeof *p));
	add<<<1, 32>>>(p, n);
	OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 32 * n);
	OK(cudaFree(p));
}

static void
ended(pid_t child)
{
	int status;
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void
starts_others()
{
	char one[] = "one", *argv[] = {self, one, nullptr};
	pid_t child;
	work(1);
	CHECK(posix_spawn(&child, self, nullptr, nullptr, argv, environ) == 0);
	ended(child);
	child = vfork();
	if (child == 0) {
		execv(self, argv);
		_exit(9);
	}
	ended(child);
	CHECK(system((std::string(self) + " one").c_str()) == 0);
	work(2);
	execv(self, argv);
}

static void
many()
{
	std::vector<cudaStream_t> s(10000);
	std::vector<cudaEvent_t> e(10000);
	int *p, got;
	OK(cudaMalloc(&p, sizeof *p));
	OK(cudaMemset(p, 0, sizeof *p));
	for (size_t i = 0; i < s.size(); i++) {
		OK(cudaStreamCreate(&s[i]));
		OK(cudaEventCreate(&e[i]));
		if (i % 10 == 0)
			add<<<1, 1, 0, s[i]>>>(p, 1);
		OK(cudaEventRecord(e[i], s[i]));
		OK(cudaStreamWaitEvent(s[i / 2], e[i], 0));
	}
	for (size_t i = 0; i < s.size(); i++) {
		OK(cudaEventSynchronize(e[i]));
		OK(cudaStreamDestroy(s[i]));
		OK(cudaEventDestroy(e[i]));
	}
	OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == 1000);
}

// Threads that are never joined; the first ends before them.
static void
leaves_threads()
{
	for (int i = 0; i < 4; i++)
		std::thread([i] {
			work(i + 1);
			usleep(20000);
			work(i + 2);
		}).detach();
	pthread_exit(nullptr);
}

static void CUDART_CB
leave(void *)
{
	std::puts("left");
	std::exit(0);
}

__global__ void
wait_for(volatile int *flag)
{
	while (!*flag)
		;
}

static void
leaves_in_callback(bool waits)
{
	int *flag;
	OK(cudaMallocManaged(&flag, sizeof *flag));
	*flag = 0;
	work(1);
	if (waits)
		wait_for<<<1, 1>>>(flag);
	OK(cudaLaunchHostFunc(0, leave, nullptr));
	*(volatile int *)flag = 1;
	OK(cudaDeviceSynchronize());
	sleep(5);
	std::puts("stayed");
}

static void
on_fault(int, siginfo_t *info, void *)
{
	static const char text[] = "own handler\n";
	if (write(1, text, sizeof text - 1) < 0)
		_exit(2);
	_exit(info->si_addr ? 0 : 1);
}

static void
handles(bool early)
{
	struct sigaction a = {}, old;
	a.sa_sigaction = on_fault;
	a.sa_flags = SA_SIGINFO;
	if (early)
		sigaction(SIGSEGV, &a, nullptr);
	work(1);
	if (!early)
		sigaction(SIGSEGV, &a, &old);
	*(volatile int *)16 = 1;
}

// One thread launches on and on while another ends the program.
static void
leaves_midway()
{
	int *p;
	OK(cudaMalloc(&p, sizeof *p));
	std::thread([p] {
		for (;;)
			add<<<8, 256>>>(p, 1);
	}).detach();
	usleep(5000);
	std::exit(passed());
}

int
main(int, char **argv)
{
	const char *way = argv[1];
	self = argv[0];
	if (!strcmp(way, "one"))
		work(1);
	else if (!strcmp(way, "others"))
		starts_others();
	else if (!strcmp(way, "many"))
		many();
	else if (!strcmp(way, "threads"))
		leaves_threads();
	else if (!strcmp(way, "callback"))
		leaves_in_callback(false);
	else if (!strcmp(way, "late callback"))
		leaves_in_callback(true);
	else if (!strcmp(way, "midway"))
		leaves_midway();
	else if (!strcmp(way, "handler"))
		handles(true);
	else if (!strcmp(way, "late handler"))
		handles(false);
	return passed();
}

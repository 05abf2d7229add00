// A program that forks: before it uses the device both may; after that the child is refused.
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

__global__ void
set(int *p, int value)
{
	*p = value;
}

static void
work(int value)
{
	int *p, got;
	OK(cudaMalloc(&p, sizeof *p));
	for (int i = 0; i < 5; i++)
		set<<<1, 1>>>(p, value + i);
	OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got == value + 4);
	OK(cudaFree(p));
}

static int
status_of(pid_t pid)
{
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int
main()
{
	std::fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		work(100);
		std::exit(0);
	}
	work(200);
	CHECK(status_of(child) == 0);
	child = fork();
	if (child == 0) {
		int *p;
		FAILS(cudaErrorInitializationError, cudaMalloc(&p, 4));
		_exit(3);
	}
	CHECK(status_of(child) == 3);
	work(300);
	return passed();
}

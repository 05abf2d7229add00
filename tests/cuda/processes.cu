// Memory and events of one process in another: what one writes the other sees.
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static const int N = 3000, BUFFERS = 3;

struct Handles {
	cudaIpcMemHandle_t memory[BUFFERS];
	cudaIpcEventHandle_t event;
};

__global__ void
add(int *p, int n, int what)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += what;
}

// Opens what the parent shares, adds to it, and copies out what the parent has put there.
static int
child(int in, int out)
{
	Handles h;
	int *p[BUFFERS], value[N];
	cudaEvent_t ready;
	CHECK(read(in, &h, sizeof h) == sizeof h);
	OK(cudaIpcOpenEventHandle(&ready, h.event));
	OK(cudaStreamWaitEvent(0, ready, 0));
	OK(cudaEventSynchronize(ready));
	for (int b = 0; b < BUFFERS; b++) {
		cudaPointerAttributes a;
		OK(cudaIpcOpenMemHandle(
		    (void **)&p[b], h.memory[b], cudaIpcMemLazyEnablePeerAccess));
		OK(cudaPointerGetAttributes(&a, p[b]));
		CHECK(a.type == cudaMemoryTypeDevice);
		OK(cudaMemcpy(value, p[b], sizeof value, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			CHECK(value[i] == 100 * b + 1);
		add<<<(N + 255) / 256, 256>>>(p[b], N, b + 10);
	}
	OK(cudaDeviceSynchronize());
	// more than the way to the recording holds, while the parent waits
	for (int i = 0; i < 400; i++)
		add<<<(N + 255) / 256, 256>>>(p[0], N, i % 2 ? 1 : -1);
	OK(cudaDeviceSynchronize());
	for (int b = 0; b < BUFFERS; b++)
		OK(cudaIpcCloseMemHandle(p[b]));
	FAILS(cudaErrorInvalidValue, cudaIpcCloseMemHandle(p[0]));
	FAILS(cudaErrorInvalidValue, cudaIpcOpenMemHandle((void **)&p[0], h.memory[0], 0));
	OK(cudaEventDestroy(ready));
	CHECK(write(out, "x", 1) == 1);
	return 0;
}

int
main()
{
	int down[2], up[2], status, value[N];
	char done;
	CHECK(pipe(down) == 0 && pipe(up) == 0);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(child(down[0], up[1]));

	Handles h;
	int *p[BUFFERS], *again;
	cudaEvent_t ready, plain;
	OK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming | cudaEventInterprocess));
	OK(cudaEventCreate(&plain));
	FAILS(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&h.event, plain));
	OK(cudaIpcGetEventHandle(&h.event, ready));
	for (int b = 0; b < BUFFERS; b++) { // they share pages
		OK(cudaMalloc(&p[b], N * sizeof(int)));
		OK(cudaMemset(p[b], 0, N * sizeof(int)));
		add<<<(N + 255) / 256, 256>>>(p[b], N, 100 * b);
		OK(cudaIpcGetMemHandle(&h.memory[b], p[b]));
		add<<<(N + 255) / 256, 256>>>(p[b], N, 1);
	}
	OK(cudaEventRecord(ready));
	FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&h.memory[0], p[0] + 1));
	FAILS(cudaErrorDeviceUninitialized,
	    cudaIpcOpenMemHandle((void **)&again, h.memory[0], cudaIpcMemLazyEnablePeerAccess));
	OK(cudaDeviceSynchronize());
	CHECK(write(down[1], &h, sizeof h) == sizeof h);
	CHECK(read(up[0], &done, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	for (int b = 0; b < BUFFERS; b++) {
		OK(cudaMemcpy(value, p[b], sizeof value, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			CHECK(value[i] == 100 * b + 1 + b + 10);
		OK(cudaFree(p[b]));
	}
	OK(cudaMalloc(&again, sizeof value)); // fresh memory is fresh
	OK(cudaMemset(again, 0, sizeof value));
	OK(cudaFree(again));
	return passed();
}

/* Code that a program loads while it runs: PTX from memory, fat binaries from files. */
#include <cstring>
#include <fstream>
#include "check.h"

static const char ptx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 plus = 5;
.visible .entry add(.param .u64 to)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [to];
	mov.u32 %r1, %tid.x;
	ld.global.u32 %r2, [plus];
	add.u32 %r2, %r1, %r2;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r2;
	ret;
}
.visible .global .attribute(.managed) .align 8 .u64 times = 3;
.visible .entry treble()
{
	.reg .b64 %rd<2>;
	ld.global.u64 %rd1, [times];
	mul.lo.u64 %rd1, %rd1, 3;
	st.global.u64 [times], %rd1;
	ret;
}
.visible .entry nothing() { ret; }
.visible .entry never() { wgmma.fence.sync.aligned; ret; }
)";

static void
from_memory()
{
	cudaLibrary_t library;
	cudaKernel_t kernel, all[4];
	int *out, plus = 7;
	void *at;
	size_t bytes;
	unsigned n;
	OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&kernel, library, "add"));
	OK(cudaMallocManaged(&out, 64 * sizeof *out));
	void *args[] = {&out};
	OK(cudaLaunchKernel(kernel, dim3(1), dim3(64), args, 0, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 5 && out[63] == 68);
	OK(cudaLibraryGetGlobal(&at, &bytes, library, "plus"));
	CHECK(bytes == 4);
	OK(cudaMemcpy(at, &plus, 4, cudaMemcpyDefault));
	OK(cudaLaunchKernel(kernel, dim3(1), dim3(64), args, 0, 0));
	OK(cudaDeviceSynchronize());
	CHECK(out[63] == 70);
	OK(cudaLibraryGetKernelCount(&n, library));
	CHECK(n == 4);
	OK(cudaLibraryEnumerateKernels(all, 4, library));
	CHECK(all[0] == kernel && all[1] && all[1] != kernel);
	const char *name;
	OK(cudaFuncGetName(&name, all[2]));
	CHECK(!strcmp(name, "nothing"));
	FAILS(cudaErrorNotSupported, cudaLaunchKernel(all[3], dim3(1), dim3(1), NULL, 0, 0));
	CHECK(cudaGetLastError() == cudaErrorNotSupported);
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "nosuch"));
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&at, &bytes, library, "nosuch"));
	OK(cudaLibraryUnload(library));
	FAILS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
	FAILS(cudaErrorInvalidDeviceFunction,
	    cudaLaunchKernel(all[0], dim3(1), dim3(64), args, 0, 0));
	OK(cudaFree(out));
}

/* A managed variable of a library is the host's as well. */
static void
managed()
{
	cudaLibrary_t library;
	cudaKernel_t treble;
	cudaPointerAttributes is;
	void *at = NULL;
	size_t bytes = 0;
	OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&treble, library, "treble"));
	OK(cudaLibraryGetManaged(&at, &bytes, library, "times"));
	CHECK(at && bytes == 8);
	volatile unsigned long long *times = (volatile unsigned long long *)at;
	CHECK(*times == 3);
	*times = 5;
	OK(cudaLaunchKernel(treble, dim3(1), dim3(1), NULL, 0, 0));
	OK(cudaDeviceSynchronize());
	CHECK(*times == 15);
	OK(cudaPointerGetAttributes(&is, at));
	CHECK(is.type == cudaMemoryTypeManaged && is.hostPointer == at);
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&at, &bytes, library, "plus"));
	FAILS(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&at, &bytes, library, "nosuch"));
	CHECK(at == times);
	OK(cudaLibraryUnload(library));
}

static void
from_file(const char *path)
{
	cudaLibrary_t library;
	cudaKernel_t kernel;
	float *x;
	int n = 10;
	OK(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&kernel, library, "scale"));
	OK(cudaMallocManaged(&x, n * sizeof *x));
	for (int i = 0; i < n; i++)
		x[i] = (float)i;
	void *args[] = {&x, &n};
	OK(cudaLaunchKernel(kernel, dim3(1), dim3(32), args, 0, 0));
	OK(cudaDeviceSynchronize());
	CHECK(x[9] == 18);
	OK(cudaFree(x));
}

static void
wrong()
{
	cudaLibrary_t library;
	FAILS(cudaErrorInvalidPtx,
	    cudaLibraryLoadData(&library, "no code", NULL, NULL, 0, NULL, NULL, 0));
	FAILS(cudaErrorNoKernelImageForDevice,
	    cudaLibraryLoadData(&library, "\177ELF and so on", NULL, NULL, 0, NULL, NULL, 0));
	FAILS(cudaErrorFileNotFound,
	    cudaLibraryLoadFromFile(&library, "nosuch", NULL, NULL, 0, NULL, NULL, 0));
	FAILS(cudaErrorInvalidValue, cudaLibraryLoadData(NULL, ptx, NULL, NULL, 0, NULL, NULL, 0));
}

int
main(int argc, char **argv)
{
	std::ofstream("library.ptx") << ptx;
	cudaLibrary_t library;
	OK(cudaLibraryLoadFromFile(&library, "library.ptx", NULL, NULL, 0, NULL, NULL, 0));
	from_memory();
	managed();
	for (int i = 1; i < argc; i++)
		from_file(argv[i]);
	if (argc < 2)
		wrong();
	return passed();
}

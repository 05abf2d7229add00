/* A kernel that the program compiles while it runs, to machine code for this very device: argument
 * 1 is NVRTC's library.
 */
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>
#include "check.h"

using program = struct program_ *;

template <typename F>
static F *
named(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	CHECK(p);
	return (F *)p;
}

template <typename F>
static F *
driver(const char *name)
{
	void *p;
	cudaDriverEntryPointQueryResult found;
	OK(cudaGetDriverEntryPointByVersion(name, &p, 12000, 0, &found));
	return (F *)p;
}

int
main(int argc, char **argv)
{
	const char *text =
	    "extern \"C\" __global__ void square(int *a) { a[threadIdx.x] *= a[threadIdx.x]; }";
	CHECK(argc == 2 && dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL));
	int major, minor;
	OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	OK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
	const std::string number = std::to_string(10 * major + minor);
	for (const std::string kind : {"compute_", "sm_"}) {
		const std::string option = "--gpu-architecture=" + kind + number;
		const char *options[] = {option.c_str()};
		program p;
		size_t bytes;
		CHECK(!named<int(program *, const char *, const char *, int, const char **,
			  const char **)>("nvrtcCreateProgram")(
		    &p, text, "square.cu", 0, NULL, NULL));
		CHECK(
		    !named<int(program, int, const char **)>("nvrtcCompileProgram")(p, 1, options));
		CHECK(!named<int(program, size_t *)>("nvrtcGetCUBINSize")(p, &bytes));
		CHECK((kind == "compute_") == !bytes);
		if (!bytes)
			continue;
		std::vector<char> image(bytes);
		CHECK(!named<int(program, char *)>("nvrtcGetCUBIN")(p, image.data()));
		void *module, *kernel;
		int *a;
		OK(cudaMallocManaged(&a, 32 * sizeof *a));
		CHECK(
		    !driver<int(void **, const void *)>("cuModuleLoadData")(&module, image.data()));
		CHECK(!driver<int(void **, void *, const char *)>("cuModuleGetFunction")(
		    &kernel, module, "square"));
		for (int i = 0; i < 32; i++)
			a[i] = i;
		void *arguments[] = {&a};
		CHECK(!driver<int(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
			  unsigned, unsigned, void *, void **, void **)>("cuLaunchKernel")(
		    kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
		OK(cudaDeviceSynchronize());
		for (int i = 0; i < 32; i++)
			CHECK(a[i] == i * i);
	}
	return passed();
}

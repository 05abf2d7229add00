/* Calls of the driver, found as programs do that are not linked with it. */
#ifndef DRIVER_H
#define DRIVER_H

#include <cuda.h>
#include <dlfcn.h>
#include "check.h"

static void *driver;

template <typename F>
static F *
find(const char *name)
{
	F *f = (F *)dlsym(driver, name);
	CHECK(f);
	return f;
}
#define TEXT(x)	  #x
#define NAMED(fn) find<decltype(fn)>(TEXT(fn))
#define CALL(fn, ...)                                                                       \
	do {                                                                                \
		const CUresult got_ = NAMED(fn)(__VA_ARGS__);                               \
		if (got_ != CUDA_SUCCESS)                                                   \
			std::printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #fn, (int)got_), \
			    std::exit(1);                                                   \
	} while (0)
#define REFUSES(number, fn, ...) CHECK(NAMED(fn)(__VA_ARGS__) == number)

static inline void
driver_open(void)
{
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	CHECK(driver);
}

#endif

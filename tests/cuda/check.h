/* For programs that check themselves: the first thing that is wrong is said and ends the program.
 */
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)       \
	((condition) ? (void)0 \
		     : (std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

/* A call of the runtime that must succeed, or fail with a certain error. */
#define OK(call) FAILS(cudaSuccess, call)
#define FAILS(expected, call)                                                             \
	do {                                                                              \
		const cudaError_t got_ = (call);                                          \
		if (got_ != (expected)) {                                                 \
			std::printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, \
			    cudaGetErrorName(got_), cudaGetErrorName(expected));          \
			std::exit(1);                                                     \
		}                                                                         \
	} while (0)

/* The last words of a program that found nothing wrong. */
static int
passed(void)
{
	std::puts("passed");
	return 0;
}

#endif

/*
 * Kernels that launch kernels: CUDA's device runtime, and the three forms that each such workload
 * has from one source. What a thread has to do goes to a child kernel where it is more than a
 * threshold; flat, nothing does; with fallback, the thread does it itself when the launch is
 * refused.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "device.h"

enum form { FLAT, CHILD, FALLBACK };

struct extent {
	unsigned x, y, z;
};

extern "C" __attribute__((device)) void *__cudaCDP2GetParameterBufferV2(
    void *kernel, struct extent grid, struct extent block, unsigned shared_bytes);
extern "C" __attribute__((device)) int __cudaCDP2LaunchDeviceV2(void *buffer, void *stream);

/* Brings the declarations, which the text below would not. */
static __attribute__((device, used)) void
declare_runtime()
{
	__cudaCDP2LaunchDeviceV2(__cudaCDP2GetParameterBufferV2(0, {1, 1, 1}, {1, 1, 1}, 0), 0);
}

/* The address of a kernel, of its own type: the language has none on the device. */
#define ENTRY(kernel)                                           \
	({                                                      \
		decltype(&kernel) entry_;                       \
		asm("mov.u64 %0, " #kernel ";" : "=l"(entry_)); \
		entry_;                                         \
	})

/* In text, since the compiler would build the extents in local memory. 0: refused. */
DEVICE char *
parameter_buffer(const void *kernel, unsigned grid, unsigned block)
{
	char *buffer;
	asm volatile(
	    "{ .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; "
	    ".param .b64 r;\n\t"
	    "st.param.b64 [k], %1; st.param.b32 [g], %2; st.param.b32 [g+4], 1; st.param.b32 "
	    "[g+8], 1;\n\t"
	    "st.param.b32 [b], %3; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], "
	    "0;\n\t"
	    "call.uni (r), __cudaCDP2GetParameterBufferV2, (k, g, b, s); ld.param.b64 %0, [r]; }"
	    : "=l"(buffer)
	    : "l"(kernel), "r"(grid), "r"(block)
	    : "memory");
	return buffer;
}

/* Arguments lie as parameters do: each at a multiple of its alignment. */
DEVICE void
put_arguments(char *, unsigned long)
{
}

template <typename T, typename... Rest>
DEVICE void
put_arguments(char *buffer, unsigned long offset, T first, Rest... rest)
{
	offset = (offset + alignof(T) - 1) / alignof(T) * alignof(T);
	*(T *)(buffer + offset) = first;
	put_arguments(buffer, offset + sizeof(T), rest...);
}

template <typename T> struct exactly {
	typedef T type;
};

/*
 * Launches a kernel, in no order with others (cudaStreamFireAndForget). work is what the thread
 * would have to do itself, in steps of its loop: warpcap keeps what a register of that name holds
 * as the estimate of the launch; on hardware it costs nothing.
 */
template <typename... A>
DEVICE bool
launch(unsigned long long work, void (*kernel)(A...), unsigned grid, unsigned block,
    typename exactly<A>::type... argument)
{
	asm volatile("{ .reg .b64 warpcap_workload; mov.b64 warpcap_workload, %0; }" : : "l"(work));
	char *buffer = parameter_buffer((const void *)kernel, grid, block);
	if (!buffer)
		return false;
	put_arguments(buffer, 0, argument...);
	return __cudaCDP2LaunchDeviceV2(buffer, (void *)4) == 0;
}

/* Is the work a child kernel's? If not, it is the thread's. */
template <enum form F, typename... A>
DEVICE bool
handed_over(int work, int threshold, void (*kernel)(A...), unsigned grid, unsigned block,
    typename exactly<A>::type... argument)
{
	if (F == FLAT || work <= threshold)
		return false;
	bool launched = launch(work, kernel, grid, block, argument...);
	return F == CHILD || launched;
}

#endif

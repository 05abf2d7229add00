/*
 * The device's side of functions.h: a kernel for each. functions-O0.ptx and functions-O2.ptx come from
 *   clang -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_60 -ffp-contract=off
 *   -S -fdeclspec -O0 (-O2) functions.cu
 */
#define DEVICE static __attribute__((device))
#include "functions.h"

#define KERNEL(name)                                                                                         \
	extern "C" __attribute__((global)) void k_##name(u32 *out)                                           \
	{                                                                                                    \
		u32 t = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +                     \
			__nvvm_read_ptx_sreg_tid_x();                                                        \
		out[t] = name(t);                                                                            \
	}
EACH_FUNCTION(KERNEL)

/*
 * What a kernel needs of CUDA, in terms of clang's own builtins: no SDK header is used.
 *   clang -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib
 * Products and sums are contracted only where a kernel says FMA, so that a CPU repeats them bit for
 * bit.
 */
#ifndef DEVICE_H
#define DEVICE_H

#define KERNEL	 extern "C" __attribute__((global)) void
#define DEVICE	 static inline __attribute__((device, always_inline))
#define SHARED	 static __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define ROLLED	 _Pragma("unroll 1")
#define UNROLLED _Pragma("unroll")

#define TID_X	 ((int)__nvvm_read_ptx_sreg_tid_x())
#define TID_Y	 ((int)__nvvm_read_ptx_sreg_tid_y())
#define CTA_X	 ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define CTA_Y	 ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define BLOCK_X	 ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCK_Y	 ((int)__nvvm_read_ptx_sreg_ntid_y())
#define GRID_X	 ((int)__nvvm_read_ptx_sreg_nctaid_x())
#define GRID_Y	 ((int)__nvvm_read_ptx_sreg_nctaid_y())
#define GLOBAL_X (CTA_X * BLOCK_X + TID_X)
#define GLOBAL_Y (CTA_Y * BLOCK_Y + TID_Y)

#define BARRIER	     __syncthreads()
#define FMA(a, b, c) __builtin_fmaf(a, b, c)

/* By the special function units: as accurate as they are. */
#define EXP(x) __nvvm_ex2_approx_f((x)*1.4426950408889634f)
#define LOG(x) (__nvvm_lg2_approx_f(x) * 0.6931471805599453f)

/* Every lane of the warp takes part. */
#define SHUFFLE_DOWN(value, lanes) __nvvm_shfl_sync_down_f32(0xffffffffu, value, lanes, 31)

/* Reductions: nothing comes back, so no order of CTAs is implied. */
DEVICE void
reduce_add_shared(unsigned *to, unsigned value)
{
	__attribute__((address_space(3))) unsigned *at =
	    (__attribute__((address_space(3))) unsigned *)to;
	asm volatile("red.shared.add.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

DEVICE void
reduce_add_global(unsigned *to, unsigned value)
{
	__attribute__((address_space(1))) unsigned *at =
	    (__attribute__((address_space(1))) unsigned *)to;
	asm volatile("red.global.add.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

DEVICE void
reduce_min_global(int *to, int value)
{
	__attribute__((address_space(1))) int *at = (__attribute__((address_space(1))) int *)to;
	asm volatile("red.global.min.s32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

DEVICE void
reduce_add_global(float *to, float value)
{
	__attribute__((address_space(1))) float *at = (__attribute__((address_space(1))) float *)to;
	asm volatile("red.global.add.f32 [%0], %1;" : : "l"(at), "f"(value) : "memory");
}

DEVICE void
reduce_min_global(unsigned long long *to, unsigned long long value)
{
	__attribute__((address_space(1))) unsigned long long *at =
	    (__attribute__((address_space(1))) unsigned long long *)to;
	asm volatile("red.global.min.u64 [%0], %1;" : : "l"(at), "l"(value) : "memory");
}

/* What comes back depends on the order of threads. */
DEVICE unsigned
fetch_add_global(unsigned *at, unsigned value)
{
	__attribute__((address_space(1))) unsigned *global =
	    (__attribute__((address_space(1))) unsigned *)at;
	unsigned before;
	asm volatile("atom.global.add.u32 %0, [%1], %2;"
		     : "=r"(before)
		     : "l"(global), "r"(value)
		     : "memory");
	return before;
}

#endif

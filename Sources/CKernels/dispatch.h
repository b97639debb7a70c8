// How a kernel is compiled for several instruction sets and the best one chosen at run time.
#ifndef DISPATCH_H
#define DISPATCH_H

#include "CKernels.h"

// Wide vectors as parameters have no stable calling convention: here they never cross a call, all bodies are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

/// The level in use, from when the program was loaded.
extern _Atomic int32_t kernels_chosen_level;

static inline int32_t kernels_level(void) { return __c11_atomic_load(&kernels_chosen_level, __ATOMIC_RELAXED); }

/// A body to be inlined into one function per instruction set.
#define KERNEL_BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define KERNEL_AVX2 __attribute__((target("avx2,fma,bmi,bmi2,popcnt")))
#define KERNEL_AVX512                                                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,"                            \
                          "avx2,fma,bmi,bmi2,popcnt")))
#define HAS_AVX2 (kernels_level() >= KERNELS_AVX2)
#define HAS_AVX512 (kernels_level() >= KERNELS_AVX512)
#endif

#endif

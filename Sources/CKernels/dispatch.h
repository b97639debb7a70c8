// How a kernel is compiled for several instruction sets and the best one chosen at run time.
#ifndef DISPATCH_H
#define DISPATCH_H

// Wide vectors as parameters have no stable calling convention: here they never cross a call, all bodies are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

/// A body to be inlined into one function per instruction set.
#define KERNEL_BODY static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define KERNEL_AVX2 __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#define KERNEL_AVX512                                                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#define HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
#define HAS_AVX512                                                                                                     \
    (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw")                                   \
     && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && HAS_AVX2)
#endif

#endif

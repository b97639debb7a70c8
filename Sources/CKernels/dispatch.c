// Which instruction set the kernels use.

#include "dispatch.h"

#include "CKernels.h"

_Atomic int32_t kernels_chosen_level = KERNELS_PLAIN;

static int32_t best_level(void) {
#if defined(__x86_64__)
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
               && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    int avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                 && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
                 && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
    if (avx2) return avx512 ? KERNELS_AVX512 : KERNELS_AVX2;
#endif
    return KERNELS_PLAIN;
}

__attribute__((constructor)) static void choose_level(void) { kernels_limit_level(KERNELS_AVX512); }

int32_t kernels_limit_level(int32_t level) {
    int32_t best = best_level();
    int32_t chosen = level < best ? level : best;
    __c11_atomic_store(&kernels_chosen_level, chosen, __ATOMIC_RELAXED);
    return chosen;
}

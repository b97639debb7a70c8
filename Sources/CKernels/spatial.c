// Boxes and points in space against a sphere: sixteen boxes, sixty-four points at a time.

#include "CKernels.h"
#include "dispatch.h"

typedef float float16 __attribute__((ext_vector_type(16)));
typedef int32_t int16x __attribute__((ext_vector_type(16)));
typedef _Bool mask16 __attribute__((ext_vector_type(16)));

KERNEL_BODY float16 load(const float *p) {
    float16 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

KERNEL_BODY void store(float *p, float16 v) { __builtin_memcpy(p, &v, sizeof v); }

KERNEL_BODY uint32_t bits(int16x comparison) {
    return __builtin_bit_cast(uint16_t, __builtin_convertvector(comparison, mask16));
}

/// Squares of the shortest and the longest way along one axis from `center` into the intervals.
KERNEL_BODY void along_axis(const float *intervals, float center, float16 *near, float16 *far) {
    float16 below = load(intervals) - center, above = center - load(intervals + 16);
    float16 out = __builtin_elementwise_max(__builtin_elementwise_max(below, above), (float16)0);
    float16 across = __builtin_elementwise_max(-below, -above);
    *near += out * out;
    *far += across * across;
}

KERNEL_BODY uint32_t boxes_classify(const float *boxes, const kernels_chord_test *test, uint32_t *outside) {
    float16 near = 0, far = 0;
    along_axis(boxes, test->x, &near, &far);
    along_axis(boxes + 32, test->y, &near, &far);
    along_axis(boxes + 64, test->z, &near, &far);
    *outside = bits((far < test->surely_under) | (near > test->surely_over));
    return bits((near > test->surely_above) & (far < test->surely_below));
}

KERNEL_BODY void boxes_chords(const float *boxes, float x, float y, float z, float *out) {
    float16 near = 0, far = 0;
    along_axis(boxes, x, &near, &far);
    along_axis(boxes + 32, y, &near, &far);
    along_axis(boxes + 64, z, &near, &far);
    store(out, near);
}

KERNEL_BODY float16 chords(const float *xs, const float *ys, const float *zs, float x, float y, float z) {
    float16 dx = load(xs) - x, dy = load(ys) - y, dz = load(zs) - z;
    return dx * dx + dy * dy + dz * dz;
}

KERNEL_BODY uint64_t points_classify(const float *x, const float *y, const float *z, const kernels_chord_test *test,
                                     uint64_t *undecided) {
    uint64_t in = 0, open = 0;
    for (int i = 0; i < 64; i += 16) {
        float16 chord = chords(x + i, y + i, z + i, test->x, test->y, test->z);
        uint32_t in16 = bits((chord > test->surely_above) & (chord < test->surely_below));
        uint32_t out16 = bits((chord < test->surely_under) | (chord > test->surely_over));
        in |= (uint64_t)in16 << i;
        open |= (uint64_t)(uint16_t)~(in16 | out16) << i;
    }
    *undecided = open;
    return in;
}

KERNEL_BODY void points_chords(const float *xs, const float *ys, const float *zs, float x, float y, float z,
                               float *out) {
    for (int i = 0; i < 64; i += 16) store(out + i, chords(xs + i, ys + i, zs + i, x, y, z));
}

#if defined(__x86_64__)
#define FOR_EACH_TARGET(type, name, parameters, arguments)                                                             \
    KERNEL_AVX512 static type name##_avx512 parameters { return name arguments; }                                      \
    KERNEL_AVX2 static type name##_avx2 parameters { return name arguments; }                                          \
    type kernels_##name parameters {                                                                                   \
        if (HAS_AVX512) return name##_avx512 arguments;                                                                \
        if (HAS_AVX2) return name##_avx2 arguments;                                                                    \
        return name arguments;                                                                                         \
    }
#else
#define FOR_EACH_TARGET(type, name, parameters, arguments)                                                             \
    type kernels_##name parameters { return name arguments; }
#endif

FOR_EACH_TARGET(uint32_t, boxes_classify, (const float *boxes, const kernels_chord_test *test, uint32_t *outside),
                (boxes, test, outside))
FOR_EACH_TARGET(uint64_t, points_classify,
                (const float *x, const float *y, const float *z, const kernels_chord_test *test, uint64_t *undecided),
                (x, y, z, test, undecided))
FOR_EACH_TARGET(void, boxes_chords, (const float *boxes, float x, float y, float z, float *out), (boxes, x, y, z, out))
FOR_EACH_TARGET(void, points_chords,
                (const float *xs, const float *ys, const float *zs, float x, float y, float z, float *out),
                (xs, ys, zs, x, y, z, out))

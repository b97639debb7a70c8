// Ascending lists of numbers: set algebra by merging, by searching, and against bitmaps.

#include "CKernels.h"
#include "dispatch.h"

typedef uint32_t uint32x16 __attribute__((ext_vector_type(16)));
typedef int32_t int32x16 __attribute__((ext_vector_type(16)));
typedef _Bool mask16 __attribute__((ext_vector_type(16)));

// MARK: against bitmaps

void kernels_list_set_bits(const uint32_t *list, size_t count, uint64_t *words) {
    for (size_t i = 0; i < count; i++) words[list[i] >> 6] |= (uint64_t)1 << (list[i] & 63);
}

static inline uint32_t has(const uint64_t *words, uint32_t member) {
    return (uint32_t)(words[member >> 6] >> (member & 63)) & 1;
}

size_t kernels_list_filter(const uint32_t *list, size_t count, const uint64_t *words, uint32_t bit, uint32_t *out) {
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t member = list[i];
        out[written] = member;
        written += has(words, member) == bit;
    }
    return written;
}

size_t kernels_list_filter_count(const uint32_t *list, size_t count, const uint64_t *words) {
    size_t members = 0;
    for (size_t i = 0; i < count; i++) members += has(words, list[i]);
    return members;
}

// MARK: list with list

/// The first position from `start` on whose member is at least `target`: steps that double, then halving.
static size_t gallop(const uint32_t *list, size_t start, size_t count, uint32_t target) {
    size_t step = 1;
    size_t low = start;
    while (low + step < count && list[low + step] < target) {
        low += step;
        step *= 2;
    }
    size_t high = low + step < count ? low + step : count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle] < target) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// For a `few` that is far shorter than `many`.
static size_t intersect_galloping(const uint32_t *few, size_t few_count, const uint32_t *many, size_t many_count,
                                  uint32_t *out) {
    size_t members = 0, position = 0;
    for (size_t i = 0; i < few_count && position < many_count; i++) {
        position = gallop(many, position, many_count, few[i]);
        if (position < many_count && many[position] == few[i]) {
            out[members] = few[i];
            members++;
        }
    }
    return members;
}

static size_t intersect_merging(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out) {
    size_t i = 0, j = 0, members = 0;
    while (i < a_count && j < b_count) {
        uint32_t x = a[i], y = b[j];
        if (x == y) out[members] = x;
        members += x == y;
        i += x <= y;
        j += y <= x;
    }
    return members;
}

KERNEL_BODY uint32x16 load(const uint32_t *p) {
    uint32x16 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

KERNEL_BODY uint32_t bits(int32x16 comparison) {
    return __builtin_bit_cast(uint16_t, __builtin_convertvector(comparison, mask16));
}

/// For a `few` that is shorter than `many`, but not so much: `many` sixteen at a time, `few` one at a time.
KERNEL_BODY size_t intersect_stepping(const uint32_t *few, size_t few_count, const uint32_t *many, size_t many_count,
                                      uint32_t *out) {
    size_t members = 0, position = 0, i = 0;
    while (i < few_count && position + 16 <= many_count) {
        uint32_t target = few[i];
        if (many[position + 15] < target) {
            position += 16;
            continue;
        }
        uint32_t found = bits(load(many + position) == target);
        out[members] = target;
        members += found != 0;
        i++;
    }
    return members
           + intersect_merging(few + i, few_count - i, many + position, many_count - position, out + members);
}

#if defined(__x86_64__)
#include <immintrin.h>

/// For lists of like length: all pairs of sixteen with sixteen by turning one of them around.
KERNEL_AVX512 static size_t intersect_avx512(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                                             uint32_t *out) {
    size_t i = 0, j = 0, members = 0;
    while (i + 16 <= a_count && j + 16 <= b_count) {
        uint32_t a_last = a[i + 15], b_last = b[j + 15];
        __m512i left = _mm512_loadu_si512(a + i), right = _mm512_loadu_si512(b + j);
        __mmask16 equal = _mm512_cmpeq_epi32_mask(left, right);
        __m512i turned = right;
        for (int turn = 1; turn < 16; turn++) {
            turned = _mm512_alignr_epi32(turned, turned, 1);
            equal |= _mm512_cmpeq_epi32_mask(left, turned);
        }
        _mm512_storeu_si512(out + members, _mm512_maskz_compress_epi32(equal, left));
        members += (size_t)__builtin_popcount(equal);
        i += a_last <= b_last ? 16 : 0;
        j += b_last <= a_last ? 16 : 0;
    }
    return members + intersect_merging(a + i, a_count - i, b + j, b_count - j, out + members);
}

KERNEL_AVX512 static size_t stepping_avx512(const uint32_t *few, size_t few_count, const uint32_t *many,
                                            size_t many_count, uint32_t *out) {
    return intersect_stepping(few, few_count, many, many_count, out);
}

KERNEL_AVX2 static size_t stepping_avx2(const uint32_t *few, size_t few_count, const uint32_t *many, size_t many_count,
                                        uint32_t *out) {
    return intersect_stepping(few, few_count, many, many_count, out);
}
#endif

size_t kernels_list_intersect(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out) {
    if (a_count > b_count) return kernels_list_intersect(b, b_count, a, a_count, out);
    if (a_count == 0) return 0;
    // Where each way overtakes the next was measured.
    if (b_count / a_count >= 128) return intersect_galloping(a, a_count, b, b_count, out);
#if defined(__x86_64__)
    if (HAS_AVX512) {
        return b_count / a_count >= 4 ? stepping_avx512(a, a_count, b, b_count, out)
                                      : intersect_avx512(a, a_count, b, b_count, out);
    }
    if (HAS_AVX2 && b_count / a_count >= 4) return stepping_avx2(a, a_count, b, b_count, out);
#endif
    return intersect_merging(a, a_count, b, b_count, out);
}

size_t kernels_list_subtract(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out) {
    size_t i = 0, j = 0, members = 0;
    while (i < a_count && j < b_count) {
        uint32_t x = a[i], y = b[j];
        if (b_count / 16 > a_count && y < x) {
            j = gallop(b, j, b_count, x);
            continue;
        }
        out[members] = x;
        members += x < y;
        i += x <= y;
        j += y <= x;
    }
    if (i < a_count) __builtin_memcpy(out + members, a + i, (a_count - i) * sizeof *a);
    return members + a_count - i;
}

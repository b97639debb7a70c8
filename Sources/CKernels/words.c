// Bitmaps: set algebra word by word, counting, and listing the members.

#include "CKernels.h"
#include "dispatch.h"

// One function per operation and instruction set; the compiler vectorises the loop for each.
#define WORDS_BODY(name, target, expression)                                                                           \
    target static uint64_t name(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out) {                   \
        uint64_t members = 0;                                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            uint64_t word = expression;                                                                                \
            out[i] = word;                                                                                             \
            members += (uint64_t)__builtin_popcountll(word);                                                           \
        }                                                                                                              \
        return members;                                                                                                \
    }

#define COUNT_BODY(name, target, expression)                                                                           \
    target static uint64_t name(const uint64_t *a, const uint64_t *b, size_t count) {                                  \
        uint64_t members = 0;                                                                                          \
        (void)b;                                                                                                       \
        for (size_t i = 0; i < count; i++) members += (uint64_t)__builtin_popcountll(expression);                      \
        return members;                                                                                                \
    }

#if defined(__x86_64__)
#define FOR_EACH_TARGET(body, name, expression)                                                                        \
    body(name##_avx512, KERNEL_AVX512, expression) body(name##_avx2, KERNEL_AVX2, expression)                          \
    body(name##_any, , expression)
#define DISPATCH(name, ...)                                                                                            \
    if (HAS_AVX512) return name##_avx512(__VA_ARGS__);                                                                 \
    if (HAS_AVX2) return name##_avx2(__VA_ARGS__);                                                                     \
    return name##_any(__VA_ARGS__)
#else
#define FOR_EACH_TARGET(body, name, expression) body(name##_any, , expression)
#define DISPATCH(name, ...) return name##_any(__VA_ARGS__)
#endif

FOR_EACH_TARGET(WORDS_BODY, words_and, a[i] & b[i])
FOR_EACH_TARGET(WORDS_BODY, words_or, a[i] | b[i])
FOR_EACH_TARGET(WORDS_BODY, words_and_not, a[i] & ~b[i])
FOR_EACH_TARGET(WORDS_BODY, words_xor, a[i] ^ b[i])
FOR_EACH_TARGET(COUNT_BODY, words_count, a[i])
FOR_EACH_TARGET(COUNT_BODY, words_and_count, a[i] & b[i])

uint64_t kernels_words_and(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out) {
    DISPATCH(words_and, a, b, count, out);
}

uint64_t kernels_words_or(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out) {
    DISPATCH(words_or, a, b, count, out);
}

uint64_t kernels_words_and_not(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out) {
    DISPATCH(words_and_not, a, b, count, out);
}

uint64_t kernels_words_xor(const uint64_t *a, const uint64_t *b, size_t count, uint64_t *out) {
    DISPATCH(words_xor, a, b, count, out);
}

uint64_t kernels_words_count(const uint64_t *words, size_t count) { DISPATCH(words_count, words, words, count); }

uint64_t kernels_words_and_count(const uint64_t *a, const uint64_t *b, size_t count) {
    DISPATCH(words_and_count, a, b, count);
}

static size_t extract_any(const uint64_t *words, size_t count, size_t *position, uint32_t *out, size_t capacity) {
    size_t written = 0, i = *position;
    for (; i < count && capacity - written >= KERNELS_EXTRACT_ROOM; i++) {
        uint32_t base = (uint32_t)(i * 64);
        for (uint64_t word = words[i]; word != 0; word &= word - 1) {
            out[written++] = base + (uint32_t)__builtin_ctzll(word);
        }
    }
    *position = i;
    return written;
}

#if defined(__x86_64__)
#include <immintrin.h>

/// A word at a time: the members' bit numbers are packed to the front as bytes, then widened sixteen by sixteen.
KERNEL_AVX512 static size_t extract_avx512(const uint64_t *words, size_t count, size_t *position, uint32_t *out,
                                           size_t capacity) {
    static const uint8_t bit_numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    const __m512i numbers = _mm512_loadu_si512(bit_numbers);
    size_t written = 0, i = *position;
    for (; i < count && capacity - written >= KERNELS_EXTRACT_ROOM; i++) {
        uint64_t word = words[i];
        if (word == 0) continue;
        size_t members = (size_t)__builtin_popcountll(word);
        __m512i base = _mm512_set1_epi32((int)(i * 64));
        __m512i packed = _mm512_maskz_compress_epi8(word, numbers);
        for (size_t done = 0;;) {
            __m512i wide = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
            _mm512_storeu_si512(out + written + done, _mm512_add_epi32(wide, base));
            done += 16;
            if (done >= members) break;
            packed = _mm512_alignr_epi32(packed, packed, 4);
        }
        written += members;
    }
    *position = i;
    return written;
}
#endif

size_t kernels_words_extract(const uint64_t *words, size_t count, size_t *position, uint32_t *out, size_t capacity) {
#if defined(__x86_64__)
    if (HAS_AVX512) return extract_avx512(words, count, position, out, capacity);
#endif
    return extract_any(words, count, position, out, capacity);
}

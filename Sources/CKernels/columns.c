// Typed columns against constants: whole columns into bitmaps, and lists of rows by their values.

#include "CKernels.h"
#include "dispatch.h"

#include <string.h>

typedef int64_t int64x8 __attribute__((ext_vector_type(8)));
typedef double doublex8 __attribute__((ext_vector_type(8)));
typedef uint32_t uint32x16 __attribute__((ext_vector_type(16)));
typedef _Bool mask8 __attribute__((ext_vector_type(8)));
typedef _Bool mask16 __attribute__((ext_vector_type(16)));

#if defined(__x86_64__)
#define FOR_EACH_TARGET(body) body(avx512, KERNEL_AVX512) body(avx2, KERNEL_AVX2) body(any, )
#define DISPATCH(name, ...)                                                                                            \
    if (HAS_AVX512) return name##_avx512(__VA_ARGS__);                                                                 \
    if (HAS_AVX2) return name##_avx2(__VA_ARGS__);                                                                     \
    return name##_any(__VA_ARGS__)
#else
#define FOR_EACH_TARGET(body) body(any, )
#define DISPATCH(name, ...) return name##_any(__VA_ARGS__)
#endif

// MARK: whole columns

/// One word of rows after another: eight vectors of eight rows, the last rows one by one.
#define SELECT_RANGE(number, vector)                                                                                   \
    KERNEL_BODY void select_range_##number(                                                                            \
        const number *values, size_t count, number low, number high, uint64_t *words) {                                \
        size_t whole = count / 64;                                                                                     \
        for (size_t word = 0; word < whole; word++) {                                                                  \
            uint64_t members = 0;                                                                                      \
            for (int part = 0; part < 8; part++) {                                                                     \
                vector lanes;                                                                                          \
                memcpy(&lanes, values + word * 64 + (size_t)part * 8, sizeof lanes);                                   \
                mask8 within = __builtin_convertvector((lanes >= low) & (lanes <= high), mask8);                       \
                uint8_t bits;                                                                                          \
                memcpy(&bits, &within, 1);                                                                             \
                members |= (uint64_t)bits << (part * 8);                                                               \
            }                                                                                                          \
            words[word] = members;                                                                                     \
        }                                                                                                              \
        if (count % 64 == 0) return;                                                                                   \
        uint64_t members = 0;                                                                                          \
        for (size_t row = whole * 64; row < count; row++)                                                              \
            members |= (uint64_t)(values[row] >= low && values[row] <= high) << (row & 63);                            \
        words[whole] = members;                                                                                        \
    }
SELECT_RANGE(int64_t, int64x8)
SELECT_RANGE(double, doublex8)

KERNEL_BODY void select_code(const uint32_t *codes, size_t count, uint32_t code, uint64_t *words) {
    size_t whole = count / 64;
    for (size_t word = 0; word < whole; word++) {
        uint64_t members = 0;
        for (int part = 0; part < 4; part++) {
            uint32x16 lanes;
            memcpy(&lanes, codes + word * 64 + (size_t)part * 16, sizeof lanes);
            mask16 equal = __builtin_convertvector(lanes == code, mask16);
            uint16_t bits;
            memcpy(&bits, &equal, 2);
            members |= (uint64_t)bits << (part * 16);
        }
        words[word] = members;
    }
    if (count % 64 == 0) return;
    uint64_t members = 0;
    for (size_t row = whole * 64; row < count; row++) members |= (uint64_t)(codes[row] == code) << (row & 63);
    words[whole] = members;
}

// MARK: lists of rows

// Gathering vectors of values was measured to be no faster than loading them one by one.

size_t kernels_list_filter_range_i64(
    const uint32_t *rows, size_t count, const int64_t *values, int64_t low, int64_t high, uint32_t *out) {
    size_t written = 0;
    if (low > high) return 0;
    uint64_t width = (uint64_t)high - (uint64_t)low;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        out[written] = row;
        // One comparison instead of two: what is below wraps around to the far end.
        written += (uint64_t)values[row] - (uint64_t)low <= width;
    }
    return written;
}

size_t kernels_list_filter_range_f64(
    const uint32_t *rows, size_t count, const double *values, double low, double high, uint32_t *out) {
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        double value = values[row];
        out[written] = row;
        written += (value >= low) & (value <= high);
    }
    return written;
}

#define PER_TARGET(suffix, target)                                                                                     \
    target static void select_range_i64_##suffix(                                                                      \
        const int64_t *values, size_t count, int64_t low, int64_t high, uint64_t *words) {                             \
        select_range_int64_t(values, count, low, high, words);                                                         \
    }                                                                                                                  \
    target static void select_range_f64_##suffix(                                                                      \
        const double *values, size_t count, double low, double high, uint64_t *words) {                                \
        select_range_double(values, count, low, high, words);                                                          \
    }                                                                                                                  \
    target static void select_code_##suffix(const uint32_t *codes, size_t count, uint32_t code, uint64_t *words) {     \
        select_code(codes, count, code, words);                                                                        \
    }
FOR_EACH_TARGET(PER_TARGET)

void kernels_select_range_i64(const int64_t *values, size_t count, int64_t low, int64_t high, uint64_t *words) {
    DISPATCH(select_range_i64, values, count, low, high, words);
}

void kernels_select_range_f64(const double *values, size_t count, double low, double high, uint64_t *words) {
    DISPATCH(select_range_f64, values, count, low, high, words);
}

void kernels_select_code(const uint32_t *codes, size_t count, uint32_t code, uint64_t *words) {
    DISPATCH(select_code, codes, count, code, words);
}

void kernels_select_codes(const uint32_t *codes, size_t count, const uint64_t *wanted, uint64_t *words) {
    for (size_t start = 0; start < count; start += 64) {
        size_t rows = count - start < 64 ? count - start : 64;
        uint64_t members = 0;
        for (size_t i = 0; i < rows; i++) {
            uint32_t code = codes[start + i];
            members |= (wanted[code / 64] >> (code % 64) & 1) << i;
        }
        words[start / 64] = members;
    }
}

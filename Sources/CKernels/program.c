// Programs over columns: comparisons of computed numbers, 64 rows after another.
//
// A program is a machine with one accumulator of 64 lanes, which stays in vector registers from step to step.

#include "CKernels.h"
#include "dispatch.h"

#include <string.h>

typedef int64_t int64x8 __attribute__((ext_vector_type(8)));
typedef double doublex8 __attribute__((ext_vector_type(8)));
typedef _Bool mask8 __attribute__((ext_vector_type(8)));

#define LANES 64

/// Whole numbers up to this magnitude are doubles.
#define EXACT ((int64_t)1 << 53)

/// Products whose rounded magnitude reaches this may not fit 64 bits.
#define PRODUCT_LIMIT 9.22337203685477e18

#define WHOLE(lanes) ((int64x8)(lanes))
#define FRACTION(lanes) ((doublex8)(lanes))
#define WIDENED(lanes) __builtin_convertvector(lanes, doublex8)

/// The lanes whose sign bit is set.
KERNEL_BODY uint64_t signs(int64x8 lanes) {
    mask8 mask = __builtin_convertvector(lanes < 0, mask8);
    uint8_t bits;
    memcpy(&bits, &mask, 1);
    return bits;
}

/// −1 in the lanes whose bit is set, 0 in the others.
KERNEL_BODY int64x8 spread(uint64_t bits) {
    const int64x8 places = {1, 2, 4, 8, 16, 32, 64, 128};
    return ((int64x8)(int64_t)(bits & 255) & places) != 0;
}

/// The lanes, as −1, whose whole number is no double.
KERNEL_BODY int64x8 inexact(int64x8 x) { return (x > EXACT) | (x < -EXACT); }

/// `x` / `y` for an integer `x` and a positive `y` far from the ends of the doubles' range, given 1 / `y`.
///
/// Markstein's theorem (Muller et al., Handbook of Floating-Point Arithmetic): from the rounded reciprocal and a quotient
/// that is one of the two doubles around the exact one, a step with fused multiplication and addition gives the quotient
/// rounded to nearest. The first step makes the product such a quotient. About twice as fast as the division.
KERNEL_BODY doublex8 quotient(doublex8 x, doublex8 y, doublex8 reciprocal) {
    doublex8 result = x * reciprocal;
    result = __builtin_elementwise_fma(__builtin_elementwise_fma(-y, result, x), reciprocal, result);
    return __builtin_elementwise_fma(__builtin_elementwise_fma(-y, result, x), reciprocal, result);
}

KERNEL_BODY int64x8 load(const uint64_t *values, int part) {
    int64x8 lanes;
    memcpy(&lanes, values + part * 8, sizeof lanes);
    return lanes;
}

/// For each eight lanes: `x` of the accumulator and `y` of the operand.
#define EACH(...)                                                                                                      \
    _Pragma("clang loop unroll(full)") for (int part = 0; part < parts; part++) {                                      \
        int64x8 x = accumulator[part], y = operand[part];                                                              \
        (void)x, (void)y;                                                                                              \
        __VA_ARGS__;                                                                                                   \
    }                                                                                                                  \
    break

#define FETCH(...)                                                                                                     \
    _Pragma("clang loop unroll(full)") for (int part = 0; part < parts; part++) { __VA_ARGS__; }                       \
    break

#define SET(value) accumulator[part] = WHOLE(value)
#define SELECT(lanes) selected |= signs(WHOLE(lanes)) << (part * 8)
#define DOUBT(lanes) doubt |= signs(WHOLE(lanes)) << (part * 8)

/// Runs the steps for eight times `parts` rows, which begin `first` rows behind `inputs`; returns the members.
KERNEL_BODY uint64_t parts_body(const kernels_step *steps, size_t step_count, const uint64_t *const *inputs, int parts,
                                size_t first, int is_fused, uint64_t (*memory)[LANES], uint64_t *undecided) {
    int64x8 accumulator[8] = {0}, operand[8] = {0};
    uint64_t members = 0, doubt = 0;
    for (const kernels_step *step = steps; step != steps + step_count; step++) {
        uint64_t selected = 0;
        const uint64_t *values = step->source < KERNELS_INPUT_LIMIT ? inputs[step->source] + first
                                                                    : memory[step->source - KERNELS_INPUT_LIMIT];
        switch ((enum kernels_operand)step->operand) {
        case KERNELS_NO_OPERAND: break;
        case KERNELS_CONSTANT: FETCH(operand[part] = (int64x8)step->constant);
        case KERNELS_VALUES: FETCH(operand[part] = load(values, part));
        case KERNELS_WIDENED: FETCH(operand[part] = WHOLE(WIDENED(load(values, part))));
        case KERNELS_WIDENED_EXACTLY:
            FETCH(int64x8 x = load(values, part); DOUBT(inexact(x)); operand[part] = WHOLE(WIDENED(x)));
        case KERNELS_TRUTH: FETCH(operand[part] = spread(*inputs[step->source] >> (first + (size_t)part * 8)) & 1);
        case KERNELS_NUMBERS:
            FETCH(int64x8 x = load(values, part); int64x8 fractional = spread(*inputs[step->bits] >> (first + (size_t)part * 8));
                  DOUBT(inexact(x) & ~fractional);
                  operand[part] = (WHOLE(WIDENED(x)) & ~fractional) | (x & fractional));
        }
        switch ((enum kernels_operation)step->operation) {
        case KERNELS_LOAD: EACH(SET(y));
        case KERNELS_STORE: EACH(memcpy(memory[step->source - KERNELS_INPUT_LIMIT] + part * 8, &x, sizeof x));
        case KERNELS_WIDEN: EACH(SET(WIDENED(x)));
        case KERNELS_WIDEN_EXACTLY: EACH(DOUBT(inexact(x)); SET(WIDENED(x)));
        case KERNELS_ADD: EACH(SET(FRACTION(x) + FRACTION(y)));
        case KERNELS_SUBTRACT: EACH(SET(FRACTION(x) - FRACTION(y)));
        case KERNELS_MULTIPLY: EACH(SET(FRACTION(x) * FRACTION(y)));
        case KERNELS_DIVIDE: EACH(SET(FRACTION(x) / FRACTION(y)));
        case KERNELS_DIVIDE_INTEGER:
            if (is_fused) { EACH(SET(quotient(FRACTION(x), FRACTION(y), (doublex8)step->reciprocal))); }
            EACH(SET(FRACTION(x) / FRACTION(y)));
        case KERNELS_FLOOR: EACH(SET(__builtin_elementwise_floor(FRACTION(x))));
        case KERNELS_CEILING: EACH(SET(__builtin_elementwise_ceil(FRACTION(x))));
        case KERNELS_TRUNCATE: EACH(SET(__builtin_elementwise_trunc(FRACTION(x))));
        case KERNELS_MAGNITUDE: EACH(SET(__builtin_elementwise_abs(FRACTION(x))));
        case KERNELS_ROOT: EACH(SET(__builtin_elementwise_sqrt(FRACTION(x))));
        // What rounds to 2^53 itself may have been the whole number above it.
        case KERNELS_CHECK_EXACT: EACH(DOUBT(~(__builtin_elementwise_abs(FRACTION(x)) < (double)EXACT)));
        case KERNELS_ADD_WHOLE: EACH(DOUBT((x ^ (x + y)) & (y ^ (x + y))); SET(x + y));
        case KERNELS_SUBTRACT_WHOLE: EACH(DOUBT((x ^ y) & (x ^ (x - y))); SET(x - y));
        case KERNELS_MULTIPLY_WHOLE:
            EACH(DOUBT(~(__builtin_elementwise_abs(WIDENED(x) * WIDENED(y)) < PRODUCT_LIMIT)); SET(x * y));
        case KERNELS_DIVIDE_WHOLE: EACH(SET(x / y));
        case KERNELS_MAGNITUDE_WHOLE: EACH(DOUBT(x == INT64_MIN); SET((x ^ (x >> 63)) - (x >> 63)));
        // NaN equals NaN and stands above all other numbers.
        case KERNELS_LESS: EACH(SELECT(~(FRACTION(x) >= FRACTION(y)) & (FRACTION(x) == FRACTION(x))));
        case KERNELS_MORE: EACH(SELECT(~(FRACTION(x) <= FRACTION(y)) & (FRACTION(y) == FRACTION(y))));
        case KERNELS_EQUAL:
            EACH(SELECT((FRACTION(x) == FRACTION(y)) | ((FRACTION(x) != FRACTION(x)) & (FRACTION(y) != FRACTION(y)))));
        case KERNELS_LESS_WHOLE: EACH(SELECT(x < y));
        case KERNELS_MORE_WHOLE: EACH(SELECT(x > y));
        case KERNELS_EQUAL_WHOLE: EACH(SELECT(x == y));
        }
        if (step->combination == KERNELS_IGNORE) continue;
        if (step->combination & KERNELS_NEGATED) selected = ~selected;
        switch (step->combination & ~KERNELS_NEGATED) {
        case KERNELS_AND: members &= selected; break;
        case KERNELS_OR: members |= selected; break;
        default: members = selected; break;
        }
    }
    *undecided = doubt;
    return members & ~(uint64_t)0 >> (LANES - parts * 8);
}

/// Up to 64 values, one after another in `gathered`.
KERNEL_BODY void gather(
    const kernels_input *input, const uint32_t *rows, size_t first, size_t count, uint64_t *gathered) {
    const uint64_t *values = input->values;
    if (input->is_bits) {
        *gathered = 0;
        for (size_t i = 0; i < count; i++) {
            size_t row = rows ? rows[i] : first + i;
            *gathered |= (values[row / 64] >> (row % 64) & 1) << i;
        }
    } else {
        for (size_t i = 0; i < count; i++) gathered[i] = values[rows ? rows[i] : first + i];
    }
}

KERNEL_BODY int32_t run_body(const kernels_program *program, const uint32_t *rows, size_t first, size_t count,
                             const uint64_t *among, uint64_t *members, uint64_t *undecided, int parts, int is_fused) {
    uint64_t gathered[KERNELS_INPUT_LIMIT][LANES], memory[KERNELS_MEMORY_LIMIT][LANES], any = 0;
    const uint64_t *inputs[KERNELS_INPUT_LIMIT];
    memset(gathered, 0, program->input_count * sizeof *gathered);
    for (size_t start = 0; start < count; start += LANES) {
        size_t word = start / LANES, lanes = count - start < LANES ? count - start : LANES;
        uint64_t wanted = (among ? among[word] : ~(uint64_t)0) & (~(uint64_t)0 >> (LANES - lanes));
        if (!wanted) {
            members[word] = 0;
            if (undecided) undecided[word] = 0;
            continue;
        }
        for (size_t i = 0; i < program->input_count; i++) {
            const kernels_input *input = program->inputs + i;
            size_t row = first + start;
            if (!rows && lanes == LANES) {
                inputs[i] = input->values + (input->is_bits ? row / 64 : row);
            } else {
                gather(input, rows ? rows + start : 0, row, lanes, gathered[i]);
                inputs[i] = gathered[i];
            }
        }
        uint64_t found = 0, doubt = 0;
        for (int shift = 0; shift < LANES; shift += parts * 8) {
            uint64_t doubtful;
            found |= parts_body(program->steps, program->step_count, inputs, parts, (size_t)shift, is_fused, memory,
                                &doubtful) << shift;
            doubt |= doubtful << shift;
        }
        members[word] = found & wanted;
        doubt &= wanted;
        if (undecided) undecided[word] = doubt;
        any |= doubt;
    }
    return any != 0;
}

// As many lanes at a time as leave room in the vector registers for accumulator and operand.
#define PER_TARGET(suffix, target, parts, is_fused)                                                                    \
    target static int32_t run_##suffix(                                                                                \
        const kernels_program *program, const uint32_t *rows, size_t first, size_t count, const uint64_t *among,       \
        uint64_t *members, uint64_t *undecided) {                                                                      \
        return run_body(program, rows, first, count, among, members, undecided, parts, is_fused);                      \
    }
#if defined(__x86_64__)
PER_TARGET(avx512, KERNEL_AVX512, 8, 1)
PER_TARGET(avx2, KERNEL_AVX2, 4, 1)
#endif
PER_TARGET(any, , 2, 0)

int32_t kernels_program_run(const kernels_program *program, const uint32_t *rows, size_t first, size_t count,
                            const uint64_t *among, uint64_t *members, uint64_t *undecided) {
#if defined(__x86_64__)
    if (HAS_AVX512) return run_avx512(program, rows, first, count, among, members, undecided);
    if (HAS_AVX2) return run_avx2(program, rows, first, count, among, members, undecided);
#endif
    return run_any(program, rows, first, count, among, members, undecided);
}

// Texts read by finite automata.

#include "CKernels.h"
#include "dispatch.h"

#include <string.h>

typedef uint8_t uint8x64 __attribute__((ext_vector_type(64)));
typedef _Bool mask64 __attribute__((ext_vector_type(64)));

KERNEL_BODY uint32_t run(const kernels_automaton *automaton, const uint8_t *bytes, size_t count) {
    const uint16_t *table = automaton->table;
    const uint8_t *classes = automaton->classes;
    uint32_t state = automaton->start, sinks = automaton->sinks;
    for (size_t i = 0; i < count && state >= sinks; i++) state = table[state + classes[bytes[i]]];
    return automaton->outcomes[state];
}

/// Whether a byte is from the limit on; reads 64 bytes at once where there are as many.
KERNEL_BODY int is_foreign(const uint8_t *bytes, size_t count, size_t readable, uint32_t limit) {
    if (limit > 0xFF) return 0;
    for (size_t start = 0; start < count; start += 64) {
        size_t left = count - start;
        uint64_t bits = 0;
        if (readable - start >= 64) {
            uint8x64 lanes;
            memcpy(&lanes, bytes + start, sizeof lanes);
            mask64 high = __builtin_convertvector(lanes >= (uint8_t)limit, mask64);
            memcpy(&bits, &high, sizeof bits);
            if (left < 64) bits &= ((uint64_t)1 << left) - 1;
        } else {
            for (size_t i = 0; i < left; i++) bits |= (uint64_t)(bytes[start + i] >= limit);
        }
        if (bits) return 1;
    }
    return 0;
}

KERNEL_BODY void match(const kernels_automaton *automaton, const uint8_t *bytes, const uint32_t *offsets, size_t rows,
                       const uint64_t *candidates, uint64_t *yes, uint64_t *unknown) {
    uint32_t whole = offsets[rows];
    for (size_t word = 0; word < (rows + 63) / 64; word++) {
        uint64_t pending = candidates[word], members = 0, open = 0;
        for (; pending; pending &= pending - 1) {
            uint64_t bit = pending & -pending;
            size_t row = word * 64 + (size_t)__builtin_ctzll(pending);
            uint32_t start = offsets[row], end = offsets[row + 1];
            if (is_foreign(bytes + start, end - start, whole - start, automaton->limit)) {
                open |= bit;
                continue;
            }
            if (start < end && !automaton->last_bytes[bytes[end - 1]]) continue;
            uint32_t outcome = run(automaton, bytes + start, end - start);
            members |= outcome == 1 ? bit : 0;
            open |= outcome == 2 ? bit : 0;
        }
        yes[word] = members;
        unknown[word] = open;
    }
}

#define PER_TARGET(suffix, target)                                                                                     \
    target static void match_##suffix(const kernels_automaton *automaton, const uint8_t *bytes,                        \
                                      const uint32_t *offsets, size_t rows, const uint64_t *candidates, uint64_t *yes, \
                                      uint64_t *unknown) {                                                             \
        match(automaton, bytes, offsets, rows, candidates, yes, unknown);                                              \
    }
#if defined(__x86_64__)
PER_TARGET(avx512, KERNEL_AVX512)
PER_TARGET(avx2, KERNEL_AVX2)
#endif
PER_TARGET(any, )

int32_t kernels_automaton_run(const kernels_automaton *automaton, const uint8_t *bytes, size_t count) {
    return (int32_t)run(automaton, bytes, count);
}

void kernels_text_match(const kernels_automaton *automaton, const uint8_t *bytes, const uint32_t *offsets, size_t rows,
                        const uint64_t *candidates, uint64_t *yes, uint64_t *unknown) {
    if (rows == 0) return;
#if defined(__x86_64__)
    if (HAS_AVX512) return match_avx512(automaton, bytes, offsets, rows, candidates, yes, unknown);
    if (HAS_AVX2) return match_avx2(automaton, bytes, offsets, rows, candidates, yes, unknown);
#endif
    match_any(automaton, bytes, offsets, rows, candidates, yes, unknown);
}

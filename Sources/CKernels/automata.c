// Texts read by finite automata.

#include "CKernels.h"
#include "dispatch.h"

#include <string.h>

typedef uint8_t uint8x64 __attribute__((ext_vector_type(64)));
typedef _Bool mask64 __attribute__((ext_vector_type(64)));

/// The state that a text leads to from a state.
KERNEL_BODY uint32_t run(const kernels_automaton *automaton, uint32_t state, const uint8_t *bytes, size_t count) {
    const uint16_t *table = automaton->table;
    const uint8_t *classes = automaton->classes;
    uint32_t sinks = automaton->sinks;
    for (size_t i = 0; i < count && state >= sinks; i++) state = table[state + classes[bytes[i]]];
    return state;
}

/// Texts that wait for each other's looks at the table take four times as long as texts that are read side by side.
#define LANES 4
/// Bytes between looks at whether all texts are decided.
#define STRIDE 16

KERNEL_BODY void run_lanes(const kernels_automaton *automaton, const uint8_t *const *texts, const uint32_t *lengths,
                           uint32_t *states) {
    const uint16_t *table = automaton->table;
    const uint8_t *classes = automaton->classes;
    uint32_t shortest = lengths[0], state[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        state[lane] = automaton->start;
        shortest = lengths[lane] < shortest ? lengths[lane] : shortest;
    }
    uint32_t place = 0;
    while (place < shortest) {
        uint32_t end = shortest - place < STRIDE ? shortest : place + STRIDE;
        for (; place < end; place++)
            for (int lane = 0; lane < LANES; lane++) state[lane] = table[state[lane] + classes[texts[lane][place]]];
        int open = 0;
        for (int lane = 0; lane < LANES; lane++) open |= state[lane] >= automaton->sinks;
        if (!open) break;
    }
    for (int lane = 0; lane < LANES; lane++)
        states[lane] = run(automaton, state[lane], texts[lane] + place, lengths[lane] - place);
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
    uint32_t whole = offsets[rows], lengths[64], states[64];
    const uint8_t *texts[64], *outcomes = automaton->outcomes;
    uint64_t bits[64];
    for (size_t word = 0; word < (rows + 63) / 64; word++) {
        uint64_t pending = candidates[word], members = 0, open = 0;
        size_t count = 0;
        for (; pending; pending &= pending - 1) {
            uint64_t bit = pending & -pending;
            size_t row = word * 64 + (size_t)__builtin_ctzll(pending);
            uint32_t start = offsets[row], end = offsets[row + 1];
            texts[count] = bytes + start;
            lengths[count] = end - start;
            bits[count] = bit;
            int foreign = is_foreign(bytes + start, end - start, whole - start, automaton->limit);
            open |= foreign ? bit : 0;
            // Without a branch: what passes is as good as chance.
            count += !foreign & (start == end || automaton->last_bytes[bytes[end - (start < end)]]);
        }
        size_t done = 0;
        for (; done + LANES <= count; done += LANES) run_lanes(automaton, texts + done, lengths + done, states + done);
        for (; done < count; done++) states[done] = run(automaton, automaton->start, texts[done], lengths[done]);
        for (size_t i = 0; i < count; i++) {
            members |= outcomes[states[i]] == 1 ? bits[i] : 0;
            open |= outcomes[states[i]] == 2 ? bits[i] : 0;
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
    return automaton->outcomes[run(automaton, automaton->start, bytes, count)];
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

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

/// Texts that are read together.
#define BATCH 128
/// Lengths from here on are as good as one another.
#define LENGTHS 64

/// Texts that wait to be read, and the rows they belong to.
typedef struct {
    const uint8_t *texts[BATCH];
    uint32_t lengths[BATCH];
    size_t rows[BATCH];
    size_t count;
} batch;

/// The places of the texts of a batch, the shortest texts first: lanes then end at about the same time.
KERNEL_BODY void order_by_length(const batch *waiting, uint8_t *order) {
    uint8_t ends[LENGTHS + 1] = {0};
    for (size_t i = 0; i < waiting->count; i++)
        ends[(waiting->lengths[i] < LENGTHS ? waiting->lengths[i] : LENGTHS - 1) + 1]++;
    for (size_t length = 1; length < LENGTHS; length++) ends[length] += ends[length - 1];
    for (size_t i = 0; i < waiting->count; i++)
        order[ends[waiting->lengths[i] < LENGTHS ? waiting->lengths[i] : LENGTHS - 1]++] = (uint8_t)i;
}

KERNEL_BODY void read_batch(const kernels_automaton *automaton, const batch *waiting, uint64_t *yes, uint64_t *unknown) {
    uint8_t order[BATCH];
    order_by_length(waiting, order);
    for (size_t done = 0; done < waiting->count; done += LANES) {
        size_t lanes = waiting->count - done < LANES ? waiting->count - done : LANES;
        const uint8_t *texts[LANES];
        uint32_t lengths[LANES], states[LANES];
        for (size_t lane = 0; lane < LANES; lane++) {
            // The last text fills lanes that are left over.
            size_t place = order[lane < lanes ? done + lane : waiting->count - 1];
            texts[lane] = waiting->texts[place];
            lengths[lane] = waiting->lengths[place];
        }
        run_lanes(automaton, texts, lengths, states);
        for (size_t lane = 0; lane < lanes; lane++) {
            uint8_t outcome = automaton->outcomes[states[lane]];
            size_t row = waiting->rows[order[done + lane]];
            yes[row / 64] |= (uint64_t)(outcome == 1) << (row & 63);
            unknown[row / 64] |= (uint64_t)(outcome == 2) << (row & 63);
        }
    }
}

/// Candidates are gathered over many words, so that few of them do not leave lanes empty.
KERNEL_BODY void match(const kernels_automaton *automaton, const uint8_t *bytes, const uint32_t *offsets, size_t rows,
                       const uint64_t *candidates, uint64_t *yes, uint64_t *unknown) {
    uint32_t whole = offsets[rows];
    batch waiting;
    waiting.count = 0;
    for (size_t word = 0; word < (rows + 63) / 64; word++) {
        uint64_t pending = candidates[word];
        yes[word] = unknown[word] = 0;
        for (; pending; pending &= pending - 1) {
            size_t row = word * 64 + (size_t)__builtin_ctzll(pending);
            uint32_t start = offsets[row], end = offsets[row + 1];
            waiting.texts[waiting.count] = bytes + start;
            waiting.lengths[waiting.count] = end - start;
            waiting.rows[waiting.count] = row;
            int foreign = is_foreign(bytes + start, end - start, whole - start, automaton->limit);
            unknown[word] |= foreign ? pending & -pending : 0;
            // Many texts are settled by their last byte, and many by their first. Without a branch: what passes is as
            // good as chance.
            int open = !foreign & (start == end || automaton->last_bytes[bytes[end - (start < end)]]);
            uint32_t state = automaton->start;
            if (start < end) state = automaton->table[state + automaton->classes[bytes[start]]];
            int settled = state < automaton->sinks;
            uint8_t outcome = automaton->outcomes[state];
            yes[word] |= (open & settled & (outcome == 1)) ? pending & -pending : 0;
            unknown[word] |= (open & settled & (outcome == 2)) ? pending & -pending : 0;
            waiting.count += open & !settled;
            if (waiting.count < BATCH) continue;
            read_batch(automaton, &waiting, yes, unknown);
            waiting.count = 0;
        }
    }
    read_batch(automaton, &waiting, yes, unknown);
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

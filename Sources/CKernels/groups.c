// Groups: what is counted, added up and compared of rows that have the numbers of groups.

#include "CKernels.h"

#include <string.h>

static inline int is_present(const uint64_t *present, uint32_t row) {
    return !present || (present[row >> 6] >> (row & 63) & 1);
}

void kernels_group_numbers(const uint32_t *codes, const uint64_t *present, const uint32_t *rows, size_t count,
                           const uint32_t *numbers, uint32_t *out) {
    for (size_t i = 0; i < count; i++) out[i] = is_present(present, rows[i]) ? numbers[codes[rows[i]]] : 0;
}

void kernels_group_bit_numbers(const uint64_t *bits, const uint64_t *present, const uint32_t *rows, size_t count,
                               const uint32_t *numbers, uint32_t *out) {
    // Bits are as good as random: a mask costs less than branches that are mispredicted.
    uint32_t zero = numbers[0], difference = numbers[0] ^ numbers[1];
    for (size_t i = 0; i < count; i++) {
        uint32_t bit = bits[rows[i] >> 6] >> (rows[i] & 63) & 1;
        uint32_t is_there = is_present(present, rows[i]);
        out[i] = (zero ^ (difference & -bit)) & -is_there;
    }
}

void kernels_group_count(const uint32_t *groups, size_t count, int64_t *counts) {
    for (size_t i = 0; i < count; i++) counts[groups[i]]++;
}

size_t kernels_group_count_lists(const uint32_t *codes, const uint64_t *element_present, const uint32_t *offsets,
                                 const uint64_t *present, const uint32_t *rows, size_t count,
                                 const uint32_t *numbers, uint32_t *last, int64_t *counts) {
    size_t missing = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i], has_any = 0;
        if (is_present(present, row)) {
            for (uint32_t element = offsets[row]; element < offsets[row + 1]; element++) {
                if (!is_present(element_present, element)) continue;
                // A row counts once, however often its list has the group. Its mark is its number plus one.
                uint32_t group = numbers[codes[element]];
                counts[group] += last[group] != row + 1;
                last[group] = row + 1;
                has_any = 1;
            }
        }
        missing += !has_any;
    }
    return missing;
}

void kernels_group_sum_i64(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, kernels_total *totals) {
    for (size_t i = 0; i < count; i++) {
        if (!is_present(present, rows[i])) continue;
        kernels_total *total = &totals[groups[i]];
        int64_t value = values[rows[i]];
        total->low += (uint32_t)value;
        total->high += value >> 32;
        total->count++;
    }
}

void kernels_group_sum_f64(const double *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, kernels_total *totals) {
    for (size_t i = 0; i < count; i++) {
        if (!is_present(present, rows[i])) continue;
        kernels_total *total = &totals[groups[i]];
        total->fraction += values[rows[i]];
        total->count++;
    }
}

void kernels_group_best_i64(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                            const uint32_t *groups, size_t count, int32_t sign, int64_t *best) {
    for (size_t i = 0; i < count; i++) {
        if (!is_present(present, rows[i])) continue;
        int64_t *row = &best[groups[i]];
        int64_t value = values[rows[i]];
        if (*row < 0 || (sign < 0 ? value < values[*row] : value > values[*row])) *row = rows[i];
    }
}

size_t kernels_group_words(const int64_t *values, const uint64_t *present, const uint32_t *rows,
                           const uint32_t *groups, size_t count, uint64_t *words, uint32_t *parts) {
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        words[written] = (uint64_t)values[rows[i]];
        parts[written] = groups[i] << 2;
        written += is_present(present, rows[i]);
    }
    return written;
}

static inline size_t hashed_part(uint64_t word, uint32_t part, uint32_t bits, uint64_t multiplier) {
    // By two shifts, as there may be no bits.
    return (size_t)part << bits | (word * multiplier) >> 1 >> (63 - bits);
}

void kernels_partition_hashed(const uint64_t *words, const uint32_t *parts, size_t count, uint64_t multiplier,
                              uint32_t bits, size_t *ends, size_t end_count, uint64_t *out) {
    memset(ends, 0, end_count * sizeof *ends);
    for (size_t i = 0; i < count; i++) ends[hashed_part(words[i], parts[i], bits, multiplier)]++;
    for (size_t part = 0, start = 0; part < end_count; part++) {
        size_t length = ends[part];
        ends[part] = start;
        start += length;
    }
    for (size_t i = 0; i < count; i++) out[ends[hashed_part(words[i], parts[i], bits, multiplier)]++] = words[i];
}

size_t kernels_count_distinct(const uint64_t *words, size_t count, uint64_t *slots, uint32_t bits, uint32_t known,
                              uint64_t multiplier) {
    size_t mask = ((size_t)1 << bits) - 1, distinct = 0;
    int has_zero = 0;
    memset(slots, 0, (mask + 1) * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i];
        if (!word) {
            has_zero = 1;
            continue;
        }
        size_t slot = (word * multiplier << known) >> (64 - bits);
        while (slots[slot] && slots[slot] != word) slot = (slot + 1) & mask;
        if (slots[slot]) continue;
        slots[slot] = word;
        distinct++;
    }
    return distinct + has_zero;
}

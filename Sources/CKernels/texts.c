// Text columns: a text looked for in all rows at once.

#include "CKernels.h"
#include "dispatch.h"

#include <string.h>

typedef uint8_t uint8x64 __attribute__((ext_vector_type(64)));
typedef _Bool mask64 __attribute__((ext_vector_type(64)));

/// A needle with, for each byte, the bit that tells small from capital letters where that makes no difference.
typedef struct {
    const uint8_t *bytes;
    size_t length;
    int ignores_case;
} needle;

KERNEL_BODY uint8_t case_bit(needle wanted, size_t index) {
    uint8_t byte = wanted.bytes[index];
    return wanted.ignores_case && byte >= 'a' && byte <= 'z' ? 0x20 : 0;
}

KERNEL_BODY int stands_at(const uint8_t *place, needle wanted) {
    for (size_t i = 0; i < wanted.length; i++)
        if ((uint8_t)(place[i] | case_bit(wanted, i)) != wanted.bytes[i]) return 0;
    return 1;
}

/// The places among the 64 from `place` on where the byte at `index` of the needle is right; reads 64 bytes behind it.
KERNEL_BODY uint64_t places_of(const uint8_t *place, needle wanted, size_t index) {
    uint8x64 lanes;
    memcpy(&lanes, place + index, sizeof lanes);
    mask64 equal = __builtin_convertvector((lanes | case_bit(wanted, index)) == wanted.bytes[index], mask64);
    uint64_t bits;
    memcpy(&bits, &equal, sizeof bits);
    return bits;
}

/// Three bytes of the needle, first, last and one between, are looked for in 64 places at once.
KERNEL_BODY void find_rows(const uint8_t *bytes, const uint32_t *offsets, size_t rows, needle wanted, uint64_t *sure,
                           uint64_t *unsure) {
    size_t start = offsets[0], end = offsets[rows], row = 0, last = wanted.length - 1, middle = wanted.length / 2;
    while (start < end && end - start >= wanted.length) {
        uint64_t places;
        if (end - start >= 64 + last) {
            places = places_of(bytes + start, wanted, 0) & places_of(bytes + start, wanted, last);
            if (last > 1) places &= places_of(bytes + start, wanted, middle);
        } else {
            places = 0;
            size_t left = end - start - last;
            for (size_t i = 0; i < left && i < 64; i++)
                places |= (uint64_t)stands_at(bytes + start + i, wanted) << i;
        }
        size_t next = start + 64;
        while (places) {
            size_t place = start + (size_t)__builtin_ctzll(places);
            places &= places - 1;
            if (!stands_at(bytes + place, wanted)) continue;
            while (offsets[row + 1] <= place) row++;
            size_t behind = place + wanted.length, row_end = offsets[row + 1];
            if (behind > row_end) continue;
            // A neighbour that is not ASCII may join the text found, so that it is no text of its own.
            int joins = (place > offsets[row] && bytes[place - 1] >= 0x80) || (behind < row_end && bytes[behind] >= 0x80);
            uint64_t *members = joins ? unsure : sure;
            members[row / 64] |= (uint64_t)1 << (row & 63);
            if (joins) continue;
            // The rest of the row tells nothing new.
            if (row_end >= next) {
                next = row_end;
                break;
            }
            places &= ~(uint64_t)0 << (row_end - start);
        }
        start = next;
    }
}

#define FIND_ROWS(suffix, target)                                                                                      \
    target static void find_rows_##suffix(const uint8_t *bytes, const uint32_t *offsets, size_t rows, needle wanted,   \
                                          uint64_t *sure, uint64_t *unsure) {                                          \
        find_rows(bytes, offsets, rows, wanted, sure, unsure);                                                         \
    }
#if defined(__x86_64__)
FIND_ROWS(avx512, KERNEL_AVX512)
FIND_ROWS(avx2, KERNEL_AVX2)
#endif
FIND_ROWS(any, )

void kernels_text_find(const uint8_t *bytes, const uint32_t *offsets, size_t rows, const uint8_t *text, size_t length,
                       int32_t ignores_case, uint64_t *sure, uint64_t *unsure) {
    if (rows == 0 || length == 0) return;
    needle wanted = {text, length, ignores_case};
#if defined(__x86_64__)
    if (HAS_AVX512) return find_rows_avx512(bytes, offsets, rows, wanted, sure, unsure);
    if (HAS_AVX2) return find_rows_avx2(bytes, offsets, rows, wanted, sure, unsure);
#endif
    find_rows_any(bytes, offsets, rows, wanted, sure, unsure);
}

/// 2 where the needle stands in a row between ASCII characters or its ends, 1 where next to others, 0 where nowhere.
/// Bytes up to `limit` may be read.
KERNEL_BODY int find_row(const uint8_t *bytes, size_t start, size_t end, size_t limit, needle wanted) {
    size_t last = wanted.length - 1, middle = wanted.length / 2;
    int found = 0;
    for (size_t first = start; end - first >= wanted.length && first < end; first += 64) {
        size_t left = end - first - last;
        uint64_t places;
        if (limit - first >= 64 + last) {
            places = places_of(bytes + first, wanted, 0) & places_of(bytes + first, wanted, last);
            if (last > 1) places &= places_of(bytes + first, wanted, middle);
            if (left < 64) places &= ((uint64_t)1 << left) - 1;
        } else {
            places = 0;
            for (size_t i = 0; i < left && i < 64; i++)
                places |= (uint64_t)stands_at(bytes + first + i, wanted) << i;
        }
        for (; places; places &= places - 1) {
            size_t place = first + (size_t)__builtin_ctzll(places), behind = place + wanted.length;
            if (!stands_at(bytes + place, wanted)) continue;
            if ((place > start && bytes[place - 1] >= 0x80) || (behind < end && bytes[behind] >= 0x80)) found = 1;
            else return 2;
        }
        if (left <= 64) break;
    }
    return found;
}

KERNEL_BODY void find_among(const uint8_t *bytes, const uint32_t *offsets, size_t rows, needle wanted,
                            const uint64_t *among, uint64_t *sure, uint64_t *unsure) {
    for (size_t word = 0; word < (rows + 63) / 64; word++) {
        for (uint64_t pending = among[word]; pending; pending &= pending - 1) {
            size_t row = word * 64 + (size_t)__builtin_ctzll(pending);
            if (row >= rows) return;
            int found = find_row(bytes, offsets[row], offsets[row + 1], offsets[rows], wanted);
            if (found) (found == 2 ? sure : unsure)[word] |= pending & (0 - pending);
        }
    }
}

#define FIND_AMONG(suffix, target)                                                                                     \
    target static void find_among_##suffix(const uint8_t *bytes, const uint32_t *offsets, size_t rows, needle wanted,  \
                                           const uint64_t *among, uint64_t *sure, uint64_t *unsure) {                  \
        find_among(bytes, offsets, rows, wanted, among, sure, unsure);                                                 \
    }
#if defined(__x86_64__)
FIND_AMONG(avx512, KERNEL_AVX512)
FIND_AMONG(avx2, KERNEL_AVX2)
#endif
FIND_AMONG(any, )

void kernels_text_find_among(const uint8_t *bytes, const uint32_t *offsets, size_t rows, const uint8_t *text,
                             size_t length, int32_t ignores_case, const uint64_t *among, uint64_t *sure,
                             uint64_t *unsure) {
    if (rows == 0 || length == 0) return;
    needle wanted = {text, length, ignores_case};
#if defined(__x86_64__)
    if (HAS_AVX512) return find_among_avx512(bytes, offsets, rows, wanted, among, sure, unsure);
    if (HAS_AVX2) return find_among_avx2(bytes, offsets, rows, wanted, among, sure, unsure);
#endif
    find_among_any(bytes, offsets, rows, wanted, among, sure, unsure);
}

KERNEL_BODY size_t first_non_ascii(const uint8_t *bytes, size_t start, size_t end) {
    for (; end - start >= 64; start += 64) {
        uint8x64 lanes;
        memcpy(&lanes, bytes + start, sizeof lanes);
        mask64 high = __builtin_convertvector(lanes >= 0x80, mask64);
        uint64_t bits;
        memcpy(&bits, &high, sizeof bits);
        if (bits) return start + (size_t)__builtin_ctzll(bits);
    }
    while (start < end && bytes[start] < 0x80) start++;
    return start;
}

#if defined(__x86_64__)
KERNEL_AVX512 static size_t first_non_ascii_avx512(const uint8_t *bytes, size_t start, size_t end) {
    return first_non_ascii(bytes, start, end);
}
KERNEL_AVX2 static size_t first_non_ascii_avx2(const uint8_t *bytes, size_t start, size_t end) {
    return first_non_ascii(bytes, start, end);
}
#endif

size_t kernels_first_non_ascii(const uint8_t *bytes, size_t start, size_t end) {
#if defined(__x86_64__)
    if (HAS_AVX512) return first_non_ascii_avx512(bytes, start, end);
    if (HAS_AVX2) return first_non_ascii_avx2(bytes, start, end);
#endif
    return first_non_ascii(bytes, start, end);
}

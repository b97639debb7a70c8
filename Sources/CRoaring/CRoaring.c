// Compressed sets of 32-bit numbers, by the CRoaring library.

#include "CRoaring.h"

#include <roaring/roaring.h>
#include <stdlib.h>

static const roaring_bitmap_t *bitmap(const croaring_set *set) { return (const roaring_bitmap_t *)set; }

static croaring_set *made(roaring_bitmap_t *bitmap) {
    if (!bitmap) abort();
    return (croaring_set *)bitmap;
}

croaring_set *croaring_create(const uint32_t *list, size_t count) {
    roaring_bitmap_t *set = roaring_bitmap_create();
    if (!set) abort();
    if (count != 0) roaring_bitmap_add_many(set, count, list);
    roaring_bitmap_run_optimize(set);
    roaring_bitmap_shrink_to_fit(set);
    return made(set);
}

void croaring_free(croaring_set *set) { roaring_bitmap_free(bitmap(set)); }

uint64_t croaring_count(const croaring_set *set) { return roaring_bitmap_get_cardinality(bitmap(set)); }

int32_t croaring_contains(const croaring_set *set, uint32_t member) {
    return roaring_bitmap_contains(bitmap(set), member);
}

size_t croaring_size(const croaring_set *set) { return roaring_bitmap_size_in_bytes(bitmap(set)); }

uint64_t croaring_rank(const croaring_set *set, uint32_t member) { return roaring_bitmap_rank(bitmap(set), member); }

uint64_t croaring_count_range(const croaring_set *set, uint64_t low, uint64_t high) {
    return roaring_bitmap_range_cardinality(bitmap(set), low, high);
}

int64_t croaring_select(const croaring_set *set, uint32_t rank) {
    uint32_t member;
    return roaring_bitmap_select(bitmap(set), rank, &member) ? (int64_t)member : -1;
}

croaring_set *croaring_and(const croaring_set *a, const croaring_set *b) {
    return made(roaring_bitmap_and(bitmap(a), bitmap(b)));
}

croaring_set *croaring_or(const croaring_set *a, const croaring_set *b) {
    return made(roaring_bitmap_or(bitmap(a), bitmap(b)));
}

croaring_set *croaring_and_not(const croaring_set *a, const croaring_set *b) {
    return made(roaring_bitmap_andnot(bitmap(a), bitmap(b)));
}

croaring_set *croaring_xor(const croaring_set *a, const croaring_set *b) {
    return made(roaring_bitmap_xor(bitmap(a), bitmap(b)));
}

uint64_t croaring_and_count(const croaring_set *a, const croaring_set *b) {
    return roaring_bitmap_and_cardinality(bitmap(a), bitmap(b));
}

void croaring_copy(const croaring_set *set, uint32_t *out) { roaring_bitmap_to_uint32_array(bitmap(set), out); }

void croaring_copy_part(const croaring_set *set, size_t offset, size_t limit, uint32_t *out) {
    roaring_bitmap_range_uint32_array(bitmap(set), offset, limit, out);
}

void croaring_set_bits(const croaring_set *set, uint64_t *words) {
    roaring_uint32_iterator_t iterator;
    uint32_t members[256];
    roaring_init_iterator(bitmap(set), &iterator);
    uint32_t read;
    while ((read = roaring_read_uint32_iterator(&iterator, members, 256)) != 0) {
        for (uint32_t i = 0; i < read; i++) words[members[i] >> 6] |= (uint64_t)1 << (members[i] & 63);
    }
}

size_t croaring_filter(const croaring_set *set, const uint32_t *list, size_t count, int32_t wanted, uint32_t *out) {
    size_t members = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t member = list[i];
        if (out) out[members] = member;
        members += roaring_bitmap_contains(bitmap(set), member) == (wanted != 0);
    }
    return members;
}

// Compressed sets of 32-bit numbers, by the CRoaring library. Its own header is seen by CRoaring.c alone.
//
// Sets never change once made, so that any thread may read them. Running out of memory ends the process.
#ifndef CROARING_H
#define CROARING_H

#include <stddef.h>
#include <stdint.h>

typedef struct croaring_set croaring_set;

/// A set of the members of an ascending list, packed as runs where that is shorter.
croaring_set *croaring_create(const uint32_t *list, size_t count);
void croaring_free(croaring_set *set);

uint64_t croaring_count(const croaring_set *set);
int32_t croaring_contains(const croaring_set *set, uint32_t member);
/// Bytes the members take.
size_t croaring_size(const croaring_set *set);

/// Number of members up to and including `member`, and in `low` ..< `high`.
uint64_t croaring_rank(const croaring_set *set, uint32_t member);
uint64_t croaring_count_range(const croaring_set *set, uint64_t low, uint64_t high);
/// The member with `rank` members below it, or -1 if there is none.
int64_t croaring_select(const croaring_set *set, uint32_t rank);

croaring_set *croaring_and(const croaring_set *a, const croaring_set *b);
croaring_set *croaring_or(const croaring_set *a, const croaring_set *b);
croaring_set *croaring_and_not(const croaring_set *a, const croaring_set *b);
croaring_set *croaring_xor(const croaring_set *a, const croaring_set *b);
uint64_t croaring_and_count(const croaring_set *a, const croaring_set *b);

/// Writes all members, ascending, or those from the `offset`-th on, at most `limit`.
void croaring_copy(const croaring_set *set, uint32_t *out);
void croaring_copy_part(const croaring_set *set, size_t offset, size_t limit, uint32_t *out);

/// Sets the members' bits; all members are below 64 times the number of words.
void croaring_set_bits(const croaring_set *set, uint64_t *words);

/// Writes the members of an ascending list that are in the set (`wanted` 1) or not in it (0); returns how many. With no
/// `out` they are only counted.
size_t croaring_filter(const croaring_set *set, const uint32_t *list, size_t count, int32_t wanted, uint32_t *out);

#endif

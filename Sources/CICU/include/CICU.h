// The ICU functions used, behind plain C types: no ICU header is visible to Swift, where it would clash with the copy of
// ICU inside Foundation. Nothing here throws.
//
// Statuses are values of ICU's UErrorCode: zero and negative values are success, positive values are failures.
// Lengths and offsets are UTF-16 units unless a name or comment says bytes.
#ifndef CICU_H
#define CICU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Versions of the library and of the Unicode tables in it: four numbers each.
void cicu_version(uint8_t version[4]);
void cicu_unicode_version(uint8_t version[4]);

// The library's name for a status, such as "U_REGEX_TIME_OUT". Never null.
const char *cicu_status_name(int32_t status);

extern const int32_t cicu_status_time_out;
extern const int32_t cicu_status_stack_overflow;

// Properties of a scalar.
typedef enum {
    CICU_MARK_NONE = 0,
    CICU_MARK_NONSPACING = 1,
    CICU_MARK_OTHER = 2,
} cicu_mark;

typedef enum {
    CICU_CLUSTER_OTHER = 0,
    CICU_CLUSTER_CONTROL = 1,
    CICU_CLUSTER_EXTENDING = 2,
    CICU_CLUSTER_SPECIAL = 3,
} cicu_cluster;

int32_t cicu_mark_of(uint32_t scalar);
uint8_t cicu_combining_class(uint32_t scalar);
// How the scalar takes part in grapheme clusters. EXTENDING joins whatever stands before it, unless that is a control.
int32_t cicu_cluster_of(uint32_t scalar);
// True where neither normalisation nor case folding touches the scalar or joins it with a neighbour.
bool cicu_is_inert(uint32_t scalar);
// True where neither decomposition nor case folding touches the scalar, though it may join or pass a neighbour.
bool cicu_is_stable(uint32_t scalar);
// True where the scalar may join the one before it under composition.
bool cicu_may_compose(uint32_t scalar);
// What the two scalars compose to, or -1.
int32_t cicu_composition(uint32_t first, uint32_t second);
// True where text may be cut before the scalar without changing its composed normal form.
bool cicu_has_boundary_before(uint32_t scalar);
// Terminal columns of the scalar alone: 0, 1 or 2.
int32_t cicu_columns_of(uint32_t scalar);
bool cicu_is_pictographic(uint32_t scalar);

// Transformations. Each returns the length of the whole result, which may exceed the capacity (call again with room),
// or a negative value: the status negated.
int32_t cicu_decompose(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity);
int32_t cicu_compose(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity);
int32_t cicu_fold_case(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity);
int32_t cicu_uppercase(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity);
int32_t cicu_lowercase(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity);

// The first place where the needle's bytes occur, or null: the C library's linear search, which Swift does not import.
const uint8_t *cicu_find_bytes(const uint8_t *text, size_t length, const uint8_t *needle, size_t needle_length);

// Boundaries, by the rules of the root locale. A breaker serves one thread at a time.
typedef struct cicu_breaker cicu_breaker;
int32_t cicu_word_breaker_open(cicu_breaker **breaker);
int32_t cicu_cluster_breaker_open(cicu_breaker **breaker);
void cicu_breaker_close(cicu_breaker *breaker);
// The text must stay in place until the next set or the last call.
int32_t cicu_breaker_set_text(cicu_breaker *breaker, const uint16_t *text, int32_t length);
int32_t cicu_breaker_set_utf8(cicu_breaker *breaker, const uint8_t *text, int32_t length);
// The next segments that hold word characters, as pairs (start, end); returns how many pairs, 0 at the end of the text.
int32_t cicu_breaker_next_words(cicu_breaker *breaker, int32_t *pairs, int32_t capacity);
// The next boundary, or -1 at the end.
int32_t cicu_breaker_next(cicu_breaker *breaker);
bool cicu_breaker_is_boundary(cicu_breaker *breaker, int32_t offset);

// Collation. A collator may be used by many threads at once.
typedef struct cicu_collator cicu_collator;
typedef enum {
    CICU_STRENGTH_PRIMARY = 0,
    CICU_STRENGTH_PRIMARY_AND_CASE = 1,
    CICU_STRENGTH_SECONDARY = 2,
    CICU_STRENGTH_TERTIARY = 3,
} cicu_strength;
int32_t cicu_collator_open(const char *locale, int32_t strength, cicu_collator **collator);
void cicu_collator_close(cicu_collator *collator);
// -1, 0 or 1. Lengths in bytes.
int32_t cicu_collator_compare_utf8(
    const cicu_collator *collator, const uint8_t *left, int32_t left_length, const uint8_t *right, int32_t right_length);
// Returns the length of the whole key in bytes, its closing zero included.
int32_t cicu_collator_sort_key(
    const cicu_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity);

// Regular expressions. A matcher serves one thread at a time; cloning reads nothing that matching changes.
typedef struct cicu_regex cicu_regex;
int32_t cicu_regex_open(
    const uint16_t *pattern, int32_t length, bool ignore_case, cicu_regex **regex, int32_t *error_line,
    int32_t *error_offset);
int32_t cicu_regex_clone(const cicu_regex *regex, cicu_regex **clone);
int32_t cicu_regex_set_limits(cicu_regex *regex, int32_t steps, int32_t stack_bytes);
// Asked during a match every ten thousand steps or so, on its thread; a match ends with an error where the answer is no.
int32_t cicu_regex_set_watch(cicu_regex *regex, bool (*goes_on)(void));
void cicu_regex_close(cicu_regex *regex);
int32_t cicu_regex_matches(cicu_regex *regex, const uint16_t *text, int32_t length, bool *matches);

#ifdef __cplusplus
}
#endif
#endif

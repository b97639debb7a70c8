// Collation and regular expressions. The opaque types are ICU's own objects under another name.
#include "CICU.h"

#include <unicode/ucol.h>
#include <unicode/uregex.h>

int32_t cicu_collator_open(const char *locale, int32_t strength, cicu_collator **collator) {
    UErrorCode status = U_ZERO_ERROR;
    *collator = NULL;
    UCollator *opened = ucol_open(locale, &status);
    if (U_FAILURE(status)) { return status; }
    UColAttributeValue level = strength == CICU_STRENGTH_TERTIARY ? UCOL_TERTIARY
        : strength == CICU_STRENGTH_SECONDARY                     ? UCOL_SECONDARY
                                                                  : UCOL_PRIMARY;
    ucol_setAttribute(opened, UCOL_STRENGTH, level, &status);
    ucol_setAttribute(
        opened, UCOL_CASE_LEVEL, strength == CICU_STRENGTH_PRIMARY_AND_CASE ? UCOL_ON : UCOL_OFF, &status);
    ucol_setAttribute(opened, UCOL_NORMALIZATION_MODE, UCOL_ON, &status);
    if (U_FAILURE(status)) {
        ucol_close(opened);
        return status;
    }
    *collator = (cicu_collator *)opened;
    return status;
}

void cicu_collator_close(cicu_collator *collator) { ucol_close((UCollator *)collator); }

int32_t cicu_collator_compare_utf8(
    const cicu_collator *collator, const uint8_t *left, int32_t left_length, const uint8_t *right,
    int32_t right_length) {
    UErrorCode status = U_ZERO_ERROR;
    return ucol_strcollUTF8(
        (const UCollator *)collator, (const char *)left, left_length, (const char *)right, right_length, &status);
}

int32_t cicu_collator_sort_key(
    const cicu_collator *collator, const uint16_t *text, int32_t length, uint8_t *key, int32_t capacity) {
    return ucol_getSortKey((const UCollator *)collator, text, length, key, capacity);
}

int32_t cicu_regex_open(
    const uint16_t *pattern, int32_t length, bool ignore_case, cicu_regex **regex, int32_t *error_line,
    int32_t *error_offset) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError place = {0, 0, {0}, {0}};
    URegularExpression *opened =
        uregex_open(pattern, length, ignore_case ? UREGEX_CASE_INSENSITIVE : 0, &place, &status);
    *error_line = place.line;
    *error_offset = place.offset;
    *regex = (cicu_regex *)opened;
    return status;
}

int32_t cicu_regex_clone(const cicu_regex *regex, cicu_regex **clone) {
    UErrorCode status = U_ZERO_ERROR;
    *clone = (cicu_regex *)uregex_clone((const URegularExpression *)regex, &status);
    return status;
}

int32_t cicu_regex_set_limits(cicu_regex *regex, int32_t steps, int32_t stack_bytes) {
    UErrorCode status = U_ZERO_ERROR;
    uregex_setTimeLimit((URegularExpression *)regex, steps, &status);
    uregex_setStackLimit((URegularExpression *)regex, stack_bytes, &status);
    return status;
}

static UBool ask(const void *context, int32_t steps) {
    (void)steps;
    return ((bool (*)(void))context)();
}

int32_t cicu_regex_set_watch(cicu_regex *regex, bool (*goes_on)(void)) {
    UErrorCode status = U_ZERO_ERROR;
    uregex_setMatchCallback((URegularExpression *)regex, ask, (const void *)goes_on, &status);
    return status;
}

void cicu_regex_close(cicu_regex *regex) { uregex_close((URegularExpression *)regex); }

int32_t cicu_regex_matches(cicu_regex *regex, const uint16_t *text, int32_t length, bool *matches) {
    UErrorCode status = U_ZERO_ERROR;
    URegularExpression *matcher = (URegularExpression *)regex;
    uregex_setText(matcher, text, length, &status);
    UBool found = uregex_matches(matcher, 0, &status);
    *matches = U_SUCCESS(status) && found;
    return status;
}

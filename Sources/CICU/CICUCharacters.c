// Versions, scalar properties, normalisation and case.
#include "CICU.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/uversion.h>
#include <unicode/utypes.h>

const int32_t cicu_status_time_out = U_REGEX_TIME_OUT;
const int32_t cicu_status_stack_overflow = U_REGEX_STACK_OVERFLOW;

void cicu_version(uint8_t version[4]) { u_getVersion(version); }

void cicu_unicode_version(uint8_t version[4]) { u_getUnicodeVersion(version); }

const char *cicu_status_name(int32_t status) { return u_errorName((UErrorCode)status); }

int32_t cicu_mark_of(uint32_t scalar) {
    switch (u_charType((UChar32)scalar)) {
    case U_NON_SPACING_MARK: return CICU_MARK_NONSPACING;
    case U_COMBINING_SPACING_MARK:
    case U_ENCLOSING_MARK: return CICU_MARK_OTHER;
    default: return CICU_MARK_NONE;
    }
}

uint8_t cicu_combining_class(uint32_t scalar) { return u_getCombiningClass((UChar32)scalar); }

int32_t cicu_cluster_of(uint32_t scalar) {
    switch (u_getIntPropertyValue((UChar32)scalar, UCHAR_GRAPHEME_CLUSTER_BREAK)) {
    case U_GCB_OTHER: return CICU_CLUSTER_OTHER;
    case U_GCB_CR:
    case U_GCB_LF:
    case U_GCB_CONTROL: return CICU_CLUSTER_CONTROL;
    case U_GCB_EXTEND:
    case U_GCB_SPACING_MARK:
    case U_GCB_ZWJ: return CICU_CLUSTER_EXTENDING;
    default: return CICU_CLUSTER_SPECIAL;
    }
}

bool cicu_is_inert(uint32_t scalar) {
    return u_hasBinaryProperty((UChar32)scalar, UCHAR_NFD_INERT)
        && u_hasBinaryProperty((UChar32)scalar, UCHAR_NFC_INERT)
        && !u_hasBinaryProperty((UChar32)scalar, UCHAR_CHANGES_WHEN_CASEFOLDED);
}

bool cicu_is_stable(uint32_t scalar) {
    return u_getIntPropertyValue((UChar32)scalar, UCHAR_NFD_QUICK_CHECK) == UNORM_YES
        && u_getIntPropertyValue((UChar32)scalar, UCHAR_NFC_QUICK_CHECK) != UNORM_NO
        && !u_hasBinaryProperty((UChar32)scalar, UCHAR_CHANGES_WHEN_CASEFOLDED);
}

bool cicu_may_compose(uint32_t scalar) {
    return u_getIntPropertyValue((UChar32)scalar, UCHAR_NFC_QUICK_CHECK) == UNORM_MAYBE;
}

static const UNormalizer2 *composer(UErrorCode *status) { return unorm2_getNFCInstance(status); }

int32_t cicu_composition(uint32_t first, uint32_t second) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfc = composer(&status);
    return U_SUCCESS(status) ? unorm2_composePair(nfc, (UChar32)first, (UChar32)second) : -1;
}

bool cicu_has_boundary_before(uint32_t scalar) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfc = composer(&status);
    return U_SUCCESS(status) && unorm2_hasBoundaryBefore(nfc, (UChar32)scalar);
}

bool cicu_is_pictographic(uint32_t scalar) {
    return u_hasBinaryProperty((UChar32)scalar, UCHAR_EXTENDED_PICTOGRAPHIC)
        || u_hasBinaryProperty((UChar32)scalar, UCHAR_REGIONAL_INDICATOR);
}

int32_t cicu_columns_of(uint32_t scalar) {
    UChar32 character = (UChar32)scalar;
    switch (u_charType(character)) {
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR: return scalar == 0xAD ? 1 : 0;  // terminals draw the soft hyphen
    default: break;
    }
    // Vowels and final consonants of decomposed Hangul are drawn within the leading consonant's two columns.
    switch (u_getIntPropertyValue(character, UCHAR_HANGUL_SYLLABLE_TYPE)) {
    case U_HST_VOWEL_JAMO:
    case U_HST_TRAILING_JAMO: return 0;
    default: break;
    }
    switch (u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_FULLWIDTH:
    case U_EA_WIDE: return 2;
    default: return 1;
    }
}

// ICU reports a result without room as an error beside the length; callers here compare the length instead.
static int32_t finished(int32_t length, UErrorCode status) {
    if (status == U_BUFFER_OVERFLOW_ERROR) { return length; }
    return U_FAILURE(status) ? -(int32_t)status : length;
}

int32_t cicu_decompose(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfd = unorm2_getNFDInstance(&status);
    if (U_FAILURE(status)) { return -(int32_t)status; }
    return finished(unorm2_normalize(nfd, text, length, result, capacity, &status), status);
}

int32_t cicu_compose(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfc = composer(&status);
    if (U_FAILURE(status)) { return -(int32_t)status; }
    return finished(unorm2_normalize(nfc, text, length, result, capacity, &status), status);
}

int32_t cicu_fold_case(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    return finished(u_strFoldCase(result, capacity, text, length, U_FOLD_CASE_DEFAULT, &status), status);
}

int32_t cicu_uppercase(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    return finished(u_strToUpper(result, capacity, text, length, "", &status), status);
}

int32_t cicu_lowercase(const uint16_t *text, int32_t length, uint16_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    return finished(u_strToLower(result, capacity, text, length, "", &status), status);
}

// Word and grapheme cluster boundaries.
#include "CICU.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <stdlib.h>

struct cicu_breaker {
    UBreakIterator *iterator;
    UText *text;  // the last UTF-8 text, kept for reuse of its memory
};

static int32_t breaker_open(UBreakIteratorType type, cicu_breaker **breaker) {
    UErrorCode status = U_ZERO_ERROR;
    *breaker = NULL;
    cicu_breaker *opened = calloc(1, sizeof *opened);
    if (!opened) { return U_MEMORY_ALLOCATION_ERROR; }
    opened->iterator = ubrk_open(type, "", NULL, 0, &status);
    if (U_FAILURE(status)) {
        free(opened);
        return status;
    }
    *breaker = opened;
    return status;
}

int32_t cicu_word_breaker_open(cicu_breaker **breaker) { return breaker_open(UBRK_WORD, breaker); }

int32_t cicu_cluster_breaker_open(cicu_breaker **breaker) { return breaker_open(UBRK_CHARACTER, breaker); }

void cicu_breaker_close(cicu_breaker *breaker) {
    if (!breaker) { return; }
    ubrk_close(breaker->iterator);
    utext_close(breaker->text);
    free(breaker);
}

int32_t cicu_breaker_set_text(cicu_breaker *breaker, const uint16_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    ubrk_setText(breaker->iterator, text, length, &status);
    return status;
}

int32_t cicu_breaker_set_utf8(cicu_breaker *breaker, const uint8_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    breaker->text = utext_openUTF8(breaker->text, (const char *)text, length, &status);
    ubrk_setUText(breaker->iterator, breaker->text, &status);
    return status;
}

int32_t cicu_breaker_next_words(cicu_breaker *breaker, int32_t *pairs, int32_t capacity) {
    UBreakIterator *iterator = breaker->iterator;
    int32_t count = 0;
    int32_t start = ubrk_current(iterator);
    while (count < capacity) {
        int32_t end = ubrk_next(iterator);
        if (end == UBRK_DONE) { break; }
        if (ubrk_getRuleStatus(iterator) >= UBRK_WORD_NONE_LIMIT) {
            pairs[2 * count] = start;
            pairs[2 * count + 1] = end;
            count += 1;
        }
        start = end;
    }
    return count;
}

int32_t cicu_breaker_next(cicu_breaker *breaker) { return ubrk_next(breaker->iterator); }

bool cicu_breaker_is_boundary(cicu_breaker *breaker, int32_t offset) {
    return ubrk_isBoundary(breaker->iterator, offset);
}

// Searching bytes: memmem is an extension of the C library that Swift's import of it leaves out.
#define _GNU_SOURCE
#include "CICU.h"

#include <string.h>

const uint8_t *cicu_find_bytes(const uint8_t *text, size_t length, const uint8_t *needle, size_t needle_length) {
    return memmem(text, length, needle, needle_length);
}

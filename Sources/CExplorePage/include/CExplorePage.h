// The files of the page that shows records in a browser.
#ifndef CEXPLOREPAGE_H
#define CEXPLOREPAGE_H
#include <stddef.h>

#pragma clang assume_nonnull begin

struct cexplore_file {
    /// The path of its address, and what it is.
    const char *path, *type;
    const unsigned char *bytes;
    size_t length;
};

/// The file of a number; NULL behind the last.
const struct cexplore_file *_Nullable cexplore_page(size_t number);

#pragma clang assume_nonnull end
#endif

// What the C library's allocator knows of its blocks.
#ifndef CMEMORY_H
#define CMEMORY_H
#include <stddef.h>

/// Bytes of all blocks that were allocated and not yet freed, on all threads; 0 under a sanitizer, whose allocator does
/// not tell.
size_t cmemory_allocated(void);

#endif
